"""Option names belong to the command line: packages below it name settings by their front end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "patmark"
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
_FRONT_ENDS = ("cli",)
TO_DO: dict[str, int] = {
    "campaign/store/database.py": 3,
    "corpus/demo_families.py": 1,
    "data/patsnap.py": 3,
    "data/score_tables.py": 1,
    "data/tables.py": 1,
    "desk/jobs.py": 6,
    "desk/orders.py": 9,
    "evaluation/comparison_tables.py": 3,
    "evaluation/data_quality.py": 1,
    "evaluation/evaluation.py": 3,
    "evaluation/gates.py": 1,
    "evaluation/guessing.py": 5,
    "evaluation/imported.py": 6,
    "evaluation/meta/panel.py": 5,
    "evaluation/meta/report.py": 1,
    "evaluation/meta/segments.py": 2,
    "evaluation/meta/significance.py": 1,
    "evaluation/protocol.py": 8,
    "evaluation/saved.py": 1,
    "judge/measure.py": 3,
    "judge/probe.py": 1,
    "judge/translations.py": 5,
    "measures/base.py": 6,
    "measures/command.py": 1,
    "measures/describing.py": 9,
    "measures/registry.py": 1,
    "protocols/patsnap/building.py": 1,
    "protocols/patsnap/options.py": 1,
    "protocols/patsnap/protocol.py": 6,
    "protocols/studies/patent_ce.py": 5,
    "protocols/studies/wmt21.py": 1,
    "stats/resampling.py": 1,
    "systems/base.py": 3,
    "systems/chat.py": 1,
    "systems/cleaning.py": 1,
    "systems/command.py": 3,
    "systems/dictionary.py": 2,
    "systems/huggingface.py": 4,
    "systems/journal.py": 2,
    "systems/run.py": 9,
    "systems/service.py": 8,
    "text/tokenizers.py": 2,
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
    new = [place for name, places in found().items() for place in places[TO_DO.get(name, 0) :]]
    assert not new, "name settings with patmark.wording.setting:\n" + "\n".join(new)
