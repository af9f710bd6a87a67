"""A comparison as the result of a command: of scored runs, or of scores that were saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from patmark.data import Estimate
from patmark.errors import UsageError
from patmark.evaluation.comparison import CompareSettings, Comparison, compare
from patmark.evaluation.comparison_tables import comparison_report
from patmark.evaluation.evaluation import estimate_json, refuse_descriptive
from patmark.evaluation.protocol import COMPARISON, ProtocolResult
from patmark.evaluation.saved import (
    SavedScores,
    Scored,
    ScoreFacts,
    join_scores,
    joining_notes,
    read_scores,
    subset_scores,
)
from patmark.measures import split_names
from patmark.report import Report


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedScores(Scored):
    """A comparison, and the scores that it rests on."""

    facts: ScoreFacts
    comparison: Comparison
    to_report: Callable[[], Report]
    notes: Sequence[str] = ()
    references: Mapping[str, Estimate] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The comparison, and what is known of the answers."""
        missing = self.facts.missing or {}
        return {
            **self.comparison.to_json(),
            "languages": self.facts.languages,
            "missing": {system: missing.get(system) for system in self.comparison.systems},
            "references": {name: estimate_json(one) for name, one in self.references.items()},
            "notes": list(self.notes),
        }


def compare_result(
    result: ProtocolResult, settings: CompareSettings, *, everything: bool
) -> ComparedScores:
    """Compare the systems of a result, with all that explains the differences if asked for."""
    comparison = compare(result.scores, result.documents, settings)
    return ComparedScores(
        scores=result.scores,
        documents=result.documents,
        facts=result.facts,
        estimates=lambda: _estimates(comparison),
        comparison=comparison,
        to_report=lambda: result.compared(comparison, everything),
        notes=result.warnings,
        references=result.references,
    )


@dataclass(frozen=True, eq=False)
class LoadedScores(SavedScores):
    """Scores of several files on one test set, and what to say of their joining."""

    paths: Sequence[str] = ()
    notes: Sequence[str] = ()


def load_scores(
    paths: Sequence[str], measures: str | None = None, systems: Sequence[str] | None = None
) -> LoadedScores:
    """Some measures and systems of the files of scores, joined."""
    doubles = sorted({path for path in paths if list(paths).count(path) > 1})
    if doubles:
        raise UsageError(f"{doubles[0]} is given twice")
    named = None if measures is None else split_names(measures)
    files = {path: subset_scores(read_scores(path), named) for path in paths}
    joined = join_scores(files)
    if named is not None:
        refuse_descriptive(joined.scores.values())
    if systems is not None:
        joined = subset_scores(joined, systems=systems)
    return LoadedScores(joined.scores, joined.documents, joined.facts, paths, joining_notes(files))


def compare_loaded(loaded: LoadedScores, settings: CompareSettings) -> ComparedScores:
    """Compare the systems of saved scores."""
    comparison = compare(loaded.scores, loaded.documents, settings)
    about = f"saved scores {', '.join(loaded.paths)} · {len(loaded.segments)} segments"
    notes = (*loaded.known.notes(), *loaded.notes)
    return ComparedScores(
        scores=loaded.scores,
        documents=loaded.documents,
        facts=loaded.known,
        estimates=lambda: _estimates(comparison),
        comparison=comparison,
        to_report=lambda: comparison_report(comparison, COMPARISON, about, notes=notes),
        notes=loaded.notes,
    )


def _estimates(comparison: Comparison) -> dict[str, Mapping[str, Estimate]]:
    return {name: one.estimates for name, one in comparison.measures.items()}
