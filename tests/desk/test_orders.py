"""An order is a line of the command line."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from patmark.desk.files import Given, Kind
from patmark.desk.orders import Order
from patmark.errors import UsageError


def _given(**kinds: Kind) -> list[Given]:
    return [Given(name, Path(name.replace("_", ".")), kind, "", "") for name, kind in kinds.items()]


def test_texts_are_scored_or_compared() -> None:
    files = _given(
        a_en="hypothesis", b_en="hypothesis", r_en="reference", s_ja="source", d_txt="documents"
    )
    line = "--hyp a=a.en --hyp b=b.en --ref r.en --src s.ja --docs d.txt --lang ja-en"
    assert shlex.join(Order("score", files, "ja", "en").line()) == f"score {line}"
    assert shlex.join(Order("compare", files, "ja", "en").line()) == f"compare {line}"


def test_a_target_alone_is_enough_and_none_is_left_to_the_command() -> None:
    files = _given(a_en="hypothesis", t_jsonl="testset")
    assert Order("score", files, target="en").line()[-2:] == ["--lang", "en"]
    assert Order("score", files, source="ja").line()[-2:] == ["--testset", "t.jsonl"]


def test_rows_are_a_bench_and_claims_are_checked() -> None:
    rows = Order("patsnap", _given(a_jsonl="rows", b_jsonl="rows"), "zh", "en")
    assert shlex.join(rows.line()) == "score a.jsonl b.jsonl --protocol patsnap --lang zh-en"
    claims = Order("lint", _given(c_txt="claims", d_txt="description"), office="epo")
    assert shlex.join(claims.line()) == "claims lint c.txt --office epo --description d.txt"


def test_a_file_without_effect_is_refused() -> None:
    with pytest.raises(UsageError, match=r"r\.en is marked as reference, which this task does not"):
        Order("lint", _given(c_txt="claims", r_en="reference")).line()


def test_two_sources_are_refused() -> None:
    files = _given(a_en="hypothesis", s_ja="source", t_ja="source")
    with pytest.raises(UsageError, match=r"s\.ja and t\.ja are both marked as source"):
        Order("score", files, "ja", "en").line()
