"""Generated claims scored against reference claims: values, evidence, side by side.

ClaimQuality is never shown alone: its four parts, BLEU-1, the coverage of the reference's
limitations, contradictions, diagnostics and linter findings are also reported, and the clear
differences between drafts. A draft without claims scores 0, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, zip_longest
from typing import Any, ClassVar, cast

import numpy as np

from patmark.claims.comparison import MISSING, WEAK, ClaimComparison, compare_profiles
from patmark.claims.diagnostics import DIAGNOSTICS, Diagnostic
from patmark.claims.lint.engine import lint
from patmark.claims.lint.rule import SEVERITIES, SEVERITY_NAMES, Severity
from patmark.claims.measures import (
    DEFAULT_MEASURES,
    ClaimMeasure,
    Findings,
    choose_claim_measures,
    in_language_of_claims,
    score_drafts,
)
from patmark.claims.model import HARD_SPACE, tree_lines
from patmark.claims.profiles import ClaimProfile, profile_of
from patmark.claims.quality import PARTS, ClaimQuality, QualityFinding
from patmark.claims.text_forms import one_line
from patmark.data import (
    SIDE_NAMES,
    Estimate,
    Evidence,
    Run,
    ScoreFacts,
    Scores,
    TestSet,
    criterion_name,
)
from patmark.evaluation import (
    Evaluation,
    Progress,
    Runs,
    Sampling,
    estimate_json,
    given_runs,
    interval_note,
    measure_column,
    missing_notes,
    resampling_json,
)
from patmark.languages import kept_in_workspace
from patmark.measures import Check, Finding, Measure, MeteorNltk
from patmark.report import Cell, Column, Explorer, Report, Result, Table
from patmark.stats import Units, estimate_scores, predicted_preferences
from patmark.wording import setting, tr, tr_n

_BESIDE = "BLEU-1"
_LINT = "lint"
_QUOTED = 110
_DRAFTS_KEPT = 1024
_SIDE_BY_SIDE = tr("Side by side")


@dataclass(frozen=True, slots=True)
class DraftEvidence:
    """A finding of one measure on one candidate, with the text at its place."""

    system: str
    segment: str
    measure: str
    evidence: Evidence
    text: str

    def to_json(self) -> dict[str, Any]:
        """Return the evidence under a stable set of keys."""
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
class ClaimsEvaluation(Result):
    """Scores of claim drafts, with the places that explain them.

    ``findings`` maps a check to its findings, by system and set of claims.
    """

    test_set: TestSet
    runs: tuple[Run, ...]
    measures: tuple[ClaimMeasure, ...]
    scores: Mapping[str, Scores]
    findings: Mapping[str, Findings]
    settings: Sampling

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(run.system for run in self.runs)

    @cached_property
    def units(self) -> Units:
        """Resampling units."""
        ids = [segment.id for segment in self.test_set]
        return Units.choose(self.test_set.documents, self.settings.by, ids)

    @cached_property
    def estimates(self) -> dict[str, dict[str, Estimate]]:
        """Measure → system → value with interval; a single set of claims has none."""
        resamples = self.settings.resamples if self.units.count > 1 else 0
        estimated = estimate_scores(self.scores.values(), self.units, resamples, self.settings.seed)
        return {
            name: dict(zip(self.systems, values, strict=True))
            for name, values in zip(self.scores, estimated, strict=True)
        }

    @cached_property
    def evidence(self) -> dict[str, tuple[tuple[tuple[Evidence, ...], ...], ...]]:
        """Check → system → set of claims → places."""
        return {
            label: tuple(tuple(one.evidence for one in each) for each in found)
            for label, found in self.findings.items()
        }

    @cached_property
    def remarks(self) -> tuple[DraftEvidence, ...]:
        """All evidence, by system, set of claims and measure."""
        return tuple(
            DraftEvidence(run.system, segment.id, measure, one, side[one.start : one.end])
            for row, run in enumerate(self.runs)
            for segment, text, place in zip(
                self.test_set, run.texts, range(len(self.test_set)), strict=True
            )
            for measure, found in self.evidence.items()
            for one in found[row][place]
            for side in (segment.references[0] if one.side == "reference" else text,)
        )

    def comparison(self, system: int, segment: int) -> ClaimComparison:
        """Return the claims of a reference and of a system's draft, compared."""
        texts = self.test_set[segment].references[0], self.runs[system].texts[segment]
        return compare_profiles(*map(profile_of, texts))

    @cached_property
    def quality(self) -> QualitySummary | None:
        """ClaimQuality with related values, if requested; the first of several."""
        for one in self.measures:
            if isinstance(one.measure, ClaimQuality):
                return QualitySummary(self, one.label, one.measure)
        return None

    @property
    def scored(self) -> Evaluation:
        """The scores behind the result, with BLEU-1 under the usual name of the measure."""
        named = {}
        for one in self.measures:
            scores, name = self.scores[one.label], one.label
            if one.label != one.measure.name and not one.by_sentence:
                name = one.measure.name
                scores = replace(scores, measure=name)
            named[name] = scores
        return Evaluation(
            scores=named,
            documents=self.test_set.documents,
            facts=ScoreFacts.of(self.test_set, self.runs),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
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
            "quality": None if self.quality is None else self.quality.to_json(),
            "evidence": [remark.to_json() for remark in self.remarks],
            "signatures": {name: one.signature for name, one in self.scores.items()},
            "higher_is_better": {one.label: one.measure.higher_is_better for one in self.measures},
            "notes": list(_notes(self)),
            "resampling": resampling_json(self.settings, self.units),
        }

    def _drafts(self) -> Iterator[dict[str, Any]]:
        values = {name: one.segment_scores for name, one in self.scores.items()}
        quality = self.quality
        for row, system in enumerate(self.systems):
            for place, segment in enumerate(self.test_set):
                yield {
                    "system": system,
                    "segment": segment.id,
                    "scores": {name: float(each[row, place]) for name, each in values.items()},
                    **({"contributions": {}} if quality is None else quality.draft(row, place)),
                }

    def to_report(self) -> Report:
        """Return scores and findings; for a single set of claims also the claims themselves."""
        number = len(self.test_set)
        tables = [_score_table(self)]
        if self.quality is not None:
            tables += self.quality.tables()
        tables += _finding_tables(self)
        brief = len(tables)
        if number == 1:
            tables += _side_by_side(self)
        return Report(
            title=tr("Generated claims against the reference"),
            subtitle=tr(
                "{name} · {sets} of claims",
                name=self.test_set.name,
                sets=tr_n("{n} set", "{n} sets", n=number),
            ),
            headlines=(),
            tables=tuple(tables),
            signatures={name: one.signature for name, one in self.scores.items()},
            notes=tuple(_notes(self)),
            explorer=self._explorer(),
            brief=brief,
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


@dataclass(frozen=True, eq=False)
class QualitySummary:
    """ClaimQuality of an evaluation, and the values to be read with it."""

    done: ClaimsEvaluation
    label: str
    measure: ClaimQuality

    @property
    def found(self) -> tuple[tuple[QualityFinding, ...], ...]:
        """Findings of the measure, by system and set of claims."""
        return cast("tuple[tuple[QualityFinding, ...], ...]", self.done.findings[self.label])

    @property
    def linted(self) -> tuple[tuple[LintedDraft, ...], ...]:
        """Findings of the linter, by system and set of claims."""
        return cast("tuple[tuple[LintedDraft, ...], ...]", self.done.findings[_LINT])

    def draft(self, system: int, place: int) -> dict[str, Any]:
        """Return one draft for programs."""
        found = self.found[system][place]
        return {
            "problem": found.problem or None,
            "relation": found.relation,
            "claims": [one.to_json() for one in found.claims],
            "parts": found.parts.to_json(),
            "coverage": found.coverage,
            "contradictions": found.contradictions,
            "lint": {name: self.linted[system][place].severities[name] for name in SEVERITIES},
            "contributions": {
                part.feature: {"value": part.value, "share": part.share, "points": part.points}
                for part in found.parts.contributions
            },
        }

    @cached_property
    def differences(self) -> list[dict[str, Any]]:
        """For each two systems, how many of their drafts differ clearly."""
        scores = self.done.scores[self.label].segment_scores
        rows = []
        for first, second in combinations(range(len(self.done.systems)), 2):
            signs = predicted_preferences(scores[first], scores[second], band=self.measure.tie_band)
            counts = Counter(signs.tolist())
            rows.append(
                {
                    "a": self.done.systems[first],
                    "b": self.done.systems[second],
                    "a_better": counts[1],
                    "no_clear_difference": counts[0],
                    "b_better": counts[-1],
                }
            )
        return rows

    def to_json(self) -> dict[str, Any]:
        """Return means over sets of claims, counts over all of them, and clear differences."""
        systems = {
            system: {
                **{name: _mean(getattr(one.parts, name) for one in found) for name in PARTS},
                "gate": _mean(one.parts.gate for one in found),
                "coverage": _mean(one.coverage for one in found),
                "contradictions": sum(one.contradictions for one in found),
                "lint": {name: sum(one.severities[name] for one in linted) for name in SEVERITIES},
            }
            for system, found, linted in zip(
                self.done.systems, self.found, self.linted, strict=True
            )
        }
        band = self.measure.tie_band
        return {"systems": systems, "tie_band": band, "differences": self.differences}

    def tables(self) -> list[Table]:
        """Return the score with its parts, and the clear differences between systems."""
        beside = self.done.estimates[_BESIDE]
        rows: list[tuple[Cell, ...]] = []
        for system, one in self.to_json()["systems"].items():
            parts = [one[name] for name in (*PARTS, "coverage")]
            counts = one["contradictions"], *(one["lint"][name] for name in SEVERITIES[:2])
            score = self.done.estimates[self.label][system]
            rows.append((system, score, *parts, beside[system], *counts))
        share = (0.0, 1.0)
        counted = tr("contradictions"), tr("errors"), tr("warnings")
        columns = (
            Column(tr("system")),
            Column(self.label, 3, share),
            *(Column(title, 2, share) for title in (*PARTS.values(), tr("coverage"))),
            Column(_BESIDE, 1),
            *(Column(title, 0) for title in counted),
        )
        note = tr(
            "parts and coverage are means; contradictions, and errors and warnings of the linter, "
            "are totals. Only content and coverage read what the claims say"
        )
        tables = [
            Table(
                tr("{label} and related values", label=self.label),
                columns,
                tuple(rows),
                note,
            )
        ]
        if self.differences:
            tables.append(self._difference_table())
        return tables

    def _difference_table(self) -> Table:
        rows = tuple(tuple(one.values()) for one in self.differences)
        titles = (tr("A better"), tr("no clear difference"), tr("B better"))
        columns = (Column("A"), Column("B"), *(Column(title, 0) for title in titles))
        band = self.measure.tie_band
        note = tr("sets of claims; scores at most {band} apart: no clear difference", band=band)
        return Table(tr("Clear differences by {label}", label=self.label), columns, rows, note)


@dataclass(frozen=True, slots=True)
class LintedDraft(Finding):
    """Findings of the linter in a draft; its evidence are errors and warnings."""

    severities: Counter[Severity] = field(default_factory=Counter)


class _Linter(Check):
    """The linter as a check, applied to drafts while their claims are parsed; no score."""

    label: ClassVar[str] = _LINT
    needs: ClassVar[frozenset[str]] = frozenset({"references"})

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """Return the findings at any office."""
        return [
            _linted(segment.references[0], text)
            for segment, text in zip(test_set, hypotheses, strict=True)
        ]


@kept_in_workspace(_DRAFTS_KEPT)
def _linted(reference: str, text: str) -> LintedDraft:
    """Return the findings of the linter, using already parsed claims.

    A draft that is no set of claims is one error.
    """
    profile = profile_of(text)
    if compare_profiles(profile_of(reference), profile).problem:
        return LintedDraft(0.0, 0.0, (), Counter({"error": 1}))
    same = profile.form.text == text and len(profile.live) == len(profile.outline.chunks)
    found = lint(profile.claims if same else text).findings
    evidence = tuple(
        Evidence(
            "hypothesis",
            one.start,
            one.end,
            tr(
                "{severity} {rule}: {message}",
                severity=SEVERITY_NAMES[one.severity],
                rule=one.rule,
                message=one.message,
            ),
        )
        for one in found
        if one.severity != "information"
    )
    return LintedDraft(0.0, 0.0, evidence, Counter(one.severity for one in found))


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def evaluate_claims(
    test_set: TestSet,
    runs: Runs,
    measures: str | Sequence[str | Measure] | None = None,
    settings: Sampling | None = None,
    progress: Progress | None = None,
) -> ClaimsEvaluation:
    """Score drafts with ClaimQuality, or with the named measures.

    ClaimQuality is always reported with BLEU-1, the diagnostics and the linter.
    """
    runs = given_runs(test_set, runs)
    test_set = in_language_of_claims(test_set)
    chosen = choose_claim_measures(DEFAULT_MEASURES if measures is None else measures)
    beside: dict[str, Check] = {}
    if any(isinstance(one.measure, ClaimQuality) for one in chosen):
        chosen += [one for one in choose_claim_measures(_BESIDE) if one not in chosen]
        beside = {**{kind: Diagnostic(kind=kind) for kind in DIAGNOSTICS}, _LINT: _Linter()}
    scores, findings = score_drafts(test_set, runs, chosen, progress, beside)
    settings = settings or Sampling()
    return ClaimsEvaluation(test_set, tuple(runs), tuple(chosen), scores, findings, settings)


def _notes(done: ClaimsEvaluation) -> Iterator[str]:
    yield from missing_notes(done.runs)
    yield from _problem_notes(done)
    asked = [one.measure for one in done.measures]
    if done.quality is not None:
        yield tr(
            "ClaimQuality goes from 0 to 1; the reference itself has the most. Words are compared, "
            "not meanings: a good paraphrase is rated too low."
        )
    if any(isinstance(one, MeteorNltk) for one in asked):
        yield tr(
            "METEOR is that of NLTK: a text of n words has 1 − 0.5/n³ against itself, not quite 1."
        )


def _problem_notes(done: ClaimsEvaluation) -> Iterator[str]:
    """Yield the drafts that hold no claims, with the reason."""
    if done.quality is None:
        return
    for row, system in enumerate(done.systems):
        reasons = Counter(one.problem for one in done.quality.found[row] if one.problem)
        for problem, number in reasons.items():
            yield tr(
                "error: {system}: {problem} ({number} of {total}), scored as 0.",
                system=system,
                problem=problem,
                number=number,
                total=len(done.test_set),
            )


def _score_table(done: ClaimsEvaluation) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (system, *(values[system] for values in done.estimates.values())) for system in done.systems
    ]
    columns = [Column(tr("system"))]
    for one in done.measures:
        column = measure_column(one.measure)
        columns.append(Column(one.label, column.decimals, column.scale, column.higher_is_better))
    note = interval_note(done.settings, done.units) if done.units.count > 1 else tr("no intervals")
    return Table(tr("Scores"), tuple(columns), tuple(rows), note)


