"""Option names belong to the command line: packages below it name settings by their front end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "patmark"
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_FRONT_ENDS = ("cli",)
ALLOWED = {
    "campaign/store/database.py": 3,  # options of pg_dump
    "corpus/demo_families.py": 1,  # a comment in a file that is written for the command line
    "data/score_tables.py": 1,  # options of sacreBLEU
    "measures/describing.py": 9,  # example commands of the documentation of measures
    "protocols/patsnap/options.py": 1,  # the declaration of an option
}
"""Files with option names that are no settings of a request, and how many."""
TO_DO: dict[str, int] = {
    "desk/jobs.py": 2,
    "desk/orders.py": 5,
    "judge/measure.py": 2,
    "protocols/studies/patent_ce.py": 5,
    "protocols/studies/wmt21.py": 1,
}
"""Files with strings that still hold option names, and how many; the list only shrinks."""


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
        if name.split("/")[0] not in _FRONT_ENDS:
            for line, text in _strings(path):
                if _OPTION.search(text):
                    places.setdefault(name, []).append(f"{name}:{line}: {text[:120]}")
    return places


def test_no_option_names_below_the_command_line() -> None:
    new = [
        place
        for name, places in found().items()
        for place in places[(ALLOWED | TO_DO).get(name, 0) :]
    ]
    assert not new, "name settings with patmark.wording.setting:\n" + "\n".join(new)
