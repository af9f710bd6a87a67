"""Mentions of parts with reference signs: sign, noun, modifiers.

| considered a sign | example |
|---|---|
| in brackets after a noun | housing (12), 外壳（12、14）, 軸（10a） |
| directly after a noun | the housing 12, 外壳12, 回転軸12は |
| step label | S101, ステップS2 |
| figure number | FIG. 1(a), Figs. 2 and 3, 图1, 図1 |

In languages other than English, Chinese and Japanese only signs in brackets, step labels and
figure numbers are found: which nouns carry no sign (claim 1, table 2) is not known there.
Not signs: claim, example, table and formula numbers, dates, numbers with a unit or a counter.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from patmark.facts.lexicon import Hit
from patmark.facts.quantities import (
    COUNTED_LANGUAGES,
    HAN_NUMERAL,
    MONTHS,
    parse_english,
    parse_han,
)
from patmark.facts.units import match_units
from patmark.languages import HAN, KANA, function_words, language as pack_of, singular

_SIGN = (
    r"(?:[A-Z]{1,3})?\d{1,4}(?!(?:st|nd|rd|th)\b)[A-Za-z]{0,2}(?:['′]{1,3}|[\"″](?!\w))?"
    r"(?:-\d{1,3}[a-z]?)?(?![A-Za-z0-9]|\.\d|-[A-Za-z])"
)
_LAST_DIGITS = re.compile(r"\d+(?=\D*$)")
_AND = (
    r"\s*(?:,(?!\d{3}(?!\d))|、|;|/|~|and|or|to|和|与|或|至|及び?|および|又は|から"
    r"|und|oder|bis|et|ou|à)\s*"
)
_LIST = rf"{_SIGN}(?:{_AND}{_SIGN})*"
_ONE = re.compile(rf"(?<![A-Za-z0-9.]){_SIGN}(?:\s?\([a-z]\))?")
_FIGURE_SIGN = rf"{_SIGN}(?:\s?\([a-z]\))?"
_FIGURE = re.compile(
    rf"(?:\bfig(?:ure|ur)?(?:s|en)?\.?|[图図圖]|도 ?(?=\d))\s?"
    rf"(?P<signs>{_FIGURE_SIGN}(?:(?:{_AND}|-)[图図圖]?{_FIGURE_SIGN})*)",
    re.IGNORECASE,
)
_MAY_BE_FIGURE = re.compile("[Ff][Ii][Gg]|[图図圖도]")
_BRACKETED = re.compile(
    rf"(?<=[^\W\d_]|[\"”])\s?\(\s*(?P<signs>{_SIGN}(?:\s*(?:,|、|;|/|~|and|or|to|至|から|bis|und|et|à)\s*{_SIGN})*)\s*\)"
)
_NUMBERED = re.compile(
    r"(?:\b(?:claim|example|table|formula|equation|embodiment|anspruch|beispiel|revendication)"
    r"(?:s|e|en)?|例|权利要求书?|權利要求書?|特許請求の範囲|請求項|请求项|实施方式|実施形態|청구항"
    rf"|(?:公|通|程|等|数|学|系|造|构)式|(?:^|[^{HAN}]|[如见見由在与和及从以上下按据])[式表])"
    rf"\s?(?:\(\s*{_LIST}\s*\){_AND})*$",
    re.IGNORECASE,
)
_LONGEST_NUMBERED = 60
_STEP = re.compile(r"(?<![A-Za-z0-9-])(?P<signs>(?:S|ST)\d{1,4}[a-z]?)(?![A-Za-z0-9]|-\d)")
_ENGLISH_NOUN = re.compile(
    rf"\b(?P<noun>[A-Za-z][a-z]{{2,}}) (?P<signs>{_LIST})(?!\s?[%°℃×*:]|,\d{{3}})"
)
_CJK_NOUN = re.compile(rf"(?<=(?P<noun>[{HAN}{KANA}]))(?P<signs>{_LIST})(?!\s?[%°℃×*:]|,\d{{3}})")
_NO_CJK_NOUN = frozenset(
    "昭平令第约約至为為于於到在是以比和与或及每各共有数前后例式项項表求骤式图図圖章节点条種种个個型"
    "はがをにでとのもやへりらばればる大小高低加减是超达过少多近占经隔满需仅只含取设計计用秒时升克吨度"
)
_COUNTED = re.compile(
    r"\s?(?!位[于置移处]|组[成件装合]|部[件分]|行[程驶走进]|等于|面[板向对]|排[列出气水放]|双向|处[于理]"
    r"|张[紧开]|支[撑架承]|套[设接筒]|回[转路收]|台[阶面]|本[体身]|件[中上内])"
    r"(?:[个個種种次条根片块塊台组組只层層位倍项項枚本回段つ人年月日号行列代等粒颗支张套处対名万萬亿億千百兆"
    r"间家宗场轮部期楼份页頁所座艘辆股笔间多余件国届周岁天圈步棵株头匹双篇封幅面瓶箱袋杯滴束串排対冊社箇足着卓軒歩]"
    r"|转(?![动换子轴速矩角盘台向接移])|million|billion|thousand|times|percent|小[时時])"
)
_RANGE_GOES_ON = re.compile(r"\s?(?:[-~]|to|至|到|から)\s?\d+(?:\.\d+)?")
_NO_SIGN_AFTER = re.compile(
    r"(?:ステップ|工程|段階|フェーズ|レベル|タイプ|クラス|グループ|ケース|モード|バージョン|サンプル|試料"
    r"|样品|试样|实验|模式|级别|版本|阶段|类型|类别|以[上下内]|未満|未满|超"
    r"|[每毎](?:分[钟鐘]?|小?[时時]|秒))$"
)
_RATE_AFTER = re.compile(r" [a-z]+ per [a-z]")  # process 120 sheets per minute
_STANDARD = re.compile(r"(?:ISO|GB|JIS|DIN|EN|IEC|USB|SUS|IP)\d")
# nouns of Japanese that end in hiragana
_HIRAGANA_NOUNS = re.compile(
    r"(?:ばね|おねじ|めねじ|ねじ|ふた|つめ|つば|ひも|ねじり|はさみ|くぎ|くし)$"
)
_ENGLISH_WORDS_BEFORE = re.compile(r"(?:[A-Za-z][A-Za-z-]*\s+){0,6}$")
_HAN_BEFORE = re.compile(rf"[{HAN}]{{1,10}}$")
_JAPANESE_BEFORE = re.compile(rf"[{HAN}ァ-ヺーA-Za-z]{{1,16}}$")
_HAN_BOUNDARY = re.compile(
    r".*(?:所述|上述|前述|该|来自|经由|经过|流经|输出|接收|的|和|与|及|或|在|由|被|将|把|于|为|对|从|到|至|向|以|经|使|有|是|其|且|并|则|当|此|每"
    r"|各|一个|两个|多个|[两三四五六七八九十](?:个|根|条|块|片|组)|设有|包括|包含|具有|连接|通过|安装|驱动|设置|固定|位于|穿过|抵靠"
    r"|配合|支撑|按压|推动|带动|使得|分别|控制|发送|压紧|套设|插入|构成|形成|采用|利用|进入|流入|流过|推压)"
)
_JAPANESE_BOUNDARY = re.compile(r"^(?:前記|上記|当該|該|各|両|同|本)")
_ORDINAL_HAN = re.compile(r"第 ?([0-9]{1,3}|[〇一二三四五六七八九十]{1,3})の?")
_ORDINAL_BEFORE = re.compile(r"第 ?([0-9]{1,3}|[〇一二三四五六七八九十]{1,3})の?$")
_ENGLISH_ORDINAL = re.compile(
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth", re.IGNORECASE
)


class Mention(NamedTuple):
    """A noun with a reference sign; the noun is empty for figures and step labels.

    ``noun`` extends as far as its left end is certain, ``head`` is its last word. ``modifiers`` are
    the words of the table in the noun as (group, id), ordinals as ("ordinal", "2"). ``listed``
    signs share a noun with others; a ``bare`` sign is not in brackets.
    """

    start: int
    end: int
    sign: str
    noun: str = ""
    noun_start: int = 0
    modifiers: frozenset[tuple[str, str]] = frozenset()
    things: frozenset[str] = frozenset()
    listed: bool = False
    bare: bool = False

    @property
    def head(self) -> str:
        """The last word of an English noun, in the singular; else the noun itself."""
        return (
            singular(self.noun.split()[-1].lower())
            if self.noun.isascii() and self.noun
            else self.noun
        )


def sign_key(sign: str) -> str:
    """Return a sign without blanks and brackets, in capitals, its primes as ′."""
    plain = re.sub(r"[\s()]", "", sign).upper()
    return plain.replace('"', "″").replace("″", "′′").replace("'", "′")


def find_mentions(text: str, language: str, hits: Sequence[Hit]) -> tuple[Mention, ...]:
    """Return the mentions with signs in a folded text, in order; ``hits`` are its words."""
    if _LAST_DIGITS.search(text) is None:
        return ()
    found: dict[int, Mention] = {}
    for start, signs, has_noun, bare in _places(text, language):
        ones = list(_ONE.finditer(signs))
        noun, noun_start = _noun_before(text, start, language) if has_noun else ("", start)
        modifiers, things = _described(text, noun, noun_start, language, hits)
        for match in ones:
            place = start + match.start()
            found.setdefault(
                place,
                Mention(
                    place, start + match.end(), sign_key(match.group()), noun, noun_start,
                    modifiers, things, len(ones) > 1, bare,
                ),
            )  # fmt: skip
    return tuple(found[place] for place in sorted(found))


def _places(text: str, language: str) -> Iterator[tuple[int, str, bool, bool]]:
    for match in _FIGURE.finditer(text) if _MAY_BE_FIGURE.search(text) else ():
        yield match.start("signs"), match["signs"], False, False
    for match in _STEP.finditer(text) if "S" in text else ():
        yield match.start("signs"), match["signs"], False, False
    for match in _BRACKETED.finditer(text) if "(" in text else ():
        before = text[max(0, match.start() - _LONGEST_NUMBERED) : match.start()]
        if _NUMBERED.search(before) is None:
            yield match.start("signs"), match["signs"], True, False
    if language in COUNTED_LANGUAGES:
        for match in _ENGLISH_NOUN.finditer(text):
            if _may_carry_sign(text, match) and _is_sign(text, *match.span("signs")):
                yield match.start("signs"), match["signs"], True, True
        for match in _CJK_NOUN.finditer(text) if not text.isascii() else ():
            if _carries_sign(text, match) and _is_sign(text, *match.span("signs")):
                yield match.start("signs"), match["signs"], True, True


def _may_carry_sign(text: str, match: re.Match[str]) -> bool:
    """Return True for an English noun; for one that is often counted only as "the case 82"."""
    noun = match["noun"].lower()
    if noun not in _OFTEN_COUNTED:
        return noun not in _unsigned_nouns() and not _ADVERB.fullmatch(noun)
    article = _ARTICLE.search(text, max(0, match.start() - 40), match.start())
    return article is not None and _TWO_DIGITS.match(match["signs"]) is not None


@cache
def _unsigned_nouns() -> frozenset[str]:
    """Return the words that carry no sign: claim 1, March 3."""
    return pack_of("en").table("words").words("unsigned") | MONTHS.keys()


_ADVERB = re.compile("(?!assembly|anomaly|family|monopoly|supply|reply|belly|multiply)[a-z]{4,}ly")
_IS_HAN = re.compile(f"[{HAN}]")
_OFTEN_COUNTED = frozenset(
    {"case", "chip", "section", "stage", "line", "zone", "phase", "sample", "group", "level"}
)
_ARTICLE = re.compile(r"\b(?:the|an?|said|each) (?:[a-z-]+ ){0,3}$", re.IGNORECASE)
_TWO_DIGITS = re.compile(r"\d\d|\d+[a-z]\b")


def _carries_sign(text: str, match: re.Match[str]) -> bool:
    """Return True if the character before a number can end a noun; few nouns end in hiragana."""
    if "ぁ" <= match["noun"] <= "ゖ":
        return _HIRAGANA_NOUNS.search(text, max(0, match.start() - 4), match.start()) is not None
    if _NO_SIGN_AFTER.search(text, max(0, match.start() - 6), match.start()):
        return match["noun"] == "ス" and _TWO_DIGITS.match(match["signs"]) is not None  # ケース82
    if match["noun"] == "点":  # 节点N1, 支点30
        before = text[match.start() - 2 : match.start() - 1]
        named = _IS_HAN.match(before) and before not in HAN_NUMERAL
        return match["signs"][0].isalpha() or (
            bool(named) and _TWO_DIGITS.match(match["signs"]) is not None
        )
    return match["noun"] not in _NO_CJK_NOUN


def _is_sign(text: str, start: int, end: int) -> bool:
    """Return False for a quantity: ``15m``, ``600r/min``, ``30 s``, ``3个``.

    A single capital may be both a unit and part of a sign, and is taken for the latter: ``10A``.
    """
    if _STANDARD.match(text, start) or _RATE_AFTER.match(text, end):
        return False
    digits = _LAST_DIGITS.search(text[start:end])
    after = end if digits is None else start + digits.end()
    unit = match_units(text, after)
    if unit is not None and (after == end or unit[1] > after + 1 or text[after].islower()):
        return False
    if (more := _RANGE_GOES_ON.match(text, end)) and match_units(text, more.end()) is not None:
        return False
    return match_units(text, end) is None and _COUNTED.match(text, end) is None


def _noun_before(text: str, start: int, language: str) -> tuple[str, int]:
    """Return the noun before a sign or its bracket, and its place."""
    end = len(text[:start].rstrip(' ("”'))
    window = max(0, end - 80)
    before = text[window:end]
    if language == "ja":
        match = _HIRAGANA_NOUNS.search(before) or _JAPANESE_BEFORE.search(before)
        if match is None:
            return "", end
        noun = match.group()
        cut = _JAPANESE_BOUNDARY.match(noun)
        skipped = cut.end() if cut else 0
        return noun[skipped:], window + match.start() + skipped
    if language == "zh":
        match = _HAN_BEFORE.search(before)
        if match is None:
            return "", end
        noun = match.group()
        cut = _HAN_BOUNDARY.match(noun, 0, len(noun) - 1)
        skipped = cut.end() if cut else 0
        return noun[skipped:], window + match.start() + skipped
    match = _ENGLISH_WORDS_BEFORE.search(before + " ")
    words = match.group().split() if match else []
    kept: list[str] = []
    stops = function_words("before-noun")
    for word in reversed(words):
        if word.lower() in stops or (kept and word.endswith("ly")):
            break
        kept.insert(0, word)
    noun = " ".join(kept)
    return noun, end - len(noun)


def _described(
    text: str, noun: str, start: int, language: str, hits: Sequence[Hit]
) -> tuple[frozenset[tuple[str, str]], frozenset[str]]:
    """Return the modifiers and the things of a noun."""
    if not noun:
        return frozenset(), frozenset()
    modifiers: set[tuple[str, str]] = set()
    things: set[str] = set()
    end = start + len(noun)
    for hit in hits[bisect_left(hits, (start,)) :]:
        if hit.start >= end:
            break
        if hit.end > end:
            continue
        if hit.row.is_thing:
            things.add(hit.row.id)
        elif hit.row.sure:
            modifiers.add((hit.row.group, hit.row.id))
    if language == "en":
        ordinal = _ENGLISH_ORDINAL.match(noun)
        value = str(parse_english(ordinal.group())[0]) if ordinal else ""
    else:
        found = _ORDINAL_HAN.search(noun) or _ORDINAL_BEFORE.search(text, max(0, start - 6), start)
        value = found.group(1) if found else ""
        value = value if value.isdecimal() else str(parse_han(value) or "") if value else ""
    if value:
        modifiers.add(("ordinal", value))
    return frozenset(modifiers), frozenset(things)
