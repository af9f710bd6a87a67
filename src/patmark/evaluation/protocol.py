"""Inputs of a request, and protocols: ways of reading files, scoring them and comparing results.

Inputs are files as named, or texts in memory. A protocol is a class with a line in
``patmark.catalogue`` or an entry point of another package. Requests name it, and the command line
accepts its options.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, TypeAlias

from patmark.catalogue import PROTOCOLS, load_protocol, protocol_options
from patmark.data import (
    FilePath,
    Run,
    TestSet,
    has_ids,
    read_line_test_set,
    read_run,
    read_test_set,
    split_name,
    table_test_set,
)
from patmark.errors import UsageError
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.scoring import (
    MeasureNames,
    Progress,
    choose_measures,
    evaluate,
    refuse_descriptive,
)
from patmark.languages import language_pair
from patmark.measures import Measure
from patmark.options import Options, defaults_of
from patmark.stats import Sampling
from patmark.wording import DEFAULT_LANGUAGE, setting


class NamedRun(NamedTuple):
    """A file of translations and the name of its system."""

    system: str
    path: FilePath


Hypothesis: TypeAlias = str | NamedRun | Run
"""Translations of a system: FILE, NAME=FILE, or a run."""


_GIVEN = ["results", "hyp", "ref", "src", "docs", "lang", "allow_empty_refs", "documents"]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The texts to evaluate.

    ``results`` are files in the format of a protocol, or files with inferred roles. ``testset`` is
    a file, a test set or a table. With ``documents``, files and folders hold whole documents.
    """

    results: Sequence[str] = ()
    hyp: Sequence[Hypothesis] = ()
    ref: Sequence[str] = ()
    src: str | None = None
    docs: str | None = None
    testset: Any = None
    lang: str | None = None
    allow_empty_refs: bool = False
    documents: bool = False

    @property
    def given(self) -> list[str]:
        """Names of the given inputs."""
        return [name for name in _GIVEN if getattr(self, name)] + ["testset"] * (
            self.testset is not None
        )

    def refuse(self, where: str, *names: str) -> None:
        """Refuse inputs that have no effect."""
        given = [name for name in names if name in self.given]
        if given:
            raise UsageError(f"{', '.join(map(setting, given))} has no effect {where}")

    def read_test_set(self) -> tuple[TestSet, list[Run]]:
        """Read line-aligned files, or a test set and the runs in it."""
        if self.testset is None and not self.ref and self.src is None:
            raise UsageError(
                f"give references with {setting('ref')}, a source with {setting('src')}, "
                f"or a {setting('testset')}"
            )
        if isinstance(self.testset, TestSet):
            if self.lang is not None:
                raise UsageError(
                    f"a TestSet knows its languages; {setting('lang')} is for tables and files"
                )
            return self.testset, []
        if not self.lang:
            raise UsageError(
                f"say which language the translations are in: {setting('lang', 'ja-en')}, "
                f"or {setting('lang', DEFAULT_LANGUAGE)}"
            )
        source, target = language_pair(self.lang)
        empty = self.allow_empty_refs
        if self.testset is not None:
            self.refuse(f"with {setting('testset')}", "ref", "src", "docs")
            read = read_test_set if isinstance(self.testset, FilePath) else table_test_set
            return read(self.testset, target, source, allow_empty_references=empty)
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
        """Return the file of the sources, the references and the translations of each system."""
        files = [test_set.name] * (len(runs) - len(self.hyp))
        files += [str(_file(one)) for one in self.hyp]
        sides = [f"translations of {run.system}" for run in runs]
        named = {"sources": self.src or test_set.name, "references": test_set.name}
        return named | dict(zip(sides, files, strict=True))

    @property
    def have_ids(self) -> bool:
        """True if a run comes from a file with ids, which may lack some."""
        return any(not isinstance(one, Run) and has_ids(_file(one)) for one in self.hyp)

    def read_runs(self, test_set: TestSet, *, allow_partial: bool) -> list[Run]:
        """Read the translations; a system name may precede a file."""
        runs = []
        for one in self.hyp:
            if isinstance(one, Run):
                runs.append(one)
                continue
            path, name = _file(one), None
            if isinstance(one, NamedRun):
                name = one.system
            elif one != path:
                name = split_name(one)[0]
            runs.append(read_run(path, test_set, name, allow_partial=allow_partial))
        return runs


def _file(one: Hypothesis) -> FilePath:
    """Return the file of translations; a run in memory is called by its system."""
    if isinstance(one, Run):
        return one.system
    return one.path if isinstance(one, NamedRun) else split_name(one)[1]


PLAIN = "plain"


@dataclass(frozen=True, slots=True, eq=False)
class BenchRows:
    """Rows of a bench to translate, with all known answers as references.

    ``direction`` names the languages as the bench does; ``field`` is that of translations.
    """

    test_set: TestSet
    direction: str
    field: str


