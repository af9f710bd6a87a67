"""Guessing, replay, foreign pages, forged requests, oversized bodies, hostile paths: refused."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from urllib.parse import urlsplit

import httpx
import pytest
import sqlalchemy
from markupsafe import escape
from starlette.types import Message

from campaign_site import MakeSite, Site, invented_plan, running
from patmark import __version__
from patmark.errors import UsageError
from patmark.human.campaign import Answer
from patmark.human.campaign.store.tables import hash_of
from patmark.human.campaign.web import WebSettings, create_app, serve
from patmark.human.campaign.web.app import WithoutSecrets, host_names
from patmark.human.campaign.web.sessions import LOOPBACK_NAMES


def csrf_of(client: httpx.Client) -> str:
    return client.get("/").text.split('name="csrf" value="')[1].split('"')[0]


def answer_body(page: str, **changes: object) -> dict[str, object]:
    body = {
        "page": page,
        "candidate": "A",
        "question": "adequacy",
        "value": "4",
        "detail": {},
        "known": 0,
        "client": "0123456789abcdef",
        "seconds": 1.5,
    }
    return {**body, **changes}


def test_headers_of_every_answer(lasting_site: Site) -> None:
    with lasting_site.entered() as client:
        pages = ["/", "/next", "/nothing", "/static/x/y", f"/e/{lasting_site.links['rater-1']}"]
        answers = [client.get(path) for path in pages] + [client.post("/api/answer")]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["referrer-policy"] == "strict-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_pages_have_no_script_or_style_in_them(lasting_site: Site) -> None:
    with lasting_site.entered() as client:
        for path in ("/", "/guideline", "/review", f"/page/{lasting_site.page_ids()[0]}"):
            text = client.get(path).text
            assert " style=" not in text
            assert "<style" not in text
            assert " onclick" not in text
            for opening in text.split("<script")[1:]:
                assert opening.startswith((' src="/static/', ' type="module" src="/static/')) or (
                    'type="application/json"' in opening.partition(">")[0]
                )


def test_no_documentation_of_the_interface(lasting_site: Site) -> None:
    with lasting_site.client() as client:
        assert {
            client.get(f"/{name}").status_code for name in ("docs", "redoc", "openapi.json")
        } == {404}


def test_opening_a_link_changes_nothing(lasting_site: Site) -> None:
    """A preview of the link in a chat must neither sign in nor use the link up."""
    with lasting_site.client() as client:
        shown = client.get(lasting_site.link())
        assert shown.status_code == 200
        assert "set-cookie" not in shown.headers
        assert client.get("/next").status_code == 401
        entered = client.post(lasting_site.link())
    assert entered.headers["location"] == lasting_site.at("/")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    assert lasting_site.links["rater-1"] not in str(entered.headers)


def test_secure_cookies_behind_tls(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(secure=True))
    with site.client() as client:
        headers = client.post(site.link()).headers
        assert "secure" in headers["set-cookie"].lower()
        assert headers["set-cookie"].startswith(f"__Host-patmark-session-{site.campaign}=")
        assert "Path=/;" in headers["set-cookie"]
        assert headers["strict-transport-security"].startswith("max-age=")


def test_campaigns_behind_tls_keep_their_sessions_apart(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(secure=True))
    other = site.store.create_campaign(invented_plan("adequacy"))
    with site.client() as client:
        cookies = {}
        for link in (site.links["rater-1"], other.links["rater-1"]):
            answer = client.post(f"{site.address}/e/{link}")
            name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
            cookies[name] = value
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
        for campaign in (site.campaign, other.campaign):
            shown = client.get(f"{site.address}/c/{campaign}/review", headers=sent)
            assert shown.status_code == 200


def test_guessing_is_slowed_down(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(tries_per_address=5))
    with site.client() as client:
        codes = [client.get(f"/e/guess-{number}").status_code for number in range(7)]
        assert codes == [404] * 5 + [429] * 2
        blocked = client.post("/e/guess-8")
        assert blocked.status_code == 429
        assert int(blocked.headers["retry-after"]) > 0


def test_valid_links_enter_whoever_guesses(make_site: MakeSite) -> None:
    """Behind a proxy that is not believed, all visitors have one address."""
    site = make_site(invented_plan("adequacy"), WebSettings())
    with site.client() as client:
        codes = [client.get(f"/e/guess-{number}").status_code for number in range(30)]
        assert codes == [404] * 20 + [429] * 10
        for evaluator in ("rater-1", "rater-2"):
            assert client.get(site.link(evaluator)).status_code == 200
            assert client.post(site.link(evaluator)).status_code == 303
        assert client.get(f"/o/{site.organiser_secret}").status_code == 200
        assert client.post(f"/o/{site.organiser_secret}").status_code == 303
        assert client.get("/e/guess-30").status_code == 429
        site.store.revoke(site.campaign, "rater-2")
        ended, unknown = (
            client.get(path) for path in (site.link("rater-2"), f"{site.address}/e/guess-31")
        )
        assert (ended.status_code, ended.text.replace(site.links["rater-2"], "guess-31")) == (
            unknown.status_code,
            unknown.text,
        )


def test_all_addresses_together_are_limited(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(tries_in_all=3))
    with site.client() as client:
        codes = [client.post(f"/e/guess-{number}").status_code for number in range(5)]
    assert codes == [404, 404, 404, 429, 429]


@pytest.mark.parametrize("token", ["x" * 5000, "%00", "%2e%2e%2fetc", "' or 1=1 --", "😀"])
def test_odd_links(lasting_site: Site, token: str) -> None:
    with lasting_site.client() as client:
        assert client.get(f"/e/{token}").status_code in (400, 404)


def test_replay_after_leaving(lasting_site: Site) -> None:
    with lasting_site.entered() as client:
        cookies = dict(client.cookies)
        csrf = csrf_of(client)
        left = client.post("/leave", data={"csrf": csrf})
        assert left.headers["location"].endswith("/left")
    with httpx.Client(base_url=lasting_site.root, trust_env=False, cookies=cookies) as replayed:
        assert replayed.get("/next").status_code == 401
        saved = replayed.post(
            "/api/answer",
            json=answer_body(lasting_site.page_ids()[0]),
            headers={"X-CSRF-Token": csrf},
        )
        assert saved.status_code == 401
    assert lasting_site.values() == {}


def test_sessions_end(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(session_seconds=0))
    with site.client() as client:
        token = client.post(site.link()).headers["set-cookie"].split("=")[1].split(";")[0]
        client.cookies.set("patmark-session", token)
        assert client.get("/next").status_code == 401


def test_a_new_entrance_gives_a_new_session(lasting_site: Site) -> None:
    """A session that somebody planted before is not taken over."""
    with lasting_site.client() as client:
        client.cookies.set("patmark-session", "planted")
        entered = client.post(lasting_site.link())
        assert "planted" not in entered.headers["set-cookie"]


def test_withdrawn_links_and_sessions(site: Site) -> None:
    with site.entered() as client:
        site.store.revoke(site.campaign, "rater-1")
        assert client.get("/next").status_code == 401
        assert client.get(site.link()).status_code == 404


def test_pages_of_others(lasting_site: Site) -> None:
    foreign = lasting_site.page_ids("rater-2")[0]
    with lasting_site.entered() as client:
        csrf = {"X-CSRF-Token": csrf_of(client)}
        assert client.get(f"/page/{foreign}").status_code == 404
        saved = client.post("/api/answer", json=answer_body(foreign), headers=csrf)
        assert saved.status_code == 404
        remark = {"page": foreign, "text": "x", "flagged": True}
        assert client.post("/api/remark", json=remark, headers=csrf).status_code == 404
        for path in ("/", "/review", "/next"):
            shown = client.get(path, follow_redirects=True).text
            assert "rater-2" not in shown
            assert foreign not in shown
    assert lasting_site.values("rater-2") == {}
    assert lasting_site.store.state(lasting_site.campaign).remarks == ()


def test_nothing_tells_systems_or_checks(make_site: MakeSite) -> None:
    plan = invented_plan("adequacy", 3, 1, {"A": {"adequacy": "5"}})
    site = make_site(plan)
    with site.entered() as client:
        csrf = {"X-CSRF-Token": csrf_of(client)}
        train = site.page_ids()[0]
        shown = client.get(f"/page/{train}").text
        assert '"feedback": null' in shown
        assert '"expected"' not in shown
        first = client.post("/api/answer", json=answer_body(train), headers=csrf).json()
        assert first["feedback"] is None
        for label in "BC":
            body = answer_body(train, candidate=label, client=f"{label}123456789abcdef")
            assert client.post("/api/answer", json=body, headers=csrf).json()["feedback"] is None
        check = answer_body(train, candidate="", question="checked", value="done", client="c" * 16)
        last = client.post("/api/answer", json=check, headers=csrf).json()
        elsewhere = check | {"page": site.page_ids()[1], "client": "d" * 16}
        assert client.post("/api/answer", json=elsewhere, headers=csrf).status_code == 422
        assert last["feedback"]["expected"] == [
            {
                "candidate": "A",
                "question": "adequacy",
                "value": "5 (All of the meaning)",
                "agrees": False,
            }
        ]
        texts = [client.get(f"/page/{page}").text for page in site.page_ids()]
        texts.append(client.get("/review").text)
    for text in texts:
        assert "Secret" not in text
        assert "segment-" not in text
        assert "attention" not in text
        assert "phase" not in text


def test_own_answers_do_not_reveal_pages_that_come_back(make_site: MakeSite) -> None:
    """A repeated page, or one spoilt on purpose, is found by its text, so no list shows texts."""
    plan = invented_plan("adequacy", 5, 1, {"A": {"adequacy": "5"}})
    site = make_site(plan)
    for page in plan.pages_of("rater-1"):
        given = [Answer(page.id, one.label, "adequacy", "4") for one in page.candidates]
        site.store.save_many(site.campaign, "rater-1", given)
    site.store.save(site.campaign, "rater-1", Answer(site.page_ids()[0], "", "checked", "done"))
    with site.entered() as client:
        listed = client.get("/review").text
    assert listed.count("<strong>4</strong>") == 18
    texts = [page.source for page in plan.pages] + [
        one.text for page in plan.pages for one in page.candidates
    ]
    assert len(set(texts)) < len(texts)  # some come back
    assert not any(str(escape(text))[:12] in listed for text in texts)


def test_training_answers_are_final(make_site: MakeSite) -> None:
    """Once the page was checked and the reference answers are shown, they cannot be copied."""
    plan = invented_plan("adequacy", 1, 1, {"A": {"adequacy": "5"}}, pass_mark=1.0)
    site = make_site(plan)
    train, main = site.page_ids()
    with site.entered() as client:
        csrf = {"X-CSRF-Token": csrf_of(client)}
        too_early = client.post("/api/answer", json=answer_body(main), headers=csrf)
        assert (too_early.status_code, too_early.json()["detail"]) == (
            409,
            "finish the training first",
        )
        assert client.get(f"/page/{main}").headers["location"] == site.at("/next")
        bodies = [
            answer_body(train, candidate=label, client=f"{label}123456789abcdef") for label in "ABC"
        ]
        for body in bodies:
            saved = client.post("/api/answer", json=body, headers=csrf)
            assert (saved.status_code, saved.json()["feedback"]) == (200, None)
        check = answer_body(train, candidate="", question="checked", value="done", client="c" * 16)
        assert client.post("/api/answer", json=check, headers=csrf).json()["feedback"]["left"] == 0
        again = client.post("/api/answer", json=bodies[0], headers=csrf)
        assert again.json()["revision"] == 1
        changed = answer_body(train, value="5", client="changed-after-all")
        assert client.post("/api/answer", json=changed, headers=csrf).status_code == 409
        assert client.get("/next").headers["location"] == site.at("/training")
        assert "not enough" in client.get("/training").text
        blocked = client.post("/api/answer", json=answer_body(main), headers=csrf)
        assert blocked.status_code == 409
        site.store.set_qualified(site.campaign, "rater-1", True)
        allowed = client.post(
            "/api/answer", json=answer_body(main, client="another-client-id"), headers=csrf
        )
        assert allowed.status_code == 200


def test_forged_requests(site: Site) -> None:
    page = site.page_ids()[0]
    with site.entered() as client, site.entered("rater-2") as other:
        right = csrf_of(client)
        wrong = ({}, {"X-CSRF-Token": "x"}, {"X-CSRF-Token": csrf_of(other)}, {"X-CSRF-Token": "é"})
        for headers in wrong:
            encoded = {name: value.encode() for name, value in headers.items()}
            refused = client.post("/api/answer", json=answer_body(page), headers=encoded)
            assert refused.status_code == 403
        for foreign in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": site.address.replace("http:", "ftp:")},
            {"Origin": site.address + "0"},
            {"Origin": "http://127.0.0.1"},
        ):
            headers = {"X-CSRF-Token": right, **foreign}
            refused = client.post("/api/answer", json=answer_body(page), headers=headers)
            assert refused.status_code == 403
        assert client.post("/leave", data={"csrf": "x"}).status_code == 403
        assert client.post("/leave").status_code == 403
        assert client.get("/leave").status_code == 405
        assert client.get("/api/answer").status_code == 405
        assert site.values() == {}
        own = {"X-CSRF-Token": right, "Origin": site.address, "Sec-Fetch-Site": "same-origin"}
        assert client.post("/api/answer", json=answer_body(page), headers=own).status_code == 200


def test_a_page_without_an_origin_cannot_log_in(lasting_site: Site) -> None:
    """A frame in a sandbox posts a link that somebody planted there."""
    with lasting_site.client() as client:
        for link in (lasting_site.link(), f"/o/{lasting_site.organiser_secret}"):
            foreign = client.post(link, headers={"Origin": "null"})
            assert (foreign.status_code, "set-cookie" in foreign.headers) == (403, False)
            own = client.post(link, headers={"Origin": lasting_site.address})
            assert own.status_code == 303


def _status(site: Site, **headers: str) -> int:
    with site.client() as client:
        return client.get("/", headers=headers).status_code


def test_names_of_the_host(lasting_site: Site) -> None:
    port = urlsplit(lasting_site.address).port
    for name in (
        "evil.example",
        "127.0.0.1.evil.example",
        "",
        "localhost@evil.example",
        "localhost:99",
        "localhost:0",
        "localhost:x",
        f"127.0.0.1:{port}:{port}",
        "[::2]",
    ):
        assert _status(lasting_site, Host=name) in (400, 421), name
    for name in ("LOCALHOST", f"localhost:{port}", "127.0.0.1:80", f"[::1]:{port}", "[0:0::1]"):
        assert _status(lasting_site, Host=name) == 200, name


def test_a_server_with_names_answers_to_them_only(make_site: MakeSite) -> None:
    names = ("judge.example.org", "other.example.org:8443", "fd00::7")
    site = make_site(invented_plan("adequacy"), WebSettings(hosts=names, secure=True))
    for name in (*names[:2], "Judge.Example.ORG:443", "[fd00::7]", "[FD00:0:0::7]:443"):
        assert _status(site, Host=name) == 200, name
    for name in ("localhost", "127.0.0.1", urlsplit(site.address).netloc, "[::1]",
                 "judge.example.org:80", "other.example.org", "fd00::8"):  # fmt: skip
        assert _status(site, Host=name) == 421, name


def test_a_server_on_ipv6(make_site: MakeSite) -> None:
    assert host_names("::1") == host_names("127.0.0.1") == LOOPBACK_NAMES
    assert host_names("fd00::7") == ("fd00::7",)
    assert host_names("127.0.0.1", WebSettings(hosts=("judge.example.org",))) == (
        "judge.example.org",
    )
    site = make_site(invented_plan("adequacy"), WebSettings(hosts=host_names("fd00::7")))
    port = urlsplit(site.address).port
    assert _status(site, Host=f"[fd00::7]:{port}") == 200
    with pytest.raises(UsageError, match="name= 'a/b': expected a name"):
        host_names("127.0.0.1", WebSettings(hosts=("a/b",)))


def test_head_is_get_without_a_body(lasting_site: Site) -> None:
    with lasting_site.entered() as client:
        for path in ("/", "/guideline", "/nothing", "/health", lasting_site.link()):
            whole, head = client.get(path), client.head(path)
            assert (head.status_code, head.content) == (whole.status_code, b"")
            assert head.headers["content-length"] == whole.headers["content-length"]
        assert client.head("/leave").status_code == 405


def test_health(make_site: MakeSite) -> None:
    site = make_site(invented_plan("adequacy"), WebSettings(hosts=("judge.example.org",)))
    with site.client() as client:
        address = f"{site.address}/health"
        found = client.get(address)
        assert (found.status_code, found.json()) == (200, {"status": "ok", "version": __version__})
        assert client.post(address).status_code == 405
        with site.store._writing() as connection:
            connection.execute(sqlalchemy.text("ALTER TABLE campaigns RENAME TO moved"))
        broken = client.get(address)
    assert broken.status_code == 503
    assert broken.json()["status"] == "the database does not answer"


def test_upgrades_to_websockets_are_not_taken(lasting_site: Site) -> None:
    """The request is answered as any other, whatever libraries are installed."""
    upgrade = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    assert _status(lasting_site, **upgrade) == 200


def test_a_server_that_knows_websockets_is_told_to_close(lasting_site: Site) -> None:
    """Without a word of the application, it would answer with 500."""
    app, sent = create_app(lasting_site.store), list[Message]()

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(app({"type": "websocket", "path": "/", "headers": []}, receive, send))
    assert sent == [{"type": "websocket.close"}]


def test_errors_hold_no_parameters(make_site: MakeSite, caplog: pytest.LogCaptureFixture) -> None:
    """What was asked of the database stays out of the log when it fails."""
    site = make_site(invented_plan("adequacy"), WebSettings())
    log, token = logging.getLogger("uvicorn.error"), "a-session-of-somebody"
    with running(create_app(site.store)) as address:
        log.addHandler(caplog.handler)
        with site.store._writing() as connection:
            connection.execute(sqlalchemy.text("ALTER TABLE sessions RENAME TO moved"))
        cookie = {"Cookie": f"patmark-session={token}"}
        failed = httpx.get(f"{address}{site.at('/next')}", headers=cookie, trust_env=False)
    log.removeHandler(caplog.handler)
    assert failed.status_code == 500 and "no such table: sessions" in caplog.text
    assert hash_of(token) not in caplog.text + failed.text
    assert "default-src 'none'" in failed.headers["content-security-policy"]
    assert failed.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "changes",
    [
        {"value": "6"},
        {"value": 4},
        {"value": True},
        {"candidate": "Z"},
        {"candidate": ""},
        {"question": "none"},
        {"detail": {"unknown": 1}},
        {"detail": {"reason": "r"}},
        {"detail": []},
        {"detail": {"spans": []}},
        {"client": "short"},
        {"client": "<script>alert(1)</script>"},
        {"seconds": -1},
        {"seconds": 1e9},
        {"seconds": "1"},
        {"known": -1},
        {"more": 1},
        {"value": "x" * 3000},
        {"value": None, "detail": {"reason": "\ud800"}},
    ],
)
def test_bodies_that_are_not_answers(lasting_site: Site, changes: dict[str, object]) -> None:
    with lasting_site.entered() as client:
        csrf = {"X-CSRF-Token": csrf_of(client)}
        body = answer_body(lasting_site.page_ids()[0], **changes)
        csrf["Content-Type"] = "application/json"
        refused = client.post("/api/answer", content=json.dumps(body), headers=csrf)
    assert refused.status_code == 422
    assert "<script>" not in refused.text
    assert lasting_site.values() == {}


def test_bodies_that_are_not_json(lasting_site: Site) -> None:
    with lasting_site.entered() as client:
        csrf = csrf_of(client)
        for kind, content in (
            ("application/json", b"{"),
            ("application/json", b"\xff\xfe"),
            ("application/json", b"[" * 100_000),
            ("text/plain", b"{}"),
            ("application/json", b'{"seconds": NaN}'),
        ):
            headers = {"X-CSRF-Token": csrf, "Content-Type": kind}
            assert client.post("/api/answer", content=content, headers=headers).status_code in (
                400,
                422,
            )


def test_bodies_that_are_too_large(lasting_site: Site) -> None:
    with lasting_site.entered() as client:
        headers = {"X-CSRF-Token": csrf_of(client), "Content-Type": "application/json"}
        large = b'{"page": "' + b"x" * 400_000 + b'"}'
        assert client.post("/api/answer", content=large, headers=headers).status_code == 413
        pieces = (large[at : at + 10_000] for at in range(0, len(large), 10_000))
        assert client.post("/api/answer", content=pieces, headers=headers).status_code == 413
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        pieces = (b"language=" + b"x" * 10_000 for _ in range(40))
        assert client.post("/language", content=pieces, headers=form).status_code == 413


def test_a_wrong_length(lasting_site: Site) -> None:
    host, _, port = urlsplit(lasting_site.address).netloc.partition(":")
    request = "POST /language HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n"
    with socket.create_connection((host, int(port)), 10) as connection:
        connection.sendall(request.encode())
        status = connection.recv(200).split(b" ")[1]
    assert status in (b"400", b"413")


@pytest.mark.parametrize(
    "path",
    [
        "../rendering.py",
        "..%2frendering.py",
        "%2e%2e/app.py",
        "..\\app.py",
        "/etc/passwd",
        "room.css/../../app.py",
        "room.css%00.js",
    ],
)
def test_files_outside(lasting_site: Site, path: str) -> None:
    with lasting_site.client() as client:
        home = client.get("/").text
        mark = home.split("/static/")[1].split("/")[0]
        assert client.get(f"/static/{mark}/room.css").status_code == 200
        host, _, port = urlsplit(lasting_site.address).netloc.partition(":")
        with socket.create_connection((host, int(port)), 10) as connection:
            line = f"GET /static/{mark}/{path} HTTP/1.1\r\nHost: localhost\r\n\r\n"
            connection.sendall(line.encode())
            assert connection.recv(4000).split(b" ")[1] in (b"400", b"404")


def test_language_leads_nowhere_else(lasting_site: Site) -> None:
    with lasting_site.client() as client:
        for back in ("//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nX: y", ""):
            answer = client.post("/language", data={"language": "zh", "back": back})
            assert answer.headers["location"] == lasting_site.at("/")
        assert client.post("/language", data={"language": "xx"}).headers.get("set-cookie") is None
        assert 'lang="zh"' in client.get("/").text


def test_logs_hide_links(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("patmark.test.access")
    log.addFilter(WithoutSecrets())
    with caplog.at_level(logging.INFO, log.name):
        log.info('%s - "%s %s HTTP/%s" %d', "1.2.3.4:5", "GET", "/e/geheim?x=1", "1.1", 200)
        log.info("POST /e/geheim failed")
        log.info('"%s %s"', "GET", "/organiser/person?x=2&name=Ann%20Lee")
    assert "geheim" not in caplog.text and "Ann" not in caplog.text
    assert "/e/…?x=1" in caplog.text and "?x=2&name=…" in caplog.text


def test_serving_others_needs_names(lasting_site: Site) -> None:
    with pytest.raises(UsageError, match="must know the names"):
        serve(lasting_site.store, host="0.0.0.0")


def test_an_app_has_safe_defaults(lasting_site: Site) -> None:
    app = create_app(lasting_site.store)
    assert app.openapi_url is None
    assert app.state.shared.settings.hosts == ("127.0.0.1", "localhost", "[::1]")
