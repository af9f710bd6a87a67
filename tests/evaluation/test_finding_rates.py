"""Rates of findings in systems and references; checks that do not apply to other text."""

from __future__ import annotations

import pytest

from patmark import Run, Sampling, TestSet, evaluate
from patmark.data import Notice
from patmark.evaluation.scoring import FindingRates
from patmark.facts import is_patent_text

_PATENT = {
    "zh": ["泵（3）与阀（4）连接。", "所述壳体为圆柱形。", "如图1所示，轴5穿过轴承6。"],
    "ja": ["前記筐体は円筒形である。", "図1に示すように、軸5は軸受6を貫通する。",
           "弁（4）が開く。"],
    "en": ["The pump (3) feeds the valve (4).", "As shown in FIG. 2, the shaft turns.",
           "The lid of claim 1, wherein the lid is flat."],
}  # fmt: skip
_OTHER = {
    "zh": ["周三，市长说新地铁线明年开通。", "球队在主场以3比1获胜，观众约2万人。",
           "她想起了童年。"],
    "ja": ["市長は水曜日に会見を開いた。", "気温は週末に5度下がる見込みだ。",
           "彼女は2019年に映画を撮った。"],
    "en": ["The mayor said the line would open in 2027.", "The team won 3-1 before 20,000 fans.",
           "She thought of her childhood."],
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(_PATENT))
@pytest.mark.parametrize("times", [1, 12])
def test_patents_are_told_from_news(language: str, times: int) -> None:
    assert is_patent_text(tuple(_PATENT[language] * times), language)
    assert not is_patent_text(tuple(_OTHER[language] * times), language)


def test_a_few_signs_in_much_news_make_no_patent() -> None:
    news = [f"The council met {place} times." for place in range(100)]
    assert not is_patent_text((*news, "Boeing 737 and 747 flew.", "Route (66) is closed."), "en")
    assert not is_patent_text((), "en")


def _evaluated(sources: list[str], texts: list[str], language: str = "zh"):
    test_set = TestSet.of(
        [[text] for text in texts], sources=sources, source_language=language, target_language="en"
    )
    names = ["numbers", "reference-signs", "claim-structure"]
    return evaluate(test_set, [Run("A", tuple(texts))], names, Sampling(resamples=0))


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_checks_of_signs_and_claims_do_not_apply_to_news(language: str) -> None:
    done = _evaluated(_OTHER[language], _OTHER["en"], language)
    found = done.to_json()
    for name in ("reference-signs", "claim-structure"):
        assert found["systems"]["A"][name]["value"] is None
        assert found["systems"]["A"][name]["reason"] == "the sources do not read like patents"
        assert found["references"][name]["value"] is None
    said = [one for one in done.notes if isinstance(one, Notice) and one.code == "not-applicable"]
    assert [one.text for one in said] == [
        "reference-signs does not apply: the sources do not read like patents.",
        "claim-structure does not apply: the sources do not read like patents.",
    ]


def test_checks_of_signs_apply_to_patents() -> None:
    sources = ["泵（3）与阀（4）连接。", "所述壳体为圆柱形。"]
    texts = ["The pump (3) is connected to the valve (4).", "The housing is cylindrical."]
    done = _evaluated(sources, texts)
    found = done.to_json()["systems"]["A"]
    assert found["reference-signs"]["value"] == 1 and "reason" not in found["reference-signs"]
    assert found["claim-structure"]["reason"] == "the texts have nothing that it checks"
    assert not [one for one in done.notes if isinstance(one, Notice)]


def test_rates_count_findings_by_severity_beside_those_of_the_references() -> None:
    sources = ["泵（3）的流量为5 L。", "所述壳体的长度为8 mm。"]
    references = [["The flow of the pump (3) is 5 L."], ["The length of the housing is 9 mm."]]
    answers = ["The flow of the pump (4) is 6 L.", "The length of the housing is 8 mm."]
    test_set = TestSet.of(references, sources=sources, source_language="zh", target_language="en")
    done = evaluate(
        test_set, [Run("A", tuple(answers))], ["numbers", "reference-signs"], Sampling(resamples=0)
    )
    rates = done.to_json()["finding_rates"]
    assert rates["A"] == {"numbers": {"major": 50.0}, "reference-signs": {"major": 50.0}}
    assert rates["(reference)"] == {"numbers": {"major": 50.0}, "reference-signs": {"major": 0.0}}
    table = done.to_report().tables[-1]
    assert table.title == "Findings per 100 segments"
    assert table.rows[0] == ("numbers", "major", 50.0, 50.0)


def test_no_findings_no_table() -> None:
    assert FindingRates.of({"numbers": {"A": [[], []]}}, {"A": 2}).tables() == []
