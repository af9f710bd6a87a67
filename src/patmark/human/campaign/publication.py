"""Results of a closed campaign as one public, frozen page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from patmark.errors import UsageError
from patmark.human.campaign.records import to_the_minute
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.status import rank_campaign
from patmark.human.judgements import CriterionRanking
from patmark.report import Cell, Column, Report, Table, message_texts, to_html
from patmark.wording import tr


def results_page(state: CampaignState) -> str:
    """Return the ranking of a closed campaign as self-contained HTML.

    No evaluator is named.
    """
    if state.info.is_open:
        raise UsageError(tr("close the campaign before its results are published"))
    ranking, reason = rank_campaign(state)
    if ranking is None:
        raise UsageError(tr("There is no ranking yet: {reason}", reason=reason))
    facts = tr(
        "Form {form}, version {version}; {evaluators} evaluators; closed {time} UTC; seed {seed}.",
        form=state.form.id,
        version=state.form.version,
        evaluators=len(_judges(state)),
        time=to_the_minute(state.info.closed),
        seed=state.info.seed,
    )
    return to_html(
        Report(
            state.info.name,
            tr("Results of a human evaluation"),
            (),
            tuple(map(_table, ranking.rankings)),
            {},
            (facts, *(one for one in message_texts(ranking.notices) if _names_nobody(one, state))),
        )
    )


def _judges(state: CampaignState) -> set[str]:
    """Return the evaluators whose answers of the main phase count."""
    results = state.results
    rows = [*(results.judgements.rows if results.judgements else ())]
    found = {one.evaluator for one in rows if one.phase == "main"}
    chosen = results.preferences.rows if results.preferences else ()
    return found | {one.evaluator for one in chosen if one.phase == "main"}


def _names_nobody(note: str, state: CampaignState) -> bool:
    """Return True if a note names no evaluator; in scripts without blanks, no part of a word."""
    for name in (one.name for one in state.evaluators):
        found = re.escape(name)
        if re.search(rf"(?<!\w){found}(?!\w)" if name.isascii() else found, note):
            return False
    return True


def _table(one: CriterionRanking) -> Table:
    measured = one.measured
    found = measured.estimates
    columns: dict[Column, str | Callable[[Any], Cell]] = {
        Column(tr("system")): str,
        Column(tr("score"), 3): lambda name: found[name].value,
        Column(tr("95 % interval")): lambda name: _interval(found[name].ci),
        Column(tr("segments"), 0): lambda name: measured.counted[name],
        Column(tr("group"), 0): lambda name: measured.cluster_of(name),
    }
    note = tr(
        "A system opens a group when it is significantly worse, after Holm over all pairs, than "
        "one of the group above. Intervals are those of single scores, and not corrected."
    )
    if measured.no_verdict:
        note = tr("No groups: {reason}.", reason=measured.no_verdict)
    return Table.of_records(one.criterion, measured.ranking, columns, note)


def _interval(ci: tuple[float, float] | None) -> str | None:
    return None if ci is None else f"[{ci[0]:.3f}, {ci[1]:.3f}]"
