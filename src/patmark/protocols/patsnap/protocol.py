"""The PatSnap bench as a protocol of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from patmark.data import Run, TestSet, split_name
from patmark.errors import InputError, UsageError
from patmark.evaluation import (
    BenchRows,
    Inputs,
    Progress,
    Protocol,
    Sampling,
    SharedOptions,
    parse_given,
)
from patmark.options import Options
from patmark.protocols.patsnap.bench_files import (
    TRANSLATION_FIELDS,
    check_same_rows,
    is_row,
    known_answers,
    patsnap_direction,
    read_patsnap,
    read_patsnap_bench,
)
from patmark.protocols.patsnap.options import BenchOptions
from patmark.protocols.patsnap.rows import LABELS
from patmark.protocols.patsnap.scoring import PatsnapEvaluation, PatsnapOptions, score_patsnap
from patmark.wording import setting

_NOT_READ = ("ref", "src", "docs", "allow_empty_refs")


@dataclass(frozen=True)
class Patsnap(Protocol):
    """The PatSnap Patent Translation Bench: nine labels, their mean, and a grade."""

    name: ClassVar[str] = "patsnap"
    title: ClassVar[str] = "PatSnap"
    options: ClassVar[type[Options]] = BenchOptions
    shared_options: ClassVar[frozenset[str]] = frozenset({"allow_partial", "lang", "measures"})

    asked: PatsnapOptions
    detailed: bool = False

    @classmethod
    def recognises(cls, record: Mapping[str, object]) -> bool:
        """Return True for a record with the label of a row."""
        return is_row(record)

    @classmethod
    def read_rows(cls, path: str, lang: str | None, direction: str | None) -> BenchRows:
        """Read rows to translate; refuse other languages than those of the bench."""
        named = patsnap_direction(lang, direction)
        if named is None:
            needed = setting("lang", "zh-en")
            raise UsageError(f"name the languages of the PatSnap rows: {needed} or en-zh")
        read = read_patsnap_bench(path, named)
        answers = (known_answers(one, read.target_language) for one in read)
        known = zip(read, answers, strict=True)
        segments = tuple(replace(one, references=found) for one, found in known)
        return BenchRows(replace(read, segments=segments), named, TRANSLATION_FIELDS[named])

    @classmethod
    def guess_lang(cls, record: Mapping[str, object], file: str) -> str:
        """Return the languages by the field that holds the translation."""
        found = [one for one, field in TRANSLATION_FIELDS.items() if field in record]
        if len(found) != 1:
            raise UsageError(
                f"{file}: say the direction with {setting('lang', 'zh-en')} or "
                f"{setting('lang', 'en-zh')}"
            )
        return "zh-en" if found[0] == "cn2en" else "en-zh"

    @classmethod
    def of(
        cls, options: BenchOptions, shared: SharedOptions, sampling: Sampling, *, detailed: bool
    ) -> Patsnap:
        """Return the protocol; run reference-free checks if the report shows single rows."""
        given = {"checks": detailed, **options.changed(), "allow_partial": shared.allow_partial}
        direction = patsnap_direction(shared.lang, given.pop("direction", None))
        if direction == "en2cn" and options.lemmatizer is not None:
            raise UsageError(
                f"{setting('lemmatizer')} has no effect on Chinese translations (en-zh, en2cn)"
            )
        if shared.measures is not None:
            given["measures"] = tuple(parse_given(shared.measures))
        asked = PatsnapOptions(direction or "cn2en", **given, sampling=sampling)
        return cls(asked, detailed)

    def read(self, inputs: Inputs) -> tuple[TestSet, list[Run]]:
        """Return bench rows with translations, one file per system, or a bench and runs."""
        inputs.refuse(f"with {setting('protocol', 'patsnap')}", *_NOT_READ)
        direction = self.asked.direction
        patsnap_direction(inputs.lang, direction)
        if inputs.testset is not None:
            if inputs.results or not inputs.hyp:
                raise UsageError(
                    f"with {setting('testset')}, give the translations as "
                    f"{setting('hyp', 'NAME=FILE')}"
                )
            bench = inputs.testset
            if not isinstance(bench, TestSet):
                bench = read_patsnap_bench(bench, direction)
            return bench, inputs.read_runs(bench, allow_partial=True)
        if not inputs.results or inputs.hyp:
            raise UsageError(
                f"give result files, or a {setting('testset')} and translations as "
                f"{setting('hyp', 'NAME=FILE')}"
            )
        read = []
        for argument in inputs.results:
            name, path = split_name(argument)
            test_set, run = read_patsnap(path, direction)
            if run.missing == len(test_set):
                field = TRANSLATION_FIELDS[direction]
                raise InputError.at(f"no row has a translation; expected the field {field!r}", path)
            read.append((path, test_set, replace(run, system=name)))
        for path, test_set, _ in read[1:]:
            check_same_rows(read[0][1], test_set, (read[0][0], path))
        return read[0][1], [run for _, _, run in read]

    def names(self, test_set: TestSet) -> list[str]:
        """Return the mean of labels, and the labels that occur."""
        present = {segment.meta["label"] for segment in test_set}
        return ["overall", *(label for label in LABELS if label in present)]

    def check_comparable(self, test_set: TestSet) -> None:
        """Refuse measures in a comparison, which is by labels, and checks that are not shown."""
        if self.asked.measures is not None or self.asked.components:
            raise UsageError(
                f"systems are compared by the labels of the bench; {setting('measures')} and "
                f"{setting('components')} go with patmark score"
            )
        if self.asked.checks and not self.detailed:
            raise UsageError(
                f"{setting('checks')} has no effect in a comparison without {setting('html')}"
            )

    def score(
        self, test_set: TestSet, runs: Sequence[Run], progress: Progress | None = None
    ) -> PatsnapEvaluation:
        return score_patsnap(test_set, runs, self.asked, progress)
