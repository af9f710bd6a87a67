"""The tables by which claims are read: every row matches its example, and not the other."""

from __future__ import annotations

import re

import pytest

from patmark.claims.lint import rules
from patmark.claims.words import claim_languages, pattern, source, word_list
from patmark.languages import Row, packs, plain_form, shared_pack

_ROWS = [row for pack in (*packs(), shared_pack()) for row in pack.table("claims").rows]


def _pattern(row: Row) -> re.Pattern[str]:
    spaced = row.language in [pack.code for pack in packs() if pack.is_spaced]
    forms = [form.replace(" ", r"\s+") if spaced else form for form in row.forms]
    return re.compile("|".join(forms), 0 if row.id == "trademark" else re.IGNORECASE)


@pytest.mark.parametrize("row", _ROWS, ids=lambda row: f"{row.language}-{row.group}-{row.id}")
def test_a_row_matches_its_example_and_not_its_counterexample(row: Row) -> None:
    assert row.example
    assert _pattern(row).search(plain_form(row.example))
    assert not row.no_example or not _pattern(row).search(plain_form(row.no_example))


def test_phrases_of_a_rule_belong_to_a_rule_without_a_function() -> None:
    phrases = {row.id for row in _ROWS if row.group == "rule"}
    assert phrases == {rule.id for rule in rules() if not rule.function}
    for rule in rules():
        if not rule.function:
            known = {row.language for row in _ROWS if (row.group, row.id) == ("rule", rule.id)}
            assert set(rule.languages) <= known | ({"en"} if "any" in known else set())


def test_a_language_without_a_table_has_no_words() -> None:
    assert claim_languages() == ("en", "zh", "ja", "es")
    assert pattern("rule", "xx", "exemplary-language").search("such as") is None
    assert word_list("unfinished", "xx") == frozenset()
    assert re.fullmatch(source("rule", "en", "open-list", whole=True), "and\nthe like")
