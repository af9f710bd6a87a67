"""Scores from error annotations: MQM and ESA, by weights, by length, by evaluator and by kind."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.data.annotations import Annotation, Annotations, Rating
from patmark.errors import UsageError
from patmark.evaluation.comparison import CompareSettings, compare
from patmark.evaluation.error_marks import (
    WEIGHTS,
    error_counts,
    esa_scores,
    fitting_weights,
    mqm_scores,
    part_scores,
    source_lengths,
    weights_called,
    z_by_evaluator,
)
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import Sampling


def mark(system: str, segment: str, evaluator: str, category: str, severity: str) -> Annotation:
    return Annotation(system, segment, evaluator, 0, 1, "target", category, severity)


TWO_RATERS = Annotations(
    tuple(
        Rating(system, segment, evaluator, score, f"d{segment}")
        for system, segment, evaluator, score in (
            ("A", "1", "ann", 60.0),
            ("A", "1", "bob", 80.0),
            ("A", "2", "ann", 100.0),
            ("B", "1", "ann", 50.0),
            ("B", "2", "bob", None),
        )
    ),
    (
        mark("A", "1", "ann", "Accuracy/Mistranslation", "major"),
        mark("A", "1", "ann", "Fluency/Punctuation", "minor"),
        mark("A", "1", "bob", "Style/Awkward", "minor"),
        mark("B", "1", "ann", "Fluency/Punctuation", "major"),
        mark("B", "2", "bob", "Non-translation!", "major"),
        mark("B", "2", "bob", "Style/Awkward", "neutral"),
    ),
)


def test_raters_are_averaged_before_segments() -> None:
    """(5.1 + 1) / 2 for the first segment of A, 0 for the second; 5 and 25 for B."""
    scores = mqm_scores(TWO_RATERS, WEIGHTS["wmt"])
    assert scores.systems == ("A", "B") and scores.segments == ("1", "2")
    assert scores.segment_scores == pytest.approx(np.array([[-3.05, 0.0], [-5.0, -25.0]]))
    assert scores.system_scores == pytest.approx([-1.525, -15.0])
    assert scores.higher_is_better and "weights:wmt" in scores.signature
    assert "evaluators:2" in scores.signature and "ratings:5" in scores.signature


def test_esa_is_the_mean_of_the_grades_that_were_given() -> None:
    scores = esa_scores(TWO_RATERS)
    assert scores is not None and scores.bounds == (0.0, 100.0)
    assert scores.system_scores == pytest.approx([85.0, 50.0])
    assert esa_scores(Annotations((Rating("A", "1", "ann"),), ())) is None


@pytest.mark.parametrize(
    ("weights", "category", "severity", "points"),
    [
        ("wmt", "Accuracy/Addition", "Major", 5.0),
        ("wmt", "Fluency/Punctuation", "minor", 0.1),
        ("wmt", "Fluency/Punctuation", "major", 5.0),
        ("wmt", "Non-translation", "minor", 25.0),
        ("mqm", "Fluency/Punctuation", "minor", 1.0),
        ("mqm", "Other", "critical", 25.0),
        ("patent", "Claims/Scope", "critical", 25.0),
        ("patent", "Non-translation", "major", 25.0),
        ("patent", "Language/Style", "neutral", 0.0),
    ],
)
def test_named_weights(weights: str, category: str, severity: str, points: float) -> None:
    one = mark("A", "1", "ann", category, severity)
    assert weights_called(weights).of(one) == points


def test_what_weights_do_not_know_is_refused() -> None:
    critical = mark("A", "1", "ann", "Other", "critical")
    with pytest.raises(UsageError, match="'wmt' have none for errors that are 'critical', only"):
        WEIGHTS["wmt"].of(critical)
    with pytest.raises(UsageError, match=r"unknown weights 'patents'.*did you mean patent\?"):
        weights_called("patents")
    assert fitting_weights(Annotations((), (critical,))).name == "patent"
    assert fitting_weights(TWO_RATERS).name == "wmt"


def test_points_for_100_words_of_the_source() -> None:
    scores = mqm_scores(TWO_RATERS, lengths={"1": 10, "2": 40})
    assert scores.system_scores == pytest.approx([-100 * 3.05 / 50, -100 * 30 / 50])
    assert "per:100 words of the source" in scores.signature
    with pytest.raises(UsageError, match="the length of segment '2' is not known"):
        mqm_scores(TWO_RATERS, lengths={"1": 10})
    assert source_lengths({"1": "a b c", "2": "d"}, "en") == ("words", {"1": 3, "2": 1})
    assert source_lengths({"1": "换热器 ，"}, "zh") == ("characters", {"1": 4})


def test_z_by_evaluator() -> None:
    values = np.array([[[0.0, 2.0], [4.0, np.nan]], [[7.0, 7.0], [np.nan, np.nan]]])
    found = z_by_evaluator(values)
    assert found[0] == pytest.approx(np.array([[-1.0, 0.0], [1.0, np.nan]]), nan_ok=True)
    assert found[1, 0].tolist() == [0.0, 0.0] and np.isnan(found[1, 1]).all()
    assert "normalised:z by evaluator" in mqm_scores(TWO_RATERS, normalised=True).signature


def test_a_strict_evaluator_weighs_on_points_but_not_on_z() -> None:
    """Both systems are alike; who got the strict rater loses points, and nothing by z."""
    marks = [mark("A", str(n), "strict", "Other", "major") for n in range(6)]
    marks += [mark("A", str(n), "strict", "Other", "minor") for n in range(3)]
    marks += [mark("B", str(n), "mild", "Other", "minor") for n in range(3)]
    rated = [Rating("A", str(n), "strict") for n in range(6)]
    rated += [Rating("B", str(n), "mild") for n in range(6)]
    annotations = Annotations(tuple(rated), tuple(marks))
    points, z = mqm_scores(annotations), mqm_scores(annotations, normalised=True)
    assert points.system_scores == pytest.approx([-5.5, -0.5])
    assert z.system_scores == pytest.approx([0.0, 0.0])


CATEGORIES = st.sampled_from(("Accuracy/Addition", "Fluency/Punctuation", "Non-translation"))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("AB"),
            st.sampled_from("123"),
            st.sampled_from(("ann", "bob")),
            CATEGORIES,
            st.sampled_from(("major", "minor", "neutral")),
        ),
        max_size=12,
        unique=True,
    )
)
def test_parts_add_up_to_the_whole(rows: list[tuple[str, str, str, str, str]]) -> None:
    rated = tuple(Rating(s, n, e) for s in "AB" for n in "123" for e in ("ann", "bob"))
    annotations = Annotations(rated, tuple(mark(*row) for row in rows))
    whole = mqm_scores(annotations).segment_scores
    for part in (lambda one: one.category, lambda one: one.severity):
        parts = part_scores(annotations, part=part)
        summed = sum((one.segment_scores for one in parts.values()), np.zeros_like(whole))
        assert summed == pytest.approx(whole)
    assert 2 * error_counts(annotations).sum() == pytest.approx(len(rows))


def test_scores_are_compared_and_saved_like_others(tmp_path: object) -> None:
    from pathlib import Path

    rated, marks = [], []
    for n in range(40):
        for system in "AB":
            rated.append(Rating(system, str(n), "ann", document=f"d{n % 10}"))
        marks.append(mark("B", str(n), "ann", "Other", "major" if n % 3 else "minor"))
    annotations = Annotations(tuple(rated), tuple(marks))
    scores = mqm_scores(annotations)
    documents = [annotations.documents[segment] for segment in scores.segments]
    done = compare({"mqm": scores}, documents, CompareSettings(Sampling(resamples=200)))
    assert done.measures["mqm"].ranking == ("A", "B")
    assert done.measures["mqm"].clusters == (("A",), ("B",))
    path = Path(str(tmp_path)) / "scores.json"
    hundred = mqm_scores(annotations, lengths={str(n): 20 for n in range(40)})
    save_scores(path, {"mqm": scores, "per 100": hundred}, documents)
    again = read_scores(path)
    for name, one in (("mqm", scores), ("per 100", hundred)):
        assert again.scores[name].system_scores == pytest.approx(one.system_scores)
