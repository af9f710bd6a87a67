"""Texts that can or cannot be in a language."""

from __future__ import annotations

from patmark.text.language_fit import fits_language


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
