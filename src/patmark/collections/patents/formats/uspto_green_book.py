"""USPTO "Green Book" (APS) full text of grants, 1976 to 2001.

A line begins with a tag of three or four letters; the value begins in column 6, and lines that
begin with blanks continue it. Tags of four letters open a group (PATN, PRIR, CLMS).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from patmark.collections.patents.formats.bibliography import (
    count_note,
    make_application,
    make_priority,
    us_ipc,
    whole_number,
)
from patmark.collections.patents.formats.body import make_claim
from patmark.collections.patents.formats.citations import distinct
from patmark.collections.patents.formats.xml_reading import iso_date, lowered, raised, tidy
from patmark.collections.patents.publications import publication
from patmark.collections.patents.sections import element_section, plain_heading, section_from
from patmark.data import Citation, Claim, Document, Paragraph, PatentText, Priority, placeholder
from patmark.languages import office_language

_LINE = re.compile(r"([A-Z0-9]{3,4}) *(?:$| {1,2}(?P<value>.*))")
_KINDS = {"1": "A", "2": "E", "4": "S", "5": "I4", "6": "P", "7": "H"}
_DESCRIPTION = ("BSUM", "DRWD", "DETD", "GOVT", "PARN")
_SECTIONS = {"GOVT": "related", "PARN": "related"}
_DESIGNS = "29/"  # the series that SRC calls D
# codes of countries before 1978
_FORMER_CODES = {
    "DL": "DD", "DT": "DE", "EI": "IE", "EN": "GB", "JA": "JP", "KS": "KR", "OE": "AT", "PO": "PL",
    "SF": "FI", "SW": "SE", "UK": "GB",
}  # fmt: skip
_SIGNS = {
    "degree": "°", "times": "×", "+-": "±", "-+": "∓", "ltoreq": "≤", "gtoreq": "≥", "about": "~",
    "fwdarw": "→", "rarw": "←", "uparw": "↑", "dwnarw": "↓", "revreaction": "⇌", "ANG": "Å",
    "ang": "å", "div": "÷", "noteq": "≠", "apprxeq": "≅", "congruent": "≅", "approxeq": "≈",
    "perspectiveto": "≃", "ident": "≡", "notident": "≢", "notlessthan": "≮", "notgreaterthan": "≯",
    "lmorsim": "⪅", "gtorsim": "⪆", "apprch": "≐", "infin": "∞", "prime": "′", "dblprime": "″",
    "dblquote": '"', "sqroot": "√", "cuberoot": "∛", "differential": "∂", "increment": "∆",
    "gradient": "∇", "intg": "∫", "varies": "∝", "thrfore": "∴", "because": "∵", "andgate": "∩",
    "orgate": "∪", "sym": "⊕", "crclbar": "⊖", "hoarfrost": "⊔", "vertline": "|", "angle": "∠",
    "parallel": "∥", "perp": "⊥", "multidot": "·", "cndot": "•", "RTM": "®", "TM": "™", "SM": "℠",
    "COPYRG": "©", "COPYRGT": "©", "sctn": "§", "cent": "¢", "permill": "‰", "female": "♀",
    "male": "♂", "music-sharp": "♯", "music-flat": "♭", "smallcircle": "○", "circle": "○",
    "largecircle": "◯", "circleincircle": "◎", "circle-solid": "●", "oval-solid": "●",
    "quadrature": "□", "box-solid": "■", "dbd": "=", "tbd": "≡", "0": "ø", "ae butted": "æ",
    "paren open-st": "(", "paren close-st": ")", "brket open-st": "[", "brket close-st": "]",
    "Iadd": "", "Iaddend": "", "[": "", "]": "",  # of reissues
}  # fmt: skip
_SIGNS |= {
    unicodedata.name(letter).rpartition(" ")[2].replace("LAMDA", "LAMBDA").lower(): letter
    for letter in "αβγδεζηθικλμνξοπρστυφχψω"
}
_SIGNS |= {name.upper(): sign.upper() for name, sign in _SIGNS.items() if "α" <= sign <= "ω"}
_SIGN = re.compile(r"\.(" + "|".join(map(re.escape, _SIGNS)) + r")\.")
# an index ends with a blank, a full stop, a bracket, or where it can be none any more
_SCRIPT = re.compile(
    r"\.(?P<place>sub|sup)\.(?P<text>\.[A-Za-z]+\.|[+-]?\d+(?:-\d+|n(?:[+-]\d+)?|[+-](?![^\s,.;)]))?"
    r"|[A-Za-z][+-]\d+(?!\w)|[A-Za-z]{1,8}|[+-]+)?"
)
_INSET = re.compile(r"##(STR|EQU|TBL)(\d+)##")
_INSET_KINDS = {"STR": "chemistry", "EQU": "formula", "TBL": "table"}


@dataclass(frozen=True, slots=True)
class _Field:
    group: str
    tag: str
    value: str


def read_green_book(text: str) -> Iterator[Document]:
    """Yield the one grant of a record that begins with PATN."""
    fields = _fields(text)
    head = {field.tag: field.value for field in reversed(fields) if field.group == "PATN"}
    filed = iso_date(head.get("APD", ""))
    number = head.get("APN", "")[:6]
    series = head.get("SRC", "")
    written = f"{series}/{number}" if series else number
    application = make_application("US", written.replace("D/", _DESIGNS), filed)
    stated = whole_number(head.get("NCL", ""))
    claims = _claims(fields)
    yield Document(
        office="US",
        number=head.get("WKU", "")[:8].strip(),  # a check digit comes after it
        kind=_KINDS.get(head.get("APT", ""), "A"),
        publication_date=iso_date(head.get("ISD", "")),
        source_format="uspto-green-book",
        language=office_language("US"),
        **application | {"application_number": written},
        priorities=_priorities(fields),
        parents=_pct(fields) + _related(fields),
        citations=distinct(_citations(fields)),
        ipc=us_ipc(field.value for field in fields if field.tag == "ICL" and field.group != "FREF"),
        texts=(
            PatentText(
                office_language("US"),
                _signs(head.get("TTL", "")),
                _abstract(fields),
                claims,
                _description(fields),
            ),
        ),
        stated_claims=stated,
        notes=count_note(stated, len(claims)),
    )


def _fields(text: str) -> list[_Field]:
    """Return tags and values with continuation lines joined; an empty value opens a group."""
    lines: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match:
            lines.append((match[1], [match["value"] or ""]))
        elif lines and line.strip():
            lines[-1][1].append(line.strip())
    fields: list[_Field] = []
    group = ""
    for tag, values in lines:
        value = " ".join(values).rstrip()
        if len(tag) == 4 and not value:
            group = tag
        else:
            fields.append(_Field(group, tag, value))
    return fields


def _priorities(fields: list[_Field]) -> tuple[Priority, ...]:
    """Return the priorities: each PRIR group has country, date and number, CNT first."""
    return tuple(
        make_priority(_country(row), row.get("APN", ""), iso_date(row.get("APD", "")))
        for row in _rows(fields, "PRIR", "CNT")
    )


def _country(row: dict[str, str]) -> str:
    """Return the country code of two letters; an X may follow them (JPX)."""
    code = row.get("CNT", "")[:2]
    return _FORMER_CODES.get(code, code)


def _related(fields: list[_Field]) -> tuple[Priority, ...]:
    """Return the applications that this one continues or divides (RLAP) or reissues (REIS)."""
    return tuple(
        make_priority(
            "WO" if row["APN"].startswith("PCT") else "US",
            row["APN"][:6] if row["APN"].isdecimal() else row["APN"],
            iso_date(row.get("APD", "")),
        )
        for group in ("RLAP", "REIS")
        for row in _rows(fields, group, "COD")
        if row.get("APN")
    )


def _rows(fields: list[_Field], group: str, first: str) -> list[dict[str, str]]:
    """Return the groups of one name, which all begin with the same tag."""
    rows: list[dict[str, str]] = []
    for field in fields:
        if field.group == group:
            if field.tag == first or not rows:
                rows.append({})
            rows[-1][field.tag] = field.value
    return rows


def _pct(fields: list[_Field]) -> tuple[Priority, ...]:
    """Return the PCT application: number (PCN) and filing date (PD3)."""
    group = {field.tag: field.value for field in fields if field.group == "PCTA"}
    if "PCN" not in group:
        return ()
    return (make_priority("WO", group["PCN"], iso_date(group.get("PD3", ""))),)


def _citations(fields: list[_Field]) -> Iterator[Citation]:
    """Yield US (UREF) and foreign (FREF) citations, whose citing party is unknown."""
    rows: list[dict[str, str]] = []
    for field in fields:
        if field.group in ("UREF", "FREF"):
            if field.tag == "PNO" or not rows:
                rows.append({"CNT": "US"})
            rows[-1][field.tag] = field.value
    for row in rows:
        number = row.get("PNO", "")
        if number:
            cited = publication(_country(row), number)
            yield Citation(str(cited), date=iso_date(row.get("ISD", "")))


def _abstract(fields: list[_Field]) -> str:
    return "\n".join(_signs(field.value) for field in fields if field.group == "ABST")


def _description(fields: list[_Field]) -> tuple[Paragraph, ...]:
    found: list[Paragraph] = []
    group, section = "", "other"
    for field in fields:
        if field.group not in _DESCRIPTION:
            continue
        if field.group != group:
            group = field.group
            section = _SECTIONS.get(group) or element_section(group) or section
        text = _signs(field.value)
        heading = section_from(text) if field.tag == "PAC" else plain_heading(text)
        section = heading or section
        if text:
            is_heading = field.tag == "PAC" or heading is not None
            found.append(Paragraph(section, str(len(found) + 1), text, is_heading))
    return tuple(found)


def _claims(fields: list[_Field]) -> tuple[Claim, ...]:
    """Return the claims: NUM opens one, and the paragraphs up to the next are its text.

    Designs and plants have one claim, without a number.
    """
    parts: list[tuple[int, list[str]]] = []
    for field in fields:
        if field.group not in ("CLMS", "DCLM") or field.tag == "STM":
            continue
        if field.tag == "NUM":
            parts.append((whole_number(_signs(field.value).rstrip(". ")) or len(parts) + 1, []))
            continue
        if field.group == "DCLM" and not parts:
            parts.append((1, []))
        if parts:
            parts[-1][1].append(_signs(field.value))
    return tuple(make_claim(number, "\n".join(lines)) for number, lines in parts)


_DELETED = re.compile(r"\.\[\..*?\.\]\.", re.DOTALL)


def _signs(text: str) -> str:
    """Replace signs between full stops (.alpha., .degree.) and structures.

    Deletions of a reissue (.[. … .].) are removed, unless nothing is left; additions stay.
    """
    kept = _DELETED.sub("", text)
    text = kept if any(map(str.isalpha, kept)) else text
    text = _INSET.sub(lambda match: placeholder(_INSET_KINDS[match[1]], match[2]), text)
    text = _SCRIPT.sub(_script, text)
    return tidy(_SIGN.sub(lambda match: _SIGNS[match[1]], text))


def _script(match: re.Match[str]) -> str:
    text = _SIGN.sub(lambda sign: _SIGNS[sign[1]], match["text"] or "")
    return raised(text) if match["place"] == "sup" else lowered(text)
