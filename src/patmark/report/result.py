"""The base class of all results: report, JSON, frames, drawings, files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.report.model import Report
    from patmark.report.svg import Svg

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
        from patmark.report.formats import file_content

        write_atomically(path, file_content(self, path))
