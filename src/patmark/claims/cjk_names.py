"""Names after 所述 and 前記 in Chinese and Japanese claims, and the names written before them.

Neither language marks the end of a name. A tagger distinguishes nouns from verbs: a reference is to
a name written before unless the words after it extend the name by a noun.

| words after the marker | written before | reference |
|---|---|---|
| 控制器控制电机 | 控制器 | found: a verb follows the name |
| 控制单元 | 控制器 | missing: 控制 goes on with a noun |
| 单元 | 控制单元 | found: the head of the name |
| 指示灯 | 第一指示灯, 第二指示灯 | ambiguous: two names end with it |
| 半導体層側に | 半導体層 | found: a place at the name |
| 制御部 | 制御装置 | missing |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from patmark.claims.words import pattern, source, verb_last, word_list
from patmark.languages import HAN_NUMBER, japanese_words, parse_han

_FARTHEST = 40
_LONGEST = 24
_SHORTEST = 2
_BREAK = r"[,.;:、。()\[\]{}<>=\s]"
# tags of words that can be the head of a Chinese name
_NOUNS = ("n", "eng", "l", "i", "q")
_NO_NOUNS = frozenset("vpcudfryabjxmts")
_KATAKANA = re.compile(r"[\u30a1-\u30f4\u30fc]{2,}")


@cache
def _ordinal() -> re.Pattern[str]:
    return re.compile(
        rf"{source('ordinal-prefix')}(?P<order>{HAN_NUMBER}){source('noun-link')}?(?=.)"
    )


@cache
def _range() -> re.Pattern[str]:
    """Return a pattern for a range of ordinals: 第一至第三, 第1乃至第3の."""
    first, link = source("ordinal-prefix"), source("noun-link")
    return re.compile(
        rf"{first}(?P<first>{HAN_NUMBER}){source('to')}{first}?(?P<last>{HAN_NUMBER}){link}?"
    )


@cache
def _name_end() -> re.Pattern[str]:
    return re.compile(f"{_BREAK}|{source('name-end')}")


@cache
def _heads(*kinds: str) -> re.Pattern[str]:
    """Return a pattern for the last word of a name: that of a part, an actor or another thing."""
    return re.compile(f"(?:{'|'.join(source('head', name=kind) for kind in kinds)})\\Z")


@cache
def inherent(language: str) -> tuple[str, ...]:
    """Return the inherent properties: 区域表面 after 区域."""
    return tuple(sorted(word_list("inherent", language)))


def written_name(words: str, language: str) -> str:
    """Return the name at the start of the words after a marker, up to its last noun."""
    ordinal = _ordinal().match(words)
    start = 0 if ordinal is None else ordinal.end()
    name = _japanese_name if verb_last(language) else _chinese_name
    return words[:start] + name(words[start:], language)


def reference_words(plain: str, start: int, end: int) -> str:
    """Return the words after a marker up to the next break."""
    stop = _name_end().search(plain, start + 1, min(end, start + _LONGEST))
    return plain[start : min(end, start + _LONGEST) if stop is None else stop.start()]


def is_written_before(words: str, language: str, texts: Sequence[str]) -> bool:
    """Return True if a text has the name with which the words begin, or its head."""
    ordinal = _ordinal().match(words)
    rest = words if ordinal is None else words[ordinal.end() :]
    if verb_last(language):
        rest = _japanese_name(rest, language) or rest
    lengths = range(len(rest), 0, -1)
    return any(
        _has_name(rest[:size], None if ordinal is None else ordinal["order"], texts)
        and _ends_name(rest[:size], rest[size:], language)
        for size in lengths
        if size >= _SHORTEST or size == len(rest) or not verb_last(language)
    )


def is_new(name: str, texts: Sequence[str], language: str) -> bool:
    """Return True if the texts have no two characters of a name; of a short name no character.

    A category, an inherent property and a place are never new: 所述装置, 所述表面, 所述出口处.
    """
    noun = _ordinal().sub("", name)
    if len(noun) < _SHORTEST or noun.endswith((*inherent(language), *word_list("category-alone"))):
        return False
    if pattern("place", language).search(noun, len(noun) - 1):
        return False
    size = _SHORTEST if len(noun) > _SHORTEST else 1
    parts = (noun[at : at + size] for at in range(len(noun) - size + 1))
    return not any(part in text for part in parts for text in texts)


def goes_on_from_a_name(words: str, language: str, texts: Sequence[str]) -> bool:
    """Return True if Chinese words begin with a whole name before, so that their end is uncertain.

    What follows may be a verb: 电芯 装入 壳体 after 得到电芯.
    """
    its, ends = source("not-its", language), source("whole-name-end", language)
    return not verb_last(language) and any(
        re.search(rf"(?<!{its}){re.escape(words[:size])}(?=[,.;:、。()]|{ends}|\Z)", text)
        for size in range(_SHORTEST, len(words))
        for text in texts
    )


def names_with_head(name: str, texts: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the longer names that end with a name that never occurs alone; else nothing."""
    if _ordinal().match(name):
        return ()
    found: dict[str, None] = {}
    for text in texts:
        for match in re.finditer(re.escape(name), text):
            longer = _longer_name(text, match.start(), language)
            if not longer:
                return ()
            found[longer + name] = None
    return tuple(found)


