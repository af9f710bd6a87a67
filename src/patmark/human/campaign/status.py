"""Status of a running campaign: speed, training, checks, agreement, ranking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.evaluation import CompareSettings, Sampling
from patmark.human.campaign.annotations import ProposalShares, proposal_shares
from patmark.human.campaign.attention_checks import (
    AnswerConsistency,
    AttentionResult,
    check_results,
    self_agreement,
)
from patmark.human.campaign.enrolment import Enrolment
from patmark.human.campaign.evaluator_progress import Person
from patmark.human.campaign.form import in_any_language
from patmark.human.campaign.odd_evaluators import KINDS, Oddity, oddities
from patmark.human.campaign.plan import Plan
from patmark.human.campaign.precision_forecast import expected_precisions
from patmark.human.campaign.records import CampaignOverview, to_the_minute
from patmark.human.campaign.state import CampaignState, once_per_state
from patmark.human.campaign.stopping import STOP_NOTE, StopVerdict, stop_rule
from patmark.human.campaign.training import training_agreement
from patmark.human.campaign.written_texts import WritingEffort, writing_efforts
from patmark.human.judgements import (
    PHASES,
    CriterionValidation,
    HumanRanking,
    Phase,
    counted_grades,
    evaluator_tables,
    rank_humans,
    validate_evaluators,
    validate_preferences,
)
from patmark.report import Cell, Column, Report, Result, Table, dotted, message_text, sentences
from patmark.stats import pairwise_score, pairwise_statistics
from patmark.wording import setting, tr, tr_n

_PLAN_PHASES: Mapping[Phase, str] = {
    "training": tr("training pages"),
    "main": tr("main pages"),
    "check": tr("check pages"),
    "repeat": tr("repeat pages"),
}


@dataclass(frozen=True, slots=True)
class PlanOverview(Result):
    """A plan before the campaign begins: pages of each evaluator, and expected precision."""

    plan: Plan

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values, without its texts."""
        plan = self.plan
        return {
            "name": plan.name,
            "form": plan.form.id,
            "form_version": plan.form.version,
            "seed": plan.seed,
            "pass_mark": plan.pass_mark,
            "pages": {
                name: dict(Counter(page.phase for page in plan.pages_of(name)))
                for name in plan.evaluators
            },
            "pool": dict(Counter(item.page.phase for item in plan.pool)),
            "expected_precision": [asdict(one) for one in expected_precisions(plan)],
            "notes": list(plan.notes),
        }

    def to_report(self) -> Report:
        """Return tables of pages by evaluator and phase, and of the expected precision."""
        plan = self.plan
        columns = (
            Column(tr("evaluator")),
            *(Column(title, 0) for title in _PLAN_PHASES.values()),
            Column(tr("segments"), 0),
            Column(tr("outputs"), 0),
        )
        rows: list[tuple[Cell, ...]] = []
        hands = [(name, plan.pages_of(name)) for name in plan.evaluators]
        if plan.pool:
            hands.append((tr("(shared pool)"), tuple(item.page for item in plan.pool)))
        for name, pages in hands:
            counts = Counter(page.phase for page in pages)
            main = [page for page in pages if page.phase == "main"]
            segments, outputs = (
                len({page.segment_of(one) for page in main for one in page.candidates}),
                sum(len(page.candidates) for page in main),
            )
            rows.append((name, *(counts[phase] for phase in _PLAN_PHASES), segments, outputs))
        return Report(
            title=plan.name,
            subtitle=tr(
                "form {form}, version {version} · seed {seed}",
                form=plan.form.id,
                version=plan.form.version,
                seed=plan.seed,
            ),
            headlines=(),
            tables=(
                Table(tr("Pages"), columns, tuple(rows)),
                *([size] if (size := _size_table(plan)).rows else []),
            ),
            signatures={},
            notes=plan.notes,
        )


