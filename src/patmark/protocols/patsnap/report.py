"""The result of a PatSnap run as JSON, with the published and our own keys, and as a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any, TypeGuard

from patmark.data import Estimate, Message
from patmark.evaluation import (
    Comparison,
    TextEvaluation,
    comparison_report,
    in_section,
    interval_note,
    resampling_json,
    score_column,
)
from patmark.protocols.patsnap.grades import (
    HIGHEST_RATE,
    LEAST_KEPT,
    NEAR_ZERO,
    GradeContradiction,
    grade,
)
from patmark.protocols.patsnap.rows import GENERAL, LABEL_NAMES
from patmark.protocols.patsnap.scoring import (
    ALL_GENERAL,
    FACETS,
    SMALL_CELL,
    PatsnapEvaluation,
    without_rows,
)
from patmark.report import (
    Cell,
    Column,
    Explorer,
    Headline,
    Rated,
    Report,
    Table,
    first_of,
    messages_json,
    plain,
    sentences,
)
from patmark.wording import tr, tr_n

_LABEL_KEYS = {
    "accuracy_by_label": "accuracy",
    "hallucination_pct_by_label": "hallucination",
    "miss_translation_pct_by_label": "omission",
    "length_hallucination_pct_by_label": "length_hallucination",
    "leakage_pct_by_label": "leakage",
}
_PERCENT = (0.0, 100.0)
_TITLES = {
    "granularity": tr("Accuracy by granularity"),
    "ipc": tr("Accuracy by IPC section"),
    "domain": tr("Accuracy by technical domain"),
    "origin": tr("Accuracy by origin of the text"),
}
_FAULT_TITLES = {
    "omission": tr("omission"),
    "length_hallucination": tr("too long"),
    "leakage": tr("leakage"),
    "hallucination": tr("either hallucination"),
}
_RATE_NAMES = {"omission": tr("omission"), "hallucination": tr("hallucination")}
_SUMMARIES = {
    "macro": tr("mean of labels"),
    "micro": tr("mean of rows"),
    "without flagged rows": tr("… without flagged"),
}
_UNSURE, _LOWER = "*", "↓"
_FACET_NAMES = {
    "label": tr("label"),
    "granularity": tr("granularity"),
    "ipc": "ipc",
    "domain": tr("domain"),
    "origin": tr("origin"),
}
_VALUE_NAMES = {
    **LABEL_NAMES,
    "word": tr("word"),
    "sentence": tr("sentence"),
    "paragraph": tr("paragraph"),
    "document": tr("document"),
    "character": tr("character"),
    "short": tr("short"),
    "long": tr("long"),
    "abstract": tr("abstract"),
    "english_title": tr("english_title"),
    "technical_field": tr("technical_field"),
    "background": tr("background"),
    "summary": tr("summary"),
    "brief_description_of_drawings": tr("brief_description_of_drawings"),
    "detailed_description": tr("detailed_description"),
    "description": tr("description"),
    "claims": tr("claims"),
    "computer_science": tr("computer_science"),
    "mechanical_engineering": tr("mechanical_engineering"),
    "materials": tr("materials"),
    "electrical": tr("electrical"),
    "chemistry": tr("chemistry"),
    "medicine": tr("medicine"),
}
_ARROWS = {"cn2en": tr("Chinese → English"), "en2cn": tr("English → Chinese")}


def patsnap_json(result: PatsnapEvaluation) -> dict[str, Any]:
    """Return one system as a flat object, several under ``systems``."""
    systems: dict[str, dict[str, Any]] = {
        run.system: plain(_system(result, position)) for position, run in enumerate(result.runs)
    }
    roles = {"inferred_roles": dict(result.inferred_roles)}
    notes = roles | messages_json([*_findings(result), *_notes(result)])
    if len(systems) == 1:
        [only] = systems.values()
        return only | notes
    return {"direction": result.options.direction, "systems": systems} | notes


def _system(result: PatsnapEvaluation, position: int) -> dict[str, Any]:
    checks = {}
    if result.checks is not None:
        found = result.checks.to_json()
        own = found["systems"][result.runs[position].system]
        checks = {"checks": own, "references": found["references"]}
    return {
        "system": result.runs[position].system,
        "direction": result.options.direction,
        "variant": result.options.variant,
        **_row_counts(result, position),
        **{key: _by_label(result, name, position) for key, name in _LABEL_KEYS.items()},
        "overall": _overall(result, position),
        "grade_by_label": {
            label: grade(value)[0]
            for label, value in _by_label(result, "accuracy", position).items()
        },
        **{
            f"by_{facet}": {
                value: values[position]
                for (quantity, name, value), values in result.by_facet.items()
                if quantity == "accuracy" and name == facet
            }
            for facet in FACETS
        },
        "flagged": [s.id for s, flag in zip(result.test_set, result.flagged, strict=True) if flag],
        "title_without_article_pct": result.title_articles(result.runs[position]),
        **checks,
        **_components(result, position),
        **_measures(result, position),
        "signatures": result.signatures,
        "resampling": resampling_json(result.options.sampling, result.units),
    }


def _row_counts(result: PatsnapEvaluation, position: int) -> dict[str, Any]:
    run = result.runs[position]
    missing, empty = result.missing_ids(run), result.empty_ids(run)
    expected = len(result.test_set)
    published = result.options.variant == "published"
    return {
        "total": result.translated[position] if published else expected,
        "missing": len(missing),
        "missing_ids": missing,
        "empty": len(empty),
        "empty_ids": empty,
        "expected": expected,
        "answered": expected - len(missing),
        "excluded": result.excluded,
    }


def _by_label(result: PatsnapEvaluation, name: str, position: int) -> dict[str, float]:
    return {
        label: round(values[position].value, 2)
        for (quantity, facet, label), values in result.by_facet.items()
        if quantity == name and facet == "label" and values[position].n
    }


def _overall(result: PatsnapEvaluation, position: int) -> dict[str, Any]:
    overall = {
        name: result.by_facet["accuracy", "all", name][position]
        for name in ("macro", "micro", "without flagged rows")
    }
    return {
        **asdict(overall["macro"]),
        "grade": grade(overall["macro"].value)[0],
        "contradicted_by": [asdict(one) for one in result.contradictions(result.systems[position])],
        "micro": overall["micro"],
        "without_flagged_rows": overall["without flagged rows"],
    }


def _components(result: PatsnapEvaluation, position: int) -> dict[str, Any]:
    if not result.components:
        return {}
    return {
        "components_by_label": {
            name: {
                value if facet == "label" else "all": result.by_facet[name, facet, value][position]
                for facet, value in _general_keys(result)
            }
            for name in result.components
        }
    }


def _measures(result: PatsnapEvaluation, position: int) -> dict[str, Any]:
    if not result.by_measures:
        return {}
    system = result.systems[position]
    of_all = result.by_measures[ALL_GENERAL]
    return {
        "measures_by_label": {
            name: {
                "all" if label == ALL_GENERAL else label: of.estimates[name][system]
                for label, of in result.by_measures.items()
            }
            for name in of_all.scores
        }
    }


def patsnap_report(result: PatsnapEvaluation) -> Report:
    """Return the full report of a PatSnap run."""
    options = result.options
    asked = [
        *([_component_table(result)] if result.components else []),
        *([_measure_table(result)] if result.by_measures else []),
    ]
    return Report(
        title=tr("PatSnap Patent Translation Bench"),
        subtitle=tr(
            "{direction} · {n} rows · variant {variant}",
            direction=_ARROWS[options.direction],
            n=len(result.test_set),
            variant=options.variant,
        ),
        headlines=tuple(_headlines(result)),
        tables=(
            _label_table(result),
            _fault_table(result),
            *asked,
            *(_check_tables(result.checks) if result.checks else []),
            *(_facet_table(result, facet) for facet in FACETS[1:] if result.groups(facet)),
        ),
        signatures=result.signatures,
        notes=tuple(_notes(result)),
        findings=tuple(_findings(result)),
        explorer=_explorer(result),
        brief=2 + len(asked),
    )


def _headlines(result: PatsnapEvaluation) -> list[Headline]:
    headlines = []
    for system in result.systems:
        overall = result.overall(system)
        letter, _ = grade(overall.value)
        lowest = result.lowest_label(system)
        against, rates = result.contradictions(system), result.rates(system)
        meaning = _meaning(overall, lowest, against, rates)
        mark = _mark(overall, lowest)
        headlines.append(Headline(system, tr("mean of labels, %"), overall, letter, meaning, mark))
    return headlines


def _meaning(
    overall: Estimate,
    lowest: tuple[str, float] | None,
    against: Sequence[GradeContradiction] = (),
    rates: Mapping[str, float] = MappingProxyType({}),
) -> str:
    letter, meaning = grade(overall.value)
    reasons = [_fault(one.name, one.value) for one in against]
    if _is_under(lowest, letter):
        name, value = lowest
        label, lower = _named(name), grade(value)[0]
        reasons.append(tr("{label} {value:.1f} is {grade}", label=label, value=value, grade=lower))
    if reasons:
        meaning = tr("but {reasons}", reasons=tuple(reasons))
    shown_names = {one.name for one in against}
    named = {
        name: rate for name, rate in rates.items() if rate >= NEAR_ZERO and name not in shown_names
    }
    if named:
        listed = tuple(_fault(name, rate) for name, rate in named.items())
        meaning = tr("{meaning}; {rates}", meaning=meaning, rates=listed)
    reached = _other_grades(overall)
    if not reached:
        return meaning
    grades = tr("{low} and {high}", low=reached[0], high=reached[1]) if reached[1:] else reached[0]
    return tr("{meaning}; the interval reaches {grades}", meaning=meaning, grades=grades)


def _fault(name: str, value: float) -> str:
    """Return a fault rate in percent, or the score of a check."""
    if name in _RATE_NAMES:
        return tr("{fault} {value:.1f} %", fault=_RATE_NAMES[name], value=value)
    return tr("{check} check {value:.2f}", check=name, value=value)


def _label_table(result: PatsnapEvaluation) -> Table:
    columns = [Column(tr("label")), Column(tr("rows"), 0)]
    columns += [Column(f"{system}, %", 2, _PERCENT) for system in result.systems]
    rows: list[tuple[Cell, ...]] = []
    for label in result.labels:
        estimates = map(_rated, result.by_facet["accuracy", "label", label])
        rows.append((_named(label), _row_count(result, "label", label), *estimates))
    lowest = [result.lowest_label(system) for system in result.systems]
    for name, title in _SUMMARIES.items():
        means = result.by_facet["accuracy", "all", name]
        rows.append((title, means[0].n, *map(_rated, means, lowest)))
    note = interval_note(result.options.sampling, result.units)
    small = [label for label in result.labels if _row_count(result, "label", label) < SMALL_CELL]
    marks = "".join(cell.mark for row in rows for cell in row if isinstance(cell, Rated))
    names = tuple(map(_named, small))
    note = sentences(
        tr("{note}. Fewer than {n} rows: {of}.", note=note, n=SMALL_CELL, of=names)
        if small
        else tr("{note}.", note=note),
        tr("{mark} The interval reaches another grade.", mark=_UNSURE) if _UNSURE in marks else "",
        tr("{mark} A label has a lower grade.", mark=_LOWER) if _LOWER in marks else "",
    )
    return Table(tr("Accuracy by label"), tuple(columns), tuple(rows), note)


def _named(value: str) -> str:
    return _VALUE_NAMES.get(value, value)


def _rated(estimate: Estimate, lowest: tuple[str, float] | None = None) -> Rated:
    letter = grade(estimate.value)[0] if estimate.n else ""
    mark = _mark(estimate, lowest) if estimate.n else ""
    return Rated(estimate.value, estimate.ci, estimate.n, letter, mark)


def _mark(estimate: Estimate, lowest: tuple[str, float] | None) -> str:
    lower = _is_under(lowest, grade(estimate.value)[0])
    return _UNSURE * bool(_other_grades(estimate)) + _LOWER * lower


def _is_under(lowest: tuple[str, float] | None, letter: str) -> TypeGuard[tuple[str, float]]:
    return lowest is not None and grade(lowest[1])[0] > letter


def _other_grades(estimate: Estimate) -> list[str]:
    ends = {grade(end)[0] for end in estimate.ci or ()}
    return sorted(ends - {grade(estimate.value)[0]})


def _fault_table(result: PatsnapEvaluation) -> Table:
    columns = [
        Column(tr("{title}, %", title=title), 2, _PERCENT, higher_is_better=False)
        for title in _FAULT_TITLES.values()
    ]
    note = tr(
        "Share of rows: shorter than half the reference, longer than five times, "
        "with text of the source language, and either of the last two. "
        "{interval_note}.",
        interval_note=interval_note(result.options.sampling, result.units, rates=True),
    )
    return _general_table(result, tr("Omission and hallucination"), _FAULT_TITLES, columns, note)


def _component_table(result: PatsnapEvaluation) -> Table:
    columns = [Column(f"{name}, %", 2, _PERCENT) for name in result.components]
    note = tr(
        "Mean over rows, on the words that accuracy is computed from. {interval_note}.",
        interval_note=interval_note(result.options.sampling, result.units),
    )
    return _general_table(result, tr("Component metrics"), result.components, columns, note)


def _general_table(
    result: PatsnapEvaluation, title: str, names: Iterable[str], columns: list[Column], note: str
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for facet, value in _general_keys(result):
        label = _named(value) if facet == "label" else ALL_GENERAL
        for position, system in enumerate(result.systems):
            cells = [result.by_facet[name, facet, value][position] for name in names]
            rows.append((label, system, *cells))
    return Table(title, (Column(tr("label")), Column(tr("system")), *columns), tuple(rows), note)


def _general_keys(result: PatsnapEvaluation) -> list[tuple[str, str]]:
    """Return the facet and value of each general label, and of all of their rows."""
    labels = [("label", label) for label in result.labels if label in GENERAL]
    return [*labels, ("all", "micro")]


def _measure_table(result: PatsnapEvaluation) -> Table:
    [first, *_] = result.by_measures.values()
    columns = [Column(tr("label")), Column(tr("rows"), 0), Column(tr("system"))]
    columns += [*map(score_column, first.scores.values())]
    rows: list[tuple[Cell, ...]] = [
        (
            _named(label),
            len(of.test_set),
            system,
            *(values[system] for values in of.estimates.values()),
        )
        for label, of in result.by_measures.items()
        for system in result.systems
    ]
    return Table(tr("Measures by label"), tuple(columns), tuple(rows), tr("Not part of the score."))


def _check_tables(checks: TextEvaluation) -> list[Table]:
    scores, *rates = checks.to_report().tables
    kept = tr("Share of what was kept from the source; not part of the score.")
    title = tr("Checks without reference")
    return [replace(scores, title=title, note=sentences(kept, scores.note)), *rates]


def _facet_table(result: PatsnapEvaluation, facet: str) -> Table:
    columns = [Column(_FACET_NAMES[facet]), Column(tr("rows"), 0)]
    columns += [Column(f"{system}, %", 2, _PERCENT) for system in result.systems]
    rows: list[tuple[Cell, ...]] = []
    small = []
    for value in result.groups(facet):
        estimates = result.by_facet["accuracy", facet, value]
        count = _row_count(result, facet, value)
        small += [_named(value)] if count < SMALL_CELL else []
        rows.append((_named(value), count, *estimates))
    note = tr("Fewer than {n} rows: {of}.", n=SMALL_CELL, of=tuple(small)) if small else ""
    return Table(_TITLES[facet], tuple(columns), tuple(rows), note)


def _row_count(result: PatsnapEvaluation, facet: str, value: str) -> int:
    return int(result.groups(facet)[value].sum())


def _findings(result: PatsnapEvaluation) -> list[Message]:
    treatment = tr("left out") if result.options.skips_missing else tr("counted as wrong")
    found: list[Message] = list(result.text_warnings)
    for run in result.runs:
        for ids, fault in (
            (
                result.missing_ids(run),
                tr("without an answer, {treatment}", treatment=treatment),
            ),
            (result.empty_ids(run), tr("with an empty answer, scored as it is")),
        ):
            if ids:
                rows = tr_n("{n} row", "{n} rows", n=len(ids))
                found.append(
                    tr(
                        "{system}: {rows} {fault}: {shown}.",
                        system=run.system,
                        rows=rows,
                        fault=fault,
                        shown=first_of(ids, 10),
                    )
                )
    return found


def _notes(result: PatsnapEvaluation) -> list[str]:
    notes: list[str] = []
    for position, run in enumerate(result.runs):
        unscored = [
            label
            for label in result.labels
            if not result.by_facet["accuracy", "label", label][position].n
        ]
        if unscored:
            others = tr_n(
                "{n} other label", "{n} other labels", n=len(result.labels) - len(unscored)
            )
            notes.append(
                tr(
                    "{system}: no row of {names} is scored; its mean is over {others}.",
                    system=run.system,
                    names=tuple(map(_named, unscored)),
                    others=others,
                )
            )
        articles = result.title_articles(run)
        if articles is not None:
            notes.append(
                tr(
                    "{system}: {articles} % of the English titles have no article.",
                    system=run.system,
                    articles=articles,
                )
            )
    if any(map(result.contradictions, result.systems)):
        notes.append(
            tr(
                "The words of a grade are withheld where omission or hallucination exceeds "
                "{rate:.0f} % of the general rows, or a check is below {share:.0f} % of the score "
                "of the references.",
                rate=HIGHEST_RATE,
                share=100 * LEAST_KEPT,
            )
        )
    if result.excluded:
        notes.append(
            tr(
                "{excluded} rows have no source text, reference or term to score by.",
                excluded=result.excluded,
            )
        )
    flagged = sum(result.flagged)
    if flagged:
        notes.append(
            tr(
                "{flagged} rows are flagged: their term is not a word of their source text.",
                flagged=flagged,
            )
        )
    return notes


def _explorer(result: PatsnapEvaluation) -> Explorer:
    values = {"accuracy": result.values("accuracy") * 100}
    better = {"accuracy": True}
    evidence = {"accuracy": tuple(scores.evidence for scores in result.rows)}
    if result.checks:
        values |= {name: scores.segment_scores for name, scores in result.checks.scores.items()}
        better |= {measure.name: measure.higher_is_better for measure in result.checks.measures}
        evidence |= dict(result.checks.evidence)
    return Explorer(
        test_set=result.test_set,
        systems=result.systems,
        hypotheses=tuple(run.hypotheses for run in result.runs),
        values=values,
        higher_is_better=better,
        facets={
            _FACET_NAMES[facet]: tuple(_named(s.meta[facet]) for s in result.test_set)
            for facet in FACETS
        },
        evidence=evidence,
    )


def patsnap_comparison_report(result: PatsnapEvaluation, comparison: Comparison) -> Report:
    """Return the comparison by label, then the scores on the compared rows."""
    if comparison.left_out.rows:
        result = without_rows(result, comparison.left_out.rows)
    scored = patsnap_report(result)
    compared = comparison_report(
        comparison,
        scored.title,
        scored.subtitle,
        tables=in_section(tr("Scores in detail"), scored.tables),
        notes=(*scored.findings, *scored.notes),
        explorer=scored.explorer,
    )
    return replace(
        compared,
        headlines=scored.headlines,
        signatures={**compared.signatures, **scored.signatures},
    )
