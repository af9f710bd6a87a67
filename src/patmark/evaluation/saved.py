"""Scores in files, with all that is known of them: saved, read again, joined, chosen from."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from patmark._version import __version__
from patmark.catalogue import load_library
from patmark.data import (
    STREAM,
    Aggregation,
    Estimate,
    FilePath,
    FloatArray,
    Mean,
    ScoreFacts,
    Scores,
    differing_parts,
    json_object,
    json_type,
    read_bytes,
    read_lines,
    segment_csv,
    shown,
    write_atomically,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.measures import find_measure, parse_measure
from patmark.report import plain
from patmark.wording import tr

_COLUMNS = ("measure", "system", "segment", "document", "statistics")
_OF_ROWS = ("systems", "segments", "documents")
_HEADER = b"patmark"


def is_parquet(path: FilePath) -> bool:
    """Whether the name of a file says that it is Parquet."""
    return Path(path).suffix.lower() == ".parquet"


def check_library() -> None:
    """Refuse Parquet where its library is not installed."""
    _arrow()


def to_parquet(content: Mapping[str, Any]) -> bytes:
    """What would else be one JSON document."""
    arrow = _arrow()
    schema = _schema().with_metadata({_HEADER: _header(content)})
    columns = zip(*_rows(content), strict=True)
    arrays = [arrow.array(column, kind) for column, kind in zip(columns, schema.types, strict=True)]
    packed = io.BytesIO()
    table = arrow.Table.from_arrays(arrays, schema=schema)
    _arrow("pyarrow.parquet").write_table(table, packed, compression="zstd")
    return packed.getvalue()


def read_parquet(path: FilePath, check: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """The content of a file, as in the JSON form; the ValueError says what is wrong.

    ``check`` sees what is not a row first: a newer version may have other rows. Statistics of rows
    that the file lacks are None.
    """
    arrow = _arrow()
    try:
        # No threads: one that lets go of Python's bytes while Python ends would abort the process.
        data = arrow.BufferReader(read_bytes(path))
        table = _arrow("pyarrow.parquet").ParquetFile(data).read(use_threads=False)
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(f"cannot be read as Parquet: {error}") from None
    header = (table.schema.metadata or {}).get(_HEADER)
    if header is None:
        raise ValueError("is no file of scores: its metadata is missing")
    content = json_object(header.decode())
    check(content)
    measures = content.get("measures")
    if not isinstance(measures, dict) or {dict} != set(map(type, measures.values())):
        raise ValueError("its metadata name no measures")
    return content | _of_rows(measures, _columns(table))


def _schema() -> Any:
    arrow = _arrow()
    kinds = [arrow.string()] * 4 + [arrow.list_(arrow.float64())]
    return arrow.schema(zip(_COLUMNS, kinds, strict=True))


def _columns(table: Any) -> list[list[Any]]:
    """The columns as lists; other programs may have written them in other types."""
    for name in _COLUMNS:
        found = table.column_names.count(name)
        if found != 1:
            raise ValueError(f"expected one column {name!r}, found {found}")
    try:
        typed = table.select(_COLUMNS).cast(_schema())
    except _arrow().ArrowException as error:
        raise ValueError(f"expected names, and lists of numbers as statistics: {error}") from None
    return [column.to_pylist() for column in typed.columns]


def _header(content: Mapping[str, Any]) -> str:
    """What is not a row, as JSON."""
    measures = {
        name: {key: value for key, value in entry.items() if key != "statistics"}
        for name, entry in content["measures"].items()
    }
    others = {name: value for name, value in content.items() if name not in _OF_ROWS}
    return json.dumps(others | {"measures": measures}, ensure_ascii=False, allow_nan=False)


def _rows(content: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    segments, documents = content["segments"], content["documents"]
    for measure, entry in content["measures"].items():
        for system, rows in zip(content["systems"], entry["statistics"], strict=True):
            for segment, document, numbers in zip(segments, documents, rows, strict=True):
                yield measure, system, segment, document, numbers


def _of_rows(measures: dict[str, Any], columns: Sequence[list[Any]]) -> dict[str, Any]:
    """Systems, segments, documents and statistics from the columns of the rows."""
    names, systems, segments, documents, _ = columns
    of_systems = {name: place for place, name in enumerate(dict.fromkeys(systems))}
    of_segments = {name: place for place, name in enumerate(dict.fromkeys(segments))}
    expected = len(measures) * len(of_systems) * len(of_segments)
    if len(names) != expected or not set(names) <= set(measures):
        raise ValueError(
            f"expected {expected} rows, of {len(measures)} measures, {len(of_systems)} systems and "
            f"{len(of_segments)} segments; found {len(names)}"
        )
    of_documents = dict(zip(segments, documents, strict=True))
    for segment, document in zip(segments, documents, strict=True):
        if of_documents[segment] != document:
            raise ValueError(f"segment {segment!r} is in several documents")
    statistics: dict[str, list[list[Any]]] = {
        name: [[None] * len(of_segments) for _ in of_systems] for name in measures
    }
    for name, system, segment, _, numbers in zip(*columns, strict=True):
        statistics[name][of_systems[system]][of_segments[segment]] = numbers
    return {
        "systems": list(of_systems),
        "segments": list(of_segments),
        "documents": list(of_documents.values()),
        "measures": {name: measures[name] | {"statistics": statistics[name]} for name in measures},
    }


def _arrow(name: str = "pyarrow") -> Any:
    return load_library(name, "corpus")


FORMAT = "patmark-scores"
VERSION = 2
_READ_VERSIONS = (1, 2)
_NUMBERS = {int, float, NoneType}
_LARGEST_EXACT = 2.0**53
_FLAGS = ("percentage", "descriptive", "findings", "needs_all", "rate")


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


def is_saved(path: FilePath) -> bool:
    """Whether a file holds what :func:`save_scores` wrote; standard input is not looked at."""
    if is_parquet(path):
        return True
    if str(path) == STREAM:
        return False
    first = read_lines(path)[0].lstrip()
    return first.startswith("{") and f'"{FORMAT}"' in first


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


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores behind a result, with what is needed to save them and to judge gates by them.

    ``segment_scores`` are those of single segments, where that is not ``scores`` themselves;
    ``facts`` are saved with the scores. ``estimates`` gives measure → system → value with interval;
    it is asked only by gates, since a comparison resamples for itself.
    """

    scores: Mapping[str, Scores]
    documents: Sequence[str | None]
    facts: ScoreFacts | None = None
    estimates: Callable[[], Mapping[str, Mapping[str, Estimate]]] = dict
    segment_scores: Mapping[str, Scores] | None = None

    @property
    def scored(self) -> Scored:
        """Results that hold scores, and those that are scores, are asked in the same way."""
        return self

    def segment_csv(self) -> str:
        """The scores of single segments."""
        return segment_csv(list((self.segment_scores or self.scores).values()))

    def save(self, path: FilePath) -> None:
        """Keep all statistics in a file."""
        facts = self.facts.to_json() if self.facts else None
        save_scores(path, self.scores, self.documents, facts)


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


