"""Messages name settings the way the front end writes them."""

import pytest

from patmark.wording import as_option, setting, settings_worded


@pytest.mark.parametrize(
    ("name", "value", "keyword", "option"),
    [
        ("lang", "ja-en", "lang='ja-en'", "--lang ja-en"),
        ("allow_partial", "", "allow_partial=", "--allow-partial"),
        ("from_", "align", "from_='align'", "--from align"),
    ],
)
def test_a_setting_in_both_front_ends(name: str, value: str, keyword: str, option: str) -> None:
    assert setting(name, value) == keyword
    with settings_worded(as_option):
        assert setting(name, value) == option
    assert setting(name, value) == keyword
