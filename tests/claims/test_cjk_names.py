"""Whole names after 所述 and 前記: found, missing and ambiguous ones, in equal numbers."""

from __future__ import annotations

import pytest

from patmark.claims.lint import Severity, lint


def _said(text: str, severity: Severity = "warning") -> list[str]:
    found = lint(text, "uspto", select=["antecedents"]).at_least(severity)
    return [item.rule.removeprefix("antecedent-") for item in found]


@pytest.mark.parametrize(
    ("introduced", "reference", "expected"),
    [
        ("控制器", "所述控制单元启动", ["missing"]),
        ("控制器", "所述控制器控制水泵", []),
        ("控制单元", "所述控制器启动", ["missing"]),
        ("控制单元", "所述单元启动", []),
        ("传感器", "所述温度传感器启动", ["missing"]),
        ("温度传感器", "所述传感器启动", []),
        ("分类结果", "输出所述识别结果", ["missing"]),
        ("分类结果", "输出所述分类结果", []),
        ("特征提取网络", "所述特征提取模型收敛", ["missing"]),
        ("特征提取网络", "所述特征提取网络包括卷积层", []),
        ("第一指示灯和第二指示灯", "所述指示灯为红色", ["ambiguous"]),
        ("第一指示灯和第二指示灯", "所述第二指示灯为红色", []),
        ("电源模块", "所述供电模块与壳体电连接", ["missing"]),
        ("电源模块", "所述电源模块与壳体电连接", []),
        ("密封圈", "所述垫圈套设在轴上", ["missing"]),
        ("密封圈", "所述密封圈套设在轴上", []),
        ("上、下盖板", "所述左盖板固定", ["missing"]),
        ("上、下盖板", "所述上盖板固定", []),
        ("控制器", "滤网设置在所述控制单元附近", ["missing"]),
        ("箱体", "滤网设置在所述箱体出口处", []),
        ("机架", "滤网设置在所述箱体出口处", ["missing"]),
        ("风机", "滤网设置在所述风机入口附近", []),
    ],
)
def test_chinese_names(introduced: str, reference: str, expected: list[str]) -> None:
    assert _said(f"1. 一种装置，其特征在于，包括{introduced}，{reference}。") == expected


@pytest.mark.parametrize(
    ("introduced", "reference", "expected"),
    [
        ("制御装置", "前記制御部が起動する", ["missing"]),
        ("制御装置", "前記制御装置が起動する", []),
        ("表示部", "前記表示装置が点灯する", ["missing"]),
        ("表示部", "前記表示部側に配置された", []),
        ("加熱ローラと加圧ローラ", "前記ローラが回転する", ["ambiguous"]),
        ("加熱ローラと加圧ローラ", "前記加圧ローラが回転する", []),
        ("第１領域と第２領域", "前記領域が広がる", ["ambiguous"]),
        ("第１領域と第２領域", "前記第２領域が広がる", []),
        ("取付け部", "前記切替え部が動く", ["missing"]),
        ("第１の畳み込み層", "前記第１の畳み込み層に接続された", []),
    ],
)
def test_japanese_names(introduced: str, reference: str, expected: list[str]) -> None:
    assert _said(f"【請求項１】{introduced}を備え、{reference}、装置。") == expected


def test_words_that_only_look_like_marks_refer_to_nothing() -> None:
    text = "1. 一种装置，包括阀，因此阀应该关闭，以此密封管道，此外还包括盖。"
    assert _said(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a first valve and a second valve, wherein the valves are red", []),
        ("a valve and an outlet valve, wherein the valve is red", []),
        ("a sensor, wherein the sensors are red", ["number"]),
        ("at least one sensor, wherein the sensors are red", []),
        ("a plurality of sensors, wherein the sensor is red", ["number"]),
        ("a plurality of sensors, wherein each sensor has a lens and the sensor is red", []),
        ("for each image a label, wherein the labels are red", []),
        ("a metal, wherein the rotor is of the Periodic Table", ["missing"]),
        ("a metal of group 4 of the Periodic Table", []),
        ("a shaft, wherein the cover is long", ["missing"]),
        ("a load and a gap, wherein the higher the load, the smaller the gap", []),
        ("a gas comprising the valve", ["missing"]),
        ("a gas comprising water as the primary component", []),
        ("a peptide that has a tag at the handle", ["missing"]),
        ("a peptide that has a tag at the N-terminus", []),
        ("a) resin and b) oil, wherein the component a) is red", []),
    ],
)
def test_english_references(text: str, expected: list[str]) -> None:
    assert _said(f"1. A device comprising {text}.") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a first valve and a second valve, wherein the valve is red", ["ambiguous"]),
        ("an inlet valve and an outlet valve, wherein the valve is red", ["ambiguous"]),
        ("articles on a belt, wherein the article is red", ["number"]),
        ("a lever, wherein the component lies on the lever", ["missing"]),
        ("a coolant circuit, wherein the coolant is water", ["missing"]),
        ("a queue for the client whose request is first", ["missing"]),
        ("a pump and a coolant, wherein the coolant is water", []),
        ("a client and a queue for the client whose request is first", []),
        ("a first valve and a second valve, wherein the second valve is red", []),
        ("articles on a belt, wherein the articles are red", []),
    ],
)
def test_uncertain_english_references_are_information(text: str, expected: list[str]) -> None:
    assert _said(f"1. A device comprising {text}.") == []
    assert _said(f"1. A device comprising {text}.", "information") == expected


@pytest.mark.parametrize(
    ("claim", "office", "severity"),
    [
        ("1. 一种泵，其特征在于，包括轴和壳体，所述搅拌器转动。", "cnipa", "error"),
        ("1. 一种泵，其特征在于，包括轴和壳体，所述传感器检测温度。", "cnipa", "error"),
        ("1. 一种泵，其特征在于，包括轴和控制器，轴与所述控制单元连接。", "cnipa", "warning"),
        ("1. 一种泵，其特征在于，包括轴和风扇，所述风机转动。", "cnipa", "warning"),
        ("1. 一种泵，其特征在于，包括轴和壳体，所述装置转动。", "cnipa", "warning"),
        ("1. 一种泵，其特征在于，包括轴和壳体，所述壳体转动。", "cnipa", None),
        ("【請求項1】軸と筐体とを備え、前記モータが回転するポンプ。", "jpo", "error"),
        ("【請求項1】軸と制御装置とを備え、前記制御部が動作するポンプ。", "jpo", "warning"),
        ("【請求項1】軸と筐体とを備え、前記筐体が回転するポンプ。", "jpo", None),
    ],
)
def test_a_name_like_none_before_is_an_error(claim: str, office: str, severity: str | None) -> None:
    found = lint(claim, office, select=["antecedent-missing"]).findings
    assert [item.severity for item in found] == ([severity] if severity else [])


def test_terms_cut_wrong_are_supported_by_their_words() -> None:
    described = "除尘装置包括风机和传感器。当检测值低于阈值时，提高风机的转速。"
    claim = "1. 一种除尘装置，其特征在于，包括风机、多个检测值低于阈值的传感器和一个{}。"
    for words, absent in (("风机传感器", 0), ("超声换能器", 1)):
        found = lint(claim.format(words), "cnipa", description=described, select=["support"])
        assert len(found.findings) == absent, words
