from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.data.criteria import CRITERION_WEIGHTS, QUALITY, overall_quality
from patmark.errors import InputError, UsageError
from patmark.human.campaign import (
    Form,
    computed_scores,
    declared_scales,
    form_names,
    form_scales,
    read_form,
)
from patmark.human.campaign.form import RESERVED_KEYS, in_any_language
from patmark.human.campaign.store.tables import to_json, unpack_form
from patmark.human.judgements.model import BUILT_IN_SCALES
from patmark.wording import LANGUAGES

_WORDS = {language: f"text in {language}" for language in LANGUAGES}
_CHOICES = [{"value": value, "key": value, "label": _WORDS} for value in "21"]
_FORM: dict[str, Any] = {
    "id": "style", "version": 1, "material": "outputs", "title": _WORDS, "guideline": _WORDS,
    "questions": [{"id": "style", "kind": "grade", "title": _WORDS, "choices": _CHOICES}],
}  # fmt: skip


def _file(tmp_path: Path, **changes: Any) -> Path:
    path = tmp_path / "style.json"
    path.write_text(json.dumps(_FORM | changes), encoding="utf-8")
    return path


def _question(**changes: Any) -> list[dict[str, Any]]:
    return [_FORM["questions"][0] | changes]


def _problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_form(path)
    return [problem.message for problem in caught.value.problems]


@pytest.mark.parametrize("name", form_names())
def test_built_in_forms_are_complete_in_every_language(name: str) -> None:
    form = read_form(name)
    assert form.id == name
    assert unpack_form(to_json(form)) == form
    headings = {form.guideline[language].splitlines()[0] for language in LANGUAGES}
    assert len(headings) == len(LANGUAGES) and all(line.startswith("# ") for line in headings)
    assert any("\u3040" <= sign <= "\u30ff" for sign in form.guideline["ja"])
    assert not any("\u3040" <= sign <= "\u30ff" for sign in form.guideline["zh"])
    for question in form.questions:
        kinds = [group.categories for group in question.groups]
        for choices in (question.choices, question.groups, *kinds):
            keys = [choice.key for choice in choices]
            assert len(set(keys)) == len(keys) and not set(keys) & set(RESERVED_KEYS)


def test_the_forms_are_there() -> None:
    assert form_names() == (
        "acceptability", "adequacy", "adequacy-fluency", "cesa", "claim-pairwise", "claim-rating",
        "error-spans", "esa", "examination", "fluency", "jpo-adequacy", "mqm", "pair-correctness",
        "pairwise", "ranking", "write-reference",
    )  # fmt: skip


def _criteria(form: Form) -> dict[str, str]:
    return {scale.criterion: scale.form for scale in form_scales(form)}


def test_criteria_and_grades_are_those_that_the_readers_know() -> None:
    assert _criteria(read_form("adequacy-fluency")) == {"adequacy": "1..5", "fluency": "1..5"}
    assert _criteria(read_form("acceptability")) == {"acceptability": "F,C,B,A,AA"}
    for name in form_names():
        for scale in form_scales(read_form(name)):
            known = BUILT_IN_SCALES.get(scale.criterion)
            assert known in (None, scale)
    declared = {
        scale.criterion for name in form_names() for scale in declared_scales(read_form(name))
    }
    assert declared == set()
    assert _criteria(read_form("pair-correctness")) == {"correctness": "wrong,partly,correct"}


def test_an_own_form_declares_the_scales_that_no_reader_knows(tmp_path: Path) -> None:
    worded = [{"value": value, "key": value[0], "label": _WORDS} for value in ("good", "bad")]
    tone = _FORM["questions"][0] | {"id": "tone", "choices": worded}
    adequacy = {"id": "adequacy", "kind": "number", "title": _WORDS, "lowest": 1, "highest": 7}
    known = {"id": "da", "kind": "number", "title": _WORDS, "lowest": 0, "highest": 100}
    form = read_form(_file(tmp_path, questions=[*_question(), tone, adequacy, known]))
    declared = {scale.criterion: scale.form for scale in declared_scales(form)}
    assert declared == {"style": "1..2", "tone": "bad,good", "adequacy": "1..7"}


