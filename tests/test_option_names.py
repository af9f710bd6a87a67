"""Option names belong to the command line: packages below it name settings by their front end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "patmark"
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_FRONT_ENDS = ("app/cli", "app/page")  # the page shows the command line that does the same
ALLOWED = {
    "human/campaign/store/database.py": 3,  # options of pg_dump
    "data/score_tables.py": 1,  # options of sacreBLEU
    "systems/judge/measure.py": 1,  # the documentation of a measure
    "protocols/patsnap/options.py": 1,  # the declaration of an option
}
"""Files with option names that are no settings of a request, and how many."""


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module or template with their lines, without docstrings."""
    if path.suffix == ".j2":
        text = path.read_text(encoding="utf-8").replace("--shade:", "")  # a variable of CSS
        yield from enumerate(text.splitlines(), start=1)
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.value) for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            yield node.lineno, str(node.value)


def found() -> dict[str, list[str]]:
    """Return the strings with option names by file."""
    files = [*ROOT.rglob("*.py"), *ROOT.rglob("*.html.j2")]
    places: dict[str, list[str]] = {}
    for path in sorted(files):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(_FRONT_ENDS):
            for line, text in _strings(path):
                if _OPTION.search(text.partition("patmark ")[0]):  # whole commands are fine
                    places.setdefault(name, []).append(f"{name}:{line}: {text[:120]}")
    return places


def test_no_option_names_below_the_command_line() -> None:
    places = found()
    new = [place for name, of in places.items() for place in of[ALLOWED.get(name, 0) :]]
    assert not new, "name settings with patmark.wording.setting:\n" + "\n".join(new)
    assert {name: len(of) for name, of in places.items()} == ALLOWED
