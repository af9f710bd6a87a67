"""Numbers, units and number words in English, Chinese and Japanese."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.facts import compare_facts, facts_of
from patmark.facts.quantities import find_quantities
from patmark.facts.units import _BASE, compatible, in_base_unit, unit_meaning
from patmark.languages import parse_english, parse_han, plain_value
from patmark.languages.en.numerals import ENGLISH_NUMBER
from patmark.languages.folding import fold
from patmark.languages.scripts import language_of


def _exact(text: str, language: str) -> list[tuple[str, str | None]]:
    found = find_quantities(text, language)
    return [(item.key, item.unit) for item in found if item.certainty == "exact"]


def _stated(text: str, language: str) -> list[str]:
    return [item.key for item in find_quantities(text, language) if item.certainty == "stated"]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("1,000 and 1000.50", "en", [("1000", None), ("1000.5", None)]),
        ("１，０００個", "ja", [("1000", None)]),
        ("3万", "zh", [("30000", None)]),
        ("1.5亿", "zh", [("150000000", None)]),
        ("2百万", "ja", [("2000000", None)]),
        ("1.5 million", "en", [("1500000", None)]),
        ("80～90℃", "zh", [("80", "°C"), ("90", "°C")]),
        ("between 80 to 90 degrees C", "en", [("80", "°C"), ("90", "°C")]),
        ("50-99.9重量%", "zh", [("50", "wt%"), ("99.9", "wt%")]),
        ("5% by weight, 5 percent", "en", [("5", "wt%"), ("5", "%")]),
        ("5毫米 3μm 3µm 3um", "zh", [("5", "mm"), *[("3", "μm")] * 3]),
        ("30分钟、30分間、2小时", "zh", [("30", "min"), ("30", "min"), ("2", "h")]),
        ("5 MPa, 10 kg/m3, 2 m2", "en", [("5", "MPa"), ("10", "kg/m3"), ("2", "m2")]),
        ("Fe<sub>2</sub>O<sub>3</sub> CO₂", "zh", [("FE2O3", None), ("CO2", None)]),
        ("4010NA and T1", "en", [("4010NA", None), ("T1", None)]),
        ("10<sup>6</sup> 10⁶ 10^6", "en", [("1000000", None)] * 3),
        ("1,3-丙二醇", "zh", [("1", None), ("3", None)]),
        ("Φ139.7mm", "zh", [("139.7", "mm")]),
    ],
)
def test_digits(text: str, language: str, expected: list[tuple[str, str | None]]) -> None:
    assert _exact(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("三个齿轮和十五根销", "zh", ["3", "15"]),
        ("第一电极、第2电极", "zh", ["1", "2"]),
        ("二〇二〇年", "zh", ["2020"]),
        ("百分之五", "zh", ["5"]),
        ("实施例三", "zh", ["3"]),
        ("三つの穴", "ja", ["3"]),
        ("two plates, a third rod, twenty-five bolts", "en", ["2", "3", "25"]),
        ("the 2nd rod", "en", ["2"]),
        ("一种方法，一方面均一，数十个，二氧化硅", "zh", []),
        ("one rod, a hole, both ends", "en", []),
    ],
)
def test_number_words(text: str, language: str, expected: list[str]) -> None:
    assert _stated(text, language) == expected


_ORDINAL_NAMES = {
    13: "thirteenth", 19: "nineteenth", 20: "twentieth", 21: "twenty-first", 40: "fortieth",
    58: "fifty-eighth", 99: "ninety-ninth", 100: "hundredth", 101: "one hundred and first",
}  # fmt: skip


@pytest.mark.parametrize("value", _ORDINAL_NAMES)
def test_ordinals_beyond_twelfth(value: int) -> None:
    found = [
        *find_quantities(f"the {_ORDINAL_NAMES[value]} embodiment", "en"),
        *find_quantities(f"第{value}实施例", "zh"),
        *find_quantities(f"{value}番目の例", "ja"),
    ]
    stated = [(item.key, item.ordinal) for item in found if item.certainty == "stated"]
    assert stated == [(str(value), True)] * 3


@pytest.mark.parametrize(
    "text", ["第十三实施例", "第 13实施例", "十三番目", "13番目", "１３番目", "第13"]
)
def test_ordinals_of_chinese_and_japanese(text: str) -> None:
    for language in ("zh", "ja"):
        assert _stated(text, language) == ["13"]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("½ or ¼", "en", [("0.5", None), ("0.25", None)]),
        ("1½ inch, 1 1/2 inches", "en", [("1.5", "inch")] * 2),
        ("⅓, 1/3", "en", [("1/3", None)] * 2),
        ("(208,308, 408, 504)", "en", [("208308", None), ("408", None), ("504", None)]),
    ],
)
def test_fractions_in_digits(
    text: str, language: str, expected: list[tuple[str, str | None]]
) -> None:
    assert _exact(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("one half, one third of it, two-thirds, three quarters", "en",
         ["0.5", "1/3", "2/3", "0.75"]),
        ("at least one third electrode, a third rod, ninety-ninth", "en", ["3", "99"]),
        ("一半，二分之一，三分之一，半导体", "zh", ["0.5", "0.5", "1/3"]),
        ("半分、3分の1、30分の間", "ja", ["0.5", "1/3"]),
        ("On July 17, 1997 or 17 July or May 2020 it may", "en", ["7", "7", "5"]),
        ("七月十七日", "zh", ["7", "17"]),
        ("本发明的一个目标", "zh", []),
        ("every second, 5 times a second, a second rod", "en", ["2"]),
    ],
)  # fmt: skip
def test_fractions_and_dates_in_words(text: str, language: str, expected: list[str]) -> None:
    assert _stated(text, language) == expected


@pytest.mark.parametrize(
    ("text", "groups", "listed"),
    [
        ("part(208,308, 408)", ("208", "308"), True),
        ("(101, 201,301)", ("201", "301"), True),
        ("sensor (208,308)", ("208", "308"), True),
        ("1,000, 2,000 and 3,000", ("1", "000"), False),
        ("a total of 208,308 vehicles", ("208", "308"), False),
    ],
)
def test_thousands_or_a_list(text: str, groups: tuple[str, ...], listed: bool) -> None:
    item = next(item for item in find_quantities(text, "en") if item.groups)
    assert (item.groups, item.listed) == (groups, listed)


@pytest.mark.parametrize(
    ("text", "language", "negative"),
    [
        ("minus 20 °C", "en", True), ("minus 20", "en", True), ("−20 °C", "en", True),
        ("negative 20", "en", True), ("20 °C below zero", "en", True), ("零下20℃", "zh", True),
        ("负20度", "zh", True), ("マイナス20", "ja", True), ("マイナス20℃", "ja", True),
        ("−20", "en", None), ("ten parts minus 5 parts", "en", True), ("10 minus 5", "en", None),
        ("13 -17 %", "en", False), ("20 °C", "en", False),
    ],
)  # fmt: skip
def test_minus_in_words_and_signs(text: str, language: str, negative: bool | None) -> None:
    exact = [item for item in find_quantities(text, language) if item.certainty == "exact"]
    assert exact[-1].negative is negative


@pytest.mark.parametrize(
    ("text", "language", "unit"),
    [
        ("between 1 and 2 cm", "en", "cm"),
        ("Between about 1 and about 2 cm", "en", "cm"),
        ("from about 1 to about 2 mm", "en", "mm"),
        ("1 up to 2 mm", "en", "mm"),
        ("介于1和2厘米之间", "zh", "cm"),
        ("约1至约2毫米", "zh", "mm"),
        ("1 and 2 cm", "en", None),
        ("between 1 hole and 2 cm", "en", None),
    ],
)
def test_a_range_shares_its_unit(text: str, language: str, unit: str | None) -> None:
    exact = [each for each in find_quantities(text, language) if each.certainty == "exact"]
    assert (exact[0].key, exact[0].unit) == ("1", unit)
    assert exact[-1].unit


def test_a_range_below_zero_shares_its_unit() -> None:
    for text in ("-30 to -20 °C", "minus 30 to minus 20 °C"):
        found = find_quantities(text, "en")
        assert [(item.key, item.unit, item.negative) for item in found] == [
            ("30", "°C", True), ("20", "°C", True),
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "negative"),
    [("cooled to -20 °C", True), ("在-20℃下", True), ("3-20 °C", False), ("ZSM-5 mm", False)],
)
def test_minus(text: str, negative: bool) -> None:
    last = [item for item in find_quantities(text, "en") if item.unit][-1]
    assert last.negative is negative


def test_places_are_those_of_the_original() -> None:
    text = "含CO<sub>2</sub>，温度为８０℃"
    spans = {text[item.start : item.end] for item in find_quantities(text, "zh")}
    assert spans == {"CO<sub>2", "８０"}


def test_chemical_formulas() -> None:
    chemical = {item.key: item.chemical for item in find_quantities("Al2O3 H2 S4 T1 D2D", "en")}
    assert chemical == {"AL2O3": True, "H2": True, "S4": False, "T1": False, "D2D": False}


@pytest.mark.parametrize(
    ("numeral", "value"),
    [("十五", 15), ("二百零三", 203), ("一万二千", 12000), ("三億", 300000000), ("二〇二〇", 2020),
     ("两", 2), ("万", None), ("三四千", None)],
)  # fmt: skip
def test_han_numerals(numeral: str, value: int | None) -> None:
    assert parse_han(numeral) == value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("two hundred and five", [(205, False)]),
        ("three million two hundred", [(3_000_200, False)]),
        ("twenty-first", [(21, True)]),
        ("the first and second of seventeen", [(1, True), (2, True), (17, False)]),
        ("two first rods", [(2, False), (1, True)]),
        ("often, someone, tenfold", []),
    ],
)
def test_english_numerals(text: str, values: list[tuple[int, bool]]) -> None:
    assert [parse_english(match.group()) for match in ENGLISH_NUMBER.finditer(text)] == values


@pytest.mark.parametrize("unit", sorted(_BASE))
def test_each_unit_has_a_scale(unit: str) -> None:
    assert unit_meaning(unit).scale > 0


def test_a_thousandth_of_a_torr() -> None:
    assert in_base_unit("1000", "mTorr") == in_base_unit("1", "Torr")


def test_compatible_units() -> None:
    assert compatible("wt%", "%")
    assert compatible(None, "mm")
    assert compatible("°", "°C")
    assert not compatible("wt%", "vol%")
    assert not compatible("mm", "μm")


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [("zh-CN", "abc", "zh"), (None, "ロータ回転", "ja"), (None, "壳体", "zh"), (None, "rod", "en"),
     ("de", "壳体", "zh")],
)  # fmt: skip
def test_language_of(declared: str | None, text: str, language: str) -> None:
    assert language_of(declared, text) == language


@given(st.integers(0, 10**9), st.sampled_from(["{}", "{:,}", "０{}"]))
def test_a_value_is_read_in_every_notation(value: int, notation: str) -> None:
    written = notation.format(value)
    assert [item.key for item in find_quantities(f"長さは{written}。", "ja")] == [str(value)]
    assert plain_value(str(value)) == str(value)


@given(st.text(alphabet="a1２0.,%℃<sub>/²⑩三个第つ-～ 百分之のⅡ万½半零下番目()", max_size=40))
def test_places_stay_inside_the_text(text: str) -> None:
    folded = fold(text)
    assert len(folded.places) == len(folded.text)
    for language in ("en", "zh", "ja"):
        found = find_quantities(text, language)
        assert all(0 <= item.start < item.end <= len(text) for item in found)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 40_000,
        "1" * 40_000,
        "一" * 40_000,
        "A1" * 20_000,
        "1 1/2 " * 9_000,
        "一半3分の1" * 9_000,
        "1" * 9_000 + " 1/2",
        "minus 1 " * 9_000,
    ],
)
def test_endless_runs_are_read(text: str) -> None:
    assert all(item.end <= len(text) for item in find_quantities(text, "zh"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5×10¹⁸ cm⁻³", [("5000000000000000000", "cm-3")]),
        ("5 x 10^18 /cm3", [("5000000000000000000", "1/cm3")]),
        ("2.6*10<sup>-6</sup>/℃", [("0.0000026", "1/°C")]),
        ("2.6 * 10 <-6 >/DEG C", [("0.0000026", "1/°C")]),
        ("10⁻³ Pa, 1e-3 Pa, 0.001 Pa", [("0.001", "Pa")] * 3),
        ("1.5E18 and 10^{3}", [("1500000000000000000", None), ("1000", None)]),
        ("5×1018", [("5", None), ("1018", None)]),
        ("part 5E18", [("5E18", None)]),
        ("5mm-3cm", [("5", "mm"), ("3", "cm")]),
    ],
)
def test_powers_of_ten(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert _exact(text, "en") == expected


@pytest.mark.parametrize(
    ("forms", "unit"),
    [
        ("5 um|5 µm|5 μm|5 micrometres|5 microns|5微米|5マイクロメートル", "μm"),
        ("5 kPa|5 KPa|5 kilopascals|5千帕|5キロパスカル", "kPa"),
        ("5 mΩ|5 milliohms|5毫欧", "mΩ"),
        ("5 MΩ|5 megohms|5兆欧|5メガオーム", "MΩ"),
        ("5 pF|5 picofarads|5皮法", "pF"),
        ("5 μF|5 uF|5微法|5 microfarads", "μF"),
        ("5 THz|5 terahertz|5太赫兹", "THz"),
        ("5 mT|5毫特斯拉|5 millitesla", "mT"),
        ("5 dm|5分米|5 decimetres", "dm"),
        ("5 keV|5 kiloelectron volts|5千电子伏", "keV"),
        ("5 GB|5 gigabytes|5吉字节", "Gbyte"),
    ],
)
def test_units_with_prefixes(forms: str, unit: str) -> None:
    found = {form: _exact(form, "zh") for form in forms.split("|")}
    assert found == {form: [("5", unit)] for form in found}


@pytest.mark.parametrize("text", ["3千安全帽", "5微安装置", "2毫安放置"])
def test_words_that_begin_like_an_ampere_are_no_unit(text: str) -> None:
    assert all(unit is None for _, unit in _exact(text, "zh"))
    assert _exact("5微安培", "zh") == _exact("5微安。", "zh") == [("5", "μA")]


_EXCHANGED_UNITS = """
zh-en|剂量为25kGy。|The dose is 25 kGy.|The dose is 25 kBq.
zh-en|有效剂量为12毫西弗。|The effective dose is 12 mSv.|The effective dose is 12 mGy.
zh-en|发射功率为23dBm。|The transmission power is 23 dBm.|The transmission power is 23 dBi.
zh-en|酶活为200U/mL。|The enzyme activity is 200 U/mL.|The enzyme activity is 200 U/mg.
zh-en|菌液浓度为10^6CFU/mL。|The concentration is 10^6 CFU/mL.|The concentration is 10^6 CFU/L.
en-zh|The primer is 20 nt long.|引物长20个核苷酸。|引物长20bp。
en-zh|A torque of 45 Nm is applied.|施加45牛·米的扭矩。|施加45N的扭矩。
en-zh|The sampling rate is 8 kSps.|采样率为8kSps。|采样率为8MSps。
ja-en|締付トルクは8N・mとする。|The torque is 8 newton meters.|The torque is 8 newtons.
ja-en|解像度は600dpiである。|The resolution is 600 dots per inch.|The resolution is 600 dots per cm.
ja-en|粘度は30cPである。|The viscosity is 30 mPa·s.|The viscosity is 30 cSt.
en-ja|The insert is 800 bp long.|インサートは800塩基対である。|インサートは800アミノ酸である。
en-ja|The flux is 2 mWb.|磁束は2ミリウェーバである。|磁束は2mTである。
en-zh|The level is 12 dBx.|电平为12dBx。|电平为12dBy。
en-zh|The rotor is spun at 1000 × g.|转子以1000g旋转。|转子以1000mg旋转。
"""


@pytest.mark.parametrize("row", _EXCHANGED_UNITS.strip().splitlines())
def test_a_technical_unit_is_kept_and_not_taken_for_another(row: str) -> None:
    languages, source, correct, faulty = row.split("|")
    one, other = languages.split("-")
    ours = facts_of(source, one)
    assert not compare_facts(ours, facts_of(correct, other))
    assert compare_facts(ours, facts_of(faulty, other))


@pytest.mark.parametrize(
    ("text", "language", "key", "unit"),
    [
        ("间距为零点二五毫米", "zh", "0.25", "mm"),
        ("百分之九十六点五", "zh", "96.5", "%"),
        ("提高了三成,", "zh", "30", "%"),
        ("２時間半加熱する", "ja", "2.5", "h"),
        ("体重１ｋｇあたり１日２ｍｇ", "ja", "2", "mg/kg/d"),
        ("１時間に１２０枚", "ja", "120", "1/h"),
        ("１ｃｍ２当たり５Ｗ", "ja", "5", "W/cm2"),
        ("5000 cells per well", "en", "5000", "1/?"),
        ("5 mg per tablet", "en", "5", "mg/?"),
        ("30ｍ／時", "ja", "30", "m/h"),
    ],
)
def test_numbers_with_parts_and_divisors_in_words(
    text: str, language: str, key: str, unit: str
) -> None:
    found = find_quantities(text, language)
    assert (key, unit) in {(q.key, q.unit) for q in found if q.certainty in ("exact", "stated")}


@pytest.mark.parametrize(
    ("first", "second", "fit"),
    [
        ("1/?", "1/?", True), ("1/?", None, True), ("mg/?", "mg", True), ("1/?", "1/mL", False),
        ("mg/?", "mg/kg", False), ("mg/?", "g", False),
    ],
)  # fmt: skip
def test_a_thing_divides_otherwise_than_a_unit(first: str, second: str | None, fit: bool) -> None:
    assert compatible(first, second) is compatible(second, first) is fit


def test_decimals_in_english_words() -> None:
    def keys(text: str) -> list[str]:
        return [q.key for q in facts_of(text, "en").quantities if q.certainty == "stated"]

    assert keys("a ratio of zero point five") == ["0.5"]
    assert keys("a ratio of two point zero five") == ["2.05"]
    assert keys("at one point two pumps are fixed") == ["2"]
