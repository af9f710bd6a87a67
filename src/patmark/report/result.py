"""The base class of all results: report, JSON, frames, drawings, and the file formats.

A new format is one line of `REPORT_FORMATS`: option, file ending, writer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from patmark.errors import UsageError, near

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.report.model import Report
    from patmark.report.svg import Svg

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


REPORT_FORMATS = (
    ReportFormat("html", ".html", "html:to_html", True, "Write a self-contained HTML report."),
    ReportFormat("xlsx", ".xlsx", "xlsx:to_xlsx", True, _WORKBOOK),
    ReportFormat("csv", ".csv", "frames:to_csv", True, "Write the tables as CSV."),
    ReportFormat("md", ".md", "markdown:to_markdown", True, "Write the tables as Markdown."),
    ReportFormat("latex", ".tex", "latex:to_latex", False, "Write the tables as LaTeX."),
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


_WIDTH, _LINES = 100, 24


class Result:
    """The base of all results: repr, notebook page, frames, drawings and files.

    A subclass defines ``to_report`` and ``to_json``; the rest follows.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Keep dataclasses from writing a repr of their own, which would show every segment."""
        super().__init_subclass__()
        if "__repr__" not in vars(cls):
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def to_report(self) -> Report:
        """Return the result for people."""
        raise NotImplementedError

    def to_json(self) -> Mapping[str, Any]:
        """Return the result for programs."""
        raise NotImplementedError

    @property
    def incomplete(self) -> str:
        """The reason why rows have no result; empty if all have one."""
        return ""

    def __repr__(self) -> str:
        from patmark.report.terminal import one_screen, to_text

        return to_text(one_screen(self.to_report(), _WIDTH, _LINES)[0], _WIDTH).rstrip()

    def _repr_html_(self) -> str:
        """Render the answer and the first tables for a notebook, without scripts."""
        from patmark.report.notebook import light_html
        from patmark.report.terminal import one_screen

        return light_html(*one_screen(self.to_report(), _WIDTH, _LINES))

    def to_frame(self, table: str | int = 0, *, library: str | None = None) -> Any:
        """Return a table of the report as a DataFrame of pandas, or else of polars.

        Tables have titles and positions; ``"segments"`` is the one of all segments, where the
        report has them. An interval becomes two further columns.
        """
        from patmark.report.frames import chosen_table, frame_of

        return frame_of(chosen_table(self.to_report(), table), library)

    def plot(self, what: str | int = 0) -> Svg:
        """Draw a chart of the report by title or position, or the values of a column by its title.

        A report without charts shows the first column that has numbers.
        """
        from patmark.report.svg import chosen_chart, to_svg

        report = self.to_report()
        return to_svg(chosen_chart(report, what), report.language)

    def write_report(self, path: FilePath) -> None:
        """Write the report: .html, .xlsx, .csv, .md, .tex or .json, as its name ends."""
        from patmark.data import write_atomically
        from patmark.report.result import file_content

        write_atomically(path, file_content(self, path))
