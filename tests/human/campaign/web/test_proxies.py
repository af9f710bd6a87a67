"""The proxy files of deploy/, each run by its own program in front of a server or of none."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import httpx
import pytest

from campaign_site import invented_plan, running
from patmark.human.campaign.store import Store
from patmark.human.campaign.web import WebSettings, create_app
from tls import own_certificate

_DEPLOY = Path(__file__).parents[4] / "deploy"
_NAME = "judge.example.org"
_REFUSING = "127.0.0.1:9"
_FORBIDDEN = "255.255.255.255:9"
"""An address that the system forbids: the proxy calls the failure critical."""
_PRIVATE = (
    "/e/secret-1",
    "/c/abc/o/secret-1",
    "/%65/secret-1",
    "/j/x?PROLIFIC_PID=secret-1",
    "/c/abc/organiser/person?name=secret-1",
)
_PUBLIC = "/c/abc/page/public-1"
Started: TypeAlias = tuple[httpx.Client, Callable[[], str]]


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def _process(command: list[str], port: int, environment: dict[str, str]) -> Iterator[None]:
    """A program that listens at a port, ended at the end of the block."""
    with subprocess.Popen(command, env={**os.environ, **environment}) as server:
        try:
            while True:
                assert server.poll() is None, "the proxy has ended"
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield
        finally:
            server.terminate()


@contextmanager
def _nginx(folder: Path, behind: str) -> Iterator[Started]:
    """Run nginx with the file as it is, but for addresses of this machine and places of files."""
    if not (program := shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")):
        pytest.skip("nginx is absent: apt-get install nginx-light")
    _, certificate = own_certificate(folder)
    port, log = _free_port(), folder / "logs"
    log.mkdir()
    site = (_DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    site = re.sub(r"^ *listen \[::\].*\n", "", site, flags=re.MULTILINE)
    for old, new in {
        "listen 443": f"listen 127.0.0.1:{port}",
        "listen 80": f"listen 127.0.0.1:{_free_port()}",
        f"/etc/letsencrypt/live/{_NAME}/fullchain.pem": str(certificate),
        f"/etc/letsencrypt/live/{_NAME}/privkey.pem": str(folder / "key.pem"),
        "/var/log/nginx": str(log),
        "127.0.0.1:8000": behind,
    }.items():
        assert old in site
        site = site.replace(old, new)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    file = folder / "nginx.conf"
    file.write_text(
        f"pid {folder}/pid; daemon off; error_log {log}/error.log crit;\n"
        f"events {{}}\nhttp {{\n{temporary}\n{site}}}\n"
    )
    address = f"https://127.0.0.1:{port}"
    command = [program, "-e", f"{log}/start.log", "-p", str(folder), "-c", str(file)]
    with (
        _process(command, port, {}),
        httpx.Client(
            base_url=address,
            headers={"Host": _NAME},
            verify=False,
            trust_env=False,
            timeout=60,
            limits=httpx.Limits(),
        ) as client,
    ):
        yield client, lambda: "".join(one.read_text() for one in log.iterdir())


@contextmanager
def _caddy(folder: Path, behind: str) -> Iterator[Started]:
    """Run Caddy without TLS, which would need a name in public."""
    if not shutil.which("caddy"):
        pytest.skip("caddy is absent: apt-get install caddy")
    text = (_DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert "patmark:8000" in text
    file, log = folder / "Caddyfile", folder / "log"
    file.write_text(text.replace("patmark:8000", behind).replace("{\n", "{\n\tadmin off\n", 1))
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]
    shell = ["sh", "-c", f'exec "$@" 2>{log}', "sh", *command]
    environment = {"NAME": address, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with (
        _process(shell, port, environment),
        httpx.Client(base_url=address, trust_env=False, timeout=60) as client,
    ):
        yield client, log.read_text


@pytest.mark.parametrize("proxy", [_nginx, _caddy])
@pytest.mark.parametrize("behind", [_REFUSING, _FORBIDDEN])
def test_no_log_has_a_link_while_nothing_answers_behind(
    tmp_path: Path, proxy: Callable[[Path, str], Iterator[Started]], behind: str
) -> None:
    with proxy(tmp_path, behind) as (client, logged):  # type: ignore[attr-defined]
        for path in _PRIVATE:
            assert client.get(path).status_code == 502, path
            assert client.post(path).status_code == 502, path
            assert client.get(_PUBLIC, headers={"Referer": f"https://{_NAME}{path}"}).is_error
        assert client.get(_PUBLIC).status_code == 502
        log = logged()
    assert log
    assert "secret-1" not in log
    if proxy is _nginx:
        assert _PUBLIC in log


def test_evaluators_come_in_by_nginx(tmp_path: Path) -> None:
    """Cookies are bound to the host, browsers are told to use https, and bodies are bounded."""
    settings = WebSettings(hosts=(_NAME,), secure=True)
    with Store.open(str(tmp_path / "campaign.db"), create=True) as store:
        created = store.create_campaign(invented_plan("adequacy"))
        with (
            running(create_app(store, settings)) as address,
            _nginx(tmp_path, address.removeprefix("http://")) as (client, logged),
        ):
            done = client.post(f"/e/{created.links['rater-1']}")
            assert done.status_code == 303
            assert done.headers["set-cookie"].startswith("__Host-")
            assert done.headers["strict-transport-security"].startswith("max-age=")
            cookie = {"Cookie": done.headers["set-cookie"].partition(";")[0]}
            assert client.get(done.headers["location"], headers=cookie).status_code == 200
            assert client.post("/e/x", content=b"x" * 600_000).status_code == 413
            log = logged()
    assert created.links["rater-1"] not in log


def test_nginx_answers_so_many_requests_of_one_address_at_once(tmp_path: Path) -> None:
    """A server behind that does not answer holds all of them; those beyond are refused."""
    most = int(re.findall(r"limit_conn patmark (\d+);", (_DEPLOY / "nginx.conf").read_text())[0])
    with (
        socket.create_server(("127.0.0.1", 0), backlog=2 * most) as silent,
        _nginx(tmp_path, f"127.0.0.1:{silent.getsockname()[1]}") as (client, _),
        ThreadPoolExecutor(most + 5) as threads,
    ):
        asked = [threads.submit(client.get, "/health") for _ in range(most + 5)]
        refused = 0
        while refused < 5:
            refused = sum(one.done() and one.result().status_code == 503 for one in asked)
            time.sleep(0.02)
        silent.close()
