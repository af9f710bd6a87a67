"""Rankings from judgements and preferences: averages, pairwise scores, rates, sign tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from patmark.errors import InputError, UsageError
from patmark.evaluation.comparison import CompareSettings
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import Sampling
from patmark.human.judgements.checks import check_judgements, check_preferences
from patmark.human.judgements.files import HumanData, read_human_files
from patmark.human.judgements.model import (
    Judgement,
    Judgements,
    Preference,
    Preferences,
    parse_scale,
)
from patmark.human.judgements.ranking import (
    Wins,
    grade_wins,
    judged_part,
    preference_wins,
    rank_humans,
    sign_pairs,
)
from patmark.human.judgements.report import HumanEvaluation
from patmark.human.judgements.scores import human_scores
from patmark.report import to_json_text
from patmark.stats import ntcir_mark

_FAST = CompareSettings(Sampling(resamples=50), trials=200)


def _judged(
    grades: Mapping[str, Sequence[object]], criterion: str = "adequacy", evaluator: str = "e1"
) -> list[Judgement]:
    """Grades of each system, segment by segment; None where there is none."""
    return [
        Judgement(evaluator, system, str(place), criterion, str(value))
        for system, values in grades.items()
        for place, value in enumerate(values, 1)
        if value is not None
    ]


# The example of the definition: three systems, four sentences.
_EXAMPLE = {"A": [4, 3, 2, 4], "B": [4, 2, 3, 1], "C": [1, 2, 2, 4]}


def _ordinal(values: Sequence[int]) -> list[str]:
    return [("F", "C", "B", "A", "AA")[value - 1] for value in values]


def test_pairwise_scores_of_ordinal_grades_by_hand() -> None:
    rows = _judged({name: _ordinal(v) for name, v in _EXAMPLE.items()}, "acceptability")
    [one] = rank_humans(check_judgements(rows), settings=_FAST).rankings
    values = {name: estimate.value for name, estimate in one.measured.estimates.items()}
    assert values == {"A": 0.6875, "B": 0.5, "C": 0.3125}
    assert one.score == "pairwise" and one.measured.ranking == ("A", "B", "C")


def test_averages_and_cumulative_rates_by_hand() -> None:
    [one] = rank_humans(check_judgements(_judged(_EXAMPLE)), settings=_FAST).rankings
    assert one.measured.estimates["A"].value == 3.25
    rates = {grade: by_system["A"].value for grade, by_system in one.rates.items()}
    assert rates == {"5": 0, "4": 0.5, "3": 0.75, "2": 1}
    # NTCIR-9, tables 5, 9, 13: the average is one plus all rates.
    assert one.measured.estimates["A"].value == 1 + sum(rates.values())


def test_human_of_ntcir7_is_adequacy_plus_fluency() -> None:
    rows = _judged(_EXAMPLE) + _judged({"A": [5] * 4, "B": [3] * 4, "C": [1] * 4}, "fluency")
    ranking = rank_humans(check_judgements(rows), settings=_FAST)
    human = ranking.rankings[-1]
    assert (human.criterion, human.score) == ("human", "sum")
    assert human.measured.estimates["A"].value == 8.25
    assert set(ranking.scores) == {"adequacy", "fluency", "human"}


@pytest.mark.parametrize(
    ("wins", "losses", "p", "marked"),
    # scipy 1.17.1 binomtest
    [(12, 3, 0.035156, ">"), (9, 1, 0.021484, ">"), (60, 38, 0.033360, ">"), (7, 7, 1.0, "-"),
     (1, 0, 1.0, "-"), (10, 0, 0.001953, "≫")],
)  # fmt: skip
def test_sign_tests_are_those_of_scipy(wins: int, losses: int, p: float, marked: str) -> None:
    grades = {"A": [5] * wins + [2] * losses + [3] * 4, "B": [4] * wins + [3] * losses + [3] * 4}
    [one] = rank_humans(check_judgements(_judged(grades)), settings=_FAST).rankings
    [pair] = one.signs
    assert (pair.test.wins, pair.test.losses, pair.test.ties) == (wins, losses, 4)
    assert pair.test.p == pytest.approx(p, abs=1e-6) and ntcir_mark(pair.test.p) == marked
    assert pair.p_holm == pair.test.p  # two systems need no correction


def test_holm_stands_beside_the_sign_test() -> None:
    """scipy 1.17.1 binomtest, statsmodels 0.15.0 multipletests(method="holm")."""
    wins = Wins(np.zeros((1, 3, 3)), np.zeros((1, 3, 3)), np.full((3, 15), np.nan))
    for pair, (won, lost) in enumerate([(12, 3), (9, 1), (7, 7)]):
        wins.differences[pair, : won + lost] = [1] * won + [-1] * lost
    plain = sign_pairs("ABC", wins, corrected=False)
    holm = sign_pairs("ABC", wins, corrected=True)
    assert [one.p_holm for one in plain] == [one.test.p for one in holm]
    assert [one.p_holm for one in holm] == pytest.approx([0.070312, 0.064453, 1], abs=1e-6)


def test_evaluators_of_one_segment_count_once_in_a_sign_test() -> None:
    grades = np.array([[[3.0, 4], [2, 5]], [[3, 4], [2, 3]], [[1, np.nan], [5, np.nan]]])
    assert grade_wins(grades, ordinal=True).differences.tolist() == [[pytest.approx(1 / 3), 0]]
    by_mean = grade_wins(grades, ordinal=False)
    assert by_mean.differences.tolist() == [[pytest.approx(-2 / 3), 0]]
    assert by_mean.wins[:, 0, 1].tolist() == [2, 1] and by_mean.wins[:, 1, 0].tolist() == [1, 1]


def _preferences(*choices: tuple[str, str, str | None]) -> Preferences:
    return check_preferences(
        [Preference("e1", str(place), *choice) for place, choice in enumerate(choices)]
    )


def test_preferences_give_wins_and_strengths() -> None:
    chosen = [("A", "B", "A")] * 3 + [("B", "A", "B")] + [("B", "C", "B")] * 2
    data = _preferences(*chosen, ("C", "B", "C"), ("A", "C", None))
    [one] = rank_humans(None, data, settings=_FAST).rankings
    values = {name: estimate.value for name, estimate in one.measured.estimates.items()}
    assert values == {"A": 3.5 / 5, "B": 3 / 7, "C": 1.5 / 4} and one.score == "wins"
    signs = {(pair.first, pair.second): pair.test for pair in one.signs}
    assert (signs["A", "B"].wins, signs["A", "B"].losses) == (3, 1)
    assert signs["A", "C"].ties == 1 and not one.strengths.prior
    strengths = [estimate.value for estimate in one.strengths.strengths]
    assert sum(strengths) == pytest.approx(0) and strengths[0] == max(strengths)


def test_segments_without_a_comparison_are_not_ties() -> None:
    wins = preference_wins(_preferences(("A", "B", "A"), ("B", "C", None)))
    assert np.isnan(wins.differences).sum() == 4
    assert np.nansum(wins.differences) == 1


def test_grades_and_preferences_share_one_axis(tmp_path: Path) -> None:
    ranking = rank_humans(
        check_judgements(_judged(_EXAMPLE)), _preferences(("A", "D", "D")), settings=_FAST
    )
    assert [one.criterion for one in ranking.rankings] == ["adequacy", "preference"]
    shapes = {(one.systems, one.segments) for one in ranking.scores.values()}
    assert shapes == {(("A", "B", "C", "D"), ("1", "2", "3", "4", "0"))}
    path = tmp_path / "human.json.gz"
    save_scores(path, ranking.scores, ranking.documents)
    saved = read_scores(path).scores
    for name, one in ranking.scores.items():
        np.testing.assert_array_equal(saved[name].system_scores, one.system_scores)


def test_only_judged_systems_and_segments_enter_a_ranking() -> None:
    some = _judged({"A": ["AA", "B"], "B": ["C", "F"]}, "acceptability")
    ranking = rank_humans(check_judgements([*_judged(_EXAMPLE), *some]), settings=_FAST)
    acceptability = ranking.rankings[1]
    assert acceptability.systems == ("A", "B")
    assert acceptability.comparison.units.count == 2
    report = HumanEvaluation(HumanData(None, None), ranking).to_report()
    assert next(row for row in report.tables[0].rows if row[0] == "C")[2:] == (None,)


def test_the_judged_part_of_scores() -> None:
    rows = _judged(_EXAMPLE) + _judged({"A": [None, "B"], "B": [None, "F"]}, "acceptability")
    human = human_scores(check_judgements(rows))
    kept, documents = judged_part(human.scores["acceptability"], ["d1", "d2", "d3", "d4"])
    assert (kept.systems, kept.segments, documents) == (("A", "B"), ("2",), ("d2",))
    assert kept.statistics.shape == (2, 1, 2)
    [_, ranked] = rank_humans(check_judgements(rows), settings=_FAST).rankings
    assert ranked.measured.estimates["A"].value == kept.system_scores[0]


def test_choices_that_were_not_made_are_noticed() -> None:
    rows = [Preference("e1", str(n), "A", "B", "A") for n in range(6)]
    rows += [Preference("e1", str(n), "A", "C", "A") for n in range(6)]
    rows += [Preference("e2", "0", "A", "B", "A")]
    ranking = rank_humans(None, check_preferences(rows), settings=_FAST)
    assert [text.split(" (")[0] for text in ranking.notices] == [
        "preference: not everyone judged as many segments as e1",
        "preference: e2 did not finish 1 segment",
    ]
    report = HumanEvaluation(HumanData(None, None), ranking).to_report()
    work = next(table for table in report.tables if table.title == "Segments of each evaluator")
    assert work.rows == (("preference", "e1", 6, 6, 12), ("preference", "e2", 1, 0, 1))


def test_unfinished_segments_are_left_out_or_kept_on_request() -> None:
    data = check_judgements(_judged({"A": [4, 5, 3], "B": [3, 2, 1], "C": [2, None, 2]}))
    ranking = rank_humans(data, settings=_FAST)
    assert [str(one) for one in ranking.exclusions] == [
        "adequacy: e1 did not finish segment 2 (no grade for C); 2 judgements left out"
    ]
    assert ranking.rankings[0].measured.estimates["A"].value == 3.5
    kept = rank_humans(data, settings=_FAST, whole_segments=False)
    assert kept.rankings[0].measured.estimates["A"].value == 4 and not kept.exclusions
    [ab, *_] = kept.rankings[0].signs
    assert (ab.test.wins, ab.test.losses) == (3, 0)


def _campaign(noise: float | None) -> Judgements:
    """Three evaluators with segments of their own; without a noise they grade at random."""
    rng = np.random.default_rng(5)
    rows = []
    for evaluator in ("e1", "e2", "e3"):
        for system, quality in {"A": 4.0, "B": 3.0, "C": 2.0}.items():
            grades = (
                rng.integers(1, 6, 40)
                if noise is None
                else np.clip(np.round(quality + noise * rng.normal(size=40)), 1, 5).astype(int)
            )
            rows += [
                Judgement(evaluator, system, f"{evaluator}.{place}", "adequacy", str(grade))
                for place, grade in enumerate(grades)
            ]
    return check_judgements(rows)


def test_perfect_evaluators_tell_systems_apart_and_random_ones_do_not() -> None:
    settings = CompareSettings(Sampling(resamples=100), trials=2000)
    [perfect] = rank_humans(_campaign(0), settings=settings).rankings
    assert perfect.measured.clusters == (("A",), ("B",), ("C",))
    assert {ntcir_mark(pair.p_holm) for pair in perfect.signs} == {"≫"}
    assert perfect.strengths.prior and len(perfect.strengths.components) == 3
    [random] = rank_humans(_campaign(None), settings=settings).rankings
    assert len(random.measured.clusters) == 1
    assert {ntcir_mark(pair.p_holm) for pair in random.signs} == {"-"}


def test_criteria_together_have_a_verdict_corrected_over_them() -> None:
    """A is better in every segment: by adequacy in 7 of them, by clarity in 20."""
    settings = CompareSettings(Sampling(resamples=50), trials=2000)
    even = [3, 4] * 10
    rows = _judged({"A": [5, *[4] * 6], "B": [3] * 7}, "adequacy")
    rows += _judged({"A": [5] * 20, "B": even}, "clarity")
    rows += _judged({"A": even, "B": even[::-1]}, "quality")
    judgements = check_judgements(rows)
    ranking = rank_humans(judgements, settings=settings)
    by = {one.criterion: one.measured.pairs[0] for one in ranking.rankings}
    assert by["adequacy"].significant and by["clarity"].significant
    assert by["adequacy"].p_family == pytest.approx(2 * by["adequacy"].p)
    assert by["clarity"].p_family == pytest.approx(3 * by["clarity"].p)
    found = ranking.to_json()
    assert found["verdict"]["measures"] == ["adequacy", "clarity", "quality"]
    [pair] = found["verdict"]["pairs"]
    assert (pair["better"], pair["worse"]) == ("A", "B") and "clarity" in pair["measures"]
    assert found["criteria"]["clarity"]["pairs"][0]["significant_family"]
    told = HumanEvaluation(HumanData(judgements, None), ranking).to_json()["findings"]
    assert any(one.startswith("3 criteria together, at 5 % after Holm over them:") for one in told)


def test_results_follow_from_the_seed_and_are_plain_json() -> None:
    results = [to_json_text(rank_humans(_campaign(1), settings=_FAST).to_json()) for _ in range(2)]
    assert results[0] == results[1]


def test_what_cannot_be_ranked_is_refused() -> None:
    with pytest.raises(UsageError, match="no judgements and no preferences"):
        rank_humans(None)
    scale = parse_scale("preference2=1..5")
    rows = _judged(_EXAMPLE, "preference2")
    chosen = check_preferences([Preference("e1", "1", "A", "B", "A", criterion="preference2")])
    with pytest.raises(UsageError, match="both graded and chosen"):
        rank_humans(check_judgements(rows, scales=[scale]), chosen, settings=_FAST)


def test_one_system_alone_has_scores_and_no_ranking() -> None:
    found = rank_humans(check_judgements(_judged({"A": [1, 2]})), settings=_FAST)
    assert found.rankings == () and found.alone["adequacy"]["A"].value == 1.5


def test_a_grade_that_stands_in_two_files_is_found(tmp_path: Path) -> None:
    header = "evaluator,system,segment,criterion,value\n"
    paths = [tmp_path / f"{name}.csv" for name in ("a", "b")]
    for path, value in zip(paths, "34", strict=True):
        path.write_text(f"{header}e1,A,1,adequacy,{value}\n", encoding="utf-8")
    said = r"b\.csv:2: 'e1' graded adequacy of 'A', segment '1', already in .*a\.csv:2"
    with pytest.raises(InputError, match=said):
        read_human_files(paths)


def test_a_criterion_of_one_system_is_named_and_left_out_beside_others() -> None:
    rows = [
        Judgement("e", system, segment, "clarity", grade)
        for segment in ("s1", "s2")
        for system, grade in (("A", "7"), ("B", "6"))
    ]
    optional = Judgement("e", "A", "s1", "overall", "7")
    done = rank_humans(check_judgements([*rows, optional]))
    assert [one.criterion for one in done.rankings] == ["clarity"]
    assert "overall: fewer than two systems were judged, so it gives no ranking" in done.notices


def test_few_known_documents_leave_the_ranking_without_marks_and_groups() -> None:
    rng = np.random.default_rng(3)
    rows = [
        Judgement("e1", system, str(place), "adequacy", str(low + rng.integers(2)))
        for system, low in (("A", 4), ("B", 1))
        for place in range(40)
    ]
    known = {str(place): f"D{place % 4}" for place in range(40)}
    few = [replace(row, document=known[row.segment]) for row in rows]
    for given, tested in ((rows, True), (few, False)):
        found = rank_humans(check_judgements(given), settings=_FAST)
        [one] = found.rankings
        [sign] = one.signs
        assert (one.measured.clusters is not None) == tested
        assert (sign.mark(), sign.mark(corrected=True)) == (("≫", "≫") if tested else (None, None))
        [pair] = one.to_json()["pairs"]
        assert pair["significant"] == tested and (pair["mark"] is not None) == tested
        assert (one.to_json()["rank_ranges"] is not None) == tested
        tables = {
            table.title: table
            for table in HumanEvaluation(HumanData(None, None), found).to_report().tables
        }
        ranks = [column.title for column in tables["Ranking by adequacy"].columns][-3:]
        assert (ranks == ["group", "best rank", "worst rank"]) == tested
        overview = tables["Scores and groups" if tested else "Scores"]
        assert ("opens a group" in overview.note) == tested
        assert ("No groups: 4 documents are too few" in overview.note) != tested
        assert ("adequacy group" in [column.title for column in overview.columns]) == tested
        shown = [column.title for column in tables["Differences by adequacy"].columns]
        assert ("p sign" in shown) == ("p permutation" in shown) == tested


def test_of_two_systems_with_equal_grades_none_is_called_better() -> None:
    rows = _judged({"A": ["5", "3"] * 5, "B": ["3", "5"] * 5}, "adequacy")
    found = rank_humans(check_judgements(rows), settings=_FAST)
    report = HumanEvaluation(HumanData(None, None), found).to_report()
    [table] = [one for one in report.tables if one.title.startswith("Differences by")]
    assert [row[:2] for row in table.rows] == [("A = B", None)]


def test_grades_of_several_evaluators_have_z_scores_by_hand() -> None:
    """The second evaluator gives half the points; in her own standard deviations she agrees."""
    rows = [
        *_judged({"A": [10, 8, 8], "B": [6, 2, 4]}, evaluator="e1"),
        *_judged({"A": [6, 5, 5], "B": [4, 2, 3]}, evaluator="e2"),
    ]
    [one] = rank_humans(
        check_judgements(rows, scales=[parse_scale("adequacy=0..10")]), settings=_FAST
    ).rankings
    first, second = np.array([10, 8, 8, 6, 2, 4.0]), np.array([6, 5, 5, 4, 2, 3.0])
    z = np.mean([(own - own.mean()) / own.std(ddof=1) for own in (first, second)], axis=0)
    values = {name: estimate.value for name, estimate in one.z_scores.items()}
    assert values == pytest.approx({"A": z[:3].mean(), "B": z[3:].mean()})
    assert set(one.to_json()["z_scores"]) == {"A", "B"}


def test_one_evaluator_and_ordinal_grades_have_no_z_scores() -> None:
    [alone] = rank_humans(check_judgements(_judged(_EXAMPLE)), settings=_FAST).rankings
    grades = {name: _ordinal(values) for name, values in _EXAMPLE.items()}
    rows = [
        one for name in ("e1", "e2") for one in _judged(grades, "acceptability", evaluator=name)
    ]
    [ordinal] = rank_humans(check_judgements(rows), settings=_FAST).rankings
    assert alone.z_scores == ordinal.z_scores == {}
