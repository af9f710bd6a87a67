"""The tables: made once, renewed on request, refused when they are of another patmark."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from patmark.errors import UsageError
from patmark.human.campaign.store import Store, database, tables
from patmark.human.campaign.store.database import database_url, make_engine
from store_plans import graded, small_form, small_plan

_NEXT = '''
"""A change that a test makes."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade() -> None:
    op.add_column("campaigns", sa.Column("colour", sa.Text()))
'''


def test_migrations_make_the_tables_that_the_code_uses(store_url: str) -> None:
    Store.open(store_url, create=True).close()
    engine = make_engine(database_url(store_url))
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": database.VERSION_TABLE}
        )
        assert compare_metadata(context, tables.metadata) == []
    engine.dispose()


_DUMP = Path(__file__).with_name("patmark_0_1.sql").read_text(encoding="utf-8")


def test_tables_of_patmark_0_1_become_those_of_today(store_url: str, tmp_path: Path) -> None:
    is_file = "://" not in store_url
    engine = make_engine(database_url(str(tmp_path / "x.db") if is_file else store_url))
    made = [part for part in _DUMP.split(";\n") if "CREATE " in part or "patmark_schema" in part]
    made.sort(key=lambda part: "REFERENCES pages" in part or " INDEX " in part)
    made.sort(key=lambda part: "REFERENCES" in part or " INDEX " in part)
    with engine.begin() as connection:
        for statement in made:
            connection.exec_driver_sql(statement.partition("BEGIN TRANSACTION;")[2] or statement)
        database.upgrade(connection)
        context = MigrationContext.configure(
            connection, opts={"version_table": database.VERSION_TABLE}
        )
        assert compare_metadata(context, tables.metadata) == []
    engine.dispose()


def test_a_database_of_patmark_0_1_is_renewed(tmp_path: Path) -> None:
    """The dump was written by patmark 0.1: tables, a form, pages, answers and decisions."""
    path = tmp_path / "old.db"
    connection = sqlite3.connect(path)
    connection.executescript(_DUMP)
    connection.close()
    with Store.migrate(str(path)) as store:
        assert [one.name for one in store.organisers(store.campaigns()[0].id)] == ["organiser"]
        [campaign] = store.campaigns()
        state = store.state(campaign.id)
        assert [(one.name, one.done, one.training_done) for one in state.people] == [
            ("ann", 1, 1),
            ("bob", 0, 0),
        ]
        trained = state.texts["ann-0"]  # which was never checked, as nothing could be
        assert state.references_are_shown(trained) and state.is_final(trained)
        assert state.form == small_form(()) and state.excluded == {"bob": "asleep"}
        assert state.plan.pages == small_plan(main=1).pages
        assert store.save(campaign.id, "ann", graded("ann-1", value="1")).revision == 2
        with store._reading() as opened:
            context = MigrationContext.configure(
                opened, opts={"version_table": database.VERSION_TABLE}
            )
            assert compare_metadata(context, tables.metadata) == []


def test_opening_again_changes_nothing(store_url: str) -> None:
    with Store.open(store_url, create=True) as store:
        campaign = store.create_campaign(small_plan()).campaign
    for create in (False, True):
        with Store.open(store_url, create=create) as store:
            assert store.campaign(campaign).name == "Test campaign"


def test_nothing_is_made_unasked(store_url: str) -> None:
    with pytest.raises(UsageError, match="patmark human new"):
        Store.open(store_url)
    assert "://" in store_url or not Path(store_url).exists()


def test_opening_at_once_makes_the_tables_once(store_url: str) -> None:
    code = (
        "import sys; from patmark.human.campaign.store import Store; "
        "Store.open(sys.argv[1], True).close()"
    )
    command = [sys.executable, "-W", "error", "-c", code, store_url]
    processes = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    Store.open(store_url).close()


def test_older_database_is_migrated_on_request(
    store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(store_url, create=True) as store:
        campaign = store.create_campaign(small_plan()).campaign
        store.save(campaign, "ann", graded("ann-1"))
    folder = tmp_path / "100% new"
    shutil.copytree(database.MIGRATIONS, folder)
    head = ScriptDirectory.from_config(database._config()).get_current_head()
    (folder / "versions" / "v9999_colour.py").write_text(
        _NEXT.replace("{head}", str(head)), encoding="utf-8"
    )
    monkeypatch.setattr(database, "MIGRATIONS", folder)
    for create in (False, True):
        with pytest.raises(UsageError, match="older patmark; run patmark human migrate"):
            Store.open(store_url, create=create)
    Store.migrate(store_url).close()
    with Store.open(store_url) as store, store._engine.connect() as connection:
        assert connection.scalar(text("SELECT count(colour) FROM campaigns")) == 0
        assert len(store.answers(campaign)) == 1


def test_newer_database_is_refused(store_url: str) -> None:
    with (
        Store.open(store_url, create=True) as store,
        store._writing() as connection,
    ):
        connection.execute(text(f"UPDATE {database.VERSION_TABLE} SET version_num = '99999'"))
    for opening in (Store.open, Store.migrate):
        with pytest.raises(UsageError, match="newer patmark"):
            opening(store_url)


def test_migrating_nothing(store_url: str) -> None:
    with pytest.raises(UsageError, match="patmark human new"):
        Store.migrate(store_url)


def test_tables_of_others_are_left_alone(store_url: str) -> None:
    if "://" not in store_url:
        Path(store_url).touch()
    engine = make_engine(database_url(store_url))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE answers (x INTEGER)"))
    engine.dispose()
    with pytest.raises(UsageError, match="'answers' that is not of patmark"):
        Store.open(store_url, create=True)


def test_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no database\n" * 100)
    with pytest.raises(UsageError, match=r"notes\.txt cannot be used for campaigns"):
        Store.open(str(path), create=True)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://localhost/x", "no known database"),
        ("sqlite://", "in memory"),
        (":memory:", "in memory"),
        ("://", "must be a path or a URL"),
        ("/dev/null/x.db", "cannot make"),
    ],
)
def test_impossible_places(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Store.open(url, create=True)


@pytest.mark.parametrize("place", ["ann:secret-word@/x?", "ann@/x?password=secret-word&"])
def test_messages_do_not_hold_the_password(tmp_path: Path, place: str) -> None:
    url = f"postgresql://{place}host={tmp_path}"
    with pytest.raises(UsageError, match="cannot open") as error:
        Store.open(url, create=True)
    assert "secret-word" not in str(error.value)


def test_sqlite_is_set_up_for_durable_writes(tmp_path: Path) -> None:
    with (
        Store.open(f"sqlite:///{tmp_path}/new/x.db", create=True) as store,
        store._reading() as connection,
    ):
        found = {
            name: connection.scalar(text(f"PRAGMA {name}"))
            for name in ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
        }
    assert found == {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1,
    }  # fmt: skip
