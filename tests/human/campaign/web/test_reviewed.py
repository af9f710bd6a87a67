"""Faults that reviews found in the web room, each mended and kept from coming back."""

from __future__ import annotations

import logging
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.campaigns import set_consensus

from campaign_load import serving
from campaign_site import MakeSite, Site, invented_plan, running
from patmark.errors import UsageError
from patmark.human.campaign import Answer, Candidate, Plan, page_corrections
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import WebSettings, create_app, serve
from patmark.human.campaign.web.app import WithoutSecrets
from patmark.human.campaign.web.entrance import PLATFORM_NAMES
from patmark.human.campaign.web.sessions import address_of
from patmark.web.guards import LARGEST_HEAD, FailureLimit
from postgres import new_database

_CSRF = re.compile(r'name="csrf" value="([0-9a-f]+)"')
_EXPECTED = {"A": {"adequacy": "5"}, "B": {"adequacy": "3"}, "C": {"adequacy": "1"}}


def _csrf(client: httpx.Client, path: str = "/") -> str:
    found = _CSRF.search(client.get(path).text)
    assert found is not None
    return found[1]


def _answer(page: str, candidate: str = "A", value: str | None = "3", **changed: Any) -> Any:
    client = sha256(f"{page} {candidate} {value}".encode()).hexdigest()
    body = {
        "page": page, "candidate": candidate, "question": "adequacy", "value": value,
        "detail": {}, "known": 0, "client": client, "seconds": 1.0,
    }  # fmt: skip
    return body | changed


def _save(client: httpx.Client, csrf: str, body: Any) -> httpx.Response:
    return client.post("/api/answer", json=body, headers={"X-CSRF-Token": csrf})


@contextmanager
def _organiser(site: Site) -> Iterator[tuple[httpx.Client, str]]:
    with site.client() as client:
        assert client.post(f"/o/{site.organiser_secret}").status_code == 303
        yield client, _csrf(client, "/organiser")


def test_nul_is_refused_before_postgresql_stumbles(postgres_url: str, make_site: MakeSite) -> None:
    with Store.open(new_database(postgres_url), create=True) as store:
        created = store.create_campaign(invented_plan("adequacy"))
        site = make_site(invented_plan("adequacy"))
        with running(create_app(store)) as address:
            there = replace(
                site, address=address, store=store, campaign=created.campaign,
                links=created.links, organiser_secret=created.organiser_secret,
            )  # fmt: skip
            _send_nul(there)


def _send_nul(site: Site) -> None:
    with site.entered() as client:
        csrf, [page, *_] = _csrf(client), site.page_ids()
        for path in ("/page/%00", "/e/%00", "/o/%00"):
            assert client.get(path).status_code == 400, path
        assert client.get("/next?after=%00").status_code == 303
        for changed in ({"page": "\0"}, {"candidate": "\0"}, {"question": "\0"}, {"value": "\0"}):
            assert _save(client, csrf, _answer(page) | changed).status_code == 422, changed
        reason = _answer(page, value=None, detail={"reason": "a\0b"})
        assert _save(client, csrf, reason).status_code == 422
    with _organiser(site) as (client, csrf):
        assert client.get("/organiser/person?name=%00").status_code == 303
        for action in ("link", "revoke", "add", "reassign", "agree"):
            fields = {"csrf": csrf, "name": "\0", "to": "\0", "item": "\0", "count": "1"}
            assert client.post(f"/organiser/{action}", data=fields).status_code == 400, action


def test_free_text_is_limited_on_the_server(site: Site) -> None:
    with site.entered() as client:
        csrf, [page, *_] = _csrf(client), site.page_ids()
        longest = _answer(page, value=None, detail={"reason": "x" * 2000})
        assert _save(client, csrf, longest).status_code == 200
        longer = _answer(page, "B", None, detail={"reason": "x" * 2001})
        assert "at most 2000" in _save(client, csrf, longer).text
        # A comment would stand in the CSV, which others open in a spreadsheet.
        formula = _answer(page, "C", detail={"comment": "=HYPERLINK(1)"})
        assert _save(client, csrf, formula).status_code == 422


