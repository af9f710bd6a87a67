"""People who come and go: the common link, what is asked before the start, codes, replacements."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path

import httpx
import pytest

from campaign_site import MakeSite, Site
from campaigns import campaign
from command_line import patmark, patmark_json
from patmark.errors import InputError
from patmark.human.campaign import Answer, CampaignSettings, Plan, plan_campaign, read_campaign
from patmark.human.campaign.completion_codes import completions
from patmark.human.campaign.enrolment import BackgroundQuestion
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.links import mail_merge
from patmark.human.campaign.mail import reminders
from patmark.human.campaign.settings import Assignment, CompletionCode, EvaluatorSettings, Joining
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import WebSettings

_QUESTIONS = (
    BackgroundQuestion("years", {"": "Years with patents"}, "number"),
    BackgroundQuestion("first", {"": "First language"}, "choice", ({"": "zh"}, {"": "ja"})),
    BackgroundQuestion("note", {"en": "Anything else?", "zh": "其他？"}, required=False),
)


def _pool(people: tuple[str, ...] = (), **others: object) -> CampaignSettings:
    """A pool of four single outputs, of which one is shown once more, spoilt."""
    settings = campaign(
        segments=2,
        systems=("A", "B"),
        evaluators=people,
        assignment=Assignment("pool", times=2),
        join=True,
        checks=Extras(0.25, 1, EDITS),
        **others,
    )
    return replace(settings, form=replace(settings.form, candidates=1))


def _place(site: Site, response: httpx.Response) -> str:
    """Where a page leads, inside the campaign."""
    return response.headers["location"].removeprefix(site.at(""))


@contextmanager
def _joined(site: Site, secret: str, name: str, code: str = "") -> Iterator[httpx.Client]:
    with site.client() as client:
        assert 'value="w 1"' in client.get(f"/j/{secret}?PROLIFIC_PID=w%201").text
        entered = client.post(f"/j/{secret}", data={"id": name, "code": code})
        assert (entered.status_code, _place(site, entered)) == (303, "/")
        yield client


def _csrf(client: httpx.Client) -> str:
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("/").text)
    assert found
    return found[1]


def _start(client: httpx.Client, **fields: str) -> httpx.Response:
    return client.post("/start", data={"csrf": _csrf(client), **fields})


def _judge_all(site: Site, client: httpx.Client, name: str, spots_checks: bool) -> None:
    """Follow Next to the end; texts that are spoilt get the lowest grade, or the highest."""
    while (to := _place(site, client.get("/next"))) != "/done":
        page = site.store.state(site.campaign).texts[to.rpartition("/")[2]]
        value = ("1" if spots_checks else "5") if page.phase == "check" else "4"
        site.store.save(site.campaign, name, Answer(page.id, "A", "adequacy", value))


def _site(make_site: MakeSite, plan: Plan) -> tuple[Site, str]:
    """A site and the secret of its common link."""
    site = make_site(plan)
    created = site.store.create_campaign(replace(plan, name="joined"))
    assert created.join
    return replace(site, campaign=created.campaign, links=created.links), created.join


def test_from_the_common_link_to_a_code(make_site: MakeSite) -> None:
    settings = _pool(
        consent={"": "# Consent\n\nYour **answers** are kept."},
        background=_QUESTIONS,
        completion=CompletionCode("C0DE", 1.0),
        contact="ann@example.org",
    )
    site, secret = _site(make_site, plan_campaign(settings))
    for name, spots_checks in (("w2", False), ("w1", True)):
        with _joined(site, secret, name) as client:
            [code] = [value for key, value in client.cookies.items() if "return" in key]
            assert _place(site, client.get("/next")) == "/start"
            assert site.store.state(site.campaign).standing(name).may_judge is False
            shown = client.get("/start").text
            assert "<strong>answers</strong>" in shown and "Years with patents" in shown
            given = {"background-years": "x", "background-first": "en"}
            refused = _start(client, **given)
            assert refused.status_code == 422
            assert refused.text.count("Please answer this.") == 2
            assert "Nobody can take part without agreeing." in refused.text
            given = {"background-years": "12", "background-first": "ja", "consent": "yes"}
            assert _place(site, _start(client, **given)) == "/guideline"
            assert _place(site, client.get("/start")) == "/next"
            _judge_all(site, client, name, spots_checks)
            done = client.get("/done").text
            assert ("C0DE" in done) == spots_checks
            assert ("too few of the pages" in done) == (not spots_checks)
    infos = site.store.evaluators(site.campaign)
    assert [one.background for one in infos] == [{"years": "12", "first": "ja"}] * 2
    assert [one.state for one in site.store.state(site.campaign).people] == ["finished"] * 2
    with _joined(site, secret, "w1", code) as client:  # on another device
        assert "C0DE" in client.get("/done").text


def test_who_may_join(make_site: MakeSite) -> None:
    site, secret = _site(make_site, plan_campaign(_pool(("ann",))))
    with site.client() as client:
        assert client.get("/j/wrong").status_code == 404
        assert client.post("/j/wrong", data={"id": "w1"}).status_code == 404
        assert client.post(f"/j/{secret}", data={"id": "ann"}).status_code == 409
        assert client.post(f"/j/{secret}", data={"id": "a\x07b"}).status_code == 409
        assert client.post(f"/j/{secret}", data={"id": ""}).status_code == 303
    [ann, guest] = site.store.evaluators(site.campaign)
    assert ann.name == "ann" and guest.name.startswith("guest-")
    site.store.revoke(site.campaign, guest.name)
    with site.client() as client:
        assert client.post(f"/j/{secret}", data={"id": guest.name}).status_code == 409


def test_as_many_join_as_the_campaign_wants(make_site: MakeSite) -> None:
    site, secret = _site(make_site, plan_campaign(replace(_pool(("ann",)), join=Joining(2))))
    with site.client() as client:
        for name in ("w1", "w2", "w1"):
            assert client.post(f"/j/{secret}", data={"id": name}).status_code == 303
        full = client.post(f"/j/{secret}", data={"id": "w3"})
        assert full.status_code == 409 and "All places are taken" in full.text
        site.store.revoke(site.campaign, "w2")
        assert client.post(f"/j/{secret}", data={"id": "w3"}).status_code == 303
    assert [one.name for one in site.store.evaluators(site.campaign)] == ["ann", "w1", "w2", "w3"]


def test_a_clone_shows_its_common_link(make_site: MakeSite) -> None:
    site, _ = _site(make_site, plan_campaign(_pool(("ann",))))
    secret = site.store.add_organiser(site.campaign, "mei")
    with site.client() as client:
        client.post(f"/o/{secret}")
        found = re.search(r'name="csrf" value="([^"]+)"', client.get("/organiser").text)
        assert found
        fields = {"csrf": found[1], "name": "Again", "rename": " ann = Mei \r\n\r\n"}
        for wrong in ("bob=x", "ann", "ann=a\x07"):
            refused = client.post("/organiser/clone", data={**fields, "rename": wrong})
            assert refused.status_code == 422, wrong
        made = client.post("/organiser/clone", data=fields)
        assert "The new link of Mei" in made.text and "link of ann" not in made.text
        [link] = re.findall(r'class="link"[^>]* value="([^"]+/j/[^"]+)"', made.text)
        assert "(whoever comes)" in made.text and client.get(link).status_code == 200


def test_without_consent_nothing_is_saved(make_site: MakeSite) -> None:
    settings = campaign(evaluators=("e1",), consent={"en": "Agree?"})
    site = make_site(plan_campaign(settings))
    page = site.store.state(site.campaign).pages[0].id
    body = {
        "page": page, "candidate": "A", "question": "adequacy", "value": "4", "detail": {},
        "known": 0, "client": "c" * 16, "seconds": 1.0,
    }  # fmt: skip
    with site.entered("e1") as client:
        headers = {"X-CSRF-Token": _csrf(client)}
        assert client.post("/api/answer", json=body, headers=headers).status_code == 409
        assert _place(site, client.get(f"/page/{page}")) == "/next"
        assert _start(client, consent="yes").status_code == 303
        assert client.post("/api/answer", json=body, headers=headers).status_code == 200


def test_own_codes_differ_and_stay(tmp_path: Path, make_site: MakeSite) -> None:
    settings = campaign(evaluators=("e1", "e2"), segments=2, completion=CompletionCode())
    site = make_site(plan_campaign(settings), WebSettings())
    for page in site.store.plan(site.campaign).pages_of("e1"):
        for label in "ABC":
            site.store.save(site.campaign, "e1", Answer(page.id, label, "adequacy", "4"))
    found = patmark_json(tmp_path, "human", "codes", "--db", site.store._engine.url.database)
    one, other = found["codes"]["e1"], found["codes"]["e2"]
    assert one["earned"] and not other["earned"] and one["code"] != other["code"]
    with site.entered("e1") as client:
        assert one["code"] in client.get("/done").text


def test_a_newcomer_goes_on_for_somebody(tmp_path: Path, make_site: MakeSite) -> None:
    settings = campaign(
        evaluators=("e1", "e2"), segments=12, checks=Extras(0.4, 2, EDITS), repeats=Extras(0.4, 2)
    )
    site = make_site(plan_campaign(settings), WebSettings())
    own = site.store.plan(site.campaign).pages_of("e1")
    for page in own[:3]:
        for label in "ABC":
            site.store.save(site.campaign, "e1", Answer(page.id, label, "adequacy", "4"))
    site.store.save(site.campaign, "e1", Answer(own[3].id, "A", "adequacy", "4"))
    link = patmark(
        tmp_path, "human", "replace", "e1", "e9", "--db", site.store._engine.url.database
    ).stdout
    assert "/e/" in link
    state = site.store.state(site.campaign)
    assert [page.id for page in state.standing("e1").pages] == [page.id for page in own[:3]]
    newcomer = state.plan.pages_of("e9")
    main = {page.segment for page in newcomer if page.phase == "main"}
    rest = [page for page in own[3:] if page.phase == "main"]
    assert main == {page.segment for page in rest}
    assert {page.segment for page in newcomer} == main  # no check without its original
    assert len(site.store.history(site.campaign, own[3].id)) == 1
    assert [one.state for one in state.people] == ["revoked", "working", "working"]
    assert len(state.given) == 9


def test_everybody_tells_the_same_numbers_of_a_pool(tmp_path: Path, make_site: MakeSite) -> None:
    """List, status, reminders, organiser's pages and the evaluator's own page ask one place."""
    site = make_site(plan_campaign(_pool(("e1", "e2", "e3"))), WebSettings())
    with site.entered("e1") as client:
        _judge_all(site, client, "e1", True)
    site.store.next_view(site.campaign, "e2")
    site.store.next_view(site.campaign, "e3")
    site.store.exclude(site.campaign, "e3", "asleep")
    where = ("--db", str(site.store._engine.url.database))
    counts = {"done": 5, "taken": 1, "free": 3, "total": 9}  # eight places, and e1's check
    [listed] = patmark_json(tmp_path, "human", "list", *where)["campaigns"]
    status = patmark_json(tmp_path, "human", "status", *where)
    assert {name: listed[name] for name in counts} == counts
    assert {name: status[name] for name in counts} == counts
    assert (
        "5 of 9 pages done, 1 taken, 3 free" in patmark(tmp_path, "human", "status", *where).stdout
    )
    own = {name: (one["done"], one["total"]) for name, one in status["evaluators"].items()}
    assert (own["e1"], own["e2"]) == ((5, 5), (0, 4))
    reminded = patmark_json(tmp_path, "human", "remind", *where)["reminders"]
    assert [(one["evaluator"], one["done"], one["total"]) for one in reminded] == [("e2", 0, 4)]
    with site.entered("e2") as client:
        assert "0 of 4 pages" in client.get("/").text
    with site.client() as client:
        client.post(f"/o/{site.store.add_organiser(site.campaign, 'mei')}")
        page = client.get("/organiser").text
        assert "5 of 9 pages" in page and "1 pages are being judged, 3 are free" in page
        assert '<span data-field="done">0/4</span>' in page
        assert client.get("/api/organiser/progress").json()["all"] == counts
        assert "<td>0/4</td>" in client.get("/organiser/people").text


def test_the_organiser_sees_reminders_codes_and_background(make_site: MakeSite) -> None:
    settings = _pool(("e1", "e2"), background=_QUESTIONS, completion=CompletionCode("C0DE"))
    site, _ = _site(make_site, plan_campaign(settings))
    site.store.enrol(site.campaign, "e1", {"years": "12", "note": "yes {n} <b>"})
    with site.client() as client:
        client.post(f"/o/{site.store.add_organiser(site.campaign, 'mei')}")
        page = client.get("/organiser/people", headers={"accept-language": "zh"}).text
    [reminded, codes, background] = [
        page.partition(f'id="{name}"')[2].partition("</section>")[0]
        for name in ("reminders", "codes", "background")
    ]
    assert reminded.count("未开始") == 2
    assert codes.count("C0DE") == 2
    assert "Years with patents" in background and ">12<" in background
    assert "yes {n} &lt;b&gt;" in background


def test_whom_to_remind(make_site: MakeSite) -> None:
    settings = campaign(evaluators=("e1", "e2", "e3"), segments=6)
    people = (
        settings.evaluators[0],
        replace(settings.evaluators[1], deadline=None),
        settings.evaluators[2],
    )
    site = make_site(plan_campaign(replace(settings, evaluators=people)))
    page = site.store.plan(site.campaign).pages_of("e1")[0]
    site.store.save(site.campaign, "e1", Answer(page.id, "A", "adequacy", "4"))
    site.store.revoke(site.campaign, "e3")
    state = site.store.state(site.campaign)
    saved = state.people[0].last_saved or ""
    later = f"{int(saved[:4]) + 1}{saved[4:]}"
    assert [(one.evaluator, one.reason) for one in reminders(state, saved).rows] == [
        ("e2", "not begun")
    ]
    assert [one.reason for one in reminders(state, later).rows] == ["not begun", "stopped"]
    due = replace(state, settings={**state.settings, "deadline": saved[:10]})
    assert [one.reason for one in reminders(due, saved).rows] == ["not begun"]
    assert [one.reason for one in reminders(due, later).rows] == ["late", "late"]


_FILE = """name: x
form: adequacy
languages: zh-en
testset: testset.jsonl
runs: [atlas.jsonl]
"""


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("", "field 'evaluators' is missing or empty"),
        ("join: true", "only a shared pool has pages for people who join"),
        ("evaluators: [a]\njoin: {most: 0}", "most"),
        ("evaluators: [a]\nbackground: [{id: q, title: Q, kind: choice}]", "has choices"),
        ("evaluators: [a]\nbackground: [{id: q, title: Q}, {id: q, title: R}]", "two questions"),
        ("evaluators: [a]\ndeadline: soon", "deadline"),
        ("evaluators: [a]\ncompletion: {checks: 2}", "checks"),
        ("evaluators: [a]\nconsent: nowhere.md", "no such file"),
    ],
)
def test_mistakes_of_the_file(tmp_path: Path, lines: str, message: str) -> None:
    row = '{"id": "s1", "source": "原文"}\n'
    (tmp_path / "testset.jsonl").write_text(row, encoding="utf-8")
    (tmp_path / "atlas.jsonl").write_text('{"id": "s1", "hypothesis": "Text"}\n')
    path = tmp_path / "campaign.yaml"
    path.write_text(_FILE + lines, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_campaign(path)
    assert any(message in str(problem) for problem in caught.value.problems), caught.value


def test_a_name_belongs_to_its_first_browser_or_to_its_return_code(make_site: MakeSite) -> None:
    site = make_site(plan_campaign(_pool()))
    secret = site.store.new_join_secret(site.campaign)
    with _joined(site, secret, "w 1") as first:
        [code] = [value for name, value in first.cookies.items() if "return" in name]
        assert code in first.get("/").text
        with site.client() as thief:
            refused = thief.post(f"/j/{secret}", data={"id": "w 1"})
            assert refused.status_code == 403
            assert "return code" in refused.text
            assert thief.get("/page/x").status_code == 401
            wrong = thief.post(f"/j/{secret}", data={"id": "w 1", "code": "ABCDEFGHJK"})
            assert wrong.status_code == 403
            entered = thief.post(f"/j/{secret}", data={"id": "w 1", "code": code.lower()})
            assert (entered.status_code, _place(site, entered)) == (303, "/")
        again = first.post(f"/j/{secret}", data={"id": "w 1"})
        assert (again.status_code, _place(site, again)) == (303, "/")
    assert [one.name for one in site.store.evaluators(site.campaign)] == ["w 1"]


def test_a_guest_who_comes_again_is_no_second_guest(make_site: MakeSite) -> None:
    site = make_site(plan_campaign(_pool()))
    secret = site.store.new_join_secret(site.campaign)
    with site.client() as client:
        for _ in range(2):
            assert client.post(f"/j/{secret}", data={"id": ""}).status_code == 303
    assert len(site.store.evaluators(site.campaign)) == 1


def test_joins_from_one_address_are_limited(make_site: MakeSite) -> None:
    site = make_site(plan_campaign(_pool()), WebSettings(joins_per_address=3))
    secret = site.store.new_join_secret(site.campaign)
    with site.client() as client:
        codes = []
        for number in range(5):
            client.cookies.clear()
            codes.append(client.post(f"/j/{secret}", data={"id": f"w{number}"}).status_code)
    assert codes == [303, 303, 303, 429, 429]
    assert len(site.store.evaluators(site.campaign)) == 3


def test_a_clone_has_completion_codes_of_its_own(make_site: MakeSite) -> None:
    site = make_site(plan_campaign(_pool(("e1",), completion=CompletionCode())))
    made = site.store.clone(site.campaign, "second round")
    codes = [
        {row.evaluator: row.code for row in completions(site.store.state(one)).rows}
        for one in (site.campaign, made.campaign)
    ]
    assert codes[0].keys() == codes[1].keys() == {"e1"}
    assert codes[0] != codes[1]


def test_links_for_a_mail_merge_and_addresses_in_reminders(tmp_path: Path) -> None:
    settings = campaign(evaluators=(), segments=2)
    people = (
        EvaluatorSettings("e1", "zh", None, "ann@example.org"),
        EvaluatorSettings("e2"),
    )
    plan = plan_campaign(replace(settings, evaluators=people))
    made = {"organiser": "O", "evaluators": {"e1": "L1", "e2": "L2"}}
    rows = list(csv.DictReader(StringIO(mail_merge(made, plan))))
    assert [(one["evaluator"], one["address"], one["link"]) for one in rows] == [
        ("e1", "ann@example.org", "L1"),
        ("e2", "", "L2"),
        ("(organiser)", "", "O"),
    ]
    assert rows[0]["language"] == "zh"
    with Store.open(str(tmp_path / "c.db"), create=True) as store:
        state = store.state(store.create_campaign(plan).campaign)
    found = reminders(state, "2999-01-01T00:00:00.000Z")
    assert {one.evaluator: one.address for one in found.rows} == {
        "e1": "ann@example.org",
        "e2": None,
    }
    merged = list(csv.DictReader(StringIO(found.mail_merge())))
    assert [(one["evaluator"], one["address"], one["language"]) for one in merged] == [
        ("e1", "ann@example.org", "zh"),
        ("e2", "", ""),
    ]
