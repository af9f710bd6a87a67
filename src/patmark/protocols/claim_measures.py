"""Measures of claims against a reference, with the short labels of the Patent-CE paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from patmark.data import ClaimPairs, Scores, Segment, TestSet
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import Progress, refuse_descriptive
from patmark.measures import Measure, parse_measure, split_names
from patmark.text.english import tokenize_treebank

CANDIDATES = ("A", "B")
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")
_BY_SENTENCE = "Treebank words of each sentence; sentences end with . ? ! before a blank"


@dataclass(frozen=True, slots=True)
class ClaimMeasure:
    """A measure under the label that tables show.

    ``by_sentence`` hands it the Treebank words of each sentence, as NLTK's word_tokenize does.
    """

    label: str
    measure: Measure
    by_sentence: bool = False

    @property
    def name(self) -> str:
        """The measure in full."""
        return self.measure.name + (" on Treebank words by sentence" if self.by_sentence else "")

    def signature(self, test_set: TestSet) -> str:
        """Everything that changes the number."""
        words = f"|words:{_BY_SENTENCE}" if self.by_sentence else ""
        return self.measure.signature(test_set) + words

    def prepared(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The texts as the measure is given them."""
        return tuple(map(sentence_words, texts)) if self.by_sentence else tuple(texts)


# Label → name of the measure, and whether it is given the words of each sentence.
PAPER_MEASURES: Mapping[str, tuple[str, bool]] = MappingProxyType(
    {
        "BLEU-1": ("BLEU(n=1,smooth=none)", False),
        "BLEU-4": ("BLEU(smooth=none)", False),
        "ROUGE-1": ("ROUGE-1", False),
        "ROUGE-2": ("ROUGE-2", False),
        "ROUGE-L": ("ROUGE-L", False),
        "METEOR": ("METEOR(variant=nltk,tok=none)", True),
    }
)


def sentence_words(text: str) -> str:
    """The Treebank words of each sentence, with blanks between them.

    The period that ends a sentence, or follows the number of a claim, is a word of its own.
    """
    sentences = _SENTENCE_END.split(text.strip())
    return " ".join(word for words in tokenize_treebank(sentences) for word in words)


def choose_claim_measures(
    measures: str | Sequence[str | Measure] | None = None,
) -> list[ClaimMeasure]:
    """Measures by the labels of the paper or by their names; the six of the paper by default."""
    given: Sequence[str | Measure]
    given = split_names(measures) if isinstance(measures, str) else measures or [*PAPER_MEASURES]
    if not given:
        raise UsageError("no measure is named; write e.g. BLEU-1,ROUGE-L")
    chosen = [_claim_measure(item) for item in given]
    labels = [one.label for one in chosen]
    doubles = sorted({label for label in labels if labels.count(label) > 1})
    if doubles:
        raise UsageError(f"asked for twice: {', '.join(doubles)}")
    refuse_descriptive(one.measure for one in chosen)
    return chosen


def _claim_measure(item: str | Measure) -> ClaimMeasure:
    if isinstance(item, Measure):
        return ClaimMeasure(item.name, item)
    labels = {label.lower(): label for label in PAPER_MEASURES}
    if (label := labels.get(item.strip().lower())) is not None:
        name, by_sentence = PAPER_MEASURES[label]
        return ClaimMeasure(label, parse_measure(name), by_sentence)
    measure = parse_measure(item)
    return ClaimMeasure(measure.name, measure)


def score_claim_pairs(
    pairs: ClaimPairs, measures: Sequence[ClaimMeasure], progress: Progress | None = None
) -> dict[str, Scores]:
    """Scores of both candidates of each pair by each measure, as two systems A and B."""
    scores = {}
    for done, one in enumerate(measures):
        if progress:
            progress(one.label, done, len(measures))
        scores[one.label] = _score(pairs, one)
    if progress:
        progress("", len(measures), len(measures))
    problems = [problem for each in scores.values() for problem in _without_value(each, pairs.name)]
    if problems:
        raise InputError(problems)
    return scores


def _score(pairs: ClaimPairs, one: ClaimMeasure) -> Scores:
    references = one.prepared([pair.reference for pair in pairs.pairs])
    test_set = TestSet(
        tuple(
            Segment(str(place), references=(reference,), document=key)
            for place, (reference, key) in enumerate(
                zip(references, pairs.reference_keys, strict=True)
            )
        ),
        "en",
        name=pairs.name,
    )
    sides = (
        one.prepared([pair.first for pair in pairs.pairs]),
        one.prepared([pair.second for pair in pairs.pairs]),
    )
    return Scores(
        measure=one.label,
        signature=one.signature(test_set),
        systems=CANDIDATES,
        segments=tuple(segment.id for segment in test_set),
        statistics=np.stack([one.measure.statistics(test_set, side) for side in sides]),
        score=one.measure.score,
        higher_is_better=one.measure.higher_is_better,
    )


def _without_value(scores: Scores, path: str) -> list[Problem]:
    """A candidate without a score cannot be compared."""
    return [
        Problem(
            f"item {place}: {scores.measure} has no value for candidate {CANDIDATES[side]}", path
        )
        for side, place in np.argwhere(np.isnan(scores.segment_scores))
    ]
