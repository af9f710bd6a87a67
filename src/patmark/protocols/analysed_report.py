"""The report of a comparison with its error analysis: where the differences come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, pairwise

from patmark.data import Report, Table
from patmark.protocols.bucket_facets import bucket_facets
from patmark.protocols.buckets import bucket_tables
from patmark.protocols.comparison import Comparison
from patmark.protocols.comparison_report import comparison_report
from patmark.protocols.evaluation import Evaluation, missing_notes
from patmark.protocols.patsnap_pairing import without_rows
from patmark.protocols.patsnap_report import patsnap_report
from patmark.protocols.patsnap_result import PatsnapResult
from patmark.protocols.phrase_wins import phrase_table
from patmark.protocols.segment_extremes import extreme_segments

_TITLE = "Comparison of systems"
_EVERY_PAIR_UP_TO = 3
_NEIGHBOURS = 3


def analysed_report(evaluation: Evaluation, comparison: Comparison) -> Report:
    """Scores, differences, buckets, phrases, extreme segments and all segments side by side."""
    facets = bucket_facets(evaluation)
    tables = []
    for measure in comparison.measures:
        section = f"{measure} by kind of segment"
        tables += _in_section(section, bucket_tables(evaluation, facets, measure))
    for first, second in _pairs_to_explain(comparison):
        section = f"{first} against {second}"
        tables += _in_section(section, _explanation(evaluation, first, second))
    return comparison_report(
        comparison, _TITLE, evaluation.subtitle, tables=tables,
        notes=missing_notes(evaluation.runs), explorer=evaluation.explorer(facets),
    )  # fmt: skip


def _explanation(evaluation: Evaluation, first: str, second: str) -> list[Table]:
    tables = [extreme_segments(evaluation, first, second)]
    if any(evaluation.test_set.reference_lists):
        tables.append(phrase_table(evaluation, first, second))
    return tables


def _in_section(section: str, tables: Iterable[Table]) -> list[Table]:
    return [replace(table, section=section) for table in tables]


def _pairs_to_explain(comparison: Comparison) -> list[tuple[str, str]]:
    """All pairs of a few systems; of many, neighbours at the top of the first ranking."""
    ranking = next(iter(comparison.measures.values())).ranking
    if len(ranking) <= _EVERY_PAIR_UP_TO:
        return list(combinations(ranking, 2))
    return list(pairwise(ranking))[:_NEIGHBOURS]


def patsnap_comparison_report(result: PatsnapResult, comparison: Comparison) -> Report:
    """The comparison by label, then the tables of the single scores, on the rows compared."""
    if comparison.left_out.rows:
        result = without_rows(result, comparison.left_out.rows)
    scored = patsnap_report(result)
    compared = comparison_report(
        comparison, scored.title, scored.subtitle,
        tables=_in_section("Scores in detail", scored.tables), notes=scored.notes,
        explorer=scored.explorer,
    )  # fmt: skip
    return replace(
        compared, headlines=scored.headlines,
        signatures={**compared.signatures, **scored.signatures},
    )  # fmt: skip
