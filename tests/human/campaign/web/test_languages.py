"""The language of the pages: chosen, else planned for the evaluator, else of the browser."""

from __future__ import annotations

from dataclasses import replace

import httpx
import pytest

from campaign_site import MakeSite, Site, invented_plan


@pytest.fixture
def planned(make_site: MakeSite) -> Site:
    """The first evaluator reads Chinese; nothing is said of the second."""
    people = [{"name": "rater-1", "language": "zh"}, {"name": "rater-2", "language": None}]
    return make_site(replace(invented_plan("adequacy"), settings={"evaluators": people}))


def _language(client: httpx.Client, path: str) -> str:
    return client.get(path).text.split('<html lang="')[1].split('"')[0]


def test_an_evaluator_reads_the_language_of_the_campaign_file(planned: Site) -> None:
    with planned.client() as client:
        assert _language(client, planned.link()) == "zh"
        assert _language(client, planned.link("rater-2")) == "en"
        client.post(planned.link())
        assert _language(client, planned.link("rater-2")) == "en"
        page = f"/page/{planned.page_ids()[0]}"
        for path in ("/", "/guideline", "/review", page):
            assert _language(client, path) == "zh"
        client.post("/language", data={"language": "ja", "back": "/"})
        for path in ("/", "/review", planned.link()):
            assert _language(client, path) == "ja"


def test_the_browser_decides_where_nothing_is_planned(planned: Site) -> None:
    with planned.entered("rater-2") as client:
        client.headers["Accept-Language"] = "ja"
        assert _language(client, "/review") == "ja"
    with planned.entered("rater-1") as client:
        client.headers["Accept-Language"] = "ja"
        assert _language(client, "/review") == "zh"


def test_the_entrance_names_the_campaign(planned: Site) -> None:
    with planned.client() as client:
        assert '<p class="subtitle">Bench</p>' in client.get(planned.link()).text
