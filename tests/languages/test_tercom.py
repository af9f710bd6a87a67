"""tercom's normalised words, against sacreBLEU 2.6.0, and against tercom 0.10.0 for kana."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from patmark.languages.tokenizers import tokenize_tercom, tokenize_tercom_asian

# The words of sacreBLEU 2.6.0's TercomTokenizer(normalized=True), joined by "|". The Normalizer of
# tercom 0.10.0 (OpenJDK 17) prints the same but for <skipped>, broken lines and Unicode blanks.
_WESTERN = [
    (
        "The pump's valve (12) isn't closed; it's 3.5mm, or 1,000-fold.",
        "The|pump|'s|valve|(|12|)|isn't|closed|;|it|'s|3.5mm|,|or|1,000|-|fold|.",
    ),
    ("A&amp;B &lt;sub&gt; &quot;x&quot; <skipped>end", 'A|&|B|<|sub|>|"|x|"|<|skipped|>|end'),
    ("hyphen-\nated line\nnext 5-10 -3", "hyphen-|ated|line|next|5|-|10|-3"),
    ("the owner's, the owner's", "the|owner's|,|the|owner|'s"),
    (
        "x_y^z ~1/2 a@b.com 50% $3 [a] {b} 1.2.3 .5 5.",
        "x|_|y|^|z|~|1|/|2|a|@|b|.|com|50|%|$|3|[|a|]|{|b|}|1.2.3|.|5|5|.",
    ),
    ("tabs\tand\rreturns\x1ckept\u00a0together", "tabs|and|returns|kept|together"),
    ("カメラ・モジュールと", "カメラ・モジュールと"),
    (".", "."),
]
# With asian_support, where runs of kana are words as the Normalizer of tercom 0.10.0 has them.
_ASIAN = [
    (
        "電池（１０）は、センサがバルブの開度を検出する。",
        "電|池|（|１０|）|は|、|センサ|が|バルブ|の|開|度|を|検|出|する|。",
    ),
    ("カメラ・モジュールとㇰㇱひらがなABC", "カメラ|・|モジュール|と|ㇰㇱ|ひらがな|ABC"),
    ("充电电池的容量为5.5kWh，温度≤60℃。", "充|电|电|池|的|容|量|为|5.5kWh|，|温|度|≤60℃|。"),
    ("㈱㍿豈⺀㇀𠀀ﾊﾟ한국어", "㈱|㍿|豈|⺀|㇀|𠀀ﾊﾟ한국어"),
    ("全角\u3000空白「引用」･．", "全|角|空|白|「|引|用|」|･|．"),
]

_MESSY = st.lists(
    st.sampled_from(
        [*"ab's 01.,-&;\"()[]{}/\\_~'<>:?!\té\n\r\x0b\x1c\x85\u00a0\u2028\u200b\u3000", "Laban's,",
         "<skipped>", "&quot;", "&amp;lt;", "-\n", "\n-", *"’中々〇㈱㍿한İ²١、。・（！「ﾊﾟ\u3f22"]
    ),
    max_size=20,
).map("".join)  # fmt: skip
_KANA = st.text("のタㇰー", max_size=3)


@pytest.mark.parametrize(("text", "words"), _WESTERN)
def test_western_words_equal_tercom(text: str, words: str) -> None:
    assert tokenize_tercom([text]) == [words.split("|")]


@pytest.mark.parametrize(("text", "words"), _ASIAN + _WESTERN[:6])
def test_asian_words_equal_tercom(text: str, words: str) -> None:
    assert tokenize_tercom_asian([text]) == [words.split("|")]


@given(st.lists(_MESSY, max_size=5))
def test_messy_text_equals_sacrebleu(texts: list[str]) -> None:
    for own, asian in ((tokenize_tercom, False), (tokenize_tercom_asian, True)):
        peer = TercomTokenizer(normalized=True, case_sensitive=True, asian_support=asian)
        assert own(texts) == [peer(text.rstrip()).split() for text in texts]


@given(st.lists(_MESSY | _KANA, max_size=8).map("".join))
def test_kana_is_all_that_differs_from_sacrebleu(text: str) -> None:
    peer = TercomTokenizer(normalized=True, case_sensitive=True, asian_support=True)
    runs = "([\u3040-\u309f]+|[\u30a0-\u30ff]+|[\u31f0-\u31ff]+)"
    assert tokenize_tercom_asian([text]) == [re.sub(runs, r" \1 ", peer(text.rstrip())).split()]


@given(st.lists(st.text("a's 1.,-中のタ、・（\n", max_size=12), max_size=5))
def test_a_text_does_not_depend_on_its_neighbours(texts: list[str]) -> None:
    assert tokenize_tercom_asian(texts) == [tokenize_tercom_asian([text])[0] for text in texts]


def test_blank_text_has_no_words() -> None:
    assert tokenize_tercom(["", "   ", "\n"]) == [[], [], []]
    assert tokenize_tercom([]) == []
