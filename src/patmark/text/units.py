"""Units of measure in English, Chinese and Japanese, each with one canonical form."""

from __future__ import annotations

import re

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


def _compile() -> tuple[re.Pattern[str], tuple[str, ...]]:
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


_PATTERN, _NAMES = _compile()
_MAY_START = re.compile(r"[ -]?[^\s\d,.;:，。；：、()\[\]]")


def match_unit(text: str, at: int) -> tuple[str, int] | None:
    """The unit that begins at a place (after at most one blank), and where it ends."""
    if _MAY_START.match(text, at) is None:
        return None
    match = _PATTERN.match(text, at)
    if match is None or match.lastindex is None:
        return None
    return _NAMES[match.lastindex - 1], match.end()


def compatible(first: str | None, second: str | None) -> bool:
    """Whether two units can name the same thing; a missing unit fits any."""
    if first is None or second is None or first == second:
        return True
    pair = {first, second}
    if "%" in pair:
        return all(unit.endswith("%") for unit in pair)
    return "°" in pair and bool(pair & {"°C", "°F"})
