"""Documents in several languages: EP full text, MAREC and CLEF-IP, LexisNexis.

| root | records |
|---|---|
| ``ep-patent-document`` | from 1978; granted patents have claims in three languages |
| ``patent-document`` | MAREC: numbers are those of DOCDB or of the office |
| ``lexisnexis-patent-document`` | many offices; texts may be of another document, which is noted |
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from patmark.collections.patents.formats.bibliography import (
    UNDETERMINED,
    best_application,
    best_priority,
    classification,
    count_note,
    divided_from,
    document_id,
    known_language,
    make_application,
    make_priority,
    number_forms,
    number_groups,
    pct_parents,
    st36_ipc,
    symbols,
    whole_number,
    without_cited,
)
from patmark.collections.patents.formats.body import texts_in_languages
from patmark.collections.patents.formats.citations import (
    EXAMINER,
    SEARCH,
    coded_citation,
    described_citations,
    distinct,
    st36_citations,
    text_citations,
)
from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.collections.patents.publications import Publication, publication, read_publication
from patmark.data import Citation, Document, PatentText, Priority


def read_ep(root: Element) -> Iterator[Document]:
    """Yield the one application or patent of a record."""
    head = root.find("SDOBI")
    filed = iso_date(child_text(head, "B200/B220/date"))
    application = make_application("EP", child_text(head, "B200/B210"), filed)
    yield Document(
        office=root.get("country") or child_text(head, "B100/B190"),
        number=root.get("doc-number") or child_text(head, "B100/B110"),
        kind=root.get("kind") or child_text(head, "B100/B130"),
        publication_date=iso_date(root.get("date-publ") or child_text(head, "B100/B140/date")),
        source_format="ep-fulltext",
        language=_language(root) or UNDETERMINED,
        **application,
        priorities=_priorities(head),
        parents=_parents(head),
        citations=distinct(_citations(root, head)),
        ipc=_ipc(root),
        cpc=symbols(map(classification, root.iterfind(".//B520EP//classification-cpc"))),
        texts=_texts(root, head),
        notes=claim_set_notes(root, _language(root) or UNDETERMINED),
    )


def _language(node: Element) -> str:
    return (node.get("lang") or "").lower()


def _priorities(head: Element | None) -> tuple[Priority, ...]:
    """Group B310, B320 and B330, which follow each other without a common element."""
    rows: list[dict[str, str]] = []
    for node in [] if head is None else head.iterfind("B300/*"):
        if node.tag == "B310":
            rows.append({})
        if rows:
            rows[-1][node.tag] = text_of(node)
    return tuple(
        make_priority(row.get("B330", ""), row["B310"], iso_date(row.get("B320", "")), style="ep")
        for row in rows
    )


def _parents(head: Element | None) -> tuple[Priority, ...]:
    """Return the PCT application, and the application of which this is a divisional."""
    if head is None:
        return ()
    divided = [
        make_priority(
            "EP",
            child_text(node, "anum"),
            iso_date(child_text(node.getparent(), "date")),
            inherits_date=True,
        )
        for node in head.iterfind(".//B620//dnum")
        if node.getparent().tag != "cdoc"  # its own divisional applications
    ]
    entered = [
        make_priority(
            child_text(node, "dnum/anum")[:2],
            child_text(node, "dnum/anum")[2:],
            iso_date(child_text(node, "date")),
            kind="W",
            style="docdb",
        )
        for node in head.iterfind(".//B860/B861")
    ]
    return (*entered, *divided)


def _citations(root: Element, head: Element | None) -> Iterator[Citation]:
    """Yield citations of the search (B560, or a search report), and of the description."""
    nodes = [] if head is None else head.iterfind("B500/B560/*")
    texts = [text_of(node) for node in nodes if node.tag in ("B561", "B562")]
    searched = iso_date(child_text(head, "B500/B560/B565EP/date"))
    for each in text_citations(texts, SEARCH, EXAMINER):
        yield replace(each, cited_on=searched)
    yield from st36_citations(root.iterfind(".//srep-citations/citation"), SEARCH, EXAMINER)
    yield from described_citations(root.find("description"))


def _ipc(root: Element) -> tuple[str, ...]:
    new = [classification(node) for node in root.iterfind(".//B510EP//classification-ipcr")]
    old = [
        text_of(node)
        for node in root.iterfind(".//B510/*")
        if node.tag in ("B511", "B512", "B513", "B514")
    ]
    return symbols([*new, *old])


def _texts(root: Element, head: Element | None) -> tuple[PatentText, ...]:
    own = _language(root) or UNDETERMINED
    parts = (first_of_language(root, name, own) for name in ("abstract", "claims", "description"))
    return texts_in_languages(own, _titles(head), *parts)


def first_of_language(root: Element, name: str, own: str = UNDETERMINED) -> dict[str, Element]:
    """Return the first element of this name in each language."""
    found: dict[str, Element] = {}
    for node in root.iterfind(name):
        found.setdefault(_language(node) or own, node)
    return found


def claim_set_notes(root: Element, own: str = UNDETERMINED) -> tuple[str, ...]:
    """Note languages with several claim sets, of which the first is kept."""
    sets = Counter(_language(node) or own for node in root.iterfind("claims"))
    return tuple(
        f"{count} sets of claims in {language}; the first is kept"
        for language, count in sorted(sets.items())
        if count > 1
    )


def _titles(head: Element | None) -> dict[str, str]:
    """Return titles by language: B541 (language) and B542 (title) alternate."""
    titles: dict[str, str] = {}
    language = ""
    for node in [] if head is None else head.iterfind("B500/B540/*"):
        if node.tag == "B541":
            language = text_of(node).lower()
        elif node.tag == "B542" and language:
            titles[language] = text_of(node)
    return titles


def read_marec(root: Element) -> Iterator[Document]:
    """Yield the one document of a record."""
    head = root.find("bibliographic-data")
    published = document_id(root.find("bibliographic-data/publication-reference/document-id"))
    ucid = (root.get("ucid") or "").removeprefix("UN-")  # of all publications of an application
    named = read_publication(ucid) or Publication("", "")
    filed = [] if head is None else head.iterfind("application-reference")
    application = best_application(filed, "national")
    stated = root.get("lang") or child_text(head, "language-of-publication")
    language = known_language(stated) or UNDETERMINED
    yield Document(
        office=root.get("country") or published.country or named.country,
        number=root.get("doc-number") or published.number or named.number,
        kind=root.get("kind") or published.kind or named.kind,
        publication_date=iso_date(root.get("date") or published.date),
        source_format="marec",
        language=language,
        **application,
        priorities=_numbers(head, "priority-claims/priority-claim"),
        parents=_numbers(head, ".//pct-or-regional-filing-data") + divided_from(head),
        citations=distinct(_marec_citations(head)),
        ipc=st36_ipc(head) if head is not None else (),
        texts=_marec_texts(root, head, language),
        family_id=_family(root),
        notes=claim_set_notes(root, language),
    )


def _family(root: Element) -> str:
    """Return the DOCDB family; MAREC has -1 for none."""
    name = root.get("family-id") or ""
    return "" if name.startswith("-") else name


def _numbers(head: Element | None, path: str) -> tuple[Priority, ...]:
    nodes = [] if head is None else head.iterfind(path)
    forms = (number_forms([node], "national") for node in nodes)
    return tuple(best_priority(each) for each in forms if each)


def _marec_texts(root: Element, head: Element | None, own: str) -> tuple[PatentText, ...]:
    titles: dict[str, str] = {}
    for node in [] if head is None else head.iterfind(".//invention-title"):
        titles.setdefault(known_language(node.get("lang") or own), text_of(node))
    parts = (
        {known_language(name): node for name, node in first_of_language(root, part, own).items()}
        for part in ("abstract", "claims", "description")
    )
    return texts_in_languages(own, titles, *parts)


def _marec_citations(head: Element | None) -> Iterator[Citation]:
    """Yield cited documents, once for each citing source (SEA, APP, EXA) with its category."""
    for node in [] if head is None else head.iterfind(".//citations//patcit"):
        cited = document_id(node.find("document-id"))
        found = (
            publication(cited.country, cited.number, cited.kind)
            if cited.number
            else read_publication(node.get("ucid") or "")
        )
        if found is None:
            continue
        sources = node.findall("sources/source") or [node]
        for source in sources:
            phase, category = source.get("name") or "", source.get("category") or ""
            yield coded_citation(str(found), phase, category, cited.date)


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
    texts = _lexisnexis_texts(root, head, language, notes)
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
        priorities=_marec_priorities(head),
        parents=pct_parents(head) + divided_from(head),
        citations=distinct(st36_citations(cited)),
        ipc=st36_ipc(without_cited(head)) if head is not None else (),
        cpc=symbols(map(classification, root.iterfind(".//classification-cpc"))),
        texts=texts,
        stated_claims=stated_claims,
        notes=(*notes, *(count_note(stated_claims, len(claims)) if claims else ())),
    )


def _marec_priorities(head: Element | None) -> tuple[Priority, ...]:
    claims = [] if head is None else head.iterfind("priority-claims/priority-claim")
    forms = (number_forms(group, "national") for group in number_groups(claims))
    return tuple(best_priority(each) for each in forms if each)


def _lexisnexis_texts(
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
