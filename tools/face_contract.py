"""An import contract: a room is entered through its ``__init__.py`` alone.

``lint-imports`` reads it; pyproject.toml names it under ``contract_types``.
"""

from __future__ import annotations

import grimp
from importlinter import Contract, ContractCheck, output


class FaceContract(Contract):
    """No module imports a module inside another room."""

    type_name = "faces"

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Every import from outside a room that goes past its face."""
        past = sorted(
            (importer, imported)
            for imported in graph.modules
            if imported.count(".") > 1
            for importer in graph.find_modules_that_directly_import(imported)
            if _room(importer) != _room(imported)
        )
        return ContractCheck(kept=not past, metadata={"past": past})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Which import to change, and to what."""
        for importer, imported in check.metadata["past"]:
            output.print_error(f"{importer} imports {imported}: import from {_room(imported)}")


def _room(module: str) -> str:
    return ".".join(module.split(".")[:2])
