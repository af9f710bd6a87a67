"""A page view asks the database a few things, however many pages and people there are."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from sqlalchemy import event

from campaign_site import MakeSite, Site, invented_plan
from campaigns import campaign
from patmark.campaign import Answer, Plan, plan_campaign
from patmark.campaign.extra_pages import EDITS, Extras
from patmark.campaign.settings import Assignment

_EXPECTED = {"A": {"adequacy": "5"}, "B": {"adequacy": "3"}, "C": {"adequacy": "1"}}
_MOST = 8
_MOST_OF_A_TRAINED_SAVE = 12
_MOST_OF_JOINING = 18


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


def _pool(people: int, segments: int) -> Plan:
    settings = campaign(
        segments=segments,
        systems=("A", "B"),
        evaluators=[f"rater-{place}" for place in range(1, people + 1)],
        assignment=Assignment("pool", times=people),
        checks=Extras(0.2, 1, EDITS),
        repeats=Extras(0.2, 1),
        join=True,
    )
    return plan_campaign(replace(settings, form=replace(settings.form, candidates=1)))


@pytest.mark.parametrize(("people", "segments"), [(2, 6), (9, 20)])
def test_statements_of_a_shared_pool(make_site: MakeSite, people: int, segments: int) -> None:
    site = make_site(_pool(people, segments))
    secret = site.store.new_join_secret(site.campaign)
    site.store.form(site.campaign)  # is read once
    with site.entered() as client:
        for _ in range(segments):
            with _counted(site) as sent:
                to = client.get("/next").headers["location"]
            assert len(sent) <= _MOST, sent
            page = to.rpartition("/")[2]
            site.store.save(site.campaign, "rater-1", Answer(page, "A", "adequacy", "3"))
        for path in ("/", "/review", to.removeprefix(site.at(""))):
            with _counted(site) as sent:
                assert client.get(path).status_code == 200
            assert len(sent) <= _MOST, (path, sent)
    with site.client() as client:
        with _counted(site) as sent:
            assert client.get(f"/j/{secret}").status_code == 200
        assert len(sent) <= _MOST, sent
        with _counted(site) as sent:
            assert client.post(f"/j/{secret}", data={"id": "w1"}).status_code == 303
        assert len(sent) <= _MOST_OF_JOINING, sent


@pytest.mark.parametrize("people", [2, 9])
def test_statements_of_the_organisers_pages(make_site: MakeSite, people: int) -> None:
    """After a save, so that nothing is taken from before."""
    site = make_site(_pool(people, 6))
    secret = site.store.add_organiser(None, "mei")
    for _ in range(2):
        site.store.clone(site.campaign, f"clone {secrets.token_hex(4)}")
    paths = [
        *(f"/c/{site.campaign}/organiser{path}" for path in
          ("", "/people", "/checks", "/agreement", "/consensus", "/ranking", "/log", "/campaign",
           "/person?name=rater-1", "/export/answers.jsonl", "/export/judgements.csv")),
        f"/c/{site.campaign}/api/organiser/progress",
        "/campaigns",
    ]  # fmt: skip
    with httpx.Client(base_url=site.address, trust_env=False, verify=False) as client:
        assert client.post(f"/o/{secret}").status_code == 303
        for path in paths:
            page = site.store.claim(site.campaign, "rater-1")
            assert page is not None
            site.store.save(site.campaign, "rater-1", Answer(page, "A", "adequacy", "3"))
            with _counted(site) as sent:
                assert client.get(path).status_code == 200, path
            assert len(sent) <= _MOST, (path, len(sent), sent)


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
