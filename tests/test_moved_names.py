"""Names of human evaluation and tasks that the documentation of version 0.1 gave."""

from __future__ import annotations

import importlib

import pytest


@pytest.mark.parametrize(
    ("module", "name", "now"),
    [
        ("patmark.human", "read_judgements", "patmark.judgements.read_judgements"),
        ("patmark.judgements.ranking", "rank_humans", "patmark.judgements.rank_humans"),
        (
            "patmark.judgements.validation",
            "validate_judges",
            "patmark.judgements.validate_evaluators",
        ),
        ("patmark.tasks.task", "run_task", "patmark.tasks.run_task"),
    ],
)
def test_a_documented_name_still_works_and_says_where_it_is(
    module: str, name: str, now: str
) -> None:
    with pytest.warns(DeprecationWarning, match=f"{name} is {now} now"):
        found = getattr(importlib.import_module(module), name)
    room, _, current = now.rpartition(".")
    assert found is getattr(importlib.import_module(room), current)
