"""Units: symbols and words, dimension exponents, scale and basis.

| written | unit | is |
|---|---|---|
| mg/L, 毫克每升, mg per liter | mg/L | 1/1000 g·m^-3·1000 |
| 每分钟50毫升, 毎分50mL, 50 mL/min | mL/min | with the divisor before or after the number |
| wt%, 質量%, % by weight | wt% | a hundredth, on the basis of mass |

The name of a unit is its identity; :func:`unit_meaning` returns dimension, scale and basis.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

from patmark.facts.lexicon import first_characters, forms_of, phrases, spellings
from patmark.languages import HAN, KATAKANA, PhrasePattern, shared_pack, split_alternatives

_POWERS = {
    "p": -12, "n": -9, "μ": -6, "m": -3, "c": -2, "d": -1, "h": 2, "k": 3, "M": 6, "G": 9, "T": 12,
    "P": 15, "f": -15,
}  # fmt: skip
# the prefixes that are in use with a unit
_PREFIXED = {
    "m": "fpnμmcdk", "g": "fpnμmk", "L": "pnμmcdh", "s": "fpnμm", "Pa": "μmhkMG", "V": "nμmkM",
    "A": "fpnμmk", "W": "pnμmkMGT", "Ω": "μmkMGT", "Hz": "μmkMGT", "F": "fpnμm",
    "H": "nμm", "T": "nμm",
    "S": "nμm", "M": "fpnμm", "J": "nμmkMG", "eV": "mkMGT", "N": "nμmkM", "mol": "fpnμmk",
    "bit": "kMGT", "byte": "kMGTP", "Wh": "mkMGT", "Ah": "mk", "bps": "kMGT", "Da": "kM",
    "lx": "km",
    "lm": "k", "cd": "mk", "rad": "m", "Gy": "μmck", "P": "mc", "Bq": "mkMGT", "Sv": "nμm",
    "Ci": "pnμmk", "VA": "mkM", "var": "kM", "cal": "mk", "St": "c", "Sps": "kMG", "Oe": "mk",
    "kat": "nμm", "Osm": "m", "Eq": "mμ", "U": "mk", "IU": "mkM", "FLOPS": "kMGTP", "OPS": "kMGTP",
    "baud": "kMG", "tex": "dmk", "erg": "", "dyn": "", "Wb": "μm",
}  # fmt: skip
CURRENCIES = frozenset({"CNY", "USD", "HKD", "TWD", "JPY", "EUR", "GBP", "KRW"})
_MAY_BE = {
    "dollar": frozenset({"USD", "HKD", "TWD"}),
    "money": CURRENCIES | {"dollar"},
    "dB": frozenset({"dBA"}),
    "g-force": frozenset({"g"}),
}
# units that a count may leave out: 10^6个/mL is 10^6 CFU/mL
_COUNTABLE = frozenset({"CFU", "PFU", "rev", "aa", "nt", "px", "IU", "U"})
CURRENCY_CODES = "RMB|CNY|USD|HKD|NTD|TWD|JPY|EUR|GBP|KRW"


def currency_before(text: str, start: int) -> str | None:
    """Return the currency whose sign precedes a number: RMB500, HK$ 3."""
    signs = _currency_signs()
    before = text[max(0, start - 4) : start].rstrip(" ")
    return next((name for sign, name in signs.items() if before.endswith(sign)), None)


@cache
def _currency_signs() -> dict[str, str]:
    """Return the currencies by their sign before a number, the longest signs first."""
    found = forms_of("unit-currency-sign").items()
    names = {sign: name for name, signs in found for sign in signs}
    return {sign: names[sign] for sign in sorted(names, key=len, reverse=True)}


# units of _PREFIXED that also occur without a prefix: with their symbol, or only in words
_ALONE = (
    "m", "g", "L", "V", "A", "Ω", "Hz", "mol", "J", "N", "Wh", "Ah", "bps", "Da", "lx", "lm", "cd",
    "rad", "Gy", "F", "H", "T", "Bq", "Sv", "Ci", "VA", "var", "cal", "St", "Sps", "Oe", "kat",
    "Osm", "U", "IU", "FLOPS", "OPS", "baud", "tex", "erg", "dyn", "Wb",
)  # fmt: skip
_ALONE_IN_WORDS = ("bit", "byte")


def _named_units() -> Iterator[tuple[str, str, str]]:
    """Yield the name, the symbols and the words of all units, with and without prefixes."""
    symbols, words = forms_of("unit-symbol"), forms_of("unit")
    plain = shared_pack().table("words").words("unit-symbols")
    for unit in dict.fromkeys((*sorted(plain), *symbols, *words)):
        own = (re.escape(unit),) if unit in plain else ()
        yield unit, "|".join((*own, *symbols.get(unit, ()))), "|".join(words.get(unit, ()))
    stems, stem_words = forms_of("unit-stem-symbol"), forms_of("unit-stem")
    signs, prefix_words = forms_of("unit-prefix-symbol"), forms_of("unit-prefix")
    for unit, prefixes in _PREFIXED.items():
        symbol, word = "|".join(stems.get(unit, (unit,))), "|".join(stem_words.get(unit, ()))
        if unit in _ALONE or unit in _ALONE_IN_WORDS:
            yield unit, (symbol if unit in _ALONE else ""), word
        for prefix in prefixes:
            named = "|".join(prefix_words[prefix])
            words_of_both = f"(?:{named})(?:{word})" if word else ""
            yield f"{prefix}{unit}", f"{signs[prefix][0]}{symbol}", words_of_both


class _UnitForms(NamedTuple):
    """Symbols and words of units by their text, and patterns that are no mere choices.

    ``lengths`` gives the lengths of the texts that begin with a character, longest first.
    Words are in lower case. A pattern stands under the characters that it can begin with.
    """

    symbols: dict[str, str]
    words: dict[str, str]
    lengths: dict[str, tuple[int, ...]]
    patterns: dict[str, tuple[tuple[re.Pattern[str], str], ...]]


@cache
def _unit_forms() -> _UnitForms:
    symbols: dict[str, str] = {}
    words: dict[str, str] = {}
    patterns: defaultdict[str, list[tuple[re.Pattern[str], str]]] = defaultdict(list)
    for name, symbol, word in _named_units():
        for form in filter(None, split_alternatives(symbol)):
            texts = spellings(form)
            for text in texts or ():
                symbols.setdefault(text, name)
            if texts is None:
                for first in first_characters(form):
                    patterns[first].append((re.compile(form + _SYMBOL_END), name))
        for form in filter(None, split_alternatives(word)):
            texts = spellings(form)
            for text in texts or ():
                words.setdefault(text.lower(), name)
            if texts is None:
                pattern = re.compile(rf"(?i:{form}){_WORD_END}")
                for first in first_characters(form):
                    for either in {first.lower(), first.upper()}:
                        patterns[either].append((pattern, name))
    lengths: defaultdict[str, set[int]] = defaultdict(set)
    for text in symbols:
        lengths[text[0]].add(len(text))
    for text in words:
        for first in {text[0], text[0].upper()}:
            lengths[first].add(len(text))
    return _UnitForms(
        symbols,
        words,
        {first: tuple(sorted(sizes, reverse=True)) for first, sizes in lengths.items()},
        {first: tuple(found) for first, found in patterns.items()},
    )


_SYMBOL_END = "(?![A-Za-z0-9'])"
_WORD_END = "(?![A-Za-z])"
# a digit after a symbol is an exponent where powers are expected: m/s2
_ENDS_SYMBOL = {False: re.compile(_SYMBOL_END), True: re.compile(r"(?![A-Za-z']|\d(?:\d|\.\d))")}
_ENDS_WORD = re.compile(_WORD_END)
_NO_UNIT_START = frozenset(" \t\n0123456789,.;:，。；：、()[]")


def match_unit(text: str, at: int, *, powers: bool = False) -> tuple[str, int] | None:
    """Return the longest simple unit at a place, after at most one blank, and its end."""
    if at < len(text) and text[at] in " -":
        at += 1
    if at >= len(text) or text[at] in _NO_UNIT_START:
        return None
    forms = _unit_forms()
    first, best = text[at], None
    for length in forms.lengths.get(first, ()):
        end = at + length
        if end > len(text):
            continue
        written = text[at:end]
        name = forms.symbols.get(written)
        if name is not None and _ENDS_SYMBOL[powers].match(text, end):
            best = name, end
            break
        name = forms.words.get(written.lower())
        if name is not None and _ENDS_WORD.match(text, end):
            best = name, end
            break
    for pattern, name in forms.patterns.get(first, ()):
        match = pattern.match(text, at)
        if match is not None and (best is None or match.end() > best[1]):
            best = name, match.end()
    if best is None and (unknown := _UNKNOWN_SYMBOL.match(text, at)):
        return unknown.group(), unknown.end()
    return best


# a symbol that is in no table but looks like one: a prefix and a capital
_UNKNOWN_SYMBOL = re.compile(
    r"(?![a-zμ]*[A-Z]*[DR]NA)[kdnpcμ]{1,2}[A-Z][A-Za-z]{0,3}(?![A-Za-z0-9'-])"
)

_BASE = {
    "m": "m", "g": "g", "s": "s", "A": "A", "K": "K", "mol": "mol", "%": "1/100 of",
    "‰": "1/1000 of", "ppm": "1/1000000 of", "ppb": "1/1000000000 of", "wt%": "1/100 of",
    "vol%": "1/100 of", "mol%": "1/100 of", "at%": "1/100 of", "L": "1/1000 m3",
    "Hz": "s-1", "N": "1000 g m s-2", "Pa": "1000 g m-1 s-2", "J": "1000 g m2 s-2",
    "W": "1000 g m2 s-3", "V": "1000 g m2 s-3 A-1", "Ω": "1000 g m2 s-3 A-2",
    "S": "1/1000 g-1 m-2 s3 A2", "F": "1/1000 g-1 m-2 s4 A2", "H": "1000 g m2 s-2 A-2",
    "T": "1000 g s-2 A-1", "M": "1000 mol m-3", "bar": "100000000 g m-1 s-2",
    "atm": "101325000 g m-1 s-2", "Torr": "10132500/76 g m-1 s-2", "min": "60 s", "h": "3600 s",
    "d": "86400 s", "week": "604800 s", "t": "1000000 g", "Å": "1/10000000000 m",
    "inch": "127/5000 m", "rpm": "1/60 s-1", "rev": "", "byte": "8 bit", "μm": "1/1000000 m",
    "mm2": "1/1000000 m2", "cm2": "1/10000 m2", "m2": "m2", "mm3": "1/1000000000 m3",
    "cm3": "1/1000000 m3", "m3": "m3", "Wh": "3600000 g m2 s-2", "Ah": "3600 A s",
    "bps": "bit s-1", "P": "100 g m-1 s-1", "kgf": "9806.65 g m s-2", "ft": "381/1250 m",
    "fps": "s-1", "lb": "453.59237 g", "oz": "28.349523125 g", "1": "",
    "year": "12 month", "decade": "120 month", "century": "1200 month",
    "fortnight": "1209600 s", "kilobase": "1000 base_pair", "Wb": "1000 g m2 s-2 A-1",
    "kph": "5/18 m s-1", "bp": "1/10000 of", "Ci": "37000000000 Bq", "cal": "4184 g m2 s-2",
    "St": "1/10000 m2 s-1", "dyn": "1/100 g m s-2", "erg": "1/10000 g m2 s-2",
    "rps": "s-1", "mmHg": "10132500/76 g m-1 s-2", "mbar": "100000 g m-1 s-2",
    "kbar": "100000000000 g m-1 s-2", "mTorr": "101325/760 g m-1 s-2", "hp": "745700 g m2 s-3",
    "mile": "1609.344 m", "nautical mile": "1852 m", "yd": "0.9144 m", "mil": "127/5000000 m",
    "mph": "0.44704 m s-1", "km/h": "5/18 m s-1", "ha": "10000 m2", "gauss": "1/10 g s-2 A-1",
    "lbf": "4448.2216 g m s-2", "ppt": "1/1000000000000 of", "carat": "0.2 g",
    "denier": "1/9 tex", "Sps": "sample s-1", "Mbit": "1000000 bit",
    "mmH2O": "9806.65 g m-1 s-2", "psi": "6894757 g m-1 s-2", "ksi": "6894757000 g m-1 s-2",
}  # fmt: skip
_BASIS = {"wt%": "mass", "vol%": "volume", "mol%": "mole", "at%": "atom"}
_BASIS |= {"parts": "mass", "vol parts": "volume"}


class UnitMeaning(NamedTuple):
    """Dimension exponents, the scale to base units and the basis of a share, empty if unstated."""

    dimension: frozenset[tuple[str, int]]
    scale: Fraction
    basis: str = ""


@lru_cache(maxsize=4096)
def unit_meaning(name: str) -> UnitMeaning:
    """Return the meaning of a unit by its name; an unknown part is a separate dimension."""
    exponents: dict[str, int] = {}
    scale, basis = Fraction(1), ""
    sign = 1
    for mark, part in _NAME_PART.findall(name):
        sign = -1 if mark == "/" else sign
        match = _POWERED.fullmatch(part)
        symbol, power = (match[1], int(match[2])) if match and part not in _BASE else (part, 1)
        basis = basis or _BASIS.get(symbol, "")
        base, times = _meaning_of_symbol(symbol)
        scale *= times ** (sign * power)
        for dimension, exponent in base:
            exponents[dimension] = exponents.get(dimension, 0) + sign * power * exponent
    return UnitMeaning(frozenset((d, e) for d, e in exponents.items() if e), scale, basis)


_NAME_PART = re.compile(r"([/·]?)([^/·]+)")
_POWERED = re.compile(r"(\D+?)(-?\d)")


@cache
def _meaning_of_symbol(symbol: str) -> tuple[tuple[tuple[str, int], ...], Fraction]:
    if symbol.isdecimal():  # 24 of g/m2·24h
        return (), Fraction(int(symbol))
    if symbol not in _BASE and symbol[:1] in _POWERS and symbol[1:] in _PREFIXED:
        base, scale = _meaning_of_symbol(symbol[1:])
        return base, scale * Fraction(10) ** _POWERS[symbol[0]]
    scale = Fraction(1)
    exponents: list[tuple[str, int]] = []
    for part in _BASE.get(symbol, symbol.replace(" ", "_")).split():
        if part[0].isdecimal():
            scale *= Fraction(part)
        else:
            match = _POWERED.fullmatch(part)
            exponents.append((match[1], int(match[2])) if match else (part, 1))
    return tuple(exponents), scale


def compatible(first: str | None, second: str | None) -> bool:
    """Return True if two units of the same number can name the same thing.

    A missing unit, a missing divisor and an unstated basis of a share fit any.
    """
    if first is None or second is None or first == second:
        return True
    first, second = first.replace("rpm", "rev/min"), second.replace("rpm", "rev/min")
    one, other = unit_meaning(first), unit_meaning(second)
    if one[:2] == other[:2]:
        return one.basis == other.basis or not (one.basis and other.basis)
    pair = {first, second}
    if "°" in pair and pair & {"°C", "°F"}:
        return True
    if second in _MAY_BE.get(first, ()) or first in _MAY_BE.get(second, ()):
        return True
    if "parts" in pair:  # 份 and parts need not be by weight
        return False
    if any(name.endswith(OF_A_THING) for name in pair):
        return _fits_thing(first, second)
    short, long = sorted(pair, key=len)
    if short.startswith("1/"):
        numerator, _, divisor = long.partition("/")
        return numerator in _COUNTABLE and divisor == short[2:]
    return "/" not in short and long.partition("/")[0] == short


OF_A_THING = "/?"  # divided by a thing that is no unit: 5 mg per tablet, 每孔100个
_PHYSICAL = frozenset({"m", "g", "s", "A", "K", "mol"})


def _fits_thing(first: str, second: str) -> bool:
    """Return True unless one unit is divided by a thing and the other by a physical unit."""
    (one, divisor), (other, another) = (
        (name.partition("/")[0], name.partition("/")[2]) for name in (first, second)
    )
    if not (one == other or "1" in (one, other)):
        return False
    known = divisor if another == "?" else another
    if known in ("", "?"):
        return True
    return not {base for base, _ in unit_meaning(known).dimension} <= _PHYSICAL


@lru_cache(maxsize=2**14)
def in_base_unit(value: str, unit: str | None) -> tuple[Fraction, UnitMeaning] | None:
    """Return a value in base units with its dimension and basis; None without a unit.

    >>> in_base_unit("0.1", "MPa") == in_base_unit("100", "kPa"), in_base_unit("5", None)
    (True, None)
    """
    if unit is None:
        return None
    meaning = unit_meaning(unit)
    return Fraction(value) * meaning.scale, meaning._replace(scale=Fraction(1))


_DIVIDES = phrases(
    r"[ ]?/[ ]?\(?|[ ]?(?:{per-word})[ ](?:an?[ ]|1[ ]?)?|{per-mark}", ignore_case=False
)
_TIMES = re.compile(
    rf"[·*•⋅\u30fb](?=[A-Za-zμΩ{HAN}{KATAKANA}])|[.](?=[A-Za-zμΩ])"
    r"|\b[ ](?=(?:m|s|min|h|kg|K|mol|cm)(?:\^?-\d))"
)
_COUNT = re.compile(r"\(?[1-9]\d{0,2}[ ]?(?=[A-Za-zμ])")
_POWER = re.compile(r"(?:(?P<marked>\^\{?)|)(?P<power>-?\d)\}?(?!\d|\.\d)")
_BARE_HOUR = phrases("{bare-hour}")
_PER_THING = re.compile(r" per (?!cent\b|se\b|annum\b)[a-z]{3,}")
_OF_SOMETHING = re.compile(r" of (?:an? |the )?[a-z]+(?: [a-z]+)? (?=per )")


def match_units(text: str, at: int) -> tuple[str, int] | None:
    """Return the whole unit after a number, with powers, products and divisors, and its end."""
    first = match_unit(text, at)
    if first is None:
        return None
    name, end = first[0], _power_end(text, first[1])
    if end > first[1]:
        name += text[first[1] : end].strip("^{}")
    divided = False
    while True:
        product = None if divided else _TIMES.match(text, end)
        divisor = _DIVIDES.match(text, end)
        if divisor is None and (thing := _OF_SOMETHING.match(text, end)):
            divisor = _DIVIDES.match(text, thing.end())
        joint = product or divisor
        if joint is None:
            return name, end
        count = _COUNT.match(text, joint.end()) if divisor else None
        after = count.end() if count else joint.end()
        more = match_unit(text, after, powers=True)
        if more is None and divisor and (hour := _BARE_HOUR.match(text, after)):
            more = "h", hour.end()  # 30m/時
        if more is None and divisor and not divided and (thing := _PER_THING.match(text, end)):
            return f"{name}{OF_A_THING}", thing.end()
        if more is None:
            return name, end
        end = _power_end(text, more[1])
        digits = (
            f"/{count.group().strip('( ')}" if count and count.group().strip("( ") != "1" else ""
        )
        part = more[0] + text[more[1] : end].strip("^{}")
        if divisor:
            part = part.replace("-", "") if part[-1:].isdecimal() else part
            name += f"{digits}/{part}"
            divided = True
            if "(" in joint.group():
                times = _TIMES.match(text, end)
                inner = match_unit(text, times.end(), powers=True) if times else None
                if inner is not None:
                    name, end = f"{name}/{inner[0]}", inner[1]
                end += text[end : end + 1] == ")"
        else:
            name += f"·{part}"


def _power_end(text: str, at: int) -> int:
    """Return the end of an exponent behind a unit: of s-1, cm^3; 5 mm-20 mm has none."""
    power = _POWER.match(text, at) if text[at - 1 : at].isascii() else None
    if power is None:
        return at
    if not power["marked"] and (
        (text[at] != "-" and text[at - 1] not in "mshgL") or match_unit(text, power.end())
    ):
        return at
    return power.end()


_PER_BEFORE = phrases("{per-mark}|(?:{<per-word})(?= )")
_GAP_BEFORE_NUMBER = re.compile(r"[^\d，。；、,;()]{0,12}")
_UNIT_EACH = phrases("(?:{each-after}|(?P<within>{each-within}))(?:、|{about}|{particle}| )*$")
_LONGEST_EACH = 10
_LONGEST_DIVISOR = 24


@cache
def _phrases_by_unit(group: str, pattern: str) -> dict[str, PhrasePattern]:
    """Return the pattern with the phrases of a group in its empty brackets, by unit."""
    return {
        unit: phrases(pattern.replace("{}", "|".join(forms)))
        for unit, forms in forms_of(group, subject="facts").items()
    }


def unit_before(text: str, start: int) -> str | None:
    """Return the divisor before a number: 每分钟, 毎秒, 1kg当たり, per minute."""
    before = text[max(0, start - _LONGEST_DIVISOR) : start]
    if not before or before[-1] in ".。;；":
        return None
    for name, speed in _phrases_by_unit("speed", r"(?:{})(?:{about}|{agent-particle})?$").items():
        if speed.search(before):
            return name
    divisors = []
    for per in _PER_BEFORE.finditer(before):
        unit = match_unit(f"{before} ", per.end())
        if unit is not None and _GAP_BEFORE_NUMBER.fullmatch(before, unit[1]):
            divisors.append(unit[0])
    if divisors:
        return "/".join(divisors)
    for name, daily in _phrases_by_unit(
        "in-one-before", r"(?<!\d)(?:1|{one-digit}) ?(?:{}) ?$"
    ).items():
        if match := daily.search(before):
            more = unit_before(text, start - len(match.group()))
            return f"{more}/{name}" if more else name
    each = _UNIT_EACH.search(before)
    if each is not None:
        thing = f"{before[: each.start()]} "
        for place in range(max(0, each.start() - _LONGEST_EACH), each.start()):
            unit = match_unit(thing, place, powers=True)
            if unit is not None and (end := _power_end(thing, unit[1])) == each.start():
                return f"{unit[0]}{thing[unit[1] : end].strip('^{}')}"
        return None if each["within"] else "?"
    return "?" if _EACH_THING.search(before) else None


_EACH_THING = phrases("(?:{each-thing})$")
