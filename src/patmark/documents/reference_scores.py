"""Scores of a translation against a reference: of the document, its sections and its claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from patmark.alignment import Hybrid
from patmark.data import Scores, TestSet
from patmark.documents.document_sentences import DocumentSide
from patmark.documents.model import WholeDocument
from patmark.documents.sections import SECTION_NAMES, section_at
from patmark.documents.segmented_outputs import ALIGNED, reference_segments, segment_like
from patmark.evaluation import MeasureNames, evaluate
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
