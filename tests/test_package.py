"""The package as a whole: what it exports, and what it does not import."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys

import pytest

import patmark

_ROOMS = ["data", "text", "measures", "stats", "llm", "human", "claims", "retrieval", "corpus",
          "systems", "protocols", "report"]  # fmt: skip


@pytest.mark.parametrize("room", _ROOMS)
def test_public_names_exist_and_are_sorted(room: str) -> None:
    module = importlib.import_module(f"patmark.{room}")
    assert list(module.__all__) == sorted(module.__all__, key=_ruff_order)
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert module.__doc__


def _ruff_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def test_top_level_names_exist() -> None:
    for name in patmark.__all__:
        assert getattr(patmark, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        patmark.nothing  # noqa: B018


@pytest.mark.parametrize("statement", ["import patmark", "import patmark.cli.app"])
def test_importing_is_light(statement: str) -> None:
    heavy = "{'numpy', 'scipy', 'rich', 'jinja2', 'rjieba', 'MeCab', 'simplemma', 'zstandard'}"
    program = f"{statement}\nimport sys\nprint({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


def test_examples_in_the_docstring_run() -> None:
    failures, tried = doctest.testmod(patmark)
    assert tried > 0 and failures == 0
