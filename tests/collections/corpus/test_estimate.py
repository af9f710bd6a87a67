"""An estimate from a sample, and its interval, against a build of ten times the sample."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo_builds import built, demo_pipeline
from patmark.collections.corpus.build.estimate import (
    BuildEstimate,
    StepEstimate,
    _Measured,
    _step_estimate,
    estimate_build,
)
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.engine.engine import LocalEngine
from patmark.engine.steps import Cost
from patmark.errors import InputError, UsageError

_QUICK = 'method = "gale-church"\ndictionary = "none"'


def test_an_estimate_is_near_what_a_larger_build_takes(tmp_path: Path) -> None:
    sample = read_pipeline(demo_pipeline(tmp_path / "sample", 24, align=_QUICK))
    large = built(
        demo_pipeline(tmp_path / "large", 240, align=_QUICK), tmp_path / "out", LocalEngine(1)
    )
    documents = large.facts["parse"]["documents"]
    found = estimate_build(sample, documents, workers=1)
    assert {step.step for step in found.steps} == set(large.costs)
    real = sum(file.stat().st_size for file in (tmp_path / "out").rglob("*") if file.is_file())
    told = found.to_json()
    assert found.disk == pytest.approx(real, rel=0.35)
    assert told["least_disk_bytes"] < found.disk < told["most_disk_bytes"]
    steps = sum(
        file.stat().st_size for file in (tmp_path / "out/steps").rglob("*") if file.is_file()
    )
    assert found.output == pytest.approx(real - steps, rel=0.2)
    # CPU time of a loaded machine is not exact
    seconds = sum(cost.seconds for cost in large.costs.values())
    assert told["cpu_seconds"] == pytest.approx(seconds, rel=0.8)
    assert told["least_cpu_seconds"] < seconds < 1.5 * told["most_cpu_seconds"]
    with pytest.raises(UsageError, match="the sample itself has 50 documents"):
        estimate_build(sample, 10, workers=1)


def test_a_sample_that_is_too_small_is_refused_as_such(tmp_path: Path) -> None:
    few = read_pipeline(demo_pipeline(tmp_path / "few", 12, align=_QUICK))
    with pytest.raises(UsageError, match="too small for an estimate: it has 11 document pairs"):
        estimate_build(few, 10**6, workers=1)
    one = read_pipeline(demo_pipeline(tmp_path / "one", 1, align=_QUICK))
    with pytest.raises(InputError, match="sample is too small for an estimate: 25% of it has no"):
        estimate_build(one, 10**6, workers=1)


def test_what_the_clock_cannot_tell_is_a_limit() -> None:
    steps = (
        StepEstimate("aligned", 72_000.0, 4e9, 600.0, 1200.0),
        StepEstimate("parsed", 0.0, 1e5, 600.0, 600.0),
        StepEstimate("export", 60.0, 0.0),
    )
    report = BuildEstimate(10**6, 50, steps, 4 * 10**8, 2e9, cores=1, executors=0).to_report()
    assert "20.02 (19.85 to 20.52) hours" in report.subtitle
    rows = {row[0]: row[1:] for row in report.tables[0].rows}
    assert rows["parsed"] == ("< 600.0", "< 0.167", "< 0.001")
    assert rows["aligned"] == (72_000.0, 20.0, 4.0)
    assert rows["export"][-1] == 2.0
    assert report.notes[-1].endswith("to tell more than a limit: parsed.")


def test_the_interval_covers_lengths_the_clock_and_growth() -> None:
    costs = [{"aligned": Cost(seconds, 0)} for seconds in (0.0, 3.0, 9.0)]
    builds = [
        _Measured(cost, pairs, pairs, 0, 0, 0.2)
        for cost, pairs in zip(costs, (0, 25, 100), strict=True)
    ]
    found = _step_estimate((builds[0], builds[1], builds[2]), "aligned", 10.0)
    # 1 s in any case and 8 s that grow; the clock is off by 0.05 s and 5 % in 75 pairs
    assert found.seconds == pytest.approx(81)
    sampling, clock = 0.2 * 80, (0.05 + 0.05 * 9) / 75 * 100 * 9
    assert found.below == pytest.approx(sampling + clock)
    assert found.above - found.below == pytest.approx(8 * (10**1.1 - 10))


def test_a_worker_holds_memory_even_if_nothing_was_shared_out() -> None:
    assert LocalEngine(4).worker_memory > 10**7


def test_executors_share_all_steps_but_those_of_one_process() -> None:
    steps = (StepEstimate("aligned", 72_000.0, 4e9), StepEstimate("drawn", 3_600.0, 1e9))
    alone = BuildEstimate(1000, 10, steps, 10**9, 1e9, cores=2, executors=0)
    many = BuildEstimate(1000, 10, steps, 10**9, 1e9, cores=4, executors=5)
    assert (alone.hours, many.hours) == (11.0, 2.0)
    assert alone.slowest.step == "aligned"
    assert alone.disk == 6e9
    report = many.to_report()
    assert "5 executors of 4 cores: 2.00 hours" in report.subtitle
    assert "slowest step is aligned, 50% of the time" in report.subtitle
