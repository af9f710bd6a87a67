"""The organiser's pages: who may see and do what, and what decisions change."""

from __future__ import annotations

import html
import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from campaign_site import EVALUATORS, SYSTEMS, MakeSite, Site, invented_plan
from example_campaigns import ADEQUACY, CLAIMS, PAIRWISE, answers
from patmark.human.campaign import Answer, Plan, plan_campaign, read_campaign
from patmark.human.campaign.web import WebSettings
from patmark.human.judgements import read_judgements

_TABS = ("", "/people", "/agreement", "/checks", "/ranking", "/consensus", "/log", "/campaign")
_WRITES = ("close", "reopen", "add", "link", "links", "archive", "unarchive", "delete",
           "clone", "organisers", "revoke", "qualify", "exclude",
           "include", "reassign", "agree", "address", "publish", "withdraw")  # fmt: skip
_CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')


class Desk:
    """The organiser at a browser."""

    def __init__(self, site: Site, client: httpx.Client) -> None:
        self.site = site
        self.client = client
        found = _CSRF.search(client.get("/organiser").text)
        assert found is not None
        self.csrf = found[1]

    def post(self, what: str, **fields: str) -> httpx.Response:
        return self.client.post(f"/organiser/{what}", data={"csrf": self.csrf, **fields})

    def text(self, path: str = "") -> str:
        answer = self.client.get(f"/organiser{path}")
        assert answer.status_code == 200
        return answer.text


@contextmanager
def at_desk(site: Site) -> Iterator[Desk]:
    with site.client() as client:
        answer = client.post(f"/o/{site.organiser_secret}")
        assert (answer.status_code, answer.headers["location"]) == (303, site.at("/organiser"))
        yield Desk(site, client)


def filled(make_site: MakeSite, file: Path) -> Site:
    """A campaign of the examples, answered by everybody."""
    plan: Plan = plan_campaign(read_campaign(file))
    site = make_site(plan)
    for place, name in enumerate(plan.evaluators):
        for page in plan.pages_of(name):
            given = answers(plan, [page], 1000 * place + page.position)
            site.store.save_many(site.campaign, name, given)
    return site


def test_opening_the_link_changes_nothing(lasting_site: Site) -> None:
    before = len(lasting_site.store.events(lasting_site.campaign))
    with lasting_site.client() as client:
        answer = client.get(f"/o/{lasting_site.organiser_secret}")
        assert answer.status_code == 200 and "set-cookie" not in answer.headers
        assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert len(lasting_site.store.events(lasting_site.campaign)) == before


def test_only_the_secret_opens(lasting_site: Site) -> None:
    with lasting_site.client() as client:
        for secret in ("x", "x" * 500, lasting_site.links[EVALUATORS[0]], lasting_site.campaign):
            assert client.get(f"/o/{secret}").status_code == 404
            assert client.post(f"/o/{secret}").status_code == 404
        assert client.get(f"/e/{lasting_site.organiser_secret}").status_code == 404


def test_guessing_is_slowed_down(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(tries_per_address=3))
    with site.client() as client:
        assert [client.post("/o/wrong").status_code for _ in range(4)] == [404, 404, 404, 429]
        assert client.post(f"/o/{site.organiser_secret}").status_code == 303


@pytest.mark.parametrize("who", ["nobody", "evaluator"])
def test_nobody_else_sees_or_decides(lasting_site: Site, who: str) -> None:
    with lasting_site.client() as client:
        csrf = "0" * 64
        if who == "evaluator":
            client.post(f"/e/{lasting_site.links[EVALUATORS[0]]}")
            found = _CSRF.search(client.get("/").text)
            assert found is not None
            csrf = found[1]
        for path in (*_TABS, "/person?name=rater-2", "/export/judgements.csv"):
            assert client.get(f"/organiser{path}").status_code == 401
        assert client.get("/api/organiser/progress").status_code == 401
        for what in _WRITES:
            fields = {"csrf": csrf, "name": EVALUATORS[1], "reason": "x"}
            assert client.post(f"/organiser/{what}", data=fields).status_code == 401
    assert lasting_site.store.campaign(lasting_site.campaign).is_open
    assert all(one.excluded is None and one.revoked is None
               for one in lasting_site.store.evaluators(lasting_site.campaign))  # fmt: skip


def test_an_organiser_is_no_evaluator(lasting_site: Site) -> None:
    page = lasting_site.page_ids()[0]
    with at_desk(lasting_site) as desk:
        assert desk.client.get("/").headers["location"] == lasting_site.at("/organiser")
        assert desk.client.get(f"/page/{page}").status_code == 401


