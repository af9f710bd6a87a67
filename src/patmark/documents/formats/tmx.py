"""Translation memories: TMX 1.4b, also with more than two languages."""

from __future__ import annotations

from collections.abc import Iterator

from patmark.data import FilePath, read_bytes, shown
from patmark.documents.formats.bilingual import SegmentPair, bilingual_document, empty_targets
from patmark.documents.formats.safe_xml import (
    Element,
    attribute,
    child,
    children,
    local_name,
    parse_xml,
)
from patmark.documents.model import BilingualDocument
from patmark.errors import InputError, UsageError
from patmark.languages import language_code
from patmark.wording import setting

_CODES = frozenset(("bpt", "ept", "ph", "it", "ut"))
_ANY = "*all*"


def read_tmx(path: FilePath, languages: tuple[str, str] | None = None) -> BilingualDocument:
    """Read the units that have both languages, or one of them.

    Without ``languages`` the file must have two; its own source language comes first.
    """
    root = parse_xml(read_bytes(path), shown(path))
    if local_name(root.tag) != "tmx":
        message = f"is XML, but no TMX: its root is {local_name(root.tag)}"
        raise InputError.at(message, shown(path))
    units = [dict(_variants(unit)) for unit in root.iter("{*}tu")]
    found = list(dict.fromkeys(language for unit in units for language in unit))
    source, target = languages or _pair(root, found, shown(path))
    missing = [language for language in (source, target) if language not in found]
    if missing:
        message = f"has no text in {' or '.join(missing)}; it has {', '.join(found) or 'none'}"
        raise InputError.at(message, shown(path))
    segments = [
        SegmentPair(unit.get("tuid") or str(place), texts.get(source, ""), texts.get(target, ""))
        for place, (unit, texts) in enumerate(zip(root.iter("{*}tu"), units, strict=True), 1)
        if source in texts or target in texts
    ]
    return bilingual_document(shown(path), segments, (source, target), empty_targets(segments))


def _pair(root: Element, found: list[str], origin: str) -> tuple[str, str]:
    if len(found) != 2:
        given = setting("lang", "zh-en")
        message = f"has {len(found)} languages ({', '.join(found)}); choose two with {given}"
        raise InputError.at(message, origin)
    declared = attribute(child(root, "header"), "srclang") or _ANY
    first = next((one for one in found if declared != _ANY and one == _code(declared)), found[0])
    return first, next(one for one in found if one != first)


def _variants(unit: Element) -> Iterator[tuple[str, str]]:
    """Yield languages and texts of a unit; of two variants of a language the first counts."""
    seen = set()
    for variant in children(unit, "tuv"):
        language = _code(attribute(variant, "lang") or "")
        segment = child(variant, "seg")
        if segment is not None and language not in seen:
            seen.add(language)
            yield language, tmx_text(segment)


def _code(name: str) -> str:
    try:
        return language_code(name)
    except UsageError:
        return name.lower()


def tmx_text(element: Element) -> str:
    """Return the text of a segment without codes, but with the text of subflows inside them."""
    pieces = [element.text or ""]
    for node in element:
        name = local_name(node.tag)
        if name in _CODES:
            pieces += [tmx_text(sub) for sub in children(node, "sub")]
        elif name:
            pieces.append(tmx_text(node))
        pieces.append(node.tail or "")
    return "".join(pieces)