def _measure_json(name: str, scores: Scores) -> dict[str, Any]:
    """Return the entry of a measure: a measure describes its scores, a mean is described here."""
    entry: dict[str, Any] = {
        "signature": scores.signature, "higher_is_better": scores.higher_is_better,
    }  # fmt: skip
    rule, factor = scores.aggregation, scores.aggregation.mean_factor
    if _reads_as(name, rule) or (factor is None and _reads_as(rule.name, rule)):
        entry["aggregation"] = rule.name
    elif factor is None:
        raise UsageError(f"{name} cannot be saved: it is neither what its name says nor a mean")
    else:
        entry |= {"aggregation": Mean.name, "factor": factor}
        entry |= {key: True for key in _FLAGS if getattr(scores, key)}
        if scores.bounds is not None:
            entry["bounds"] = plain(scores.bounds)
    return entry | {"statistics": _plain(scores.statistics, name)}


def _reads_as(name: str, rule: Aggregation) -> bool:
    """Return True if the reader of a name finds this very measure."""
    known = find_measure(name)
    return known is not None and _same_rule(known, rule)


def _same_rule(one: Aggregation, other: Aggregation) -> bool:
    """Return True if two rules give the same scores; a service that a measure asks is no matter."""
    return type(one) is type(other) and (one.name, one.mean_factor) == (
        other.name,
        other.mean_factor,
    )


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
    if type(found) is not int or found not in _READ_VERSIONS:
        known = " and ".join(map(str, _READ_VERSIONS))
        reads = f"patmark {__version__} reads versions {known} of the format"
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
    try:
        statistics = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise ValueError("statistics: a number is too large") from None
    width = statistics.shape[-1]
    rule = entry.get("aggregation", name)  # version 1 does not name a measure twice
    if rule == Mean.name:
        if width % 2:
            raise ValueError("expected aggregation 'mean', of pairs of statistics")
        factor = entry.get("factor", 1.0)
        if type(factor) not in (int, float):
            raise ValueError(f"field 'factor': expected a number, found {json_type(factor)}")
        flags = {key: _typed(entry, key, bool, "true or false") for key in _FLAGS if key in entry}
        scores = Scores(
            name, signature, systems, segments, statistics, Mean(factor), higher_is_better,
            bounds=_bounds(entry), **flags,
        )  # fmt: skip
        _check_rate(scores)
        return scores
    measure = parse_measure(_typed({"aggregation": rule}, "aggregation", str, "a text"))
    if measure.width not in (None, width):
        raise ValueError(f"expected {measure.width} statistics per segment, found {width}")
    if higher_is_better != measure.higher_is_better:
        raise ValueError("field 'higher_is_better' is the wrong way round")
    return replace(
        measure.described(),
        measure=name,
        signature=signature,
        systems=systems,
        segments=segments,
        statistics=statistics,
    )


