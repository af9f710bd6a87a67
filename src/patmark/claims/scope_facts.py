"""Facts that decide the scope of a claim: numbers, negations, bounds and roles.

| differs in | when |
|---|---|
| numbers | it has others, or not as often: 60 for 90, two for three; 1500 mm and 1.5 m are one |
| negations | "not" was added or removed; "not more than" is none |
| units | one was exchanged: cm for mm |
| bounds | one was turned round: "at most" for "at least", "below" for "exceeds", 以下 for 以上 |
| lists | one was closed or opened: "consisting of" for "comprising", 由…组成 for 包括 |
| roles | two phrases changed places around a verb: "the belt drives the motor"; in English |
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from patmark.claims.model import Limitation
from patmark.facts import ENGLISH_CARDINALS
from patmark.text import CJK, kept_in_workspace
from patmark.wording import tr, tr_n

_NUMBERS = {word: str(value) for word, value in ENGLISH_CARDINALS.items() if value > 1}
_UNITS = (
    "nm|μm|um|mm|cm|dm|m|km|μg|mg|g|kg|t|μl|ml|dl|l|ns|μs|ms|s|sec|min|h|hz|khz|mhz|ghz|v|mv|kv|ma|ka"
    "|w|mw|kw|pa|kpa|mpa|gpa|bar|mbar|psi|k|c|f|j|kj|n|kn|mol|mmol|wt|vol|ppm|ppb|rpm|db|ev|kev"
    "|a(?! [a-z])"  # before a word it is an article: "step 2 a lid"
)
_SAME_UNIT = {"um": "μm", "sec": "s"}
# of m, g, l and s; elsewhere small letters do not tell a millipascal from a megapascal
_POWERS = {"n": -9, "μ": -6, "m": -3, "c": -2, "d": -1, "": 0, "k": 3}
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
_LIST = re.compile(
    r"(?P<closed>\b(?:consist(?:s|ing)?(?: essentially)?|composed|made up) of\b"
    r"|由[^，。；,;]{1,80}?(?:[组組][成合]|构成|構成)|から(?:な|成)[るり])"
    r"|\b(?:compris|includ|contain)(?:es?|s|ing)\b|包括|包含|含有|備え|具備|含[むみん]"
)
_STEP = re.compile(
    rf"(?:and\s+)?(?P<step>\d{{1,2}}\.\d{{1,2}})[.):]?\s+(?!(?:to|{_UNITS})\b)[A-Za-z]"
)
_CJK_BLANK = re.compile(rf"(?<=[{CJK}]) (?=[{CJK}])")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_CONTINENTAL = re.compile(r"[1-9]\d{0,2}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})")


class _Quantity(NamedTuple):
    """A number with its unit, empty where it has none; a negation is a number, too."""

    value: str
    unit: str = ""

    @property
    def size(self) -> _Quantity:
        """The quantity in a unit without a prefix."""
        prefix, unit = self.unit[:-1], self.unit[-1:]
        if unit not in tuple("mgls") or prefix not in _POWERS:
            return self
        try:
            return _Quantity(format(float(self.value) * 10.0 ** _POWERS[prefix], ".12g"), unit)
        except ValueError:  # 1.2.3 is no number
            return self

    def __str__(self) -> str:
        return f"{self.value} {self.unit}".rstrip()


_NOT = _Quantity('"not"')


@dataclass(frozen=True, slots=True)
class ScopeFacts:
    """The numbers and negations of a claim, and how often it has each direction of a bound.

    ``closed`` says of each list in turn whether it is.
    """

    quantities: tuple[_Quantity, ...]
    bounds: Counter[str]
    closed: tuple[bool, ...] = ()

    def differences(self, seen: ScopeFacts) -> list[str]:
        """Describe the differences to the facts of another claim."""
        lost = _beyond(self.quantities, seen.quantities)
        added = _beyond(seen.quantities, self.quantities)
        for one in tuple(lost):  # a unit that only one claim states makes no difference
            same = (other for other in added if other.value == one.value)
            other = next((other for other in same if not (one.unit and other.unit)), None)
            if other is not None:
                lost.remove(one)
                added.remove(other)
        parts: list[str] = []
        if lost:
            parts.append(
                tr_n(
                    "{numbers} is missing",
                    "{numbers} are missing",
                    n=len(lost),
                    numbers=_listed(lost),
                )
            )
        if added:
            parts.append(
                tr_n(
                    "{numbers} was added",
                    "{numbers} were added",
                    n=len(added),
                    numbers=_listed(added),
                )
            )
        if all((self.bounds - seen.bounds, seen.bounds - self.bounds)):
            parts.append(tr("a bound was turned round"))
        if len(self.closed) == len(seen.closed) and self.closed != seen.closed:
            first = next(
                was for was, now in zip(self.closed, seen.closed, strict=True) if was != now
            )
            parts.append(tr("a closed list was opened") if first else tr("an open list was closed"))
        return parts


def _beyond(own: Sequence[_Quantity], other: Sequence[_Quantity]) -> list[_Quantity]:
    """Return the quantities that the other claim does not have, or not as often."""
    spare = Counter(one.size for one in other)
    rest = []
    for one in own:
        spare[one.size] -= 1
        if spare[one.size] < 0:
            rest.append(one)
    return rest


def _listed(items: Sequence[_Quantity]) -> str:
    *first, last = map(str, items)
    return tr("{first} and {second}", first=tuple(first), second=last) if first else last


def scope_facts(words: tuple[str, ...], limitations: Sequence[Limitation]) -> ScopeFacts:
    """Return the facts of a claim; the numbers of its steps do not count."""
    facts = _facts_of(words)
    labels = [item.label or _step(item.text) for item in limitations]
    steps = [_Quantity(_value(label)) for label in labels if label[:1].isdecimal()]
    return replace(facts, quantities=tuple(_beyond(facts.quantities, steps))) if steps else facts


def decides_scope(word: str) -> bool:
    """Return True if a word is a fact itself: a number, a negation, a bound."""
    return _FACT.fullmatch(word) is not None


def _step(limitation: str) -> str:
    """Return the number of a step such as "1.2 heating"; empty where there is none."""
    match = _STEP.match(limitation)
    return "" if match is None else match["step"]


@kept_in_workspace(2**12)
def _facts_of(words: tuple[str, ...]) -> ScopeFacts:
    quantities: list[_Quantity] = []
    bounds: Counter[str] = Counter()
    text = _CJK_BLANK.sub("", " ".join(words))
    for match in _FACT.finditer(text):
        if match["number"]:
            number, unit = match["number"], match["unit"] or ""
            value = _NUMBERS.get(number) or _value(number)
            quantities.append(_Quantity(value, _SAME_UNIT.get(unit, unit)))
        elif match["negation"]:
            quantities.append(_NOT)
        else:
            upwards = (match["up"] is not None) != (match["turned"] is not None)
            bounds["up" if upwards else "down"] += 1
    closed = tuple(match["closed"] is not None for match in _LIST.finditer(text))
    return ScopeFacts(tuple(quantities), bounds, closed)


def _value(number: str) -> str:
    """Return a number without thousands separators and trailing zeros.

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


