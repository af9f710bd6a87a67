"""A lexicon learnt from several document pairs at once, for texts too short to learn from alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from patmark.corpus.alignment.beads import Bead
from patmark.corpus.alignment.cooccurrence import learn
from patmark.corpus.alignment.hybrid import Hybrid
from patmark.corpus.alignment.lexicon import Lexicon
from patmark.corpus.alignment.search import Step

DocumentPair: TypeAlias = tuple[Sequence[str], Sequence[str]]


def learn_lexicon(pairs: Sequence[DocumentPair], aligner: Hybrid, rounds: int = 2) -> Lexicon:
    """Word translations from document pairs (source sentences, target sentences).

    All pairs are aligned, word translations are learnt from all beads together, and from the
    second round on the pairs are aligned with what was learnt. A lexicon that the aligner already
    has is where the first round begins.
    """
    for _ in range(rounds):
        aligner = replace(aligner, lexicon=_one_round(pairs, aligner))
    return aligner.lexicon or Lexicon({})


def _one_round(pairs: Sequence[DocumentPair], aligner: Hybrid) -> Lexicon:
    sources: list[str] = []
    targets: list[str] = []
    path: list[Step] = []
    for source, target in pairs:
        path += _steps(aligner.align(source, target), len(sources), len(targets))
        sources += source
        targets += target
    sides = aligner.sides(sources, targets)
    known = aligner.known(*sides)
    return learn(*sides, path, known, aligner.weights.learning).to_lexicon(*sides)


def _steps(beads: Sequence[Bead], sources: int, targets: int) -> list[Step]:
    """Beads as steps, after so many sentences of earlier documents; those with an empty side go."""
    return [
        (sources + bead.source[0], targets + bead.target[0], (len(bead.source), len(bead.target)))
        for bead in beads
        if bead.source and bead.target
    ]
