"""The report of scored claims: criteria, what explains them, claims side by side, trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

from patmark.claims.alignment import Alignment
from patmark.claims.coverage import MISSING, WEAK, coverage, support
from patmark.claims.criteria import CRITERIA, Overall
from patmark.claims.profiles import ClaimProfile
from patmark.claims.tree import claim_tree
from patmark.evaluation import interval_note, measure_column, missing_notes
from patmark.protocols.claims_evaluation import ClaimsEvaluation
from patmark.protocols.parsed_claims_report import kept_indent
from patmark.report import Cell, Column, Explorer, Report, Table

_TEXT = 110
_SIDE = "Side by side"


def claims_report(done: ClaimsEvaluation) -> Report:
    """Scores and findings; for a single set of claims also the claims themselves."""
    tables = [_scores(done), *_findings(done)]
    if done.quality is not None:
        tables.append(_contributions(done))
    if len(done.test_set) == 1:
        tables += _side_by_side(done)
    return Report(
        title="Generated claims against the reference",
        subtitle=f"{done.test_set.name} · {_sets(len(done.test_set))}",
        headlines=(),
        tables=tuple(tables),
        signatures={name: one.signature for name, one in done.scores.items()},
        notes=tuple(_notes(done)),
        explorer=_explorer(done),
    )


def _sets(number: int) -> str:
    return "1 set of claims" if number == 1 else f"{number} sets of claims"


def _notes(done: ClaimsEvaluation) -> Iterator[str]:
    yield from missing_notes(done.runs)
    asked = [one.measure for one in done.measures]
    scales = []
    if any(isinstance(one, (Overall, *map(type, CRITERIA.values()))) for one in asked):
        scales.append("Criteria go from 0 to 10")
    if done.quality is not None:
        scales.append("ClaimQuality goes from 0 to 1")
    if scales:
        yield (
            f"{', '.join(scales)}; the reference itself has the most. "
            "Words are compared, not meanings: a good paraphrase is rated too low."
        )


def _scores(done: ClaimsEvaluation) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (system, *(values[system] for values in done.estimates.values())) for system in done.systems
    ]
    columns = [Column("system")]
    for one in done.measures:
        column = measure_column(one.measure)
        columns.append(Column(one.label, column.decimals, column.scale, column.higher_is_better))
    note = interval_note(done.settings, done.units) if done.units.count > 1 else "no intervals"
    return Table("Scores", tuple(columns), tuple(rows), note)


def _findings(done: ClaimsEvaluation) -> Iterator[Table]:
    """Every finding with a place for a single set of claims, else how often each kind occurs."""
    remarks = [one for one in done.remarks() if one.evidence.end > one.evidence.start]
    if not remarks:
        return
    if len(done.test_set) == 1:
        rows: list[tuple[Cell, ...]] = [
            (one.system, one.measure, one.evidence.message, one.evidence.side, _short(one.text))
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


def _contributions(done: ClaimsEvaluation) -> Table:
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
        Column("system"), Column("feature"), Column("value", 3, (0.0, 1.0)),
        Column("share of the score", 3), Column("gives", 3),
    )  # fmt: skip
    note = "what the features give adds up to the score; docs/claim_measures.md explains them"
    return Table("What ClaimQuality is made of", columns, tuple(rows), note)


def _side_by_side(done: ClaimsEvaluation) -> Iterator[Table]:
    for row, system in enumerate(done.systems):
        alignment = done.alignment(row, 0)
        yield _claims(alignment, system)
        yield _trees(alignment, system)


def _claims(alignment: Alignment, system: str) -> Table:
    """Each claim of the reference beside its counterpart, then claims that were added."""
    rows: list[tuple[Cell, ...]] = []
    texts = (_marked(alignment, wanted=True), _marked(alignment, wanted=False))
    for theirs in range(len(alignment.reference.words)):
        ours = alignment.assigned.get(theirs)
        likeness = None if ours is None else float(alignment.likeness[theirs, ours])
        rows.append(
            (
                _number(alignment.reference, theirs), texts[0][theirs], likeness,
                None if ours is None else _number(alignment.candidate, ours),
                None if ours is None else texts[1][ours],
            )
        )  # fmt: skip
    for ours in range(len(alignment.candidate.words)):
        if ours not in alignment.origin:
            added = _number(alignment.candidate, ours), texts[1][ours]
            rows.append((None, None, None, *added))
    columns = (
        Column("claim"), Column("reference"), Column("likeness", 2, (0.0, 1.0)),
        Column("draft claim"), Column(system),
    )  # fmt: skip
    note = "−[…]− missing from the draft, ~[…]~ weak there, +[…]+ added by the draft"
    return Table(f"Claims of the reference and of {system}", columns, tuple(rows), note, _SIDE)


def _marked(alignment: Alignment, wanted: bool) -> dict[int, str]:
    """The claims of one side with marks around clauses that the other side lacks."""
    profile = alignment.reference if wanted else alignment.candidate
    found = coverage(alignment) if wanted else support(alignment)
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


def _trees(alignment: Alignment, system: str) -> Table:
    """Both dependency trees, line by line."""
    lines = [
        claim_tree(profile.claims).splitlines()
        for profile in (alignment.reference, alignment.candidate)
    ]
    rows: list[tuple[Cell, ...]] = [
        (number, *map(kept_indent, shown))
        for number, shown in enumerate(zip_longest(*lines, fillvalue=""), 1)
    ]
    columns = (Column("line", 0), Column("reference"), Column(system))
    return Table(f"Dependencies in the reference and in {system}", columns, tuple(rows), "", _SIDE)


def _number(profile: ClaimProfile, place: int) -> str:
    claim = profile.claims.claims[place]
    return str(claim.position if claim.number is None else claim.number)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT else line[: _TEXT - 1].rstrip() + "…"


def _explorer(done: ClaimsEvaluation) -> Explorer:
    return Explorer(
        test_set=done.test_set,
        systems=done.systems,
        hypotheses=tuple(run.hypotheses for run in done.runs),
        values={name: one.segment_scores for name, one in done.scores.items()},
        higher_is_better={one.label: one.measure.higher_is_better for one in done.measures},
        evidence=done.evidence,
    )
