"""Roles of listed files, inferred from their names and contents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from patmark.catalogue import PROTOCOLS, load_protocol
from patmark.data import (
    FORMATS,
    PACKED_SUFFIXES,
    STREAM,
    parse_records,
    read_lines,
    read_table,
    read_test_set,
    row_format,
    split_name,
)
from patmark.errors import UsageError
from patmark.evaluation.protocol import PLAIN, Inputs, Protocol
from patmark.languages import packs, written_in
from patmark.report import fields_json
from patmark.wording import DEFAULT_LANGUAGE, setting

_CODES = "zh|ja|en|ko|de|fr|es|it|pt|ru|cs|uk|ar|hi|cn|jp|kr|tw|us|gb|hans|hant"
_LANGUAGE = re.compile(rf"(?:[._-](?:{_CODES}))+$")


_ABBREVIATIONS = re.compile(r"(?:src|refs?)\d*")  # "open-source" and "cross-document" are words
_QUALIFIERS = re.compile(r"(?:.*[._-])?(?:no|non|with|without|wo?|open|single|multi|cross)")
_ID_LENGTH = 60


@cache
def _endings() -> re.Pattern[str]:
    suffixes = "|".join(sorted(one[1:] for one in (*FORMATS, *PACKED_SUFFIXES)))
    return re.compile(rf"\.(?:{suffixes})(?=\.|$)")


@cache
def _words_of_roles() -> Mapping[str, str]:
    """Return the words for references, sources and documents in the names of files."""
    tables = [pack.table("files") for pack in packs()]
    found = {
        role: [table.pattern(role) for table in tables if table.forms(role)]
        for role in ("ref", "src", "docs")
    }
    return {role: "|".join(words) for role, words in found.items()}


@dataclass(frozen=True)
class GuessedInputs:
    """Inputs with their roles, the protocol, and both in words."""

    inputs: Inputs
    protocol: str
    message: str
    doubtful: Mapping[str, str]
    """Files whose role is inferred from the last part of their name; they may be systems."""

    def to_json(self) -> dict[str, Any]:
        """Return the role of each file, and the languages."""
        names = ("results", "hyp", "ref", "src", "docs", "testset", "lang")
        known = fields_json(self.inputs, *(name for name in names if getattr(self.inputs, name)))
        return {"protocol": self.protocol, **known}


class NameRole(NamedTuple):
    """A role inferred from a file name; not ``sure`` if a system could have that name."""

    role: str
    sure: bool


def role_by_name(name: str, roles: Mapping[str, str] | None = None) -> NameRole | None:
    """Return the role that the stem of a file name, or its last part, is a word for.

    ``roles`` are regular expressions. Parts are separated by dots and underscores, abbreviations
    also by hyphens; extensions of formats and languages are not parts.

    >>> role_by_name("newstest.src.zh"), role_by_name("A_ref.txt"), role_by_name("open-source.txt")
    (NameRole(role='src', sure=True), NameRole(role='ref', sure=False), None)
    """
    bare = _endings().sub("", name.lower())
    stem = _LANGUAGE.sub("", bare)
    for role, words in (_words_of_roles() if roles is None else roles).items():
        if role == "docs" and stem != bare:
            continue
        match = re.fullmatch(rf"(?:(.*?)([._-]|(?<=[^\x00-\x7f])))?({words})", stem)
        if match is None:
            continue
        before, mark, word = match[1], match[2], match[3]
        if before is None:
            return NameRole(role, True)
        qualified = _QUALIFIERS.fullmatch(before)
        joined = mark == "-" and not _ABBREVIATIONS.fullmatch(word)
        if not qualified and not joined:
            return NameRole(role, mark == "." and role != "docs")
    return None


def guess_inputs(given: Inputs) -> GuessedInputs:
    """Infer references, sources, documents, test sets, translations and languages.

    Refuse roles that cannot be inferred, and name the setting that states them.
    """
    guessed: dict[str, list[str]] = {}
    doubtful = {}
    for argument in given.results:
        path = split_name(argument)[1]
        role, sure = _role(path)
        if path != argument and role in _words_of_roles():  # only systems have names
            role, sure = "hyp", True
        guessed.setdefault(role, []).append(argument)
        if not sure:
            doubtful[argument] = role
    for role in ("src", "docs", "testset"):
        if len(guessed.get(role, ())) > 1:
            files = ", ".join(guessed[role])
            raise UsageError(f"{files}: which is it? Name one with {setting(role, 'FILE')}")
    protocol = next((role for role in guessed if role in PROTOCOLS), None)
    if protocol is not None:
        return _rows(protocol, given, guessed)
    one = {role: files[0] for role, files in guessed.items()}
    inputs = replace(
        given,
        results=(),
        hyp=guessed.get("hyp", ()),
        ref=(*given.ref, *guessed.get("ref", ())),
        src=one.get("src", given.src),
        docs=one.get("docs", given.docs),
        testset=one.get("testset"),
    )
    if inputs.testset is None and not inputs.ref and inputs.src is None:
        raise UsageError(
            f"{', '.join(given.results)}: which file holds the references? Give "
            f"it a name such as reference.txt, or {setting('ref', 'FILE')}"
        )
    if not inputs.hyp and inputs.testset is None:
        raise UsageError(
            f"{', '.join(given.results)}: which file holds translations? Add it, or "
            f"name it with {setting('hyp', 'FILE')}"
        )
    inputs = inputs if given.lang else replace(inputs, lang=_languages(inputs))
    return GuessedInputs(inputs, PLAIN, _sentence(given, inputs, PLAIN), doubtful)


def _role(path: str) -> NameRole:
    """Return the role of a file by its name or its columns: an input, or rows of a protocol."""
    if Path(path).is_dir():
        return NameRole("testset", True)
    rows = row_format(path)
    if rows == "table":
        return NameRole("testset" if read_table(path).references else "hyp", True)
    if rows == "json":
        bench = bench_protocol(path)
        if bench is not None:
            return NameRole(bench.name, True)
        fields = _fields(path)
        return NameRole("hyp" if {"hypothesis", "system"} & fields.keys() else "testset", True)
    named = role_by_name(Path(path).name) or NameRole("hyp", True)
    if named != ("docs", False):
        return named
    lines = read_lines(path)  # ids of documents are short and repeat
    are_ids = len(set(lines)) < len(lines) and max(map(len, lines)) <= _ID_LENGTH
    return named if are_ids else NameRole("hyp", True)


def bench_protocol(path: str) -> type[Protocol] | None:
    """Return the protocol whose rows a JSON file holds; None for other files."""
    fields = _fields(path)
    return next((one for one in map(load_protocol, PROTOCOLS) if one.recognises(fields)), None)


def _fields(path: str) -> Mapping[str, object]:
    records, _ = parse_records(path)
    return records[0].fields if records else {}


def _rows(name: str, given: Inputs, guessed: Mapping[str, Sequence[str]]) -> GuessedInputs:
    others = [file for role, files in guessed.items() if role != name for file in files]
    protocol: type[Protocol] = load_protocol(name)
    if others:
        raise UsageError(f"{others[0]} holds no {protocol.title} rows, but {guessed[name][0]} does")
    inputs = given
    if not given.lang:
        first = given.results[0]
        inputs = replace(given, lang=protocol.guess_lang(_fields(split_name(first)[1]), first))
    return GuessedInputs(inputs, name, _sentence(given, inputs, name), {})


def _languages(inputs: Inputs) -> str:
    """Return the languages by script; take Latin letters for English."""
    if inputs.testset is not None:
        any_language = DEFAULT_LANGUAGE
        test_set, runs = read_test_set(inputs.testset, any_language, allow_empty_references=True)
        given = [text for run in runs for text in run.texts]
        targets, sources = [*test_set.flat_references] or given, [*test_set.sources]
    else:
        listed = [split_name(one)[1] for one in (*inputs.ref, *inputs.hyp) if isinstance(one, str)]
        read = [path for path in listed if path != STREAM]
        targets = read_lines(read[0]) if read else []
        sources = [] if inputs.src in (None, STREAM) else read_lines(str(inputs.src))
    codes = {pack.name: pack.code for pack in packs() if not pack.is_spaced}
    codes["Latin letters"] = DEFAULT_LANGUAGE
    target, source = codes.get(written_in(targets)), codes.get(written_in(sources))
    if target is None or (any(sources) and source is None):
        raise UsageError(
            f"say which languages the texts are in: {setting('lang', 'ja-en')}, "
            f"or {setting('lang', DEFAULT_LANGUAGE)}"
        )
    if source == target:
        raise UsageError(
            f"{inputs.src or inputs.testset}: source and translations seem to be in one language; "
            f"say in which they are: {setting('lang', 'de-en')}, or, if it is no source, name all "
            f"translations: {setting('hyp', 'FILE')}"
        )
    return target if source is None else f"{source}-{target}"


def _sentence(given: Inputs, guessed: Inputs, protocol: str) -> str:
    """Return the inferred settings as a user would write them."""
    words = [] if protocol == PLAIN else [setting("protocol", protocol)]
    for name in ("hyp", "ref", "src", "docs", "testset", "lang"):
        value, before = getattr(guessed, name), getattr(given, name) or ()
        listed = [value] if isinstance(value, str) else value or ()
        words += [setting(name, one) for one in listed if one not in (before, *before)]
    return f"guessed {' '.join(words)}"
