"""An order is a line of the command line."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from patmark.app.page.files import Given, Kind
from patmark.app.page.orders import Order, Task
from patmark.errors import UsageError
from patmark.wording import translated


def _given(**kinds: Kind) -> list[Given]:
    return [Given(name, Path(name.replace("_", ".")), kind, "", "") for name, kind in kinds.items()]


def test_texts_are_scored_or_compared() -> None:
    files = _given(
        a_en="hypothesis", b_en="hypothesis", r_en="reference", s_ja="source", d_txt="documents"
    )
    line = "--hyp a=a.en --hyp b=b.en --ref r.en --src s.ja --docs d.txt --lang ja-en"
    assert shlex.join(Order("score", files, "ja", "en").line()) == f"score {line}"
    assert shlex.join(Order("compare", files, "ja", "en").line()) == f"compare {line}"


def test_a_target_alone_is_enough_and_a_test_set_may_go_without() -> None:
    files = _given(a_en="hypothesis", t_jsonl="testset")
    assert Order("score", files, target="en").line()[-2:] == ["--lang", "en"]
    assert Order("score", files, source="ja").line()[-2:] == ["--testset", "t.jsonl"]


@pytest.mark.parametrize(
    ("task", "kinds", "target", "message"),
    [
        ("score", {"r_en": "reference"}, "en", "No file is marked as: translation by a system."),
        ("score", {"a_en": "hypothesis"}, "en", "No file is marked as: reference translation."),
        ("score", {"a_en": "hypothesis", "r_en": "reference"}, "", "under “Translated into”"),
        ("compare", {"a_en": "hypothesis", "r_en": "reference"}, "en", "by two systems"),
        ("check", {"a_docx": "hypothesis"}, "en", "No file is marked as: source text."),
        ("check", {"a_docx": "source"}, "", "No file is marked as: translation by a system."),
        ("patsnap", {}, "en", "No file is marked as: PatSnap rows with translations."),
        ("lint", {"d_txt": "description"}, "", "No file is marked as: claims."),
    ],
)
def test_what_is_missing_is_said_in_the_words_of_the_page(
    task: Task, kinds: dict[str, Kind], target: str, message: str
) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        Order(task, _given(**kinds), target=target).line()
    assert "--" not in str(caught.value)
    assert translated(caught.value.args[0], "zh") != str(caught.value)


def test_a_document_and_its_translation_are_checked() -> None:
    files = _given(a_docx="source", b_docx="hypothesis")
    assert shlex.join(Order("check", files).line()) == "check a.docx b.docx"
    assert shlex.join(Order("check", files, "zh", "en").line()).endswith("--lang zh-en")


def test_rows_are_a_bench_and_claims_are_checked() -> None:
    rows = Order("patsnap", _given(a_jsonl="rows", b_jsonl="rows"), "zh", "en")
    assert shlex.join(rows.line()) == "score a.jsonl b.jsonl --protocol patsnap --lang zh-en"
    claims = Order("lint", _given(c_txt="claims", d_txt="description"), office="epo")
    assert shlex.join(claims.line()) == "claims lint c.txt --office epo --description d.txt"


def test_a_file_without_effect_is_refused() -> None:
    with pytest.raises(UsageError, match=r"r\.en is marked as: reference translation\. This task"):
        Order("lint", _given(c_txt="claims", r_en="reference")).line()


def test_two_sources_are_refused() -> None:
    files = _given(a_en="hypothesis", s_ja="source", t_ja="source")
    with pytest.raises(
        UsageError, match=r"Keep one of s\.ja, t\.ja: both are marked as: source text"
    ):
        Order("score", files, "ja", "en").line()
