"""Reference signs, figure numbers and step labels: none lost, none invented.

| considered a sign | example |
|---|---|
| in brackets after a noun | housing (12), 外壳（12、14）, 軸（10a） |
| directly after a noun | the housing 12, 外壳12, 回転軸12は |
| step labels | S101, ステップS2 |
| figure numbers | FIG. 1(a), Figs. 2 and 3, 图1, 図1 |

In languages other than English, Chinese and Japanese only signs in brackets, step labels and
figure numbers are looked for: which nouns carry no sign (claim 1, table 2) is not known there.
A sign counts as kept when the other text has the same letters and digits in any notation, as
often as this text: (12) may become 12, 图1 may become Drawing 1. Not signs: claim, example, table
and formula numbers, list marks at the head of a clause, dates, numbers with a unit or a counter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from patmark.data import Evidence, Scores, Side, TestSet
from patmark.facts import COUNTED_LANGUAGES, MONTHS, match_unit
from patmark.measures.base import MOST_THINGS, Check, Finding
from patmark.text import HAN, KANA, Folded, fold, kept_in_workspace
from patmark.wording import tr

_SIGN = r"(?:[A-Z]{1,3})?\d{1,4}[A-Za-z]{0,2}['′]?(?:-\d{1,3}[a-z]?)?(?![A-Za-z0-9]|\.\d)"
_LAST_DIGITS = re.compile(r"\d+(?=\D*$)")
_AND = r"\s*(?:,|、|;|/|~|and|or|to|和|与|或|至|及び?|および|又は|から)\s*"
_LIST = rf"{_SIGN}(?:{_AND}{_SIGN})*"
_ONE = re.compile(rf"(?<![A-Za-z0-9.]){_SIGN}(?:\s?\([a-z]\))?")
_ANY = re.compile(
    r"(?P<plain>(?:(?<![A-Za-z])[A-Za-z]{1,9})?\d+[A-Za-z]{0,9})(?:\s?\((?P<letter>[a-z])\))?"
)
_FIGURE_SIGN = rf"{_SIGN}(?:\s?\([a-z]\))?"
_FIGURE = re.compile(
    rf"(?:\bfig(?:ure)?s?\.?|[图図圖])\s?(?P<signs>{_FIGURE_SIGN}(?:(?:{_AND}|-)[图図圖]?{_FIGURE_SIGN})*)",
    re.IGNORECASE,
)
_BRACKETED = re.compile(rf"(?<=[^\W\d_]|[\"”])\s?\(\s*(?P<signs>{_LIST})\s*\)")
_NUMBERED = re.compile(
    r"(?:\b(?:claim|example|table|formula|equation|embodiment)(?:s|e)?"
    r"|例|权利要求|權利要求|請求項|请求项|实施方式|実施形態|(?:公|通|程|等|数|学|系|造|构)式"
    rf"|(?:^|[^{HAN}]|[如见見由在与和及从以上下按据])[式表])"
    rf"\s?(?:\(\s*{_LIST}\s*\){_AND})*$",
    re.IGNORECASE,
)
_LONGEST_NUMBERED = 60
_TEXTS_KEPT = 1 << 13  # sources are looked at again with every system
_STEP = re.compile(r"(?<![A-Za-z0-9-])(?P<signs>(?:S|ST)\d{1,4}[a-z]?)(?![A-Za-z0-9])")
_ENGLISH_NOUN = re.compile(rf"\b(?P<noun>[A-Za-z][a-z]{{2,}}) (?P<signs>{_LIST})(?!\s?[%°℃×*])")
_CJK_NOUN = re.compile(rf"(?<=(?P<noun>[{HAN}{KANA}]))(?P<signs>{_LIST})(?!\s?[%°℃×*])")
_NO_NOUN = frozenset(
    {"about", "above", "and", "approximately", "are", "aspect", "aspects", "below", "between",
     "claim", "claims", "compound", "embodiment", "embodiments", "equation", "example", "examples",
     "exceeds", "exceed", "fig", "figs", "figure", "figures", "first", "for", "formula", "from",
     "invention", "least", "less", "more", "most", "nearly", "only", "over", "per", "than", "table",
     "tables", "the", "times", "type", "under", "until", "with", "within", "zone", "was", "were",
     "equals", "equal", "chapter", "section", "item", "group", "step", "steps", "reaches", "since",
     "during", "year", "years", "page", "pages", "line", "lines", "around", "almost", "exactly",
     "roughly", "into", *MONTHS}
)  # fmt: skip
_NO_CJK_NOUN = frozenset(
    "第约約至为為于於到在是和与或及每各共有数前后例式项項表求骤式图図圖章节点条種种个個型"
    "はがをにでとのもやへりらばればる大小高低加减是超达过少多近占"
)
_COUNTED = re.compile(r"\s?[个個種种次条根片块塊台组組只层層位倍项項枚本回段つ人年月日号行列代等]")


@dataclass(frozen=True, slots=True)
class _Sign:
    start: int
    end: int
    key: str


@dataclass(frozen=True)
class ReferenceSigns(Check):
    """Share of reference signs, figure numbers and step labels that both texts have."""

    label: ClassVar[str] = "reference-signs"
    description: ClassVar[str] = "reference signs, figure numbers and step labels kept"
    formula: ClassVar[str] = "kept / (kept + lost + invented), at most 10 a segment"
    runs_by_default: ClassVar[bool] = True
    citation: ClassVar[str] = "patmark"
    most: ClassVar[float] = MOST_THINGS
    rules: ClassVar[int] = 2

    def remarks(self, test_set: TestSet, scores: Scores) -> tuple[str, ...]:
        """That signs after nouns are looked for in some languages only."""
        if _knows_nouns(test_set):
            return ()
        return (
            tr(
                "{name}: signs after nouns are looked for in {names} only; here those in "
                "brackets, step labels and figure numbers.",
                name=self.name,
                names=tuple(sorted(COUNTED_LANGUAGES)),
            ),
        )

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment; see the table at the top of this file."""
        nouns = _knows_nouns(test_set)
        return [
            _compare(fold(source), fold(hypothesis), nouns)
            for source, hypothesis in zip(test_set.sources, hypotheses, strict=True)
        ]


