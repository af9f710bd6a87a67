"""The automatic evaluation of NTCIR-9 PatentMT: BLEU, NIST and RIBES on the task's own tokens.

English tokens are those of mteval-v13a, case-sensitive, for all three measures. Japanese tokens are
those of the organisers' procedure (``ja-ntcir``). All test sentences count, with one reference
each. The paper compares "standardised" automatic scores with human ones without stating a formula
in the part that we have. Here it is the pairwise score of the human evaluation: in each sentence a
system gets 1 for each other system with a lower sentence score, and 0.5 for each equal one, divided
by the number of comparisons. Both are between 0 and 1, with 0.5 for an average system, and depend
on the participating systems.
"""

from __future__ import annotations

from patmark.data import FloatArray, Scores, TestSet, first_of
from patmark.errors import InputError, Problem, UsageError
from patmark.measures import Measure, parse_measures
from patmark.stats import pairwise_statistics

_MEASURES = {
    "en": ("BLEU", "NIST(case=mixed)", "RIBES(case=mixed)"),  # tok=13a is the default for English
    "ja": ("BLEU(tok=ja-ntcir)", "NIST(tok=ja-ntcir,case=mixed)", "RIBES(tok=ja-ntcir,case=mixed)"),
}


def ntcir9_measures(target_language: str) -> tuple[Measure, ...]:
    """Return BLEU, NIST and RIBES as the organisers computed them for a target language."""
    if target_language not in _MEASURES:
        raise UsageError(
            f"NTCIR-9 had no translations into {target_language!r}; its protocol is defined for "
            f"{' and '.join(_MEASURES)}"
        )
    return tuple(parse_measures(_MEASURES[target_language]))


def check_ntcir9(test_set: TestSet) -> None:
    """Refuse a test set that does not have exactly one reference for each segment."""
    problems = [
        Problem(
            f"segment {segment.id!r} has {len(segment.references)} references; NTCIR-9 uses one",
            test_set.name,
        )
        for segment in test_set
        if len(segment.references) != 1
    ]
    if problems:
        raise InputError(first_of(problems, "segments without exactly one", test_set.name))


def pairwise_scores(scores: Scores) -> Scores:
    """Return the pairwise score of a measure from its segment scores.

    Human grades have the same pairwise score, so both can share an axis.
    """
    sign = 1.0 if scores.higher_is_better else -1.0
    return _pairwise(scores, "", pairwise_statistics(sign * scores.segment_scores))


def pairwise_grade_scores(scores: Scores, grades: FloatArray) -> Scores:
    """Return the pairwise score of the grades (evaluators, systems, segments) behind scores.

    Grades are compared with others of the same evaluator, never means over evaluators.
    """
    return _pairwise(scores, "|within:evaluator", pairwise_statistics(grades).sum(axis=0))


def _pairwise(scores: Scores, how: str, statistics: FloatArray) -> Scores:
    return Scores(
        f"pairwise({scores.measure})",
        f"pairwise|win:1|tie:0.5{how}|of:{scores.signature}",
        scores.systems,
        scores.segments,
        statistics,
    )
