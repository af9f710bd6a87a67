"""All runs of a task as one HTML file to sort, filter and share, that needs no network."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from patmark.data import Cell, Column, Estimate, Leaderboard, RankedRun
from patmark.errors import UsageError
from patmark.report.explorer_data import embeddable_json
from patmark.report.formatting import is_number
from patmark.report.page import cell_view, render_page

_STYLES = ("report.css", "filters.css", "leaderboard.css")
_SCRIPTS = ("shell.js", "board_query.js", "board.js")


def leaderboard_html(board: Leaderboard) -> str:
    """The page of a task: a table of all runs, readable without scripts, with tools on top."""
    from markupsafe import Markup

    _check_links(board)
    return render_page(
        "leaderboard.html.j2",
        _STYLES,
        _SCRIPTS,
        shown=board,
        columns=list(zip(board.columns, _numeric(board), _most_letters(board), strict=True)),
        runs=[_run_view(run, board.columns) for run in board.runs],
        kinds=_counted(run.kind for run in board.runs if run.kind is not None),
        resources=_resources(board),
        priorities=len({run.priority for run in board.runs}) > 1,
        has_letters=any(letters for run in board.runs for letters in run.letters),
        data=Markup(embeddable_json(_payload(board))),
    )


def _check_links(board: Leaderboard) -> None:
    """A link stays below the page; one that names a scheme or a host could lead anywhere."""
    wrong = [run.id for run in board.runs if any(urlsplit(run.link)[:2])]
    if wrong:
        raise UsageError(f"the link of a run must be relative to the page: {', '.join(wrong)}")


def _numeric(board: Leaderboard) -> list[bool]:
    return [
        any(is_number(run.cells[position]) for run in board.runs)
        for position in range(len(board.columns))
    ]


def _most_letters(board: Leaderboard) -> list[int]:
    """The room that the letters of each column need, so that its numbers stand in line."""
    return [
        max((len(run.letters[position]) for run in board.runs), default=0)
        for position in range(len(board.columns))
    ]


def _counted(names: Iterable[str]) -> list[tuple[str, int]]:
    return sorted(Counter(names).items())


def _resources(board: Leaderboard) -> list[tuple[str, str, int]]:
    """Each resource with its name and the number of runs that use it, named ones first."""
    used = Counter(letter for run in board.runs for letter in set(run.resources))
    letters = dict.fromkeys((*board.resource_names, *sorted(used)))
    return [(letter, board.resource_names.get(letter, letter), used[letter]) for letter in letters]


def _run_view(run: RankedRun, columns: tuple[Column, ...]) -> dict[str, Any]:
    cells = zip(columns, run.cells, run.letters, strict=True)
    return {
        "run": run,
        "cells": [(cell_view(cell, column), letters) for column, cell, letters in cells],
    }


def _payload(board: Leaderboard) -> dict[str, Any]:
    """What the scripts sort, filter and copy, at full precision."""
    return {
        "title": board.title,
        "columns": [
            {"title": column.title, "higherIsBetter": column.higher_is_better}
            for column in board.columns
        ],
        "runs": [
            {
                "id": run.id,
                "group": run.group,
                "priority": run.priority,
                "kind": run.kind,
                "resources": list(run.resources),
                "description": run.description,
                "cells": [_cell_data(cell) for cell in run.cells],
                "letters": list(run.letters),
            }
            for run in board.runs
        ],
    }


def _cell_data(cell: Cell) -> dict[str, Any]:
    """Value, low and high end; None where there is no number to show or to sort by."""
    low, high = cell.ci or (None, None) if isinstance(cell, Estimate) else (None, None)
    value = cell.value if isinstance(cell, Estimate) else cell
    return {"value": _finite(value), "low": _finite(low), "high": _finite(high)}


def _finite(value: str | float | None) -> str | float | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value