_TOKEN = re.compile(r"[^\W_]+|[,;:]")
# words around which it does not matter who stands first, and words of lists
_EITHER_WAY = re.compile(
    r"[,;:]|and|or|plus|than|between|both|each|other|same|similar|identical|different|equal\w*|next"
    r"|adjacent|near|relative|parallel|perpendicular|opposite|facing|correspond\w*|match\w*|mat(?:es?|ed|ing)"
    r"|mix\w*|combin\w*|contact\w*|touch\w*|mesh\w*|engag\w*|connect\w*|coupl\w*|join\w*|link\w*|bond\w*"
    r"|attach\w*|communicat\w*"
)
_SMALL = re.compile(r"an?|the|is|are|be|being|of|in|on|at|by|for|to|with|from|into|that|which|\w")


def exchanged_roles(wanted: str, seen: str) -> str:
    """Name the phrases that changed places, "motor" and "belt" around "drives the"; else empty.

    All other words are the same. Lists and relations that hold both ways ("connected to") do not
    count.
    """
    first, second = (_TOKEN.findall(text.lower()) for text in (wanted, seen))
    if first == second or sorted(first) != sorted(second):
        return ""
    start = next(
        at for at, pair in enumerate(zip(first, second, strict=True)) if len(set(pair)) > 1
    )
    end = next(at for at in range(len(first), 0, -1) if first[at - 1] != second[at - 1])
    first, second = first[start:end], second[start:end]
    size = len(first)
    for one in range(1, size - 1):
        for other in range(1, size - one):
            middle = first[one : size - other]
            if first[:one] + first[size - other :] == second[size - one :] + second[:other] and (
                middle == second[other : size - one] and _has_direction(middle)
            ):
                return tr(
                    "{words} and {words2} changed places",
                    words=" ".join(first[:one]),
                    words2=" ".join(second[:other]),
                )
    return ""


def _has_direction(words: Sequence[str]) -> bool:
    """Return True if it matters what stands before these words and what after them."""
    return not any(map(_EITHER_WAY.fullmatch, words)) and not all(map(_SMALL.fullmatch, words))
