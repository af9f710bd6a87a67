"""The package as a whole: what it exports, and what it does not import."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import patmark

_SOURCE = Path(patmark.__file__).parent
_ROOMS = ("", "app/", "collections/", "human/", "systems/")
_PACKAGES = sorted(
    stub.parent.relative_to(_SOURCE).as_posix().replace("/", ".")
    for room in _ROOMS
    for stub in _SOURCE.glob(f"{room}*/__init__.pyi")
)


def test_every_package_has_a_public_interface() -> None:
    folders = {
        place.parent.relative_to(_SOURCE).as_posix().replace("/", ".")
        for room in _ROOMS
        for place in _SOURCE.glob(f"{room}*/__init__.py")
    }
    assert folders - set(_PACKAGES) == {"app.cli", "collections", "examples", "human"}


@pytest.mark.parametrize("package", _PACKAGES)
def test_public_names_exist_and_are_sorted(package: str) -> None:
    module = importlib.import_module(f"patmark.{package}")
    assert module.__all__ == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert module.__doc__


def test_top_level_names_exist() -> None:
    for name in patmark.__all__:
        assert getattr(patmark, name) is not None
    with pytest.raises(AttributeError, match="nothing"):
        patmark.nothing  # noqa: B018


@pytest.mark.parametrize("statement", ["import patmark", "import patmark.app.cli.app"])
def test_importing_is_light(statement: str) -> None:
    heavy = "{'numpy', 'scipy', 'rich', 'jinja2', 'rjieba', 'MeCab', 'simplemma', 'zstandard'}"
    program = f"{statement}\nimport sys\nprint({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "set()", done.stderr


def test_examples_in_the_docstring_run() -> None:
    failures, tried = doctest.testmod(patmark)
    assert tried > 0 and failures == 0


def test_the_changelog_begins_with_this_version() -> None:
    changelog = Path(__file__).parents[1] / "CHANGELOG.md"
    first, *_ = re.findall(r"^## (.+)$", changelog.read_text("utf-8"), re.MULTILINE)
    assert re.fullmatch(
        rf"{re.escape(patmark.__version__)} \((Unreleased|\d{{4}}-\d\d-\d\d)\)", first
    )


def test_whoever_cites_patmark_cites_this_version() -> None:
    citation = Path(__file__).parents[1] / "CITATION.cff"
    assert f"\nversion: {patmark.__version__}\n" in citation.read_text(encoding="utf-8")
