"""patmark reproduce: recompute published tables, for the command line and for Python."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any

from patmark import evaluation
from patmark.app.commands.options import Draws
from patmark.errors import UsageError
from patmark.options import Argument, Options, group
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.evaluation import Sampling
    from patmark.report import Result


@group
class Material(Options, heading="patent-ce and wmt21-ted-zhen"):
    """Data of studies that are not part of patmark."""

    data: str | None = None
    """patent-ce: the claim pairs; wmt21-ted-zhen: the folder of the annotations (default: printed
    tables only)."""
    measures: str | None = None
    """Comma-separated additional measures, e.g. 'BERTScore(model=FOLDER)'."""
    tie_band: str | None = None
    """patent-ce: also treat close scores as ties (own, folds or a number, as in patmark claims
    meta); the published values do not."""
    scores: str | None = None
    """patent-ce: scores of a judge (claims judge --pairs … --save), compared with G-Eval-4."""


@group
class StudyRequest(Material):
    """A study, and its data."""

    study: Annotated[str, Argument()]
    """ntcir7, ntcir9, patent-ce or wmt21-ted-zhen."""
    sampling: Annotated[Sampling, Draws] = field(default_factory=lambda: evaluation.Sampling())

    @property
    def material(self) -> dict[str, Any]:
        """The given data."""
        return {name: one for name, one in self.changed().items() if name in _MATERIAL}


_MATERIAL = Material.__dataclass_fields__


def reproduce(study: str, *, sampling: Sampling | None = None, **material: Any) -> Result:
    """Recompute published tables: ``reproduce("ntcir9")``, ``reproduce("patent-ce", data=…)``.

    ``material`` holds the inputs of a study: data, measures, scores and tie_band.
    """
    from patmark.catalogue import STUDIES, load

    if study not in STUDIES:
        raise UsageError(f"the study {study!r} is unknown; choose from {', '.join(STUDIES)}")
    chosen = load(STUDIES[study])
    if unknown := [name for name in material if name not in chosen.takes]:
        raise UsageError(f"{', '.join(map(setting, unknown))} has no effect with {study}")
    found: Result = chosen.reproduce(sampling or evaluation.Sampling(), **material)
    return found
