"""Word translations learnt from aligned text: IBM model 1 in both directions.

Technical terms and names are in no dictionary. Counts are discounted, so that words that met once
prove nothing: otherwise every bead of a first pass would confirm itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from patmark.corpus.alignment.lexicon import WordPairs
from patmark.corpus.alignment.search import Step
from patmark.corpus.alignment.sparse import entries
from patmark.corpus.alignment.words import Side
from patmark.data import FloatArray, IntArray

_ROUNDS = 4
_NULL = 0.1
_KNOWN_BOOST = 20.0
# In beads of five hundred words on both sides everything meets everything: costly, and no lesson.
_MOST_MEETINGS = 250_000


@dataclass(frozen=True, slots=True)
class Learning:
    """How much must be seen: ``discount`` is taken off each count, ``doubt`` added to totals."""

    discount: float
    doubt: float


@dataclass(frozen=True, slots=True)
class _Meetings:
    """Pairs of words that stand in the same bead.

    Pair p of words is (``source[p]``, ``target[p]``); meeting k is of pair ``pair[k]``, between
    ``source_token[k]`` and ``target_token[k]``, which number the words of the aligned sentences.
    """

    source: IntArray
    target: IntArray
    pair: IntArray
    source_token: IntArray
    target_token: IntArray


def learn(
    source: Side, target: Side, path: Sequence[Step], known: WordPairs, learning: Learning
) -> WordPairs:
    """What the beads of a path teach; ``known`` translations are expected from the beginning."""
    from scipy.sparse import csr_array

    meetings = _meetings(source, target, path)
    shape = known.forward.shape
    places = (meetings.source, meetings.target)
    frequency = _frequencies(target), _frequencies(source)
    forward = _one_direction(
        meetings.source, meetings.target, meetings.pair, meetings.target_token, frequency[0],
        entries(known.forward, *places), learning,
    )  # fmt: skip
    backward = _one_direction(
        meetings.target, meetings.source, meetings.pair, meetings.source_token, frequency[1],
        entries(known.backward, *places), learning,
    )  # fmt: skip
    return WordPairs(
        csr_array((forward, places), shape=shape), csr_array((backward, places), shape=shape)
    )


def _frequencies(side: Side) -> FloatArray:
    counts = np.bincount(side.ids, minlength=len(side.vocabulary)).astype(np.float64)
    return np.asarray(counts / max(counts.sum(), 1))


def _meetings(source: Side, target: Side, path: Sequence[Step]) -> _Meetings:
    steps = [(i, j, a, b) for i, j, (a, b) in path if a and b]
    places = np.array(steps, dtype=np.int64).reshape(-1, 4)
    first_source, first_target = source.starts[places[:, 0]], target.starts[places[:, 1]]
    sources = source.starts[places[:, 0] + places[:, 2]] - first_source
    targets = target.starts[places[:, 1] + places[:, 3]] - first_target
    taught = np.flatnonzero(sources * targets <= _MOST_MEETINGS)
    first_source, first_target = first_source[taught], first_target[taught]
    sources, targets = sources[taught], targets[taught]
    sizes = sources * targets
    bead = np.repeat(np.arange(len(sizes)), sizes)
    inside = np.arange(len(bead)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    source_token = first_source[bead] + inside // targets[bead]
    target_token = first_target[bead] + inside % targets[bead]
    width = len(target.vocabulary)
    keys, pair = np.unique(
        source.ids[source_token] * width + target.ids[target_token], return_inverse=True
    )
    return _Meetings(keys // max(width, 1), keys % max(width, 1), pair, source_token, target_token)


def _one_direction(
    given: IntArray, made: IntArray, pair: IntArray, token: IntArray, frequency: FloatArray,
    known: FloatArray, learning: Learning,
) -> FloatArray:  # fmt: skip
    """p(made word | given word) for each pair, after a few rounds of EM and the discount."""
    if not len(pair):
        return np.zeros(len(given))
    chance = (1 + _KNOWN_BOOST * known) * frequency[made]
    partners = np.bincount(token)
    by_accident = np.zeros(len(partners))
    by_accident[token] = _NULL * frequency[made][pair]
    by_accident *= partners
    for _ in range(_ROUNDS):
        weight = chance[pair]
        total = np.bincount(token, weights=weight) + by_accident
        counts = np.bincount(pair, weights=weight / total[token], minlength=len(given))
        all_counts = np.bincount(given, weights=counts)[given]
        chance = counts / np.maximum(all_counts, 1e-9)
    kept = np.maximum(counts - learning.discount, 0) / (all_counts + learning.doubt)
    return np.asarray(kept)
