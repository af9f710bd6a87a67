"""Source and translation by name: two files, or the files of two folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from patmark.data import FilePath, ending
from patmark.documents.formats.read import (
    BILINGUAL_ENDINGS,
    DOCUMENT_ENDINGS,
    UNREAD_ENDINGS,
    why_not_read,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import language_code


@dataclass(frozen=True, slots=True)
class FilePair:
    """Files of one document, one for each folder.

    ``name`` is that of the first file; ``common_name`` is without extension and language.
    """

    name: str
    files: tuple[Path, ...]
    common_name: str = ""


@dataclass(frozen=True, slots=True)
class MatchedFiles:
    """Documents that all folders have, and other files.

    ``unmatched`` have no counterpart; ``unread`` have an unsupported format, with the reason.
    ``missed`` are documents of the first folder among both.
    """

    pairs: tuple[FilePair, ...]
    unmatched: tuple[Path, ...] = ()
    unread: Mapping[Path, str] = field(default_factory=dict)
    missed: tuple[Path, ...] = ()


def match_files(*sides: FilePath) -> MatchedFiles:
    """Match files, or the files of folders, by name.

    Names are compared without extension and language, so that ``a.en.docx`` matches ``a.zh.txt``.
    Files that hold both languages are given alone.
    """
    paths = [Path(side) for side in sides]
    missing = [path for path in paths if not path.exists()]
    if missing:
        raise InputError.at("there is no such file or folder", str(missing[0]))
    folders = [path.is_dir() for path in paths]
    if not any(folders):
        name = paths[0].name
        return MatchedFiles((FilePair(name, tuple(paths), _common_name(Path(name))),))
    if not all(folders):
        found = ", ".join(f"{path} ({_what(path)})" for path in paths)
        raise UsageError(f"give files or give folders, not both: {found}")
    endings = DOCUMENT_ENDINGS if len(paths) > 1 else BILINGUAL_ENDINGS
    unread: dict[Path, str] = {}
    listed = [_documents(path, endings, unread) for path in paths]
    for path, names in zip(paths, listed, strict=True):
        for same in names.values():
            if len(same) > 1:
                both = " and ".join(str(one.relative_to(path)) for one in same[:2])
                raise InputError.at(f"{both} have the same name", str(path))
    common = {name: None for name in listed[0] if all(name in names for names in listed)}
    pairs = []
    for name in common:
        files = tuple(names[name][0] for names in listed)
        pairs.append(FilePair(str(files[0].relative_to(paths[0])), files, name))
    rest = [
        one
        for names in listed
        for name, same in names.items()
        if name not in common
        for one in same
    ]
    if not pairs:
        known = ", ".join(BILINGUAL_ENDINGS)
        fault = f"of the same name as in {paths[1]}" if len(paths) > 1 else f"that ends in {known}"
        others = (Problem(why, str(path)) for path, why in unread.items())
        raise InputError([Problem(f"has no file {fault}", str(paths[0])), *others])
    documents = {*rest, *(one for one in unread if ending(one) in UNREAD_ENDINGS)}
    missed = tuple(sorted(one for one in documents if one.is_relative_to(paths[0])))
    return MatchedFiles(tuple(pairs), tuple(rest), unread, missed)


def _what(path: Path) -> str:
    return "a folder" if path.is_dir() else "a file"


def _documents(
    folder: Path, endings: Sequence[str], unread: dict[Path, str]
) -> dict[str, list[Path]]:
    """Return the documents of a folder and its subfolders by common name; note other files."""
    found: defaultdict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith((".", "~$")) for part in path.relative_to(folder).parts)
        if hidden or not path.is_file():
            continue
        if ending(path) in endings:
            found[_common_name(path.relative_to(folder))].append(path)
        else:
            unread[path] = why_not_read(path, endings)
    return dict(found)


def _common_name(path: Path) -> str:
    stem = path.name[: -len(ending(path.name))] if ending(path.name) else path.name
    before, _, last = stem.rpartition(".")
    if before and _is_language(last):
        stem = before
    return (path.parent / stem).as_posix()


def _is_language(text: str) -> bool:
    if not 2 <= len(text) <= 7:
        return False
    try:
        language_code(text)
    except UsageError:
        return False
    return True
