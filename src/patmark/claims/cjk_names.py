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

from patmark.claims.words import word_list
from patmark.facts import HAN_NUMBER, parse_han
from patmark.languages import japanese_words

_TO = r"(?:至|到|乃至|ないし|から|[~～-])"
_AND = rf"(?:[和及与與或又若並、,と]|以及|および|または|もしくは|ならびに|{_TO})"
_ORDINAL = re.compile(rf"第(?P<order>{HAN_NUMBER})の?(?=.)")
_RANGE = re.compile(rf"第(?P<first>{HAN_NUMBER}){_TO}第?(?P<last>{HAN_NUMBER})の?")
_FARTHEST = 40
_LONGEST = 24
_SHORTEST = 2
_END = re.compile(
    r"[,.;:、。()\[\]{}<>=\s的]|所述|该|該|其中|[选選来來取源]自|前[述記]|上[述記]|当該|请求项|権利|请求"
)
# tags of words that can be the head of a Chinese name
_NOUNS = ("n", "eng", "l", "i", "q")
_NO_NOUNS = frozenset("vpcudfryabjxmts")
_PLACES = {
    "zh": re.compile(r"[端处旁前里周後側處間裡時](?!.)|[内上下中外侧间后时等之]"),
    "ja": re.compile(
        r"(?:間|上|下|内|外|側|中|毎|等|ごと|同士|自体|全体|後|前|時|用|方向|部分|近傍|付近|周囲|以外)+\Z"
    ),
}
_PLACE_AT = re.compile(r"(?P<at>[\u4e00-\u9fff]{1,2})(?:处(?![理置])|附近|周围)")
_PREDICATE = re.compile(
    r"(?:[电热光磁]|机械|螺纹|信号|通信|通讯|流体|无线|固定|转动|滑动|活动|可拆卸|一体|密封|并|串)*"
    r"(?:地|式)?(?:连接|相连|耦合|耦接|连通|接触|固定|配合|贴合|接合|啮合|导通|绝缘|隔离|平行|垂直|对应|相对"
    r"|相邻|成型|设置|安装|布置|运动|不同)"
    r"|[\u4e00-\u9fff]{2,4}后(?![部端侧面方轮盖车壁缘架板置续])(?=[\u4e00-\u9fff])"
    r"|经(?![纬济])|利用|采用|使用|借助|通过|根据|基于|按照|依据|响应于|[\u4e00-\u9fff]{2}[至到给向](?![少多位])"
    r"|[装放置送移填加注投倒推压浸植灌吸吹打拧滴喂存写导][入至到于进](?!.{0,2}(?:单元|模块|装置|机构|组件|系统|电路|[口管孔阀器机泵端量]))"
    r"|(?:编码|表达|表示|识别|结合|转化|杂交)(?=如|选自|所述|上述|至少|具有|以下|下列|[A-Z])"
    r"|[套卡插嵌固铰螺焊粘贴抵搭压挂滑转枢旋穿缠绕环伸凸凹贯][设接合装定持入连固动紧出起置过]|相\w"
)
_PROCESS = re.compile(
    "降温|升温|加热|冷却|搅拌|干燥|烘干|过滤|离心|洗涤|水洗|浓缩|蒸发|蒸馏|萃取|喷涂|涂覆|涂布|粉碎|研磨|混合|溶解"
    "|静置|保温|回流|煅烧|烧结|压制|成型|切割|输送|加入|倒入|注入|送入|放入|置于|稀释|中和|脱水|脱盐|消毒|灭菌|发酵"
    "|提取|分离|结晶|浸泡|破碎|筛分|熔融|固化|抽真空|充入|通入"
    "|写入|存入|读入|载入|导入|录入|上传|下载|广播|冷藏|冷冻|解冻|腌制|烘烤|蒸煮|油炸|打磨|抛光|清洗|拉伸|退火|淬火|电镀"
)
# names of device parts
_PART = re.compile(
    r"(?:单元|單元|模块|模塊|装置|裝置|机构|機構|组件|系统|电路|网络|[器件部机機层層板块体管轴座架盒腔室杆轮阀泵])\Z"
)
_ACTOR = re.compile(rf"{_PART.pattern}|(?:用户|终端|设备|车辆|服务器|程序|方法|人员|电机|机器人)\Z")
_HEAD = re.compile(
    rf"{_PART.pattern}|(?:模型|结果|数据|信号|信息|图像|向量|参数|指令|[集值率区面口孔槽])\Z"
)
# what ends a name: a mark, "and", a frequent verb
_WHOLE = r"(?=[,.;:、。()的和及与或并为在至到]|进行|包括|包含|具有|发送|写入|\Z)"
# a claim may call its subject by its category alone
_CATEGORIES = (
    "装置", "设备", "系统", "方法", "工艺", "产品", "组合物", "机器", "步骤", "裝置", "設備",
    "系統", "システム", "プログラム", "製品", "組成物", "工程", "手段", "ステップ",
)  # fmt: skip
_KATAKANA = re.compile("[ァ-ヴー]{2,}")
_SIDES = "上下左右前后後内外"