def test_every_decision_needs_the_token(lasting_site: Site) -> None:
    with at_desk(lasting_site) as desk:
        for what in _WRITES:
            for fields in ({}, {"csrf": "0" * 64}):
                answer = desk.client.post(
                    f"/organiser/{what}", data={"name": EVALUATORS[0], **fields}
                )
                assert answer.status_code == 403
            forged = desk.client.post(
                f"/organiser/{what}",
                data={"csrf": desk.csrf},
                headers={"Sec-Fetch-Site": "cross-site"},
            )
            assert forged.status_code == 403
            assert desk.client.get(f"/organiser/{what}").status_code in (404, 405)


@pytest.mark.parametrize("file", [ADEQUACY, PAIRWISE, CLAIMS])
def test_all_pages_of_filled_campaigns(make_site: MakeSite, file: Path) -> None:
    with at_desk(filled(make_site, file)) as desk:
        for tab in _TABS:
            text = desk.text(tab)
            assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son\w+=", text)
        assert "atlas" in desk.text("/ranking")
        assert "atlas" not in desk.text("/consensus")


def test_a_campaign_without_answers(lasting_site: Site) -> None:
    with at_desk(lasting_site) as desk:
        for tab in _TABS:
            desk.text(tab)
        assert "export/judgements.csv" not in desk.text()
        assert desk.client.get("/organiser/export/judgements.csv").status_code == 422
        assert desk.client.get("/organiser/export/x.csv").status_code == 404


