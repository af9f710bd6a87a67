"""Claim numbers and dependencies."""

from __future__ import annotations

import re
from typing import Any

import pytest

from checking import DIRECTIONS, Inspector, bilingual_pairs
from patmark.measures.fact_checks import ClaimStructure

_INSPECTOR = Inspector(ClaimStructure())


ZH = "1、一种装置。\n2、根据权利要求1所述的装置。\n3、如权利要求1至2中任一项所述的装置。"
JA = (
    "【請求項１】\n装置。\n【請求項２】\n請求項１に記載の装置。\n"
    "【請求項３】\n請求項１または２に記載の装置。"
)
EN = "1. A device.\n2. The device of claim 1.\n3. The device of any one of claims 1 to 2."


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages"),
    [
        (ZH, EN, "zh-en"),
        (JA, EN, "ja-en"),
        (EN, ZH, "en-zh"),
        (EN, JA, "en-ja"),
        (f"摘要：一种装置。\n权利要求：{ZH}", f"ABSTRACT: A device.\nCLAIMS: {EN}", "zh-en"),
    ],
)
def test_good_translations_raise_no_alarm(source: str, hypothesis: str, languages: str) -> None:
    finding = _INSPECTOR.inspect(source, hypothesis, languages)
    assert finding.evidence == ()
    assert (finding.kept, finding.expected) == (5, 5)


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages", "evidence"),
    [
        (ZH, EN.replace("any one of claims 1 to 2", "claim 1"), "zh-en",
         [("source", "权利要求1至2"), ("hypothesis", "claim 1")]),
        (JA, EN.replace("of claim 1", "of claim 2"), "ja-en",
         [("source", "請求項１"), ("hypothesis", "claim 2")]),
        (EN, ZH.replace("根据权利要求1所述的", ""), "en-zh", [("source", "claim 1")]),
        (EN, JA.replace("または２", ""), "en-ja",
         [("source", "claims 1 to 2"), ("hypothesis", "請求項１")]),
        (ZH, EN.replace("3. ", ""), "zh-en", [("source", "3")]),
        ("如请求项1所述", "according to claim 1 or 2", "zh-en",
         [("source", "请求项1"), ("hypothesis", "claim 1 or 2")]),
    ],
)  # fmt: skip
def test_errors_are_shown_where_they_are(
    source: str, hypothesis: str, languages: str, evidence: list[tuple[str, str]]
) -> None:
    assert _INSPECTOR.shown(source, hypothesis, languages) == evidence


def test_dependencies_that_change_places_are_found() -> None:
    source = "1、一种杆。2、一种孔。3、如权利要求1所述的杆。4、如权利要求2所述的孔。"
    hypothesis = "1. A rod. 2. A hole. 3. The rod of claim 2. 4. The hole of claim 1."
    finding = _INSPECTOR.inspect(source, hypothesis, "zh-en")
    assert (finding.kept, finding.expected) == (4, 8)


def test_text_without_claims_is_not_judged() -> None:
    finding = _INSPECTOR.inspect(
        "壳体安装在底座上。", "The housing is mounted on the base.", "zh-en"
    )
    assert (finding.kept, finding.expected) == (0, 0)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_few_alarms_on_human_translations(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    """At most 2 % of rows; both are real: a further claim, and claim 13 that became claim 14."""
    share = _INSPECTOR.alarm_share(patsnap_rows, direction)
    assert share <= 0.02


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_changed_dependencies_are_found(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    languages = "-".join(direction)
    found = tried = 0
    for source, target in bilingual_pairs(patsnap_rows, direction):
        for match in re.finditer(r"(?:claims? |权利要求 ?)(\d+)", target):
            other = str(int(match.group(1)) + 40)
            changed = target[: match.start(1)] + other + target[match.end(1) :]
            tried += 1
            found += any(
                item.side == "hypothesis" and item.start <= match.start(1) < item.end
                for item in _INSPECTOR.inspect(source, changed, languages).evidence
            )
    assert tried >= 30
    assert found >= 0.95 * tried
