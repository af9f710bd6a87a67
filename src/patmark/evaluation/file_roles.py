"""Roles of files that a user only lists, by their names and their content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from patmark.data import (
    JSON_FORMATS,
    STREAM,
    TABLE_FORMATS,
    TRANSLATION_FIELDS,
    file_format,
    parse_records,
    read_lines,
    read_table,
    read_test_set,
    split_name,
)
from patmark.errors import UsageError
from patmark.evaluation.inputs import Inputs
from patmark.evaluation.protocol import PLAIN
from patmark.text import written_in
from patmark.wording import setting

_ROLES = {
    "ref": re.compile(r"ref(erence)?s?\d*[a-z]?"),
    "src": re.compile(r"(src|source)s?\d*"),
    "docs": re.compile(r"(docs?|docids?|documents?)"),
}
_LANGUAGES = {"Chinese": "zh", "Japanese": "ja", "Korean": "ko", "Latin letters": "en"}
_DIRECTIONS = {"cn2en": "zh-en", "en2cn": "en-zh"}


@dataclass(frozen=True)
class GuessedInputs:
    """Inputs with their roles, the protocol, and both in words."""

    inputs: Inputs
    protocol: str
    said: str


def guess_inputs(given: Inputs) -> GuessedInputs:
    """Tell references, sources, documents, test sets and translations apart, and their languages.

    What cannot be known is asked for, with the option that says it.
    """
    guessed: dict[str, list[str]] = {}
    for argument in given.results:
        guessed.setdefault(_role(split_name(argument)[1]), []).append(argument)
    for role in ("src", "docs", "testset"):
        if len(guessed.get(role, ())) > 1:
            files = ", ".join(guessed[role])
            raise UsageError(f"{files}: which is it? Name one with {setting(role, 'FILE')}")
    if "bench" in guessed:
        return _bench(given, guessed)
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
    """What a file is, by its name, or by the names of its columns."""
    if Path(path).is_dir():
        return "testset"
    kind = file_format(path)
    if kind in TABLE_FORMATS:
        return "testset" if read_table(path).references else "hyp"
    if kind in JSON_FORMATS:
        fields = _fields(path)
        if "label_2" in fields:
            return "bench"
        return "hyp" if {"hypothesis", "system"} & fields.keys() else "testset"
    parts = re.split(r"[._-]", Path(path).name.lower())
    return next((role for role, form in _ROLES.items() if any(map(form.fullmatch, parts))), "hyp")


def _fields(path: str) -> Mapping[str, object]:
    records, _ = parse_records(path)
    return records[0].fields if records else {}


def _bench(given: Inputs, guessed: Mapping[str, Sequence[str]]) -> GuessedInputs:
    """Rows of the PatSnap bench, one file per system."""
    others = [name for role, names in guessed.items() if role != "bench" for name in names]
    if others:
        raise UsageError(f"{others[0]} holds no PatSnap rows, but {guessed['bench'][0]} does")
    fields = _fields(split_name(given.results[0])[1])
    found = [one for one, field in TRANSLATION_FIELDS.items() if field in fields]
    if not given.lang and len(found) != 1:
        raise UsageError(
            f"{given.results[0]}: say the direction with {setting('lang', 'zh-en')} or "
            f"{setting('lang', 'en-zh')}"
        )
    inputs = given if given.lang else replace(given, lang=_DIRECTIONS[found[0]])
    return GuessedInputs(inputs, "patsnap", _sentence(given, inputs, "patsnap"))


def _languages(inputs: Inputs) -> str:
    """The languages by script; Latin letters are taken for English."""
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
