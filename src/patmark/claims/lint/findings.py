"""What the linter says about a set of claims, and what a rule is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from patmark.claims.lint.context import LintContext

Office: TypeAlias = Literal["any", "uspto", "epo", "cnipa"]
Severity: TypeAlias = Literal["error", "warning", "information"]
OFFICES: tuple[Office, ...] = get_args(Office)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
LANGUAGES = ("en", "zh", "ja")
ENGLISH = ("en",)


@dataclass(frozen=True, slots=True)
class Found:
    """What a check saw: a place, a claim (none for the whole set) and a message.

    ``at_most`` lowers the severity of the rule where a case is less certain than the rule.
    """

    start: int
    end: int
    message: str
    claim: int | None = None
    position: int | None = None
    at_most: Severity | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault, or a thing to look at, with its legal basis. Places are those of the input.

    ``claim`` is the number of the claim, and its position where it states none; it is None when
    the finding is about the set as a whole.
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
        """The finding in plain types."""
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
    """A check with its name, its severity and its legal basis at each office.

    A rule without a severity at an office does not apply there.
    """

    id: str
    family: str
    title: str
    severity: dict[Office, Severity | None]
    basis: dict[Office, str]
    check: Callable[[LintContext], Iterator[Found]]
    languages: tuple[str, ...] = LANGUAGES
    needs_description: bool = False


def levels(
    uspto: Severity | None, epo: Severity | None = None, cnipa: Severity | None = None
) -> dict[Office, Severity | None]:
    """Severities office by office.

    At ``any`` office a rule has its mildest severity, and does not apply unless it does everywhere,
    so that an error is one at all of them.
    """
    known = [severity for severity in (uspto, epo, cnipa) if severity is not None]
    mildest = SEVERITIES[max(map(rank, known))] if len(known) == len(OFFICES) - 1 else None
    return {"any": mildest, "uspto": uspto, "epo": epo, "cnipa": cnipa}


def everywhere(severity: Severity) -> dict[Office, Severity | None]:
    """One severity at all offices."""
    return levels(severity, severity, severity)


def bases(uspto: str = "", epo: str = "", cnipa: str = "") -> dict[Office, str]:
    """Legal bases office by office; empty where it is good practice only."""
    own = {"uspto": uspto, "epo": epo, "cnipa": cnipa}
    together = "; ".join(f"{office}: {text}" for office, text in own.items() if text)
    return {"any": together, "uspto": uspto, "epo": epo, "cnipa": cnipa}


def rank(severity: Severity) -> int:
    """0 for error, 1 for warning, 2 for information."""
    return SEVERITIES.index(severity)


def at_most(severity: Severity, limit: Severity | None) -> Severity:
    """The milder of two severities."""
    return severity if limit is None or rank(severity) >= rank(limit) else limit
