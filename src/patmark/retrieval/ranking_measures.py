"""Measures of rankings, with names as in ir-measures: ``AP(rel=2)``, ``Recall@100``, ``nDCG@10``.

Every measure gives one number per topic, as statistics (value, 1) that add up to a mean. A topic
without a document of the grade that a measure asks for leaves the mean: its statistics are (0, 0).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

import numpy as np

from patmark._version import __version__
from patmark.data import FloatArray, ratio
from patmark.errors import UsageError
from patmark.measures import split_names
from patmark.retrieval.judged import JudgedRanking, ideal_gains

Level: TypeAlias = Literal["document", "family"]
Kernel: TypeAlias = Callable[[JudgedRanking, int, int | None], FloatArray]
_NAME = re.compile(
    r"\s*(?P<label>[A-Za-z]+)\s*(?P<left>\([^()]*\))?\s*(?:@\s*(?P<cutoff>\d+))?\s*"
    r"(?P<right>\([^()]*\))?\s*"
)
_ALIASES = {"map": "AP", "r": "Recall", "mrr": "RR", "success": "HitRate", "precision": "P"}
_LARGEST = 10**9


def _average_precision(judged: JudgedRanking, rel: int, cutoff: int | None) -> FloatArray:
    rows = judged.hits(rel, cutoff)
    precision = judged.places(rows) / judged.ranks
    return ratio(judged.sums(rows, precision), _relevant(judged, rel))


def _recall(judged: JudgedRanking, rel: int, cutoff: int | None) -> FloatArray:
    return ratio(judged.sums(judged.hits(rel, cutoff)), _relevant(judged, rel))


def _precision(judged: JudgedRanking, rel: int, cutoff: int | None) -> FloatArray:
    return judged.sums(judged.hits(rel, cutoff)) / (cutoff or 1)


def _reciprocal_rank(judged: JudgedRanking, rel: int, cutoff: int | None) -> FloatArray:
    rows = judged.hits(rel, cutoff)
    return judged.sums(rows & (judged.places(rows) == 1), 1 / judged.ranks)


def _hit_rate(judged: JudgedRanking, rel: int, cutoff: int | None) -> FloatArray:
    return (judged.sums(judged.hits(rel, cutoff)) > 0).astype(np.float64)


def _ndcg(judged: JudgedRanking, rel: int, cutoff: int | None) -> FloatArray:
    gains = judged.grades / np.log2(judged.ranks + 1)
    return ratio(judged.sums(judged.hits(rel, cutoff), gains), ideal_gains(judged.qrels, cutoff))


def _pres(judged: JudgedRanking, rel: int, cutoff: int | None) -> FloatArray:
    """Relevant documents that were missed stand below the depth, one after the other."""
    depth = cutoff or 1
    rows = judged.hits(rel, depth)
    relevant, found = _relevant(judged, rel), judged.sums(rows)
    missed = (relevant - found) * (depth + (relevant + found + 1) / 2)
    mean_rank = ratio(judged.sums(rows, judged.ranks.astype(np.float64)) + missed, relevant)
    return 1 - (mean_rank - (relevant + 1) / 2) / depth


def _relevant(judged: JudgedRanking, rel: int) -> FloatArray:
    return judged.qrels.relevant(rel).astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Kind:
    """What is common to all measures of a label."""

    kernel: Kernel
    description: str
    needs_cutoff: bool
    graded: bool = False


KINDS: dict[str, _Kind] = {
    "AP": _Kind(
        _average_precision,
        "mean of the precision at each relevant document; its mean is MAP",
        False,
    ),
    "Recall": _Kind(_recall, "share of the relevant documents among the first k", True),
    "P": _Kind(_precision, "share of relevant documents among the first k", True),
    "nDCG": _Kind(
        _ndcg, "gain by grade, discounted by log2(rank + 1), of the best possible", False, True
    ),
    "RR": _Kind(
        _reciprocal_rank, "1 / rank of the first relevant document; its mean is MRR", False
    ),
    "HitRate": _Kind(_hit_rate, "1 if a relevant document is among the first k", True),
    "PRES": _Kind(
        _pres, "patent retrieval evaluation score to depth k (Magdy and Jones 2010)", True
    ),
}


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """A way of judging rankings. ``rel`` is the lowest grade that counts as relevant.

    ``level`` family counts each invention once: the documents of a family are one.
    """

    label: str
    cutoff: int | None = None
    rel: int = 1
    level: Level = "document"

    def __post_init__(self) -> None:
        kind = KINDS.get(self.label)
        if kind is None:
            raise UsageError(f"the measure {self.label!r} is unknown; choose from {_choices()}")
        if kind.needs_cutoff and self.cutoff is None:
            raise UsageError(f"{self.label} needs a depth; write e.g. {self.label}@100")
        if self.cutoff is not None and not 1 <= self.cutoff <= _LARGEST:
            raise UsageError(f"{self.label}@{self.cutoff}: the depth must be at least 1")
        if not 1 <= self.rel <= _LARGEST:
            raise UsageError(f"{self.label}: rel={self.rel} must be at least 1")
        if kind.graded and self.rel != 1:
            raise UsageError(f"{self.label} counts every grade; it has no parameter 'rel'")
        if self.level not in ("document", "family"):
            raise UsageError(f"{self.label}: level={self.level} must be document or family")

    @property
    def name(self) -> str:
        """The name that parses back; AP always says whether it is rigid or relaxed."""
        given = [f"rel={self.rel}"] if self.rel != 1 or self.label == "AP" else []
        given += [f"level={self.level}"] if self.level != "document" else []
        bracket = f"({','.join(given)})" if given else ""
        return f"{self.label}{bracket}{'' if self.cutoff is None else f'@{self.cutoff}'}"

    def __str__(self) -> str:
        return self.name

    @property
    def description(self) -> str:
        """What the number is, in a line."""
        return KINDS[self.label].description

    def signature(self, qrels: str, **more: object) -> str:
        """Everything that changes the number, in one line."""
        parts: dict[str, object] = {
            "rel": self.rel, "cutoff": self.cutoff or "all", "level": self.level,
            "ties": "float32, document descending", "unjudged": "not relevant",
            "missing": "0", "qrels": qrels, **more, "over": "mean", "patmark": __version__,
        }  # fmt: skip
        return "|".join([self.label, *(f"{key}:{value}" for key, value in parts.items())])

    def statistics(self, judged: JudgedRanking) -> FloatArray:
        """(value, 1) for each topic; (0, 0) for topics without a document of the grade."""
        counts = judged.qrels.relevant(self.rel) > 0
        values = KINDS[self.label].kernel(judged, self.rel, self.cutoff)
        return np.column_stack([np.where(counts, values, 0.0), counts.astype(np.float64)])


def mean_score(totals: FloatArray) -> FloatArray:
    """The mean over topics, from sums of statistics (…, 2); NaN without a topic."""
    return ratio(totals[..., 0], totals[..., 1])


def parse_ranking_measure(name: str) -> RankingMeasure:
    """The measure that a name stands for; labels are matched without regard to case."""
    match = _NAME.fullmatch(name)
    if match is None or (match["left"] and match["right"]):
        raise UsageError(
            f"{name!r} is not the name of a ranking measure; write e.g. AP(rel=2) or Recall@100"
        )
    labels = {label.lower(): label for label in KINDS} | _ALIASES
    label = labels.get(match["label"].lower())
    if label is None:
        raise UsageError(f"the measure {name!r} is unknown; choose from {_choices()}")
    cutoff = None if match["cutoff"] is None else int(match["cutoff"][:12])
    rel, level = _parameters((match["left"] or match["right"] or "()")[1:-1], name)
    return RankingMeasure(label, cutoff, rel, level)


def parse_ranking_measures(names: str | Iterable[str]) -> tuple[RankingMeasure, ...]:
    """Several measures: a list of names, or one text with commas between them; none twice."""
    listed = split_names(names) if isinstance(names, str) else list(names)
    if not listed:
        raise UsageError("no measure is named; write e.g. AP(rel=2),Recall@100")
    problems, measures = [], []
    for name in listed:
        try:
            measures.append(parse_ranking_measure(name))
        except UsageError as error:
            problems.append(str(error))
    doubles = sorted({m.name for m in measures if measures.count(m) > 1})
    problems += [f"asked for twice: {', '.join(doubles)}"] if doubles else []
    if problems:
        raise UsageError("\n".join(problems))
    return tuple(measures)


def _parameters(text: str, name: str) -> tuple[int, Level]:
    given: dict[str, str] = {}
    for part in filter(str.strip, text.split(",")):
        key, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or key not in ("rel", "level") or not value:
            raise UsageError(f"{name}: {part.strip()!r} is unknown; choose from rel=, level=")
        if key in given:
            raise UsageError(f"{name}: {key} is given twice")
        given[key] = value
    rel = given.get("rel", "1")
    if not (rel.isascii() and rel.isdigit() and len(rel) < 10):
        raise UsageError(f"{name}: rel must be a whole number, not {rel!r}")
    return int(rel), cast("Level", given.get("level", "document"))


def _choices() -> str:
    return ", ".join(f"{label}@k" if kind.needs_cutoff else label for label, kind in KINDS.items())