def test_claim_quality_is_the_formula_of_the_paper() -> None:
    form = read_form("claim-rating")
    [score] = form.computed
    assert score.id == QUALITY and dict(score.weights) == dict(CRITERION_WEIGHTS)
    ratings = {"completeness": "7", "clarity": "8", "consistency": "9", "linkage": "6"}
    numbers = {name: float(value) for name, value in ratings.items()}
    assert computed_scores(form, ratings) == {QUALITY: overall_quality(numbers)}
    assert computed_scores(form, {"completeness": "7"}) == {}


def test_a_form_of_ones_own_takes_guidelines_from_files(tmp_path: Path) -> None:
    for language in LANGUAGES:
        (tmp_path / f"rules.{language}.md").write_text(f"# Rules {language}\n", encoding="utf-8")
    form = read_form(_file(tmp_path, guideline="rules.{language}.md"))
    assert form.guideline["ja"] == "# Rules ja\n"
    assert [choice.value for choice in form.question("style").choices] == ["2", "1"]


def test_every_problem_is_listed_at_once(tmp_path: Path) -> None:
    half = {"en": "only", "zh": " ", "fr": "seulement"}
    found = _problems(
        _file(tmp_path, title=half, guideline="rules.md", versoin=2, questions=_question(kind=1))
    )
    assert len(found) == 4
    assert any(one.startswith("unknown field 'versoin'; the known ones are id, ") for one in found)
    assert "field 'title': has no text in 'zh'" in found
    assert "no such file" in found
    assert any(one.startswith("field 'kind': 1 is unknown; choose from grade") for one in found)


def test_problems_have_lines(tmp_path: Path) -> None:
    path = _file(tmp_path, questions=_question(kind="stars"), title={"fr": "seulement"})
    path.write_text(json.dumps(json.loads(path.read_text()), indent=1), encoding="utf-8")
    lines = path.read_text().splitlines()
    with pytest.raises(InputError) as caught:
        read_form(path)
    found = {problem.message.split(":")[0]: problem.line for problem in caught.value.problems}
    assert '"title"' in lines[(found["field 'title'"] or 0) - 1]
    assert '"kind"' in lines[(found["field 'kind'"] or 0) - 1]


def test_a_missing_guideline_is_named(tmp_path: Path) -> None:
    (tmp_path / "rules.en.md").write_text("# Rules\n", encoding="utf-8")
    found = _problems(_file(tmp_path, guideline="rules.{language}.md"))
    assert found == ["no such file", "no such file"]


