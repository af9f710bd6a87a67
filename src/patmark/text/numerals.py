"""Number words: Chinese and Japanese numerals, English words, and their values."""

from __future__ import annotations

import re
from functools import lru_cache

_DIGITS = {mark: value for value, mark in enumerate("〇一二三四五六七八九")}
_DIGITS |= {"零": 0, "两": 2, "兩": 2, "両": 2}
_SMALL = {"十": 10, "百": 100, "千": 1000}
MAGNITUDES = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_LONGEST_NUMERAL = 30
HAN_NUMERAL = "〇零一二三四五六七八九十百千万萬億亿兆两兩両"

ENGLISH_MAGNITUDES = {
    "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
}  # fmt: skip
_SMALL_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
_CARDINALS = {word: value for value, word in enumerate(_SMALL_WORDS.split())}
_CARDINALS |= {word: 10 * value for value, word in enumerate(_TENS_WORDS.split(), start=2)}
_ORDINALS = {word: value for value, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
# words that stand for a number
_POSSIBLE = {
    1: "one single january firstly once", 2: "both double dual twice pair pairs couple twofold "
    "secondary binary twin half february secondly", 3: "triple threefold thrice tertiary ternary "
    "march thirdly", 4: "quadruple fourfold quaternary quarter april", 5: "fivefold",
    6: "sixfold june", 7: "july", 8: "august", 9: "september", 10: "tenfold october",
    11: "november", 12: "december dozen",
}  # fmt: skip
# words that stand for a number now and then
_FAINT = {
    1: "i each every alone sole primary unit initial initially", 2: "ii other opposite either "
    "again halves", 3: "iii", 4: "iv", 5: "v may", 6: "vi", 7: "vii", 8: "viii", 9: "ix",
    10: "x", 100: "hundred", 1000: "thousand",
}  # fmt: skip
_NUMERIC_PREFIX = re.compile(
    r"(?P<prefix>mono|bi|di|tri|ter|tetra|quad|penta|hexa|octa)-?(?:mer|ploid|angl|axial|polymer|"
    r"pl|phas|dimension|function|valent|cycl|later|nary|direction|chromat|pod|metal|component|gon|"
    r"rup|part|lobe|blade|sect)"
)
_PREFIXES = {
    "mono": 1, "bi": 2, "di": 2, "tri": 3, "ter": 3, "tetra": 4, "quad": 4, "penta": 5, "hexa": 6,
    "octa": 8,
}  # fmt: skip


def _by_word(table: dict[int, str]) -> dict[str, int]:
    return {word: value for value, words in table.items() for word in words.split()}


_POSSIBLE_WORDS = _by_word(_POSSIBLE)
_FAINT_WORDS = _by_word(_FAINT)


def parse_han(numeral: str) -> int | None:
    """The value of a Chinese or Japanese numeral; None when it is not well formed."""
    if len(numeral) > _LONGEST_NUMERAL:
        return None
    if all(mark in _DIGITS for mark in numeral):
        return int("".join(str(_DIGITS[mark]) for mark in numeral))
    total = section = digit = 0
    for mark in numeral:
        if mark in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[mark]
        elif mark in _SMALL:
            section += (digit or 1) * _SMALL[mark]
            digit = 0
        else:
            if section + digit == 0:
                return None
            total += (section + digit) * MAGNITUDES[mark]
            section = digit = 0
    return total + section + digit


_TENS = "|".join(_TENS_WORDS.split())
_BELOW_100 = rf"(?:(?:{_TENS})(?:[ -](?:{'|'.join([*_CARDINALS, *_ORDINALS])}))?"
_BELOW_100 += rf"|{'|'.join([*_CARDINALS, *_ORDINALS])})"
_MAGNITUDE = "|".join(ENGLISH_MAGNITUDES)
ENGLISH_NUMBER = re.compile(
    rf"\b{_BELOW_100}(?: (?:{_MAGNITUDE})\b(?: (?:and )?{_BELOW_100}\b)?)*\b", re.IGNORECASE
)


def parse_english(number: str) -> tuple[int, bool]:
    """The value of a match of ENGLISH_NUMBER, and whether it is an ordinal."""
    total = current = 0
    ordinal = False
    for word in re.split(r"[ -]", number.lower()):
        if word in ENGLISH_MAGNITUDES:
            if word == "hundred":
                current *= 100
            else:
                total += current * ENGLISH_MAGNITUDES[word]
                current = 0
        elif word != "and":
            ordinal = ordinal or word in _ORDINALS
            current += _ORDINALS.get(word, _CARDINALS.get(word, 0))
    return total + current, ordinal


@lru_cache(maxsize=2**16)
def loose_value(word: str) -> tuple[int, bool] | None:
    """The number that an English word may stand for, and whether only now and then.

    both → 2, trimer → 3, March → 3; each → 1, now and then.
    """
    if word in _POSSIBLE_WORDS:
        return _POSSIBLE_WORDS[word], False
    if word in _FAINT_WORDS:
        return _FAINT_WORDS[word], True
    prefix = _NUMERIC_PREFIX.match(word)
    return None if prefix is None else (_PREFIXES[prefix["prefix"]], False)
