"""What the user gave to be judged: files of translations, references, sources, bench rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from patmark.cli.parsing import Options, Parameter, group, refuse
from patmark.errors import InputError, UsageError

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.protocols import PatsnapOptions, PatsnapResult, ScoreFacts, Settings

    Read: TypeAlias = tuple[TestSet, list[Run]]


@group
class References(Options, heading="Inputs"):
    """A test set: lines of several files, or one file."""

    ref: tuple[str, ...] = ()
    """References, one line per segment; may be repeated."""
    src: str | None = None
    """Source texts, one line per segment: enables the checks."""
    docs: str | None = None
    """Document ids, one per line: intervals by document."""
    testset: str | None = None
    """A test set with ids instead of --ref: JSONL or TSV; patsnap: bench rows."""
    lang: str | None = None
    """Languages as SOURCE-TARGET, e.g. ja-en; or the target."""

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        others = [path for path in (self.src, self.docs, self.testset) if path is not None]
        return [*self.ref, *others]

    def read_test_set(self, allow_empty_refs: bool = False) -> Read:
        """Line-aligned files, or a test set with ids and runs."""
        from patmark import data

        if not self.lang:
            raise UsageError(
                "say which language the translations are in: --lang ja-en, or --lang en"
            )
        source_language, target_language = data.language_pair(self.lang)
        if self.testset is None:
            if not self.ref and self.src is None:
                raise UsageError("give references with --ref, a source with --src, or a --testset")
            test_set = data.read_line_test_set(
                self.ref,
                source=self.src,
                documents=self.docs,
                target_language=target_language,
                source_language=source_language,
                allow_empty_references=allow_empty_refs,
            )
            return test_set, []
        refuse("with --testset", self.named("ref", "src", "docs"))
        if _ending(self.testset) == ".tsv":
            refuse("with a TSV test set", {"--allow-empty-refs": allow_empty_refs})
        test_set, runs = data.read_test_set(
            self.testset, target_language, source_language, allow_empty_references=allow_empty_refs
        )
        return test_set, list(runs)


@group
class Hypotheses(Options, heading="Inputs"):
    """Translations."""

    hyp: tuple[str, ...] = ()
    """Translations: text lines, or .jsonl {id, hypothesis}; FILE or NAME=FILE."""


@group
class Texts(References, Hypotheses):
    """A test set and its translations."""

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        from patmark.data import split_name

        return [*(split_name(one)[1] for one in self.hyp), *super().paths]

    def check(self, results: Sequence[str] = ()) -> list[str]:
        """All files to read; inputs that ask for standard input twice are refused."""
        from patmark.data import check_stdin_once, split_name

        paths = [*(split_name(one)[1] for one in results), *self.paths]
        check_stdin_once(paths)
        return paths

    def read(self, allow_partial: bool = False, allow_empty_refs: bool = False) -> Read:
        """The test set and its translations."""
        test_set, runs = self.read_test_set(allow_empty_refs)
        if not any(_ending(path) in (".jsonl", ".json") for path in self.hyp):
            refuse("without a run in JSONL", {"--allow-partial": allow_partial})
        runs += [_read_run(argument, test_set, allow_partial) for argument in self.hyp]
        _warn_of_foreign_sources(test_set)
        return test_set, runs


@group
class Data(Texts):
    """What score and compare are given beside result files."""

    allow_partial: bool = False
    """Accept missing answers. patsnap: leave those rows out; else they count as empty."""
    allow_empty_refs: bool = False
    """Accept empty reference lines."""

    def read_plain(self, results: Sequence[str]) -> Read:
        """Line-aligned files, or a test set with ids and runs."""
        if results:
            raise UsageError(
                f"{results[0]}: give each translation with its own --hyp; "
                "PatSnap rows need --protocol patsnap"
            )
        return self.read(self.allow_partial, self.allow_empty_refs)

    def read_patsnap(self, results: Sequence[str], options: PatsnapOptions) -> Read:
        """Bench rows with translations, one file per system; or a bench and separate runs."""
        from patmark import data

        refuse(
            "with --protocol patsnap", self.named("ref", "src", "docs", "lang", "allow_empty_refs")
        )
        if self.testset is not None:
            if results or not self.hyp:
                raise UsageError("with --testset, give the translations as --hyp NAME=FILE")
            bench = data.read_patsnap_bench(self.testset, options.direction)
            return bench, [_read_run(argument, bench, True) for argument in self.hyp]
        if not results or self.hyp:
            raise UsageError(
                "give result files, or a --testset and translations as --hyp NAME=FILE"
            )
        read = []
        for argument in results:
            name, path = data.split_name(argument)
            test_set, run = data.read_patsnap(path, options.direction)
            if run.missing == len(test_set):
                field = data.TRANSLATION_FIELDS[options.direction]
                raise InputError.at(f"no row has a translation; expected the field {field!r}", path)
            read.append((path, test_set, replace(run, system=name)))
        for path, test_set, _ in read[1:]:
            data.check_same_rows(read[0][1], test_set, (read[0][0], path))
        return read[0][1], [run for _, _, run in read]


@group
class Protocol(Options, heading="PatSnap bench"):
    """By which protocol translations are judged, and the options of that of PatSnap."""

    protocol: str = "plain"
    """plain: any measures. patsnap: the PatSnap bench."""
    direction: str | None = None
    """patsnap: cn2en (default) or en2cn."""
    variant: str | None = None
    """patsnap: strict (default), or published for the published scorer's numbers."""
    lemmatizer: str | None = None
    """patsnap: simplemma, spacy or auto (default: spacy if installed)."""

    @property
    def own(self) -> dict[str, object]:
        """The options that other protocols do not have."""
        return self.named("direction", "variant", "lemmatizer")

    def unknown(self) -> UsageError:
        """The protocol has no such name."""
        return UsageError(f"the protocol {self.protocol!r} is unknown; choose from plain, patsnap")

    def patsnap(self, data: Data, checks: bool, settings: Settings) -> PatsnapOptions:
        """The options of the protocol, with its defaults for what was not given."""
        from patmark.protocols import PatsnapOptions

        if self.direction == "en2cn":
            refuse("with --direction en2cn", self.named("lemmatizer"))
        given: dict[str, Any] = {
            "direction": self.direction,
            "variant": self.variant,
            "lemmatizer": self.lemmatizer,
        }
        return PatsnapOptions(
            allow_partial=data.allow_partial,
            checks=checks,
            settings=settings,
            **{name: value for name, value in given.items() if value is not None},
        )


@group
class CheckedProtocol(Protocol):
    """The same, with the checks that need no reference."""

    checks: Annotated[bool | None, Parameter(negative="--no-checks")] = None
    """patsnap: also run the reference-free checks (default: with --html)."""

    @property
    def own(self) -> dict[str, object]:
        """The options that other protocols do not have."""
        return {"--checks": self.checks is not None, **super().own}


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


def _warn_of_foreign_sources(test_set: TestSet) -> None:
    """Checks read the source; measures refuse foreign references themselves."""
    from patmark.cli.output import say
    from patmark.text.expected_script import foreign_script

    language = test_set.source_language
    sources = [segment.source for segment in test_set if segment.source]
    if language is not None and (written := foreign_script(sources, language)):
        say(f"Warning: --lang says {language} for the sources, but they seem to be {written}.")


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
