"""Names of built-in criteria for readers. Files and JSON keep the English name."""

from __future__ import annotations

from patmark.wording import tr

_NAMES = {
    str(name): name
    for name in (
        tr("adequacy"),
        tr("fluency"),
        tr("acceptability"),
        tr("jpo-adequacy"),
        tr("examination"),
        tr("completeness"),
        tr("clarity"),
        tr("consistency"),
        tr("linkage"),
        tr("quality"),
        tr("overall"),
        tr("correctness"),
        tr("preference"),
    )
}


def criterion_name(criterion: str) -> str:
    """Return a criterion as a text that can be translated; other names stay unchanged."""
    return _NAMES.get(criterion, criterion)
