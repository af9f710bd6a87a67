"""patmark claims judge, as a user gives it."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat_server import Reply, refused, said, serving
from command_line import Done, invoke, patmark
from patmark.errors import PatmarkError

_FORM = "Completeness: 80\nClarity: 70\nTerminology consistency: 60\nLogical linkage: 50"
_KEY = "sk-very-secret-0123456789"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", _KEY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "ref.txt").write_text("1. A bolt with a head.\n")
    (tmp_path / "a.txt").write_text("1. A bolt with a large head.\n")
    (tmp_path / "b.txt").write_text("1. A thing.\n")
    pair = {"gold_claim": "1. A bolt.", "A": "1. A bolt.", "B": "1. A nut."}
    rows = [pair | {"human_eval": {"Quality": 1}}, pair]
    (tmp_path / "pairs.json").write_text(json.dumps(rows))
    return tmp_path


def _patmark(folder: Path, url: str, *arguments: str) -> Done:
    return patmark(folder, "claims", "judge", "--base-url", url, "--model", "m", *arguments)


def _good(body: dict[str, Any], seen: int) -> Reply:
    return said(_FORM)


_DRAFTS = ("--ref", "ref.txt", "--hyp", "A=a.txt", "--hyp", "B=b.txt", "--samples", "2")


_WITH_KEY = ("--api-key-env", "OPENAI_API_KEY")


def test_a_key_is_not_sent_where_it_was_not_meant_for(folder: Path) -> None:
    with serving(_good) as server:
        done = _patmark(folder, server.url, *_DRAFTS, "--extra", '{"user": "me"}', "--json")
    assert (done.returncode, set(server.keys)) == (0, {None})
    assert "OPENAI_API_KEY is not sent to" in done.stderr and "--api-key-env" in done.stderr
    signature = json.loads(done.stdout)["signatures"]["LLMJudge"]
    assert "|extra:" in signature and "user" not in signature and _KEY not in done.stderr


def test_drafts_are_judged_once(folder: Path) -> None:
    with serving(_good) as server:
        done = _patmark(folder, server.url, *_DRAFTS, "--json", "--price-in", "1",
                        "--price-out", "2", "--save", "judged.json", *_WITH_KEY)  # fmt: skip
        again = _patmark(folder, server.url, *_DRAFTS, "--full")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["systems"]["A"]["LLMJudge(criterion=completeness)"]["value"] == 8.0
    assert result["usage"]["spent"]["answers"] == 4
    assert result["usage"]["spent"]["cost"] == pytest.approx(80e-6)
    assert result["failures"] == []
    assert len(server.bodies) == 4
    assert set(server.keys) == {f"Bearer {_KEY}"}
    assert again.returncode == 0
    assert "kept from earlier runs" in again.stdout and "6.64" in again.stdout
    written = [path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file()]
    assert _KEY not in "".join([*written, done.stdout, again.stdout, again.stderr])


def test_pairs(folder: Path) -> None:
    with serving(_good) as server:
        done = _patmark(folder, server.url, "--pairs", "pairs.json", "--samples", "1",
                        "--cache", "kept", "--segments", "-", "-q")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(server.bodies) == 2
    assert "B,1,LLMJudge(criterion=linkage),5.0" in done.stdout.splitlines()
    with closing(sqlite3.connect(folder / "kept" / "answers.sqlite")) as kept:
        assert kept.execute("SELECT count(*) FROM answers").fetchone() == (2,)


def test_failures_exit_with_one_and_are_listed(folder: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        thing = "A thing" in body["messages"][0]["content"]
        return refused(400, "too long") if thing else said(_FORM)

    with serving(reply) as server:
        done = _patmark(folder, server.url, *_DRAFTS, "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert [one["reason"] for one in result["failures"]] == ["status 400: too long"] * 2
    assert result["systems"]["B"]["LLMJudge"]["value"] is None
    assert result["missing"] == {"A": 0, "B": 1}
    assert "2 samples without scores; the first: status 400: too long" in done.stderr


def test_a_dry_run_asks_nothing(folder: Path) -> None:
    with serving(_good) as server:
        shown = _patmark(folder, server.url, *_DRAFTS, "--dry-run")
        told = _patmark(folder, server.url, *_DRAFTS, "--dry-run", "--json")
    assert not server.bodies
    assert "1. A bolt with a large head." in shown.stdout
    assert "4 requests, 0 of them answered earlier" in shown.stderr
    assert json.loads(told.stdout)["requests"] == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give reference claims with --ref and drafts with --hyp, or --pairs"),
        (("--pairs", "pairs.json", "--ref", "ref.txt"), "--ref has no effect with --pairs"),
        (("--ref", "no.txt", "--hyp", "a.txt"), "no.txt: no such file"),
        ((*_DRAFTS, "--temperature", "3"), "temperature must be from 0 to 2"),
        ((*_DRAFTS, "--price-in", "3"), "--price-in and --price-out go together"),
        ((*_DRAFTS, "--budget-cost", "3"), "--budget-cost needs --price-in"),
        ((*_DRAFTS, "--budget-tokens", "3", "--no-cache"), "a budget needs --max-tokens"),
        ((*_DRAFTS, "--cache", "x", "--no-cache"), "--cache has no effect with --no-cache"),
        ((*_DRAFTS, "--extra", "[1]"), "--extra: expected a JSON object"),
        ((*_DRAFTS, "--extra", '{"model": 1}'), "'model' cannot be an extra field"),
        ((*_DRAFTS, "--extra", '{"api_key": "x"}'), "'api_key' looks like a key"),
        ((*_DRAFTS, "--dry-run", "--html", "x.html"), "x.html has no effect with --dry-run"),
    ],
)
def test_bad_usage(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(folder)
    given = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", *arguments]
    with pytest.raises(PatmarkError) as caught:
        invoke("claims", "judge", *given)
    assert message in str(caught.value)


def test_a_bad_address_exits_with_two(folder: Path) -> None:
    done = _patmark(folder, "localhost", *_DRAFTS)
    assert (done.returncode, done.stdout) == (2, "")
    assert "base URL must look like" in done.stderr


def test_a_killed_judge_goes_on_and_its_samples_stay_apart(folder: Path) -> None:
    samples, answered, workers = 6, 5, 2
    left = iter(range(answered))

    def reply(body: dict[str, Any], seen: int) -> Reply:
        held = next(left, None) is None
        return replace(said(_FORM.replace("80", str(40 + seen))), delay=600.0 if held else 0.0)

    arguments = ["--ref", "ref.txt", "--hyp", "A=a.txt", "--samples", str(samples),
                 "--concurrency", str(workers), "--cache", "kept", "--json"]  # fmt: skip
    with serving(reply) as server:
        given = ["claims", "judge", "--base-url", server.url, "--model", "m", *arguments]
        process = subprocess.Popen(
            [sys.executable, "-m", "patmark", *given], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while len(server.bodies) < answered + 1 and process.poll() is None:
                time.sleep(0.001)
        finally:
            process.kill()
        assert process.wait() == -signal.SIGKILL
    with closing(sqlite3.connect(folder / "kept" / "answers.sqlite")) as kept:
        [(held,)] = kept.execute("SELECT count(*) FROM answers").fetchall()
    with serving(
        lambda body, seen: said(_FORM.replace("80", str(60 + seen))), port=server.port
    ) as server:
        done = _patmark(folder, server.url, *arguments)
        again = _patmark(folder, server.url, *arguments)
    assert len(server.bodies) == samples - held
    assert held >= answered - workers
    [draft] = json.loads(done.stdout)["drafts"]
    found = draft["completeness"]["samples"]
    assert len(set(found)) == samples
    assert draft["completeness"]["mean"] == pytest.approx(sum(found) / samples)
    assert draft["completeness"]["spread"] > 0
    assert json.loads(again.stdout)["drafts"] == [draft]
    assert json.loads(done.stdout)["usage"]["recalled"]["answers"] == held


def test_criteria_of_one_s_own(folder: Path) -> None:
    (folder / "mine.yaml").write_text(
        'criteria:\n- {name: scope, question: "Is it as wide?", weight: 3}\n'
        '- {name: support, question: "Is it supported?"}\n'
    )
    given = (*_DRAFTS, "--criteria", "mine.yaml")
    with serving(lambda body, seen: said("Scope: 80\nSupport: 40")) as server:
        done = _patmark(folder, server.url, *given, "--json")
        told = _patmark(folder, server.url, *_DRAFTS, "--criteria", "ref.txt")
    assert done.returncode == 0, done.stderr
    assert "on two criteria" in server.prompts[0] and "1. Scope. Is it" in server.prompts[0]
    found = {name: one["value"] for name, one in json.loads(done.stdout)["systems"]["A"].items()}
    assert found == {
        "LLMJudge": 7.0, "LLMJudge(criterion=scope)": 8.0, "LLMJudge(criterion=support)": 4.0,
    }  # fmt: skip
    assert told.returncode == 2 and "ref.txt: expected a name that ends in" in told.stderr


def test_a_prompt_of_one_s_own(folder: Path) -> None:
    (folder / "mine.txt").write_text("Gold:\n{reference}\n\nDraft:\n{draft}\n\n{form}\n")
    with serving(_good) as server:
        done = _patmark(folder, server.url, *_DRAFTS, "--prompt", "mine.txt", "--json")
        ours = _patmark(folder, server.url, *_DRAFTS, "--json")
        seen = _patmark(folder, server.url, *_DRAFTS, "--prompt", "mine.txt", "--dry-run")
    assert done.returncode == 0 and len(server.bodies) == 8
    assert seen.stdout.startswith("Gold:\n1. A bolt with a head.\n\nDraft:\n1. A bolt with a la")
    prompts = [json.loads(one.stdout)["prompt"] for one in (done, ours)]
    assert prompts[0] != prompts[1]
    assert f"|prompt:{prompts[0]}|" in json.loads(done.stdout)["signatures"]["LLMJudge"]


def test_a_prompt_with_a_mistake_asks_nothing(folder: Path) -> None:
    (folder / "mine.txt").write_text("Gold: {reference}\nDraft: {draught}\n")
    with serving(_good) as server:
        done = _patmark(folder, server.url, *_DRAFTS, "--prompt", "mine.txt")
    assert (done.returncode, done.stdout, server.bodies) == (2, "", [])
    assert (
        "mine.txt:2: unknown placeholder {draught}; the known ones are {reference}, {draft}"
        in done.stderr
    )
    assert (
        "mine.txt: the placeholder {draft} is missing: the model would not see this text"
        in done.stderr
    )


def _first(body: dict[str, Any], seen: int) -> Reply:
    return said(_FORM.replace("80", "first").replace("70", "equal").replace("60", "equal")
                .replace("50", "first"))  # fmt: skip


def test_drafts_are_compared_in_both_orders(folder: Path) -> None:
    with serving(_first) as server:
        done = _patmark(folder, server.url, *_DRAFTS, "--pairwise", "--json", "--html", "p.html")
        shown = _patmark(folder, server.url, *_DRAFTS, "--pairwise", "--full")
    assert (done.returncode, len(server.bodies)) == (0, 4)
    result = json.loads(done.stdout)
    assert result["systems"]["A"]["LLMJudge-pairwise"]["value"] == 0.5
    assert result["position_bias"]["overall"]["first_twice"] == 1
    assert result["comparisons"][0]["completeness"]["verdict"] == 0.0
    assert "Position bias" in shown.stdout and "Position bias" in (folder / "p.html").read_text()


@pytest.fixture
def labelled(folder: Path) -> Path:
    """Pairs of two references that experts compared by two criteria; the longer draft is better."""
    rows = [
        {"gold_claim": gold, "A": f"{gold} It is {place}.", "B": "1. A thing.",
         "human_eval": {"Quality": 1, "Clarity": label}}
        for gold in ("1. A bolt.", "1. A nut.")
        for place, label in ((1, 1), (22, -1))
    ]  # fmt: skip
    (folder / "labelled.json").write_text(json.dumps(rows))
    return folder


def _by_length(body: dict[str, Any], seen: int) -> Reply:
    """Long drafts are complete, short ones clear; of two drafts the longer one is better."""
    text = body["messages"][0]["content"]
    drafts = [part.split(">\n")[-1] for part in text.split("\n</")[:-1]][1:]
    if len(drafts) == 2:
        word = "first" if len(drafts[0]) > len(drafts[1]) else "second"
        return said("\n".join(f"{line.split(':')[0]}: {word}" for line in _FORM.splitlines()))
    size = len(drafts[0])
    return said(_FORM.replace("80", str(size)).replace("70", str(100 - size)))


def test_scores_of_a_judge_enter_all_meta_evaluations(labelled: Path) -> None:
    asked = ("--pairs", "labelled.json", "--samples", "1")
    with serving(_by_length) as server:
        for more in (("--save", "judged.json", "--segments", "judged.csv"),
                     ("--pairwise", "--save", "compared.json")):  # fmt: skip
            done = _patmark(labelled, server.url, *asked, *more)
            assert done.returncode == 0, done.stderr
    found = patmark(labelled, "claims", "meta", "labelled.json", "--measures", "BLEU-1", "--json",
                    "--scores", "judged.json", "--scores", "compared.json")  # fmt: skip
    rows = json.loads(found.stdout)["rows"]
    accuracy = {(row["criterion"], row["measure"]): row["accuracy"] for row in rows}
    assert accuracy["Quality", "LLMJudge"] == accuracy["Quality", "LLMJudge-pairwise"] == 100
    assert accuracy["Clarity", "LLMJudge(criterion=clarity)"] == 50
    assert ("Quality", "LLMJudge(criterion=linkage)") in accuracy
    assert ("Clarity", "LLMJudge(criterion=linkage)") not in accuracy
    again = patmark(labelled, "reproduce", "patent-ce", "--data", "labelled.json", "--scores",
                    "judged.json", "--json")  # fmt: skip
    of_judge = {
        row["criterion"]: row["recomputed"]
        for row in json.loads(again.stdout)["rows"]
        if (row["metric"], row["statistic"]) == ("G-Eval-4", "accuracy")
    }
    assert of_judge == {"Quality": 100.0, "Clarity": 50.0}
    values = (("A", 9), ("B", 1))
    gold = [f"{one},{at},gold,{value}\n" for one, value in values for at in range(4)]
    (labelled / "gold.csv").write_text("".join(["system,segment,measure,value\n", *gold]))
    for file in ("judged.json", "judged.csv", "compared.json"):
        meta = patmark(labelled, "meta", file, "gold.csv", "--gold", "gold", "--level", "segment",
                       "--json")  # fmt: skip
        assert meta.returncode == 0, meta.stderr
        kendall = {row["metric"]: row["kendall"] for row in json.loads(meta.stdout)["rows"]}
        assert kendall["LLMJudge-pairwise" if file == "compared.json" else "LLMJudge"] == 1.0


def test_scores_of_another_file_of_pairs_are_refused(labelled: Path) -> None:
    with serving(_by_length) as server:
        _patmark(
            labelled, server.url, "--pairs", "pairs.json", "--samples", "1", "--save", "x.json"
        )
    done = patmark(labelled, "claims", "meta", "labelled.json", "--scores", "x.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "x.json was scored on another test set than labelled.json" in done.stderr
