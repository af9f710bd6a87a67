"""Quantities of running text: money, magnitudes, dates, spaced digits, names with numbers."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from patmark.facts import Difference, compare_facts, compare_quantities, facts_of


def _numbers(languages: str, source: str, target: str) -> list[Difference]:
    one, other = languages.split("-")
    return list(compare_quantities(facts_of(source, one), facts_of(target, other)).differences)


_SAME = [
    ("zh-en", "額度增加至5,000億元人民幣。", "The quota is expanded to RMB500 billion."),
    ("zh-en", "资产总额达34,229亿港元。", "Total assets reach HK$3,422.9 billion."),
    ("ja-en", "費用は5000億円である。", "The cost is 500 billion yen."),
    ("en-ja", "The price is US$3 million.", "価格は300万米ドルである。"),
    ("en-zh", "The price is 20 dollars.", "价格为20美元。"),
    ("zh-en", "成本为3,800万元。", "The cost is RMB38 million."),
    ("zh-en", "總值超過1萬億港元。", "The total exceeds HK$1 trillion."),
    ("zh-en", "提供6萬多頁資料。", "It provides over 60,000 pages."),
    ("zh-en", "於2 0 1 5 年發布。", "It was published in 2015."),
    ("zh-en", "在5月初公布。", "It was announced in early May."),
    ("zh-en", "於9月中旬及7月實施。", "It was implemented in mid-September and July."),
    ("zh-en", "過去30多年來。", "For more than three decades."),
    ("zh-en", "利率上調75基點。", "The rate was raised by 75 basis points."),
    ("zh-en", "在首3季內擴大。", "It widened during the first three quarters."),
    ("zh-en", "策略夥伴3 推行計劃。", "The strategic partners3 run the scheme."),
    ("zh-en", "在新冠疫情期間。", "During the COVID-19 pandemic."),
    ("en-zh", "It is described in section 7 of the rules.", "见该标准第7条的说明。"),
    ("en-ja", "Details are given on page 198.", "詳細は第198頁に記載されている。"),
    ("fr-en", "Après environ 8 000 heures.", "After about 8,000 hours."),
    ("de-en", "Nach etwa 8.000 Stunden.", "After about 8,000 hours."),
]  # fmt: skip
_CHANGED = [
    ("zh-en", "額度增加至5,000億元人民幣。", "The quota is expanded to RMB500 million.", "number"),
    ("zh-en", "资产总额达34,229亿港元。", "Total assets reach US$3,422.9 billion.", "unit"),
    ("ja-en", "費用は5000億円である。", "The cost is 50 billion yen.", "number"),
    ("en-ja", "The price is US$3 million.", "価格は300万円である。", "unit"),
    ("en-zh", "The price is 20 dollars.", "价格为20欧元。", "unit"),
    ("zh-en", "成本为3,800万元。", "The cost is RMB380 million.", "number"),
    ("zh-en", "總值超過1萬億港元。", "The total exceeds HK$1 billion.", "number"),
    ("zh-en", "提供6萬多頁資料。", "It provides over 6,000 pages.", "number"),
    ("zh-en", "於2 0 1 5 年發布。", "It was published in 2016.", "number"),
    ("zh-en", "在5月初公布。", "It was announced in early June.", "number"),
    ("zh-en", "於2018年9月25日舉行。", "It was held on 26 September 2018.", "number"),
    ("zh-en", "過去30多年來。", "For more than four decades.", "number"),
    ("zh-en", "利率上調75基點。", "The rate was raised by 75%.", "unit"),
    ("zh-en", "白介素IL-6的浓度。", "The concentration of IL-8.", "number"),
    ("en-zh", "It is described in section 7 of the rules.", "见该标准第4条的说明。", "number"),
    ("en-ja", "Details are given on page 198.", "詳細は第128頁に記載されている。", "number"),
    ("fr-en", "Après environ 8 000 heures.", "After about 8,500 hours.", "number"),
    ("de-en", "Nach etwa 8.000 Stunden.", "After about 80,000 hours.", "number"),
]  # fmt: skip
_INFORMATION = [
    ("zh-en", "去年舉行會議。", "The meeting was held in 2017."),
    ("zh-en", "2017年舉行會議。", "The meeting was held last year."),
    ("en-zh", "The plan has three parts.", "该计划分部分实施。"),
    ("zh-en", "Web 2.0平台。", "The platform."),
]


@pytest.mark.parametrize(("languages", "source", "target"), _SAME)
def test_the_same_quantity_is_not_flagged(languages: str, source: str, target: str) -> None:
    assert not _numbers(languages, source, target)
    assert not _numbers("-".join(reversed(languages.split("-"))), target, source)


@pytest.mark.parametrize(("languages", "source", "target", "kind"), _CHANGED)
def test_another_quantity_is_found(languages: str, source: str, target: str, kind: str) -> None:
    found = _numbers(languages, source, target)
    assert [d.kind for d in found if d.severity != "info"][:1] == [kind]


@pytest.mark.parametrize(("languages", "source", "target"), _INFORMATION)
def test_a_year_or_word_on_one_side_is_information(
    languages: str, source: str, target: str
) -> None:
    assert {d.severity for d in _numbers(languages, source, target)} <= {"info"}


def test_traditional_characters_are_known_and_quoted_as_written() -> None:
    found = compare_facts(facts_of("閥門無法關閉。", "zh"), facts_of("The valve closes.", "en"))
    assert [d.message for d in found] == ["the negation “無法” has no counterpart"]


_NOT_EXCEEDED = {
    "ko": "압력은 16 bar를 초과해서는 안 된다.", "fr": "La pression ne doit pas dépasser 16 bar.",
}  # fmt: skip


@pytest.mark.parametrize("language", _NOT_EXCEEDED)
def test_a_limit_that_must_not_be_exceeded(language: str) -> None:
    source = facts_of(_NOT_EXCEEDED[language], language)
    right, wrong = "The pressure must not exceed 16 bar.", "The pressure must exceed 16 bar."
    assert not compare_facts(source, facts_of(right, "en"))
    assert [d.kind for d in compare_facts(source, facts_of(wrong, "en"))] == ["limit"]


_RENDERED = [  # a source, a translation that adds a negation, and a right one
    ("两个阀具有不同的尺寸。", "The two valves do not have different sizes.",
     "The two valves have different sizes."),
    ("该步骤用于排除杂质。", "This step is not used to remove impurities.",
     "This step ensures that there are not any impurities."),
    ("于二零二三年提交申请。", "The application was not filed in 2023.",
     "The application was filed in 2023."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "added", "right"), _RENDERED)
def test_a_rendered_word_explains_no_other_negation(source: str, added: str, right: str) -> None:
    kinds = [
        {d.kind for d in compare_facts(facts_of(source, "zh"), facts_of(target, "en"))}
        for target in (added, right)
    ]
    assert ["polarity" in found for found in kinds] == [True, False]


def test_a_part_of_a_decimal_is_no_sign() -> None:
    source = facts_of("The rate fell to 2.9% (Chart 3).", "en")
    found = compare_facts(source, facts_of("比率降至2.9%（图9）。", "zh"))
    assert [d.message for d in found] == ["the sign 3 became 9"]
    assert not compare_facts(source, facts_of("比率降至2.9%（图3）。", "zh"))


def test_few_alarms_on_untouched_reports(shared_data: Path) -> None:
    """At most 1.5 number findings that are no information in 100 untouched lines."""
    lines = _lines(shared_data / "wholedoc")
    alarms = sum(
        d.kind in ("number", "unit") and d.severity != "info"
        for source, target in lines
        for d in compare_quantities(facts_of(source, "zh"), facts_of(target, "en")).differences
    )
    assert alarms <= 0.015 * len(lines)


def _lines(folder: Path) -> list[tuple[str, str]]:
    """Return the line pairs of every second document, those that the rules were made with."""
    with tarfile.open(folder / "dev.tar.xz") as archive:
        texts = {
            Path(member.name).name: file.read().decode("utf-8").split("\n")
            for member in archive
            if Path(member.name).parent.name == "lines"
            and Path(member.name).parent.parent.name == "dev"
            and member.name.endswith((".zh.txt", ".en.txt"))
            and (file := archive.extractfile(member)) is not None
        }
    names = sorted(name.removesuffix(".zh.txt") for name in texts if name.endswith(".zh.txt"))
    pairs = [
        pair
        for name in names[::2]
        for pair in zip(texts[f"{name}.zh.txt"], texts[f"{name}.en.txt"], strict=True)
    ]
    return [(a, b) for a, b in pairs if a.strip() and b.strip()]
