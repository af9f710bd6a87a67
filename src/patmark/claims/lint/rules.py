"""All rules, and how some of them are chosen."""

from __future__ import annotations

from collections.abc import Iterable

from patmark.claims.lint import (
    antecedents,
    counts,
    dependency,
    form,
    numbering,
    repetition,
    signs,
    structure,
    support,
    terminology,
    wording,
)
from patmark.claims.lint.findings import OFFICES, Office, Rule
from patmark.errors import UsageError

RULES: tuple[Rule, ...] = (
    *numbering.RULES,
    *form.RULES,
    *dependency.RULES,
    *antecedents.RULES,
    *terminology.RULES,
    *wording.RULES,
    *structure.RULES,
    *repetition.RULES,
    *signs.RULES,
    *support.RULES,
    *counts.RULES,
)
FAMILIES = tuple(dict.fromkeys(rule.family for rule in RULES))
BY_ID = {rule.id: rule for rule in RULES}


def rules_named(names: Iterable[str]) -> frozenset[str]:
    """The ids of the rules that are named, one by one or by family."""
    asked = set(names)
    unknown = sorted(asked - set(BY_ID) - set(FAMILIES))
    if unknown:
        raise UsageError(
            f"unknown rule {', '.join(unknown)}; see patmark claims lint --list-rules, "
            f"or name a family: {', '.join(FAMILIES)}"
        )
    return frozenset(rule.id for rule in RULES if rule.id in asked or rule.family in asked)


def office_named(name: str) -> Office:
    """An office by its name."""
    for office in OFFICES:
        if name == office:
            return office
    raise UsageError(f"unknown office {name!r}; known: {', '.join(OFFICES)}")


def why_not(rule: Rule, office: Office, language: str, described: bool) -> str | None:
    """Why a rule cannot run here; None when it can."""
    if rule.severity[office] is None:
        return f"does not apply at {office}"
    if language not in rule.languages:
        return f"is not made for {language}"
    if rule.needs_description and not described:
        return "needs the description"
    return None
