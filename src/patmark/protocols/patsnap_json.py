"""The machine-readable result of a PatSnap run: the published keys, and ours beside them."""

from __future__ import annotations

from typing import Any

from patmark.protocols.evaluation import estimate_json, resampling_json
from patmark.protocols.patsnap import grade
from patmark.protocols.patsnap_result import FACETS, PatsnapResult

_LABEL_KEYS = {
    "accuracy_by_label": "accuracy",
    "hallucination_pct_by_label": "hallucination",
    "miss_translation_pct_by_label": "omission",
    "length_hallucination_pct_by_label": "length_hallucination",
    "leakage_pct_by_label": "leakage",
}


def patsnap_json(result: PatsnapResult) -> dict[str, Any]:
    """One system: a flat object; several: the same for each under ``systems``."""
    systems = {run.system: _system(result, position) for position, run in enumerate(result.runs)}
    if len(systems) == 1:
        return next(iter(systems.values()))
    return {"direction": result.options.direction, "systems": systems}


def _system(result: PatsnapResult, position: int) -> dict[str, Any]:
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
        **{f"by_{facet}": _by_facet(result, facet, position) for facet in FACETS},
        "flagged": [s.id for s, flag in zip(result.test_set, result.flagged, strict=True) if flag],
        "title_without_article_pct": result.title_articles(result.runs[position]),
        **_checks(result, position),
        "signatures": result.signatures,
        "resampling": resampling_json(result.options.settings, result.units),
    }


def _row_counts(result: PatsnapResult, position: int) -> dict[str, Any]:
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


def _by_label(result: PatsnapResult, name: str, position: int) -> dict[str, float]:
    return {
        label: round(values[position].value, 2)
        for (quantity, facet, label), values in result.estimates.items()
        if quantity == name and facet == "label" and values[position].n
    }


def _by_facet(result: PatsnapResult, facet: str, position: int) -> dict[str, Any]:
    return {
        value: estimate_json(values[position])
        for (quantity, name, value), values in result.estimates.items()
        if quantity == "accuracy" and name == facet
    }


def _overall(result: PatsnapResult, position: int) -> dict[str, Any]:
    overall = {
        name: result.estimates["accuracy", "all", name][position]
        for name in ("macro", "micro", "without flagged rows")
    }
    return {
        **estimate_json(overall["macro"]),
        "grade": grade(overall["macro"].value)[0],
        "micro": estimate_json(overall["micro"]),
        "without_flagged_rows": estimate_json(overall["without flagged rows"]),
    }


def _checks(result: PatsnapResult, position: int) -> dict[str, Any]:
    if result.checks is None:
        return {}
    return {"checks": result.checks.to_json()["systems"][result.runs[position].system]}
