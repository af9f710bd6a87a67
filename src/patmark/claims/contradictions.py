"""Claims that are copied but for what decides their scope.

One other number, negation or dependency is a small change of a text and a large one of a claim. A
claim contradicts the reference when it reads like the claim that it answers, these things left
aside, and

| differs in | when |
|---|---|
| numbers | it has others, or not as often: 60 for 90, two for three |
| negations | "not" was added or removed; "not more than" is none |
| units | one was exchanged: cm for mm |
| bounds | one was turned round: "at most" for "at least", "below" for "exceeds", 以下 for 以上 |
| dependency | it refers to none of the claims that it should, though they are there |

Such a claim counts 70 %, and so do the claims that build on it. Texts that are not alike are not
compared in this way: there a number is one word among others. The loss grows with the likeness, so
that a claim gains next to nothing by being spoilt further.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache

from patmark.claims.alignment import Alignment, overlap
from patmark.claims.bags import bags_of
from patmark.claims.profiles import ClaimProfile, Words
from patmark.text.scripts import CJK

_LOSS = 0.3
_HARDLY, _SURELY = 0.6, 0.9
_NUMBER_WORDS = "two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: str(value) for value, word in enumerate(_NUMBER_WORDS.split(), 2)}
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
class Facts:
    """What decides the scope of a claim besides its words."""

    counts: Counter[str]
    units: Counter[str]
    bounds: Counter[str]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A claim of the reference, the one that answers it (both from 0), and what differs.

    ``weight``, from 0 to 1, grows with the likeness of the two.
    """

    reference: int
    candidate: int
    difference: str
    weight: float

    @property
    def counts(self) -> float:
        """What is left of the claim."""
        return 1 - _LOSS * self.weight


def contradictions(alignment: Alignment) -> list[Contradiction]:
    """The claims of a candidate that contradict those they answer."""
    found = []
    for theirs, ours in alignment.assigned.items():
        difference = _difference(alignment, theirs, ours)
        weight = _weight(_likeness(alignment, theirs, ours)) if difference else 0.0
        if weight > 0:
            found.append(Contradiction(theirs, ours, difference, weight))
    return found


def trust(alignment: Alignment) -> float:
    """What is left of the reference's claims on average, those that build on others included."""
    left = {item.reference: item.counts for item in contradictions(alignment)}
    for claim, targets in enumerate(alignment.reference.targets):
        if claim in alignment.assigned:
            left[claim] = min(left.get(place, 1.0) for place in (claim, *targets))
    lost = sum(1 - value for value in left.values())
    return 1 - lost / len(alignment.reference.words)


def _difference(alignment: Alignment, theirs: int, ours: int) -> str:
    """What differs in words; empty when nothing does."""
    wanted, seen = _facts(alignment.reference, theirs), _facts(alignment.candidate, ours)
    lost, added = wanted.counts - seen.counts, seen.counts - wanted.counts
    other_units = wanted.units - seen.units, seen.units - wanted.units
    if all(other_units):
        lost.update(other_units[0])
        added.update(other_units[1])
    parts = [
        f"{' '.join(sorted(items))} {verb}"
        for items, verb in ((lost, "is missing"), (added, "was added"))
        if items
    ]
    if all((wanted.bounds - seen.bounds, seen.bounds - wanted.bounds)):
        parts.append("a bound was turned round")
    if _links_elsewhere(alignment, theirs, ours):
        parts.append("it refers to another claim")
    return ", ".join(parts)


def _links_elsewhere(alignment: Alignment, theirs: int, ours: int) -> bool:
    """Whether a claim refers to none of the claims that it should and could refer to."""
    wanted = alignment.reference.targets[theirs]
    seen = {alignment.in_reference(target) for target in alignment.candidate.targets[ours]}
    possible = any(target < 0 or target in alignment.assigned for target in wanted)
    return possible and not wanted & seen


def _likeness(alignment: Alignment, theirs: int, ours: int) -> float:
    """How alike two claims are, numbers, negations and bounds left aside."""
    texts = alignment.reference.words[theirs], alignment.candidate.words[ours]
    first, second = (bags_of([[word for word in words if not _decides(word)]]) for words in texts)
    return float(overlap(first, second).agreement[0, 0])


def _weight(likeness: float) -> float:
    return min(1.0, max(0.0, (likeness - _HARDLY) / (_SURELY - _HARDLY)))


def _decides(word: str) -> bool:
    return _FACT.fullmatch(word) is not None


def _facts(profile: ClaimProfile, claim: int) -> Facts:
    """The facts of a claim; the numbers of its steps are none."""
    facts = _facts_of(profile.words[claim])
    limitations = profile.claims.claims[claim].limitations
    labels = [item.label or _step(item.text) for item in limitations]
    steps = Counter(_value(label) for label in labels if label[:1].isdecimal())
    return replace(facts, counts=facts.counts - steps) if steps else facts


def _step(limitation: str) -> str:
    """The number of a step such as "1.2 heating"; empty where there is none."""
    match = _STEP.match(limitation)
    return "" if match is None else match["step"]


@lru_cache(maxsize=2**12)
def _facts_of(words: Words) -> Facts:
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
    return Facts(counts, units, bounds)


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
