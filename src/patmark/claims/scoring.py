"""Generated claims scored against reference claims: values, what explains them, side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any

from patmark.claims.comparison import MISSING, WEAK, ClaimComparison, compare_profiles
from patmark.claims.criteria import CRITERIA, DIAGNOSTIC_NOTE, Overall
from patmark.claims.measures import ClaimMeasure, Remarks, choose_claim_measures, score_drafts
from patmark.claims.model import claim_tree, kept_indent
from patmark.claims.profiles import ClaimProfile, profile_of
from patmark.claims.quality import ClaimQuality, Contribution
from patmark.claims.text_forms import one_line
from patmark.data import Estimate, Evidence, Run, Scores, TestSet, counted
from patmark.evaluation import (
    Progress,
    Runs,
    Sampling,
    Scored,
    ScoreFacts,
    estimate_json,
    given_runs,
    interval_note,
    measure_column,
    missing_notes,
    resampling_json,
)
from patmark.measures import Measure
from patmark.report import Cell, Column, Explorer, Report, Table
from patmark.stats import Units, estimate_scores

DEFAULT_MEASURES: tuple[Measure, ...] = (Overall(), *CRITERIA.values(), ClaimQuality())
_QUOTED = 110
_SIDE_BY_SIDE = "Side by side"


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding of one measure on one candidate, with the text at its place."""

    system: str
    segment: str
    measure: str
    evidence: Evidence
    text: str

    def to_json(self) -> dict[str, Any]:
        """A stable shape."""
        place = self.evidence
        return {
            "system": self.system,
            "segment": self.segment,
            "measure": self.measure,
            "side": place.side,
            "start": place.start,
            "end": place.end,
            "message": place.message,
            "text": self.text,
        }


@dataclass(frozen=True, eq=False)
class ClaimsEvaluation:
    """Scores of drafts of claims, with the places that explain them.

    ``evidence`` maps a measure to findings per system and set of claims.
    """

    test_set: TestSet
    runs: tuple[Run, ...]
    measures: tuple[ClaimMeasure, ...]
    scores: Mapping[str, Scores]
    evidence: Mapping[str, Remarks]
    settings: Sampling

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(run.system for run in self.runs)

    @cached_property
    def units(self) -> Units:
        """What is drawn for the intervals."""
        return Units.choose(self.test_set.documents, self.settings.by)

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Measure → system → value with interval; a single set of claims has none."""
        resamples = self.settings.resamples if self.units.count > 1 else 0
        estimated = estimate_scores(self.scores.values(), self.units, resamples, self.settings.seed)
        return {
            name: dict(zip(self.systems, values, strict=True))
            for name, values in zip(self.scores, estimated, strict=True)
        }

    def remarks(self) -> Iterator[Remark]:
        """All findings, by system, set of claims and measure."""
        for row, run in enumerate(self.runs):
            for place, segment in enumerate(self.test_set):
                for measure, found in self.evidence.items():
                    for one in found[row][place]:
                        side = (
                            segment.references[0] if one.side == "reference" else run.texts[place]
                        )
                        text = side[one.start : one.end]
                        yield Remark(run.system, segment.id, measure, one, text)

    def comparison(self, system: int, segment: int) -> ClaimComparison:
        """The claims of a reference and of a system's draft, compared."""
        texts = self.test_set[segment].references[0], self.runs[system].texts[segment]
        return compare_profiles(*map(profile_of, texts))

    @cached_property
    def quality(self) -> ClaimQuality | None:
        """The learned measure, if it was asked for; the first of several."""
        asked = (one.measure for one in self.measures)
        return next((one for one in asked if isinstance(one, ClaimQuality)), None)

    def contributions(self, system: int, segment: int) -> tuple[Contribution, ...]:
        """What each feature gives to the learned score of a draft; none if it was not asked for."""
        if self.quality is None:
            return ()
        return self.quality.explain(self.comparison(system, segment))

    @property
    def scored(self) -> Scored:
        """The scores behind the result."""
        return Scored(self.scores, self.test_set.documents, ScoreFacts.of(self.test_set, self.runs))

    def to_json(self) -> dict[str, Any]:
        """The machine-readable result."""
        return {
            "segments": len(self.test_set),
            "systems": {
                system: {
                    name: estimate_json(values[system]) for name, values in self.estimates.items()
                }
                for system in self.systems
            },
            "missing": {run.system: run.missing for run in self.runs},
            "drafts": list(self._drafts()),
            "evidence": [remark.to_json() for remark in self.remarks()],
            "signatures": {name: one.signature for name, one in self.scores.items()},
            "higher_is_better": {one.label: one.measure.higher_is_better for one in self.measures},
            "resampling": resampling_json(self.settings, self.units),
        }

    def _drafts(self) -> Iterator[dict[str, Any]]:
        values = {name: one.segment_scores for name, one in self.scores.items()}
        for row, system in enumerate(self.systems):
            for place, segment in enumerate(self.test_set):
                yield {
                    "system": system,
                    "segment": segment.id,
                    "scores": {name: float(each[row, place]) for name, each in values.items()},
                    "contributions": {
                        part.feature: {
                            "value": part.value,
                            "share": part.share,
                            "points": part.points,
                        }
                        for part in self.contributions(row, place)
                    },
                }

    def to_report(self) -> Report:
        """Scores and findings; for a single set of claims also the claims themselves."""
        number = len(self.test_set)
        tables = [_score_table(self), *_finding_tables(self)]
        if self.quality is not None:
            tables.append(_contribution_table(self))
        if number == 1:
            tables += _side_by_side(self)
        return Report(
            title="Generated claims against the reference",
            subtitle=f"{self.test_set.name} · {counted(number, 'set')} of claims",
            headlines=(),
            tables=tuple(tables),
            signatures={name: one.signature for name, one in self.scores.items()},
            notes=tuple(_notes(self)),
            explorer=self._explorer(),
        )

    def _explorer(self) -> Explorer:
        return Explorer(
            test_set=self.test_set,
            systems=self.systems,
            hypotheses=tuple(run.hypotheses for run in self.runs),
            values={name: one.segment_scores for name, one in self.scores.items()},
            higher_is_better={one.label: one.measure.higher_is_better for one in self.measures},
            evidence=self.evidence,
        )


