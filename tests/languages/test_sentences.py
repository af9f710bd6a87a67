"""Sentences of patent texts: real traps, nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from patmark.collections.patents.read import read_documents
from patmark.data.documents import Document
from patmark.languages.sentences import (
    is_paragraph_number,
    sentence_spans,
    split_clauses,
    split_sentences,
)

# "|" marks where a sentence ends
_ENGLISH = [
    "FIG. 1 shows a pump 12. |Figs. 2 and 3 show valves. |It is closed.",
    "See U.S. Pat. No. 5,123,456. |The method of Pat. Nos. 3 and 4 is old.",
    "Smith et al. describe a valve, e.g. a ball valve, i.e. valve No. 5. |It is approx. 5 mm wide.",
    "The ratio is 0.5 to 1.25. |Version v1.2.3 uses file.txt. |CH3.CO is formed.",
    "It was heated to 25° C. for 2 h. |Ethanol was added at 30° C. |The rest was discarded.",
    "A method according to Eq. 3 (cf. Ref. 7. See also Dr. Who). |It works vs. the old one.",
    "Vitamin C. |The cell was E. coli. |J. B. Konopka and S. M. Watanabe found it.",
    "1. A method of making a cup. |2. The method of claim 1.",
    "The method has these steps: 1. Heating the cup; 2. Cooling the cup.",
    'He wrote "Stop it." |The machine stopped. |Does it? |Yes!',
    "(The valve is open.) |It may be closed. |n-Butyl lithium is used. |mRNA was found.",
    "Such is known from Lai et al., J. Exp. Med. 164:882 (1986). |Methods in Enzymol. 185:60.",
    "It was filed on Apr. 10, 2000. |Keys K1, . . . , Km are used. |See PCT No. PCT/NO98/1.",
    "The wall is thin.The base is thick.".replace(".The", ".|The"),
    "This is known.[12] |The unit 3a. |Parts of Acme Inc. |The rest etc. are shown.",
    "3b. Use of blocking acid.",
    "It is known in the art. |Pepsin is used for 5 min. |Ten drops, T-1, etc. |Trial use.",
    "As Guo et al. say, it is incorporated by reference. |Briefly, form α. |Heating. |Art. 3.",
    "The alloy has Al. |Copper is added to Marston et al. Meth. Enz., 182:264.",
]
_GERMAN = [
    "Am 3. Mai wurde z. B. in Fig. 1. |Die Pumpe (vgl. Abb. 2) ist bzw. Teile sind an.",
    "Nach dem 2. Ausführungsbeispiel ist d.h. Wasser ca. 5 cm hoch. |Es ist kalt.",
]
_FRENCH = ["Le dispositif, p. ex. une pompe, selon la fig. 2. |Il est fermé. |Env. 5 mm."]
_CHINESE = [
    "本发明涉及一种泵。|图1为示意图（参见图2。另见图3）。|压力为0.5MPa！|好吗？",
    "按下“打开。”按钮。|（备注：见下文。）|其他部分。",
    "1．一种泵。|2．根据权利要求1所述的泵。",
]
_JAPANESE = [
    "「開く。」と表示する。|図１．２を参照する。|（以下同じ。）|次に述べる。",
    "本発明は，装置に関する．|電極Ａ．|次に，図１．２を参照する．",
    "装置（例えば、Ａ。Ｂ）を備える。|【解決手段】弁を備える。",
]
_CASES = [
    (language, text)
    for language, texts in (
        ("en", _ENGLISH), ("de", _GERMAN), ("fr", _FRENCH), ("zh", _CHINESE), ("ja", _JAPANESE),
    )
    for text in texts
]  # fmt: skip


@pytest.mark.parametrize(("language", "marked"), _CASES)
def test_sentences_end_where_they_should(language: str, marked: str) -> None:
    expected = [part.strip() for part in marked.split("|")]
    assert split_sentences(marked.replace("|", ""), language) == expected


def test_paragraph_numbers_and_headings_stand_alone() -> None:
    japanese = "【技術分野】\n【０００１】\n本発明は弁に関する。【０００２】弁は開く。"
    assert split_sentences(japanese, "ja") == [
        "【技術分野】", "【０００１】", "本発明は弁に関する。", "【０００２】", "弁は開く。",
    ]  # fmt: skip
    chinese = "技术领域\n[0001] 本发明涉及泵。\n背景技术\n[0002] 泵是已知的。"
    assert split_sentences(chinese, "zh") == [
        "技术领域", "[0001]", "本发明涉及泵。", "背景技术", "[0002]", "泵是已知的。",
    ]  # fmt: skip
    english = "BACKGROUND OF THE INVENTION\n[0001] Cups leak\nwhen full [1989]. Why?"
    assert split_sentences(english, "en") == [
        "BACKGROUND OF THE INVENTION", "[0001]", "Cups leak\nwhen full [1989].", "Why?",
    ]  # fmt: skip
    assert is_paragraph_number("【００１２】")
    assert not is_paragraph_number("[12]")


def test_line_breaks_are_blanks_unless_something_ended() -> None:
    drawings = (
        "The drawings show:\nFIG. 1 is a front\nview;\nFIG. 2 is a side view;\n\nA pump\nruns."
    )
    assert split_sentences(drawings, "en") == [
        "The drawings show:", "FIG. 1 is a front\nview;", "FIG. 2 is a side view;", "A pump\nruns.",
    ]  # fmt: skip


def test_a_claim_is_one_sentence_and_several_clauses() -> None:
    claim = (
        "A method according to steps (a) and (b), comprising:\n(a) heating (1 h; twice) a cup;\n"
        "(b) cooling the cup; and\n(c) filling it, wherein the cup is thin."
    )
    assert split_sentences(claim, "en") == [claim]
    assert split_clauses(claim, "en") == [
        "A method according to steps (a) and (b), comprising:",
        "(a) heating (1 h; twice) a cup;",
        "(b) cooling the cup;",
        "and\n(c) filling it,",
        "wherein the cup is thin.",
    ]


@pytest.mark.parametrize(
    ("language", "marked"),
    [
        ("zh", "一种泵，其特征在于，|包括：|壳体（钢；铁）；|以及叶轮，|其中，叶轮为钢。"),
        ("ja", "基板と、|前記基板上の電極と、|を備える装置。"),
        ("de", "Pumpe mit einem Rad, |dadurch gekennzeichnet, dass es rund ist, |wobei es dreht."),
        ("fr", "Pompe, |caractérisée en ce que la roue tourne ;|et un arbre."),
        ("en", "A pump with a rotor (30) in the housing (20), |wherein the rotor (30) turns."),
        ("en", "The pump of claim 1, |wherein layer (A) is on layer (B) and a seal (4) is thin."),
        ("en", "A method comprising |(a) heating the cup, |(b) cooling it, |and (c) filling it."),
        ("en", "A kit comprising |(1) a cup, |(2) a lid |and (3) the straw (5) in it."),
        ("de", "Pumpe mit einem Rotor (30) im Gehäuse (20), |wobei der Rotor (30) dreht."),
        ("zh", "一种泵，包括壳体 (20) 和转子 (30)；|转子 (30) 由钢制成。"),
    ],
)
def test_clauses_of_other_languages(language: str, marked: str) -> None:
    expected = [part.strip() for part in marked.split("|")]
    assert split_clauses(marked.replace("|", ""), language) == expected


_PIECES = st.sampled_from(
    [
        "FIG. ",
        "No. ",
        "et al. ",
        ". ",
        ".",
        "! ",
        "? ",
        "; ",
        "\n",
        "\n\n",
        "(",
        ")",
        "[0012]",
        "【００１２】",
        "「",
        "」",
        "。",
        "．",
        "１",
        "12",
        "a",
        "The ",
        "the ",
        "A",
        "泵",
        "弁",
        " ",
        "\u3000",
        "⟦formula:m1⟧",
        "“",
        "”",
        "e.g. ",
        ", ",
        ":",
    ]
)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(_PIECES, max_size=40).map("".join), st.sampled_from(["en", "de", "fr", "zh", "ja"]))
def test_nothing_is_lost_or_moved(text: str, language: str) -> None:
    spans = sentence_spans(text, language)
    pieces = split_sentences(text, language)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(piece and piece == piece.strip() for piece in pieces)
    assert [text[start:end] for start, end in spans] == pieces
    assert spans == sorted(spans)
    clauses = split_clauses(text, language)
    assert "".join("".join(clauses).split()) == "".join(text.split())


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.text(max_size=60), st.sampled_from(["en", "ja"]))
def test_any_text_at_all_is_kept(text: str, language: str) -> None:
    assert "".join("".join(split_sentences(text, language)).split()) == "".join(text.split())


def test_real_documents_have_no_stray_sentences(shared_data: Path) -> None:
    """A real grant: beginning and end of each of its 82 sentences were read by eye."""
    [document] = read_documents(shared_data / "patents/us_uspto/xml2014/US08930553.xml")
    assert isinstance(document, Document)
    text = document.text("en")
    sentences = [
        sentence
        for paragraph in text.description
        if not paragraph.is_heading
        for sentence in split_sentences(paragraph.text, "en")
    ]
    assert len(sentences) == 82
    assert [s for s in sentences if s[0].islower()] == []
    assert [s for s in sentences if not s.endswith((".", ".”", ":", ";", "; and"))] == []
    assert [s for s in sentences if s.endswith(("FIG.", "No.", "e.g.", "i.e.", "al."))] == []


@pytest.mark.parametrize(
    "text", ["(" * 30_000 + "]" * 30_000, "ACGT" * 20_000, "et al. A. B." * 900]
)
def test_hostile_text_takes_no_time(text: str) -> None:
    """Quadratic or exponential rules would not end within the time of a test."""
    for language in ("en", "ja"):
        assert "".join("".join(split_sentences(text, language)).split()) == "".join(text.split())
