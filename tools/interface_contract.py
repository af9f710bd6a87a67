"""An import contract: a package is imported through its ``__init__.pyi`` alone.

``lint-imports`` reads it; pyproject.toml names it under ``contract_types``.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import grimp
from importlinter import Contract, ContractCheck, output

_SOURCE = Path(__file__).parents[1] / "src"


class InterfaceContract(Contract):
    """No module imports a private module of another package."""

    type_name = "interfaces"

    def check(self, graph: grimp.ImportGraph, verbose: bool) -> ContractCheck:
        """Return every import of another package that bypasses its public interface."""
        public = {name: _public_names(name) for name in map(_package, graph.modules)}
        private = sorted(
            (importer, imported)
            for imported in graph.modules
            if _relative_name(imported) and public[_package(imported)]
            for importer in graph.find_modules_that_directly_import(imported)
            if _package(importer) != _package(imported)
            and _relative_name(imported) not in public[_package(imported)]
        )
        return ContractCheck(kept=not private, metadata={"private": private})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Print each import to change, and the package to import from."""
        for importer, imported in check.metadata["private"]:
            output.print_error(f"{importer} imports {imported}: import from {_package(imported)}")


@cache
def _package(module: str) -> str:
    """Return the innermost package with a public interface that holds a module."""
    parts = module.split(".")
    inner = (".".join(parts[:size]) for size in range(len(parts), 1, -1))
    return next(filter(_is_public, inner), ".".join(parts[:2]))


def _is_public(package: str) -> bool:
    return _SOURCE.joinpath(*package.split("."), "__init__.pyi").is_file()


def _relative_name(module: str) -> str:
    """Return the name of a module within its package, empty for the package itself."""
    return module.removeprefix(_package(module)).removeprefix(".")


def _public_names(package: str) -> frozenset[str]:
    """Return the public names of a package; ``compare`` is the name of a module, too."""
    stub = _SOURCE.joinpath(*package.split("."), "__init__.pyi")
    if not stub.is_file():
        return frozenset()
    imports = ast.parse(stub.read_text(encoding="utf-8")).body
    return frozenset(
        alias.name for item in imports if isinstance(item, ast.ImportFrom) for alias in item.names
    )
