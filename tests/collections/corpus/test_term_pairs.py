"""Terms that aligned sentences propose, and the evidence that goes with them."""

from __future__ import annotations

import pytest

from patmark.alignment.aligners import senses_for
from patmark.alignment.lexicon import Lexicon
from patmark.collections.corpus.term_pairs import KnownWords, TermPair, propose_terms

_PAIRS = [
    ("行星齿轮驱动轴承。", "The planetary gear drives the bearing."),
    ("壳体包围行星齿轮。", "The housing surrounds the planetary gear."),
    ("行星齿轮由钢制成。", "The planetary gear is made of steel."),
    ("轴承支撑壳体。", "The bearing supports the housing."),
    ("轴承是已知的。", "The bearing is known."),
    ("壳体冷却轴承。", "The housing cools the bearing."),
]
_LEXICON = Lexicon({("行星", "planetari"): (0.9, 0.9), ("壳体", "hous"): (0.8, 0.9)})


def _by_source(known: KnownWords) -> dict[str, TermPair]:
    return {pair.source: pair for pair in propose_terms(_PAIRS, known)}


def test_terms_are_whole_and_carry_their_evidence() -> None:
    known = KnownWords(("zh", "en"), senses_for("cedict", "zh", "en"), _LEXICON)
    found = _by_source(known)
    assert (found["轴承"].target, found["壳体"].target) == ("bearing", "housing")
    term = found["行星齿轮"]
    assert term.target == "planetary gear"
    assert (term.pairs, term.source_pairs, term.target_pairs, term.dice) == (3, 3, 3, 1.0)
    assert (term.dictionary, term.lexicon, term.known) == (0.5, 0.5, 1.0)
    assert found["壳体"].lexicon == 1.0 and found["轴承"].dictionary == 1.0


def test_what_no_dictionary_and_no_lexicon_knows_is_not_proposed() -> None:
    assert propose_terms(_PAIRS, KnownWords(("zh", "en"))) == []


def test_a_dictionary_may_go_the_other_way() -> None:
    known = KnownWords(("en", "zh"), senses_for("cedict", "en", "zh"))
    turned = [(target, source) for source, target in _PAIRS]
    assert "bearing" in {pair.source.lower() for pair in propose_terms(turned, known)}


@pytest.mark.parametrize("sentences", [[], [("", "")], [("轴。", "Shaft.")]])
def test_little_text_gives_no_terms(sentences: list[tuple[str, str]]) -> None:
    assert propose_terms(sentences, KnownWords(("zh", "en"), None, _LEXICON)) == []


def test_a_word_that_always_stands_in_a_longer_phrase_is_no_term() -> None:
    pairs = [
        ("Vorn sitzt das Stellelement.", "The actuating element is at the front."),
        ("Oben ist das Stellelement.", "The actuating element is on top."),
        ("Hier liegt ein Stellelement.", "An actuating element is here."),
        ("Hier liegt ein Gehäuse.", "A housing is here."),
        ("Oben ist ein Gehäuse.", "A housing is on top."),
        ("Vorn sitzt ein Gehäuse.", "A housing is at the front."),
    ]
    lexicon = Lexicon({("stellelement", "actuat"): (0.9, 0.9), ("gehaus", "hous"): (0.9, 0.9)})
    found = {
        pair.source: pair.target
        for pair in propose_terms(pairs, KnownWords(("de", "en"), None, lexicon))
    }
    assert found == {"Stellelement": "actuating element", "Gehäuse": "housing"}


def test_parts_of_compounds_and_single_words_of_phrases_are_no_terms() -> None:
    pairs = [
        ("Hier liegt eine Schwenkrollen-Bremse.", "A caster brake is here."),
        ("Oben ist die Schwenkrollen-Bremse.", "The caster brake is on top."),
        ("Vorn sitzt die Schwenkrollen-Bremse.", "The caster brake is at the front."),
        ("Hier liegt ein Computer-lesbares Medium.", "A readable medium is here."),
        ("Oben ist das Computer-lesbare Medium.", "The readable medium is on top."),
        ("Vorn sitzt das Computer-lesbare Medium.", "The readable medium is at the front."),
    ]
    known = {("schwenkroll", "caster"): (0.9, 0.9), ("brems", "brake"): (0.9, 0.9),
             ("medium", "medium"): (0.9, 0.9)}  # fmt: skip
    proposed = propose_terms(pairs, KnownWords(("de", "en"), None, Lexicon(known)))
    assert {pair.source: pair.target for pair in proposed} == {
        "Schwenkrollen-Bremse": "caster brake"
    }


def test_english_words_that_end_no_noun_phrase_are_no_terms() -> None:
    pairs = [
        ("moyen de retenue du four", "the retaining means of the furnace"),
        ("moyen de retenue avec un four", "a retaining means with a furnace"),
        ("four et moyen de retenue, programmé", "a furnace and a retaining means, is programmed"),
        ("détermination programmé du four", "it is programmed for determining the furnace"),
        ("détermination et programmé", "determining and programmed"),
        ("détermination, ajuster", "the step of determining"),
    ]
    words = {("retenue", "retain"), ("moyen", "mean"), ("four", "furnac"),
             ("programm", "program"), ("determin", "determin")}  # fmt: skip
    known = KnownWords(("fr", "en"), None, Lexicon(dict.fromkeys(words, (0.9, 0.9))))
    proposed = {pair.source: pair.target for pair in propose_terms(pairs, known)}
    assert proposed["four"] == "furnace"
    assert not {"retenue", "programmé", "détermination"} & set(proposed)


def test_french_terms_have_their_prepositions_and_no_function_words() -> None:
    pairs = [
        ("Die Bremskraft der Vorrichtung nach Anspruch 1 wirkt auf das Sieb.",
         "La force de freinage de l'appareil selon la revendication 1 agit sur le tamis."),
        ("Eine Bremskraft nach Anspruch 2 wirkt auf die Vorrichtung.",
         "Une force de freinage selon la revendication 2 agit sur l'appareil."),
        ("Die Rolle hat eine Bremskraft nach Anspruch 3.",
         "La roulette a une force de freinage selon la revendication 3."),
        ("Das Sieb der Vorrichtung nach Anspruch 4 ist rund.",
         "Le tamis de l'appareil selon la revendication 4 est rond."),
        ("Ein Sieb nach Anspruch 5.", "Un tamis selon la revendication 5."),
    ]  # fmt: skip
    words = {
        ("bremskraft", "forc"), ("bremskraft", "freinag"), ("vorricht", "appareil"),
        ("sieb", "tam"), ("anspruch", "revend"), ("anspruch", "selon"),
    }  # fmt: skip
    expected = {("Bremskraft", "force de freinage"), ("Vorrichtung", "appareil"), ("Sieb", "tamis")}
    known = KnownWords(("de", "fr"), None, Lexicon(dict.fromkeys(words, (0.9, 0.9))))
    assert {(pair.source, pair.target) for pair in propose_terms(pairs, known)} == expected
    other = KnownWords(("fr", "de"), None, Lexicon({(b, a): (0.9, 0.9) for a, b in words}))
    turned = propose_terms([(french, german) for german, french in pairs], other)
    assert {(pair.target, pair.source) for pair in turned} == expected