def _check_rate(scores: Scores) -> None:
    values, whole = scores.segment_scores, scores.scale.whole
    if scores.rate and not (
        np.isfinite(whole) and ((values >= 0) & (values <= whole) | np.isnan(values)).all()
    ):
        raise ValueError("a rate is from 0 to its upper bound in every segment")


def _bounds(entry: dict[str, Any]) -> tuple[float, float] | None:
    if "bounds" not in entry:
        return None
    bounds = _typed(entry, "bounds", list, "two numbers or nulls")
    if len(bounds) != 2 or not set(map(type, bounds)) <= _NUMBERS:
        raise ValueError("field 'bounds': expected two numbers or nulls")
    low, high = bounds
    return (-np.inf if low is None else low, np.inf if high is None else high)


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


_VERSION_PART = re.compile(r"\|patmark:[^|]*")


def join_scores(files: Mapping[str, SavedScores]) -> SavedScores:
    """The systems of all files under the measures that each of them must have.

    The files are given by name. Every way in which they do not belong together is reported.
    """
    (first_name, first), *others = files.items()
    problems = [
        problem
        for name, other in others
        for problem in _problems((first_name, first), (name, other))
    ]
    problems += [
        Problem(message)
        for (one_name, one), (name, other) in combinations(files.items(), 2)
        if (message := _text_problem(other.known.test_set, one.known.test_set, (name, one_name)))
    ]
    owner: dict[str, str] = {}
    for name, one in files.items():
        for system in one.systems:
            if system in owner:
                problems.append(Problem(f"{owner[system]} has a system {system!r} too", name))
            owner.setdefault(system, name)
    if problems:
        raise InputError(problems)
    joined = first
    for name, other in others:
        joined = _joined(joined, other, (name, first_name))
    facts = _joined_facts([one.known for one in files.values()])
    return replace(joined, facts={**first.facts, **facts.to_json()})


