"""The language of a text is decided per document, and left open where nothing decides."""

from __future__ import annotations

import pytest

from patmark.languages import detect_language

TEXTS = [
    ("本发明涉及一种用于输送冷却液体的离心泵及其密封装置。", "zh"),
    ("本發明係關於一種用於輸送冷卻液體之離心泵及其密封裝置。", "zh"),
    ("本発明は、冷却液を送るための遠心ポンプおよびその密封装置に関する。", "ja"),
    ("図面参照番号一覧表、冷却装置、発電装置、変換装置、転送装置、処理装置", "ja"),
    ("본 발명은 냉각액을 이송하기 위한 원심 펌프 및 그 밀봉 장치에 관한 것이다.", "ko"),
    ("The invention relates to a centrifugal pump and to its sealing device.", "en"),
    ("Die Erfindung betrifft eine Kreiselpumpe und die Dichtung der Pumpe.", "de"),
    ("L'invention concerne une pompe centrifuge et un dispositif pour la pompe.", "fr"),
    ("The pump 10 (ポンプ) has a housing and is driven by the motor 12 (モータ) of the car.", "en"),
    ("本発明のCPUおよびGPUはDDR SDRAM controllerとPCI Express busを介して接続される。", "ja"),
    ("该公开文献记载了一种密封结构，其日文名称为「ポンプ」，包括壳体、叶轮、轴承以及电动机。"
     "所述壳体上设有进水口和出水口，所述叶轮固定在转轴上。", "zh"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "language"), TEXTS)
def test_the_language_of_a_text_is_found(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    "text", ["FIG. 1", "", "120 °C", "半導体", "Rotary semiconductor pump housing", "αβγ" * 20]
)
def test_a_language_that_nothing_decides_stays_open(text: str) -> None:
    assert detect_language(text) is None


def test_a_han_only_title_follows_its_document() -> None:
    title = "半導体装置製造方法及半導体装置製造装置概要"
    assert detect_language(title) is None
    assert detect_language(title + "\nこの発明は、半導体装置を製造する方法に関する。") == "ja"
