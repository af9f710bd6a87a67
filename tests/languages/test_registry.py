"""Language tags."""

from __future__ import annotations

import pytest

from patmark.data import country_warnings
from patmark.data.model import TestSet
from patmark.errors import UsageError
from patmark.languages.registry import language_code, language_pair


@pytest.mark.parametrize(
    "name", ["zh", "ZH", "cn", "zh-CN", "zh_TW", "zh-tw", "zh-Hant", "zh-Hant-HK", "zho", "Chinese"]
)
def test_chinese_has_many_spellings(name: str) -> None:
    assert language_code(name) == "zh"
    assert TestSet.of(["阀门"], target_language=name).target_language == "zh"


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("ja-en", ("ja", "en")),
        ("en-zh", ("en", "zh")),
        ("en-cn", ("en", "zh")),
        ("EN-zh-CN", ("en", "zh")),
        ("zh-CN-en", ("zh", "en")),
        ("zh-CN", (None, "zh")),
        ("jp_en", ("ja", "en")),
        ("en", (None, "en")),
        ("zh-Hans-en-US", ("zh", "en")),
        ("de-fr", ("de", "fr")),
    ],
)
def test_pairs(text: str, pair: tuple[str | None, str]) -> None:
    assert language_pair(text) == pair


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("pt-br", (None, "pt")),  # not Breton
        ("pt-BR", (None, "pt")),
        ("pt-BR-en", ("pt", "en")),
        ("en-pt-br", ("en", "pt")),
        ("en-tw", ("en", "tw")),  # Twi, not English alone
        ("sg-en", ("sg", "en")),  # Sango, not a region
        ("tw-en", ("tw", "en")),
        ("en-zh-TW", ("en", "zh")),
        ("zh-Hant-TW-en-GB", ("zh", "en")),
        ("en-US-zh-Hans", ("en", "zh")),
        ("en-US", (None, "en")),
        ("en-uk", ("en", "uk")),
        ("en-UK", (None, "en")),
        ("fr-ca", ("fr", "ca")),  # Catalan
        ("fr-CA", (None, "fr")),
        ("fr-ca-en", ("fr", "en")),
        ("FR-CA", ("fr", "ca")),
        ("de-ch", ("de", "ch")),
        ("ja-JP-ko-KR", ("ja", "ko")),
        ("ko-kr", (None, "ko")),
        ("eng-fra", ("en", "fr")),
        ("de-deu", ("de", "de")),
        ("cs-de_DE", ("cs", "de")),
        ("en-sr_Cyrl_RS", ("en", "sr")),
        ("en-bho_IN", ("en", "bho")),
        ("zh_TW-en", ("zh", "en")),
        ("zh-CN_en-US", ("zh", "en")),
        ("liv-en", ("liv", "en")),
        ("en-cs-CZ", ("en", "cs")),
        ("da-DK-en", ("da", "en")),
        ("et-EE", (None, "et")),
    ],
)
def test_regions_and_scripts_are_understood_on_both_sides(
    text: str, pair: tuple[str | None, str]
) -> None:
    assert language_pair(text) == pair


@pytest.mark.parametrize("text", ["", "x", "en-de-fr", "12", "en-", "en-Hant-fr-de"])
def test_what_is_no_language_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a language"):
        language_pair(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("xx", "'xx' is not a language"),
        ("jap", "'jap' is not a language; did you mean"),
        ("zh-englsh", "'englsh' in 'zh-englsh' is not a language; did you mean english"),
        ("en-MX", "'MX' in 'en-MX' is not a language; did you mean en-es-MX?"),
        ("dk-en", "'dk' in 'dk-en' is not a language; did you mean da-DK-en?"),
        ("jaen", "'jaen' is not a language; did you mean ja-en?"),
        ("en-cz", "did you mean en-cs-CZ?"),
        ("gr", "'gr' is not a language; did you mean el-GR?"),
        ("ua-en", "did you mean uk-UA-en?"),
        ("deu-qq", "'qq' in 'deu-qq' is not a language"),
    ],
)
def test_an_unknown_code_is_refused_with_what_may_be_meant(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        language_pair(text)
    assert message in str(caught.value)


def test_one_language_is_no_pair() -> None:
    with pytest.raises(UsageError, match="'zh-en' is not a language but a pair"):
        TestSet.of(["阀门"], target_language="zh-en")


def test_a_language_that_is_better_known_as_a_country_gives_a_hint() -> None:
    assert country_warnings("en", "zh", "ja", None) == ()
    for pair, expected in (
        (("en", "tw"), "tw is the language Twi; did you mean zh-TW?"),
        (("kr", "en"), "kr is the language Kanuri; did you mean ko?"),
    ):
        [warning] = country_warnings(*pair)
        assert (warning.level, warning.text) == ("warning", expected)
