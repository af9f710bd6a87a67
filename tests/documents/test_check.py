"""Checks of whole documents: planted faults are found, and faithful text is not flagged."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

import patmark
from patmark.alignment import Lexicon
from patmark.documents import CheckResult, DocumentFinding
from patmark.errors import InputError
from patmark.examples import example_path
from patmark.wording import translated

SOURCE = """说明书摘要
本发明公开了一种离心泵。

权利要求书
1. 一种离心泵，包括壳体1和转子2，其特征在于，转子2的直径为1.035 mm。
2. 根据权利要求1所述的离心泵，其特征在于，壳体1由钢制成。

说明书
背景技术
离心泵是已知的。现有的泵存在液体泄漏的问题。
具体实施方式
壳体1由两部分组成，并通过螺栓3连接。转子2在壳体1中转动，转速为3000 rpm。
密封件4不与转子2接触。电动机5通过轴6驱动转子2。
"""
TARGET = """ABSTRACT
The invention discloses a centrifugal pump.

CLAIMS
1. A centrifugal pump comprising a housing 1 and a rotor 2, characterised in that the rotor 2 has \
a diameter of 1.035 mm.
2. The centrifugal pump according to claim 1, wherein the housing 1 is made of steel.

DESCRIPTION
Background Art
Centrifugal pumps are known. Existing pumps have the problem that liquid leaks.
Detailed Description
The housing 1 consists of two parts and is connected by bolts 3. The rotor 2 turns in the housing \
1 at a speed of 3000 rpm.
The seal 4 does not touch the rotor 2. A motor 5 drives the rotor 2 through a shaft 6.
"""


def checked(folder: Path, source: str, target: str, **more: str) -> CheckResult:
    for name, text in (("a.zh.txt", source), ("a.en.txt", target)):
        (folder / name).write_text(text, encoding="utf-8")
    return patmark.check(folder / "a.zh.txt", folder / "a.en.txt", **more)


def loud(result: CheckResult) -> list[DocumentFinding]:
    return [one for _, one in result.findings() if one.severity != "info"]


def test_a_faithful_translation_has_no_findings(tmp_path: Path) -> None:
    result = checked(tmp_path, SOURCE, TARGET, fail_on="warning")
    assert loud(result) == []
    assert not result.failed
    assert [side.share for side in result.documents[0].coverage] == [1.0, 1.0]


ORDERS = ("acd", "dca", "adc")


@pytest.mark.parametrize("fault", [False, True], ids=["faithful", "faulty"])
@pytest.mark.parametrize("order", ORDERS)
def test_parts_may_stand_in_another_order(tmp_path: Path, order: str, fault: bool) -> None:
    places = [0, TARGET.index("CLAIMS"), TARGET.index("DESCRIPTION"), len(TARGET)]
    parts = dict(zip("acd", (TARGET[a:b] for a, b in pairwise(places)), strict=True))
    target = "\n".join(parts[name] for name in order)
    if fault:
        target = target.replace("1.035 mm", "1.065 mm").replace("3000 rpm", "300 rpm")
    found = loud(checked(tmp_path, SOURCE, target))
    wrong = sorted(target[slice(*one.target)] for one in found if one.target)
    assert wrong == ["1.065", "300"] * fault
    assert len(found) == 2 * fault


OTHER = """ABSTRACT
A bicycle lamp with a battery is described.

CLAIMS
1. A bicycle lamp, wherein the battery lies under the saddle.
2. The lamp of claim 1, wherein the light is red.

