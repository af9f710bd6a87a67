"""What a protocol is: how files are read, what is scored, and how results are compared.

A protocol is a class with a line in ``patmark.catalogue`` or an entry point of another package; the
command line finds it by its name, and takes the options that it declares.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from patmark.catalogue import load_protocol, protocol_options
from patmark.data import (
    Run,
    TestSet,
    has_ids,
    language_pair,
    read_line_test_set,
    read_run,
    read_test_set,
    split_name,
)
from patmark.errors import UsageError
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.measure_choice import choose_measures, refuse_descriptive
from patmark.evaluation.scoring import Progress, evaluate
from patmark.measures import Measure
from patmark.options import Options, defaults_of, option_name
from patmark.stats import Sampling

PLAIN = "plain"


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The files to be judged, as they were named."""

    results: Sequence[str] = ()
    hyp: Sequence[str] = ()
    ref: Sequence[str] = ()
    src: str | None = None
    docs: str | None = None
    testset: str | None = None
    lang: str | None = None
    allow_empty_refs: bool = False

    def refuse(self, where: str, *names: str) -> None:
        """An input without effect is an error."""
        given = [name for name in names if getattr(self, name)]
        if given:
            raise UsageError(f"{_options(given)} has no effect {where}")

    def read_test_set(self) -> tuple[TestSet, list[Run]]:
        """Line-aligned files, or a test set with ids and the runs that stand in it."""
        if self.testset is None and not self.ref and self.src is None:
            raise UsageError("give references with --ref, a source with --src, or a --testset")
        if not self.lang:
            raise UsageError(
                "say which language the translations are in: --lang ja-en, or --lang en"
            )
        source, target = language_pair(self.lang)
        empty = self.allow_empty_refs
        if self.testset is not None:
            self.refuse("with --testset", "ref", "src", "docs")
            return read_test_set(self.testset, target, source, allow_empty_references=empty)
        test_set = read_line_test_set(
            self.ref,
            source=self.src,
            documents=self.docs,
            target_language=target,
            source_language=source,
            allow_empty_references=empty,
        )
        return test_set, []

    def files_of(self, test_set: TestSet, runs: Sequence[Run]) -> dict[str, str]:
        """From which file the sources, the references and the translations of each system are."""
        files = [test_set.name] * (len(runs) - len(self.hyp))
        files += [split_name(argument)[1] for argument in self.hyp]
        sides = [f"translations of {run.system}" for run in runs]
        named = {"sources": self.src or test_set.name, "references": test_set.name}
        return named | dict(zip(sides, files, strict=True))

    def read_runs(self, test_set: TestSet, *, allow_partial: bool) -> list[Run]:
        """The translations, each from a file that may have a name before it."""
        runs = []
        for argument in self.hyp:
            name, path = split_name(argument)
            given = None if argument == path else name
            runs.append(read_run(path, test_set, given, allow_partial=allow_partial))
        return runs


def _options(names: Iterable[str]) -> str:
    """Options as a user types them, from the names of their fields."""
    return ", ".join(map(option_name, names))


class Protocol(ABC):
    """A way of judging translations, set up for one use.

    ``options`` are its own on the command line; of those that all protocols share (measures, tok,
    force, allow_partial, scores) it ``heeds`` some.
    """

    name: ClassVar[str]
    options: ClassVar[type[Options]] = Options
    heeds: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    @abstractmethod
    def of(cls, options: Mapping[str, Any], sampling: Sampling, *, detailed: bool) -> Protocol:
        """The protocol with the options that were given: its own, and those that it heeds.

        ``detailed`` says that somebody will look at single segments.
        """

    @abstractmethod
    def read(self, inputs: Inputs) -> tuple[TestSet, list[Run]]:
        """The test set and the runs; what cannot be used is refused."""

    @abstractmethod
    def names(self, test_set: TestSet) -> list[str]:
        """What will be scored, before any work is done."""

    @abstractmethod
    def score(
        self, test_set: TestSet, runs: Sequence[Run], progress: Progress | None = None
    ) -> Evaluation:
        """Score all runs."""

    def signatures(self, test_set: TestSet) -> Mapping[str, str]:
        """The signatures of the scores, as far as they are known before any work is done."""
        return {}

    def check_comparable(self, test_set: TestSet) -> None:
        """Refuse, before any work is done, what systems cannot be compared by."""
        return None


@dataclass(frozen=True)
class Plain(Protocol):
    """Any measures on any test set."""

    name: ClassVar[str] = PLAIN
    heeds: ClassVar[frozenset[str]] = frozenset(
        {"measures", "tok", "force", "allow_partial", "scores", "service"}
    )

    sampling: Sampling
    measures: str | None = None
    tok: str | None = None
    force: bool = False
    allow_partial: bool = False
    scores: tuple[Measure, ...] = ()
    service: Any = None

    @classmethod
    def of(cls, options: Mapping[str, Any], sampling: Sampling, *, detailed: bool) -> Plain:
        return cls(sampling, **options)

    def read(self, inputs: Inputs) -> tuple[TestSet, list[Run]]:
        if inputs.results:
            raise UsageError(
                f"{inputs.results[0]}: give each translation with its own --hyp; "
                "PatSnap rows need --protocol patsnap"
            )
        if not inputs.hyp and inputs.testset is None:
            raise UsageError(
                "give files, such as mine.txt reference.txt; or translations with --hyp and "
                "references with --ref"
            )
        test_set, runs = inputs.read_test_set()
        if self.allow_partial and not any(has_ids(split_name(one)[1]) for one in inputs.hyp):
            raise UsageError(
                "--allow-partial has no effect without a run with ids: JSONL, CSV, XLSX"
            )
        runs += inputs.read_runs(test_set, allow_partial=self.allow_partial)
        for measure in self.scores:
            measure.check_runs(test_set, runs)
        return test_set, runs

    def names(self, test_set: TestSet) -> list[str]:
        return [measure.name for measure in self._chosen(test_set)]

    def signatures(self, test_set: TestSet) -> Mapping[str, str]:
        chosen = self._chosen(test_set)
        return {measure.name: measure.signature(test_set) for measure in chosen}

    def check_comparable(self, test_set: TestSet) -> None:
        if self.measures is not None:
            refuse_descriptive(self._chosen(test_set))

    def score(
        self, test_set: TestSet, runs: Sequence[Run], progress: Progress | None = None
    ) -> Evaluation:
        return evaluate(test_set, runs, self._chosen(test_set), self.sampling, progress)

    def _chosen(self, test_set: TestSet) -> list[Measure]:
        return choose_measures(
            test_set, self.measures, self.tok, self.force, self.scores, self.service
        )


def protocol_called(
    name: str, options: Mapping[str, Any], sampling: Sampling, *, detailed: bool = False
) -> Protocol:
    """The protocol of a name with the options that were given.

    Options that it does not have are refused; so leave out those that nobody gave.
    """
    chosen: type[Protocol] = load_protocol(name)
    known = chosen.heeds | defaults_of(chosen.options).keys()
    foreign = [one for one in options if one not in known]
    if foreign:
        where = f"with --protocol {name}"
        if name == PLAIN:
            others = protocol_options().items()
            owners = [one for one, own in others if {*foreign} <= {*defaults_of(own)}]
            where = f"without --protocol {' or '.join(owners)}" if owners else where
        raise UsageError(f"{_options(foreign)} has no effect {where}")
    return chosen.of(options, sampling, detailed=detailed)
