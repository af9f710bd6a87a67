"""Claims limitation by limitation, and two versions of a set of claims."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claim_tricks import PUMP
from command_line import invoke
from patmark.claims.comparison import compare_texts
from patmark.claims.limitations import word_diff
from patmark.claims.versions import compare_versions
from patmark.errors import InputError

_FILED = (
    "1. A shroud comprising: a housing having a luer connector; a lumen of 2 mm to 5 mm; and a "
    "continuous annular edge that is flexible.\n2. The shroud of claim 1, wherein the housing has "
    "parallel raised features."
)


def _relations(reference: str, draft: str) -> list[str]:
    [claim] = compare_texts(f"1. {reference}.", f"1. {draft}.").compared_claims
    return [row.relation for row in claim.limitations]


@pytest.mark.parametrize(
    ("old", "new", "relation", "words"),
    [
        ("luer ", "", "broader", "“luer” is missing"),
        ("2 mm to 5 mm", "3 mm to 4 mm", "narrower", "2–5 mm became 3–4 mm"),
        ("2 mm to 5 mm", "0.2 cm to 0.5 cm", "equivalent", ""),
        ("2 mm to 5 mm", "6 mm to 8 mm", "contradictory", "2–5 mm became 6–8 mm"),
        ("continuous annular", "continuous outer annular", "narrower", "“outer” was added"),
        ("is flexible", "is not flexible", "contradictory", "“not” was added"),
        ("is flexible", "is rigid", "contradictory", "“flexible” became “rigid”"),
        ("connector", "fitting", "reworded", ""),
    ],
)
def test_each_limitation_has_a_relation(old: str, new: str, relation: str, words: str) -> None:
    compared = compare_texts(_FILED, _FILED.replace(old, new, 1))
    changed = [row for one in compared.compared_claims for row in one.limitations
               if row.relation != "same"]  # fmt: skip
    assert [(row.relation, str(row.words)) for row in changed] == [(relation, words)]
    assert compared.relation == relation


def test_three_removed_words_are_three_broader_limitations() -> None:
    draft = _FILED.replace("luer ", "").replace("continuous ", "").replace("parallel ", "")
    compared = compare_texts(_FILED, draft.replace("a continuous", "an"))
    rows = [row for one in compared.compared_claims for row in one.limitations]
    broader = [row.words for row in rows if row.relation == "broader"]
    assert [str(words) for words in broader] == [
        "“luer” is missing", "“continuous” is missing", "“parallel” is missing"
    ]  # fmt: skip
    assert compared.relation == "broader"


def test_limitations_are_missing_and_added() -> None:
    old, new = "A pump comprising: a lid; and a rotor of steel", "A pump comprising: a lid"
    assert _relations(old, new) == ["same", "same", "missing"]
    assert _relations(new, old) == ["same", "same", "added"]
    swapped = "A pump comprising: a rotor of steel; and a lid"
    assert set(_relations(old, swapped)) == {"same", "equivalent"}


def test_broader_here_and_narrower_there_overlaps() -> None:
    draft = _FILED.replace("luer ", "").replace("annular edge", "smooth annular edge")
    assert compare_texts(_FILED, draft).relation == "overlapping"


@pytest.mark.parametrize(
    ("reference", "draft", "relation"),
    [
        ("一种泵，包括在启动时加热的转子", "一种泵，包括在停止时加热的转子", "contradictory"),
        ("一种泵，包括：金属壳体；以及转子", "一种泵，包括：壳体；以及转子", "broader"),
        ("弁を開放する部材を備えるポンプ", "弁を閉鎖する部材を備えるポンプ", "contradictory"),
        ("筐体と、弁とを備えるポンプ", "筐体と、弁と、モータとを備えるポンプ", "narrower"),
    ],
)  # fmt: skip
def test_chinese_and_japanese_limitations(reference: str, draft: str, relation: str) -> None:
    assert compare_texts(f"1. {reference}。", f"1. {draft}。").relation == relation


def test_words_are_told_apart() -> None:
    assert word_diff("a luer connector", "a connector") == (
        ("same", "a "), ("removed", "luer "), ("same", "connector")
    )  # fmt: skip
    assert [kind for kind, _ in word_diff("金属壳体", "壳体")] == ["removed", "same"]


def test_table_7_of_patent_ce(shared_data: Path) -> None:
    """The experts put the second draft above the first, whose faults the paper names."""
    table = json.loads((shared_data / "patent_ce" / "table7.json").read_text("utf-8"))
    found = [compare_texts(table["gold_claim"], table[name]) for name in ("A", "B")]
    for compared in found:
        rows = [row for one in compared.compared_claims for row in one.limitations]
        words = " ".join(str(row.words) for row in rows if row.relation == "broader")
        assert all(word in words for word in ("luer", "parallel", "continuous"))


def test_versions_are_compared_by_the_command(tmp_path: Path) -> None:
    (tmp_path / "filed.txt").write_text(_FILED, encoding="utf-8")
    amended = _FILED.replace("luer ", "") + "\n3. The shroud of claim 1, further comprising a cap."
    (tmp_path / "amended.txt").write_text(amended, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("filed.txt", "amended.txt")]
    done = json.loads(invoke("claims", "compare", *files, "--json").stdout)
    assert done["relation"] == "broader"
    assert [(one["reference"], one["draft"], one["relation"]) for one in done["claims"]] == [
        (1, 1, "broader"), (2, 2, "equivalent"), (None, 3, "added")
    ]  # fmt: skip
    [changed] = [one for one in done["claims"][0]["limitations"] if one["relation"] != "same"]
    assert ["removed", "luer "] in changed["diff"]
    page = tmp_path / "page.html"
    assert invoke("claims", "compare", *files, "--html", str(page), "--quiet").returncode == 0
    shown = page.read_text("utf-8")
    assert "<del>luer </del>" in shown
    assert "<ins>The shroud of claim 1, further comprising a cap.</ins>" in shown


def test_versions_must_hold_claims() -> None:
    with pytest.raises(InputError, match="new: has no claims"):
        compare_versions(PUMP, " ", ("old", "new"))
    with pytest.raises(InputError, match="another language than old"):
        compare_versions(PUMP, "1. 一种泵，包括轴。", ("old", "new"))


def test_chinese_limitations_are_shown_as_written() -> None:
    old = "1. 一种泵，其特征在于：轴的长度为0.1～0.5mm；所述轴由钢制成。"
    found = compare_texts(old, old.replace("0.5", "0.3")).compared_claims[0].limitations
    changed = next(one for one in found if one.is_changed)
    assert changed.texts[0] == "轴的长度为0.1～0.5mm；"
    assert [part.text for part in changed.diff if part.kind != "same"] == ["0.5mm", "0.3mm"]