def _finding_tables(done: ClaimsEvaluation) -> Iterator[Table]:
    """Yield every finding of a single set of claims, or counts of the kinds of findings."""
    remarks = [one for one in done.remarks if one.evidence.end > one.evidence.start]
    if len(done.test_set) == 1:
        rows: list[tuple[Cell, ...]] = [
            (
                one.system,
                criterion_name(one.measure),
                one.evidence.message,
                SIDE_NAMES[one.evidence.side],
                one_line(one.text, _QUOTED),
            )
            for one in remarks
        ]
        titles = (tr("system"), tr("measure"), tr("finding"), tr("in"), tr("text"))
        if rows:
            yield Table(tr("Evidence for the scores"), tuple(map(Column, titles)), tuple(rows))
        return
    counts = Counter(
        (one.system, criterion_name(one.measure), SIDE_NAMES[one.evidence.side]) for one in remarks
    )
    total: list[tuple[Cell, ...]] = [(*key, number) for key, number in counts.items()]
    columns = (
        Column(tr("system")),
        Column(tr("measure")),
        Column(tr("in")),
        Column(tr("findings"), 0),
    )
    note = tr(
        "each finding with its place: {html} and {json}",
        html=setting("html"),
        json=setting("json"),
    )
    if total:
        yield Table(tr("Findings"), columns, tuple(total), note)


