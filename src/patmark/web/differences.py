"""What differs between a reference and a candidate: words, or characters of Chinese and Japanese.

The report marks differences in the browser; here they are marked before the page is sent, so that
a page without them carries no trace of the reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

import regex

_TOKEN = regex.compile(
    r"\p{N}+(?:[.,]\p{N}+)+|[\p{Han}\p{Hiragana}\p{Katakana}]"
    r"|(?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{N}\p{M}])+|\s+|."
)
_MOST_EXACT = 3000


@dataclass(frozen=True, slots=True)
class Run:
    """A part of a text, from ``start`` on, that the other text has or has not."""

    start: int
    text: str
    differs: bool = False

    @property
    def end(self) -> int:
        """Where the run ends."""
        return self.start + len(self.text)


@lru_cache(maxsize=512)
def differences(reference: str, candidate: str) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
    """Both texts in runs; those that differ are not in the other text at that place.

    Very long texts are compared without anchoring on their most frequent words, which is faster
    and may mark a little more than is needed.
    """
    a, b = _TOKEN.findall(reference), _TOKEN.findall(candidate)
    exact = max(len(a), len(b)) <= _MOST_EXACT
    matcher = SequenceMatcher(None, a, b, autojunk=not exact)
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        left.append(("".join(a[a_from:a_to]), tag != "equal"))
        right.append(("".join(b[b_from:b_to]), tag != "equal"))
    return _runs(left), _runs(right)


def cut(runs: tuple[Run, ...], start: int, end: int) -> tuple[Run, ...]:
    """The runs between two places of the text."""
    return tuple(
        Run(
            max(run.start, start),
            run.text[max(start - run.start, 0) : end - run.start],
            run.differs,
        )
        for run in runs
        if run.start < end and run.end > start
    )


def _runs(parts: list[tuple[str, bool]]) -> tuple[Run, ...]:
    runs: list[Run] = []
    at = 0
    for text, differs in parts:
        if text:
            runs.append(Run(at, text, differs and bool(text.strip())))
            at += len(text)
    return tuple(runs)
