"""Quality of the aligners on gold beads: strict and lax F1, with what was tuned on set apart.

    python benchmarks/align_quality.py SHARED_DATA [--full] [--handbook FOLDER]

SHARED_DATA is the folder that holds align_gold/, mqm/ and patents/. The weights of the hybrid were
tuned on the first half of the Bible (as it is, disturbed, and with words left out) and on the dev
text of Text+Berg; those of lone sentences on the same with 15 % deleted, and on fold A of the
handbook. EP claims de-en with deletions were in sight during that work: no blind test. --full
also aligns the whole Bible at once. Disturbed means: in documents of some
hundred sentences, beads of one sentence are split at commas, neighbours are merged into one
sentence, and sentences are deleted; beads with several sentences on both sides, which in this
gold are whole verses, are left out before.

--handbook is the folder html/ of the Debian package debian-handbook, in many languages with the
same paragraphs: of those with equally many sentences each is a bead, and one sentence with up to
three is one. Every second document is fold A.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from lxml import html

from patmark.alignment.aligners import aligner_for
from patmark.alignment.beads import Aligner
from patmark.alignment.gale_church import GaleChurch
from patmark.alignment.gold import links_of, read_gold, score_alignment
from patmark.alignment.hybrid import Hybrid, learn_lexicon
from patmark.data import jmdict_is_installed
from patmark.examples import example_path
from patmark.languages import has_cjk, split_sentences

Beads = list[tuple[list[str], list[str]]]
Link = tuple[tuple[int, ...], tuple[int, ...]]
Document = tuple[list[str], list[str], list[Link]]
_HALF = 2500
_PAUSE = re.compile(r"[,;:，；：]\s*")


def lines(path: Path) -> list[str]:
    """Read the sentences of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def document(beads: Beads) -> Document:
    """Return texts and gold of beads; untranslated sentences are separate beads."""
    source: list[str] = []
    target: list[str] = []
    gold: list[Link] = []
    for sources, targets in beads:
        i = tuple(range(len(source), len(source) + len(sources)))
        j = tuple(range(len(target), len(target) + len(targets)))
        gold += [(i, j)] if i and j else [((k,), ()) for k in i] + [((), (k,)) for k in j]
        source += sources
        target += targets
    return source, target, gold


def bible(folder: Path) -> tuple[Beads, Beads]:
    """Return the beads of both halves, Chinese first, split by English sentences."""
    chinese, english = lines(folder / "zh" / "001"), lines(folder / "en" / "001")
    halves: tuple[Beads, Beads] = ([], [])
    for en, zh in read_gold(folder / "gold" / "001.align"):
        beads = halves[int(en[0] >= _HALF)]
        beads.append(([chinese[k] for k in zh], [english[k] for k in en]))
    return halves


