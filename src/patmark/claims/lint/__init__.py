"""The claim linter: what is wrong with a set of claims, without any reference."""

from patmark.claims.lint.engine import LintResult, lint
from patmark.claims.lint.findings import OFFICES, SEVERITIES, Finding, Office, Rule, Severity
from patmark.claims.lint.rules import FAMILIES, RULES

__all__ = [
    "FAMILIES",
    "OFFICES",
    "RULES",
    "SEVERITIES",
    "Finding",
    "LintResult",
    "Office",
    "Rule",
    "Severity",
    "lint",
]
