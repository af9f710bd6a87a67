"""What every result can do: short text, light page, frames, drawings, files."""

from __future__ import annotations

import importlib
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import patmark
from patmark.data import Estimate
from patmark.errors import InputError, UsageError
from patmark.report import (
    Bars,
    Column,
    Explorer,
    Headline,
    Interval,
    Intervals,
    Point,
    Report,
    Result,
    Scatter,
    StackedBar,
    Table,
    to_svg,
)

_SVG = "{http://www.w3.org/2000/svg}"
_TEXTS = ["The valve (4) closes at 12 °C.", "The film is <b>12 μm</b> & thick."] * 40


@pytest.fixture(scope="module")
def evaluation() -> patmark.Evaluation:
    documents = [f"CN{number // 8}" for number in range(80)]
    test_set = patmark.TestSet.of(_TEXTS, sources=["阀门关闭。"] * 80, documents=documents)
    runs = {"atlas": _TEXTS, "<cobalt>": ["The valve shuts."] * 79 + [None]}
    return patmark.evaluate(test_set, runs, ["BLEU", "chrF"], patmark.Sampling(200))


def _report(**more: object) -> Report:
    table = Table(
        "Scores: all",
        (Column("system"), Column("BLEU", 2), Column("BLEU", 1), Column("p", 4, p_value=True)),
        (("a", Estimate(41.5, (40.0, 43.0), 9), 1.0, 0.00001), ("b", Estimate(30.0), 2.0, None)),
        note="by document",
    )
    return Report("Title", "subtitle", (), (table,), {}, **more)  # type: ignore[arg-type]


def test_whatever_becomes_a_report_is_a_result_with_a_short_repr() -> None:
    room = Path(patmark.__file__).parent
    classes: list[type] = []
    for path in room.rglob("*.py"):
        if "def to_report(self" in path.read_text(encoding="utf-8"):
            parts = path.relative_to(room.parent).with_suffix("").parts
            module = importlib.import_module(".".join(parts))
            own = [one for one in vars(module).values() if isinstance(one, type)]
            classes += [one for one in own if one.__module__ == module.__name__]
    reporting = [one for one in classes if hasattr(one, "to_report")]
    assert len(reporting) > 30
    assert [one.__name__ for one in reporting if one.__repr__ is not Result.__repr__] == []


def test_the_repr_is_short_and_holds_the_answer(evaluation: patmark.Evaluation) -> None:
    shown = repr(evaluation)
    assert len(shown.splitlines()) <= 24
    assert "100.00 [–]" in shown
    assert repr(evaluation.test_set) == "<TestSet 'test set', en, 80 segments, 10 documents>"
    assert repr(evaluation.runs[1]) == "<Run '<cobalt>', 80 segments, 1 without an answer>"
    assert repr(evaluation.scores["BLEU"]) == "<Scores BLEU, 2 systems, 80 segments>"


def test_a_notebook_shows_headlines_and_tables_without_scripts(
    evaluation: patmark.Evaluation,
) -> None:
    page = evaluation._repr_html_()
    assert len(page.encode()) < 20_000
    assert "<script" not in page and "<cobalt>" not in page and "&lt;cobalt&gt;" in page
    assert "100.00 <small>[–]</small>" in page
    headline = Headline("a", "mean", Estimate(81.25, (80.0, 82.0)), "A", "ready", 1)
    with_grade = Report("T", "", (headline,), (), {})._repr_html_()
    assert "81.2 [80.0, 82.0]</strong> · grade A (ready)" in with_grade


def test_what_is_not_shown_is_named() -> None:
    rows = tuple((f"system {number}", float(number)) for number in range(400))
    table = Table("Many", (Column("system"), Column("x")), rows)
    page = Report("T", "", (), (table,) * 9, {"x": "s"})._repr_html_()
    assert len(page.encode()) < 20_000
    assert "385 more rows" in page
    assert "Also: all columns and intervals, 8 tables" in page


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_table_is_a_frame_with_columns_for_intervals(library: str) -> None:
    pytest.importorskip(library)
    frame = _report().to_frame(library=library)
    assert type(frame).__module__.startswith(library)
    assert list(frame.columns) == ["system", "BLEU", "BLEU low", "BLEU high", "BLEU 2", "p"]
    assert list(frame["BLEU"]) == [41.5, 30.0]
    assert frame["BLEU low"][0] == 40.0
    assert frame["BLEU low"].is_null()[1] if library == "polars" else frame["BLEU low"].isna()[1]


def test_all_segments_are_a_frame(evaluation: patmark.Evaluation) -> None:
    pytest.importorskip("pandas")
    frame = evaluation.to_frame("segments")
    assert len(frame) == 160
    assert list(frame.columns[:6]) == [
        "system", "segment", "source", "references", "hypothesis", "document",
    ]  # fmt: skip
    assert frame["BLEU"][0] == pytest.approx(100)
    assert frame["hypothesis"].isna().sum() == 1


