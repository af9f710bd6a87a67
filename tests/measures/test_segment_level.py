"""Single segments: BLEU has effective order there, as sacreBLEU's sentence level has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu.metrics as peer

from patmark.data import Run, Scores, TestSet, segment_csv
from patmark.evaluation import Sampling, evaluate, read_scores, save_scores
from patmark.evaluation.analysis import extreme_segments

Pairs = tuple[list[str], list[str]]

_WITHOUT_INTERVALS = Sampling(resamples=0)
_PEERS = {
    "BLEU": peer.BLEU(effective_order=True),
    "BLEU(n=2)": peer.BLEU(effective_order=True, max_ngram_order=2),
    "BLEU(smooth=floor)": peer.BLEU(effective_order=True, smooth_method="floor"),
    "BLEU(smooth=add-k)": peer.BLEU(effective_order=True, smooth_method="add-k"),
    "BLEU(smooth=none)": peer.BLEU(effective_order=True, smooth_method="none"),
    "BLEU(case=lower)": peer.BLEU(effective_order=True, lowercase=True),
    "chrF": peer.CHRF(),
    "chrF(words=2)": peer.CHRF(word_order=2),
}


def _scores(
    name: str, references: list[str], hypotheses: list[str], language: str = "en"
) -> Scores:
    test_set = TestSet.of(references, target_language=language)
    run = Run("mine", tuple(hypotheses))
    return evaluate(test_set, [run], [name], _WITHOUT_INTERVALS).scores[name]


@pytest.mark.parametrize("name", _PEERS)
def test_segments_equal_sentence_scores_of_sacrebleu(name: str, random_pairs: Pairs) -> None:
    pairs = zip(*random_pairs, strict=True)
    short = [(" ".join(a.split()[:3]), " ".join(b.split()[:4])) for a, b in pairs]
    hypotheses, references = map(list, zip(*short, strict=True))
    hypotheses += random_pairs[0][:400]
    references += random_pairs[1][:400]
    expected = [
        _PEERS[name].sentence_score(hypothesis, [reference]).score
        for hypothesis, reference in zip(hypotheses, references, strict=True)
    ]
    own = _scores(name, references, hypotheses).segment_scores[0]
    np.testing.assert_allclose(own, expected, atol=1e-9, rtol=0)


def test_corpus_level_has_the_fixed_order_of_sacrebleu() -> None:
    texts = ["A valve", "Pump"]
    assert _scores("BLEU", texts, texts).system_scores.tolist() == [0.0]
    assert peer.BLEU().corpus_score(texts, [texts]).score == 0.0
    assert _scores("BLEU", texts, texts).segment_scores.tolist() == [[100.0, 100.0]]


@pytest.mark.parametrize(("field", "language"), [("content_en", "en"), ("content_cn", "zh")])
def test_every_real_reference_scored_against_itself_gives_100(
    patsnap_rows: list[dict[str, Any]], field: str, language: str
) -> None:
    texts = [row[field] for row in patsnap_rows]
    own = _scores("BLEU", texts, texts, language).segment_scores[0]
    np.testing.assert_allclose(own, 100.0, rtol=1e-12)


def test_csv_explorer_extremes_and_saved_scores_show_the_same_segment_values(
    tmp_path: Path,
) -> None:
    test_set = TestSet.of(["Valve", "The valve closes at 3.5 MPa."])
    runs = [Run("good", ("Valve", "The valve closes at 3 MPa.")), Run("bad", ("Pump", "A pump"))]
    found = evaluate(test_set, runs, ["BLEU"], _WITHOUT_INTERVALS)
    assert "good,1,BLEU,100.0\n" in segment_csv(list(found.scores.values()))
    assert found.explorer().values["BLEU"][0, 0] == 100.0
    assert extreme_segments(found, "good", "bad").rows[0][1:4] == ("1", 100.0, 0.0)
    save_scores(tmp_path / "scores.json", found.scores, test_set.documents)
    again = read_scores(tmp_path / "scores.json").scores["BLEU"]
    np.testing.assert_array_equal(again.segment_scores, found.scores["BLEU"].segment_scores)