def evaluate_claims(
    test_set: TestSet,
    runs: Runs,
    measures: str | Sequence[str | Measure] | None = None,
    settings: Sampling | None = None,
    progress: Progress | None = None,
) -> ClaimsEvaluation:
    """Score drafts with the diagnostics and ClaimQuality, or with the measures that are named."""
    runs = given_runs(test_set, runs)
    chosen = choose_claim_measures(DEFAULT_MEASURES if measures is None else measures)
    scores, evidence = score_drafts(test_set, runs, chosen, progress)
    settings = settings or Sampling()
    return ClaimsEvaluation(test_set, tuple(runs), tuple(chosen), scores, evidence, settings)


def _notes(done: ClaimsEvaluation) -> Iterator[str]:
    yield from missing_notes(done.runs)
    asked = [one.measure for one in done.measures]
    scales = []
    if any(isinstance(one, (Overall, *map(type, CRITERIA.values()))) for one in asked):
        yield DIAGNOSTIC_NOTE
        scales.append("Diagnostics go from 0 to 10")
    if done.quality is not None:
        scales.append("ClaimQuality goes from 0 to 1")
    if scales:
        yield (
            f"{', '.join(scales)}; the reference itself has the most. "
            "Words are compared, not meanings: a good paraphrase is rated too low."
        )


def _score_table(done: ClaimsEvaluation) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (system, *(values[system] for values in done.estimates.values())) for system in done.systems
    ]
    columns = [Column("system")]
    for one in done.measures:
        column = measure_column(one.measure)
        columns.append(Column(one.label, column.decimals, column.scale, column.higher_is_better))
    note = interval_note(done.settings, done.units) if done.units.count > 1 else "no intervals"
    return Table("Scores", tuple(columns), tuple(rows), note)


def _finding_tables(done: ClaimsEvaluation) -> Iterator[Table]:
    """Every finding with a place for a single set of claims, else how often each kind occurs."""
    remarks = [one for one in done.remarks() if one.evidence.end > one.evidence.start]
    if not remarks:
        return
    if len(done.test_set) == 1:
        rows: list[tuple[Cell, ...]] = [
            (
                one.system,
                one.measure,
                one.evidence.message,
                one.evidence.side,
                one_line(one.text, _QUOTED),
            )
            for one in remarks
        ]
        titles = ("system", "measure", "finding", "in", "text")
        yield Table("What explains the scores", tuple(map(Column, titles)), tuple(rows))
        return
    counts = Counter((one.system, one.measure, one.evidence.side) for one in remarks)
    total: list[tuple[Cell, ...]] = [(*key, number) for key, number in counts.items()]
    columns = (Column("system"), Column("measure"), Column("in"), Column("findings", 0))
    note = "each finding with its place: --html and --json"
    yield Table("Findings", columns, tuple(total), note)


