"""Texts of claims: parse, lint, check of support, comparison of versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from patmark import claims as engines
from patmark.app.commands import claim_text, split_list
from patmark.data import check_stdin_once, read_text, shown
from patmark.errors import InputError, UsageError
from patmark.options import Argument, Options, group

if TYPE_CHECKING:
    from collections.abc import Sequence

    from patmark.claims import (
        ClaimSet,
        ClaimVersions,
        LintedFiles,
        LintResult,
        RuleList,
        SupportCheck,
    )

    NamedClaims: TypeAlias = tuple[str, str | Path | ClaimSet]

ClaimText: TypeAlias = str | Path


def parse(claims: ClaimText, language: str | None = None) -> ClaimSet:
    """Read claims with their parts, dependencies and terms; refuse a text without claims."""
    found = engines.parse_claims(claim_text(claims), language)
    if not found.claims:
        raise InputError.at("has no claims", _name(claims))
    return found


def _name(given: ClaimText) -> str:
    return shown(given) if isinstance(given, Path) else "the text"


@group
class ClaimLanguage(Options, heading="Inputs"):
    """The language of claims."""

    lang: str | None = None
    """en, zh or ja (default: by script)."""


@group
class RuleChoice(Options, heading="Rules"):
    """Rules of the linter."""

    office: str = "any"
    """Office whose rules apply: uspto, epo, jpo, cnipa, or any (faults at uspto and epo)."""
    select: str | Sequence[str] | None = None
    """Comma-separated rules or rule families to apply."""
    ignore: str | Sequence[str] | None = None
    """Comma-separated rules or rule families to skip."""
    min_severity: str = "information"
    """Lowest severity to show: error, warning or information."""
    fail_on: str = "error"
    """Lowest severity that gives exit code 1: error, warning or never."""
    allow_ignore: bool = False
    """Let comments in the text suppress rules (# patmark: ignore=RULE)."""
    list_rules: bool = False
    """List the rules of the office and exit."""


@group
class LintRequest(ClaimLanguage, RuleChoice):
    """Files or named texts of claims, and the rules that apply."""

    texts: Annotated[tuple[str | NamedClaims, ...], Argument("FILES")] = ()
    """Texts with claims; - for stdin."""
    description: Path | ClaimText | None = None
    """The description, to check its support for the claims."""

    def __post_init__(self) -> None:
        engines.office_named(self.office)
        engines.severity_named(self.min_severity, "min_severity")
        if self.fail_on != "never":
            engines.severity_named(self.fail_on, "fail_on")
        if not self.texts and not self.list_rules:
            raise UsageError("give one or more files with claims, or - for standard input")


def lint_files(request: LintRequest) -> LintedFiles:
    """Check sets of claims for faults, without any reference."""
    described = None if request.description is None else claim_text(request.description)
    results = []
    for one in request.texts:
        name, text = (one, Path(one)) if isinstance(one, str) else one
        result = engines.lint(
            _text_in_place(text) if isinstance(text, ClaimText) else text,
            request.office,
            _names(request.select),
            _names(request.ignore),
            described,
            request.lang,
            allow_ignore=request.allow_ignore,
        )
        results.append((name, result))
    return engines.LintedFiles(
        tuple(results),
        engines.severity_named(request.min_severity, "min_severity"),
        None if request.fail_on == "never" else engines.severity_named(request.fail_on, "fail_on"),
    )


def _names(given: str | Sequence[str] | None) -> Sequence[str] | None:
    return split_list(given) if isinstance(given, str) else given


def _text_in_place(given: ClaimText) -> str:
    """Return a text with the offsets of the file: CR LF counts as two.

    An empty file is a text without claims, which the linter reports beside the findings of others.
    """
    if isinstance(given, Path):
        if given.is_file() and given.stat().st_size == 0:
            return ""
        return read_text(given).replace("\r\n", " \n")
    return claim_text(given)


def lint(claims: ClaimText | ClaimSet, office: str = "any", **choice: Any) -> LintResult:
    """Check a set of claims for faults: ``lint(draft, "epo", select=["antecedents"])``.

    ``choice`` are further fields of :class:`LintRequest`.
    """
    request = LintRequest(texts=(("claims", claims),), office=office, **choice)
    [(_, result)] = lint_files(request).results
    return result


@group
class SupportRequest(ClaimLanguage):
    """Claims, and the description that must support them."""

    claims: Annotated[Path | ClaimText, Argument("FILE")]
    """A text with claims; - for stdin."""
    description: Path | ClaimText
    """The description, a text file."""


def check_claims(request: SupportRequest) -> SupportCheck:
    """Find the support of each part of the claims in the description."""
    given = (request.claims, request.description)
    check_stdin_once([one for one in given if isinstance(one, Path)])
    described = claim_text(request.description)
    if not described.strip():
        raise InputError.at("has no text", _name(request.description))
    return engines.check_support(parse(request.claims, request.lang), described)


def check(claims: ClaimText, description: ClaimText, language: str | None = None) -> SupportCheck:
    """Find the support of claims in the description: ``check(draft, description)``."""
    return check_claims(SupportRequest(claims=claims, description=description, lang=language))


def list_rules(office: str = "any") -> RuleList:
    """Return the rules of the linter at an office."""
    return engines.RuleList(engines.office_named(office))


def compare(old: ClaimText, new: ClaimText, names: tuple[str, str] = ("A", "B")) -> ClaimVersions:
    """Compare two versions of a set of claims: ``compare(filed, amended)``.

    ``names`` are those that a report shows.
    """
    check_stdin_once([one for one in (old, new) if isinstance(one, Path)])
    return engines.compare_versions(claim_text(old), claim_text(new), names)
