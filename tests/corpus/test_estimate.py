"""An estimate from a sample is about what a build of four times the sample takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo_builds import built, demo_pipeline
from patmark.corpus.build.estimate import Estimate, StepEstimate, estimate_build
from patmark.corpus.build.settings import read_pipeline
from patmark.engine.engine import LocalEngine
from patmark.errors import UsageError

_QUICK = 'method = "gale-church"\ndictionary = "none"'


def test_an_estimate_is_near_what_a_larger_build_takes(tmp_path: Path) -> None:
    sample = read_pipeline(demo_pipeline(tmp_path / "sample", 24, align=_QUICK))
    large = built(
        demo_pipeline(tmp_path / "large", 96, align=_QUICK), tmp_path / "out", LocalEngine(1)
    )
    documents = large.facts["parse"]["documents"]
    found = estimate_build(sample, documents, workers=1)
    assert {step.step for step in found.steps} == set(large.costs)
    real = sum(file.stat().st_size for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert found.disk == pytest.approx(real, rel=0.35)
    steps = sum(
        file.stat().st_size for file in (tmp_path / "out/steps").rglob("*") if file.is_file()
    )
    assert found.output == pytest.approx(real - steps, rel=0.2)
    # CPU time of a loaded machine is not exact
    seconds = sum(cost.seconds for cost in large.costs.values())
    assert found.to_json()["cpu_seconds"] == pytest.approx(seconds, rel=0.8)
    with pytest.raises(UsageError, match="the sample itself has 50 documents"):
        estimate_build(sample, 10, workers=1)


def test_executors_share_all_steps_but_those_of_one_process() -> None:
    steps = (StepEstimate("aligned", 72_000.0, 4e9), StepEstimate("drawn", 3_600.0, 1e9))
    alone = Estimate(1000, 10, steps, 10**9, 1e9, cores=2, executors=0)
    many = Estimate(1000, 10, steps, 10**9, 1e9, cores=4, executors=5)
    assert (alone.hours, many.hours) == (11.0, 2.0)
    assert alone.slowest.step == "aligned"
    assert alone.disk == 6e9
    report = many.to_report()
    assert "5 executors of 4 cores: 2.00 hours" in report.subtitle
    assert "slowest step is aligned, 50% of the time" in report.subtitle
