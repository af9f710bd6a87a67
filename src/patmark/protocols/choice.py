"""Which measures to take: those that were named, or those that the data allow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from patmark.data import TestSet
from patmark.errors import InputError, PatmarkError, UsageError
from patmark.measures import Measure, WordMeasure, parse_measure, parse_measures, split_names

WITH_REFERENCES = ("BLEU", "chrF", "TER", "NIST", "RIBES", "METEOR", "ROUGE-L", "length-ratio",
                   "omission", "length-hallucination", "leakage")  # fmt: skip
WITH_SOURCE = ("numbers", "reference-signs", "claim-structure", "untranslated", "doubled",
               "term-drift")  # fmt: skip


def default_measures(test_set: TestSet) -> list[Measure]:
    """Every common measure that the data allow.

    References or sources that only some segments have are a reason to fail, not to measure less.
    """
    names: list[str] = []
    if any(test_set.reference_lists):
        names += WITH_REFERENCES
    if any(segment.source is not None for segment in test_set):
        names += WITH_SOURCE
    if not names:
        raise InputError.at(f"{test_set.name} has neither references nor sources to score with")
    return parse_measures(names)


def choose_measures(
    test_set: TestSet, names: str | None = None, tok: str | None = None, force: bool = False
) -> list[Measure]:
    """The measures that were asked for, with one segmenter for all that do not name their own."""
    chosen = default_measures(test_set) if names is None else parse_measures(names)
    if tok is not None:
        chosen = [measure.with_segmenter(tok) for measure in chosen]
    if force:
        chosen = [
            replace(measure, force=True) if isinstance(measure, WordMeasure) else measure
            for measure in chosen
        ]
    return chosen


def measure_called(name: str) -> Measure | None:
    """The measure that scores are named after; None for a label, a human criterion and the like."""
    try:
        return parse_measure(name)
    except PatmarkError:
        return None


def is_descriptive(name: str) -> bool:
    """Whether scores of this name only describe: no system is better for having more or less."""
    measure = measure_called(name)
    return measure is not None and measure.descriptive


def refuse_descriptive(names: Iterable[str]) -> None:
    """Refuse to compare or to judge by measures that only describe."""
    described = [name for name in names if is_descriptive(name)]
    if described:
        raise UsageError(
            f"{', '.join(described)}: neither more nor less of it is better, so that no system "
            "can be better by it; patmark score shows it"
        )


def check_named(names: Iterable[str], scores: Iterable[str]) -> None:
    """Refuse names of measures that there are no scores of, or that only describe."""
    known = list(scores)
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise UsageError(f"no measure here is called {unknown[0]}; there are {', '.join(known)}")
    refuse_descriptive(names)


def parse_given(measures: str | Sequence[Measure | str]) -> list[Measure]:
    """Measures given by name, as objects, or as one text with commas; none twice."""
    if isinstance(measures, str):
        measures = split_names(measures)
    names = [name for name in measures if isinstance(name, str)]
    named = iter(parse_measures(names) if names else [])
    chosen = [next(named) if isinstance(item, str) else item for item in measures]
    printed = [measure.name for measure in chosen]
    doubles = sorted({name for name in printed if printed.count(name) > 1})
    if doubles:
        raise UsageError(f"asked for twice: {', '.join(doubles)}")
    return chosen
