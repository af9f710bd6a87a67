"""Real files, read a second time by plain XPath and regular expressions, without patmark.

Every field that such a reading finds must be in the document. Texts are compared by their letters,
so that layout, exponents and placeholders do not count.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from patmark.collections.patents.formats.xml_reading import entity_table
from patmark.collections.patents.read import read_documents
from patmark.data.documents import Document

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
    cited: list[tuple[str, str]] | None = None  # country and the end of the number, in order
    cpc: set[str] | None = None
    parents: list[tuple[str, str]] | None = None  # number and date
    categories: set[str] | None = None  # letters of search reports


_ID = "{urn:us:gov:doc:uspto:patent}id"


def _cited(country: str, number: str) -> tuple[str, str]:
    """A cited document by what all ways of writing its number have in common."""
    return country or "US", _digits(number)[-5:]


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
    match = re.search(r"([A-HY])\s*(\d\d)\s*([A-Z])\s*0*(\d+)/\s*(\d+)", text)
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
        cited=None,
        cpc={_symbol(text) for text in root.xpath("//B520EP//classification-cpc/text/text()")},
        parents=_ep_parents(root),
    )


def _ep_parents(root: Any) -> list[tuple[str, str]]:
    """The PCT application (B861) and earlier applications (B620 with pdoc, or dnum alone)."""
    entered = [
        (_one(node, "dnum/anum")[2:], _one(node, "date"))
        for node in root.xpath("//B860/B861")
    ]  # fmt: skip
    divided = [
        (_one(node, "dnum/anum"), _one(node, "date")) for node in root.xpath("//B620//pdoc")
    ] or [(_one(node, "anum"), "") for node in root.xpath("//B620/parent//dnum")]
    return entered + divided


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
        cited=[
            _cited(_one(node, "country"), _one(node, "doc-number"))
            for node in head.xpath(".//patcit/document-id")
        ],
        cpc={
            "".join(_one(node, part) for part in ("section", "class", "subclass"))
            + f"{_one(node, 'main-group')}/{_one(node, 'subgroup')}"
            for node in head.xpath("classifications-cpc//classification-cpc")
        },
        parents=[
            (_one(node, "doc-number"), _one(node, "date"))
            for node in (
                *head.xpath("pct-or-regional-filing-data/document-id"),
                *head.xpath("us-related-documents//parent-doc/document-id"),
            )
        ],
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
            **_searched(head, "docdb"),
        )  # fmt: skip


def _searched(head: Any, form: str) -> dict[str, Any]:
    """Cited documents, categories and CPC symbols of DOCDB and OPS."""
    cited = []
    for node in head.xpath(".//*[local-name()='citation']/*[local-name()='patcit']"):
        forms = node.xpath("*[local-name()='document-id']")
        best = next((each for each in forms if each.get("document-id-type") == form), forms[0])
        cited.append(
            _cited(*(_one(best, f"*[local-name()='{name}']") for name in ("country", "doc-number")))
        )
    letters = head.xpath(
        ".//*[local-name()='citation'][*[local-name()='patcit']]"
        "//*[local-name()='category']/text()"
    )  # fmt: skip
    schemes = head.xpath(
        ".//*[local-name()='patent-classification'][*[local-name()='classification-scheme']"
        "[starts-with(@scheme, 'CPC')]]"
    )
    symbols = set()
    for node in schemes:
        parts = [
            _one(node, f"*[local-name()='{name}']")
            for name in ("section", "class", "subclass", "main-group", "subgroup")
        ]
        written = _one(node, "*[local-name()='classification-symbol']")
        symbols.add(_symbol(written) or f"{''.join(parts[:4])}/{parts[4]}")
    return {
        "cited": cited,
        "cpc": symbols,
        "categories": {letter for text in letters for letter in text if letter.isupper()},
    }


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
    if read.cited is not None:
        ours = [_cited(each.document[:2], _serial(each.document)) for each in document.citations]
        pairs["cited"] = (list(dict.fromkeys(ours)), list(dict.fromkeys(read.cited)))
    if read.cpc is not None:
        pairs["cpc"] = ({each.replace(" ", "") for each in document.cpc}, read.cpc)
    if read.parents is not None:
        pairs["parents"] = (
            [(each.number, _digits(each.date)) for each in document.parents], read.parents,
        )  # fmt: skip
    if read.categories is not None:
        pairs["categories"] = (
            {letter for each in document.citations for letter in each.category}, read.categories,
        )  # fmt: skip
    for language, parts in read.texts.items():
        text = document.text(document.language if language == "ol" else language)
        written = {
            "title": text.title,
            "abstract": text.abstract,
            "description": " ".join(each.text for each in text.description),
        }
        for name, theirs in parts.items():
            pairs[f"{language} {name}"] = (_letters(written[name]), _letters(theirs))
    for language, claims in read.claims.items():
        found = document.text(language).claims
        pairs[f"{language} claims"] = (
            [_letters(claim.text) for claim in found], list(map(_letters, claims)),
        )  # fmt: skip
        for place, named in read.references.items():
            claim = found[int(place) - 1]
            pairs[f"claim {place}"] = (named - set(claim.depends_on) - {claim.num}, set())
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _serial(document: str) -> str:
    """The number of a publication without its kind."""
    return re.sub(r"[A-Z]\d?$", "", document[2:])


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
    fields = re.findall(
        r"^([A-Z][A-Z0-9]{2,3}|\d)\b *(.*(?:\n {5}.*)*)", path.read_text("latin-1"), re.M
    )
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
        cited=[_cited(group.get("CNT", ["US"])[0][:2], group["PNO"][0])
               for tag, group in groups if tag in ("UREF", "FREF")],
        cpc=set(),
        parents=[(group["PCN"][0], group["PD3"][0]) for tag, group in groups if tag == "PCTA"]
        + [(group["APN"][0][:6], group["APD"][0]) for tag, group in groups if tag == "RLAP"],
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
        cited=[],
        cpc=set(),
        parents=[(_one(node, "doc-number"), _one(node, "document-date"))
                 for node in root.xpath("//parent-child/parent/document-id")],
    )  # fmt: skip


def test_us_applications_of_2001(shared_data: Path) -> None:
    folder = shared_data / "patents" / "us_uspto" / "pap"
    assert _differences(folder, map(_pap, sorted(folder.glob("*.xml")))) == {}


def _sgml(path: Path) -> _Read:
    root = _tree(path)
    named = {
        str(place): {int(each.get("ID")[-5:]) for each in node.xpath(".//CLREF")}
        for place, node in enumerate(root.xpath("//SDOCL//CLM"), 1)
    }
    fixed = re.compile(r"([A-H]\d\d[A-Z])(.{3})(\d+)")
    found = (fixed.match(text) for text in root.xpath("//B510/*[self::B511 or self::B512]//text()"))
    return _Read(
        f"US{_one(root, '//B110').lstrip('0')}{_one(root, '//B130')}",
        _one(root, "//B140"),
        (_one(root, "//B210"), _one(root, "//B220")),
        [(_one(node, "B310"), _one(node, "B320")) for node in root.xpath("//B300")],
        [f"{each[1]}{each[2].strip()}/{each[3]}" for each in found if each],
        {"en": {"title": _one(root, "//B540"), "abstract": _text(root.find("SDOAB")),
                "description": _text(root.find("SDODE"))}},
        {"en": [_text(node) for node in root.xpath("//SDOCL//CLM")]},
        named,
        cited=[_cited(_one(node, "CTRY"), _one(node, "DNUM"))
               for node in root.xpath("//B561/PCIT/DOC")],
        cpc=set(),
        parents=[(_one(node, "DNUM"), _one(node, "DATE"))
                 for node in (*root.xpath("//B861/DOC"), *root.xpath("//B600//PDOC/DOC"))],
    )  # fmt: skip


def test_us_grants_of_2001(shared_data: Path) -> None:
    folder = shared_data / "patents" / "us_uspto" / "sgml"
    assert _differences(folder, map(_sgml, sorted(folder.glob("*.xml")))) == {}


def _ops(path: Path) -> Iterator[_Read]:
    """Bibliographic data of OPS: numbers in the form of epodoc, dates beside them."""
    for node in _tree(path).xpath("//*[local-name()='exchange-document']"):
        head = node.xpath("*[local-name()='bibliographic-data']")[0]
        number = "*[local-name()='document-id'][@document-id-type='{}']/*[local-name()='{}']"
        filed = head.xpath("*[local-name()='application-reference']")[0]
        claims = head.xpath("*[local-name()='priority-claims']/*")
        texts: dict[str, dict[str, str]] = {}
        for part, name in (("invention-title", "title"), ("abstract", "abstract")):
            for each in node.xpath(f".//*[local-name()='{part}']"):
                texts.setdefault(each.get("lang"), {}).setdefault(name, _text(each))
        year = r"(?<=^US)(\d{4})(\d{6})$"  # of US applications, without a nought
        yield _Read(
            re.sub(year, r"\g<1>0\2", node.get("country") + node.get("doc-number"))
            + node.get("kind"),
            _one(head, "*[local-name()='publication-reference']/"
                 + number.format("docdb", "date")),
            (_one(filed, number.format("docdb", "doc-number")),
             _one(filed, number.format("epodoc", "date"))),
            [(_one(each, number.format("epodoc", "doc-number")),
              _one(each, number.format("epodoc", "date"))) for each in claims],
            [_symbol(text) for text in head.xpath(
                "*[starts-with(local-name(), 'classification')]//*[local-name()='text']/text()")],
            texts,
            {},
            {},
            **_searched(head, "docdb"),
        )  # fmt: skip


@pytest.mark.parametrize("name", ["test_biblio_example.xml", "test_biblio_example_3.xml"])
def test_ops_bibliographic_data(shared_data: Path, name: str) -> None:
    path = shared_data / "patents" / "ops_family" / name
    assert _differences(path, _ops(path)) == {}


@pytest.mark.parametrize(
    ("name", "count"), [("test_claims_example.xml", 11), ("test_claims_example_2.xml", 20)]
)
def test_ops_claims(shared_data: Path, name: str, count: int) -> None:
    """Claims are texts with their numbers in front, one or all of them in an element."""
    path = shared_data / "patents" / "ops_family" / name
    whole = " ".join(_tree(path).xpath("//*[local-name()='claim-text']//text()"))
    (document,) = (each for each in read_documents(path) if isinstance(each, Document))
    claims = document.text("en").claims
    assert [claim.num for claim in claims] == list(range(1, count + 1))
    after_heading = whole[whole.index("1. ") :]
    assert _letters(" ".join(claim.text for claim in claims)) == _letters(after_heading)
    for claim in claims:
        named = re.search(r"claims? (\d+)|(foregoing) claims", claim.text)
        first = (int(named[1]) if named[1] else 1) if named else None
        assert (first in claim.depends_on) if first else not claim.depends_on


def test_ops_description(shared_data: Path) -> None:
    path = shared_data / "patents" / "ops_family" / "test_description_example.xml"
    paragraphs = _tree(path).xpath("//*[local-name()='description']/*[local-name()='p']")
    (document,) = (each for each in read_documents(path) if isinstance(each, Document))
    ours = [_letters(each.text) for each in document.text("en").description]
    assert ours == [_letters(_text(each)) for each in paragraphs]


def test_parts_of_us_applications(shared_data: Path) -> None:
    """XML4IP: claims, specifications and abstracts of five applications."""
    path = shared_data / "patents" / "us_uspto" / "xml4ip" / "sample_XML4IP.ZIP"
    documents = [each for each in read_documents(path) if isinstance(each, Document)]
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".xml")]
        roots = [etree.fromstring(archive.read(name)) for name in names]
    assert len(documents) == len(roots)
    for document, root in zip(documents, roots, strict=True):
        text = document.text("en")
        for name in ("ClaimLabelText", "BoundaryData", "ClaimStatusCategory", "ClaimTypeCategory"):
            for node in root.xpath(f"//*[local-name()='{name}']"):
                node.clear(keep_tail=True)
        written = [_text(node) for node in root.xpath("//*[local-name()='Claim']")]
        labels = [node.get(_ID, "") for node in root.xpath("//*[local-name()='Claim']")]
        claims = [
            _letters(each)
            for each, label in zip(written, labels, strict=True)
            if not label.startswith("UNKNOWN") or re.match(r"\s*\d+-\d+\.", each)
        ]
        assert document.application_number == _one(root, "//*[local-name()='ApplicationNumber']")
        assert [_letters(each.text) for each in text.claims] == [each for each in claims if each]
        if document.kind == "SPEC":
            paragraphs = root.xpath("//*[local-name()='P' or local-name()='Heading']")
            assert _letters(" ".join(each.text for each in text.description)) == _letters(
                " ".join(map(_text, paragraphs))
            )
