"""False alarm rates of the reference-free checks on human translations.

    python benchmarks/check_alarms.py SHARED_DATA

SHARED_DATA is the folder that holds patsnap/, mqm/, align_gold/ and patents/. For each collection
and check: segments with a finding, what was judged, and the score of the human translations. A
check without rules for the languages has a dash. Documents of the Bible are 40 beads in a row.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from patmark.alignment.gold import read_gold
from patmark.data import TestSet
from patmark.examples import example_path
from patmark.measures import Check, parse_measure

Row = tuple[str, str, str | None]
_CHECKS = (
    "numbers", "limits", "reference-signs", "polarity", "markers", "claim-structure",
    "untranslated", "doubled", "term-drift",
)  # fmt: skip
_SPAN = re.compile(r"</?v>")
_DOCUMENT = 40


def lines(path: Path) -> list[str]:
    """Read the lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def patsnap(data: Path) -> list[Row]:
    """Chinese and English of the bench rows that have both."""
    rows = map(json.loads, lines(data / "patsnap" / "sample.jsonl"))
    return [(r["content_cn"], r["content_en"], r["pn"]) for r in rows if r["content_en"] != "Zero"]


def talks(data: Path, translator: str) -> list[Row]:
    """TED talks and one of their human translations."""
    found: dict[tuple[str, str], Row] = {}
    with gzip.open(data / "mqm" / "ted_zhen.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            system, talk, _, segment, _, source, target, *_ = line.split("\t")
            if system == translator:
                plain = (_SPAN.sub("", text) for text in (source, target))
                found.setdefault((talk, segment), (*plain, talk))  # type: ignore[arg-type]
    return list(found.values())


def bible(data: Path) -> list[Row]:
    """Chinese and English beads."""
    folder = data / "align_gold" / "bible_zh_en"
    chinese, english = lines(folder / "zh" / "001"), lines(folder / "en" / "001")
    beads = [(en, zh) for en, zh in read_gold(folder / "gold" / "001.align") if en and zh]
    return [
        ("".join(chinese[k] for k in zh), " ".join(english[k] for k in en), str(i // _DOCUMENT))
        for i, (en, zh) in enumerate(beads)
    ]


def claims(data: Path, source: str, target: str) -> list[Row]:
    """Claims of the European Patent Office in two languages."""
    path = data / "patents" / "ep_fulltext" / "claims_parallel_de_en_fr.jsonl"
    return [(r[source], r[target], r["doc"]) for r in map(json.loads, lines(path))]


def example() -> list[Row]:
    """Return the bundled Japanese example."""
    folder = example_path("ja_en")
    names = ("source.ja", "reference.en", "documents.txt")
    return list(zip(*(lines(folder / name) for name in names), strict=True))


def collections(data: Path) -> Iterator[tuple[str, str, list[Row]]]:
    """Name, languages and rows of everything that people translated."""
    zh_en = {"PatSnap": patsnap(data), "TED 1": talks(data, "ref"), "TED 2": talks(data, "refB"),
             "Bible": bible(data)}  # fmt: skip
    for name, rows in zh_en.items():
        yield name, "zh-en", rows
        yield name, "en-zh", [(target, source, document) for source, target, document in rows]
    yield "example", "ja-en", example()
    for languages in ("de-en", "en-de", "en-fr", "de-fr"):
        yield "EP claims", languages, claims(data, *languages.split("-"))


def cell(check: Check, test_set: TestSet, targets: list[str]) -> str:
    """Segments with a finding, things judged, and the score."""
    if check.unsupported(test_set):
        return "–"
    findings = check.findings(test_set, targets)
    score = float(check.score(check.count(findings).sum(axis=0)))
    judged = sum(finding.expected for finding in findings)
    return f"{sum(bool(finding.evidence) for finding in findings)} / {judged:g} / {score:.3f}"


def main() -> None:
    """Print the table."""
    data = Path(sys.argv[1])
    print(f"{'':16}{'segments':>9}", *(f"{name:>22}" for name in _CHECKS))
    for name, languages, rows in collections(data):
        sources, targets, documents = (list(column) for column in zip(*rows, strict=True))
        source, target = languages.split("-")
        test_set = TestSet.of(targets, sources=sources, documents=documents,
                              source_language=source, target_language=target)  # fmt: skip
        cells = []
        for label in _CHECKS:
            check = parse_measure(label)
            assert isinstance(check, Check)
            cells.append(cell(check, test_set, targets))
        print(f"{name + ' ' + languages:16}{len(rows):>9}", *(f"{one:>22}" for one in cells))


if __name__ == "__main__":
    main()
