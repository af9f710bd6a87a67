"""Scores of tantivy, corrected for the lengths that it rounds.

tantivy keeps the length of a document in one byte, so lengths over 40 are rounded down by up to an
eighth. How much a score changes with the true length depends on how often each term occurs, which
tantivy does not tell. But the score bounds the true one closely, together with a second score that
counts every term once, which gives the sum of the weights of all terms that occur.

A term of weight w adds w·x to a score, where x = tf / (tf + n') with the rounded length norm n'.
With the true norm n it adds w·f(x), f(x) = n'x / (n − (n − n')x). This f is convex, so the sum is
least if all terms have the same x, and it is at most the chord of f between the ends of x: one
occurrence, and endlessly many.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from patmark.data import FloatArray, IntArray

K1, B = 1.2, 0.75
_USUAL_PLACE = 0.25


@dataclass(frozen=True, slots=True)
class Bounds:
    """The least and the largest score that a document can have with its true length."""

    low: FloatArray
    high: FloatArray

    def estimate(self, terms: int) -> FloatArray:
        """The likely score for a query of so many terms: the fewer, the more equal their x are."""
        place = _USUAL_PLACE * max(0.0, 1 - 2 / terms)
        return self.low + place * (self.high - self.low)


@dataclass(frozen=True, slots=True)
class LengthCorrection:
    """For each document its length norm of BM25: the true one, and that of tantivy."""

    norms: FloatArray
    rounded: FloatArray

    @classmethod
    def of(cls, lengths: IntArray) -> LengthCorrection:
        """The correction for documents of these lengths, by number."""
        mean = float(lengths.mean()) if lengths.any() else 1.0
        return cls(*(
            K1 * (1 - B + B * one.astype(np.float64) / mean)
            for one in (lengths, rounded_lengths(lengths))
        ))  # fmt: skip

    def is_needless(self, numbers: IntArray) -> bool:
        """Whether tantivy knows the true lengths of these documents, as of short ones."""
        return bool((self.norms[numbers] == self.rounded[numbers]).all())

    def bounds(self, numbers: IntArray, scores: FloatArray, single: FloatArray) -> Bounds:
        """Bounds for documents by tantivy's scores, and those that count every term once."""
        true, rounded = self.norms[numbers], self.rounded[numbers]
        endless = single * (1 + rounded)
        once, once_truly = 1 / (1 + rounded), 1 / (1 + true)
        x = np.clip(scores / endless, once, 1.0)
        low = rounded * x / (true - (true - rounded) * x)
        high = once_truly + (x - once) / (1 - once) * (1 - once_truly)
        return Bounds(endless * low, endless * np.maximum(low, high))


def rounded_lengths(lengths: IntArray) -> IntArray:
    """Lengths as tantivy keeps them: exact up to 40, then four significant bits above 24."""
    codes = np.arange(40, 256)
    mantissa, shift = (codes - 24) & 7, ((codes - 24) >> 3) - 1
    steps = np.concatenate([np.arange(40), 24 + ((mantissa | 8) << shift)])
    return steps[np.searchsorted(steps, lengths, side="right") - 1]


def explained_score(explanation: str, norm: float) -> float:
    """The exact BM25 score of a document from tantivy's explanation and its true length norm."""
    parts = []
    for boost, term in _explained_terms(json.loads(explanation), 1.0):
        _, idf, frequency = term["details"]
        containing, documents = (part["value"] for part in idf["details"])
        tf = frequency["details"][0]["value"]
        rarity = math.log(1 + (documents - containing + 0.5) / (containing + 0.5))
        parts.append(boost * rarity * tf * (K1 + 1) / (tf + norm))
    return math.fsum(parts)


def _explained_terms(node: dict[str, Any], boost: float) -> Iterator[tuple[float, dict[str, Any]]]:
    """The terms of an explanation, each with its weight in the query."""
    description = node["description"]
    if description.startswith("TermQuery"):
        yield boost, node
        return
    if description.startswith("Boost x"):
        boost *= float(description.removeprefix("Boost x").split()[0])
    for part in node.get("details", ()):
        yield from _explained_terms(part, boost)
