"""The linter: claims in, findings out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.claims.languages import UNREAD, is_unread
from patmark.claims.lint.context import LintContext, shown
from patmark.claims.lint.findings import (
    SEVERITIES,
    Finding,
    Found,
    Office,
    Rule,
    Severity,
    at_most,
    rank,
)
from patmark.claims.lint.rules import BY_ID, FAMILIES, RULES, office_named, rules_named, why_not
from patmark.claims.lint.suppression import (
    Suppression,
    claim_of,
    find_suppressions,
    without_comments,
)
from patmark.claims.model import ClaimSet
from patmark.claims.parser import parse_claims


@dataclass(frozen=True)
class LintResult:
    """The findings in the order of the text, and what was done to get them.

    ``suppressed`` has the findings that comments in the text switched off, ``not_run`` the rules
    that did not run, with the reason.
    """

    claims: ClaimSet
    office: Office
    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]
    rules_run: tuple[str, ...]
    not_run: dict[str, str]
    notes: tuple[str, ...]

    @property
    def counts(self) -> dict[Severity, int]:
        """How many findings of each severity there are."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings of a severity and above."""
        limit = rank(severity)
        return tuple(item for item in self.findings if rank(item.severity) <= limit)

    def to_json(self) -> dict[str, Any]:
        """Findings and facts in plain types."""
        return {
            "office": self.office,
            "language": self.claims.language,
            "claims": len(self.claims.claims),
            "counts": dict(self.counts),
            "findings": [finding.to_json() for finding in self.findings],
            "suppressed": [finding.to_json() for finding in self.suppressed],
            "rules_run": list(self.rules_run),
            "rules_not_run": dict(self.not_run),
            "notes": list(self.notes),
        }


def lint(
    claims: str | ClaimSet,
    office: str = "any",
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    description: str | None = None,
    language: str | None = None,
) -> LintResult:
    """What is wrong with a set of claims, without any reference.

    ``select`` and ``ignore`` name rules or families of rules. With a ``description`` its support
    for the claims is checked too. ``language`` is for text whose script does not tell it.
    """
    chosen_office = office_named(office)
    comments, parsed = _parsed(claims, language)
    context = LintContext(parsed, chosen_office, description)
    wanted = rules_named(select) if select is not None else frozenset(BY_ID)
    unwanted = rules_named(ignore or ())
    not_run = _not_run(context, wanted, unwanted)
    run = tuple(rule for rule in RULES if rule.id not in not_run)
    findings = sorted(
        (finding for rule in run for finding in _run(rule, context)),
        key=lambda item: (item.start, item.end, item.rule),
    )
    kept, suppressed, notes = _suppress(findings, comments, parsed)
    return LintResult(
        parsed, chosen_office, tuple(kept), tuple(suppressed), tuple(rule.id for rule in run),
        not_run, (*notes, *_text_notes(parsed)),
    )  # fmt: skip


def _parsed(
    claims: str | ClaimSet, language: str | None
) -> tuple[tuple[Suppression, ...], ClaimSet]:
    """Comments and claims; the comments are no part of the claims."""
    text = claims if isinstance(claims, str) else claims.text
    comments = find_suppressions(text)
    if isinstance(claims, ClaimSet):
        if not comments:
            return comments, claims
        language = language or claims.language
    return comments, parse_claims(without_comments(text, comments), language)


def _text_notes(claims: ClaimSet) -> Iterator[str]:
    """What was not read as claims, and whether the rules fit the language."""
    if is_unread(claims.text):
        yield UNREAD
    for piece in claims.left_over:
        words = shown(claims.text[piece.start : piece.end])
        yield f"no part of the claims, left out: {words}"


def _not_run(
    context: LintContext, wanted: frozenset[str], unwanted: frozenset[str]
) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for rule in RULES:
        if rule.id in unwanted:
            reasons[rule.id] = "is ignored"
        elif rule.id not in wanted:
            reasons[rule.id] = "is not selected"
        else:
            described = context.description is not None
            reason = why_not(rule, context.office, context.claims.language, described)
            if reason is not None:
                reasons[rule.id] = reason
    return reasons


def _run(rule: Rule, context: LintContext) -> Iterator[Finding]:
    severity = rule.severity[context.office]
    if severity is not None:
        for item in rule.check(context):
            yield _finding(rule, severity, item, rule.basis[context.office])


def _finding(rule: Rule, severity: Severity, item: Found, basis: str) -> Finding:
    return Finding(
        rule.id, at_most(severity, item.at_most), item.message, item.claim, item.start, item.end,
        basis, item.position,
    )  # fmt: skip


def _suppress(
    findings: Sequence[Finding], comments: Sequence[Suppression], claims: ClaimSet
) -> tuple[list[Finding], list[Finding], list[str]]:
    """Findings that stay, findings that comments switch off, and notes on useless comments."""
    kept = list(findings)
    suppressed: list[Finding] = []
    notes: list[str] = []
    for comment in comments:
        known = [name for name in comment.names if name in BY_ID or name in FAMILIES]
        unknown = [name for name in comment.names if name not in known]
        notes += [f"a comment names an unknown rule: {name}" for name in unknown]
        names = frozenset(BY_ID) if not comment.names else rules_named(known)
        position = claim_of(comment, claims.text, claims.claims)
        hit = [
            item
            for item in kept
            if item.rule in names and (comment.whole_file or _is_about(item, position))
        ]
        if not hit and not unknown:
            listed = ", ".join(comment.names) or "all rules"
            notes.append(f"a comment switches off nothing: {listed}")
        suppressed += hit
        kept = [item for item in kept if item not in hit]
    return kept, sorted(suppressed, key=lambda item: item.start), notes


def _is_about(finding: Finding, position: int | None) -> bool:
    return position is not None and finding.position == position
