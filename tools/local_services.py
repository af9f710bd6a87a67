"""Two partners on this machine for commands that talk to somebody: an endpoint and an evaluator.

`endpoint` is a server that answers like a language model (`/v1/chat/completions`) and like a
translation service (`/translate`). It is in a process of its own, and always gives the same answer
to the same request.

`Evaluator` does what the page of a campaign does in a browser: it follows a private link, reads the
questions from the page, and sends an answer to each. Its answers follow from the texts alone.
Both know of patmark only what is said over HTTP, so they stay as they are when its rooms move.
"""

from __future__ import annotations

import html
import json
import os
import re
import signal
import socket
import time
import uuid
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx

_RATING = "Completeness: {}\nClarity: {}\nTerminology consistency: {}\nLogical linkage: {}"
_CANDIDATE = re.compile(  # an empty output has no text before its questions
    r'id="candidate-(\w+)"(?:(?!<fieldset).)*?<div class="text"[^>]*>(.*?)</div>', re.DOTALL
)
_QUESTION = re.compile(
    r'<fieldset class="question[^"]*"(?P<facts>[^>]*)>(?P<body>.*?)</fieldset>', re.DOTALL
)
_FACT = re.compile(r'data-(\w+)="([^"]*)"')
_CHOICE = re.compile(r'<input type="radio"[^>]*value="([^"]*)"')
_CSRF = re.compile(r'name="csrf" value="([^"]+)"')
_STARTING_SECONDS = 60.0


def free_port() -> int:
    """Return a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    """Return when somebody answers at the port."""
    end = time.monotonic() + _STARTING_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


@contextmanager
def endpoint() -> Iterator[str]:
    """Run an endpoint and yield its address: `{address}/v1` for models, `{address}/translate`."""
    server = HTTPServer(("127.0.0.1", 0), _Handler)
    child = os.fork()
    if child == 0:
        try:
            server.serve_forever()
        finally:
            os._exit(0)
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps(_chat(body) if "messages" in body else _translation(body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _chat(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a rating if one is requested, else the last line of the prompt after a word."""
    prompt = body["messages"][-1]["content"]
    grades = [10 + zlib.crc32(f"{place}{prompt}".encode()) % 91 for place in range(4)]
    is_rating = "linkage" in prompt.lower()
    text = _RATING.format(*grades) if is_rating else f"said {prompt.strip().splitlines()[-1]}"
    return {
        "model": "local-model-1",
        "choices": [{"message": {"content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": len(prompt), "completion_tokens": len(text)},
    }


def _translation(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"translatedText": f"translated {body.get('q')}"}


@dataclass(frozen=True)
class Question:
    """A question of a page, about one candidate or about the whole page."""

    page: str
    id: str
    candidate: str
    text: str
    choices: tuple[str, ...]


@dataclass
class Evaluator:
    """A person at a browser. `known` holds answers to texts of the training."""

    client: httpx.Client
    name: str
    known: Mapping[str, str] = field(default_factory=dict)
    _csrf: str = ""
    _root: str = ""

    def enter(self, token: str) -> None:
        """Follow the private link; the pages of the campaign are below where it leads."""
        response = self.client.post(f"/e/{token}", follow_redirects=True)
        response.raise_for_status()
        self._root = response.url.path.rstrip("/")
        self.open("/")

    def open(self, path: str) -> httpx.Response:
        """Open a page and follow its redirects."""
        response = self.client.get(self._root + path, follow_redirects=True)
        response.raise_for_status()
        found = _CSRF.search(response.text)
        self._csrf = found[1] if found else self._csrf
        return response

    def next_questions(self) -> list[Question]:
        """Return the questions of the next open page, or None after the last one."""
        response = self.open("/next")
        if not response.url.path.startswith(f"{self._root}/page/"):
            return []
        page = response.url.path.rpartition("/")[2]
        texts = {label: html.unescape(re.sub("<[^>]+>", "", text)).strip()
                 for label, text in _CANDIDATE.findall(response.text)}  # fmt: skip
        return [_question(page, found, texts) for found in _QUESTION.finditer(response.text)]

    def save(self, question: Question) -> httpx.Response:
        """Give an answer."""
        return self._save(question.page, question.candidate, question.id, self._choice(question))

    def _save(self, page: str, candidate: str, question: str, value: str) -> httpx.Response:
        body = {
            "page": page,
            "candidate": candidate,
            "question": question,
            "value": value,
            "detail": {},
            "known": 0,
            "client": uuid.uuid4().hex,
            "seconds": 4.0,
        }
        headers = {"X-CSRF-Token": self._csrf}
        response = self.client.post(f"{self._root}/api/answer", json=body, headers=headers)
        response.raise_for_status()
        return response

    def judge_everything(self) -> int:
        """Answer all pages; gives how many answers were saved."""
        saved = 0
        while questions := self.next_questions():
            for question in questions:
                self.save(question)
                saved += 1
            page = questions[0].page
            if self.open("/next").url.path.endswith(f"/page/{page}"):
                self._save(page, "", "checked", "done")  # a page of the training
            if self.open(f"/next?after={page}").url.path == "/training":
                self.open("/")
        return saved

    def _choice(self, question: Question) -> str:
        if question.text in self.known:
            return self.known[question.text]
        choices = question.choices
        place = zlib.crc32(question.text.encode())
        if zlib.crc32(f"{self.name}{question.text}".encode()) % 4 == 0:
            place += 1
        return choices[place % len(choices)]


def _question(page: str, found: re.Match[str], texts: Mapping[str, str]) -> Question:
    facts = dict(_FACT.findall(found["facts"]))
    label = facts.get("candidate", "")
    choices = tuple(map(html.unescape, _CHOICE.findall(found["body"])))
    if not choices:
        choices = tuple(map(str, range(int(facts["lowest"]), int(facts["highest"]) + 1)))
    text = texts.get(label) if label else " / ".join(texts.values())
    return Question(page, facts["question"], label, text or "", choices)
