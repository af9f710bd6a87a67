"""The commands that look after the database."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from patmark.app.cli.human.access import backup, forget, migrate
from patmark.app.cli.output import Quiet
from patmark.app.commands import human
from patmark.errors import UsageError
from patmark.human.campaign.store import Store
from patmark.wording import as_option, settings_worded
from store_plans import graded, small_plan


def test_commands(store_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(store_url, create=True) as store:
        campaign = store.create_campaign(small_plan()).campaign
        store.save(campaign, "ann", graded("ann-1"))
    backup(str(tmp_path / "copy"), database=human.DatabaseRequest(db=store_url), output=Quiet())
    assert (tmp_path / "copy").stat().st_size > 1000
    with (
        settings_worded(as_option),
        pytest.raises(UsageError, match="1 answer for ever; add --yes"),
    ):
        forget("ann", campaign=human.CampaignRequest(db=store_url), output=Quiet())
    with pytest.raises(UsageError, match="no evaluator 'zoe'"):
        forget("zoe", campaign=human.CampaignRequest(db=store_url), output=Quiet(), yes=True)
    forget("ann", campaign=human.CampaignRequest(db=store_url), output=Quiet(), yes=True)
    migrate(database=human.DatabaseRequest(db=store_url), output=Quiet())
    with Store.open(store_url) as store:
        assert store.plan(campaign).evaluators == ("bob",)
    said = capsys.readouterr()
    assert said.out == ""
    assert "deleted one evaluator with 1 answer;" in said.err
    assert "up to date: 1 campaign" in said.err


def test_database_libraries_are_loaded_by_the_store_only() -> None:
    code = "import sys, patmark, patmark.human.judgements, patmark.human.campaign;"
    code += "import patmark.app.cli.human.access;"
    code += "print(sorted({'sqlalchemy', 'alembic', 'psycopg'} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"


def test_from_a_backup_everything_goes_on(tmp_path: Path) -> None:
    """Backup, loss, restore as the docs say: the same links, answers and export."""
    folder = tmp_path
    db = folder / "campaign.db"
    with Store.open(str(db), create=True) as store:
        made = store.create_campaign(small_plan())
        store.save(made.campaign, "ann", graded("ann-1"))
    request = human.DatabaseRequest(db=str(db))
    human.backup(request, folder / "monday.db")
    human.export(human.ExportRequest(db=str(db), out=str(folder / "before.jsonl")))
    for file in folder.glob("campaign.db*"):
        file.unlink()
    shutil.copy(folder / "monday.db", db)
    human.export(human.ExportRequest(db=str(db), out=str(folder / "after.jsonl")))
    assert (folder / "after.jsonl").read_bytes() == (folder / "before.jsonl").read_bytes()
    with Store.open(str(db)) as store:
        assert store.evaluator_of(made.links["ann"]).name == "ann"  # type: ignore[union-attr]
        assert store.save(made.campaign, "ann", graded("ann-1")).revision == 2


def test_everything_about_one_person(tmp_path: Path) -> None:
    db = str(tmp_path / "c.db")
    with Store.open(db, create=True) as store:
        campaign = store.create_campaign(small_plan()).campaign
        for name in ("ann", "ann", "bob"):
            store.save(campaign, name, graded(f"{name}-1"))
        store.save_remark(campaign, "ann", "ann-1", "odd", True)
    out = tmp_path / "ann.json"
    human.export(human.ExportRequest(db=db, out=str(out), evaluator="ann"))
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["person"]["name"] == "ann"
    assert [one["revision"] for one in found["answers"]] == [1, 2]
    assert [one["text"] for one in found["remarks"]] == ["odd"]
    assert "bob" not in out.read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="no evaluator 'zoe'"):
        human.export(human.ExportRequest(db=db, out=str(tmp_path / "z.json"), evaluator="zoe"))
    with pytest.raises(UsageError, match="everything about a person"):
        human.ExportRequest(db=db, out="x.csv", evaluator="ann", format="csv")
