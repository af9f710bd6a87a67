"""Scores in a file: saved, read back, chosen from, and refused when broken."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from patmark._version import __version__
from patmark.data.model import Run, TestSet
from patmark.data.scores import FloatArray, Mean, ScoreFacts, Scores, mean_statistics
from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.errors import InputError, UsageError
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.joined_scores import join_scores, subset_scores
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.examples import SYSTEMS, example_path
from patmark.measures.base import MeanMeasure, Measure
from patmark.measures.registry import parse_measure
from patmark.protocols.patsnap.bench_files import read_patsnap
from patmark.protocols.patsnap.scoring import PatsnapOptions, score_patsnap
from patmark.stats import Units, estimate_scores


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    folder = example_path("ja_en")
    test_set = read_line_test_set(
        [folder / "reference.en"], source=folder / "source.ja",
        documents=folder / "documents.txt", target_language="en", source_language="ja",
    )  # fmt: skip
    runs = [read_line_run(folder / f"{name}.en", test_set) for name in SYSTEMS]
    return evaluate(test_set, runs, sampling=Sampling(resamples=200))


def _small(**changes: Any) -> dict[str, Any]:
    """A score file of two systems and two segments."""
    content = {
        "format": "patmark-scores", "version": 1, "patmark": "0.1.0", "systems": ["a", "b"],
        "segments": ["1", "2"], "documents": ["d", None], "facts": {},
        "measures": {
            "TER": {
                "signature": "TER|case:lower", "higher_is_better": False,
                "statistics": [[[1, 4], [2, 4]], [[0, 4], [1.5, 4]]],
            }
        },
    }  # fmt: skip
    return content | changes


def _with_measure(name: str = "TER", **changes: Any) -> dict[str, Any]:
    entry = _small()["measures"]["TER"] | changes
    return _small(measures={name: entry})


def _without(*path: str) -> dict[str, Any]:
    content = holder = _small()
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return content


def _write(folder: Path, content: Any) -> Path:
    path = folder / "scores.json"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", [".json", ".json.gz", ".json.zst"])
def test_what_is_read_is_what_was_saved(
    evaluation: Evaluation, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"scores{ending}"
    documents = evaluation.test_set.documents
    save_scores(path, evaluation.scores, documents, {"languages": {"target": "例"}, "n": [1]})
    saved = read_scores(path)
    assert saved.facts == ScoreFacts(languages={"target": "例"})
    assert saved.documents == documents and saved.systems == SYSTEMS
    assert list(saved.scores) == list(evaluation.scores)
    for name, scores in evaluation.scores.items():
        again = saved.scores[name]
        assert np.array_equal(again.statistics, scores.statistics, equal_nan=True)
        assert again.statistics.dtype == np.float64
        assert (again.measure, again.signature) == (name, scores.signature)
        assert (again.systems, again.segments) == (scores.systems, scores.segments)
        assert again.higher_is_better == scores.higher_is_better
    units = Units.choose(saved.documents)
    found = estimate_scores(saved.scores.values(), units, 200, 0)
    assert found == [list(values.values()) for values in evaluation.estimates.values()]


def test_the_file_follows_its_description(evaluation: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "scores.json.gz"
    save_scores(path, evaluation.scores, evaluation.test_set.documents)
    content = json.loads(gzip.decompress(path.read_bytes()))
    assert list(content) == [
        "format", "version", "patmark", "systems", "segments", "documents", "measures", "facts",
    ]  # fmt: skip
    assert (content["format"], content["version"]) == ("patmark-scores", 2)
    assert content["patmark"] == __version__
    entry = content["measures"]["BLEU"]
    assert list(entry) == ["signature", "higher_is_better", "aggregation", "statistics"]
    assert np.array(entry["statistics"]).shape == (3, len(evaluation.test_set), 10)
    assert all(type(number) is int for number in entry["statistics"][0][0])


@given(
    arrays(
        np.float64, (2, 3, 2),
        elements=st.one_of(
            st.floats(allow_infinity=False), st.integers(-9, 9).map(float),
            st.sampled_from([-0.0, 2.0**53, -(2.0**60), 5e-324, 1e300]),
        ),
    )
)  # fmt: skip
def test_every_number_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, statistics: np.ndarray[Any, np.dtype[np.float64]]
) -> None:
    path = tmp_path_factory.mktemp("numbers") / "scores.json"
    measure = parse_measure("omission")
    with np.errstate(all="ignore"):
        scores = Scores(
            "omission",
            "s",
            ("a", "b"),
            ("1", "2", "3"),
            statistics,
            measure,
            False,
        )
        save_scores(path, {"omission": scores}, [None] * 3)
        read = read_scores(path).scores["omission"].statistics
    assert np.array_equal(read, statistics, equal_nan=True)
    known = ~np.isnan(statistics)
    assert np.array_equal(np.signbit(read[known]), np.signbit(statistics[known]))


def test_a_command_is_saved_and_never_run_again(tmp_path: Path) -> None:
    name = "command-lower:no-such-program --really"
    measure = parse_measure(name)
    statistics = np.array([[[0.25, 1.0], [0.5, 1.0]]])
    scores = Scores(name, "sig", ("a",), ("1", "2"), statistics, measure, False)
    save_scores(tmp_path / "s.json", {name: scores}, [None, None])
    again = read_scores(tmp_path / "s.json").scores[name]
    assert again.system_scores.tolist() == [0.375] and not again.higher_is_better


def test_scores_whose_name_is_no_measure_are_saved_as_means(tmp_path: Path) -> None:
    test_set, run = read_patsnap(example_path("patsnap_cn2en") / "atlas.jsonl", "cn2en")
    result = score_patsnap(test_set, [run], PatsnapOptions(sampling=Sampling(resamples=0)))
    for scores in (result.segment_measures, result.scores):
        save_scores(tmp_path / "s.json", scores, result.test_set.documents)
        saved = read_scores(tmp_path / "s.json")
        assert list(saved.scores) == list(scores)
        for name, one in scores.items():
            again = saved.scores[name]
            assert again.system_scores == pytest.approx(one.system_scores)
            assert again.segment_scores == pytest.approx(one.segment_scores, nan_ok=True)
            assert again.higher_is_better == one.higher_is_better


def test_scores_say_after_reading_whether_they_are_a_rate(tmp_path: Path) -> None:
    """A rate in percent and a mean that happens to be 0 and 1 throughout."""
    values = mean_statistics(np.array([[0.0, 1.0] * 10]))
    about = ("", ("A",), tuple(map(str, range(20))), values)
    rate = Scores(
        "faults", *about, Mean(100.0), False, bounds=(0.0, 100.0), rate=True,
    )  # fmt: skip
    given = {"faults": rate, "grade": Scores("grade", *about)}
    path = tmp_path / "scores.json"
    save_scores(path, given, [None] * 20)
    saved = read_scores(path).scores
    assert {name: one.rate for name, one in saved.items()} == {"faults": True, "grade": False}
    units = Units.choose([None] * 20)
    before, after = (estimate_scores(some.values(), units, 100, 0) for some in (given, saved))
    assert before == after


def test_a_rate_beyond_its_whole_is_refused(tmp_path: Path) -> None:
    entry = {
        "signature": "x", "higher_is_better": True, "aggregation": "mean", "rate": True,
        "statistics": [[[3, 1]] * len(_small()["segments"])] * len(_small()["systems"]),
    }  # fmt: skip
    content = _small(measures={"x": entry})
    with pytest.raises(InputError, match="a rate is from 0 to its upper bound"):
        read_scores(_write(tmp_path, content))


def test_a_measure_that_nobody_can_look_up_is_saved_as_a_mean(tmp_path: Path) -> None:
    class Lengths(MeanMeasure):
        label = "my lengths"
        description, citation = "length", "an example"
        needs = frozenset[str]()

        def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
            return np.array([float(len(text)) for text in hypotheses])

    measure = dataclass(frozen=True)(Lengths)()
    test_set = TestSet.of(["a", "b"])
    scores = measure.to_scores(test_set, ["s"], measure.statistics(test_set, ["ab", "abcd"])[None])
    save_scores(tmp_path / "s.json", {"my lengths": scores}, [None, None])
    assert read_scores(tmp_path / "s.json").scores["my lengths"].system_scores.tolist() == [3.0]


@pytest.mark.parametrize("shape", [(1, 2, 2), (1, 2, 3)])
def test_what_is_neither_a_measure_nor_a_mean_cannot_be_saved(
    tmp_path: Path, shape: tuple[int, ...]
) -> None:
    class Product(Measure):
        label = "product"
        description, citation = "product", "an example"

        def _statistics(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
            return np.zeros((len(hypotheses), 2))

        def score(self, totals: FloatArray) -> FloatArray:
            return np.asarray(totals[..., 0] * totals[..., 1])

    rule = dataclass(frozen=True)(Product)()
    scores = Scores("secret", "s", ("a",), ("1", "2"), np.full(shape, 3.0), rule)
    assert scores.as_mean() is None
    for name in ("secret", "BLEU", "METEOR"):
        with pytest.raises(UsageError, match=f"{name} cannot be saved"):
            save_scores(tmp_path / "s.json", {name: scores}, [None, None])
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_belong_together_is_not_saved(tmp_path: Path) -> None:
    def scores(systems: tuple[str, ...] = ("a",), cell: float = 1.0) -> Scores:
        statistics = np.full((len(systems), 1, 2), cell)
        return Scores("TER", "s", systems, ("1",), statistics, parse_measure("TER"), False)

    path = tmp_path / "s.json"
    with pytest.raises(UsageError, match="no scores to save"):
        save_scores(path, {}, [])
    with pytest.raises(UsageError, match="omission has other systems or segments than TER"):
        save_scores(path, {"TER": scores(), "omission": scores(("b",))}, [None])
    with pytest.raises(UsageError, match="2 documents for 1 segments"):
        save_scores(path, {"TER": scores()}, [None, None])
    with pytest.raises(UsageError, match="cannot be saved"):
        save_scores(path, {"TER": scores()}, [None], {"when": object()})
    with np.errstate(invalid="ignore"), pytest.raises(UsageError, match="not finite"):
        save_scores(path, {"TER": scores(cell=np.inf)}, [None])
    assert list(tmp_path.iterdir()) == []


def test_a_hand_made_file_is_read(tmp_path: Path) -> None:
    saved = read_scores(_write(tmp_path, json.dumps(_small(), indent=2)))
    assert saved.scores["TER"].system_scores.tolist() == [37.5, 18.75]
    assert (saved.systems, saved.segments) == (("a", "b"), ("1", "2"))
    means = _with_measure("adequacy", aggregation="mean", higher_is_better=True)
    assert read_scores(_write(tmp_path, means)).scores["adequacy"].system_scores.tolist() == [
        0.375, 0.1875,
    ]  # fmt: skip


_BROKEN: list[tuple[Any, str]] = [
    ("", "is empty"),
    ("\n", "expected a JSON object"),
    ("[1]", "expected a JSON object, found a list"),
    ('{"format": "patmark-scores", ', "is not valid JSON"),
    ('{"version": 1, "version": 1}', "field 'version' occurs 2 times"),
    ({}, "expected format 'patmark-scores', found None"),
    (_small(format="csv"), "expected format 'patmark-scores', found 'csv'"),
    (_without("version"), "the file has version None"),
    (
        _small(version=3),
        f"patmark {__version__} reads versions 1 and 2 of the format, the file has version 3",
    ),
    (_small(version=True), "the file has version True"),
    (_small(version=1.0), "the file has version 1.0"),
    (_without("systems"), "field 'systems' is missing; expected a list of texts"),
    (_small(systems="a"), "field 'systems': expected a list of texts, found a string"),
    (_small(systems=[]), "field 'systems': expected a list of texts, at least one"),
    (_small(systems=["a", 1]), "field 'systems': expected a list of texts"),
    (_small(systems=["a", "a"]), "field 'systems': 'a' occurs 2 times"),
    (_small(segments=["1", "1"]), "field 'segments': '1' occurs 2 times"),
    (_without("documents"), "field 'documents' is missing"),
    (_small(documents=["d", 1]), "field 'documents': expected 2 texts or nulls"),
    (_small(documents=["d"]), "field 'documents': expected 2 texts or nulls"),
    (_without("patmark"), "field 'patmark' is missing"),
    (_without("facts"), "field 'facts' is missing; expected an object"),
    (_without("measures"), "field 'measures' is missing"),
    (_small(measures=[]), "field 'measures': expected an object with measures, found a list"),
    (_small(measures={}), "field 'measures' is empty"),
    (_small(measures={"TER": 1}), "measure 'TER': expected an object, found a number"),
    (_without("measures", "TER", "signature"), "measure 'TER': field 'signature' is missing"),
    (_with_measure(signature=1), "field 'signature': expected a text, found a number"),
    (_with_measure(higher_is_better="no"), "expected true or false, found a string"),
    (_with_measure(higher_is_better=True), "'higher_is_better' is the wrong way round"),
    (_with_measure(aggregation="median"), "the measure 'median' is unknown"),
    (_with_measure(aggregation=3), "field 'aggregation': expected a text, found a number"),
    (_with_measure("x", aggregation="mean", factor="2"), "field 'factor': expected a number"),
    (_with_measure("x", aggregation="mean", statistics=[[[1], [1]]] * 2), "of pairs of statistics"),
    (_without("measures", "TER", "statistics"), "field 'statistics' is missing"),
    (_with_measure(statistics=[[[1, 2], [1, 2]]]), "expected statistics of 2 systems, found 1"),
    (_with_measure(statistics=[[[1, 2]]] * 2), "expected statistics of 2 segments for 'a'"),
    (_with_measure(statistics=[1, 2]), "expected statistics of 2 segments for 'a'"),
    (_with_measure(statistics=[[1, 2]] * 2), "'a', segment '1': expected a list of numbers"),
    (_with_measure(statistics=[[[1, "2"], [1, 2]]] * 2), "expected a list of numbers"),
    (_with_measure(statistics=[[[1, True], [1, 2]]] * 2), "expected a list of numbers"),
    (_with_measure(statistics=[[[1, 2], [1]]] * 2), "segment '2': 1 numbers, expected 2"),
    (_with_measure(statistics=[[[], []]] * 2), "segment '1': 0 numbers, expected some"),
    (_with_measure(statistics=[[[1], [1]]] * 2), "expected 2 statistics per segment, found 1"),
    (_with_measure(statistics=[[[1, 10**400], [1, 2]]] * 2), "a number is too large"),
    (_with_measure("BLEU", higher_is_better=True), "expected 10 statistics per segment, found 2"),
    (_with_measure("NIST(n=2)", higher_is_better=True), "expected 6 statistics per segment"),
    (_with_measure("chrF", higher_is_better=True), "expected 18 statistics per segment, found 2"),
    (_with_measure("TER(tempo=1)"), "no parameter 'tempo'"),
]


@pytest.mark.parametrize(("content", "message"), _BROKEN)
def test_a_broken_file_is_named_with_what_was_expected(
    tmp_path: Path, content: Any, message: str
) -> None:
    path = _write(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_scores(path)
    assert message in str(caught.value)
    assert all(problem.path == str(path) for problem in caught.value.problems)


def test_a_measure_of_a_newer_patmark(tmp_path: Path) -> None:
    content = _with_measure("quantum-BLEU") | {"patmark": "9.1.0"}
    with pytest.raises(InputError) as caught:
        read_scores(_write(tmp_path, content))
    assert "the measure 'quantum-BLEU' is unknown" in str(caught.value)
    assert f"written by patmark 9.1.0, read by patmark {__version__}" in str(caught.value)


def test_every_broken_measure_is_reported(tmp_path: Path) -> None:
    content = _small(measures={"foo": _small()["measures"]["TER"], "TER": {}})
    with pytest.raises(InputError) as caught:
        read_scores(_write(tmp_path, content))
    assert len(caught.value.problems) == 2


def test_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_scores(tmp_path / "absent.json")
    with pytest.raises(InputError, match="is a folder"):
        read_scores(tmp_path)


def test_a_subset_keeps_the_order_asked_for(evaluation: Evaluation, tmp_path: Path) -> None:
    save_scores(
        tmp_path / "s.json",
        evaluation.scores,
        evaluation.test_set.documents,
        {"empty": {"atlas": 1}},
    )
    saved = read_scores(tmp_path / "s.json")
    few = subset_scores(saved, ["ter", "BLEU(n=4)"], ["cobalt", "atlas"])
    assert list(few.scores) == ["TER", "BLEU"] and few.systems == ("cobalt", "atlas")
    assert few.documents == saved.documents and few.facts == ScoreFacts(empty={"atlas": 1})
    for name in ("TER", "BLEU"):
        whole = dict(zip(SYSTEMS, saved.scores[name].system_scores, strict=True))
        assert few.scores[name].system_scores.tolist() == [whole["cobalt"], whole["atlas"]]
    assert list(subset_scores(saved).scores) == list(saved.scores)


def _of_two() -> Evaluation:
    return evaluate(TestSet.of(["a b"]), [Run("x", ("a",)), Run("y", ("a b",))], ["BLEU", "TER"])


@pytest.mark.parametrize(
    ("choose", "message"),
    [
        (lambda saved: subset_scores(saved, ["chrF++"]), r"no measure 'chrF\(words=2\)' was saved"),
        (lambda saved: subset_scores(saved, ["BLEU", "bleu"]), "'BLEU' is asked for twice"),
        (lambda saved: subset_scores(saved, []), "no measure is named; choose from BLEU, TER"),
        (
            lambda saved: subset_scores(saved, None, ["z"]),
            "no system 'z' was saved; there are x, y",
        ),
        (lambda saved: subset_scores(saved, None, []), "no system is named"),
    ],
)
def test_a_subset_of_what_is_not_there(
    tmp_path: Path, choose: Callable[[Any], Any], message: str
) -> None:
    save_scores(tmp_path / "s.json", _of_two().scores, [None])
    with pytest.raises(UsageError, match=message):
        choose(read_scores(tmp_path / "s.json"))


def test_percentages_of_version_1_are_joined_with_those_of_version_2(tmp_path: Path) -> None:
    """Version 1 multiplied the statistics, version 2 names the factor."""
    entry = {
        "signature": "rows", "higher_is_better": True, "aggregation": "mean", "percentage": True,
        "bounds": [0, 100], "needs_all": True, "statistics": [[[50, 1], [100, 1]]],
    }  # fmt: skip
    old = read_scores(_write(tmp_path, _small(systems=["a"], measures={"overall": entry})))
    new = Scores(
        "overall", "rows", ("b",), ("1", "2"), np.array([[[0.5, 1.0], [1.0, 1.0]]]), Mean(100.0),
        bounds=(0.0, 100.0), percentage=True, needs_all=True,
    )  # fmt: skip
    save_scores(tmp_path / "new.json", {"overall": new}, old.documents)
    again = read_scores(tmp_path / "new.json")
    assert again.scores["overall"].aggregation == Mean(100.0)
    assert np.array_equal(again.scores["overall"].statistics, new.statistics)
    joined = join_scores({"old": old, "new": again})
    assert joined.scores["overall"].system_scores.tolist() == [75.0, 75.0]


def test_scores_under_another_name_keep_their_measure(tmp_path: Path) -> None:
    """Only the file tells which measure stands behind a name of the user's own."""
    scores = _of_two().scores["BLEU"]
    own = replace(scores, measure="ours")
    save_scores(tmp_path / "s.json", {"ours": own}, [None])
    again = read_scores(tmp_path / "s.json").scores["ours"]
    assert again.aggregation == scores.aggregation and again.measure == "ours"
    assert again.system_scores.tolist() == scores.system_scores.tolist()
