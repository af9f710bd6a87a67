from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from patmark.errors import UsageError
from patmark.evaluation.comparison import CompareSettings, compare
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import Sampling
from patmark.human.judgements.checks import check_judgements, check_preferences
from patmark.human.judgements.model import Judgement, Judgements, Preference
from patmark.human.judgements.ranking import judged_part
from patmark.human.judgements.scores import human_scores, preference_scores, sum_scores

# Adequacy, zh-en, of NTCIR-9 PatentMT: the published average, and the rates of grade 5 and of
# grades from 4, 3, 2 on, over 300 judgements.
_NTCIR9_ADEQUACY = {
    "BBN-1": (4.033, (0.397, 0.700, 0.940, 0.997)),
    "NEU-1": (3.510, (0.237, 0.460, 0.827, 0.987)),
    "RWTH-1": (3.420, (0.210, 0.417, 0.797, 0.997)),
    "LIUM-1": (3.403, (0.193, 0.420, 0.800, 0.990)),
}
_LETTERS = "FCBA"


def _campaign() -> Judgements:
    """Three evaluators with 100 segments each, as in NTCIR-9, with the published grades."""
    rows = []
    for system, (_, rates) in _NTCIR9_ADEQUACY.items():
        reached = [round(rate * 300) for rate in rates]
        grades = [1 + sum(place < count for count in reached) for place in range(300)]
        rows += [
            Judgement(
                f"e{place // 100}", system, f"s{place}", "adequacy", str(grade), f"P{place // 10}"
            )
            for place, grade in enumerate(grades)
        ]
    return check_judgements(rows)


def test_published_means_and_rates_of_ntcir9() -> None:
    result = human_scores(_campaign())
    means = [mean for mean, _ in _NTCIR9_ADEQUACY.values()]
    assert result.scores["adequacy"].system_scores == pytest.approx(means, abs=0.0005)
    for place, grade in enumerate("5432"):
        rates = [values[place] for _, values in _NTCIR9_ADEQUACY.values()]
        found = result.scores[f"adequacy>={grade}"].system_scores
        assert found == pytest.approx(rates, abs=0.0005)
    assert list(result.scores) == ["adequacy", *(f"adequacy>={grade}" for grade in "5432")]
    assert result.exclusions == () and result.notices == ()


def test_the_signature_says_what_the_number_rests_on() -> None:
    scores = human_scores(_campaign()).scores["adequacy"]
    assert scores.signature.startswith(
        "adequacy|criterion:adequacy|scale:1..5|score:mean|evaluators:3|items:300|judgements:1200|"
        "unfinished:excluded|excluded:0|over:mean|patmark:"
    )


def _graded(grades: list[list[int]], criterion: str, evaluator: str = "e") -> list[Judgement]:
    return [
        Judgement(evaluator, f"S{system}", str(segment), criterion, value)
        for system, row in enumerate(grades)
        for segment, grade in enumerate(row)
        for value in [_LETTERS[grade - 1] if criterion == "acceptability" else str(grade)]
    ]


def test_ordinal_grades_give_the_pairwise_score() -> None:
    # The worked example of the NTCIR-9 rule, done by hand.
    rows = _graded([[4, 3, 2, 4], [4, 2, 3, 1], [1, 2, 2, 4]], "acceptability")
    scores = human_scores(check_judgements(rows)).scores["acceptability"]
    assert scores.system_scores == pytest.approx([0.6875, 0.5, 0.3125])
    assert scores.statistics[:, :, 1].tolist() == [[2.0] * 4] * 3
    assert "|scale:F,C,B,A,AA|score:pairwise|" in scores.signature


def test_several_evaluators_add_up_their_comparisons() -> None:
    rows = _graded([[4, 3], [1, 3]], "acceptability", "e1")
    rows += _graded([[2, 2], [3, 2]], "acceptability", "e2")
    scores = human_scores(check_judgements(rows)).scores["acceptability"]
    assert scores.statistics.tolist() == [[[1, 2], [1, 2]], [[1, 2], [1, 2]]]


