"""EDICT and EDICT2, Japanese to English, from a file of the user.

The dictionary is not part of patmark; it is the property of the Electronic Dictionary Research and
Development Group and used under the group's licence. A line is ``語;別字 [よみ] /(n) gloss/``.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from patmark.data import FilePath, shown
from patmark.errors import InputError, Problem
from patmark.text.dictionaries.entries import Dictionary, Entry
from patmark.text.dictionaries.glossary import Glossary, glossary_from

_GZIP_MAGIC = b"\x1f\x8b"
_LINE = re.compile(r"(?P<words>[^\[/\s]+)\s*(?:\[(?P<readings>[^\]/]+)\]\s*)?/(?P<senses>.+)/\s*")
_HEADER = re.compile(r"\s*？{3,4}")
_ENTRY_NUMBER = re.compile(r"EntL\w+")
_REMARK = re.compile(r"\([^)]*\)")
_USUALLY_KANA = re.compile(r"\((?:[^)]*,)?uk(?:,[^)]*)?\)")


def edict_entries(path: FilePath) -> Dictionary:
    """A dictionary in UTF-8 or EUC-JP, plain or with gzip; every line that is no entry is named."""
    problems: list[Problem] = []
    entries: list[Entry] = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip() or _HEADER.match(line):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            message = "expected an entry of EDICT: 語 [よみ] /gloss/"
            problems.append(Problem(message, shown(path), number))
        else:
            entries += _headwords(found)
    if problems:
        raise InputError(problems)
    if not entries:
        raise InputError.at("holds no entry of EDICT", shown(path))
    return Dictionary(f"EDICT({len(entries)} headwords)", "ja", "en", entries)


def read_edict(path: FilePath) -> Glossary:
    """One gloss for each headword of an EDICT file."""
    return glossary_from(edict_entries(path))


def _headwords(found: re.Match[str]) -> Iterator[Entry]:
    """All ways to write a word; its reading only if it is usually written so.

    Readings of all words would make every other kana word ambiguous.
    """
    senses = [sense for sense in found["senses"].split("/") if not _ENTRY_NUMBER.fullmatch(sense)]
    for word in found["words"].split(";"):
        yield _REMARK.sub("", word), senses
    if found["readings"] and _USUALLY_KANA.search(found["senses"]):
        for reading in found["readings"].split(";"):
            yield _REMARK.sub("", reading), senses


def _text(path: FilePath) -> str:
    try:
        data = Path(path).read_bytes()
        data = gzip.decompress(data) if data.startswith(_GZIP_MAGIC) else data
    except (OSError, EOFError) as error:
        raise InputError.at(f"cannot be read: {error}", shown(path)) from None
    for encoding in ("utf-8-sig", "euc_jp"):
        try:
            return data.decode(encoding).replace("\r\n", "\n")
        except UnicodeDecodeError:
            continue
    raise InputError.at("is neither UTF-8 nor EUC-JP", shown(path))
