"""A job of the page in a separate process: an order in, a report and a short result out.

``python -m patmark.app.page.work ORDER FOLDER UI`` runs in the folder of the input files. Progress
and notices go to standard error, the result to standard output.
"""

from __future__ import annotations

import json
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import NoReturn

from patmark.app.commands import (
    CheckRequest,
    ComparisonRequest,
    ScoreRequest,
    check,
    compare_translations,
    score_translations,
)
from patmark.app.commands.claims import LintRequest, lint_files
from patmark.app.page.orders import REPORT, TABLES, Order, page_setting
from patmark.data import Notice, write_atomically
from patmark.errors import ExitCode, PatmarkError
from patmark.report import (
    Report,
    Result,
    in_language,
    message_text,
    one_screen,
    to_csv,
    to_html,
    to_text,
)
from patmark.wording import settings_worded, translated

_WIDTH = 100


def main(arguments: list[str]) -> NoReturn:
    """Carry out an order; exit with 2 and one message if that fails."""
    content, folder, ui = arguments
    warnings.formatwarning = lambda message, *_, **__: f"{message}\n"
    try:
        with settings_worded(page_setting):
            work(Order.from_json(json.loads(content)), Path(folder), ui)
    except (PatmarkError, OSError) as error:
        _say(str(error))
        sys.exit(ExitCode.MISUSED)
    sys.exit(ExitCode.DONE)


def work(order: Order, folder: Path, ui: str) -> None:
    """Carry out an order and write its files."""
    if order.task == "lint":
        linted = lint_files(
            LintRequest(
                texts=tuple(order.named("claims")),
                office=order.office,
                description=next(map(Path, order.named("description")), None),
                fail_on="never",
            )
        )
        _write(linted, folder, ui, tables=False)
        for line in linted.lines(ui):
            print(line)
        for note in linted.notes():
            _say(translated(note, ui))
        return
    if order.task == "check":
        [source], [translation] = order.named("source"), order.named("hypothesis")
        request = CheckRequest(source=source, translation=translation, lang=order.lang)
        result: Result = check(request, progress=partial(_progress, verb="checking"))
    else:
        result = _judged(order, ui)
    report = _write(result, folder, ui, tables=True)
    sys.stdout.write(to_text(one_screen(report, _WIDTH)[0], _WIDTH))


def _judged(order: Order, ui: str) -> Result:
    """Return the result of scoring or comparing."""

    def tell(notice: Notice) -> None:
        _say(message_text(notice, ui))

    if order.task == "compare":
        asked = ComparisonRequest(**order.inputs(), detailed=True, everything=True)
        return compare_translations(asked, tell, _progress)
    request = ScoreRequest(**order.inputs(), protocol=order.protocol, detailed=True)
    return score_translations(request, tell, _progress)


def _write(result: Result, folder: Path, ui: str, *, tables: bool) -> Report:
    """Write the page, and the tables if there are any."""
    report = in_language(result.to_report(), ui)
    write_atomically(folder / REPORT, to_html(report))
    if tables:
        write_atomically(folder / TABLES, to_csv(report))
    return report


def _progress(name: str, done: int, total: int, *, verb: str = "scoring") -> None:
    _say(f"progress\t{done}\t{total}\t{verb} {name}")


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
