"""Backups while the store is in use, and forgetting people."""

from __future__ import annotations

import json
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.campaigns import set_consensus

from patmark.errors import UsageError
from patmark.human.campaign.store import Store, database
from patmark.human.campaign.store.database import database_url, find_program, shown
from patmark.human.campaign.store.tables import metadata
from postgres import new_database
from store_plans import graded, small_plan


def _restored(copy: Path, url: str, request: pytest.FixtureRequest) -> str:
    """The address of a database with the content of a backup."""
    if "://" not in url:
        return str(copy)
    target = new_database(request.getfixturevalue("postgres_url"))
    program = find_program("pg_restore")
    assert program is not None
    subprocess.run([program, f"--dbname={target}", copy], check=True)
    return target


def test_backup_during_saves_is_whole(
    store_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    copy, stop = tmp_path / "copy.db", threading.Event()
    with Store.open(store_url, create=True) as store:
        created = store.create_campaign(small_plan())
        for _ in range(20):
            store.save(created.campaign, "ann", graded("ann-1"))

        def keep_saving() -> None:
            while not stop.is_set():
                store.save(created.campaign, "bob", graded("bob-1"))

        saving = threading.Thread(target=keep_saving)
        saving.start()
        try:
            store.backup(copy)
        finally:
            stop.set()
            saving.join()
    assert copy.stat().st_mode & 0o077 == 0
    with Store.open(_restored(copy, store_url, request)) as restored:
        assert restored.plan(created.campaign) == small_plan()
        history = restored.history(created.campaign)
        assert sum(one.evaluator == "ann" for one in history) == 20
        assert restored.organiser_of(created.organiser_secret).campaign == created.campaign
        assert restored.save(created.campaign, "ann", graded("ann-1")).revision == 21


def test_backup_does_not_write_over_files(store: Store, tmp_path: Path) -> None:
    (tmp_path / "copy").write_text("precious")
    with pytest.raises(UsageError, match="exists"):
        store.backup(tmp_path / "copy")
    (tmp_path / "other.part").touch()
    with pytest.raises(UsageError, match="broken off"):
        store.backup(tmp_path / "other")
    assert (tmp_path / "copy").read_text() == "precious"
    assert not (tmp_path / "other").exists()


def test_failed_dump_leaves_nothing(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(new_database(postgres_url), create=True) as store:
        monkeypatch.setattr(database, "find_program", lambda name: None)
        with pytest.raises(UsageError, match="pg_dump is not found"):
            store.backup(tmp_path / "copy")
        monkeypatch.setattr(database, "find_program", lambda name: "/bin/false")
        with pytest.raises(UsageError, match="pg_dump failed"):
            store.backup(tmp_path / "copy")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["ann:{}@/x?host=/tmp", "ann@/x?host=/tmp&password={}"])
def test_a_dump_gets_the_password_by_the_environment(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    program = tmp_path / "pg_dump"
    program.write_text(f'#!/bin/sh\necho "$PGPASSWORD" "$@" > {seen}\n')
    program.chmod(0o700)
    monkeypatch.setattr(database, "find_program", lambda name: str(program))
    url = database_url("postgresql://" + place.format("secret-word"))
    database.copy_postgresql(url, tmp_path / "copy")
    password, _, arguments = seen.read_text().partition(" ")
    assert password == "secret-word" and "secret-word" not in arguments
    assert arguments.strip().endswith("postgresql://ann@/x?host=%2Ftmp")
    assert "secret-word" not in shown(url)


def test_other_secrets_of_an_address_are_neither_shown_nor_given_on(tmp_path: Path) -> None:
    url = database_url("postgresql://ann@/x?sslpassword=secret-word&sslmode=require")
    assert "secret-word" not in shown(url) and "sslmode=require" in shown(url)
    with pytest.raises(UsageError, match="pg_dump would show sslpassword") as error:
        database.copy_postgresql(url, tmp_path / "copy")
    assert "secret-word" not in str(error.value)


def test_places_that_cannot_be_written(store: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError):
        store.backup(tmp_path / "file" / "copy")


def test_forgetting_leaves_no_trace_of_a_person(store: Store) -> None:
    created = store.create_campaign(small_plan(("Anneliese", "bob")))
    campaign = created.campaign
    session = store.open_session(campaign, "Anneliese", 60)
    for name in ("Anneliese", "bob"):
        store.save(campaign, name, graded(f"{name}-1"))
        store.save_remark(campaign, name, f"{name}-1", f"by {name}", True)
    store.exclude(campaign, "Anneliese", "Anneliese was too quick")
    store.forget(campaign, "Anneliese")
    assert store.plan(campaign).evaluators == ("bob",)
    assert store.settings(campaign)["evaluators"] == ["(forgotten)", "bob"]
    assert store.evaluator_of(created.links["Anneliese"]) is store.session(session) is None
    assert [one.evaluator for one in store.history(campaign)] == ["bob"]
    assert [one.evaluator for one in store.state(campaign).remarks] == ["bob"]
    log = store.events(campaign)
    assert log[-1].action == "forgot an evaluator"
    assert "Anneliese" not in repr([store.plan(campaign), log])
    assert "excluded" in [one.action for one in log]
    with pytest.raises(UsageError, match="no evaluator"):
        store.forget(campaign, "Anneliese")


@pytest.mark.parametrize("name", ["Anneliese", '5%_"A\\'])
def test_forgotten_names_are_in_no_column(store_url: str, name: str) -> None:
    """Neither in what others wrote, nor in what was written about others."""
    said = f"as {name} told me; {name}: no"
    with Store.open(store_url, create=True) as store:
        campaign = store.create_campaign(small_plan((name, "bob"))).campaign
        cannot = {"reason": said, "comment": said}
        store.save(campaign, "bob", replace(graded("bob-1"), value=None, detail=cannot))
        store.save_remark(campaign, "bob", "bob-1", said, True)
        store.exclude(campaign, "bob", said)
        store.include(campaign, "bob", said)
        store.exclude(campaign, "bob", said)
        set_consensus(store, campaign, "s1", ["base"], "grade", "1", said)
        assert sum(name in event.detail for event in store.events(campaign)) == 3
        store.forget(campaign, name)
        with store._engine.connect() as connection:
            held = [
                value
                for table in metadata.tables.values()
                for row in connection.execute(table.select())
                for value in row
                if isinstance(value, str)
            ]
        [answer] = store.answers(campaign)
    assert not [value for value in held if name in value or json.dumps(name)[1:-1] in value]
    forgotten = "as (forgotten) told me; (forgotten): no"
    assert dict(answer.answer.detail) == {"reason": forgotten, "comment": forgotten}
    assert held.count(forgotten) == 6


@pytest.mark.parametrize(
    ("name", "said", "kept"),
    [
        ("山田", "山田さんと山田太郎に聞いた。", "(forgotten)さんと山田太郎に聞いた。"),
        ("Bob", "Bobさんと同じ; Bobby, Bob's", "(forgotten)さんと同じ; Bobby, (forgotten)'s"),
        ("王", "和王一样", "和(forgotten)一样"),
        ("reason", "the reason, by reason", "the (forgotten), by (forgotten)"),
    ],
)
def test_names_are_found_in_scripts_without_blanks(
    store: Store, name: str, said: str, kept: str
) -> None:
    campaign = store.create_campaign(small_plan((name, "zoe", "山田太郎"))).campaign
    store.save(campaign, "zoe", replace(graded("zoe-1"), value=None, detail={"reason": said}))
    store.forget(campaign, name)
    [one] = store.answers(campaign)
    assert dict(one.answer.detail) == {"reason": kept}


def test_forgotten_names_are_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "campaigns.db"
    with Store.open(str(path), create=True) as store:
        campaign = store.create_campaign(small_plan(("Anneliese", "bob"))).campaign
        store.save_remark(campaign, "Anneliese", "Anneliese-1", "I, Anneliese", False)
        store.forget(campaign, "Anneliese")
        for file in tmp_path.iterdir():
            assert b"Anneliese" not in file.read_bytes()


def test_forgetting_spares_others_with_similar_names(store: Store) -> None:
    """A system, a language or a longer name may hold the same letters."""
    settings = {
        "evaluators": [{"name": "e1", "language": "en"}, {"name": "e10"}],
        "systems": ["e1", "base"],
        "file": {"name": "e1", "evaluators": ["e1", {"name": "e10"}]},
    }
    notes = ("e1 has nothing to judge", "e10: 1 repeats instead of 2")
    plan = replace(small_plan(("e1", "e10")), settings=settings, notes=notes)
    campaign = store.create_campaign(plan).campaign
    set_consensus(store, campaign, "s1", ["base"], "grade", "1", "as e1 said; e10 agreed")
    store.forget(campaign, "e1")
    kept = store.settings(campaign)
    assert kept["evaluators"] == [{"name": "(forgotten)"}, {"name": "e10"}]
    assert kept["systems"] == ["e1", "base"]
    assert kept["file"] == {"name": "e1", "evaluators": ["(forgotten)", {"name": "e10"}]}
    assert store.plan(campaign).notes == ("(forgotten) has nothing to judge", notes[1])
    assert store.state(campaign).consensus[0].note == "as (forgotten) said; e10 agreed"
