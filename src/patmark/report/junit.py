"""Results of gates as JUnit XML, which CI systems show as tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol
from xml.etree import ElementTree

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class GateVerdict(Protocol):
    """The result of a gate for one measure of one system."""

    @property
    def gate(self) -> str: ...
    @property
    def measure(self) -> str: ...
    @property
    def system(self) -> str: ...
    @property
    def passed(self) -> bool: ...
    @property
    def message(self) -> str: ...


def to_junit(results: Sequence[GateVerdict], name: str = "patmark") -> str:
    """Return one test case per gate result, with its message whether it passed or not.

    The same results give the same text, as no times are in it.
    """
    counts = {
        "tests": str(len(results)),
        "failures": str(sum(not result.passed for result in results)),
    }
    root = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(root, "testsuite", {"name": _clean(name), **counts})
    for result in results:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            {
                "classname": _clean(f"{name}.{result.gate}"),
                "name": _clean(f"{result.measure} of {result.system}"),
            },
        )
        message = _clean(result.message)
        if result.passed:
            ElementTree.SubElement(case, "system-out").text = message
        else:
            failure = ElementTree.SubElement(
                case, "failure", {"message": message, "type": result.gate}
            )
            failure.text = message
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _clean(text: str) -> str:
    """Replace the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)
