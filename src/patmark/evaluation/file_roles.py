"""Roles of files that a user only lists, by their names and their content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from patmark.catalogue import PROTOCOLS, load_protocol
from patmark.data import (
    JSON_FORMATS,
    STREAM,
    TABLE_FORMATS,
    file_format,
    parse_records,
    read_lines,
    read_table,
    read_test_set,
    split_name,
)
from patmark.errors import UsageError
from patmark.evaluation.inputs import Inputs
from patmark.evaluation.protocol import PLAIN, Protocol
from patmark.text import written_in
from patmark.wording import setting

_ROLES = {
    "ref": re.compile(r"ref(erence)?s?\d*[a-z]?"),
    "src": re.compile(r"(src|source)s?\d*"),
    "docs": re.compile(r"(docs?|docids?|documents?)"),
}
_LANGUAGES = {"Chinese": "zh", "Japanese": "ja", "Korean": "ko", "Latin letters": "en"}


@dataclass(frozen=True)
class GuessedInputs:
    """Inputs with their roles, the protocol, and both in words."""

    inputs: Inputs
    protocol: str
    said: str


def guess_inputs(given: Inputs) -> GuessedInputs:
    """Tell references, sources, documents, test sets and translations apart, and their languages.

    Refuse what cannot be known, with the setting that says it.
    """
    guessed: dict[str, list[str]] = {}
    for argument in given.results:
        guessed.setdefault(_role(split_name(argument)[1]), []).append(argument)
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
    return GuessedInputs(inputs, PLAIN, _sentence(given, inputs, PLAIN))


def _role(path: str) -> str:
    """Return the role of a file by its name or its columns: an input, or rows of a protocol."""
    if Path(path).is_dir():
        return "testset"
    kind = file_format(path)
    if kind in TABLE_FORMATS:
        return "testset" if read_table(path).references else "hyp"
    if kind in JSON_FORMATS:
        fields = _fields(path)
        for name in PROTOCOLS:
            if load_protocol(name).recognises(fields):
                return name
        return "hyp" if {"hypothesis", "system"} & fields.keys() else "testset"
    parts = re.split(r"[._-]", Path(path).name.lower())
    return next((role for role, form in _ROLES.items() if any(map(form.fullmatch, parts))), "hyp")


def _fields(path: str) -> Mapping[str, object]:
    records, _ = parse_records(path)
    return records[0].fields if records else {}


def _rows(name: str, given: Inputs, guessed: Mapping[str, Sequence[str]]) -> GuessedInputs:
    """Return rows of a protocol, one file per system, with the languages of the first row."""
    others = [file for role, files in guessed.items() if role != name for file in files]
    protocol: type[Protocol] = load_protocol(name)
    if others:
        raise UsageError(f"{others[0]} holds no {protocol.title} rows, but {guessed[name][0]} does")
    inputs = given
    if not given.lang:
        first = given.results[0]
        inputs = replace(given, lang=protocol.guess_lang(_fields(split_name(first)[1]), first))
    return GuessedInputs(inputs, name, _sentence(given, inputs, name))


def _languages(inputs: Inputs) -> str:
    """Return the languages by script; take Latin letters for English."""
    if inputs.testset is not None:
        test_set, runs = read_test_set(inputs.testset, "en", allow_empty_references=True)
        given = [text for run in runs for text in run.texts]
        targets, sources = [*test_set.flat_references] or given, [*test_set.sources]
    else:
        listed = [one for one in (*inputs.ref, *inputs.hyp) if isinstance(one, str)]
        read = [path for path in map(_path, listed) if path != STREAM]
        targets = read_lines(read[0]) if read else []
        sources = [] if inputs.src in (None, STREAM) else read_lines(str(inputs.src))
    target, source = _LANGUAGES.get(written_in(targets)), _LANGUAGES.get(written_in(sources))
    if target is None or (any(sources) and source is None):
        raise UsageError(
            f"say which languages the texts are in: {setting('lang', 'ja-en')}, "
            f"or {setting('lang', 'en')}"
        )
    return target if source is None else f"{source}-{target}"


def _path(argument: str) -> str:
    return split_name(argument)[1]


def _sentence(given: Inputs, guessed: Inputs, protocol: str) -> str:
    """Return the guessed settings as a user would have written them."""
    words = [] if protocol == PLAIN else [setting("protocol", protocol)]
    for name in ("hyp", "ref", "src", "docs", "testset", "lang"):
        value, before = getattr(guessed, name), getattr(given, name) or ()
        listed = [value] if isinstance(value, str) else value or ()
        words += [setting(name, one) for one in listed if one not in (before, *before)]
    return f"guessed {' '.join(words)}"
