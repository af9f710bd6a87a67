"""What a comparison found, first; its differences, drawn; a section for each measure."""

from __future__ import annotations

from itertools import pairwise
from math import nan

import numpy as np
import pytest

from patmark.data.scores import Scores
from patmark.evaluation.comparison import CompareSettings, Comparison, compare
from patmark.evaluation.comparison_tables import comparison_report
from patmark.evaluation.scoring import Sampling
from patmark.measures.registry import parse_measure
from patmark.report.model import Intervals

_SEGMENTS = 40


def _comparison(systems: int, names: tuple[str, ...] = ("RIBES", "omission")) -> Comparison:
    """Systems with lower and lower values; the last one has the values of its neighbour."""
    rng = np.random.default_rng(0)
    values = np.linspace(0.9, 0.1, systems)[:, None] + rng.normal(0, 0.01, (systems, _SEGMENTS))
    values[-1] = values[-2]
    statistics = np.stack([values, np.ones_like(values)], axis=-1)
    scores = {}
    for name in names:
        measure = parse_measure(name)
        scores[name] = Scores(
            name, f"{name}|v:1", tuple(f"s{n}" for n in range(systems)),
            tuple(map(str, range(_SEGMENTS))), statistics, measure, measure.higher_is_better,
        )  # fmt: skip
    settings = CompareSettings(Sampling(resamples=50), trials=2000)
    return compare(scores, [None] * _SEGMENTS, settings)


def _charts(comparison: Comparison) -> list[Intervals]:
    charts = comparison_report(comparison, "t", "s").charts
    return [chart for chart in charts if isinstance(chart, Intervals)]


def test_the_chart_shows_every_pair_as_the_table_does() -> None:
    comparison = _comparison(5)
    report = comparison_report(comparison, "t", "s")
    for chart in _charts(comparison):
        [table] = [one for one in report.tables if one.title == f"Differences by {chart.section}"]
        shown = {row.label: (row.value, row.low, row.high, row.significant) for row in chart.rows}
        assert len(shown) == 10
        for better, worse, difference, _, verdict, *_ in table.rows:
            label = f"{better} − {worse}" if worse else str(better).replace(" = ", " − ")
            value, low, high, significant = shown[label]
            assert value == difference.value  # type: ignore[union-attr]
            assert (low, high) == pytest.approx(difference.ci or (nan, nan), nan_ok=True)  # type: ignore[union-attr]
            assert significant == (verdict == "yes")
        sizes = [abs(row.value) for row in chart.rows]
        assert sizes == sorted(sizes, reverse=True)
        assert not chart.rows[-1].significant and chart.rows[-1].value == 0
    higher, lower = _charts(comparison)
    assert all(row.value >= 0 for row in higher.rows)
    assert all(row.value <= 0 for row in lower.rows) and "lower is better" in lower.x_title


@pytest.mark.parametrize(("systems", "lines"), [(2, 1), (10, 45), (11, 10)])
def test_of_many_pairs_neighbours_are_drawn(systems: int, lines: int) -> None:
    comparison = _comparison(systems, ("RIBES",))
    [chart] = _charts(comparison)
    assert len(chart.rows) == lines
    assert ("Of 55 pairs only neighbours" in chart.note) == (systems == 11)
    if systems == 11:
        ranking = comparison.measures["RIBES"].ranking
        wanted = [{first, second} for first, second in pairwise(ranking)]
        assert [set(row.label.split(" − ")) for row in chart.rows] == wanted
    assert ("not corrected" in chart.note) == (systems > 2)


def test_each_measure_has_a_section() -> None:
    report = comparison_report(_comparison(3), "t", "s")
    assert [(table.section, table.title) for table in report.tables] == [
        ("", "Scores"),
        ("RIBES", "Differences by RIBES"),
        ("RIBES", "Ranking by RIBES"),
        ("RIBES", "Pairwise significance by RIBES"),
        ("omission", "Differences by omission"),
        ("omission", "Ranking by omission"),
        ("omission", "Pairwise significance by omission"),
    ]
    assert [chart.section for chart in report.charts] == ["RIBES", "omission"]
    titles = [column.title for column in report.tables[1].columns[:5]]
    assert titles == ["better", "worse", "difference", "p corrected", "significant"]


def test_groups_stand_in_one_place() -> None:
    many, two = (comparison_report(_comparison(n), "t", "s") for n in (3, 2))
    assert [column.title for column in many.tables[0].columns] == ["system", "RIBES", "omission"]
    assert "group" in [column.title for column in many.tables[2].columns]
    assert "RIBES group" in [column.title for column in two.tables[0].columns]


def test_measures_that_agree_share_a_sentence() -> None:
    agreed = comparison_report(_comparison(3, ("RIBES", "METEOR", "omission")), "t", "s").findings
    assert agreed[2:4] == (
        "RIBES, METEOR groups, best first: s0 | s1, s2.",
        "omission groups, best first: s1, s2 | s0.",
    )
