"""Measures of claims against a reference, and their selection.

Measures are named as everywhere (``patmark measures``). The labels of the Patent-CE paper refer to
the measures of that paper, defined in :data:`PAPER_MEASURES`. External scores of claim pairs, such
as those of a judge, are read from files. The candidates A and B are systems, and the position of a
pair, from 0, is its segment.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from patmark.claims.quality import ClaimQuality
from patmark.claims.visible_text import visible_text
from patmark.data import (
    CANDIDATES,
    QUALITY,
    ClaimPairs,
    FilePath,
    FloatArray,
    Run,
    Scores,
    TestSet,
    drafts_of_pairs,
    fingerprint,
    read_score_table,
    shown,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import (
    Progress,
    check_same_texts,
    is_saved,
    read_scores,
    refuse_descriptive,
)
from patmark.languages import language_of, tokenize_treebank, workspace
from patmark.measures import Check, Finding, Measure, parse_measure, split_names

# by run and segment
Findings: TypeAlias = tuple[tuple[Finding, ...], ...]
_BLOCK = 256  # number of drafts per block, below the cache size of measures
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_BY_SENTENCE = "Treebank words of each sentence; sentences end with . ? ! before a blank"


class PaperMeasure(NamedTuple):
    """A measure of the Patent-CE paper: its full name, and its input.

    ``by_sentence`` passes the Treebank words of each sentence, as in NLTK's word_tokenize.
    """

    name: str
    by_sentence: bool = False


# the labels of the paper
PAPER_MEASURES: Mapping[str, PaperMeasure] = MappingProxyType(
    {
        "BLEU-1": PaperMeasure("BLEU(n=1,smooth=none)"),
        "BLEU-4": PaperMeasure("BLEU(smooth=none)"),
        "ROUGE-1": PaperMeasure("ROUGE-1"),
        "ROUGE-2": PaperMeasure("ROUGE-2"),
        "ROUGE-L": PaperMeasure("ROUGE-L"),
        "METEOR": PaperMeasure("METEOR(variant=nltk,tok=none)", by_sentence=True),
    }
)


DEFAULT_MEASURES: tuple[Measure, ...] = (ClaimQuality(),)
"""Measures of ``patmark claims score``; ``patmark claims meta`` has those of the paper."""


@dataclass(frozen=True, slots=True)
class ClaimMeasure:
    """A measure under the label that tables show.

    It is ``one_of_several`` if it represents one criterion among others of its kind.
    """

    label: str
    measure: Measure
    by_sentence: bool = False
    one_of_several: bool = False

    @property
    def name(self) -> str:
        """The measure in full."""
        return self.measure.name + (" on Treebank words by sentence" if self.by_sentence else "")

    @property
    def training_facts(self) -> Mapping[str, Any] | None:
        """Facts about the training of a learned measure; None for others."""
        told = getattr(self.measure, "training_facts", None)
        return None if told is None else told()

    @property
    def criterion(self) -> str | None:
        """The criterion that a learned measure was trained for, in lower case; None otherwise."""
        criterion = (self.training_facts or {}).get("criterion")
        return criterion.lower() if isinstance(criterion, str) else None

    def is_held_against(self, criterion: str) -> bool:
        """Return True if the measure is evaluated against experts' labels of a criterion."""
        return not self.one_of_several or self.criterion == criterion.lower()

    def signature(self, test_set: TestSet) -> str:
        """Return everything that changes the number."""
        words = f"|words:{_BY_SENTENCE}" if self.by_sentence else ""
        return self.measure.signature(test_set) + words

    def score_runs(
        self, test_set: TestSet, runs: Sequence[Run], found: Findings | None = None
    ) -> Scores:
        """Return the scores of all runs; those of a check from its findings."""
        measure = self.measure
        statistics: list[FloatArray]
        if isinstance(measure, Check) and found is not None:
            statistics = [measure.count(each) for each in found]
        else:
            given = self._given(test_set)
            statistics = [measure.statistics(given, self._prepared(run.texts)) for run in runs]
        scores = measure.to_scores(
            test_set, [run.system for run in runs], np.stack(statistics), self._shown_label
        )
        return replace(scores, signature=self.signature(test_set))

    @property
    def _shown_label(self) -> str | None:
        """The label of the paper, if it differs from the name of the measure."""
        return None if self.label == self.measure.name else self.label

    def _given(self, test_set: TestSet) -> TestSet:
        segments = (
            replace(segment, references=self._prepared(segment.references)) for segment in test_set
        )
        return replace(test_set, segments=tuple(segments)) if self.by_sentence else test_set

    def _prepared(self, texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(sentence_words, texts)) if self.by_sentence else tuple(texts)


