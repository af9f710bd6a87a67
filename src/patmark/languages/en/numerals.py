"""English number words: cardinals, ordinals, fractions, decimals, months, words that may count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache

from patmark.languages.numbers import (
    Certainty,
    NumberReader,
    Read,
    covered,
    fraction_value,
    plain_value,
)

ENGLISH_MAGNITUDES = {
    "hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12,
    "dozen": 12,
}  # fmt: skip
_ONES_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_TENS_WORDS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ONES_ORDINALS = """
first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
"""
ENGLISH_CARDINALS = {word: value for value, word in enumerate(_ONES_WORDS.split())} | {
    word: 10 * value for value, word in enumerate(_TENS_WORDS, 2)
}
_ORDINALS = {word: value for value, word in enumerate(_ONES_ORDINALS.split(), 1)} | {
    f"{word[:-1]}ieth": 10 * value for value, word in enumerate(_TENS_WORDS, 2)
}
_ORDINAL_MAGNITUDES = {f"{word}th": value for word, value in ENGLISH_MAGNITUDES.items()}
ENGLISH_ORDINALS = _ORDINALS | {
    f"{tens}-{word}": ENGLISH_CARDINALS[tens] + value
    for tens in _TENS_WORDS
    for word, value in _ORDINALS.items()
    if value < 10
}
"""Ordinals in words up to ninety-ninth."""
_MONTH_NAMES = """
january february march april may june july august september october november december
"""
MONTHS = {name: month for month, name in enumerate(_MONTH_NAMES.split(), 1)}
MONTHS |= {name[:3]: month for name, month in MONTHS.items()} | {"sept": 9}
# words that may count, and words that seldom do; the numbers of labels are among these: (iv)
_POSSIBLE = {
    1: "one single january firstly once primary",
    2: "both double dual twice pair pairs couple secondary quadratic binary twin february secondly",
    3: "triple thrice tertiary ternary march thirdly", 4: "quadruple quaternary quarter april",
    6: "june", 7: "july", 8: "august octal", 9: "september", 10: "october decimal decade",
    11: "november", 12: "december dozen", 16: "hexadecimal", 100: "century",
}  # fmt: skip
_FAINT = {
    1: "i each every alone sole unit initial initially",
    2: "ii other opposite either again half halves", 3: "iii", 4: "iv", 5: "v may", 6: "vi",
    7: "vii", 8: "viii", 9: "ix", 10: "x", 100: "hundred", 1000: "thousand",
}  # fmt: skip
_POSSIBLE_WORDS = {word: value for value, words in _POSSIBLE.items() for word in words.split()}
_FAINT_WORDS = {word: value for value, words in _FAINT.items() for word in words.split()}
_PREFIXES = {
    "mono": 1, "bi": 2, "di": 2, "tri": 3, "ter": 3, "tetra": 4, "quad": 4, "penta": 5, "hexa": 6,
    "octa": 8,
}  # fmt: skip
_NUMERIC_PREFIX = re.compile(
    rf"(?P<prefix>{'|'.join(_PREFIXES)})-?(?:mer|ploid|angl|axial|polymer|"
    r"pl|phas|dimension|function|valent|cycl|later|nary|direction|chromat|pod|metal|component|gon|"
    r"rup|part|lobe|blade|sect)"
)


def _any_word(words: Iterable[str]) -> str:
    """Return a pattern of words, longest first, so that sixth does not match in sixtieth."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_TENS = _any_word(_TENS_WORDS)
_ONES = _any_word([*ENGLISH_CARDINALS, *_ORDINALS])
_BELOW_100 = rf"(?:(?:{_TENS})(?:[ -](?:{_ONES})\b)?|(?:{_ONES}))\b"
_MAGNITUDE = rf"(?:{_any_word([*ENGLISH_MAGNITUDES, *_ORDINAL_MAGNITUDES])})\b"
_MORE = rf"(?:[ -]{_MAGNITUDE}(?:[ -](?:and[ -])?{_BELOW_100})?)"
ENGLISH_NUMBER = re.compile(
    rf"\b(?:{_BELOW_100}{_MORE}*|an?{_MORE}+|(?:{_any_word(_ORDINAL_MAGNITUDES)})\b)",
    re.IGNORECASE,
)
# a pattern for one ordinal in words, which parse_english reads
ENGLISH_ORDINAL = rf"(?:(?:{_TENS})[ -])?(?:{_any_word([*_ORDINALS, *_ORDINAL_MAGNITUDES])})"


