"""A language that the script of the texts contradicts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from patmark.languages.phrases import has_content_words
from patmark.languages.scripts import (
    fits_language,
    foreign_language,
    foreign_script,
    mostly_spaced,
    written_in,
)

ZH = ["一种泵，包括壳体。"] * 8 + ["H2O"] * 2
JA = ["ポンプは、筐体を備える。"] * 8 + ["図1"] * 2
KO = ["펌프는 하우징을 포함한다."] * 8 + ["H2O"] * 2
RU = ["Насос содержит корпус."] * 8 + ["H2O"] * 2
EN = ["A pump comprises a housing."] * 9 + ["α-Fe 鋼"]


@pytest.mark.parametrize(
    ("texts", "language", "written"),
    [
        (ZH, "zh", ""), (JA, "ja", ""), (EN, "en", ""), (EN, "de", ""), ([], "zh", ""),
        (JA, "zh", "in Japanese"), (EN, "zh", "in Latin letters"), (ZH, "ja", "in Chinese"),
        (ZH[:9], "ja", ""), (ZH, "en", "in Chinese"), (JA, "en", "in Japanese"), (KO, "ko", ""),
        (ZH, "ko", "in Chinese"), (JA, "ko", "in Japanese"), (EN, "ko", "in Latin letters"),
        (KO, "zh", "in Korean"), (RU, "en", "in Cyrillic letters"), (RU, "ru", ""), (RU, "sr", ""),
        (EN, "ru", "in Latin letters"), (EN, "tw", ""), (ZH, "tw", "in Chinese"),
        (["12", "3.5", "-"], "zh", ""),
    ],
)  # fmt: skip
def test_scripts(texts: list[str], language: str, written: str) -> None:
    assert foreign_script(texts, language) == written


def test_languages_are_doubted_only_on_evidence() -> None:
    for language in ("en", "de", "zh", "ja", "fr"):
        assert fits_language("12.5", language)
    assert fits_language("C₂H₅OH", "de")
    assert fits_language("発明の効果", "ja")
    assert fits_language("采用 LTE 和 WiFi 的装置", "zh")
    assert not fits_language("泵 comprises a housing and a wheel that turns in it", "zh")
    assert not fits_language("一种具有壳体和叶轮并且可以旋转的水泵装置", "ja")
    assert fits_language("Насос имеет корпус", "ru")
    assert not fits_language("The pump", "ru")


def test_scripts_of_a_language_are_those_of_the_whole_set() -> None:
    """Korean is not written in Chinese characters alone, nor Greek or Swedish in them."""
    assert fits_language("펌프는 하우징(housing)을 포함한다", "ko")
    assert not fits_language("一种泵，包括壳体。", "ko")
    assert fits_language("Η αντλία έχει περίβλημα", "el") and not fits_language("The pump", "el")
    assert fits_language("Pumpen har ett hus", "sv") and not fits_language("水泵", "sv")
    assert fits_language("水泵", "tlh")  # a language whose script is not known


def test_greek_letters_of_a_formula_fit_every_language() -> None:
    for language in ("en", "zh", "ja", "ru"):
        assert fits_language("Δλ = σ/ρ", language)


_GERMAN = [
    "Die Erfindung betrifft eine Pumpe mit einem Gehäuse und einer Welle.",
    "Das Ventil ist nach Anspruch 1 mit dem Motor verbunden.",
    "Die Welle wird bei dem Verfahren aus Stahl von der Anlage auf den Tisch gelegt.",
]
_FRENCH = [
    "L'invention concerne une pompe avec un boîtier et un arbre dans le moteur.",
    "La soupape selon la revendication 1 est reliée au moteur par une courroie.",
    "Le procédé selon lequel les pièces sont posées sur la table de la machine.",
]
_ENGLISH = [
    "The invention relates to a pump with a housing and a shaft.",
    "The valve of claim 1 is connected to the motor by a belt.",
    "In the method the parts are laid on the table of the machine, which is closed.",
]


@pytest.mark.parametrize(
    ("texts", "language", "written"),
    [
        (_GERMAN, "en", "in German"), (_FRENCH, "en", "in French"), (_ENGLISH, "de", "in English"),
        (_FRENCH, "de", "in French"), (_GERMAN, "de", ""), (_FRENCH, "fr", ""),
        (_ENGLISH, "en", ""), (_GERMAN[:1], "en", ""), (_GERMAN, "zh", ""), (_GERMAN, "sv", ""),
        ([], "en", ""),
    ],
)  # fmt: skip
def test_languages_of_one_script_are_told_apart_by_their_function_words(
    texts: list[str], language: str, written: str
) -> None:
    assert foreign_language(texts, language) == written


def test_titles_names_and_formulas_are_in_no_foreign_language() -> None:
    titles = ["PUMPE", "Mercedes-Benz", "Robert Bosch", "de la Cruz", "Die bonding", "Os und As"]
    formulas = ["C6H12O6", "Ala-Pro-Leu", "x = a + b", "e o e o e o", "die pad", "van der Waals"]
    for texts in (titles, formulas, titles * 50, formulas * 50, ["die die die"] * 50):
        assert foreign_language(texts, "en") == ""


def test_real_claims_in_three_languages_give_no_false_alarm(shared_data: Path) -> None:
    file = shared_data / "patents" / "ep_fulltext" / "claims_parallel_de_en_fr.jsonl"
    if not file.exists():
        pytest.skip(f"no sample data: {file} is absent")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    rng = random.Random(0)
    for size in (1, 2, 5, 20):
        for _ in range(50):
            drawn = rng.sample(rows, size)
            for language in ("en", "de", "fr"):
                texts = [row[language] for row in drawn]
                assert foreign_language(texts, language) == ""
    names = {"en": "in English", "de": "in German", "fr": "in French"}
    for language, name in names.items():
        for other in names.keys() - {language}:
            assert foreign_language([row[language] for row in rows[:20]], other) == name


_WIDE = {at: at + 0xFEE0 for at in range(0x21, 0x7F)}


@pytest.mark.parametrize("text", ["The valve 阀门 opens and closes.", "A seat of steel 々"])
def test_full_width_english_is_not_chinese(text: str) -> None:
    wide = text.translate(_WIDE)
    assert written_in([wide]) == "Latin letters"
    assert foreign_script([wide] * 9, "en") == "" and fits_language(wide, "en")


@pytest.mark.parametrize(
    ("text", "language"), [("ＬＥＤを備える照明装置", "ja"), ("带有ＬＥＤ的照明装置", "zh")]
)
def test_full_width_names_do_not_make_a_text_english(text: str, language: str) -> None:
    assert foreign_script([text] * 12, language) == "" and fits_language(text, language)


@pytest.mark.parametrize(
    ("texts", "declared", "spaced"),
    [
        (EN, None, True), (ZH, None, False), (JA, "ja", False), (EN, "zh", False), ([], None, True),
        ([*EN[:2], *ZH[:2]], None, True), ([*EN[:2], *ZH[:3]], None, False),
    ],
)  # fmt: skip
def test_most_texts_decide_if_blanks_divide_words(
    texts: list[str], declared: str | None, spaced: bool
) -> None:
    assert mostly_spaced(texts, declared) is spaced


def test_languages_with_known_function_words() -> None:
    assert all(map(has_content_words, ("en", "zh", "ja")))
    assert not any(map(has_content_words, ("de", "xx", "")))
