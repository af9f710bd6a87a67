"""Units: symbols and words, dimension exponents, scale and basis.

| written | unit | is |
|---|---|---|
| mg/L, 毫克每升, mg per liter | mg/L | 1/1000 g·m^-3·1000 |
| 每分钟50毫升, 毎分50mL, 50 mL/min | mL/min | with the divisor before or after the number |
| wt%, 質量%, % by weight | wt% | a hundredth, on the basis of mass |

The name of a unit is its identity; :func:`unit_meaning` gives dimension, scale and basis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from typing import NamedTuple

# power of ten: symbol, and the words of English, Japanese and Chinese
_UNIT_PREFIXES = {
    "p": ("p", "pico|ピコ|皮"), "n": ("n", "nano|ナノ|纳|奈|나노"),
    "μ": ("[μu]", "mi[ck]ro|マイクロ|微|마이크로"),
    "m": ("m", "milli|ミリ|毫|밀리"), "c": ("c", "[cz]enti|センチ|厘|센티"),
    "d": ("d", "deci|デシ|分"),
    "h": ("h", "hecto|ヘクト|百"), "k": ("[kK]", "kilo?|キロ|千|킬로"), "M": ("M", "mega?|メガ|兆"),
    "G": ("G", "giga|ギガ|吉|千兆"), "T": ("T", "tera|テラ|太"),
}  # fmt: skip
_POWERS = {
    "p": -12, "n": -9, "μ": -6, "m": -3, "c": -2, "d": -1, "h": 2, "k": 3, "M": 6, "G": 9, "T": 12,
}  # fmt: skip
_AMPERE = "安(?:培)?(?!装|全|置|放|排|定|时|時)"  # 安装, to mount, and 安全, safe, are no units
# the prefixes that are in use with a unit: its symbol, and its words
_PREFIXED: dict[str, tuple[str, str, str]] = {
    "m": ("pnμmcdk", "m", "m[eè]t(?:er|re)s?|メートル|米|미터"),
    "g": ("pnμmk", "g", "gramm?e?s?|グラム|克|그램"),
    "L": ("nμmd", "[lL]", "lit(?:er|re)s?|リットル|升|리터"),
    "s": ("pnμm", "s", "seconds?|秒"),
    "Pa": ("mhkMG", "[Pp][aA]", "pascals?|パスカル|帕"),
    "V": ("nμmkM", "V", "volts?|ボルト|伏特?"),
    "A": ("pnμmk", "A", rf"amp(?:ere)?s?|アンペア|{_AMPERE}"),
    "W": ("nμmkMG", "[Ww]", "watts?|ワット(?!時)|瓦特?(?!时)"),
    "Ω": ("μmkMG", "Ω", "ohms?|オーム|欧姆?"),
    "Hz": ("mkMGT", "[Hh][Zz]", "hertz|ヘルツ|赫兹?"),
    "F": ("pnμm", "F", "farads?|ファラ[ドッ]ド?|法拉?"),
    "H": ("nμm", "H", "henr(?:y|ys|ies)|ヘンリー|亨利?"),
    "T": ("nμm", "T", "teslas?|テスラ|特斯拉"),
    "S": ("nμm", "S", "siemens|ジーメンス|西门子"),
    "M": ("pnμm", "M", "molar"),
    "J": ("nμmkMG", "J", "joules?|ジュール|焦耳?"),
    "eV": ("mkMG", "eV", "[ -]?electron ?-?volts?|電子ボルト|电子伏特?"),
    "N": ("nμmkM", "N", "newtons?|ニュートン|牛顿?"),
    "mol": ("pnμmk", "mol", "moles?|モル|摩尔"),
    "bit": ("kMG", "bits?", "bits?|ビット|比特"),
    "byte": ("kMGT", "B", "bytes?|バイト|字节"),
    "Wh": ("mkMG", "Wh", "watt[ -]?hours?|ワット時|瓦时"),
    "Ah": ("mk", "Ah", "amp(?:ere)?[ -]?hours?|アンペア時|安时"),
    "bps": ("kMG", "bps", "bits? per second"),
    "Da": ("kM", "Da", "daltons?|ダルトン|道尔顿"),
    "lx": ("km", "lx", "lux|ルクス|勒克斯"),
    "lm": ("k", "lm", "lumens?|ルーメン|流明"),
    "cd": ("mk", "cd", "candelas?|カンデラ|坎德拉"),
    "rad": ("m", "rad", "radians?|ラジアン|弧度"),
    "Gy": ("mk", "Gy", "grays?|グレイ"),
    "P": ("mc", "P", "poise|ポアズ|泊"),
}

# canonical form: symbols (case matters) | words (any case)
_UNITS: dict[str, tuple[str, str]] = {
    "%": (
        "%",
        "percent|per cent|percentage points?|パーセント|個百分点|个百分点|Prozent|pour ?cent"
        "|퍼센트",
    ),
    "‰": ("‰", "per mille"),
    "wt%": (
        "wt ?%|wt\\.? ?%|mass ?%|% ?\\(?w/w\\)?|w/w ?%|w%",
        "(?:重量|质量|質量) ?%|(?:%|percent|per cent) by (?:weight|mass)|weight ?(?:%|percent)"
        "|mass ?percent|Gew(?:\\.|ichts) ?-?(?:%|prozent)|Massen ?-?(?:%|prozent)|Ma\\.-%"
        "|% (?:en|de) (?:poids|masse)|중량 ?%|질량 ?%",
    ),
    "vol%": (
        "vol\\.? ?%|v/v ?%|% ?\\(?v/v\\)?",
        "(?:体积|體積|体積|容量) ?%|(?:%|percent|per cent) by volume|volume ?(?:%|percent)"
        "|Vol(?:\\.|umen) ?-?(?:%|prozent)|% en volume|부피 ?%|체적 ?%",
    ),
    "mol%": (
        "mol\\.? ?%|% ?\\(?mol/mol\\)?",
        "(?:摩尔|モル|몰) ?%|mole ?(?:%|percent)|molar (?:%|percent)|(?:%|percent|per cent) by mole"
        "|mol-%|% molaires?",
    ),
    "at%": (
        "at\\.? ?%",
        "原子 ?(?:%|パーセント|百分比)|atomic[ -]?(?:%|percent)|(?:%|percent) by atom|원자 ?%"
        "|atom-%|% atomiques?",
    ),
    "parts": (
        "",
        "parts? by (?:weight|mass)|(?:重量|质量|質量)[份部]|중량부|份|parts|Teilen?|parties",
    ),
    "vol parts": ("", "parts? by volume|(?:体积|體積|体積|容量)[份部]"),
    "rev": (
        "",
        "转(?![移动化换向子轴速矩角盘台接让变为运发录入至印用染基数])|回転(?![数速軸体子角方式し])"
        "|revolutions?|rotations?|turns? (?=per)|Umdrehungen|tours(?= ?par)|회전",
    ),
    "μm": ("μπι", "ミクロン|microns?"),
    "mL": ("ML", ""),
    "kg": ("KG", "公斤"),
    "km": ("", "公里"),
    "Å": ("Å|Å", "埃|オングストローム|angstroms?"),
    "inch": ("", "英寸|インチ|inch(?:es)?"),
    "mm2": ("mm\\^?2", "平方毫米|平方ミリメートル|square millimet(?:er|re)s?"),
    "cm2": ("cm\\^?2", "平方厘米|平方センチメートル|square centimet(?:er|re)s?"),
    "m2": ("m\\^?2", "平方米|平方メートル|square met(?:er|re)s?"),
    "mm3": ("mm\\^?3", "立方毫米|立方ミリメートル|cubic millimet(?:er|re)s?"),
    "cm3": ("cm\\^?3|cc", "立方厘米|立方センチメートル|cubic centimet(?:er|re)s?"),
    "m3": ("m\\^?3|Nm\\^?3", "立方米|立方メートル|cubic met(?:er|re)s?"),
    "t": ("t", "吨|トン|tons?|tonnes?"),
    "s": ("s|sec", "秒钟?|秒間|seconds?|Sekunden?|secondes?|초"),
    "min": (
        "mins?|min\\.",
        "分钟|分間|分(?![の之别离子割解布配析岐散数量野贝米升])|minutes?|Minuten?|분",
    ),
    "h": ("h|hrs?", "小时|时(?!间|刻)|時間|hours?|Stunden?|heures?|시간"),
    "d": ("d", "天(?!然|线)|日(?!本)間?|days?|Tagen?|jours?|일"),
    "week": ("", "周(?!围|向|边|期|缘)|週間?|weeks?"),
    "month": ("", "[个個ヶケか]?月間?|months?"),
    "year": ("", "年間?|years?"),
    "°C": ("℃|° ?C|deg\\.? ?C", "摄氏度|度C|DEG\\.? ?C|degrees? (?:C\\b|Celsius|centigrade)"),
    "°F": ("℉|° ?F", "华氏度|degrees? (?:F\\b|Fahrenheit)"),
    "°": ("°", "度|degrees?|deg\\b|Grad|degrés?|도"),
    "K": ("K", "开尔文|ケルビン|kelvins?"),
    "Pa": ("Pa", "帕(?:斯卡)?|パスカル|pascals?"),
    "bar": ("bars?", "バール"),
    "atm": ("atm", "大气压|気圧|atmospheres?"),
    "Torr": ("[Tt]orr|mmHg", ""),
    "psi": ("psi", ""),
    "W": ("W", "瓦特?|ワット|watts?"),
    "rpm": (
        "rpm|r/min|RPM|U/min|tr/min",
        "转/分钟?|转每分钟?|回転/分|revolutions? per minute|rotations? per minute",
    ),
    "ppm": ("ppm|PPM", ""),
    "ppb": ("ppb", ""),
    "eV": ("eV", "电子伏特?|電子ボルト|electron ?volts?"),
    "kgf": ("kgf", "公斤力"),
    "ft": ("ft", "英尺|フィート|feet|foot"),
    "lb": ("lbs?", "磅|ポンド|pounds?"),
    "oz": ("oz", "盎司|オンス|ounces?"),
    "sccm": ("sccm|SCCM", ""),
    "dpi": ("dpi", ""),
    "fps": ("fps", "frames per second"),
    "dtex": ("dtex", "分特|デシテックス"),
    "mesh": ("", "目(?![的标標录錄次前])|メッシュ|mesh"),
    "IU": ("IU", "国际单位|国際単位"),
    "dB": ("dB", "分贝|デシベル|decibels?"),
}  # fmt: skip


# of _PREFIXED, those that stand alone, too: with their symbol, or only in words
_ALONE = (
    "m", "g", "L", "V", "A", "Ω", "Hz", "mol", "J", "N", "Wh", "Ah", "bps", "Da", "lx", "lm", "cd",
    "rad", "Gy",
)  # fmt: skip
_ALONE_IN_WORDS = ("F", "H", "T", "bit", "byte")


def _with_prefixes() -> Iterator[tuple[str, tuple[str, str]]]:
    for unit, (prefixes, symbol, word) in _PREFIXED.items():
        if unit in _ALONE or unit in _ALONE_IN_WORDS:
            yield unit, (symbol if unit in _ALONE else "", word)
        for prefix in prefixes:
            sign, words = _UNIT_PREFIXES[prefix]
            yield f"{prefix}{unit}", (sign + symbol, f"(?:{words})(?:{word})")


@cache
def _unit_pattern(powers: bool) -> tuple[re.Pattern[str], tuple[str, ...]]:
    """Return a pattern with a group for each form of a unit, and the names of the groups.

    A digit after a symbol is an exponent where ``powers`` are expected: m/s2.
    """
    symbols: list[tuple[str, str]] = []
    words: list[tuple[str, str]] = []
    for name, (symbol, word) in (*_UNITS.items(), *_with_prefixes()):
        symbols += [(form, name) for form in symbol.split("|") if form]
        words += [(word, name)] if word else []
    end = r"(?![A-Za-z']|\d(?:\d|\.\d))" if powers else "(?![A-Za-z0-9'])"
    parts = [(form + end, name) for form, name in symbols]
    parts += [(rf"(?i:{word})(?![a-z])", name) for word, name in words]
    # longest first, so that "mm" is not read as "m"
    parts.sort(key=lambda part: -len(part[0]))
    joined = "|".join(f"({pattern})" for pattern, _ in parts)
    return re.compile(rf"[ -]?(?:{joined})"), tuple(name for _, name in parts)


_MAY_START = re.compile(r"[ -]?[^\s\d,.;:，。；：、()\[\]]")


def match_unit(text: str, at: int, *, powers: bool = False) -> tuple[str, int] | None:
    """Return the simple unit that begins at a place, after at most one blank, and its end."""
    if _MAY_START.match(text, at) is None:
        return None
    found = _unit_at(text[at : at + _LONGEST_UNIT], powers)
    return None if found is None else (found[0], at + found[1])


_LONGEST_UNIT = 28


@lru_cache(maxsize=2**14)
def _unit_at(text: str, powers: bool) -> tuple[str, int] | None:
    pattern, names = _unit_pattern(powers)
    match = pattern.match(text)
    if match is None or match.lastindex is None:
        return None
    return names[match.lastindex - 1], match.end()


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
    """Return the meaning of a unit by its name; an unknown part is a dimension of its own."""
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
    if "parts" in pair:  # 份 and parts need not be by weight
        return False
    short, long = sorted(pair, key=len)
    return "/" not in short and long.partition("/")[0] == short


def in_base_unit(value: str, unit: str | None) -> tuple[Fraction, UnitMeaning] | None:
    """Return a value in base units with its dimension and basis; None without a unit.

    >>> in_base_unit("0.1", "MPa") == in_base_unit("100", "kPa"), in_base_unit("5", None)
    (True, None)
    """
    if unit is None:
        return None
    meaning = unit_meaning(unit)
    return Fraction(value) * meaning.scale, meaning._replace(scale=Fraction(1))


_DIVIDES = re.compile(
    r"[ ]?/[ ]?\(?|[ ]?(?:per|each|every|pro|par|je)[ ](?:an?[ ]|1[ ]?)?|[每毎](?=[^\d])|당[ ]?"
)
_TIMES = re.compile(r"[·*•⋅・.](?=[A-Za-zμΩ])|\b[ ](?=(?:m|s|min|h|kg|K|mol|cm)(?:\^?-\d))")
_COUNT = re.compile(r"\(?[1-9]\d{0,2}[ ]?(?=[A-Za-zμ])")
_POWER = re.compile(r"(?:(?P<marked>\^\{?)|)(?P<power>-?\d)\}?(?!\d|\.\d)")
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
        if divisor is None and not divided and (thing := _OF_SOMETHING.match(text, end)):
            divisor = _DIVIDES.match(text, thing.end())
        joint = product or divisor
        if joint is None:
            return name, end
        count = _COUNT.match(text, joint.end()) if divisor else None
        more = match_unit(text, count.end() if count else joint.end(), powers=True)
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


_PER_BEFORE = re.compile(r"[每毎]|\b(?:per|each|every|je|par|pro)(?= )", re.IGNORECASE)
_GAP_BEFORE_NUMBER = re.compile(r"[^\d，。；、,;()]{0,12}")
_SPEED = {"时速": "h", "時速": "h", "分速": "min", "秒速": "s", "毎時": "h"}
_SPEED_BEFORE = re.compile(rf"(?P<word>{'|'.join(_SPEED)})(?:约|約|は|が)?$")
_UNIT_EACH = re.compile(r"(?:当たり|当り|あたり|につき|당)(?:、|約|に|の| )*$")
_LONGEST_EACH = 10
_LONGEST_DIVISOR = 24


def unit_before(text: str, start: int) -> str | None:
    """Return the divisor that stands before a number: 每分钟, 毎秒, 1kg当たり, per minute."""
    before = text[max(0, start - _LONGEST_DIVISOR) : start]
    if not before or before[-1] in ".。;；":
        return None
    if speed := _SPEED_BEFORE.search(before):
        return _SPEED[speed["word"]]
    divisors = []
    for per in _PER_BEFORE.finditer(before):
        unit = match_unit(f"{before} ", per.end())
        if unit is not None and _GAP_BEFORE_NUMBER.fullmatch(before, unit[1]):
            divisors.append(unit[0])
    if divisors:
        return "/".join(divisors)
    each = _UNIT_EACH.search(before)
    if each is not None:
        thing = f"{before[: each.start()]} "
        for place in range(max(0, each.start() - _LONGEST_EACH), each.start()):
            unit = match_unit(thing, place)
            if unit is not None and unit[1] == each.start():
                return unit[0]
    return None