def _side_by_side(done: ClaimsEvaluation) -> Iterator[Table]:
    for row, system in enumerate(done.systems):
        compared = done.comparison(row, 0)
        yield _claim_table(compared, system)
        yield _tree_table(compared, system)


def _claim_table(compared: ClaimComparison, system: str) -> Table:
    """Return each claim of the reference with its counterpart, then added claims."""
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
        Column(tr("claim")),
        Column(tr("reference")),
        Column(tr("likeness"), 2, (0.0, 1.0)),
        Column(tr("draft claim")),
        Column(system),
    )
    note = tr("−[…]− missing from the draft, ~[…]~ weak there, +[…]+ added by the draft")
    return Table(
        tr("Claims of the reference and of {system}", system=system),
        columns,
        tuple(rows),
        note,
        _SIDE_BY_SIDE,
    )


def _marked(compared: ClaimComparison, wanted: bool) -> dict[int, str]:
    """Return the claims of one side with marks around clauses that the other side lacks."""
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
    """Return both dependency trees, line by line."""
    lines = [
        tree_lines(profile.claims, HARD_SPACE)
        for profile in (compared.reference, compared.candidate)
    ]
    rows: list[tuple[Cell, ...]] = [
        (number, *shown) for number, shown in enumerate(zip_longest(*lines, fillvalue=""), 1)
    ]
    columns = (Column(tr("line"), 0), Column(tr("reference")), Column(system))
    return Table(
        tr("Dependencies in the reference and in {system}", system=system),
        columns,
        tuple(rows),
        "",
        _SIDE_BY_SIDE,
    )


def _number(profile: ClaimProfile, place: int) -> str:
    return str(profile.claims.claims[place].shown_number)
