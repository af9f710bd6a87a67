"""A page view asks the database a few things, however many pages and people there are."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import httpx
import pytest
from sqlalchemy import event, text
from tests.support.campaigns import set_consensus

from campaign_site import MakeSite, Site, invented_plan
from campaigns import campaign
from patmark.human.campaign import Answer, Plan, plan_campaign
from patmark.human.campaign.enrolment import BackgroundQuestion
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.form import CHECKED
from patmark.human.campaign.settings import Assignment, CompletionCode
from patmark.human.campaign.training import Training, TrainingCandidate, TrainingItem

_EXPECTED = {"A": {"adequacy": "5"}, "B": {"adequacy": "3"}, "C": {"adequacy": "1"}}
_MOST = 8
_MOST_OF_TAKING = 9  # one of them when the item is no longer open
_MOST_OF_A_TRAINED_SAVE = 12
_MOST_OF_JOINING = 19  # one of them for the return code


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
    set_consensus(site.store, site.campaign, "segment-0", ["SecretAlpha"], "adequacy", "5")
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
            assert len(sent) <= _MOST_OF_TAKING, sent
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


def _trained_pool(training: int) -> Plan:
    """A pool behind consent, a question and a training, with codes at the end."""
    expected = {"adequacy": "5"}
    practice = tuple(
        TrainingItem(f"t{number}", (TrainingCandidate("Good.", "A", expected),), "好。")
        for number in range(training)
    )
    settings = campaign(
        segments=1,
        systems=("A", "B"),
        evaluators=("e1", "e2", "e3"),
        assignment=Assignment("pool", times=1, lease_minutes=5),
        training=Training(practice, pass_mark=0.5),
        consent={"": "You agree."},
        background=(BackgroundQuestion("years", {"": "Years"}, "number"),),
        checks=Extras(0.5, 1, EDITS),
        completion=CompletionCode("C0DE"),
    )
    return plan_campaign(replace(settings, form=replace(settings.form, candidates=1)))


class _Visitor:
    """Follows links as an evaluator, and counts what each page costs."""

    def __init__(self, site: Site, client: httpx.Client, name: str) -> None:
        self._site, self._client, self._name = site, client, name

    def sees(self, path: str = "/next") -> str:
        """Where a path leads, and the page there; each within the limit."""
        while True:
            with _counted(self._site) as sent:
                found = self._client.get(path)
            assert found.status_code in (200, 303), path
            most = _MOST_OF_TAKING if path.startswith("/next") else _MOST
            assert len(sent) <= most, (path, len(sent), sent)
            if found.status_code == 200:
                return path
            path = found.headers["location"].removeprefix(self._site.at(""))

    def agrees(self) -> None:
        csrf = self._client.get("/").text.split('name="csrf" value="')[1].split('"')[0]
        fields = {"csrf": csrf, "consent": "yes", "background-years": "3"}
        assert self._client.post("/start", data=fields).status_code == 303

    def trains(self, pages: int, grade: str) -> None:
        """Answers and checks all pages of the training; each is looked at before and after."""
        for _ in range(pages):
            page = self.sees().rpartition("/")[2]
            self.judges(page, grade)
            self.sees(f"/page/{page}")
            self._save(Answer(page, "", CHECKED, "done"))
            self.sees(f"/page/{page}")
            assert self.sees(f"/next?after={page}") != f"/page/{page}"

    def judges(self, page: str, grade: str = "3") -> None:
        self._save(Answer(page, "A", "adequacy", grade, seconds=1.0))

    def _save(self, answer: Answer) -> None:
        self._site.store.save(self._site.campaign, self._name, answer)


@pytest.mark.parametrize("training", [1, 5])
def test_statements_of_a_pool_behind_a_training(make_site: MakeSite, training: int) -> None:
    """From the consent to the end, through a failed training, and a lease that ended."""
    site = make_site(_trained_pool(training))
    site.store.form(site.campaign)  # is read once
    set_consensus(site.store, site.campaign, "t0", ["A"], "adequacy", "5")
    with ExitStack() as open_clients:
        one, two, three = (
            _Visitor(site, open_clients.enter_context(site.entered(name)), name)
            for name in ("e1", "e2", "e3")
        )
        for visitor, grade in ((one, "5"), (two, "1"), (three, "5")):
            assert {visitor.sees(), visitor.sees("/start"), visitor.sees("/done")} == {"/start"}
            visitor.agrees()
            visitor.trains(training, grade)
        assert two.sees() == two.sees("/training") == two.sees("/done") == "/training"
        first = one.sees()
        assert first.startswith("/page/") and first == one.sees()
        one.judges(first.rpartition("/")[2])
        kept = one.sees()
        assert kept != first and one.sees(f"/next?after={kept.rpartition('/')[2]}") == kept
        assert three.sees() == "/done"
        with site.store._writing() as connection:
            connection.execute(text("UPDATE pages SET claimed = '2001' || substr(claimed, 5)"))
        assert one.sees() == kept  # nobody has taken it meanwhile
        taken = three.sees()
        assert taken.startswith("/page/") and one.sees() != kept
        while (path := three.sees()) != "/done":
            three.judges(path.rpartition("/")[2])
        while (path := one.sees()) != "/done":
            one.judges(path.rpartition("/")[2])
        for path in ("/", "/review", "/guideline", "/training", "/done"):
            assert three.sees(path) == path


@pytest.mark.parametrize("people", [2, 9])
def test_statements_of_the_organisers_pages(make_site: MakeSite, people: int) -> None:
    """After a save, so that nothing is taken from before."""
    site = make_site(_pool(people, 6))
    secret = site.store.add_organiser(None, f"mei {people}")
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
            page = site.store.next_view(site.campaign, "rater-1").page
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
