"""Terms of a claim: what it introduces, and what it refers back to.

| | English | Chinese | Japanese |
|---|---|---|---|
| introduced | a shaft, at least one shaft, a pair of shafts | 一个转轴, 多个转轴 | 複数の軸 |
| bare | shafts, water | 转轴 | 回転軸 |
| referred to | the shaft, said shaft | 所述转轴, 该转轴 | 前記回転軸, 該回転軸 |

There is no grammar behind it: a phrase runs from its article to the next function word or verb of
patent language. :func:`covers` says whether an introduced phrase is what a later one refers to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from patmark.claims.cjk_terms import chinese_terms, japanese_terms
from patmark.claims.english_terms import english_terms
from patmark.claims.model import Span, Term
from patmark.text.scripts import has_cjk

_SHORTEST_OVERLAP = 2
_STEM = 4


def find_terms(
    plain: str, text: str, contents: Sequence[Span], language: str
) -> list[tuple[Term, ...]]:
    """The terms of each claim, in order."""
    if language == "zh":
        return chinese_terms(plain, text, contents)
    find = japanese_terms if language == "ja" else english_terms
    return [tuple(find(plain, text, content)) for content in contents]


def covers(introduced: Term, reference: Term) -> bool:
    """Whether a term introduced earlier can be what a reference means.

    English: the same head, and the other words of the reference among those of the introduced
    term in the same order: "a first rotating shaft" covers "the shaft" and "the first shaft", not
    "the second shaft". A participle may be added ("the rotated shaft"), and a verb may have been
    taken for a part of the phrase ("the shaft passes"). Chinese and Japanese: the reference is an
    end of the introduced term, or starts with such an end (a verb may follow without a break).
    """
    if _is_cjk(introduced) or _is_cjk(reference):
        return _covers_cjk(introduced.head, reference.head)
    return any(_covers_words(introduced.words, words) for words in _readings(reference))


def _is_cjk(term: Term) -> bool:
    return len(term.words) == 1 and has_cjk(term.head)


def _covers_cjk(introduced: str, reference: str) -> bool:
    if introduced.endswith(reference):
        return True
    longest = min(len(introduced), len(reference))
    return any(
        reference.startswith(introduced[len(introduced) - size :])
        for size in range(longest, _SHORTEST_OVERLAP - 1, -1)
    )


def _readings(reference: Term) -> Iterator[tuple[str, ...]]:
    """The words of a phrase, and the words before each that may be a verb: ends with s."""
    yield reference.words
    written = reference.text.lower().split()
    if len(written) == len(reference.words):
        for place in range(1, len(written)):
            if written[place] != reference.words[place]:
                yield reference.words[:place]


def _covers_words(introduced: Sequence[str], reference: Sequence[str]) -> bool:
    """Whether the head is the same and all other words stand in order, but for participles.

    A participle may be added to all words that were introduced; it does not stand for one of them,
    unless they are of one stem: "a mobile part" is not "the fixed part".
    """
    if introduced[-1] != reference[-1]:
        return False
    added = [word for word in reference if word.endswith("ed") and word not in introduced]
    remaining = iter(introduced)
    if not all(word in remaining for word in reference if word not in added):
        return False
    lost = [word for word in introduced if word not in reference]
    return not added or all(word[:_STEM] in {item[:_STEM] for item in added} for word in lost)
