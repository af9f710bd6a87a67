"""Published ways of judging: each binds a test set, measures, statistics and tables."""

from patmark.protocols.evaluation import (
    DEFAULT_RESAMPLES,
    Evaluation,
    Progress,
    Settings,
    choose_measures,
    default_measures,
    evaluate,
)
from patmark.protocols.patsnap import PatsnapOptions, PatsnapResult, grade, score_patsnap
from patmark.protocols.patsnap_json import patsnap_json
from patmark.protocols.patsnap_report import patsnap_report
from patmark.protocols.patsnap_rows import LABELS, RowScores, score_rows

__all__ = [
    "DEFAULT_RESAMPLES",
    "LABELS",
    "Evaluation",
    "PatsnapOptions",
    "PatsnapResult",
    "Progress",
    "RowScores",
    "Settings",
    "choose_measures",
    "default_measures",
    "evaluate",
    "grade",
    "patsnap_json",
    "patsnap_report",
    "score_patsnap",
    "score_rows",
]
