"""An HTML page, read as a parser reads it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """Collects elements, and the text of each script."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text = ""
        self.in_script = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.in_script = tag == "script"
        if self.in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts[-1] += data
        self.text += data

    def data(self) -> dict[str, Any]:
        loaded: dict[str, Any] = json.loads(self.scripts[1])
        return loaded


def hashes(scripts: list[str]) -> set[str]:
    """The names that a content policy has for these scripts."""
    digests = (hashlib.sha256(script.encode("utf-8")).digest() for script in scripts)
    return {f"sha256-{base64.b64encode(digest).decode('ascii')}" for digest in digests}


def allowed_scripts(html: str) -> set[str]:
    """The scripts that the content policy of a page names; nothing else may be allowed."""
    policy = next(
        attributes["content"]
        for _, attributes in Page(html).elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    return set(re.findall(r"'(sha256-[^']+)'", policy))