def test_frames_are_asked_for_by_title_or_position() -> None:
    pytest.importorskip("pandas")
    report = _report()
    assert report.to_frame("Scores: all").equals(report.to_frame(-1))
    with pytest.raises(UsageError, match="no table is called 'scores'; did you mean Scores: all"):
        report.to_frame("scores")
    with pytest.raises(UsageError, match="there is no table 1; there are 1"):
        report.to_frame(1)
    with pytest.raises(UsageError, match="this result has no tables"):
        Report("T", "", (), (), {}).to_frame()
    with pytest.raises(UsageError, match="pandas or polars, not by 'cudf'"):
        report.to_frame(library="cudf")


def test_without_a_library_of_frames_there_is_a_clear_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(UsageError, match="a frame needs pandas or polars: pip install pandas"):
        _report().to_frame()


def _texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    assert "var(" not in svg and "light-dark" not in svg
    assert root.tag == f"{_SVG}svg" and root.get("width")
    return ["".join(text.itertext()) for text in root.iter(f"{_SVG}text")]


def test_every_kind_of_chart_is_a_drawing_with_its_key(tmp_path: Path) -> None:
    intervals = Intervals(
        "Gaps", "BLEU", (Interval("甲 − b", 2.0, 1.0, 3.0, True), Interval("a − c", 1.0, -1, 3))
    )
    points = tuple(Point(float(x), x**2.0, f"<{x}>", "odd" if x % 2 else "even") for x in range(6))
    scatter = Scatter("Plot", "x", "y", points)
    bars = Bars("Grades", "share", ("AA", "A"), (StackedBar("atlas", (0.25, 0.75), 3.5),))
    report = _report(charts=(intervals, scatter, bars))
    assert {"Gaps", "significant", "not significant", "甲 − b"} <= set(_texts(report.plot()))
    assert {"Plot", "odd", "even", "<3>"} <= set(_texts(report.plot("Plot")))
    assert {"Grades", "AA", "A", "atlas"} <= set(_texts(report.plot(2)))
    assert "41.50 [40.00, 43.00]" in _texts(report.plot("BLEU · Scores: all"))
    drawing = report.plot()
    assert drawing._repr_svg_() == drawing and len(repr(drawing)) < 80
    drawing.save(tmp_path / "gaps.svg")
    with pytest.raises(UsageError, match=r"gaps\.png: drawings are SVG"):
        drawing.save(tmp_path / "gaps.png")
    assert (tmp_path / "gaps.svg").read_text(encoding="utf-8") == drawing


def test_a_result_without_charts_draws_its_values(evaluation: patmark.Evaluation) -> None:
    texts = _texts(evaluation.plot())
    assert texts[0] == "BLEU · Scores"
    assert "100.00 [–]" in texts
    assert not {"significant", "no verdict", "not significant"} & set(texts)
    assert "verdict" not in evaluation.plot("chrF")
    with pytest.raises(UsageError, match="called 'chrf · Score'; did you mean chrF"):
        evaluation.plot("chrf · Score")
    with pytest.raises(UsageError, match="there is no chart 0; there are 0"):
        Report("T", "", (), (), {}).plot()


def test_a_chart_without_numbers_cannot_be_drawn() -> None:
    empty = Intervals("Gaps", "BLEU", (Interval("a", float("nan"), 0, 0),))
    with pytest.raises(UsageError, match="Gaps: there are no numbers to draw"):
        to_svg(empty)


def test_a_result_is_written_as_the_name_of_the_file_ends(
    evaluation: patmark.Evaluation, tmp_path: Path
) -> None:
    for name in ("r.html", "r.xlsx", "r.csv", "r.md", "r.tex", "r.json"):
        evaluation.write_report(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 100
    with pytest.raises(UsageError, match=r"written as \.htm; did you mean \.html\?"):
        evaluation.write_report(tmp_path / "r.htm")
    with pytest.raises(UsageError, match="written as a file without an ending"):
        evaluation.write_report(tmp_path / "r")
    with pytest.raises(InputError, match="does not exist"):
        evaluation.write_report(tmp_path / "none" / "r.csv")


def test_segments_of_a_report_keep_facets() -> None:
    test_set = patmark.TestSet.of([["one", "two"]])
    explorer = Explorer(test_set, ("a",), ((None,),), {}, {}, {"label": ("term",)})
    pytest.importorskip("pandas")
    [row] = _report(explorer=explorer).to_frame("segments").to_dict("records")
    assert (row["references"], row["label"]) == ("one\ntwo", "term")
