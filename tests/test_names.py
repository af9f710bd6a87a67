"""Public class names are unique across packages: one name, one thing."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "patmark"


def duplicates() -> dict[str, list[str]]:
    """Return the places of every public class name that is defined more than once."""
    places: dict[str, list[str]] = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    return {name: found for name, found in places.items() if len(found) > 1}


def test_public_class_names_are_unique() -> None:
    assert duplicates() == {}


def test_general_packages_name_no_bench() -> None:
    """What belongs to one bench stands in its protocol."""
    general = ("data", "evaluation", "judgements", "report", "retrieval", "stats", "systems")
    named = [
        path.relative_to(ROOT).as_posix()
        for package in general
        for path in sorted((ROOT / package).rglob("*.py*"))
        if path.suffix in (".py", ".pyi") and "patsnap" in path.read_text(encoding="utf-8").lower()
    ]
    assert named == []
