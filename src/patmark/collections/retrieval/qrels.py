"""Relevance judgements (qrels): TREC lines with grades or NTCIR letters; JSON Lines."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

import numpy as np

from patmark.collections.retrieval.collection_rows import (
    TARGETS,
    is_novelty_row,
    name_of,
    novelty_targets,
)
from patmark.data import (
    FilePath,
    IntArray,
    Record,
    atomic_writer,
    parse_records,
    raise_if_any,
    read_lines,
    shown,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.wording import setting

PARTIAL, RELEVANT = 1, 2
LETTERS = {"A": RELEVANT, "B": PARTIAL}
_TREC_FIELDS = "topic 0 document grade"


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Relevance grades of documents by topic: ``grades[topic][document]``.

    Grades below 1 mean not relevant. Names that are ``in_capitals`` match those of runs ignoring
    case.
    """

    name: str
    grades: Mapping[str, Mapping[str, int]]
    in_capitals: bool = False

    def __len__(self) -> int:
        return sum(map(len, self.grades.values()))

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics; one may have no document."""
        return tuple(self.grades)

    @property
    def fingerprint(self) -> str:
        """A short checksum of the judgements, independent of file and order."""
        named = sorted(f"{topic} {document} {grade}" for topic, document, grade in self.rows())
        return sha256("\n".join(named).encode()).hexdigest()[:12]

    def rows(self) -> Iterator[tuple[str, str, int]]:
        """Yield topic, document and grade; the documents of a topic by name."""
        for topic, grades in self.grades.items():
            for document in sorted(grades):
                yield topic, document, grades[document]

    @property
    def documents(self) -> set[str]:
        """All documents that were judged."""
        return {document for _, document, _ in self.rows()}

    def relevant_documents(self, grade: int = PARTIAL) -> dict[str, list[str]]:
        """Return the documents of a grade or better by topic, for topics that have any."""
        relevant: dict[str, list[str]] = {}
        for topic, document, found in self.rows():
            if found >= grade:
                relevant.setdefault(topic, []).append(document)
        return relevant

    def relevant(self, grade: int = PARTIAL) -> IntArray:
        """Count the documents of a grade or better for each topic."""
        counts = (sum(found >= grade for found in one.values()) for one in self.grades.values())
        return np.fromiter(counts, np.int64, len(self.grades))

    def only(self, topics: Collection[str]) -> Qrels:
        """Return the judgements of some topics, in the order of this file."""
        wanted = set(topics)
        unknown = sorted(wanted - self.grades.keys())
        if unknown:
            listed = ", ".join(unknown[:10]) + (" …" if len(unknown) > 10 else "")
            raise UsageError(f"{self.name} has no judgements for topics: {listed}")
        kept = {topic: grades for topic, grades in self.grades.items() if topic in wanted}
        return replace(self, grades=kept)


def read_qrels(path: FilePath, *, collapsed: bool = False) -> Qrels:
    """Read TREC qrels, or rows of retrieval benches (grade 1).

    ``collapsed`` uses the families of the X documents of novelty rows, for runs of families.
    """
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        judged, in_capitals = _jsonl(path, collapsed)
    else:
        judged, in_capitals = _trec(lines, shown(path)), False
    if not judged:
        raise InputError.at("holds no judgements", shown(path))
    if collapsed and not in_capitals:
        raise UsageError(
            f"{setting('collapsed')} has no effect: {shown(path)} has no rows of a novelty "
            "search bench"
        )
    return Qrels(shown(path), judged, in_capitals)


def write_qrels(path: FilePath, qrels: Qrels) -> None:
    """Write judgements as TREC lines."""
    with atomic_writer(path) as file:
        for topic, document, grade in qrels.rows():
            file.write(f"{topic} 0 {document} {grade}\n")


def missing_documents(qrels: Qrels, collection: Container[str]) -> tuple[str, ...]:
    """Return the relevant documents that the collection lacks and no search can find."""
    judged = {name for names in qrels.relevant_documents().values() for name in names}
    return tuple(sorted(name for name in judged if name not in collection))


def _trec(lines: Sequence[str], path: str) -> dict[str, dict[str, int]]:
    problems: list[Problem] = []
    judged: dict[str, dict[str, int]] = {}
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields:
            continue
        if len(fields) != 4:
            message = f"expected 4 fields ({_TREC_FIELDS}), found {len(fields)}"
            problems.append(Problem(message, path, number))
            continue
        topic, _, document, text = fields
        grade = _grade(text)
        if grade is None:
            message = f"grade: expected a whole number, A or B, found {text!r}"
            problems.append(Problem(message, path, number))
        elif (first := seen.setdefault((topic, document), number)) != number:
            message = f"document {document!r} of topic {topic!r} is already on line {first}"
            problems.append(Problem(message, path, number))
        else:
            judged.setdefault(topic, {})[document] = grade
    raise_if_any(problems)
    return judged


def _grade(text: str) -> int | None:
    if text in LETTERS:
        return LETTERS[text]
    is_whole = text.isascii() and text.removeprefix("-").isdigit() and len(text) < 10
    return int(text) if is_whole else None


def _jsonl(path: FilePath, collapsed: bool) -> tuple[dict[str, dict[str, int]], bool]:
    """Return grades by topic, and True if the rows are those of a novelty search."""
    records, problems = parse_records(path)
    judged: dict[str, dict[str, int]] = {}
    novelty = 0
    for record in records:
        topic = name_of(record.fields.get("id"))
        if topic is None:
            record.mismatch("id", "a string or a whole number without blanks")
        elif topic in judged:
            record.complain(f"id {topic!r} occurs twice")
        elif is_novelty_row(record):
            novelty += 1
            judged[topic] = dict.fromkeys(novelty_targets(record, collapsed), PARTIAL)
        else:
            judged[topic] = _targets(record)
    raise_if_any(problems)
    if 0 < novelty < len(judged):
        raise InputError.at("mixes rows with target_pns and rows with pn_x", shown(path))
    return judged, novelty > 0


def _targets(record: Record) -> dict[str, int]:
    value = record.fields.get(TARGETS)
    if not isinstance(value, list):
        record.mismatch(TARGETS, "a list of document numbers")
        return {}
    grades: dict[str, int] = {}
    for item in value:
        document = name_of(item)
        if document is None:
            record.complain(f"field {TARGETS!r}: {item!r} is no document number")
        elif document in grades:
            record.complain(f"field {TARGETS!r}: {document!r} occurs twice")
        else:
            grades[document] = PARTIAL
    return grades
