"""Alignment by dictionary similarity, plain: M. Utiyama and H. Isahara, ACL 2003.

Groups of sentences are bags of content words. ``co`` counts words that translate each other, one
to one; SIM = (co + 1) / (l(J) + l(E) - 2 co + 2). Beads of one sentence with 1 … 6 others
maximise the sum of SIM. AVSIM is the mean SIM of a document pair, SntScore = AVSIM · SIM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from patmark.corpus.alignment.beads import Bead
from patmark.corpus.alignment.search import Step, best_path, centres_of, diagonal, first_half_width
from patmark.corpus.alignment.senses import Senses
from patmark.corpus.alignment.sim_grids import rough_scores, sim_scores
from patmark.corpus.alignment.similarity import WordMatches
from patmark.corpus.alignment.words import words_version
from patmark.data import FloatArray

VERSION = 1
_HALF_WIDTH = 16


@dataclass(frozen=True, slots=True)
class UtiyamaIsahara:
    """The published method."""

    source: str
    target: str
    senses: Senses

    @property
    def signature(self) -> str:
        """Method, languages, segmenters and dictionary."""
        words = f"{words_version(self.source)},{words_version(self.target)}"
        return (
            f"utiyama-isahara/{VERSION}({self.source}-{self.target},{words},"
            f"dictionary={self.senses.dictionary.name})"
        )

    def align(self, source: Sequence[str], target: Sequence[str]) -> list[Bead]:
        """Beads in the order of the text; the score is SIM, of which :func:`snt_scores` makes more.

        Without empty beads some texts cannot be covered, as 1 and 7 sentences; then every sentence
        stands alone.
        """
        matches = WordMatches.of(source, target, (self.source, self.target), self.senses)
        path = best_path(
            diagonal(len(source), len(target)), len(target), first_half_width(len(target)),
            lambda band: rough_scores(band, matches),
        )  # fmt: skip
        path = best_path(
            centres_of(path, len(source)), len(target), _HALF_WIDTH,
            lambda band: sim_scores(band, matches),
        )  # fmt: skip
        return _scored(path, matches)


def _scored(path: Sequence[Step], matches: WordMatches) -> list[Bead]:
    beads = [Bead(tuple(range(i, i + a)), tuple(range(j, j + b)), 0.0) for i, j, (a, b) in path]
    similarity = matches.similarities(beads)
    return [replace(bead, score=float(s)) for bead, s in zip(beads, similarity, strict=True)]


def avsim(similarity: FloatArray) -> float:
    """The mean SIM of a document pair; 0 without beads."""
    return float(similarity.mean()) if len(similarity) else 0.0


def snt_scores(similarity: FloatArray) -> FloatArray:
    """SntScore = AVSIM · SIM: a bead counts more in a document that fits well as a whole."""
    return avsim(similarity) * similarity


def count_ratio(sources: int, targets: int) -> float:
    """R: the smaller number of sentences over the larger."""
    return min(sources, targets) / max(sources, targets, 1)
