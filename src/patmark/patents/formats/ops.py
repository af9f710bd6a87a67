"""Replies of EPO OPS: families, bibliographic data, claims and descriptions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from patmark.data import Claim, Document, Text
from patmark.errors import InputError
from patmark.patents.formats.bibliography import best_application, require_number
from patmark.patents.formats.body import description_paragraphs, given_claims
from patmark.patents.formats.docdb import best_id, exchange_document, read_priorities
from patmark.patents.formats.ep_fulltext import claim_set_notes, first_of_language
from patmark.patents.formats.xml_reading import Element


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
        if not (priorities or inactive):
            return document
        return replace(document, priorities=priorities, parents=inactive)
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
                    claims=_claims(claims.get(language)),
                    description=description_paragraphs(descriptions.get(language)),
                )
                for language in languages
            ),
            notes=claim_set_notes(element),
        )
    )


def _claims(node: Element | None) -> tuple[Claim, ...]:
    """OPS puts a claim, a line of one or all claims into a ``claim-text``."""
    texts = [] if node is None else node.iter("claim-text")
    found = given_claims("".join(each.itertext()) for each in texts)
    return tuple(replace(claim, text=" ".join(claim.text.split())) for claim in found)
