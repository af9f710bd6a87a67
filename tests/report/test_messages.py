"""Notices as readers see them: one place words them, in every language and format."""

from __future__ import annotations

import pytest

from patmark.data import Notice, is_warning
from patmark.report import message_text, message_texts
from patmark.wording import as_option, setting, settings_worded, tr

WARNING = Notice("warning", "few-units", tr("few"), "take more")


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "Warning: few take more"),
        ("zh", "警告：fewtake more"),
        ("ja", "警告：fewtake more"),
    ],
)
def test_a_warning_is_marked_in_every_language(language: str, expected: str) -> None:
    assert message_text(WARNING, language) == expected
    unmarked = message_text(WARNING, language, marked=False)
    assert expected.endswith(unmarked) and unmarked.startswith("few")


def test_level_and_not_wording_decides_what_a_warning_is() -> None:
    assert is_warning(WARNING)
    assert not is_warning(Notice("note", "few-units", "Warning: few"))
    assert not is_warning("Warning: few")


def test_notes_and_sentences_are_not_marked() -> None:
    assert message_texts([Notice("note", "x", "few."), "A leads."]) == ["few.", "A leads."]


def test_a_remedy_names_the_setting_as_the_front_end_does() -> None:
    def found() -> str:
        remedy = f"Set {setting('by', 'document')}."
        return message_text(Notice("warning", "dependent", "alike.", remedy))

    assert found() == "Warning: alike. Set by='document'."
    with settings_worded(as_option):
        assert found() == "Warning: alike. Set --by document."
