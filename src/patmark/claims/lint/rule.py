"""Rules of the linter, their context, and their findings.

The table ``rules.csv`` has every rule with its severity and its legal basis at each office; a rule
without a severity does not apply there. The other modules have a check for each.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from importlib.resources import files
from typing import Any, Literal, TypeAlias, get_args

from patmark.claims.model import ClaimSet, ParsedClaim, TextRange
from patmark.claims.text_forms import one_line
from patmark.errors import UsageError
from patmark.facts import Amount, facts_of, match_unit
from patmark.languages import WordSearch
from patmark.wording import setting, tr

Office: TypeAlias = Literal["any", "uspto", "epo", "jpo", "cnipa"]
Severity: TypeAlias = Literal["error", "warning", "information"]
OFFICES: tuple[Office, ...] = get_args(Office)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
SEVERITY_NAMES: Mapping[Severity, str] = {
    "error": tr("error"),
    "warning": tr("warning"),
    "information": tr("information"),
}
OFFICE_NAMES: Mapping[Office, str] = {
    "any": tr("USPTO and EPO"),
    "uspto": tr("USPTO"),
    "epo": tr("EPO"),
    "jpo": tr("JPO"),
    "cnipa": tr("CNIPA"),
}
LANGUAGES = ("en", "zh", "ja")
_SINGLE: tuple[Office, ...] = OFFICES[1:]


@dataclass(frozen=True, slots=True)
class Found:
    """A result of a check: a place, a claim (None for the whole set) and a message.

    ``at_most`` lowers the severity of the rule for a less certain case.
    """

    start: int
    end: int
    message: str
    claim: int | None = None
    position: int | None = None
    at_most: Severity | None = None


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


@dataclass(frozen=True, slots=True)
class Rule:
    """A check with its name, its severity and its legal basis at each office."""

    id: str
    family: str
    title: str
    severity: Mapping[Office, Severity | None]
    basis: Mapping[Office, str]
    languages: tuple[str, ...]
    needs_description: bool
    check: Check


def read_rules(checks: Mapping[str, Check]) -> tuple[Rule, ...]:
    """Read the rules of the table, in its order."""
    text = (files(__package__) / "rules.csv").read_text(encoding="utf-8")
    return tuple(
        Rule(
            row["rule"],
            row["family"],
            row["title"],
            _severities({office: row[office] or None for office in _SINGLE}),
            _bases({office: row[f"{office}_basis"] for office in _SINGLE}),
            tuple(row["languages"].split()) or LANGUAGES,
            row["needs_description"] == "yes",
            checks[row["rule"]],
        )
        for row in csv.DictReader(text.splitlines())
    )


def _severities(of_office: Mapping[Office, Any]) -> dict[Office, Severity | None]:
    """Return severities, completed by ``any`` office: the mildest of the USPTO and the EPO.

    These two accept claims in English from everywhere; a rule that one of them lacks does not run.
    """
    both = [of_office["uspto"], of_office["epo"]]
    return {"any": max(both, key=rank) if all(both) else None, **of_office}


def _bases(of_office: Mapping[Office, str]) -> dict[Office, str]:
    """Return the legal bases of each office and of all; those of American law stay English."""
    bases: dict[Office, str] = {
        office: text if office == "uspto" else _joined(map(tr, filter(None, text.split("; "))))
        for office, text in of_office.items()
    }
    named = (
        tr("{name}: {text}", name=office, text=basis) for office, basis in bases.items() if basis
    )
    return {"any": _joined(named), **bases}


def _joined(citations: Iterable[str]) -> str:
    parts = list(citations)
    if not parts:
        return ""
    return reduce(lambda one, other: tr("{text}; {text2}", text=one, text2=other), parts)


def severity_named(name: str, asked_by: str) -> Severity:
    """Return a severity by its name; ``asked_by`` is the setting that a refusal names."""
    for severity in SEVERITIES:
        if name == severity:
            return severity
    raise UsageError(
        f"{setting(asked_by)}: unknown severity {name!r}; known: {', '.join(SEVERITIES)}"
    )


def rank(severity: Severity) -> int:
    """Return 0 for error, 1 for warning, 2 for information."""
    return SEVERITIES.index(severity)


def at_most(severity: Severity, limit: Severity | None) -> Severity:
    """Return the milder of two severities."""
    return severity if limit is None or rank(severity) >= rank(limit) else limit


_NUMBER = re.compile(r"\d+(?!\Z)")


def _has_unit(words: str) -> bool:
    """Return True if a unit follows a number; few claims have one, and amounts take time."""
    return any(match_unit(words, match.end()) is not None for match in _NUMBER.finditer(words))


@dataclass(frozen=True)
class LintContext:
    """One set of claims and the rules of one office."""

    claims: ClaimSet
    office: Office
    description: str | None = None
    _amounts: dict[int, tuple[Amount, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def amounts(self, claim: ParsedClaim) -> tuple[Amount, ...]:
        """Return the amounts with a unit of a claim, with places in the text of all claims."""
        if claim.position not in self._amounts:
            self._amounts[claim.position] = tuple(self._find_amounts(claim))
        return self._amounts[claim.position]

    def _find_amounts(self, claim: ParsedClaim) -> Iterator[Amount]:
        start, words = claim.content.start, self.words(claim)
        if not _has_unit(words):
            return
        for amount in facts_of(words, self.claims.language).amounts:
            if amount.symbol:
                yield replace(amount, start=amount.start + start, end=amount.end + start)

    @property
    def plain(self) -> str:
        """The text of the claims in plain signs."""
        return self.claims.plain

    @property
    def live(self) -> tuple[ParsedClaim, ...]:
        """The claims that are not marked as canceled or withdrawn."""
        return self.claims.live

    @property
    def scopes(self) -> dict[int, tuple[ParsedClaim, ...]]:
        """For each position the other claims whose terms the claim can use."""
        return self.claims.scopes

    def words(self, claim: ParsedClaim) -> str:
        """Return the plain text of a claim without its number."""
        return self.plain[claim.content.start : claim.content.end]

    def matches(self, pattern: re.Pattern[str]) -> Iterator[tuple[ParsedClaim, re.Match[str]]]:
        """Yield every match of a pattern in the live claims, with its claim."""
        spans = [(claim.content.start, claim.content.end) for claim in self.live]
        for claim, matches in zip(self.live, self._words.matches(pattern, spans), strict=True):
            for match in matches:
                yield claim, match

    @cached_property
    def _words(self) -> WordSearch:
        return WordSearch(self.plain)


Check: TypeAlias = Callable[[LintContext], Iterator[Found]]


def found(
    claim: ParsedClaim,
    place: TextRange | re.Match[str],
    message: str,
    at_most: Severity | None = None,
) -> Found:
    """Build the result of a check in a claim."""
    start, end = place.span() if isinstance(place, re.Match) else (place.start, place.end)
    return Found(start, end, message, claim.shown_number, claim.position, at_most)


def shown(text: str, longest: int = 60) -> str:
    """Return a piece of text for a message: on one line, and not too long."""
    return one_line(text, longest)


def every_match(pattern: re.Pattern[str], why: str) -> Check:
    """Return a check that finds every match of a pattern; ``why`` has a place for the words."""

    def check(context: LintContext) -> Iterator[Found]:
        for claim, match in context.matches(pattern):
            message = tr(why, words=shown(match.group()))
            yield found(claim, match, message)

    return check


def by_language(patterns: Mapping[str, re.Pattern[str]], why: str) -> Check:
    """Return a check that finds every match of the pattern of a language."""
    checks = {language: every_match(pattern, why) for language, pattern in patterns.items()}

    def check(context: LintContext) -> Iterator[Found]:
        return checks[context.claims.language](context)

    return check
