"""Base classes of measures: parameters, name, additive statistics, and a score of their sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, fields, replace
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from patmark._version import __version__
from patmark.data import (
    Evidence,
    FloatArray,
    IntArray,
    Message,
    Notice,
    Run,
    Scores,
    Segment,
    TestSet,
    country_warnings,
    mean_score,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import (
    UNSPACED_LANGUAGES,
    fits_language,
    foreign_script,
    has_cjk,
    kept_in_workspace,
    language,
    language_of,
    resolve_tokenizer,
    tokenizer_signature,
    workspace,
)
from patmark.wording import setting, tr, yes_or_no

_SAMPLE = 50  # number of segments for detecting the source language


Group: TypeAlias = Literal["reference", "length", "check"]
"""Table that shows a measure: scores against references, length and leakage, or checks."""

Reduction: TypeAlias = Literal["mean", "ratio", "measure"]
"""Formula of a score: mean of segment scores, ratio of two sums, or a custom one."""

PARTS = ("f", "precision", "recall")
"""Values of an F-score: itself, and its parts."""

NOT_APPLICABLE = "not-applicable"
"""Code of the notice on a check that has no score."""

NOT_A_PARAMETER = {"parameter": False}
"""Metadata of a field that is not part of the name, such as a connection."""


class Judged(NamedTuple):
    """Statistics of one system, and by segment the places that explain them.

    Measures without evidence have none. ``notes`` are messages on the work, such as unjudged
    outputs.
    """

    statistics: FloatArray
    evidence: tuple[tuple[Evidence, ...], ...] | None = None
    notes: tuple[Message, ...] = ()


class Measure(ABC):
    """Base class of measures. Subclasses are frozen dataclasses whose fields are the parameters.

    A parameter is described in its annotation, ``n: Annotated[int, "longest n-gram"] = 4``, or
    under its name in ``parameters``. ``formula`` and ``limits`` state definition and limitations in
    a line each; ``guide`` is a page of the documentation that says more. A ``descriptive`` measure
    has no better direction, so systems are not compared by it; a ``rate`` is 0 or 1 in every
    segment. ``needs`` are the required data, ``extra`` the optional libraries, ``resources`` other
    requirements in words. ``width`` is the number of its statistics, None if it depends on the
    data.

    ``group`` names the table that shows the measure; ``runs_by_default`` is True for measures that
    run if none is named. ``aggregation`` describes the formula of :meth:`score`.
    """

    label: ClassVar[str]
    variant: ClassVar[str] = ""
    description: ClassVar[str]
    formula: ClassVar[str] = ""
    limits: ClassVar[str] = ""
    guide: ClassVar[str] = "measures/README.md"
    citation: ClassVar[str]
    parameters: ClassVar[Mapping[str, str]] = {}
    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    resources: ClassVar[tuple[str, ...]] = ()
    extra: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    descriptive: ClassVar[bool] = False
    rate: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    group: ClassVar[Group] = "reference"
    runs_by_default: ClassVar[bool] = False
    aggregation: ClassVar[Reduction] = "measure"

    @property
    def name(self) -> str:
        """The name that parses back to this measure, without default parameters."""
        given = [f"variant={self.variant}"] if self.variant else []
        given += [
            f"{field.name}={shown_value(getattr(self, field.name))}"
            for field in parameters_of(type(self))
            if getattr(self, field.name) != field.default
        ]
        return f"{self.label}({','.join(given)})" if given else self.label

    def __str__(self) -> str:
        return self.name

    def signature(self, test_set: TestSet) -> str:
        """Return all settings that change the number, in one line."""
        parts = {
            field.name: getattr(self, field.name)
            for field in parameters_of(type(self))
            if field.metadata.get("signed", True)
        }
        parts = {"variant": self.variant} | parts if self.variant else parts
        parts |= self._signature_parts(test_set)
        if "references" in self.needs:
            counts = {len(references) for references in test_set.reference_lists}
            parts["refs"] = "-".join(str(count) for count in sorted({min(counts), max(counts)}))
        parts["over"] = self.averages
        parts["patmark"] = __version__
        return "|".join(
            [self.label, *(f"{key}:{shown_value(value)}" for key, value in parts.items())]
        )

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return {}

    @property
    def averages(self) -> str:
        """Word of the signature for the aggregation: mean of segment scores, or sum of counts."""
        return "mean" if self.aggregation == "mean" else "sum"

    @property
    def mean_factor(self) -> float | None:
        """Factor of a mean of pairs (sum, count): 1, or None for other formulas."""
        return 1.0 if self.aggregation != "measure" and self.width == 2 else None

    @property
    def percentage(self) -> bool:
        """True if the maximum is 100."""
        return self.bounds[1] == 100

    @property
    def width(self) -> int | None:
        """Number of statistics of a segment."""
        return None

    def to_scores(
        self,
        test_set: TestSet,
        systems: Sequence[str],
        statistics: FloatArray,
        label: str | None = None,
    ) -> Scores:
        """Return statistics (systems, segments, k) of this measure as scores under its name.

        A ``label`` is another displayed name, which does not parse back to the measure.
        """
        return replace(
            self.described(),
            measure=label or self.name,
            signature=self.signature(test_set),
            systems=tuple(systems),
            segments=tuple(segment.id for segment in test_set),
            statistics=statistics,
        )

    def described(self) -> Scores:
        """Return scores of no system with the description of this measure."""
        return Scores(
            self.name,
            "",
            (),
            (),
            np.zeros((0, 0, 0)),
            self,
            self.higher_is_better,
            bounds=self.bounds,
            percentage=self.percentage,
            descriptive=self.descriptive,
            findings=isinstance(self, Check),
            rate=self.rate,
        )

    def with_tokenizer(self, tok: str) -> Measure:
        """Return this measure with another tokenizer, unless it names one or has no words."""
        return self

    def with_service(self, service: Any) -> Measure:
        """Return this measure with an endpoint, if it needs one."""
        return self

    def statistics(self, test_set: TestSet, hypotheses: Sequence[str | None]) -> FloatArray:
        """Return additive statistics, one row per segment; zero if nothing can be measured.

        A hypothesis of None, a missing answer, counts as an empty text.
        """
        return self._counted(test_set, _texts(hypotheses))

    def _counted(self, test_set: TestSet, texts: tuple[str, ...]) -> FloatArray:
        """Return the statistics of validated texts."""
        with workspace():
            self._check(test_set, texts)
            judged, texts, places = self._judged(test_set, texts)
            statistics = self._statistics(judged, texts)
        if judged is test_set:
            return statistics
        spread = np.zeros((len(test_set), statistics.shape[-1]))
        spread[places] = statistics
        return spread

    def check_runs(self, test_set: TestSet, runs: Sequence[Run]) -> None:
        """Refuse, before anything is scored, systems without scores of this measure."""
        return None

    def judge(self, test_set: TestSet, run: Run) -> Judged:
        """Score the answers of a system, whose name a measure may use."""
        return Judged(self._counted(test_set, run.texts))

    def judge_all(
        self,
        test_set: TestSet,
        runs: Sequence[Run],
        progress: Callable[[str, int, int], None] | None = None,
    ) -> list[Judged]:
        """Score the answers of all systems; a slow measure reports its progress."""
        return [self.judge(test_set, run) for run in runs]

    @property
    def judges_runs_alone(self) -> bool:
        """True if it processes each run separately, from texts alone."""
        own = type(self)
        return (own.judge, own.judge_all) == (Measure.judge, Measure.judge_all)

    def _judged(
        self, test_set: TestSet, hypotheses: Sequence[str]
    ) -> tuple[TestSet, tuple[str, ...], list[int]]:
        """Return the segments with all required data, hypotheses and places."""
        if not self._gaps(test_set):
            return test_set, tuple(hypotheses), list(range(len(test_set)))
        places = [place for place, segment in enumerate(test_set) if not self._lacks(segment)]
        judged = replace(test_set, segments=tuple(test_set[place] for place in places))
        return judged, tuple(hypotheses[place] for place in places), places

    def _gaps(self, test_set: TestSet) -> bool:
        """Return True if a segment lacks data that this measure needs."""
        if "source" in self.needs:
            return any(map(self._lacks, test_set))
        return "references" in self.needs and bool(test_set.without_reference)

    def _lacks(self, segment: Segment) -> str:
        """Return the part that this measure needs and a segment lacks; empty if it has all."""
        if "references" in self.needs and not segment.references:
            return "reference"
        return "source text" if "source" in self.needs and segment.source is None else ""

    def _absent(self, test_set: TestSet) -> list[str]:
        """Return the parts that this measure needs and no segment has, with the settings."""
        absent = []
        if "source" in self.needs and not any(s.source is not None for s in test_set):
            absent.append(f"source texts ({setting('src')})")
        if "references" in self.needs and test_set and not any(test_set.reference_lists):
            given = bool(test_set.emptied)
            absent.append("references" if given else f"references ({setting('ref')})")
        return absent

    def remarks(self, test_set: TestSet, scores: Scores) -> tuple[Message, ...]:
        """Return notes on the scores of this measure; usually none."""
        return ()

    @abstractmethod
    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray: ...

    @abstractmethod
    def score(self, totals: FloatArray) -> FloatArray:
        """Map sums of statistics (…, k) to scores (…)."""

    def segment_score(self, statistics: FloatArray) -> FloatArray:
        """Return scores (…) of single segments from their statistics (…, k)."""
        return self.score(statistics)

    def _check(self, test_set: TestSet, hypotheses: Sequence[str]) -> None:
        if len(hypotheses) != len(test_set):
            raise InputError.at(
                f"{test_set.name} has {len(test_set)} segments, but there are "
                f"{len(hypotheses)} hypotheses"
            )
        problems: list[Problem] = []
        absent = self._absent(test_set)
        if absent:
            problems += [
                Problem(f"{self.name} needs {what}, and there are none") for what in absent
            ]
        elif not test_set.allow_gaps and self._gaps(test_set):
            leave_out = f"; {setting('allow_empty_refs')} leaves such segments out"
            problems += [
                Problem(
                    f"segment {segment.id!r} has no {lacking}, which {self.name} needs"
                    f"{leave_out if lacking == 'reference' else ''}"
                )
                for segment in test_set
                if (lacking := self._lacks(segment))
            ]
        for key in sorted(self.needs - {"references", "source"}):
            if not any(key in segment.meta for segment in test_set):
                problems.append(Problem(f"no segment has meta.{key}, which {self.name} needs"))
        if problems:
            raise InputError(problems)


def parameters_of(measure: Any) -> list[Field[Any]]:
    """Return the fields of a measure that are its parameters."""
    return [field for field in fields(measure) if field.metadata.get("parameter", True)]


def _texts(hypotheses: Sequence[str | None]) -> tuple[str, ...]:
    """Validate hypotheses as a run does and return their texts."""
    return Run("a system", cast("tuple[str | None, ...]", hypotheses)).texts


class MeanMeasure(Measure):
    """A measure whose corpus score is the mean of its segment scores."""

    aggregation: ClassVar[Reduction] = "mean"

    @property
    def width(self) -> int:
        return 2

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        scores = self.segment_scores(test_set, hypotheses)
        return np.column_stack([scores, np.ones(len(scores))])

    @abstractmethod
    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        """Return one score per segment."""

    def score(self, totals: FloatArray) -> FloatArray:
        return mean_score(totals)


@dataclass(frozen=True, kw_only=True)
class WordMeasure(Measure):
    """A measure on words. The tokenizer follows the target language unless ``tok`` names one."""

    english_tokenizer: ClassVar[str] = "13a"
    spaced_tokenizer: ClassVar[str] = ""  # default for other languages with blanks, if different

    tok: Annotated[str, "tokenizer; auto follows the target language"] = "auto"
    force: Annotated[bool, "allow a tokenizer that cannot split the language"] = False

    def tokenizer(self, test_set: TestSet) -> str:
        """Return the tokenizer for this test set; refuse one that cannot split its language."""
        return resolve_tokenizer(
            self.tok,
            test_set.target_language,
            self.english_tokenizer,
            force=self.force,
            spaced_default=self.spaced_tokenizer,
        )

    def with_tokenizer(self, tok: str) -> Measure:
        return replace(self, tok=tok) if self.tok == "auto" else self

    def _check(self, test_set: TestSet, hypotheses: Sequence[str]) -> None:
        super()._check(test_set, hypotheses)
        if not self.force:
            refuse_wrong_language(test_set)
            if self.tokenizer(test_set) == "none":
                refuse_unsegmented(test_set)

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return {"tok": tokenizer_signature(self.tokenizer(test_set))}


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check in one segment: ``kept`` of ``expected`` things, and the evidence."""

    kept: float
    expected: float
    evidence: tuple[Evidence, ...] = ()


