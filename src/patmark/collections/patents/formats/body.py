"""Descriptions and claims of XML formats, independent of element names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby

from patmark.collections.patents.formats.xml_reading import Element, inset_of, text_of, tidy
from patmark.collections.patents.sections import (
    classify_heading,
    element_section,
    heading_rows,
    plain_heading,
    section_from,
)
from patmark.data import Claim, Paragraph, PatentText
from patmark.languages import language

_PARAGRAPHS = frozenset(("p", "para", "paragraph", "paragraphs"))
_HEADINGS = frozenset(("heading", "h"))
_SKIPPED = frozenset(("invention-title", "inventiontitle", "title-of-invention", "boundarydata"))
_NUMBER_MARK = re.compile(r"^\s*[\[【]\s*([0-9０-９]{4,5})\s*[\]】]\s*")
# "CLAIMS" and the like, also badly scanned, before claim 1; not the beginning of a claim
_HEADING_IN_FRONT = re.compile(
    r"(?:(?!(?:An?|The|Method|Process)\b|[^\n]*(?:compris|consist|wherein))[^\n:\d]{1,60}"
    r"(?:\n|:\s*)){1,2}(?=\s*1\s?[.．、)])",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"(?<=[\u3400-\u9fff])\n(?=[\u3400-\u9fffA-Za-z0-9])")
_SENTENCES = 2 / 3
# the heading of the next page at the end of a paragraph, where pages were joined
_HEADING_AT_END = re.compile(r"(?<=[.;:)])\s+([A-Z][A-Z ,()'/-]{7,70})$")


@lru_cache(maxsize=1024)
def _claim_in_front(number: str, end: str) -> re.Pattern[str]:
    """Return a pattern of a number in front of a claim, perhaps with the word for claim."""
    word = "|".join(form for row in heading_rows("claim") for form in row.forms)
    return re.compile(rf"\s*[\[【(]?\s*(?:{word})?\s*{number}{end}", re.IGNORECASE)


def _number_in_front(text: str) -> re.Match[str] | None:
    """Return the number in front of a claim, also of several: 2-5. (canceled)."""
    several = r"(\d{1,3})(?:\s*[-–]\s*(\d{1,3}))?"
    return _claim_in_front(several, r"\s*[\]】).．、:：](?!\d)").match(text)


@dataclass(slots=True)
class _Walk:
    """State of the reader of a description."""

    language: str = ""
    section: str = "other"
    found: list[Paragraph] = field(default_factory=list)

    def add(self, text: str, identifier: str, *, heading: bool = False) -> None:
        if text:
            self.found.append(Paragraph(self.section, identifier, text, heading))


def description_paragraphs(description: Element | None, own: str = "") -> tuple[Paragraph, ...]:
    """Return paragraphs and headings in order, each with its section.

    A heading decides; without one, the surrounding element or processing instruction.
    """
    walk = _Walk(own)
    if description is not None:
        _walk_children(description, walk)
    return tuple(walk.found)


def _walk_children(parent: Element, walk: _Walk) -> None:
    walk.add(tidy(parent.text or ""), "")
    for child in parent:
        _walk_element(child, walk)
        walk.add(tidy(child.tail or ""), "")


def _walk_element(element: Element, walk: _Walk) -> None:
    if not isinstance(element.tag, str):
        _processing_instruction(element, walk)
        return
    name = element.tag.lower()
    if name in _SKIPPED:
        return
    if name in _HEADINGS:
        text = text_of(element)
        walk.section = section_from(text) or walk.section
        walk.add(text, element.get("id") or "", heading=True)
    elif name in _PARAGRAPHS:
        _paragraph(element, walk)
    elif inset_of(element):
        walk.add(inset_of(element), "")
    elif any(
        isinstance(inner.tag, str) and inner.tag.lower() in _PARAGRAPHS | _HEADINGS
        for inner in element.iterdescendants()
    ):
        walk.section = element_section(name) or walk.section
        _walk_children(element, walk)
    else:
        walk.add(text_of(element), element.get("id") or "")


def _paragraph(element: Element, walk: _Walk) -> None:
    text = text_of(element)
    mark = _NUMBER_MARK.match(text)
    text = text[mark.end() :] if mark else text
    text = unwrapped(text) if language(walk.language).keeps_page_lines else text
    number = element.get("num") or element.get("pNumber") or (mark[1] if mark else "")
    own = element.find("number")
    number = number or text_of(own).rstrip(".") or element.get("id") or ""
    for piece, section in _cut_at_headings(text):
        walk.section = section or walk.section
        walk.add(piece, number, heading=section is not None)
        number = number if section else ""


def _cut_at_headings(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the pieces of a paragraph, and the sections that headings among them open.

    Translations into Japanese have headings as lines of a numbered paragraph.

    >>> list(_cut_at_headings("（発明の背景）\\n弁は漏れる。"))
    [('（発明の背景）', 'background'), ('弁は漏れる。', None)]
    """
    section = plain_heading(text)
    lines = text.split("\n")
    if section or len(lines) == 1:
        text, next_heading = _parted(text)
        yield text, section
        if next_heading:
            yield next_heading, classify_heading(next_heading)
        return
    for section, group in groupby(lines, key=plain_heading):
        yield "\n".join(group), section


