"""Several campaigns in one database: who sees which, clones, archive, deletion, organisers, log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from campaign_site import Site, invented_plan, running
from patmark.human.campaign import Answer
from patmark.human.campaign.records import Progress
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import create_app


def csrf_in(text: str) -> str:
    """The token of a page."""
    found = re.search(r'name="csrf" value="([0-9a-f]+)"', text)
    assert found is not None
    return found[1]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Site, Site]]:
    """Two campaigns of one server."""
    with (
        Store.open(str(tmp_path / "two.db"), create=True) as store,
        running(create_app(store)) as address,
    ):
        made = [store.create_campaign(invented_plan("adequacy", pages=3)) for _ in range(2)]
        first, second = (
            Site(address, store, one.campaign, one.links, one.organiser_secret) for one in made
        )
        yield first, second


def test_sessions_of_two_campaigns_live_side_by_side(two: tuple[Site, Site]) -> None:
    first, second = two
    with first.client() as client:
        for site, rater in ((first, "rater-1"), (second, "rater-2")):
            entered = client.post(site.link(rater))
            assert f"Path={site.at('')}" in entered.headers["set-cookie"]
        for site, rater in ((first, "rater-1"), (second, "rater-2")):
            page = site.page_ids(rater)[0]
            shown = client.get(f"{site.root}/page/{page}")
            assert shown.status_code == 200
            body = {
                "page": page, "candidate": "A", "question": "adequacy", "value": "4", "detail": {},
                "known": 0, "client": "c" * 16, "seconds": 1.0,
            }  # fmt: skip
            csrf = {"X-CSRF-Token": csrf_in(shown.text)}
            saved = client.post(f"{site.root}/api/answer", json=body, headers=csrf)
            assert saved.status_code == 200
            assert site.values(rater) == {"A|adequacy": "4"}
        client.post(
            f"{first.root}/leave", data={"csrf": csrf_in(client.get(first.root + "/").text)}
        )
        assert client.get(f"{first.root}/next").status_code == 401
        assert client.get(f"{second.root}/next").status_code == 303
        token = client.cookies["patmark-session"]
    with first.client() as client:  # a session of one campaign opens no other one
        client.cookies.set("patmark-session", token)
        assert client.get(f"{second.root}/next").status_code == 303
        assert client.get(f"{first.root}/next").status_code == 401
        assert client.get(f"{first.address}/next").status_code == 401


def _post(client: httpx.Client, page: str, address: str, **fields: str) -> httpx.Response:
    csrf = csrf_in(client.get(page).text)
    return client.post(address, data={"csrf": csrf, **fields})


def test_one_link_for_all_campaigns(two: tuple[Site, Site]) -> None:
    first, second = two
    store = first.store
    store.save(first.campaign, "rater-1", Answer(first.page_ids()[0], "A", "adequacy", "4"))
    link = f"{first.address}/o/{store.add_organiser(None, 'chief')}"
    campaigns = f"{first.address}/campaigns"
    with first.client() as client:
        assert client.get(campaigns).status_code == 401
        assert client.get(link).status_code == 200
        assert client.post(link).headers["location"] == "/campaigns"
        assert client.get(first.address).headers["location"] == "/campaigns"
        shown = client.get(campaigns).text
        assert all(f'href="{site.at("/organiser")}"' in shown for site in two)
        for site in two:
            assert client.get(f"{site.root}/organiser").status_code == 200
            assert client.get(f"{site.root}/next").status_code == 401  # no evaluator
        assert client.get(f"{first.address}/c/nothing/organiser").status_code == 404

        page = f"{second.root}/organiser/campaign"
        assert _post(client, page, f"{second.root}/organiser/archive").status_code == 303
        assert second.at("/organiser") not in client.get(campaigns).text
        assert second.at("/organiser") in client.get(f"{campaigns}?archived=true").text
        assert not store.campaign(second.campaign).is_open
        _post(client, page, f"{second.root}/organiser/unarchive")
        assert store.campaign(second.campaign).archived is None

        refused = _post(client, page, f"{second.root}/organiser/delete", name="bench")
        assert refused.status_code == 422 and len(store.campaigns()) == 2
        gone = _post(client, page, f"{second.root}/organiser/delete", name="Bench")
        assert gone.headers["location"] == "/campaigns"
        assert [one.id for one in store.campaigns()] == [first.campaign]
        assert client.get(page).status_code == 404
        log = [(one.organiser, one.action, one.detail) for one in store.events(None)]
        assert ("chief", "deleted a campaign", "Bench") in log
        assert client.get(second.link()).status_code == 404

        _post(client, campaigns, f"{campaigns}/organisers", action="add", name="deputy")
        _post(client, campaigns, f"{campaigns}/organisers", action="revoke", name="chief")
        assert client.get(campaigns).status_code == 401
    assert [(one.name, one.revoked is None) for one in store.organisers(None)] == [
        ("chief", False),
        ("deputy", True),
    ]


def test_organisers_have_links_and_names_of_their_own(site: Site) -> None:
    page, change = f"{site.root}/organiser/campaign", f"{site.root}/organiser/organisers"
    with site.client() as client:
        client.post(f"/o/{site.organiser_secret}")
        for name, status in (("", 422), ("organiser", 422), ("Mei 美", 200)):
            made = _post(client, page, change, action="add", name=name)
            assert made.status_code == status
        [link] = re.findall(r'class="link"[^>]* value="([^"]+)"', made.text)
        assert _post(client, page, change, action="what", name="x").status_code == 422
    with site.client() as mei:
        mei.post(link)
        _post(mei, "/organiser", "/organiser/close")
        log = mei.get("/organiser/log").text
        assert log.count("<td>Mei 美</td>") == 2 and "<td>organiser</td>" in log
        _post(mei, page, change, action="revoke", name="organiser")
        refused = _post(mei, page, change, action="revoke", name="Mei 美")
        assert refused.status_code == 422 and "add another before" in refused.text
        renewed = _post(mei, page, change, action="link", name="Mei 美")
        assert "Earlier links of Mei 美 have stopped working." in renewed.text
        assert renewed.status_code == 200 and mei.get("/organiser").status_code == 401
    with site.client() as client:
        assert client.post(f"/o/{site.organiser_secret}").status_code == 404


def test_a_clone_has_the_same_pages_and_no_answers(site: Site) -> None:
    site.store.save(site.campaign, "rater-1", Answer(site.page_ids()[0], "A", "adequacy", "4"))
    with site.client() as client:
        client.post(f"/o/{site.organiser_secret}")
        for name in ("Bench", " "):
            made = _post(client, "/organiser/campaign", "/organiser/clone", name=name)
            assert made.status_code == 422
        made = _post(client, "/organiser/campaign", "/organiser/clone", name="Again")
        links = re.findall(r'class="link"[^>]* value="([^"]+)"', made.text)
        assert "stopped working" not in made.text
        assert len(links) == 3 and all(client.get(link).status_code == 200 for link in links)
    clone = site.store.campaigns()[-1]
    assert clone.name == "Again" and site.store.answers(clone.id) == []
    assert site.store.plan(clone.id).pages == site.store.plan(site.campaign).pages
    deleted = site.store.overview()[1]
    assert (deleted.progress, deleted.evaluators, deleted.state) == (Progress(0, 6), 2, "open")


def test_overview_counts_what_the_state_counts(site: Site) -> None:
    store, campaign = site.store, site.campaign
    page = site.page_ids()[0]
    for label in "ABC":
        store.save(campaign, "rater-1", Answer(page, label, "adequacy", "4"))
    assert store.overview()[0].progress == store.state(campaign).progress == Progress(1, 5)
    store.save(campaign, "rater-1", Answer(page, "B", "adequacy", None))
    assert store.overview()[0].progress == store.state(campaign).progress == Progress(0, 6)


def test_every_address_in_a_template_stays_in_its_campaign() -> None:
    folder = (
        Path(__file__).parents[4] / "src" / "patmark" / "human" / "campaign" / "web" / "templates"
    )
    for file in folder.glob("*.j2"):
        found = re.findall(r'(?:href|action)="(/[^"]*)"', file.read_text(encoding="utf-8"))
        assert [one for one in found if not one.startswith(("/campaigns", "/c/"))] == [], file.name
