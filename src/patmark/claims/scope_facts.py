"""What decides the scope of a claim besides its words: numbers, negations, units and bounds.

| differs in | when |
|---|---|
| numbers | it has others, or not as often: 60 for 90, two for three |
| negations | "not" was added or removed; "not more than" is none |
| units | one was exchanged: cm for mm |
| bounds | one was turned round: "at most" for "at least", "below" for "exceeds", 以下 for 以上 |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from patmark.claims.model import Limitation
from patmark.text import CJK, ENGLISH_CARDINALS

_NUMBERS = {word: str(value) for word, value in ENGLISH_CARDINALS.items() if value > 1}
_UNITS = (
    "nm|μm|um|mm|cm|dm|m|km|μg|mg|g|kg|t|μl|ml|dl|l|ns|μs|ms|s|sec|min|h|hz|khz|mhz|ghz|v|mv|kv|ma|ka"
    "|w|mw|kw|pa|kpa|mpa|gpa|bar|mbar|psi|k|c|f|j|kj|n|kn|mol|mmol|wt|vol|ppm|ppb|rpm|db|ev|kev"
    "|a(?! [a-z])"  # before a word it is an article: "step 2 a lid"
)
_SAME_UNIT = {"um": "μm", "sec": "s"}
_UP = (
    r"\b(?:least|more|greater|larger|higher|longer|above|exceed(?:s|ing)?|minimum)\b"
    "|以上|大于|大於|高于|多于|超过|至少|超え|少なくとも|より(?:大き|高|長)"
)
_DOWN = (
    r"\b(?:most|less|smaller|fewer|lower|shorter|below|maximum)\b"
    "|以下|小于|小於|低于|少于|至多|未満|少な[いく]|より(?:小さ|低|短)"
)
# 不锈钢 (stainless steel), 无线 (wireless), 是否 (whether), 不仅 (not only) deny nothing
_HAN_NEGATION = "不(?![同锈銹鏽仅僅断斷])|[无無](?![线線论論])|非(?!常)|未|(?<!是)否(?![则則])"
_FACT = re.compile(
    rf"(?P<number>\d[\d.,]*+(?! (?:st|nd|rd|th)\b)|\b(?:{'|'.join(_NUMBERS)})\b)"
    rf"(?: (?P<unit>{_UNITS})\b)?"
    rf"|(?P<turned>\b(?:not|no) (?:to |be ){{0,2}}|不[得能]?)?(?:(?P<up>{_UP})|(?P<down>{_DOWN}))"
    r"|(?P<negation>\b(?:not|no(?! \d)|nor|neither|never|none|cannot|without)\b"
    rf"|{_HAN_NEGATION}|ない|なく|せず)"
)
_STEP = re.compile(
    rf"(?:and\s+)?(?P<step>\d{{1,2}}\.\d{{1,2}})[.):]?\s+(?!(?:to|{_UNITS})\b)[A-Za-z]"
)
_CJK_BLANK = re.compile(rf"(?<=[{CJK}]) (?=[{CJK}])")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_CONTINENTAL = re.compile(r"[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})")


@dataclass(frozen=True, slots=True)
class ScopeFacts:
    """How often a claim has each number or negation, each unit, and each direction of a bound."""

    counts: Counter[str]
    units: Counter[str]
    bounds: Counter[str]

    def differences(self, seen: ScopeFacts) -> list[str]:
        """What is different in the facts of another claim, in words."""
        lost, added = self.counts - seen.counts, seen.counts - self.counts
        other_units = self.units - seen.units, seen.units - self.units
        if all(other_units):
            lost.update(other_units[0])
            added.update(other_units[1])
        parts = [
            f"{' '.join(sorted(items))} {verb}"
            for items, verb in ((lost, "is missing"), (added, "was added"))
            if items
        ]
        if all((self.bounds - seen.bounds, seen.bounds - self.bounds)):
            parts.append("a bound was turned round")
        return parts


def scope_facts(words: tuple[str, ...], limitations: Sequence[Limitation]) -> ScopeFacts:
    """The facts of a claim; the numbers of its steps do not count."""
    facts = _facts_of(words)
    labels = [item.label or _step(item.text) for item in limitations]
    steps = Counter(_value(label) for label in labels if label[:1].isdecimal())
    return replace(facts, counts=facts.counts - steps) if steps else facts


def decides_scope(word: str) -> bool:
    """Whether a word is a fact itself: a number, a negation, a bound."""
    return _FACT.fullmatch(word) is not None


def _step(limitation: str) -> str:
    """The number of a step such as "1.2 heating"; empty where there is none."""
    match = _STEP.match(limitation)
    return "" if match is None else match["step"]


@lru_cache(maxsize=2**12)
def _facts_of(words: tuple[str, ...]) -> ScopeFacts:
    counts: Counter[str] = Counter()
    units: Counter[str] = Counter()
    bounds: Counter[str] = Counter()
    for match in _FACT.finditer(_CJK_BLANK.sub("", " ".join(words))):
        if match["number"]:
            counts[_NUMBERS.get(match["number"]) or _value(match["number"])] += 1
            unit = match["unit"]
            units.update([_SAME_UNIT.get(unit, unit)] if unit else [])
        elif match["negation"]:
            counts["not"] += 1
        else:
            upwards = (match["up"] is not None) != (match["turned"] is not None)
            bounds["up" if upwards else "down"] += 1
    return ScopeFacts(counts, units, bounds)


def _value(number: str) -> str:
    """A number without thousands separators and trailing zeros.

    1,500 and 1500, 0.50 and 0,5, 1.500,5 and 1,500.5 are the same.
    """
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    elif _CONTINENTAL.fullmatch(number):
        number = number.replace(".", "")
    text = number.replace(",", ".")
    try:
        return format(float(text), ".15g")
    except ValueError:
        return text
