"""Alignment with translations of the source sentences, as for JaParaPat and EuroPat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from patmark.alignment.beads import Bead
from patmark.alignment.hybrid import Hybrid
from patmark.data import TestSet
from patmark.errors import UsageError
from patmark.languages import join_sentences

VERSION = 1


@dataclass(frozen=True, slots=True)
class TranslationAligner:
    """Aligner of translations of the source sentences, one for each, with the target.

    Beads are found by shared words and by length, as :class:`Hybrid` does within one language;
    differing words of the translator are learned. The score of a bead is chrF of its translation
    against its target, from 0 to 100.
    """

    target: str
    translations: Sequence[str]

    @property
    def signature(self) -> str:
        """Method and the aligner within the target language."""
        return f"translation/{VERSION}({self._within.signature},score=chrF)"

    @property
    def _within(self) -> Hybrid:
        return Hybrid(self.target, self.target)

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Return beads of the source text, given its translations."""
        if len(source) != len(self.translations):
            raise UsageError(
                f"{len(source)} source sentences need as many translations, "
                f"found {len(self.translations)}"
            )
        beads = self._within.align(self.translations, target)
        scores = _chrf(
            [_chosen(self.translations, bead.source, self.target) for bead in beads],
            [_chosen(target, bead.target, self.target) for bead in beads],
        )
        return [
            replace(bead, score=score if bead.source and bead.target else 0.0)
            for bead, score in zip(beads, scores, strict=True)
        ]


def _chosen(texts: Sequence[str], places: Sequence[int], language: str) -> str:
    return join_sentences([texts[place] for place in places], language)


def _chrf(translations: Sequence[str], references: Sequence[str]) -> list[float]:
    from patmark.measures import parse_measure

    measure = parse_measure("chrF")
    statistics = measure.statistics(TestSet.of(references), translations)
    return [float(score) for score in measure.score(statistics)]
