"""Rules of the linter, one file each in ``claims/rules``, and the context that they check.

``rules/ID.toml`` says all of a rule:

* ``title``, ``family`` and ``place``, its position in the family;
* ``message`` with places for values; a table of messages if a check has several;
* ``check``, a function of this package (``structure:absent``). A rule without one finds the phrases
  ``rule ID`` in ``languages/CODE/claims.tsv``; ``pattern`` limits where;
* ``severity`` and ``basis``, the law, at each office; a rule without a severity does not apply;
* ``needs-description`` for rules about support;
* ``examples.CODE``: claims that are ``wrong`` and that are ``right``, at least two of each. A rule
  applies to the languages of its examples. The pack of another language adds its examples in
  ``languages/CODE/claim_rules.toml`` under the id of the rule.

The lists of rules, the table in ``docs/claim_lint.md`` and the tests are made from these files.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, reduce
from importlib import import_module
from importlib.resources import files
from typing import Any, Literal, TypeAlias, get_args

from patmark.claims.model import ClaimSet, ParsedClaim, TextRange, TextSpan
from patmark.claims.text_forms import one_line
from patmark.claims.words import pattern, source
from patmark.errors import UsageError
from patmark.facts import Amount, facts_of, match_unit
from patmark.languages import packs
from patmark.wording import setting, tr

Office: TypeAlias = Literal["any", "uspto", "epo", "jpo", "cnipa"]
Severity: TypeAlias = Literal["error", "warning", "information"]
OFFICES: tuple[Office, ...] = get_args(Office)
SEVERITIES: tuple[Severity, ...] = get_args(Severity)

_NUMBER = re.compile(r"\d+(?!\Z)")


@dataclass(frozen=True, slots=True)
class Found:
    """A result of a check: a place and a claim (None for the whole set).

    ``message`` names one of several messages of the rule, and ``values`` fill it in. ``at_most``
    lowers the severity of the rule for a less certain case.
    """

    start: int
    end: int
    message: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    claim: int | None = None
    position: int | None = None
    at_most: Severity | None = None


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
        # few claims have a unit after a number, and amounts take time
        if all(match_unit(words, match.end()) is None for match in _NUMBER.finditer(words)):
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
        for claim in self.live:
            for match in pattern.finditer(self.plain, claim.content.start, claim.content.end):
                yield claim, match


Check: TypeAlias = Callable[[LintContext], Iterator[Found]]


def found(
    claim: ParsedClaim,
    place: TextRange | re.Match[str],
    message: str = "",
    at_most: Severity | None = None,
    /,
    **values: Any,
) -> Found:
    """Build the result of a check in a claim."""
    start, end = place.span() if isinstance(place, re.Match) else (place.start, place.end)
    return Found(start, end, message, values, claim.shown_number, claim.position, at_most)


def shown(text: str, longest: int = 60) -> str:
    """Return a piece of text for a message: on one line, and not too long."""
    return one_line(text, longest)


Where: TypeAlias = Literal["anywhere", "body", "opening", "after reference", "number"]
_REACH = 24


@dataclass(frozen=True, slots=True)
class PhraseSearch:
    """The phrases of a rule, and the part of a claim in which they are faults.

    ``opening`` is the beginning of a claim, ``after reference`` the words after the first mention
    of a claim in a dependent one, ``number`` the words before the content, ``body`` the part after
    the preamble. ``things`` leaves out methods and uses. ``longest`` limits the marked place;
    ``same_case`` makes capitals significant.
    """

    rule: str
    where: Where = "anywhere"
    things: bool = False
    longest: int | None = None
    same_case: bool = False

    def check(self, context: LintContext) -> Iterator[Found]:
        """Yield the phrases in a set of claims."""
        language = context.claims.language
        unless = pattern("unless", language, self.rule)
        before = re.compile(source("unless-before", language, self.rule) + r"\Z")
        for claim in context.live:
            if self.things and claim.category in ("method", "use"):
                continue
            for match in self._matches(context, claim):
                start, end = match.span("place" if "place" in match.re.groupindex else 0)
                text = context.plain[start:end]
                earlier = context.plain[max(0, start - _REACH) : start]
                if unless.search(text) is None and before.search(earlier) is None:
                    end = end if self.longest is None else min(end, start + self.longest)
                    yield found(claim, TextSpan(start, end), words=shown(text))

    def _matches(self, context: LintContext, claim: ParsedClaim) -> Iterator[re.Match[str]]:
        """Yield the phrases of a claim; at most one where its place is fixed."""
        anywhere = self.where in ("anywhere", "body")
        flags = 0 if self.same_case else re.IGNORECASE
        language = context.claims.language
        phrases = pattern("rule", language, self.rule, whole=anywhere, flags=flags)
        start, end = claim.content.start, claim.content.end
        if anywhere:
            start = max(claim.body.start, start) if self.where == "body" else start
            yield from phrases.finditer(context.plain, start, end)
            return
        if self.where == "number":
            start, end = claim.start, start
        elif self.where == "after reference":
            if not claim.dependent or not claim.references:
                return
            start = claim.references[0].end
        match = phrases.match(context.plain, start, end)
        if match is not None:
            yield match


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
FAMILIES = (
    "numbering", "form", "dependency", "antecedents", "terminology", "wording", "structure",
    "ranges", "repetition", "signs", "support", "counts",
)  # fmt: skip
"""The families of rules, in the order in which they are listed and run."""
_SINGLE: tuple[Office, ...] = OFFICES[1:]
_FEWEST_EXAMPLES = 2


@dataclass(frozen=True, slots=True)
class Example:
    """Claims with or without the fault of a rule, at an office and with a description if needed."""

    claims: str
    office: Office
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples of a rule in one language."""

    wrong: tuple[Example, ...]
    right: tuple[Example, ...]


