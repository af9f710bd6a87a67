"""Topics: search queries. JSONL, rows of benches, NTCIR topics, TREC topics.

NTCIR files have no root, hold unescaped ``&`` and ``<`` within claims, wrap lines and have tags
that differ from year to year; TREC files do not close the tags of fields. Both are read by
searching for the tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from html.entities import html5
from pathlib import Path
from typing import Any

from patmark.collections.retrieval.collection_rows import (
    bench_text,
    is_bench_row,
    name_of,
    optional_date,
)
from patmark.data import (
    FilePath,
    Record,
    parse_date,
    parse_records,
    raise_if_any,
    read_lines,
    shown,
    write_json_lines,
)
from patmark.errors import InputError, Problem
from patmark.languages import CJK

_FIELDS = ("id", "text", "date", "ipc", "family")
_TREC_EDGE = re.compile(r"<(?P<end>/?)top\s*>", re.IGNORECASE)
_NTCIR_EDGE = re.compile(r"<(?P<end>/?)TOPIC(?:\s[^<>]*)?>", re.IGNORECASE)
_BETWEEN = re.compile(r"<\?.*?\?>|<!--.*?-->|<![^>]*>|</?[A-Za-z][\w-]*(?:\s[^<>]*)?>", re.DOTALL)
_KNOWN = ("NUM", "FDATE", "CLAIM", "IPC", "FAMILY")
_KNOWN_FIELD = re.compile(
    rf"<(?P<tag>{'|'.join(_KNOWN)})(?:\s[^<>]*)?>(?P<text>.*?)</(?P=tag)\s*>",
    re.IGNORECASE | re.DOTALL,
)
_KNOWN_OPEN = re.compile(rf"<(?P<tag>{'|'.join(_KNOWN)})(?:\s[^<>]*)?>", re.IGNORECASE)
_EXTRA_FIELD = re.compile(
    r"<(?P<tag>[A-Za-z][\w-]*)(?:\s[^<>]*)?>(?P<text>.*?)(?:</(?P=tag)\s*>|(?=\n\s*<[A-Za-z])|\Z)",
    re.DOTALL,
)
_TREC_FIELD = re.compile(r"<(?P<tag>num|title|desc|narr|dom|smry|fac|con|def)>", re.IGNORECASE)
_TREC_LABEL = re.compile(r"\A\s*(?:Number|Topic|Description|Narrative)\s*:", re.IGNORECASE)
_CLOSING = re.compile(r"</(?:num|title|desc|narr|dom|smry|fac|con|def)\s*>", re.IGNORECASE)
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")
_INLINE = re.compile(r"</?su[bp]\s*>|<br\s*/?>", re.IGNORECASE)
_BREAK = re.compile(r"[ \t\r]*\n\s*")
_UNSPACED = re.compile(rf"[{CJK}\u3000-\u303f\uff01-\uff65]")
_END_TAG = re.compile(r"</[A-Za-z][\w-]*\s*>")


@dataclass(frozen=True, slots=True)
class Topic:
    """A query text. Only documents published before ``date`` can be prior art.

    ``family`` is that of the topic's application, which must not be found. ``fields`` holds other
    content of the file, by tag.
    """

    id: str
    text: str
    date: date | None = None
    ipc: tuple[str, ...] = ()
    family: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict)

    def to_row(self) -> dict[str, Any]:
        """Return the topic as a row of a file of topics."""
        day = None if self.date is None else self.date.isoformat()
        fields = {"id": self.id, "text": self.text, "date": day, "ipc": list(self.ipc)}
        return {**fields, "family": self.family}


def read_topics(path: FilePath) -> tuple[Topic, ...]:
    """Read the topics of a file; detect JSONL, NTCIR or TREC form by content."""
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        return _read_jsonl(path)
    text = "\n".join(lines)
    return tuple(trec_topics(text, path) if _is_trec(text) else ntcir_topics(text, path))


def write_topics(path: Path, topics: Iterable[Topic]) -> None:
    """Write topics as JSONL, one row per line."""
    write_json_lines(path, (topic.to_row() for topic in topics))


def _read_jsonl(path: FilePath) -> tuple[Topic, ...]:
    records, problems = parse_records(path)
    first_lines: dict[str, int] = {}
    topics = tuple(_jsonl_topic(record, first_lines) for record in records)
    raise_if_any(problems)
    return topics


def _jsonl_topic(record: Record, first_lines: dict[str, int]) -> Topic:
    of_bench = is_bench_row(record)
    if not of_bench:
        record.only(_FIELDS)
    identity = name_of(record.fields.get("id"))
    if identity is None:
        record.mismatch("id", "a string or a whole number without blanks")
    elif (first := first_lines.setdefault(identity, record.line)) != record.line:
        record.complain(f"topic {identity!r} is already on line {first}")
    if of_bench:
        return Topic(
            identity or "", bench_text(record), optional_date(record, "apdt"), _classes(record)
        )
    text = record.text("text")
    if isinstance(record.fields.get("text"), str) and not text.strip():
        record.complain("field 'text' is empty")
    ipc = _classes(record)
    family = record.optional_text("family") or None
    return Topic(identity or "", text, optional_date(record), ipc, family)


def _classes(record: Record) -> tuple[str, ...]:
    return () if record.fields.get("ipc") is None else record.texts("ipc")


@dataclass(frozen=True, slots=True)
class _Block:
    """The content of a topic, and the line on which it begins."""

    text: str
    line: int


def _is_trec(text: str) -> bool:
    """Return True if a file holds ``<top>`` instead of ``<TOPIC>``."""
    return _TREC_EDGE.search(text) is not None and _NTCIR_EDGE.search(text) is None


def ntcir_topics(text: str, path: FilePath) -> list[Topic]:
    """Read topics with NUM, FDATE and CLAIM; keep other tags as fields."""
    problems: list[Problem] = []
    blocks = list(_blocks(text, _NTCIR_EDGE, "TOPIC", shown(path), problems))
    found = [_ntcir_topic(block, shown(path), problems) for block in blocks]
    return _checked(found, blocks, shown(path), problems)


def trec_topics(text: str, path: FilePath) -> list[Topic]:
    """Read topics with num, title, desc and narr; the text is title and description."""
    problems: list[Problem] = []
    blocks = list(_blocks(text, _TREC_EDGE, "top", shown(path), problems))
    found = [_trec_topic(block) for block in blocks]
    return _checked(found, blocks, shown(path), problems)


def _blocks(
    text: str, edge: re.Pattern[str], tag: str, path: str, problems: list[Problem]
) -> Iterator[_Block]:
    """Yield the topics of a file; report text between them and unmatched edges."""
    opened: re.Match[str] | None = None
    outside = 0
    for match in edge.finditer(text):
        line = _line(text, match.start())
        if match["end"] and opened is None:
            problems.append(Problem(f"</{tag}> without <{tag}> before it", path, line))
        elif match["end"] and opened is not None:
            yield _Block(text[opened.end() : match.start()], _line(text, opened.start()))
            opened, outside = None, match.end()
            continue
        elif opened is not None:
            before = _line(text, opened.start())
            problems.append(Problem(f"<{tag}> of line {before} is not closed", path, line))
        else:
            problems += _stray(text, outside, match.start(), path)
        opened = None if match["end"] else match
        outside = match.end()
    if opened is not None:
        problems.append(Problem(f"<{tag}> is not closed", path, _line(text, opened.start())))
    else:
        problems += _stray(text, outside, len(text), path)


def _stray(text: str, start: int, end: int, path: str) -> list[Problem]:
    """Return problems of text outside of any topic, except declarations and root tags."""
    rest = _BETWEEN.sub(lambda match: " " * len(match[0]), text[start:end])
    if not rest.strip():
        return []
    place = start + len(rest) - len(rest.lstrip())
    message = f"text outside of any topic: {rest.strip()[:40]!r}"
    return [Problem(message, path, _line(text, place))]


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _ntcir_topic(block: _Block, path: str, problems: list[Problem]) -> Topic:
    known: dict[str, list[str]] = {}
    for match in _KNOWN_FIELD.finditer(block.text):
        known.setdefault(match["tag"].upper(), []).append(_unwrapped(match["text"]))
    rest = _KNOWN_FIELD.sub("\n", block.text)

    def complain(message: str) -> None:
        problems.append(Problem(message, path, block.line))

    for match in _KNOWN_OPEN.finditer(rest):
        complain(f"<{match['tag']}> is not closed within the topic")
    for tag in ("NUM", "FDATE", "CLAIM", "FAMILY"):
        if len(known.get(tag, [])) > 1:
            complain(f"<{tag}> occurs {len(known[tag])} times in the topic")
    if stray := _END_TAG.sub("", _EXTRA_FIELD.sub("", rest)).strip():
        complain(f"text outside of any tag: {stray[:40]!r}")
    extra: dict[str, list[str]] = {}
    for match in _EXTRA_FIELD.finditer(rest):
        extra.setdefault(match["tag"].upper(), []).append(_unwrapped(match["text"]))
    codes = [code.strip() for text in known.get("IPC", []) for code in re.split("[,;|]", text)]
    return Topic(
        next(iter(known.get("NUM", [])), ""),
        next(iter(known.get("CLAIM", [])), ""),
        _filing_date(known.get("FDATE", []), complain),
        tuple(code for code in codes if code),
        next(iter(known.get("FAMILY", [])), None) or None,
        {tag: "\n".join(texts) for tag, texts in extra.items()},
    )


def _filing_date(texts: list[str], complain: Callable[[str], None]) -> date | None:
    if not texts or not texts[0]:
        return None
    try:
        return parse_date(texts[0])
    except ValueError as error:
        complain(f"<FDATE>: {error}")
        return None


def _trec_topic(block: _Block) -> Topic:
    marks = list(_TREC_FIELD.finditer(block.text))
    ends = [*(mark.start() for mark in marks[1:]), len(block.text)]
    fields: dict[str, str] = {}
    for mark, end in zip(marks, ends, strict=True):
        content = _CLOSING.sub("", block.text[mark.end() : end])
        text = _unwrapped(_TREC_LABEL.sub("", content))
        tag = mark["tag"].lower()
        fields[tag] = f"{fields[tag]}\n{text}" if tag in fields else text
    number = fields.pop("num", "")
    text = "\n".join(fields[name] for name in ("title", "desc") if fields.get(name))
    return Topic(number, text, None, (), None, fields)


def _unwrapped(text: str) -> str:
    """Return a text on one line, with entities as characters, without inline tags.

    A line break is a blank, except between Chinese or Japanese characters.
    """

    def joined(match: re.Match[str]) -> str:
        before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
        return "" if _UNSPACED.match(before) and _UNSPACED.match(after) else " "

    text = _INLINE.sub(lambda tag: "" if "su" in tag[0].lower() else "\n", text).strip()
    return _ENTITY.sub(_character, _BREAK.sub(joined, text))


def _character(match: re.Match[str]) -> str:
    name = match[1]
    if not name.startswith("#"):
        return html5.get(f"{name};", match[0])
    code = int(name[2:], 16) if name[1] in "xX" else int(name[1:])
    is_character = 0 < code < 0x110000 and not 0xD800 <= code < 0xE000
    return chr(code) if is_character else match[0]


def _checked(
    found: list[Topic], blocks: list[_Block], path: str, problems: list[Problem]
) -> list[Topic]:
    """Return the topics, if all have a unique number and a text."""
    first_lines: dict[str, int] = {}
    for topic, block in zip(found, blocks, strict=True):
        if len(topic.id.split()) != 1:
            message = f"expected a topic number without blanks, found {topic.id[:40]!r}"
            problems.append(Problem(message, path, block.line))
        elif topic.id in first_lines:
            message = f"topic {topic.id!r} is already on line {first_lines[topic.id]}"
            problems.append(Problem(message, path, block.line))
        first_lines.setdefault(topic.id, block.line)
        if not topic.text:
            problems.append(Problem(f"topic {topic.id!r} has no text", path, block.line))
    if not blocks and not problems:
        raise InputError.at("holds no topic; expected JSONL, <TOPIC> or <top>", path)
    raise_if_any(problems)
    return found
