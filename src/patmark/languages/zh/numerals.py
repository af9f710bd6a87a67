"""Chinese and Japanese number words: numerals, fractions, eras, decades."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from patmark.languages.numbers import (
    Certainty,
    NumberReader,
    Read,
    covered,
    fraction_value,
    plain_value,
)
from patmark.languages.patterns import PhrasePattern

_DIGITS = {mark: value for value, mark in enumerate("〇一二三四五六七八九")}
_DIGITS |= {"零": 0} | dict.fromkeys("两兩両", 2)
_SMALL = {"十": 10, "百": 100, "千": 1000}
_MAGNITUDES = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_LONGEST_NUMERAL = 30
HAN_NUMERAL = "".join((*_DIGITS, *_SMALL, *_MAGNITUDES))


def parse_han(numeral: str) -> int | None:
    """Return the value of a Chinese or Japanese numeral; None if it is not well formed."""
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
            if section + digit == 0 and total == 0:
                return None
            if section + digit == 0:  # 万亿
                total *= _MAGNITUDES[mark]
                continue
            total += (section + digit) * _MAGNITUDES[mark]
            section = digit = 0
    return total + section + digit


_HAN_OR_DIGITS = rf"\d{{1,3}}|[{HAN_NUMERAL}]{{1,7}}"
_HAN_FRACTION = re.compile(
    rf"(?<![\d.{HAN_NUMERAL}])(?P<of>\d{{1,3}}[百千万億]+|{_HAN_OR_DIGITS})"
    rf"分[之の](?P<part>{_HAN_OR_DIGITS})(?![\d.])"
)
_HALF = re.compile(r"一半|半分|半数|折半")
_TENTHS = re.compile(
    rf"(?<![\d.{HAN_NUMERAL}])(?P<tenths>\d{{1,2}}(?:\.\d+)?|[一二三四五六七八九十])"
    rf"(?:割(?![合りれっるけ高安])(?:(?P<hundredths>[\d一二三四五六七八九])分)?|成(?=左右|以[上下]|的|至|到|[。,、;]|$))"
)


def _tenths(digits: str | None) -> Decimal | None:
    if digits is None:
        return None
    return Decimal(digits) if digits[0].isdecimal() else Decimal(parse_han(digits) or 0)


def _fractions_of(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Yield Chinese and Japanese fractions: 三分之一, 3分の1; 一半 and 半分 are halves."""
    for match in _HAN_FRACTION.finditer(text):
        part, of = (whole_han(match[name]) for name in ("part", "of"))
        if part and of in (10**3, 10**4, 10**5, 10**6) and not match["of"].isdecimal():
            yield read.quantity(*match.span(), fraction_value(100 * part, of), unit="%")
        elif part and of and match["of"] not in ("百", "100"):  # percents are read by themselves
            yield read.quantity(*match.span(), fraction_value(part, of), "stated")
            yield read.quantity(*match.span("of"), str(of), "faint")
            yield read.quantity(*match.span("part"), str(part), "faint")
    for match in _TENTHS.finditer(text):
        tenths, hundredths = (_tenths(match[name]) for name in ("tenths", "hundredths"))
        if tenths:
            share = plain_value(f"{10 * tenths + (hundredths or Decimal(0)):f}")
            yield read.quantity(*match.span(), share, unit="%", reach=match.end())
    for match in _HALF.finditer(text):
        yield read.quantity(*match.span(), "0.5", "stated")
        yield read.quantity(*match.span(), "50", "possible")  # percent


_ERAS = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}
_ERA_YEAR = re.compile(
    rf"(?P<era>{'|'.join(_ERAS)}) ?(?P<year>\d{{1,2}}|[{HAN_NUMERAL}]{{1,3}}|元)(?=年)"
)
_DECADE_OF = re.compile(
    rf"(?:(?<![\d{HAN_NUMERAL}])(?P<century>\d{{1,2}}|[{HAN_NUMERAL}]{{1,3}})世[纪紀]の?)?"
    rf"(?<![\d{HAN_NUMERAL}])(?P<decade>[1-9]0|[二三四五六七八九]?十)(?=年代)"
)
_FIRST_OF_LAST_CENTURY = 30  # the tens and twenties may be those of this century


