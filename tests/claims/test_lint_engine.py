"""The linter as a whole: selection, comments in the text, facts about the run."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.claims.lint import lint, rules
from patmark.errors import UsageError

_TEXT = (
    "1. A pump comprising a lid, such as a cap, wherein the rotor is red.\n"
    "2. The pump of claim 9, wherein the lid is a metal, such as steel.\n"
)


def test_select_and_ignore_name_rules_and_families() -> None:
    assert {f.rule for f in lint(_TEXT, select=["wording"]).findings} == {"exemplary-language"}
    only = lint(_TEXT, select=["dependency", "omnibus"], ignore=["dependency-self"])
    assert {f.rule for f in only.findings} == {"dependency-missing"}
    assert only.not_run["dependency-self"] == "is ignored"
    assert only.not_run["period-missing"] == "is not selected"
    assert len(only.rules_run) + len(only.not_run) == len(rules())
    with pytest.raises(UsageError, match="unknown rule nothing"):
        lint(_TEXT, select=["nothing"])


@pytest.mark.parametrize("comment", ["% patmark: ignore={}", "# patmark: ignore={}",
                                     "<!-- patmark: ignore={} -->"])  # fmt: skip
def test_comments_switch_rules_off(comment: str) -> None:
    line = comment.format("exemplary-language")
    first, second = _TEXT.splitlines(keepends=True)
    before = lint(f"{line}\n{_TEXT}", allow_ignore=True)
    assert [f.claim for f in before.findings if f.rule == "exemplary-language"] == [2]
    between = lint(f"{first}{line}\n{second}", allow_ignore=True)
    assert [f.claim for f in between.findings if f.rule == "exemplary-language"] == [1]
    assert [(f.claim, f.rule) for f in between.suppressed] == [(2, "exemplary-language")]
    at_end = lint(first.rstrip("\n") + f" {line}\n{second}", allow_ignore=True)
    assert [f.claim for f in at_end.findings if f.rule == "exemplary-language"] == [2]
    assert "period-missing" not in {f.rule for f in between.findings + at_end.findings}


def test_a_comment_can_be_for_the_whole_file_and_for_all_rules() -> None:
    assert lint("% patmark: ignore-file\n" + _TEXT, allow_ignore=True).findings == ()
    some = lint("% patmark: ignore-file=wording,dependency\n" + _TEXT, allow_ignore=True)
    assert {f.rule for f in some.findings} & {"exemplary-language", "dependency-missing"} == set()


@pytest.mark.parametrize("comment", ["% patmark: ignore-file", "<!-- patmark: ignore -->"])
def test_a_text_under_test_cannot_switch_off_its_test(comment: str) -> None:
    plain, silenced = lint(_TEXT), lint(f"{comment}\n{_TEXT}")
    assert [f.rule for f in silenced.findings] == [f.rule for f in plain.findings]
    assert silenced.suppressed == ()
    assert any("have no effect without" in note for note in silenced.notes)


def test_useless_comments_are_told() -> None:
    comments = "% patmark: ignore=nothing\n% patmark: ignore=omnibus\n"
    result = lint(comments + _TEXT, allow_ignore=True)
    assert list(result.notes) == [
        "a comment names an unknown rule: nothing",
        "a comment switches off nothing: omnibus",
    ]


def test_findings_are_in_order_and_counted() -> None:
    result = lint(_TEXT)
    starts = [f.start for f in result.findings]
    assert starts == sorted(starts)
    assert sum(result.counts.values()) == len(result.findings)
    shown = result.to_json()
    assert shown["claims"] == 2
    assert set(shown["findings"][0]) == {
        "claim", "rule", "severity", "message", "start", "end", "line", "column", "basis",
    }  # fmt: skip


@given(st.text(alphabet="1234. aAthe,;()claimsof\n权利要求请求項所述前記%<-", max_size=200))
def test_any_text_can_be_linted(text: str) -> None:
    for office in ("uspto", "epo", "jpo", "cnipa"):
        for finding in lint(text, office, description=text, allow_ignore=True).findings:
            assert 0 <= finding.start <= finding.end <= len(text)


def test_canceled_claims_are_named_as_such() -> None:
    text = "1. A pump comprising a rotor.\n2-4. (Canceled)\n5. The pump of claim 3, being red."
    result = lint(text, select=["dependency-missing", "numbering"], allow_ignore=True)
    assert [item.message for item in result.findings] == ["refers to claim 3, which is canceled"]


def test_notes_say_what_was_not_read() -> None:
    text = "1. A pump comprising a rotor.\n\nI hope this helps!"
    assert lint(text, allow_ignore=True).notes == (
        "no part of the claims, left out: I hope this helps!",
    )
    german = "1. Eine Pumpe mit einem Gehäuse und einem Rotor, wobei der Rotor rot ist."
    assert [note for note in lint(german).notes if "English, Chinese or Japanese" in note]
    assert lint("1. A pump comprising a rotor that is mounted in the housing.").notes == ()


def test_a_description_in_another_language_is_not_used() -> None:
    claim = "1. A pump comprising a lid."
    for described, count in (
        ("泵具有由钢制成的盖板，盖板固定在壳体上。", 0),
        ("A pump has a housing.", 1),
    ):
        result = lint(claim, description=described, select=["term-unsupported"])
        assert len(result.findings) == count
        assert [str(note) for note in result.notes] == [
            "the description is in Chinese, the claims are not: it is not used"
        ][count:]