def test_a_form_may_be_in_one_language(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("# 規則\n", encoding="utf-8")
    graded = [{"value": one, "key": one, "label": f"段階 {one}"} for one in "21"]
    question = {"id": "style", "kind": "grade", "title": "文体", "choices": graded}
    plain = {"title": "文体の評価", "guideline": "rules.md", "questions": [question]}
    form = read_form(_file(tmp_path, **plain))
    assert in_any_language(form.title) == "文体の評価"
    assert in_any_language(form.guideline) == "# 規則\n"
    named = plain | {"questions": [question | {"title": {"ja": "文体"}}]}
    assert read_form(_file(tmp_path, **named)).questions[0].title == {"ja": "文体"}


def test_no_form_is_half_translated(tmp_path: Path) -> None:
    half = _file(tmp_path, questions=_question(title={"en": "Style", "ja": "文体"}))
    assert _problems(half) == ["question 'style': 'Style' has no text in 'zh', as the title has"]
    plain = _file(tmp_path, questions=_question(title="Style"))
    assert _problems(plain) == [
        "question 'style': 'Style' has no text in 'en', 'zh', 'ja', as the title has"
    ]


_TWO_KEYS = [_CHOICES[0], _CHOICES[1] | {"key": "2"}]
_STEP = {"id": "a", "question": _WORDS, "yes": "=2", "no": "=1"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "stars"}, "field 'kind': 'stars' is unknown; choose from grade, chart"),
        ({"choices": _TWO_KEYS}, "two choices have the key '2'"),
        ({"choices": [_CHOICES[0], _CHOICES[1] | {"key": "j"}]}, "'j' is used by the page itself"),
        ({"choices": [_CHOICES[0], _CHOICES[0]]}, "two choices have the value '2'"),
        ({"choices": _CHOICES[:1]}, "expected at least 2 choices"),
        ({"kind": "preference"}, "expected the choices first, equal, second"),
        ({"kind": "ranking"}, "a ranking has no choices"),
        ({"kind": "number", "lowest": 5, "highest": 5}, "expected lowest below highest"),
        ({"kind": "number", "highest": 1}, "band '2' does not begin at a number of the scale"),
        ({"kind": "spans", "categories": _CHOICES}, "expected a category 'omission'"),
        ({"kind": "spans", "typology": "mqn"}, "unknown typology 'mqn'"),
        ({"kind": "text", "highest": 9}, "a text has no choices"),
        ({"kind": "post-edit"}, "a post-edit has no choices"),
        ({"of_page": True}, "only a text that begins with nothing can be of_page"),
        ({"kind": "text", "lowest": 9, "highest": 5}, "expected 0 <= lowest <= highest"),
        ({"kind": "text", "highest": 20_001}, "expected at most 1 to 20000 characters"),
        ({"kind": "chart"}, "a chart needs steps"),
        ({"kind": "chart", "steps": [_STEP | {"no": "=3"}]}, "leads to '=3', which is no step"),
        ({"kind": "chart", "steps": [_STEP | {"no": "=2"}]}, "no step leads to '=1'"),
        ({"kind": "chart", "steps": [_STEP | {"no": "a"}]}, "leads back to 'a'"),
        ({"steps": [_STEP]}, "only a chart has steps"),
        ({"id": "a>b"}, "must not hold any of"),
    ],
)
def test_rules_of_questions(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    assert any(
        message in text for text in _problems(_file(tmp_path, questions=_question(**changes)))
    )


def test_rules_of_forms(tmp_path: Path) -> None:
    twice = [*_question(), *_question()]
    score = [{"id": "sum", "title": _WORDS, "weights": {"style": 1}}]
    assert _problems(_file(tmp_path, material="x")) == [
        "field 'material': 'x' is unknown; choose from outputs, claims, sentence-pair, draft"
    ]
    found = _problems(_file(tmp_path, questions=twice, candidates=3, computed=score))
    assert found == [
        "candidates: expected 0 (all systems), 1 or 2",
        "two questions or scores are called 'style'",
        "computed score 'sum': 'style' is no question for a number",
    ]
    assert "has no questions" in _problems(_file(tmp_path, questions=[]))
    assert _problems(_file(tmp_path, material="draft")) == [
        "material 'draft' needs 1 candidate on a page",
        "material 'draft' needs one question of the kind text",
    ]


def test_texts_of_own_forms(tmp_path: Path) -> None:
    texts = [
        {"id": name, "kind": kind, "title": _WORDS}
        for name, kind in (("mended", "post-edit"), ("why", "text"))
    ]
    form = read_form(_file(tmp_path, questions=[*texts, texts[1] | {"id": "p", "of_page": True}]))
    assert [one.highest for one in form.questions] == [20_000, 2_000, 2_000]
    assert [one.about_page for one in form.questions] == [False, False, True]
    assert form.free_texts == ("why", "p")
    assert unpack_form(to_json(form)) == form
    twice = [texts[0], texts[0] | {"id": "again"}]
    assert _problems(_file(tmp_path, questions=twice)) == [
        "has two questions of the kind post-edit; one is possible"
    ]
    assert _problems(_file(tmp_path, questions=texts, material="draft", candidates=1)) == [
        "material 'draft' has a text that begins with the draft already, and no post-edit"
    ]


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="no form named 'adequate'; choose from acceptability"):
        read_form("adequate")
