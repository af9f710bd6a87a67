"""tercom's normalised words, against what tercom's own rules print."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

from patmark.text.tokenizers import tokenize_tercom, tokenize_tercom_asian

# The words that the rules of tercom 0.10.0's Normalizer give under OpenJDK 17, joined by "|".
_WESTERN = [
    (
        "The pump's valve (12) isn't closed; it's 3.5mm, or 1,000-fold.",
        "The|pump|'s|valve|(|12|)|isn't|closed|;|it|'s|3.5mm|,|or|1,000|-|fold|.",
    ),
    ("A&amp;B &lt;sub&gt; &quot;x&quot; <skipped>end", 'A|&|B|<|sub|>|"|x|"|end'),
    ("hyphen-\nated line\nnext 5-10 -3", "hyphenated|line|next|5|-|10|-3"),
    ("the owner's, the owner's", "the|owner's|,|the|owner|'s"),
    (
        "x_y^z ~1/2 a@b.com 50% $3 [a] {b} 1.2.3 .5 5.",
        "x|_|y|^|z|~|1|/|2|a|@|b|.|com|50|%|$|3|[|a|]|{|b|}|1.2.3|.|5|5|.",
    ),
    ("tabs\tand\rreturns\x1ckept\u00a0together", "tabs|and|returns\x1ckept\u00a0together"),
    ("カメラ・モジュールと", "カメラ・モジュールと"),
    (".", "."),
]
_ASIAN = [
    (
        "電池（１０）は、センサがバルブの開度を検出する。",
        "電|池|（|１０|）|は|、|センサ|が|バルブ|の|開|度|を|検|出|する|。",
    ),
    ("カメラ・モジュールとㇰㇱひらがなABC", "カメラ|・|モジュール|と|ㇰㇱ|ひらがな|ABC"),
    ("充电电池的容量为5.5kWh，温度≤60℃。", "充|电|电|池|的|容|量|为|5.5kWh|，|温|度|≤60℃|。"),
    ("㈱㍿豈⺀㇀𠀀ﾊﾟ한국어", "㈱|㍿|豈|⺀|㇀|𠀀ﾊﾟ한국어"),
    ("全角\u3000空白「引用」･．", "全|角|\u3000|空|白|「|引|用|」|･|．"),
]

_PLAIN = st.text("ab's 01.,-&;\"()[]{}/\\_~'<>:?!\té", max_size=30)


@pytest.mark.parametrize(("text", "words"), _WESTERN)
def test_western_words_equal_tercom(text: str, words: str) -> None:
    assert tokenize_tercom([text]) == [words.split("|")]


@pytest.mark.parametrize(("text", "words"), _ASIAN + _WESTERN[:6])
def test_asian_words_equal_tercom(text: str, words: str) -> None:
    assert tokenize_tercom_asian([text]) == [words.split("|")]


@given(st.lists(_PLAIN, max_size=5))
def test_plain_text_equals_sacrebleu(texts: list[str]) -> None:
    peer = TercomTokenizer(normalized=True, case_sensitive=True)
    assert tokenize_tercom(texts) == [peer(text).split() for text in texts]


@given(st.lists(st.text("a's 1.,-中のタ、・（\n", max_size=12), max_size=5))
def test_a_text_does_not_depend_on_its_neighbours(texts: list[str]) -> None:
    assert tokenize_tercom_asian(texts) == [tokenize_tercom_asian([text])[0] for text in texts]


def test_blank_text_has_no_words() -> None:
    assert tokenize_tercom(["", "   ", "\n"]) == [[], [], []]
    assert tokenize_tercom([]) == []
