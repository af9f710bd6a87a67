"""The published table of Patent-CE beside recomputed values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from patmark.claims import meta_evaluate_claims
from patmark.claims.lint import lint
from patmark.claims.measures import PAPER_MEASURES, GivenMeasure
from patmark.data import Estimate, FloatArray, Scores, TestSet
from patmark.data.claim_pairs import ClaimPair, ClaimPairs, read_claim_pairs
from patmark.errors import UsageError
from patmark.evaluation.scoring import Sampling
from patmark.measures.neural.embeddings import BERTScore
from patmark.protocols.studies.patent_ce import (
    G_EVAL,
    G_EVAL_PAIRS,
    TEST_PAIRS,
    compared_value,
    findings,
    gains,
    leads,
    published_agreements,
    published_study,
    reproduce_patent_ce,
)
from patmark.report import plain


def test_published_numbers_are_those_of_the_paper() -> None:
    rows = published_agreements()
    assert len(rows) == 70
    found = {(one["criterion"], one["metric"]): tuple(one.values())[2:] for one in rows}
    # Jiang et al. 2025, corner values of the two tables
    assert found["Completeness", "BLEU-1"] == (0.305, 0.345, 50.5, 42.6)
    assert found["Quality", "BLEU-1"] == (0.326, 0.369, 52.2, 44.3)
    assert found["Completeness", "PatClaimEval"] == (0.400, 0.504, 52.7, 53.2)
    assert found["Quality", "PatClaimEval"] == (0.477, 0.602, 56.5, 57.4)
    assert found["Linkage", "METEOR"] == (0.324, 0.364, 53.3, 46.0)


def test_without_pairs_the_printed_tables_are_shown() -> None:
    done = published_study()
    result, report = plain(done.to_json()), done.to_report()
    assert len(result["rows"]) == 14 * 4 * 5
    assert {(row["status"], row["recomputed"]) for row in result["rows"]} == {
        ("published only", None)
    }
    tables = {table.title: table for table in report.tables}
    tau = tables["Tables 3–5, as printed: tau"]
    assert len(tau.rows) == 14 and tau.rows[-1] == ("PatClaimEval", 0.4, 0.461, 0.354, 0.419, 0.477)
    assert tables["Labels, as printed"].rows[-1] == ("Quality", 422, 382, 424)
    assert tables["Appendix B: lengths"].rows[0][2:] == (156, 644, 631, 1461, 245)
    assert any("data='FILE'" in finding for finding in report.findings)
    assert any("exact equality" in note.lower() and ".296" in note for note in report.notes)


def test_best_and_second_best_give_the_printed_gains() -> None:
    found = leads(published_agreements())
    assert len(found) == 5 * 4
    by_place = {(lead.criterion, lead.statistic): lead for lead in found}
    # Jiang et al. 2025: PatClaimEval gains 41.5 % (tau) and 58.0 % (rho) by overall quality
    assert [
        (value.statistic, value.against, round(value.recomputed or 0, 1), value.status)
        for value in gains(found)
    ] == [("gain in tau, %", "UniEval", 41.5, "ok"), ("gain in rho, %", "UniEval", 58.0, "ok")]
    assert (by_place["Linkage", "accuracy"].shown(0), by_place["Linkage", "accuracy"].shown(1)) == (
        "54.8 G-Eval-4",
        "54.3 ROUGE-L",
    )
    assert all(finding.holds for finding in findings(found, gains(found)))


def test_a_metric_that_is_overtaken_has_no_lead() -> None:
    rows = [
        {**row, "tau": 0.9} if row["metric"] == "METEOR" and row["criterion"] == "Quality" else row
        for row in published_agreements()
    ]
    found = leads(rows)
    told = findings(found, gains(found))
    assert [finding.holds for finding in told] == [False, False, True, True, True]
    assert told[0].evidence == "first in 9 of 10 (tau, rho)"


def test_table_7_is_ordered_as_by_experts_for_the_faults_that_they_name(shared_data: Path) -> None:
    table = json.loads((shared_data / "patent_ce" / "table7.json").read_text(encoding="utf-8"))
    drafts = {"B": table["A"], "C": table["B"]}  # as the paper calls them
    for name, draft in drafts.items():
        found = [draft[one.start : one.end] for one in lint(draft, "uspto").findings]
        named = [any(fault in place for place in found) for fault in ("a annular", "further comp")]
        assert named == [name == "B"] * 2
    pair = ClaimPair(table["gold_claim"], drafts["B"], drafts["C"], table["human_eval"])
    done = meta_evaluate_claims(ClaimPairs((pair,)), ["ClaimQuality"], None, Sampling(0, 0))
    assert [row["accuracy"] for row in done.to_json()["rows"]] == [100]


def test_other_pairs_are_shown_but_not_compared(shared_data: Path) -> None:
    pairs = read_claim_pairs(shared_data / "patent_ce" / "quality_dev.json")
    done = reproduce_patent_ce(pairs, Sampling(resamples=0))
    rows = plain(done.to_json())["rows"]
    assert len(rows) == 14 * 4 and {row["criterion"] for row in rows} == {"Quality"}
    for row in rows:
        at_hand = row["metric"] in PAPER_MEASURES
        assert row["status"] == ("other pairs" if at_hand else "published only")
        assert (row["recomputed"] is not None) == at_hand and row["difference"] is None
    assert any("not compared" in finding for finding in done.to_report().findings)
    assert any("does not hold the 184 pairs" in note for note in done.to_report().notes)
    listed = plain(done.to_json())["listing"]
    counted = {part["how"]: part["values"] for part in listed if part["place"] == "Tables 3–5"}
    assert counted == {
        "the file has other pairs": 6 * 4,
        "no model was given": 7 * 4,
        "no judge was given": 4,
        "criterion is not in the file": 14 * 4 * 4,
    }
    lengths = plain(done.to_json())["lengths"]
    assert [(row["texts"], row["n"]) for row in lengths] == [
        ("references", 10),
        ("candidates", 182),
    ]


@pytest.mark.parametrize(
    ("statistic", "value", "n", "status"),
    [
        ("tau", 0.3264, 184, "ok"),
        ("tau", 0.3266, 184, "differs"),
        ("accuracy", 52.17, 184, "ok"),
        ("accuracy", 52.26, 184, "differs"),
        ("tau", 0.326, 91, "other pairs"),
    ],
)
def test_a_value_is_ok_when_it_is_printed_so(
    statistic: str, value: float, n: int, status: str
) -> None:
    row = {"criterion": "Quality", "metric": "BLEU-1", "tau": 0.326, "accuracy": 52.2}
    one = compared_value(row, statistic, Estimate(value, None, n))
    assert one.status == status
    assert replace(one, estimate=None).status == "published only"


def test_184_pairs_are_compared() -> None:
    pair = ClaimPair("1. A valve.", "1. A valve here.", "1. A pump.", {"quality": 1})
    done = reproduce_patent_ce(ClaimPairs((pair,) * 184), Sampling(resamples=0))
    assert "of 24 published values are reproduced" in done.to_report().findings[0]
    listed = [part for part in plain(done.to_json())["listing"] if part["place"] == "Tables 3–5"]
    assert sum(part["values"] for part in listed) == 280
    assert {part["status"] for part in listed} == {"differs", "printed only"}
    accuracy = [row for row in plain(done.to_json())["rows"] if row["statistic"] == "accuracy"]
    assert accuracy[0]["difference"] == pytest.approx(100 - 52.2)
    assert accuracy[0]["status"] == "differs"
    rhos = [row for row in plain(done.to_json())["rows"] if row["statistic"] == "rho"]
    assert (rhos[0]["recomputed"], rhos[0]["difference"], rhos[0]["status"]) == (
        None,
        None,
        "differs",
    )


def test_more_measures_are_matched_by_label(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = ClaimPair("1. A valve.", "1. A valve here.", "1. A pump.", {"quality": 1})
    pairs = ClaimPairs((pair,) * 184)
    monkeypatch.setattr(BERTScore, "statistics", _longer_is_better)
    monkeypatch.setattr(BERTScore, "signature", lambda self, test_set: "fake")
    done = reproduce_patent_ce(pairs, Sampling(resamples=0), "BERTScore(model=m),chrF")
    rows = {
        row["metric"]: row
        for row in plain(done.to_json())["rows"]
        if row["statistic"] == "accuracy"
    }
    assert rows["BERTScore"]["recomputed"] == 100 and rows["BERTScore"]["status"] == "differs"
    assert "chrF" not in rows and "chrF" in {
        row["measure"] for row in plain(done.to_json())["measures"]
    }
    assert done.to_report().notes[:2] == (
        "Published only, because no model was given: BARTScore, MoverScore, SimCSE, UniEval, "
        "AlignScore, PatClaimEval. Name one: measures='BARTScore(model=…)'.",
        "Published only, because no judge was given: G-Eval-4. patmark claims judge --save makes "
        "its scores, and scores= names them.",
    )
    with pytest.raises(UsageError, match="BERTScore is asked for twice; the paper has it once"):
        reproduce_patent_ce(
            pairs, Sampling(resamples=0), "BERTScore(model=m),BERTScore(model=other)"
        )


def test_only_135_pairs_give_the_printed_accuracies_of_the_judge() -> None:
    printed = [one["accuracy"] for one in published_agreements() if one["metric"] == G_EVAL]
    fitting = [
        n
        for n in range(20, TEST_PAIRS + 1)
        if all(any(f"{100 * k / n:.1f}" == f"{one:.1f}" for k in range(n + 1)) for one in printed)
    ]
    assert len(printed) == 5 and fitting == [G_EVAL_PAIRS]


def _judge(name: str, *values: float) -> GivenMeasure:
    """A judge who gives A these values and B always 5."""
    both = np.array([values, [5.0] * len(values)])
    segments = tuple(map(str, range(len(values))))
    return GivenMeasure(name, Scores.of_values(name, "told", ("A", "B"), segments, both))


def test_the_judge_stands_beside_g_eval_criterion_by_criterion() -> None:
    labels = {"Quality": 1, "Clarity": -1}
    pairs = ClaimPairs((ClaimPair("1. A valve.", "1. A valve here.", "1. A pump.", labels),) * 4)
    judged = [_judge("J", 9, 9, 9, 9), _judge("J(criterion=clarity)", 9, 1, 1, np.nan)]
    done = reproduce_patent_ce(pairs, Sampling(resamples=0), judged=judged)
    rows = {
        row["criterion"]: row
        for row in plain(done.to_json())["rows"]
        if (row["metric"], row["statistic"]) == (G_EVAL, "accuracy")
    }
    assert (rows["Quality"]["recomputed"], rows["Quality"]["n"]) == (100, 4)
    assert rows["Clarity"]["recomputed"] == pytest.approx(200 / 3)
    assert (rows["Clarity"]["n"], rows["Clarity"]["status"]) == (3, "other pairs")
    assert (rows["Quality"]["published"], rows["Quality"]["difference"]) == (49.6, None)
    notes = done.to_report().notes
    assert any("come from another model" in note for note in notes)
    assert any("G-Eval-4 are shares of 135 pairs" in note for note in notes)
    assert any("J(criterion=clarity) has no score of 1 of 4 pairs" in note for note in notes)
    with pytest.raises(UsageError, match="the paper has one judge, and these are several: J, K"):
        reproduce_patent_ce(pairs, judged=[*judged, _judge("K", 1, 1, 1, 1)])


def _longer_is_better(self: BERTScore, test_set: TestSet, texts: Sequence[str]) -> FloatArray:
    return np.array([[float(len(text)), 1.0] for text in texts])


def test_a_criterion_that_the_paper_lacks_is_refused() -> None:
    pair = ClaimPair("1. A valve.", "1. A seat.", "1. A pump.", {"Style": 1})
    with pytest.raises(UsageError, match="no criterion called Style; it has Completeness"):
        reproduce_patent_ce(ClaimPairs((pair,)))
