"""Scores of a judge, or of another program, held against experts beside our own measures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from patmark.claims.measures import GivenMeasure, read_given_scores
from patmark.claims.meta import meta_evaluate_claims
from patmark.data import Scores, fingerprint, segment_csv, write_atomically
from patmark.data.claim_pairs import ClaimPair, ClaimPairs, drafts_of_pairs
from patmark.errors import PatmarkError, UsageError
from patmark.evaluation import Sampling
from patmark.evaluation.score_files import save_scores
from patmark.report import plain

_PAIRS = ClaimPairs(
    tuple(
        ClaimPair(f"1. A valve {place}.", "1. A valve.", "1. A pump.", {"Quality": label})
        for place, label in enumerate((1, -1, 0, 1))
    )
)
_A = [8.0, 3.0, 5.0, 7.0]
_B = [6.0, 9.0, 5.0, np.nan]


def _scores(name: str = "Judge", systems: tuple[str, ...] = ("A", "B"), first: int = 0) -> Scores:
    segments = tuple(str(place + first) for place in range(4))
    return Scores.of_values(name, "told", systems, segments, np.array([_A, _B]))


def _saved(path: Path, *scores: Scores, pairs: ClaimPairs = _PAIRS) -> Path:
    test_set, _ = drafts_of_pairs(pairs)
    named = {one.measure: one for one in scores}
    save_scores(path, named, [None] * 4, {"test_set": fingerprint(test_set)})
    return path


@pytest.mark.parametrize("name", ["judged.json", "judged.json.gz", "judged.csv"])
def test_scores_of_a_file_stand_beside_measures(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith(".csv"):
        write_atomically(path, segment_csv([_scores()]))
    else:
        _saved(path, _scores())
    given = read_given_scores([path], _PAIRS)
    done = meta_evaluate_claims(_PAIRS, "BLEU-1", settings=Sampling(resamples=50), given=given)
    ours, judge = done.rows
    assert (ours.measure.label, ours.everything.n) == ("BLEU-1", 4)
    assert (judge.measure.label, judge.everything.n, judge.ties) == ("Judge", 3, 1)
    assert judge.everything.estimates["accuracy"].value == 100
    assert judge.everything.references == 3
    assert any("Judge has no score of 1 of 4 pairs" in note for note in done.notes)
    assert "Judge" in done.to_json()["signatures"]


def test_a_gap_in_one_measure_changes_no_other() -> None:
    alone = meta_evaluate_claims(_PAIRS, "BLEU-1,ROUGE-L", settings=Sampling(resamples=50))
    given = [GivenMeasure("Judge", _scores())]
    both = meta_evaluate_claims(
        _PAIRS, "BLEU-1,ROUGE-L", settings=Sampling(resamples=50), given=given
    )
    assert plain([row.to_json() for row in both.rows[:2]]) == plain(
        [row.to_json() for row in alone.rows]
    )


def test_order_of_a_file_does_not_matter(tmp_path: Path) -> None:
    [row] = read_given_scores([_saved(tmp_path / "a.json", _scores())], _PAIRS)
    rows = segment_csv([_scores()]).splitlines()
    write_atomically(tmp_path / "b.csv", "\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    [turned] = read_given_scores([tmp_path / "b.csv"], _PAIRS)
    np.testing.assert_array_equal(row.scores.segment_scores, turned.scores.segment_scores)
    np.testing.assert_array_equal(row.scores.segment_scores, [_A, _B])


def test_the_name_tells_the_criterion() -> None:
    of_clarity = GivenMeasure("Judge(criterion=Clarity)", _scores())
    assert (of_clarity.family, of_clarity.criterion) == ("Judge", "clarity")
    assert GivenMeasure("Judge", _scores()).criterion is None


def test_scores_that_do_not_belong_to_the_pairs_are_refused(tmp_path: Path) -> None:
    other = ClaimPairs((ClaimPair("1. A film.", "1. A.", "1. B.", {"Quality": 1}),) * 4)
    wrong = {
        "another test set": _saved(tmp_path / "texts.json", _scores(), pairs=other),
        "no scores of A and B, only of x, y": _saved(
            tmp_path / "systems.json", _scores(systems=("x", "y"))
        ),
        "segment '4'; expected positions of pairs, 0 to 3": _saved(
            tmp_path / "segments.json", _scores(first=1)
        ),
    }
    for message, path in wrong.items():
        with pytest.raises(PatmarkError, match=message):
            read_given_scores([path], _PAIRS)
    path = _saved(tmp_path / "right.json", _scores())
    with pytest.raises(PatmarkError, match="Judge is given twice"):
        read_given_scores([path, path], _PAIRS)
    with pytest.raises(UsageError, match="BLEU-1 is both measured and given"):
        meta_evaluate_claims(_PAIRS, "BLEU-1", given=[GivenMeasure("BLEU-1", _scores())])


def test_scores_of_no_pair_are_refused(tmp_path: Path) -> None:
    nothing = Scores.of_values("J", "told", ("A", "B"), ("0",), np.array([[1.0], [np.nan]]))
    write_atomically(tmp_path / "j.csv", segment_csv([nothing]))
    with pytest.raises(UsageError, match="J has no pair with scores of both candidates"):
        read_given_scores([tmp_path / "j.csv"], _PAIRS)
