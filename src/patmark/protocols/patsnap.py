"""PatSnap Patent Translation Bench: nine labels, faults, overall score and grade.

Two variants. ``published`` gives the numbers of the scorer that came with the bench. ``strict``,
the default, differs where that scorer is plainly wrong: a row without an answer counts as wrong, a
term must stand as whole words, any alternative in a term string counts, headings may have articles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from patmark.data import Run, TestSet
from patmark.errors import InputError
from patmark.protocols.evaluation import Progress, check_runs
from patmark.protocols.patsnap_result import PatsnapOptions, PatsnapResult
from patmark.protocols.patsnap_rows import GENERAL, RowScores, has_rule, score_rows
from patmark.stats import Units

SMALL_CELL = 20
_GRADES = (
    (80.0, "A", "ready for professional use"),
    (65.0, "B", "usable as a translation aid"),
    (50.0, "C", "key terms need review"),
    (0.0, "D", "not usable without retranslation"),
)


def grade(percent: float) -> tuple[str, str]:
    """The letter of a score in percent, and what it means."""
    if np.isnan(percent):
        return "–", "nothing was scored"
    return next((letter, meaning) for least, letter, meaning in _GRADES if percent >= least)


def score_patsnap(
    test_set: TestSet,
    runs: Sequence[Run],
    options: PatsnapOptions | None = None,
    progress: Progress | None = None,
) -> PatsnapResult:
    """Score translations of the bench rows."""
    options = options or PatsnapOptions()
    check_runs(test_set, runs)
    rows = [i for i, _ in enumerate(test_set) if _counts(test_set, runs, options, i)]
    if not rows:
        raise InputError.at(
            f"no row can be scored in the direction {options.direction}", test_set.name
        )
    kept = replace(test_set, segments=tuple(test_set[index] for index in rows))
    kept_runs = tuple(
        replace(run, hypotheses=tuple(run.hypotheses[index] for index in rows)) for run in runs
    )
    scores = []
    for position, run in enumerate(kept_runs):
        if progress:
            progress(run.system, position, len(kept_runs))
        scores.append(
            score_rows(kept, run.hypotheses, options.direction, options.variant, options.lemmatizer)
        )
        if not options.skips_missing:
            _count_missing_as_wrong(kept, run, scores[-1])
    units = Units.choose(kept.documents, options.settings.by)
    translated = tuple(len(test_set) - run.missing for run in runs)
    return PatsnapResult(
        kept, kept_runs, options, tuple(scores), units, len(test_set) - len(kept), translated
    )


def _counts(test_set: TestSet, runs: Sequence[Run], options: PatsnapOptions, index: int) -> bool:
    """Whether a row has a rule and a source text; the published scorer takes any answered row."""
    segment = test_set[index]
    if not has_rule(segment, options.direction):
        return False
    if segment.source is not None:
        return True
    return options.variant == "published" and any(run.hypotheses[index] is not None for run in runs)


def _count_missing_as_wrong(test_set: TestSet, run: Run, scores: RowScores) -> None:
    for index, segment in enumerate(test_set):
        if run.hypotheses[index] is None:
            scores.accuracy[index] = 0.0
            if segment.meta["label"] in GENERAL:
                scores.omission[index] = 1.0
                scores.length_hallucination[index] = scores.leakage[index] = 0.0
