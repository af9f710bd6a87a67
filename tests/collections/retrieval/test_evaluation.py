"""Runs and judgements to scores: which topics count, and how."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ir_measures", reason="ir-measures is absent: pip install 'patmark[retrieval]'")

from patmark.collections.retrieval import (
    CollectionFacts,
    Qrels,
    default_measures,
    ranking_of,
    score_rankings,
)
from patmark.collections.retrieval.measures import Precision
from patmark.errors import InputError, UsageError

QRELS = Qrels("q", {"1": {"a": 2, "b": 1}, "2": {"c": 1}, "3": {"d": 2}, "4": {"e": 0}})
RUN = ranking_of("x", {"1": [("b", 2.0), ("a", 1.0)], "2": [("c", 1.0)], "4": [("e", 1.0)]})


def test_rigid_leaves_out_topics_without_a_relevant_document() -> None:
    found = score_rankings([RUN], QRELS, "AP(rel=2),AP(rel=1)")
    rigid, relaxed = found.scores["AP(rel=2)"], found.scores["AP(rel=1)"]
    assert rigid.statistics[0].tolist() == [[0.5, 1], [0, 0], [0, 1], [0, 0]]
    assert rigid.system_scores.tolist() == [0.25]
    assert relaxed.statistics[0].tolist() == [[1, 1], [1, 1], [0, 1], [0, 0]]
    assert found.left_out == {"AP(rel=2)": 2, "AP(rel=1)": 1}
    assert rigid.segments == ("1", "2", "3", "4")


def test_rigid_topic_count_of_ntcir7() -> None:
    # As in the dry run (Fujii et al. 2008): 100 topics, 90 of them with a relevant document.
    qrels = Qrels("q", {str(n): {f"d{n}": 2 if n < 90 else 1} for n in range(100)})
    run = ranking_of("mono", {str(n): [(f"d{n}", 1.0)] for n in range(100)})
    scores = score_rankings([run], qrels, "AP(rel=2),AP(rel=1)").scores
    counts = {name: one.statistics[0, :, 1].sum() for name, one in scores.items()}
    assert counts == {"AP(rel=2)": 90, "AP(rel=1)": 100}
    assert [one.system_scores[0] for one in scores.values()] == [1, 1]


def test_missing_topics_count_zero_and_are_listed() -> None:
    empty = ranking_of("y", {"1": [], "2": [("c", 1.0)]})
    found = score_rankings([RUN, empty], QRELS, "Recall@10")
    assert found.missing == {"x": ("3",), "y": ("1", "3", "4")}
    assert found.scores["Recall@10"].system_scores.tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_topic_that_nobody_judged_is_an_error() -> None:
    run = ranking_of("x", {"1": [("a", 1.0)], "9": [("a", 1.0)]})
    with pytest.raises(InputError, match="topic '9' of the run x is not in q"):
        score_rankings([run], QRELS)


def test_runs_that_are_refused() -> None:
    with pytest.raises(InputError, match="two runs are called 'x'"):
        score_rankings([RUN, RUN], QRELS)
    with pytest.raises(InputError, match="there is no run to score"):
        score_rankings([], QRELS)
    with pytest.raises(InputError, match="q has no topics"):
        score_rankings([ranking_of("x", {})], Qrels("q", {}))


def test_families_count_once() -> None:
    qrels = Qrels("q", {"1": {"a1": 1, "a2": 2, "b1": 2}})
    run = ranking_of("x", {"1": [("a1", 3.0), ("a2", 2.0), ("z", 1.0)]})
    facts = CollectionFacts({"a1": "A", "a2": "A", "b1": "B", "z": "Z"})
    measures = ["Recall@10", "Recall(level=family)@10", "AP(rel=2,level=family)"]
    scores = score_rankings([run], qrels, measures, facts).scores
    assert [scores[name].system_scores[0] for name in measures] == pytest.approx(
        [2 / 3, 1 / 2, 1 / 2]
    )
    assert "level:family" in scores["Recall(level=family)@10"].signature
    with pytest.raises(UsageError, match="level=family need the collection"):
        score_rankings([run], qrels, measures)


def test_defaults_follow_the_grades() -> None:
    recalls = ["Recall@100", "Recall@200", "Recall@500", "Recall@1000"]
    assert [one.name for one in default_measures(QRELS)] == ["AP(rel=2)", "AP(rel=1)", *recalls]
    binary = Qrels("q", {"1": {"a": 1}})
    assert [one.name for one in default_measures(binary)] == ["AP(rel=1)", *recalls]


def test_measures_may_be_objects_and_names() -> None:
    found = score_rankings([RUN], QRELS, [Precision(5), "RR"], kind="stripped")
    assert list(found.scores) == ["P@5", "RR"]
    assert f"|qrels:{QRELS.fingerprint}|kind:stripped|" in found.scores["RR"].signature


def test_order_of_topics_does_not_matter() -> None:
    rng = np.random.default_rng(3)
    names = [f"d{n}" for n in range(30)]
    grades = {str(t): {n: int(rng.integers(0, 3)) for n in names[:9]} for t in range(12)}
    found = {t: [(n, float(rng.random())) for n in names] for t in grades}
    turned = {t: found[t][::-1] for t in reversed(found)}
    one, other = (
        score_rankings([ranking_of("x", rows)], Qrels("q", grades), "AP(rel=2),nDCG@10,PRES@20")
        for rows in (found, turned)
    )
    for name in one.scores:
        np.testing.assert_array_equal(one.scores[name].statistics, other.scores[name].statistics)
