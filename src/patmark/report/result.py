"""What every result can do, whatever it is about, and the files that it can become."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.report.model import Report
    from patmark.report.svg import Svg

_WIDTH, _LINES = 100, 24


class Result:
    """The base of all results: a short text, a light page for notebooks, frames, drawings, files.

    A result says how it becomes a report; the rest follows.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        """Keep dataclasses from writing a repr of their own, which would show every segment."""
        super().__init_subclass__()
        if "__repr__" not in vars(cls):
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]

    def to_report(self) -> Report:
        """The result for people."""
        raise NotImplementedError

    def to_json(self) -> Mapping[str, Any]:
        """The result for programs."""
        raise NotImplementedError

    def __repr__(self) -> str:
        from patmark.report.terminal import one_screen, to_text

        return to_text(one_screen(self.to_report(), _WIDTH, _LINES)[0], _WIDTH).rstrip()

    def _repr_html_(self) -> str:
        """What a notebook shows: the answer and the first tables, without scripts."""
        from patmark.report.notebook import light_html
        from patmark.report.terminal import one_screen

        return light_html(*one_screen(self.to_report(), _WIDTH, _LINES))

    def to_frame(self, table: str | int = 0, *, library: str | None = None) -> Any:
        """A table of the report as a DataFrame of pandas, or else of polars.

        Tables have titles and positions; ``"segments"`` is the one of all segments, where the
        report has them. An interval becomes two further columns.
        """
        from patmark.report.frames import chosen_table, frame_of

        return frame_of(chosen_table(self.to_report(), table), library)

    def plot(self, what: str | int = 0) -> Svg:
        """A chart of the report by its title or position; or the values of a column, by its title.

        A report without charts shows the first column that has numbers.
        """
        from patmark.report.svg import chosen_chart, to_svg

        report = self.to_report()
        return to_svg(chosen_chart(report, what), report.language)

    def write_report(self, path: FilePath) -> None:
        """Write the report: .html, .xlsx, .csv, .md, .tex or .json, as its name ends."""
        from patmark.data import write_atomically

        write_atomically(path, _file_content(self, path))


def writers() -> Mapping[str, Callable[[Report], str | bytes]]:
    """What makes the content of a file, by the option of the command line that asks for it."""
    from patmark.report.csv import to_csv
    from patmark.report.html import to_html
    from patmark.report.latex import to_latex
    from patmark.report.markdown import to_markdown
    from patmark.report.xlsx import to_xlsx

    return {"html": to_html, "xlsx": to_xlsx, "csv": to_csv, "md": to_markdown, "latex": to_latex}


def _file_content(result: Result, path: FilePath) -> str | bytes:
    """A result in the form that the name of a file ends in."""
    from patmark.data import ending
    from patmark.errors import UsageError, near
    from patmark.report.json import to_json_text

    by_ending = {
        f".{'tex' if name == 'latex' else name}": write for name, write in writers().items()
    }
    kind = ending(path)
    if kind == ".json":
        return to_json_text(result.to_json())
    if kind not in by_ending:
        known = [*by_ending, ".json"]
        raise UsageError(
            f"{path}: no result is written as {kind or 'a file without an ending'}"
            f"{near(kind, known)}; known: {', '.join(known)}"
        )
    return by_ending[kind](result.to_report())
