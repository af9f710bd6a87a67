"""Numbers in patent text: values, units, ranges, formulas, identifiers, numerals, number words.

| form | example | read as |
|---|---|---|
| digits | 1,000 ／ １０００ / 3万 / 1.5 million | its value |
| with a unit | 5 mm, 5毫米, 5 millimeters | value, canonical unit; a range shares its unit |
| negative | −20 ℃ | a minus counts only before a number with a unit |
| formula, identifier | Fe₂O₃, CO<sub>2</sub>, T1, 4010NA | one token, case ignored |
| numeral or word that counts | 三个, 第二, 第2, 二〇二〇年, two, third | value, *stated* |
| word that may count | 双, 两侧, both, trimer, March | value, *possible* |
| word that seldom counts | 一 in 一种, each, either | value, *faint* |

Digits are *exact*: each occurrence matters. Stated words matter once per value, since languages
repeat them differently. Possible and faint words only help to explain a number on the other side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from patmark.text.folding import Folded, fold

# canonical form: symbols (case matters) | words (any case)
_UNITS: dict[str, tuple[str, str]] = {
    "%": ("%", "percent|per cent|percentage points?|パーセント|個百分点|个百分点"),
    "‰": ("‰", "per mille"),
    "wt%": (
        "wt ?%|wt\\.? ?%|mass ?%|% ?\\(?w/w\\)?|w/w ?%|w%",
        "(?:重量|质量|質量) ?%|(?:%|percent|per cent) by (?:weight|mass)|weight ?(?:%|percent)",
    ),
    "vol%": (
        "vol\\.? ?%|v/v ?%|% ?\\(?v/v\\)?",
        "(?:体积|體積|体積|容量) ?%|(?:%|percent|per cent) by volume|volume ?(?:%|percent)",
    ),
    "mol%": ("mol\\.? ?%|at\\.? ?%", "(?:摩尔|モル|原子) ?%|mole ?(?:%|percent)"),
    "parts": ("", "(?:重量|质量|質量)[份部]|parts? by (?:weight|mass)|份|parts"),
    "nm": ("nm", "纳米|ナノメートル|nanomet(?:er|re)s?"),
    "μm": ("μm|um|μπι", "微米|マイクロメートル|ミクロン|micromet(?:er|re)s?|microns?"),
    "mm": ("mm", "毫米|ミリメートル|millimet(?:er|re)s?"),
    "cm": ("cm", "厘米|センチメートル|centimet(?:er|re)s?"),
    "km": ("km", "公里|千米|キロメートル|kilomet(?:er|re)s?"),
    "m": ("m", "米|メートル|met(?:er|re)s?"),
    "Å": ("Å|Å", "埃|オングストローム|angstroms?"),
    "inch": ("", "英寸|インチ|inch(?:es)?"),
    "mm2": ("mm\\^?2", "平方毫米|square millimet(?:er|re)s?"),
    "cm2": ("cm\\^?2", "平方厘米|square centimet(?:er|re)s?"),
    "m2": ("m\\^?2", "平方米|平方メートル|square met(?:er|re)s?"),
    "mm3": ("mm\\^?3", "立方毫米|cubic millimet(?:er|re)s?"),
    "cm3": ("cm\\^?3|cc", "立方厘米|立方センチメートル|cubic centimet(?:er|re)s?"),
    "m3": ("m\\^?3|Nm\\^?3", "立方米|立方メートル|cubic met(?:er|re)s?"),
    "μg": ("μg|ug", "微克|マイクログラム|micrograms?"),
    "mg": ("mg", "毫克|ミリグラム|milligrams?"),
    "kg": ("kg|Kg|KG", "千克|公斤|キログラム|kilograms?"),
    "g": ("g", "克|グラム|grams?"),
    "t": ("t", "吨|トン|tons?|tonnes?"),
    "μL": ("μ[lL]|u[lL]", "微升|マイクロリットル|microlit(?:er|re)s?"),
    "mL": ("m[lL]|ML", "毫升|ミリリットル|millilit(?:er|re)s?"),
    "L": ("[lL]", "升|リットル|lit(?:er|re)s?"),
    "ns": ("ns", "纳秒|ナノ秒|nanoseconds?"),
    "μs": ("μs|us", "微秒|マイクロ秒|microseconds?"),
    "ms": ("ms", "毫秒|ミリ秒|milliseconds?"),
    "s": ("s|sec", "秒钟?|秒間|seconds?"),
    "min": ("mins?|min\\.", "分钟|分間|分(?![の之别离子割解布配析岐散数量野贝])|minutes?"),
    "h": ("h|hrs?", "小时|时(?!间|刻)|時間|hours?"),
    "d": ("d", "天(?!然|线)|日(?!本)間?|days?"),
    "week": ("", "周(?!围|向|边|期|缘)|週間?|weeks?"),
    "month": ("", "[个個ヶケか]?月間?|months?"),
    "year": ("", "年間?|years?"),
    "°C": ("℃|° ?C|deg\\.? ?C", "摄氏度|度C|DEG\\.? ?C|degrees? (?:C\\b|Celsius|centigrade)"),
    "°F": ("℉|° ?F", "华氏度|degrees? (?:F\\b|Fahrenheit)"),
    "°": ("°", "度|degrees?|deg\\b"),
    "K": ("K", "开尔文|ケルビン|kelvins?"),
    "Pa": ("Pa", "帕(?:斯卡)?|パスカル|pascals?"),
    "kPa": ("[kK]Pa", "千帕|キロパスカル|kilopascals?"),
    "MPa": ("M[Pp]a|MPA", "兆帕|メガパスカル|megapascals?"),
    "GPa": ("GPa", "吉帕|gigapascals?"),
    "bar": ("bars?", "バール"),
    "atm": ("atm", "大气压|気圧|atmospheres?"),
    "Torr": ("[Tt]orr|mmHg", ""),
    "psi": ("psi", ""),
    "mV": ("mV", "毫伏|ミリボルト|millivolts?"),
    "kV": ("[kK]V", "千伏|キロボルト|kilovolts?"),
    "V": ("V", "伏特?|ボルト|volts?"),
    "mA": ("mA", "毫安|ミリアンペア|milliamp(?:ere)?s?"),
    "A": ("A", "安(?:培)?(?!装|全|置|放|排|定)|アンペア|amp(?:ere)?s?"),
    "mW": ("mW", "毫瓦|ミリワット|milliwatts?"),
    "kW": ("[kK][Ww]", "千瓦|キロワット|kilowatts?"),
    "W": ("W", "瓦特?|ワット|watts?"),
    "Ω": ("Ω", "欧姆?|オーム|ohms?"),
    "kΩ": ("[kK]Ω", "千欧|キロオーム|kilohms?"),
    "Hz": ("[Hh][Zz]", "赫兹?|ヘルツ|hertz"),
    "kHz": ("[kK][Hh][Zz]", "千赫兹?|キロヘルツ|kilohertz"),
    "MHz": ("M[Hh][Zz]", "兆赫兹?|メガヘルツ|megahertz"),
    "GHz": ("G[Hh][Zz]", "吉赫兹?|ギガヘルツ|gigahertz"),
    "rpm": (
        "rpm|r/min|RPM",
        "转/分钟?|转每分钟?|回転/分|revolutions? per minute|rotations? per minute",
    ),
    "bit": ("", "比特|ビット|bits?"),
    "byte": ("", "字节|バイト|bytes?"),
    "mmol": ("mmol", "毫摩尔|ミリモル|millimoles?"),
    "mol": ("mol", "摩尔|モル|moles?"),
    "ppm": ("ppm|PPM", ""),
    "ppb": ("ppb", ""),
    "J": ("J", "焦耳?|ジュール|joules?"),
    "kJ": ("kJ|KJ", "千焦耳?|キロジュール|kilojoules?"),
    "eV": ("eV", "电子伏特?|電子ボルト|electron ?volts?"),
    "dB": ("dB", "分贝|デシベル|decibels?"),
    "N": ("N", "牛顿?|ニュートン|newtons?"),
    "kN": ("kN|KN", "千牛|kilonewtons?"),
}  # fmt: skip


@cache
def _unit_pattern() -> tuple[re.Pattern[str], tuple[str, ...]]:
    """What units look like, with a group for each form, and the names of the groups."""
    symbols: list[tuple[str, str]] = []
    words: list[tuple[str, str]] = []
    for name, (symbol, word) in _UNITS.items():
        symbols += [(form, name) for form in symbol.split("|") if form]
        words += [(word, name)] if word else []
    parts = [(rf"{form}(?![A-Za-z0-9'])", name) for form, name in symbols]
    parts += [(rf"(?i:{word})(?![a-z])", name) for word, name in words]
    # longest first, so that "mm" is not read as "m"
    parts.sort(key=lambda part: -len(part[0]))
    joined = "|".join(f"({pattern})" for pattern, _ in parts)
    return re.compile(rf"[ -]?(?:{joined})"), tuple(name for _, name in parts)


_MAY_START = re.compile(r"[ -]?[^\s\d,.;:，。；：、()\[\]]")


def match_unit(text: str, at: int) -> tuple[str, int] | None:
    """The unit that begins at a place (after at most one blank), and where it ends."""
    if _MAY_START.match(text, at) is None:
        return None
    pattern, names = _unit_pattern()
    match = pattern.match(text, at)
    if match is None or match.lastindex is None:
        return None
    return names[match.lastindex - 1], match.end()


def compatible(first: str | None, second: str | None) -> bool:
    """Whether two units can name the same thing; a missing unit fits any."""
    if first is None or second is None or first == second:
        return True
    pair = {first, second}
    if "%" in pair:
        return all(unit.endswith("%") for unit in pair)
    return "°" in pair and bool(pair & {"°C", "°F"})


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


Certainty: TypeAlias = Literal["exact", "stated", "possible", "faint"]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number or formula: where it is in the original text, and what it says.

    ``key`` is the plain value ("0.5") or, for a token with letters, the token in capitals.
    ``groups`` are the parts of a number with separators, which might be a list: 100,200.
    """

    start: int
    end: int
    key: str
    certainty: Certainty = "exact"
    unit: str | None = None
    negative: bool = False
    chemical: bool = False
    is_token: bool = False
    groups: tuple[str, ...] = ()
    ordinal: bool = False


