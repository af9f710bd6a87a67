"""Glossaries of the user: TBX of versions 2, 3 and Min, TMX, CSV, TSV and JSON."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from patmark.data import (
    CsvRecord,
    FilePath,
    ending,
    parse_listed_records,
    raise_if_any,
    read_bytes,
    read_csv_records,
    shown,
)
from patmark.documents.formats.safe_xml import Element, attribute, children, local_name, parse_xml
from patmark.documents.formats.tmx import read_tmx
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import language_code

_ROOTS = ("martif", "tbx", "TBX")
_CONCEPTS = ("termEntry", "conceptEntry", "entry")
_LANGUAGES = ("langSet", "langSec", "langGroup")
_STATUS = ("administrativeStatus", "termStatus", "normativeAuthorization")
_WRONG = re.compile(r"deprecated|superseded|notrecommended|obsolete|forbidden", re.IGNORECASE)
_ALTERNATIVES = re.compile(r"\s*[;；|]\s*")
GLOSSARY_ENDINGS = (".tbx", ".tmx", ".csv", ".tsv", ".json")


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A source term, its right translations, and those that must not be used."""

    source: str
    target: tuple[str, ...]
    forbidden: tuple[str, ...] = ()


_Entry = tuple[str, str, bool]  # source, target, and True if the target is wrong


def read_glossary_terms(path: FilePath, languages: tuple[str, str]) -> tuple[GlossaryTerm, ...]:
    """Return the terms of a glossary for a pair of languages; its ending says the format."""
    name = ending(shown(path))
    if name == ".tbx":
        entries = list(_tbx_entries(path, languages))
    elif name == ".tmx":
        entries = list(_tmx_entries(path, languages))
    elif name == ".json":
        entries = _json_entries(path)
    elif name in (".csv", ".tsv"):
        entries = _table_entries(path, languages, name)
    else:
        known = ", ".join(GLOSSARY_ENDINGS)
        raise InputError.at(f"a glossary has one of the endings {known}", shown(path))
    if not entries:
        raise InputError.at(f"holds no terms in {' and '.join(languages)}", shown(path))
    return tuple(_joined(entries))


def _joined(entries: Iterable[_Entry]) -> Iterator[GlossaryTerm]:
    right: dict[str, list[str]] = defaultdict(list)
    wrong: dict[str, list[str]] = defaultdict(list)
    for source, target, is_wrong in entries:
        right.setdefault(source, [])
        found = (wrong if is_wrong else right)[source]
        if target not in found:
            found.append(target)
    for source, targets in right.items():
        yield GlossaryTerm(source, tuple(targets), tuple(wrong[source]))


def _tbx_entries(path: FilePath, languages: tuple[str, str]) -> Iterator[_Entry]:
    root = parse_xml(read_bytes(path), shown(path))
    if local_name(root.tag) not in _ROOTS:
        message = f"is XML, but no TBX: its root is {local_name(root.tag)}"
        raise InputError.at(message, shown(path))
    for concept in root.iter(*(f"{{*}}{name}" for name in _CONCEPTS)):
        terms: dict[str, list[tuple[str, bool]]] = defaultdict(list)
        for section in children(concept, *_LANGUAGES):
            terms[_code(attribute(section, "lang") or "")] += _terms(section)
        for source, _ in terms[languages[0]]:
            for target, is_wrong in terms[languages[1]]:
                yield source, target, is_wrong


def _terms(section: Element) -> Iterator[tuple[str, bool]]:
    """Yield the terms of a language, and True for those that must not be used."""
    for group in section:
        if not isinstance(group.tag, str):
            continue
        status = " ".join(
            one.text or ""
            for one in group.iter()
            if local_name(one.tag) in _STATUS or one.get("type") in _STATUS
        )
        for term in group.iter("{*}term"):
            text = " ".join("".join(term.itertext()).split())
            if text:
                yield text, _WRONG.search(status) is not None


def _code(name: str) -> str:
    try:
        return language_code(name)
    except UsageError:
        return name


def _tmx_entries(path: FilePath, languages: tuple[str, str]) -> Iterator[_Entry]:
    document = read_tmx(path, languages)
    for source, target in document.pairs:
        if source and target:
            one, other = document.source.text[slice(*source)], document.target.text[slice(*target)]
            yield one.strip(), other.strip(), False


def _json_entries(path: FilePath) -> list[_Entry]:
    """Read a list of ``{"source": …, "target": […], "forbidden": […]}``."""
    records, problems = parse_listed_records(path)
    entries = []
    for record in records:
        record.only(("source", "target", "forbidden"))
        source = record.text("source")
        for name in ("target", "forbidden"):
            one = record.fields.get(name)
            texts = (one,) if isinstance(one, str) else record.texts(name)
            entries += [(source, text, name == "forbidden") for text in texts]
    raise_if_any(problems)
    return entries


def _table_entries(path: FilePath, languages: tuple[str, str], name: str) -> list[_Entry]:
    """Read two columns, term and translation; a header may name the languages or both sides."""
    separator = "\t" if name == ".tsv" else None
    records = read_csv_records(path, separator, foreign=True, blank_lines=True)
    records = [record for record in records if any(map(str.strip, record.fields))]
    if not records:
        return []
    places = _columns(records[0], languages)
    rows = records if places is None else records[1:]
    first, second = places or (0, 1)
    entries: list[_Entry] = []
    problems: list[Problem] = []
    for record in rows:
        cells = [cell.strip() for cell in record.fields]
        if len(cells) <= max(first, second) or not cells[first] or not cells[second]:
            message = "expected a term and its translation"
            problems.append(Problem(message, shown(path), record.line))
            continue
        entries += [
            (source, target, False)
            for source in filter(None, _ALTERNATIVES.split(cells[first]))
            for target in filter(None, _ALTERNATIVES.split(cells[second]))
        ]
    raise_if_any(problems)
    return entries


def _columns(header: CsvRecord, languages: tuple[str, str]) -> tuple[int, int] | None:
    """Return the columns of source and target that a header names; None if there is no header."""
    names = [cell.strip().lower() for cell in header.fields]
    codes = [_code(name) for name in names]
    for wanted, among in ((("source", "target"), names), (languages, codes)):
        if all(one in among for one in wanted):
            return among.index(wanted[0]), among.index(wanted[1])
    return None
