"""patmark reproduce: recompute published tables, for the command line and for Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from patmark.errors import UsageError
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.evaluation import Sampling
    from patmark.report import Result


def reproduce(study: str, *, sampling: Sampling | None = None, **material: Any) -> Result:
    """Recompute published tables: ``reproduce("ntcir9")``, ``reproduce("patent-ce", data=…)``.

    ``material`` holds the inputs of a study: data, measures, scores and tie_band.
    """
    from patmark.catalogue import STUDIES, load
    from patmark.evaluation import Sampling

    if study not in STUDIES:
        raise UsageError(f"the study {study!r} is unknown; choose from {', '.join(STUDIES)}")
    chosen = load(STUDIES[study])
    if unknown := [name for name in material if name not in chosen.takes]:
        raise UsageError(f"{', '.join(map(setting, unknown))} has no effect with {study}")
    found: Result = chosen.reproduce(sampling or Sampling(), **material)
    return found
