"""Citations in search reports, in bibliographic data and in the text.

Only patent documents are kept; of other literature, the Japanese application of an entry of "Patent
Abstracts of Japan".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from patmark.collections.patents.formats.xml_reading import Element, child_text, iso_date, text_of
from patmark.collections.patents.publications import publication, read_publication
from patmark.data import Citation

SEARCH, EXAMINATION, OPPOSITION, APPLICANT = "search", "examination", "opposition", "applicant"
EXAMINER, THIRD_PARTY, OTHER = "examiner", "third-party", "other"

# cited-phase of DOCDB
_PHASES = {
    "APP": APPLICANT, "APL": "appeal", "CH2": EXAMINATION, "EXA": EXAMINATION,
    "FOP": OPPOSITION, "ISR": SEARCH, "OPP": OPPOSITION, "PRS": SEARCH, "SEA": SEARCH,
    "SUP": SEARCH, "TPO": THIRD_PARTY,
}  # fmt: skip
# substrings of the words that OPS uses instead
_PHASE_WORDS = {
    "search": SEARCH, "examin": EXAMINATION, "chapter": EXAMINATION, "opposition": OPPOSITION,
    "appeal": "appeal", "applica": APPLICANT, "description": APPLICANT, "third": THIRD_PARTY,
}  # fmt: skip
_PARTIES = {"examiner": EXAMINER, "applicant": APPLICANT, "third": THIRD_PARTY, "other": OTHER}
_CITERS = {APPLICANT: APPLICANT, OPPOSITION: THIRD_PARTY, THIRD_PARTY: THIRD_PARTY}
_SPAN = re.compile(r"(\d{1,4})(?:\s*-\s*(\d{1,4}))?")
_MOST_CLAIMS = 999
_CLAIMS = "rel-claims"
_ABSTRACTS_OF_JAPAN = re.compile("patent abstracts of japan", re.IGNORECASE)


def distinct(citations: Iterable[Citation]) -> tuple[Citation, ...]:
    """Return distinct citations in order."""
    return tuple(dict.fromkeys(citations))


def st36_citations(nodes: Iterable[Element], phase: str = "", by: str = "") -> Iterator[Citation]:
    """Yield the patents in ``citation`` elements; ``phase`` and ``by`` are defaults."""
    for node in nodes:
        cited = _st36_document(node)
        if cited is None:
            continue
        document, date = cited
        found = _phase(node.get("cited-phase") or "") or phase
        stated = child_text(node, "category")
        citer = party(node.get("cited-by") or (stated if "cited" in stated else "")) or by
        for category, claims in _relevance(node):
            yield Citation(
                document,
                category,
                claims,
                found or {EXAMINER: EXAMINATION, APPLICANT: APPLICANT}.get(citer, ""),
                citer or (_CITERS.get(found, EXAMINER) if found else ""),
                date,
                iso_date(node.get("cited-date") or ""),
            )


def examined_citations(root: Element) -> Iterator[Citation]:
    """Return the citations of the examiner, field (56) of granted patents."""
    nodes = root.iterfind(".//references-cited//citation")
    return st36_citations(nodes, EXAMINATION, EXAMINER)


def named_citation(
    country: str, number: str, kind: str, text: str, date: str = "", by: str = EXAMINER
) -> Iterator[Citation]:
    """Yield a citation of the examiner by its number, else by its text, if any."""
    found = publication(country, number, kind) if number else read_publication(text)
    if found:
        yield Citation(str(found), phase=EXAMINATION, by=by, date=date)


def text_citations(texts: Iterable[str], phase: str, by: str) -> Iterator[Citation]:
    """Yield each document named in texts, and other texts as non-patent literature."""
    for text in texts:
        found = read_publication(text)
        if found:
            yield Citation(str(found), phase=phase, by=by)


def described_citations(description: Element | None) -> Iterator[Citation]:
    """Return documents that the applicant names in the description, if marked."""
    nodes = [] if description is None else description.iter("patcit", "PatentCitation")
    return text_citations(
        (node.get("dnum") or child_text(node, "text") or text_of(node) for node in nodes),
        APPLICANT,
        APPLICANT,
    )


def coded_citation(document: str, phase: str, category: str = "", date: str = "") -> Citation:
    """Return a citation with a code of DOCDB for its phase (SEA, APP, EXA).

    >>> coded_citation("EP0680812A1", "SEA", "X").by
    'examiner'
    """
    found = _phase(phase)
    by = _CITERS.get(found, EXAMINER) if found else ""
    return Citation(document, _letters(category), (), found, by, date)


def party(words: str) -> str:
    """Return the citing party of words such as "cited by examiner"."""
    return next((name for part, name in _PARTIES.items() if part in words.lower()), "")


def _phase(written: str) -> str:
    words = written.lower()
    found = (phase for part, phase in _PHASE_WORDS.items() if part in words)
    return _PHASES.get(written.upper()) or next(found, "")


def _st36_document(citation: Element) -> tuple[str, str] | None:
    """Return the cited document and its date; None for non-patent literature."""
    node = citation.find("patcit")
    if node is None:
        text = text_of(citation.find("nplcit")) or text_of(citation.find("text"))
        unmarked = citation.find("nplcit") is None or _ABSTRACTS_OF_JAPAN.search(text)
        found = read_publication(text) if unmarked else None
        return (str(found), "") if found else None
    forms = {each.get("document-id-type") or "docdb": each for each in node.iter("document-id")}
    best = next((forms[form] for form in ("docdb", "epodoc", "original") if form in forms), None)
    if best is not None and child_text(best, "doc-number"):
        parts = (child_text(best, name) for name in ("country", "doc-number", "kind"))
        return str(publication(*parts)), iso_date(child_text(best, "date"))
    text = node.get("dnum") or child_text(node, "text") or text_of(node)
    found = read_publication(text)
    return (str(found) if found else text, "") if text else None


def _relevance(citation: Element) -> list[tuple[str, tuple[int, ...]]]:
    """Return the categories of a citation with their claims, or one empty category."""
    passages = [node for each in citation.iterfind("rel-passage") for node in each.iter()]
    own = [node for node in citation if node.tag != "category" or "cited" not in text_of(node)]
    return _rated(passages) or _rated(own) or [("", claim_numbers(child_text(citation, _CLAIMS)))]


def _rated(nodes: Iterable[Element]) -> list[tuple[str, tuple[int, ...]]]:
    """Return categories, each with the claims that are named after it."""
    found: list[tuple[str, tuple[int, ...]]] = []
    for node in nodes:
        if node.tag == "category":
            found.append((_letters(text_of(node)), ()))
        elif node.tag == _CLAIMS and found:
            found[-1] = (found[-1][0], claim_numbers(text_of(node)))
    return [each for each in found if each[0]]


def _letters(text: str) -> str:
    return re.sub(r"[^A-Z&]", "", text.upper())


def claim_numbers(text: str) -> tuple[int, ...]:
    """Return the claims that a list names.

    >>> claim_numbers("1-4,7, 9")
    (1, 2, 3, 4, 7, 9)
    """
    numbers: set[int] = set()
    for first, last in _SPAN.findall(text):
        numbers.update(range(int(first), min(int(last or first), _MOST_CLAIMS) + 1))
    return tuple(sorted(numbers))
