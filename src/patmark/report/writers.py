"""The files that a report can become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from patmark.data import FilePath, ending
from patmark.errors import UsageError, near
from patmark.report.csv import to_csv
from patmark.report.encoding import to_json_text
from patmark.report.html import to_html
from patmark.report.latex import to_latex
from patmark.report.markdown import to_markdown
from patmark.report.xlsx import to_xlsx

if TYPE_CHECKING:
    from patmark.report.model import Report
    from patmark.report.result import Result

WRITERS: Mapping[str, Callable[[Report], str | bytes]] = {
    "html": to_html,
    "xlsx": to_xlsx,
    "csv": to_csv,
    "md": to_markdown,
    "latex": to_latex,
}
"""What makes the content of a file, by the option of the command line that asks for it."""

_BY_ENDING = {".tex": to_latex, **{f".{name}": WRITERS[name] for name in WRITERS}}


def file_content(result: Result, path: FilePath) -> str | bytes:
    """A result in the form that the name of a file ends in."""
    kind = ending(path)
    if kind == ".json":
        return to_json_text(result.to_json())
    if kind not in _BY_ENDING:
        known = [*_BY_ENDING, ".json"]
        raise UsageError(
            f"{path}: no result is written as {kind or 'a file without an ending'}"
            f"{near(kind, known)}; known: {', '.join(known)}"
        )
    return _BY_ENDING[kind](result.to_report())