@dataclass(frozen=True)
class Rule:
    """A check with its name, its severity and its legal basis at each office."""

    id: str
    family: str
    place: int
    title: str
    messages: Mapping[str, str]
    severity: Mapping[Office, Severity | None]
    basis: Mapping[Office, str]
    needs_description: bool
    examples: Mapping[str, Examples]
    function: str
    phrases: PhraseSearch

    @property
    def languages(self) -> tuple[str, ...]:
        """The codes of the languages of its examples."""
        return tuple(self.examples)

    def check(self, context: LintContext) -> Iterator[Found]:
        """Yield the faults in a set of claims."""
        if not self.function:
            return self.phrases.check(context)
        module, _, name = self.function.partition(":")
        check = getattr(import_module(f"patmark.claims.lint.{module}"), name)
        results: Iterator[Found] = check(context)
        return results


@cache
def rules() -> tuple[Rule, ...]:
    """Return all rules by family and place."""
    sources = {
        file.name.removesuffix(".toml"): tomllib.loads(file.read_text("utf-8"))
        for file in (files("patmark.claims") / "rules").iterdir()
        if file.name.endswith(".toml")
    }
    added = {pack.code: _added_examples(pack.folder) for pack in packs()}
    found = [read_rule(name, source, added) for name, source in sources.items()]
    return tuple(sorted(found, key=lambda rule: (FAMILIES.index(rule.family), rule.place, rule.id)))


def _added_examples(folder: Any) -> Mapping[str, Any]:
    """Return the examples that a pack brings for rules of its language."""
    file = None if folder is None else folder / "claim_rules.toml"
    return tomllib.loads(file.read_text("utf-8")) if file is not None and file.is_file() else {}


def read_rule(name: str, source: Mapping[str, Any], added: Mapping[str, Mapping[str, Any]]) -> Rule:
    """Return a rule from its file and the examples of packs; refuse one with too few examples."""
    message = source["message"]
    severity = _severities({office: source["severity"].get(office) for office in _SINGLE})
    examples = dict(source["examples"]) | {
        code: of_rule[name] for code, of_rule in added.items() if name in of_rule
    }
    if source["family"] not in FAMILIES:
        raise UsageError(f"rule {name}: unknown family {source['family']!r}")
    return Rule(
        name,
        source["family"],
        source.get("place", len(FAMILIES) ** 2),
        source["title"],
        message if isinstance(message, dict) else {"": message},
        severity,
        _bases({office: source["basis"].get(office, "") for office in _SINGLE}),
        source.get("needs-description", False),
        {
            pack.code: _read_examples(name, pack.code, examples[pack.code], severity)
            for pack in packs()
            if pack.code in examples
        },
        source.get("check", ""),
        PhraseSearch(name, **source.get("pattern", {})),
    )


def _read_examples(
    rule: str, code: str, given: Mapping[str, Any], severity: Mapping[Office, Severity | None]
) -> Examples:
    usual = next(office for office in _SINGLE if severity[office] is not None)
    both = []
    for kind in ("wrong", "right"):
        listed = [one if isinstance(one, dict) else {"claims": one} for one in given[kind]]
        if len(listed) < _FEWEST_EXAMPLES:
            raise UsageError(
                f"rule {rule}: {len(listed)} {kind} example(s) for {code}; "
                f"at least {_FEWEST_EXAMPLES} are needed"
            )
        both.append(tuple(Example(**{"office": usual, **one}) for one in listed))
    return Examples(*both)


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
