"""Links of patmark human new: in columns, and with the server that they lead to."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from command_line import patmark
from example_campaigns import ADEQUACY
from patmark.app.cli.human.campaign import serve_command
from patmark.app.commands.campaigns import checked_address
from patmark.errors import UsageError
from patmark.human.campaign import DATABASE, default_database, local_address

ADDRESS = local_address()
_TLS = " --behind-tls --name {} --proxy 127.0.0.1"


@pytest.mark.parametrize(
    ("address", "db", "options"),
    [
        (ADDRESS, DATABASE, ""),
        ("http://127.0.0.1:8391", DATABASE, " --port 8391"),
        ("http://localhost:8391", "my own.db", " --port 8391 --db 'my own.db'"),
        ("http://[::1]:8391", DATABASE, " --host ::1 --port 8391"),
        ("http://judge.lan:8391", DATABASE, " --host 0.0.0.0 --name judge.lan --port 8391"),
        ("https://localhost:8443", DATABASE, _TLS.format("localhost:8443")),
        ("https://judge.example.org", DATABASE, _TLS.format("judge.example.org")),
        (ADDRESS, "postgresql://me:secret@host/name", " --db …"),
    ],
)
def test_the_server_is_where_the_links_lead(address: str, db: str, options: str) -> None:
    assert serve_command(address, db) == f"patmark human serve{options}"


def test_a_database_of_the_environment_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATMARK_DB", "postgresql://me@host/name")
    assert serve_command(ADDRESS, default_database()) == "patmark human serve"


def test_later_links_lead_where_the_first_ones_do(tmp_path: Path) -> None:
    """The address is given once, to human new, and kept with the campaign."""
    place = "https://judge.example.org"

    def link(*arguments: str) -> str:
        done = patmark(tmp_path, "human", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip().rpartition("/")[0]

    assert patmark(tmp_path, "human", "new", ADEQUACY, "--base-url", f"{place}/").returncode == 0
    assert link("add-evaluator", "e4", "--like", "e1") == f"{place}/e"
    assert link("link", "e1") == f"{place}/e"
    assert link("link", "--organiser") == f"{place}/o"
    assert link("link", "e1", "--base-url", "https://moved.example.org") == (
        "https://moved.example.org/e"
    )
    assert link("link", "e2") == "https://moved.example.org/e"


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:x", "http://a:99999", "http://:80", "http://["]
)
def test_addresses_that_are_none(address: str) -> None:
    with pytest.raises(UsageError, match="expected an address"):
        checked_address(address)


def test_columns_after_a_wide_name(tmp_path: Path) -> None:
    folder = ADEQUACY.parent
    (tmp_path / "campaign.yaml").write_text(
        f"name: Wide\nform: adequacy\nlanguages: zh-en\ntestset: {folder / 'testset.jsonl'}\n"
        f"runs: [{{system: atlas, file: {folder / 'atlas.jsonl'}}}]\n"
        "evaluators: [ann, {name: 健太郎の評価者, language: ja}]\n",
        encoding="utf-8",
    )
    done = patmark(tmp_path, "human", "new", "campaign.yaml", "--base-url", "http://127.0.0.1:8391")
    assert done.returncode == 0, done.stderr
    assert "start the server with: patmark human serve --port 8391" in done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3 and len({cell_len(line.partition("http")[0]) for line in lines}) == 1


def test_the_common_link_is_renewed_and_ended(tmp_path: Path) -> None:
    folder = ADEQUACY.parent
    (tmp_path / "campaign.yaml").write_text(
        f"name: Open\nform: adequacy\nlanguages: zh-en\ntestset: {folder / 'testset.jsonl'}\n"
        f"runs: [{{system: atlas, file: {folder / 'atlas.jsonl'}}}]\n"
        "assignment: {mode: pool}\njoin: true\n",
        encoding="utf-8",
    )
    new = patmark(tmp_path, "human", "new", "campaign.yaml")
    assert new.returncode == 0 and "(whoever comes)" in new.stdout, new.stderr
    renewed = patmark(tmp_path, "human", "link", "--join")
    assert renewed.returncode == 0 and renewed.stdout.startswith(f"{ADDRESS}/j/")
    assert renewed.stdout.strip() not in new.stdout
    ended = patmark(tmp_path, "human", "link", "--join", "--revoke")
    assert (ended.returncode, ended.stdout) == (0, "") and "has ended" in ended.stderr
    for wrong in (("e1", "--join"), ("--join", "--organiser")):
        refused = patmark(tmp_path, "human", "link", *wrong)
        assert refused.returncode == 2 and "--join is for whoever comes" in refused.stderr
