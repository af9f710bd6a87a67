"""What stands at the head of a page: a sentence and the leading values, from what a report has."""

from __future__ import annotations

import math

from patmark.data import Estimate
from patmark.report.formatting import cell_text, label_count, row_label, value_text
from patmark.report.model import Headline, Report
from patmark.wording import Text, tr

MOST_CARDS = 6
"""Values of a table that become cards; headlines of a report all do."""
_MOST_NAMES = 3


def leading(report: Report) -> tuple[Headline, ...]:
    """The headlines of a report, else the best values by the first measure of its first table."""
    if report.headlines or not report.tables:
        return report.headlines
    table = report.tables[0]
    measured = [
        place
        for place in range(len(table.columns))
        if any(isinstance(row[place], Estimate) for row in table.rows)
    ]
    if not measured:
        return ()
    column, labels = table.columns[measured[0]], label_count(table)
    found = [
        Headline(
            row_label(row, labels),
            column.title,
            cell,
            decimals=column.decimals,
            scale=column.scale,
            higher_is_better=column.higher_is_better,
        )
        for row in table.rows
        if isinstance(cell := row[measured[0]], Estimate) and not math.isnan(cell.value)
    ]
    found.sort(key=lambda one: one.estimate.value, reverse=column.higher_is_better)
    return tuple(found)


def headline_sentence(shown: tuple[Headline, ...]) -> Text | None:
    """Which of the leading values is best, in words; it says nothing of significance."""
    if not shown:
        return None
    choose = max if shown[0].higher_is_better else min
    best = choose(shown, key=lambda one: one.estimate.value)
    value = cell_text(best.estimate, best.decimals)
    if len(shown) == 1:
        return tr(
            "{system}: {measure} {value}.", system=best.system, measure=best.label, value=value
        )
    alone = value_text(best.estimate, best.decimals)
    names = tuple(one.system for one in shown if value_text(one.estimate, one.decimals) == alone)
    if len(names) > _MOST_NAMES:
        return tr(
            "Best by {measure}: {n} of {all} have {value}.",
            measure=best.label,
            n=len(names),
            all=len(shown),
            value=alone,
        )
    return tr(
        "Best by {measure}: {systems}, {value}.",
        measure=best.label,
        systems=names,
        value=value if len(names) == 1 else alone,
    )
