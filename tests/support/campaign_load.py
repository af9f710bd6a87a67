"""Many evaluators who save at once, against a server in a process of its own."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from patmark.human.campaign import Candidate, Page, Plan, random_id, read_form
from patmark.human.campaign.store import Store

_CSRF = re.compile(rb'name="csrf" value="([0-9a-f]+)"')
_COOKIE = re.compile(rb"patmark-session=([^;]+)", re.IGNORECASE)
_ROOT = re.compile(rb"(?i)location: (/c/[\w-]+)/")
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_LABELS = ("A", "B")
_STARTING_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Save:
    """An answer as a browser sends it."""

    page: str
    candidate: str
    value: str
    client: str


@dataclass
class Judge:
    """One evaluator: the saves that are still to be sent, and what became of the others."""

    token: str
    waiting: list[Save]
    acknowledged: list[Save] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    page_seconds: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    root: str = ""


def load_plan(evaluators: int, saves: int) -> Plan:
    """A plan with so many answers to be given by each evaluator, two on a page."""
    names = tuple(f"e{number:02}" for number in range(evaluators))
    texts = ("A heat exchanger comprises a shell and fins.", "Heat exchanger has a shell.")
    pages = tuple(
        Page(
            random_id(), name, position, "main", f"s{position}",
            tuple(Candidate(label, (f"system-{label}",), text)
                  for label, text in zip(_LABELS, texts, strict=True)),
            "一种换热器，包括壳体和多个散热片。",
        )
        for name in names
        for position in range(saves // len(_LABELS))
    )  # fmt: skip
    return Plan("Load", read_form("adequacy"), "zh", "en", names, pages, 0)


def begin(db: str, plan: Plan) -> tuple[str, list[Judge]]:
    """Begin the campaign; gives its id and the evaluators with all they will send."""
    with Store.open(db, create=True) as store:
        made = store.create_campaign(plan)
    return made.campaign, [
        Judge(made.links[name], _saves(plan.pages_of(name), place))
        for place, name in enumerate(plan.evaluators)
    ]


def _saves(pages: Sequence[Page], seed: int) -> list[Save]:
    return [
        Save(page.id, label, str(1 + (seed + page.position + at) % 5), uuid.uuid4().hex)
        for page in pages
        for at, label in enumerate(_LABELS)
    ]


def _free_port() -> int:
    """A port below those that the system gives to everybody who asks for any."""
    while True:
        try:
            with socket.create_server(("127.0.0.1", random.randint(20_000, 32_000))) as free:
                port: int = free.getsockname()[1]
                return port
        except OSError:
            continue


class Server:
    """``patmark human serve`` in a process."""

    def __init__(self, db: str, log: Path, *options: str, host: str = "127.0.0.1") -> None:
        self.port, self._host = _free_port(), host
        command = ["human", "serve", "--db", db, "--port", str(self.port), *options]
        with log.open("a") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "patmark", *command], stdout=output, stderr=output
            )
        self._log = log

    def wait(self) -> None:
        """Until it answers."""
        end = time.monotonic() + _STARTING_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection((self._host, self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"the server does not answer: {self._log.read_text()}")

    def kill(self) -> None:
        """As when the power fails."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@contextmanager
def serving(db: str, log: Path, *options: str, host: str = "127.0.0.1") -> Iterator[Server]:
    """A server that ends with the block."""
    server = Server(db, log, *options, host=host)
    try:
        server.wait()
        yield server
    finally:
        if server.process.poll() is None:
            server.process.terminate()
            server.process.wait(60)


def judge_all(
    server: Server,
    judges: Sequence[Judge],
    kill_after: int | None = None,
    think: float | None = None,
) -> float:
    """Let everybody send what is waiting, at once; gives the seconds that it took.

    ``kill_after`` so many acknowledged answers, the server is killed, and everybody stops. With
    ``think``, so many seconds pass on average before each answer, and pages are opened before.
    """
    return asyncio.run(_judge_all(server, judges, kill_after, think))


