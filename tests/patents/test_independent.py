"""Real files, read a second time by plain XPath and regular expressions, without patmark.

Every field that such a reading finds must be in the document. Texts are compared by their letters,
so that layout, exponents and placeholders do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from patmark.data.documents import Document
from patmark.patents.formats.xml_reading import entity_table
from patmark.patents.read import read_documents

_INSETS = frozenset(
    (
        "maths",
        "math",
        "tables",
        "table",
        "chemistry",
        "img",
        "figure",
        "us-math",
        "us-chemistry",
        "table-us",
        "emi",
        "sequence-list",
        "inline-formula",
        "chem-us",
        "math-us",
        "math-cwu",
        "table-cwu",
    )
)


@dataclass(frozen=True)
class _Read:
    """What the plain reading finds, in one form for all formats."""

    name: str
    date: str
    filed: tuple[str, str]  # number and date, as in priorities
    priorities: list[tuple[str, str]]
    ipc: list[str]
    texts: dict[str, dict[str, str]]
    claims: dict[str, list[str]]
    references: dict[str, set[int]]  # of each claim, where the office marks them


def _letters(text: str) -> str:
    plain = unicodedata.normalize("NFKC", re.sub(r"⟦[^⟧]*⟧", "", text))
    return "".join(filter(str.isalpha, plain)).casefold()


def _text(node: Any) -> str:
    """The letters of an element without formulas, tables and images."""
    if node is None:
        return ""
    pieces = [node.text or ""]
    for child in node:
        if isinstance(child.tag, str) and etree.QName(child).localname.lower() not in _INSETS:
            pieces.append(_text(child))
        pieces.append(child.tail or "")
    return "".join(pieces)


def _tree(path: Path) -> Any:
    """The file as lxml repairs it, with names of characters replaced."""
    raw = re.sub(r"<!DOCTYPE[^\[>]*(\[.*?\]\s*)?>", "", path.read_text("utf-8"), flags=re.DOTALL)
    names = entity_table()
    kept = {"amp", "lt", "gt", "quot", "apos"}
    raw = re.sub(r"&(\w+);", lambda m: m[0] if m[1] in kept else names.get(m[1], m[0]), raw)
    raw = re.sub(r"<(?=\w+ [Ee]mbodiment)", "&lt;", raw)  # <First Embodiment>
    return etree.fromstring(raw.encode(), etree.XMLParser(recover=True))


def _one(node: Any, path: str) -> str:
    found = node.xpath(f"string({path})")
    return " ".join(str(found).split())


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _symbol(text: str) -> str:
    """A class without blanks and what stands behind the subgroup."""
    match = re.search(r"([A-H])\s*(\d\d)\s*([A-Z])\s*0*(\d+)/\s*(\d+)", text)
    return f"{match[1]}{match[2]}{match[3]}{match[4]}/{match[5]}" if match else ""


def _ep(path: Path) -> _Read:
    root = _tree(path)
    titles = dict(
        zip(
            (node.text.strip() for node in root.xpath("//B540/B541")),
            (_text(node) for node in root.xpath("//B540/B542")),
            strict=True,
        )
    )
    own = root.get("lang").lower()
    claims: dict[str, list[str]] = {}
    for node in root.xpath("claims"):
        claims.setdefault(node.get("lang").lower(), [_text(each) for each in node.xpath("claim")])
    texts = {language: {"title": title} for language, title in titles.items()}
    for name in ("abstract", "description"):
        for node in root.xpath(name):
            texts.setdefault((node.get("lang") or own).lower(), {}).setdefault(name, _text(node))
    new = root.xpath("//B510EP//classification-ipcr/text/text()")
    old = [] if new else root.xpath("//B510/B511/text() | //B510/B512/text()")
    return _Read(
        "".join(root.get(each) for each in ("country", "doc-number", "kind")),
        _digits(root.get("date-publ")),
        (_one(root, "//B200/B210"), _digits(_one(root, "//B220/date"))),
        [(_one(node, "B310"), _digits(_one(node, "B320/date"))) for node in _by_number(root)],
        [_symbol(text) for text in (*new, *old)],
        texts,
        claims,
        {},
    )


def _by_number(root: Any) -> Iterator[Any]:
    """B310, B320 and B330 of one priority follow each other."""
    for number in root.xpath("//B300/B310"):
        group = etree.Element("group")
        date = number.xpath("following-sibling::B320[1]")[0]
        group.append(etree.fromstring(etree.tostring(number)))
        group.append(etree.fromstring(etree.tostring(date)))
        yield group


def _red_book(path: Path) -> _Read:
    root = _tree(path)
    head = root.xpath("*[starts-with(name(), 'us-bibliographic-data')]")[0]
    published = head.xpath("publication-reference/document-id")[0]
    filed = head.xpath("application-reference/document-id")[0]
    claims = [_text(node) for node in root.xpath("claims/claim")]
    named = {
        str(place): {
            int(digits)
            for each in node.xpath(".//claim-ref/@idref")
            for digits in re.findall(r"\d+", each)
        }
        for place, node in enumerate(root.xpath("claims/claim"), 1)
    }
    symbols = [
        "".join(_one(node, part) for part in ("section", "class", "subclass"))
        + f" {_one(node, 'main-group')}/{_one(node, 'subgroup')}"
        for node in head.xpath("classifications-ipcr/classification-ipcr")
    ]
    number = _one(published, "doc-number").lstrip("0")
    return _Read(
        f"US{number}{_one(published, 'kind')}",
        _one(published, "date"),
        (_one(filed, "doc-number"), _one(filed, "date")),
        [(_one(node, "doc-number"), _one(node, "date"))
         for node in head.xpath("priority-claims/priority-claim")],
        list(map(_symbol, symbols)),
        {"en": {"title": _one(head, "invention-title"), "abstract": _text(root.find("abstract")),
                "description": _text(root.find("description"))}},
        {"en": claims},
        named,
    )  # fmt: skip


def _docdb(path: Path) -> Iterator[_Read]:
    for node in _tree(path).xpath("descendant-or-self::*[local-name()='exchange-document']"):
        head = node.xpath("*[local-name()='bibliographic-data']")[0]
        at = "*[local-name()='{}' and @data-format='docdb']/*[local-name()='document-id']"
        filed = head.xpath(at.format("application-reference"))[0]
        claims = head.xpath(
            "*[local-name()='priority-claims']/*[local-name()='priority-claim' and "
            "@data-format='docdb']/*[local-name()='document-id']"
        )
        ipc = head.xpath("*[local-name()='classifications-ipcr']//*[local-name()='text']/text()")
        texts: dict[str, dict[str, str]] = {}
        for part, name in (("invention-title", "title"), ("abstract", "abstract")):
            for each in node.xpath(f".//*[local-name()='{part}']"):
                texts.setdefault(each.get("lang"), {}).setdefault(name, _text(each))
        yield _Read(
            node.get("country") + node.get("doc-number") + node.get("kind"),
            node.get("date-publ") or "",
            (_one(filed, "*[local-name()='doc-number']"), _one(filed, "*[local-name()='date']")),
            [(_one(each, "*[local-name()='doc-number']"), _one(each, "*[local-name()='date']"))
             for each in claims],
            list(map(_symbol, ipc)),
            texts,
            {},
            {},
        )  # fmt: skip


def _compare(document: Document, read: _Read) -> dict[str, tuple[object, object]]:
    """The fields that differ, as patmark has them and as the plain reading has them."""
    numbers = [
        (each.number, _digits(each.date)) for each in (*document.priorities, *document.parents)
    ]
    pairs: dict[str, tuple[object, object]] = {
        "date": (_digits(document.publication_date), read.date),
        "filed": (
            (document.application_number, _digits(document.application_date)), read.filed,
        ),
        "priorities": ([each for each in numbers if each in read.priorities], read.priorities),
        "ipc": ({each.replace(" ", "") for each in document.ipc} & set(read.ipc), set(read.ipc)),
    }  # fmt: skip
    for language, parts in read.texts.items():
        text = document.text(document.language if language == "ol" else language)
        ours = {
            "title": text.title,
            "abstract": text.abstract,
            "description": " ".join(each.text for each in text.description),
        }
        for name, theirs in parts.items():
            pairs[f"{language} {name}"] = (_letters(ours[name]), _letters(theirs))
    for language, claims in read.claims.items():
        found = document.text(language).claims
        pairs[f"{language} claims"] = (
            [_letters(claim.text) for claim in found], list(map(_letters, claims)),
        )  # fmt: skip
        for place, named in read.references.items():
            claim = found[int(place) - 1]
            pairs[f"claim {place}"] = (named - set(claim.depends_on) - {claim.num}, set())
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _differences(folder: Path, reads: Iterable[_Read]) -> dict[str, dict[str, Any]]:
    documents = {each.id: each for each in read_documents(folder) if isinstance(each, Document)}
    found = {read.name: _compare(documents[read.name], read) for read in reads}
    assert found
    return {name: fields for name, fields in found.items() if fields}


def test_ep_full_text(shared_data: Path) -> None:
    folder = shared_data / "patents" / "ep_fulltext"
    assert _differences(folder, map(_ep, sorted(folder.glob("*.xml")))) == {}


@pytest.mark.parametrize("name", ["xmlApp2004", "xml2006", "xml2014", "xml2004"])
def test_us_red_book(shared_data: Path, name: str) -> None:
    folder = shared_data / "patents" / "us_uspto" / name
    assert _differences(folder, map(_red_book, sorted(folder.glob("*.xml")))) == {}


def test_docdb(shared_data: Path) -> None:
    folder = shared_data / "patents" / "docdb"
    reads = (read for path in sorted(folder.glob("*.xml")) for read in _docdb(path))
    assert _differences(folder, reads) == {}


def _green_book(path: Path) -> _Read:
    """Fields by their tags; lines that begin with a blank go on."""
    fields = re.findall(r"^([A-Z]{3,4}|\d)\b *(.*(?:\n {5}.*)*)", path.read_text("latin-1"), re.M)
    groups: list[tuple[str, dict[str, list[str]]]] = []
    for tag, value in fields:
        if len(tag) == 4 and not value.strip():
            groups.append((tag, {}))
        else:
            groups[-1][1].setdefault(tag, []).append(" ".join(value.split()))
    head = groups[0][1]
    claims: list[str] = []
    last = re.search(
        r"^CLMS\s*\n(.*?)(?=^[A-Z]{4}\s*\n|\Z)", path.read_text("latin-1"), re.M | re.S
    )
    for tag, value in re.findall(
        r"^([A-Z0-9]{3}) +(.*(?:\n {5}.*)*)", last[1] if last else "", re.M
    ):
        if tag == "NUM":
            claims.append("")
        elif tag != "STM" and claims:
            claims[-1] += " " + value
    series = head["SRC"][0]
    return _Read(
        f"US{head['WKU'][0][:-1].lstrip('0')}A",
        head["ISD"][0],
        (f"{series}/{head['APN'][0][:6]}", head["APD"][0]),
        [(group["APN"][0], group["APD"][0]) for tag, group in groups if tag == "PRIR"],
        [],
        {"en": {"title": head["TTL"][0],
                "abstract": " ".join(each for tag, group in groups if tag == "ABST"
                                     for lines in group.values() for each in lines)}},
        {"en": claims},
        {},
    )  # fmt: skip


def test_us_green_book(shared_data: Path) -> None:
    folder = shared_data / "patents" / "us_uspto" / "greenbook"
    assert _differences(folder, map(_green_book, sorted(folder.glob("*")))) == {}


def _pap(path: Path) -> _Read:
    root = _tree(path)
    head = root.find("subdoc-bibliographic-information")
    named = {
        str(place): {
            int(each)
            for text in node.xpath(".//dependent-claim-reference/@depends_on")
            for each in re.findall(r"\d+", text)
        }
        for place, node in enumerate(root.xpath("subdoc-claims/claim"), 1)
    }
    return _Read(
        f"US{_one(head, 'document-id/doc-number')}{_one(head, 'document-id/kind-code')}",
        _one(head, "document-id/document-date"),
        (_one(head, "domestic-filing-data/application-number/doc-number"),
         _one(head, "domestic-filing-data/filing-date")),
        [(_one(node, "priority-application-number/doc-number"), _one(node, "filing-date"))
         for node in root.xpath("//foreign-priority-data")],
        [_symbol(text) for text in root.xpath("//classification-ipc//ipc/text()")],
        {"en": {"title": _one(head, "technical-information/title-of-invention"),
                "abstract": " ".join(map(_text, root.xpath("subdoc-abstract/paragraph"))),
                "description": _text(root.find("subdoc-description"))}},
        {"en": [_text(node) for node in root.xpath("subdoc-claims/claim")]},
        named,
    )  # fmt: skip


def test_us_applications_of_2001(shared_data: Path) -> None:
    folder = shared_data / "patents" / "us_uspto" / "pap"
    assert _differences(folder, map(_pap, sorted(folder.glob("*.xml")))) == {}
