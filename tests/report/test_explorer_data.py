"""The data of the segment explorer."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, strategies as st

from patmark.data import TestSet
from patmark.report.html import checks_of, embeddable_json, explored, facets_of, payload, to_html
from patmark.report.model import Explorer, Report


def test_everything_is_there_once(explored_report: Report) -> None:
    explorer = explored_report.explorer
    assert explorer is not None
    data = payload(explorer)
    assert data["ids"] == [segment.id for segment in explorer.test_set]
    assert data["languages"] == {"source": "zh", "target": "en"}
    assert data["hypotheses"][5][2] is None
    assert data["measures"][1]["values"][0][0] is None  # NaN: the measure does not apply
    assert data["measures"][0]["values"][0][1] == pytest.approx(
        explorer.values["BLEU"][0, 1], rel=1e-5
    )
    found = sum(len(items) for row in explorer.evidence["TermKept"] for items in row)
    assert len(data["findings"]) == found
    assert len(data["messages"]) == len(set(data["messages"])) == 4


def many_systems(count: int, segments: int) -> Explorer:
    """Systems whose scores rise with their number."""
    values = np.tile(np.arange(count, dtype=float)[:, None], (1, segments))
    values[-1, 0] = np.nan
    return Explorer(
        test_set=TestSet.of(["valve"] * segments),
        systems=tuple(f"s{number}" for number in range(count)),
        hypotheses=tuple((f"text {number}",) * segments for number in range(count)),
        values={"BLEU": values, "TER": -values},
        higher_is_better={"BLEU": True, "TER": False},
        evidence={"Check": tuple(((),) * segments for _ in range(count))},
    )


def test_of_many_outputs_those_of_the_best_systems_are_shown() -> None:
    shown = explored(many_systems(30, 2000))
    assert shown.systems == tuple(f"s{number}" for number in range(18, 30))
    assert [texts[0] for texts in shown.hypotheses] == [f"text {n}" for n in range(18, 30)]
    assert shown.values["TER"].shape == (12, 2000)
    assert len(shown.evidence["Check"]) == 12


def test_the_best_systems_may_be_those_with_the_lowest_scores() -> None:
    explorer = many_systems(30, 2000)
    lowest = replace(explorer, higher_is_better={"BLEU": False})
    assert explored(lowest).systems == tuple(f"s{number}" for number in range(12))


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_systems_without_scores_come_last_and_equal_ones_in_their_order(
    higher_is_better: bool,
) -> None:
    values = np.full((30, 2000), 5.0 if higher_is_better else -5.0)
    values[:10] = np.nan
    values[20:] *= -1
    explorer = replace(
        many_systems(30, 2000), values={"BLEU": values}, higher_is_better={"BLEU": higher_is_better}
    )
    assert explored(explorer).systems == tuple(f"s{number}" for number in range(10, 22))


def test_without_measures_the_first_systems_are_shown() -> None:
    explorer = replace(many_systems(13, 2084), values={}, higher_is_better={})
    assert explored(explorer).systems == tuple(f"s{number}" for number in range(12))
    page = to_html(Report("Outputs", "", (), (), {}, explorer=explorer))
    assert "Outputs of the first 12 of 13 systems;" in page


@pytest.mark.parametrize(("systems", "segments"), [(12, 4000), (100, 250), (1, 1)])
def test_what_a_page_can_hold_is_shown_whole(systems: int, segments: int) -> None:
    explorer = many_systems(systems, segments)
    assert explored(explorer) is explorer


def test_facets_count_their_segments_and_name_the_missing_value(explored_report: Report) -> None:
    assert explored_report.explorer is not None
    label, ipc = facets_of(explored_report.explorer)
    assert sum(size for _, size in label.options) == 40
    assert ipc.options[0] == ("(none)", 4)
    assert checks_of(explored_report.explorer) == ("TermKept",)


def test_json_refuses_nan() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        embeddable_json({"x": float("nan")})


@given(st.text())
def test_no_text_can_end_the_script(text: str) -> None:
    embedded = embeddable_json({"text": text})
    assert json.loads(embedded) == {"text": text}
    assert not set("<>&") & set(embedded)