def documents(beads: Beads, size: int) -> list[Beads]:
    """Beads in documents of about so many."""
    return [beads[first : first + size] for first in range(0, len(beads) - size // 2, size)]


def disturbed(beads: Beads, seed: int, split: float, merge: float, delete: float) -> Document:
    """Return a document with given beads."""
    rng = random.Random(seed)
    result: Beads = []
    for sources, targets in beads:
        if len(sources) > 1 and len(targets) > 1:
            continue
        sides = [list(sources), list(targets)]
        if rng.random() < split and len(sources) == len(targets) == 1:
            _split(sides[rng.randrange(2)], rng)
        fits = result and all(
            len(old) + len(new) <= 4 for old, new in zip(result[-1], sides, strict=True)
        )
        if fits and rng.random() < merge:
            result[-1] = _merged(result[-1], sides, rng.randrange(2))
        else:
            result.append((sides[0], sides[1]))
    return document([_deleted(bead, rng, delete) for bead in result])


def _split(side: list[str], rng: random.Random) -> None:
    text = side[0]
    places = [found.end() for found in _PAUSE.finditer(text) if 4 < found.end() < len(text) - 4]
    if places:
        at = rng.choice(places)
        side[:] = [text[:at].strip(), text[at:].strip()]


def _merged(
    old: tuple[list[str], list[str]], new: Sequence[list[str]], joined: int
) -> tuple[list[str], list[str]]:
    """Two beads as one: on one side the last and the first sentence become one."""
    sides = [[*old[0], *new[0]], [*old[1], *new[1]]]
    text = old[joined][-1] + ("" if joined == 0 else " ") + new[joined][0]
    sides[joined] = [*old[joined][:-1], text, *new[joined][1:]]
    return sides[0], sides[1]


def _deleted(
    bead: tuple[list[str], list[str]], rng: random.Random, share: float
) -> tuple[list[str], list[str]]:
    if rng.random() >= share:
        return bead
    return ([], bead[1]) if rng.random() < 0.5 else (bead[0], [])


def textberg(folder: Path, names: Sequence[str]) -> list[Document]:
    """Articles of the Text+Berg corpus, German first."""
    return [
        (lines(folder / f"{n}.de"), lines(folder / f"{n}.fr"), read_gold(folder / f"{n}.defr"))
        for n in names
    ]


def claims(path: Path, source: str, target: str, delete: float) -> list[Document]:
    """Return the claims of EP patents, one bead each, some deleted on one side."""
    rng = random.Random(0)
    patents: dict[str, Beads] = {}
    for line in lines(path):
        row = json.loads(line)
        patents.setdefault(row["doc"], []).append(([row[source]], [row[target]]))
    return [
        document([_deleted(bead, rng, delete) for bead in beads]) for beads in patents.values()
    ]  # fmt: skip


def show(name: str, aligner: Aligner, chosen: Sequence[Document]) -> None:
    """Align documents and print their pooled quality."""
    quality = score_alignment(
        [(links_of(aligner.align(source, target)), gold) for source, target, gold in chosen]
    )
    strict = quality.strict
    print(
        f"{name:52} {len(chosen):3}  P {strict.precision:.4f}  R {strict.recall:.4f}  "
        f"F1 {strict.f1:.4f}  lax {quality.lax.f1:.4f}",
        flush=True,
    )


def chinese_sets(folder: Path, full: bool) -> None:
    """Return the Bible in several forms."""
    halves = bible(folder)
    aligners = {name: aligner_for(name, "zh", "en")
                for name in ("hybrid", "utiyama-isahara", "gale-church")}  # fmt: skip
    for half, beads, label in zip((1, 2), halves, ("tuned on", "not tuned on"), strict=True):
        sets = {
            "as it is": [document(part) for part in documents(beads, 250)],
            "without verse beads": [
                disturbed(part, 0, 0, 0, 0) for part in documents(beads, 250)
            ],
            "disturbed": [disturbed(part, k, 0.3, 0.12, 0.01)
                          for k, part in enumerate(documents(beads, 250))],
            "more disturbed": [disturbed(part, k, 0.5, 0.2, 0.02)
                               for k, part in enumerate(documents(beads, 120))],
        }  # fmt: skip
        for kind, chosen in sets.items():
            for name, aligner in aligners.items():
                show(f"Bible half {half} ({label}), {kind}: {name}", aligner, chosen)
    if full:
        for name, aligner in aligners.items():
            show(f"whole Bible: {name}", aligner, [document(halves[0] + halves[1])])


def german_french_sets(folder: Path) -> None:
    """Text+Berg without any dictionary: lengths, the texts themselves, a lexicon of all texts."""
    dev = textberg(folder, ["dev"])
    test = textberg(folder, [f"test{k}" for k in range(7)])
    plain = Hybrid("de", "fr")
    pooled = learn_lexicon([(source, target) for source, target, _ in dev + test], plain)
    learnt = Hybrid("de", "fr", lexicon=pooled)
    for label, chosen in (("dev (tuned on)", dev), ("test0-6 (not tuned on)", test)):
        show(f"Text+Berg {label}: gale-church", GaleChurch(), chosen)
        show(f"Text+Berg {label}: hybrid", plain, chosen)
        show(f"Text+Berg {label}: hybrid, pooled lexicon", learnt, chosen)


def claim_sets(path: Path) -> None:
    """EP claims; dependent claims resemble each other, so deleted ones are hard to find."""
    for source, target in (("de", "en"), ("en", "fr")):
        for delete in (0.0, 0.2):
            chosen = claims(path, source, target, delete)
            seen = "seen" if source == "de" and delete else "not tuned on"
            name = f"EP claims {source}-{target}, {delete:.0%} deleted ({seen})"
            show(f"{name}: hybrid", Hybrid(source, target), chosen)
            show(f"{name}: gale-church", GaleChurch(), chosen)


def japanese_sets() -> None:
    """Align the invented examples, some deleted on one side, with and without JMdict."""
    sides = [lines(example_path(f"ja_en/{name}")) for name in ("source.ja", "reference.en")]
    beads = [([source], [target]) for source, target in zip(*sides, strict=True)]
    chosen = [
        document([_deleted(bead, rng, 0.15) for bead in beads])
        for rng in map(random.Random, range(5))
    ]
    for name in ("none", "jmdict") if jmdict_is_installed() else ("none",):
        aligner = aligner_for("hybrid", "ja", "en", name)
        show(f"Examples ja-en, 15% deleted (not tuned on): {name}", aligner, chosen)


def deleted(beads: Beads, seed: int, share: float) -> Document:
    """Return a document in which some beads have lost a side."""
    rng = random.Random(seed)
    return document([_deleted(bead, rng, share) for bead in beads])


def sentences_deleted(beads: Beads, seed: int, share: float) -> Document:
    """Return a document without some sentences on both sides."""
    rng = random.Random(seed)
    return document(
        [
            (
                [text for text in sources if rng.random() >= share],
                [text for text in targets if rng.random() >= share],
            )
            for sources, targets in beads
        ]
    )


def deletion_sets(name: str, languages: tuple[str, str], texts: Sequence[Beads]) -> None:
    """Documents with 15 % of their beads made one-sided, or 15 % of their sentences left out."""
    aligner = aligner_for("hybrid", *languages)
    for what, delete in (("beads", deleted), ("sentences", sentences_deleted)):
        for draw in range(3):
            chosen = [delete(beads, 100 * draw + n, 0.15) for n, beads in enumerate(texts)]
            show(f"{name}, 15% of {what} deleted, draw {draw}", aligner, chosen)


def without_verses(beads: Beads) -> Beads:
    """Beads but those with several sentences on both sides."""
    return [bead for bead in beads if min(map(len, bead)) == 1]


def talks(path: Path) -> list[Beads]:
    """TED talks of WMT21, Chinese and the second human translation."""
    found: dict[str, dict[int, tuple[list[str], list[str]]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        for row in rows:
            system, name, _, segment, _, *texts = row.rstrip("\n").split("\t")[:7]
            if system == "refB":
                source, target = (re.sub("</?v>", "", text) for text in texts)
                found.setdefault(name, {})[int(segment)] = ([source], [target])
    return [[beads[segment] for segment in sorted(beads)] for beads in found.values()]


def handbook(folder: Path, code: str, language: str) -> list[Beads]:
    """Documents of some hundred beads from the pages of a translation and of the original."""
    documents: list[Beads] = [[]]
    for page in sorted((folder / "en-US").glob("sect.*.html")):
        translated = _paragraphs(folder / code / page.name)
        for text, english in zip(translated, _paragraphs(page), strict=True):
            sides = split_sentences(text, language), split_sentences(english, "en")
            if text == english or not has_cjk(text):
                continue
            if len(sides[0]) == len(sides[1]):
                documents[-1] += [
                    ([source], [target]) for source, target in zip(*sides, strict=True)
                ]
            elif min(map(len, sides)) == 1 and max(map(len, sides)) <= 3:
                documents[-1].append((list(sides[0]), list(sides[1])))
        if len(documents[-1]) >= 100:
            documents.append([])
    return documents[:-1]


def _paragraphs(path: Path) -> list[str]:
    nodes = html.parse(path).xpath("//div[@class='para']|//h1|//h2|//h3|//h4")
    texts = (
        " ".join(node.text_content().split())
        for node in nodes
        if not node.xpath(".//div[@class='para']")
    )
    return [text for text in texts if text]


def all_deletion_sets(shared: Path, handbook_folder: Path | None) -> None:
    """Align the sets with deletions: those used for tuning, and the others."""
    gold = shared / "align_gold"
    for half, label, beads in zip(
        (1, 2), ("tuned on", "not tuned on"), bible(gold / "bible_zh_en"), strict=True
    ):
        texts = documents(beads, 250)
        deletion_sets(f"Bible half {half} ({label})", ("zh", "en"), texts)
        plain = [without_verses(part) for part in texts]
        deletion_sets(f"Bible half {half}, no verse beads ({label})", ("zh", "en"), plain)
    deletion_sets("TED (not tuned on)", ("zh", "en"), talks(shared / "mqm" / "ted_zhen.tsv.gz"))
    if handbook_folder is None:
        return
    for language, code in (("zh", "zh-CN"), ("ja", "ja-JP")):
        texts = handbook(handbook_folder, code, language)
        deletion_sets(f"Handbook {language} A (tuned on)", (language, "en"), texts[::2])
        deletion_sets(f"Handbook {language} B (not tuned on)", (language, "en"), texts[1::2])


def main() -> int:
    """Print all sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--handbook", type=Path)
    chosen = parser.parse_args()
    shared = chosen.shared
    gold = shared / "align_gold"
    print(f"{'set: aligner':52} {'documents':3}")
    all_deletion_sets(shared, chosen.handbook)
    japanese_sets()
    german_french_sets(gold / "textberg_de_fr")
    claim_sets(shared / "patents" / "ep_fulltext" / "claims_parallel_de_en_fr.jsonl")
    chinese_sets(gold / "bible_zh_en", chosen.full)
    return 0


if __name__ == "__main__":
    sys.exit(main())