def nearest_name(name: str, earlier: Sequence[str]) -> str | None:
    """Return the last preceding name that begins or ends like an unknown name."""
    noun = _ordinal().sub("", name)
    for old in reversed(earlier):
        plain = _ordinal().sub("", old)
        if plain == noun and old != name:
            return old
        if min(len(noun), len(plain)) < _SHORTEST or plain == noun:
            continue
        if plain[:_SHORTEST] == noun[:_SHORTEST] or plain[-_SHORTEST:] == noun[-_SHORTEST:]:
            return old
    return None


@lru_cache(maxsize=2**14)
def _tagged(words: str) -> tuple[tuple[str, str], ...]:
    import rjieba

    tokens = tuple(rjieba.tag(words))
    return tuple(
        (token, "v" if tag == "nr" and _is_verb_before(tokens[place + 1 :]) else tag)
        for place, (token, tag) in enumerate(tokens)
    )


def _is_verb_before(after: Sequence[tuple[str, str]]) -> bool:
    """Return True if an unknown word, tagged as a person, takes a preposition: 涂覆 于."""
    return bool(after) and after[0][1] == "p" and after[0][0] in word_list("prepositions")


def _is_noun(tag: str) -> bool:
    return tag.startswith(_NOUNS)


def _chinese_name(words: str, language: str) -> str:
    """Return the words up to the first noun that no other noun follows."""
    place = 0
    tokens = _tagged(words)
    for number, (token, tag) in enumerate(tokens):
        place += len(token)
        rest = words[place:]
        after = tokens[number + 1][1] if number + 1 < len(tokens) else "x"
        if _is_noun(tag) and (not _is_noun(after) or pattern("place", language).match(rest)):
            return words[:place]
        if tag[0] in "pcurxy":
            return words[: place - len(token)] or words[:place]
    return words


def _japanese_name(words: str, language: str) -> str:
    """Return the nouns at the start, with the stems of verbs before them: 畳み込み層.

    Katakana at the start are a noun, also where the tagger divides them: パッ キン.
    """
    katakana = _KATAKANA.match(words)
    place = 0
    end = 0 if katakana is None else katakana.end()
    nouns, no_nouns = word_list("noun-tags", language), word_list("no-noun-tags", language)
    for word in japanese_words(words):
        place += len(word.surface)
        kind, finer = word.features[:2]
        if finer in word_list("number-tag", language) and end:
            break  # an amount after the name: 小麦粉 100 質量部
        if f"{kind}/{word.features[5]}" in word_list("stem-tags", language):
            continue  # 畳み込み, the stem of 厚さ
        if kind not in nouns or finer in no_nouns:
            break
        end = max(end, place)
    return words[:end]


