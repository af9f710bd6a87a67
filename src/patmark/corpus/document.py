"""One model for the patent documents of all offices.

A document has bibliographic data and, per language, a text: title, abstract, claims, description.
Dates are ISO dates (``2006-07-19``), or empty when the source gives none.

Formulas, tables and images stand in the text as placeholders with a type and, where the source
gives one, an id: ``⟦formula⟧``, ``⟦table:TABLE-US-00001⟧``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_PLACEHOLDER = re.compile(r"⟦(?P<kind>[a-z]+)(?::(?P<id>[^⟧]*))?⟧")


@dataclass(frozen=True, slots=True)
class Priority:
    """An earlier application that a document refers to.

    ``key`` is the normal form of the number (see ``numbers``); without one, ``problem`` says why.
    """

    country: str
    number: str
    date: str = ""
    kind: str = ""
    key: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim without its leading number, and the claims that it refers to."""

    num: int
    text: str
    depends_on: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph or a heading of the description, and the section that it stands in."""

    section: str
    id: str
    text: str
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """What a document says in one language."""

    language: str
    title: str = ""
    abstract: str = ""
    claims: tuple[Claim, ...] = ()
    description: tuple[Paragraph, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A published patent document.

    ``parents`` are earlier applications of the same office (continuations, divisions);
    ``stated_claims`` is the number of claims that the source gives in its bibliographic data;
    ``notes`` say what had to be repaired or could not be read.
    """

    office: str
    number: str
    kind: str
    publication_date: str
    source_format: str
    language: str = ""
    application_number: str = ""
    application_date: str = ""
    application_key: str = ""
    application_problem: str = ""
    priorities: tuple[Priority, ...] = ()
    parents: tuple[Priority, ...] = ()
    ipc: tuple[str, ...] = ()
    cpc: tuple[str, ...] = ()
    texts: tuple[Text, ...] = ()
    family_id: str = ""
    stated_claims: int | None = None
    notes: tuple[str, ...] = ()
    origin: str = ""
    record: int = 0

    @property
    def id(self) -> str:
        """Office, number and kind in one: EP1442058B1."""
        return f"{self.office}{self.number}{self.kind}"

    def text(self, language: str = "") -> Text:
        """The text in a language (the document's own when none is named); empty if there is none.

        >>> Document("EP", "1", "A1", "2003-07-09", "ep", "en").text("de")
        Text(language='de', title='', abstract='', claims=(), description=())
        """
        wanted = language or self.language
        return next((text for text in self.texts if text.language == wanted), Text(wanted))

    def placed(self, origin: str, record: int, notes: tuple[str, ...]) -> Document:
        """The document with the place where it was found and more notes."""
        return replace(self, origin=origin, record=record, notes=(*self.notes, *notes))


@dataclass(frozen=True, slots=True)
class BrokenRecord:
    """A record that could not be read: where it stands and what is wrong with it."""

    path: str
    record: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}: record {self.record}: {self.message}"


def placeholder(kind: str, identifier: str = "") -> str:
    """What stands in the text for a formula, table or image."""
    return f"⟦{kind}:{identifier}⟧" if identifier else f"⟦{kind}⟧"


def without_placeholders(text: str) -> str:
    """A text for alignment: formulas, tables and images left out.

    >>> without_placeholders("where ⟦formula:m1⟧ is the mass")
    'where is the mass'
    """
    return re.sub(r" {2,}", " ", _PLACEHOLDER.sub("", text)).strip()
