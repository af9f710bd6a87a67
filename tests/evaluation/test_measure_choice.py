"""Which measures are taken, and which only describe."""

from __future__ import annotations

import pytest

from patmark.data.model import TestSet
from patmark.errors import UsageError
from patmark.evaluation.scoring import default_measures, refuse_descriptive
from patmark.measures.registry import all_measures, find_measure, parse_measure, parse_measures


def test_only_the_length_ratio_describes() -> None:
    assert [measure.label for measure in all_measures() if measure.descriptive] == ["length-ratio"]


@pytest.mark.parametrize("name", ["BLEU", "BLEU(n=1)", "TER", "numbers"])
def test_other_measures_do_not_describe(name: str) -> None:
    refuse_descriptive([parse_measure(name)])


def test_what_describes_is_refused_with_a_reason() -> None:
    with pytest.raises(UsageError, match=r"^length-ratio: neither more nor less of it is better"):
        refuse_descriptive(parse_measures("BLEU,length-ratio"))


def test_a_name_that_is_no_measure() -> None:
    assert find_measure("overall") is None
    assert find_measure("TER") is not None


def test_it_is_still_scored() -> None:
    names = [measure.name for measure in default_measures(TestSet.of(["a b"]))]
    assert "length-ratio" in names
