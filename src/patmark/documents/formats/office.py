"""Office XML as whole documents: title, abstract, description and claims of one publication."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.collections.patents import read_documents
from patmark.data import BrokenRecord, FilePath, Notice, PatentText, shown
from patmark.documents.formats.bilingual import NewBlock, document_of
from patmark.documents.model import BlockKind, Place, WholeDocument
from patmark.errors import InputError, Problem
from patmark.wording import setting, tr


def read_office_file(path: FilePath, lang: str | None = None) -> WholeDocument:
    """Read the file of an office that holds one publication, in a language if it has several."""
    skipped: list[str] = []
    found = list(read_documents(path, on_skip=skipped.append))
    broken = [Problem(one.message, shown(path)) for one in found if isinstance(one, BrokenRecord)]
    if broken:
        raise InputError(broken)
    documents = [one for one in found if not isinstance(one, BrokenRecord)]
    if len(documents) != 1:
        message = f"expected one publication, found {len(documents)}"
        raise InputError.at(message, shown(path))
    [document] = documents
    texts = {text.language: text for text in document.texts if any(_blocks(text))}
    language = lang or (document.language if document.language in texts else next(iter(texts), ""))
    if language not in texts:
        has = ", ".join(texts) or "none"
        raise InputError.at(
            f"has no text in {language or 'any language'}; it has {has}", shown(path)
        )
    notices = [Notice("warning", "repaired-xml", note) for note in document.notes]
    others = [one.language for one in texts.values() if one.claims and one.language != language]
    if others and not lang:
        chosen = tr("{id} has texts in {languages}; {language} is read",
                    id=document.id, languages=(language, *others), language=language)  # fmt: skip
        remedy = tr("{setting} reads another.", setting=setting("lang"))
        notices.append(Notice("note", "several-languages", chosen, remedy))
    return document_of(document.id, _blocks(texts[language]), language, notices)


def _blocks(text: PatentText) -> Iterator[NewBlock]:
    if text.title:
        yield NewBlock(text.title, "heading", Place(), "title")
    if text.abstract:
        yield NewBlock(text.abstract, "paragraph", Place(), "abstract")
    for paragraph in text.description:
        number = int(paragraph.id) if paragraph.id.isdecimal() else None
        place = Place(paragraph=number, segment=None if number else paragraph.id or None)
        kind: BlockKind = "heading" if paragraph.is_heading else "paragraph"
        yield NewBlock(paragraph.text, kind, place, paragraph.section)
    for claim in text.claims:
        yield NewBlock(f"{claim.num}. {claim.text}", "claim", Place(claim=claim.num), "claims")
