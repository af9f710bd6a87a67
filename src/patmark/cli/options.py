"""Groups of options that mean the same in every command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from patmark.errors import UsageError
from patmark.options import Options, Parameter, group

if TYPE_CHECKING:
    from patmark.evaluation import CompareSettings, Sampling
    from patmark.judgements import Scale


@group
class Choice(Options, heading="Measures"):
    """What is measured, and with which words."""

    measures: str | None = None
    """Measures with commas, e.g. 'BLEU,chrF,TER(case=mixed)'; see patmark measures."""
    tok: str | None = None
    """One segmenter for all word measures, e.g. zh-jieba."""
    force: bool = False
    """Allow a segmenter that cannot split the target language."""


@group
class Draws(Options, heading="Sampling"):
    """How often to resample."""

    resamples: int | None = None
    """Bootstrap resamples for intervals (default: 2000; 0 for none, if nothing is compared)."""
    seed: int | None = None
    """Seed of the resampling (default: 0)."""

    @property
    def settings(self) -> Sampling:
        """How intervals are made."""
        from patmark.evaluation import Sampling

        given = {name: getattr(self, name, None) for name in ("resamples", "seed", "by")}
        return Sampling(**{name: value for name, value in given.items() if value is not None})


@group
class Resampling(Draws):
    """How often to resample, and what."""

    by: str | None = None
    """Resample by segment or document (default: document if at least 6)."""


@group
class Trials(Options, heading="Tests"):
    """How often the randomisation test permutes."""

    trials: int | None = None
    """Trials of the randomisation test (default: 10000; p beyond these is a bound where the systems
    are many)."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """How systems are compared."""
        return self._settings(sampling)

    def _settings(self, sampling: Draws, **more: Any) -> CompareSettings:
        from patmark.evaluation import CompareSettings

        return CompareSettings(sampling.settings, trials=self.trials, **more)


@group
class PairTests(Trials):
    """Tests of many pairs."""

    holm: Annotated[bool | None, Parameter(negative="--no-holm")] = None
    """Correct for the number of pairs (default: for over two systems)."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """How systems are compared."""
        return self._settings(sampling, holm=self.holm)


@group
class ChosenTest(Trials):
    """The test between two systems."""

    test: str = "randomisation"
    """randomisation, bootstrap or bootstrap-sacrebleu."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """How systems are compared."""
        self._check()
        return self._settings(sampling, test=self.test)

    def _check(self) -> None:
        if self.trials is not None and self.test != "randomisation":
            raise UsageError(
                f"--trials has no effect with --test {self.test}, which draws --resamples times"
            )


@group
class Scales(Options, heading="Judgements"):
    """On which scales people judged."""

    scale: tuple[str, ...] = ()
    """Grades of a criterion, worst first: NAME=1..5, NAME=F,C,B,A,AA; repeat."""

    @property
    def scales(self) -> list[Scale]:
        """The scales that were given."""
        from patmark.judgements import parse_scale

        return [parse_scale(text) for text in self.scale]


@group
class Grades(Scales):
    """How judgements of people are read."""

    keep_unfinished: bool = False
    """Count segments for which an evaluator graded only some of the systems."""


def split_list(text: str | None) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]