@cache
def inherent(language: str) -> tuple[str, ...]:
    """Return the inherent properties: 区域表面 after 区域."""
    return tuple(sorted(word_list("inherent", language)))


def written_name(words: str, language: str) -> str:
    """Return the name at the start of the words after a marker, up to its last noun."""
    ordinal = _ORDINAL.match(words)
    start = 0 if ordinal is None else ordinal.end()
    if language == "ja":
        return words[:start] + _japanese_name(words[start:])
    return words[:start] + _chinese_name(words[start:])


def reference_words(plain: str, start: int, end: int) -> str:
    """Return the words after a marker up to the next break."""
    stop = _END.search(plain, start + 1, min(end, start + _LONGEST))
    return plain[start : min(end, start + _LONGEST) if stop is None else stop.start()]


def is_written_before(words: str, language: str, texts: Sequence[str]) -> bool:
    """Return True if a text has the name with which the words begin, or its head."""
    ordinal = _ORDINAL.match(words)
    rest = words if ordinal is None else words[ordinal.end() :]
    if language == "ja":
        rest = _japanese_name(rest) or rest
    lengths = range(len(rest), 0, -1)
    return any(
        _has_name(rest[:size], None if ordinal is None else ordinal["order"], texts)
        and _ends_name(rest[:size], rest[size:], language)
        for size in lengths
        if size >= _SHORTEST or size == len(rest) or language == "zh"
    )


def is_new(name: str, texts: Sequence[str], language: str) -> bool:
    """Return True if the texts have no two characters of a name; of a short name no character.

    A category, an inherent property and a place are never new: 所述装置, 所述表面, 所述出口处.
    """
    noun = _ORDINAL.sub("", name)
    if len(noun) < _SHORTEST or noun.endswith((*inherent(language), *_CATEGORIES)):
        return False
    if _PLACES[language].search(noun, len(noun) - 1):
        return False
    size = _SHORTEST if len(noun) > _SHORTEST else 1
    parts = (noun[at : at + size] for at in range(len(noun) - size + 1))
    return not any(part in text for part in parts for text in texts)


def goes_on_from_a_name(words: str, language: str, texts: Sequence[str]) -> bool:
    """Return True if Chinese words begin with a whole name before, so that their end is uncertain.

    What follows may be a verb: 电芯 装入 壳体 after 得到电芯.
    """
    return language == "zh" and any(
        re.search(f"(?<!其){re.escape(words[:size])}{_WHOLE}", text)  # not 其特征在于
        for size in range(_SHORTEST, len(words))
        for text in texts
    )


