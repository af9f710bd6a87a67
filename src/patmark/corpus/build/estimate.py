"""Estimate of the cost of a full build, from the build of a sample.

Each step takes some time in any case and some for each document pair. Both are found by building a
quarter of the sample and then all of it; for the steps before there are pairs, by building some
invented families first.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from patmark.corpus.build.aligning import first_pass_pairs
from patmark.corpus.build.pipeline import STEPS, build_corpus
from patmark.corpus.build.settings import AlignSettings, PipelineSettings, read_pipeline
from patmark.corpus.demo_families import DemoFamilies
from patmark.engine import Cost, LocalEngine, StepProgress
from patmark.errors import UsageError
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import setting

_PART, _INVENTED = 0.25, 6
# steps that one process does, whatever the number of workers
_SERIAL = frozenset({"lexicon", "drawn", "export"})
# steps that end when enough document pairs are done
_LEARNING = frozenset({"first_aligned", "lexicon"})
_HOUR, _GB = 3600.0, 1e9
_NOISE = 0.05  # CPU seconds by which the same step differs from one time to the next
_FEWEST_PAIRS = 20


@dataclass(frozen=True, slots=True)
class StepEstimate:
    """CPU seconds and bytes of disk that a step will take.

    A clock is not exact: it may also take ``unsure`` seconds more, or as many less.
    """

    step: str
    seconds: float
    disk: float
    unsure: float = 0.0

    def hours(self, cores: int) -> float:
        """Return the hours on so many cores."""
        return self.seconds / _HOUR / self._workers(cores)

    def most_hours(self, cores: int) -> float:
        """Return the hours at most."""
        return (self.seconds + self.unsure) / _HOUR / self._workers(cores)

    def _workers(self, cores: int) -> int:
        return 1 if self.step in _SERIAL else cores

    @property
    def is_known(self) -> bool:
        """True if more than the noise of the clock was measured."""
        return self.seconds > self.unsure


@dataclass(frozen=True, slots=True)
class BuildEstimate(Result):
    """Time, memory and disk of a full build; ``memory`` is that of one worker in bytes."""

    documents: int
    sample: int
    steps: tuple[StepEstimate, ...]
    memory: int
    output: float
    cores: int
    executors: int

    @property
    def all_cores(self) -> int:
        """Cores of all machines."""
        return self.cores * max(self.executors, 1)

    @property
    def hours(self) -> float:
        """Hours of the build."""
        return sum(step.hours(self.all_cores) for step in self.steps)

    @property
    def most_hours(self) -> float:
        """Hours of the build at most."""
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
            "hours": self.hours,
            "most_hours": self.most_hours,
            "worker_memory_bytes": self.memory,
            "disk_bytes": self.disk,
            "slowest_step": self.slowest.step,
            "steps": {
                step.step: {
                    "cpu_seconds": step.seconds,
                    "unsure_cpu_seconds": step.unsure,
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
                *(
                    [f"Too short in the sample to tell more than a limit: {', '.join(unknown)}."]
                    if unknown
                    else []
                ),
            ),
        )

    def _span(self) -> str:
        """Return the hours, up to the most where that differs."""
        least, most = f"{self.hours:.2f}", f"{self.most_hours:.2f}"
        return least if least == most else f"{least} to {most}"

    def _row(self, step: StepEstimate) -> tuple[Cell, ...]:
        disk = self.output if step.step == "export" else step.disk
        if step.is_known:
            hours = step.hours(self.all_cores)
            return step.step, step.seconds, _at_least(hours), _at_least(disk / _GB)
        limits = step.seconds + step.unsure, step.most_hours(self.all_cores)
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
    """Build a sample, which is all that the settings name, and say what ``documents`` will take.

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
        output = _size_of(place) - _size_of(place / "steps")
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
        tuple(
            StepEstimate(
                step,
                _grown((bare, small, whole), step, own, "seconds"),
                _grown((bare, small, whole), step, own, "disk"),
                _unsure((bare, small, whole), step, own),
            )
            for step, own in growth.items()
        ),
        whole.memory,
        output * times,
        cores or os.cpu_count() or 1,
        executors,
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    costs: Mapping[str, Cost]
    documents: int
    pairs: int
    held_out: int
    memory: int


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
    return _Measured(built.costs, documents, pairs, held_out, engine.worker_memory)


def _grown(
    builds: tuple[_Measured, _Measured, _Measured], step: str, times: float, what: str
) -> float:
    """Extrapolate the cost of a step: a fixed part, and a part per document or pair."""
    (less, first), (more, second) = _points(builds, step)
    low, high = float(getattr(first, what)), float(getattr(second, what))
    growing = max(high - low, 0.0) / max(more - less, 1) * more
    return max(high - growing, 0.0) + growing * times


def _unsure(builds: tuple[_Measured, _Measured, _Measured], step: str, times: float) -> float:
    """Return the seconds that the noise of two measurements becomes in the full build."""
    (less, _), (more, _) = _points(builds, step)
    return _NOISE / max(more - less, 1) * more * max(times - 1, 0.0)


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
