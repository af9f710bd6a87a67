"""The measures that run if none is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from patmark.data import TestSet
from patmark.errors import InputError
from patmark.measures import Check, Measure, languages_of, measures_by_default
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