def test_newcomers_need_names_that_can_be_exported(site: Site) -> None:
    with _organiser(site) as (client, csrf):
        for name in ("a\nb", "a\u202eb", " "):
            done = client.post("/organiser/add", data={"csrf": csrf, "name": name})
            assert done.status_code == 422, name
    assert [one.name for one in site.store.evaluators(site.campaign)] == ["rater-1", "rater-2"]


def test_entering_sets_one_cookie_and_ends_the_session_before(site: Site) -> None:
    with site.entered() as client:
        before = client.cookies["patmark-session"]
        done = client.post(f"/e/{site.links['rater-2']}")
        [cookie] = done.headers.get_list("set-cookie")
        assert cookie.startswith("patmark-session=") and before not in cookie
        assert site.store.session(before) is None


def test_leaving_forgets_a_cookie_of_tls_as_it_was_set(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(secure=True))
    with site.client() as client:
        cookie = client.post(site.link()).headers["set-cookie"]
        headers = {"Cookie": cookie.partition(";")[0]}
        csrf = _CSRF.search(client.get("/", headers=headers).text)
        assert csrf is not None and "Secure" in cookie
        done = client.post("/leave", data={"csrf": csrf[1]}, headers=headers)
    assert "Secure" in done.headers["set-cookie"] and "Max-Age=0" in done.headers["set-cookie"]


def test_nobody_shuts_the_door_for_everybody() -> None:
    now = [0.0]
    limit = FailureLimit(2, 3, 10.0, lambda: now[0])
    for number in range(5):
        limit.failed(f"guesser-{number}")
    assert limit.wait("guesser-4") > 0
    assert limit.wait("evaluator") == 0
    now[0] = 10.0
    assert limit.wait("guesser-4") == 0


class _From:
    """A request of which only the address matters."""

    def __init__(self, host: str) -> None:
        self.client = type("Client", (), {"host": host})


@pytest.mark.parametrize(
    ("host", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("testclient", "testclient"),
    ],
)
def test_one_network_of_ipv6_is_one_visitor(host: str, counted: str) -> None:
    assert address_of(_From(host)) == counted  # type: ignore[arg-type]


def test_logs_hide_links_however_they_are_written() -> None:
    for path in (
        *("/e/secret-1", "/E/secret-1", "/o//secret-1", "/x/e/secret-1?q", "/c/abc/j/secret-1"),
        *(f"/c/abc/j/x?{name}=secret-1&y=1" for name in PLATFORM_NAMES),
        "/j/x?y=1&PROLIFIC_PID=a/secret-1",
    ):
        record = logging.LogRecord("a", 20, "", 0, "%s - %s", ("127.0.0.1", path), None)
        assert WithoutSecrets().filter(record)
        assert "secret-1" not in record.getMessage()


def test_a_served_campaign_believes_nobody_about_addresses(tmp_path: Path) -> None:
    """Wrong links are counted by connection, whatever X-Forwarded-For says; heads are bounded."""
    db = str(tmp_path / "campaign.db")
    with Store.open(db, create=True) as store:
        store.create_campaign(invented_plan("adequacy"))
    with serving(db, tmp_path / "log") as server:
        address = f"http://127.0.0.1:{server.port}"
        with httpx.Client(base_url=address, trust_env=False) as client:
            codes = [
                client.get(f"/e/wrong-{n}", headers={"X-Forwarded-For": f"10.0.0.{n}"}).status_code
                for n in range(22)
            ]
        assert codes == [404] * 20 + [429] * 2
        with socket.create_connection(("127.0.0.1", server.port), 20) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ")
            with pytest.raises(OSError):
                for _ in range(10_000):
                    connection.sendall(b"x" * LARGEST_HEAD)


