"""The automatic protocol of NTCIR-9: other programs' numbers, and the documented procedure."""

from __future__ import annotations

import re
from typing import Any

import ipadic
import MeCab
import numpy as np
import pytest
import sacrebleu
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from patmark.data.model import Run, TestSet
from patmark.data.scores import FloatArray, Scores
from patmark.errors import InputError, UsageError
from patmark.evaluation.scoring import evaluate
from patmark.examples import example_path
from patmark.measures.registry import parse_measure
from patmark.protocols.ntcir9 import check_ntcir9, ntcir9_measures, pairwise_scores

_JA = [
    (
        "ケース本体 (12) の開口部は、蓋部材 14 によって閉塞されている。",
        "ケース本体（１２）の開口部は蓋部材１４により閉塞される。",
    ),
    ("The pH was 7.4 であり、温度は 250 ℃ とした。", "ｐＨは７．４であり、温度は２５０℃であった。"),
    ("膜厚は 120nm である。", "膜厚は１２０ｎｍである。"),
]


def _values(test_set: TestSet, hypotheses: list[str]) -> dict[str, float]:
    measures = ntcir9_measures(test_set.target_language)
    evaluation = evaluate(test_set, [Run("x", tuple(hypotheses))], measures)
    return {m.label: float(evaluation.scores[m.name].system_scores[0]) for m in measures}


def test_english_bleu_is_that_of_sacrebleu_13a_with_case() -> None:
    hypotheses, references = (
        example_path(f"ja_en/{name}.en").read_text(encoding="utf-8").splitlines()
        for name in ("borealis", "reference")
    )
    hypotheses = [text.upper() if n % 7 == 0 else text for n, text in enumerate(hypotheses)]
    theirs = sacrebleu.corpus_bleu(hypotheses, [references], tokenize="13a", lowercase=False)
    assert _values(TestSet.of(references), hypotheses)["BLEU"] == pytest.approx(theirs.score)


def test_english_is_that_of_mteval_with_case(metric_constants: list[dict[str, Any]]) -> None:
    # mteval-v13a.pl -c
    rows = {
        row["metric"]: row
        for row in metric_constants
        if row["id"] == "corpus-en" and "case=kept" in row["params"]
    }
    row = rows["NIST"]
    test_set = TestSet.of(row["refs"])
    values = _values(test_set, row["hyp"])
    assert values["NIST"] == pytest.approx(row["value"], abs=1e-6)
    assert values["BLEU"] == pytest.approx(rows["BLEU"]["value"], abs=1e-5)


def test_english_ribes_keeps_case_and_takes_the_words_of_13a() -> None:
    reference, hypothesis = "The valve (12) is shut.", "the valve (12) is shut."
    values = _values(TestSet.of([reference]), [hypothesis])
    words = TestSet.of(["The valve ( 12 ) is shut ."])
    same = parse_measure("RIBES(tok=none,case=mixed)").statistics(
        words, ["the valve ( 12 ) is shut ."]
    )
    assert values["RIBES"] == same[0, 0] < 1.0


def _by_hand(text: str) -> str:
    """The organisers' four steps, written down once more."""
    text = text.replace(" ", "")
    text = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)
    words = MeCab.Tagger(ipadic.MECAB_ARGS + " -Owakati").parse(text).strip()
    return re.sub(r"(?<=[０-９]) (?=[０-９])", "", words)


def test_japanese_follows_the_procedure_of_the_organisers() -> None:
    hypotheses, references = [pair[0] for pair in _JA], [pair[1] for pair in _JA]
    own = _values(TestSet.of(references, target_language="ja"), hypotheses)
    words = [_by_hand(text) for text in hypotheses], [_by_hand(text) for text in references]
    theirs = sacrebleu.corpus_bleu(words[0], [words[1]], tokenize="none", force=True)
    assert own["BLEU"] == pytest.approx(theirs.score)
    segmented = TestSet.of(words[1], target_language="ja")
    for label in ("NIST", "RIBES"):
        measure = parse_measure(f"{label}(tok=none,case=mixed)")
        total = measure.statistics(segmented, words[0]).sum(axis=0)
        assert own[label] == pytest.approx(float(measure.score(total)))


def test_measures_say_what_they_are() -> None:
    assert [m.name for m in ntcir9_measures("en")] == [
        "BLEU",
        "NIST(case=mixed)",
        "RIBES(case=mixed)",
    ]
    english = TestSet.of(["a b"])
    assert all("|tok:13a|" in m.signature(english) for m in ntcir9_measures("en"))
    assert all("case:mixed" in m.signature(english) for m in ntcir9_measures("en"))
    assert all("tok=ja-ntcir" in m.name for m in ntcir9_measures("ja"))


def test_what_the_protocol_does_not_cover_is_refused() -> None:
    with pytest.raises(UsageError, match=r"no translations into 'zh'.*en and ja"):
        ntcir9_measures("zh")
    check_ntcir9(TestSet.of(["a", "b"]))
    with pytest.raises(InputError) as caught:
        check_ntcir9(TestSet.of([["a", "b"], ["c"], []]))
    assert [str(problem) for problem in caught.value.problems] == [
        "test set: segment '1' has 2 references; NTCIR-9 uses one",
        "test set: segment '3' has 0 references; NTCIR-9 uses one",
    ]
    with pytest.raises(InputError) as caught:
        check_ntcir9(TestSet.of([["a", "b"]] * 100))
    assert len(caught.value.problems) == 6
    assert "and 95 more segments" in str(caught.value.problems[-1])


def _scores(values: FloatArray, higher_is_better: bool = True) -> Scores:
    known = ~np.isnan(values)
    statistics = np.stack([np.where(known, values, 0), known], axis=-1).astype(np.float64)
    return Scores(
        "m", "m|x", tuple("abc"[: len(values)]), tuple(map(str, range(values.shape[1]))),
        statistics, higher_is_better=higher_is_better,
    )  # fmt: skip


def test_pairwise_scores_by_hand() -> None:
    # Segment 1: a beats b and c, which tie. Segment 2: b has no score; c beats a.
    values = np.array([[0.9, 0.2], [0.5, np.nan], [0.5, 0.7]])
    pairwise = pairwise_scores(_scores(values))
    assert pairwise.system_scores.tolist() == [2 / 3, 0.25, 1.5 / 3]
    assert (pairwise.measure, pairwise.signature) == (
        "pairwise(m)",
        "pairwise|win:1|tie:0.5|of:m|x",
    )
    errors = pairwise_scores(_scores(values, higher_is_better=False))
    assert errors.system_scores.tolist() == [1 / 3, 0.75, 0.5]
    assert errors.higher_is_better


@given(arrays(np.float64, (3, 4), elements=st.floats(0, 1).map(lambda v: round(v, 1))))
def test_pairwise_scores_share_out_the_points(values: FloatArray) -> None:
    pairwise = pairwise_scores(_scores(values))
    np.testing.assert_allclose(pairwise.segment_scores.sum(axis=0), 1.5)
    assert pairwise.system_scores.mean() == pytest.approx(0.5)
