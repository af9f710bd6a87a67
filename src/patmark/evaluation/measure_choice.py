"""The measures of a request: parsed, completed by defaults and external scores, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from patmark.data import Scores, TestSet
from patmark.errors import InputError, UsageError
from patmark.measures import (
    Check,
    Measure,
    WordMeasure,
    languages_of,
    measures_by_default,
    parse_measures,
    split_names,
)
from patmark.report import sentences
from patmark.wording import setting, tr


def default_measures(test_set: TestSet) -> list[Measure]:
    """Return every default measure that the data and their languages allow.

    References or sources of only some segments are an error, not a reason to score less.
    """
    common = list(_with_data(test_set))
    if not common:
        raise InputError.at(f"{test_set.name} has neither references nor sources to score with")
    return [one for one in common if not _unsupported(one, test_set)]


def default_checks() -> list[Measure]:
    """Return the default measures that need sources and no references."""
    return [one for one in measures_by_default() if one.group == "check"]


def _with_data(test_set: TestSet) -> Iterator[Measure]:
    """Yield the default measures whose data, references or sources, the test set has."""
    references = any(test_set.reference_lists)
    sources = any(segment.source is not None for segment in test_set)
    for one in measures_by_default():
        if sources if one.group == "check" else references:
            yield one


def _unsupported(measure: Measure, test_set: TestSet) -> str:
    """Return the reason why a measure has no rules for the languages; empty if it has."""
    return measure.unsupported(test_set) if isinstance(measure, Check) else ""


def language_notes(test_set: TestSet, measures: Sequence[Measure]) -> tuple[str, ...]:
    """Return a note on default checks that the languages exclude, if nothing else was excluded."""
    scored = {measure.label for measure in measures}
    left_out = []
    for one in _with_data(test_set):
        if one.label not in scored:
            if not _unsupported(one, test_set):
                return ()
            left_out.append(one)
    if not left_out:
        return ()
    source, target = languages_of(test_set)
    if not source:
        why = tr(
            "The language of the sources is unknown; set it with {lang}, e.g. ja-en.",
            lang=setting("lang"),
        )
    else:
        why = tr("Their rules do not hold for {source}-{target}.", source=source, target=target)
    names = tuple(one.label for one in left_out)
    return (sentences(tr("Not scored: {measures}.", measures=names), why),)


MeasureNames: TypeAlias = str | Measure | Sequence[Measure | str]
"""Measures as users give them: one comma-separated text, one measure, or a list of both."""


def choose_measures(
    test_set: TestSet,
    names: MeasureNames | None = None,
    tok: str | None = None,
    force: bool = False,
    imported: Sequence[Measure] = (),
    service: Any = None,
) -> list[Measure]:
    """Return the measures of a request; a common tokenizer is the default.

    ``imported`` ones are placed where they are named, else at the end; ``service`` is for judges.
    """
    chosen = default_measures(test_set) if names is None else parse_given(names, imported)
    chosen += [one for one in imported if one not in chosen]
    refuse_doubles(chosen)
    if tok is not None:
        chosen = [measure.with_tokenizer(tok) for measure in chosen]
    if force:
        chosen = [
            replace(measure, force=True) if isinstance(measure, WordMeasure) else measure
            for measure in chosen
        ]
    if service is not None:
        asking = [measure.with_service(service) for measure in chosen]
        if all(one is other for one, other in zip(asking, chosen, strict=True)):
            raise UsageError(
                f"{setting('base_url')} has no effect without a judge among the measures, as in "
                f"{setting('measures', 'BLEU,Judge(model=NAME,scheme=mqm)')}"
            )
        return asking
    return chosen


def refuse_doubles(measures: Iterable[Measure]) -> None:
    """Refuse two measures of one name."""
    found = Counter(measure.name for measure in measures)
    doubles = sorted(name for name, times in found.items() if times > 1)
    if doubles:
        raise UsageError(f"asked for twice: {', '.join(doubles)}")


def refuse_descriptive(described: Iterable[Measure | Scores]) -> None:
    """Refuse to compare or to gate by descriptive measures."""
    names = [
        one.name if isinstance(one, Measure) else one.measure
        for one in described
        if one.descriptive
    ]
    if names:
        raise UsageError(
            f"{', '.join(names)}: neither more nor less of it is better, so that no system "
            "can be better by it; patmark score shows it"
        )


def check_named(names: Iterable[str], scores: Mapping[str, Scores]) -> None:
    """Refuse names of measures without scores, and descriptive ones."""
    names = list(names)
    unknown = sorted(set(names) - set(scores))
    if unknown:
        raise UsageError(f"no measure here is called {unknown[0]}; there are {', '.join(scores)}")
    refuse_descriptive(scores[name] for name in names)


def parse_given(measures: MeasureNames, imported: Sequence[Measure] = ()) -> list[Measure]:
    """Return measures given by name, as objects, or as one comma-separated text; refuse duplicates.

    The name of an ``imported`` measure refers to it.
    """
    if isinstance(measures, str):
        measures = split_names(measures)
    elif isinstance(measures, Measure):
        measures = [measures]
    if not measures:
        raise UsageError("no measure is named; write e.g. BLEU,chrF")
    for item in measures:
        if not isinstance(item, str | Measure):
            raise UsageError(f"{item!r} is no measure; give a name such as 'BLEU'")
    own = {one.name: one for one in imported}
    given = [own.get(item, item) if isinstance(item, str) else item for item in measures]
    names = [item for item in given if isinstance(item, str)]
    named = iter(parse_measures(names) if names else [])
    chosen = [next(named) if isinstance(item, str) else item for item in given]
    refuse_doubles(chosen)
    return chosen
