"""Invented campaigns on a real server on loopback."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import uvicorn

from patmark.human.campaign import Candidate, Page, Plan, read_form
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import WebSettings
from patmark.human.campaign.web.app import server_options
from patmark.human.campaign.web.sessions import EVALUATOR_COOKIE

SOURCES = (
    "一种换热器，包括壳体<b>和</b>设置在所述壳体内的多个散热片。",
    "所述支架的厚度为0.5 mm至2.0 mm，优选为1.2 mm。",
    "𠀀号部件与基板通过焊接层电连接。",
    "该组合物含有10重量%的二氧化钛和余量的水。",
)
OUTPUTS = (
    ("A heat exchanger comprises a shell <script>alert(1)</script> & several fins.",
     "A heat exchanger, including housing and fins.",
     "Heat exchanger includes a shell body."),
    ("The bracket is 0.5 mm to 2.0 mm thick, preferably 1.2 mm.",
     "The thickness of the bracket is 0.5 mm to 20 mm.",
     "Bracket thickness."),
    ("Part 𠀀 is electrically connected to the substrate through a solder layer.",
     "The 𠀀 part is coupled with the substrate.",
     "Part and substrate are welded."),
    ("The composition contains 10% by weight of titanium dioxide, the balance being water.",
     "The composition contains titanium dioxide and water.",
     "10 wt% titania in water."),
)  # fmt: skip
JAPANESE = (
    "熱交換器は、筐体と𠮷田式の複数のフィンとを備える。",
    "熱交換器はケースを含む。",
    "フィンを備える。",
)
CLAIMS = (
    "1. A heat exchanger comprising a housing and fins.\n"
    "2. The heat exchanger of claim 1, wherein the fins are made of copper.\n"
    "3. The heat exchanger of claim 2, wherein the housing is welded.",
    "1. A heat exchanger comprising a shell and fins.\n"
    "2. The heat exchanger of claim 1, wherein the fins are made of aluminium.",
    "1. A heat exchanger comprising fins.\n"
    "2. The heat exchanger of claim 1, wherein the housing is welded.",
)  # fmt: skip
SYSTEMS = ("SecretAlpha", "SecretBeta", "SecretGamma")
EVALUATORS = ("rater-1", "rater-2")


def invented_plan(
    form_name: str,
    pages: int = 3,
    training: int = 0,
    expected: Mapping[str, Mapping[str, str]] | None = None,
    pass_mark: float | None = None,
    target: str = "en",
) -> Plan:
    """Pages for two evaluators. The second page is an attention check."""
    form = read_form(form_name)
    shown = form.candidates or 3
    made = []
    for evaluator in EVALUATORS:
        for position in range(training + pages):
            is_training = position < training
            texts = OUTPUTS[position % len(OUTPUTS)] if target == "en" else JAPANESE
            texts = CLAIMS if form.material == "claims" else texts
            candidates = tuple(
                Candidate("ABC"[place], (SYSTEMS[place],), texts[place]) for place in range(shown)
            )
            is_check = position == training + 1
            made.append(
                Page(
                    id=secrets.token_urlsafe(12),
                    evaluator=evaluator,
                    position=position,
                    phase="training" if is_training else "check" if is_check else "main",
                    segment=f"segment-{position}",
                    candidates=candidates,
                    source=SOURCES[position % len(SOURCES)],
                    reference=CLAIMS[0] if form.material == "claims" else "",
                    context={"title": "换热器 <i>", "before": ["前一句。", "再前一句。"]},
                    expected=(expected or {}) if is_training else {},
                )
            )
    return Plan("Bench", form, "zh", target, EVALUATORS, tuple(made), 1, pass_mark)


@dataclass(frozen=True)
class Site:
    """A running server with one campaign."""

    address: str
    store: Store
    campaign: str
    links: Mapping[str, str]
    organiser_secret: str

    def link(self, evaluator: str = "rater-1") -> str:
        return f"{self.address}/e/{self.links[evaluator]}"

    @property
    def root(self) -> str:
        """Where the pages of the campaign are."""
        return f"{self.address}/c/{self.campaign}"

    def at(self, path: str) -> str:
        """A path of the campaign as redirects give it."""
        return f"/c/{self.campaign}{path}"

    def client(self) -> httpx.Client:
        """A client that reads no certificates, which takes longer than most requests."""
        return httpx.Client(base_url=self.root, trust_env=False, timeout=60, verify=False)

    @contextmanager
    def entered(self, evaluator: str = "rater-1") -> Iterator[httpx.Client]:
        """A client with a session."""
        with self.client() as client:
            assert client.post(f"/e/{self.links[evaluator]}").status_code == 303
            yield client

    def enter(self, page: Any, evaluator: str = "rater-1") -> None:
        """Give a page of a browser the session that the private link would give it."""
        token = self.store.open_session(self.campaign, evaluator, 3600)
        place = {"domain": "127.0.0.1", "path": f"/c/{self.campaign}"}
        page.context.add_cookies([{"name": EVALUATOR_COOKIE, "value": token, **place}])

    def begin(self, page: Any, evaluator: str = "rater-1") -> None:
        """Enter, and go to the first open page."""
        self.enter(page, evaluator)
        page.goto(f"{self.root}/next")

    def page_ids(self, evaluator: str = "rater-1") -> list[str]:
        return [page.id for page in self.store.state_of(self.campaign, evaluator).pages]

    def values(self, evaluator: str = "rater-1", page: str | None = None) -> dict[str, str | None]:
        """The answers that count, by candidate and question, of one page or of all."""
        found = self.store.answers(self.campaign, evaluator, page)
        return {f"{one.answer.candidate}|{one.answer.question}": one.answer.value for one in found}


def press(page: Any, keys: str) -> None:
    """Press keys one after the other."""
    for key in keys.split():
        page.keyboard.press(key)


def is_saved(page: Any) -> None:
    """Wait until the page says that everything is saved."""
    page.locator("#saving:not(.waiting):not(:empty)").wait_for(state="attached")


@contextmanager
def running(app: Any, port: int = 0) -> Iterator[str]:
    """A server in a thread; gives its address."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        options = server_options(WebSettings())
        config = uvicorn.Config(app, log_level="warning", lifespan="off", **options)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join(60)


MakeSite = Callable[..., Site]