_RUN = re.compile(
    r"(?P<number>\d{1,3}(?:,\d{3})+(?![\d])(?:\.\d+)?|\d+(?:\.\d+)?)|(?<![A-Za-z])[A-Za-z]{1,20}\d[A-Za-z0-9]*"
)
_LETTERS = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_HAN_MAGNITUDE = re.compile(r" ?([十百千]?[万萬億亿兆])")
_ENGLISH_MAGNITUDE = re.compile(rf" ({'|'.join(ENGLISH_MAGNITUDES)})\b", re.IGNORECASE)
_RANGE = re.compile(r"\s*(?:-|~|to|至|到|から|乃至|ないし|×|\*|x)\s*")
_COUNTERS = "个個種种次条條根片块塊台组組只隻层層位倍项項枚本回段箇つ步対对匹株点軸维維方路级級轮輪"
_COUNTED = re.compile(rf"\s?[{_COUNTERS}]")
_UNIT_REST = re.compile(r"(?:[/·*]\(?[A-Za-zμΩ]+(?:\^?-?\d)?\)?)+")
_ORDINAL_SUFFIX = re.compile(r"(?:st|nd|rd|th)(?![A-Za-z0-9])")
_ELEMENT_SYMBOLS = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se "
    "Br Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb "
    "Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Th U"
)
_ELEMENTS = frozenset(_ELEMENT_SYMBOLS.split())
_SYMBOL = re.compile(r"([A-Z][a-z]?)\d*")
_GASES = frozenset({"H2", "O2", "N2", "F2", "Cl2", "Br2", "I2", "O3"})


