"""Sentences of a whole document, with anchors to those of its translation.

| unit | where |
|---|---|
| sentence | everywhere; items of a list inside a sentence are units of their own |
| limitation | in claims, of languages with the same order of words |
| claim | in claims, between Japanese or Korean and other languages, which reverse their parts |

Paragraph numbers are not sentences, but anchors of the following text; so are section names and
claim numbers.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from patmark.collections.patents import classify_heading
from patmark.documents.layout import (
    Passage,
    joined,
    running_text,
    text_blocks,
    without_heading_mark,
)
from patmark.documents.model import Place, Span, TextBlock, WholeDocument
from patmark.documents.sections import (
    ABSTRACT,
    CLAIMS,
    DESCRIPTION,
    DocumentSection,
    find_sections,
    section_at,
    section_of_heading,
)
from patmark.languages import (
    UNSPACED_LANGUAGES,
    clause_spans,
    is_paragraph_number,
    joint_pattern,
    plain_form,
    sentence_spans,
    split_claims,
)

_WORD = re.compile(r"\w")
_DIGITS = str.maketrans("0123456789", "abcdefghij")


@cache
def _items() -> re.Pattern[str]:
    """Return the pattern of marks and words before an item of a list inside a sentence."""
    link = joint_pattern("documents", "item-link")
    return re.compile(rf"[;；:：,，](?:\s*(?:{link}))?\s*(?=[-•‣●]\s)")


@cache
def _lead() -> re.Pattern[str]:
    """Return the pattern of the words before the characterising part of a claim."""
    return re.compile(rf"\s*(?:{joint_pattern('documents', 'claim-lead')})[，,:：]\s*")


@dataclass(frozen=True, slots=True)
class ClaimSpan:
    """The place of a claim in a document; ``number`` is None if it has none."""

    start: int
    end: int
    number: int | None


@dataclass(frozen=True, slots=True)
class DocumentSide:
    """A document with its language, blocks, sections, claims and sentences.

    ``anchors`` has a word for each sentence that its counterpart shares, or nothing. ``numbers``
    are the places of paragraph numbers, which are not sentences. ``cuts`` are sentences that do not
    follow the preceding one in the document.
    """

    document: WholeDocument
    language: str
    blocks: tuple[TextBlock, ...]
    sections: tuple[DocumentSection, ...]
    claims: tuple[ClaimSpan, ...]
    sentences: tuple[Passage, ...]
    anchors: tuple[str, ...] = ()
    numbers: tuple[Span, ...] = ()
    cuts: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls, document: WholeDocument, language: str, *, whole_claims: bool = False
    ) -> DocumentSide:
        """Split a document into sentences."""
        blocks = document.blocks or text_blocks(document.text)
        sections = find_sections(document.text, blocks)
        claims = tuple(_claims(document.text, sections))
        side = cls(document, language, blocks, sections, claims, ())
        units = list(side._units(whole_claims=whole_claims))
        return replace(
            side,
            sentences=tuple(one for one, anchor in units if anchor is not None),
            anchors=tuple(anchor for _, anchor in units if anchor is not None),
            numbers=tuple(one.span for one, anchor in units if anchor is None),
        )

    @classmethod
    def of_spans(
        cls, document: WholeDocument, language: str, spans: Sequence[Span]
    ) -> DocumentSide:
        """Return a document whose segments are known."""
        sections = find_sections(document.text, document.blocks)
        sentences = tuple(running_text(document.text, *span) for span in spans)
        return cls(document, language, document.blocks, sections, (), sentences)

    @property
    def texts(self) -> list[str]:
        """The sentences as running text."""
        return [sentence.text for sentence in self.sentences]

    @property
    def anchored_texts(self) -> list[str]:
        """The sentences with their anchors, for an aligner."""
        pairs = zip(self.texts, self.anchors, strict=True)
        return [f"{text} {anchor}" if anchor else text for text, anchor in pairs]

    def in_order_of(self, other: DocumentSide) -> DocumentSide:
        """Return the sentences with abstract and claims where the other document has them.

        Publications differ in the order of their parts; both documents must have the same parts.
        """
        wanted, own = (_movable_parts(side.sections) for side in (other, self))
        if set(wanted) != set(own) or wanted == own:
            return self
        rank = {name: place for place, name in enumerate(wanted)}

        def part(place: int) -> int:
            name = section_at(self.sections, self.sentences[place].span[0])
            return -1 if name is None else rank[name if name in _MOVABLE else DESCRIPTION]

        order = sorted(range(len(self.sentences)), key=part)
        return replace(
            self,
            sentences=tuple(self.sentences[place] for place in order),
            anchors=tuple(self.anchors[place] for place in order),
            cuts=frozenset(
                place for place in range(1, len(order)) if order[place] != order[place - 1] + 1
            ),
        )

    def passage(self, places: Sequence[int]) -> Passage:
        """Return neighbouring sentences as one passage."""
        blank = "" if self.language in UNSPACED_LANGUAGES else " "
        return joined([self.sentences[place] for place in places], blank)

    def span(self, places: Sequence[int]) -> Span | None:
        """Return the place of neighbouring sentences in the document, up to the first cut."""
        if not places:
            return None
        cut = next((at for at, place in enumerate(places) if at and place in self.cuts), None)
        return self.sentences[places[0]].span[0], self.sentences[places[:cut][-1]].span[1]

    def claim_of(self, place: int) -> int | None:
        """Return the position of the claim of a sentence; None outside of claims."""
        return self._claim_at(self.sentences[place].span[0])

    def _claim_at(self, offset: int) -> int | None:
        found = bisect_right(self.claims, offset, key=lambda claim: claim.start) - 1
        return found if found >= 0 and offset < self.claims[found].end else None

    def place(self, offset: int) -> Place:
        """Return the place of an offset in the file, with its claim or its printed number."""
        place = self.document.place(offset)
        claim = self._claim_at(offset)
        if claim is not None:
            return replace(place, claim=self.claims[claim].number)
        last = bisect_right(self.numbers, offset, key=lambda span: span[0]) - 1
        section = next((one for one in self.sections if one.start <= offset < one.end), None)
        if last < 0 or section is None or self.numbers[last][0] < section.start:
            return place
        return replace(place, printed=self.document.text[slice(*self.numbers[last])].strip())

    def _pieces(self, *, whole_claims: bool) -> Iterator[tuple[Span, ClaimSpan | None]]:
        """Yield blocks with the first claim of each; whole claims are separate pieces."""
        done = 0
        for block in self.blocks:
            first, last = (
                bisect_left(self.claims, place, key=lambda claim: claim.start)
                for place in (block.start, block.end)
            )
            opened = self.claims[first:last]
            if not whole_claims:
                yield (block.start, block.end), opened[0] if opened else None
                continue
            done = max(done, block.start)
            for claim in opened:
                yield (done, claim.start), None
                yield (claim.start, claim.end), claim
                done = claim.end
            yield (done, block.end), None

    def _units(self, *, whole_claims: bool) -> Iterator[tuple[Passage, str | None]]:
        """Yield sentences with their anchors, and numbers of paragraphs with None."""
        anchor = ""
        for (first, last), claim in self._pieces(whole_claims=whole_claims):
            if first >= last:
                continue
            passage = running_text(self.document.text, first, last)
            if claim is not None and claim.number is not None:
                anchor = _anchor("c", str(claim.number))
            if whole_claims and claim is not None:
                yield passage, anchor
                anchor = ""
                continue
            anchor = _section_anchor(passage.text) or anchor
            in_claims = section_at(self.sections, first) == CLAIMS
            for start, end in sentence_spans(passage.text, self.language):
                sentence = without_heading_mark(passage.part(start, end))
                if is_paragraph_number(sentence.text):
                    yield sentence, None
                    digits = unicodedata.normalize("NFKC", sentence.text)
                    anchor = anchor or _anchor("p", digits)
                elif _WORD.search(sentence.text):
                    for part in self._parts(sentence, in_claims=in_claims):
                        yield part, anchor
                        anchor = ""

    def _parts(self, sentence: Passage, *, in_claims: bool) -> Iterator[Passage]:
        """Yield the limitations of a claim, or the items of a list inside a sentence.

        A short lead such as 其特征在于， stays with what follows: a translation may leave it out.
        """
        cuts = [0, *(match.end() for match in _items().finditer(sentence.text)), len(sentence.text)]
        spans = clause_spans(sentence.text, self.language) if in_claims else pairwise(cuts)
        last, lead = len(sentence.text), None
        for start, end in spans:
            begin = start if lead is None else lead
            if in_claims and end < last and _lead().fullmatch(sentence.text, begin, end):
                lead = begin
            elif sentence.text[begin:end].strip():
                yield sentence.part(begin, end)
                lead = None


def _claims(text: str, sections: Sequence[DocumentSection]) -> Iterator[ClaimSpan]:
    for section in sections:
        if section.name == CLAIMS:
            first = section.heading[1]
            for chunk in split_claims(plain_form(text[first : section.end]))[0]:
                end = (
                    first
                    + chunk.start
                    + len(text[first + chunk.start : first + chunk.end].rstrip())
                )
                yield ClaimSpan(first + chunk.start, end, chunk.number)


_MOVABLE = (ABSTRACT, CLAIMS)


def _movable_parts(sections: Sequence[DocumentSection]) -> list[str]:
    """Return abstract, claims and the rest in their order; the rest counts as description."""
    names = (one.name if one.name in _MOVABLE else DESCRIPTION for one in sections)
    return list(dict.fromkeys(names))


def _section_anchor(text: str) -> str:
    """Return the anchor of a heading of a section; empty for any other text."""
    name = section_of_heading(text)
    return _anchor("s", classify_heading(text) or name) if name else ""


def _anchor(kind: str, text: str) -> str:
    """Return a word of letters only, which every tokenizer keeps whole."""
    letters = "".join(filter(str.isalnum, text)).translate(_DIGITS)
    return f"q{kind}z{letters}q"
