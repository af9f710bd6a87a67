"""What is wrong with the data themselves: references that checks blame, segments that are not
parallel, texts that cannot be in their language.

A check is made of rules, and rules blame good translations now and then. The score of the
references, made as if they were a system, shows how much of a system's score that may be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from patmark.data import Run, Scores, TestSet, country_warnings
from patmark.measures import Check, Measure
from patmark.report import sentences
from patmark.text import foreign_language, foreign_script, written_in
from patmark.wording import tr, tr_n, warning

REFERENCE = "(reference)"
_SHOWN = 5
_PARALLEL = 0.5  # of what a long segment holds


def needs_no_reference(measure: Measure) -> bool:
    """Whether a measure looks for faults in an output without holding it against a reference."""
    return isinstance(measure, Check) and "references" not in measure.needs


def reference_scores(test_set: TestSet, measures: Sequence[Measure]) -> dict[str, Scores]:
    """Scores of the references under every check that needs none, all references together.

    Nothing where there are no references; an empty reference is none.
    """
    checks = [one for one in measures if isinstance(one, Check) and needs_no_reference(one)]
    columns = list(_columns(test_set)) if checks else []
    if not columns:
        return {}
    found = {}
    for check in checks:
        statistics = np.zeros((1, len(test_set), 2))
        for places, part, texts in columns:
            statistics[0, places] += check.count(check.inspect(part, texts))
        found[check.name] = check.to_scores(test_set, [REFERENCE], statistics)
    return found


def _columns(test_set: TestSet) -> Iterator[tuple[list[int], TestSet, list[str]]]:
    """The first references of all segments that have one, then the second ones, and so on."""
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
) -> tuple[str, ...]:
    """Long segments in which a source and a text have less than half in common.

    Long means: so much is expected that the segment weighs as much as any can.
    """
    who: dict[str, dict[str, str]] = {}
    for check in measures:
        if not isinstance(check, Check) or not np.isfinite(check.most):
            continue
        for one in (scores.get(check.name), references.get(check.name)):
            for system, segment, share in _broken(one, check.most) if one is not None else ():
                who.setdefault(system, {}).setdefault(segment, f"{check.name} {share:.2f}")
    return tuple(_warning(system, segments) for system, segments in who.items())


def _broken(scores: Scores, most: float) -> Iterator[tuple[str, str, float]]:
    shares = scores.segment_scores
    full = scores.statistics[..., 1] >= most - 1e-9
    for system, segment in zip(*np.nonzero(full & (shares < _PARALLEL)), strict=True):
        share = float(shares[system, segment])
        yield scores.systems[system], scores.segments[segment], share


def _warning(system: str, segments: Mapping[str, str]) -> str:
    shown = [f"{segment} ({why})" for segment, why in list(segments.items())[:_SHOWN]]
    more = len(segments) - len(shown)
    listed: str = ", ".join(shown)
    return warning(
        tr(
            "source and {text} do not seem parallel in {segments}: {shown}.",
            text=tr("reference")
            if system == REFERENCE
            else tr("output of {system}", system=system),
            segments=tr_n("{n} segment", "{n} segments", n=len(segments)),
            shown=tr("{shown} and {n} more", shown=listed, n=more) if more else listed,
        )
    )


_EXCHANGED = tr("So are the sources: are the files exchanged, or is nothing translated?")


def language_warnings(
    test_set: TestSet, runs: Sequence[Run], files: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Texts whose script or words are not of their language, and languages like countries.

    ``files`` says for sources, references and translations which file they were read from, for
    whoever named it and ``--lang``.
    """
    spoken, target = test_set.source_language, test_set.target_language
    sources = [segment.source for segment in test_set if segment.source]
    found = [*country_warnings(spoken, target)]

    def look(side: str, language: str, texts: Sequence[str], *, translated: bool = False) -> None:
        written = _written(texts, language)
        if not written:
            return
        alike = translated and written_in(texts) == written_in(sources)
        exchanged = _EXCHANGED if alike and written == _written(sources, target) else ""
        seen = sentences(tr("but they seem to be {written}.", written=written), exchanged)
        about = {"side": side, "language": language, "seen": seen}
        if files is None:
            said = tr("the {side} should be in {language}, {seen}", **about)
        else:
            said = tr(
                "{file}: --lang says {language} for the {side}, {seen}", file=files[side], **about
            )
        found.append(warning(said))

    if spoken is not None:
        look(tr("sources"), spoken, sources)
    look(tr("references"), target, test_set.flat_references)
    for run in runs:
        side = tr("translations of {system}", system=run.system)
        look(side, target, [text for text in run.hypotheses if text], translated=True)
    return tuple(found)


def _written(texts: Sequence[str], language: str) -> str:
    """What texts are written in, if it is another script or language; else empty."""
    return foreign_script(texts, language) or foreign_language(texts, language)