def _contribution_table(done: ClaimsEvaluation) -> Table:
    """The mean over sets of claims of what each feature gives to ClaimQuality."""
    rows: list[tuple[Cell, ...]] = []
    for row, system in enumerate(done.systems):
        parts = [done.contributions(row, place) for place in range(len(done.test_set))]
        for same in zip(*parts, strict=True):
            values = [part.value for part in same]
            points = [part.points for part in same]
            size = len(same)
            name, share = same[0].feature, same[0].share
            rows.append((system, name, sum(values) / size, share, sum(points) / size))
    columns = (
        Column("system"),
        Column("feature"),
        Column("value", 3, (0.0, 1.0)),
        Column("share of the score", 3),
        Column("gives", 3),
    )
    note = "what the features give adds up to the score; docs/claim_measures.md explains them"
    return Table("What ClaimQuality is made of", columns, tuple(rows), note)


def _side_by_side(done: ClaimsEvaluation) -> Iterator[Table]:
    for row, system in enumerate(done.systems):
        compared = done.comparison(row, 0)
        yield _claim_table(compared, system)
        yield _tree_table(compared, system)


def _claim_table(compared: ClaimComparison, system: str) -> Table:
    """Each claim of the reference beside its counterpart, then claims that were added."""
    rows: list[tuple[Cell, ...]] = []
    texts = (_marked(compared, wanted=True), _marked(compared, wanted=False))
    for theirs in range(len(compared.reference.words)):
        ours = compared.assigned.get(theirs)
        likeness = None if ours is None else float(compared.likeness[theirs, ours])
        rows.append(
            (
                _number(compared.reference, theirs),
                texts[0][theirs],
                likeness,
                None if ours is None else _number(compared.candidate, ours),
                None if ours is None else texts[1][ours],
            )
        )
    for ours in range(len(compared.candidate.words)):
        if ours not in compared.origin:
            added = _number(compared.candidate, ours), texts[1][ours]
            rows.append((None, None, None, *added))
    columns = (
        Column("claim"),
        Column("reference"),
        Column("likeness", 2, (0.0, 1.0)),
        Column("draft claim"),
        Column(system),
    )
    note = "−[…]− missing from the draft, ~[…]~ weak there, +[…]+ added by the draft"
    return Table(
        f"Claims of the reference and of {system}", columns, tuple(rows), note, _SIDE_BY_SIDE
    )


def _marked(compared: ClaimComparison, wanted: bool) -> dict[int, str]:
    """The claims of one side with marks around clauses that the other side lacks."""
    profile = compared.reference if wanted else compared.candidate
    found = compared.coverage if wanted else compared.support
    text = profile.claims.text
    parts: dict[int, list[str]] = {place: [] for place in range(len(profile.words))}
    place_in = {place: claim.content.start for place, claim in enumerate(profile.claims.claims)}
    for one in found.below(WEAK if wanted else MISSING):
        clause = one.clause
        mark = "+" if not wanted else "−" if one.share < MISSING else "~"
        before = text[place_in[clause.claim] : clause.start]
        parts[clause.claim] += [before, f"{mark}[{text[clause.start : clause.end]}]{mark}"]
        place_in[clause.claim] = clause.end
    return {
        place: " ".join("".join([*parts[place], text[place_in[place] : claim.content.end]]).split())
        for place, claim in enumerate(profile.claims.claims)
    }


def _tree_table(compared: ClaimComparison, system: str) -> Table:
    """Both dependency trees, line by line."""
    lines = [
        claim_tree(profile.claims).splitlines()
        for profile in (compared.reference, compared.candidate)
    ]
    rows: list[tuple[Cell, ...]] = [
        (number, *map(kept_indent, shown))
        for number, shown in enumerate(zip_longest(*lines, fillvalue=""), 1)
    ]
    columns = (Column("line", 0), Column("reference"), Column(system))
    return Table(
        f"Dependencies in the reference and in {system}", columns, tuple(rows), "", _SIDE_BY_SIDE
    )


def _number(profile: ClaimProfile, place: int) -> str:
    return str(profile.claims.claims[place].shown_number)
