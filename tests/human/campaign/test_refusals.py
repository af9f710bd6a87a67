"""Refusals that people see are translated, whichever part of a campaign refuses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import patmark.human.campaign
from patmark.wording import catalogue

_FOLDER = Path(patmark.human.campaign.__file__).parent
_SEEN = {"closed", "revoked", "training", "stale", "return-code"}
"""Reasons that a page of ours can meet; the others need a request that no page sends."""


def _refusals() -> Iterator[tuple[str, ast.expr]]:
    """Each refusal of the source code: its reason, and the expression of its message."""
    for path in sorted(_FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name("Refused") | ast.Attribute(attr="__init__"),
                    args=[ast.Constant(value=str(reason)), message],
                ):
                    yield reason, message


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_refusals_that_people_see_are_translated(language: str) -> None:
    words = catalogue(language)
    found = [(reason, message) for reason, message in _refusals() if reason in _SEEN]
    assert {reason for reason, _ in found} == _SEEN
    for reason, message in found:
        assert isinstance(message, ast.Call), reason
        assert isinstance(message.func, ast.Name) and message.func.id == "tr", reason
        [text] = message.args
        assert isinstance(text, ast.Constant) and words[str(text.value)], (reason, ast.dump(text))
