"""Differences: kind, slot, severity, both places, and messages without internal names."""

from __future__ import annotations

import re

import pytest

from patmark.facts import Difference, compare_facts, facts_of

_ONE_OF_EACH = [
    ("zh-en", "厚度为5mm。", "The thickness is 6 mm.", "number", "value", "error"),
    ("zh-en", "厚度为5mm，长度为8mm。", "The thickness is 5 mm.", "number", "presence", "warning"),
    ("en-zh", "The plate was made in 2015.", "该板已制成。", "number", "presence", "info"),
    ("en-zh", "Twelve bolts are arranged.", "布置有螺栓。", "number", "presence", "info"),
    ("ja-en", "濃度は5mg/Lである。", "The concentration is 5 mg/mL.", "unit", "unit", "error"),
    ("zh-en", "温度为-5℃。", "The temperature is 5 °C.", "number", "minus sign", "error"),
    ("zh-en", "密度为85%以上。", "The density is 85% or less.", "limit", "direction", "error"),
    ("zh-en", "密度为85%以下。", "The density is less than 85%.", "limit", "end", "error"),
    ("ja-en", "弁は開かない。", "The valve opens.", "polarity", "negation", "warning"),
    ("de-fr", "das Gehäuse (12)", "le boîtier (14)", "sign", "presence", "error"),
    ("en-zh", "S1 heats the first pump 11", "S1中加热第二泵11", "ordinal", "value", "warning"),
    ("en-zh", "the second gear drives the shaft", "第三齿轮驱动轴", "ordinal", "value", "warning"),
    ("en-zh", "the valve upstream of the pump", "泵下游的阀", "marker", "flow", "warning"),
    ("en-ja", "The device of claim 1.", "請求項2に記載の装置。", "claim", "reference", "error"),
    ("en-zh", "The motor is red.", "阀门是红色的。", "term", "noun", "warning"),
]  # fmt: skip


def _found(languages: str, source: str, target: str) -> list[Difference]:
    one, other = languages.split("-")
    return compare_facts(facts_of(source, one), facts_of(target, other))


@pytest.mark.parametrize(
    ("languages", "source", "target", "kind", "slot", "severity"), _ONE_OF_EACH
)
def test_a_difference_has_kind_slot_and_severity(
    languages: str, source: str, target: str, kind: str, slot: str, severity: str
) -> None:
    found = {(d.kind, d.slot, d.severity) for d in _found(languages, source, target)}
    assert found == {(kind, slot, severity)}


def test_a_prefix_of_the_next_noun_does_not_turn_a_limit() -> None:
    assert not _found(
        "ja-en",
        "水分が20ppm以下である非水溶液",
        "a non-aqueous solution with a water content of 20 ppm or less",
    )


def test_a_sign_on_two_nouns_is_marked_on_the_wrong_one() -> None:
    source = "电池具有隔膜130，并收纳于外壳140中。"
    target = "The battery has a separator 140 and is housed in a casing 140."
    [found] = [d for d in _found("zh-en", source, target) if d.target and d.slot == "noun"]
    assert found.target and target[slice(*found.target)] == "separator 140"


def test_a_changed_value_is_one_difference_with_both_places() -> None:
    source, target = "密度为1.035g/cm3，长5mm。", "The density is 1.065 g/cm3, the length 5 mm."
    [difference] = _found("zh-en", source, target)
    assert difference.message == "1.035 g/cm3 became 1.065 g/cm3"
    assert difference.source and source[slice(*difference.source)] == "1.035"
    assert difference.target and target[slice(*difference.target)] == "1.065"
    assert difference.facts == 2


def test_values_are_paired_by_unit_before_order() -> None:
    found = _found("zh-en", "长5mm，重8kg。", "The weight is 9 kg, the length 6 mm.")
    assert [d.message for d in found] == ["5 mm became 6 mm", "8 kg became 9 kg"]


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("en-zh", "The rotor drives the stator.", "定子驱动转子。"),
        (
            "en-ja",
            "The input terminal drives the output terminal.",
            "出力端子が入力端子を駆動する。",
        ),
        (
            "en-zh",
            "The inner layer is 20 nm thick, and the outer layer is 50 nm thick.",
            "内层的厚度为50nm，外层的厚度为20nm。",
        ),
        (
            "zh-en",
            "第一层厚20nm，第二层厚50nm。",
            "The first layer is 50 nm thick, the second 20 nm.",
        ),
    ],
)
def test_messages_speak_the_language_of_the_text(languages: str, source: str, target: str) -> None:
    found = _found(languages, source, target)
    assert found
    for difference in found:
        assert not re.search(r"\b[A-Z]{3,}\b", difference.message)
        quoted = re.findall("“(.*?)”", difference.message)
        assert len(quoted) == 2
        assert all(word in source for word in quoted)


@pytest.mark.parametrize(
    ("languages", "source", "target", "marked"),
    [
        ("zh-en", "温度为80℃。", "The temperature is 80 K.", ("℃", "K")),
        ("ja-en", "長さは５０ｍｍである。", "The length is 50 cm.", ("ｍｍ", "cm")),
        ("en-zh", "It is 5 kg/m3 at most.", "最大为5g/cm3。", ("kg/m3", "g/cm3")),
    ],
)
def test_a_changed_unit_is_marked(
    languages: str, source: str, target: str, marked: tuple[str, str]
) -> None:
    [found] = [one for one in _found(languages, source, target) if one.kind == "unit"]
    assert found.source and found.target
    assert (source[slice(*found.source)], target[slice(*found.target)]) == marked


_NEGATIONS = [
    ("zh-en", "密封件不与转子接触，阀门不能打开，壳体也不会变形。", "不能打开", "can open", [
        "The seal does not touch the rotor, the valve can open, and the housing does not deform.",
        "The valve can open; the housing does not deform, and the seal does not touch the rotor.",
    ]),
    ("zh-en", "由于温度不高，因此密封件不会损坏，并且泵不振动。", "不会损坏", "is damaged", [
        "Because the temperature is not high, the seal is damaged and the pump does not vibrate.",
    ]),
    ("en-zh", "The seal does not move when the valve is not open.", "not move", "密封件移动", [
        "阀门未打开时，密封件移动。",
    ]),
    ("en-zh", "The seal does not move when the valve is not open.", "not open", "阀门打开", [
        "阀门打开时，密封件不移动。",
    ]),
    ("ja-en", "シール4は軸に接触せず、弁8は開かない。", "ない", "valve 8 opens", [
        "The valve 8 opens, and the seal 4 does not contact the shaft.",
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("languages", "source", "negated", "affirmed", "target"),
    [(*case, target) for *case, targets in _NEGATIONS for target in targets],
)
def test_of_several_negations_the_dropped_one_is_marked(
    languages: str, source: str, negated: str, affirmed: str, target: str
) -> None:
    [found] = [one for one in _found(languages, source, target) if one.kind == "polarity"]
    assert found.source and found.target
    assert source.startswith(negated, found.source[0])
    assert affirmed in target[slice(*found.target)]
