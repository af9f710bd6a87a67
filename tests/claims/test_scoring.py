"""Scored drafts: values, evidence, intervals, the report."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from claim_tricks import BATTERY, PUMP, SEARCH, halved, relinked, truncated
from patmark.claims import comparison, profiles
from patmark.claims.profiles import profile_of
from patmark.claims.quality import PARTS
from patmark.claims.scoring import (
    DEFAULT_MEASURES,
    ClaimsEvaluation,
    evaluate_claims,
)
from patmark.data import Run, TestSet
from patmark.data.claim_pairs import ClaimPair, ClaimPairs, drafts_of_pairs
from patmark.errors import InputError
from patmark.evaluation.scoring import Sampling
from patmark.report import to_html

_NAMES = [measure.name for measure in DEFAULT_MEASURES]


def _one(candidate: str, measures: str | None = None) -> ClaimsEvaluation:
    return evaluate_claims(TestSet.of([PUMP]), [Run("draft", (candidate,))], measures)


def _many() -> ClaimsEvaluation:
    pairs = [
        ClaimPair(text, text, halved(text), {"Quality": 1}) for text in (PUMP, BATTERY, SEARCH)
    ]
    return evaluate_claims(*drafts_of_pairs(ClaimPairs(tuple(pairs))), settings=Sampling(100, 1))


def test_claim_quality_is_the_default_measure() -> None:
    assert _NAMES == ["ClaimQuality"]
    result = _one(PUMP).to_json()
    values = {name: one["value"] for name, one in result["systems"]["draft"].items()}
    assert values == pytest.approx({"ClaimQuality": 1, "BLEU-1": 100})
    assert all(one["ci"] is None for one in result["systems"]["draft"].values())


def test_systems_have_the_mean_and_an_interval() -> None:
    done = _many()
    for name, scores in done.scores.items():
        for row, system in enumerate(("A", "B")):
            estimate = done.estimates[name][system]
            if name != "BLEU-1":  # which adds up what it counts
                assert estimate.value == pytest.approx(scores.segment_scores[row].mean())
            assert estimate.ci is not None
            assert (
                estimate.ci[0] <= estimate.value + 1e-9 and estimate.value <= estimate.ci[1] + 1e-9
            )
    assert done.estimates["ClaimQuality"]["A"].value > done.estimates["ClaimQuality"]["B"].value


def test_programs_get_the_notes_that_people_see() -> None:
    done = _one(PUMP, "ClaimQuality,METEOR")
    assert done.to_json()["notes"] == list(done.to_report().notes)
    assert [note.split(" ")[0] for note in done.to_report().notes] == ["ClaimQuality", "METEOR"]


def test_evidence_quotes_its_place() -> None:
    remarks = [one.to_json() for one in _one(relinked(PUMP)).remarks]
    [found] = [one for one in remarks if one["message"].startswith("claim 3 refers to")]
    assert (found["measure"], found["side"], found["text"]) == (
        "linkage",
        "hypothesis",
        "claim 1",
    )


def test_contributions_of_a_draft_add_up() -> None:
    [draft] = _one(halved(PUMP)).to_json()["drafts"]
    parts = draft["contributions"]
    assert list(parts) == list(PARTS)
    total = math.fsum(part["points"] for part in parts.values())
    assert total == pytest.approx(draft["scores"]["ClaimQuality"])


def test_measures_of_the_paper_can_be_asked_for() -> None:
    done = evaluate_claims(TestSet.of([PUMP]), [Run("draft", (PUMP,))], "ROUGE-L,METEOR,BLEU-1")
    assert done.estimates["ROUGE-L"]["draft"].value == pytest.approx(1)
    assert list(done.scores) == ["ROUGE-L", "METEOR", "BLEU-1"]
    assert done.to_json()["drafts"][0]["contributions"] == {}
    assert done.to_report().tables[0].title == "Scores"


def test_a_missing_draft_scores_zero_and_is_named() -> None:
    done = evaluate_claims(TestSet.of([PUMP]), [Run("draft", (None,))])
    assert {estimates["draft"].value for estimates in done.estimates.values()} == {0.0}
    assert any("draft" in note for note in done.to_report().notes)
    assert done.to_json()["missing"] == {"draft": 1}


@pytest.mark.parametrize(
    ("draft", "problem"),
    [
        ("", "the draft is empty"),
        (" \n", "the draft is empty"),
        ("1.\n2.\n3.", "the claims of the draft have no words"),
        ("Sorry, I cannot help.", "the draft is a refusal"),
        ("As an AI, I do not write patents.", "the draft is a refusal"),
        ("抱歉，我无法回答。", "the draft is a refusal"),
        ("申し訳ありませんが、お答えできません。", "the draft is a refusal"),
        ("Thank you for your question. Patents are hard work.", "the draft holds no claims"),
        ('{"error": "rate limit"}', "the draft holds no claims"),
        (f"<!-- {PUMP} -->", "the draft holds no claims, only hidden text"),
        (f"<think>{PUMP}", "the draft holds no claims, only hidden text"),
        ("1. 一种泵，包括轴。", "the draft is in Chinese, the reference is not"),
    ],
)
def test_a_draft_without_claims_scores_zero_with_the_reason(draft: str, problem: str) -> None:
    runs = [Run("bad", (draft,)), Run("good", (PUMP,))]
    result = evaluate_claims(TestSet.of([PUMP]), runs, settings=Sampling(0)).to_json()
    bad, good = result["drafts"]
    assert (bad["problem"], good["problem"]) == (problem, None)
    assert (bad["scores"]["ClaimQuality"], good["scores"]["ClaimQuality"]) == (0, pytest.approx(1))
    assert (bad["lint"]["error"], good["lint"]["error"]) == (1, 0)
    [evidence] = [one for one in result["evidence"] if one["system"] == "bad"]
    assert evidence["message"] == f"error: no score: {problem}"
    assert f"error: bad: {problem} (1 of 1), scored as 0." in result["notes"]


@pytest.mark.parametrize("draft", ["A pump with a rotor.", "一种泵。", "ポンプ。", "1. Pump."])
def test_a_short_claim_is_a_claim(draft: str) -> None:
    assert profile_of(draft).problem == ""


def test_drafts_of_another_number_are_refused() -> None:
    with pytest.raises(InputError, match="draft has 2 hypotheses for 1 segments"):
        evaluate_claims(TestSet.of([PUMP]), [Run("draft", (PUMP, PUMP))])


def test_the_report_of_one_set_shows_claims_side_by_side() -> None:
    spoilt = truncated(PUMP).replace("2. The pump of claim 1", "2. The pump of claim 6")
    report = _one(spoilt + "\n8. A lamp having a blue light bulb.").to_report()
    titles = [table.title for table in report.tables]
    assert titles == [
        "Scores", "ClaimQuality and related values", "Evidence for the scores",
        "Claims of the reference and of draft", "Dependencies in the reference and in draft",
    ]  # fmt: skip
    claims, trees = report.tables[3:]
    assert [row[0] for row in claims.rows] == ["1", "2", "3", "4", "5", "6", "7", None]
    assert "−[the liquid is water.]−" in str(claims.rows[6][1])
    assert "+[" in str(claims.rows[7][4])
    assert str(trees.rows[1][1]).startswith("├─")
    assert report.subtitle.endswith("1 set of claims")


def test_the_report_of_many_sets_counts_findings() -> None:
    report = _many().to_report()
    assert [table.title for table in report.tables] == [
        "Scores",
        "ClaimQuality and related values",
        "Clear differences by ClaimQuality",
        "Findings",
    ]
    assert all(row[0] == "B" for row in report.tables[3].rows)
    assert [row[0] for row in report.tables[1].rows] == ["A", "B"]
    html = to_html(report)
    assert "limitation missing" in html


def test_a_draft_is_compared_once_for_all_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where there are more drafts than comparisons are kept."""
    calls: Counter[str] = Counter()

    def count(module: Any, name: str) -> None:
        own = getattr(module, name)

        def counted(*given: Any) -> Any:
            calls[name] += 1
            return own(*given)

        monkeypatch.setattr(module, name, counted)

    count(comparison, "_found")
    count(profiles, "claims_of")
    number = 520
    references = [f"1. A lid with {place} holes." for place in range(number)]
    runs = [
        Run(
            system,
            tuple(f"{text} 2. The lid of claim 1, which is {system}." for text in references),
        )
        for system in ("red", "blue")
    ]
    measures = "ClaimQuality"
    done = evaluate_claims(TestSet.of(references), runs, measures, Sampling(0))
    done.to_json()
    done.to_report()
    assert calls["_found"] == 2 * 2 * number  # coverage and support of each draft
    assert calls["claims_of"] == 3 * number
