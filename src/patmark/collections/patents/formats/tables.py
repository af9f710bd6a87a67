"""Tables of patents: rows of JSON Lines, of a JSON list, and of CSV or TSV with a header.

A row is a dictionary. A cell of CSV may hold a list or an object, as JSON or as Python writes it.
"""

from __future__ import annotations

import ast
import codecs
import csv
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeAlias

from patmark.collections.patents.formats.xml_reading import tidy
from patmark.data import endings_of
from patmark.errors import InputError

Row: TypeAlias = dict[str, Any]
TABLE_ENDINGS = endings_of("json", "jsonl", "csv", "tsv")
LONGEST_LINE = 1 << 28
_LARGEST_CELL = 1 << 26
_WRAPPERS = ("data", "results", "patents", "rows")
_DELIMITERS = "\t,;"
_BAD = (ValueError, RecursionError)
_VALUE_BEGINS = re.compile(r"[\s,\[]*")


def header_of(head: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the delimiter and the columns of a table with a header; empty for anything else.

    >>> header_of(b"patent_id\\tclaim_text\\n1\\tA cup.")
    ('\\t', ('patent_id', 'claim_text'))
    """
    line = head.lstrip(codecs.BOM_UTF8).partition(b"\n")[0].decode("utf-8", "replace").strip("\r")
    for delimiter in _DELIMITERS:
        if delimiter in line:
            try:
                return delimiter, tuple(next(csv.reader([line], delimiter=delimiter)))
            except (csv.Error, StopIteration):
                return "", ()
    return "", ()


def is_json(head: bytes) -> bool:
    """Return True if a text begins like JSON."""
    return head.lstrip()[:1] in (b"{", b"[")


def json_rows(chunks: Iterator[bytes]) -> Iterator[Row | str]:
    """Yield the objects of JSON Lines, a list or a reply, and a text for a broken one.

    A broken line of JSON Lines costs that line, a broken list its rest.
    """
    lines = _lines(chunks)
    first = next(lines, "")
    if _loaded(first) is None:
        yield from _values(chain([first], lines))
        return
    for line in chain([first], lines):
        if line.strip():
            value = _loaded(line)
            yield from _unwrapped(value) if value is not None else iter(["a line is not JSON"])


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except _BAD:
        return None


def _values(lines: Iterator[str]) -> Iterator[Row | str]:
    decoder = json.JSONDecoder()
    text, tried = "", 0
    for line in chain(lines, [""]):
        text += line
        if line and len(text) < 2 * tried:
            continue
        while True:
            begin = _VALUE_BEGINS.match(text)
            text = text[begin.end() :] if begin else text
            if not text or text.startswith("]"):
                text = text[1:]
                break
            try:
                value, end = decoder.raw_decode(text)
            except _BAD:
                tried = len(text)
                break
            tried = 0
            yield from _unwrapped(value)
            text = text[end:]
        if len(text) > _LARGEST_CELL:
            break
    if text.strip():
        yield "the rest is not JSON"


def _unwrapped(value: Any) -> Iterator[Row | str]:
    """Yield the objects of a value: itself, those of a list, or those of a reply."""
    if isinstance(value, dict):
        inner = next((value[name] for name in _WRAPPERS if isinstance(value.get(name), list)), None)
        yield from [value] if inner is None else _unwrapped(inner)
    elif isinstance(value, list):
        for each in value:
            yield each if isinstance(each, dict) else "a row is no object"
    else:
        yield "a row is no object"


def csv_rows(chunks: Iterator[bytes], delimiter: str) -> Iterator[Row | str]:
    """Yield the rows under a header, and a text for a row of another width."""
    csv.field_size_limit(_LARGEST_CELL)  # descriptions are longer than the limit of the module
    reader = csv.reader(_lines(chunks), delimiter=delimiter)
    try:
        header = [name.strip() for name in next(reader, [])]
        for cells in reader:
            if len(cells) == len(header):
                yield dict(zip(header, cells, strict=True))
            elif cells:
                yield f"{len(cells)} cells under {len(header)} columns"
    except csv.Error as error:
        yield f"the rest is not CSV: {error}"


def _lines(chunks: Iterator[bytes]) -> Iterator[str]:
    """Yield lines with their ends; bytes that are not UTF-8 become U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
    pieces: list[str] = []
    for chunk in chain(chunks, [b""]):
        *whole, rest = decoder.decode(chunk, final=not chunk).split("\n")
        for line in whole:
            yield "".join((*pieces, line, "\n"))
            pieces = []
        pieces.append(rest)
        if len(pieces) > 1 and sum(map(len, pieces)) > LONGEST_LINE:
            size = f"{LONGEST_LINE >> 20} MB"
            raise InputError.at(f"a line of more than {size}; the rest is left")
    if any(pieces):
        yield "".join(pieces)


def cell(row: Row, *names: str) -> str:
    """Return the first of several fields that holds something, as text."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            text = str(value).encode("utf-8", "replace").decode()
            if text.strip():
                return tidy(text)
    return ""


def long_text(value: object) -> str:
    """Return a text with its line ends; the lines of a list are joined."""
    if isinstance(value, list):
        return "\n".join(map(long_text, value))
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def entries(row: Row, name: str) -> list[Row]:
    """Return the objects of a list in a field, which CSV holds as text."""
    value = structure(row.get(name))
    if isinstance(value, dict):
        value = [value]
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def structure(value: object) -> object:
    """Return the list or object that a cell of CSV holds, or the cell itself."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    found = _loaded(value)
    if found is not None:
        return found
    try:
        return ast.literal_eval(value)
    except (*_BAD, SyntaxError, MemoryError):
        return value


def listed(row: Row, name: str, divider: str = ";") -> list[str]:
    """Return the texts of a list, or of a cell with separators."""
    value = structure(row.get(name))
    if isinstance(value, list):
        return [each for each in value if isinstance(each, str)]
    text = value if isinstance(value, str) else ""
    return [part for each in re.split(f"{re.escape(divider)}+", text) if (part := each.strip())]