async def _judge_all(
    server: Server, judges: Sequence[Judge], kill_after: int | None, think: float | None
) -> float:
    before = sum(len(judge.acknowledged) for judge in judges)
    entered = [await _enter(server.port, judge) for judge in judges]
    start = time.perf_counter()
    work = [
        asyncio.create_task(_send(server, headers, judge, think))
        for headers, judge in zip(entered, judges, strict=True)
    ]
    if kill_after is not None:
        while sum(len(judge.acknowledged) for judge in judges) - before < kill_after:
            await asyncio.sleep(0.001)
        server.kill()
    await asyncio.gather(*work)
    return time.perf_counter() - start


@dataclass
class _Connection:
    """A connection that is kept open, and what is sent with every request."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    headers: Mapping[str, str]

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes, bytes]:
        """Send a request; gives the status, the headers and the body of the answer."""
        lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        content = await self.reader.readexactly(int(length[1])) if length else b""
        return int(head.split(b" ", 2)[1]), head, content


@asynccontextmanager
async def _connected(port: int, headers: Mapping[str, str]) -> AsyncIterator[_Connection]:
    connection = _Connection(*await asyncio.open_connection("127.0.0.1", port), headers)
    try:
        yield connection
    finally:
        connection.writer.close()


async def _enter(port: int, judge: Judge) -> dict[str, str]:
    """Exchange the private link for a session; gives the headers of all that is sent in it."""
    async with _connected(port, {}) as connection:
        status, head, _ = await connection.ask("POST", f"/e/{judge.token}")
        cookie = _COOKIE.findall(head)
        if status != 303 or not cookie:
            raise RuntimeError(f"the link was answered with {status}")
        connection.headers = {"Cookie": f"patmark-session={cookie[-1].decode()}"}
        judge.root = _ROOT.findall(head)[0].decode()
        status, _, page = await connection.ask("GET", f"{judge.root}/")
        found = _CSRF.search(page)
        if status != 200 or found is None:
            raise RuntimeError(f"the overview was answered with {status}")
        return {
            **connection.headers, "X-CSRF-Token": found[1].decode(),
            "Content-Type": "application/json",
        }  # fmt: skip


async def _send(
    server: Server, headers: Mapping[str, str], judge: Judge, think: float | None
) -> None:
    """Send one answer after the other, each as soon as the one before is acknowledged."""
    opened = ""
    try:
        async with _connected(server.port, headers) as connection:
            while judge.waiting and not judge.refused:
                if think is not None:
                    opened = await _open_page(connection, judge, opened)
                    await asyncio.sleep(think * random.uniform(0.5, 1.5))
                await _send_one(connection, judge)
    except (OSError, asyncio.IncompleteReadError):
        if server.process.poll() is None:
            raise


async def _open_page(connection: _Connection, judge: Judge, opened: str) -> str:
    """Open the page of the next answer as a browser does, unless it is open."""
    page = judge.waiting[0].page
    if page != opened:
        start = time.perf_counter()
        await connection.ask("GET", f"{judge.root}/next?after={opened or page}")
        status, _, _ = await connection.ask("GET", f"{judge.root}/page/{page}")
        judge.page_seconds.append(time.perf_counter() - start)
        if status != 200:
            raise RuntimeError(f"the page was answered with {status}")
    return page


async def _send_one(connection: _Connection, judge: Judge) -> None:
    save = judge.waiting[0]
    body = {
        "page": save.page, "candidate": save.candidate, "question": "adequacy",
        "value": save.value, "detail": {}, "known": 0, "client": save.client, "seconds": 1.0,
    }  # fmt: skip
    address, content = f"{judge.root}/api/answer", json.dumps(body).encode()
    start = time.perf_counter()
    status, _, answer = await connection.ask("POST", address, content)
    judge.seconds.append(time.perf_counter() - start)
    if status == 200:
        judge.acknowledged.append(judge.waiting.pop(0))
    else:
        judge.refused.append(answer.decode())


def stored_saves(db: str, campaign: str) -> list[Save]:
    """All answers that the database holds, earlier revisions too."""
    with Store.open(db) as store:
        return [
            Save(one.answer.page, one.answer.candidate, one.answer.value or "", one.answer.client)
            for one in store.history(campaign)
        ]
