"""PatClaimEval: an evaluator of generated claims that is trained on compared pairs.

torch is loaded only for training and scoring; it comes with the extra ``neural``.
"""

from patmark.claims.patclaimeval.evaluator import ClaimEvaluator, load_evaluator
from patmark.claims.patclaimeval.labelled_pairs import pair_losses
from patmark.claims.patclaimeval.measure import PatClaimEval
from patmark.claims.patclaimeval.plan import (
    Epoch,
    EvaluatorTraining,
    EvaluatorTrainings,
    TrainingPlan,
)
from patmark.claims.patclaimeval.training import train_evaluator, train_evaluators

__all__ = [
    "ClaimEvaluator",
    "Epoch",
    "EvaluatorTraining",
    "EvaluatorTrainings",
    "PatClaimEval",
    "TrainingPlan",
    "load_evaluator",
    "pair_losses",
    "train_evaluator",
    "train_evaluators",
]