def _knows_nouns(test_set: TestSet) -> bool:
    languages = {test_set.source_language, test_set.target_language} - {None}
    return COUNTED_LANGUAGES.issuperset(languages)


def _compare(source: Folded, hypothesis: Folded, nouns: bool) -> Finding:
    theirs = _signs(source.text, nouns)
    lost = _missing(theirs, hypothesis.text)
    added = _missing(_signs(hypothesis.text, nouns), source.text)
    evidence = [
        *(_evidence("source", source, sign, tr("is not in the translation")) for sign in lost),
        *(_evidence("hypothesis", hypothesis, sign, tr("is not in the source")) for sign in added),
    ]
    return Finding(len(theirs) - len(lost), len(theirs) + len(added), tuple(evidence))


def _evidence(side: Side, text: Folded, sign: _Sign, problem: str) -> Evidence:
    return Evidence(
        side,
        *text.span(sign.start, sign.end),
        tr("the sign {key} {problem}", key=sign.key, problem=problem),
    )


def _missing(signs: Sequence[_Sign], text: str) -> list[_Sign]:
    """Signs that the other text does not have, or has less often."""
    there = _everything(text)
    missing: list[_Sign] = []
    for sign in signs:
        parts = _parts(sign.key, there)
        if parts is None:
            missing.append(sign)
        else:
            there.subtract(parts)
    return missing


def _everything(text: str) -> Counter[str]:
    """All that could be a sign, however it is written; 1(a) counts as 1a and as 1."""
    there: Counter[str] = Counter()
    for match in _ANY.finditer(text):
        there[match["plain"].upper()] += 1
        if match["letter"] is not None:
            there[_key(match.group())] += 1
    return there


def _key(sign: str) -> str:
    return re.sub(r"[\s()'′]", "", sign).upper()


def _parts(key: str, there: Counter[str]) -> list[str] | None:
    """How the other text writes a sign: whole, in parts, or run together with "FIG"."""
    ways = ([key], key.split("-"), [f"FIG{key}"])
    return next((way for way in ways if all(there[part] > 0 for part in way)), None)


@kept_in_workspace(_TEXTS_KEPT)
def _signs(text: str, nouns: bool) -> tuple[_Sign, ...]:
    found: dict[int, _Sign] = {}
    places = [*_places(text), *(_after_nouns(text) if nouns else ())]
    for start, signs in places:
        for match in _ONE.finditer(signs):
            sign = _Sign(start + match.start(), start + match.end(), _key(match.group()))
            found.setdefault(sign.start, sign)
    return tuple(found[place] for place in sorted(found))


def _places(text: str) -> Iterator[tuple[int, str]]:
    for pattern in (_FIGURE, _BRACKETED, _STEP):
        for match in pattern.finditer(text):
            before = text[max(0, match.start() - _LONGEST_NUMBERED) : match.start()]
            if pattern is not _BRACKETED or _NUMBERED.search(before) is None:
                yield match.start("signs"), match["signs"]


def _after_nouns(text: str) -> Iterator[tuple[int, str]]:
    for match in _ENGLISH_NOUN.finditer(text):
        if match["noun"].lower() not in _NO_NOUN and _is_sign(text, *match.span("signs")):
            yield match.start("signs"), match["signs"]
    for match in _CJK_NOUN.finditer(text):
        if match["noun"] not in _NO_CJK_NOUN and _is_sign(text, *match.span("signs")):
            yield match.start("signs"), match["signs"]


def _is_sign(text: str, start: int, end: int) -> bool:
    """Whether what looks like signs is not a quantity: ``15m``, ``600r/min``, ``30 s``, ``3个``.

    A single capital may be both a unit and part of a sign, and is taken for the latter: ``10A``.
    """
    digits = _LAST_DIGITS.search(text[start:end])
    after = end if digits is None else start + digits.end()
    unit = match_unit(text, after)
    if unit is not None and (after == end or unit[1] > after + 1 or text[after].islower()):
        return False
    return match_unit(text, end) is None and _COUNTED.match(text, end) is None