def test_interval_grades_are_averaged_over_evaluators_then_segments() -> None:
    rows = [
        Judgement("e1", "A", "1", "adequacy", "5"),
        Judgement("e2", "A", "1", "adequacy", "2"),
        Judgement("e1", "A", "2", "adequacy", "1"),
    ]
    scores = human_scores(check_judgements(rows)).scores["adequacy"]
    assert scores.statistics.tolist() == [[[3.5, 1], [1, 1]]]
    assert scores.system_scores.tolist() == [2.25]
    rate = human_scores(check_judgements(rows)).scores["adequacy>=4"]
    assert rate.measure == "adequacy>=4" and rate.segment_scores.tolist() == [[0.5, 0.0]]


def test_adequacy_and_fluency_add_up_where_both_were_judged() -> None:
    rows = [
        Judgement("e1", "A", "1", "adequacy", "5"),
        Judgement("e1", "A", "1", "fluency", "3"),
        Judgement("e1", "A", "2", "adequacy", "1"),
    ]
    data = check_judgements(rows)
    scores = human_scores(data, rates=False).scores
    assert list(scores) == ["adequacy", "fluency", "human"]
    assert scores["human"].statistics.tolist() == [[[8, 1], [0, 0]]]
    assert scores["human"].signature.startswith(
        "human|sum:adequacy+fluency|scale:1..5+1..5|evaluators:1|items:2|judgements:3|"
    )
    mixed = check_judgements([*rows, Judgement("e1", "A", "1", "acceptability", "A")])
    with pytest.raises(UsageError, match="'acceptability' have no numbers"):
        sum_scores(mixed, ("adequacy", "acceptability"))


def test_unfinished_segments_are_left_out_and_counted() -> None:
    rows = _graded([[4, 3], [4, 2]], "adequacy")[:-1]
    result = human_scores(check_judgements(rows), rates=False)
    assert result.scores["adequacy"].statistics.tolist() == [[[4, 1], [0, 0]]] * 2
    assert [str(one) for one in result.exclusions] == [
        "adequacy: e did not finish segment 1 (no grade for S1); 1 judgement left out"
    ]
    assert "|unfinished:excluded|excluded:1|" in result.scores["adequacy"].signature
    kept = human_scores(check_judgements(rows), rates=False, whole_segments=False)
    assert kept.scores["adequacy"].statistics.tolist() == [[[4, 1], [3, 1]], [[4, 1], [0, 0]]]
    assert "|unfinished:kept|excluded:0|" in kept.scores["adequacy"].signature


def test_single_outputs_per_evaluator_are_not_thrown_away_without_a_word() -> None:
    rows = [Judgement("e1", "A", "1", "da", "70"), Judgement("e2", "B", "1", "da", "60")]
    with pytest.raises(
        UsageError,
        match=r"no evaluator graded all 2 systems.*keep_unfinished= counts single outputs",
    ):
        human_scores(check_judgements(rows))
    scores = human_scores(check_judgements(rows), whole_segments=False).scores["da"]
    assert scores.system_scores.tolist() == [70, 60]


def test_only_the_main_phase_counts() -> None:
    rows = [
        Judgement("e1", "A", "1", "adequacy", "5"),
        Judgement("e1", "A", "1", "adequacy", "1", phase="repeat"),
        Judgement("e1", "Z", "9", "adequacy", "1", phase="training"),
    ]
    result = human_scores(check_judgements(rows), rates=False)
    assert result.scores["adequacy"].systems == ("A",)
    assert result.scores["adequacy"].statistics.tolist() == [[[5, 1]]]
    assert result.notices == (
        "adequacy: 1 judgement of phase repeat does not enter results",
        "adequacy: 1 judgement of phase training does not enter results",
    )
    with pytest.raises(UsageError, match="no judgements of the main phase"):
        human_scores(check_judgements(rows[1:]))


