"""The data of the segment explorer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from patmark.report.html import checks_of, embeddable_json, facets_of, payload
from patmark.report.model import Report


def test_everything_is_there_once(explored_report: Report) -> None:
    explorer = explored_report.explorer
    assert explorer is not None
    data = payload(explorer)
    assert data["ids"] == [segment.id for segment in explorer.test_set]
    assert data["languages"] == {"source": "zh", "target": "en"}
    assert data["hypotheses"][2][5] is None
    assert data["measures"][1]["values"][0][0] is None  # NaN: the measure does not apply
    assert data["measures"][0]["values"][0][1] == pytest.approx(
        explorer.values["BLEU"][0, 1], rel=1e-5
    )
    found = sum(len(items) for row in explorer.evidence["TermKept"] for items in row)
    assert len(data["findings"]) == found
    assert len(data["messages"]) == len(set(data["messages"])) == 4


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
