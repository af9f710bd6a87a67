"""Sentences of patent texts in English, Chinese and Japanese; German and French by their own lists.

| not an end of a sentence | example |
|---|---|
| abbreviations, initials | FIG. 1, U.S. Pat. No. 5,000, et al., e.g. a valve, E. coli |
| decimals, versions, formulas | 0.5 mm, v1.2.3, CH3.CO |
| marks inside brackets and quotations | 「開く。」と表示する, (see below. Also FIG. 3) |
| labels of lists and claims | 1. A method, (a) heating; (b) cooling |
| line wraps | a line break without an end of a sentence, heading or empty line |

Paragraph numbers ([0012], 【００１２】, 【請求項１】) stand alone, so that they never become part
of a sentence. Nothing is lost: all characters but blanks are in exactly one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from patmark.text.sentences_cjk import cjk_cuts
from patmark.text.sentences_clauses import clause_cuts
from patmark.text.sentences_latin import latin_cuts
from patmark.text.sentences_lines import PARAGRAPH_NUMBER, block_spans

_CJK_LANGUAGES = ("zh", "ja")


def split_sentences(text: str, language: str) -> list[str]:
    """The sentences of a text, without the blanks around them.

    >>> split_sentences("FIG. 2 shows a pump (cf. FIG. 1. It is off). It has a seal 3.", "en")
    ['FIG. 2 shows a pump (cf. FIG. 1. It is off).', 'It has a seal 3.']
    >>> split_sentences("「開く。」と表示する。図１．２参照。", "ja")
    ['「開く。」と表示する。', '図１．２参照。']
    """
    return [text[start:end] for start, end in sentence_spans(text, language)]


def sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    """Where each sentence of a text starts and ends."""
    spans: list[tuple[int, int]] = []
    for start, end in block_spans(text):
        if language in _CJK_LANGUAGES:
            cuts = cjk_cuts(text, start, end)
        else:
            cuts = latin_cuts(text, start, end, language)
        spans += _between(text, [start, *cuts, end])
    return spans


def split_clauses(claim: str, language: str) -> list[str]:
    """The limitations of a claim: its parts at semicolons, labels, line breaks and "wherein".

    A claim is one sentence, and often too long to be aligned whole.

    >>> split_clauses("A cup comprising: a wall; and a base, wherein the wall is thin.", "en")
    ['A cup comprising:', 'a wall;', 'and a base,', 'wherein the wall is thin.']
    """
    cuts = [0, *clause_cuts(claim, language), len(claim)]
    return [claim[start:end] for start, end in _between(claim, cuts)]


def is_paragraph_number(sentence: str) -> bool:
    """Whether a piece of text is only the number of a paragraph or of a claim: 【００１２】."""
    return PARAGRAPH_NUMBER.fullmatch(sentence) is not None


def _between(text: str, cuts: list[int]) -> Iterator[tuple[int, int]]:
    """What lies between neighbouring cuts, without blanks at its ends; nothing if only blanks."""
    for start, end in pairwise(cuts):
        piece = text[start:end]
        inner = piece.strip()
        if inner:
            begin = start + len(piece) - len(piece.lstrip())
            yield begin, begin + len(inner)
