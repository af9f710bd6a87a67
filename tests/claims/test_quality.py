"""ClaimQuality: what it falls for, what it does not see, and its weights."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from claim_tricks import INVENTED, NO_MATTER, PUMP, TRICKS
from patmark.claims.comparison import compare_profiles
from patmark.claims.profiles import profile_of
from patmark.claims.quality import (
    CONTENT,
    FEATURES,
    ClaimQuality,
    QualityModel,
    load_quality_model,
    quality_features,
)
from patmark.data import TestSet
from patmark.data.claim_pairs import read_claim_pairs
from patmark.errors import InputError

# By how much a spoilt reference must fall below the reference itself, which has 1.
LEAST_LOSS = {
    "words shuffled": 0.40,
    "every second limitation deleted": 0.12,
    "nouns replaced": 0.25,
    "filler of the same length": 0.90,
    "reference twice": 0.25,
    "claims of another patent": 0.80,
    "dependencies permuted": 0.15,
    "last claim cut off": 0.05,
}


def _score(reference: str, candidate: str) -> float:
    statistics = ClaimQuality().statistics(TestSet.of([reference]), [candidate])
    return float(ClaimQuality().score(statistics)[0])


@pytest.fixture(scope="module")
def real_candidates(shared_data: Path) -> list[tuple[str, str]]:
    """Reference and candidate of real pairs."""
    pairs = read_claim_pairs(shared_data / "patent_ce" / "quality_dev.json").pairs
    return list(
        dict.fromkeys(
            (pair.reference, text) for pair in pairs for text in (pair.first, pair.second)
        )
    )


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("text", INVENTED, ids=["pump", "battery", "search"])
def test_no_trick_keeps_the_score(text: str, trick: str) -> None:
    assert _score(text, text) == pytest.approx(1)
    assert _score(text, TRICKS[trick](text)) < 1 - LEAST_LOSS[trick]


@pytest.mark.parametrize("trick", TRICKS)
def test_no_trick_keeps_the_score_of_real_references(
    real_candidates: list[tuple[str, str]], trick: str
) -> None:
    for reference in dict.fromkeys(reference for reference, _ in real_candidates):
        spoilt = TRICKS[trick](reference)
        if (
            profile_of(spoilt).targets != profile_of(reference).targets
            or trick != "dependencies permuted"
        ):
            assert _score(reference, spoilt) < 1 - LEAST_LOSS[trick]


@pytest.mark.parametrize("trick", [name for name in TRICKS if name != "dependencies permuted"])
def test_tricks_lower_the_score_of_real_candidates(
    real_candidates: list[tuple[str, str]], trick: str
) -> None:
    falls = [
        _score(*pair) - _score(pair[0], TRICKS[trick](pair[1])) for pair in real_candidates[::4]
    ]
    assert np.mean(np.array(falls) > 0) >= 0.95
    assert np.mean(falls) > 0.03


@pytest.mark.parametrize("change", NO_MATTER)
def test_what_does_not_matter_changes_nothing(change: str) -> None:
    for text in INVENTED:
        assert _score(text, NO_MATTER[change](text)) == pytest.approx(1)
        assert _score(NO_MATTER[change](text), text) == pytest.approx(1)


@pytest.mark.parametrize("change", NO_MATTER)
def test_what_does_not_matter_changes_nothing_in_real_candidates(
    real_candidates: list[tuple[str, str]], change: str
) -> None:
    for reference, candidate in real_candidates[::6]:
        assert _score(reference, NO_MATTER[change](candidate)) == pytest.approx(
            _score(reference, candidate)
        )


_SEAL = "; and a seal (40) arranged between the rotor (20) and the housing (10)"
_BOILERPLATE = (
    ", wherein various embodiments may be combined in any suitable manner as will be apparent to "
    "those skilled in the relevant field.\n"
)


@pytest.mark.parametrize(
    ("old", "new", "most"),
    [
        ("is not connected", "is connected", 0.95),
        ("1500 revolutions", "150 revolutions", 0.79),
        ("between 40 and 60", "between 40 and 90", 0.95),
        ("of claim 4", "of claim 1", 0.95),
        ("exceeds", "falls below", 0.83),
        ("silicone rubber", "steel", 0.980),
        (_SEAL, "", 0.985),
        ("a motor (30) configured to drive the rotor", "a rotor configured to drive the motor",
         0.995),
        ("between the rotor (20) and the housing", "between the housing (10) and the rotor", 0.999),
        (".\n", _BOILERPLATE, 0.80),
    ],
)  # fmt: skip
def test_small_changes_of_meaning_lower_the_score(old: str, new: str, most: float) -> None:
    """What decides the scope of a claim moves the score by far more than another word."""
    assert old in PUMP
    assert _score(PUMP, PUMP.replace(old, new)) < most


def test_a_change_in_a_single_claim_counts_more() -> None:
    claim = "1. A lid that is not made of steel and has a thickness of 5 mm."
    assert _score(claim, claim.replace(" not", "")) < 0.65
    assert _score(claim, claim.replace("5", "50")) < 0.65
    other_word = _score(claim, claim.replace("steel", "glass"))
    assert _score(claim, claim.replace("5", "50")) < other_word


def test_a_reference_without_claims_is_refused() -> None:
    with pytest.raises(InputError, match="the reference holds no claims"):
        ClaimQuality().contributions("…", PUMP)
    with pytest.raises(InputError, match="the reference holds no claims"):
        ClaimQuality().contributions("1-3. (Canceled)", PUMP)


def test_saved_weights_are_rounded_and_keep_their_fingerprint(tmp_path: Path) -> None:
    model = QualityModel({name: 1 / 3 for name in FEATURES})
    model.save(tmp_path / "weights.json")
    read = load_quality_model(tmp_path / "weights.json")
    assert set(read.weights.values()) == {0.3333}
    assert read.fingerprint == model.fingerprint


@given(st.text(max_size=200))
def test_features_lie_between_0_and_1(text: str) -> None:
    features = quality_features(compare_profiles(profile_of(PUMP), profile_of(text)))
    assert features.shape == (len(FEATURES),)
    assert ((features >= 0) & (features <= 1 + 1e-9)).all()


def test_form_counts_for_nothing_without_content() -> None:
    features = quality_features(
        compare_profiles(profile_of(PUMP), profile_of(TRICKS["filler of the same length"](PUMP)))
    )
    assert features.max() < 0.15


def test_contributions_add_up_to_the_score() -> None:
    candidate = TRICKS["every second limitation deleted"](PUMP)
    parts = ClaimQuality().contributions(PUMP, candidate)
    assert [part.feature for part in parts] == list(FEATURES)
    assert math.fsum(part.points for part in parts) == pytest.approx(_score(PUMP, candidate))
    assert math.fsum(part.points + part.lost for part in parts) == pytest.approx(1)
    [finding] = ClaimQuality().findings(TestSet.of([PUMP]), [candidate])
    worst = max(parts, key=lambda part: part.lost)
    assert finding.evidence[0].message.startswith(worst.feature)


def test_the_shipped_weights_read_content_first() -> None:
    model = load_quality_model()
    assert model.content_share > 0.6
    assert min(model.weights[name] for name in CONTENT) > 0.5
    assert model.facts["references"] == 10
    assert "CC BY-NC 4.0" in model.facts["licence_of_data"]


def test_exchanging_candidates_exchanges_the_prediction() -> None:
    model = load_quality_model()
    first, second = np.full(10, 0.7), np.full(10, 0.4)
    assert model.preference(first, second) == pytest.approx(1 - model.preference(second, first))
    assert model.preference(first, first) == 0.5
    assert model.preference(first, second) > 0.9


def test_weights_of_a_file_are_used(tmp_path: Path) -> None:
    only = QualityModel({name: float(name == "length") for name in FEATURES})
    only.save(tmp_path / "weights.json")
    measure = ClaimQuality(model=str(tmp_path / "weights.json"))
    assert measure.name == f"ClaimQuality(model={tmp_path / 'weights.json'})"
    assert only.fingerprint in measure.signature(TestSet.of([PUMP]))
    assert ClaimQuality().signature(TestSet.of([PUMP])) != measure.signature(TestSet.of([PUMP]))
    shorter = TRICKS["every second limitation deleted"](PUMP)
    features = quality_features(compare_profiles(profile_of(PUMP), profile_of(shorter)))
    assert (
        measure.statistics(TestSet.of([PUMP]), [shorter])[0, 0]
        == features[FEATURES.index("length")]
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "expected the format"),
        ({"weights": {"coverage": 1}}, "expected one for each of coverage, support"),
        (
            {"weights": dict.fromkeys(FEATURES, -1)},
            "weight of coverage: expected a number from 0, found -1",
        ),
        ({"weights": dict.fromkeys(FEATURES, True)}, "found True"),
        ({"weights": dict.fromkeys(FEATURES, 0)}, "at least one must be larger than 0"),
    ],
)
def test_broken_weights_are_refused(
    tmp_path: Path, change: dict[str, object], message: str
) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(load_quality_model().to_json() | change), encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load_quality_model(path)


@pytest.mark.parametrize("content", [b"[1]", b"{", b"\xff\xfe", None])
def test_files_that_hold_no_weights_are_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "weights.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"weights\.json"):
        load_quality_model(path)
