"""A set of claims prepared for comparison: words, clauses, terms, and references.

Texts are compared in their canonical form (:mod:`patmark.claims.text_forms`), in two ways:

| | words | items of a bag |
|---|---|---|
| whole claims | all: ``[a-z0-9]+`` of the NFKC form in small letters; in Chinese and Japanese \
those of the segmenter | words and pairs of neighbouring words |
| clauses | in small letters and singular, without mentions of claims; in Chinese and Japanese \
characters | content words and pairs; a number or a negation counts as four |

Repeated items of a text are distinct, so that sets of items overlap as bags do. A clause does not
end at a mere line break.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TypeAlias
from unicodedata import normalize

from patmark.claims.antecedents import missing_antecedents
from patmark.claims.bags import Bags, bags_of, token_bags_of
from patmark.claims.lint.engine import LintFinding, lint
from patmark.claims.model import (
    ClaimSet,
    ParsedClaim,
    Term,
    TextSpan,
    is_canceled,
    numbers_covered,
    places_by_number,
)
from patmark.claims.parser import Outline, claims_of, find_limitations, outline_claims
from patmark.claims.scope import ScopedClaim
from patmark.claims.text_forms import CanonicalText, canonical_form
from patmark.claims.visible_text import HiddenText, visible_text
from patmark.claims.words import pattern, source
from patmark.facts import match_unit
from patmark.languages import (
    CJK,
    TOKENIZERS,
    WORD_TOKENIZERS,
    has_claim_style,
    kept_in_workspace,
    language_of,
    singular,
    tokenizer_signature,
)
from patmark.llm import is_refusal
from patmark.wording import tr

Words: TypeAlias = tuple[str, ...]
ROOT = -1

_TOKEN = re.compile(r"[a-z0-9]+")
_LETTER = re.compile(r"[^\W\d_]")
_SEGMENTED = re.compile(r"[^\W_]")
_WORD = re.compile(rf"[{CJK}]|[^\W\d_{CJK}]+|\d+(?:[.,]\d+)*")
_CLAUSE_LABEL = re.compile(r"\(?[a-hivx]{1,4}\)", re.IGNORECASE)
_ENDED = re.compile(r"[.。．][\s\"')\]”’]*$")
_SLIPS = ("article-slip", "word-doubled")
_LINK_SLIPS = ("dependent-form", "wherein-missing")
_CACHED = 1024


@dataclass(frozen=True, slots=True)
class Clause:
    """A preamble or limitation: its claim (from 0), its place and its words."""

    claim: int
    start: int
    end: int
    words: Words


@dataclass(frozen=True, eq=False)
class ClaimProfile:
    """A set of claims prepared for comparison, without canceled claims.

    All places are those of the canonical form. Results are computed on first use: whole claims can
    be compared before their analysis.
    """

    form: CanonicalText
    outline: Outline
    hidden: tuple[HiddenText, ...] = ()

    @cached_property
    def problem(self) -> str:
        """The reason why the text is no set of claims; empty if it is one."""
        text = self.form.text
        chunks = [self.outline.chunks[at] for at in self.live]
        worded = any(_LETTER.search(text, one.content, one.end) for one in chunks)
        if worded and (
            any(chunk.number is not None for chunk in self.outline.chunks) or not _is_talk(text)
        ):
            return ""
        if self.hidden and not _WORD.search(text):
            return tr("the draft holds no claims, only hidden text")
        if is_refusal(text.strip()):
            return tr("the draft is a refusal")
        if text.strip() and not worded and chunks:
            return tr("the claims of the draft have no words")
        return tr("the draft holds no claims") if text.strip() else tr("the draft is empty")

    @cached_property
    def live(self) -> tuple[int, ...]:
        """The places in the outline of the claims that are not canceled."""
        chunks = self.outline.chunks
        return tuple(at for at, chunk in enumerate(chunks) if not is_canceled(chunk.status))

    @cached_property
    def claims(self) -> ClaimSet:
        """The claims, with their new positions where others are canceled."""
        parsed = claims_of(self.outline)
        if len(self.live) == len(parsed.claims):
            return parsed
        moved = (
            replace(parsed.claims[at], position=place) for place, at in enumerate(self.live, 1)
        )
        return replace(parsed, claims=tuple(moved))

    @cached_property
    def tokens(self) -> tuple[Words, ...]:
        """All words of each claim, as whole claims are compared."""
        language = self.outline.language
        if language not in WORD_TOKENIZERS:
            return tuple(tuple(_TOKEN.findall(content)) for content in self._contents)
        return tuple(
            tuple(word for word in words if _SEGMENTED.search(word))
            for words in TOKENIZERS[WORD_TOKENIZERS[language]].split(self._contents)
        )

    @cached_property
    def _contents(self) -> list[str]:
        """The text of each claim without its number, in NFKC and lower case."""
        chunks = (self.outline.chunks[at] for at in self.live)
        return [
            normalize("NFKC", self.form.text[chunk.content : chunk.end]).lower() for chunk in chunks
        ]

    @cached_property
    def unread(self) -> bool:
        """True if ``tokens`` lack most letters, as for another script such as Cyrillic."""
        if self.outline.language in WORD_TOKENIZERS:
            return False
        text = "".join(self._contents)
        if text.isascii():
            return False
        letters = list(filter(str.isalpha, text))
        return 2 * sum(map(str.isascii, letters)) < len(letters)

    @cached_property
    def token_bags(self) -> Bags:
        """Words and pairs of neighbouring words of each claim."""
        return token_bags_of(self.tokens)

    @cached_property
    def mean_length(self) -> float:
        """The mean number of words of a claim; 0 without claims."""
        return sum(map(len, self.tokens)) / len(self.tokens) if self.tokens else 0.0

    @cached_property
    def repeated(self) -> float:
        """The share of four-word sequences that occurred before."""
        words = [word for claim in self.tokens for word in claim]
        runs = list(zip(words, words[1:], words[2:], words[3:], strict=False))
        return 1 - len(set(runs)) / len(runs) if runs else 0.0

    @cached_property
    def words(self) -> tuple[Words, ...]:
        """The words of each claim, as clauses are compared."""
        return tuple(tuple(form for _, form in found) for found in self._placed_words)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """The clauses of all claims that have words, in order."""
        clauses: list[Clause] = []
        for place, (claim, placed) in enumerate(
            zip(self.claims.claims, self._placed_words, strict=True)
        ):
            starts = [start for start, _ in placed]
            for span in _clause_spans(claim, self.form.text):
                inside = placed[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
                if inside:
                    words = tuple(form for _, form in inside)
                    clauses.append(Clause(place, span.start, span.end, words))
        return tuple(clauses)

    @cached_property
    def scoped(self) -> tuple[ScopedClaim, ...]:
        """Facts and words of each claim, without mentions of claims and labels of clauses."""
        plain = _masked(self.claims)
        return tuple(
            ScopedClaim.of(
                _without_labels(plain, claim), self.outline.language,
                [(start - claim.content.start, word) for start, word in placed],
            )
            for claim, placed in zip(self.claims.claims, self._placed_words, strict=True)
        )  # fmt: skip

    def clause_texts(self, claim: int) -> set[str]:
        """Return the clauses of a claim in the canonical form."""
        return {self.form.text[one.start : one.end] for one in self.clauses if one.claim == claim}

    @cached_property
    def _placed_words(self) -> tuple[tuple[tuple[int, str], ...], ...]:
        """Start and form of each word of each claim."""
        plain = _masked(self.claims)
        return tuple(
            tuple(
                (match.start(), singular(match.group().lower()))
                for match in _WORD.finditer(plain, claim.content.start, claim.content.end)
            )
            for claim in self.claims.claims
        )

    @cached_property
    def claim_bags(self) -> Bags:
        """The items of each claim, as those of clauses."""
        return bags_of(self.words)

    @cached_property
    def clause_bags(self) -> Bags:
        """The items of each clause."""
        return bags_of([clause.words for clause in self.clauses])

    @cached_property
    def empty(self) -> bool:
        """True if there are no words in any claim."""
        chunks = (self.outline.chunks[at] for at in self.live)
        return not any(_WORD.search(self.form.text, one.content, one.end) for one in chunks)

    @cached_property
    def terms(self) -> Counter[Words]:
        """Frequency of each term, introduced or referred to."""
        return Counter(term.words for claim in self.claims.claims for term in claim.terms)

    @cached_property
    def targets(self) -> tuple[frozenset[int], ...]:
        """The positions (from 0) of the claims that each claim refers to.

        ROOT means none. A number without a claim is kept, as a negative number below ROOT: "The lid
        of claim 1" may be the whole task.
        """
        chunks = [self.outline.chunks[at] for at in self.live]
        places = places_by_number(
            [numbers_covered(chunk.number, chunk.last, chunk.status) for chunk in chunks]
        )
        mentioned = [
            {number for one in self.outline.references[at] for number in one.numbers}
            for at in self.live
        ]
        return tuple(
            frozenset(places.get(number, ROOT - 1 - number) for number in numbers)
            or frozenset({ROOT})
            for numbers in mentioned
        )

    @cached_property
    def unsupported(self) -> tuple[Term, ...]:
        """The terms with "the" for which the linter also reports a missing antecedent."""
        missing = missing_antecedents(self.claims)
        return tuple(item.term for item in missing if item.antecedent.is_fault)

    @cached_property
    def unfinished(self) -> tuple[ParsedClaim, ...]:
        """The claims that do not end with a full stop."""
        return tuple(claim for claim in self.claims.claims if not _ENDED.search(claim.text))

    @cached_property
    def slips(self) -> tuple[LintFinding, ...]:
        """Slips that the linter finds: a for an, a word twice."""
        return lint(self.claims, select=_SLIPS).findings

    @cached_property
    def link_slips(self) -> tuple[LintFinding, ...]:
        """Slips in dependent claims that the linter finds: "of claim 1 further comprises"."""
        return lint(self.claims, select=_LINK_SLIPS).findings

    @cached_property
    def repeated_claims(self) -> dict[int, int]:
        """From the position of a claim to that of the first equivalent one.

        It has the same words and refers to the same claims, or to equivalent ones.
        """
        first: dict[tuple[Words, frozenset[int]], int] = {}
        found: dict[int, int] = {}
        for place, (words, targets) in enumerate(zip(self.words, self.targets, strict=True)):
            same = frozenset(found.get(target, target) for target in targets)
            earlier = first.setdefault((words, same), place)
            if earlier != place:
                found[place] = earlier
        return found


@kept_in_workspace(_CACHED)
def profile_of(text: str) -> ClaimProfile:
    """Prepare a text; a shared reference is prepared once."""
    form = canonical_form(text)
    return ClaimProfile(form, outline_claims(form.text), visible_text(text).hidden)


_OPENING = re.compile(
    rf"(?:an?|the|in an?|one or more|at least one|use|method|process)\b|[{CJK}]", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?]\s+(?=[A-Z])|[。！？](?=\S)")


def _is_talk(text: str) -> bool:
    """Return True if sentences without a number have no word that is typical of claims."""
    words = text.strip()
    several = _SENTENCE_END.search(words) is not None
    return not has_claim_style(words) and (several or _OPENING.match(words) is None)


def segmenter_versions(texts: Iterable[str]) -> str:
    """Return the tokenizers of the words of claims, for signatures; empty if none is needed."""
    languages = {language_of(None, text) for text in texts}.intersection(WORD_TOKENIZERS)
    return "+".join(tokenizer_signature(WORD_TOKENIZERS[one]) for one in sorted(languages))


def _masked(claims: ClaimSet) -> str:
    """Return the text with blanks for mentions of claims."""
    parts, place = [], 0
    for claim in claims.claims:
        for mention in claim.references:
            parts += [claims.text[place : mention.start], " " * (mention.end - mention.start)]
            place = mention.end
    return "".join([*parts, claims.text[place:]])


_DOTTED_LABEL = re.compile(r"(?:and\s+)?(?P<label>\d{1,2}\.\d{1,2})[.):]?\s+(?=[A-Za-z])")


def _without_labels(plain: str, claim: ParsedClaim) -> str:
    """Return the text of a claim with blanks for the labels of its clauses: a), 1.2."""
    parts, place = [], claim.content.start
    for item in claim.limitations:
        dotted = _DOTTED_LABEL.match(plain, item.start, item.end)
        if item.label:
            start = plain.index(item.label, item.start)
            end = start + len(item.label)
        elif dotted and match_unit(plain, dotted.end("label")) is None:
            start, end = dotted.span("label")
        else:
            continue
        parts += [plain[place:start], " " * (end - start)]
        place = end
    return "".join([*parts, plain[place : claim.content.end]])


def _clause_spans(claim: ParsedClaim, text: str) -> list[TextSpan]:
    """Return the clauses of a claim: its preamble and its limitations.

    In a dependent claim with limitations the words up to the reference only repeat a name. The
    words after it ("… of claim 1 in which the rotor has blades, wherein …") limit it.
    """
    body = [TextSpan(item.start, item.end) for item in claim.limitations]
    own = _own_preamble(claim, text) if claim.dependent and body else claim.preamble
    if _WORD.search(text, own.start, own.end) is None:
        return _joined(text, body)
    head = [TextSpan(item.start, item.end) for item in find_limitations(text, text, own)]
    return [*_joined(text, head), *_joined(text, body)]


def _own_preamble(claim: ParsedClaim, text: str) -> TextSpan:
    """Return the preamble of a dependent claim after the reference and its own words."""
    preamble, reference = claim.preamble, claim.references[0]
    if not preamble.start <= reference.start < preamble.end:
        return preamble
    after = min(reference.end, preamble.end)
    match = pattern("after-reference").match(text, after, preamble.end)
    return TextSpan(after if match is None else match.end(), preamble.end)


def _joined(text: str, clauses: list[TextSpan]) -> list[TextSpan]:
    """Join clauses that only a line break separates."""
    spans: list[TextSpan] = []
    for clause in clauses:
        if spans and not _is_cut(text, spans[-1], clause.start):
            spans[-1] = TextSpan(spans[-1].start, clause.end)
        else:
            spans.append(clause)
    return spans


@cache
def _clause_end() -> re.Pattern[str]:
    return re.compile(rf"(?:[;:]\s*(?:and|or)?|{source('item-end')})\s*$", re.IGNORECASE)


def _is_cut(text: str, before: TextSpan, start: int) -> bool:
    """Return True if a limitation ends for another reason than a line break."""
    return (
        "\n" not in text[before.end : start]
        or _clause_end().search(text, max(before.start, before.end - 8), before.end) is not None
        or _CLAUSE_LABEL.match(text, start) is not None
        or pattern("clause-start").match(text, start) is not None
    )
