"""Reference signs, figure numbers and step labels."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from checking import DIRECTIONS, Inspector, bilingual_pairs
from patmark.measures.fact_checks import ReferenceSigns

_BRACKETED = re.compile(r"(?<!and)(?<=[a-z\u4e00-\u9fff]) ?[(（](?P<sign>\d+)[)）]")
_SIGN = re.compile(
    r"(?:(?<=[a-z\u4e00-\u9fff])[(（]|(?<=[a-z]) [(]|\bF(?:IG|ig|igure)s?\.? ?|图)(?P<sign>\d+)"
    r"(?![\w.－-])"
)

_INSPECTOR = Inspector(ReferenceSigns())


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages", "count"),
    [
        ("距离15m处以600r/min转30s", "600 r/min for 30 s at 15 m", "zh-en", 0),
        ("七月十七日和5月3日", "On July 17 and 3 May 1997", "zh-en", 0),
        ("1997年7月17日提交", "filed 17 July 1997", "zh-en", 0),
        ("厚5mm的板（12a）和电极10A", "a plate (12a) 5 mm thick, an electrode 10A", "zh-en", 2),
        ("壳体（12）由螺栓（14a、14b）固定在底座１０上，如图1所示。",
         "The housing (12) is fixed to the base 10 by bolts (14a, 14b), as in FIG. 1.", "zh-en", 5),
        ("ステップS101で、回転軸12が軸受14-1に支持される（図3(a)参照）。",
         "In step S101, the shaft 12 rests on the bearing 14-1 (see FIG. 3(a)).", "ja-en", 4),
        ("The sensors 101, 102 and the motor 20 are shown in Figs. 2 and 3.",
         "传感器101、102和电机20如图2和图3所示。", "en-zh", 5),
        ("The sensors 101 and 102 are in Figure 2.",
         "センサ（101、102）は図２に示される。", "en-ja", 3),
        ("(1)混合；(2)干燥，实施例1，权利要求2，5个，第3步", "Mixing; drying", "zh-en", 0),
        ("公式（1），实施例（3），表（2），权利要求（2）",
         "Formula (1), Example (3), Table 2, claim 2", "zh-en", 0),
        ("如式（1）和（2）所示，请求项（3）", "as in Formulas (1) and (2), claim (3)", "zh-en", 0),
        ("仪表（12）", "the gauge (12)", "zh-en", 1),
        ("Claim 1, example 2, table 3, about 4 mm, within 5 minutes", "", "en-zh", 0),
    ],
)  # fmt: skip
def test_good_translations_raise_no_alarm(
    source: str, hypothesis: str, languages: str, count: int
) -> None:
    finding = _INSPECTOR.inspect(source, hypothesis, languages)
    assert finding.evidence == ()
    assert (finding.kept, finding.expected) == (count, count)


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages", "evidence"),
    [
        ("壳体（12）固定", "The housing is fixed", "zh-en", [("source", "12")]),
        ("螺栓（14a、14b）", "bolts (14a, 15b)", "zh-en",
         [("source", "14b"), ("hypothesis", "15b")]),
        ("如图１所示", "as shown in FIG. 2", "zh-en", [("source", "１"), ("hypothesis", "2")]),
        ("図3(a)参照", "see FIG. 3(b)", "ja-en", [("source", "3(a)"), ("hypothesis", "3(b)")]),
        ("軸受14-1が", "the bearing 14-2", "ja-en", [("source", "14-1"), ("hypothesis", "14-2")]),
        ("In step S101 it stops", "在步骤S102中停止", "en-zh",
         [("source", "S101"), ("hypothesis", "S102")]),
        ("The motor 20 and the shaft 20 turn", "モータ20と軸が回転する", "en-ja",
         [("source", "20")]),
    ],
)  # fmt: skip
def test_errors_are_shown_where_they_are(
    source: str, hypothesis: str, languages: str, evidence: list[tuple[str, str]]
) -> None:
    assert _INSPECTOR.shown(source, hypothesis, languages) == evidence


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_few_alarms_on_human_translations(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    """At most 1 % of rows; the one is real: its English claims have signs, the Chinese not."""
    share = _INSPECTOR.alarm_share(patsnap_rows, direction)
    assert share <= 0.01


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_changed_signs_are_found(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    """Every figure number, bracketed sign and step label in turn becomes 8888."""
    languages = "-".join(direction)
    found = tried = 0
    for source, target in bilingual_pairs(patsnap_rows, direction):
        if len(target) > 2000:
            continue
        for match in _SIGN.finditer(target):
            start = match.start("sign")
            changed = target[:start] + "8888" + target[match.end("sign") :]
            tried += 1
            found += ("hypothesis", start, start + 4) in {
                (item.side, item.start, item.end)
                for item in _INSPECTOR.inspect(source, changed, languages).evidence
            }
    assert tried >= 14
    assert found >= 0.95 * tried


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_dropped_signs_are_found(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    """Every bracketed sign that the source has too is left out in turn, wherever it stands.

    One mention of a sign may lose it with its noun.
    """
    languages = "-".join(direction)
    found = tried = 0
    for source, target in bilingual_pairs(patsnap_rows, direction):
        if len(target) > 2000:
            continue
        for match in _BRACKETED.finditer(target):
            if f"({match['sign']})" not in source:
                continue
            changed = target.replace(match.group(), "")
            evidence = _INSPECTOR.inspect(source, changed, languages).evidence
            tried += 1
            found += any(
                source[item.start : item.end] == match["sign"]
                for item in evidence
                if item.side == "source"
            )
    assert tried >= 10
    assert found >= 0.95 * tried


def test_signs_in_brackets_are_known_in_every_language() -> None:
    finding = _INSPECTOR.inspect(
        "Gehäuse (12) nach Anspruch 1 mit 50 kb", "boîtier (14) selon la revendication I", "de-fr"
    )
    assert [(item.side, item.message) for item in finding.evidence] == [
        ("source", "the sign 12 became 14"), ("hypothesis", "the sign 12 became 14"),
    ]  # fmt: skip


@pytest.mark.parametrize("languages", [("de", "en"), ("en", "fr"), ("de", "fr")])
def test_few_alarms_on_claims_of_the_european_office(
    shared_data: Path, languages: tuple[str, str]
) -> None:
    """At most 5 % of claims; all are real: (I) for (1), 129 for 1239, signs left out."""
    path = shared_data / "patents" / "ep_fulltext" / "claims_parallel_de_en_fr.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    pairs = [[row[language] for language in languages] for row in rows]
    alarms = [_INSPECTOR.inspect(*pair, "-".join(languages)).evidence for pair in pairs]
    assert sum(map(bool, alarms)) <= 0.05 * len(pairs)
