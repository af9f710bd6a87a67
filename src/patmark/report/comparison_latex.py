"""A comparison for a paper: a table of scores with groups, and one of differences with p."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase
from typing import TYPE_CHECKING

from patmark.data import Report
from patmark.protocols.comparison_report import shown_decimals
from patmark.report.formatting import number_text, p_text
from patmark.report.latex import closing, escape, latex_number, opening, parts, table_environment

if TYPE_CHECKING:
    from patmark.protocols import Comparison, MeasureComparison, Pair

_SYSTEMS_ABREAST = 6
_PAIRS_ABREAST = 4
_P_DECIMALS = 4


def comparison_to_latex(comparison: Comparison, report: Report) -> str:
    """Measures in rows, systems and pairs in columns; tables too wide for a page are cut.

    All other tables of the report are left to the other forms; its notes and signatures stay.
    """
    blocks = [opening(report.title), *_score_tables(comparison), *_pair_tables(comparison)]
    return "\n\n".join([*blocks, *closing(report)]) + "\n"


def _score_tables(comparison: Comparison) -> Iterator[str]:
    note = (
        "Letters are groups, a the best: a system opens a group when it is significantly worse "
        f"than one of the group above{_correction(comparison)}. Scores that are too few to test "
        "have none."
    )
    for part, systems in parts(comparison.systems, _SYSTEMS_ABREAST):
        yield table_environment(
            f"Scores and groups{part}",
            "l" + "l" * len(systems),
            ["measure", *map(escape, systems)],
            [
                [_name(measure), *(_score(measure, system) for system in systems)]
                for measure in comparison.measures.values()
            ],
            note,
        )


def _pair_tables(comparison: Comparison) -> Iterator[str]:
    first = next(iter(comparison.measures.values()))
    pairs = [(pair.first, pair.second) for pair in first.pairs]
    note = f"The first system minus the second, and p{_correction(comparison)}."
    for part, some in parts(pairs, _PAIRS_ABREAST):
        rows = []
        for measure in comparison.measures.values():
            known = {(pair.first, pair.second): pair for pair in measure.pairs}
            rows.append([_name(measure), *(_difference(measure, known[pair]) for pair in some)])
        heads = [f"{escape(one)} $-$ {escape(other)}" for one, other in some]
        yield table_environment(
            f"Differences{part}", "l" + "r" * len(some), ["measure", *heads], rows, note
        )


def _name(measure: MeasureComparison) -> str:
    name = escape(measure.measure)
    return name if measure.higher_is_better else rf"{name} $\downarrow$"


def _score(measure: MeasureComparison, system: str) -> str:
    value = latex_number(number_text(measure.estimates[system].value, shown_decimals(measure)))
    group = measure.cluster_of(system)
    if group is None or not measure.testable:
        return value
    return f"{value}$^{{{_letter(group)}}}$"


def _letter(group: int) -> str:
    """a for the first group, to z, then numbers."""
    return ascii_lowercase[group - 1] if group <= len(ascii_lowercase) else str(group)


def _difference(measure: MeasureComparison, pair: Pair) -> str:
    delta = number_text(pair.delta, shown_decimals(measure))
    sign = "$+$" if pair.delta > 0 else ""
    return f"{sign}{latex_number(delta)} ({latex_number(p_text(pair.p_holm, _P_DECIMALS))})"


def _correction(comparison: Comparison) -> str:
    return ", corrected by Holm" if comparison.corrected else ""
