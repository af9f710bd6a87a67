"""ClaimQuality: its recipe, what it agrees with, what it falls for, and what is seen beside it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from claim_recipe import recipe_parts
from claim_tricks import INVENTED, NO_MATTER, PUMP, TRICKS
from patmark.claims.comparison import compare_profiles, compare_texts
from patmark.claims.meta import meta_evaluate_claims
from patmark.claims.profiles import profile_of
from patmark.claims.quality import (
    PARTS,
    TIE_BAND,
    ClaimQuality,
    QualityParts,
)
from patmark.claims.scoring import evaluate_claims
from patmark.data import Run, TestSet
from patmark.data.claim_pairs import ClaimPair, ClaimPairs, read_claim_pairs
from patmark.data.patenteval import read_patenteval
from patmark.errors import InputError
from patmark.evaluation.scoring import Sampling
from patmark.languages import tokenizer_signature
from patmark.report import Report

_NO_DRAWS = Sampling(resamples=0)


def _score(reference: str, candidate: str) -> float:
    statistics = ClaimQuality().statistics(TestSet.of([reference]), [candidate])
    return float(ClaimQuality().score(statistics)[0])


def _parts(reference: str, candidate: str) -> QualityParts:
    return QualityParts.of(compare_texts(reference, candidate))


@pytest.fixture(scope="module")
def developer_half(shared_data: Path) -> ClaimPairs:
    return read_claim_pairs(shared_data / "patent_ce" / "quality_dev.json")


@pytest.fixture(scope="module")
def next_claims(shared_data: Path) -> ClaimPairs:
    """PatentEval, but for the pairs whose true continuation is the end of the claims."""
    folder = shared_data / "patenteval"
    pairs = read_patenteval(folder / "final_c2c.json", folder / "eval_data_c2c.csv").pairs
    return ClaimPairs(tuple(pair for pair in pairs if pair.reference.strip() != "[end]"))


@pytest.fixture(scope="module")
def real_candidates(developer_half: ClaimPairs) -> list[tuple[str, str]]:
    """Reference and candidate of real pairs."""
    return _candidates(developer_half)


def _candidates(pairs: ClaimPairs) -> list[tuple[str, str]]:
    both = ((pair.reference, text) for pair in pairs.pairs for text in pair.candidates)
    return list(dict.fromkeys(both))


def _assert_recipe(reference: str, candidate: str) -> None:
    wanted = recipe_parts(reference, candidate)
    found = _parts(reference, candidate)
    for name in PARTS:
        assert getattr(found, name) == pytest.approx(wanted[name], abs=1e-9), name
    assert _score(reference, candidate) == pytest.approx(wanted["score"], abs=1e-9)


def test_scores_equal_another_implementation_on_real_claims(
    real_candidates: list[tuple[str, str]],
) -> None:
    assert len(real_candidates) > 90
    for reference, candidate in real_candidates:
        _assert_recipe(reference, candidate)


def test_scores_equal_another_implementation_on_next_claims(next_claims: ClaimPairs) -> None:
    """The claims that these refer to are not there; one candidate is talk about claims."""
    candidates = _candidates(next_claims)
    claims = [pair for pair in candidates if not compare_texts(*pair).problem]
    assert len(candidates) - len(claims) == 1
    for reference, candidate in claims:
        _assert_recipe(reference, candidate)


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_scores_equal_another_implementation_on_spoilt_claims(text: str, trick: str) -> None:
    _assert_recipe(text, TRICKS[trick](text))


def test_agreement_on_the_developer_half(developer_half: ClaimPairs) -> None:
    """Computed by the authors of the recipe with a program of their own."""
    [row] = meta_evaluate_claims(developer_half, "ClaimQuality", settings=_NO_DRAWS).rows
    found = {name: one.value for name, one in row.everything.estimates.items()}
    assert found["tau"] == pytest.approx(0.447, abs=0.0005)
    assert found["rho"] == pytest.approx(0.509, abs=0.0005)
    assert found["accuracy"] == pytest.approx(58.2, abs=0.05)
    assert found["f1"] == pytest.approx(51.3, abs=0.05)


def test_agreement_on_patenteval(next_claims: ClaimPairs) -> None:
    """As above: .487, BLEU-1 .453, of the 204 pairs with a claim as reference."""
    assert len(next_claims) == 204
    done = meta_evaluate_claims(next_claims, "ClaimQuality,BLEU-1", settings=_NO_DRAWS)
    found = [row.everything.estimates["tau"].value for row in done.rows]
    assert found == pytest.approx([0.487, 0.453], abs=0.0005)


def test_the_recipe_by_hand() -> None:
    reference = "1. A cup with a lid.\n2. The cup of claim 1, wherein the lid is red."
    candidate = "1. A cup with said lid.\n2. A cup."
    # a cup with a lid | a cup with the lid: 4 of 5 words, 2 of 4 pairs; the cup of … | a cup: 1
    content = (2 * (4 + 2) / 18 + 2 * 1 / (10 + 9 + 2 + 1)) / 2
    parts = _parts(reference, candidate)
    assert parts.content == pytest.approx(content)
    assert parts.length == pytest.approx((7 / 2) / (15 / 2))
    assert parts.structure == pytest.approx((1 + 0) / 2)
    assert parts.repetition == 1
    assert parts.gate == 1
    total = content + parts.length + 0.5 + 1
    assert _score(reference, candidate) == pytest.approx(total / 4)


def test_form_counts_in_proportion_to_little_content() -> None:
    parts = QualityParts(0.05, 0.9, 0.8, 1.0)
    assert parts.gate == pytest.approx(0.25)
    assert parts.score == pytest.approx((0.05 + 0.25 * 2.7) / 4)
    filler = _parts(PUMP, TRICKS["filler of the same length"](PUMP))
    assert filler.length > 0.9 and filler.score < 0.15


def test_a_draft_without_claims_scores_zero() -> None:
    assert _score(PUMP, "…") == 0


def test_chinese_and_japanese_words_come_from_the_segmenter() -> None:
    chinese = profile_of("1.一种泵，包括壳体、转子。\n2.根据权利要求1所述的泵，所述壳体为铁。")
    assert {"壳体", "转子"} <= set(chinese.tokens[0])
    assert _score(chinese.form.text, chinese.form.text) == pytest.approx(1)
    japanese = profile_of("【請求項1】筐体と、回転軸と、を備えるポンプ。")
    assert {"回転", "ポンプ"} <= set(japanese.tokens[0])


# Where a trick on a reference must be seen: parts that fall below a limit, and a finding.
_SEEN: dict[str, tuple[dict[str, float], str]] = {
    "words shuffled": ({"content": 0.6, "coverage": 0.6}, "term "),
    "every second limitation deleted": ({"content": 0.85, "length": 0.9}, ""),
    "nouns replaced": ({"content": 0.8, "coverage": 0.8}, "term "),
    "filler of the same length": ({"content": 0.11, "coverage": 0.1}, "limitation missing"),
    "reference twice": (
        {"content": 0.51, "structure": 0.51, "repetition": 0.75},
        "no counterpart in the reference",
    ),
    "claims of another patent": ({"content": 0.3, "coverage": 0.2}, "limitation missing"),
    "dependencies permuted": ({"structure": 0.9}, "; in the reference claim"),
    "last claim cut off": ({"coverage": 0.99}, "does not end with a full stop"),
}


def _reported(reference: str, candidate: str) -> Report:
    return evaluate_claims(TestSet.of([reference]), [Run("draft", (candidate,))]).to_report()


def _beside(report: Report) -> dict[str, object]:
    """The row of the draft in the table of related values."""
    [table] = [one for one in report.tables if "related values" in one.title]
    return dict(zip((column.title for column in table.columns), table.rows[0], strict=True))


def _assert_seen(trick: str, reference: str) -> None:
    report = _reported(reference, TRICKS[trick](reference))
    limits, words = _SEEN[trick]
    beside = _beside(report)
    for part, limit in limits.items():
        value = beside[part]
        assert isinstance(value, float) and value < limit, part
    [table] = [one for one in report.tables if one.title == "Evidence for the scores"]
    assert any(words in str(row[2]) for row in table.rows)


def test_every_trick_is_looked_for() -> None:
    assert list(_SEEN) == list(TRICKS)


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_every_trick_is_visible_in_the_report(text: str, trick: str) -> None:
    assert _score(text, text) == pytest.approx(1)
    assert _score(text, TRICKS[trick](text)) < 1
    _assert_seen(trick, text)


@pytest.mark.parametrize("trick", TRICKS)
def test_every_trick_on_real_references_is_visible_in_the_report(
    real_candidates: list[tuple[str, str]], trick: str
) -> None:
    for reference in dict.fromkeys(reference for reference, _ in real_candidates):
        linked = profile_of(TRICKS[trick](reference)).targets != profile_of(reference).targets
        if linked or trick != "dependencies permuted":
            _assert_seen(trick, reference)


@pytest.mark.parametrize("trick", [name for name in TRICKS if name != "dependencies permuted"])
def test_tricks_lower_the_score_of_real_candidates(
    real_candidates: list[tuple[str, str]], trick: str
) -> None:
    falls = [
        _score(*pair) - _score(pair[0], TRICKS[trick](pair[1])) for pair in real_candidates[::4]
    ]
    assert np.mean(np.array(falls) > 0) > 0.75
    assert np.mean(falls) > 0.01


@pytest.mark.parametrize("change", NO_MATTER)
def test_what_does_not_matter_changes_nothing(change: str) -> None:
    for text in INVENTED:
        assert _score(text, NO_MATTER[change](text)) == pytest.approx(1)
        assert _score(NO_MATTER[change](text), text) == pytest.approx(1)


@pytest.mark.parametrize("change", NO_MATTER)
def test_what_does_not_matter_changes_nothing_in_real_candidates(
    real_candidates: list[tuple[str, str]], change: str
) -> None:
    for reference, candidate in real_candidates[::12]:
        assert _score(reference, NO_MATTER[change](candidate)) == pytest.approx(
            _score(reference, candidate)
        )


@pytest.mark.parametrize(
    ("old", "new", "difference"),
    [
        ("is not connected", "is connected", "“not” is missing"),
        ("40 and 60", "65 and 80", "40–60 became 65–80"),
        ("of claim 4", "of claim 1", "it refers to another claim"),
        ("exceeds", "is below", "“exceeds” became “below”"),
    ],
)
def test_contradictions_are_findings_and_no_factor(old: str, new: str, difference: str) -> None:
    assert old in PUMP
    candidate = PUMP.replace(old, new, 1)
    [finding] = ClaimQuality().findings(TestSet.of([PUMP]), [candidate])
    shown = finding.evidence[0]
    assert shown.message.startswith("contradicts claim ") and difference in shown.message
    assert candidate[shown.start : shown.end].startswith(("A pump", "The pump"))
    assert finding.kept == pytest.approx(recipe_parts(PUMP, candidate)["score"], abs=1e-9)
    assert _beside(_reported(PUMP, candidate))["contradictions"] == 1


def test_a_reference_without_claims_is_refused() -> None:
    with pytest.raises(InputError, match="the reference holds no claims"):
        ClaimQuality().contributions("…", PUMP)
    with pytest.raises(InputError, match="the reference holds no claims"):
        ClaimQuality().contributions("1-3. (Canceled)", PUMP)


@pytest.mark.parametrize(
    "reference",
    [
        "1. Насос, содержащий корпус и ротор.\n2. Насос по п. 1, в котором ротор красный.",
        "1. Αντλία που περιλαμβάνει ένα κέλυφος και έναν ρότορα τύπου AB12.",
        "1. 하우징과 로터를 포함하는 펌프.",
    ],
    ids=["Russian", "Greek", "Korean"],
)
def test_a_reference_in_another_script_is_refused(reference: str) -> None:
    with pytest.raises(InputError, match="the reference is in a script that cannot be compared"):
        ClaimQuality().contributions(reference, reference)
    with pytest.raises(InputError, match="has a reference in a script"):
        ClaimQuality().findings(TestSet.of([reference]), [reference])


@pytest.mark.parametrize(
    "reference",
    [
        "1. A café-crème façade über Ångström, wherein α and β are smaller than Δ.",
        "1. Eine Pumpe mit einem Gehäuse.",
        "1. ５ｍｍ ｗｉｄｅ ｐｕｍｐ.",
        "1. 一种泵，包括壳体。",
        "1. ハウジングを備えるポンプ。",
    ],
)
def test_letters_that_are_read_are_compared(reference: str) -> None:
    assert _score(reference, reference) == 1


@given(st.text(max_size=200))
def test_parts_lie_between_0_and_1(text: str) -> None:
    parts = QualityParts.of(compare_profiles(profile_of(PUMP), profile_of(text)))
    values = np.array(list(parts.to_json().values()))
    assert ((values >= 0) & (values <= 1 + 1e-9)).all()


def test_contributions_add_up_to_the_score() -> None:
    candidate = TRICKS["every second limitation deleted"](PUMP)
    contributions = ClaimQuality().contributions(PUMP, candidate)
    assert [one.feature for one in contributions] == list(PARTS)
    assert math.fsum(one.points for one in contributions) == pytest.approx(_score(PUMP, candidate))
    assert [one.share for one in contributions] == [0.25] * 4
    [finding] = ClaimQuality().findings(TestSet.of([PUMP]), [candidate])
    worst = max(contributions, key=lambda one: one.share - one.points)
    first = next(one for one in finding.evidence if one.start == one.end)
    assert first.message.startswith(worst.feature)


def test_the_signature_names_the_recipe() -> None:
    signature = ClaimQuality().signature(TestSet.of([PUMP]))
    assert "mean of content, length, structure and repetition" in signature
    assert "words:" not in signature
    assert ClaimQuality().tie_band == TIE_BAND == 0.045


@pytest.mark.parametrize(
    ("reference", "segmenter"),
    [("1. 一种泵，包括壳体。", "zh-jieba"), ("1. ハウジングを備えるポンプ。", "ja-mecab")],
)
def test_the_signature_names_the_segmenter(reference: str, segmenter: str) -> None:
    signature = ClaimQuality().signature(TestSet.of([reference, PUMP]))
    assert f"|words:{tokenizer_signature(segmenter)}|" in signature


def test_one_number_never_stands_alone() -> None:
    """Asked for by itself, it comes with its parts, BLEU-1, coverage, lint and an interval."""
    pairs = [ClaimPair(text, text, TRICKS["words shuffled"](text), {}) for text in INVENTED]
    runs = [Run(side, tuple(p.candidates[at] for p in pairs)) for at, side in enumerate("AB")]
    done = evaluate_claims(TestSet.of(INVENTED), runs, "ClaimQuality", Sampling(100))
    [table] = [one for one in done.to_report().tables if "related values" in one.title]
    assert [column.title for column in table.columns] == [
        "system", "ClaimQuality", *PARTS, "coverage", "BLEU-1", "contradictions", "errors",
        "warnings",
    ]  # fmt: skip
    assert done.estimates["ClaimQuality"]["B"].ci is not None
    assert done.estimates["BLEU-1"]["B"].value == pytest.approx(100, abs=0.5)
    found = done.to_json()["quality"]
    assert found["tie_band"] == 0.045
    assert found["differences"] == [
        {"a": "A", "b": "B", "a_better": 3, "no_clear_difference": 0, "b_better": 0}
    ]
    assert found["systems"]["B"]["coverage"] < 0.6 and found["systems"]["B"]["lint"]["error"] > 0


def test_close_drafts_show_no_clear_difference() -> None:
    close = PUMP.replace("silicone rubber", "steel")
    done = evaluate_claims(TestSet.of([PUMP]), [Run("A", (PUMP,)), Run("B", (close,))])
    [table] = [one for one in done.to_report().tables if one.title.startswith("Clear diff")]
    assert table.rows == (("A", "B", 0, 1, 0),)
    assert "0.045" in table.note