@dataclass(frozen=True, slots=True)
class CampaignList(Result):
    """The campaigns of a database; ``left_out`` is the number of unlisted archived ones."""

    campaigns: tuple[CampaignOverview, ...]
    left_out: int

    def to_json(self) -> dict[str, Any]:
        """Return the list as JSON values."""
        return {
            "campaigns": [
                {
                    "id": one.info.id,
                    "name": one.info.name,
                    "state": one.state,
                    "form": one.info.form,
                    "evaluators": one.evaluators,
                    **one.progress.to_json(),
                    "last_saved": one.last_saved,
                    "created": one.info.created,
                }
                for one in self.campaigns
            ],
            "left_out": self.left_out,
        }

    def to_report(self) -> Report:
        """Return a table with one row for each campaign."""
        columns: dict[Column, str | Callable[[CampaignOverview], Cell]] = {
            Column(tr("campaign")): "info.name",
            Column("id"): "info.id",
            Column(tr("state")): "state",
            Column(tr("form")): "info.form",
            Column(tr("evaluators")): "evaluators",
            Column(tr("done")): lambda one: f"{one.progress.done}/{one.progress.total}",
            Column(tr("last saved (UTC)")): lambda one: to_the_minute(one.last_saved),
            Column(tr("begun (UTC)")): lambda one: to_the_minute(one.info.created),
        }
        archived = tr_n(
            "{n} campaign is in the archive; {all} lists them",
            "{n} campaigns are in the archive; {all} lists them",
            n=self.left_out,
            all=setting("all"),
        )
        notes = (archived,) if self.left_out else ()
        table = Table.of_records(tr("Campaigns"), self.campaigns, columns)
        return Report(tr("Campaigns"), "", (), (table,), {}, notes)


@dataclass(frozen=True, slots=True)
class QualityChecks:
    """Training, attention checks and repeated pages of all evaluators."""

    training: tuple[AnswerConsistency, ...]
    checks: tuple[AttentionResult, ...]
    repeats: tuple[AnswerConsistency, ...]


@dataclass(frozen=True, slots=True)
class CampaignStatus(Result):
    """A campaign for its organiser; ``notes`` explain missing results."""

    state: CampaignState
    quality: QualityChecks
    validations: tuple[CriterionValidation, ...]
    notes: tuple[str, ...]

    @property
    def people(self) -> tuple[Person, ...]:
        """The progress of everybody."""
        return self.state.people

    @property
    def odd(self) -> tuple[Oddity, ...]:
        """Outlying evaluators, with the evidence."""
        return oddities(self.state, self.quality.checks)

    @property
    def verdicts(self) -> tuple[StopVerdict, ...]:
        """Verdicts on pairs of systems: significant, or the segments still needed."""
        return stop_rule(self.state)

    @property
    def written(self) -> tuple[WritingEffort, ...]:
        """Writing effort of everybody, if the form asks for texts."""
        return writing_efforts(self.state.counted)

    @property
    def proposals(self) -> tuple[ProposalShares, ...]:
        """Decisions of everybody on the marks proposed to them."""
        return proposal_shares(self.state.counted)

    def to_json(self) -> dict[str, Any]:
        """Return the status as JSON values."""
        info, quality = self.state.info, self.quality
        phase_of = {page.id: page.phase for page in self.state.plan.pages}
        counts = Counter(phase_of[one.page] for one in self.state.given if one.value is not None)
        return {
            "campaign": info.id,
            "name": info.name,
            "form": info.form,
            "open": info.is_open,
            **self.state.progress.to_json(),
            "phases": {phase: counts[phase] for phase in PHASES if counts[phase]},
            "evaluators": {one.name: one.to_json() for one in self.people},
            "validation": {one.criterion: one.to_json() for one in self.validations},
            "training": [asdict(one) for one in quality.training],
            "checks": [asdict(one) for one in quality.checks],
            "odd": [asdict(one) for one in self.odd],
            "stop_rule": [one.to_json() for one in self.verdicts],
            "repeats": [asdict(one) for one in quality.repeats],
            "proposals": [asdict(one) for one in self.proposals],
            "written": [asdict(one) for one in self.written],
            "remarks": [asdict(one) for one in self.state.remarks],
            "notes": list(dict.fromkeys(self.notes)),
        }

    def to_report(self) -> Report:
        """Return progress and agreement first; then training, checks, repeats and evaluators."""
        summary, details = evaluator_tables(self.validations)
        quality = self.quality
        others = (
            writing_table(self.written),
            proposals_table(self.proposals),
            odd_table(self.odd),
            stop_table(self.verdicts),
            *summary,
            *details,
            consistency_table(tr("Training against reference answers"), quality.training),
            check_table(quality.checks),
            consistency_table(tr("Repeated pages"), quality.repeats),
        )
        info = self.state.info
        opened = tr("open") if info.is_open else tr("closed since {time}", time=info.closed)
        excluded = (
            tr("{name} is excluded: {why}", name=name, why=why)
            for name, why in self.state.excluded.items()
        )
        progress = self.state.progress
        pages: str = tr(
            "{n} of {pages} done",
            n=progress.done,
            pages=tr_n("{n} page", "{n} pages", n=progress.total),
        )
        if self.state.is_pool:
            pages = tr(
                "{pages}, {taken} taken, {free} free",
                pages=pages,
                taken=progress.taken,
                free=progress.free,
            )
        return Report(
            title=info.name,
            subtitle=dotted(
                tr("form {form}, version {version}", form=info.form, version=info.form_version),
                opened,
                pages,
            ),
            headlines=(),
            tables=(
                _people_table(self.state),
                *([background] if (background := background_table(self.state)) else []),
                *(table for table in others if table.rows),
            ),
            signatures={},
            notes=(*excluded, *_remark_notes(self.state), *dict.fromkeys(self.notes)),
        )


