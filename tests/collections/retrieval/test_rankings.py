"""Rankings: TREC runs in and out, JSON runs, order, duplicates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from patmark.collections.retrieval import Ranking, ranking_of, read_ranking, run_name, write_ranking
from patmark.collections.retrieval.rankings import ordered_ranking
from patmark.errors import InputError, UsageError


def _read(tmp_path: Path, text: str, name: str = "x.run") -> Ranking:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_ranking(path)


def _order(ranking: Ranking) -> list[tuple[str, str, int]]:
    return [row[:3] for row in ranking.rows()]


def test_scores_decide_and_ranks_do_not(tmp_path: Path) -> None:
    ranking = _read(tmp_path, "2 Q0 a 1 0.5 t\n2 Q0 b 2 0.7 t\n1\tQ0\tc\t1\t-3e2 t\n")
    assert _order(ranking) == [("2", "b", 1), ("2", "a", 2), ("1", "c", 1)]
    assert (ranking.name, ranking.reordered, len(ranking)) == ("x", 1, 3)
    assert ranking.lengths.tolist() == [2, 1]


def test_ties_go_to_the_name_that_comes_last(tmp_path: Path) -> None:
    ranking = _read(tmp_path, "1 Q0 a 1 0.5 t\n1 Q0 é 2 0.5 t\n1 Q0 B 3 0.5000000001 t\n")
    assert _order(ranking) == [("1", "é", 1), ("1", "a", 2), ("1", "B", 3)]


def test_json_run_with_integer_ids(tmp_path: Path) -> None:
    text = json.dumps({"7": [30, "CN1A", 4], "8": []}, indent=1)
    ranking = _read(tmp_path, text, "x.json")
    assert _order(ranking) == [("7", "30", 1), ("7", "CN1A", 2), ("7", "4", 3)]
    assert (ranking.topics, ranking.reordered) == (("7", "8"), 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 Q0 a 1 0.5\n", ":1: expected 6 fields (topic Q0 document rank score tag), found 5"),
        ("\n\n1 Q0 a 1 0.5 t\n\n1 Q0 a 0.5 t\n", ":5: expected 6 fields"),
        ("\n1 Q0 a 1 2 t\n \n1 Q0 a 1 1 t\n", ":4: document 'a' of topic '1' is already on line 2"),
        ("\n \n", "holds no rows"),
        ("1 Q0 a one 0.5 t\n", ":1: rank: expected a whole number, found 'one'"),
        ("1 Q0 a 1 high t\n", ":1: score: expected a number, found 'high'"),
        ("1 Q0 a 1 nan t\n", "score: expected a number, found 'nan'"),
        ("1 Q0 a 1 inf t\n", "found 'inf'"), ("1 Q0 a 1 1_0 t\n", "found '1_0'"),
        ("1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 a 2 1 t\n",
         ":3: document 'a' of topic '1' is already on line 1"),
        ('{"1": ["a", "b", "a"]}', "topic '1', rank 3: document 'a' is already at rank 1"),
        ('{"1": [1, "1"]}', "document '1' is already at rank 1"),
        ('{"1": "a"}', "topic '1': expected a list of documents, found a string"),
        ('{"1": [1.5]}', "rank 1: expected a string without blanks or a whole number, found 1.5"),
        ('{"a b": []}', "topic 'a b' is empty or holds a blank"),
        ('{"1": [],\n "1": []}', "field '1' occurs 2 times"),
        ('{"1": [],\n "2"}', ":2: is not valid JSON"), ("", "is empty"),
    ],
)  # fmt: skip
def test_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        _read(tmp_path, text)
    assert message in str(error.value)


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    ranking = _read(tmp_path, "\n1 Q0 a 1 0.5 t\n \t\n1 Q0 b 2 0.25 t\n\n")
    assert _order(ranking) == [("1", "a", 1), ("1", "b", 2)]


def test_every_problem_is_listed(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        _read(tmp_path, "1 Q0 a 1\n1 Q0 b x y t\n")
    assert [problem.line for problem in error.value.problems] == [1, 2, 2]


def test_a_run_of_many_blocks_of_lines(tmp_path: Path) -> None:
    rows = [f"{n % 7} Q0 d{n} 1 {n} t" for n in range(45_000)]
    ranking = _read(tmp_path, "\n".join(rows))
    assert ranking.lengths.sum() == 45_000
    assert (np.diff(ranking.scores)[np.diff(ranking.topic_of) == 0] < 0).all()


def test_written_runs_keep_their_scores_if_these_fall(tmp_path: Path) -> None:
    ranking = ranking_of("bm25", {"1": [("a", 2.5), ("b", 7.25)], "2": [("a", 0.1)]})
    write_ranking(tmp_path / "out.run", ranking)
    assert (tmp_path / "out.run").read_text() == (
        "1 Q0 b 1 7.25 bm25\n1 Q0 a 2 2.5 bm25\n2 Q0 a 1 0.1 bm25\n"
    )


def _below(score: float, steps: int = 1) -> float:
    """Return the number that many steps of single precision below another, or above it."""
    found = np.float32(score)
    for _ in range(abs(steps)):
        found = np.nextafter(found, np.float32(-np.inf if steps > 0 else np.inf))
    return float(found)


def test_only_tied_scores_are_moved_and_by_the_smallest_step(tmp_path: Path) -> None:
    tied = [("e", 9.1), ("c", 7.3), ("b", 7.3), ("a", 7.3 + 1e-12), ("d", 2.1)]
    ranking = ranking_of("x", {"1": tied, "2": [("f", 5.7), ("g", 0.3)]})
    write_ranking(tmp_path / "out.run", ranking, "tag")
    lines = [line.split() for line in (tmp_path / "out.run").read_text().splitlines()]
    assert [(document, float(score)) for _, _, document, _, score, _ in lines] == [
        ("e", 9.1), ("c", 7.3), ("b", _below(7.3)), ("a", _below(7.3, 2)), ("d", 2.1),
        ("f", 5.7), ("g", 0.3),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "steps"),
    [
        ([0, 0, -1], [1, 0, -1]),  # no room below
        ([1, 0, 0, -1], [1, 0, -1, -2]),  # no room at all: the nearest below gives way
        ([9, 0, 0, 0, -2, -9], [9, 1, 0, -1, -2, -9]),
        ([0, 0, 0], [0, -1, -2]),
    ],
)
@pytest.mark.parametrize("origin", [0.0, 1.0, -1.0, 20.5])
def test_tied_scores_find_the_nearest_free_numbers(
    given: list[int], steps: list[int], origin: float
) -> None:
    found = [(f"d{place}", _below(origin, -step)) for place, step in enumerate(given)]
    ranking = ordered_ranking("x", {"1": found})
    assert ranking.scores.tolist() == [_below(origin, -step) for step in steps]
    assert ranking.by_topic() == {"1": [name for name, _ in found]}
    assert ranking.separated == sum(a != b for a, b in zip(given, steps, strict=True))


@given(
    st.lists(
        st.sampled_from([0.0, -0.0, 1e-45, 3.0, 3.0 + 1e-9, -7.5, 1e39, -1e39, 2e-320]),
        min_size=1,
    )
)
def test_separated_scores_fall_strictly_and_stay_finite(scores: list[float]) -> None:
    falling = sorted(scores, reverse=True)
    ranking = ordered_ranking("x", {"1": [(f"d{n:03}", one) for n, one in enumerate(falling)]})
    assert ranking.documents == tuple(f"d{n:03}" for n in range(len(scores)))
    single = ranking.scores[np.abs(ranking.scores) < 1e38].astype(np.float32)
    assert (np.diff(single) < 0).all() and np.isfinite(ranking.scores).all()


def test_names_that_a_trec_file_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'a b' is empty or holds a blank"):
        write_ranking(tmp_path / "out.run", ranking_of("x", {"1": [("a b", 1.0)]}))
    with pytest.raises(InputError, match="'my run' is empty or holds a blank"):
        write_ranking(tmp_path / "out.run", ranking_of("my run", {"1": [("a", 1.0)]}))
    assert not (tmp_path / "out.run").exists()


@given(
    st.dictionaries(
        st.sampled_from("123"),
        st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([0.0, 0.5, 1.0]), min_size=1),
        min_size=1,
    )
)
def test_what_is_written_is_read_back_in_the_same_order(
    tmp_path_factory: pytest.TempPathFactory, found: dict[str, dict[str, float]]
) -> None:
    path = tmp_path_factory.mktemp("runs") / "x.run.gz"
    ranking = ranking_of("x", {topic: list(rows.items()) for topic, rows in found.items()})
    write_ranking(path, ranking)
    read = read_ranking(path)
    assert _order(read) == _order(ranking)
    assert (read.name, read.reordered) == ("x", 0)


def test_rankings_from_a_program() -> None:
    with pytest.raises(UsageError, match="x: found twice: a"):
        ranking_of("x", {"1": [("a", 1.0), ("a", 2.0)]})
    with pytest.raises(UsageError, match="a score is not finite"):
        ranking_of("x", {"1": [("a", float("nan"))]})
    assert len(ranking_of("x", {})) == 0


def test_some_topics() -> None:
    ranking = ranking_of("x", {"1": [("a", 1.0)], "2": [("b", 2.0), ("a", 1.0)], "3": []})
    kept = ranking.of_topics({"2", "3"})
    assert (kept.topics, _order(kept)) == (("2", "3"), [("2", "b", 1), ("2", "a", 2)])


@pytest.mark.parametrize(
    ("path", "name"), [("runs/atlas.run.gz", "atlas"), ("a.json", "a"), (".run", ".run")]
)
def test_names_of_runs(path: str, name: str) -> None:
    assert run_name(path) == name
