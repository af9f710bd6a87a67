"""LexisNexis exports: ``lexisnexis-patent-document``, ST.36-like, for many offices.

A number is written in several forms. A text has a ``format``: original, or taken from another
document or a translation, which is noted.
"""

from __future__ import annotations

from collections.abc import Iterator

from patmark.collections.patents.formats.bibliography import (
    UNDETERMINED,
    best_application,
    best_priority,
    classification,
    count_note,
    divided_from,
    document_id,
    known_language,
    number_forms,
    number_groups,
    pct_parents,
    st36_ipc,
    symbols,
    whole_number,
    without_cited,
)
from patmark.collections.patents.formats.body import texts_in_languages
from patmark.collections.patents.formats.citations import distinct, st36_citations
from patmark.collections.patents.formats.xml_reading import Element, child_text, text_of
from patmark.data import Document, PatentText, Priority

_ORIGINAL = "original"


def read_lexisnexis(root: Element) -> Iterator[Document]:
    """Yield the one document of a record."""
    head = root.find("bibliographic-data")
    published = document_id(root.find("bibliographic-data/publication-reference/document-id"))
    filed = root.iterfind("bibliographic-data/application-reference")
    application = best_application(filed, "national")
    stated = (
        child_text(head, "language-of-publication")
        or child_text(head, "language-of-filing")
        or root.get("lang")
    )
    language = known_language(stated or "") or UNDETERMINED
    notes: dict[str, None] = {}
    texts = _texts(root, head, language, notes)
    stated_claims = whole_number(child_text(head, "number-of-claims"))
    claims = next((text.claims for text in texts if text.language == language), ())
    cited = () if head is None else head.iterfind("references-cited/citation")
    yield Document(
        office=published.country,
        number=published.number,
        kind=published.kind,
        publication_date=published.date,
        source_format="lexisnexis",
        language=language,
        **application,
        priorities=_priorities(head),
        parents=pct_parents(head) + divided_from(head),
        citations=distinct(st36_citations(cited)),
        ipc=st36_ipc(without_cited(head)) if head is not None else (),
        cpc=symbols(map(classification, root.iterfind(".//classification-cpc"))),
        texts=texts,
        stated_claims=stated_claims,
        notes=(*notes, *(count_note(stated_claims, len(claims)) if claims else ())),
    )


def _priorities(head: Element | None) -> tuple[Priority, ...]:
    claims = [] if head is None else head.iterfind("priority-claims/priority-claim")
    forms = (number_forms(group, "national") for group in number_groups(claims))
    return tuple(best_priority(each) for each in forms if each)


def _texts(
    root: Element, head: Element | None, own: str, notes: dict[str, None]
) -> tuple[PatentText, ...]:
    titles = _by_language([] if head is None else head.iterfind("invention-title"), own, notes)
    parts = (
        _by_language(root.iterfind(name), own, notes)
        for name in ("abstract", "claims", "description")
    )
    written = {language: text_of(node) for language, node in titles.items()}
    return texts_in_languages(own, written, *parts)


def _by_language(nodes: Iterator[Element], own: str, notes: dict[str, None]) -> dict[str, Element]:
    """Return the original of each language, else the first, with a note."""
    found: dict[str, Element] = {}
    for node in nodes:
        language = known_language(node.get("lang") or own)
        known = found.get(language)
        if known is None or (_form(known) != _ORIGINAL and _form(node) == _ORIGINAL):
            found[language] = node
    for language, node in found.items():
        if _form(node) != _ORIGINAL:
            source = "".join(node.get(name) or "" for name in ("country", "doc-number", "kind"))
            of = f" of {source}" if source else ""
            notes[f"the {node.tag} in {language} is not original: {_form(node)}{of}"] = None
    return found


def _form(node: Element) -> str:
    return node.get("format") or _ORIGINAL
