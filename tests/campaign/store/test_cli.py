"""The commands that look after the database."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from patmark.campaign.store import Store
from patmark.cli.human.access import backup, forget, migrate
from patmark.cli.human.campaign_options import CampaignOptions, DatabaseOptions
from patmark.errors import UsageError
from patmark.wording import as_option, settings_worded
from store_plans import graded, small_plan


def test_commands(store_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(store_url, create=True) as store:
        campaign = store.create_campaign(small_plan()).campaign
        store.save(campaign, "ann", graded("ann-1"))
    backup(str(tmp_path / "copy"), database=DatabaseOptions(db=store_url))
    assert (tmp_path / "copy").stat().st_size > 1000
    with (
        settings_worded(as_option),
        pytest.raises(UsageError, match="1 answer for ever; add --yes"),
    ):
        forget("ann", campaign=CampaignOptions(db=store_url))
    with pytest.raises(UsageError, match="no evaluator 'zoe'"):
        forget("zoe", campaign=CampaignOptions(db=store_url), yes=True)
    forget("ann", campaign=CampaignOptions(db=store_url), yes=True)
    migrate(database=DatabaseOptions(db=store_url))
    with Store.open(store_url) as store:
        assert store.plan(campaign).evaluators == ("bob",)
    said = capsys.readouterr()
    assert said.out == ""
    assert "deleted one evaluator with 1 answer;" in said.err
    assert "up to date: 1 campaign" in said.err


def test_database_libraries_are_loaded_by_the_store_only() -> None:
    code = "import sys, patmark, patmark.judgements, patmark.campaign, patmark.cli.human.access;"
    code += "print(sorted({'sqlalchemy', 'alembic', 'psycopg'} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "[]\n"
