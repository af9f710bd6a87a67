"""The claim linter: faults of a set of claims, without any reference."""

from patmark.claims.lint.engine import LintFinding, LintResult, lint
from patmark.claims.lint.rule import FAMILIES, OFFICES, SEVERITIES, Office, Rule, Severity, rules

__all__ = [
    "FAMILIES",
    "OFFICES",
    "SEVERITIES",
    "LintFinding",
    "LintResult",
    "Office",
    "Rule",
    "Severity",
    "lint",
    "rules",
]
