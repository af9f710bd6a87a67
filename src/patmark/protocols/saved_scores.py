"""Scores in a file, with their statistics: compared again without the texts.

The file is one JSON document, or the same as Parquet. A measure is rebuilt from its name. Scores
whose name stands for no measure, or for other numbers, are kept with ``"aggregation": "mean"`` if
they are means: their statistics are pairs of sum and count, one per group, and the score is the
mean of the groups.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Any

import numpy as np

from patmark._version import __version__
from patmark.data import FloatArray, ScoreFunction, Scores, TestSet, read_lines, write_atomically
from patmark.data.files import FilePath, shown
from patmark.data.records import json_object, json_type
from patmark.errors import InputError, PatmarkError, Problem, UsageError
from patmark.measures import Check, MeanMeasure, Measure, parse_measure
from patmark.measures.base import ratio
from patmark.protocols.score_facts import ScoreFacts
from patmark.protocols.scores_parquet import is_parquet, read_parquet, to_parquet

FORMAT = "patmark-scores"
VERSION = 1
_NUMBERS = {int, float, NoneType}
_LARGEST_EXACT = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class SavedScores:
    """What a score file holds: scores by measure, the documents of the segments, other facts."""

    scores: Mapping[str, Scores]
    documents: tuple[str | None, ...]
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return next(iter(self.scores.values())).systems

    @property
    def segments(self) -> tuple[str, ...]:
        """The ids of the segments."""
        return next(iter(self.scores.values())).segments

    @property
    def known(self) -> ScoreFacts:
        """Those of the facts that patmark itself keeps."""
        return ScoreFacts.from_json(self.facts)


def save_scores(
    path: FilePath,
    scores: Mapping[str, Scores],
    documents: Sequence[str | None],
    facts: Mapping[str, Any] | None = None,
) -> None:
    """Write scores with their statistics: Parquet when the name ends in .parquet, else JSON.

    JSON is packed when the name ends in .gz or .zst. What is read back gives the same numbers.
    ``facts`` are anything that JSON can hold.
    """
    if not scores:
        raise UsageError("there are no scores to save")
    first = next(iter(scores.values()))
    for name, one in scores.items():
        if (one.systems, one.segments) != (first.systems, first.segments):
            raise UsageError(f"{name} has other systems or segments than {first.measure}")
    if len(documents) != len(first.segments):
        raise UsageError(f"{len(documents)} documents for {len(first.segments)} segments")
    content = {
        "format": FORMAT, "version": VERSION, "patmark": __version__,
        "systems": first.systems, "segments": first.segments, "documents": list(documents),
        "measures": {name: _measure_json(name, one) for name, one in scores.items()},
        "facts": dict(facts or {}),
    }  # fmt: skip
    try:
        data = to_parquet(content) if is_parquet(path) else _to_json(content)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the scores cannot be saved: {error}") from None
    write_atomically(path, data)


def read_scores(path: FilePath) -> SavedScores:
    """Read what :func:`save_scores` wrote; each measure that is broken has its own message."""
    try:
        content = read_parquet(path, _check_format) if is_parquet(path) else _read_json(path)
        systems, segments = _names(content, "systems"), _names(content, "segments")
        documents = _documents(content, len(segments))
        facts = _typed(content, "facts", dict, "an object")
        ScoreFacts.from_json(facts)
        _typed(content, "patmark", str, "the version of patmark that wrote the file")
        entries = _typed(content, "measures", dict, "an object with measures")
        if not entries:
            raise ValueError("field 'measures' is empty")
    except ValueError as error:
        raise InputError.at(str(error), shown(path)) from None
    wrote = f"written by patmark {content['patmark']}, read by patmark {__version__}"
    scores, problems = {}, []
    for name, entry in entries.items():
        try:
            scores[name] = _scores(name, entry, systems, segments)
        except (ValueError, UsageError) as error:
            problems.append(Problem(f"measure {name!r}: {error} ({wrote})", shown(path)))
    if problems:
        raise InputError(problems)
    return SavedScores(scores, documents, facts)


def _to_json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _read_json(path: FilePath) -> dict[str, Any]:
    content = json_object("\n".join(read_lines(path)))
    _check_format(content)
    return content


def measure_name(name: str) -> str:
    """The full name behind an alias or another spelling; a name that is not known stays."""
    try:
        return parse_measure(name).name
    except UsageError:
        return name.strip()


def as_mean(scores: Scores) -> Scores | None:
    """The same scores as a mean of groups, from shares or percentages; None if they are not."""
    if scores.statistics.shape[-1] % 2:
        return None
    for scale in (1.0, 100.0):
        statistics = scores.statistics.copy()
        statistics[..., ::2] *= scale
        means = replace(scores, statistics=statistics, score=_mean)
        if _same_numbers(means, scores):
            return means
    return None


def _same_numbers(some: Scores, others: Scores) -> bool:
    pairs = ((one.system_scores, one.segment_scores) for one in (some, others))
    return all(
        np.allclose(mine, other, rtol=1e-9, atol=1e-12, equal_nan=True)
        for mine, other in zip(*pairs, strict=True)
    )


def _measure_json(name: str, scores: Scores) -> dict[str, Any]:
    entry = {"signature": scores.signature, "higher_is_better": scores.higher_is_better}
    if _gives_same_numbers(name, scores):
        return entry | {"statistics": _plain(scores.statistics, name)}
    means = as_mean(scores)
    if means is None:
        raise UsageError(f"{name} cannot be saved: it is neither what its name says nor a mean")
    return entry | {"aggregation": "mean", "statistics": _plain(means.statistics, name)}


def _gives_same_numbers(name: str, scores: Scores) -> bool:
    """Whether the name alone is enough to turn the statistics into the same scores."""
    try:
        measure = parse_measure(name)
    except PatmarkError:
        return False
    fits = _width(measure) in (None, scores.statistics.shape[-1])
    if not fits or measure.higher_is_better != scores.higher_is_better:
        return False
    return _same_numbers(replace(scores, score=measure.score), scores)


def _mean(totals: FloatArray) -> FloatArray:
    """The mean of the groups; one without a count is left out."""
    means = ratio(totals[..., ::2], totals[..., 1::2])
    known = ~np.isnan(means)
    return ratio(np.where(known, means, 0.0).sum(axis=-1), known.sum(axis=-1))


def _width(measure: Measure) -> int | None:
    """How many statistics a measure has; None where only its own data could tell."""
    if isinstance(measure, MeanMeasure | Check):
        return 2
    try:
        return int(measure.statistics(TestSet.of(["a"], sources=["a"]), ["a"]).shape[-1])
    except PatmarkError:
        return None


def _plain(statistics: FloatArray, name: str) -> list[Any]:
    """Nested lists: whole numbers as integers, NaN as None, all others as they are."""
    if np.isinf(statistics).any():
        raise UsageError(f"{name} cannot be saved: its statistics are not finite")
    undefined = np.isnan(statistics)
    known = np.where(undefined, 0.5, statistics)
    negative_zero = (known == 0) & np.signbit(known)
    whole = (known == np.trunc(known)) & (np.abs(known) < _LARGEST_EXACT) & ~negative_zero
    plain = statistics.astype(object)
    plain[whole] = statistics[whole].astype(np.int64).astype(object)
    plain[undefined] = None
    return list(plain.tolist())


def _check_format(content: dict[str, Any]) -> None:
    found = content.get("format")
    if found != FORMAT:
        raise ValueError(f"is no file of scores: expected format {FORMAT!r}, found {found!r}")
    found = content.get("version")
    if type(found) is not int or found != VERSION:
        reads = f"patmark {__version__} reads version {VERSION} of the format"
        raise ValueError(f"{reads}, the file has version {found!r}")


def _typed(holder: dict[str, Any], name: str, kind: type, expected: str) -> Any:
    """A field of a type; the ValueError says what was expected."""
    if name not in holder:
        raise ValueError(f"field {name!r} is missing; expected {expected}")
    if not isinstance(holder[name], kind):
        found = json_type(holder[name])
        raise ValueError(f"field {name!r}: expected {expected}, found {found}")
    return holder[name]


def _names(content: dict[str, Any], field_name: str) -> tuple[str, ...]:
    names = _typed(content, field_name, list, "a list of texts")
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"field {field_name!r}: expected a list of texts, at least one")
    [(name, times)] = Counter(names).most_common(1)
    if times > 1:
        raise ValueError(f"field {field_name!r}: {name!r} occurs {times} times")
    return tuple(names)


def _documents(content: dict[str, Any], segments: int) -> tuple[str | None, ...]:
    documents = _typed(content, "documents", list, "a list of texts and nulls")
    if len(documents) != segments or not all(isinstance(d, str | NoneType) for d in documents):
        raise ValueError(f"field 'documents': expected {segments} texts or nulls, one per segment")
    return tuple(documents)


def _scores(name: str, entry: Any, systems: tuple[str, ...], segments: tuple[str, ...]) -> Scores:
    if not isinstance(entry, dict):
        raise ValueError(f"expected an object, found {json_type(entry)}")
    higher_is_better = _typed(entry, "higher_is_better", bool, "true or false")
    signature = _typed(entry, "signature", str, "a text")
    rows = _typed(entry, "statistics", list, "lists of numbers")
    _check_shape(rows, systems, segments)
    score = _score_function(name, entry, len(rows[0][0]))
    try:
        statistics = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise ValueError("statistics: a number is too large") from None
    return Scores(name, signature, systems, segments, statistics, score, higher_is_better)


def _score_function(name: str, entry: dict[str, Any], width: int) -> ScoreFunction:
    """The function that scores sums of so many statistics."""
    if "aggregation" in entry:
        if entry["aggregation"] != "mean" or width % 2:
            raise ValueError("expected aggregation 'mean', of pairs of statistics")
        return _mean
    measure = parse_measure(name)
    expected = _width(measure)
    if expected not in (None, width):
        raise ValueError(f"expected {expected} statistics per segment, found {width}")
    if entry["higher_is_better"] != measure.higher_is_better:
        raise ValueError("field 'higher_is_better' is the wrong way round")
    return measure.score


def _check_shape(rows: list[Any], systems: Sequence[str], segments: Sequence[str]) -> None:
    """Refuse lists that are not systems × segments × k numbers; the ValueError says where."""
    if len(rows) != len(systems):
        raise ValueError(f"expected statistics of {len(systems)} systems, found {len(rows)}")
    width = None
    for system, row in zip(systems, rows, strict=True):
        if not isinstance(row, list) or len(row) != len(segments):
            raise ValueError(f"expected statistics of {len(segments)} segments for {system!r}")
        for segment, numbers in zip(segments, row, strict=True):
            place = f"statistics of {system!r}, segment {segment!r}"
            if not isinstance(numbers, list) or not set(map(type, numbers)) <= _NUMBERS:
                raise ValueError(f"{place}: expected a list of numbers")
            width = width or len(numbers)
            if len(numbers) != width or not width:
                raise ValueError(f"{place}: {len(numbers)} numbers, expected {width or 'some'}")
