"""Rankings: the search results of each topic. TREC runs are read and written, JSON runs read."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from patmark.collections.retrieval.collection_rows import name_of
from patmark.data import (
    FilePath,
    FloatArray,
    IntArray,
    atomic_writer,
    json_object,
    json_type,
    raise_if_any,
    read_lines,
    shown,
    system_name,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.wording import tr_n

_TREC_FIELDS = "topic Q0 document rank score tag"
_LINES_AT_ONCE = 20_000
_MOST_DIGITS = 15
_ALL_BUT_SIGN, _INFINITE = 0x7FFFFFFF, 0x7F800000  # bits of single precision
_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


class NameCodes:
    """Names as consecutive whole numbers, so that a ranking consists of arrays."""

    def __init__(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict()
        self.numbers.default_factory = self.numbers.__len__

    def code(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of names; number new ones."""
        return list(map(self.numbers.__getitem__, names))


def positions_within(groups: IntArray) -> IntArray:
    """Return the position of each element in its group, from 0; ``groups`` must be sorted."""
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]]) if len(groups) else groups
    lengths = np.diff(np.r_[starts, len(groups)])
    return np.arange(len(groups)) - np.repeat(starts, lengths)


def repeated(keys: IntArray) -> IntArray:
    """Return the positions of elements that equal an earlier one."""
    order = np.argsort(keys, kind="stable")
    same = np.r_[False, keys[order][1:] == keys[order][:-1]] if len(keys) else keys > 0
    return np.sort(order[same])


@dataclass(frozen=True, slots=True, eq=False)
class Ranking:
    """One run: rows sorted by topic, then best first.

    ``topic_of`` and ``document_of`` are positions in ``topics`` and ``documents``. As in trec_eval,
    rows are sorted by score in single precision, ties by document name in descending order.
    ``reordered`` topics had other ranks in the file. ``separated`` rows had the score of another
    row and got the next one below or above it.
    """

    name: str
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    topic_of: IntArray
    document_of: IntArray
    scores: FloatArray
    reordered: int = 0
    separated: int = 0

    def __len__(self) -> int:
        return len(self.topic_of)

    @property
    def ranks(self) -> IntArray:
        """The rank of each row in its topic, from 1."""
        return positions_within(self.topic_of) + 1

    @property
    def lengths(self) -> IntArray:
        """Number of documents of each topic."""
        return np.bincount(self.topic_of, minlength=len(self.topics))

    def rows(self) -> Iterator[tuple[str, str, int, float]]:
        """Return topic, document, rank and score, best first."""
        topics = map(self.topics.__getitem__, self.topic_of.tolist())
        documents = map(self.documents.__getitem__, self.document_of.tolist())
        return zip(topics, documents, self.ranks.tolist(), self.scores.tolist(), strict=True)

    def by_topic(self) -> dict[str, list[str]]:
        """Return the documents of each topic, best first; topics without any are left out."""
        named = [self.documents[document] for document in self.document_of.tolist()]
        ends = np.cumsum(self.lengths).tolist()
        starts = [0, *ends[:-1]]
        rows = zip(self.topics, starts, ends, strict=True)
        return {topic: named[start:end] for topic, start, end in rows if end > start}

    def only(self, kept: NDArray[np.bool_]) -> Ranking:
        """Return the ranking with the rows that are kept, and all topics."""
        return replace(
            self,
            topic_of=self.topic_of[kept],
            document_of=self.document_of[kept],
            scores=self.scores[kept],
        )

    def of_topics(self, topics: Collection[str]) -> Ranking:
        """Return the ranking of some of the topics, in the same order."""
        wanted = np.array([topic in topics for topic in self.topics], dtype=bool)
        kept = self.only(wanted[self.topic_of])
        names = tuple(topic for topic in self.topics if topic in topics)
        return replace(kept, topics=names, topic_of=(np.cumsum(wanted) - 1)[kept.topic_of])


def ranking_of(name: str, found: Mapping[str, Sequence[tuple[str, float]]]) -> Ranking:
    """Build a ranking from documents with scores by topic; :class:`Ranking` orders ties."""
    topics, documents = NameCodes(), NameCodes()
    topic_of = np.repeat(topics.code(found), [len(rows) for rows in found.values()])
    pairs = [pair for rows in found.values() for pair in rows]
    document_of = np.array(documents.code(document for document, _ in pairs), dtype=np.int64)
    scores = np.array([score for _, score in pairs], dtype=np.float64)
    doubles = repeated(topic_of * len(documents.numbers) + document_of)
    if len(doubles) or not np.isfinite(scores).all():
        named = [pairs[row][0] for row in doubles.tolist()]
        names = f"found twice: {', '.join(named[:10])}" if named else "a score is not finite"
        raise UsageError(f"{name}: {names}")
    return _sorted(name, topics, documents, topic_of.astype(np.int64), document_of, scores)