DESCRIPTION
Background Art
Cyclists are often overlooked at night. Laws demand a light.
Detailed Description
A cable runs along the frame of the bicycle. The lens spreads the beam over the road.
A switch sits on the handlebar. Rain cannot enter.
"""


def test_documents_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.en\.txt: does not seem to be a translation of a\.zh"):
        checked(tmp_path, SOURCE, OTHER)
    half = TARGET.partition("DESCRIPTION")[0]
    assert {one.kind for one in loud(checked(tmp_path, SOURCE, half))} >= {"section", "omission"}


def test_languages_without_word_tables_are_compared_as_far_as_they_go(tmp_path: Path) -> None:
    (tmp_path / "a.de.txt").write_text("Der Druck beträgt 5 bar. Die Welle 3 dreht sich nicht.\n")
    (tmp_path / "a.en.txt").write_text("The pressure is 6 bar. The shaft 3 does not rotate.\n")
    result = patmark.check(tmp_path / "a.de.txt", tmp_path / "a.en.txt", lang="de-en")
    assert [one.message for one in loud(result)] == ["5 bar became 6 bar"]
    assert {"no-dictionary", "words-not-compared"} <= {one.code for one in result.notices}


FAULTS = {
    "omission": (
        "Existing pumps have the problem that liquid leaks.", "", "现有的泵存在液体泄漏的问题。",
    ),
    "addition": (
        "Detailed Description",
        "The weather in summer is often warm and people go to the beach.\nDetailed Description",
        "The weather in summer",
    ),
    "number": ("1.035 mm", "1.065 mm", "1.065"),
    "doubled": (
        "A motor 5 drives the rotor 2 through a shaft 6.",
        "A motor 5 drives the rotor 2 through a shaft 6. "
        "A motor 5 drives the rotor 2 through a shaft 6.",
        "A motor 5",
    ),
    "untranslated": ("Centrifugal pumps are known.", "离心泵是已知的。", "离心泵是已知的"),
    "polarity": ("does not touch", "touches", None),
    "claim": ("according to claim 1", "according to claim 2", None),
}  # fmt: skip


@pytest.mark.parametrize("kind", FAULTS)
def test_a_planted_fault_is_found_at_its_place(tmp_path: Path, kind: str) -> None:
    old, new, text = FAULTS[kind]
    assert old in TARGET
    target = TARGET.replace(old, new)
    found = [one for one in loud(checked(tmp_path, SOURCE, target)) if one.kind == kind]
    assert found
    for one in found if text else ():
        start, end = one.source if kind == "omission" and one.source else one.target or (0, 0)
        side = SOURCE if kind == "omission" else target
        assert side[start:end].startswith(text[:20])


def test_places_name_claims_and_printed_paragraph_numbers(tmp_path: Path) -> None:
    target = FROM_JAPANESE.replace("4 mm", "5 mm").replace("0.15 mm", "0.25 mm")
    for name, text in (("a.ja.txt", JAPANESE), ("a.en.txt", target)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = patmark.check(tmp_path / "a.ja.txt", tmp_path / "a.en.txt")
    [findings, *_] = result.to_report().tables
    places = [translated(str(row[2]), "en") for row in findings.rows]
    assert places == ["paragraph [0002], line 5", "claim 1, line 12"]


def test_a_moved_paragraph_is_no_omission_but_a_change_of_order(tmp_path: Path) -> None:
    moved = "Centrifugal pumps are known. Existing pumps have the problem that liquid leaks.\n"
    target = TARGET.replace(moved, "") + moved
    found = loud(checked(tmp_path, SOURCE, target))
    assert {one.kind for one in found} == {"order"}
    assert all(one.source and one.target for one in found)


PARAGRAPHS = {
    "底板10由铝合金压铸而成，厚度为6mm。第一流道11的入口13与出口14位于底板10的同一侧。": (
        "The base plate 10 is die-cast from an aluminium alloy and has a thickness of 6 mm. "
        "The inlet 13 and the outlet 14 of the first channel 11 lie on the same side of the base "
        "plate 10."
    ),
    "冷却液为水和乙二醇的混合物，流量为每分钟4升至6升。": (
        "The coolant is a mixture of water and ethylene glycol with a flow rate of 4 to 6 litres "
        "per minute."
    ),
    "检测时，环境温度优选为20℃至25℃。如果环境温度变化，则压力读数会产生误差。": (
        "The ambient temperature during the test is preferably 20 °C to 25 °C. If the ambient "
        "temperature changes, the pressure reading will have an error."
    ),
}


def test_paragraphs_that_changed_places_are_a_change_of_order(tmp_path: Path) -> None:
    first, middle, last = PARAGRAPHS.values()
    source = SOURCE + "\n".join(PARAGRAPHS)
    swapped = TARGET + "\n".join([last, middle, first])
    found = loud(checked(tmp_path, source, swapped))
    assert {one.kind for one in found} == {"order"}
    assert len(found) >= 2
    assert loud(checked(tmp_path, source, TARGET + "\n".join([first, middle, last]))) == []


def test_an_untranslated_sentence_is_no_omission(tmp_path: Path) -> None:
    kept = "A motor 5 drives the rotor 2 through a shaft 6."
    target = TARGET.replace(kept, "电动机5通过轴6驱动转子2。")
    [finding] = loud(checked(tmp_path, SOURCE, target))
    assert finding.kind == "untranslated"
    assert finding.source and SOURCE[slice(*finding.source)] == "电动机5通过轴6驱动转子2。"
    assert finding.target and target[slice(*finding.target)] == "电动机5通过轴6驱动转子2。"


def test_a_missing_section_is_a_finding(tmp_path: Path) -> None:
    target = TARGET[: TARGET.index("CLAIMS")] + TARGET[TARGET.index("DESCRIPTION") :]
    found = [one for one in loud(checked(tmp_path, SOURCE, target)) if one.kind == "section"]
    assert [one.message for one in found] == ["the translation has no section “claims”"]


def test_json_has_beads_findings_and_coverage(tmp_path: Path) -> None:
    result = checked(tmp_path, SOURCE, TARGET.replace("1.035", "1.065"))
    [document] = json.loads(json.dumps(result.to_json()))["documents"]
    assert document["name"] == "a.zh.txt"
    for bead in document["beads"]:
        assert SOURCE[slice(*bead["source"])] and TARGET[slice(*bead["target"])]
        assert isinstance(bead["score"], float)
    [finding] = [one for one in document["findings"] if one["severity"] == "error"]
    assert set(finding) == {"kind", "severity", "source", "target", "message"}
    assert document["coverage"]["source"] == 1.0


def test_folders_are_matched_by_name_and_one_bad_file_stops_no_other(tmp_path: Path) -> None:
    for side in ("s", "t"):
        (tmp_path / side).mkdir()
    (tmp_path / "s" / "a.zh.txt").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "t" / "a.en.txt").write_text(TARGET, encoding="utf-8")
    (tmp_path / "s" / "b.txt").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "t" / "b.txt").write_bytes(b"\xff\xfe\xfa")
    (tmp_path / "t" / "c.txt").write_text(TARGET, encoding="utf-8")
    result = patmark.check(tmp_path / "s", tmp_path / "t", lang="zh-en")
    assert [one.name for one in result.documents] == ["a.zh.txt"]
    assert [one.name for one in result.failures] == ["b.txt"]
    assert [Path(one).name for one in result.unmatched] == ["c.txt"]
    assert result.failed


def test_severities_decide_whether_a_check_fails(tmp_path: Path) -> None:
    wrong = TARGET.replace("1.035", "1.065")
    assert not checked(tmp_path, SOURCE, wrong).failed
    assert checked(tmp_path, SOURCE, wrong, fail_on="error").failed
    with pytest.raises(patmark.UsageError, match="fail_on='fatal'"):
        checked(tmp_path, SOURCE, wrong, fail_on="fatal")


def first_line(result: CheckResult, language: str = "en") -> str:
    return translated(result.summary[0], language)


def test_the_summary_begins_with_a_verdict(tmp_path: Path) -> None:
    right, wrong = (
        checked(tmp_path, SOURCE, one) for one in (TARGET, TARGET.replace("5 mm", "6 mm"))
    )
    assert first_line(right) == "Verdict: pass (0 errors, 0 warnings)"
    assert first_line(wrong) == "Verdict: fail (1 error, 0 warnings)"
    assert first_line(wrong, "zh") == "结论：不通过（1 个错误、0 个警告）"
    assert first_line(wrong, "ja") == "判定：不合格（エラー 1 件、警告 0 件）"
    assert [one.to_json()["verdict"] for one in (right, wrong)] == ["pass", "fail"]
    doubtful = TARGET.replace("does not touch", "touches")
    assert first_line(checked(tmp_path, SOURCE, doubtful)) == "Verdict: pass (0 errors, 1 warning)"
    strict = checked(tmp_path, SOURCE, doubtful, fail_on="warning")
    assert first_line(strict) == "Verdict: fail (0 errors, 1 warning)"


def test_findings_that_a_reviewer_rejects_do_not_count(tmp_path: Path) -> None:
    wrong = TARGET.replace("1.035", "1.065").replace("3000", "300")
    found = checked(tmp_path, SOURCE, wrong).documents[0].to_json()["findings"]
    for verdicts, verdict in ((["rejected", "accepted"], "fail"), (["rejected"] * 2, "pass")):
        judged = [{**one, "verdict": word} for one, word in zip(found, verdicts, strict=True)]
        review = {"format": "patmark review", "version": 1}
        review["documents"] = [{"name": "a.zh.txt", "findings": judged}]
        (tmp_path / "review.json").write_text(json.dumps(review), encoding="utf-8")
        result = checked(
            tmp_path, SOURCE, wrong, fail_on="error", review=str(tmp_path / "review.json")
        )
        assert result.to_json()["verdict"] == verdict
        assert result.failed == (verdict == "fail")
        assert "rejected in the review" in translated(result.summary[1], "en")


def test_a_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(SOURCE, encoding="utf-8")
    with pytest.raises(patmark.UsageError, match="not both"):
        patmark.check(tmp_path / "a.txt", tmp_path)
    with pytest.raises(patmark.InputError, match="no such file"):
        patmark.check(tmp_path / "a.txt", tmp_path / "b.txt")


def test_word_translations_of_documents_can_be_saved_and_used(tmp_path: Path) -> None:
    lexicon = tmp_path / "words.tsv"
    checked(tmp_path, SOURCE, TARGET, save_lexicon=str(lexicon))
    learnt = Lexicon.load(lexicon)
    assert ("转子", "rotor") in learnt.pairs
    checked(tmp_path, SOURCE, TARGET, lexicon=str(lexicon), save_lexicon=str(lexicon))
    assert learnt.pairs.keys() <= Lexicon.load(lexicon).pairs.keys()


def test_terms_of_a_glossary_are_checked(tmp_path: Path) -> None:
    terms = tmp_path / "terms.csv"
    terms.write_text("zh,en\n转子,rotor\n壳体,casing\n离心泵,centrifugal pump\n", encoding="utf-8")
    result = checked(tmp_path, SOURCE, TARGET, glossary=str(terms))
    found = [one for one in loud(result) if one.kind == "term"]
    assert {one.message for one in found} == {"壳体 should be rendered as casing"}
    assert {SOURCE[slice(*one.source)] for one in found if one.source} == {"壳体"}


def test_a_file_of_both_languages_stands_alone(tmp_path: Path) -> None:
    unit = "<tu><tuv xml:lang='zh'><seg>{}</seg></tuv><tuv xml:lang='en'><seg>{}</seg></tuv></tu>"
    units = [
        ("壳体1由钢制成，长度为35 mm。", "The housing 1 is made of steel, its length is 53 mm."),
        ("转子2在壳体1中转动。", "The rotor 2 turns in the housing 1."),
    ]
    body = "".join(unit.format(*pair) for pair in units)
    header = "<header srclang='zh' segtype='sentence' datatype='plaintext'/>"
    path = tmp_path / "job.tmx"
    path.write_text(f"<tmx version='1.4'>{header}<body>{body}</body></tmx>", encoding="utf-8")
    result = patmark.check(path, lang="zh-en")
    assert [one.kind for one in loud(result)] == ["number"]
    assert len(result.documents[0].aligned.beads) == 2


JAPANESE = """【書類名】明細書
【技術分野】
【０００１】
本発明は、冷却液を送るための遠心ポンプに関する。
【発明を実施するための形態】
【０００２】
ハウジング１０は、アルミニウム合金で鋳造され、肉厚は４ｍｍである。
【０００３】
シール３０は軸２０に接触しない。冷却液の密度は１．０３５ｇ／ｃｍ３である。
【書類名】特許請求の範囲
【請求項１】
ハウジング１０と、前記ハウジング１０内に設けられた軸２０と、シール３０とを備え、
前記シール３０と前記軸２０との間の隙間が０．１５ｍｍであることを特徴とする遠心ポンプ。
【請求項２】
前記シール３０が炭化ケイ素からなることを特徴とする請求項１に記載の遠心ポンプ。
"""
FROM_JAPANESE = """DESCRIPTION
Technical Field
[0001] The present invention relates to a centrifugal pump for conveying a coolant.
Description of Embodiments
[0002] The housing 10 is cast from an aluminum alloy and has a wall thickness of 4 mm.
[0003] The seal 30 does not contact the shaft 20. The density of the coolant is 1.035 g/cm3.
CLAIMS
[Claim 1] A centrifugal pump comprising:
a housing 10;
a shaft 20 provided in the housing 10; and
a seal 30,
wherein a gap between the seal 30 and the shaft 20 is 0.15 mm.
[Claim 2] The centrifugal pump according to claim 1, wherein the seal 30 is made of silicon carbide.
"""


@pytest.mark.parametrize("reverse", [False, True], ids=["ja-en", "en-ja"])
@pytest.mark.parametrize("fault", [False, True], ids=["faithful", "faulty"])
def test_japanese_documents_whose_claims_reverse_their_parts(
    tmp_path: Path, reverse: bool, fault: bool
) -> None:
    texts = [JAPANESE, FROM_JAPANESE]
    if fault:
        texts[1] = texts[1].replace("1.035", "1.065").replace("0.15 mm", "0.25 mm")
    for name, text in zip(("a.txt", "b.txt"), texts[::-1] if reverse else texts, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = patmark.check(tmp_path / "a.txt", tmp_path / "b.txt")
    assert result.documents[0].languages == (("en", "ja") if reverse else ("ja", "en"))
    errors = [one for one in loud(result) if one.severity == "error"]
    assert [one.kind for one in errors] == ["number", "number"] * fault


def test_a_reference_adds_scores_by_document_section_and_claim(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_text(TARGET, encoding="utf-8")
    wrong = TARGET.replace("is made of steel", "consists of a metal")
    result = checked(tmp_path, SOURCE, wrong, ref=str(tmp_path / "ref.txt"), measures="BLEU")
    scores = result.documents[0].to_json()["scores"]
    assert scores["document"]["BLEU"] < 100 and scores["sections"]["claims"]["BLEU"] < 100
    assert scores["claims"]["1"]["BLEU"] == pytest.approx(100)
    assert scores["claims"]["2"]["BLEU"] < 90
    assert scores["sections"]["description"]["BLEU"] == pytest.approx(100)
    assert scores["signatures"]["BLEU"].endswith("segments:aligned/1")
    with pytest.raises(patmark.UsageError, match="without ref="):
        checked(tmp_path, SOURCE, wrong, measures="BLEU")


def test_a_sign_on_two_nouns_is_found_over_the_whole_document(tmp_path: Path) -> None:
    folder = example_path("whole_documents")
    source, target = (
        (folder / name).read_text(encoding="utf-8")
        for name in ("patent.zh.txt", "translation.en.txt")
    )
    drifted = target.replace("groove 12 of the housing 10", "groove 12 of the casing 10")
    before, after = (loud(checked(tmp_path, source, text)) for text in (target, drifted))
    assert [one.kind for one in before] == ["omission", "polarity", "number"]
    [found] = [one for one in after if one.kind == "sign"]
    assert found.message == "the sign 10 is used for “housing” and for “casing”"
    assert found.target and "casing" in drifted[slice(*found.target)]
