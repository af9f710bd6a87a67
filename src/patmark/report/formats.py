"""The file formats of reports: option, file ending, writer. A new format is one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

from patmark.errors import UsageError, near

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.report.model import Report
    from patmark.report.result import Result


_WORKBOOK = "Write a workbook: the answer, and a sheet per table."


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A file format of reports.

    ``writer`` is a function of this package as ``module:name``. ``is_full`` is True if the format
    shows more than the main tables of a comparison.
    """

    option: str
    ending: str
    writer: str
    is_full: bool
    help: str

    def render(self, report: Report) -> str | bytes:
        """Return the content of a file."""
        module, _, name = self.writer.partition(":")
        write = getattr(import_module(f"patmark.report.{module}"), name)
        return cast("Callable[[Report], str | bytes]", write)(report)


REPORT_FORMATS = tuple(
    ReportFormat(*line)
    for line in (
        ("html", ".html", "html:to_html", True, "Write a self-contained HTML report."),
        ("xlsx", ".xlsx", "xlsx:to_xlsx", True, _WORKBOOK),
        ("csv", ".csv", "csv:to_csv", True, "Write the tables as CSV."),
        ("md", ".md", "markdown:to_markdown", True, "Write the tables as Markdown."),
        ("latex", ".tex", "latex:to_latex", False, "Write the tables as LaTeX."),
    )
)


def file_content(result: Result, path: FilePath) -> str | bytes:
    """Return a result in the format of a file's ending; ``.json`` holds it for programs."""
    from patmark.data import ending
    from patmark.report.json import to_json_text

    kind = ending(path)
    if kind == ".json":
        return to_json_text(result.to_json())
    formats = {one.ending: one for one in REPORT_FORMATS}
    if kind not in formats:
        known = [*formats, ".json"]
        raise UsageError(
            f"{path}: no result is written as {kind or 'a file without an ending'}"
            f"{near(kind, known)}; known: {', '.join(known)}"
        )
    return formats[kind].render(result.to_report())
