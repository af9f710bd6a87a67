from __future__ import annotations

import numpy as np
import pytest

from patmark.errors import InputError, UsageError
from patmark.judgements.checks import check_preferences
from patmark.judgements.model import Preference

_ROWS = [
    Preference("e1", "1", "A", "B", "A", line=2),
    Preference("e2", "1", "B", "A", "A", line=3),
    Preference("e1", "2", "A", "B", None, line=4),
    Preference("e1", "2", "C", "A", "C", line=5),
    Preference("e1", "3", "C", "A", "A", phase="training", line=6),
]


def test_wins_and_ties_are_counted_per_segment() -> None:
    data = check_preferences(_ROWS)
    assert data.systems == ("A", "B", "C")
    wins, ties = data.wins(), data.ties()
    assert wins[0].tolist() == [[0, 2, 0], [0, 0, 0], [0, 0, 0]]
    assert wins[1].tolist() == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert ties[1].tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    assert not wins[2].any() and not ties[2].any()
    assert np.array_equal(ties, ties.transpose(0, 2, 1))


def test_an_unknown_criterion_names_those_that_exist() -> None:
    with pytest.raises(UsageError, match="no preferences of 'clarity'; there are preference"):
        check_preferences(_ROWS).wins("clarity")


def test_every_problem_is_listed() -> None:
    rows = [
        Preference("e", "1", "A", "A", None, line=2),
        Preference("e", "1", "A", "B", "C", line=3),
        Preference("e", "1", "B", "A", "A", line=4),
        Preference("e", "", "A", "D", "D", criterion="a|b", line=5),
    ]
    with pytest.raises(InputError) as caught:
        check_preferences(rows, systems=["A", "B", "C"])
    assert [str(problem) for problem in caught.value.problems] == [
        "preferences:2: 'A' is compared with itself",
        "preferences:3: winner 'C': expected first, second, equal, 'A' or 'B'",
        "preferences:4: 'e' compared 'B' and 'A', segment '1', already on line 3",
        "preferences:5: field 'segment' is empty",
        "preferences:5: unknown system 'D'; the known ones are A, B, C",
        "preferences:5: the name of a criterion must not hold any of = | > <",
    ]
    with pytest.raises(InputError, match="has no judgements"):
        check_preferences([])
