"""patmark claims train --model quality: the weights of ClaimQuality."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.cli.claims_train import TrainRequest
    from patmark.report import Report

_MARGIN_OPTIONS = ("--margin", "--tolerance")
_OPTIONS = (*_MARGIN_OPTIONS, "--weight-decay")


def train_quality(request: TrainRequest) -> tuple[Report, dict[str, Any]]:
    """Train on the pairs of a file and write the weights; PATH of the request is a file.

    A margin or tolerance asks for the loss of PatClaimEval; --weight-decay is the strength of the
    penalty. All other options of training have no effect here and are refused.
    """
    from patmark.claims import QualityPlan, train_claim_quality
    from patmark.cli.output import Outputs
    from patmark.data import read_claim_pairs
    from patmark.evaluation import Settings

    useless = [name for name in request.options if name not in _OPTIONS]
    useless += ["--resume"] if request.resume else []
    if useless:
        raise UsageError(f"without effect for --model quality: {', '.join(useless)}")
    Outputs(save=request.out).check([request.file])
    if os.path.lexists(request.out):
        raise UsageError(f"{request.out} exists already; name another file for the weights")
    asked = {name: request.options[name] for name in _MARGIN_OPTIONS if name in request.options}
    given: dict[str, Any] = {name[2:]: value for name, value in asked.items()}
    if given:
        given["loss"] = "margin"
    if "--weight-decay" in request.options:
        given["strength"] = request.options["--weight-decay"]
    plan = QualityPlan(criterion=request.criterion, **given)
    done = train_claim_quality(read_claim_pairs(request.file), plan, Settings(seed=request.seed))
    done.model.save(request.out)
    return done.to_report(), done.to_json()
