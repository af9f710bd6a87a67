"""The extrinsic protocol as one story: searches, losses, BLEU, selection."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")

from patmark.collections.retrieval import (
    OpenIndex,
    Topic,
    build_index,
    default_procedure,
    score_rankings,
    search_topics,
)
from patmark.collections.retrieval.demo_collection import DemoCollection
from patmark.errors import InputError, UsageError
from patmark.evaluation.comparison import CompareSettings
from patmark.evaluation.scoring import Sampling
from patmark.protocols.ntcir7.demo import degrade_topics
from patmark.protocols.ntcir7.extrinsic import (
    CEILING,
    Extrinsic,
    ExtrinsicSettings,
    evaluate_extrinsically,
)
from patmark.report import plain, to_html

DEMO = DemoCollection(1200, "en", words=40)
TOPICS = 150
FAST = CompareSettings(Sampling(resamples=200), trials=200)
BY_AP = ExtrinsicSettings(measures="AP(rel=1)", comparison=FAST)
SHARES = (0, 10, 30, 50)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    folder = tmp_path_factory.mktemp("extrinsic") / "index"
    build_index(folder, DEMO.documents(), default_procedure("en"))
    return OpenIndex.at(folder)


@pytest.fixture(scope="module")
def degraded(index: OpenIndex) -> Extrinsic:
    """The original topics against copies with more and more words dropped."""
    original = DEMO.topics(TOPICS)
    systems = {f"drop{share}": degrade_topics(original, share / 100, "en") for share in SHARES}
    return evaluate_extrinsically(index, original, systems, DEMO.qrels(TOPICS), BY_AP)


def _values(done: Extrinsic) -> dict[str, float]:
    return {loss.system: loss.value.value for loss in done.losses}


def test_dropping_words_lowers_map_step_by_step_within_noise(degraded: Extrinsic) -> None:
    values = _values(degraded)
    means = np.array([values[f"drop{share}"] for share in SHARES])
    per_topic = degraded.comparison.evaluation.scores["AP(rel=1)"].segment_scores[1:]
    steps = np.diff(per_topic, axis=0)
    noise = 2 * steps.std(axis=1, ddof=1) / np.sqrt(steps.shape[1])
    assert (np.diff(means) <= noise).all(), means
    assert np.polyfit(SHARES, means, 1)[0] < 0
    assert means[0] - means[-1] > 0.01


def test_dropping_words_lowers_bleu(degraded: Extrinsic) -> None:
    bleu = [degraded.translations.estimates["BLEU"][f"drop{share}"].value for share in SHARES]
    assert bleu[0] == pytest.approx(100)
    assert (np.diff(bleu) < 0).all()


def test_topics_that_are_not_changed_lose_nothing(degraded: Extrinsic) -> None:
    loss = next(loss for loss in degraded.losses if loss.system == "drop0")
    assert (loss.loss.value, loss.p, loss.kept) == (0, 1, 1)


def test_values_are_those_of_a_search_and_its_evaluation(
    degraded: Extrinsic, index: OpenIndex
) -> None:
    topics = degrade_topics(DEMO.topics(TOPICS), 0.5, "en")
    run = search_topics(index, topics).ranking("drop50")
    found = score_rankings([run], DEMO.qrels(TOPICS), "AP(rel=1)")
    expected = float(found.scores["AP(rel=1)"].system_scores[0])
    assert _values(degraded)["drop50"] == pytest.approx(expected, abs=1e-12)


def test_the_loss_is_ceiling_minus_system(degraded: Extrinsic) -> None:
    means = degraded.comparison.evaluation.estimates["AP(rel=1)"]
    for loss in degraded.losses:
        assert loss.ceiling == means[CEILING].value
        assert loss.loss.value == pytest.approx(loss.ceiling - loss.value.value, abs=1e-12)
        if loss.system == "drop0":  # equal to the original in every topic: nothing varies
            assert loss.loss.ci is None and loss.loss.value == 0
            continue
        low, high = loss.loss.ci or (np.nan, np.nan)
        assert low <= loss.loss.value <= high
        assert loss.p_holm >= loss.p


def test_report_and_json_hold_the_story(degraded: Extrinsic) -> None:
    report, result = degraded.to_report(), plain(degraded.to_json())
    titles = [table.title for table in report.tables]
    assert titles[:2] == ["Loss from translation", "t-test by AP(rel=1)"]
    assert "Gap needed for better retrieval" in titles
    assert titles[-1] == "Does BLEU predict retrieval?"
    assert result["bleu_agreement"]["spearman"]["n"] == len(SHARES)
    assert result["bleu_agreement"]["spearman"]["value"] > 0.7
    assert {chart.title for chart in report.charts} >= {
        "BLEU of topics and retrieval",
        "Gaps and significance: BLEU",
    }
    assert set(result["bleu"]) == {f"drop{share}" for share in SHARES}
    assert result["gaps"]["without_value"] == [CEILING]
    assert result["recall_ceiling"]["all"] < 1
    assert "BM25" in result["search_signature"] and "search" in report.signatures
    assert any("no recall can be higher" in note for note in report.notes)
    assert "Loss from translation" in to_html(report)


def test_only_the_text_of_a_translation_counts(index: OpenIndex) -> None:
    original = DEMO.topics(20)
    bare = tuple(Topic(topic.id, topic.text) for topic in original)
    done = evaluate_extrinsically(index, original, {"bare": bare}, DEMO.qrels(20), BY_AP)
    assert done.losses[0].loss.value == 0
    assert done.comparison.gaps is None and done.agreement is None


def test_a_topic_that_was_not_translated_counts_nothing(index: OpenIndex) -> None:
    original = DEMO.topics(20)
    done = evaluate_extrinsically(index, original, {"half": original[:10]}, DEMO.qrels(20), BY_AP)
    ap = done.comparison.evaluation.scores["AP(rel=1)"].segment_scores
    missing = set(done.comparison.evaluation.found.missing["half"])
    assert missing == {topic.id for topic in original[10:]}
    ids = done.comparison.evaluation.found.topics
    assert all(ap[1, place] == 0 for place, name in enumerate(ids) if name in missing)
    assert done.translations.runs[0].missing == 10


def test_a_translation_without_terms_counts_nothing_and_is_named(index: OpenIndex) -> None:
    original = DEMO.topics(20)
    broken = (replace(original[0], text="the of ."), *original[1:])
    done = evaluate_extrinsically(index, original, {"broken": broken}, DEMO.qrels(20), BY_AP)
    assert done.without_terms == {"broken": (original[0].id,)}
    assert done.comparison.evaluation.found.missing["broken"] == (original[0].id,)
    assert any("no term to search with" in note for note in done.to_report().notes)


def test_a_system_without_any_term_counts_nothing_at_all(index: OpenIndex) -> None:
    topics = DEMO.topics(5)
    silent = [replace(topic, text="of the …") for topic in topics]
    done = evaluate_extrinsically(index, topics, {"silent": silent}, DEMO.qrels(5), BY_AP)
    assert _values(done) == {"silent": 0.0}
    assert done.without_terms["silent"] == tuple(topic.id for topic in topics)


def test_topics_are_selected_by_the_search_without_translation(index: OpenIndex) -> None:
    original = DEMO.topics(60)
    systems = {name: degrade_topics(original, 0.3, "en", seed) for seed, name in enumerate("ab")}
    chosen = replace(BY_AP, at_least=0.3, below=0.9)
    done = evaluate_extrinsically(index, original, systems, DEMO.qrels(60), chosen)
    ap = done.comparison.evaluation.scores["AP(rel=1)"].segment_scores[0]
    assert ((ap >= 0.3) & (ap < 0.9)).all()
    assert 2 <= len(ap) < 60
    assert len(done.translations.test_set) == len(ap)
    assert done.to_json()["selection"]["run"] == CEILING
    with pytest.raises(UsageError, match="there is no topic with"):
        evaluate_extrinsically(
            index, original[:1], {"a": original[:1]}, DEMO.qrels(60), replace(BY_AP, at_least=1.0)
        )


def test_what_cannot_be_evaluated_is_refused(index: OpenIndex) -> None:
    original, qrels = DEMO.topics(5), DEMO.qrels(5)
    with pytest.raises(UsageError, match="at least one system"):
        evaluate_extrinsically(index, original, {}, qrels)
    with pytest.raises(UsageError, match="cannot be called 'original'"):
        evaluate_extrinsically(index, original, {CEILING: original}, qrels)
    with pytest.raises(InputError) as error:
        evaluate_extrinsically(
            index, original, {"a": [Topic("T", "x")], "b": [], "c": [original[0]] * 2}, qrels
        )
    assert len(error.value.problems) == 3
    with pytest.raises(UsageError, match="has no judgements for topics"):
        evaluate_extrinsically(index, DEMO.topics(6), {"a": original}, qrels)


def test_the_exact_engine_can_search(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="duckdb is absent: pip install 'patmark[retrieval]'")
    demo = DemoCollection(200, "ja", words=20)
    build_index(tmp_path / "i", demo.documents(), default_procedure("ja"), exact_tables=True)
    original = demo.topics(8)
    search = replace(BY_AP.search, engine="duckdb")
    systems = {"half": degrade_topics(original, 0.5, "ja")}
    done = evaluate_extrinsically(
        OpenIndex.at(tmp_path / "i"),
        original,
        systems,
        demo.qrels(8),
        replace(BY_AP, search=search),
    )
    assert done.searches["half"].signature.startswith("duckdb-")
    assert "ja-mecab" in done.translations.scores["BLEU"].signature
