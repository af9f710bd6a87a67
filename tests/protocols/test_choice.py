"""Which measures are taken, and which only describe."""

from __future__ import annotations

import pytest

from patmark.data import TestSet
from patmark.errors import UsageError
from patmark.measures import all_measures
from patmark.protocols import default_measures
from patmark.protocols.choice import is_descriptive, measure_called, refuse_descriptive


def test_only_the_length_ratio_describes() -> None:
    assert [measure.label for measure in all_measures() if measure.descriptive] == ["length-ratio"]


@pytest.mark.parametrize("name", ["BLEU", "BLEU(n=1)", "overall", "adequacy", "document_accuracy"])
def test_other_names_do_not_describe(name: str) -> None:
    assert not is_descriptive(name)
    refuse_descriptive([name])


def test_what_describes_is_refused_with_a_reason() -> None:
    with pytest.raises(UsageError, match=r"^length-ratio: neither more nor less of it is better"):
        refuse_descriptive(["BLEU", "length-ratio"])


def test_a_name_that_is_no_measure() -> None:
    assert measure_called("overall") is None
    assert measure_called("TER") is not None


def test_it_is_still_scored() -> None:
    names = [measure.name for measure in default_measures(TestSet.of(["a b"]))]
    assert "length-ratio" in names