def _has_name(name: str, order: str | None, texts: Sequence[str]) -> bool:
    """Return True if a text has a name, with its ordinal if some names have one."""
    if order is None:
        return any(name in text for text in texts) or _has_side(name, texts)
    wanted = re.escape(name)
    first, link = source("ordinal-prefix"), source("noun-link")
    listed = re.compile(rf"{first}{order}(?:{link}?{wanted}|{_and()}.{{0,{_FARTHEST}}}?{wanted})")
    return any(listed.search(text) or _in_range(order, name, text) for text in texts)


def _and() -> str:
    return f"(?:{source('and')}|{source('to')})"


def _has_side(name: str, texts: Sequence[str]) -> bool:
    """Return True if a name shares its noun in a list of sides: 上盖板 after 上、下盖板."""
    side = source("side")
    if len(name) <= _SHORTEST or not re.match(side, name):
        return False
    listed = re.compile(rf"{name[0]}{_and()}?{side}?.{{0,2}}{re.escape(name[1:])}")
    return any(listed.search(text) for text in texts)


def _in_range(order: str, noun: str, text: str) -> bool:
    return any(
        _value(match["first"]) <= _value(order) <= _value(match["last"])
        and text.startswith(noun, match.end())
        for match in _range().finditer(text)
    )


def _value(numeral: str) -> int:
    """Return the number; 0, which is in no range, for non-numeric signs such as 一三."""
    return int(numeral) if numeral.isdecimal() else parse_han(numeral) or 0


def _ends_name(name: str, rest: str, language: str) -> bool:
    """Return True if the rest does not extend the name: nothing, a place, a verb."""
    if not rest or pattern("place", language).match(rest) or rest.startswith(inherent(language)):
        return True
    if verb_last(language):
        return False
    if pattern("predicate").match(rest) or _is_processed(rest) or _is_place_at(name, rest):
        return True
    (_, tag), *others = _tagged(rest)
    if tag[0] not in _NO_NOUNS or (tag[0] in "vja" and _is_compound(name, others)):
        return False
    return len(name) >= _SHORTEST or _tagged(name + rest)[0][0] == name


def _is_place_at(name: str, rest: str) -> bool:
    """Return True if a place at a thing follows: 箱体 出口处, but not 控制 单元附近."""
    place = pattern("place-at").match(rest)
    return len(name) >= _SHORTEST and place is not None and not _heads("part").search(place["at"])


def _is_processed(rest: str) -> bool:
    """Return True if a step of a process follows: 浓缩液 降温, but not 浆料 搅拌 装置."""
    if pattern("process-step").match(rest) is None:
        return False
    return not any(_heads("part", "thing").search(token) for token, _ in _tagged(rest)[1:3])


def _is_compound(name: str, others: Sequence[tuple[str, str]]) -> bool:
    """Return True if verb and noun extend a name of something that cannot act: 图像 采集 单元."""
    if not others or not _is_noun(others[0][1]) or _heads("part", "actor").search(name):
        return False
    return _heads("part", "thing").search(others[0][0]) is not None


def _longer_name(text: str, start: int, language: str) -> str:
    """Return the words of a name before its head: an ordinal, or adjacent nouns."""
    before = text[max(0, start - 12) : start]
    link = source("noun-link")
    ordinal = re.search(rf"{source('ordinal-prefix')}{HAN_NUMBER}{link}?\Z", before)
    if ordinal is not None:
        return ordinal.group()
    marks = source("before-head", language)
    if verb_last(language):
        run = re.search(r"[^\W_\u3041-\u309f]+\Z", before)
        words = "" if run is None else run.group()
        return re.sub(f".*{marks}", "", words)
    cut = re.split(rf"[,.;:、。()\s]|{marks}", before)[-1]
    tokens = _tagged(cut) if cut else ()
    return tokens[-1][0] if tokens and _is_noun(tokens[-1][1]) else ""
