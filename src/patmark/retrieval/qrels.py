"""Relevance judgements (qrels): TREC lines with grades or NTCIR letters, PatSnap JSONL."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from patmark.data import FilePath, IntArray, Record, parse_records, raise_if_any, read_lines, shown
from patmark.errors import InputError, Problem, UsageError
from patmark.retrieval.coding import Names, sorted_codes
from patmark.retrieval.documents import name_of

PARTIAL, RELEVANT = 1, 2
LETTERS = {"A": RELEVANT, "B": PARTIAL}
_TREC_FIELDS = "topic 0 document grade"


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Which documents are relevant for which topics, and how much.

    ``topic_of`` and ``document_of`` are positions in ``topics`` and ``documents`` (sorted by name);
    rows are sorted by topic and document. Grades below 1 say that a document is not relevant.
    """

    name: str
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    topic_of: IntArray
    document_of: IntArray
    grades: IntArray

    def __len__(self) -> int:
        return len(self.grades)

    @property
    def fingerprint(self) -> str:
        """A short checksum of the judgements: the same wherever the file is and however sorted."""
        columns = (self.topic_of, self.document_of, self.grades)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        named = sorted(f"{self.topics[t]} {self.documents[d]} {grade}" for t, d, grade in rows)
        return sha256("\n".join(named).encode()).hexdigest()[:12]

    def relevant(self, grade: int = PARTIAL) -> IntArray:
        """How many documents of a grade or a better one each topic has."""
        return np.bincount(self.topic_of[self.grades >= grade], minlength=len(self.topics))

    def only(self, topics: Sequence[str]) -> Qrels:
        """The judgements of some topics, in the order of this file."""
        wanted = set(topics)
        unknown = sorted(wanted - set(self.topics))
        if unknown:
            listed = ", ".join(unknown[:10]) + (" …" if len(unknown) > 10 else "")
            raise UsageError(f"{self.name} has no judgements for topics: {listed}")
        kept = np.array([topic in wanted for topic in self.topics])
        rows = kept[self.topic_of]
        renumbered = np.cumsum(kept) - 1
        return Qrels(
            self.name, tuple(topic for topic in self.topics if topic in wanted), self.documents,
            renumbered[self.topic_of[rows]], self.document_of[rows], self.grades[rows],
        )  # fmt: skip


def qrels_of(name: str, judged: Mapping[str, Mapping[str, int]]) -> Qrels:
    """Qrels from grades by topic and document."""
    topics, documents = Names(), Names()
    topic_of = np.repeat(topics.code(judged), [len(grades) for grades in judged.values()])
    codes = documents.code(document for grades in judged.values() for document in grades)
    grades = [grade for of_topic in judged.values() for grade in of_topic.values()]
    names, document_of = sorted_codes(list(documents.numbers), np.array(codes, dtype=np.int64))
    order = np.lexsort((document_of, topic_of))
    return Qrels(
        name, tuple(topics.numbers), names, topic_of[order].astype(np.int64), document_of[order],
        np.array(grades, dtype=np.int64)[order],
    )  # fmt: skip


def read_qrels(path: FilePath) -> Qrels:
    """Qrels in TREC form, or JSONL rows with ``id`` and ``target_pns``, which get grade 1."""
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    judged = _jsonl(path) if first.lstrip().startswith("{") else _trec(lines, shown(path))
    return qrels_of(shown(path), judged)


def missing_documents(qrels: Qrels, collection: Container[str]) -> tuple[str, ...]:
    """The relevant documents that the collection does not hold: no search can find them."""
    judged = np.unique(qrels.document_of[qrels.grades >= PARTIAL])
    names = (qrels.documents[document] for document in judged.tolist())
    return tuple(name for name in names if name not in collection)


def _trec(lines: Sequence[str], path: str) -> dict[str, dict[str, int]]:
    problems: list[Problem] = []
    judged: dict[str, dict[str, int]] = {}
    seen: dict[tuple[str, str], int] = {}
    for number, line in enumerate(lines, 1):
        fields = line.split()
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
    if not judged:
        raise InputError.at("holds no judgements", shown(path))
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
