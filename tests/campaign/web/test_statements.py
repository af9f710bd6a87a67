"""A page view asks the database a few things, however many pages the evaluator has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from campaign_site import MakeSite, Site, invented_plan
from patmark.campaign import Answer

_EXPECTED = {"A": {"adequacy": "5"}, "B": {"adequacy": "3"}, "C": {"adequacy": "1"}}
_MOST = 8
_MOST_OF_A_TRAINED_SAVE = 12


@contextmanager
def _counted(site: Site) -> Iterator[list[str]]:
    """The statements that the store sends inside the block, the begin of transactions included."""
    sent: list[str] = []

    def note(*arguments: Any) -> None:
        sent.append(arguments[2])

    event.listen(site.store._engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(site.store._engine, "before_cursor_execute", note)


@pytest.mark.parametrize("training", [0, 3, 12])
def test_statements_of_a_page_view(make_site: MakeSite, training: int) -> None:
    expected = _EXPECTED if training else None
    site = make_site(invented_plan("adequacy", 20, training, expected, pass_mark=0.5))
    ids = site.page_ids()
    site.store.set_consensus(site.campaign, "segment-0", ["SecretAlpha"], "adequacy", "5")
    for page in ids[: training + 5]:
        for label, value in zip("ABC", "531", strict=True):
            answer = Answer(page, label, "adequacy", value, seconds=1.0)
            site.store.save(site.campaign, "rater-1", answer)
    for page in ids[:training]:
        site.store.save(site.campaign, "rater-1", Answer(page, "", "checked", "done"))
    site.store.save_remark(site.campaign, "rater-1", ids[training], "odd", True)
    paths = {"/", "/guideline", "/next", "/review", "/training", "/done", f"/page/{ids[-1]}"}
    with site.entered() as client:
        for path in sorted(paths | {f"/page/{ids[0]}"}):
            with _counted(site) as sent:
                found = client.get(path)
            assert found.status_code in (200, 303)
            assert len(sent) <= _MOST, (path, sent)
        most = _MOST_OF_A_TRAINED_SAVE if training else _MOST
        assert _statements_of_a_save(site, client, ids[-1]) <= most


def _statements_of_a_save(site: Site, client: httpx.Client, page: str) -> int:
    csrf = client.get("/").text.split('name="csrf" value="')[1].split('"')[0]
    body = {
        "page": page, "candidate": "A", "question": "adequacy", "value": "4", "detail": {},
        "known": 0, "client": "c" * 16, "seconds": 1.0,
    }  # fmt: skip
    with _counted(site) as sent:
        saved = client.post("/api/answer", json=body, headers={"X-CSRF-Token": csrf})
    assert saved.status_code == 200
    return len(sent)


def test_an_unchanged_campaign_is_read_once(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy", 3))
    before = site.store.state(site.campaign)
    with _counted(site) as sent:
        assert site.store.state(site.campaign) is before
    assert len(sent) == 2
    site.store.save(site.campaign, "rater-1", Answer(site.page_ids()[0], "A", "adequacy", "1"))
    assert site.store.state(site.campaign) is not before
    decided = site.store.state(site.campaign)
    site.store.exclude(site.campaign, "rater-1", "asleep")
    assert site.store.state(site.campaign).excluded != decided.excluded
