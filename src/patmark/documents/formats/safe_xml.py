"""XML of unknown origin: parsed without entities, network or document type definitions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, TypeAlias

from patmark.catalogue import load_library
from patmark.errors import InputError

Element: TypeAlias = Any
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parse_xml(data: bytes, origin: str) -> Element:
    """Return the root of a document; refuse one that declares entities or is not well-formed."""
    etree = load_library("lxml.etree", "documents")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, strip_cdata=False
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise InputError.at(f"is not well-formed XML: {error.msg}", origin, error.lineno) from None
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        raise InputError.at("declares entities, which are refused: they can be bombs", origin)
    unknown = next(root.iter(etree.Entity), None)
    if unknown is not None:
        raise InputError.at(f"uses the unknown entity {unknown.text}", origin, unknown.sourceline)
    return root


def without_forbidden(text: str) -> str:
    """Return a text without the characters that XML forbids."""
    return _FORBIDDEN.sub("", text)


@lru_cache(maxsize=4096)
def local_name(tag: object) -> str:
    """Return the name of an element without its namespace; empty for comments and the like."""
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def children(element: Element, *names: str) -> list[Element]:
    """Return the children of an element with these local names."""
    return [child for child in element if local_name(child.tag) in names]


def child(element: Element | None, *path: str) -> Element | None:
    """Return the first descendant at a path of local names; None if there is none."""
    for name in path:
        if element is None:
            return None
        element = next(iter(children(element, name)), None)
    return element


def attribute(element: Element | None, name: str) -> str | None:
    """Return an attribute by its local name; None if there is none."""
    if element is None:
        return None
    return next((value for key, value in element.items() if local_name(key) == name), None)


def integer(text: str | None, default: int, base: int = 10) -> int:
    """Return the number that an attribute holds; the default for anything else."""
    try:
        return int(text or "", base)
    except ValueError:
        return default
