"""XML and SGML records to trees, safely, and trees to text.

Nothing outside a record is ever opened, and no declared entity is expanded: the DOCTYPE is removed
before parsing, and named characters come from a fixed table. Faults in real files are repaired and
noted: a bare ``&``, a ``<`` that begins no tag, unknown character names, control characters,
prefixes without a declaration.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from html.entities import html5
from typing import Any, TypeAlias

from patmark.catalogue import load_library
from patmark.data import placeholder
from patmark.errors import InputError

_GREEK_NAMES = "a b g d e z ee th i k l m n x o p r s t u ph kh ps oh"
_GREEK_LETTERS = "αβγδεζηθικλμνξοπρστυφχψω"
_GREEK_CAPITALS = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩ"
_USPTO = {
    "sfgr": "ς",
    "gsdot": "⋅",
    "apse": "≃",
    "cuberoot": "∛",
    "Circlesolid": "●",
    "thinsp": "\u2009",
    "emsp14": "\u2005",
    "mgr": "μ",
}
Element: TypeAlias = Any
_NAME = r"[A-Za-z_][\w.:-]*"
_DECLARED_ENCODING = re.compile(rb"""<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)["']""")
_DECLARATION = re.compile(r"\s*<\?xml\s.*?\?>", re.DOTALL)
_SKIPPED = re.compile(r"(?:\s|<!--.*?-->|<\?.*?\?>)++", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE\s[^\[>]*(?:\[.*?\]\s*)?>", re.DOTALL)
# unclosed constructs extend to the end, so that hostile records take only linear time
_OPAQUE = r"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)"
_REFERENCE = re.compile(rf"{_OPAQUE}|&(?:(#\d+|#[xX][0-9a-fA-F]+|{_NAME});)?", re.DOTALL)
_MARKUP = re.compile(
    rf"{_OPAQUE}|<\?.*?(?:\?>|\Z)"
    rf"|</{_NAME}\s*>|<{_NAME}(?:\s+{_NAME}\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'))*\s*/?>|<",
    re.DOTALL,
)
_ROOT = re.compile(rf"<({_NAME})")
_START_TAG = re.compile(rf"<({_NAME})((?:\s[^<>]*)?)>")
_END_TAG = re.compile(rf"</({_NAME})")
_PREFIX = re.compile(r"</?([A-Za-z_][\w.-]*):")
_OF_XML = {"amp", "lt", "gt", "quot", "apos"}
# characters and references that XML forbids
_CONTROL = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]"
    "|&#0*(?:[0-8]|1[124-9]|2\\d|3[01]);"
    "|&#[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|[dD][89a-fA-F][0-9a-fA-F]{2});"
)
_WIDER = {
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
_BLOCK = "\x1e"
_INDEX, _INDEX_END = "\x1c", "\x1d"
_AN_INDEX = re.compile(f"{_INDEX}([^{_INDEX}{_INDEX_END}]*){_INDEX_END}")
_LINES = "p li list-item row tr dt dd br claim-text claimtext clmstep para paragraph paragraphs"
_BLOCKS = frozenset((*_LINES.split(), "heading", "h"))
_INLINE_PARENT = "dependent-claim-reference"  # "claim 1" in a claim-text of its own (PAP)
_RAISED = frozenset(("sup", "sp", "superscript"))
_LOWERED = frozenset(("sub", "sb", "subscript"))
_SUPERSCRIPTS = dict(zip("0123456789+-−=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱ", strict=True))
_SUBSCRIPTS = dict(zip("0123456789+-−=()n", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₙ", strict=True))
# ordinals, marks, and texts that are not short
_NO_SCRIPT = re.compile(
    r"st|nd|rd|th|tm|sm|\(r\)|[^\w()+=−-]*|.*[⟦\x1e].*", re.IGNORECASE | re.DOTALL
)
_INSETS = {
    "formula": "maths math us-math math-us math-cwu inline-formula",
    "table": "tables table table-us table-cwu oletable tabledetails",
    "chemistry": "chemistry us-chemistry chem-us chemistry-cwu chemistry-us chemicalformulae",
    "image": "img image figure emi drawing custom-character",
    "sequence": "sequence-list sequence-list-doc sequence-cwu sequence-us seqlst-us "
    "sequencelisttext",
    "program": "computer-code program-listing-reference",
}
_KINDS = {name: kind for kind, names in _INSETS.items() for name in names.split()}
_DROPPED = {
    "boundarydata",
    "claimlabeltext",
    "number",
    "claimnumber",
    "claimstatuscategory",
    "claimtypecategory",
}
_CJK = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_CJK_BREAK = re.compile(rf"(?<={_CJK})[ \t]*[\r\n]\s*(?={_CJK})")
_SPACE = re.compile(r"[ \t\r\n\f\v]+")


@cache
def entity_table() -> dict[str, str]:
    """Return characters by their names (without & and ;).

    The names are those of ISO 8879 (public sets isolat, isonum, isopub, isotech, isobox, isogrk)
    and a few of the USPTO. Python's table of HTML names holds most of the ISO sets; the Greek
    letters of isogrk1, which older US files use for α, β, μ, are added here.
    """
    table = {name[:-1]: text for name, text in html5.items() if name.endswith(";")}
    for name, small, capital in zip(
        _GREEK_NAMES.split(), _GREEK_LETTERS, _GREEK_CAPITALS, strict=True
    ):
        table[f"{name}gr"] = small
        table[f"{name.upper()}gr"] = capital
    return table | _USPTO


@dataclass(frozen=True, slots=True)
class XmlRecord:
    """The tree of a record, with local names only, and notes on repairs."""

    root: Element
    notes: tuple[str, ...]


def parse_record(data: bytes) -> XmlRecord:
    """Parse one record; raise InputError if it is not one well-formed document."""
    text = decode_record(data)
    declared = _DECLARATION.match(text)
    body = _without_prolog(text[declared.end() :] if declared else text)
    root = _ROOT.search(body)
    if root is None:
        raise InputError.at("no element: this is not XML or SGML")
    body, notes = _replace_references(body)
    body, count = _CONTROL.subn("", body)
    if count:
        notes.append(f"{count} × control character left out")
    if declared is None and root[1] == "PATDOC":
        body = _close_empty_elements(body)
    tree, repairs = _tree(_declare_prefixes(body))
    return XmlRecord(_with_local_names(tree), (*notes, *repairs))


def _without_prolog(body: str) -> str:
    """Remove comments and the DOCTYPE before the first element, with its declarations.

    A DOCTYPE may be commented out, and another one follow.
    """
    at = 0
    while True:
        skipped = _SKIPPED.match(body, at)
        at = skipped.end() if skipped else at
        doctype = _DOCTYPE.match(body, at)
        if doctype is None:
            return body[at:]
        at = doctype.end()


def decode_record(data: bytes) -> str:
    """Decode a record by byte order mark, declaration, or UTF-8."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        name = "utf-16"
    else:
        declared = _DECLARED_ENCODING.search(data[:400])
        name = declared[1].decode("ascii").lower() if declared else "utf-8"
        if name.startswith(("utf-16", "utf16")):
            name = "utf-8"  # the declaration could be read byte by byte: it is wrong
    try:
        text = data.decode(_WIDER.get(name, name))
    except LookupError:
        raise InputError.at(f"the declared encoding {name!r} is not known") from None
    except UnicodeDecodeError as error:
        raise InputError.at(
            f"byte {error.start + 1} of the record (0x{data[error.start]:02x}) is not {name}"
        ) from None
    return text.strip("\ufeff")


def _replace_references(body: str) -> tuple[str, list[str]]:
    """Replace named characters, drop comments; keep and note other names and bare ampersands."""
    table = entity_table()
    kept: Counter[str] = Counter()

    def replaced(match: re.Match[str]) -> str:
        whole, name = match[0], match[1]
        if whole.startswith("<!--"):
            return ""  # SGML comments may contain characters that XML refuses
        if whole.startswith("<") or (name and (name in _OF_XML or name.startswith("#"))):
            return whole
        known = table.get(name) or (
            table.get(name.capitalize()) if (name or "").isupper() else None
        )
        if known:
            return known.replace("&", "&amp;").replace("<", "&lt;")
        kept[whole] += 1
        return "&amp;" + whole[1:]

    body = _REFERENCE.sub(replaced, body)
    notes = [
        f"{count} × bare & read as a character"
        if whole == "&"
        else f"{count} × {whole} is no known character; kept as text"
        for whole, count in sorted(kept.items())
    ]
    return body, notes


def _close_empty_elements(body: str) -> str:
    """Close the empty elements of SGML: those that have no end tag anywhere."""
    closed = set(_END_TAG.findall(body))

    def closing(match: re.Match[str]) -> str:
        name, rest = match[1], match[2]
        open_still = name not in closed and not rest.endswith("/")
        return f"<{name}{rest}/>" if open_still else match[0]

    return _START_TAG.sub(closing, body)


def _declare_prefixes(body: str) -> str:
    """Declare the prefixes of a record that was cut out of a file."""
    missing = sorted(
        prefix for prefix in set(_PREFIX.findall(body)) if f"xmlns:{prefix}" not in body
    )
    if not missing:
        return body
    root = _ROOT.search(body)
    at = root.end() if root else 0
    declared = "".join(f' xmlns:{prefix}="urn:undeclared:{prefix}"' for prefix in missing)
    return body[:at] + declared + body[at:]


def _tree(body: str) -> tuple[Element, list[str]]:
    etree = load_library("lxml.etree", "corpus")

    def parsed(text: str) -> Element:
        parser = etree.XMLParser(
            load_dtd=False, no_network=True, resolve_entities=False, remove_comments=True
        )
        return etree.fromstring(text.strip().encode(), parser)

    try:
        return parsed(body), []
    except etree.XMLSyntaxError as error:
        repaired, count = _escape_lone_brackets(body)
        if count:
            try:
                return parsed(repaired), [f"{count} × < that begins no tag read as a character"]
            except etree.XMLSyntaxError:
                pass
        raise InputError.at(f"not well-formed: {error.msg}") from None


def _escape_lone_brackets(body: str) -> tuple[str, int]:
    count = 0

    def escaped(match: re.Match[str]) -> str:
        nonlocal count
        if match[0] != "<":
            return match[0]
        count += 1
        return "&lt;"

    return _MARKUP.sub(escaped, body), count


def _with_local_names(root: Element) -> Element:
    """Reduce tags to local names; offices change prefixes between versions."""
    for element in root.iter():
        if isinstance(element.tag, str):
            if element.tag.startswith("{"):
                element.tag = element.tag.rpartition("}")[2]
            for name in [name for name in element.attrib if name.startswith("{")]:
                element.attrib[name.rpartition("}")[2]] = element.attrib.pop(name)
    return root


def text_of(element: Element | None) -> str:
    """Return the text of an element: a line per block, placeholders for formulas and images."""
    if element is None:
        return ""
    return tidy("".join(_inside(element)))


def _inside(element: Element) -> list[str]:
    pieces = [element.text or ""]
    for child in element:
        pieces.extend(_pieces(child))
        pieces.append(child.tail or "")
    return pieces


def _pieces(element: Element) -> list[str]:
    if not isinstance(element.tag, str):
        return []
    name = element.tag.lower()
    if name in _DROPPED:
        return []
    kind = _KINDS.get(name)
    if kind:
        return [placeholder(kind, element.get("id") or element.get("ID") or "")]
    inside = _inside(element)
    if name in _RAISED:
        return [raised("".join(inside))]
    if name in _LOWERED:
        return [lowered("".join(inside))]
    if name not in _BLOCKS or next(element.iterancestors(_INLINE_PARENT), None) is not None:
        return inside
    return [_BLOCK, *inside, _BLOCK]


def raised(text: str) -> str:
    """Return an exponent or superscript as plain text, so that 10 to the 18th never becomes 1018.

    >>> raised("18"), raised("x+1"), raised("th"), raised("A")
    ('¹⁸', '^(x+1)', 'th', '^A')
    """
    return _script(text, _SUPERSCRIPTS, "^")


def lowered(text: str) -> str:
    """Mark an index for ``tidy``: plain (H2O, C1-6), but never joined to a number.

    >>> tidy("H" + lowered("2") + "O, 10" + lowered("2") + ", x" + lowered("1") + "0")
    'H2O, 10₂, x₁0'
    """
    return f"{_INDEX}{text}{_INDEX_END}"


def _index(match: re.Match[str]) -> str:
    before = match.string[match.start() - 1 : match.start()]
    after = match.string[match.end() : match.end() + 1]
    text = match[1]
    joins = (before.isdecimal() and text[:1].isdecimal()) or (
        text[-1:].isdecimal() and after.isdecimal()
    )
    return _script(text, _SUBSCRIPTS, "_") if joins else text


def _script(text: str, table: dict[str, str], mark: str) -> str:
    plain = text.strip()
    if _NO_SCRIPT.fullmatch(plain):
        return text
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    if all(sign in table for sign in plain):
        shown = "".join(table[sign] for sign in plain)
    else:
        shown = f"{mark}{plain}" if plain.isalnum() else f"{mark}({plain})"
    return f"{before}{shown}{after}"


def inset_of(element: Element) -> str:
    """Return the placeholder of an element that is a formula, table or image; else empty."""
    return "".join(_pieces(element)) if element.tag.lower() in _KINDS else ""


def tidy(text: str) -> str:
    """Collapse layout: blanks and line ends are removed, blocks become lines."""
    while _INDEX in text:
        text, count = _AN_INDEX.subn(_index, text)
        if not count:
            break
    lines = (
        _SPACE.sub(" ", _CJK_BREAK.sub("", block)).strip(" \u3000\u00a0")
        for block in text.split(_BLOCK)
    )
    return "\n".join(line for line in lines if line)


def child_text(element: Element | None, path: str) -> str:
    """Return the text at a path below an element, empty when there is none."""
    return "" if element is None else text_of(element.find(path))


def iso_date(text: str) -> str:
    """Return 20060719 or 2006-07-19 as an ISO date, cut to the parts that are known.

    >>> iso_date("20060719"), iso_date("19780700"), iso_date("")
    ('2006-07-19', '1978-07', '')
    """
    digits = re.sub(r"\D", "", text)[:8]
    if len(digits) < 4 or digits.startswith("00"):
        return ""
    parts = [digits[:4], digits[4:6], digits[6:8]]
    known = [parts[0]]
    for part in parts[1:]:
        if len(part) < 2 or part == "00":
            break
        known.append(part)
    return "-".join(known)
