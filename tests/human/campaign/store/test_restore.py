"""Backup and restore as docs/campaign_start.md has them, with a server before and after."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path

import psycopg
import pytest

from campaign_load import begin, judge_all, load_plan, serving, stored_saves
from patmark.human.campaign.store.database import find_program
from postgres import programs

_PAGE = Path(__file__).parents[4] / "docs" / "campaign_start.md"
_SECTION = re.compile(r"## Backup and restore\n(.*?)\n## ", re.DOTALL)
_BLOCK = re.compile(r"```sh\n(.*?)```", re.DOTALL)
_OUTSIDE = re.compile(r"docker compose exec -T db |sudo -u patmark |/opt/patmark/bin/")


def _documented(with_docker: bool, folder: Path) -> tuple[str, str]:
    """The commands of a backup and of a restore, without what needs Docker or systemd."""
    [section] = _SECTION.findall(_PAGE.read_text(encoding="utf-8"))
    found = []
    for block in _BLOCK.findall(section):
        if ("docker" in block) is with_docker:
            lines = (one for one in block.splitlines() if " * * * " not in one)
            own = [one for one in lines if not re.match(r"systemctl|docker compose st", one)]
            found.append("\n".join(_OUTSIDE.sub("", one) for one in own))
    backup, restore = (re.sub("/var/(lib|backups)/patmark", str(folder), one) for one in found)
    return backup, restore


def _run(commands: str, folder: Path, **environment: str) -> None:
    """Run commands as somebody who follows the page does."""
    done = subprocess.run(
        ["sh", "-euc", commands],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_campaign_goes_on_from_its_backup(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """What was saved since the backup is lost, nothing else; links work, and people go on."""
    is_file = database == "sqlite"
    db, host = str(tmp_path / "campaign.db"), ""
    if not is_file:
        address: str = request.getfixturevalue("postgres_url")
        host = address.partition("host=")[2]
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE DATABASE campaigns")
        db = address.replace("/postgres?", "/campaigns?")
    program, server = find_program("pg_restore"), programs()
    assert program is not None and server is not None
    places = (Path(sys.executable).parent, Path(program).parent, server, os.environ["PATH"])
    path = ":".join(map(str, places))
    backup, restore = _documented(not is_file, tmp_path)
    campaign, judges = begin(db, load_plan(3, 6))
    given = [list(judge.waiting) for judge in judges]
    with serving(db, tmp_path / "log") as running:
        for part in (slice(0, 2), slice(2, 4)):
            for judge, all_saves in zip(judges, given, strict=True):
                judge.waiting = all_saves[part]
            judge_all(running, judges)
            if part.start == 0:
                _run(backup, tmp_path, PGHOST=host, PATH=path)
        assert len(stored_saves(db, campaign)) == 12
    if is_file:
        Path(db).write_bytes(b"a broken disk")
    else:
        with psycopg.connect(db, autocommit=True) as connection:
            connection.execute("DROP TABLE answers")
    _run(restore, tmp_path, PGHOST=host, PATH=path)
    kept = {save for all_saves in given for save in all_saves[:2]}
    assert set(stored_saves(db, campaign)) == kept
    for judge, all_saves in zip(judges, given, strict=True):
        judge.waiting = all_saves[2:]
    with serving(db, tmp_path / "log") as running:
        judge_all(running, judges)
    stored = stored_saves(db, campaign)
    assert sorted(stored, key=repr) == sorted(chain.from_iterable(given), key=repr)
