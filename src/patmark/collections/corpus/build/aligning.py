"""Document pairs to beads of sentences.

Beads are ranked by SIM of their words, independent of the aligner. SIM (Utiyama and Isahara 2003)
needs word translations: those of a dictionary, and those of a lexicon learned from a first pass.
Without either, the score of the aligner is used.

Sections of the two documents are paired first:

| section | paired |
|---|---|
| title | with each other |
| abstract | with each other, if in the languages of their publications (one, in one document) |
| claims | one by one, by number, when both sides have the same numbers; else all together |
| background, summary … | with the section of the same name |
| sections of one side only, or of very different size | pooled in order into ``description`` |

Each sentence of both documents is in exactly one pair. A pair with sentences on one side only gives
the reason in ``problem``. Placeholders, paragraph numbers and section headings are left out, and
counted.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from patmark.alignment import (
    Aligner,
    Bead,
    Hybrid,
    Lexicon,
    Senses,
    WordMatches,
    aligner_for,
    learn,
    senses_for,
)
from patmark.collections.corpus.build.document_pairs import pairs_per_shard
from patmark.collections.corpus.build.pair_ranks import scores_view
from patmark.collections.corpus.build.settings import (
    POOLED,
    AlignSettings,
    PipelineSettings,
    RankSettings,
)
from patmark.collections.patents import SECTIONS, UNDETERMINED, classify_heading
from patmark.data import (
    Claim,
    Document,
    FloatArray,
    Paragraph,
    PatentText,
    document_from_json,
    without_placeholders,
)
from patmark.engine import (
    Batch,
    Dataset,
    Place,
    Relation,
    StepRunner,
    View,
    batch_of,
    local_file,
    local_target,
    place_name,
)
from patmark.languages import (
    CJK,
    is_paragraph_number,
    join_sentences,
    split_clauses,
    split_sentences,
)

BEAD_SCHEMA = {
    "pair_id": "string",
    "number": "int64",
    "section": "string",
    "bead": "string",
    "sim": "float64",
    "source": "string",
    "target": "string",
    "source_count": "int64",
    "target_count": "int64",
    "problem": "string",
}
_COLUMNS = ("pair_id", "source_document", "target_document")
_BATCH = 4
_LEXICON = "lexicon.tsv"
_LEARNER = "hybrid"
# Words are learned from the best pairs; this number of document pairs has enough of them.
_PAIRS_PER_DOCUMENT = 5
_SOME = """
SELECT pair_id, source_document, target_document FROM texts ORDER BY MD5(pair_id) LIMIT {most}
"""
_BEST = """
SELECT a.source, a.target
FROM scores s JOIN aligned a ON a.pair_id = s.pair_id AND a.number = s.number
WHERE s.place <= {count}
ORDER BY s.place
"""
_LARGEST_DISPROPORTION = 4.0
_SMALL = 400
_WRAP_IN_CJK = re.compile(rf"(?<=[{CJK}、。，；：])\s+(?=[{CJK}「（])")


def own_scores(method: str, beads: Sequence[Bead]) -> FloatArray:
    """Return nonnegative scores of an aligner, higher for better.

    Gale and Church's scores are log probabilities; negative evidence counts as zero.
    """
    scores = np.array([bead.score for bead in beads], dtype=np.float64)
    return np.exp(scores) if method == "gale-church" else np.maximum(scores, 0.0)


@dataclass(frozen=True, slots=True)
class AlignTask:
    """Settings of a worker that aligns documents. ``lexicon`` is a file of learned words."""

    source_language: str
    target_language: str
    settings: AlignSettings
    lexicon: str = ""

    @classmethod
    def of(cls, settings: PipelineSettings) -> AlignTask:
        """Return the task of a build, without a lexicon."""
        return cls(settings.source_language, settings.target_language, settings.align)

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return self.source_language, self.target_language

    def aligner(self) -> Aligner:
        """Return the aligner, made once per process."""
        return _aligner(self)

    @property
    def knows_words(self) -> bool:
        """True if scores use word translations."""
        return any(_known_words(self))

    @property
    def ranked_by(self) -> str:
        """Description of the words behind SIM."""
        senses, _ = _known_words(self)
        known = [] if senses is None else [f"the dictionary {senses.dictionary.name}"]
        known += ["the learnt lexicon"] if self.lexicon else []
        if not known:
            return f"score of the aligner {self.settings.method}, for want of a dictionary"
        return f"SIM with {' and '.join(known)}"


@lru_cache(maxsize=4)
def _aligner(task: AlignTask) -> Aligner:
    method = task.settings.method
    # Gale and Church use no words; a dictionary is then only for the ranking
    with _local_dictionary(None if method == "gale-church" else task.settings) as dictionary:
        if not task.lexicon:
            return aligner_for(method, *task.languages, dictionary)
        with local_file(task.lexicon, Path()) as lexicon:
            return aligner_for(method, *task.languages, dictionary, str(lexicon))


@lru_cache(maxsize=4)
def _known_words(task: AlignTask) -> tuple[Senses | None, Lexicon | None]:
    """Return the dictionary and the lexicon, read once per process."""
    with _local_dictionary(task.settings) as dictionary:
        senses = senses_for(dictionary, *task.languages)
    if not task.lexicon:
        return senses, None
    with local_file(task.lexicon, Path()) as lexicon:
        return senses, Lexicon.load(lexicon)


@contextmanager
def _local_dictionary(settings: AlignSettings | None) -> Iterator[str | None]:
    """Give the dictionary of some settings, whose file may be behind a URL, to be read."""
    name = settings.dictionary if settings else None
    kind, colon, path = (name or "").partition(":")
    if not colon:
        yield name
        return
    with local_file(path, Path()) as file:
        yield f"{kind}:{file}"


def first_pass_pairs(settings: AlignSettings) -> int:
    """Return the number of document pairs of the first pass, if there are that many."""
    return max(settings.lexicon_pairs // _PAIRS_PER_DOCUMENT, 1)


def align_step(
    steps: StepRunner, texts: Dataset, settings: PipelineSettings
) -> tuple[Dataset, AlignTask]:
    """Align all document pairs; return all beads and the task that found them."""
    task = AlignTask.of(settings)
    if not settings.align.learns:
        return _pass(steps, "aligned", texts, texts.rows, task), task
    most = min(first_pass_pairs(settings.align), texts.rows)
    some = View(_SOME.format(most=most), {"texts": texts})
    first = _pass(steps, "first_aligned", some, most, task)
    lexicon = _lexicon_step(steps, first, settings)
    learnt = replace(task, lexicon=place_name(lexicon.path / _LEXICON))
    return _pass(steps, "aligned", texts, texts.rows, learnt, lexicon), learnt


def _pass(
    steps: StepRunner,
    name: str,
    texts: Relation,
    pairs: int,
    task: AlignTask,
    lexicon: Dataset | None = None,
) -> Dataset:
    given = {
        **asdict(task.settings),
        "aligner": replace(task, lexicon="").aligner().signature,
        "dictionary": _content(task.settings),
        "languages": task.languages,
        "lexicon": lexicon.key if lexicon else "",
    }
    return steps.map(
        name,
        partial(align_documents, task),
        texts,
        BEAD_SCHEMA,
        given,
        columns=_COLUMNS,
        batch_rows=_BATCH,
        shard_rows=pairs_per_shard(pairs),
    )


def _content(settings: AlignSettings) -> str:
    """Return the hash of a dictionary file, or the name of another dictionary."""
    with _local_dictionary(settings) as dictionary:
        path = Path((dictionary or "").partition(":")[2])
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else dictionary or ""


def _lexicon_step(steps: StepRunner, first: Dataset, settings: PipelineSettings) -> Dataset:
    """Learn words from the best pairs of the first pass."""
    best = _BEST.format(count=settings.align.lexicon_pairs)
    tables: dict[str, Relation] = {
        "scores": scores_view(first, RankSettings()),
        "aligned": first,
    }

    def make(output: Place) -> None:
        pairs = [(row["source"], row["target"]) for row in steps.rows(best, tables)]
        languages = (settings.source_language, settings.target_language)
        with _local_dictionary(settings.align) as dictionary:
            aligner = aligner_for(_LEARNER, *languages, dictionary)
        if not isinstance(aligner, Hybrid):
            raise TypeError(f"{_LEARNER} is no aligner that learns")
        with local_target(output / _LEXICON) as file:
            _learnt(aligner, pairs).save(file)

    given = {"dictionary": _content(settings.align), "best": best}
    return steps.step("lexicon", make, list(tables.values()), given)


def _learnt(aligner: Hybrid, pairs: Sequence[tuple[str, str]]) -> Lexicon:
    """Learn words that co-occur in given pairs of sentences."""
    sides = aligner.sides([source for source, _ in pairs], [target for _, target in pairs])
    path = [(place, place, (1, 1)) for place in range(len(pairs))]
    learnt = learn(*sides, path, aligner.known(*sides), aligner.weights.learning)
    return learnt.to_lexicon(*sides)


def align_documents(task: AlignTask, pairs: Batch) -> Iterator[Batch]:
    """Yield the beads of document pairs, a batch for each."""
    for row in pairs.to_pylist():
        source, target = (
            document_from_json(json.loads(row[f"{side}_document"])) for side in ("source", "target")
        )
        rows = [
            {"pair_id": row["pair_id"], "number": number, **bead}
            for number, bead in enumerate(_rows(task, source, target), 1)
        ]
        yield batch_of(rows, BEAD_SCHEMA)


def _rows(task: AlignTask, source: Document, target: Document) -> list[dict[str, Any]]:
    """Return the beads and the sections without beads of two documents, in their order."""
    sections = paired_sections(source, target, *task.languages, clauses=task.settings.clauses)
    if not sections:
        nothing = SectionPair("", SectionSide(), SectionSide())
        return [_lost(nothing, "no text in both languages")]
    found = [(section, *_beads(task, section)) for section in sections]
    scores = iter(_scores(task, [(section, beads) for section, beads, _ in found]))
    rows: list[dict[str, Any]] = []
    for section, beads, problem in found:
        if problem:
            rows.append(_lost(section, problem))
        rows += [_row(section, bead, float(next(scores)), task.languages) for bead in beads]
    return rows


def _beads(task: AlignTask, section: SectionPair) -> tuple[list[Bead], str]:
    """Return the beads of a section, or the reason why there are none."""
    wanted = task.settings.sections
    if wanted and section.section not in wanted:
        return [], "section is not asked for"
    if section.problem:
        return [], section.problem
    return task.aligner().align(section.source.sentences, section.target.sentences), ""


def _scores(task: AlignTask, found: Sequence[tuple[SectionPair, Sequence[Bead]]]) -> FloatArray:
    """Return the scores by which all beads of two documents are ranked."""
    sources: list[str] = []
    targets: list[str] = []
    beads: list[Bead] = []
    for section, own in found:
        beads += [_moved(bead, len(sources), len(targets)) for bead in own]
        if own:
            sources += section.source.sentences
            targets += section.target.sentences
    if not beads or not task.knows_words:
        return own_scores(task.settings.method, beads)
    matches = WordMatches.of(sources, targets, task.languages, *_known_words(task))
    return matches.similarities(beads)


def _moved(bead: Bead, sources: int, targets: int) -> Bead:
    """Return a bead of a section as one of the whole document."""
    return Bead(
        tuple(place + sources for place in bead.source),
        tuple(place + targets for place in bead.target),
        bead.score,
    )


def _row(
    section: SectionPair, bead: Bead, sim: float, languages: tuple[str, str]
) -> dict[str, Any]:
    sides = zip(
        (section.source.sentences, section.target.sentences),
        (bead.source, bead.target),
        languages,
        strict=True,
    )
    source, target = (
        join_sentences([sentences[n] for n in places], language)
        for sentences, places, language in sides
    )
    return {
        "section": section.section,
        "bead": bead.kind,
        "sim": sim,
        "source": source,
        "target": target,
        "source_count": len(bead.source),
        "target_count": len(bead.target),
        "problem": "",
    }


def _lost(section: SectionPair, reason: str) -> dict[str, Any]:
    """Return the row of a section without pairs, with its sentence counts."""
    return {
        "section": section.section,
        "bead": "",
        "sim": 0.0,
        "source": "",
        "target": "",
        "source_count": len(section.source.sentences),
        "target_count": len(section.target.sentences),
        "problem": reason,
    }


@dataclass(frozen=True, slots=True)
class SectionSide:
    """The sentences of a section in one document, and the number of excluded pieces."""

    sentences: tuple[str, ...] = ()
    only_placeholders: int = 0
    paragraph_numbers: int = 0
    section_headings: int = 0

    def __add__(self, other: SectionSide) -> SectionSide:
        return SectionSide(
            self.sentences + other.sentences,
            self.only_placeholders + other.only_placeholders,
            self.paragraph_numbers + other.paragraph_numbers,
            self.section_headings + other.section_headings,
        )

    @property
    def characters(self) -> int:
        """The length of all sentences together."""
        return sum(map(len, self.sentences))


@dataclass(frozen=True, slots=True)
class SectionPair:
    """A section in both documents; ``number`` is that of a claim (0: no single claim)."""

    section: str
    source: SectionSide
    target: SectionSide
    number: int = 0
    problem: str = ""

    @property
    def has_content(self) -> bool:
        """True if a document has any content here, even without sentences."""
        return SectionSide() != self.source or SectionSide() != self.target

    @property
    def is_paired(self) -> bool:
        """True if both sides have sentences."""
        return bool(self.source.sentences and self.target.sentences)


def paired_sections(
    source: Document,
    target: Document,
    source_language: str,
    target_language: str,
    *,
    clauses: bool = False,
) -> tuple[SectionPair, ...]:
    """Pair all sections of two documents; one document may serve as both sides.

    A claim is one sentence; with ``clauses`` it is split into its limitations.
    """
    ours, theirs = source.text(source_language), target.text(target_language)
    pairs = [
        SectionPair("title", _title(ours), _title(theirs)),
        SectionPair(
            "abstract",
            _abstract(ours),
            _abstract(theirs),
            problem=_abstract_problem(source, target, source_language, target_language),
        ),
        *_claim_pairs(ours, theirs, clauses),
        *_description_pairs(ours, theirs),
    ]
    return tuple(_explained(pair) for pair in pairs if pair.has_content)


def _explained(pair: SectionPair) -> SectionPair:
    if pair.is_paired:
        return pair
    sides = (("source", pair.source), ("target", pair.target))
    missing = " and ".join(name for name, side in sides if not side.sentences)
    return replace(pair, problem=f"no {pair.section} in the {missing}")


def _abstract_problem(source: Document, target: Document, *languages: str) -> str:
    """Return the reason why two abstracts are not treated as translations of each other.

    An abstract in another language than that of its publication was added later, by an office or a
    database. It may translate the abstract of its own document, but not that of a relative.
    """
    own = [
        document.language in (language, "", UNDETERMINED)
        for document, language in zip((source, target), languages, strict=True)
    ]
    if all(own) or (source.id == target.id and any(own)):
        return ""
    return "abstract in another language than that of its publication"


def _title(text: PatentText) -> SectionSide:
    return _side([text.title])


def _abstract(text: PatentText) -> SectionSide:
    return _side(split_sentences(text.abstract, text.language))


def _side(pieces: Iterable[str], section_headings: int = 0) -> SectionSide:
    sentences: list[str] = []
    placeholders = numbers = 0
    for piece in pieces:
        plain = _one_line(without_placeholders(piece))
        if is_paragraph_number(plain):
            numbers += 1
        elif any(character.isalnum() for character in plain):
            sentences.append(plain)
        elif piece.strip():
            placeholders += 1
    return SectionSide(tuple(sentences), placeholders, numbers, section_headings)


def _one_line(text: str) -> str:
    """Return a sentence without line breaks; between Chinese characters a break is no blank."""
    return " ".join(_WRAP_IN_CJK.sub(lambda m: "" if "\n" in m.group() else " ", text).split())


def _claim_pairs(source: PatentText, target: PatentText, clauses: bool) -> Iterator[SectionPair]:
    def side(claims: Sequence[Claim], language: str) -> SectionSide:
        parts = [split_clauses(each.text, language) if clauses else [each.text] for each in claims]
        return _side(piece for pieces in parts for piece in pieces)

    theirs = {claim.num: claim for claim in target.claims}
    numbers = [claim.num for claim in source.claims]
    if len(theirs) == len(target.claims) and sorted(numbers) == sorted(theirs):
        for claim in source.claims:
            yield SectionPair(
                "claims",
                side([claim], source.language),
                side([theirs[claim.num]], target.language),
                claim.num,
            )
    else:
        both = side(source.claims, source.language), side(target.claims, target.language)
        yield SectionPair("claims", *both)


def _description_pairs(source: PatentText, target: PatentText) -> Iterator[SectionPair]:
    """Yield sections by name; pool those without a counterpart of a similar size."""
    ours = _sections(source.description, source.language)
    theirs = _sections(target.description, target.language)
    ratio = _ratio(ours.values(), theirs.values())
    named = [
        section
        for section in SECTIONS
        if section in ours and section in theirs
        if _fits(ours[section].characters * ratio, theirs[section].characters)
    ]
    for section in named:
        yield SectionPair(section, ours[section], theirs[section])
    pools = (_pool(ours, named), _pool(theirs, named))
    yield SectionPair(POOLED, *pools)


def _sections(description: Iterable[Paragraph], language: str) -> dict[str, SectionSide]:
    """Return the sides of a description by section, in the order of the document."""
    found: dict[str, SectionSide] = {}
    for paragraph in description:
        before = found.get(paragraph.section, SectionSide())
        found[paragraph.section] = before + _paragraph(paragraph, language)
    return found


def _paragraph(paragraph: Paragraph, language: str) -> SectionSide:
    if not paragraph.is_heading:
        return _side(split_sentences(paragraph.text, language))
    if classify_heading(paragraph.text) is not None:
        return _side([], section_headings=1)
    return _side([paragraph.text])


def _ratio(ours: Iterable[SectionSide], theirs: Iterable[SectionSide]) -> float:
    first, second = (sum(side.characters for side in sides) for sides in (ours, theirs))
    return second / first if first else 1.0


def _fits(expected: float, found: float) -> bool:
    """Return True if two sections can hold the same text, given the ratio of the descriptions."""
    low, high = sorted((expected, float(found)))
    return high <= max(_SMALL, _LARGEST_DISPROPORTION * low)


def _pool(sections: dict[str, SectionSide], named: Sequence[str]) -> SectionSide:
    left = (side for section, side in sections.items() if section not in named)
    return sum(left, start=SectionSide())
