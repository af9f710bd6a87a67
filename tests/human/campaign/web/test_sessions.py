"""Sessions: side by side for organiser and evaluator, ended by anybody, and slow clients."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Send

from campaign_site import Site
from patmark.web.guards import BoundedHttp


def _csrf(client: httpx.Client, path: str) -> str:
    return client.get(path).text.split('name="csrf" value="')[1].split('"')[0]


def _body(page: str, client: str) -> dict[str, object]:
    return {
        "page": page, "candidate": "A", "question": "adequacy", "value": "4", "detail": {},
        "known": 0, "client": client * 16, "seconds": 1.0,
    }  # fmt: skip


def test_organiser_and_evaluator_in_one_browser(site: Site) -> None:
    """Whoever organises may try an evaluator's link, and each of them leaves alone."""
    with site.client() as client:
        assert client.post(f"/o/{site.organiser_secret}").status_code == 303
        assert client.get("/").headers["location"] == site.at("/organiser")
        assert client.post(site.link()).status_code == 303
        assert client.get("/organiser").status_code == 200
        assert client.get("/").status_code == 200
        left = client.post("/organiser/leave", data={"csrf": _csrf(client, "/organiser")})
        assert left.headers["location"].endswith("/left")
        assert client.get("/organiser").status_code == 401
        assert client.get("/").status_code == 200
        client.post(f"/o/{site.organiser_secret}")
        client.post("/leave", data={"csrf": _csrf(client, "/")})
        assert client.get("/next").status_code == 401
        assert client.get("/organiser").status_code == 200


def test_the_session_of_one_is_none_for_the_other(site: Site) -> None:
    with site.client() as client:
        client.post(f"/o/{site.organiser_secret}")
        client.post(site.link())
        organiser, evaluator = (
            client.cookies[name] for name in ("patmark-organiser", "patmark-session")
        )
    with site.client() as client:
        client.cookies.set("patmark-organiser", evaluator)
        client.cookies.set("patmark-session", organiser)
        for path in ("/organiser", "/organiser/ranking", "/next", "/review"):
            assert client.get(path).status_code == 401


@pytest.mark.parametrize(
    "end",
    [
        lambda site, _: site.store.revoke(site.campaign, "rater-1"),
        lambda site, _: site.store.new_token(site.campaign, "rater-1"),
        lambda site, token: site.store.close_session(token),
        lambda site, _: site.store.forget(site.campaign, "rater-1"),
    ],
    ids=["revoked", "new link", "closed", "forgotten"],
)
def test_a_session_that_another_process_ended_saves_nothing_more(
    site: Site, end: Callable[[Site, str], None]
) -> None:
    """The server remembers sessions, but the store looks at each with every save."""
    page = site.page_ids()[0]
    with site.entered() as client:
        headers = {"X-CSRF-Token": _csrf(client, "/")}
        saved = client.post("/api/answer", json=_body(page, "a"), headers=headers)
        assert saved.status_code == 200
        end(site, client.cookies["patmark-session"])
        refused = client.post("/api/answer", json=_body(page, "b"), headers=headers)
        assert refused.status_code == 401
        remark = {"page": page, "text": "x", "flagged": False}
        assert client.post("/api/remark", json=remark, headers=headers).status_code == 401
    clients = [one.answer.client for one in site.store.history(site.campaign)]
    assert "b" * 16 not in clients


@contextmanager
def _bounded_server() -> Iterator[tuple[uvicorn.Server, socket.socket]]:
    """A server of empty answers, and a connection to it."""

    async def app(_: object, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    config = uvicorn.Config(
        app, http=BoundedHttp, log_level="warning", lifespan="off", timeout_keep_alive=600
    )
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        with socket.create_connection(listener.getsockname(), 60) as connection:
            yield server, connection
        server.should_exit = True
        thread.join(60)


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_a_head_that_never_ends_is_not_waited_for(
    before: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patmark.web.guards.HEAD_SECONDS", 0.5)
    with _bounded_server() as (_, connection):
        if before:
            connection.sendall(before)
            assert connection.recv(1000).startswith(b"HTTP/1.1 204 ")
        connection.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        assert connection.recv(1000) == b""


def test_neither_a_slow_upload_nor_an_idle_connection_is_hung_up_on() -> None:
    with _bounded_server() as (server, connection):
        for _ in range(2):
            connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\na")
            while not (protocols := list(server.server_state.connections)):
                time.sleep(0.01)
            [protocol] = protocols
            while protocol._headers_ended is False:
                time.sleep(0.01)
            assert protocol._hanging_up is None
            connection.sendall(b"b")
            assert connection.recv(1000).startswith(b"HTTP/1.1 204 ")
            assert protocol._hanging_up is None