def test_a_slow_body_is_not_waited_for(monkeypatch: pytest.MonkeyPatch, site: Site) -> None:
    monkeypatch.setattr("patmark.web.guards.BODY_SECONDS", 0.2)
    host, _, port = site.address.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 20) as connection:
        connection.sendall(
            b"POST /api/answer HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{"
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 408 ")


def test_a_missing_uvicorn_names_the_extra(tmp_path: Path) -> None:
    blocked = (
        "import sys; sys.modules['uvicorn'] = None; "
        "sys.argv = ['patmark', 'human', 'serve', '--db', 'none.db']; "
        "from patmark.app.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", blocked], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "pip install 'patmark[human]'" in done.stderr and "Traceback" not in done.stderr


def test_all_addresses_need_a_name(tmp_path: Path) -> None:
    db = str(tmp_path / "campaign.db")
    with (
        Store.open(db, create=True) as store,
        pytest.raises(UsageError, match="give them with name="),
    ):
        serve(store, "0.0.0.0")


def _training(feedback: str = "each") -> Plan:
    plan = invented_plan("adequacy", pages=1, training=2, expected=_EXPECTED, pass_mark=0.9)
    return replace(plan, settings={"feedback": feedback})


def _answer_page(client: httpx.Client, csrf: str, page: str, values: str) -> list[httpx.Response]:
    given = zip("ABC", values, strict=True)
    saved = [_save(client, csrf, _answer(page, label, value)) for label, value in given]
    check = _answer(page, "", "done", question="checked")
    return [*saved, _save(client, csrf, check)]


def test_feedback_waits_for_the_end_if_the_campaign_says_so(make_site: MakeSite) -> None:
    site = make_site(_training("end"))
    with site.entered() as client:
        csrf, [first, second, _] = _csrf(client), site.page_ids()
        done = _answer_page(client, csrf, first, "531")
        assert [one.json()["feedback"] for one in done] == [None] * 4
        assert '"feedback": null' in client.get(f"/page/{first}").text.replace("&#34;", '"')
        changed = _answer(first, "A", "4", client="another-client-id")
        assert _save(client, csrf, changed).status_code == 200
        last = _answer_page(client, csrf, second, "531")[-1]
        assert last.json()["feedback"]["right"] == 3
        assert _save(client, csrf, _answer(first, "A", "5", client="x" * 20)).status_code == 409


def test_what_was_agreed_on_is_the_reference_of_the_training(make_site: MakeSite) -> None:
    """Feedback, pass mark and statistics follow the consensus instead of the training file."""
    site = make_site(_training())
    agree = ("segment-0", ["SecretAlpha"], "adequacy")
    with site.entered() as client:
        csrf, pages = _csrf(client), site.page_ids()
        assert _answer_page(client, csrf, pages[0], "431")[-1].json()["feedback"]["right"] == 2
        _answer_page(client, csrf, pages[1], "531")
        assert client.get("/next").headers["location"] == site.at("/training")
        set_consensus(site.store, site.campaign, *agree, "4", "discussed")
        assert client.get("/next").headers["location"] == f"/c/{site.campaign}/page/{pages[2]}"
        shown = client.get(f"/page/{pages[0]}").text
        assert re.search(r'right(&#34;|"): 3', shown)
    data = site.store.state(site.campaign)
    [person] = [one for one in data.people if one.name == "rater-1"]
    assert (person.agreement.right, person.passed) == (6, True)
    found = [
        page_corrections(data.form, page, data.given) for page in data.plan.pages_of("rater-1")
    ]
    assert sum(one.agrees for page in found for one in page) == 5  # the file as it was


def test_shares_of_a_single_system_have_wilson_intervals(make_site: MakeSite) -> None:
    plan = invented_plan("pair-correctness", pages=4)
    pages = tuple(
        replace(page, phase="main", candidates=(Candidate("A", ("corpus",), "text"),))
        for page in plan.pages
    )
    site = make_site(replace(plan, pages=pages))
    [question] = [one.id for one in plan.form.questions]
    values = [choice.value for choice in plan.form.questions[0].choices]
    for page, value in zip(site.page_ids(), [values[0]] * 3 + [values[1]], strict=True):
        site.store.save(site.campaign, "rater-1", Answer(page, "A", question, value))
    with _organiser(site) as (client, _):
        shown = client.get("/organiser/ranking").text
    # scipy 1.17.1: binomtest(3, 4).proportion_ci(method="wilson") and binomtest(1, 4)
    assert "<b>0.750</b>" in shown and "[0.301, 0.954]" in shown
    assert "<b>0.250</b>" in shown and "[0.046, 0.699]" in shown