def find_quantities(text: str, language: str) -> list[Quantity]:
    """All numbers of a text in ``en``, ``zh`` or ``ja``, in order of place."""
    folded = fold(text)
    found = _share_units(folded.text, list(_exact(folded.text)))
    found += _english_words(folded.text) if language == "en" else _han_numerals(folded.text)
    if len(folded.text) != len(text):
        found = [_at_original(quantity, folded) for quantity in found]
    return sorted(found, key=lambda quantity: (quantity.start, quantity.end))


def _at_original(quantity: Quantity, folded: Folded) -> Quantity:
    start, end = folded.span(quantity.start, quantity.end)
    return replace(quantity, start=start, end=end)


def plain_value(digits: str) -> str:
    """A value without separators, leading or trailing zeros: 1,000.50 → 1000.5."""
    whole, _, decimals = digits.replace(",", "").partition(".")
    decimals = decimals.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{decimals}" if decimals else "")


def _exact(text: str) -> Iterator[Quantity]:
    at = 0
    while (match := _RUN.search(text, at)) is not None:
        quantity = _number(text, match) if match["number"] else _token(match)
        yield quantity
        at = quantity.end if quantity.unit is None else _end_of_unit(text, quantity.end)


def _end_of_unit(text: str, start: int) -> int:
    """Where the unit after a number ends, so that the 3 of kg/m3 is no number."""
    unit = match_unit(text, start)
    end = start if unit is None else unit[1]
    rest = _UNIT_REST.match(text, end)
    return end if rest is None else rest.end()