def ordered_ranking(name: str, found: Mapping[str, Sequence[tuple[str, float]]]) -> Ranking:
    """Return a ranking that keeps the order of its rows; tied scores are separated."""
    topic_of = np.repeat(np.arange(len(found)), [len(rows) for rows in found.values()])
    given = np.array([score for rows in found.values() for _, score in rows], dtype=np.float64)
    scores = _separated(topic_of, given)
    fallen = iter(scores.tolist())
    kept = {
        topic: [(document, next(fallen)) for document, _ in rows] for topic, rows in found.items()
    }
    return replace(ranking_of(name, kept), separated=int(np.count_nonzero(scores != given)))


def separated_note(n: int) -> str:
    """Return the number of scores that :func:`ordered_ranking` moved, in words."""
    return tr_n(
        "{n} tied score was moved by the smallest step, so that every program keeps the order",
        "{n} tied scores were moved by the smallest step, so that every program keeps the order",
        n=n,
    )


def read_ranking(path: FilePath, name: str | None = None) -> Ranking:
    """Read TREC lines, or a JSON object of topics with documents, best first."""
    lines = read_lines(path)
    name = name or run_name(path)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        return _read_json(lines, path, name)
    return _read_trec(lines, path, name)


def run_name(path: FilePath) -> str:
    """Return the run name of a file: without folder and known endings."""
    name = system_name(path)
    ending = next((e for e in (".run", ".trec", ".res") if name.lower().endswith(e)), "")
    return name[: len(name) - len(ending)] if len(name) > len(ending) else name


def write_ranking(path: FilePath, ranking: Ranking, tag: str | None = None) -> None:
    """Write a TREC run with strictly descending scores, so that every program keeps the order."""
    ranking = replace(ranking, scores=_separated(ranking.topic_of, ranking.scores))
    tag = ranking.name if tag is None else tag
    names = (tag, *ranking.topics, *ranking.documents)
    bad = [text for text in names if text.split() != [text]]
    if bad:
        raise InputError.at(f"{bad[0]!r} is empty or holds a blank; TREC runs allow neither")
    with atomic_writer(path) as file:
        file.writelines(
            f"{topic} Q0 {document} {rank} {score!r} {tag}\n"
            for topic, document, rank, score in ranking.rows()
        )


def _separated(topic_of: IntArray, scores: FloatArray) -> FloatArray:
    """Return scores that descend strictly within each topic in single precision, for trec_eval.

    Tied scores change by the fewest steps of single precision; others only if no number is left
    between them.
    """
    steps = _steps(_single(scores))
    ties = (topic_of[1:] == topic_of[:-1]) & (steps[1:] >= steps[:-1])
    moved = steps.copy()
    for topic in np.unique(topic_of[1:][ties]).tolist():
        rows = slice(*np.searchsorted(topic_of, [topic, topic + 1]).tolist())
        moved[rows] = _untied(steps[rows])
    return np.where(moved == steps, scores, _from_steps(moved))


def _untied(steps: IntArray) -> IntArray:
    """Return descending whole numbers without ties.

    The first of a tie stays and the others go down, or up if the next number below is too near.
    """
    steps = np.minimum.accumulate(steps)
    _, starts, counts = np.unique(-steps, return_index=True, return_counts=True)
    gaps = steps[starts] - np.append(steps[starts], -_INFINITE)[1:] - 1
    up = np.maximum(counts - 1 - gaps, 0)
    wanted = np.repeat(steps[starts] + up + starts, counts)
    return np.minimum.accumulate(wanted) - np.arange(len(steps))


def _steps(single: NDArray[np.float32]) -> IntArray:
    """Return numbers of single precision as whole numbers, so that neighbours differ by 1."""
    bits = single.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & _ALL_BUT_SIGN), bits)


def _from_steps(steps: IntArray) -> FloatArray:
    sizes = np.abs(steps).astype(np.int32).view(np.float32).astype(np.float64)
    return np.copysign(sizes, steps)


def _single(scores: FloatArray) -> NDArray[np.float32]:
    with np.errstate(over="ignore", under="ignore"):
        return scores.astype(np.float32)


def _sorted(
    name: str,
    topics: NameCodes,
    documents: NameCodes,
    topic_of: IntArray,
    document_of: IntArray,
    scores: FloatArray,
    file_ranks: IntArray | None = None,
) -> Ranking:
    names = list(documents.numbers)
    single = _single(scores)
    order = np.lexsort((-single, topic_of))
    tied = (np.diff(topic_of[order]) == 0) & (np.diff(single[order]) == 0)
    if tied.any():
        rows = order[np.r_[tied, False] | np.r_[False, tied]]
        order = np.lexsort((-_name_order(names, document_of[rows])[document_of], -single, topic_of))
    topic_of = topic_of[order]
    reordered = 0
    if file_ranks is not None and len(order):
        falls = np.diff(file_ranks[order]) < 0
        reordered = len(np.unique(topic_of[1:][falls & (topic_of[1:] == topic_of[:-1])]))
    return Ranking(
        name,
        tuple(topics.numbers),
        tuple(names),
        topic_of,
        document_of[order],
        scores[order],
        reordered,
    )


def _name_order(names: Sequence[str], wanted: IntArray) -> IntArray:
    """Return the place of each wanted document by name; 0 for the others."""
    place = np.zeros(len(names), dtype=np.int64)
    by_name = sorted(np.unique(wanted).tolist(), key=names.__getitem__)
    place[by_name] = np.arange(len(by_name))
    return place


