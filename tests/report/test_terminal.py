"""The terminal and the pipe."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from patmark.report.model import Column, Report, Table
from patmark.report.terminal import print_report, to_text


def printed(report: Report, width: int, *, colour: bool = False) -> str:
    out = io.StringIO()
    system = "standard" if colour else None
    print_report(report, Console(file=out, width=width, force_terminal=colour, color_system=system))
    return out.getvalue()


def test_a_pipe_gets_plain_text(small_report: Report) -> None:
    text = "\n".join(line.rstrip() for line in printed(small_report, 80).splitlines())
    assert text == (
        "Bench & co_1\n"
        "100% #1 {zh}~en^2 \\ $5\n"
        "\n"
        "sys_A  Overall: 81.2 [80.0, 82.5]  grade A (ready | done)\n"
        "B  Overall: 49.0\n"
        "\n"
        "By label\n"
        "label                     Accuracy  Errors ↓    n\n"
        "─────────────────────────────────────────────────\n"
        "normal_sentence  53.2 [51.0, 55.4]      0.12  120\n"
        "a|b [c] *d*                      –         –    0\n"
        "n < 20: *unsure*\n"
        "\n"
        "Notes\n"
        "- Resampled by segment.\n"
        "- - 5 rows skipped\n"
        "\n"
        "Signatures\n"
        "- BLEU: BLEU|tok:13a|refs:1"
    )


def test_a_pipe_is_as_wide_as_columns_says(
    explored_report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    for asked, width in (("60", 60), ("200", 200), ("", 120), ("wide", 120), ("0", 120)):
        monkeypatch.setenv("COLUMNS", asked)
        assert to_text(explored_report) == to_text(explored_report, width)
    assert to_text(explored_report, 60) != to_text(explored_report, 200)


def test_colours_only_when_asked_for(small_report: Report) -> None:
    assert "\x1b[" not in printed(small_report, 80)
    assert "\x1b[1;32mA\x1b[0m" in printed(small_report, 80, colour=True)


@pytest.mark.parametrize("width", [50, 80, 200])
def test_no_interval_is_broken_and_no_line_is_too_long(explored_report: Report, width: int) -> None:
    text = printed(explored_report, width)
    tables, signatures = text.split("Signatures\n")
    assert max(cell_len(line) for line in tables.splitlines()) <= width
    for interval in ("[81.1, 87.1]", "[0.797, 0.818]", "[9.95, 10.55]"):
        assert interval in tables
    assert "refs:1|over:sum" in signatures


def test_a_wide_table_repeats_the_names_of_its_rows(explored_report: Report) -> None:
    narrow, wide = printed(explored_report, 50), printed(explored_report, 200)
    assert narrow.count("\nBeta-2 ") > wide.count("\nBeta-2 ")
    assert "84.2 [81.1, 87.1]" in wide


def test_names_that_share_a_signature_share_a_line() -> None:
    signatures = {"overall": "macro", "normal_sentence": "long", "document_accuracy": "long"}
    text = printed(Report("t", "", (), (), signatures), 80)
    assert text.endswith("- overall: macro\n- normal_sentence, document_accuracy: long\n")


def test_a_small_p_value_is_not_printed_as_zero() -> None:
    table = Table("t", (Column("x"), Column("p", 4, p_value=True)), (("a", 0.000001),))
    assert "a  <0.0001" in printed(Report("t", "", (), (table,), {}), 80)