class Check(Measure):
    """A measure that counts kept facts, and shows the places of the others.

    ``languages`` are those of its rules, None if they need no words. The weight of one segment is
    limited to ``most`` things, so that a long text that is not a translation of its source does not
    decide the score of a test set. ``rules`` is the version of the rules, which is part of the
    signature.
    """

    limits: ClassVar[str] = "Finds single faults; a translation without them may still be bad."
    guide: ClassVar[str] = "measures/checks.md"
    group: ClassVar[Group] = "check"
    aggregation: ClassVar[Reduction] = "ratio"
    needs: ClassVar[frozenset[str]] = frozenset({"source"})
    languages: ClassVar[frozenset[str] | None] = None
    most: ClassVar[float] = np.inf
    rules: ClassVar[int] = 1

    def supports(self, source: str, target: str) -> bool:
        """Return True if the rules support these languages; an unknown one is an empty text."""
        return self.languages is None or self.languages.issuperset({source, target})

    def unsupported(self, test_set: TestSet) -> str:
        """Return the reason why this check does not support the languages of a test set, or ""."""
        source, target = languages_of(test_set)
        if self.supports(source, target):
            return ""
        if not source:
            language = setting("lang", "xx-yy")
            return f"{self.name}: which language the source is in is not known; say {language}"
        known = self._known_languages()
        return f"{self.name} has no rules for {source}-{target}{known and f', but for {known}'}"

    def not_applicable(self, test_set: TestSet) -> str:
        """Return the reason why this check does not apply to a kind of text, or ""."""
        return ""

    def remarks(self, test_set: TestSet, scores: Scores) -> tuple[Message, ...]:
        """Return a notice if this check does not apply to the texts."""
        reason = self.not_applicable(test_set)
        text = tr("{name} does not apply: {reason}.", name=self.name, reason=reason)
        return (Notice("note", NOT_APPLICABLE, text),) if reason else ()

    def _known_languages(self) -> str:
        """Name the languages that have rules."""
        return ", ".join(sorted(self.languages or ()))

    def _check(self, test_set: TestSet, hypotheses: Sequence[str]) -> None:
        super()._check(test_set, hypotheses)
        reason = self.unsupported(test_set)
        if reason:
            raise UsageError(reason)

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        parts: dict[str, Any] = {"most": f"{self.most:g}"} if np.isfinite(self.most) else {}
        return parts | ({"rules": self.rules} if self.rules > 1 else {})

    @property
    def width(self) -> int:
        return 2

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return one finding per segment."""
        pairs = zip(test_set, hypotheses, strict=True)
        return [self.inspect_segment(test_set, segment, text) for segment, text in pairs]

    def inspect_segment(self, test_set: TestSet, segment: Segment, hypothesis: str) -> Finding:
        """Return the finding of one segment; a check of whole documents has only `inspect`."""
        raise NotImplementedError

    def findings(self, test_set: TestSet, hypotheses: Sequence[str | None]) -> list[Finding]:
        """Return the findings of :meth:`inspect`, after the data have been checked."""
        texts = _texts(hypotheses)
        self._check(test_set, texts)
        judged, texts, places = self._judged(test_set, texts)
        found = [Finding(0, 0)] * len(test_set)
        if self.not_applicable(test_set):
            return found
        for place, finding in zip(places, self.inspect(judged, texts), strict=True):
            found[place] = finding
        return found

    def judge(self, test_set: TestSet, run: Run) -> Judged:
        found = self.findings(test_set, run.texts)
        return Judged(self.count(found), tuple(finding.evidence for finding in found))

    def count(self, findings: Sequence[Finding]) -> FloatArray:
        """Convert findings to statistics (kept, expected), scaled down above ``most``."""
        found = np.array([(f.kept, f.expected) for f in findings], dtype=np.float64).reshape(-1, 2)
        return found * np.minimum(1, self.most / np.maximum(found[:, 1:], 1))

    def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        if self.not_applicable(test_set):
            return np.zeros((len(test_set), 2))
        return self.count(self.inspect(test_set, hypotheses))

    def score(self, totals: FloatArray) -> FloatArray:
        return mean_score(totals)


MOST_THINGS = 10
"""Maximum weight of one segment in checks that count things."""


@kept_in_workspace(8)
def languages_of(test_set: TestSet) -> tuple[str, str]:
    """Return source and target language; an undeclared source is guessed from its text."""
    if test_set.source_language is not None:
        return test_set.source_language, test_set.target_language
    sample = " ".join(test_set.sources[:_SAMPLE])
    guessed = language_of(None, sample)
    known = bool(sample.strip()) and fits_language(sample, guessed)
    return guessed if known else "", test_set.target_language


def listed_texts(segment: Segment, key: str) -> tuple[str, ...]:
    """Return a list of texts from the metadata of a segment; empty without the key."""
    value = segment.meta.get(key, ())
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError.at(f"segment {segment.id!r}: meta.{key} must be a list of texts")
    if not all(isinstance(item, str) for item in value):
        raise InputError.at(f"segment {segment.id!r}: meta.{key} must hold texts only")
    return tuple(value)


def refuse_wrong_language(test_set: TestSet) -> None:
    """Refuse references whose script cannot be that of the target language."""
    written = _foreign_script(test_set)
    if written:
        hints = country_warnings(test_set.target_language)
        raise UsageError(
            f"the target language is {test_set.target_language}, but the references of "
            f"{test_set.name} seem to be written {written}; name their language, or "
            f"{setting('force')} if this is meant{''.join(f'. {hint.text}' for hint in hints)}"
        )


@kept_in_workspace(8)
def _foreign_script(test_set: TestSet) -> str:
    """Return the script of the references if it is not that of the target language."""
    return foreign_script(test_set.flat_references, test_set.target_language)


def refuse_unsegmented(test_set: TestSet) -> None:
    """Refuse references in a language without blanks that are not split by blanks."""
    code = test_set.target_language
    if code not in UNSPACED_LANGUAGES:
        return
    words = [word for text in test_set.flat_references for word in text.split()]
    han = language(code).writes_han
    words = [word for word in words if (has_cjk(word) if han else not word.isascii())]
    if words and sum(map(len, words)) > (6 if han else 12) * len(words):
        raise UsageError(
            f"tok=none takes blanks for word boundaries, but the {code} "
            f"references have hardly any; leave tok out, or {setting('force')} if this is meant"
        )


def one_of(measure: str, parameter: str, value: object, allowed: Sequence[object]) -> None:
    """Refuse an unknown parameter value."""
    if value not in allowed:
        names = ", ".join(shown_value(choice) for choice in allowed)
        raise UsageError(
            f"{measure}: {parameter}={shown_value(value)} is unknown; choose from {names}"
        )


def shown_value(value: object) -> str:
    """Return a parameter as names and messages write it."""
    return yes_or_no(value) if isinstance(value, bool) else str(value)


Text = TypeVar("Text")


@dataclass(frozen=True, slots=True)
class ReferenceLayout:
    """For each reference in flat order: its segment, and its index within the segment."""

    segment: IntArray
    place: IntArray
    most: int

    @classmethod
    def of(cls, reference_lists: Sequence[Sequence[object]]) -> ReferenceLayout:
        """Return the layout of a list of references per segment."""
        counts = np.array([len(references) for references in reference_lists], dtype=np.int64)
        segment = np.repeat(np.arange(len(counts)), counts)
        first = np.cumsum(counts) - counts
        place = np.arange(len(segment)) - first[segment]
        return cls(segment, place, int(counts.max(initial=0)))


def best_reference(layout: ReferenceLayout, quality: FloatArray) -> IntArray:
    """Return the flat index of the best reference of each segment; the first wins."""
    order = np.lexsort((layout.place, -quality, layout.segment))
    first = np.concatenate([[True], np.diff(layout.segment[order]) != 0])
    return np.asarray(order[first], dtype=np.int64)


def best_of_references(
    test_set: TestSet,
    hypotheses: Sequence[Text],
    references: Sequence[Text],
    pair_score: Callable[[Text, Text], float],
) -> FloatArray:
    """Score each hypothesis against each of its references and keep the best."""
    scores = np.zeros(len(test_set))
    flat = iter(references)
    for position, segment in enumerate(test_set):
        hypothesis = hypotheses[position]
        scores[position] = max(pair_score(hypothesis, next(flat)) for _ in segment.references)
    return scores