@dataclass(frozen=True, kw_only=True)
class SharedOptions:
    """Options that protocols share; one with its default was not given.

    ``scores`` are measures of external scores, ``service`` is the client of a judge.
    """

    measures: MeasureNames | None = None
    tok: str | None = None
    force: bool = False
    allow_partial: bool = False
    scores: tuple[Measure, ...] = ()
    service: Any = None
    lang: str | None = None

    @property
    def given(self) -> list[str]:
        """Names of the given options."""
        return [
            one.name for one in fields(self) if getattr(self, one.name) not in (None, False, ())
        ]


class Protocol(ABC):
    """An evaluation procedure for translations, configured for one use.

    ``options`` are its own on the command line. ``shared_options`` are those that it accepts of the
    options of all protocols (measures, tok, force, allow_partial, scores, service, lang).
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    options: ClassVar[type[Options]] = Options
    shared_options: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def recognises(cls, record: Mapping[str, object]) -> bool:
        """Return True if a record of a listed JSON file is a row of this protocol."""
        return False

    @classmethod
    def guess_lang(cls, record: Mapping[str, object], file: str) -> str | None:
        """Return the languages of a row; refuse a row without them."""
        return None

    @classmethod
    def read_rows(cls, path: str, lang: str | None, direction: str | None) -> BenchRows:
        """Read rows to translate; refuse other languages than those of the bench."""
        raise UsageError(f"{path}: the protocol {cls.name} has no rows to translate")

    @classmethod
    @abstractmethod
    def of(
        cls, options: Any, shared: SharedOptions, sampling: Sampling, *, detailed: bool
    ) -> Protocol:
        """Return the protocol with its own options, and those that it accepts of the shared ones.

        ``detailed`` is True if the report shows single segments.
        """

    @abstractmethod
    def read(self, inputs: Inputs) -> tuple[TestSet, list[Run]]:
        """Read the test set and the runs; refuse inputs that have no effect."""

    @abstractmethod
    def names(self, test_set: TestSet) -> list[str]:
        """Return the names of the scores before any work is done."""

    @abstractmethod
    def score(
        self, test_set: TestSet, runs: Sequence[Run], progress: Progress | None = None
    ) -> Evaluation:
        """Score all runs."""

    def signatures(self, test_set: TestSet) -> Mapping[str, str]:
        """Return the known signatures of the scores before any work is done."""
        return {}

    def check_comparable(self, test_set: TestSet) -> None:
        """Refuse, before any work, options with which systems cannot be compared."""
        return None


@dataclass(frozen=True)
class Plain(SharedOptions, Protocol):
    """Any measures on any test set."""

    name: ClassVar[str] = PLAIN
    shared_options: ClassVar[frozenset[str]] = frozenset(
        {"measures", "tok", "force", "allow_partial", "scores", "service"}
    )

    sampling: Sampling

    @classmethod
    def of(
        cls, options: Any, shared: SharedOptions, sampling: Sampling, *, detailed: bool
    ) -> Plain:
        return cls(sampling, **{one.name: getattr(shared, one.name) for one in fields(shared)})

    def read(self, inputs: Inputs) -> tuple[TestSet, list[Run]]:
        if inputs.results:
            benches = [name for name in PROTOCOLS if name != PLAIN]
            raise UsageError(
                f"{inputs.results[0]}: give each translation with its own {setting('hyp')}; "
                f"rows of a bench need {setting('protocol', ' or '.join(benches))}"
            )
        if not inputs.hyp and inputs.testset is None:
            raise UsageError(
                f"give files, such as mine.txt reference.txt; or translations with "
                f"{setting('hyp')} and references with {setting('ref')}"
            )
        test_set, runs = inputs.read_test_set()
        if self.allow_partial and not inputs.have_ids:
            raise UsageError(
                f"{setting('allow_partial')} has no effect without a run with ids: JSONL, CSV, XLSX"
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
    name: str,
    sampling: Sampling,
    shared: SharedOptions | None = None,
    options: Options | None = None,
    *,
    detailed: bool = False,
) -> Protocol:
    """Return the protocol of a name; refuse shared options that it does not accept."""
    chosen: type[Protocol] = load_protocol(name)
    shared = shared or SharedOptions()
    refuse_foreign(name, [one for one in shared.given if one not in chosen.shared_options])
    own = chosen.options() if options is None else options
    return chosen.of(own, shared, sampling, detailed=detailed)


def refuse_foreign(protocol: str, names: Sequence[str]) -> None:
    """Refuse options that a protocol does not have."""
    if names:
        where = f"with {setting('protocol', protocol)}"
        if protocol == PLAIN:
            others = protocol_options().items()
            owners = [one for one, own in others if {*names} <= {*defaults_of(own)}]
            where = f"without {setting('protocol', ' or '.join(owners))}" if owners else where
        raise UsageError(f"{', '.join(map(setting, names))} has no effect {where}")
