"""A run against a real server that misbehaves: every row is translated or listed, none twice."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat_asking import client_for
from chat_server import ChatServer, Reply, refused, said, serving
from patmark.data.model import Segment, TestSet
from patmark.data.test_sets import read_jsonl_run
from patmark.errors import InputError, UsageError
from patmark.llm import RetryPolicy
from patmark.systems import (
    ChatSettings,
    ChatSystem,
    CommandSystem,
    CopySystem,
    OracleSystem,
    RunDataset,
    RunPlan,
    RunResult,
    plan_run,
    run_to_files,
    task_of,
)

KEY = "sk-test-0123456789abcdef"
FAULTS = {
    "429": refused(429, "slow down", retry_after="7"),
    "limit": refused(429, x_ratelimit_remaining_requests="0", x_ratelimit_reset_requests="3s"),
    "500": refused(500),
    "503": refused(503),
    "drop": Reply(drop=True),
    "cut": replace(said("half of an answer"), cut=True),
    "not json": Reply(body=b"<html>busy</html>"),
    "no choices": Reply(body=b'{"choices": []}'),
    "slow": replace(said("too late"), delay=30.0),
}


def _bench(count: int = 6) -> RunDataset:
    segments = tuple(
        Segment(f"r{at}", f"第{at}种阀门包括壳体和弹簧。", (f"Valve {at}.",), "d")
        for at in range(count)
    )
    return RunDataset(TestSet(segments, "en", "zh", "valves"), "rows")


def _source(body: dict[str, Any]) -> str:
    return str(body["messages"][-1]["content"].split("\n")[-1])


def _translation(body: dict[str, Any]) -> Reply:
    return said(f"Translated {_source(body)[1:3]}.")


def _plan(server: ChatServer, bench: RunDataset, **settings: Any) -> RunPlan:
    task = task_of("translate")
    chosen = ChatSettings("m", max_tokens=settings.pop("max_tokens", None))
    system = ChatSystem(client_for(server, **{"reasks": 1} | settings), chosen, task.template)
    return plan_run(system, task, bench.test_set, **bench.about)


def _run(
    server: ChatServer, folder: Path, bench: RunDataset | None = None, **settings: Any
) -> RunResult:
    bench = bench or _bench()
    fresh = settings.pop("fresh", False)
    plan = _plan(server, bench, **settings)
    return run_to_files(plan, bench, "m", str(folder / "out.jsonl"), fresh=fresh)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_fault_costs_no_row(fault: str, tmp_path: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        return FAULTS[fault] if seen == 0 else _translation(body)

    with serving(reply) as server:
        ran = _run(server, tmp_path, timeout=3.0 if fault == "slow" else 60.0, concurrency=6)
    assert [row.failure for row in ran.finished.rows] == [None] * 6
    run = read_jsonl_run(tmp_path / "out.jsonl", _bench().test_set)
    assert run.texts == tuple(f"Translated {at}种." for at in range(6))
    assert (run.system, run.kind) == ("m", "LLM")
    assert not (tmp_path / "out.jsonl.failed.jsonl").exists()


def test_every_row_is_translated_or_listed_with_its_reason(tmp_path: Path) -> None:
    replies = {
        "0": lambda body: said("Here is the translation:\n\nA valve."),
        "1": lambda body: said("I'm sorry, but I can't help with that."),
        "2": lambda body: said(""),
        "3": lambda body: said(
            None, choices=[{"message": {"content": "A val"}, "finish_reason": "length"}]
        ),
        "4": lambda body: said(_source(body)),
        "5": lambda body: refused(400, "bad request"),
        "6": lambda body: refused(500),
    }

    def reply(body: dict[str, Any], seen: int) -> Reply:
        return replies[_source(body)[1]](body)

    with serving(reply) as server:
        ran = _run(server, tmp_path, _bench(7))
        asked = Counter(_source({"messages": body["messages"]})[1] for body in server.bodies)
    assert asked == {"0": 1, "1": 2, "2": 2, "3": 1, "4": 1, "5": 1, "6": 4}
    listed = {row["id"]: row for row in _rows(tmp_path / "out.jsonl.failed.jsonl")}
    reasons = {
        "r1": "refused: I'm sorry",
        "r2": "is empty",
        "r3": "cut off",
        "r4": "is the source",
        "r5": "status 400: bad request",
        "r6": "status 500",
    }
    assert listed.keys() == reasons.keys()
    assert all(reason in listed[one]["reason"] for one, reason in reasons.items())
    assert listed["r3"]["raw"] == "A val"
    assert listed["r1"]["raw"] == "I'm sorry, but I can't help with that."
    manifest, first, *others = _rows(tmp_path / "out.jsonl")
    assert first == {
        "id": "r0",
        "hypothesis": "A valve.",
        "raw": "Here is the translation:\n\nA valve.",
        "cleaned": ["preamble"],
    }
    assert [row["hypothesis"] for row in others] == [None] * 6
    assert manifest["system"] == "m"
    assert ran.to_json()["failed"] == 6 and ran.to_json()["cleaned"] == 1


def test_a_second_run_asks_only_for_what_failed(tmp_path: Path) -> None:
    broken = True

    def reply(body: dict[str, Any], seen: int) -> Reply:
        return refused(400) if broken and _source(body)[1] in "24" else _translation(body)

    with serving(reply) as server:
        first = _run(server, tmp_path)
        before = len(server.bodies)
        broken = False
        second = _run(server, tmp_path)
        assert sorted(_source(body)[1] for body in server.bodies[before:]) == ["2", "4"]
        third = _run(server, tmp_path)
        assert len(server.bodies) == before + 2
    assert [len(one.finished.failures) for one in (first, second, third)] == [2, 0, 0]
    assert (second.finished.taken_over, third.finished.taken_over) == (4, 6)
    assert not (tmp_path / "out.jsonl.failed.jsonl").exists()
    assert third.to_json()["usage"]["prompt_tokens"] == 60


def test_a_run_that_lost_its_tail_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    names = ("out.jsonl", "out.jsonl.journal", "out.jsonl.run.json")

    def reply(body: dict[str, Any], seen: int) -> Reply:
        is_silent = _source(body)[1] == "1" and seen % 2 == 0
        return said("") if is_silent else _translation(body)

    with serving(reply) as server:
        _run(server, tmp_path)
        whole = {name: (tmp_path / name).read_bytes() for name in names}
        journal = whole["out.jsonl.journal"]
        for length in (0, 10, journal.index(b"\n") + 1, len(journal) // 2, len(journal) - 1):
            (tmp_path / "out.jsonl.journal").write_bytes(journal[:length])
            before, kept = len(server.bodies), max(0, journal[:length].count(b"\n") - 1)
            _run(server, tmp_path)
            assert len(server.bodies) - before == 6 - kept + (kept < 2)
            assert {name: (tmp_path / name).read_bytes() for name in names} == whole


def test_other_settings_are_refused_and_named(tmp_path: Path) -> None:
    with serving(lambda body, seen: _translation(body)) as server:
        _run(server, tmp_path)
        with pytest.raises(UsageError, match=r"max_tokens: nothing then, 99 now.*fresh="):
            _run(server, tmp_path, max_tokens=99)
        with pytest.raises(UsageError, match="testset"):
            _run(server, tmp_path, _bench(5))
        assert _run(server, tmp_path, max_tokens=99, fresh=True).finished.taken_over == 0


def test_equal_texts_are_asked_once_and_paid_once(tmp_path: Path) -> None:
    segments = tuple(Segment(str(at), "第一种阀门包括壳体。") for at in range(5))
    with serving(lambda body, seen: _translation(body)) as server:
        ran = _run(server, tmp_path, RunDataset(TestSet(segments, "en", "zh"), "rows"))
        assert len(server.bodies) == 1
    assert len({row.hypothesis for row in ran.finished.rows}) == 1
    assert ran.finished.used.answers == 1


def test_the_key_is_in_no_file_and_no_reason(tmp_path: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        row = _source(body)[1]
        if row == "0":
            return refused(401 if seen else 400, f"wrong key {KEY}")
        return said(f"The key is {KEY}, and the text {_source(body)}")

    with serving(reply) as server:
        ran = _run(server, tmp_path, api_key=KEY, concurrency=1)
        assert f"Bearer {KEY}" in server.keys
    written = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()]
    assert len(written) == 4 and not any(KEY in text for text in written)
    assert KEY not in repr(ran) and "***" in "".join(written)


def test_a_stopped_endpoint_leaves_rows_that_were_not_asked(tmp_path: Path) -> None:
    with serving(lambda body, seen: refused(401, "who are you")) as server:
        ran = _run(server, tmp_path, concurrency=1)
        assert len(server.bodies) == 1
    reasons = [row.failure or "" for row in ran.finished.rows]
    assert "401" in reasons[0] and all("not asked" in reason for reason in reasons[1:])


def _plain(system: Any, bench: RunDataset, folder: Path, name: str = "out.jsonl") -> RunResult:
    task = task_of("translate")
    plan = plan_run(system, task, bench.test_set, **bench.about)
    return run_to_files(plan, bench, "plain", str(folder / name))


def test_copy_and_oracle_say_what_they_must(tmp_path: Path) -> None:
    bench = _bench(3)
    copied = _plain(CopySystem(), bench, tmp_path, "copy.jsonl")
    known = _plain(OracleSystem(), bench, tmp_path, "oracle.txt")
    assert [row.hypothesis for row in copied.finished.rows] == list(bench.test_set.sources)
    assert [row.hypothesis for row in known.finished.rows] == ["Valve 0.", "Valve 1.", "Valve 2."]


def test_a_foreign_file_is_not_replaced_and_a_foreign_journal_not_continued(tmp_path: Path) -> None:
    (tmp_path / "out.jsonl").write_text("mine\n", encoding="utf-8")
    with pytest.raises(UsageError, match="not the result of an earlier run"):
        _plain(CopySystem(), _bench(), tmp_path)
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == "mine\n"
    for content in ("hello\n", '{"format": "other"}\n'):
        (tmp_path / "out.jsonl.journal").write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match="fresh= begins anew"):
            _plain(CopySystem(), _bench(), tmp_path)
        assert (tmp_path / "out.jsonl.journal").read_text(encoding="utf-8") == content


def test_a_run_that_could_not_begin_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no program"):
        _plain(CommandSystem("no-such-program-here", ("zh", "en")), _bench(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_fresh_run_that_cannot_begin_leaves_the_old_one_as_it_was(tmp_path: Path) -> None:
    _plain(CopySystem(), _bench(), tmp_path)
    names = ("out.jsonl", "out.jsonl.journal", "out.jsonl.run.json")
    before = [(tmp_path / name).read_bytes() for name in names]
    bench, task = _bench(), task_of("translate")
    system = CommandSystem("no-such-program-here", ("zh", "en"))
    plan = plan_run(system, task, bench.test_set, **bench.about)
    with pytest.raises(UsageError, match="there is no program"):
        run_to_files(plan, bench, "x", str(tmp_path / "out.jsonl"), fresh=True)
    assert [(tmp_path / name).read_bytes() for name in names] == before


@pytest.mark.parametrize("ending", ["", ".run.json", ".failed.jsonl"])
def test_a_folder_in_the_way_is_found_before_anything_is_asked(ending: str, tmp_path: Path) -> None:
    (tmp_path / f"out.jsonl{ending}").mkdir()
    with pytest.raises(UsageError, match=f"out.jsonl{ending} cannot be written: it is a folder"):
        _plain(CopySystem(), _bench(), tmp_path)
    assert len(list(tmp_path.iterdir())) == 1


def test_breaks_of_every_kind_are_blanks_in_a_file_of_lines(tmp_path: Path) -> None:
    broken = Segment("1", "弁", ("a\r\nb\rc\x0bd\u2028e",))
    bench = RunDataset(TestSet((broken, Segment("2", "弁", ("f",))), "en", "ja"), "lines")
    _plain(OracleSystem(), bench, tmp_path, "out.txt")
    text = (tmp_path / "out.txt").read_bytes().decode("utf-8")
    assert text.splitlines() == ["a b c d e", "f"]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_server_does_each_row_has_one_end(seed: int, tmp_path: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        dice = random.Random(f"{seed} {_source(body)} {seen}")
        harmless = [fault for name, fault in FAULTS.items() if name != "slow"]
        others = [refused(400), said(""), said("I'm sorry, I can't do that."), said(_source(body))]
        return dice.choice([*harmless, *others, *[_translation(body)] * 8])

    with serving(reply) as server:
        bench = _bench(60)
        ran = _run(server, tmp_path, bench, concurrency=12, policy=RetryPolicy(retries=2))
    ids = [segment.id for segment in bench.test_set]
    assert [row["id"] for row in _rows(tmp_path / "out.jsonl")[1:]] == ids
    failed = {row["id"] for row in _rows(tmp_path / "out.jsonl.failed.jsonl")}
    assert 0 < len(failed) < 60
    for row in ran.finished.rows:
        assert (row.failure is None) == (row.id not in failed)
        assert row.hypothesis is None or row.hypothesis.startswith("Translated ")
    journal = [row["id"] for row in _rows(tmp_path / "out.jsonl.journal")[1:]]
    assert journal == ids
