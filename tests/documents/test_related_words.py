"""Words of Japanese that are related to English or Chinese ones without a dictionary."""

import pytest

from patmark.alignment import Hybrid, Lexicon
from patmark.documents.review_alignment import knowing_related_words


def related(languages: tuple[str, str], source: str, target: str) -> set[tuple[str, str]]:
    aligner = knowing_related_words(Hybrid(*languages), [source], [target])
    return set(aligner.lexicon.pairs) if aligner.lexicon else set()


def test_loanwords_are_related_by_their_consonants() -> None:
    found = related(
        ("ja", "en"), "シールリングはプレートとセルを囲む。", "Rings seal the plates and cells."
    )
    assert {("リング", "ring"), ("プレート", "plate"), ("セル", "cell")} <= found
    assert ("プレート", "cell") not in found


def test_direction_does_not_matter() -> None:
    found = related(("en", "ja"), "The plates extend.", "プレートは延びている。")
    assert {("plate", "プレート"), ("extend", "延びる")} <= found


def test_han_words_are_related_in_simplified_form() -> None:
    found = related(
        ("zh", "ja"), "流量变化时压力读数产生误差。", "流量が変化すると、圧力に誤差が生じる。"
    )
    assert {("流量", "流量"), ("压力", "圧力"), ("误差", "誤差"), ("变化", "変化")} <= found


def test_words_of_earlier_documents_take_precedence() -> None:
    own = Hybrid("ja", "en", lexicon=Lexicon({("プレート", "plate"): (0.9, 0.8)}))
    aligner = knowing_related_words(own, ["プレートとセル"], ["plates and cells"])
    assert aligner.lexicon is not None
    assert aligner.lexicon.pairs["プレート", "plate"] == (0.9, 0.8)
    assert ("セル", "cell") in aligner.lexicon.pairs


@pytest.mark.parametrize("languages", [("zh", "en"), ("de", "en"), ("ja", "ko")])
def test_other_languages_keep_their_aligner(languages: tuple[str, str]) -> None:
    own = Hybrid(*languages)
    assert knowing_related_words(own, ["Platte 3"], ["plate 3"]) is own