def _read_trec(lines: Sequence[str], path: FilePath, name: str) -> Ranking:
    """Read lines in blocks, because a split line takes many times its memory."""
    topics, documents, problems = NameCodes(), NameCodes(), list[Problem]()
    blocks = []
    numbers = [number for number, line in enumerate(lines, 1) if not line.isspace() and line]
    if not numbers:
        raise InputError.at("holds no rows", shown(path))
    for start in range(0, len(numbers), _LINES_AT_ONCE):
        block = numbers[start : start + _LINES_AT_ONCE]
        rows = [lines[number - 1].split() for number in block]
        columns = list(zip(*rows, strict=True)) if set(map(len, rows)) == {6} else []
        if not columns or not _are_plain(columns[3], columns[4]):
            found = _row_problems(rows, shown(path), block)
            problems += found
            if found:
                continue
        codes = (topics.code(columns[0]), documents.code(columns[2]), list(map(int, columns[3])))
        blocks.append((*map(np.array, codes), np.array(list(map(float, columns[4])))))
    raise_if_any(problems)
    topic_of, document_of, ranks, scores = map(np.concatenate, zip(*blocks, strict=True))
    _refuse_doubles(topic_of, document_of, topics, documents, shown(path), numbers)
    return _sorted(name, topics, documents, topic_of, document_of, scores, ranks)


def _are_plain(ranks: Sequence[str], scores: Sequence[str]) -> bool:
    """Return True if whole columns are plain numbers, which spares a check of every row."""
    digits = "".join(ranks)
    short = max(map(len, ranks)) <= _MOST_DIGITS and max(map(len, scores)) <= _MOST_DIGITS
    whole = short and digits.isascii() and digits.isdigit()
    return whole and all(map(_DECIMAL.fullmatch, scores))


def _row_problems(rows: Sequence[list[str]], path: str, numbers: Sequence[int]) -> list[Problem]:
    problems = []
    for line, row in zip(numbers, rows, strict=True):
        if len(row) != 6:
            message = f"expected 6 fields ({_TREC_FIELDS}), found {len(row)}"
            problems.append(Problem(message, path, line))
            continue
        if not _is_whole(row[3]):
            problems.append(Problem(f"rank: expected a whole number, found {row[3]!r}", path, line))
        if not _is_finite(row[4]):
            problems.append(Problem(f"score: expected a number, found {row[4]!r}", path, line))
    return problems


def _is_whole(text: str) -> bool:
    return text.isascii() and text.removeprefix("-").isdigit() and len(text) <= _MOST_DIGITS


def _is_finite(text: str) -> bool:
    try:
        return "_" not in text and math.isfinite(float(text))
    except ValueError:
        return False


def _refuse_doubles(
    topic_of: IntArray,
    document_of: IntArray,
    topics: NameCodes,
    documents: NameCodes,
    path: str,
    numbers: Sequence[int],
) -> None:
    keys = topic_of * len(documents.numbers) + document_of
    doubles = repeated(keys).tolist()
    if not doubles:
        return
    first = dict(zip(reversed(keys.tolist()), reversed(numbers), strict=True))
    topic_names, document_names = list(topics.numbers), list(documents.numbers)
    raise InputError(
        Problem(
            f"document {document_names[document_of[row]]!r} of topic "
            f"{topic_names[topic_of[row]]!r} is already on line {first[keys[row]]}",
            path,
            numbers[row],
        )
        for row in doubles
    )


def _read_json(lines: Sequence[str], path: FilePath, name: str) -> Ranking:
    try:
        content = json_object("\n".join(lines))
    except ValueError as error:
        line = getattr(error.__context__, "lineno", None)
        raise InputError.at(str(error), shown(path), line) from None
    problems: list[Problem] = []
    found: dict[str, list[tuple[str, float]]] = {}
    for topic, listed in content.items():
        if not isinstance(listed, list):
            message = f"topic {topic!r}: expected a list of documents, found {json_type(listed)}"
            problems.append(Problem(message, shown(path)))
            continue
        if name_of(topic) is None:
            problems.append(Problem(f"topic {topic!r} is empty or holds a blank", shown(path)))
        found[topic] = _json_rows(topic, listed, shown(path), problems)
    raise_if_any(problems)
    return ranking_of(name, found)


def _json_rows(
    topic: str, listed: Sequence[object], path: str, problems: list[Problem]
) -> list[tuple[str, float]]:
    """Return documents with 1/rank as score."""
    places: dict[str, int] = {}
    for rank, value in enumerate(listed, 1):
        document = name_of(value)
        if document is None:
            message = f"expected a string without blanks or a whole number, found {value!r}"
            problems.append(Problem(f"topic {topic!r}, rank {rank}: {message}"[:200], path))
        elif document in places:
            message = f"document {document!r} is already at rank {places[document]}"
            problems.append(Problem(f"topic {topic!r}, rank {rank}: {message}", path))
        else:
            places[document] = rank
    return [(document, 1.0 / rank) for document, rank in places.items()]
