"""Support of claims in the description: faults that are found, and paraphrases that are not."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from patmark.claims import SupportCheck, check_support, parse_claims
from patmark.errors import InputError

_EN = """The pump 1 has a lid 12 of steel, which is screwed to a housing 14.
The lid 12 is 2 mm to 5 mm thick.
A controller switches the motor off when the pressure in the chamber exceeds 3 bar."""
_ZH = """泵1具有由钢制成的盖板12，盖板12用螺钉固定在壳体14上。
盖板12的厚度为2mm至5mm。
当腔室中的压力超过3bar时，控制器关闭电机。"""
_JA = """ポンプ1は、鋼製の蓋部材12を備え、蓋部材12は筐体14にねじで固定される。
蓋部材12の厚さは2mm～5mmである。
室内の圧力が3barを超えると、制御装置がモータを停止させる。"""

# kind, claim whose part is not supported, the same with words that the description supports
_CASES = [
    (_EN, "limitation", "1. A pump comprising an ultrasonic transducer on a spring.",
     "1. A pump comprising a housing with a lid that is screwed on it."),
    (_EN, "term", "1. A pump comprising a hydraulic accumulator.",
     "1. A pump comprising a pressure chamber."),
    (_EN, "amount", "1. A pump comprising a lid of 1 mm to 5 mm.",
     "1. A pump comprising a lid with a thickness of 0.2 cm to 0.5 cm."),
    (_EN, "sign", "1. A pump comprising a housing (12).", "1. A pump comprising a steel lid (12)."),
    (_ZH, "limitation", "1. 一种泵，其特征在于，包括设置在弹簧上的超声波换能器。",
     "1. 一种泵，其特征在于，包括壳体和用螺钉固定在所述壳体上的盖板。"),
    (_ZH, "amount", "1. 一种泵，其特征在于，包括厚度为1mm至5mm的盖板。",
     "1. 一种泵，其特征在于，包括厚度为2～5mm的盖板。"),
    (_JA, "limitation", "【請求項1】ばねに取り付けられた超音波振動子を備えるポンプ。",
     "【請求項1】筐体と、前記筐体にねじで固定された蓋部材とを備えるポンプ。"),
    (_JA, "amount", "【請求項1】厚さが1mm～5mmの蓋部材を備えるポンプ。",
     "【請求項1】厚さが2mm以上5mm以下の蓋部材を備えるポンプ。"),
]  # fmt: skip


def _lacking(check: SupportCheck) -> set[str]:
    return {item.kind for item in check.findings}


def test_faults_are_found_and_paraphrases_are_supported() -> None:
    missed = [
        fault
        for description, kind, fault, _ in _CASES
        if kind not in _lacking(check_support(fault, description))
    ]
    flagged = [
        paraphrase
        for description, _, _, paraphrase in _CASES
        if _lacking(check_support(paraphrase, description))
    ]
    assert (missed, flagged) == ([], [])


def test_a_place_is_where_the_description_says_it() -> None:
    check = check_support("1. A pump comprising a lid (12) of 2 mm to 5 mm.", _EN)
    places = {item.kind: check.passage(item) for item in check.items}
    assert "2 mm to 5 mm" in places["amount"]
    assert places["sign"].endswith("lid 12")
    shown = check.to_json()
    assert shown["coverage"]["amount"] == {"supported": 1, "total": 1}
    [amount] = [part for part in shown["parts"] if part["kind"] == "amount"]
    assert amount["place"]["line"] == 2


def test_claims_as_filed_are_supported_and_those_of_another_patent_are_not(
    shared_data: Path,
) -> None:
    with gzip.open(shared_data / "pap2pat" / "sample.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:12]
    texts = ["\n".join(next(iter(part.values())) for part in row["description"]) for row in rows]
    own, other = [0, 0], [0, 0]
    for at, row in enumerate(rows):
        claims = parse_claims("\n".join(row["claims"]))
        for counted, text in ((own, texts[at]), (other, texts[at - 1])):
            supported, total = check_support(claims, text).counts("limitation")
            counted[0] += total - supported
            counted[1] += total
    assert own[0] / own[1] <= 0.05
    assert other[0] / other[1] >= 0.9


_LAYOUTS = [
    (_ZH, "1. 一种泵，其特征在于，包括：\n盖板，固定在壳体14上；\n{}", "超声波换能器，与弹簧相连。",
     "控制器，关闭电机。"),
    (_ZH, "1. 一种泵，包括：盖板，固定在壳体14上；{}", "超声波换能器，与弹簧相连。",
     "控制器，关闭电机。"),
    (_JA, "【請求項1】蓋部材12と、\n{}と、\nを備えるポンプ。", "ばねを支える超音波振動子",
     "モータを停止させる制御装置"),
    (_EN, "1. A pump, characterised in that it comprises:\na lid;\n{}", "an ultrasonic transducer.",
     "a controller of the motor."),
    (_EN, "1. A pump comprising a lid; a housing, {}", "wherein a spring carries a transducer.",
     "wherein the lid is screwed to it."),
    (_EN, "1. A pump comprising: a housing, the housing including:\na lid;\n{}",
     "an ultrasonic transducer.", "a motor controller."),
]  # fmt: skip


@pytest.mark.parametrize(("description", "claim", "fault", "paraphrase"), _LAYOUTS)
def test_each_limitation_is_checked_in_each_layout(
    description: str, claim: str, fault: str, paraphrase: str
) -> None:
    for part, lacking in ((fault, [fault]), (paraphrase, [])):
        check = check_support(claim.format(part), description)
        limitations = [item.text for item in check.findings if item.kind == "limitation"]
        assert [text.rstrip("と、") for text in limitations] == lacking


def test_words_of_one_meaning_support_each_other() -> None:
    described = (
        "A motor of a device is mounted in the frame. "
        "An alarm sounds if the pressure is above 3 bar."
    )
    claims = (
        "1. A device comprising a motor housed in a frame; an alarm when pressure exceeds 3 bar."
    )
    assert not check_support(claims, described).findings
    limitations = [
        item
        for item in check_support(claims.replace("housed", "melted"), described).items
        if item.kind == "limitation"
    ]
    assert limitations[0].absent == ("melted",)


def test_a_passage_begins_and_ends_with_words_of_the_claim() -> None:
    described = "The device stands on a floor. It is large. The frame has two skids. The fan turns."
    check = check_support("1. A device comprising two skids on a frame.", described)
    places = {item.text: check.passage(item) for item in check.items}
    assert places == {
        "device": "The device stands on a floor.",
        "two skids on a frame.": "The frame has two skids.",
        "skids": "The frame has two skids.",
        "frame": "The frame has two skids.",
    }


def test_absent_words_are_whole_words() -> None:
    [item] = check_support("1. 一种泵，其特征在于，包括套管上设有的量子换能器。", _ZH).findings
    assert item.absent == ("套管", "设有", "量子", "换能器")


@pytest.mark.parametrize(("claims", "description"), [("1. A pump with a lid.", _ZH), (_ZH, _EN)])
def test_claims_and_description_are_in_one_language(claims: str, description: str) -> None:
    with pytest.raises(InputError, match="the description: is in "):
        check_support(claims, description)
