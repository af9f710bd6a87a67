"""Deletion of everything about an evaluator, also of the name in texts of others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import regex
from sqlalchemy import Column, ColumnElement, Connection, delete, or_, select, update

from patmark.human.campaign.store.pool import recount_taken
from patmark.human.campaign.store.state_reader import StateReader
from patmark.human.campaign.store.tables import (
    answers,
    campaigns,
    consensus,
    evaluators,
    events,
    items,
    pages,
    remarks,
    to_json,
    unpack_form,
)
from patmark.human.campaign.store.transactions import (
    change_row,
    lock_evaluator,
    lock_everybody,
    number_of,
)

_FORGOTTEN = "(forgotten)"


class DeletionStore(StateReader):
    """Deletion of evaluators."""

    def forget(self, campaign: str, evaluator: str) -> None:
        """Delete an evaluator with all pages, answers, remarks and sessions, and the name.

        The name also leaves the texts of others: reasons, remarks, notes, and the log, which says
        that it happened, not to whom. Earlier backups and exports still hold the evaluator. To
        keep pages in the campaign, reassign them before.
        """
        with self._writing() as connection:
            campaign_number = number_of(connection, campaign)
            lock_everybody(connection, campaign)
            number = lock_evaluator(connection, campaign, evaluator)
            own = select(pages.c.item).where(pages.c.evaluator == number)
            held = [item for item in connection.scalars(own) if item is not None]
            connection.execute(update(events).where(events.c.evaluator == number).values(detail=""))
            connection.execute(delete(evaluators).where(evaluators.c.number == number))
            if held:
                recount_taken(connection, items.c.number.in_(held))
            _forget_name(connection, campaign_number, evaluator)
            self._log(connection, campaign_number, "forgot an evaluator")
        self._forget_state(campaign)
        self._wipe()


def _forget_name(connection: Connection, campaign: int, name: str) -> None:
    own = evaluators.c.campaign == campaign
    others = connection.scalars(select(evaluators.c.name).where(own)).all()
    without = _taking_out(name, others)
    row = connection.execute(
        select(campaigns.c.form, campaigns.c.settings, campaigns.c.notes).where(
            campaigns.c.number == campaign
        )
    ).one()
    notes = [without(note) for note in json.loads(row.notes)]
    settings = renamed_settings(json.loads(row.settings), {name: _FORGOTTEN})
    values = {"settings": to_json(settings), "notes": to_json(notes)}
    change_row(connection, campaigns, campaign, **values)
    people = select(evaluators.c.number).where(own)
    is_free = answers.c.question.in_(unpack_form(row.form).free_texts)
    for column, is_own, changed in (
        (consensus.c.note, consensus.c.campaign == campaign, without),
        (events.c.detail, events.c.campaign == campaign, without),
        (evaluators.c.excluded, own, without),
        (remarks.c.text, remarks.c.evaluator.in_(people), without),
        (answers.c.detail, answers.c.evaluator.in_(people), partial(_in_detail, without)),
        (answers.c.value, answers.c.evaluator.in_(people) & is_free, without),
    ):
        _change(connection, column, is_own & _may_hold(column, name), changed)


def renamed_settings(settings: Mapping[str, Any], called: Mapping[str, str]) -> dict[str, Any]:
    """Return the campaign file with other names in the place of some."""
    found: dict[str, Any] = json.loads(to_json(settings))
    for part in (found, found.get("file")):
        if isinstance(part, dict) and isinstance(part.get("evaluators"), list):
            part["evaluators"] = [_renamed(one, called) for one in part["evaluators"]]
    return found


def _renamed(evaluator: Any, called: Mapping[str, str]) -> Any:
    """Rename an evaluator of a campaign file, which is a name or an object with a name.

    Nothing else of a forgotten evaluator stays.
    """
    is_object = isinstance(evaluator, dict)
    name = str(evaluator.get("name", "") if is_object else evaluator).strip()
    new = called.get(name, name)
    if not is_object:
        return new if name in called else evaluator
    return {"name": new} if new == _FORGOTTEN else {**evaluator, "name": new}


def _may_hold(column: Column[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that a text may hold a name, plain or escaped as in JSON."""
    written = {name, json.dumps(name, ensure_ascii=False)[1:-1]}
    return or_(*(column.contains(one, autoescape=True) for one in written))


def _change(
    connection: Connection, column: Column[Any], chosen: Any, changed: Callable[[str], str]
) -> None:
    numbers = column.table.c.number
    for number, before in connection.execute(select(numbers, column).where(chosen)).all():
        after = changed(before)
        if after != before:
            change_row(connection, column.table, number, **{column.name: after})


def _in_detail(without: Callable[[str], str], detail: str) -> str:
    """Return the detail of an answer without a name in the evaluator's own words."""
    parts = json.loads(detail)
    return to_json(
        parts | {key: without(parts[key]) for key in ("reason", "comment") if parts.get(key)}
    )


_LETTER = r"[\w--\p{Han}--\p{Hiragana}--\p{Katakana}]"
"""A letter that continues a word; scripts without blanks have no ends of words."""


def _taking_out(name: str, others: Iterable[str]) -> Callable[[str], str]:
    """Return a function that removes a name, unless it is part of a longer word or name."""
    known = sorted({name, *others}, key=len, reverse=True)
    pattern = regex.compile("|".join(map(_alone, known)), regex.VERSION1)

    def without(text: str) -> str:
        return pattern.sub(lambda found: _FORGOTTEN if found[0] == name else found[0], text)

    return without


def _alone(name: str) -> str:
    """Return a pattern for a name with no letters around it."""
    first, last = (regex.fullmatch(_LETTER, end, regex.VERSION1) for end in (name[0], name[-1]))
    before, after = f"(?<!{_LETTER})" if first else "", f"(?!{_LETTER})" if last else ""
    return f"{before}{regex.escape(name)}{after}"
