"""Groups of options that mean the same in every command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.parsing import Options, Parameter
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.human import Scale
    from patmark.protocols import CompareSettings, Settings


@dataclass(frozen=True, kw_only=True)
class Choice(Options, heading="Measures"):
    """What is measured, and with which words."""

    measures: str | None = None
    """Measures with commas, e.g. 'BLEU,chrF,TER(case=mixed)'; see patmark measures."""
    tok: str | None = None
    """One segmenter for all word measures, e.g. zh-jieba."""
    force: bool = False
    """Allow a segmenter that cannot split the target language."""


@dataclass(frozen=True, kw_only=True)
class Draws(Options, heading="Sampling"):
    """How often to resample."""

    resamples: int = 2000
    """Bootstrap resamples for intervals; 0 for none, if nothing is compared."""
    seed: int = 0
    """Seed of the resampling."""

    @property
    def settings(self) -> Settings:
        """How intervals are made."""
        from patmark.protocols import Settings

        return Settings(self.resamples, self.seed)


@dataclass(frozen=True, kw_only=True)
class Sampling(Draws):
    """How often to resample, and what."""

    by: str | None = None
    """Resample by segment or document (default: document if at least 20)."""

    @property
    def settings(self) -> Settings:
        """How intervals are made."""
        from patmark.protocols import Settings

        return Settings(self.resamples, self.seed, self.by)


@dataclass(frozen=True, kw_only=True)
class Trials(Options, heading="Tests"):
    """How often the randomisation test permutes."""

    trials: int | None = None
    """Trials of the randomisation test (default: 10000; p beyond these is a bound where the systems
    are many)."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """How systems are compared."""
        return self._settings(sampling)

    def _settings(self, sampling: Draws, **more: Any) -> CompareSettings:
        from patmark.protocols import CompareSettings

        return CompareSettings(sampling.settings, trials=self.trials, **more)


@dataclass(frozen=True, kw_only=True)
class PairTests(Trials):
    """Tests of many pairs."""

    holm: Annotated[bool | None, Parameter(negative="--no-holm")] = None
    """Correct for the number of pairs (default: for over two systems)."""

    def settings(self, sampling: Draws) -> CompareSettings:
        """How systems are compared."""
        return self._settings(sampling, holm=self.holm)


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class Scales(Options, heading="Judgements"):
    """On which scales people judged."""

    scale: tuple[str, ...] = ()
    """Grades of a criterion, worst first: NAME=1..5, NAME=F,C,B,A,AA; repeat."""

    @property
    def scales(self) -> list[Scale]:
        """The scales that were given."""
        from patmark.human import parse_scale

        return [parse_scale(text) for text in self.scale]


@dataclass(frozen=True, kw_only=True)
class Grades(Scales):
    """How judgements of people are read."""

    keep_unfinished: bool = False
    """Count segments for which an evaluator graded only some of the systems."""


def split_list(text: str | None) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]