def test_preferences_give_the_share_of_wins() -> None:
    rows = [
        Preference("e1", "1", "A", "B", "A"),
        Preference("e2", "1", "B", "A", None),
        Preference("e1", "2", "A", "C", "C"),
        Preference("e1", "3", "A", "C", "C", phase="training"),
    ]
    scores = preference_scores(check_preferences(rows))
    assert scores.systems == ("A", "B", "C") and scores.segments == ("1", "2")
    assert scores.statistics.tolist() == [
        [[1.5, 2], [0, 1]],
        [[0.5, 2], [0, 0]],
        [[0, 0], [1, 1]],
    ]
    assert scores.system_scores == pytest.approx([0.5, 0.25, 1.0])
    assert "|evaluators:2|items:2|judgements:3|excluded:0|over:mean|" in scores.signature
    with pytest.raises(UsageError, match="no preferences of the main phase"):
        preference_scores(check_preferences(rows[3:]))


_SETTINGS = CompareSettings(sampling=Sampling(resamples=100), trials=100)


def _with_letters(*systems: str) -> Judgements:
    """The campaign, and acceptability of some systems with the same order of grades."""
    rows = _campaign().rows
    letters = ("F", "C", "B", "A", "AA")
    graded = [
        replace(row, criterion="acceptability", value=letters[int(row.value) - 1])
        for row in rows
        if row.system in systems
    ]
    return check_judgements([*rows, *graded])


def test_a_criterion_of_some_systems_is_compared_without_the_others() -> None:
    result = human_scores(_with_letters("NEU-1", "BBN-1"), rates=False)
    scores = result.scores["acceptability"]
    assert len(scores.systems) == 4 and np.isnan(scores.system_scores).sum() == 2
    judged, documents = judged_part(scores, result.documents)
    comparison = compare({"acceptability": judged}, documents, _SETTINGS)
    assert comparison.measures["acceptability"].ranking == ("BBN-1", "NEU-1")
    assert judged_part(judged, documents)[0].systems == judged.systems


def test_human_scores_are_compared_and_saved_like_any_measure(tmp_path: Path) -> None:
    result = human_scores(_with_letters(*_NTCIR9_ADEQUACY))
    comparison = compare(result.scores, result.documents, _SETTINGS)
    assert comparison.units.count == 30
    assert comparison.measures["adequacy"].ranking[0] == "BBN-1"
    assert comparison.measures["acceptability"].ranking[0] == "BBN-1"
    signs = [
        [(pair.sign.wins, pair.sign.losses, pair.sign.ties) for pair in one.pairs]
        for one in (comparison.measures["adequacy"], comparison.measures["acceptability"])
    ]
    assert signs[0] == signs[1]  # the sign test needs the order of grades only
    path = tmp_path / "scores.json"
    save_scores(path, result.scores, result.documents)
    back = read_scores(path)
    assert list(back.scores) == list(result.scores) and back.documents == result.documents
    for name, scores in result.scores.items():
        assert back.scores[name].signature == scores.signature
        np.testing.assert_array_equal(back.scores[name].statistics, scores.statistics)
        np.testing.assert_allclose(back.scores[name].system_scores, scores.system_scores)


def test_preference_scores_are_saved_and_compared_too(tmp_path: Path) -> None:
    rows = [
        Preference("e", str(segment), "A", "B", ("A", "A", "B", None)[segment % 4])
        for segment in range(40)
    ]
    data = check_preferences(rows)
    scores = {"preference": preference_scores(data)}
    assert compare(scores, data.documents, _SETTINGS).measures["preference"].ranking == ("A", "B")
    save_scores(tmp_path / "scores.json", scores, data.documents)
    back = read_scores(tmp_path / "scores.json").scores["preference"]
    assert back.system_scores == pytest.approx([0.625, 0.375])
