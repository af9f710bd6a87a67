"""What follows a run: its results are scored as patmark score and patmark claims score do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from patmark.cli.inputs import refuse
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.cli.output import Outputs
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
    outputs: Outputs

    def check(self, inputs: Sequence[str], refs: bool, bench: Bench) -> None:
        """Refuse, before the run, what scoring could not do."""
        if self.then is None:
            options = {
                "--measures": self.measures, "--variant": self.variant, "--by": self.by,
                "--resamples": self.resamples is not None, "--seed": self.seed is not None,
                "a report": self.outputs.paths, "--full": self.outputs.full,
            }  # fmt: skip
            refuse("without --then score", options)
        elif self.then != "score":
            raise UsageError(f"--then {self.then}: only score can follow")
        elif bench.form != "bench" and not any(bench.test_set.reference_lists):
            missing = "--ref" if refs else "references in the test set"
            raise UsageError(f"--then score needs references: {missing}")
        if bench.direction is None:
            refuse("without --direction", {"--variant": self.variant})
        else:
            refuse("with --direction", {"--measures": self.measures})
        self.outputs.check(inputs)


def score_results(scoring: Scoring, bench: Bench, name: str, out: str, data: RunData) -> None:
    """Score the file that a run has left, with the same options as the command of its own."""
    from patmark.cli import claims_score, score

    outputs = scoring.outputs
    shared: dict[str, Any] = {
        "resamples": 2000 if scoring.resamples is None else scoring.resamples,
        "seed": scoring.seed or 0, "by": scoring.by, "segments": outputs.segments,
        "save": outputs.save, "html": outputs.html, "csv": outputs.csv, "md": outputs.md,
        "latex": outputs.latex, "as_json": outputs.as_json, "full": outputs.full,
        "quiet": outputs.quiet,
    }  # fmt: skip
    named = f"{name}={out}"
    if bench.direction is not None:
        score.score(
            [named], "patsnap", direction=bench.direction, variant=scoring.variant, **shared
        )
    elif bench.form == "text":
        claims_score.score(data.ref[0], [named], measures=scoring.measures, **shared)
    else:
        measures = scoring.measures
        if data.task != "translate" and measures is None:
            from patmark.protocols.claims_evaluation import DEFAULT_MEASURES

            measures = ",".join(one.name for one in DEFAULT_MEASURES)
        where = (
            {"testset": data.testset}
            if data.testset
            else {"ref": list(data.ref), "src": data.src, "docs": data.docs}
        )
        score.score(hyp=[named], lang=data.lang, measures=measures, **where, **shared)
