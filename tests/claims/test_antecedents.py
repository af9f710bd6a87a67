"""What "the" refers to: one engine for the linter and the measures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patmark.claims.antecedents import missing_antecedents
from patmark.claims.lint import lint
from patmark.claims.parser import parse_claims
from patmark.claims.profiles import profile_of


def _missing(text: str) -> list[tuple[str, str]]:
    """Each term without an exact antecedent, with what was found."""
    claims = parse_claims(text)
    return [(item.term.name, item.antecedent.kind) for item in missing_antecedents(claims)]


@pytest.mark.parametrize(
    "text",
    ["a first and a second shaft, wherein the first shaft turns and the second shaft is red",
     "a first and a second shaft, wherein the first and second shafts turn",
     "a first and a second shaft, wherein the first and the second shaft turn",
     "first and second shafts, wherein said first and said second shaft turn",
     "a first, a second and a third shaft, wherein the first, second and third shafts turn",
     "an inner and an outer drive shaft, wherein the inner shaft and the outer shaft turn",
     "front and rear opposing edges, wherein the front edge is red",
     "a first purpose and a second purpose, wherein the first and second purposes differ",
     "a lid with a first side and a second, opposite side, wherein the second side is red"],
)  # fmt: skip
def test_lists_introduce_each_of_their_things(text: str) -> None:
    assert _missing(f"1. A pump comprising {text}.") == []
    assert _missing(f"1. A pump comprising {text}; and the third lever.") != []


@pytest.mark.parametrize(
    "text",
    ["arms and a lid, wherein the arms deflect when the lid closes",
     "impeller blades, wherein the impeller blades project from a wall",
     "a lid and a rod, wherein the lid and the rod turn",
     "an element generating an image, wherein the element turns due to heat"],
)  # fmt: skip
def test_a_verb_after_a_name_is_no_part_of_it(text: str) -> None:
    assert _missing(f"1. A pump comprising {text}.") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [("a strap for a user, wherein it touches the user's neck", [("user's neck", "implied")]),
     ("a strap for a patient, wherein the strap lies on the sternum", [("sternum", "implied")]),
     ("a strap, wherein the strap lies on the sternum", [("sternum", "none")]),
     ("a magnet that is cooled to the Curie point", [("Curie point", "implied")]),
     ("carbon atoms that are in the sp3 state", [("sp3 state", "doubtful")]),
     ("an RFID (radio frequency identification) tag, wherein the RFID tag is red", []),
     ("a first metal oxide (MO) transistor, wherein the first MO transistor is red", []),
     ("a metal from the group: iron, steel", []),
     ("a lid and a rod, wherein the lid and the rod seal are red", [("rod seal", "similar")]),
     ("a resin-filled groove, wherein the resin is hard", [("resin", "implied")]),
     ("a resin groove, wherein the filler is hard", [("filler", "none")]),
     ("an oligomer, wherein the main chain has ten units", [("main chain", "implied")]),
     ("a block of iron, wherein the main chain has ten links", [("main chain", "none")]),
     ("an emitter, wherein the waveform is a sine", [("waveform", "none")]),
     ("an emitter of a waveform, wherein the waveform is a sine", [])],
)  # fmt: skip
def test_what_is_clear_without_an_antecedent(text: str, found: list[tuple[str, str]]) -> None:
    assert _missing(f"1. A pump comprising {text}.") == found


def test_what_a_claim_that_is_not_known_introduced_is_not_known() -> None:
    text = "1. A pump.\n2. The pump of claim {}, wherein the lid is red.\n3. The pump of claim 2, "
    for number in (2, 9):
        assert ("rod", "unknown") in _missing(text.format(number) + "wherein the rod is red.")
    assert _missing(text.format(1) + "wherein the rod is red.") == [
        ("lid", "none"),
        ("rod", "none"),
    ]


def test_the_linter_and_the_measures_agree_on_antecedents(shared_data: Path) -> None:
    """On all texts of the developer half of Patent-CE: each fault is reported, at any severity."""
    path = shared_data / "patent_ce" / "quality_dev.json"
    if not path.is_file():
        pytest.skip(f"no sample data: {path.name} is absent")
    pairs = json.loads(path.read_text(encoding="utf-8"))
    texts = sorted({pair[side] for pair in pairs for side in ("gold_claim", "A", "B")})
    assert len(texts) == 95
    faults = 0
    for text in texts:
        result = lint(text, select=["antecedent-missing"])
        messages = [str(item.message) for item in result.findings]
        loud = [str(item.message) for item in result.at_least("warning")]
        terms = profile_of(text).unsupported
        assert len(loud) <= len(terms) <= len(messages)
        assert all(any(f" {term.name}" in message for message in messages) for term in terms)
        assert all(any(f" {term.name}" in message for term in terms) for message in loud)
        faults += len(terms)
    assert faults > 100


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("1.一种装置，包括控制器和风机，所述控制单元控制所述风机。", "控制单元"),
        ("1.一种设备，包括温度传感器，所述温度检测器与壳体连接。", "温度检测器"),
        ("【請求項1】制御装置と、ファンとを備え、前記制御部が前記ファンを制御する機器。", "制御部"),
        ("1.一种装置，包括控制器和风机，所述控制器控制所述风机电连接。", None),
        ("1.一种设备，包括充电枪，所述充电枪内设有温度传感器，所述温度传感器接地。", None),
        ("【請求項1】制御装置と、ファンとを備え、前記制御装置が前記ファンを制御する機器。", None),
    ],
)
def test_a_chinese_or_japanese_name_that_changes_is_drift(claim: str, other: str | None) -> None:
    found = [item for item in lint(claim).findings if item.rule == "term-drift"]
    assert [claim[item.start : item.end][: len(other or "")] for item in found] == (
        [other] if other else []
    )
