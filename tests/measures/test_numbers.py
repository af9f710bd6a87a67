"""Numbers kept, lost and invented."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, strategies as st

from checking import DIRECTIONS, Inspector, bilingual_pairs
from patmark.data.model import TestSet
from patmark.facts import facts_of
from patmark.measures.fact_checks import Numbers

_INSPECTOR = Inspector(Numbers())


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages"),
    [
        ("温度升至８０～９０℃，保持３０分钟。", "Raised to 80 to 90 °C for 30 minutes.", "zh-en"),
        (
            "三个齿轮、十五根销，1,000kPa，百分之五。",
            "Three gears, fifteen pins, 1000 kPa, 5%.",
            "zh-en",
        ),
        ("3万个零件，1.5亿元", "30,000 parts, 150 million yuan", "zh-en"),
        ("二〇二〇年的实施例三", "the third embodiment of 2020", "zh-en"),
        ("一种方法，一方面均一，单一", "A method, on the one hand uniform", "zh-en"),
        ("含二氧化碳的气体", "gas containing CO2", "zh-en"),
        ("取1个样品", "a sample is taken", "zh-en"),
        ("压力为0.1MPa，厚度为500纳米", "The pressure is 100 kPa, the thickness 0.5 μm", "zh-en"),
        ("0.1メガパスカル、1.5キロワット", "100 kPa and 1500 W", "ja-en"),
        ("A current of 20 mA at 2.5 GHz", "0.02安培的电流，2500兆赫", "en-zh"),
        ("from 1 to 2 cm", "10～20mm", "en-ja"),
        ("部件100、200", "parts 100,200", "zh-en"),
        ("2020年3月5日に三つの穴、0.5ｍｍ", "On March 5, 2020, three holes, 0.5 mm", "ja-en"),
        ("第１の板と第２の板、３μm～５μm", "The first and second plates, 3 µm to 5 um", "ja-en"),
        ("二次電池は1つのセルを含む", "The secondary battery includes a cell", "ja-en"),
        (
            "Two plates 5 mm thick of Fe2O3",
            "两块板厚5毫米，由Fe<sub>2</sub>O<sub>3</sub>制成",
            "en-zh",
        ),
        ("A first rod, one of twelve holes", "第一杆，12个孔之一", "en-zh"),
        ("Three plates at 10^6 Pa, 25 percent", "3枚の板は10⁶Pa、25％である", "en-ja"),
        ("A rod and a hole", "1つのロッドと1個の孔", "en-ja"),
        ("第十三实施例和第99实施例", "the thirteenth and ninety-ninth embodiments", "zh-en"),
        (
            "13番目の例、十四番目の例、二十一番目の例",
            "the 13th, fourteenth and twenty-first examples",
            "ja-en",
        ),
        ("The fiftieth and the hundredth pulse", "第五十个和第一百个脉冲", "en-zh"),
        ("冷却至零下20℃", "cooled to minus 20 °C", "zh-en"),
        ("マイナス20℃からマイナス5℃", "from −20 °C to 5 °C below zero", "ja-en"),
        ("minus 20", "-20", "en-zh"),
        ("冷却至零下二十摄氏度", "cooled to minus twenty degrees Celsius", "zh-en"),
        ("マイナス二十度", "-20 °C", "ja-en"),
        ("at twenty degrees below zero", "零下20度", "en-zh"),
        ("ten minus five, x minus 5, 10 minus 5", "10减5、x减5、10减5", "en-zh"),
        ("含CO和CO2的气体", "gas containing CO and carbon dioxide", "zh-en"),
        ("一氧化碳和CO2", "CO and CO2", "zh-en"),
        ("长度的½和三分之一", "half and one third of the length", "zh-en"),
        ("全長の半分、幅の3分の1", "one half of the length and a third of the width", "ja-en"),
        ("1½ inches, three quarters of it", "1.5英寸，其四分之三", "en-zh"),
        ("一半", "50 percent of it", "zh-en"),
        ("50％", "half of it", "ja-en"),
        ("七月十七日和5月3日", "July 17 and 3 May", "zh-en"),
        ("17 July 1997", "1997年7月17日", "en-zh"),
        ("十亿年，两年半", "a billion years, two and a half years", "zh-en"),
        ("毎秒5回、１秒ごと", "5 times per second, every second", "ja-en"),
        ("绝缘部208、308、408", "the insulating part (208,308, 408)", "zh-en"),
        ("13-17%的氧", "13 -17 % oxygen", "zh-en"),
        ("1万2千個、1万5000円", "12,000 pieces, 15,000 yen", "ja-en"),
        ("20万8308个", "208,308 cells", "zh-en"),
        ("平成１０年４月１日、昭和60年", "April 1, 1998 and 1985", "ja-en"),
        ("令和元年、平成10年", "2019, Heisei 10 (1998)", "ja-en"),
        ("平成十年", "Heisei 10", "ja-en"),
        ("filed in 1985", "昭和60年に出願された", "en-ja"),
        ("80年代和20世纪90年代", "the 1980s and the 1990s", "zh-en"),
        ("80年代，20世纪90年代", "the 80s, the 90s of the 20th century", "zh-en"),
        ("大于等于0.5，图1", "at least .5, FIG .1", "zh-en"),
    ],
)
def test_good_translations_raise_no_alarm(source: str, hypothesis: str, languages: str) -> None:
    finding = _INSPECTOR.inspect(source, hypothesis, languages)
    assert finding.evidence == ()
    assert finding.kept == finding.expected


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages", "evidence"),
    [
        ("加热至９０℃", "heated to 95 °C", "zh-en", [("source", "９０"), ("hypothesis", "95")]),
        ("保持30分钟", "kept for 30 hours", "zh-en", [("source", "分钟"), ("hypothesis", "hours")]),
        ("在-20℃下", "at 20 °C", "zh-en", [("source", "-20"), ("hypothesis", "20")]),
        ("三个齿轮", "the gears", "zh-en", [("source", "三")]),
        ("第十三实施例", "the twelfth embodiment", "zh-en",
         [("source", "十三"), ("hypothesis", "twelfth")]),
        ("the thirtieth pulse", "第13个脉冲", "en-zh",
         [("source", "thirtieth"), ("hypothesis", "13")]),
        ("加热至零下二十度", "heated to twenty degrees", "zh-en",
         [("source", "零下二十"), ("hypothesis", "twenty")]),
        ("cooled to minus twenty degrees", "冷却到20度", "en-zh",
         [("source", "minus twenty"), ("hypothesis", "20")]),
        ("20度に冷却", "cooled to minus twenty degrees", "ja-en",
         [("source", "20"), ("hypothesis", "minus twenty")]),
        ("含CO2的气体", "gas containing CO", "zh-en", [("source", "CO2")]),
        ("含CO的气体", "gas containing CO<sub>2</sub>", "zh-en",
         [("hypothesis", "CO<sub>2")]),
        ("含CO和CO2", "CO and CO", "zh-en", [("source", "CO2")]),
        ("零下20℃", "20 °C", "zh-en", [("source", "零下20"), ("hypothesis", "20")]),
        ("マイナス20", "20", "ja-en", [("source", "マイナス20"), ("hypothesis", "20")]),
        ("三分之一", "one quarter of it", "zh-en",
         [("source", "三分之一"), ("hypothesis", "one quarter")]),
        ("July 17", "8月17日", "en-zh", [("source", "July"), ("hypothesis", "8")]),
        ("一半", "a third", "zh-en", [("source", "一半")]),
        ("第一电极", "an electrode", "zh-en", [("source", "一")]),
        ("气体", "gas at 5 bar", "zh-en", [("hypothesis", "5")]),
        ("長さは１２ｍｍである", "The length is 1.2 mm", "ja-en",
         [("source", "１２"), ("hypothesis", "1.2")]),
        ("Fe2O3 powder", "Fe3O4粉末", "en-zh", [("source", "Fe2O3"), ("hypothesis", "Fe3O4")]),
        ("three plates", "板", "en-zh", [("source", "three")]),
        ("5 to 10 parts", "5から100部", "en-ja", [("source", "10"), ("hypothesis", "100")]),
    ],
)  # fmt: skip
def test_errors_are_shown_where_they_are(
    source: str, hypothesis: str, languages: str, evidence: list[tuple[str, str]]
) -> None:
    assert _INSPECTOR.shown(source, hypothesis, languages) == evidence


@given(st.text(alphabet="12０./,%℃½半一三分之の零下 -()第番目個ahlfthird", max_size=30))
def test_a_text_has_all_numbers_of_itself(text: str) -> None:
    for languages in ("en-en", "zh-zh", "ja-ja"):
        assert _INSPECTOR.inspect(text, text, languages).evidence == ()


def test_counts_of_a_changed_number() -> None:
    finding = _INSPECTOR.inspect("长5mm，宽7mm", "5 mm long, 8 mm wide", "zh-en")
    assert (finding.kept, finding.expected) == (1, 3)


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages"),
    [
        ("3枚の板", "4 plates", "ja-en"), ("3枚の板", "four plates", "ja-en"),
        ("三个齿轮", "four gears", "zh-en"), ("三个齿轮", "4 gears", "zh-en"),
        ("three plates", "四块板", "en-zh"), ("three plates", "4块板", "en-zh"),
        ("3 mm", "四毫米的板", "en-zh"),
    ],
)  # fmt: skip
def test_a_changed_number_counts_twice_however_it_is_written(
    source: str, hypothesis: str, languages: str
) -> None:
    finding = _INSPECTOR.inspect(source, hypothesis, languages)
    assert (finding.kept, finding.expected) == (0, 2)


def test_a_number_word_of_the_translation_alone_is_no_error() -> None:
    assert _INSPECTOR.inspect("双层壁与盖", "four walls", "zh-en").evidence == ()


def test_a_changed_unit_counts_once() -> None:
    finding = _INSPECTOR.inspect("长5mm，宽7mm", "5 mm long, 7 cm wide", "zh-en")
    assert (finding.kept, finding.expected) == (1, 2)


def test_nothing_expected_gives_no_score() -> None:
    test_set = TestSet.of(["rod"], sources=["杆"], source_language="zh")
    measure = Numbers()
    assert str(measure.score(measure.statistics(test_set, ["rod"]))) == "[nan]"


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_few_alarms_on_human_translations(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    """At most 5 % of rows; those are real: lost step numbers, "o.1" for 0.1, inserted signs."""
    share = _INSPECTOR.alarm_share(patsnap_rows, direction)
    assert share <= 0.05


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_changed_numbers_are_found(
    patsnap_rows: list[dict[str, Any]], direction: tuple[str, str]
) -> None:
    random_source = random.Random(7)
    languages = "-".join(direction)
    found = tried = 0
    for source, target in bilingual_pairs(patsnap_rows, direction):
        numbers = [  # reference signs are no numbers
            item for item in facts_of(target, direction[1]).quantities
            if item.certainty == "exact" and not item.is_token
        ]  # fmt: skip
        if not numbers or _INSPECTOR.inspect(source, target, languages).evidence:
            continue
        number = random_source.choice(numbers)
        place = random_source.choice(
            [place for place in range(number.start, number.end) if target[place].isdigit()]
        )
        digit = str((int(target[place]) + random_source.randint(1, 9)) % 10)
        changed = target[:place] + digit + target[place + 1 :]
        evidence = _INSPECTOR.inspect(source, changed, languages).evidence
        tried += 1
        found += any(
            item.side == "hypothesis" and item.start <= place < item.end for item in evidence
        ) or any(
            item.side == "source" and item.message.startswith(f"{number.key} ") for item in evidence
        )
    assert tried >= 30
    assert found >= 0.95 * tried


@given(st.lists(st.integers(100, 999), min_size=1, max_size=6), st.integers(0, 6))
def test_no_more_is_kept_than_expected_and_no_less_than_nothing(
    signs: list[int], kept: int
) -> None:
    source = f"电极({','.join(map(str, signs))}, 408)"
    hypothesis = f"the electrodes ({', '.join(map(str, signs[:kept]))}, 408)"
    [finding] = Numbers().findings(
        TestSet.of(["x"], sources=[source], source_language="zh"), [hypothesis]
    )
    assert 0 <= finding.kept <= finding.expected


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages", "wrong"),
    [
        ("1万2千個", "10,002 pieces", "ja-en", ["1万2千", "10,002"]),
        ("平成10年", "1999", "ja-en", ["平成10", "1999"]),
        ("80年代", "the 1970s", "zh-en", ["80", "1970"]),
        ("大于等于0.5", "at least .6", "zh-en", ["0.5", ".6"]),
    ],
)
def test_wrong_years_and_values_are_still_found(
    source: str, hypothesis: str, languages: str, wrong: list[str]
) -> None:
    found = _INSPECTOR.inspect(source, hypothesis, languages)
    sides = {"source": source, "hypothesis": hypothesis}
    assert [sides[one.side][one.start : one.end] for one in found.evidence] == wrong


@pytest.mark.parametrize(
    ("source", "translation", "kept"),
    [
        ("电阻为5mΩ", "a resistance of 5 MΩ", False),
        ("电容为5皮法", "a capacitance of 5 nF", False),
        ("电容为5微法", "a capacitance of 5 microfarads", True),
        ("浓度为5×10¹⁸cm⁻³", "a concentration of 5×10^18 /cm3", True),
        ("浓度为5×10¹⁸cm⁻³", "a concentration of 5×1018 cm-3", False),
        ("压力为10⁻³Pa", "a pressure of 10³ Pa", False),
    ],
)
def test_prefixes_and_powers_of_ten(source: str, translation: str, kept: bool) -> None:
    finding = _INSPECTOR.inspect(source, translation, "zh-en")
    assert (finding.evidence == ()) is kept


@pytest.mark.parametrize(
    ("source", "hypothesis", "languages"),
    [
        ("压力为0.1MPa。", "The pressure is 10 kPa.", "zh-en"),
        ("圧力は0.1MPaである。", "The pressure is 100 Pa.", "ja-en"),
        ("A width of 5 mm", "宽度为0.5微米", "en-zh"),
    ],
)
def test_another_measure_is_an_error_whatever_its_prefix(
    source: str, hypothesis: str, languages: str
) -> None:
    assert _INSPECTOR.inspect(source, hypothesis, languages).evidence
