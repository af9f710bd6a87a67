"""The claim linter: faults of a set of claims, without any reference."""

from patmark.claims.lint.engine import FAMILIES, RULES, LintResult, lint
from patmark.claims.lint.rule import OFFICES, SEVERITIES, LintFinding, Office, Rule, Severity

__all__ = [
    "FAMILIES",
    "OFFICES",
    "RULES",
    "SEVERITIES",
    "LintFinding",
    "LintResult",
    "Office",
    "Rule",
    "Severity",
    "lint",
]
