"""One table of report formats: the options, the endings and the writers follow from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark import Sampling, TestSet, evaluate
from patmark.app.cli.output import Files, Html, Output, Tables
from patmark.options import defaults_of
from patmark.report import REPORT_FORMATS
from patmark.report.result import ReportFormat


@pytest.mark.parametrize("one", REPORT_FORMATS, ids=lambda one: one.option)
def test_a_format_is_an_option_and_an_ending(one: ReportFormat, tmp_path: Path) -> None:
    assert one.option in defaults_of(Files)
    asked = Output(**{one.option: "x", "save": "y"})
    assert asked.reports == {one.option: "x"} and asked.paths == ["x", "y"]
    assert asked.wants_everything == one.is_full
    found = evaluate(TestSet.of(["a b c d"]), {"s": ["a b c d"]}, "BLEU", Sampling(resamples=0))
    path = tmp_path / f"r{one.ending}"
    found.write_report(path)
    written = one.render(found.to_report())
    if one.option == "xlsx":  # it holds the time of writing
        assert path.read_bytes()[:2] == bytes(written[:2])  # type: ignore[arg-type]
    else:
        assert path.read_text(encoding="utf-8") == written


def test_a_format_that_was_not_asked_for_is_not_written() -> None:
    assert Tables().reports == Html().reports == {} and not Tables().wants_everything
    assert Tables(full=True).wants_everything