def _token(match: re.Match[str]) -> Quantity:
    token = match.group()
    chemical = _is_chemical(token)
    return Quantity(match.start(), match.end(), token.upper(), chemical=chemical, is_token=True)


def _is_chemical(token: str) -> bool:
    symbols = _SYMBOL.findall(token)
    spelled = "".join(symbols) == re.sub(r"\d", "", token)
    known = spelled and _ELEMENTS.issuperset(symbols)
    return token in _GASES or (known and len(set(symbols)) > 1)


def _number(text: str, match: re.Match[str]) -> Quantity:
    start, end, key = match.start(), match.end(), plain_value(match.group())
    attached = _LETTERS.match(text, end)
    if _ORDINAL_SUFFIX.match(text, end):
        return Quantity(start, end, key, "stated", ordinal=True)
    single_capital = attached is not None and re.fullmatch("[A-Z]", attached.group())
    unit = None if single_capital else match_unit(text, end)
    if attached is not None and unit is None:
        token = match.group() + attached.group()
        return Quantity(start, attached.end(), token.upper(), is_token=True)
    if unit is not None:
        return _with_unit(text, start, end, key, unit[0])
    return _plain(text, start, end, key)


def _with_unit(text: str, start: int, end: int, key: str, unit: str) -> Quantity:
    minus = (
        start > 0
        and text[start - 1] == "-"
        and not re.search(r"[A-Za-z0-9)\]]-$", text[:start][-2:])
    )
    return Quantity(start - minus, end, key, unit=unit, negative=minus)


