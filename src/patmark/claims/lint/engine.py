"""The linter: claims in, findings out. If enabled, comments in the text suppress rules.

    % patmark: ignore=antecedent-missing,exemplary-language
    <!-- patmark: ignore=wording -->
    # patmark: ignore-file=two-part-form

``%`` and ``#`` comments run to the end of the line. A comment on its own line applies to the claim
around it, else to the next claim; one at the end of a line applies to the claim in that line.
``ignore-file`` applies to all claims and to findings about the whole set. Rules and rule families
are named; without names all rules are meant. Comments are not part of a claim. They have an effect
only if the caller enables it, so that a text under test cannot switch off its test.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.claims.lint.rule import (
    FAMILIES,
    OFFICES,
    SEVERITIES,
    LintContext,
    Office,
    Rule,
    Severity,
    at_most,
    rank,
    rules,
    shown,
)
from patmark.claims.model import ClaimSet, ParsedClaim
from patmark.claims.parser import parse_claims
from patmark.claims.text_forms import UNREAD, is_unread
from patmark.errors import UsageError
from patmark.languages import foreign_script, workspace
from patmark.report import Report, Result
from patmark.wording import setting, tr


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A fault or a hint with its legal basis. Places are those of the input.

    ``claim`` is the number of the claim, or its position if it states none; it is None if the
    finding is about the set as a whole.
    """

    rule: str
    severity: Severity
    message: str
    claim: int | None
    start: int
    end: int
    basis: str
    position: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the finding in plain types."""
        return {
            "claim": self.claim,
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "start": self.start,
            "end": self.end,
            "basis": self.basis,
        }


def _ids() -> frozenset[str]:
    return frozenset(rule.id for rule in rules())


def _rules_named(names: Iterable[str]) -> frozenset[str]:
    """Return the ids of the rules that are named, one by one or by family."""
    asked = set(names)
    unknown = sorted(asked - _ids() - set(FAMILIES))
    if unknown:
        raise UsageError(
            f"unknown rule {', '.join(unknown)}; see patmark claims lint {setting('list_rules')}, "
            f"or name a family: {', '.join(FAMILIES)}"
        )
    return frozenset(rule.id for rule in rules() if rule.id in asked or rule.family in asked)


def office_named(name: str) -> Office:
    """Return an office by its name."""
    for office in OFFICES:
        if name == office:
            return office
    raise UsageError(f"unknown office {name!r}; known: {', '.join(OFFICES)}")


def _why_not(rule: Rule, office: Office, language: str, described: bool) -> str | None:
    """Return the reason why a rule cannot run; None if it can."""
    if rule.severity[office] is None:
        return tr("does not apply at {office}", office=office)
    if language not in rule.languages:
        return tr("is not made for {language}", language=language)
    if rule.needs_description and not described:
        return tr("needs the description")
    return None


@dataclass(frozen=True)
class LintResult(Result):
    """The findings in the order of the text, and facts about the run.

    ``suppressed`` has the findings that comments in the text suppressed, ``not_run`` the rules that
    did not run, with the reason.
    """

    claims: ClaimSet
    office: Office
    findings: tuple[LintFinding, ...]
    suppressed: tuple[LintFinding, ...]
    rules_run: tuple[str, ...]
    not_run: dict[str, str]
    notes: tuple[str, ...]

    @property
    def counts(self) -> dict[Severity, int]:
        """Number of findings of each severity."""
        counted = Counter(finding.severity for finding in self.findings)
        return {severity: counted[severity] for severity in SEVERITIES}

    def at_least(self, severity: Severity) -> tuple[LintFinding, ...]:
        """Return the findings of a severity and above."""
        limit = rank(severity)
        return tuple(item for item in self.findings if rank(item.severity) <= limit)

    def place(self, finding: LintFinding) -> tuple[int, int]:
        """Return line and column of a finding in the text, both from 1."""
        start = self.claims.text.rfind("\n", 0, finding.start) + 1
        return self.claims.text.count("\n", 0, finding.start) + 1, finding.start - start + 1

    def findings_json(self, findings: Iterable[LintFinding]) -> list[dict[str, Any]]:
        """Return findings with their lines and columns in plain types."""
        return [
            {**item.to_json(), **dict(zip(("line", "column"), self.place(item), strict=True))}
            for item in findings
        ]

    def to_report(self) -> Report:
        """Return the findings in the order of the text."""
        from patmark.claims.lint.output import LintedFiles

        return LintedFiles(((tr("claims"), self),)).to_report()

    def to_json(self) -> dict[str, Any]:
        """Return the findings and facts in plain types."""
        return {
            "office": self.office,
            "language": self.claims.language,
            "claims": len(self.claims.claims),
            "counts": dict(self.counts),
            "findings": self.findings_json(self.findings),
            "suppressed": self.findings_json(self.suppressed),
            "rules_run": list(self.rules_run),
            "rules_not_run": dict(self.not_run),
            "notes": list(self.notes),
        }


_IDLE = tr(
    "comments in the text that switch rules off have no effect without {setting}",
    setting=setting("allow_ignore"),
)


@workspace()
def lint(
    claims: str | ClaimSet,
    office: str = "any",
    select: Iterable[str] | None = None,
    ignore: Iterable[str] | None = None,
    description: str | None = None,
    language: str | None = None,
    *,
    allow_ignore: bool = False,
) -> LintResult:
    """Check a set of claims for faults, without any reference.

    ``select`` and ``ignore`` name rules or rule families. With a ``description`` its support for
    the claims is checked too. ``language`` is for text whose script is ambiguous. With
    ``allow_ignore`` comments in a text (not in parsed claims) suppress rules.
    """
    chosen_office = office_named(office)
    comments = _find_suppressions(claims) if isinstance(claims, str) else ()
    parsed = parse_claims(claims, language) if isinstance(claims, str) else claims
    written = foreign_script([description], parsed.language) if description else ""
    context = LintContext(parsed, chosen_office, None if written else description)
    wanted = _rules_named(select) if select is not None else _ids()
    unwanted = _rules_named(ignore or ())
    not_run = _not_run(context, wanted, unwanted)
    run = tuple(rule for rule in rules() if rule.id not in not_run)
    findings = sorted(
        (finding for rule in run for finding in _run(rule, context)),
        key=lambda item: (item.start, item.end, item.rule),
    )
    kept, suppressed, notes = _suppress(findings, comments if allow_ignore else (), parsed)
    if comments and not allow_ignore:
        notes.append(_IDLE)
    if written:
        notes.append(
            tr("the description is {written}, the claims are not: it is not used", written=written)
        )
    return LintResult(
        parsed,
        chosen_office,
        tuple(kept),
        tuple(suppressed),
        tuple(rule.id for rule in run),
        not_run,
        (*notes, *_text_notes(parsed)),
    )


def _text_notes(claims: ClaimSet) -> Iterator[str]:
    """Yield notes on text that is not part of claims, and on languages without rules."""
    if is_unread(claims.text, claims.language):
        yield UNREAD
    for piece in claims.left_over:
        words = shown(claims.text[piece.start : piece.end])
        yield tr("no part of the claims, left out: {words}", words=words)


def _not_run(
    context: LintContext, wanted: frozenset[str], unwanted: frozenset[str]
) -> dict[str, str]:
    reasons: dict[str, str] = {}
    for rule in rules():
        if rule.id in unwanted:
            reasons[rule.id] = tr("is ignored")
        elif rule.id not in wanted:
            reasons[rule.id] = tr("is not selected")
        else:
            described = context.description is not None
            reason = _why_not(rule, context.office, context.claims.language, described)
            if reason is not None:
                reasons[rule.id] = reason
    return reasons


def _run(rule: Rule, context: LintContext) -> Iterator[LintFinding]:
    severity, basis = rule.severity[context.office], rule.basis[context.office]
    if severity is None:
        return
    for item in rule.check(context):
        milder = at_most(severity, item.at_most)
        place = (item.claim, item.start, item.end)
        message = tr(rule.messages[item.message], **item.values)
        yield LintFinding(rule.id, milder, message, *place, basis, item.position)


def _suppress(
    findings: Sequence[LintFinding], comments: Sequence[_Suppression], claims: ClaimSet
) -> tuple[list[LintFinding], list[LintFinding], list[str]]:
    """Return the remaining findings, the suppressed ones, and notes on ineffective comments."""
    kept = list(findings)
    suppressed: list[LintFinding] = []
    notes: list[str] = []
    for comment in comments:
        known = [name for name in comment.names if name in _ids() or name in FAMILIES]
        unknown = [name for name in comment.names if name not in known]
        notes += [tr("a comment names an unknown rule: {name}", name=name) for name in unknown]
        names = _ids() if not comment.names else _rules_named(known)
        position = _claim_of(comment, claims.text, claims.claims)
        hit = [
            item
            for item in kept
            if item.rule in names
            and (comment.whole_file or (position is not None and item.position == position))
        ]
        if not hit and not unknown:
            listed = ", ".join(comment.names) or tr("all rules")
            notes.append(tr("a comment switches off nothing: {numbers}", numbers=listed))
        suppressed += hit
        kept = [item for item in kept if item not in hit]
    return kept, sorted(suppressed, key=lambda item: item.start), notes


_COMMENT = re.compile(
    r"<!--[ \t]*patmark:[ \t]*(?P<kind>ignore(?:-file)?)(?:[ \t]*=(?P<names>[^\n]*?))?[ \t]*-->"
    r"|(?:(?<=\s)|^)(?:[%#]|//)[ \t]*patmark:[ \t]*(?P<line_kind>ignore(?:-file)?)"
    r"(?:[ \t]*=(?P<line_names>[^\n]*))?[ \t]*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class _Suppression:
    """One comment: its place, its extent, and its rules."""

    start: int
    end: int
    whole_file: bool
    names: tuple[str, ...]


def _find_suppressions(text: str) -> tuple[_Suppression, ...]:
    """Return the comments of a text, in order."""
    found = []
    for match in _COMMENT.finditer(text) if "patmark:" in text else ():
        kind = match["kind"] or match["line_kind"]
        names = match["names"] if match["kind"] else match["line_names"]
        listed = tuple(name.strip() for name in (names or "").split(",") if name.strip())
        found.append(_Suppression(match.start(), match.end(), kind == "ignore-file", listed))
    return tuple(found)


def _claim_of(comment: _Suppression, text: str, claims: Sequence[ParsedClaim]) -> int | None:
    """Return the position of the claim that a comment is about; None when there is no claim."""
    line = text.rfind("\n", 0, comment.start) + 1
    before_it = text[line : comment.start].strip()
    for claim in claims:
        inside = claim.start <= comment.start < claim.end
        in_line = bool(before_it) and claim.start < comment.start and claim.end > line
        if inside or (in_line and claim.end <= comment.start):
            return claim.position
    later = (claim.position for claim in claims if claim.start >= comment.end)
    return next(later, None)
