"""Search at words finds what a search at every character finds."""

import re

import pytest

from patmark.claims.lint import claim_form, structure, terms, wording
from patmark.languages import WordSearch

_TEXT = (
    "1. A pump, e.g. an axial one, having a substantially round rotor of about 5 mm, very thin, "
    "wherein the the lid is not open and/or the like, etc. Preferably, as described above, "
    "a means for pumping; ｗｉｔｈ SUCH AS valves of Teflon®, x_about 7, 3about, "
    "relatively\nmovable arms selected from the group comprising steel, see Fig. 2 and Table 1. "
) * 2
_PATTERNS = [
    value
    for module in (claim_form, structure, terms, wording)
    for value in vars(module).values()
    if isinstance(value, re.Pattern)
]


def _as_finditer(pattern: re.Pattern[str], text: str, spans: list[tuple[int, int]]) -> None:
    found = [[m.span() for m in each] for each in WordSearch(text).matches(pattern, spans)]
    assert found == [[m.span() for m in pattern.finditer(text, *span)] for span in spans]


@pytest.mark.parametrize("pattern", _PATTERNS, ids=lambda pattern: pattern.pattern[:30])
def test_patterns_of_the_linter(pattern: re.Pattern[str]) -> None:
    _as_finditer(pattern, _TEXT, [(0, len(_TEXT)), (3, 90), (91, 92), (100, 300)])


@pytest.mark.parametrize(
    "pattern",
    [
        r"\b(?:about|roughly)\b",
        r"\b(?:[Ff]ig(?:ure)?s?\.?)\s*\d",
        r"\b(?:(?:sub)?stantially\s+)?round\b",
        r"\b(?:a|the)\s+(?:\w+\s+)?(?:pump|lid)\b|\betc\b",
        r"\b(?:wi-?th|of){1,2}",
        r"\b(?:pump|about)|(?<=x_)about",
        r"\bthe\s+the\b|\bthe\b",
        r"\bnot\b|\b5",
        r"about",
    ],
)
@pytest.mark.parametrize("flags", [0, re.IGNORECASE])
def test_beginnings(pattern: str, flags: int) -> None:
    _as_finditer(re.compile(pattern, flags), _TEXT, [(0, len(_TEXT)), (2, 40)])
