"""Gates: thresholds parsed, scores held against them, drops tested."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.data.scores import Estimate, Scores, mean_statistics
from patmark.errors import InputError, UsageError
from patmark.evaluation.gates import (
    GateResult,
    Threshold,
    check_fail_under,
    check_margins,
    check_max_drop,
    parse_threshold,
    parse_thresholds,
    scale_warnings,
)
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import Sampling
from patmark.examples import example_path
from patmark.measures.registry import parse_measure
from patmark.protocols.patsnap.bench_files import read_patsnap
from patmark.protocols.patsnap.scoring import PatsnapOptions, score_patsnap
from patmark.stats import Units, bootstrap_pairs, randomise_pairs, resampled_scores

_SEGMENTS = 60
_PERCENTAGES = ("BLEU", "chrF", "chrF(words=2)", "TER", "overall", "document_accuracy")


def _scores(name: str, **values: list[float] | float) -> Scores:
    """A mean of values per segment, for each system."""
    measure = parse_measure(name)
    rows = [np.broadcast_to(np.asarray(value, float), (_SEGMENTS,)) for value in values.values()]
    statistics = np.stack([np.stack([row, np.ones(_SEGMENTS)], axis=-1) for row in rows])
    return Scores(
        name, f"{name}|x:1|patmark:0.0.1", tuple(values), tuple(map(str, range(_SEGMENTS))),
        statistics, measure, measure.higher_is_better,
    )  # fmt: skip


def _noise(scale: float, seed: int = 0) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.random.default_rng(seed).normal(0.0, scale, _SEGMENTS)


def _drop(now: Scores, before: Scores, allowed: float, trials: int = 999) -> list[GateResult]:
    units = Units.choose([None] * _SEGMENTS)
    name = now.measure
    return check_max_drop({name: now}, {name: before}, [Threshold(name, allowed)], units, trials, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BLEU=30", [Threshold("BLEU", 30.0)]),
        ("  bleu = 3e1 ", [Threshold("BLEU", 30.0)]),
        ("BLEU( tok = zh,n=1 )=-5.5", [Threshold("BLEU(tok=zh,n=1)", -5.5)]),
        ("chrF++=60 , numbers=.9,", [Threshold("chrF(words=2)", 60.0), Threshold("numbers", 0.9)]),
        ("overall=65", [Threshold("overall", 65.0)]),
        ("TER=3,command:m --k=1,2=8", [Threshold("TER", 3.0), Threshold("command:m --k=1,2", 8.0)]),
    ],
)  # fmt: skip
def test_thresholds_are_parsed(text: str, expected: list[Threshold]) -> None:
    assert parse_thresholds(text) == expected
    if len(expected) == 1:
        assert parse_threshold(text) == expected[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no threshold is given"),
        ("BLEU", "'BLEU' is not a threshold; write MEASURE=NUMBER"),
        ("BLEU>=20", "'BLEU>=20' is not a threshold; write BLEU=20: what is worse fails"),
        ("BLEU > 20.5", "write BLEU=20.5:"),
        ("TER<=60", "write TER=60:"),
        ("BLEU=>20", "write BLEU=20:"),
        ("BLEU==20", "write BLEU=20:"),
        ("BLEU≥20", "write BLEU=20:"),
        ("BLEU:20", "write BLEU=20:"),
        ("BLEU 20", "write BLEU=20:"),
        ("BLEU(n=1)>=20", r"write BLEU\(n=1\)=20:"),
        ("=30", "is not a threshold"),
        ("BLEU(n=1)", "is not a threshold"),
        ("BLEU=", "expected a number after the =, found ''"),
        ("BLEU=high", "expected a number after the =, found 'high'"),
        ("BLEU=nan", "expected a number after the ="),
        ("BLEU=inf", "expected a number after the ="),
        ("BLEU=30,bleu=31", "two thresholds for one measure: BLEU"),
    ],
)
def test_bad_thresholds_say_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_thresholds(text)


def test_a_score_under_the_limit_fails() -> None:
    estimates = {
        "BLEU": {"atlas": Estimate(31.234), "borealis": Estimate(29.996), "cobalt": Estimate(30.0)},
        "TER": {"atlas": Estimate(60.5), "borealis": Estimate(59.0), "cobalt": Estimate(60.0)},
    }
    results = check_fail_under(
        estimates, parse_thresholds("TER=60,BLEU=30"), {"BLEU": True, "TER": False}
    )
    assert [(r.measure, r.system, r.passed) for r in results] == [
        ("TER", "atlas", False), ("TER", "borealis", True), ("TER", "cobalt", True),
        ("BLEU", "atlas", True), ("BLEU", "borealis", False), ("BLEU", "cobalt", True),
    ]  # fmt: skip
    assert [r.message for r in results[:4:3]] == [
        "TER of atlas is 60.50, but at most 60.00 is asked for",
        "BLEU of atlas is 31.23; at least 30.00 is asked for",
    ]
    assert results[4].message == "BLEU of borealis is 29.996, but at least 30.000 is asked for"
    assert (results[4].gate, results[4].value, results[4].limit) == ("fail-under", 29.996, 30.0)
    assert results[4].p is None


def test_rounding_does_not_fail_a_perfect_score() -> None:
    estimates = {"BLEU": {"copy": Estimate(99.99999999999997)}}
    [result] = check_fail_under(estimates, [Threshold("BLEU", 100.0)], {"BLEU": True})
    assert result.passed and "is 100.00;" in result.message


@pytest.mark.parametrize("higher", [True, False])
def test_no_value_fails(higher: bool) -> None:
    estimates = {"numbers": {"a": Estimate(math.nan)}}
    [result] = check_fail_under(estimates, [Threshold("numbers", 0.5)], {"numbers": higher})
    assert not result.passed and "numbers of a has no value, but at" in result.message


def test_what_has_no_value_is_null_in_json() -> None:
    [result] = check_fail_under(
        {"BLEU": {"a": Estimate(math.nan)}}, [Threshold("BLEU", 1)], {"BLEU": True}
    )
    found = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert found["value"] is None and found["p"] is None and found["passed"] is False
    [known] = check_fail_under(
        {"BLEU": {"a": Estimate(2.5)}}, [Threshold("BLEU", 1)], {"BLEU": True}
    )
    assert known.to_json() == {
        "gate": "fail-under", "measure": "BLEU", "system": "a", "value": 2.5, "limit": 1,
        "passed": True, "p": None, "message": known.message,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("BLEU=0.3", "30"), ("chrF++=0.5", "50"), ("TER=0.6", "60"), ("overall=0.80", "80"),
        ("document_accuracy=.655", "65.5"),
    ],
)  # fmt: skip
def test_a_threshold_on_the_wrong_scale_is_doubted(text: str, meant: str) -> None:
    [warning] = scale_warnings(parse_thresholds(text), _PERCENTAGES)
    assert "runs from 0 to 100" in warning and warning.endswith(f"is {meant} meant?")


def test_thresholds_on_the_right_scale_are_not_doubted() -> None:
    right = "BLEU=30,TER=0,chrF=1,RIBES=0.7,numbers=0.9,NIST=0.5,unheard-of=0.5"
    assert scale_warnings(parse_thresholds(right), _PERCENTAGES) == []


def test_scores_say_whether_they_are_percentages() -> None:
    names = ("BLEU", "chrF(words=2)", "TER", "RIBES", "numbers", "NIST")
    assert {n for n in names if parse_measure(n).percentage} == {"BLEU", "chrF(words=2)", "TER"}


def test_a_threshold_for_what_was_not_scored() -> None:
    with pytest.raises(UsageError, match="BLUE has a threshold, but it is not scored; there are "):
        check_fail_under({"BLEU": {}}, [Threshold("BLUE", 1.0)], {"BLEU": True})
    units, now = Units.choose([None] * _SEGMENTS), {"RIBES": _scores("RIBES", a=1.0)}
    with pytest.raises(UsageError, match="RIBES has a threshold, but it is not in the baseline"):
        check_max_drop(now, {"TER": now["RIBES"]}, [Threshold("RIBES", 1.0)], units, 99, 0)


def test_a_large_and_real_drop_fails() -> None:
    before = _scores("RIBES", a=0.8 + _noise(0.02, 1))
    now = _scores("RIBES", a=0.7 + _noise(0.02, 2))
    [result] = _drop(now, before, 0.05)
    fell = float(before.system_scores[0] - now.system_scores[0])
    assert not result.passed and result.gate == "max-drop"
    assert (result.value, result.limit) == (pytest.approx(fell), 0.05)
    assert result.p == 1 / 1000
    assert result.message.startswith("RIBES of a went from 0.80 to 0.70: it fell by 0.10, ")
    assert result.message.endswith("and the difference is significant (p = 0.0010)")
    [allowed] = _drop(now, before, 0.2)
    assert allowed.passed and "within the allowed 0.20" in allowed.message
    [gain] = _drop(before, now, 0.05)
    assert gain.passed and gain.value < 0 and gain.message.endswith("it did not become worse")


def test_a_large_drop_by_chance_passes() -> None:
    before, now = (
        _scores("RIBES", a=0.5 + _noise(0.4, 1)),
        _scores("RIBES", a=0.47 + _noise(0.4, 3)),
    )
    [result] = _drop(now, before, 0.0)
    assert result.value > 0 and result.p is not None and result.p > 0.05
    assert result.passed and "but the difference is not significant" in result.message
    assert result.doubtful
    [small] = _drop(now, before, 0.9)
    assert small.passed and not small.doubtful


def test_where_less_is_better_a_rise_fails() -> None:
    before, now = _scores("omission", a=0.1), _scores("omission", a=0.3)
    [result] = _drop(now, before, 0.1)
    assert not result.passed and result.value == pytest.approx(0.2)
    assert "went from 0.10 to 0.30: it rose by 0.20, more than the allowed 0.10" in result.message
    [result] = _drop(before, now, 0.0)
    assert result.passed and result.value == pytest.approx(-0.2)


def test_the_same_scores_do_not_fail() -> None:
    scores = _scores("RIBES", a=0.5 + _noise(0.1))
    [result] = _drop(scores, scores, 0.0)
    assert result.passed and result.value == 0.0 and result.p == 1.0


def test_a_drop_of_just_the_allowed_size_passes() -> None:
    [result] = _drop(_scores("RIBES", a=0.7), _scores("RIBES", a=0.8), 0.1)
    assert result.passed


def test_systems_are_matched_by_name() -> None:
    before = _scores("RIBES", old=0.1, b=0.9, a=0.5)
    now = _scores("RIBES", a=0.4, b=0.9)
    assert [(r.system, r.passed) for r in _drop(now, before, 0.01)] == [("a", False), ("b", True)]
    with pytest.raises(InputError, match="no system 'new'; it has old, b, a"):
        _drop(_scores("RIBES", a=0.4, new=0.9), before, 0.01)


def test_single_systems_are_matched_whatever_they_are_called() -> None:
    [result] = _drop(_scores("RIBES", v2=0.4), _scores("RIBES", v1=0.5), 0.01)
    assert result.system == "v2" and not result.passed
    with pytest.raises(InputError, match="no system 'v2'"):
        _drop(_scores("RIBES", v2=0.4), _scores("RIBES", v1=0.5, v0=0.5), 0.01)


def test_p_is_that_of_the_paired_test() -> None:
    before, now = _scores("RIBES", a=0.6 + _noise(0.3, 5)), _scores("RIBES", a=0.5 + _noise(0.3, 6))
    units = Units.choose([str(i // 3) for i in range(_SEGMENTS)], "document")
    [result] = check_max_drop(
        {"RIBES": now}, {"RIBES": before}, [Threshold("RIBES", 0.0)], units, 500, 7
    )
    pair = np.concatenate([before.statistics, now.statistics])
    [[test]] = randomise_pairs([(pair, now.score)], units, 500, 7)
    assert result.p == test.p and result.value == pytest.approx(test.delta)


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-sacrebleu"])
def test_the_test_of_a_drop_can_be_a_bootstrap(test: Any) -> None:
    before, now = _scores("RIBES", a=0.6 + _noise(0.3, 5)), _scores("RIBES", a=0.5 + _noise(0.3, 6))
    units = Units.choose([None] * _SEGMENTS)
    [result] = check_max_drop(
        {"RIBES": now}, {"RIBES": before}, [Threshold("RIBES", 0.0)], units, 300, 7, test
    )
    pair = np.concatenate([now.statistics, before.statistics])
    [drawn] = resampled_scores([(pair, now.score)], units, 300, 7)
    convention: Any = "sacrebleu" if test == "bootstrap-sacrebleu" else "shift"
    [expected] = bootstrap_pairs(drawn, now.score(pair.sum(axis=1)), convention)
    assert result.p == expected.p and result.value == pytest.approx(-expected.delta)


def test_rows_that_only_one_version_answered_are_left_out_of_a_drop() -> None:
    before = replace(_scores("RIBES", a=0.5 + _noise(0.1)), needs_all=True)
    statistics = before.statistics.copy()
    statistics[0, :10] = 0.0
    now = replace(before, statistics=statistics)
    [result] = _drop(now, before, 0.0)
    assert (result.value, result.p) == (0.0, 1.0)
    assert result.message.endswith("10 rows that only one of the two answered are left out")


def test_a_baseline_of_other_segments_is_refused() -> None:
    before = _scores("RIBES", a=0.5)
    other = replace(before, segments=("0", "x", *before.segments[2:]))
    with pytest.raises(InputError, match="'1' at place 2, where that has 'x'"):
        _drop(other, before, 0.0)
    fewer = replace(before, segments=before.segments[:-1], statistics=before.statistics[:, :-1])
    with pytest.raises(InputError, match="the baseline has 59 segments, the new result has 60"):
        _drop(before, fewer, 0.0)


def test_a_baseline_that_counted_otherwise_is_refused() -> None:
    before, now = _scores("RIBES", a=0.5), _scores("RIBES", a=0.5)
    with pytest.raises(InputError, match="counted RIBES in another way"):
        _drop(now, replace(before, signature="RIBES|x:2|patmark:0.0.1"), 0.0)
    newer = replace(before, signature="RIBES|x:1|patmark:7")
    assert _drop(now, newer, 0.0)[0].passed


def test_what_has_no_value_does_not_pass() -> None:
    known, unknown = _scores("RIBES", a=0.5), _scores("RIBES", a=0.5)
    unknown = replace(unknown, statistics=np.zeros_like(unknown.statistics))
    [result] = _drop(unknown, known, 0.1)
    assert not result.passed and "has no value now" in result.message
    [result] = _drop(known, unknown, 0.1)
    assert not result.passed and "has no value in the baseline" in result.message


def test_gates_that_make_no_sense_are_refused() -> None:
    scores = _scores("RIBES", a=0.5)
    with pytest.raises(UsageError, match="RIBES=-1: an allowed drop must not be negative"):
        _drop(scores, scores, -1.0)
    with pytest.raises(UsageError, match="with 18 trials; at least 19 are needed"):
        _drop(scores, scores, 0.0, trials=18)
    assert _drop(scores, scores, 0.0, trials=19)[0].passed


def test_a_saved_protocol_score_is_compared_on_its_own_scale(tmp_path: Path) -> None:
    folder = example_path("patsnap_cn2en")
    now, before = (
        score_patsnap(test_set, [run], PatsnapOptions(sampling=Sampling(resamples=0)))
        for test_set, run in (
            read_patsnap(folder / f"{name}.jsonl", "cn2en") for name in ("cobalt", "atlas")
        )
    )
    for current, old in (
        (now.segment_measures, before.segment_measures), (now.scores, before.scores),
    ):  # fmt: skip
        save_scores(tmp_path / "old.json", old, before.test_set.documents)
        baseline = read_scores(tmp_path / "old.json").scores
        thresholds = [Threshold(name, 0.5) for name in current]
        results = check_max_drop(current, baseline, thresholds, now.units, 999, 0)
        for result, new in zip(results, current.values(), strict=True):
            change = float(old[result.measure].system_scores[0] - new.system_scores[0])
            assert result.value == pytest.approx(change if new.higher_is_better else -change)
        assert not results[0].passed and results[0].value > 0.5


@pytest.mark.parametrize("by", [None, "segment", "document"])
def test_a_gate_cannot_decide_with_few_documents(by: str | None) -> None:
    """It lets a drop pass, and says that it could not decide and why."""
    before, now = _scores("RIBES", a=0.8), _scores("RIBES", a=0.7 + _noise(0.01))
    units = Units.choose([f"D{row % 5}" for row in range(_SEGMENTS)], by)
    given = ({"RIBES": now}, {"RIBES": before}, [Threshold("RIBES", 0.05)])
    [result] = check_max_drop(*given, units, 999, 0)
    assert result.passed and result.doubtful and result.p is None
    assert "the gate cannot decide whether that is real, and lets it pass" in result.message
    assert "5 documents are too few" in result.message
    [within] = check_max_drop(*given[:2], [Threshold("RIBES", 0.2)], units, 999, 0)
    assert within.passed and not within.doubtful and "within the allowed" in within.message
    enough = Units.choose([f"D{row % 6}" for row in range(_SEGMENTS)], by)
    [decided] = check_max_drop(*given, enough, 999, 0)
    assert not decided.passed and decided.p is not None and "significant" in decided.message


def _margin(now: Scores, before: Scores, margin: float) -> list[GateResult]:
    units = Units.choose([None] * len(now.segments))
    limits = [Threshold(now.measure, margin)]
    return check_margins({now.measure: now}, {now.measure: before}, limits, units)


def test_not_significantly_worse_is_not_shown_to_be_no_worse() -> None:
    """A drop that is too uncertain to be significant passes max-drop, but not a margin."""
    rng = np.random.default_rng(3)
    before = rng.normal(0, 1, _SEGMENTS)
    now = before - 0.2 + rng.normal(0, 1, _SEGMENTS)
    pair = _scores("RIBES", A=now.tolist()), _scores("RIBES", A=before.tolist())
    [drop] = _drop(*pair, 0.1)
    [margin] = _margin(*pair, 0.1)
    assert drop.passed and drop.doubtful and not margin.passed
    assert "a fall of 0.10 is not ruled out" in margin.message
    assert margin.worst is not None and margin.worst > 0.1
    assert margin.to_json()["worst"] == margin.worst


def test_a_drop_of_the_margin_is_ruled_out_by_enough_data() -> None:
    rng = np.random.default_rng(3)
    before = rng.normal(0, 1, _SEGMENTS)
    now = before + rng.normal(0, 0.2, _SEGMENTS)
    [result] = _margin(_scores("RIBES", A=now.tolist()), _scores("RIBES", A=before.tolist()), 0.1)
    assert result.passed and "a fall of 0.10 or more is ruled out" in result.message
    assert result.worst is not None and result.worst < 0.1


def test_what_has_no_value_does_not_keep_to_a_margin() -> None:
    nothing = _scores("RIBES", A=[math.nan] * _SEGMENTS)
    [result] = _margin(nothing, _scores("RIBES", A=[1.0] * _SEGMENTS), 0.5)
    assert not result.passed and "has no value now" in result.message


def test_a_margin_is_not_shown_with_few_documents() -> None:
    before = _scores("RIBES", A=0.8)
    units = Units.choose([f"D{row % 5}" for row in range(_SEGMENTS)])
    given = {"RIBES": _scores("RIBES", A=0.8 + _noise(0.001))}, {"RIBES": before}
    [result] = check_margins(*given, [Threshold("RIBES", 0.1)], units)
    assert not result.passed and result.p is None
    assert "cannot be ruled out: 5 documents are too few" in result.message


@pytest.mark.parametrize(("segments", "passes"), [(3, False), (60, False), (400, True)])
def test_a_rise_of_a_rate_that_nobody_saw_is_ruled_out_by_many_segments_only(
    segments: int, passes: bool
) -> None:
    none = replace(
        parse_measure("omission").described(),
        systems=("A",), segments=tuple(map(str, range(segments))),
        statistics=mean_statistics(np.zeros((1, segments))),
    )  # fmt: skip
    [result] = _margin(none, none, 0.01)
    assert result.passed == passes
    assert ("or more is ruled out (p = 0.0" in result.message) == passes


def test_messages_have_the_digits_that_show_the_comparison() -> None:
    noise = _noise(0.0001)
    before, now = _scores("RIBES", a=1.0), _scores("RIBES", a=0.992 + noise - noise.mean())
    [result] = _drop(now, before, 0.001)
    told = "from 1.000 to 0.992: it fell by 0.008, more than the allowed 0.001"
    assert told in result.message
    [near] = _drop(now, before, 0.008 - 1e-6)
    assert "it fell by 0.008000, more than the allowed 0.007999," in near.message
    [bound] = check_fail_under(
        {"RIBES": {"a": Estimate(0.8499, None, 60)}}, [Threshold("RIBES", 0.85)], {"RIBES": True}
    )
    assert bound.message == "RIBES of a is 0.8499, but at least 0.8500 is asked for"


def test_messages_of_margins_show_no_zero_where_there_is_something() -> None:
    noise = _noise(0.0001)
    before = _scores("RIBES", a=0.5)
    [better] = _margin(_scores("RIBES", a=0.502 + noise - noise.mean()), before, 0.001)
    assert better.passed and "of 0.001 or more is ruled out (p < 0.0001)" in better.message
    assert better.message.endswith("at 95 % it is a rise of at least 0.002")
    [same] = _margin(before, before, 0.1)
    assert same.message.endswith("a fall of 0.10 or more is ruled out (p < 0.0001); "
                                 "at 95 % it is at most 0.00")  # fmt: skip


def test_the_bootstrap_cannot_decide_with_three_segments() -> None:
    before, now = (
        replace(whole, segments=whole.segments[:3], statistics=whole.statistics[:, :3])
        for whole in (_scores("RIBES", a=0.8), _scores("RIBES", a=0.5 + _noise(0.1)))
    )
    units = Units.choose([None] * 3)
    given = ({"RIBES": now}, {"RIBES": before}, [Threshold("RIBES", 0.05)], units, 999, 0)
    [result] = check_max_drop(*given, "bootstrap")
    assert result.passed and result.doubtful and result.p is None
    assert "3 segments are too few for the bootstrap" in result.message