def sentence_words(text: str) -> str:
    """Return the Treebank words of each sentence, separated by blanks.

    The period that ends a sentence, or follows the number of a claim, is a separate word.
    """
    sentences = _SENTENCE_END.split(text.strip())
    return " ".join(word for words in tokenize_treebank(sentences) for word in words)


def choose_claim_measures(
    measures: str | Sequence[str | Measure] | None = None,
) -> list[ClaimMeasure]:
    """Choose measures by labels of the paper or names; by default the six of the paper."""
    given: Sequence[str | Measure]
    given = split_names(measures) if isinstance(measures, str) else measures or [*PAPER_MEASURES]
    if not given:
        raise UsageError("no measure is named; write e.g. BLEU-1,ROUGE-L")
    chosen = [one for item in given for one in _by_criterion(_claim_measure(item))]
    labels = [one.label for one in chosen]
    doubles = sorted({label for label in labels if labels.count(label) > 1})
    if doubles:
        raise UsageError(f"asked for twice: {', '.join(doubles)}")
    refuse_descriptive(one.measure for one in chosen)
    return chosen


def _claim_measure(item: str | Measure) -> ClaimMeasure:
    if isinstance(item, Measure):
        return ClaimMeasure(item.name, item)
    for label, of_paper in PAPER_MEASURES.items():
        if label.lower() == item.strip().lower():
            return ClaimMeasure(label, parse_measure(of_paper.name), of_paper.by_sentence)
    measure = parse_measure(item)
    return ClaimMeasure(measure.name, measure)


def _by_criterion(one: ClaimMeasure) -> list[ClaimMeasure]:
    """Split a measure with a model for each criterion into one measure for each."""
    split = getattr(one.measure, "by_criterion", None)
    measures = [one.measure] if split is None else split()
    if measures == [one.measure]:
        return [one]
    return [ClaimMeasure(each.name, each, one_of_several=True) for each in measures]


def in_language_of_claims(test_set: TestSet) -> TestSet:
    """Return the test set with the language in which most of its reference claims are written."""
    languages = Counter(language_of(None, text) for text in test_set.flat_references)
    return replace(test_set, target_language=max(languages, key=languages.__getitem__))


