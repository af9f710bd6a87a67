"""Published ways of judging: each binds a test set, measures, statistics and tables."""

from patmark.protocols.analysed_report import analysed_report, patsnap_comparison_report
from patmark.protocols.choice import choose_measures, default_measures
from patmark.protocols.comparison import (
    CompareSettings,
    Comparison,
    MeasureComparison,
    Pair,
    TestName,
    compare,
)
from patmark.protocols.comparison_report import comparison_report
from patmark.protocols.evaluation import (
    DEFAULT_RESAMPLES,
    Evaluation,
    Progress,
    Settings,
    evaluate,
)
from patmark.protocols.gates import (
    GateResult,
    Threshold,
    check_fail_under,
    check_max_drop,
    parse_thresholds,
)
from patmark.protocols.joined_scores import join_scores, joining_notes
from patmark.protocols.joined_scores import subset as subset_scores
from patmark.protocols.patsnap import grade, score_patsnap
from patmark.protocols.patsnap_json import patsnap_json
from patmark.protocols.patsnap_report import patsnap_report
from patmark.protocols.patsnap_result import PatsnapOptions, PatsnapResult
from patmark.protocols.patsnap_rows import LABELS, RowScores, score_rows
from patmark.protocols.saved_scores import SavedScores, read_scores, save_scores
from patmark.protocols.score_facts import ScoreFacts

__all__ = [
    "DEFAULT_RESAMPLES",
    "LABELS",
    "CompareSettings",
    "Comparison",
    "Evaluation",
    "GateResult",
    "MeasureComparison",
    "Pair",
    "PatsnapOptions",
    "PatsnapResult",
    "Progress",
    "RowScores",
    "SavedScores",
    "ScoreFacts",
    "Settings",
    "TestName",
    "Threshold",
    "analysed_report",
    "check_fail_under",
    "check_max_drop",
    "choose_measures",
    "compare",
    "comparison_report",
    "default_measures",
    "evaluate",
    "grade",
    "join_scores",
    "joining_notes",
    "parse_thresholds",
    "patsnap_comparison_report",
    "patsnap_json",
    "patsnap_report",
    "read_scores",
    "save_scores",
    "score_patsnap",
    "score_rows",
    "subset_scores",
]