def _plain(text: str, start: int, end: int, key: str) -> Quantity:
    han = _HAN_MAGNITUDE.match(text, end)
    if han is not None:
        scale = parse_han("一" + han.group(1)) or 1
        return Quantity(start, han.end(), plain_value(f"{Decimal(key) * scale:f}"))
    english = _ENGLISH_MAGNITUDE.match(text, end)
    if english is not None:
        scale = ENGLISH_MAGNITUDES[english.group(1).lower()]
        return Quantity(start, english.end(), plain_value(f"{Decimal(key) * scale:f}"))
    if key == "1" and _COUNTED.match(text, end):
        return Quantity(start, end, key, "possible")
    if start > 0 and text[start - 1] == "第":
        return Quantity(start, end, key, "stated", ordinal=True)
    groups = text[start:end].split(",")
    return Quantity(start, end, key, groups=tuple(groups) if len(groups) > 1 else ())


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Give the first number of a range the unit of the last: 3–5 mm."""
    for position in range(len(found) - 2, -1, -1):
        first, second = found[position], found[position + 1]
        between = text[first.end : second.start + second.negative]
        if first.unit is None and second.unit and not first.is_token and _RANGE.fullmatch(between):
            found[position] = _with_unit(text, first.start, first.end, first.key, second.unit)
    return found


_HAN_RUN = re.compile(rf"[{HAN_NUMERAL}]+|[双雙单単首初先Ⅰ-Ⅻ]")
_HAN_POSSIBLE = {"双": 2, "雙": 2, "首": 1, "初": 1, "先": 1, "单": 1, "単": 1}
_LABELLED = re.compile(
    r"(?:第|实施例|实施方式|实施形态|步骤|图|図|表|方案|权利要求|請求項|实验例|对比例|比较例|実施例)$"
)
_AFTER_NUMERAL = re.compile(rf"[{_COUNTERS}年月日号條%]")
_PERCENT_OF = re.compile(r"百分之(?:([\d.]+)|([〇零一二三四五六七八九十百]+))")
_VAGUE = re.compile(r"[数數几幾多若干]$")


def _han_numerals(text: str) -> Iterator[Quantity]:
    percents = [match.span() for match in _PERCENT_OF.finditer(text)]
    for match in _PERCENT_OF.finditer(text):
        value = parse_han(match.group(2)) if match.group(2) else None
        if value is not None:
            yield Quantity(match.start(), match.end(), str(value), "stated", "%")
    for match in _HAN_RUN.finditer(text):
        if not any(start <= match.start() < end for start, end in percents):
            yield from _han_numeral(text, match)


def _han_numeral(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    run, start, end = match.group(), match.start(), match.end()
    if run in _HAN_POSSIBLE:
        yield Quantity(start, end, str(_HAN_POSSIBLE[run]), "possible")
        return
    if "Ⅰ" <= run <= "Ⅻ":
        yield Quantity(start, end, str(ord(run) - ord("Ⅰ") + 1), "possible")
        return
    after_digit = start > 0 and text[start - 1].isdigit()
    value = None if after_digit else parse_han(run)
    if value is None or (value == 0 and run != "零"):
        return
    ordinal = start > 0 and text[start - 1] == "第"
    yield Quantity(start, end, str(value), _certainty(text, match, value), ordinal=ordinal)
    if len(run) > 1:
        for offset, mark in enumerate(run):
            single = parse_han(mark)
            if single is not None:
                yield Quantity(start + offset, start + offset + 1, str(single), "faint")


def _certainty(text: str, match: re.Match[str], value: int) -> Certainty:
    before = text[max(0, match.start() - 4) : match.start()]
    if _VAGUE.search(before):
        return "faint"
    if _LABELLED.search(before):
        return "stated"
    if value == 1:
        return "faint"
    return "stated" if _AFTER_NUMERAL.match(text, match.end()) else "possible"


_WORD = re.compile(r"[A-Za-z]+")


def _english_words(text: str) -> Iterator[Quantity]:
    for match in ENGLISH_NUMBER.finditer(text):
        value, ordinal = parse_english(match.group())
        if ordinal or value > 1:
            yield Quantity(match.start(), match.end(), str(value), "stated", ordinal=ordinal)
    for match in _WORD.finditer(text):
        loose = loose_value(match.group().lower())
        if loose is not None:
            certainty: Certainty = "faint" if loose[1] else "possible"
            yield Quantity(match.start(), match.end(), str(loose[0]), certainty)
