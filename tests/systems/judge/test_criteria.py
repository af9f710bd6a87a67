"""Criteria of the user, in files that people write by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.errors import InputError
from patmark.systems.judge.criteria import JudgeCriterion, aspects_of, overall_score, read_criteria
from patmark.systems.judge.parsing import UnusableAnswer, score_parser

_TOML = """\
[[criteria]]
name = "terms"
title = "Technical terms"
question = "Are the terms those of the field?"
weight = 3
bands = ["none", "few", "half", "most", "all"]

[[criteria]]
name = "範囲"
question = "Is the scope kept?"
"""


def _write(tmp_path: Path, text: str, name: str = "mine.toml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_criteria(tmp_path: Path) -> None:
    terms, scope = read_criteria(_write(tmp_path, _TOML))
    assert terms == JudgeCriterion(
        "terms", "Technical terms", "Are the terms those of the field?",
        ("none", "few", "half", "most", "all"), 3.0,
    )  # fmt: skip
    assert (scope.title, scope.weight, scope.bands) == ("範囲", 1.0, ())
    assert aspects_of((terms, scope)) == ("terms", "範囲", "overall")
    assert overall_score((terms, scope), (80, 40)) == 70
    assert aspects_of((terms,)) == ("overall",)


@pytest.mark.parametrize(
    "answer",
    [
        "Technical terms: 80\n範囲: 40",
        "technical_terms = 80/100, 範囲：４０",
        '{"terms": 80, "範囲": {"score": 40}}',
        '[{"criterion": "Technical terms", "score": 80}, {"criterion": "範囲", "score": 40}]',
        "Terms: 80 範囲: 40",
    ],
)
def test_answers_are_read_by_name_or_title(tmp_path: Path, answer: str) -> None:
    form = score_parser(read_criteria(_write(tmp_path, _TOML)))
    assert form.parse(answer) == (80, 40)


def test_another_criterion_is_not_taken_for_it(tmp_path: Path) -> None:
    form = score_parser(read_criteria(_write(tmp_path, _TOML)))
    with pytest.raises(UnusableAnswer, match="no score for terms"):
        form.parse("Determs: 80\n範囲: 40")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("criteria = []", "field 'criteria': is empty"),
        ("other = 1", "unknown field 'other'"),
        ('[[criteria]]\nname = "a"', "field 'question' is missing"),
        ('[[criteria]]\nname = ""\nquestion = "?"', "field 'name': is empty"),
        ('[[criteria]]\nname = "a:b"\nquestion = "?"', "expected words of letters"),
        ('[[criteria]]\nname = "overall"\nquestion = "?"', "the mean of all criteria"),
        ('[[criteria]]\nname = "a"\nquestion = "?"\nweight = 0', "expected a number above 0"),
        ('[[criteria]]\nname = "a"\nquestion = "?"\nweight = true', "expected a number above 0"),
        ('[[criteria]]\nname = "a"\nquestion = "?"\nbands = ["x"]', "expected 5 texts, found 1"),
        ('[[criteria]]\nname = "a"\nquestion = "?"\nscale = 5', "unknown field 'scale'"),
        (
            '[[criteria]]\nname = "scope"\nquestion = "?"\n'
            '[[criteria]]\nname = "claim scope"\nquestion = "?"',
            "'scope' and 'claim scope' cannot be told apart",
        ),
        (
            '[[criteria]]\nname = "a"\nquestion = "?"\n[[criteria]]\nname = "A"\nquestion = "?"',
            "'a' and 'a' cannot be told apart",
        ),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_criteria(path)
    assert message in str(caught.value) and str(path) in str(caught.value)
