"""Rules that find phrases: the rows ``rule ID`` of ``languages/CODE/claims.tsv``.

Rows ``unless ID`` hold words that excuse a phrase inside it, rows ``unless-before ID`` words that
excuse it right before it. A form with a group ``place`` is shown there, not as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from patmark.claims.lint.context import Found, LintContext, found, shown
from patmark.claims.model import ParsedClaim, TextSpan
from patmark.claims.words import pattern, source

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
