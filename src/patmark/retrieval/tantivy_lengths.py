"""Scores of tantivy, corrected for the lengths that it rounds.

tantivy keeps the length of a document in one byte, so lengths over 40 are rounded down by up to an
eighth. Without a correction, one document in forty of the best hundred would differ from exact
BM25. The correction is exact for terms that occur three times in a document and nearly so for
others. The true score is never above that of tantivy and never below the one corrected for terms
that occur once; documents that may be the first by these bounds are computed exactly from
tantivy's explanation.
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
_TYPICAL_FREQUENCY = 3


@dataclass(frozen=True, slots=True)
class LengthCorrection:
    """For each document, the true length norm of BM25, and factors for scores of tantivy: the one
    to correct them with, and the least one that is possible."""

    norms: FloatArray
    factors: FloatArray
    least: FloatArray

    @classmethod
    def of(cls, lengths: IntArray) -> LengthCorrection:
        """The correction for documents of these lengths, by number."""
        mean = float(lengths.mean()) if lengths.any() else 1.0
        norms, rounded = (
            K1 * (1 - B + B * one.astype(np.float64) / mean)
            for one in (lengths, rounded_lengths(lengths))
        )
        usual, least = ((tf + rounded) / (tf + norms) for tf in (_TYPICAL_FREQUENCY, 1))
        return cls(norms, usual, least)


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
