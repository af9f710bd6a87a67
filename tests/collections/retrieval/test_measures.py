"""Measures of rankings: equal to trec_eval where trec_eval has them, and their names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, strategies as st

pytest.importorskip("ir_measures", reason="ir-measures is absent: pip install 'patmark[retrieval]'")

from patmark.collections.retrieval import Qrels, Ranking, ranking_of
from patmark.collections.retrieval.measures import PRES, RELAXED, RankingMeasure
from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.measures.registry import parse_ranking_measure, parse_ranking_measures

# ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11, computed live.
PEER_NAMES = {
    "AP(rel=1)": "AP", "AP(rel=2)": "AP(rel=2)", "AP(rel=2)@5": "AP(rel=2)@5",
    "Recall@5": "R@5", "Recall(rel=2)@10": "R(rel=2)@10", "P@5": "P@5",
    "P(rel=2)@10": "P(rel=2)@10", "nDCG@10": "nDCG@10", "nDCG": "nDCG", "RR": "RR",
    "RR(rel=2)": "RR(rel=2)", "HitRate@5": "Success@5", "Bpref": "Bpref",
    "Bpref(rel=2)": "Bpref(rel=2)", "Rprec": "Rprec", "Rprec(rel=2)": "Rprec(rel=2)",
    "infAP": "infAP", "infAP(rel=2)": "infAP(rel=2)",
}  # fmt: skip

Run = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]


def topic_values(ranking: Ranking, qrels: Qrels, measure: RankingMeasure = RELAXED) -> FloatArray:
    """The value of every topic of the qrels; NaN for topics that leave the mean."""
    return measure.evaluate(qrels, ranking)


def _random_data(seed: int) -> tuple[Run, Grades]:
    """Ties, also in single precision only; missing topics, unjudged documents, negative grades."""
    rng = np.random.default_rng(seed)
    documents = [f"D{number}" for number in range(60)] + ["d1", "é", "特開", "D-1", "D.1"]
    run, grades = {}, {}
    for topic in range(40):
        judged = rng.choice(documents, rng.integers(1, 25), replace=False)
        grades[str(topic)] = {str(name): int(rng.integers(-1, 4)) for name in judged}
        if topic % 7:
            found = rng.choice(documents, rng.integers(1, 50), replace=False)
            scores = rng.integers(-3, 6, len(found)) + rng.integers(0, 3, len(found)) * 1e-9
            run[str(topic)] = {str(name): float(s) for name, s in zip(found, scores, strict=True)}
    return run, grades


def _peer_values(run: Run, grades: Grades) -> dict[str, dict[str, float]]:
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in PEER_NAMES.values()]
    values: dict[str, dict[str, float]] = defaultdict(dict)
    for metric in ir_measures.iter_calc(measures, grades, run):
        values[str(metric.measure)][metric.query_id] = metric.value
    return values


@pytest.mark.parametrize("seed", range(6))
def test_values_equal_trec_eval_on_random_runs(seed: int) -> None:
    run, grades = _random_data(seed)
    ranking = ranking_of("run", {topic: list(found.items()) for topic, found in run.items()})
    qrels = Qrels("qrels", grades)
    peer = _peer_values(run, grades)
    for name, peer_name in PEER_NAMES.items():
        ours = topic_values(ranking, qrels, parse_ranking_measure(name))
        theirs = [peer[peer_name][topic] for topic in qrels.topics]
        # A topic without a relevant document counts 0 there and leaves the mean here.
        np.testing.assert_allclose(np.nan_to_num(ours), theirs, rtol=0, atol=1e-12, err_msg=name)
        rel = parse_ranking_measure(name).rel
        empty = [
            not any(grade >= rel for grade in grades[topic].values()) for topic in qrels.topics
        ]
        assert np.isnan(ours).tolist() == empty


@pytest.mark.parametrize("seed", range(3))
def test_judged_equals_ir_measures_and_counts_every_topic(seed: int) -> None:
    import ir_measures

    run, grades = _random_data(seed)
    ranking = ranking_of("run", {topic: list(found.items()) for topic, found in run.items()})
    ours = topic_values(ranking, Qrels("qrels", grades), parse_ranking_measure("Judged@10"))
    # ties are broken by ir-measures in the order of the dict, so it gets the order of the ranking
    ranked = {topic: {d: -n for n, d in enumerate(names)} for topic, names in _ranked(ranking)}
    peer = ir_measures.iter_calc([ir_measures.parse_measure("Judged@10")], grades, ranked)
    theirs = {metric.query_id: metric.value for metric in peer}
    assert ours.tolist() == pytest.approx([theirs.get(topic, 0.0) for topic in grades])


def _ranked(ranking: Ranking) -> list[tuple[str, list[str]]]:
    return [(topic, list(names)) for topic, names in ranking.by_topic().items()]


# Four topics; grades by document, and rankings.
_GRADED = {
    "0": "D4:1 D18:0 D27:3 D25:0 D24:3 D2:3 D8:4 D3:0 D15:3 D14:2 D21:1 D12:4",
    "1": "D11:2 D7:0 D21:2 D28:4 D24:3 D14:4 D9:1 D0:2 D13:2 D17:4 D3:3 D5:4",
    "2": "D26:3 D12:1 D11:1 D15:4 D23:1 D0:0 D29:1 D1:4 D9:4 D19:1 D18:3 D20:4",
    "3": "D17:3 D6:4 D16:0 D13:1 D15:1 D11:4 D26:4 D24:1 D0:0 D29:4 D20:2 D10:0",
}
_RANKED = {
    "0": "D3 D28 D10 D0 D26 D25 D20 D17 D24 D12 D6 D13 D21 D16 D7 D23 D15 D18 D8 D29",
    "1": "D12 D18 D27 D1 D15 D7 D23 D29 D13 D5 D11 D17 D19 D2 D14 D10 D8 D26 D16 D21",
    "2": "D11 D27 D18 D29 D14 D8 D21 D17 D19 D0 D12 D16 D4 D28 D6 D15 D20 D7 D5 D9",
    "3": "D26 D21 D2 D27 D0 D14 D25 D8 D7 D22 D3 D5 D11 D9 D29 D15 D24 D4 D20 D13",
}
# ERR: gdeval.pl as in ir_measures 0.4.3, which prints five decimals; RBP: cwl-eval 1.0.12
_FOREIGN = {
    "ERR@5": ((0.0, 0.0, 0.20746, 0.9375), 5e-6),
    "ERR@20": ((0.10328, 0.10126, 0.24056, 0.94226), 5e-6),
    "RBP": ((0.08337425218330953, 0.11073108004772514, 0.5009779461934966,
             0.24169154578480098), 1e-12),
    "RBP(rel=2,p=0.5)": ((0.0029392242431640625, 0.0036935806274414062, 0.12502384185791016,
                          0.5001544952392578), 1e-12),
    "RBP(p=0.95)": ((0.13356854578931468, 0.16631177270896746, 0.26514019359371355,
                     0.1853010443291606), 1e-12),
}  # fmt: skip


@pytest.mark.parametrize("name", _FOREIGN)
def test_err_and_rbp_equal_other_programs(name: str) -> None:
    grades = {
        topic: {name: int(grade) for name, grade in (one.split(":") for one in text.split())}
        for topic, text in _GRADED.items()
    }
    ranking = ranking_of(
        "run",
        {t: [(d, 1 / n) for n, d in enumerate(text.split(), 1)] for t, text in _RANKED.items()},
    )
    values = topic_values(ranking, Qrels("qrels", grades), parse_ranking_measure(name))
    expected, rounding = _FOREIGN[name]
    assert values.tolist() == pytest.approx(expected, abs=rounding)


def test_what_these_measures_refuse() -> None:
    for name, problem in (
        ("Bpref@10", "has no depth"),
        ("Rprec@10", "has no depth"),
        ("infAP@10", "has no depth"),
        ("Judged", "needs a depth"),
        ("Judged(rel=2)@10", "no parameter 'rel'"),
        ("ERR(rel=2)", "no parameter 'rel'"),
        ("RBP(p=1)", "between 0 and 1"),
    ):
        with pytest.raises(UsageError, match=problem):
            parse_ranking_measure(name)


def test_the_patience_of_rbp_is_in_its_signature() -> None:
    assert "|p:0.8|" in parse_ranking_measure("RBP").signature("q")


def test_the_scale_of_err_is_that_of_its_name_and_not_of_the_topic() -> None:
    ranking = ranking_of("run", {"1": [("a", 1.0)], "2": [("a", 1.0)]})
    grades = {"1": {"a": 4}, "2": {"a": 4, "b": 9}}
    values = topic_values(ranking, Qrels("q", grades), parse_ranking_measure("ERR(highest=9)"))
    assert values.tolist() == [15 / 512, 15 / 512]
    with pytest.raises(UsageError, match=r"ERR: the qrels have grade 9, above 4; write ERR\(hi"):
        topic_values(ranking, Qrels("q", grades), parse_ranking_measure("ERR"))
    assert "|highest:4|" in parse_ranking_measure("ERR").signature("q")
    with pytest.raises(UsageError, match="highest=0 must be"):
        parse_ranking_measure("ERR(highest=0)")


def test_ties_are_broken_in_single_precision_by_document_descending() -> None:
    run = {"1": {"a": 1.0, "b": 1.0, "c": 1.0 - 1e-12}}
    grades = {"1": {"a": 1}}
    ranking = ranking_of("run", {"1": list(run["1"].items())})
    assert [row[1] for row in ranking.rows()] == ["c", "b", "a"]
    value = topic_values(ranking, Qrels("q", grades))[0]
    assert value == pytest.approx(1 / 3) == _peer_values(run, grades)["AP"]["1"]


def _found_at(ranks: list[int], length: int) -> list[tuple[str, float]]:
    return [
        (f"r{rank}" if rank in ranks else f"x{rank}", 1 / rank) for rank in range(1, length + 1)
    ]


def _pres(ranks: list[int], relevant: int, depth: int, length: int) -> float:
    names = [f"r{rank}" for rank in ranks] + [f"m{i}" for i in range(relevant - len(ranks))]
    qrels = Qrels("qrels", {"1": dict.fromkeys(names, 1)})
    ranking = ranking_of("run", {"1": _found_at(ranks, length)})
    return float(topic_values(ranking, qrels, PRES(depth))[0])


def test_pres_of_the_worked_example() -> None:
    # By hand: ranks 1, 5 and 100 + 3; (109 / 3 - 2) / 100 from 1.
    assert _pres([1, 5], 3, 100, 100) == pytest.approx(0.656667, abs=5e-7)


def test_pres_ends_at_one_and_zero() -> None:
    assert _pres([1, 2, 3], 3, 100, 100) == 1
    assert _pres([], 4, 100, 100) == 0
    assert _pres([150], 1, 100, 200) == 0


def _statistics(measure: str, found: list[str], grades: dict[str, int]) -> list[float]:
    qrels = Qrels("qrels", {"1": grades})
    pairs = [(name, 1 / rank) for rank, name in enumerate(found, 1)]
    values = topic_values(ranking_of("run", {"1": pairs}), qrels, parse_ranking_measure(measure))
    return values.tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AP(rel=1)", (1 / 2 + 2 / 4) / 3), ("AP(rel=2)", 1 / 4), ("AP(rel=1)@3", 1 / 2 / 3),
        ("Recall@3", 1 / 3), ("P@5", 2 / 5), ("RR", 1 / 2), ("RR@1", 0), ("HitRate@1", 0),
        ("HitRate@2", 1),
    ],
)  # fmt: skip
def test_values_by_hand(name: str, value: float) -> None:
    found = ["x", "partial", "y", "relevant"]
    grades = {"partial": 1, "relevant": 2, "missed": 1, "x": 0}
    assert _statistics(name, found, grades) == [pytest.approx(value)]


@pytest.mark.parametrize(
    "name",
    ["AP(rel=2)", "AP(rel=1)", "Recall@100", "nDCG@10", "nDCG", "P@5", "RR", "PRES@1000",
     "HitRate@10", "AP(rel=2)@1000", "Bpref", "Rprec(rel=2)", "infAP", "ERR@20", "RBP(p=0.95)",
     "RBP(rel=2,p=0.5)@100", "Judged@10", "Recall(rel=2,level=family)@100",
     "nDCG(level=family)@10"],
)  # fmt: skip
def test_a_name_parses_back_to_itself(name: str) -> None:
    assert parse_ranking_measure(name).name == name == str(parse_ranking_measure(name))


@pytest.mark.parametrize(
    ("written", "name"),
    [("ap", "AP(rel=1)"), ("MAP( rel = 2 )", "AP(rel=2)"), ("R@100", "Recall@100"),
     ("mrr", "RR"), ("Success@10", "HitRate@10"), ("recall@100(rel=2)", "Recall(rel=2)@100"),
     ("ndcg@10", "nDCG@10")],
)  # fmt: skip
def test_other_spellings(written: str, name: str) -> None:
    assert parse_ranking_measure(written).name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("BLEU", "'BLEU' is unknown; choose from AP, Recall@k"), ("Recall", "Recall needs a depth"),
        ("P@0", "must be at least 1"), ("AP(rel=0)", "rel=0 must be at least 1"),
        ("AP(rel=x)", "rel must be a whole number"), ("AP(tok=zh)", "no parameter 'tok'"),
        ("AP(rel=1,rel=2)", "rel is given twice"), ("nDCG(rel=2)@10", "no parameter 'rel'"),
        ("AP(level=office)", "must be document or family"), ("AP(rel=2)(rel=1)", "not the name"),
        ("@10", "not the name"),
    ],
)  # fmt: skip
def test_names_that_are_refused(name: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_ranking_measure(name)
    assert message in str(error.value)


def test_lists_of_names() -> None:
    names = [measure.name for measure in parse_ranking_measures("AP(rel=2,level=family), P@5")]
    assert names == ["AP(rel=2,level=family)", "P@5"]
    with pytest.raises(UsageError, match=r"asked for twice: AP\(rel=1\)"):
        parse_ranking_measures("AP,MAP")
    with pytest.raises(UsageError, match="no measure is named"):
        parse_ranking_measures(" ")
    with pytest.raises(UsageError, match=r"'X' is unknown.*\nthe measure 'Y' is unknown"):
        parse_ranking_measures("X,Y")


_MEASURES = st.sampled_from(["AP(rel=1)", "Recall@7", "nDCG@5", "RR", "PRES@9", "HitRate@3"])


@given(_MEASURES, st.permutations(range(12)), st.integers(1, 12))
def test_ideal_rankings_have_the_maximum_and_none_is_above(
    name: str, order: list[int], relevant: int
) -> None:
    grades = {f"d{i:02}": 2 if i < 2 else 1 for i in range(relevant)}
    measure = parse_ranking_measure(name)
    value_of: Callable[[list[str]], float] = lambda found: _statistics(name, found, grades)[0]  # noqa: E731
    ideal = value_of([f"d{i:02}" for i in range(12)])
    value = value_of([f"d{i:02}" for i in order])
    assert 0 <= value <= ideal + 1e-12
    if measure.cutoff is None or relevant <= measure.cutoff:
        assert ideal == pytest.approx(1)