@workspace()
def score_drafts(
    test_set: TestSet,
    runs: Sequence[Run],
    measures: Sequence[ClaimMeasure],
    progress: Progress | None = None,
    beside: Mapping[str, Check] | None = None,
) -> tuple[dict[str, Scores], dict[str, Findings]]:
    """Compute the scores of each measure, and the findings of checks.

    The checks ``beside`` give findings and no scores. Hidden text of drafts has no effect.
    """
    checks = {one.label: one.measure for one in measures if isinstance(one.measure, Check)}
    checks |= beside or {}
    size = max(1, _BLOCK // max(1, len(runs)))
    blocks = range(0, len(test_set), size) if checks else range(0)
    total = len(blocks) + len(measures)

    def show(what: str, done: int) -> None:
        if progress:
            progress(what, done, total)

    found: dict[str, list[list[Finding]]] = {label: [[] for _ in runs] for label in checks}
    problems: list[Problem] = []
    for done, start in enumerate(blocks):
        show("claims", done)
        problems += _examine(test_set, runs, checks, slice(start, start + size), found)
    if problems:
        raise InputError(problems)
    findings = {label: tuple(map(tuple, each)) for label, each in found.items()}
    scores: dict[str, Scores] = {}
    seen = [_visible(run) for run in runs]
    for done, one in enumerate(measures, len(blocks)):
        show(one.label, done)
        scores[one.label] = one.score_runs(test_set, seen, findings.get(one.label))
    show("", total)
    return scores, findings


def _visible(run: Run) -> Run:
    """Return the drafts with hidden text blanked."""
    texts = (text and visible_text(text).text for text in run.hypotheses)
    return replace(run, hypotheses=tuple(texts))


def _examine(
    test_set: TestSet,
    runs: Sequence[Run],
    checks: Mapping[str, Check],
    part: slice,
    found: Mapping[str, list[list[Finding]]],
) -> Sequence[Problem]:
    """Add the findings of all checks in a part of the drafts, and describe its problems.

    All checks process a part before the next one, while shared results (parsed claims, assigned
    claims) are cached.
    """
    block = replace(test_set, segments=test_set.segments[part])
    texts = [tuple(text or "" for text in run.hypotheses[part]) for run in runs]
    try:
        for label, check in checks.items():
            for own, kept in zip(texts, found[label], strict=True):
                kept += check.findings(block, own)
    except InputError as error:
        return error.problems
    return ()


def score_claim_pairs(
    pairs: ClaimPairs, measures: Sequence[ClaimMeasure], progress: Progress | None = None
) -> dict[str, Scores]:
    """Score both candidates of each pair by each measure, as two systems A and B.

    A candidate without a score cannot be compared and is refused.
    """
    test_set, runs = drafts_of_pairs(pairs)
    scores, _ = score_drafts(in_language_of_claims(test_set), runs, measures, progress)
    problems = [
        Problem(f"item {place}: {label} has no value for candidate {CANDIDATES[side]}", pairs.name)
        for label, one in scores.items()
        for side, place in np.argwhere(np.isnan(one.segment_scores))
    ]
    if problems:
        raise InputError(problems)
    return scores


_CRITERION = re.compile(r"\(criterion=(\w+)\)$")


@dataclass(frozen=True, slots=True, eq=False)
class GivenMeasure:
    """A measure with given scores of both candidates of each pair; NaN if missing."""

    label: str
    scores: Scores

    @property
    def name(self) -> str:
        """The measure in full."""
        return self.label

    @property
    def family(self) -> str:
        """The name without the criterion: that of the judge."""
        return _CRITERION.sub("", self.label)

    @property
    def criterion(self) -> str | None:
        """The criterion in the name; None for overall scores."""
        found = _CRITERION.search(self.label)
        return None if found is None else found[1].lower()

    def is_held_against(self, criterion: str) -> bool:
        """Return True if it is compared with a criterion: its own, or quality."""
        return self.criterion in (None, criterion.lower()) or criterion.lower() == QUALITY


def read_given_scores(paths: Sequence[FilePath], pairs: ClaimPairs) -> list[GivenMeasure]:
    """Read the measures of files, in the order of the pairs.

    Refuse files of other pairs, if recognisable, and a duplicate measure.
    """
    measures: dict[str, GivenMeasure] = {}
    for path in paths:
        for name, scores in _file_scores(path, pairs).items():
            if name in measures:
                raise InputError.at(f"{name} is given twice", shown(path))
            measures[name] = GivenMeasure(name, _of_pairs(scores, pairs, shown(path)))
    refuse_descriptive(one.scores for one in measures.values())
    return list(measures.values())


def _file_scores(path: FilePath, pairs: ClaimPairs) -> dict[str, Scores]:
    name = shown(path)
    if not is_saved(path):
        table = read_score_table(path)
        return {
            measure: Scores.of_values(
                measure, f"from {name}", table.systems, table.segments, values
            )
            for measure, values in table.of_segments.items()
        }
    saved = read_scores(path)
    test_set, _ = drafts_of_pairs(pairs)
    check_same_texts(saved.facts.test_set, fingerprint(test_set), (name, pairs.name))
    return dict(saved.scores)


def _of_pairs(scores: Scores, pairs: ClaimPairs, path: str) -> Scores:
    """Return the scores with A and B as rows and pairs as columns, (0, 0) for absent ones."""
    absent = [one for one in CANDIDATES if one not in scores.systems]
    if absent:
        raise InputError.at(
            f"{scores.measure} has no scores of {' and '.join(absent)}, only of "
            f"{', '.join(scores.systems)}; scores of claim pairs are of {' and '.join(CANDIDATES)}",
            path,
        )
    segments = [str(place) for place in range(len(pairs))]
    foreign = [one for one in scores.segments if one not in set(segments)]
    if foreign:
        raise InputError.at(
            f"{scores.measure} has a segment {foreign[0]!r}; expected positions of pairs, "
            f"0 to {len(pairs) - 1}",
            path,
        )
    rows = [scores.systems.index(one) for one in CANDIDATES]
    known = {segment: at for at, segment in enumerate(scores.segments)}
    statistics = np.zeros((len(rows), len(segments), scores.statistics.shape[-1]))
    for place, segment in enumerate(segments):
        if segment in known:
            statistics[:, place] = scores.statistics[rows, known[segment]]
    found = replace(scores, systems=CANDIDATES, segments=tuple(segments), statistics=statistics)
    if np.isnan(found.segment_scores).any(axis=0).all():
        raise UsageError(f"{path}: {scores.measure} has no pair with scores of both candidates")
    return found
