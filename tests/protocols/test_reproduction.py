"""Studies behind one interface, and a recomputed value beside a printed one."""

from __future__ import annotations

import math

import pytest

from patmark.catalogue import STUDIES, load
from patmark.data import Estimate
from patmark.evaluation import Sampling
from patmark.protocols.studies.reproduction import Study, Value


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_run_the_same_way(name: str) -> None:
    study: Study = load(STUDIES[name])
    done = study.reproduce(Sampling(resamples=0), **dict.fromkeys(study.takes))
    assert done.to_json()["study"] == name
    assert done.to_report().tables[0].title == "Every table and figure of the paper"


def test_options_that_a_study_does_not_take_do_not_reach_it() -> None:
    study: Study = load(STUDIES["ntcir7"])
    assert study.reproduce(Sampling(resamples=0), data="nowhere").to_json()["study"] == "ntcir7"


def test_a_value_agrees_within_a_tolerance_or_by_its_rounding() -> None:
    near = Value("EJ", "BLEU", "r", Estimate(0.501), 0.5, tolerance=0.001)
    far = Value("EJ", "BLEU", "r", Estimate(0.5012), 0.5, tolerance=0.001)
    undefined = Value("EJ", "BLEU", "r", Estimate(math.nan), 0.5, tolerance=0.001)
    assert [one.status for one in (near, far, undefined)] == ["ok", "differs", "differs"]
    whole = Value("EJ", "BLEU", "gap", Estimate(6.9), 6.0, rounding=math.floor)
    assert whole.status == "ok" and whole.difference == pytest.approx(0.9)
    without = Value("EJ", "BLEU", "gap", Estimate(math.nan), 6.0, rounding=math.floor)
    assert without.status == "differs"
