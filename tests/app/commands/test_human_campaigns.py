"""The commands about campaigns from Python: the same results and refusals as the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from command_line import patmark
from example_campaigns import ADEQUACY
from patmark.app.commands import human
from patmark.errors import UsageError
from patmark.wording import as_option, settings_worded


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A database with one campaign."""
    place = str(tmp_path / "campaign.db")
    begun = human.new(human.NewCampaignRequest(db=place, file=ADEQUACY))
    assert begun.address == "http://127.0.0.1:8000" and begun.plan.name == begun.name
    return place


def _refused(work: Callable[[], Any]) -> str:
    with settings_worded(as_option), pytest.raises(UsageError) as refusal:
        work()
    return str(refusal.value)


def test_a_campaign_from_file_to_export(db: str, tmp_path: Path) -> None:
    one = human.LinkedRequest(db=db)
    found = human.status(one)
    assert found.state.progress.done == 0
    added = human.add_evaluator(one, "e7", "e1")
    assert added.pages and added.link.startswith("http://127.0.0.1:8000/e/")
    came = human.replace_evaluator(one, "e7", "e8")
    assert came.pages == added.pages
    moved = human.link(human.LinkRequest(db=db, name="e8", base_url="https://judge.example.org"))
    assert moved.link is not None and moved.link.startswith("https://judge.example.org/e/")
    assert human.link(human.LinkRequest(db=db, name="e8", revoke=True)).link is None
    assert human.forget(one, "e8", yes=True) == 0
    info, link = human.add_organiser(one, "mei")
    assert info is not None and "/o/" in link
    assert human.remind(one).rows
    clone = human.clone(one, "Second", ["e1=mei"])
    assert "mei" in clone.links["evaluators"]
    first = human.LinkedRequest(db=db, campaign=found.state.info.id)
    assert not human.close(first).is_open and human.reopen(first).is_open
    assert human.archive(first).archived and not human.archive(first, undo=True).archived
    listed = human.list_campaigns(human.DatabaseRequest(db=db))
    assert [one.info.name for one in listed.campaigns] == ["Second", found.state.info.name]
    out = tmp_path / "answers.jsonl"
    human.export(human.ExportRequest(db=db, campaign=first.campaign, out=str(out)))
    assert out.is_file()
    human.backup(human.DatabaseRequest(db=db), tmp_path / "copy.db")
    assert human.migrate(human.DatabaseRequest(db=str(tmp_path / "copy.db"))) == 2
    assert human.delete(first, found.state.info.name)[1] == 0
    assert [one.info.name for one in human.list_campaigns(first).campaigns] == ["Second"]


def test_a_server_and_a_demo_are_prepared(db: str) -> None:
    request = human.ServeRequest(db=db, port=18_765, behind_tls=True, name=("judge.example.org",))
    with human.server(request) as ready:
        assert ready.names == ("judge.example.org",)
        assert ready.warnings[0].startswith("warning: behind_tls= without proxy=")
    with human.demo(18_765) as (ready, manager, campaigns):
        assert manager.startswith("http://127.0.0.1:18765/o/") and len(campaigns) == 2
        assert ready.request.db.endswith("demo.db")


@pytest.mark.parametrize(
    ("line", "work"),
    [
        (["reopen"], lambda db: human.reopen(human.LinkedRequest(db=db))),
        (["status", "--campaign", "x"], lambda db: human.status(
            human.LinkedRequest(db=db, campaign="x"))),
        (["codes"], lambda db: human.codes(human.LinkedRequest(db=db))),
        (["delete", "--confirm", "x"], lambda db: human.delete(
            human.LinkedRequest(db=db), "x")),
        (["forget", "e1"], lambda db: human.forget(human.LinkedRequest(db=db), "e1")),
        (["forget", "who", "--yes"], lambda db: human.forget(
            human.LinkedRequest(db=db), "who", yes=True)),
        (["link"], lambda db: human.link(human.LinkRequest(db=db))),
        (["link", "e1", "--join"], lambda db: human.link(
            human.LinkRequest(db=db, name="e1", join=True))),
        (["link", "--join"], lambda db: human.link(human.LinkRequest(db=db, join=True))),
        (["link", "e1", "--everywhere"], lambda db: human.link(
            human.LinkRequest(db=db, name="e1", everywhere=True))),
        (["link", "e1", "--base-url", "judge"], lambda db: human.link(
            human.LinkRequest(db=db, name="e1", base_url="judge"))),
        (["add-evaluator", "E1"], lambda db: human.add_evaluator(
            human.LinkedRequest(db=db), "E1")),
        (["replace", "who", "e7"], lambda db: human.replace_evaluator(
            human.LinkedRequest(db=db), "who", "e7")),
        (["clone", "Second", "--rename", "e1"], lambda db: human.clone(
            human.LinkedRequest(db=db), "Second", ["e1"])),
        (["export", "--out", "x.txt"], lambda db: human.export(
            human.ExportRequest(db=db, out="x.txt"))),
        (["export", "--out", "x.csv", "--format", "x"], lambda db: human.export(
            human.ExportRequest(db=db, out="x.csv", format="x"))),
        (["export", "--out", "x.csv", "--phase", "x"], lambda db: human.export(
            human.ExportRequest(db=db, out="x.csv", phase="x"))),
        (["export", "--out", "campaign.db", "--format", "csv", "--overwrite"], lambda db:
            human.export(human.ExportRequest(
                db=db, out="campaign.db", format="csv", overwrite=True))),
        (["serve", "--proxy", "x"], lambda db: human.server(
            human.ServeRequest(db=db, proxy=("x",))).__enter__()),
        (["serve", "--host", "0.0.0.0"], lambda db: human.server(
            human.ServeRequest(db=db, host="0.0.0.0")).__enter__()),
    ],
)  # fmt: skip
def test_python_refuses_what_the_command_line_refuses(
    db: str,
    tmp_path: Path,
    line: list[str],
    work: Callable[[str], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    done = patmark(tmp_path, "human", *line)
    assert done.returncode == 2, done.stderr
    said = " ".join(done.stderr.split()).removeprefix("patmark: ").removeprefix("error: ")
    assert " ".join(_refused(lambda: work(db)).split()) in said


def test_the_plan_of_a_file_is_the_same(tmp_path: Path) -> None:
    told = patmark(tmp_path, "human", "validate", ADEQUACY, "--json")
    assert json.loads(told.stdout) == json.loads(json.dumps(human.validate(ADEQUACY).to_json()))
