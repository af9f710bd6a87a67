"""Replies of EPO OPS: families, bibliographic data, claims and descriptions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from patmark.data import Claim, Document, Text
from patmark.errors import InputError
from patmark.patents.formats.bibliography import best_application, require_number
from patmark.patents.formats.body import description_paragraphs, make_claim
from patmark.patents.formats.docdb import best_id, exchange_document, read_priorities
from patmark.patents.formats.ep_fulltext import claim_set_notes, first_of_language
from patmark.patents.formats.xml_reading import Element

_NUMBERED = re.compile(r"^\s*(\d{1,3})\s?[.．、]\s*(?=\S)", re.MULTILINE)


def read_ops(root: Element) -> Iterator[Document]:
    """All documents of a reply, whatever was asked for."""
    found = False
    for member in root.iter("family-member"):
        found = True
        yield _member(member)
    if not found:
        for element in root.iter("exchange-document"):
            found = True
            yield exchange_document(element, source_format="ops")
    for element in root.iter("fulltext-document"):
        found = True
        yield _full_text(element)
    if not found:
        raise InputError.at("an OPS reply without family, bibliographic data or full text")


def _member(member: Element) -> Document:
    """A member of a family, with its bibliographic data if they were asked for.

    Which priorities count for the family is said beside these data.
    """
    family = member.get("family-id") or ""
    priorities, inactive = read_priorities(member.iterfind("priority-claim"))
    inner = member.find("exchange-document")
    if inner is not None:
        document = exchange_document(inner, family, "ops")
        counted = {"priorities": priorities, "parents": inactive} if priorities or inactive else {}
        return replace(document, **counted)
    published = best_id(member, "publication-reference")
    application = best_application(member.findall("application-reference"), "docdb")
    return require_number(
        Document(
            office=published.country,
            number=published.number,
            kind=published.kind,
            publication_date=published.date,
            source_format="ops",
            **application.fields(),
            priorities=priorities,
            parents=inactive,
            family_id=family,
        )
    )


def _full_text(element: Element) -> Document:
    published = best_id(element.find("bibliographic-data"), "publication-reference")
    claims = first_of_language(element, "claims")
    descriptions = first_of_language(element, "description")
    languages = list(dict.fromkeys([*claims, *descriptions]))
    return require_number(
        Document(
            office=published.country,
            number=published.number,
            kind=published.kind,
            publication_date=published.date,
            source_format="ops",
            language=languages[0] if languages else "",
            application_problem="OPS full text gives no application number",
            texts=tuple(
                Text(
                    language,
                    claims=_claims(claims.get(language), language),
                    description=description_paragraphs(descriptions.get(language)),
                )
                for language in languages
            ),
            notes=claim_set_notes(element),
        )
    )


def _claims(node: Element | None, language: str) -> tuple[Claim, ...]:
    """OPS puts one claim or all claims into a ``claim-text``: split at rising numbers."""
    if node is None:
        return ()
    texts = ["".join(each.itertext()).strip() for each in node.iter("claim-text")]
    parts: list[tuple[int, str]] = []
    for text in texts:
        heads = _rising(text, len(parts) + 1)
        if not heads:
            parts.append((len(parts) + 1, text))
            continue
        ends = [*(match.start() for match in heads[1:]), len(text)]
        parts += [
            (int(match[1]), text[match.end() : end]) for match, end in zip(heads, ends, strict=True)
        ]
    return tuple(make_claim(number, " ".join(text.split()), language) for number, text in parts)


def _rising(text: str, first: int) -> list[re.Match[str]]:
    heads: list[re.Match[str]] = []
    for match in _NUMBERED.finditer(text):
        if int(match[1]) == first + len(heads):
            heads.append(match)
    return heads
