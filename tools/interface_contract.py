"""An import contract: a room is entered through its ``__init__.py`` alone.

``lint-imports`` reads it; pyproject.toml names it under ``contract_types``.
"""

from __future__ import annotations

import ast
from pathlib import Path

import grimp
from importlinter import Contract, ContractCheck, output

_SOURCE = Path(__file__).parents[1] / "src"


class FaceContract(Contract):
    """No module imports a module inside another room."""

    type_name = "faces"

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Every import from outside a room that goes past its face."""
        faces = {name: _face(name) for name in map(_room, graph.modules)}
        past = sorted(
            (importer, imported)
            for imported in graph.modules
            if _inside(imported) and faces[_room(imported)]
            for importer in graph.find_modules_that_directly_import(imported)
            if _room(importer) != _room(imported)
            and _inside(imported) not in faces[_room(imported)]
        )
        return ContractCheck(kept=not past, metadata={"past": past})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Which import to change, and to what."""
        for importer, imported in check.metadata["past"]:
            output.print_error(f"{importer} imports {imported}: import from {_room(imported)}")


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _inside(module: str) -> str:
    """The name of a module within its room; empty for the room itself."""
    return ".".join(module.split(".")[2:])


def _face(room: str) -> frozenset[str]:
    """The names that a room shows; a name may be that of its module, as ``compare`` is."""
    stub = _SOURCE.joinpath(*room.split("."), "__init__.pyi")
    if not stub.is_file():
        return frozenset()
    imports = ast.parse(stub.read_text(encoding="utf-8")).body
    return frozenset(
        alias.name for one in imports if isinstance(one, ast.ImportFrom) for alias in one.names
    )
