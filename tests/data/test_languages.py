"""Language codes."""

from __future__ import annotations

import pytest

from patmark.data.languages import language_code, language_pair, language_warnings
from patmark.data.model import TestSet
from patmark.errors import UsageError


@pytest.mark.parametrize("name", ["zh", "ZH", "cn", "zh-CN", "zh_TW", "zho", "Chinese"])
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


@pytest.mark.parametrize("text", ["", "x", "en-de-fr", "12", "en-"])
def test_what_is_no_language_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is not a language"):
        language_pair(text)


def test_codes_that_name_no_language_are_warned_about() -> None:
    assert language_warnings("ja", "en") == [] == language_warnings(None, "de")
    [warning] = language_warnings(None, "xx")
    assert warning.startswith("Warning: 'xx', the target language")
    assert len(language_warnings("deu", "qq")) == 2
