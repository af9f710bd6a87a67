"""Warnings of faulty data.

They cover references that fail checks, segments that are not parallel, shifted lines, repeated
outputs, and texts in another language. Checks are rules, which sometimes flag good translations.
The score of the references, computed like that of a system, is the baseline.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import add
from typing import NamedTuple

import numpy as np

from patmark.data import Evidence, Notice, Run, Scores, TestSet, country_warnings
from patmark.languages import foreign_language, foreign_script, kept_in_workspace, written_in
from patmark.measures import Check, Measure
from patmark.report import sentences
from patmark.wording import setting, tr, tr_n

REFERENCE = "(reference)"
_SHOWN = 5
_SHOWN_CHARACTERS = 60
_FEWEST_SAME = 5  # outputs that equal their reference, or each other in a row
_PARALLEL = 0.5  # share of the facts of a long segment
_LOOKED_AT = 200
_FITS, _SOME, _FEWEST = 0.3, 0.2, 3  # similarity to a neighbour; share and number of such segments


def needs_no_reference(measure: Measure) -> bool:
    """Return True if a measure needs no reference."""
    return isinstance(measure, Check) and "references" not in measure.needs


class JudgedReferences(NamedTuple):
    """Scores of the references under a check, and by segment the findings in all of them."""

    scores: Scores
    evidence: tuple[tuple[Evidence, ...], ...]


def judge_references(test_set: TestSet, measure: Measure) -> JudgedReferences | None:
    """Score the references by a reference-free check, all references together.

    None if there are no references, or for other measures; empty references do not count.
    """
    if not isinstance(measure, Check) or not needs_no_reference(measure):
        return None
    columns = list(_columns(test_set))
    if not columns:
        return None
    statistics = np.zeros((1, len(test_set), 2))
    evidence: list[tuple[Evidence, ...]] = [()] * len(test_set)
    for places, part, texts in [] if measure.not_applicable(test_set) else columns:
        found = measure.inspect(part, texts)
        statistics[0, places] += measure.count(found)
        for place, finding in zip(places, found, strict=True):
            evidence[place] += finding.evidence
    scores = measure.to_scores(test_set, [REFERENCE], statistics)
    return JudgedReferences(scores, tuple(evidence))


def _columns(test_set: TestSet) -> Iterator[tuple[list[int], TestSet, list[str]]]:
    """Yield the first references of all segments that have one, then the second ones, and so on."""
    most = max(map(len, test_set.reference_lists), default=0)
    for column in range(most):
        places = [
            place
            for place, references in enumerate(test_set.reference_lists)
            if len(references) > column and references[column].strip()
        ]
        if places:
            whole = len(places) == len(test_set)
            segments = tuple(test_set[place] for place in places)
            part = test_set if whole else replace(test_set, segments=segments)
            yield places, part, [segment.references[column] for segment in segments]


def parallel_warnings(
    measures: Sequence[Measure], scores: Mapping[str, Scores], references: Mapping[str, Scores]
) -> tuple[Notice, ...]:
    """Return long segments in which a source and a text have less than half in common.

    A segment is long if its weight is limited by the maximum.
    """
    who: dict[str, dict[str, str]] = {}
    for check in measures:
        if not isinstance(check, Check) or not np.isfinite(check.most):
            continue
        for one in (scores.get(check.name), references.get(check.name)):
            for system, segment, share in _broken(one, check.most) if one is not None else ():
                who.setdefault(system, {}).setdefault(segment, f"{check.name} {share:.2f}")
    found = []
    for system, segments in who.items():
        shown = ", ".join(f"{one} ({why})" for one, why in list(segments.items())[:_SHOWN])
        more = max(0, len(segments) - _SHOWN)
        own = tr("output of {system}", system=system)
        text = tr(
            "source and {text} do not seem parallel in {segments}: {shown}.",
            text=tr("reference") if system == REFERENCE else own,
            segments=tr_n("{n} segment", "{n} segments", n=len(segments)),
            shown=tr("{shown} and {n} more", shown=shown, n=more) if more else shown,
        )
        found.append(Notice("warning", "not-parallel", text))
    return tuple(found)


def _broken(scores: Scores, most: float) -> Iterator[tuple[str, str, float]]:
    shares = scores.segment_scores
    full = scores.statistics[..., 1] >= most - 1e-9
    for system, segment in zip(*np.nonzero(full & (shares < _PARALLEL)), strict=True):
        share = float(shares[system, segment])
        yield scores.systems[system], scores.segments[segment], share


def shifted_warnings(test_set: TestSet, runs: Sequence[Run]) -> tuple[Notice, ...]:
    """Return outputs of which many fit the reference of a neighbouring segment far better.

    A missing or doubled line affects the whole file, so a sample of segments is enough.
    """
    places = range(1, len(test_set) - 1, len(test_set) // _LOOKED_AT + 1)
    looked_at = {place + step for place in places for step in (-1, 0, 1)}
    references = {place: _pieces(" ".join(test_set[place].references)) for place in looked_at}
    found = []
    for run in runs:
        moved: dict[int, list[int]] = {-1: [], 1: []}
        for place in places:
            output = _pieces(run.hypotheses[place] or "")
            own = _alike(output, references[place])
            for step in moved if own < 0.5 else ():  # otherwise nothing is twice as similar
                near = _alike(output, references[place + step])
                if near > max(_FITS, 2 * own):
                    moved[step].append(place)
        fewer, more = sorted(moved, key=lambda step: len(moved[step]))
        most = len(moved[more])
        if most >= max(_FEWEST, _SOME * len(places)) and most > 4 * len(moved[fewer]):
            before = tr("the segment before"), tr("the segment after")
            about = {
                "system": run.system,
                "where": before[more > 0],
                "n": most,
                "total": len(places),
                "first": test_set[moved[more][0]].id,
            }
            message = tr(
                "{n} of {total} outputs of {system} fit the reference of {where} better than their "
                "own, the first at {first}: is a line missing or doubled?",
                **about,
            )
            found.append(Notice("warning", "shifted-lines", message))
    return tuple(found)


def repeated_warnings(test_set: TestSet, runs: Sequence[Run]) -> tuple[Notice, ...]:
    """Return systems whose outputs equal the references, or repeat many times in a row.

    Half of the references must be repeated, and different sources must have the same output.
    """
    found = []
    references = [{" ".join(one.split()) for one in ones} for ones in test_set.reference_lists]
    total = sum(map(bool, references))
    for run in runs:
        texts = [" ".join((text or "").split()) for text in run.hypotheses]
        copied = sum(
            bool(text) and text in ones for text, ones in zip(texts, references, strict=True)
        )
        if copied >= max(_FEWEST_SAME, total / 2):
            message = tr(
                "{n} of {total} outputs of {system} equal their reference: are they translations?",
                n=copied,
                total=total,
                system=run.system,
            )
            found.append(Notice("warning", "equal-to-reference", message))
        first, number = _longest_run(test_set, texts)
        if number >= _FEWEST_SAME:
            message = tr(
                "{n} outputs of {system} in a row are the same, from {first} on: {text}",
                n=number,
                system=run.system,
                first=test_set[first].id,
                text=texts[first][:_SHOWN_CHARACTERS],
            )
            found.append(Notice("warning", "same-outputs", message))
    return tuple(found)


def _longest_run(test_set: TestSet, texts: Sequence[str]) -> tuple[int, int]:
    """Return the first place and the number of equal outputs in a row; equal inputs count once."""
    longest, start, inputs = (0, 0), 0, set[tuple[str | None, tuple[str, ...]]]()
    for place, (segment, text) in enumerate(zip(test_set, texts, strict=True)):
        if not text or text != texts[start]:
            start, inputs = place, set()
        inputs.add((segment.source, segment.references))
        if text and len(inputs) > longest[1]:
            longest = start, len(inputs)
    return longest


def _pieces(text: str) -> frozenset[str]:
    """Return the sequences of three characters in a text."""
    text = text.lower()
    return frozenset(map(add, map(add, text, text[1:]), text[2:]))


def _alike(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the Dice coefficient."""
    return 2 * len(first & second) / max(1, len(first) + len(second))