def unchecked(fingerprints: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Those of several named test sets whose texts cannot be held against any other."""
    return [
        name
        for name, one in fingerprints.items()
        if all(
            differing_parts(one, other) is None
            for other_name, other in fingerprints.items()
            if other_name != name
        )
    ]


def joining_notes(files: Mapping[str, SavedScores]) -> tuple[str, ...]:
    """What could not be checked when files were joined, in words."""
    if len(files) < 2:
        return ()
    unknown = unchecked({name: one.known.test_set for name, one in files.items()})
    return tuple(
        tr(
            "{name} does not tell which texts it was scored on; it could not be checked "
            "that they are those of the other files.",
            name=name,
        )
        for name in unknown
    )


def subset_scores(
    saved: SavedScores,
    measures: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> SavedScores:
    """Only some measures and systems, in the order in which they are named."""
    known = list(saved.scores)
    named = known
    if measures is not None:
        named = [name if name in known else measure_name(name) for name in measures]
    chosen = tuple(_chosen(saved.systems if systems is None else systems, saved.systems, "system"))
    rows = [saved.systems.index(system) for system in chosen]
    kept = {}
    for name in _chosen(named, known, "measure"):
        one = saved.scores[name]
        kept[name] = replace(one, systems=chosen, statistics=one.statistics[rows])
    facts = {**saved.facts, **saved.known.only(chosen).to_json()} if systems else saved.facts
    return replace(saved, scores=kept, facts=facts)


def check_same_segments(one: Sequence[str], other: Sequence[str], names: tuple[str, str]) -> None:
    """Refuse other ids of segments, or another order."""
    if problem := _segment_problem(one, other, names):
        raise InputError.at(problem)


def check_same_texts(
    one: Mapping[str, str], other: Mapping[str, str], names: tuple[str, str]
) -> None:
    """Refuse scores of other references or sources, as far as fingerprints tell."""
    if problem := _text_problem(one, other, names):
        raise InputError.at(problem)


def check_same_counting(measure: str, one: str, other: str, names: tuple[str, str]) -> None:
    """Refuse signatures that differ in more than the version of patmark."""
    signatures = [_VERSION_PART.sub("", signature) for signature in (one, other)]
    if signatures[0] != signatures[1]:
        raise _counted_otherwise(measure, signatures, names)


def comparable(one: Scores, other: Scores, names: tuple[str, str]) -> tuple[Scores, Scores]:
    """Both with one score function; other segments or another way of counting is refused."""
    check_same_segments(one.segments, other.segments, names)
    check_same_counting(one.measure, one.signature, other.signature, names)
    if _same_rule(one.aggregation, other.aggregation):
        return one, other
    means = one.as_mean(), other.as_mean()
    if means[0] is None or means[1] is None:
        raise _counted_otherwise(one.measure, [one.signature, other.signature], names)
    return means[0], means[1]


def _counted_otherwise(
    measure: str, signatures: Sequence[str], names: tuple[str, str]
) -> InputError:
    return InputError.at(
        f"{names[0]} counted {measure} in another way than {names[1]}; make one of them "
        f"again: {signatures[0]} there, {signatures[1]} here"
    )


def _problems(first: tuple[str, SavedScores], other: tuple[str, SavedScores]) -> list[Problem]:
    """Why the scores of a file cannot stand beside those of the first."""
    (first_name, one), (name, two) = first, other
    names = (name, first_name)
    found = [_segment_problem(two.segments, one.segments, names)]
    if two.documents != one.documents:
        found.append(f"{name} has other documents than {first_name}")
    if set(two.scores) != set(one.scores):
        lists = [", ".join(sorted(scores)) for scores in (two.scores, one.scores)]
        found.append(
            f"{name} has other measures than {first_name}: {lists[0]} there, {lists[1]} here; "
            "choose with --measures"
        )
    spoken = [facts.languages for facts in (one.known, two.known)]
    if None not in spoken and spoken[0] != spoken[1]:
        found.append(f"{name} has other languages than {first_name}")
    return [Problem(message) for message in found if message]


def _segment_problem(one: Sequence[str], other: Sequence[str], names: tuple[str, str]) -> str:
    if len(one) != len(other):
        return f"{names[0]} has {len(one)} segments, {names[1]} has {len(other)}"
    places = (
        f"{names[0]} has other segments than {names[1]}: {mine!r} at place {place}, "
        f"where that has {its!r}"
        for place, (mine, its) in enumerate(zip(one, other, strict=True), 1)
        if mine != its
    )
    return next(places, "")


def _text_problem(one: Mapping[str, str], other: Mapping[str, str], names: tuple[str, str]) -> str:
    parts = differing_parts(one, other)
    if not parts:
        return ""
    return f"{names[0]} was scored on another test set than {names[1]}: other {' and '.join(parts)}"


def _joined(first: SavedScores, other: SavedScores, names: tuple[str, str]) -> SavedScores:
    scores = {}
    for measure in first.scores:
        two, one = comparable(other.scores[measure], first.scores[measure], names)
        scores[measure] = replace(
            one, systems=one.systems + two.systems,
            statistics=np.concatenate([one.statistics, two.statistics]),
        )  # fmt: skip
    return replace(first, scores=scores)


def _joined_facts(facts: Sequence[ScoreFacts]) -> ScoreFacts:
    """What is known of all systems; a fact that one file does not tell is taken from the next."""
    texts: dict[str, str] = {}
    missing: dict[str, int] = {}
    empty: dict[str, int] = {}
    for one in facts:
        texts = {**one.test_set, **texts}
        missing |= one.missing or {}
        empty |= one.empty
    spoken = [one.languages for one in facts if one.languages is not None]
    known = any(one.missing is not None for one in facts)
    return ScoreFacts(
        texts, spoken[0] if spoken else None, missing if known else None, empty, facts[0].treatment
    )


def _chosen(wanted: Sequence[str], known: Sequence[str], what: str) -> Sequence[str]:
    if not wanted:
        raise UsageError(f"no {what} is named; choose from {', '.join(known)}")
    for name in wanted:
        if name not in known:
            raise UsageError(f"no {what} {name!r} was saved; there are {', '.join(known)}")
        if list(wanted).count(name) > 1:
            raise UsageError(f"the {what} {name!r} is asked for twice")
    return wanted
