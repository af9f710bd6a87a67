"""Translation services over HTTP, real and on this machine: LibreTranslate and others."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from chat_server import FakeTime
from patmark.errors import UsageError
from patmark.llm import ChatClient, ClientSettings, Endpoint, RetryPolicy
from patmark.systems import (
    ServiceAdapter,
    ServiceSettings,
    ServiceSystem,
    SystemAnswer,
    SystemInput,
)

KEY = "a-long-secret-key-0123"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Any

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        self.server.seen.append((self.command, self.path, body, dict(self.headers)))
        status, reply = self.server.reply(self.path, body, len(self.server.seen))
        data = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_POST = do_GET = do_PUT = _serve

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def _serving(reply: Any) -> Iterator[tuple[str, list[Any]]]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.reply, server.seen = reply, []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", server.seen
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answers(settings: ServiceSettings, *texts: str, key: str = "") -> list[SystemAnswer]:
    endpoint, time = Endpoint(settings.url, key), FakeTime()
    client = ChatClient(
        endpoint,
        None,
        ClientSettings(policy=RetryPolicy(retries=2)),
        adapter=ServiceAdapter(endpoint, settings),
        sleep=time.sleep,
        clock=time.clock,
    )
    found: dict[str, SystemAnswer] = {}
    items = [SystemInput(str(at), text) for at, text in enumerate(texts)]
    asyncio.run(
        ServiceSystem(client, settings).answer_all(
            items, lambda item, answer: found.update({item.id: answer})
        )
    )
    return [found[item.id] for item in items]


def test_libre_translate_is_the_default() -> None:
    with _serving(lambda path, body, n: (200, {"translatedText": body["q"] + "!"})) as (url, seen):
        answers = _answers(ServiceSettings(f"{url}/translate", "zh", "en"), '阀"门', "弹簧{source}")
    assert [one.text for one in answers] == ['阀"门!', "弹簧{source}!"]
    method, path, body, _ = seen[0]
    assert (method, path) == ("POST", "/translate")
    assert body | {"q": ""} == {"q": "", "source": "zh", "target": "en", "format": "text"}


def test_another_service_with_its_own_body_header_and_answer() -> None:
    settings: dict[str, Any] = {
        "body": {"text": ["{source}"], "to": "EN-US", "options": {"from": "{source_code}"}},
        "headers": {"Authorization": "Auth-Key {key}"},
        "answer": "translations.0.text",
    }

    def reply(path: str, body: Any, count: int) -> tuple[int, Any]:
        return 200, {"translations": [{"text": body["text"][0].upper()}]}

    with _serving(reply) as (url, seen):
        [answer] = _answers(ServiceSettings(url, "ja", "en", **settings), "abc", key=KEY)
    assert answer.text == "ABC"
    assert seen[0][2] == {"text": ["abc"], "to": "EN-US", "options": {"from": "ja"}}
    assert seen[0][3]["Authorization"] == f"Auth-Key {KEY}"


def test_gaps_in_the_address_are_quoted() -> None:
    with _serving(lambda path, body, n: (200, ["ok", [path]])) as (url, seen):
        settings = ServiceSettings(
            f"{url}/t?q={{source}}&l={{target_code}}", "zh", "en", "GET", answer="1.0"
        )
        _answers(settings, "阀&门=1?")
    assert parse_qs(urlsplit(seen[0][1]).query) == {"q": ["阀&门=1?"], "l": ["en"]}
    assert seen[0][2] is None


@pytest.mark.parametrize(
    ("status", "reply", "reason"),
    [
        (200, {"other": 1}, "no text at translatedText"),
        (200, {"translatedText": 5}, "no text at translatedText"),
        (200, {"error": f"bad {KEY}"}, "holds an error: bad ***"),
        (200, {"error": "x" * 10_000}, "holds an error: xxx"),
        (200, {"translatedText": "a \ud800"}, "half of a surrogate pair"),
        (403, {"error": f"key {KEY} is wrong"}, "status 403: key *** is wrong"),
        (400, {"error": "unsupported language"}, "status 400: unsupported language"),
    ],
)
def test_what_is_no_translation_is_a_failure_without_the_key(
    status: int, reply: Any, reason: str
) -> None:
    with _serving(lambda path, body, n: (status, reply)) as (url, _):
        settings = ServiceSettings(url, "zh", "en", headers={"X-Key": "{key}"})
        [answer] = _answers(settings, "x", key=KEY)
    assert answer.text is None and reason in str(answer.failure)
    assert len(str(answer.failure)) < 500


def test_a_busy_service_is_asked_again() -> None:
    def reply(path: str, body: Any, count: int) -> tuple[int, Any]:
        return (503, {}) if count < 3 else (200, {"translatedText": "x"})

    with _serving(reply) as (url, seen):
        [answer] = _answers(ServiceSettings(url, "zh", "en"), "a")
    assert (answer.text, len(seen), answer.tries) == ("x", 3, 3)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"body": {"q": "{text}"}}, "unknown placeholder {text}"),
        ({"body": {"q": "x"}}, "{source} is missing"),
        ({"method": "PATCH"}, "method= must be one of"),
        ({"method": "GET"}, "{source} is missing"),
        ({"url": "http://x/{key}/{source}"}, "ends up in logs"),
        ({"headers": {"X-Text": "{source}"}}, "'X-Text' cannot be sent"),
        ({"headers": {"X": "é"}}, "'X' cannot be sent"),
        ({"headers": {"X Y": "1"}}, "'X Y' cannot be sent"),
        ({"headers": {"X": "a\r\nY: b"}}, "'X' cannot be sent"),
        ({"headers": {"Authorization": "Bearer abcdef123"}}, "looks like a key"),
        ({"body": {"q": "{source}", "api_key": "abcdef123"}}, "looks like a key"),
    ],
)
def test_settings_that_cannot_be_meant(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        ServiceSettings(**{"url": "http://x", "source_code": "zh", "target_code": "en"} | settings)
    assert message in str(error.value)
    assert "abcdef123" not in str(error.value)
