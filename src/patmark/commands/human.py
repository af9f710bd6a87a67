"""patmark human report in Python."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from patmark.commands.inputs import as_files
from patmark.judgements import evaluate_judgements, parse_scale, read_human_files

if TYPE_CHECKING:
    from patmark.data import TestSet
    from patmark.evaluation import CompareSettings
    from patmark.judgements import HumanEvaluation


def report(
    *judgements: Any,
    scales: Mapping[str, str] | None = None,
    systems: Collection[str] | None = None,
    test_set: TestSet | None = None,
    settings: CompareSettings | None = None,
    keep_unfinished: bool = False,
) -> HumanEvaluation:
    """Rank systems by human judgements, and say how far the evaluators can be trusted.

    Judgements are tables with the columns evaluator, system, segment, criterion and value, or
    files as the command takes them. ``scales`` as in ``{"clarity": "1..7"}``.
    """
    named = [parse_scale(f"{name}={grades}") for name, grades in (scales or {}).items()]
    with as_files(judgements) as paths:
        data = read_human_files(paths, scales=named, systems=systems, test_set=test_set)
    return evaluate_judgements(data, settings, whole_segments=not keep_unfinished)