def _parted(text: str) -> tuple[str, str]:
    """Return a paragraph, and the heading of the next section at its end, if any.

    >>> _parted("Cups leak. SUMMARY OF THE INVENTION"), _parted("The gas is CO.")
    (('Cups leak.', 'SUMMARY OF THE INVENTION'), ('The gas is CO.', ''))
    """
    found = _HEADING_AT_END.search(text) if text[-1:].isupper() else None
    if found is None or classify_heading(found[1]) is None:
        return text, ""
    return text[: found.start()], found[1]


def _processing_instruction(node: Element, walk: _Walk) -> None:
    target, content = getattr(node, "target", None), node.text or ""
    if target == "description-type":  # MAREC: the section is its content
        walk.section = element_section(content.replace(" ", "")) or walk.section
    elif target and 'end="tail"' not in content:
        walk.section = element_section(target) or walk.section


def unwrapped(text: str) -> str:
    """Return Chinese text without the line ends of the printed page, which fall inside words.

    A line that ends with a mark is separate; a heading before the text stays one.

    >>> unwrapped("根据权利要\n求1所述的泵，\n其中")
    '根据权利要求1所述的泵，\n其中'
    """
    first, mark, rest = text.partition("\n")
    if not mark:
        return text
    if classify_heading(first):
        return f"{first}\n{_WRAPPED.sub('', rest)}"
    return _WRAPPED.sub("", text)


def texts_in_languages(
    own: str,
    titles: Mapping[str, str],
    abstracts: Mapping[str, Element],
    claims: Mapping[str, Element],
    descriptions: Mapping[str, Element],
) -> tuple[PatentText, ...]:
    """Return one text for each language with content, that of the document first."""
    codes = dict.fromkeys([own, *titles, *abstracts, *claims, *descriptions])
    texts = (
        PatentText(
            code,
            titles.get(code, ""),
            text_of(abstracts.get(code)),
            _claims_below(claims[code], code) if code in claims else (),
            description_paragraphs(descriptions.get(code), code),
        )
        for code in codes
    )
    return tuple(text for text in texts if text != PatentText(text.language))


def _claims_below(parent: Element, own: str) -> tuple[Claim, ...]:
    """Return the claims of an element, which may hold their texts without claim elements."""
    found = read_claims(parent.iterfind("claim"), own)
    return found or given_claims([text_of(child) for child in parent] or [text_of(parent)])


def read_claims(elements: Iterator[Element], own: str) -> tuple[Claim, ...]:
    """Return claims with numbers from an attribute, an element, the text, or the order.

    Some files of old documents have all claims in one element.
    """
    claims: list[Claim] = []
    for element in elements:
        text = text_of(element)
        text = unwrapped(text) if language(own).keeps_page_lines else text
        if text:
            number = _claim_number(element, text, len(claims) + 1)
            claims.append(make_claim(number, text))
    return (_claims_of_one(element) if len(claims) == 1 else ()) or tuple(claims)


def _claims_of_one(element: Element) -> tuple[Claim, ...]:
    """Return the claims of an element that holds all; none if it holds only one.

    Steps and parts of one claim may have numbers too, so claims are sentences of which one refers
    to another. Scanned texts have lost some full stops.
    """
    text = text_of(element)
    heading = _HEADING_IN_FRONT.match(text)
    text = text if heading is None else text[heading.end() :]
    if _number_in_front(text):
        found = claims_in_text(text)
    else:
        found = given_claims(map(text_of, element.findall("claim-text")))
    sentences = sum(claim.text.rstrip().endswith((".", "。")) for claim in found)
    refers = any(claim.depends_on for claim in found)
    return found if refers and sentences >= _SENTENCES * len(found) else ()