def parse_english(number: str) -> tuple[int, bool]:
    """Return the value of a match of ENGLISH_NUMBER, and True if it is an ordinal."""
    total = current = 0
    ordinal = False
    for word in re.split(r"[ -]", number.lower()):
        if word in _ORDINAL_MAGNITUDES or word in ENGLISH_MAGNITUDES:
            ordinal = ordinal or word in _ORDINAL_MAGNITUDES
            scale = ENGLISH_MAGNITUDES[word.removesuffix("th")]
            if scale == 100:
                current = (current or 1) * scale
            else:
                total += (current or 1) * scale
                current = 0
        elif word in ("a", "an"):
            current = 1
        elif word != "and":
            ordinal = ordinal or word in _ORDINALS
            current += _ORDINALS.get(word, ENGLISH_CARDINALS.get(word, 0))
    return total + current, ordinal


@lru_cache(maxsize=2**16)
def loose_value(word: str) -> tuple[int, bool] | None:
    """Return the number that an English word may mean, and True if only sometimes.

    both → 2, trimer → 3, March → 3; each → 1, sometimes.
    """
    if word in _POSSIBLE_WORDS:
        return _POSSIBLE_WORDS[word], False
    if word in _FAINT_WORDS:
        return _FAINT_WORDS[word], True
    prefix = _NUMERIC_PREFIX.match(word)
    return None if prefix is None else (_PREFIXES[prefix["prefix"]], False)


