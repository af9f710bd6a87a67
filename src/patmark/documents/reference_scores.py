"""Scores of a translation against a reference: of the document, its sections and its claims."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Literal, TypeAlias

from patmark.alignment import Hybrid
from patmark.data import Scores, TestSet
from patmark.documents.document_sentences import DocumentSide
from patmark.documents.layout import Passage, running_text, text_blocks, without_heading_mark
from patmark.documents.model import WholeDocument
from patmark.documents.review_alignment import ReviewBead, with_weak_pairs
from patmark.documents.sections import SECTION_NAMES, section_at
from patmark.evaluation import MeasureNames, evaluate
from patmark.languages import sentence_spans
from patmark.wording import tr

DEFAULT_CHECK_MEASURES = "BLEU,chrF"
PartKind: TypeAlias = Literal["document", "section", "claim"]


@dataclass(frozen=True, slots=True)
class PartScores:
    """Scores of a document, a section or a claim; ``name`` is empty for the document."""

    kind: PartKind
    name: str
    values: Mapping[str, float]

    @property
    def title(self) -> str:
        """The part in words."""
        if self.kind == "section":
            return SECTION_NAMES[self.name]
        if self.kind == "claim":
            return tr("claim {n}", n=self.name)
        return tr("whole document")


@dataclass(frozen=True, slots=True)
class ReferenceScores:
    """Scores of a translation by part, with the signatures of the measures."""

    parts: tuple[PartScores, ...] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the scores for JSON."""
        named: dict[str, dict[str, Any]] = {"sections": {}, "claims": {}}
        for part in self.parts:
            if part.kind == "document":
                named["document"] = dict(part.values)
            else:
                named[f"{part.kind}s"][part.name] = dict(part.values)
        return {**named, "signatures": dict(self.signatures)}


def score_against(
    reference: WholeDocument, translation: WholeDocument, language: str, measures: MeasureNames
) -> ReferenceScores:
    """Score a translation against a reference, which gives the segments."""
    side = DocumentSide.of(reference, language)
    segments = reference_segments(reference)
    aligned = segment_like(segments, translation, Hybrid(language, language))
    test_set = TestSet.of([one.text for one in segments], target_language=language)
    done = evaluate(test_set, {"translation": aligned.texts}, measures)
    groups: dict[tuple[PartKind, str], list[int]] = {("document", ""): [*range(len(segments))]}
    for place, block in enumerate(side.blocks):
        section = section_at(side.sections, block.start)
        if section is not None:
            groups.setdefault(("section", section), []).append(place)
        inside = (one for one in side.claims if one.start < block.end and block.start < one.end)
        claim = next(inside, None)
        if claim is not None and claim.number is not None:
            groups.setdefault(("claim", str(claim.number)), []).append(place)
    parts = tuple(
        PartScores(
            kind, name, {measure: _score(one, places) for measure, one in done.scores.items()}
        )
        for (kind, name), places in groups.items()
    )
    signatures = {name: f"{one.signature}{ALIGNED}" for name, one in done.scores.items()}
    return ReferenceScores(parts, signatures)


def _score(scores: Scores, places: Sequence[int]) -> float:
    return float(scores.score(scores.statistics[0, list(places)].sum(axis=0)))


ALIGNED = "|segments:aligned/1"
"""Part of a signature for aligned segments."""
_NEARLY_ALL = 0.9
_TOKEN = re.compile(r"[A-Za-z0-9À-ɏ'’-]+|\S")


@dataclass(frozen=True, slots=True)
class SegmentedOutput:
    """A text for each segment of a reference, empty for segments without counterpart."""

    texts: tuple[str, ...]

    @property
    def missing(self) -> tuple[int, ...]:
        """Numbers of the segments without counterpart."""
        return tuple(number for number, text in enumerate(self.texts) if not text)


def reference_segments(document: WholeDocument) -> list[Passage]:
    """Return the lines or paragraphs of a reference."""
    blocks = document.blocks or text_blocks(document.text)
    segments = (running_text(document.text, block.start, block.end) for block in blocks)
    return [without_heading_mark(segment) for segment in segments]


def document_paragraphs(document: WholeDocument) -> str:
    """Return the text of a document with one paragraph on each line."""
    blocks = document.blocks or text_blocks(document.text)
    return "\n".join(running_text(document.text, one.start, one.end).text for one in blocks)


def segment_like(
    reference: Sequence[Passage], document: WholeDocument, aligner: Hybrid
) -> SegmentedOutput:
    """Divide a document into the segments of a reference, which is the aligner's source side.

    If both have as many blocks, and nearly all sentences agree, the blocks are the segments.
    """
    sentences = [
        (number, segment.text[start:end])
        for number, segment in enumerate(reference)
        for start, end in sentence_spans(segment.text, aligner.source)
    ]
    side = DocumentSide.of(document, aligner.target)
    beads = list(with_weak_pairs(aligner.align([text for _, text in sentences], side.texts)))
    if len(side.blocks) == len(reference) and _in_parallel(beads, sentences, side):
        return SegmentedOutput(tuple(one.text.strip() for one in reference_segments(document)))
    ends: dict[int, int] = {}
    segment = 0
    for bead in beads:
        found = dict(_ends(bead, sentences, side, segment))
        ends |= found
        segment = max(found, default=segment)
    return SegmentedOutput(tuple(_texts(ends, side, len(reference))))


def _in_parallel(
    beads: Sequence[ReviewBead], sentences: Sequence[tuple[int, str]], side: DocumentSide
) -> bool:
    """Return True if nearly all beads join a block of the text to the segment of its number."""
    starts = [block.start for block in side.blocks]
    same = [
        {sentences[place][0] for place in bead.source}
        == {bisect_right(starts, side.sentences[place].span[0]) - 1 for place in bead.target}
        for bead in beads
    ]
    return sum(same) >= _NEARLY_ALL * len(same)


def _ends(
    bead: ReviewBead, sentences: Sequence[tuple[int, str]], side: DocumentSide, segment: int
) -> Iterator[tuple[int, int]]:
    """Yield the segments of a bead, and where the text of each ends."""
    if not bead.target:
        return
    passage = side.passage(bead.target)
    segments = list(dict.fromkeys(sentences[place][0] for place in bead.source)) or [segment]
    parts = [
        "".join(sentences[place][1] for place in bead.source if sentences[place][0] == number)
        for number in segments
    ]
    for number, cut in zip(segments, _cuts(parts, passage.text), strict=True):
        if cut:
            yield number, passage.original((0, cut))[1]


def _cuts(parts: Sequence[str], text: str) -> list[int]:
    """Return the place in a text where its counterpart of each part ends."""
    if len(parts) == 1:
        return [len(text)]
    ours = [(number, word) for number, part in enumerate(parts) for word in _TOKEN.findall(part)]
    theirs = list(_TOKEN.finditer(text))
    matcher = SequenceMatcher(
        None, [word for _, word in ours], [match.group() for match in theirs], autojunk=False
    )
    last = dict.fromkeys(range(len(parts)), 0)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            last[ours[block.a + offset][0]] = theirs[block.b + offset].end()
    cuts: list[int] = []
    for number in range(len(parts) - 1):
        cuts.append(max(last[number], *cuts, 0) if cuts else last[number])
    return [*cuts, len(text)]


def _texts(ends: dict[int, int], side: DocumentSide, count: int) -> Iterator[str]:
    """Yield the text of each segment: from the end of the previous one to its own end."""
    start = 0
    for number in range(count):
        end = ends.get(number, start)
        passage = running_text(side.document.text, start, end)
        yield without_heading_mark(passage).text.strip()
        start = max(start, end)