def names_with_head(name: str, texts: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the longer names that end with a name that never occurs alone; else nothing."""
    if _ORDINAL.match(name):
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
    noun = _ORDINAL.sub("", name)
    for old in reversed(earlier):
        plain = _ORDINAL.sub("", old)
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
    return bool(after) and after[0] in (("于", "p"), ("在", "p"), ("至", "p"), ("到", "p"))


def _is_noun(tag: str) -> bool:
    return tag.startswith(_NOUNS)


def _chinese_name(words: str) -> str:
    """Return the words up to the first noun that no other noun follows."""
    place = 0
    tokens = _tagged(words)
    for number, (token, tag) in enumerate(tokens):
        place += len(token)
        rest = words[place:]
        after = tokens[number + 1][1] if number + 1 < len(tokens) else "x"
        if _is_noun(tag) and (not _is_noun(after) or _PLACES["zh"].match(rest)):
            return words[:place]
        if tag[0] in "pcurxy":
            return words[: place - len(token)] or words[:place]
    return words


def _japanese_name(words: str) -> str:
    """Return the nouns at the start, with the stems of verbs before them: 畳み込み層.

    Katakana at the start are a noun, also where the tagger divides them: パッ キン.
    """
    katakana = _KATAKANA.match(words)
    place = 0
    end = 0 if katakana is None else katakana.end()
    for word in japanese_words(words):
        place += len(word.surface)
        kind, finer = word.features[:2]
        if finer == "数" and end:
            break  # an amount after the name: 小麦粉 100 質量部
        if kind == "動詞" and word.features[5] == "連用形":
            continue
        if kind == "形容詞" and word.features[5] == "ガル接続":
            continue  # the stem of 厚さ
        if kind not in ("名詞", "接頭詞", "記号") or finer in ("非自立", "代名詞", "読点", "句点"):
            break
        end = max(end, place)
    return words[:end]


def _has_name(name: str, order: str | None, texts: Sequence[str]) -> bool:
    """Return True if a text has a name, with its ordinal if some names have one."""
    if order is None:
        return any(name in text for text in texts) or _has_side(name, texts)
    wanted = re.escape(name)
    listed = re.compile(rf"第{order}(?:の?{wanted}|{_AND}.{{0,{_FARTHEST}}}?{wanted})")
    return any(listed.search(text) or _in_range(order, name, text) for text in texts)


def _has_side(name: str, texts: Sequence[str]) -> bool:
    """Return True if a name shares its noun in a list of sides: 上盖板 after 上、下盖板."""
    if len(name) <= _SHORTEST or name[0] not in _SIDES:
        return False
    listed = re.compile(rf"{name[0]}{_AND}?[{_SIDES}]?.{{0,2}}{re.escape(name[1:])}")
    return any(listed.search(text) for text in texts)


def _in_range(order: str, noun: str, text: str) -> bool:
    return any(
        _value(match["first"]) <= _value(order) <= _value(match["last"])
        and text.startswith(noun, match.end())
        for match in _RANGE.finditer(text)
    )


def _value(numeral: str) -> int:
    """Return the number; 0, which is in no range, for non-numeric signs such as 一三."""
    return int(numeral) if numeral.isdecimal() else parse_han(numeral) or 0


def _ends_name(name: str, rest: str, language: str) -> bool:
    """Return True if the rest does not extend the name: nothing, a place, a verb."""
    if not rest or _PLACES[language].match(rest) or rest.startswith(inherent(language)):
        return True
    if language == "ja":
        return False
    if _PREDICATE.match(rest) or _is_processed(rest) or _is_place_at(name, rest):
        return True
    (_, tag), *others = _tagged(rest)
    if tag[0] not in _NO_NOUNS or (tag[0] in "vja" and _is_compound(name, others)):
        return False
    return len(name) >= _SHORTEST or _tagged(name + rest)[0][0] == name


def _is_place_at(name: str, rest: str) -> bool:
    """Return True if a place at a thing follows: 箱体 出口处, but not 控制 单元附近."""
    place = _PLACE_AT.match(rest)
    return len(name) >= _SHORTEST and place is not None and not _PART.search(place["at"])


def _is_processed(rest: str) -> bool:
    """Return True if a step of a process follows: 浓缩液 降温, but not 浆料 搅拌 装置."""
    if _PROCESS.match(rest) is None:
        return False
    return not any(_HEAD.search(token) for token, _ in _tagged(rest)[1:3])


def _is_compound(name: str, others: Sequence[tuple[str, str]]) -> bool:
    """Return True if verb and noun extend a name of something that cannot act: 图像 采集 单元."""
    if not others or not _is_noun(others[0][1]) or _ACTOR.search(name):
        return False
    return _HEAD.search(others[0][0]) is not None


def _longer_name(text: str, start: int, language: str) -> str:
    """Return the words of a name before its head: an ordinal, or adjacent nouns."""
    before = text[max(0, start - 12) : start]
    ordinal = re.search(rf"第{HAN_NUMBER}の?\Z", before)
    if ordinal is not None:
        return ordinal.group()
    if language == "ja":
        run = re.search(r"[^\W_\u3041-\u309f]+\Z", before)
        words = "" if run is None else run.group()
        return re.sub(r".*(?:前記|上記|当該|該)", "", words)
    cut = re.split(r"[,.;:、。()\s的]|所述|该|其中|上述|前述|包括|包含|具有|设有|设置有", before)[
        -1
    ]
    tokens = _tagged(cut) if cut else ()
    return tokens[-1][0] if tokens and _is_noun(tokens[-1][1]) else ""
