"""Error annotations: place, category and severity of errors by evaluator; and their JSON Lines.

An evaluator, a person or a model, reads one output and marks its errors. Ratings are stored
separately from errors, because "no error found" is the best result and "not rated" is none. Places
count Unicode code points of the text on one side, from 0, the end excluded.

A line of the file is a mark or a rating. A mark has ``system``, ``segment``, ``evaluator``,
``side``, ``start``, ``end``, ``category``, ``severity`` and optionally the marked ``text`` and the
decision on a ``proposal``. A rating has ``system``, ``segment``, ``evaluator``, ``rated``: true and
optionally ``score``, ``document`` and the whole texts ``source`` and ``target``. A mark implies
that its output was rated. A proposed mark that was ``deleted`` is no error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias, TypeVar, cast, get_args

from patmark.data.files import FilePath, parse_records, write_json_lines
from patmark.data.model import Run, TestSet
from patmark.data.records import Record, raise_if_any
from patmark.errors import InputError, Problem
from patmark.wording import tr

AnnotatedSide: TypeAlias = Literal["source", "target"]
Decision: TypeAlias = Literal["accepted", "changed", "deleted"]
"""Decision of an evaluator on a proposed mark."""
RepeatedMarks: TypeAlias = Literal["once", "count"]
"""Rule for a mark that repeats another: it counts once, or as often as it occurs."""
RatingKey: TypeAlias = tuple[str, str, str]
"""System, segment and evaluator."""
SIDES: tuple[AnnotatedSide, ...] = get_args(AnnotatedSide)
DECISIONS: tuple[Decision, ...] = get_args(Decision)
_Key = TypeVar("_Key", str, tuple[str, str])

SEVERITIES = ("critical", "major", "minor", "neutral")
SEVERITY_NAMES: Mapping[str, str] = {
    "critical": tr("critical"),
    "major": tr("major"),
    "minor": tr("minor"),
    "neutral": tr("neutral"),
}
"""The severities of typologies and weights, worst first."""

NO_CATEGORY = "Unspecified"
"""The category of errors for which only the severity was asked, as in ESA."""

_IDENTITY = ("system", "segment", "evaluator")
_MARK_FIELDS = (*_IDENTITY, "side", "start", "end", "category", "severity", "text", "proposal")
_RATING_FIELDS = (*_IDENTITY, "rated", "score", "document", *SIDES)


def severity_rank(severity: str) -> int:
    """Return the rank of a severity, 0 for the worst; unknown ones come last."""
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


@dataclass(frozen=True, slots=True)
class Annotation:
    """One error that an evaluator marked.

    With ``start == end`` it has no place in the text: an omission there, or an error of the whole
    segment. Known severities are normalised to lower case. ``proposal`` is the decision on a
    proposed mark, None for an own one.
    """

    system: str
    segment: str
    evaluator: str
    start: int
    end: int
    side: AnnotatedSide
    category: str
    severity: str
    proposal: Decision | None = None

    def __post_init__(self) -> None:
        if (known := self.severity.lower()) in SEVERITIES:
            object.__setattr__(self, "severity", known)

    @property
    def key(self) -> RatingKey:
        """The key of the rating of the mark."""
        return self.system, self.segment, self.evaluator

    @property
    def has_place(self) -> bool:
        """True if the mark covers characters."""
        return self.start < self.end


@dataclass(frozen=True, slots=True)
class Rating:
    """One output that an evaluator has read, with or without errors.

    ``score`` is a grade from 0 to 100 of the whole output, as ESA asks for.
    """

    system: str
    segment: str
    evaluator: str
    score: float | None = None
    document: str | None = None

    @property
    def key(self) -> RatingKey:
        """System, segment and evaluator."""
        return self.system, self.segment, self.evaluator


@dataclass(frozen=True, slots=True)
class AnnotatedTexts:
    """The texts that were annotated: sources by segment, outputs by system and segment."""

    sources: Mapping[str, str] = field(default_factory=dict)
    targets: Mapping[tuple[str, str], str] = field(default_factory=dict)

    @classmethod
    def of(cls, test_set: TestSet, runs: Iterable[Run]) -> AnnotatedTexts:
        """Return the texts of a test set and its runs."""
        sources = {one.id: one.source for one in test_set if one.source is not None}
        targets = {
            (run.system, segment.id): text
            for run in runs
            for segment, text in zip(test_set, run.hypotheses, strict=True)
            if text is not None
        }
        return cls(sources, targets)

    def of_mark(self, mark: Annotation) -> str | None:
        """Return the whole text on the side of a mark, if it is known."""
        if mark.side == "source":
            return self.sources.get(mark.segment)
        return self.targets.get((mark.system, mark.segment))

    def problems(self, marks: Iterable[Annotation]) -> Iterator[str]:
        """Describe the marks that end after their text."""
        for mark in marks:
            text = self.of_mark(mark)
            if text is not None and mark.end > len(text):
                yield (
                    f"{_words(mark)}: a mark ends at character {mark.end} of the {mark.side}, "
                    f"which has {len(text)}"
                )


@dataclass(frozen=True, eq=False)
class Annotations:
    """Ratings in a fixed order, each output once per evaluator, and the errors marked in them.

    A mark without a rating adds the rating. Identical marks of one evaluator count once unless
    ``repeats`` says otherwise; two omissions at one place are two. ``texts`` are those in the
    annotation file. Proposed marks that were deleted are no errors and kept as ``deleted``.
    """

    rated: tuple[Rating, ...]
    marks: tuple[Annotation, ...]
    texts: AnnotatedTexts = field(default_factory=AnnotatedTexts)
    repeats: RepeatedMarks = "once"
    deleted: tuple[Annotation, ...] = field(init=False)

    def __post_init__(self) -> None:
        ratings = {one.key: one for one in self.rated}
        if len(ratings) < len(self.rated):
            doubled = next(one for one in self.rated if ratings[one.key] is not one)
            raise InputError.at(f"{_words(doubled)} is rated twice")
        for mark in self.marks:
            ratings.setdefault(mark.key, Rating(*mark.key))
        object.__setattr__(self, "rated", tuple(ratings.values()))
        kept = [one for one in self.marks if one.proposal != "deleted"]
        deleted = tuple(one for one in self.marks if one.proposal == "deleted")
        object.__setattr__(self, "deleted", deleted)
        marks = _without_repeats(kept) if self.repeats == "once" else kept
        object.__setattr__(self, "marks", tuple(marks))

    def __eq__(self, other: object) -> bool:
        """Return True for equal ratings and equal marks, in any order."""
        if not isinstance(other, Annotations):
            return NotImplemented
        mine, theirs = (sorted(map(_order, one.all_marks)) for one in (self, other))
        return mine == theirs and set(self.rated) == set(other.rated)

    __hash__ = None  # type: ignore[assignment]

    @property
    def all_marks(self) -> tuple[Annotation, ...]:
        """The errors, and the proposed marks that were deleted."""
        return (*self.marks, *self.deleted)

    @cached_property
    def by_rating(self) -> Mapping[RatingKey, tuple[Annotation, ...]]:
        """The marks of every rating; empty if no error was found."""
        found: dict[RatingKey, list[Annotation]] = {one.key: [] for one in self.rated}
        for mark in self.marks:
            found[mark.key].append(mark)
        return {key: tuple(marks) for key, marks in found.items()}

    @property
    def systems(self) -> tuple[str, ...]:
        """Systems in the order of their first rating."""
        return tuple(dict.fromkeys(one.system for one in self.rated))

    @property
    def segments(self) -> tuple[str, ...]:
        """Segments in the order of their first rating."""
        return tuple(dict.fromkeys(one.segment for one in self.rated))

    @property
    def evaluators(self) -> tuple[str, ...]:
        """Evaluators in the order of their first rating."""
        return tuple(dict.fromkeys(one.evaluator for one in self.rated))

    @property
    def documents(self) -> Mapping[str, str]:
        """The document of each segment whose document is known."""
        return {one.segment: one.document for one in self.rated if one.document is not None}

    def joined(self, other: Annotations) -> Annotations:
        """Return both together; refuse an output that both rate for one evaluator."""
        texts = AnnotatedTexts(
            {**self.texts.sources, **other.texts.sources},
            {**self.texts.targets, **other.texts.targets},
        )
        marks = (*self.all_marks, *other.all_marks)
        return Annotations((*self.rated, *other.rated), marks, texts, self.repeats)


def same_text(one: str, other: str) -> bool:
    """Return True if two texts differ in white space at most."""
    return one == other or "".join(one.split()) == "".join(other.split())


def read_annotations(path: FilePath, repeats: RepeatedMarks = "once") -> Annotations:
    """Read ratings and marks of a file; every problem is reported with its line."""
    records, problems = parse_records(path)
    ratings: dict[RatingKey, Rating] = {}
    marks: list[tuple[Record, Annotation]] = []
    sources: dict[str, str] = {}
    targets: dict[tuple[str, str], str] = {}
    for record in records:
        known = len(problems)
        if "rated" in record.fields:
            rating = _rating(record)
            if len(problems) == known and rating.key in ratings:
                record.complain(f"{_words(rating)} is rated twice")
            ratings.setdefault(rating.key, rating)
            _keep_text(record, "source", sources, rating.segment)
            _keep_text(record, "target", targets, (rating.system, rating.segment))
        else:
            mark = _mark(record)
            if len(problems) == known:
                marks.append((record, mark))
    if not records and not problems:
        problems.append(Problem("has no annotations", str(path)))
    texts = AnnotatedTexts(sources, targets)
    for record, mark in marks:
        _check_place(record, mark, texts)
    raise_if_any(problems)
    return Annotations(tuple(ratings.values()), tuple(mark for _, mark in marks), texts, repeats)


def _keep_text(record: Record, side: str, texts: dict[_Key, str], key: _Key) -> None:
    """Store a whole text, which must be the same in every line."""
    text = record.optional_text(side)
    if text is not None and texts.setdefault(key, text) != text:
        record.complain(f"field {side!r}: another line has another text")


def _check_place(record: Record, mark: Annotation, texts: AnnotatedTexts) -> None:
    whole, text = texts.of_mark(mark), record.fields.get("text")
    problems = list(texts.problems([mark]))
    for problem in problems:
        record.complain(problem)
    found = whole[mark.start : mark.end] if whole is not None and not problems else text
    if text not in (None, found):
        record.complain(
            f"field 'text': the {mark.side} has {found!r} from {mark.start} to {mark.end}, "
            f"not {text!r}"
        )


def write_annotations(
    path: FilePath, annotations: Annotations, texts: AnnotatedTexts | None = None
) -> None:
    """Write every rating, followed by its marks, with the texts if known."""
    write_json_lines(path, _rows(annotations, texts or annotations.texts))


def _rows(annotations: Annotations, texts: AnnotatedTexts) -> Iterator[dict[str, Any]]:
    deleted: defaultdict[RatingKey, list[Annotation]] = defaultdict(list)
    for mark in annotations.deleted:
        deleted[mark.key].append(mark)
    for rating in annotations.rated:
        row = {name: getattr(rating, name) for name in (*_IDENTITY, "score", "document")}
        row["rated"] = True
        row["source"] = texts.sources.get(rating.segment)
        row["target"] = texts.targets.get((rating.system, rating.segment))
        yield {name: row[name] for name in _RATING_FIELDS if row[name] is not None}
        for mark in (*annotations.by_rating[rating.key], *deleted[rating.key]):
            whole = texts.of_mark(mark)
            fields = {name: getattr(mark, name) for name in _MARK_FIELDS if name != "text"}
            if whole is not None:
                fields["text"] = whole[mark.start : mark.end]
            if mark.proposal is None:
                del fields["proposal"]
            yield fields


def _rating(record: Record) -> Rating:
    record.only(_RATING_FIELDS)
    if record.fields["rated"] is not True:
        record.complain("field 'rated': expected true; an output that was not rated has no line")
    score = record.fields.get("score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        record.mismatch("score", "a number from 0 to 100")
        score = None
    elif score is not None and not 0 <= score <= 100:
        record.complain(f"field 'score': expected a number from 0 to 100, found {score}")
    document = record.optional_text("document")
    return Rating(*_identity(record), None if score is None else float(score), document)


def _mark(record: Record) -> Annotation:
    record.only(_MARK_FIELDS)
    side = record.text("side")
    if side and side not in SIDES:
        record.complain(f"field 'side': expected {' or '.join(SIDES)}, found {side!r}")
    start, end = _place(record, "start"), _place(record, "end")
    text = record.optional_text("text")
    if start is not None and end is not None:
        if start > end:
            record.complain(f"expected start <= end, found {start} and {end}")
        elif text is not None and len(text) != end - start:
            record.complain(
                f"field 'text' has {len(text)} characters, but the mark from {start} to {end} has "
                f"{end - start}; places count Unicode code points"
            )
    category, severity = (_named(record, name) for name in ("category", "severity"))
    proposal = record.optional_text("proposal")
    if proposal is not None and proposal not in DECISIONS:
        record.complain(
            f"field 'proposal': expected one of {', '.join(DECISIONS)}, found {proposal!r}"
        )
    return Annotation(
        *_identity(record),
        start or 0,
        end or 0,
        cast(AnnotatedSide, side),
        category,
        severity,
        cast(Decision | None, proposal),
    )


def _identity(record: Record) -> RatingKey:
    system, segment, evaluator = (_named(record, name) for name in _IDENTITY)
    return system, segment, evaluator


def _named(record: Record, name: str) -> str:
    """Return a nonempty text."""
    text = record.text(name)
    if record.fields.get(name) == "":
        record.complain(f"field {name!r} is empty")
    return text


def _place(record: Record, name: str) -> int | None:
    value = record.fields.get(name)
    if type(value) is int and value >= 0:
        return value
    record.mismatch(name, "a whole number from 0")
    return None


def _words(one: Annotation | Rating) -> str:
    return f"segment {one.segment!r} of {one.system!r} by {one.evaluator!r}"


def _without_repeats(marks: Iterable[Annotation]) -> Iterator[Annotation]:
    seen: set[Annotation] = set()
    for mark in marks:
        plain = replace(mark, proposal=None) if mark.proposal else mark
        if plain not in seen:
            yield mark
        if mark.has_place:
            seen.add(plain)


def _order(mark: Annotation) -> tuple[Any, ...]:
    place = mark.side, mark.start, mark.end
    return (*mark.key, *place, mark.category, mark.severity, mark.proposal or "")