def test_markup_is_inert(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"))
    page = site.page_ids()[0]
    site.store.save_remark(site.campaign, EVALUATORS[0], page, "<script>alert(1)</script>", True)
    site.store.exclude(site.campaign, EVALUATORS[0], "<img src=x onerror=alert(1)>")
    with at_desk(site) as desk:
        for path in ("", f"/person?name={EVALUATORS[0]}", "/log"):
            text = desk.text(path)
            assert "<script>alert" not in text and "<img" not in text
        assert "&lt;script&gt;alert" in desk.text()


def test_close_and_reopen(site: Site) -> None:
    with at_desk(site) as desk:
        assert desk.post("close").status_code == 303
        assert not site.store.campaign(site.campaign).is_open
        assert "/organiser/reopen" in desk.text()
        desk.post("reopen")
        assert site.store.campaign(site.campaign).is_open


def test_an_evaluator_is_added_with_a_link_that_works(site: Site) -> None:
    with at_desk(site) as desk:
        answer = desk.post("add", name="rater-3", like="rater-1")
        assert answer.status_code == 200 and "no-store" in answer.headers["cache-control"]
        link = re.search(r'value="(http://[^"]+/e/[\w-]+)"', answer.text)
        assert link is not None
        assert desk.post("add", name="rater-3").status_code == 422
        assert desk.post("add", name="").status_code == 422
        assert desk.post("add", name="x" * 101).status_code == 422
        assert "rater-3" in desk.text()
    with site.client() as client:
        assert client.post(link[1]).status_code == 303
        assert client.get("/").status_code == 200
    assert len(site.page_ids("rater-3")) == len(site.page_ids("rater-1"))


def test_new_links_end_old_ones(site: Site) -> None:
    with at_desk(site) as desk, site.entered() as client:
        answer = desk.post("link", name="rater-1")
        assert client.get("/guideline").status_code == 401
        assert client.post(f"/e/{site.links['rater-1']}").status_code == 404
        link = re.search(r'value="(http://[^"]+/e/[\w-]+)"', answer.text)
        assert link is not None and client.post(link[1]).status_code == 303
        assert desk.post("revoke", name="rater-1").status_code == 303
        assert client.get("/guideline").status_code == 401
        assert desk.post("link", name="who").status_code == 422


def _shown_link(text: str) -> str:
    return re.findall(r'class="link"[^>]* value="([^"]+)"', text)[0]


def test_the_language_of_the_page_with_a_link_keeps_the_link(site: Site) -> None:
    with at_desk(site) as desk:
        first = desk.post("link", name="rater-1")
        [action] = re.findall(r'action="([^"]+)" class="languages"', first.text)
        [kept] = re.findall(r'name="links" value="([^"]+)"', first.text)
        fields = {"csrf": desk.csrf, "links": html.unescape(kept), "language": "ja"}
        again = desk.client.post(site.address + action, data=fields)
        assert (again.status_code, _shown_link(again.text)) == (200, _shown_link(first.text))
        assert 'lang="ja"' in again.text and "patmark-language=ja" in again.headers["set-cookie"]
        for wrong in ("x", "[]", '{"a": 1}'):
            assert desk.post("links", links=wrong, language="zh").status_code == 422
        assert desk.client.post(site.address + action, data={"links": kept}).status_code == 403


def test_languages_lead_back_to_a_page_that_there_is(site: Site) -> None:
    """Also from the answer to a form, whose address cannot be opened."""

    def opened(text: str) -> int:
        [back] = re.findall(r'name="back" value="([^"]*)"', text)
        chosen = desk.client.post("/language", data={"language": "en", "back": back})
        return desk.client.get(site.address + chosen.headers["location"]).status_code

    with at_desk(site) as desk:
        refused = desk.post("add", name="rater-1")
        assert (refused.status_code, opened(refused.text)) == (422, 200)
        person = desk.client.get("/organiser/person?name=rater-1")
        assert (
            site.at('/organiser/person?name=rater-1"') in person.text and opened(person.text) == 200
        )


def test_new_links_lead_to_the_address_of_the_campaign(site: Site) -> None:
    site.store.set_address(site.campaign, "https://judge.example.org")
    with at_desk(site) as desk:
        for answer in (desk.post("link", name="rater-1"), desk.post("add", name="new", like="")):
            assert _shown_link(answer.text).startswith("https://judge.example.org/e/")
    assert "new address" in [event.action for event in site.store.events(site.campaign)]


def test_links_are_https_behind_tls(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(secure=True))
    with site.client() as client:
        cookie = client.post(f"/o/{site.organiser_secret}").headers["set-cookie"]
        assert all(part in cookie for part in ("Secure", "HttpOnly", "SameSite=lax"))
        assert cookie.startswith(f"__Host-patmark-organiser-{site.campaign}=")
        client.headers["Cookie"] = cookie.partition(";")[0]  # httpx keeps it from plain http
        assert 'value="https://' in Desk(site, client).post("link", name="rater-1").text


def test_qualification(make_site: MakeSite) -> None:
    plan = invented_plan("adequacy", training=1, expected={"A": {"adequacy": "5"}}, pass_mark=1.0)
    site = make_site(plan)
    with at_desk(site) as desk, site.entered() as client:
        main = site.page_ids()[1]
        assert client.get(f"/page/{main}").status_code == 303
        desk.post("qualify", name="rater-1", qualified="yes")
        assert client.get(f"/page/{main}").status_code == 200
        desk.post("qualify", name="rater-1", qualified="mark")
        assert client.get(f"/page/{main}").status_code == 303
        assert desk.post("qualify", name="rater-1", qualified="maybe").status_code == 422
    actions = [event.action for event in site.store.events(site.campaign)]
    assert "qualified" in actions and "qualification open" in actions


def test_an_exclusion_needs_a_reason_and_is_recorded(site: Site) -> None:
    with at_desk(site) as desk:
        assert desk.post("exclude", name="rater-1", reason=" ").status_code == 422
        desk.post("exclude", name="rater-1", reason="always the same grade")
        assert "always the same grade" in desk.text("/person?name=rater-1")
        assert "always the same grade" in desk.text("/log")
        desk.post("include", name="rater-1", reason="a mistake")
        assert site.store.evaluators(site.campaign)[0].excluded is None


def test_a_mail_address_is_kept_for_the_organiser_alone(site: Site) -> None:
    with at_desk(site) as desk:
        assert desk.post("address", name="rater-1", address="no address").status_code == 422
        desk.post("address", name="rater-1", address="ann@example.org")
        assert "ann@example.org" in desk.text("/person?name=rater-1")
        assert "ann@example.org" not in desk.text("/log")
        with site.entered() as client:
            assert "ann@example.org" not in client.get("/").text
        desk.post("address", name="rater-1", address="")
        assert "ann@example.org" not in desk.text("/person?name=rater-1")


def test_open_pages_change_hands(make_site: MakeSite) -> None:
    plan = plan_campaign(read_campaign(ADEQUACY))
    site = make_site(plan)
    before = [len(site.page_ids(name)) for name in ("e1", "e2")]
    with at_desk(site) as desk:
        assert "/organiser/reassign" in desk.text("/person?name=e1")
        assert desk.post("reassign", name="e1", to="e2", count="1").status_code == 303
        for count in ("0", "-1", "x", ""):
            assert desk.post("reassign", name="e1", to="e2", count=count).status_code == 422
        assert desk.post("reassign", name="e1", to="e1", count="1").status_code == 422
    assert [len(site.page_ids(name)) for name in ("e1", "e2")] == [before[0] - 1, before[1] + 1]


def test_consensus(make_site: MakeSite) -> None:
    site = filled(make_site, ADEQUACY)
    with at_desk(site) as desk:
        text = desk.text("/consensus?phase=main")
        key = re.search(r'name="item" value="(\w+)"', text)
        assert key is not None
        fields = {"item": key[1], "phase": "main", "page": "1"}
        answer = desk.post("agree", **fields, value="3", note="half of it is there")
        assert answer.headers["location"] == site.at("/organiser/consensus?phase=main&page=1")
        [agreed] = site.store.state(site.campaign).consensus
        assert (agreed.value, agreed.note) == ("3", "half of it is there")
        assert "half of it is there" in desk.text("/consensus")
        desk.post("agree", **fields, value="", note="")
        assert site.store.state(site.campaign).consensus == ()
        assert desk.post("agree", **fields, value="9").status_code == 422
        assert desk.post("agree", **{**fields, "item": "x"}, value="3").status_code == 422


def test_downloads(make_site: MakeSite) -> None:
    site = filled(make_site, ADEQUACY)
    with at_desk(site) as desk:
        rows = desk.client.get("/organiser/export/judgements.csv")
        assert rows.headers["content-disposition"].startswith("attachment;")
        assert rows.text.startswith("evaluator,system,segment,criterion,value")
        lines = desk.client.get("/organiser/export/answers.jsonl").text.splitlines()
        assert {json.loads(line)["phase"] for line in lines} == {
            "main", "training", "check", "repeat",
        }  # fmt: skip
        packed = desk.client.get("/organiser/export/mt-metrics-eval.zip").content
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            assert "sources/zh-en.txt" in archive.namelist()
            assert "human-scores/zh-en.adequacy.seg.score" in archive.namelist()
        again = desk.client.get("/organiser/export/pearmut.json").json()
        assert again["info"]["assignment"] == "task-based"
        assert desk.client.get("/organiser/export/preferences.csv").status_code == 422
        assert "export/annotations.jsonl" not in desk.text()


def test_marked_errors_are_downloaded_in_every_form(make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site(invented_plan("mqm", 2))
    mark = {"start": 0, "end": 4, "severity": "major", "category": "Accuracy/Mistranslation"}
    given = Answer(site.page_ids()[0], "A", "errors", "1", {"spans": [mark]})
    site.store.save(site.campaign, "rater-1", given)
    found = []
    with at_desk(site) as desk:
        offered = re.findall(r"/organiser/export/([\w.-]+)", desk.text())
        assert offered == [
            "answers.jsonl", "annotations.jsonl", "wmt-mqm.tsv", "label-studio.json",
            "pearmut-log.jsonl",
        ]  # fmt: skip
        for name in offered:
            path = tmp_path / name
            path.write_bytes(desk.client.get(f"/organiser/export/{name}").content)
            found.append(read_judgements(path).annotations)
    assert found[0] is not None and len(found[0].marks) == 1
    assert all(one == found[0] for one in found)


def test_numbers_that_renew_themselves(make_site: MakeSite) -> None:
    site = filled(make_site, ADEQUACY)
    with at_desk(site) as desk:
        found = desk.client.get("/api/organiser/progress").json()
    assert found["all"] == {"done": 21, "taken": 0, "free": 0, "total": 21}
    own = found["people"]["e1"]
    assert own["done"] == own["total"] == 7
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d", own["seen"])


def test_an_unknown_person(lasting_site: Site) -> None:
    with at_desk(lasting_site) as desk:
        for name in ("", "who", "%00", "%ff"):
            answer = desk.client.get(f"/organiser/person?name={name}")
            assert answer.status_code == 303
            assert answer.headers["location"] == lasting_site.at("/organiser")


def test_evaluators_never_see_the_ranking(lasting_site: Site) -> None:
    with lasting_site.entered() as client:
        for path in ("/", "/review", "/guideline", f"/page/{lasting_site.page_ids()[0]}"):
            text = client.get(path).text
            assert "/organiser" not in text
            assert not any(name in text for name in SYSTEMS)


def test_published_results_are_frozen_and_name_nobody(make_site: MakeSite) -> None:
    plan = invented_plan("adequacy", 8)
    plan = replace(plan, pages=tuple(replace(one, phase="main") for one in plan.pages))
    site = make_site(plan)
    for page in plan.pages:
        grades = [Answer(page.id, label, "adequacy", "435"["ABC".index(label)]) for label in "ABC"]
        site.store.save_many(site.campaign, page.evaluator, grades)
    with at_desk(site) as desk, site.client() as anybody:
        assert anybody.get("/results").status_code == 404
        assert desk.post("publish").status_code == 422  # it is still open
        site.store.close_campaign(site.campaign)
        assert desk.post("publish").status_code == 303
        shown = anybody.get("/results")
        assert shown.status_code == 200
        assert "SecretAlpha" in shown.text
        assert "rater-1" not in shown.text
        assert "sandbox" in shown.headers["content-security-policy"]
        site.store.exclude(site.campaign, "rater-1", "random")
        assert anybody.get("/results").text == shown.text
        assert desk.post("withdraw").status_code == 303
        assert anybody.get("/results").status_code == 404
