"""Topics: what is searched for. JSONL, NTCIR topics, TREC topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from patmark.data import FilePath, Record, parse_records, raise_if_any, read_lines
from patmark.retrieval.documents import name_of, optional_date
from patmark.retrieval.sgml_topics import RawTopic, is_trec, ntcir_topics, trec_topics

_FIELDS = ("id", "text", "date", "ipc", "family")


@dataclass(frozen=True, slots=True)
class Topic:
    """A text to search with. Only documents published before ``date`` can be prior art.

    ``family`` is that of the application the topic was taken from, which must not be found.
    ``fields`` holds what else the file says of the topic, by tag.
    """

    id: str
    text: str
    date: date | None = None
    ipc: tuple[str, ...] = ()
    family: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)


def read_topics(path: FilePath) -> tuple[Topic, ...]:
    """The topics of a file; JSONL, NTCIR or TREC form is seen from the content."""
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        return _read_jsonl(path)
    text = "\n".join(lines)
    read = trec_topics if is_trec(text) else ntcir_topics
    return tuple(map(_topic, read(text, path)))


def _topic(raw: RawTopic) -> Topic:
    return Topic(raw.id, raw.text, raw.date, raw.ipc, raw.family, raw.fields)


def _read_jsonl(path: FilePath) -> tuple[Topic, ...]:
    records, problems = parse_records(path)
    first_lines: dict[str, int] = {}
    topics = tuple(_jsonl_topic(record, first_lines) for record in records)
    raise_if_any(problems)
    return topics


def _jsonl_topic(record: Record, first_lines: dict[str, int]) -> Topic:
    record.only(_FIELDS)
    identity = name_of(record.fields.get("id"))
    if identity is None:
        record.mismatch("id", "a string or a whole number without blanks")
    elif (first := first_lines.setdefault(identity, record.line)) != record.line:
        record.complain(f"topic {identity!r} is already on line {first}")
    text = record.text("text")
    if isinstance(record.fields.get("text"), str) and not text.strip():
        record.complain("field 'text' is empty")
    ipc = () if record.fields.get("ipc") is None else record.texts("ipc")
    family = record.optional_text("family") or None
    return Topic(identity or "", text, optional_date(record), ipc, family)
