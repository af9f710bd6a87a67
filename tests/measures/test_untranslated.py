"""Text left in the source language."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from checking import DIRECTIONS, Inspector, bilingual_pairs
from patmark.measures.untranslated import Untranslated

_INSPECTOR = Inspector(Untranslated())


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages"),
    [
        ("壳体安装在底座上。", "The housing is mounted on the base.", "zh-en"),
        ("The LCD uses Bluetooth, 5 wt% NaCl, tert-butanol, pH and sin x.",
         "LCD使用Bluetooth、5wt%NaCl、tert-丁醇、pH和sin x。", "en-zh"),
        ("The device-to-device link", "设备到设备（device-to-device）链路", "en-zh"),
        ("The LabVIEW file of an iPhone app", "iPhoneアプリのLabVIEWファイル", "en-ja"),
        ("半導体装置", "半導体装置", "ja-zh"),
    ],
)  # fmt: skip
def test_good_translations_raise_no_alarm(source: str, hypothesis: str, languages: str) -> None:
    finding = _INSPECTOR.inspect(source, hypothesis, languages)
    assert finding.evidence == ()
    assert finding.kept == finding.expected > 0


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages", "left"),
    [
        ("壳体安装在底座上。", "The 壳体 is on the 底座.", "zh-en", ["壳体", "底座"]),
        ("ロータは回転する。", "The ロータ rotates.", "ja-en", ["ロータ"]),
        ("The housing is mounted on a base.", "housing安装在base上。", "en-zh",
         ["housing", "base"]),
        ("A rotor is driven by the gear.", "ロータはdriven by the gearである。", "en-ja",
         ["driven by the gear"]),
        ("The rod.", "this text was never translated", "en-zh", ["this text was never translated"]),
        ("The rod is moved.", "The rod is moved.", "en-ja", ["The rod is moved."]),
        ("ロータは回る。", "该ロータ旋转。", "ja-zh", ["ロータ"]),
        ("该装置包括壳体和底座。", "该装置包括壳体和底座。", "zh-ja", ["该装置包括壳体和底座。"]),
    ],
)  # fmt: skip
def test_errors_are_shown_where_they_are(
    source: str, hypothesis: str, languages: str, left: list[str]
) -> None:
    expected = [("hypothesis", text) for text in left]
    assert _INSPECTOR.shown(source, hypothesis, languages) == expected


def test_the_score_is_by_characters() -> None:
    finding = _INSPECTOR.inspect("壳体安装。", "The 壳体.", "zh-en")
    assert (finding.kept, finding.expected) == (4, 6)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_no_alarms_on_human_translations(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    languages = "-".join(direction)
    pairs = bilingual_pairs(patsnap_rows, direction)
    assert [pair for pair in pairs if _INSPECTOR.inspect(*pair, languages).evidence] == []


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_left_text_is_found(patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]) -> None:
    """One to four words of the source are put into the translation."""
    piece = re.compile(
        r"[\u4e00-\u9fff]+" if direction[0] == "zh" else r"\b[a-z]{4,}(?: [a-z]{4,})*\b"
    )
    random_source = random.Random(3)
    languages = "-".join(direction)
    found = tried = 0
    for source, target in bilingual_pairs(patsnap_rows, direction):
        pieces = piece.findall(source)
        if not pieces:
            continue
        left = random_source.choice(pieces)[:30].rsplit(" ", 1)[0]
        places = [match.start() for match in re.finditer(r"(?<=[ 。、的])(?=\w)", target)] or [0]
        place = random_source.choice(places)
        changed = f"{target[:place]}{left} {target[place:]}"
        tried += 1
        found += any(
            item.start <= place and place + len(left) <= item.end
            for item in _INSPECTOR.inspect(source, changed, languages).evidence
        )
    assert tried >= 100
    assert found >= 0.95 * tried
