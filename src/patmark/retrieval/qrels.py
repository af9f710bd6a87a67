"""Relevance judgements (qrels): TREC lines with grades or NTCIR letters; JSON Lines."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

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
from patmark.retrieval.collection_rows import name_of

PARTIAL, RELEVANT = 1, 2
LETTERS = {"A": RELEVANT, "B": PARTIAL}
_TREC_FIELDS = "topic 0 document grade"


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Relevance grades of documents by topic: ``grades[topic][document]``.

    Grades below 1 say that a document is not relevant.
    """

    name: str
    grades: Mapping[str, Mapping[str, int]]

    def __len__(self) -> int:
        return sum(map(len, self.grades.values()))

    @property
    def topics(self) -> tuple[str, ...]:
        """The judged topics; one may have no document."""
        return tuple(self.grades)

    @property
    def fingerprint(self) -> str:
        """A short checksum of the judgements: the same wherever the file is and however sorted."""
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
        """Return the documents of a grade or a better one by topic, for topics that have any."""
        relevant: dict[str, list[str]] = {}
        for topic, document, found in self.rows():
            if found >= grade:
                relevant.setdefault(topic, []).append(document)
        return relevant

    def relevant(self, grade: int = PARTIAL) -> IntArray:
        """Count the documents of a grade or a better one for each topic."""
        counts = (sum(found >= grade for found in one.values()) for one in self.grades.values())
        return np.fromiter(counts, np.int64, len(self.grades))

    def only(self, topics: Collection[str]) -> Qrels:
        """Return the judgements of some topics, in the order of this file."""
        wanted = set(topics)
        unknown = sorted(wanted - self.grades.keys())
        if unknown:
            listed = ", ".join(unknown[:10]) + (" …" if len(unknown) > 10 else "")
            raise UsageError(f"{self.name} has no judgements for topics: {listed}")
        return Qrels(self.name, {t: grades for t, grades in self.grades.items() if t in wanted})


def read_qrels(path: FilePath) -> Qrels:
    """Read TREC qrels, or JSONL rows with ``id`` and ``target_pns`` (grade 1)."""
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    judged = _jsonl(path) if first.lstrip().startswith("{") else _trec(lines, shown(path))
    if not judged:
        raise InputError.at("holds no judgements", shown(path))
    return Qrels(shown(path), judged)


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


def _jsonl(path: FilePath) -> dict[str, dict[str, int]]:
    records, problems = parse_records(path)
    judged: dict[str, dict[str, int]] = {}
    for record in records:
        topic = name_of(record.fields.get("id"))
        if topic is None:
            record.mismatch("id", "a string or a whole number without blanks")
        elif topic in judged:
            record.complain(f"id {topic!r} occurs twice")
        else:
            judged[topic] = _targets(record)
    raise_if_any(problems)
    return judged


def _targets(record: Record) -> dict[str, int]:
    value = record.fields.get("target_pns")
    if not isinstance(value, list):
        record.mismatch("target_pns", "a list of document numbers")
        return {}
    grades: dict[str, int] = {}
    for item in value:
        document = name_of(item)
        if document is None:
            record.complain(f"field 'target_pns': {item!r} is no document number")
        elif document in grades:
            record.complain(f"field 'target_pns': {document!r} occurs twice")
        else:
            grades[document] = PARTIAL
    return grades
