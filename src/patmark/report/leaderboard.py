"""All runs of a task as one HTML file to sort, filter and share, that needs no network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from patmark.data import Estimate
from patmark.report.formatting import cell_value, is_number
from patmark.report.html import FINDINGS_SHOWN, carried, cell_view, check_links, render_page
from patmark.report.json import fields_json, plain
from patmark.report.model import Cell, Leaderboard, RankedRun

_STYLES = ("report.css", "filters.css", "leaderboard.css")
_SCRIPTS = ("shell.js", "board_query.js", "board.js")


def leaderboard_html(board: Leaderboard) -> str:
    """Render the page of a task: a table of all runs, readable without scripts."""
    from markupsafe import Markup

    places = range(len(board.columns))
    numeric = [any(is_number(run.cells[place]) for run in board.runs) for place in places]
    letters = [  # the most of each column, so that its numbers are aligned
        max((len(run.letters[place]) for run in board.runs), default=0) for place in places
    ]
    check_links({run.id: run.link for run in board.runs})
    check_links({link.text: link.address for link in board.links})
    return render_page(
        "leaderboard.html.j2",
        _STYLES,
        _SCRIPTS,
        board.language,
        shown=board,
        columns=list(zip(board.columns, numeric, letters, strict=True)),
        runs=[
            {
                "run": run,
                "cells": [
                    (cell_view(cell, column), of)
                    for column, cell, of in zip(board.columns, run.cells, run.letters, strict=True)
                ],
            }
            for run in board.runs
        ],
        kinds=_counted(run.kind for run in board.runs if run.kind is not None),
        resources=_resources(board),
        priorities=len({run.priority for run in board.runs}) > 1,
        findings_shown=FINDINGS_SHOWN,
        data=Markup(carried("data", plain(_payload(board)))),
    )


def _counted(names: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(names).items())


@dataclass(frozen=True, slots=True)
class _Resource:
    """A resource, and how many runs used it, did not, or may have: three ways to filter."""

    letter: str
    name: str
    states: tuple[tuple[str, int], ...]


def _resources(board: Leaderboard) -> list[_Resource]:
    used = {flag.removesuffix("?") for run in board.runs for flag in run.resources or ()}
    found = []
    for letter in dict.fromkeys((*board.resource_names, *sorted(used))):
        counts = Counter(_state(run, letter) for run in board.runs)
        states = [(state, counts[state]) for state in ("with", "without")]
        if counts["unknown"]:
            states.append(("unknown", counts["unknown"]))
        found.append(_Resource(letter, board.resource_names.get(letter, letter), tuple(states)))
    return found


def _state(run: RankedRun, letter: str) -> str:
    if run.resources is None or f"{letter}?" in run.resources:
        return "unknown"
    return "with" if letter in run.resources else "without"


def _payload(board: Leaderboard) -> dict[str, Any]:
    """Return the data that scripts sort, filter and copy, at full precision."""
    heads = ("title", "higherIsBetter=higher_is_better")
    named = ("id", "group", "priority", "kind", "resources", "description")
    return {
        "title": board.title,
        "columns": [fields_json(column, *heads) for column in board.columns],
        "runs": [
            fields_json(run, *named, cells=[*map(_cell_data, run.cells)], letters=run.letters)
            for run in board.runs
        ],
    }


def _cell_data(cell: Cell) -> dict[str, Any]:
    """Return value, low and high end; None if there is no number to show or to sort by."""
    low, high = cell.ci or (None, None) if isinstance(cell, Estimate) else (None, None)
    return {"value": cell_value(cell), "low": low, "high": high}
