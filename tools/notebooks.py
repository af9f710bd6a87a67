"""Run the notebooks of the documentation and keep what they show.

    python tools/notebooks.py

Cells run in one process, in a folder of `patmark examples`, without Jupyter: a cell shows what it
prints, and its last expression as a notebook would.
"""

from __future__ import annotations

import ast
import io
import json
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from patmark.examples import write_examples

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"
_FORMS = {"_repr_html_": "text/html", "_repr_svg_": "image/svg+xml"}


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Run a notebook and return it with the outputs of its cells."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number, before = [], 0, Path.cwd()
    with TemporaryDirectory() as folder:
        write_examples(Path(folder))
        os.chdir(folder)
        try:
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    number += 1
                    outputs = _outputs("".join(cell["source"]), names, number)
                    cell = {**cell, "execution_count": number, "outputs": outputs}
                cells.append(cell)
        finally:
            os.chdir(before)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    found: list[dict[str, Any]] = []
    if text := printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(text)})
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        for method, form in _FORMS.items():
            if shown := getattr(value, method, None):
                data[form] = _lines(shown())
        about = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
        found.append({**about, "data": data})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> int:
    """Run all notebooks again."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        done = executed(json.loads(path.read_text(encoding="utf-8")))
        text = json.dumps(done, ensure_ascii=False, indent=1) + "\n"
        path.write_text(text, encoding="utf-8")
        print(f"{path.name}: {len(text.encode()):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
