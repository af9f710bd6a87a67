"""What fits one screen, and what is said of the rest."""

from __future__ import annotations

from dataclasses import replace

from patmark.data import Estimate
from patmark.report import Column, Headline, Report, Table, one_screen, to_text

_SCREEN = 40
_INTERVAL = (10.0, 90.0)
_LONG = ("so long a note that it takes more lines than a screen has\n" * 40,)


def _scores(systems: int, measures: int) -> Table:
    rows = tuple(
        (
            f"s{system}",
            *(Estimate(50.0 + system + place, _INTERVAL, 9) for place in range(measures)),
        )
        for system in range(systems)
    )
    columns = (Column("system"), *(Column(f"measure{place}") for place in range(measures)))
    return Table("Scores", columns, rows, "95 % bootstrap.")


def _report(*tables: Table, **more: object) -> Report:
    empty = Report(title="Title", subtitle="", headlines=(), tables=tables, signatures={})
    return replace(empty, **more)  # type: ignore[arg-type]


def _shown(report: Report, width: int = 100) -> tuple[list[str], str]:
    short, rest = one_screen(replace(report, notes=(*report.notes, *_LONG)), width)
    return to_text(short, width).splitlines(), rest


def test_a_small_report_is_shown_whole() -> None:
    report = _report(_scores(2, 2), findings=("found",), notes=("noted",), signatures={"m": "m|1"})
    short, rest = one_screen(report, 100)
    assert short is report and not rest


def test_each_system_has_one_line_and_the_first_measure_its_interval() -> None:
    lines, _ = _shown(_report(_scores(3, 7)))
    of_systems = [line for line in lines if line.startswith("s")][1:]
    assert [line.split()[0] for line in of_systems] == ["s0", "s1", "s2"]
    assert all(line.count("[10.00, 90.00]") == 1 for line in of_systems)
    assert of_systems[0].split()[-1] == "56.00"


def test_headlines_have_the_intervals_already() -> None:
    headline = Headline("s0", "mean", Estimate(50.0, _INTERVAL, 9))
    lines, _ = _shown(_report(_scores(2, 7), headlines=(headline,)))
    assert sum("[10.0, 90.0]" in line for line in lines) == 1
    assert not any("[10.00, 90.00]" in line for line in lines)


def test_columns_that_do_not_fit_are_named() -> None:
    lines, _ = _shown(_report(_scores(2, 12)), width=80)
    assert max(map(len, lines)) <= 80
    text = " ".join(lines)
    table, named = text.split("Not shown: ")
    names = [f"measure{place}" for place in range(12)]
    shown = [name for name in names if name in table.split()]
    assert 1 < len(shown) < 12 and named.startswith(", ".join(names[len(shown) :]))


def test_a_number_that_all_systems_share_becomes_a_sentence() -> None:
    table = _scores(2, 7)
    rows = tuple((*row, Estimate(1.0, (0.5, 1.0), 9)) for row in table.rows)
    lines, _ = _shown(_report(replace(table, columns=(*table.columns, Column("same")), rows=rows)))
    assert "95 % bootstrap. The same for all: same 1.00." in lines


def test_a_table_of_nothing_but_equal_numbers_keeps_them() -> None:
    same = Estimate(1.0, (0.5, 1.0), 9)
    columns = (Column("system"), *(Column(f"a long name of check {place}") for place in range(5)))
    table = Table("Checks", columns, (("a", *[same] * 5), ("b", *[same] * 5)))
    lines, _ = _shown(_report(_scores(2, 1), table))
    assert any(line.split()[:2] == ["a", "1.00"] for line in lines)


def test_rows_of_faults_that_nobody_made_are_counted() -> None:
    faults = Table(
        "Faults",
        (Column("label"), Column("omission", higher_is_better=False)),
        (("a", Estimate(0.0, (0.0, 9.0), 5)), ("b", Estimate(5.0, (1.0, 9.0), 5))),
    )
    lines, _ = _shown(_report(_scores(2, 1), faults))
    assert "1 row of zeros left out." in lines and any(line.startswith("b ") for line in lines)
    unknown = replace(faults, rows=(*faults.rows, ("c", None)))
    lines, _ = _shown(_report(_scores(2, 1), unknown))
    assert "1 row of zeros left out." in lines and any(line.startswith("c ") for line in lines)
    none = replace(faults, rows=faults.rows[:1])
    lines, _ = _shown(_report(_scores(2, 1), none))
    assert "Faults" not in lines and "- Faults: all zero." in lines


def test_a_group_beside_its_measure_does_not_name_it_again() -> None:
    table = _scores(2, 7)
    columns = [*table.columns[:2], Column("measure0 group", 0), *table.columns[2:]]
    rows = tuple((*row[:2], 1, *row[2:]) for row in table.rows)
    lines, _ = _shown(_report(replace(table, columns=tuple(columns), rows=rows)))
    assert any("measure0  group" in line for line in lines)


def test_whatever_is_long_the_answer_fits_and_the_rest_is_counted() -> None:
    report = _report(
        _scores(100, 20),
        *(_scores(30, 3) for _ in range(4)),
        findings=tuple(f"finding {number}" for number in range(30)),
        notes=tuple(f"note {number}" for number in range(30)),
        signatures={f"m{number}": "s" * 300 for number in range(5)},
        brief=3,
    )
    lines, rest = _shown(report)
    assert len(lines) <= _SCREEN
    assert "- finding 0" in lines and any("85 more rows." in line for line in lines)
    found = sum(line.startswith("- finding") for line in lines)
    assert (
        rest
        == f"all columns and intervals, {30 - found} findings, 4 tables, 31 notes, 5 signatures"
    )


def test_a_summary_stands_for_the_tables() -> None:
    report = _report(_scores(2, 1), summary=(replace(_scores(2, 2), title="Systems"),))
    lines, _ = _shown(report)
    assert "Systems" in lines and "Scores" not in lines