def campaign_status(state: CampaignState, settings: Sampling | None = None) -> CampaignStatus:
    """Compute everything except the ranking."""
    return CampaignStatus(state, quality_checks(state), *validate_campaign(state, settings))


@once_per_state
def quality_checks(state: CampaignState) -> QualityChecks:
    """Compute training agreement, attention checks and self-consistency of all evaluators."""
    return QualityChecks(
        training_agreement(state.trained, state.book),
        check_results(state.plan, state.book),
        self_agreement(state.plan, state.book),
    )


@once_per_state
def validate_campaign(
    state: CampaignState, settings: Sampling | None = None
) -> tuple[tuple[CriterionValidation, ...], tuple[str, ...]]:
    """Compute agreement and bias of the counted evaluators, and notes on missing results.

    Without settings, intervals equal those of a report of the export.
    """
    results, settings = state.results, settings or Sampling()
    found: list[CriterionValidation] = []
    notes = list(results.notes)
    if results.judgements and results.graded:
        whole = state.whole_segments
        found += validate_evaluators(results.judgements, settings, whole_segments=whole)
    if results.preferences and results.chosen:
        found += validate_preferences(results.preferences, settings)
    if not found and any(question.is_scaled for question in state.form.questions):
        notes.append(tr("no segment of the main phase is finished yet"))
    return tuple(found), (*notes, *(text for one in found for text in one.notes))


@once_per_state
def rank_campaign(
    state: CampaignState, settings: CompareSettings | None = None
) -> tuple[HumanRanking | None, str]:
    """Compute the ranking so far, or the reason for none.

    Without settings it equals that of a report of the export, to the last digit.
    """
    results = state.results
    graded = results.judgements if results.graded else None
    chosen = results.preferences if results.chosen else None
    try:
        ranking = rank_humans(graded, chosen, settings, whole_segments=state.whole_segments)
    except UsageError as error:
        return None, str(error)
    return (ranking, "") if ranking.rankings else (None, message_text(ranking.notices[-1]))


def pairwise_scores(state: CampaignState) -> dict[str, Mapping[str, float]]:
    """Compute the pairwise score of NTCIR-9 by criterion and system, also in addition to means."""
    main = state.results.graded
    if main is None:
        return {}
    found: dict[str, Mapping[str, float]] = {}
    for criterion in main.criteria:
        grades = counted_grades(main, criterion, whole_segments=state.whole_segments)
        totals: FloatArray = pairwise_statistics(grades).sum(axis=(0, 2))
        found[criterion] = dict(zip(main.systems, pairwise_score(totals).tolist(), strict=True))
    return found


def _size_table(plan: Plan) -> Table:
    columns = {
        Column(tr("criterion")): "criterion",
        Column(tr("segments"), 0): "segments",
        Column(tr("evaluators"), 0): "evaluators",
        Column(tr("judged times"), 2): "times",
        Column(tr("score ±"), 3): "score",
        Column(tr("difference ±"), 3): "difference",
    }
    note = tr(
        "Expected half-width of 95 % intervals, for a typical variance of grades; for "
        "preferences and ordinal grades, the worst case."
    )
    return Table.of_records(tr("Expected precision"), expected_precisions(plan), columns, note)


def _people_table(state: CampaignState) -> Table:
    columns: dict[Column, str | Callable[[Person], Cell]] = {
        Column(tr("evaluator")): "name",
        Column(tr("done")): lambda one: f"{one.done}/{one.total}",
        Column(tr("training")): lambda one: f"{one.training_done}/{one.training_total}",
        Column(tr("agrees"), 2): "agreement.share_of_given",
        Column(tr("seconds per page"), 0): "seconds",
        Column(tr("minutes left"), 0): "minutes_left",
        Column(tr("last saved (UTC)")): lambda one: to_the_minute(one.last_saved),
        Column(tr("too fast"), 0): lambda one: len(one.fast),
        Column(tr("flagged"), 0): "flagged",
        Column(tr("state")): lambda one: "" if one.state == "working" else one.state_text,
    }
    note: str = tr("Agrees: the share of training answers that equal the reference answers.")
    least = state.settings.get("min_seconds")
    if least:
        fast = tr("Too fast: pages that took less than {least:g} seconds.", least=least)
        note = sentences(note, fast)
    return Table.of_records(tr("Evaluators and their progress"), state.people, columns, note)


