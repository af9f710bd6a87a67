"""What follows a run: its results are scored as patmark score and patmark claims score do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from patmark.cli.gates import DropTest, Gates
from patmark.cli.inputs import patsnap_measures, refuse
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.cli.output import Outputs
    from patmark.evaluation import Settings
    from patmark.systems import Bench


@dataclass(frozen=True, slots=True)
class RunData:
    """The options that name texts."""

    testset: str | None
    direction: str | None
    lang: str | None
    src: str | None
    ref: tuple[str, ...]
    docs: str | None
    task: str
    context: int
    glossary: tuple[str, ...]
    template: str | None

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        named = (self.testset, self.src, self.docs, self.template)
        tables = [path for path in self.glossary if path != "rows"]
        return [*(path for path in named if path is not None), *self.ref, *tables]


@dataclass(frozen=True, slots=True)
class Scoring:
    """The options of scoring, as they were given to the run."""

    then: str | None
    measures: str | None
    variant: str | None
    resamples: int | None
    seed: int | None
    by: str | None
    gates: Gates
    outputs: Outputs

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        return [] if self.gates.baseline is None else [self.gates.baseline]

    @property
    def settings(self) -> Settings:
        """How intervals are made."""
        from patmark.evaluation import Settings

        resamples = 2000 if self.resamples is None else self.resamples
        return Settings(resamples, self.seed or 0, self.by)

    def names_for(self, task: str) -> str | None:
        """The measures that are asked for; those of claims unless the task is to translate."""
        if task == "translate" or self.measures is not None:
            return self.measures
        from patmark.claims import DEFAULT_MEASURES

        return ",".join(one.name for one in DEFAULT_MEASURES)

    def check(self, data: RunData, written: Sequence[str], bench: Bench, name: str) -> None:
        """Refuse, before the run, what scoring could not do."""
        if self.then is None:
            options = {
                "--measures": self.measures, "--variant": self.variant, "--by": self.by,
                "--resamples": self.resamples is not None, "--seed": self.seed is not None,
                "a report": self.outputs.paths, "--full": self.outputs.full,
                **self._gate_options,
            }  # fmt: skip
            refuse("without --then score", options)
        elif self.then != "score":
            raise UsageError(f"--then {self.then}: only score can follow")
        elif bench.format != "bench" and not any(bench.test_set.reference_lists):
            missing = "--ref" if data.src is not None else "references in the test set"
            raise UsageError(f"--then score needs references: {missing}")
        if bench.direction is None:
            refuse("without --direction", {"--variant": self.variant})
        else:
            refuse("with --direction", {"--measures": self.measures})
        self.outputs.check([*data.paths, *self.paths, *written])
        if self.then is not None:
            self._check_gates(data.task, bench, name)

    @property
    def _gate_options(self) -> dict[str, object]:
        own = self.gates
        return {
            "--fail-under": own.fail_under, "--baseline": own.baseline, "--max-drop": own.max_drop,
        }  # fmt: skip

    def _check_gates(self, task: str, bench: Bench, name: str) -> None:
        """Refuse measures, thresholds and a baseline that will be of no use."""
        from patmark.evaluation import choose_measures

        if bench.format == "text":
            several = len(bench.test_set[0].references) > 1
            refuse("with the claims of one text", self._gate_options | {"a second --ref": several})
        plan = self.gates.read(self.outputs.junit, DropTest.of(self.settings), warn=False)
        if bench.direction is not None:
            plan.check(patsnap_measures(bench.test_set), [name])
            return
        measures = choose_measures(bench.test_set, self.names_for(task))
        plan.check([measure.name for measure in measures], [name])
        plan.check_baseline(bench.test_set, measures)


def score_results(scoring: Scoring, bench: Bench, name: str, out: str, data: RunData) -> None:
    """Score the file that a run has left, with the same options as the command of its own."""
    from patmark.cli import claims_score, score

    outputs, sampling, gates = scoring.outputs, scoring.settings, scoring.gates
    shared: dict[str, Any] = {
        "resamples": sampling.resamples, "seed": sampling.seed, "by": sampling.by,
        "segments": outputs.segments, "save": outputs.save, "html": outputs.html,
        "csv": outputs.csv, "md": outputs.md, "latex": outputs.latex, "as_json": outputs.as_json,
        "full": outputs.full, "quiet": outputs.quiet,
    }  # fmt: skip
    judged: dict[str, Any] = {
        "fail_under": gates.fail_under, "baseline": gates.baseline, "max_drop": gates.max_drop,
        "junit": outputs.junit,
    }  # fmt: skip
    named = f"{name}={out}"
    if bench.direction is not None:
        score.score(
            [named], "patsnap", direction=bench.direction, variant=scoring.variant, **shared,
            **judged,
        )  # fmt: skip
    elif bench.format == "text":
        claims_score.score(data.ref[0], [named], measures=scoring.measures, **shared)
    else:
        measures = scoring.names_for(data.task)
        where = (
            {"testset": data.testset}
            if data.testset
            else {"ref": list(data.ref), "src": data.src, "docs": data.docs}
        )
        score.score(hyp=[named], lang=data.lang, measures=measures, **where, **shared, **judged)
