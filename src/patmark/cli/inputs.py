"""What the user gave to be judged: files of translations, references, sources, bench rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from patmark.errors import InputError, UsageError

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.protocols import PatsnapOptions, PatsnapResult, ScoreFacts, Settings


def refuse(where: str, options: Mapping[str, object]) -> None:
    """An option without effect is an error."""
    given = [name for name, value in options.items() if value not in (None, False, [], ())]
    if given:
        raise UsageError(f"{', '.join(given)} has no effect {where}")


@dataclass(frozen=True, slots=True)
class Inputs:
    """The options that name data, as they were given."""

    results: list[str]
    hyp: list[str]
    ref: list[str]
    src: str | None
    docs: str | None
    testset: str | None
    lang: str | None
    allow_partial: bool
    allow_empty_refs: bool

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        from patmark.data import split_name

        named = [split_name(argument)[1] for argument in (*self.results, *self.hyp)]
        others = [path for path in (self.src, self.docs, self.testset) if path is not None]
        return [*named, *self.ref, *others]

    def check(self) -> None:
        """Refuse inputs that ask for standard input twice."""
        from patmark.data import check_stdin_once

        check_stdin_once(self.paths)

    def read_plain(self) -> tuple[TestSet, list[Run]]:
        """Line-aligned files, or a test set with ids and runs."""
        from patmark import data

        if self.results:
            raise UsageError(
                f"{self.results[0]}: give each translation with its own --hyp; "
                "PatSnap rows need --protocol patsnap"
            )
        if not self.lang:
            raise UsageError(
                "say which language the translations are in: --lang ja-en, or --lang en"
            )
        source_language, target_language = data.language_pair(self.lang)
        if self.testset is not None:
            test_set, runs = self._read_test_set(target_language, source_language)
        else:
            test_set = self._read_lines(target_language, source_language)
            runs = self._read_runs(test_set)
        _warn_of_foreign_sources(test_set)
        return test_set, runs

    def _read_lines(self, target_language: str, source_language: str | None) -> TestSet:
        from patmark import data

        if not self.ref and self.src is None:
            raise UsageError("give references with --ref, a source with --src, or a --testset")
        return data.read_line_test_set(
            self.ref, source=self.src, documents=self.docs, target_language=target_language,
            source_language=source_language, allow_empty_references=self.allow_empty_refs,
        )  # fmt: skip

    def _read_test_set(
        self, target_language: str, source_language: str | None
    ) -> tuple[TestSet, list[Run]]:
        from patmark import data

        refuse("with --testset", {"--ref": self.ref, "--src": self.src, "--docs": self.docs})
        path = cast("str", self.testset)
        if _ending(path) == ".tsv":
            refuse("with a TSV test set", {"--allow-empty-refs": self.allow_empty_refs})
        test_set, runs = data.read_test_set(
            path, target_language, source_language, allow_empty_references=self.allow_empty_refs
        )
        return test_set, [*runs, *self._read_runs(test_set)]

    def _read_runs(self, test_set: TestSet) -> list[Run]:
        if not any(_ending(path) in (".jsonl", ".json") for path in self.hyp):
            refuse("without a run in JSONL", {"--allow-partial": self.allow_partial})
        return [_read_run(argument, test_set, self.allow_partial) for argument in self.hyp]

    def read_patsnap(self, options: PatsnapOptions) -> tuple[TestSet, list[Run]]:
        """Bench rows with translations, one file per system; or a bench and separate runs."""
        from patmark import data

        refuse("with --protocol patsnap", {
            "--ref": self.ref, "--src": self.src, "--docs": self.docs, "--lang": self.lang,
            "--allow-empty-refs": self.allow_empty_refs,
        })  # fmt: skip
        if self.testset is not None:
            if self.results or not self.hyp:
                raise UsageError("with --testset, give the translations as --hyp NAME=FILE")
            bench = data.read_patsnap_bench(self.testset, options.direction)
            return bench, [_read_run(argument, bench, True) for argument in self.hyp]
        if not self.results or self.hyp:
            raise UsageError(
                "give result files, or a --testset and translations as --hyp NAME=FILE"
            )
        read = []
        for argument in self.results:
            name, path = data.split_name(argument)
            test_set, run = data.read_patsnap(path, options.direction)
            if run.missing == len(test_set):
                field = data.TRANSLATION_FIELDS[options.direction]
                raise InputError.at(f"no row has a translation; expected the field {field!r}", path)
            read.append((path, test_set, replace(run, system=name)))
        for path, test_set, _ in read[1:]:
            data.check_same_rows(read[0][1], test_set, (read[0][0], path))
        return read[0][1], [run for _, _, run in read]


def _warn_of_foreign_sources(test_set: TestSet) -> None:
    """Checks read the source; measures refuse foreign references themselves."""
    from patmark.cli.output import say
    from patmark.text.scripts import foreign_script

    language = test_set.source_language
    sources = [segment.source for segment in test_set if segment.source]
    if language is not None and (written := foreign_script(sources, language)):
        say(f"Warning: --lang says {language} for the sources, but they seem to be {written}.")


def patsnap_options(
    direction: str | None, variant: str | None, lemmatizer: str | None,
    inputs: Inputs, checks: bool, settings: Settings,
) -> PatsnapOptions:  # fmt: skip
    """The options of the protocol, with its defaults for what was not given."""
    from patmark.protocols import PatsnapOptions

    if direction == "en2cn":
        refuse("with --direction en2cn", {"--lemmatizer": lemmatizer})
    given: dict[str, Any] = {
        "direction": direction, "variant": variant, "lemmatizer": lemmatizer,
    }  # fmt: skip
    return PatsnapOptions(
        allow_partial=inputs.allow_partial, checks=checks, settings=settings,
        **{name: value for name, value in given.items() if value is not None},
    )  # fmt: skip


def patsnap_measures(test_set: TestSet) -> list[str]:
    """What the protocol will score: the mean of labels, and the labels that occur."""
    from patmark.protocols import LABELS

    present = {segment.meta["label"] for segment in test_set}
    return ["overall", *(label for label in LABELS if label in present)]


def patsnap_facts(result: PatsnapResult) -> ScoreFacts:
    """What to keep beside the scores of the protocol."""
    from patmark.protocols.score_facts import COUNTED_AS_WRONG, LEFT_OUT, ScoreFacts

    treatment = LEFT_OUT if result.options.skips_missing else COUNTED_AS_WRONG
    return ScoreFacts.of(result.test_set, result.runs, treatment)


def _ending(path: str) -> str:
    """The ending of a file name, without that of its packing."""
    return Path(path.removesuffix(".gz").removesuffix(".zst")).suffix


def _read_run(argument: str, test_set: TestSet, allow_partial: bool) -> Run:
    from patmark import data

    name, path = data.split_name(argument)
    given_name = None if argument == path else name
    if _ending(path) in (".jsonl", ".json"):
        return data.read_jsonl_run(path, test_set, given_name, allow_partial=allow_partial)
    return data.read_line_run(path, test_set, given_name)