def background_table(state: CampaignState) -> Table | None:
    """Return a table of the background answers; None if nothing was asked."""
    asked = Enrolment.of(state.settings).questions
    if not asked:
        return None
    columns = (Column(tr("evaluator")), *(Column(in_any_language(one.title)) for one in asked))
    rows = tuple(
        (person.name, *(person.info.background.get(one.id) for one in asked))
        for person in state.people
    )
    return Table(tr("Background"), columns, rows)


def odd_table(odd: tuple[Oddity, ...]) -> Table:
    """Return a table of outlying evaluators, with the evidence."""
    columns: dict[Column, str | Callable[[Oddity], Cell]] = {
        Column(tr("evaluator")): "evaluator",
        Column(tr("seems")): lambda one: KINDS[one.kind],
        Column(tr("evidence")): "evidence",
    }
    note = tr("No proof: look at the answers, and ask.")
    return Table.of_records(tr("Outlying evaluators"), odd, columns, note)


def stop_table(verdicts: tuple[StopVerdict, ...]) -> Table:
    """Return a table of verdicts on pairs of systems: significant, or the segments still needed."""
    columns = {
        Column(tr("criterion")): "criterion",
        Column(tr("with the answers so far")): "sentence",
        Column(tr("difference"), 2): "difference",
        Column(tr("units")): "rests_on",
        Column("p", 4, p_value=True): "p",
    }
    return Table.of_records(tr("Is it enough?"), verdicts, columns, STOP_NOTE)


def consistency_table(title: str, found: tuple[AnswerConsistency, ...]) -> Table:
    """Return a table of everybody's agreement with reference answers, or with their own."""
    columns = {
        Column(tr("evaluator")): "evaluator",
        Column(tr("criterion")): "question",
        Column(tr("answers"), 0): "items",
        Column(tr("exact"), 3): "exact",
        Column(tr("within one"), 3): "within_one",
        Column("κ", 3): "kappa",
        Column(tr("κ quadratic"), 3): "kappa_quadratic",
    }
    return Table.of_records(title, found, columns)


def proposals_table(shares: tuple[ProposalShares, ...]) -> Table:
    """Return a table of everybody's decisions on proposed marks."""
    columns: dict[Column, str | Callable[[ProposalShares], Cell]] = {
        Column(tr("evaluator")): "evaluator",
        Column(tr("proposed"), 0): "proposed",
        Column(tr("accepted"), 2): lambda one: one.accepted / one.proposed,
        Column(tr("changed"), 2): lambda one: one.changed / one.proposed,
        Column(tr("deleted"), 2): lambda one: one.deleted / one.proposed,
        Column(tr("added"), 0): "added",
    }
    note = tr(
        "Proposed marks, and the shares of decisions on them; added: the evaluator's own marks. "
        "An evaluator who accepts everything may not have looked."
    )
    return Table.of_records(tr("Proposed marks"), shares, columns, note)


def writing_table(efforts: tuple[WritingEffort, ...]) -> Table:
    """Return a table of written texts and their edit distances to the drafts."""
    columns = {
        Column(tr("evaluator")): "evaluator",
        Column(tr("texts"), 0): "texts",
        Column(tr("characters"), 0): "characters",
        Column(tr("with a draft"), 0): "with_draft",
        Column(tr("unchanged"), 0): "unchanged",
        Column(tr("edits"), 0): "edit_distance",
        Column(tr("edits per 100"), 1): "edit_rate",
    }
    note = tr(
        "Finished texts. Edits: characters put in, taken out or exchanged since the draft; per 100 "
        "characters of the finished text."
    )
    return Table.of_records(tr("Written texts"), efforts, columns, note)


def check_table(checks: tuple[AttentionResult, ...]) -> Table:
    """Return a table of everybody's attention checks."""
    columns = {
        Column(tr("evaluator")): "evaluator",
        Column(tr("criterion")): "question",
        Column(tr("found"), 0): "below",
        Column(tr("equal"), 0): "equal",
        Column(tr("missed"), 0): "above",
        Column(tr("open"), 0): "open",
        Column("p", 4, p_value=True): "p",
    }
    note = tr(
        "One text was degraded; found: it was judged worse than the original. p is that of a "
        "one-sided sign test, small if the evaluator sees the difference; a dash if no check has "
        "been answered."
    )
    return Table.of_records(tr("Attention checks"), checks, columns, note)


def _remark_notes(state: CampaignState) -> list[str]:
    return [
        tr(
            "{evaluator} flagged segment {segment}: {text}",
            evaluator=one.evaluator,
            segment=one.segment,
            text=one.text or tr("(no text)"),
        )
        for one in state.remarks
        if one.flagged
    ]
