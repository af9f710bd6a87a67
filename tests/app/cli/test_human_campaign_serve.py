"""patmark human serve: refusals in plain words, and a server for a team as it is documented.

And validate names all missing files at once.
"""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest

from campaign_load import serving
from command_line import patmark
from example_campaigns import begin
from patmark.app.cli.human.campaign import serve, serve_command
from patmark.human.campaign import DATABASE

_TEAM = serve_command("https://judge.example.org", DATABASE)
_DOCS = Path(__file__).parents[3] / "docs" / "campaign_server.md"


def test_serve_refuses_before_it_says_anything(tmp_path: Path) -> None:
    begin(tmp_path / "campaign.db")
    for options, said in (
        (("--host", "0.0.0.0"), "give them with --name"),
        (("--proxy", "*"), "--proxy '*': expected an address"),
        (("--proxy", "10.0.0.1/8"), "a network as 10.0.0.0/8"),
        (("--name", "https://judge.example.org"), "expected a name as judge.example.org"),
    ):
        done = patmark(tmp_path, "human", "serve", *options)
        assert done.returncode == 2 and said in done.stderr
        assert "serving" not in done.stderr and "Traceback" not in done.stderr


def test_a_port_in_use(tmp_path: Path) -> None:
    begin(tmp_path / "campaign.db")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = patmark(tmp_path, "human", "serve", "--port", port)
    assert done.returncode == 2
    expected = f"cannot listen on 127.0.0.1:{port}: Address already in use; choose another --port"
    assert expected in done.stderr


def test_the_documented_server_of_a_team(tmp_path: Path) -> None:
    """Behind a proxy wrong links count by visitor, and valid ones enter whatever anybody does."""
    assert f"\n{_TEAM}\n" in _DOCS.read_text(encoding="utf-8") and _TEAM in (serve.__doc__ or "")
    begun = begin(tmp_path / "campaign.db")
    log = tmp_path / "log"
    options = _TEAM.removeprefix("patmark human serve ").split()
    with (
        serving(begun.db, log, *options) as server,
        httpx.Client(
            base_url=f"http://127.0.0.1:{server.port}",
            headers={"Host": "judge.example.org", "X-Forwarded-Proto": "https"},
            trust_env=False,
        ) as client,
    ):
        mallory, ann = ({"X-Forwarded-For": one} for one in ("203.0.113.9", "198.51.100.7"))
        codes = [client.get(f"/e/wrong-{one}", headers=mallory).status_code for one in range(25)]
        assert codes == [404] * 20 + [429] * 5
        assert client.get("/e/wrong", headers=ann).status_code == 404
        own = {"Origin": "https://judge.example.org"}
        for path in (*(f"/e/{link}" for link in begun.links.values()), f"/o/{begun.secret}"):
            for visitor in (mallory, ann):
                entered = client.post(path, headers=visitor | own)
                assert entered.status_code == 303 and "Secure" in entered.headers["set-cookie"]
        assert client.get("/", headers={"Host": f"127.0.0.1:{server.port}"}).status_code == 421
        assert client.get("/health", headers={"Host": "127.0.0.1"}).json()["status"] == "ok"
    said = log.read_text()
    assert "answered under the name judge.example.org only" in said and "warning" not in said


@pytest.mark.parametrize("proxy", [(), ("--proxy", "127.0.0.1")])
def test_tls_without_a_known_proxy_is_warned_of(tmp_path: Path, proxy: tuple[str, ...]) -> None:
    begun = begin(tmp_path / "campaign.db")
    with serving(begun.db, tmp_path / "log", "--behind-tls", *proxy):
        pass
    assert ("warning: --behind-tls without --proxy" in (tmp_path / "log").read_text()) is not bool(
        proxy
    )


def test_a_server_on_ipv6_answers(tmp_path: Path) -> None:
    begun = begin(tmp_path / "campaign.db")
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            pytest.skip("this machine has no IPv6")
    with serving(begun.db, tmp_path / "log", "--host", "::1", host="::1") as server:
        address = f"http://[::1]:{server.port}"
        for name in (f"[::1]:{server.port}", f"localhost:{server.port}"):
            answer = httpx.get(address, headers={"Host": name}, trust_env=False)
            assert answer.status_code == 200
        assert httpx.get(address, headers={"Host": "[::2]"}, trust_env=False).status_code == 421
    assert f"serving {begun.db} at {address};" in (tmp_path / "log").read_text()


def test_validate_names_all_missing_files(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "name: x\nform: adequacy\nlanguages: zh-en\ntestset: t.jsonl\nevaluators: [e1]\n"
        "runs: [{system: a, file: a.jsonl}, {system: b, flie: b.jsonl}]\n"
        "training: {file: training.jsonl}\ncontext: {file: context.jsonl}\n"
    )
    done = patmark(tmp_path, "human", "validate", "own.yaml")
    assert done.returncode == 2
    for name in ("t.jsonl", "a.jsonl", "training.jsonl", "context.jsonl"):
        assert f"no such file: {name}" in done.stderr
    assert "own.yaml:6: unknown field 'flie'" in done.stderr


def test_a_missing_language_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text("name: x\nform: adequacy\nevaluators: [e1]\n")
    done = patmark(tmp_path, "human", "validate", "own.yaml")
    assert done.stderr.count("language") == 1