_EXCHANGED = tr("So are the sources: are the files exchanged, or is nothing translated?")


def language_warnings(
    test_set: TestSet, runs: Sequence[Run], files: Mapping[str, str] | None = None
) -> tuple[Notice, ...]:
    """Return texts whose script or words do not fit their language, and codes like countries.

    ``files`` maps sources, references and translations to their files, for users who named them and
    ``--lang``.
    """
    found = [*country_warnings(test_set.source_language, test_set.target_language)]
    translations = tuple((run.system, run.hypotheses) for run in runs)
    for side, language, written, is_as_sources in _foreign_texts(test_set, translations):
        seen = tr("but they seem to be {written}.", written=written)
        about = {
            "side": side,
            "language": language,
            "seen": sentences(seen, _EXCHANGED if is_as_sources else ""),
        }
        message: str = tr("the {side} should be in {language}, {seen}", **about)
        if files is not None:
            message = tr(
                "{file}: {lang} says {language} for the {side}, {seen}",
                file=files[side],
                lang=setting("lang"),
                **about,
            )
        found.append(Notice("warning", "other-language", message))
    return tuple(found)


def pair_language_warnings(
    sides: tuple[Sequence[str], Sequence[str]], languages: tuple[str, str]
) -> tuple[Notice, ...]:
    """Return sides of sentence pairs whose script or words do not fit their language."""
    found = [*country_warnings(*languages)]
    for side, texts, language in zip((tr("sources"), tr("targets")), sides, languages, strict=True):
        if written := _written(texts, language):
            seen = tr("but they seem to be {written}.", written=written)
            about = {"side": side, "language": language, "seen": seen}
            text = tr("the {side} should be in {language}, {seen}", **about)
            found.append(Notice("warning", "other-language", text))
    return tuple(found)


class _ForeignTexts(NamedTuple):
    """Texts in another script than that of their language, or in another language of it."""

    side: str
    language: str
    written: str
    is_as_sources: bool = False


@kept_in_workspace(1)
def _foreign_texts(
    test_set: TestSet, translations: tuple[tuple[str, tuple[str | None, ...]], ...]
) -> tuple[_ForeignTexts, ...]:
    spoken, target = test_set.source_language, test_set.target_language
    sources = [segment.source for segment in test_set if segment.source]
    found = []
    if spoken is not None and (written := _written(sources, spoken)):
        found.append(_ForeignTexts(tr("sources"), spoken, written))
    if written := _written(test_set.flat_references, target):
        found.append(_ForeignTexts(tr("references"), target, written))
    for system, hypotheses in translations:
        texts = [text for text in hypotheses if text]
        if written := _written(texts, target):
            same = written_in(texts) == written_in(sources) and written == _written(sources, target)
            side = tr("translations of {system}", system=system)
            found.append(_ForeignTexts(side, target, written, same))
    return tuple(found)


def _written(texts: Sequence[str], language: str) -> str:
    """Return the script or language of texts if it is unexpected, else empty."""
    return foreign_script(texts, language) or foreign_language(texts, language)
