"""What the NTCIR-7 dry run found, each finding checked against its own tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from patmark.data import Column, Table
from patmark.protocols.published import PatentRun, TTestRow


@dataclass(frozen=True, slots=True)
class Finding:
    """A statement of the paper, whether the tables bear it out, and the numbers that decide."""

    statement: str
    subtask: str
    holds: bool
    evidence: str

    def to_json(self) -> dict[str, Any]:
        """A stable shape."""
        return {
            "statement": self.statement, "subtask": self.subtask, "holds": self.holds,
            "evidence": self.evidence,
        }  # fmt: skip


def findings(
    je: Sequence[PatentRun], ej: Sequence[PatentRun], tests: Sequence[TTestRow]
) -> list[Finding]:
    """All findings that can be checked with published numbers."""
    return [
        _leaders("JE", je),
        _leaders("EJ", ej),
        _people_and_retrieval(ej),
        _order_of_tests(ej, tests),
    ]


def findings_table(found: Sequence[Finding]) -> Table:
    """The findings with their evidence."""
    columns = (Column("finding"), Column("subtask"), Column("holds"), Column("evidence"))
    rows = tuple(
        (each.statement, each.subtask, "yes" if each.holds else "no", each.evidence)
        for each in found
    )
    return Table("Findings of the paper, checked against its tables", columns, rows)


def _leaders(subtask: str, runs: Sequence[PatentRun]) -> Finding:
    by_bleu = max((run.bleu, run.group, run.method) for run in runs if run.bleu is not None)
    by_human = max((run.human, run.group, run.method) for run in runs if run.human is not None)
    return Finding(
        "a statistical run leads in BLEU, a rule-based one in human rating",
        subtask,
        by_bleu[2] == "S" and by_human[2] == "R",
        f"BLEU: {by_bleu[1]} {by_bleu[0]:.2f}; human: {by_human[1]} {by_human[0]:.2f}",
    )


def _people_and_retrieval(runs: Sequence[PatentRun]) -> Finding:
    both = [
        (run.human, run.map_rigid, run.group)
        for run in runs
        if run.human is not None and run.map_rigid is not None
    ]
    best = max(both, key=lambda scores: scores[0])
    lowest = min(both, key=lambda scores: scores[1])
    return Finding(
        "the run with the best human rating has the lowest MAP rigid",
        "EJ",
        best[2] == lowest[2],
        f"best human: {best[2]} {best[0]:.2f}; lowest MAP: {lowest[2]} {lowest[1]:.4f}",
    )


def _order_of_tests(runs: Sequence[PatentRun], tests: Sequence[TTestRow]) -> Finding:
    precision = {run.group: run.map_rigid for run in runs if run.map_rigid is not None}
    wrong = [
        f"{test.better}–{test.worse}"
        for test in tests
        if precision[test.better] < precision[test.worse]
    ]
    return Finding(
        "the t-tests of Table 4 order every pair as MAP rigid of Table 3 does",
        "EJ",
        not wrong,
        f"{len(tests) - len(wrong)} of {len(tests)} pairs" + (f"; not {wrong}" if wrong else ""),
    )
