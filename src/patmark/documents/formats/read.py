"""Readers of whole documents: the one table from an extension to its reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from patmark.data import FilePath, ending, read_text, shown
from patmark.documents.formats.docx import Revisions, read_docx
from patmark.documents.formats.html import read_html, read_markdown
from patmark.documents.formats.office import read_office_file
from patmark.documents.formats.pdf import read_pdf
from patmark.documents.formats.tmx import read_tmx
from patmark.documents.formats.xliff import read_xliff
from patmark.documents.model import BilingualDocument, WholeDocument
from patmark.errors import InputError, UsageError
from patmark.languages import both_languages, detect_language, language_code


@dataclass(frozen=True, slots=True)
class _File:
    path: FilePath
    lang: str | None
    revisions: Revisions


_Reader: TypeAlias = Callable[[_File], WholeDocument]


def _read_plain_text(file: _File) -> WholeDocument:
    return WholeDocument(shown(file.path), read_text(file.path))


def _read_docx(file: _File) -> WholeDocument:
    return read_docx(file.path, file.revisions)


def _read_pdf(file: _File) -> WholeDocument:
    return read_pdf(file.path)


def _read_html(file: _File) -> WholeDocument:
    return read_html(file.path)


def _read_markdown(file: _File) -> WholeDocument:
    return read_markdown(file.path)


def _read_office(file: _File) -> WholeDocument:
    return read_office_file(file.path, file.lang)


_READERS: Mapping[str, _Reader] = {
    ".txt": _read_plain_text,
    ".text": _read_plain_text,
    ".docx": _read_docx,
    ".docm": _read_docx,
    ".pdf": _read_pdf,
    ".md": _read_markdown,
    ".markdown": _read_markdown,
    ".htm": _read_html,
    ".html": _read_html,
    ".xhtml": _read_html,
    ".xml": _read_office,
    ".sgm": _read_office,
    ".sgml": _read_office,
}
DOCUMENT_ENDINGS = tuple(_READERS)
"""Endings of files that hold one document in one language."""
XLIFF_ENDINGS = (".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff")
BILINGUAL_ENDINGS = (*XLIFF_ENDINGS, ".tmx")
"""Endings of files that hold a source and its translation, aligned already."""
_OLD = {
    ".doc": "is in the old format of Word; save it as .docx",
    ".rtf": "is RTF; save it as .docx",
    ".odt": "is OpenDocument text; save it as .docx",
}
UNREAD_ENDINGS = (*_OLD, *BILINGUAL_ENDINGS)
"""Endings of documents that cannot be read as one document in one language."""


def read_document(
    path: FilePath, *, lang: str | None = None, revisions: Revisions = "final"
) -> WholeDocument:
    """Read a document of one language, in the format of its extension.

    ``lang`` is its language if known; otherwise it is detected. ``revisions`` selects the text with
    tracked changes accepted ("final") or rejected ("original").
    """
    code = language_code(lang) if lang else None
    document = _reader(path)(_File(path, code, revisions))
    if not document.text.strip():
        raise InputError.at("holds no text", shown(path))
    found = code or detect_language(document.text) or document.lang
    return replace(document, name=Path(shown(path)).name, lang=found)


def read_bilingual(path: FilePath, *, lang: str | None = None) -> BilingualDocument:
    """Read a file that holds source and target: XLIFF 1.2 or 2 and its dialects, TMX.

    ``lang`` is a pair such as ``zh-en``; a file with three languages needs it.
    """
    languages = both_languages(lang) if lang else None
    name = ending(shown(path))
    if name not in BILINGUAL_ENDINGS:
        known = ", ".join(BILINGUAL_ENDINGS)
        message = (
            f"has the ending {name}: name its translation, too; a file that holds both has one of "
            f"{known}"
        )
        raise InputError.at(message, shown(path))
    found = read_xliff(path) if name in XLIFF_ENDINGS else read_tmx(path, languages)
    if not found.source.text:
        raise InputError.at("holds no text", shown(path))
    source, target = (
        replace(
            side,
            name=Path(shown(path)).name,
            lang=(languages[place] if languages else side.lang) or detect_language(side.text),
        )
        for place, side in enumerate((found.source, found.target))
    )
    return replace(found, source=source, target=target)


def _reader(path: FilePath) -> _Reader:
    """Return the reader of an ending; a language as ending (patent.zh) means plain text."""
    name = ending(shown(path))
    if name in _READERS:
        return _READERS[name]
    if name not in UNREAD_ENDINGS:
        try:
            if name:
                language_code(name.removeprefix("."))
            return _read_plain_text
        except UsageError:
            pass
    raise InputError.at(why_not_read(path, DOCUMENT_ENDINGS), shown(path))


def why_not_read(path: FilePath, endings: Sequence[str]) -> str:
    """Return the reason why a file with another extension is not read."""
    name = ending(shown(path))
    if name in BILINGUAL_ENDINGS:
        return "holds a source and its translation; give it alone, without a second file"
    fault = f"has the unknown ending {name}" if name else "has no ending"
    return _OLD.get(name, f"{fault}; known are {', '.join(endings)}")
