"""Terms that are translated in more than one way inside a document."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from patmark.data.model import TestSet
from patmark.errors import UsageError
from patmark.measures.base import Finding
from patmark.measures.term_drift import TermDrift

ZH_EN = [
    ("密封圈安装在壳体上。", "The sealing ring is mounted on the housing."),
    ("阀门靠近密封圈。", "The valve is close to the sealing ring."),
    ("密封圈由橡胶制成。", "The sealing rings are made of rubber."),
    ("弹簧压住密封圈。", "The spring presses the Sealing-Ring."),
    ("杆穿过密封圈。", "The rod passes through the sealing ring."),
]
JA_EN = [
    ("ロータリエンコーダを設ける。", "A rotary encoder is provided."),
    ("制御部はロータリエンコーダに接続される。", "The controller is wired to the rotary encoder."),
    ("ロータリエンコーダの出力を読む。", "The output of the rotary encoder is read."),
    ("軸にロータリエンコーダを固定する。", "The rotary encoder is fixed to the shaft."),
]

EN_JA = [
    ("A rotation detector is provided.", "回転検出器を設ける。"),
    ("The controller is wired to the rotation detector.", "制御部は回転検出器に接続される。"),
    ("The output of the rotation detector is read.", "回転検出器の出力を読む。"),
    ("The rotation detector is fixed to the shaft.", "軸に回転検出器を固定する。"),
]


def _inspect(pairs: list[tuple[str, str]], languages: str, document: str | None) -> list[Finding]:
    source_language, target_language = languages.split("-")
    hypotheses = [hypothesis for _, hypothesis in pairs]
    test_set = TestSet.of(
        hypotheses,
        sources=[source for source, _ in pairs],
        documents=[document] * len(pairs),
        source_language=source_language,
        target_language=target_language,
    )
    return TermDrift().inspect(test_set, hypotheses)


def _turned(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(target, source) for source, target in pairs]


def _drift(pairs: list[tuple[str, str]], languages: str) -> list[tuple[int, str]]:
    return [
        (position, pairs[position][1][item.start : item.end])
        for position, finding in enumerate(_inspect(pairs, languages, "P1"))
        for item in finding.evidence
    ]


@pytest.mark.parametrize(
    ("pairs", "languages"),
    [
        (ZH_EN, "zh-en"),
        (JA_EN, "ja-en"),
        (_turned(ZH_EN), "en-zh"),
        (EN_JA, "en-ja"),
    ],
)
def test_one_rendering_is_no_drift(pairs: list[tuple[str, str]], languages: str) -> None:
    findings = _inspect(pairs, languages, "P1")
    assert all(finding.evidence == () for finding in findings)
    assert all(finding.kept == finding.expected >= 1 for finding in findings)


@pytest.mark.parametrize(
    ("pairs", "languages", "old", "new"),
    [
        (ZH_EN, "zh-en", "sealing rings", "sealing gaskets"),
        (JA_EN, "ja-en", "output of the rotary encoder", "output of the rotary coder"),
        (_turned(ZH_EN), "en-zh", "密封圈由橡胶", "密封环由橡胶"),
        (EN_JA, "en-ja", "回転検出器の出力", "回転検知器の出力"),
    ],
)
def test_a_variant_is_shown(
    pairs: list[tuple[str, str]], languages: str, old: str, new: str
) -> None:
    changed = [(source, target.replace(old, new)) for source, target in pairs]
    ((position, shown),) = _drift(changed, languages)
    assert position == 2
    assert shown in new


def test_another_word_must_come_twice() -> None:
    renamed = [
        (source, target if position not in (1, 3) else re.sub("(?i)sealing.ring", "washer", target))
        for position, (source, target) in enumerate(ZH_EN)
    ]
    assert _drift(renamed, "zh-en") == [(1, "washer"), (3, "washer")]
    once = [*renamed[:3], *ZH_EN[3:]]
    assert _drift(once, "zh-en") == []
    assert _inspect(once, "zh-en", "P1")[1].expected == 0


VALVES = [
    ("阀门安装在壳体上。", "The valve is mounted on the housing."),
    ("弹簧压住阀门。", "The spring presses the valve."),
    ("阀门由钢制成。", "The flap is made of steel."),
    ("杆推动阀门。", "The rod pushes the valve."),
    ("阀门关闭通道。", "The flap closes the channel."),
    ("压力打开阀门。", "The pressure opens the valve."),
    ("阀门与泵相连。", "The valve is joined to the pump."),
    ("控制器检测阀门的位置。", "The controller detects the position of the flap."),
]
BATTERIES = [
    ("電池を備える。", "A battery is provided."),
    ("電池の電圧を測る。", "The voltage of the battery is measured."),
    ("電池が発熱する。", "The accumulator becomes hot."),
    ("ケースが電池を覆う。", "A case covers the battery."),
    ("電池を冷やす。", "The accumulator is cooled."),
]


@pytest.mark.parametrize(
    ("pairs", "languages", "rival", "places"),
    [
        (VALVES, "zh-en", "flap", [2, 4, 7]),
        ([*VALVES[:1], (VALVES[1][0], "The spring presses the flap."), *VALVES[2:]], "zh-en",
         "flap", [1, 2, 4, 7]),
        (BATTERIES, "ja-en", "accumulator", [2, 4]),
    ],
)  # fmt: skip
def test_a_noun_of_two_characters_is_a_term(
    pairs: list[tuple[str, str]], languages: str, rival: str, places: list[int]
) -> None:
    assert _drift(pairs, languages) == [(place, rival) for place in places]


def test_a_competing_word_goes_with_the_places_that_lack_the_usual_one() -> None:
    pairs = [*VALVES[:2], ("阀门很轻。", "It weighs little and costs little."), VALVES[3],
             ("阀门便宜。", "It costs little."), VALVES[5], ("阀门耐用。", "It lasts long."),
             ("阀门密封。", "It closes tightly."), ("阀门易换。", "It is easily replaced."),
             *VALVES[6:7] * 3]  # fmt: skip
    assert _drift(pairs, "zh-en") == []


def test_another_source_term_explains_another_word() -> None:
    pairs = [
        *ZH_EN,
        ("垫片盖住密封圈。", "The washer covers it."),
        ("垫片和密封圈。", "The washer and it."),
    ]
    assert _drift(pairs, "zh-en") == []


def test_a_term_that_is_rare_is_not_assessed() -> None:
    assert all(finding.expected == 0 for finding in _inspect(ZH_EN[:2], "zh-en", "P1"))


def test_segments_without_document_stand_alone() -> None:
    assert all(finding.expected == 0 for finding in _inspect(ZH_EN, "zh-en", None))


def test_sentences_of_one_segment_are_pieces() -> None:
    source = "".join(source for source, _ in ZH_EN)
    hypothesis = " ".join(target for _, target in ZH_EN).replace("sealing rings", "sealing discs")
    (finding,) = _inspect([(source, hypothesis)], "zh-en", None)
    assert [hypothesis[item.start : item.end] for item in finding.evidence] == ["sealing discs"]
    assert (finding.kept, finding.expected) == (4, 5)


def test_too_few_pieces_are_refused() -> None:
    with pytest.raises(UsageError, match="too few"):
        TermDrift(pieces=2)


@pytest.mark.parametrize("direction", [("zh", "en"), ("en", "zh")])
def test_no_alarms_on_human_translations(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    fields = {"zh": "content_cn", "en": "content_en"}
    rows = [row for row in patsnap_rows if row["content_en"] != "Zero"]
    hypotheses = [row[fields[direction[1]]] for row in rows]
    test_set = TestSet.of(
        hypotheses,
        sources=[row[fields[direction[0]]] for row in rows],
        documents=[row["pn"] for row in rows],
        source_language=direction[0],
        target_language=direction[1],
    )
    findings = TermDrift().inspect(test_set, hypotheses)
    assert sum(finding.expected for finding in findings) > 50
    assert [item for finding in findings for item in finding.evidence] == []


def test_drift_does_not_depend_on_the_order_of_documents() -> None:
    pairs = [(source, target.replace("sealing rings", "sealing discs")) for source, target in ZH_EN]
    order = list(range(len(pairs)))
    random.Random(1).shuffle(order)
    straight = _inspect(pairs, "zh-en", "P1")
    shuffled = _inspect([pairs[place] for place in order], "zh-en", "P1")
    assert [straight[place] for place in order] == shuffled


_SIGNED = {
    "zh-en": [
        ("壳体（10）为圆柱形。", "The housing (10) is cylindrical."),
        ("泵（12）位于壳体（10）内。", "The pump (12) lies in the housing (10)."),
        ("壳体（10）由钢制成。", "The {} (10) is made of steel."),
        ("盖与壳体（10）连接。", "The lid is joined to the housing (10)."),
    ],
    "ja-en": [
        ("筐体（10）は円筒形である。", "The housing (10) is cylindrical."),
        ("ポンプ（12）は筐体（10）内にある。", "The pump (12) lies in the housing (10)."),
        ("筐体（10）は鋼製である。", "The {} (10) is made of steel."),
        ("蓋は筐体（10）に接合される。", "The lid is joined to the housing (10)."),
    ],
    "en-zh": [
        ("The housing (10) is cylindrical.", "壳体（10）为圆柱形。"),
        ("The pump (12) lies in the housing (10).", "泵（12）位于壳体（10）内。"),
        ("The housing (10) is made of steel.", "{}（10）由钢制成。"),
        ("The lid is joined to the housing (10).", "盖与壳体（10）连接。"),
    ],
}


@pytest.mark.parametrize(
    ("languages", "noun", "drifts"),
    [
        ("zh-en", "casing", True), ("ja-en", "casing", True), ("en-zh", "机箱", True),
        ("zh-en", "outer housing", False), ("ja-en", "housings", False), ("en-zh", "外壳体", False),
    ],
)  # fmt: skip
def test_a_sign_keeps_its_noun(languages: str, noun: str, drifts: bool) -> None:
    pairs = [(source, target.format(noun)) for source, target in _SIGNED[languages]]
    assert _drift(pairs, languages) == ([(2, noun)] if drifts else [])


def test_a_sign_on_two_nouns_of_the_source_may_have_two() -> None:
    pairs = [(s, t.format("casing")) for s, t in _SIGNED["zh-en"]]
    pairs[2] = ("机箱（10）由钢制成。", pairs[2][1])
    assert _drift(pairs, "zh-en") == []