def _years(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Yield years of Japanese eras, and decades; both may also be kept as written."""
    for match in _ERA_YEAR.finditer(text):
        count = 1 if match["year"] == "元" else whole_han(match["year"])
        if count:
            yield from _year(match, _ERAS[match["era"]] + count - 1, count, read)
    for match in _DECADE_OF.finditer(text):
        century = whole_han(match["century"]) if match["century"] else None
        decade = whole_han(match["decade"]) or 0
        if century:
            yield from _year(match, 100 * (century - 1) + decade, decade, read)
            yield read.quantity(*match.span("century"), str(century), "possible")
        elif decade >= _FIRST_OF_LAST_CENTURY:
            yield from _year(match, 1900 + decade, decade, read)


def _year(
    match: re.Match[str], year: int, written: int, read: NumberReader[Read]
) -> Iterator[Read]:
    yield read.quantity(*match.span(), str(year), groups=(str(written),))
    yield read.quantity(*match.span(), str(written), "possible")


def whole_han(numeral: str) -> int | None:
    """Return the value of a numeral that may begin with digits: 100万, 万."""
    if numeral[0] in _MAGNITUDES:  # 万分之一
        return parse_han("一" + numeral)
    digits = _LEADING_DIGITS.match(numeral)
    if digits and digits.end() < len(numeral):  # 100万
        return int(digits.group()) * (parse_han("一" + numeral[digits.end() :]) or 1)
    return int(numeral) if numeral.isdecimal() else parse_han(numeral)


_LEADING_DIGITS = re.compile(r"\d+")


_HAN_RUN = re.compile(rf"[{HAN_NUMERAL}]+(?:点[〇零一二三四五六七八九]+)?|[双雙单単首初先Ⅰ-Ⅻ]|半")
_POSSIBLE = dict.fromkeys("双雙", 2) | dict.fromkeys("首初先单単", 1)
_LABELLED = re.compile(
    r"(?:第|实施例|实施方式|实施形态|步骤|图|図|表|方案|权利要求|請求項|实验例|对比例|比较例|実施例)$"
)
_AFTER_NUMERAL = PhrasePattern("facts", "{counter}|[年月日号條%番]")
_POINT = "(?:点([〇零一二三四五六七八九]+))?"
_PERCENT_OF = re.compile(rf"百分之(?:([\d.]+)|([〇零一二三四五六七八九十百]+){_POINT})")
_VAGUE = re.compile(r"[数數几幾多若干]$")


def number_words(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Yield the numbers in words of a Chinese or Japanese text: 三个, 第二, 三分之一, 平成10年."""
    whole = [*_fractions_of(text, read), *_years(text, read)]
    yield from whole
    taken = covered(whole)
    taken.update(place for match in _PERCENT_OF.finditer(text) for place in range(*match.span()))
    for match in _PERCENT_OF.finditer(text):
        value = parse_han(match.group(2)) if match.group(2) else None
        if value is not None:
            key = _with_decimals(value, match.group(3))
            yield read.quantity(match.start(), match.end(), key, "stated", "%")
    for match in _HAN_RUN.finditer(text):
        if match.start() not in taken:
            yield from _numeral(text, match, read)


def _with_decimals(whole: int, decimals: str | None) -> str:
    """Return the value of 三点五 from 3 and 五."""
    digits = "".join(str(_DIGITS[mark]) for mark in decimals or "")
    return plain_value(f"{whole}.{digits}") if digits else str(whole)


def _numeral(text: str, match: re.Match[str], read: NumberReader[Read]) -> Iterator[Read]:
    run, start, end = match.group(), match.start(), match.end()
    if "点" in run:
        yield from _decimal(text, match, read)
        return
    if run == "半":
        more = list(_and_a_half(text, match, read))
        unit = None if more else read.unit(text, end + (text[end : end + 1] in "个個"))
        if unit is None or (unit[1] - end < _LEAST_MEASURED and unit[0] != "year"):
            yield read.quantity(start, end, "0.5", "possible")
            yield from more
        else:
            yield read.measured(text, start, end, "0.5", unit)
        return
    if run in _POSSIBLE:
        yield read.quantity(start, end, str(_POSSIBLE[run]), "possible")
        return
    if "Ⅰ" <= run <= "Ⅻ":
        yield read.quantity(start, end, str(ord(run) - ord("Ⅰ") + 1), "possible")
        return
    if run == "一" and text.startswith("倍", end):  # 增加一倍
        yield read.quantity(start, end, "2", "possible")
    if run in _MAGNITUDES:
        yield read.quantity(start, end, str(_MAGNITUDES[run]), "possible")
        return
    prefixed = read.simple_unit(text, start)
    if prefixed is not None and prefixed[1] > end:  # the kilo of 千克
        return
    after_digit = start > 0 and text[start - 1].isdigit()
    value = None if after_digit else parse_han(run)
    if value is None or (value == 0 and run != "零"):
        return
    if _ABOUT_TWO.fullmatch(run):  # 七八次
        yield from (read.quantity(start, end, str(parse_han(mark)), "possible") for mark in run)
        return
    ordinal = counts_in_order(text, start, end)
    negative, begin = read.sign(text, start, end)
    certainty = "stated" if negative else _certainty(text, match, value)
    unit = None if ordinal or value < _LEAST_MEASURED else read.unit(text, end)
    in_days = text[end : end + 1] in _DAYS_AND_YEARS and value < _LONGEST_DAYS
    if unit is not None and (unit[1] - end > 1 or unit[0] in _PLAIN_UNITS or in_days):
        yield read.with_sign(read.measured(text, begin, end, str(value), unit), negative)
    else:
        yield read.quantity(begin, end, str(value), certainty, negative=negative, ordinal=ordinal)
    if value == 1 and (one := read.unit(text, end + (text[end : end + 1] in "个個"))):
        half = text[one[1] : one[1] + 1] == "半"
        key = "1.5" if half else "1"
        yield read.quantity(start, end, key, "possible", unit=one[0], reach=one[1])
    if len(run) > 1:
        for offset, mark in enumerate(run):
            single = parse_han(mark)
            if single is not None:
                yield read.quantity(start + offset, start + offset + 1, str(single), "faint")


def _decimal(text: str, match: re.Match[str], read: NumberReader[Read]) -> Iterator[Read]:
    """Yield 零点二五毫米 as 0.25 mm; 三点一线 is no decimal."""
    whole, _, decimals = match.group().partition("点")
    value, unit = parse_han(whole), read.unit(text, match.end())
    if value is not None and (unit or text[match.end() : match.end() + 1] in ("倍", "万", "亿")):
        key = _with_decimals(value, decimals)
        name, reach = unit or (None, 0)
        yield read.quantity(*match.span(), key, "stated", unit=name, reach=reach)


_ABOUT_TWO = re.compile("一二|二三|两三|三四|四五|五六|六七|七八|八九")
_LEAST_MEASURED = 2
_DAYS_AND_YEARS = frozenset("天周年")
_LONGEST_DAYS = 100
_PLAIN_UNITS = frozenset({"%", "m", "s", "g", "kg", "K"})  # one character says no more than that
_HALF_AFTER = PhrasePattern(
    "facts", rf"(\d+|[{HAN_NUMERAL}]+)(?:{{counter}}|[年天日周]|小时|時間)$"
)


def _and_a_half(text: str, match: re.Match[str], read: NumberReader[Read]) -> Iterator[Read]:
    """Yield 两年半, 3个半: a whole number, its counter, and a half."""
    before = _HALF_AFTER.search(text[max(0, match.start() - 6) : match.start()])
    whole = None if before is None else whole_han(before.group(1))
    if whole is not None:
        name, reach = read.unit(text, match.end()) or (None, 0)
        yield read.quantity(*match.span(), f"{whole}.5", "stated", unit=name, reach=reach)


def _certainty(text: str, match: re.Match[str], value: int) -> Certainty:
    before = text[max(0, match.start() - 4) : match.start()].rstrip(" ")
    if _VAGUE.search(before):
        return "faint"
    if _LABELLED.search(before):
        return "stated"
    if value == 1 and not _ORDINAL_SUFFIX.match(text, match.end()):
        return "faint"
    if value == 0:  # 零件
        return "possible"
    if value >= _LEAST_BARE and _ENDS_NUMERAL.match(text, match.end()):  # 齿数为二十四,
        return "stated"
    return "stated" if _AFTER_NUMERAL.match(text, match.end()) else "possible"


_LEAST_BARE = 10
_ENDS_NUMERAL = re.compile(r"[,;。)]|$|以[上下]|[和与或至到]")


_ORDINAL_SUFFIX = re.compile(r" ?(?:番目|番(?!号)|[つ個箇回枚本台段層]目(?![的标標录錄次前]))")


def counts_in_order(text: str, start: int, end: int) -> bool:
    """Return True if a Chinese or Japanese number is an ordinal: 第13, 13番目, 三つ目."""
    before = text[max(0, start - 2) : start].rstrip(" ")
    return before.endswith("第") or _ORDINAL_SUFFIX.match(text, end) is not None


_HAN_MAGNITUDE = re.compile(
    r" ?([十百千]?(?:[万萬][億亿]|[万萬億亿兆])(?!分)"
    r"|[百千](?![分克瓦伏帕赫焦米牛欧安电字比摩吨斤升卡巴]))"
)
_HAN_NEXT = re.compile(
    r"(\d{1,4})(?:([十百千]?[万萬億亿兆]|[百千](?![分克瓦伏帕赫焦米牛欧安电字比摩]))|(?![\d.A-Z]|,\d))"
)


def scaled_han_digits(text: str, key: str, at: int) -> tuple[str, int] | None:
    """Return the value of digits with a magnitude behind them, and its end: 3万, 1万2千."""
    first = _HAN_MAGNITUDE.match(text, at)
    if first is None:
        return None
    scale, end = parse_han("一" + first.group(1)) or 1, first.end()
    value = Decimal(key) * scale
    while key.isdecimal() and (more := _HAN_NEXT.match(text, end)) is not None:
        size = (parse_han("一" + more.group(2)) or 1) if more.group(2) else 1
        part = int(more.group(1)) * size
        if part >= scale:
            break
        value, scale, end = value + part, size, more.end()
    return plain_value(f"{value:f}"), end
