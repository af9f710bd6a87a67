"""Estimate of the cost of a full build, from the build of a sample.

Each step has a fixed cost and a cost per document pair. Both are estimated by building a quarter of
the sample and then all of it; for the steps before there are pairs, by building some invented
families first.

The interval has three parts:

| part | reason |
|---|---|
| sampling | documents differ in length: two standard errors of the mean length of a pair |
| clock | the same step differs from one time to the next, in both builds that are compared |
| growth | steps grow at most as n^1.1 (sorting, lexicons); upwards only |
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, stdev
from tempfile import TemporaryDirectory
from typing import Any

from patmark.collections.corpus.build.aligning import first_pass_pairs
from patmark.collections.corpus.build.pipeline import STEPS, STEPS_FOLDER, build_corpus
from patmark.collections.corpus.build.settings import AlignSettings, PipelineSettings, read_pipeline
from patmark.collections.corpus.demo_families import DemoFamilies
from patmark.engine import Cost, LocalEngine, StepProgress, iter_rows
from patmark.errors import UsageError
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import setting

_PART, _INVENTED = 0.25, 6
# steps of a single process, independent of the number of workers
_SERIAL = frozenset({"lexicon", "drawn"})
# steps that end when enough document pairs are done
_LEARNING = frozenset({"first_aligned", "lexicon"})
_HOUR, _GB = 3600.0, 1e9
# CPU seconds by which repetitions of a step differ, and the share of its time
_NOISE, _SHARE_OF_NOISE = 0.05, 0.05
_FASTEST_GROWTH = 1.1
_STANDARD_ERRORS = 2.0
_FEWEST_PAIRS = 20


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """Estimated CPU seconds and bytes of disk of a step.

    The sample also supports ``below`` seconds less and ``above`` seconds more.
    """

    step: str
    seconds: float
    disk: float
    below: float = 0.0
    above: float = 0.0

    def hours(self, cores: int) -> float:
        """Return the hours on that many cores."""
        return self.seconds / _HOUR / self._workers(cores)

    def least_hours(self, cores: int) -> float:
        """Return the hours at the lower end of the interval."""
        return max(self.seconds - self.below, 0.0) / _HOUR / self._workers(cores)

    def most_hours(self, cores: int) -> float:
        """Return the hours at the upper end of the interval."""
        return (self.seconds + self.above) / _HOUR / self._workers(cores)

    def _workers(self, cores: int) -> int:
        return 1 if self.step in _SERIAL else cores

    @property
    def is_known(self) -> bool:
        """True if the interval does not begin at 0."""
        return self.seconds > self.below


@dataclass(frozen=True, slots=True)
class BuildEstimate(Result):
    """Time, memory and disk of a full build; ``memory`` is that of one worker in bytes.

    ``spread`` is the share by which the mean length of documents may differ from the sample.
    """

    documents: int
    sample: int
    steps: tuple[StepEstimate, ...]
    memory: int
    output: float
    cores: int
    executors: int
    spread: float = 0.0

    @property
    def all_cores(self) -> int:
        """Cores of all machines."""
        return self.cores * max(self.executors, 1)

    @property
    def hours(self) -> float:
        """Hours of the build."""
        return sum(step.hours(self.all_cores) for step in self.steps)

    @property
    def least_hours(self) -> float:
        """Hours of the build at the lower end of the interval."""
        return sum(step.least_hours(self.all_cores) for step in self.steps)

    @property
    def most_hours(self) -> float:
        """Hours of the build at the upper end of the interval."""
        return sum(step.most_hours(self.all_cores) for step in self.steps)

    @property
    def disk(self) -> float:
        """Bytes of all steps and of the collection."""
        return self.output + sum(step.disk for step in self.steps)

    @property
    def slowest(self) -> StepEstimate:
        """The step that takes longest."""
        return max(self.steps, key=lambda step: step.hours(self.all_cores))

    def to_json(self) -> dict[str, Any]:
        """Return all numbers."""
        return {
            "documents": self.documents,
            "sample_documents": self.sample,
            "machines": max(self.executors, 1),
            "cores": self.cores,
            "cpu_seconds": sum(step.seconds for step in self.steps),
            "least_cpu_seconds": sum(max(step.seconds - step.below, 0.0) for step in self.steps),
            "most_cpu_seconds": sum(step.seconds + step.above for step in self.steps),
            "hours": self.hours,
            "least_hours": self.least_hours,
            "most_hours": self.most_hours,
            "worker_memory_bytes": self.memory,
            "disk_bytes": self.disk,
            "least_disk_bytes": self.disk * max(1 - self.spread, 0.0),
            "most_disk_bytes": self.disk * (1 + self.spread),
            "sampling_spread": self.spread,
            "slowest_step": self.slowest.step,
            "steps": {
                step.step: {
                    "cpu_seconds": step.seconds,
                    "least_cpu_seconds": max(step.seconds - step.below, 0.0),
                    "most_cpu_seconds": step.seconds + step.above,
                    "hours": step.hours(self.all_cores),
                    "disk_bytes": step.disk,
                }
                for step in self.steps
            },
        }

    def to_report(self) -> Report:
        """Return a report with a summary sentence and the steps."""
        where = f"{self.cores} cores of this machine"
        if self.executors:
            where = f"{self.executors} executors of {self.cores} cores"
        share = self.slowest.hours(self.all_cores) / self.hours if self.hours else 0.0
        rows = tuple(self._row(step) for step in self.steps)
        columns = (
            Column("step"), Column("CPU seconds", 1), Column("hours", 3), Column("disk (GB)", 3)
        )  # fmt: skip
        unknown = [step.step for step in self.steps if not step.is_known]
        return Report(
            title="Estimate of a build",
            subtitle=f"{self.documents:,} documents on {where}: {self._span()} hours, "
            f"{self.memory / _GB:.1f} GB of memory for each worker, {self.disk / _GB:.2f} GB of "
            f"disk. The slowest step is {self.slowest.step}, {share:.0%} of the time.",
            headlines=(),
            tables=(Table("Steps", columns, rows),),
            signatures={},
            notes=(
                f"From a sample of {self.sample:,} documents; the larger and the more typical it "
                f"is, the better. SQL holds what {setting('memory')} allows, and more is on disk.",
                *self._interval_notes(),
                *(
                    [f"Too short in the sample to tell more than a limit: {', '.join(unknown)}."]
                    if unknown
                    else []
                ),
            ),
        )

    def _span(self) -> str:
        """Return the hours, with the interval if it has a width."""
        ends = f"{self.least_hours:.2f}", f"{self.most_hours:.2f}"
        return f"{self.hours:.2f}" + ("" if ends[0] == ends[1] else f" ({ends[0]} to {ends[1]})")

    def _interval_notes(self) -> list[str]:
        """Describe the coverage of the interval."""
        if not self.spread:
            return []
        return [
            f"The interval covers lengths of documents that differ from the sample by "
            f"{self.spread:.0%}, the clock, and steps that grow as n^{_FASTEST_GROWTH}; not other "
            "kinds of documents, a slow disk or network."
        ]

    def _row(self, step: StepEstimate) -> tuple[Cell, ...]:
        disk = self.output if step.step == "export" else step.disk
        if step.is_known:
            hours = step.hours(self.all_cores)
            return step.step, step.seconds, _at_least(hours), _at_least(disk / _GB)
        limits = step.seconds + step.above, step.most_hours(self.all_cores)
        return (
            step.step,
            f"< {limits[0]:.1f}",
            f"< {max(limits[1], 0.001):.3f}",
            _at_least(disk / _GB),
        )


def _at_least(value: float) -> Cell:
    """Return a number of three decimals, or "< 0.001"."""
    return value if value >= 0.001 or value == 0 else "< 0.001"


def estimate_build(
    settings: PipelineSettings,
    documents: int,
    *,
    workers: int | None = None,
    executors: int = 0,
    cores: int | None = None,
    progress: StepProgress | None = None,
) -> BuildEstimate:
    """Build a sample, which is all inputs of the settings, and extrapolate to ``documents``.

    ``cores`` are those of each executor, or of this machine.
    """
    with TemporaryDirectory() as folder:
        place = Path(folder)
        invented = read_pipeline(DemoFamilies(_INVENTED).write(place / "invented"))
        quick = replace(invented, align=AlignSettings("gale-church", "none"))
        bare = _measured(quick, place / "bare", 1.0, workers, None)
        shutil.rmtree(place / "bare")
        shutil.rmtree(place / "invented")
        small = _measured(settings, place, _PART, workers, progress)
        whole = _measured(settings, place, 1.0, workers, progress)
    if documents < whole.documents:
        raise UsageError(
            f"{setting('documents', str(documents))}: the sample itself has "
            f"{whole.documents} documents"
        )
    if whole.pairs < _FEWEST_PAIRS:
        raise UsageError(
            f"the sample is too small for an estimate: it has {whole.pairs} document pairs; "
            f"expected {_FEWEST_PAIRS} at least, better some hundreds"
        )
    times = documents / whole.documents
    learnt = min(times, max(first_pass_pairs(settings.align) / whole.pairs, 1.0))
    growth = {step: learnt if step in _LEARNING else times for step in small.costs}
    wanted = settings.split.dev + settings.split.test
    growth["drawn"] = min(times, max(wanted / max(whole.held_out, 1), 1.0))
    return BuildEstimate(
        documents,
        whole.documents,
        tuple(_step_estimate((bare, small, whole), step, own) for step, own in growth.items()),
        whole.memory,
        sum(_shares((small.pairs, small.output), (whole.pairs, whole.output), times)),
        cores or os.cpu_count() or 1,
        executors,
        whole.spread,
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    costs: Mapping[str, Cost]
    documents: int
    pairs: int
    held_out: int
    memory: int
    spread: float = 0.0
    output: int = 0


def _measured(
    settings: PipelineSettings,
    folder: Path,
    share: float,
    workers: int | None,
    progress: StepProgress | None,
) -> _Measured:
    folder.mkdir(exist_ok=True)
    engine = LocalEngine(workers or os.cpu_count() or 1)
    try:
        built = build_corpus(settings, folder, engine, progress=progress, share=share)
    finally:
        engine.close()
    pairs = sum(built.facts["document_pairs"].values())
    documents = built.facts["parse"]["documents"]
    splits = built.facts["pairs"]["splits"]
    held_out = sum(splits[name]["pairs"] for name in ("dev", "test") if name in splits)
    lengths = [
        len(row["source_document"]) + len(row["target_document"])
        for place in (folder / STEPS_FOLDER).glob("document_pairs-*")
        for row in iter_rows(place, ["source_document", "target_document"])
    ]
    spread, output = mean_spread(lengths), _size_of(folder) - _size_of(folder / STEPS_FOLDER)
    memory = engine.worker_memory
    return _Measured(built.costs, documents, pairs, held_out, memory, spread, output)


def mean_spread(values: Sequence[float]) -> float:
    """Return two standard errors of a mean, as a share of it.

    >>> mean_spread([1, 1, 1, 1]), round(mean_spread([1, 3, 1, 3]), 3)
    (0.0, 0.577)
    """
    if len(values) < 2:
        return 1.0
    error = stdev(values) / math.sqrt(len(values))
    return _STANDARD_ERRORS * error / mean(values)


def _step_estimate(
    builds: tuple[_Measured, _Measured, _Measured], step: str, times: float
) -> StepEstimate:
    """Return the cost of a step in a build that many times the sample, with its interval."""
    fixed, growing = _parts(builds, step, "seconds")
    (less, _), (more, cost) = _points(builds, step)
    noise = _NOISE + _SHARE_OF_NOISE * cost.seconds
    clock = noise / max(more - less, 1) * more * max(times - 1, 0.0)
    sampling = builds[-1].spread * growing * times
    faster = growing * (times**_FASTEST_GROWTH - times)
    disk_fixed, disk_growing = _parts(builds, step, "disk")
    return StepEstimate(
        step,
        fixed + growing * times,
        disk_fixed + disk_growing * times,
        sampling + clock,
        sampling + clock + faster,
    )


def _parts(
    builds: tuple[_Measured, _Measured, _Measured], step: str, what: str
) -> tuple[float, float]:
    """Return the fixed cost of a step, and the growing part, in the whole sample."""
    (less, first), (more, second) = _points(builds, step)
    return _shares((less, getattr(first, what)), (more, getattr(second, what)))


def _shares(
    small: tuple[int, float], whole: tuple[int, float], times: float = 1.0
) -> tuple[float, float]:
    """Return the fixed and the growing part of the costs of two sizes with that ratio."""
    (less, low), (more, high) = small, whole
    growing = max(high - low, 0.0) / max(more - less, 1) * more
    return max(high - growing, 0.0), growing * times


def _points(
    builds: tuple[_Measured, _Measured, _Measured], step: str
) -> tuple[tuple[int, Cost], tuple[int, Cost]]:
    """Return two numbers of documents or pairs, and the cost of each."""
    bare, small, whole = builds
    if step in _BEFORE_PAIRS:
        return (bare.documents, bare.costs[step]), (whole.documents, small.costs[step])
    return (small.pairs, small.costs[step]), (whole.pairs, whole.costs[step])


_BEFORE_PAIRS = frozenset((*STEPS["parse"], *STEPS["families"]))


def _size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