_WORD = re.compile(r"[A-Za-z]+")
_MONTH = _any_word(form for month in MONTHS for form in (month.title(), month.upper()))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b(?!\.\d| ?[%°])"
_DATE = re.compile(
    rf"\b(?P<before>{_MONTH})\b\.?,? ?(?=(?:the )?{_DAY}|\d{{4}}\b)"
    rf"|(?<=\d)(?:st|nd|rd|th)?,? (?:day )?(?:of )?(?P<after>{_MONTH})\b(?!\.?\d)"
)
_PARTS = {f"{word}{s}": value for word, value in _ORDINALS.items() if value > 2 for s in ("", "s")}
_PARTS |= {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_PARTS |= {f"{word}{s}": value for word, value in _ORDINAL_MAGNITUDES.items() for s in ("", "s")}
_COUNT = _any_word(ENGLISH_CARDINALS)
_SCALE = rf"(?: (?:of )?an? (?P<scale>{_any_word(ENGLISH_MAGNITUDES)})\b)"
_FRACTION = re.compile(
    rf"\b(?:(?P<whole>{_COUNT}) and )?(?:(?P<count>{_COUNT}|an?)[ -](?P<part>{_any_word(_PARTS)})\b"
    rf"{_SCALE}?|half{_SCALE.replace('scale', 'half_scale')})",
    re.IGNORECASE,
)
_DIGIT_WORDS = {word: str(value) for word, value in ENGLISH_CARDINALS.items() if value < 10}
_DECIMAL_IN_WORDS = re.compile(
    rf"(?<!\bat )\b(?P<whole>{_BELOW_100}) point(?P<digits>(?: (?:{_any_word(_DIGIT_WORDS)})\b)+)",
    re.IGNORECASE,
)
_PART_OF = re.compile(r"\s*(?:[.,;:)]|$| (?:of|the|that|as|to|or|and|its|their|than|is|are)\b)")
_OF_TIME = re.compile(r"\b(?:per|every|each|(?:of|for|times|than|in) a) second\b", re.IGNORECASE)


_OF_TIME_BEFORE = re.compile(r"\b(?:one|1|half a) $", re.IGNORECASE)
_ADVERB = re.compile(
    r"(?:first|second|third)(?:,| of all\b| and foremost\b)|(?<=at )first\b", re.IGNORECASE
)
_ONE_UNIT = re.compile(r"\b(?:an?|one|single) (?=[a-z])", re.IGNORECASE)
_TIMES_OF_ONE = frozenset({"s", "min", "h", "d", "week", "fortnight", "month", "year", "decade"})
_AND_A_PART = re.compile(r" and (?:a|one|three) (half|quarters?)\b", re.IGNORECASE)
_ONE_AND = {"half": "1.5", "quarter": "1.25", "quarters": "1.75"}
_PART_OF_UNIT = re.compile(
    r"(?<!and a )(?<!and one )\b(?:(?:one[ -])?half(?: of)?(?: an?)?"
    r"|(?:a |one |three )?quarters? (?:of )?an?) (?=[a-z])",
    re.IGNORECASE,
)


def number_words(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Yield the numbers in words of a text: two, fiftieth, two thirds, July, both."""
    words = frozenset(_WORD.findall(text.lower()))
    if words & _TIME_WORDS:
        yield from _single_times(text, read)
    found = list(_dates(text, read)) if words & _MONTH_WORDS else []
    if words & _NUMBER_WORDS:
        yield from _numbers(text, found, read)
    else:
        yield from found
    if not any(map(_may_count, words)):
        return
    for match in _WORD.finditer(text):
        word = match.group().lower()
        loose = loose_value(word)
        if word.endswith("fold") and word[:-4] in ENGLISH_CARDINALS:  # twofold
            yield read.quantity(*match.span(), str(ENGLISH_CARDINALS[word[:-4]]), "stated")
        if loose is not None:
            yield read.quantity(*match.span(), str(loose[0]), "faint" if loose[1] else "possible")
        if word in ("quarter", "quarters"):
            yield read.quantity(*match.span(), "0.25", "possible")
        if word in ("half", "halves", "halve", "halved", "halving"):
            yield read.quantity(*match.span(), "0.5", "possible")
            yield read.quantity(*match.span(), "50", "possible")  # percent


_TIME_WORDS = frozenset(
    {"second", "minute", "hour", "day", "week", "fortnight", "month", "year", "decade"}
)


@lru_cache(maxsize=2**16)
def _may_count(word: str) -> bool:
    """Return True for a word that may stand for a number: both, twofold, half."""
    return (
        loose_value(word) is not None
        or word.endswith("fold")
        or word.startswith(("quarter", "hal"))
    )


def _single_times(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Yield a day, an hour and the like, which may be 24 h or 60 min; a minute and a half."""
    for match in _ONE_UNIT.finditer(text):
        unit = read.unit(text, match.end())
        if unit is None or unit[0] not in _TIMES_OF_ONE:
            continue
        part = _AND_A_PART.match(text, unit[1])
        key, reach = (_ONE_AND[part[1].lower()], part.end()) if part else ("1", unit[1])
        yield read.quantity(match.start(), match.end(), key, "possible", unit=unit[0], reach=reach)


_MONTH_WORDS = frozenset({*MONTHS, *(f"mid{month}" for month in MONTHS)})
_NUMBER_WORDS = frozenset(
    {*ENGLISH_CARDINALS, *ENGLISH_MAGNITUDES, *_ORDINALS, *_ORDINAL_MAGNITUDES, *_PARTS}
)


def _numbers(text: str, dates: list[Read], read: NumberReader[Read]) -> Iterator[Read]:
    """Yield numbers in words, fractions and dates."""
    found = [*_fractions(text, read), *_decimals(text, read), *dates]
    found += [read.quantity(*match.span(), "1", "possible") for match in _OF_TIME.finditer(text)]
    for match in _PART_OF_UNIT.finditer(text):
        unit = read.unit(text, match.end())
        if unit is not None:
            words = match.group().lower()
            share = "0.5" if "half" in words else "0.75" if "three" in words else "0.25"
            found.append(read.measured(text, match.start(), match.end(), share, unit))
    yield from found
    taken = covered(item for item in found if item.certainty != "faint")
    for match in ENGLISH_NUMBER.finditer(text):
        value, ordinal = parse_english(match.group())
        if ordinal and (
            _OF_TIME_BEFORE.search(text[max(0, match.start() - 8) : match.start()])
            or _ADVERB.match(text, match.start())
        ):
            yield read.quantity(*match.span(), str(value), "possible", ordinal=True)
        elif (ordinal or value > 1) and match.start() not in taken:
            vague = match.group()[0] in "aA" and not match.group().lower().endswith("dozen")
            certainty: Certainty = "possible" if vague else "stated"  # a million
            unit = None if ordinal else read.unit(text, match.end())
            if unit is not None and text[match.end() : unit[1]].strip() in ("part", "parts"):
                unit = None  # not by weight
            negative, begin = read.sign(text, *match.span())
            if unit is not None:
                item = read.measured(text, begin, match.end(), str(value), unit)
                yield read.with_sign(item, negative)
                continue
            yield read.quantity(
                begin, match.end(), str(value), certainty, negative=negative, ordinal=ordinal
            )
            if ordinal and value > 2:  # the tenth part
                yield read.quantity(*match.span(), fraction_value(1, value), "faint")


_FULL_MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
_MONTH_NAME = re.compile(
    rf"\b({_FULL_MONTHS})\b(?! [a-z]+ (?:to|on)\b)|\b[Mm]id-?({_MONTH})\b"
    r"|\b(?:[Ii]n|[Bb]y|[Oo]f|[Ff]rom|[Tt]o|[Ss]ince|[Uu]ntil|[Tt]ill|[Dd]uring|[Bb]etween|[Aa]nd|[Oo]r"
    r"|[Ee]arly|[Ll]ate|[Ee]nd|[Ll]ast|[Tt]his|[Nn]ext|[Tt]hrough)[ -](May)\b"
)


def _dates(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Yield the months of dates: July 17, 17 July 1997, May 2020; elsewhere they are words."""
    dated = set()
    for match in _MONTH_NAME.finditer(text):
        name = match[1] or match[2] or match[3]
        dated.add(match.end())
        place = match.end() - len(name), match.end()
        yield read.quantity(*place, str(MONTHS[name.lower()]), "stated", "calendar month")
    for match in _DATE.finditer(text):
        name = "before" if match["before"] else "after"
        if match.end(name) not in dated:
            month = str(MONTHS[match[name].lower()])
            yield read.quantity(*match.span(name), month, "stated", "calendar month")


_OF_A_YEAR = re.compile(r"\b(?:first|last|past|next|previous|these) $", re.IGNORECASE)


def _decimals(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Find decimals in words: zero point five, two point zero five."""
    for match in _DECIMAL_IN_WORDS.finditer(text):
        digits = "".join(_DIGIT_WORDS[word] for word in match["digits"].lower().split())
        key = plain_value(f"{parse_english(match['whole'])[0]}.{digits}")
        unit = read.unit(text, match.end())
        if unit is None:
            yield read.quantity(*match.span(), key, "stated")
        else:
            yield read.measured(text, *match.span(), key, unit)


def _fractions(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Find fractions in words: one third, two-thirds, three and a half, a quarter of a million.

    "One third electrode" may count or divide, so that neither is certain; "a third rod" counts.
    """
    for match in _FRACTION.finditer(text):
        if _OF_A_YEAR.search(text, max(0, match.start() - 10), match.start()):
            continue
        whole, count = (
            ENGLISH_CARDINALS.get((match[name] or "").lower()) for name in ("whole", "count")
        )
        part = (match["part"] or "half").lower()
        of, scale = _PARTS[part], match["scale"] or match["half_scale"]
        key = fraction_value(1 if count is None else count, of, whole or 0)
        if count not in (None, 1) and not part.endswith("s"):  # ninety-ninth, two third rods
            yield read.quantity(*match.span(), key, "faint")
            continue
        divides = of == 2 or (part.endswith("s") and count != 1) or "-" in match.group()
        divides = divides or _PART_OF.match(text, match.end()) is not None
        if scale:
            size = ENGLISH_MAGNITUDES[scale.lower()]
            yield read.quantity(*match.span(), fraction_value((count or 1) * size, of), "possible")
        elif whole:
            name, reach = read.unit(text, match.end()) or (None, 0)
            yield read.quantity(*match.span(), key, "stated", unit=name, reach=reach)
            yield read.quantity(*match.span(), str(whole), "possible")
        elif divides and count:
            yield read.quantity(*match.span(), key, "stated")
            yield read.quantity(*match.span(), str(of), "faint")
        elif divides or count:
            yield read.quantity(*match.span(), key, "possible")
            yield read.quantity(*match.span(), str(of), "possible", ordinal=True)


_MAGNITUDE_BEHIND = re.compile(rf" ({'|'.join(ENGLISH_MAGNITUDES)})\b", re.IGNORECASE)


def scaled_english_digits(text: str, key: str, at: int) -> tuple[str, int] | None:
    """Return the value of digits with a magnitude behind them, and its end: 1.5 million."""
    magnitude = _MAGNITUDE_BEHIND.match(text, at)
    if magnitude is None:
        return None
    value = Decimal(key) * ENGLISH_MAGNITUDES[magnitude.group(1).lower()]
    return plain_value(f"{value:f}"), magnitude.end()