def make_claim(number: int, text: str) -> Claim:
    """Return a claim from its text, which may begin with the number."""
    closed = r"(?:\s*[\]】).．、:：]|(?=\s+(?:An?|The)\s))\s*"
    leading = _claim_in_front(str(number), closed).match(text)
    body = text[leading.end() :] if leading else text
    return Claim(number, body, _depends_on(number, body))


def claims_in_text(text: str) -> tuple[Claim, ...]:
    """Return the claims of a text that holds all of them, each with its number in front.

    Without numbers, each line is a claim if all are sentences and one refers to another claim;
    else the text is one.

    >>> [claim.depends_on for claim in claims_in_text("1. A cup. 2. The cup of claim 1.")]
    [(), (1,)]
    """
    from patmark.facts import claim_mentions
    from patmark.languages import plain_form, split_claims

    plain = text.strip()
    chunks, _ = split_claims(plain_form(plain))
    numbered = [(each.number, each) for each in chunks if each.number is not None]
    if not numbered:
        lines = [line for each in plain.splitlines() if (line := each.strip())]
        sentences = len(lines) > 1 and all(line.endswith((".", "。")) for line in lines)
        refers = sentences and claim_mentions(plain_form(plain))
        return _one_by_one(lines if refers else [plain])
    ends = [*(each.start for _, each in numbered[1:]), len(plain)]
    return tuple(
        make_claim(number, _claim_body(plain[each.content : end]))
        for (number, each), end in zip(numbered, ends, strict=True)
    )


def given_claims(texts: Iterable[str]) -> tuple[Claim, ...]:
    """Return claims from texts that hold one each, all of them, or numbered lines.

    >>> [claim.text for claim in given_claims(["1. A cup, with:", "a lid.", "2. A lid."])]
    ['A cup, with:\na lid.', 'A lid.']
    """
    given = [text for each in texts if (text := each.strip())]
    if len(given) > 2 and _HEADING_IN_FRONT.match("\n".join(given[:2])):
        del given[0]
    if len(given) == 1:
        return claims_in_text(given[0])
    if not given or not _number_in_front(given[0]):
        return _one_by_one(given)
    claims: list[tuple[int, list[str]]] = []
    last = -1
    for text in given:
        number = _number_in_front(text)
        if number and int(number[1]) > last:
            claims.append((int(number[1]), []))
            last = int(number[2] or number[1])
        claims[-1][1].extend(filter(None, map(tidy, text.splitlines())))
    return tuple(make_claim(number, "\n".join(lines)) for number, lines in claims)


def _one_by_one(texts: Iterable[str]) -> tuple[Claim, ...]:
    """Return each text as a claim, with the number in front of it, else its position."""
    claims: list[Claim] = []
    for text in texts:
        body = tidy(text)
        number = _number_in_front(body)
        if body:
            claims.append(make_claim(int(number[1]) if number else len(claims) + 1, body))
    return tuple(claims)


def _claim_body(text: str) -> str:
    """Return the text after the number, without the sign that closes the number."""
    lines = (tidy(line) for line in text.lstrip(" \t.．、:：)）】]").splitlines())
    return "\n".join(filter(None, lines))


def plain_paragraphs(text: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a description without markup, one for each line."""
    walk = _Walk()
    for line in text.splitlines():
        paragraph = tidy(line)
        mark = _NUMBER_MARK.match(paragraph)
        paragraph = paragraph[mark.end() :] if mark else paragraph
        section = plain_heading(paragraph) if paragraph else None
        walk.section = section or walk.section
        walk.add(paragraph, mark[1] if mark else "", heading=section is not None)
    return tuple(walk.found)


def _claim_number(element: Element, text: str, order: int) -> int:
    written = element.find("ClaimNumber")
    stated = re.sub(r"(\d)\s*-.*", r"\1", element.get("num") or "")  # 1-20. (canceled)
    for candidate in (stated, text_of(written), element.get("id") or element.get("ID")):
        digits = re.search(r"(?<!\d)(\d{1,6})\D*$", candidate or "")
        if digits and int(digits[1]):
            return int(digits[1])
    leading = _number_in_front(text)
    return int(leading[1]) if leading else order


def _depends_on(number: int, text: str) -> tuple[int, ...]:
    from patmark.facts import claim_mentions, claims_meant
    from patmark.languages import plain_form

    named: set[int] = set()
    for _, claims in claim_mentions(plain_form(text)):
        named |= claims_meant(claims, range(1, number))
    return tuple(sorted(named - {0, number}))
