"""The claims that real patent documents state: numbers, texts, references, independence."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_ENTITY = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#)(?:[A-Za-z0-9._-]+;)?")
_SECTION = re.compile(r"<(claims|subdoc-claims)\b.*?</\1>", re.DOTALL)
_OWN_NUMBER = re.compile(r"^(?:claim\s*)?\d+\s?(?:\([A-Z][^)]*\))?\s?[.:)]{1,2}\s*", re.IGNORECASE)
_SGML = re.compile(r"<CLM ID=\"CLM-(?P<number>\d+)\">(?P<body>.*?)</CLM>", re.DOTALL)


@dataclass(frozen=True)
class StatedClaim:
    """A claim as the document states it; None where the document does not say."""

    number: int
    text: str
    refers_to: frozenset[int] | None
    independent: bool | None = None


@dataclass(frozen=True)
class StatedClaims:
    """All claims of a document in one language."""

    name: str
    language: str
    claims: tuple[StatedClaim, ...]

    def joined(self, separator: str) -> str:
        """The claims as numbered text."""
        return separator.join(f"{claim.number}. {claim.text}" for claim in self.claims)


def us_documents(folder: Path) -> Iterator[StatedClaims]:
    """The claims of the US documents, all formats."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".greenbook":
            yield StatedClaims(path.stem, "en", tuple(_green_book(path.read_text("latin-1"))))
        elif path.suffix == ".ZIP":
            yield from _zipped(path)
        elif path.suffix == ".xml":
            text = path.read_text("utf-8", errors="replace")
            claims = _sgml(text) if "<CLM " in text else _us_xml(text)
            yield StatedClaims(path.stem, "en", tuple(claims))


def ep_documents(folder: Path) -> Iterator[StatedClaims]:
    """The claims of the EP documents, one set per language; EP files mark no references."""
    for path in sorted(folder.glob("*.xml")):
        for claims in _sections(path.read_text("utf-8")):
            stated = [
                StatedClaim(int(claim.get("num") or position), _words(claim), None)
                for position, claim in enumerate(claims.iter("claim"), start=1)
            ]
            if stated:
                yield StatedClaims(path.stem, claims.get("lang", ""), tuple(stated))


def _sections(text: str) -> Iterator[ElementTree.Element]:
    """The claims of a document; the rest of some files is not well formed."""
    for match in _SECTION.finditer(text):
        yield ElementTree.fromstring(_ENTITY.sub("?", match.group()))


def _words(element: ElementTree.Element) -> str:
    return _without_number(" ".join("".join(element.itertext()).split()))


def _without_number(text: str) -> str:
    return _OWN_NUMBER.sub("", text)


def _us_xml(text: str) -> Iterator[StatedClaim]:
    stated = "<claim-ref" in text
    for claim in (claim for section in _sections(text) for claim in section.iter("claim")):
        targets = [item.get("idref", "") for item in claim.iter("claim-ref")]
        yield StatedClaim(
            int(claim.get("id", "").split("-")[-1]),
            _words(claim),
            frozenset(int(target.split("-")[-1]) for target in targets) if stated else None,
        )


def _sgml(text: str) -> Iterator[StatedClaim]:
    for match in _SGML.finditer(text):
        targets = re.findall(r"<CLREF ID=\"CLM-(\d+)\"", match["body"])
        words = " ".join(re.sub(r"<[^>]*>", "", match["body"]).split())
        yield StatedClaim(
            int(match["number"]), _without_number(words), frozenset(map(int, targets))
        )


def _green_book(text: str) -> Iterator[StatedClaim]:
    section = text[text.index("CLMS") :]
    for part in re.split(r"^NUM  ", section, flags=re.MULTILINE)[1:]:
        number, rest = part.split("\n", 1)
        words = " ".join(re.sub(r"^[A-Z0-9]{3}  ", "", rest, flags=re.MULTILINE).split())
        yield StatedClaim(int(number.strip(". ")), _without_number(words), None)


def _zipped(path: Path) -> Iterator[StatedClaims]:
    with zipfile.ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith(".CLM.xml"):
                claims = _xml4ip(archive.read(name))
                yield StatedClaims(Path(name).stem, "en", tuple(claims))


def _xml4ip(data: bytes) -> Iterator[StatedClaim]:
    space = "{urn:us:gov:doc:uspto:patent}"
    tree = ElementTree.parse(io.BytesIO(data))
    for claim in tree.iter(f"{space}Claim"):
        identifier = claim.get(f"{space}id", "")
        texts = list(claim.iter(f"{space}ClaimText"))
        if not identifier.startswith("CLM-") or not texts:
            continue
        words = " ".join(" ".join("".join(item.itertext()) for item in texts).split())
        if not words:
            continue
        targets = [
            target
            for item in claim.iter(f"{space}ClaimReference")
            for target in item.get(f"{space}idrefs", "").split()
        ]
        category = claim.findtext(f"{space}ClaimTypeCategory")
        yield StatedClaim(
            int(identifier.split("-")[-1]),
            _without_number(words),
            frozenset(int(target.split("-")[-1]) for target in targets),
            None if category is None else category == "Independent",
        )
