"""patmark judge, as a user gives it."""

from __future__ import annotations

import csv
import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chat_server import Reply, said, serving
from command_line import Done, invoke, patmark, patmark_json
from patmark.data import read_annotations
from patmark.errors import PatmarkError

_SOURCES = [f"阀门{at}打开。" for at in range(1, 9)]
_SEGMENTS = len(_SOURCES)
_TEXTS = (
    "--src", "src.txt", "--ref", "ref.txt", "--docs", "docs.txt", "--lang", "zh-en",
    "--hyp", "A=a.txt", "--hyp", "B=b.txt",
)  # fmt: skip
_ONCE = (*_TEXTS, "--samples", "1", "--resamples", "50")


def _lines(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    numbers = range(1, _SEGMENTS + 1)
    _lines(tmp_path / "src.txt", _SOURCES)
    _lines(tmp_path / "ref.txt", [f"The valve {at} opens." for at in numbers])
    _lines(tmp_path / "docs.txt", [f"d{at}" for at in numbers])
    _lines(tmp_path / "a.txt", [f"The valve {at} opens." for at in numbers])
    _lines(tmp_path / "b.txt", [f"Valve {at + at % 2} shuts." for at in numbers])
    return tmp_path


def _judge(folder: Path, url: str, *arguments: str) -> Done:
    return patmark(folder, "judge", "--base-url", url, "--model", "org/m:7b", *arguments)


def _answer(body: dict[str, Any], seen: int) -> Reply:
    """A judge that sees shut valves and odd numbers, whatever it is asked."""
    prompt = body["messages"][-1]["content"]
    texts = re.findall(r"<translation \w+>\n(.*?)\n</", prompt, re.DOTALL)
    if "<first" in prompt:
        word = "first" if "shuts" not in prompt.split("<first")[1].split("<second")[0] else "second"
        return said(f"Quality: {word}")
    if '"segments"' not in prompt:
        return said(f"Quality: {40 if 'shuts' in texts[0] else 90}")
    entries = []
    for at, text in enumerate(texts, 1):
        errors = [{"span": "shuts", "category": "Accuracy/Mistranslation", "severity": "major"}]
        errors += [{"span": "nowhere", "category": "Other", "severity": "minor"}]
        entries.append({"segment": at, "errors": errors if "shuts" in text else [], "score": 70})
    return said(json.dumps({"segments": entries}))


def test_direct_scores_are_saved_compared_and_held_against_people(folder: Path) -> None:
    name = "Judge(model=org/m:7b,scheme=direct)"
    with serving(_answer) as server:
        done = _judge(folder, server.url, *_ONCE, "--json", "--save", "judged.json")
    assert (done.returncode, done.stderr) == (0, "")
    result = json.loads(done.stdout)
    assert result["systems"]["A"][name]["value"] == 90
    assert result["usage"]["per_1000_segments"]["prompt_tokens"] == 10_000
    compared = patmark_json(
        folder, "compare", "--scores", "judged.json", "--measures", name, "--trials", "200"
    )
    [pair] = compared["measures"][name]["pairs"]
    assert (pair["a"], pair["b"], abs(pair["delta"])) == ("A", "B", 50)
    rows = [
        (who, system, segment, "adequacy", 5 - 3 * (system == "B") - int(segment) % 2)
        for who in ("x", "y")
        for system in "AB"
        for segment in range(1, _SEGMENTS + 1)
    ]
    with (folder / "people.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("evaluator", "system", "segment", "criterion", "value"))
        writer.writerows(rows)
    meta = patmark_json(
        folder, "meta", "judged.json", "people.csv", "--gold", "adequacy", "--level", "segment",
        "--resamples", "20", "--permutations", "20",
    )  # fmt: skip
    assert name in {row["metric"] for row in meta["rows"]}


def test_a_gate_takes_a_judge_that_was_calibrated_on_people(folder: Path) -> None:
    segments = range(1, 25)
    _lines(folder / "src.txt", [f"阀门{at}打开。" for at in segments])
    _lines(folder / "one.txt", [f"Valve {at} {'shut' if at % 3 else 'open'}s." for at in segments])
    people = ["evaluator,system,segment,criterion,value"]
    people += [f"x,one,{at},adequacy,{1 if at % 3 else 4 + at % 2}" for at in segments]
    _lines(folder / "people.csv", people)
    texts = ("--src", "src.txt", "--hyp", "one=one.txt", "--lang", "zh-en", "--resamples", "100")
    name = "Judge(model=org/m:7b,scheme=direct,samples=1)"
    with serving(_answer) as server:
        judged = _judge(folder, server.url, *texts, "--samples", "1", "--save", "judged.json")
        assert judged.returncode == 0, judged.stderr
        done = patmark_json(
            folder, "calibrate", "judged.json", "people.csv", "--gold", "adequacy",
            "--accept", "4", "--out", "judge.json",
        )  # fmt: skip
        assert (done["kappa"], done["knots"]) == (1, [[40, 0], [90, 1]])
        gate = ("score", *texts, "--measures", name, "--base-url", server.url, "-q",
                "--fail-under", f"{name}=50")  # fmt: skip
        asked = len(server.bodies)
        bare = patmark(folder, *gate)
        other = patmark(
            folder, *(one.replace("samples=1", "samples=2") for one in gate),
            "--calibration", "judge.json",
        )  # fmt: skip
        assert len(server.bodies) == asked, "a refusal comes before the first request"
        calibrated = patmark(folder, *gate, "--calibration", "judge.json")
        allowed = patmark(folder, *gate, "--allow-uncalibrated")
    assert bare.returncode == other.returncode == 2
    assert "--calibration FILE" in bare.stderr and "samples 1 (now 2)" in other.stderr
    assert calibrated.returncode == allowed.returncode == 0, calibrated.stderr
    useless = patmark(folder, *gate[:-2], "--calibration", "judge.json")
    assert useless.returncode == 2 and "--calibration has no effect" in useless.stderr


def test_errors_are_marked_in_the_page_and_written_for_human_report(folder: Path) -> None:
    with serving(_answer) as server:
        done = _judge(
            folder, server.url, *_ONCE, "--scheme", "mqm", "--batch", "4", "--json",
            "--annotations", "errors.jsonl", "--html", "page.html",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(server.bodies) == 4
    result = json.loads(done.stdout)
    assert result["systems"]["B"]["Judge(model=org/m:7b,scheme=mqm)"]["value"] == -5
    assert result["invalid_counts"] == {"not in the text": _SEGMENTS}
    marks = read_annotations(folder / "errors.jsonl").marks
    texts = (folder / "b.txt").read_text().splitlines()
    assert len(marks) == _SEGMENTS
    assert {texts[int(one.segment) - 1][one.start : one.end] for one in marks} == {"shuts"}
    assert "Accuracy/Mistranslation, major" in (folder / "page.html").read_text()
    report = patmark_json(folder, "human", "report", "errors.jsonl", "--resamples", "20")
    assert report["errors"]["systems"]["B"]["mqm"]["value"] == -5


def test_a_judge_is_held_against_the_marks_of_people(folder: Path) -> None:
    """The same scores, and the same spans: agreement of people and judge in one report."""
    name = "Judge(model=org/m:7b,scheme=mqm)"
    marks = [
        {"system": system, "segment": str(at), "evaluator": "ann", "side": "target", "start": 0,
         "end": 5 + at % 2, "category": "Accuracy/Mistranslation",
         "severity": "major" if system == "B" else "minor"}
        for system in "AB" for at in range(1, _SEGMENTS + 1)
    ]  # fmt: skip
    (folder / "people.jsonl").write_text("\n".join(map(json.dumps, marks)))
    with serving(_answer) as server:
        done = _judge(
            folder, server.url, *_ONCE, "--scheme", "mqm", "--annotations", "errors.jsonl",
            "--save", "judged.json", "--json",
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    meta = patmark_json(
        folder, "meta", "judged.json", "people.jsonl", "--gold", "mqm", "--level", "segment",
        "--average-by", "none", "--resamples", "20", "--permutations", "20",
    )  # fmt: skip
    [row] = [row for row in meta["rows"] if row["metric"] == name]
    assert row["kendall"] == pytest.approx(1.0)
    both = patmark_json(
        folder, "human", "report", "people.jsonl", "errors.jsonl", "--resamples", "20"
    )
    assert both["errors"]["agreement"] is not None


@pytest.mark.parametrize("scheme", ["esa", "pairwise"])
def test_other_schemes(folder: Path, scheme: str) -> None:
    with serving(_answer) as server:
        done = _judge(folder, server.url, *_ONCE, "--scheme", scheme, "--no-ref", "--json")
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)["systems"]
    [found] = {name: one["value"] for name, one in values["A"].items()}.items()
    assert found == (f"Judge(model=org/m:7b,scheme={scheme})", {"esa": 70, "pairwise": 1}[scheme])
    assert all("<reference" not in prompt for prompt in server.prompts)


def test_context_terms_criteria_and_prompt_reach_the_model(folder: Path) -> None:
    _lines(folder / "docs.txt", ["d"] * _SEGMENTS)
    _lines(folder / "terms.tsv", ["阀门\tvalve"])
    (folder / "mine.toml").write_text('[[criteria]]\nname = "terms"\nquestion = "Right terms?"\n')
    (folder / "prompt.txt").write_text("Mine. {criteria}\n{segments}\n{form}")
    more = ("--context", "1", "--glossary", "terms.tsv", "--criteria", "mine.toml")
    with serving(lambda body, seen: said("Terms: 60")) as server:
        done = _judge(folder, server.url, *_ONCE, *more, "--prompt", "prompt.txt", "--json")
    assert done.returncode == 0, done.stderr
    prompt = next(one for one in server.prompts if re.search(r"<source \w+>\n阀门2打开", one))
    for part in (
        "Mine. 1. Terms. Right terms?",
        "before: 阀门1打开。 → ",
        "阀门 = valve",
        "Terms: ___",
    ):
        assert part in prompt
    signature = json.loads(done.stdout)["signatures"]["Judge(model=org/m:7b,scheme=direct)"]
    assert "|context:1|glossary:" in signature


def test_a_probe_tells_what_it_found(folder: Path) -> None:
    with serving(_answer) as server:
        shown = _judge(folder, server.url, *_TEXTS, "--samples", "2", "--probe", "--dry-run")
        assert not server.bodies
        done = _judge(
            folder, server.url, *_TEXTS, "--samples", "2", "--probe", "--json", "--resamples", "50"
        )
    assert "1,000 segments of a system take about" in shown.stderr
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["length"]["repeated"]["difference"]["value"] == 0
    # A beats B in both orders; with texts that are equal to this judge, the first place wins
    assert found["order"]["overall"]["compared"] == 5 * _SEGMENTS
    assert found["self_consistency"]["identical"] == 1.0
    assert len(found["findings"]) == 4


def test_claims_are_judged_by_the_same_command(folder: Path) -> None:
    (folder / "granted.txt").write_text("1. A bolt.\n")
    (folder / "draft.txt").write_text("1. A nut.\n")
    form = "Completeness: 80\nClarity: 70\nTerminology consistency: 60\nLogical linkage: 50"
    given = ("--ref", "granted.txt", "--hyp", "A=draft.txt", "--samples", "2", "--json")
    with serving(lambda body, seen: said(form)) as server:
        one = _judge(folder, server.url, "--claims", *given)
        other = patmark(
            folder, "claims", "judge", "--base-url", server.url, "--model", "org/m:7b", *given
        )
    first, second = json.loads(one.stdout), json.loads(other.stdout)
    assert len(server.bodies) == 2
    assert (first["systems"], first["drafts"]) == (second["systems"], second["drafts"])
    assert "LLMJudge" in first["systems"]["A"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give translations with --hyp"),
        (("--hyp", "a.txt"), "give references with --ref, a source with --src"),
        (("--hyp", "a.txt", "--ref", "ref.txt", "--lang", "en"), "has no source"),
        ((*_TEXTS, "--scheme", "gemba"), "the scheme 'gemba' of translations is unknown"),
        ((*_TEXTS, "--claims"), "--src, --docs, --lang has no effect with --claims"),
        ((*_TEXTS, "--pairs", "x.json"), "--pairs has no effect without --claims"),
        (("--claims", "--scheme", "mqm"), "the scheme 'mqm' of claims is unknown"),
        (("--claims", "--no-ref"), "--no-ref has no effect with --claims"),
        (("--claims", "--batch", "2"), "--batch has no effect with --claims"),
        ((*_TEXTS, "--typology", "wmt"), "--typology has no effect with --scheme direct"),
        ((*_TEXTS, "--annotations", "x"), "--annotations has no effect with --scheme direct"),
        ((*_TEXTS, "--scheme", "mqm", "--criteria", "x"), "--criteria has no effect with --scheme"),
        ((*_TEXTS, "--scheme", "mqm", "--typology", "x"), "unknown typology 'x'"),
        ((*_TEXTS, "--scheme", "mqm", "--annotations", "a.txt"), "would be overwritten"),
        ((*_TEXTS, "--probe", "--save", "x.json"), "--save has no effect with --probe"),
        ((*_TEXTS, "--probe", "--name", "x"), "--name has no effect with --probe"),
        ((*_TEXTS, "--probe", "--samples", "1"), "a probe asks everything at least twice"),
        ((*_TEXTS, "--context", "1", "--docs", "docs.txt", "--glossary", "no.tsv"), "no.tsv"),
        (("--hyp", "a.txt", "--src", "src.txt", "--lang", "zh-en", "--scheme", "pairwise"),
         "two translations are needed"),
    ],
)  # fmt: skip
def test_bad_usage(
    folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(PatmarkError) as caught:
        invoke("judge", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", *arguments)
    assert message in str(caught.value)


_JUDGE = "Judge(model=org/m:7b,scheme=mqm,samples=1)"
_SCORED = (*_TEXTS, "--resamples", "50", "--measures", f"BLEU,{_JUDGE}")


def test_a_judge_is_a_measure_of_score_and_compare(folder: Path) -> None:
    """The answers are those of patmark judge: whatever it asked is not asked again."""
    with serving(_answer) as server:
        asked = _judge(folder, server.url, *_ONCE, "--scheme", "mqm", "--json")
        number = len(server.bodies)
        endpoint = ("--base-url", server.url)
        page = ("--html", "page.html", "--save", "scores.json")
        done = patmark(folder, "score", *_SCORED, *endpoint, *page, "--json")
        compared = patmark_json(folder, "compare", *_SCORED, *endpoint, "--trials", "200")
        assert len(server.bodies) == number == 2 * _SEGMENTS
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    [own] = json.loads(asked.stdout)["systems"]["B"].values()
    assert result["systems"]["B"][_JUDGE]["value"] == own["value"] == -5
    assert result["systems"]["B"][_JUDGE]["ci"] == own["ci"]
    assert {*result["systems"]["B"]} == {"BLEU", _JUDGE}
    assert "|scheme:mqm|samples:1|" in result["signatures"][_JUDGE]
    lost = f"Warning: {_JUDGE}: {_SEGMENTS} of {2 * _SEGMENTS} marks have no certain place"
    assert any(note.startswith(lost) for note in result["notes"])
    [pair] = compared["measures"][_JUDGE]["pairs"]
    assert (pair["a"], pair["b"], abs(pair["delta"])) == ("A", "B", 5)
    html = (folder / "page.html").read_text()
    assert '<mark class="finding level-1">major</mark>' in html
    assert "Accuracy/Mistranslation, major (sample 1)" in html
    again = patmark_json(folder, "compare", "--scores", "scores.json", "--trials", "200")
    assert again["measures"][_JUDGE]["pairs"][0]["delta"] == pair["delta"]


def test_a_judge_among_measures_keeps_to_a_budget_and_tells_what_is_missing(folder: Path) -> None:
    name = _JUDGE.replace(")", ",max_tokens=50)")

    def costly(body: dict[str, Any], seen: int) -> Reply:
        answer = _answer(body, seen)
        return replace(answer, body=answer.body.replace(b'_tokens": 10', b'_tokens": 4000'))

    with serving(costly) as server:
        done = patmark(
            folder, "score", *_TEXTS, "--resamples", "0", "--measures", name, "--json",
            "--no-cache", "--base-url", server.url, "--budget-tokens", "20000",
            "--concurrency", "1",
        )  # fmt: skip
    assert done.returncode == 1 and "not asked: the budget of 20000 tokens" in done.stderr
    result = json.loads(done.stdout)
    counts = {system: result["systems"][system][name]["n"] for system in "AB"}
    assert 0 < counts["B"] <= counts["A"] <= counts["B"] + 1 < _SEGMENTS
    assert any("not sent: the budget" in note for note in result["notes"])


@pytest.mark.parametrize(
    ("measures", "more", "message"),
    [
        (_JUDGE, (), f"{_JUDGE} needs an endpoint: --base-url URL"),
        ("Judge(scheme=mqm)", ("--base-url", "http://127.0.0.1:9/v1"), "say which model judges"),
        ("Judge(model=m,scheme=gemba)", (), "Judge: scheme=gemba is unknown; choose from"),
        ("Judge(model=m,scheme=mqm,samples=0)", (), "Judge: samples must be at least 1"),
        ("BLEU", ("--base-url", "http://127.0.0.1:9/v1"), "no effect without a judge among"),
        ("BLEU", ("--budget-tokens", "5"), "--budget-tokens has no effect without --base-url"),
    ],
)
def test_a_judge_among_measures_that_cannot_be_asked(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    measures: str,
    more: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(PatmarkError) as caught:
        invoke("score", *_TEXTS, "--measures", measures, *more)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ((), "what was answered is kept, and the same command goes on from there"),
        (("--no-cache",), "with --no-cache nothing was kept, and the same command asks for "
         "everything again"),
    ],
)  # fmt: skip
def test_ctrl_c_says_whether_answers_are_kept(
    folder: Path, more: tuple[str, ...], told: str
) -> None:
    left = iter(range(3))

    def slow(body: dict[str, Any], seen: int) -> Reply:
        held = next(left, None) is None
        return replace(_answer(body, seen), delay=600.0 if held else 0.0)

    with serving(slow) as server:
        given = ["judge", "--base-url", server.url, "--model", "org/m:7b", *_ONCE, *more]
        process = subprocess.Popen(
            [sys.executable, "-m", "patmark", *given, "--concurrency", "1"], cwd=folder,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while len(server.bodies) < 4 and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        shown, said_of_it = process.communicate(timeout=120)
    assert (process.returncode, shown) == (130, "")
    assert said_of_it == f"patmark: stopped; {told}\n"


def test_a_killed_judge_goes_on_and_ends_as_if_it_had_not_been(folder: Path) -> None:
    """kill -9 in the middle, with answers that cannot be read among those that were kept."""

    def answer(body: dict[str, Any], seen: int) -> Reply:
        bad = seen == 0 and "阀门2" in body["messages"][-1]["content"]
        return said("{") if bad else _answer(body, seen)

    arguments = [*_ONCE, "--scheme", "mqm", "--concurrency", "1", "--cache", "kept", "--json"]
    with serving(answer) as server:
        given = ["judge", "--base-url", server.url, "--model", "org/m:7b", *arguments]
        whole = patmark(folder, *given[:-3], "--cache", "other", "--json")
    left = iter(range(6))

    def slow(body: dict[str, Any], seen: int) -> Reply:
        held = next(left, None) is None
        return replace(answer(body, seen), delay=600.0 if held else 0.0)

    with serving(slow, port=server.port) as server:
        process = subprocess.Popen(
            [sys.executable, "-m", "patmark", *given], cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while len(server.bodies) < 7 and process.poll() is None:
                time.sleep(0.001)
        finally:
            process.kill()
        assert process.wait() == -signal.SIGKILL
    with serving(answer, port=server.port) as server:
        done = patmark(folder, *given)
    assert 0 < len(server.bodies) < 2 * _SEGMENTS
    found, expected = (json.loads(one.stdout) for one in (done, whole))
    assert expected["unusable"] == {"invalid JSON": 2}
    for result in (found, expected):
        del result["usage"]
    assert found == expected


@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_judge_among_measures_that_never_answers_is_a_failure(folder: Path, command: str) -> None:
    down = ("--base-url", "http://127.0.0.1:9/v1", "--retries", "0", "--no-cache")
    done = patmark(folder, command, *_SCORED, *down, "--json")
    assert done.returncode == 1
    assert f"patmark: {_JUDGE}: {2 * _SEGMENTS} samples without scores; the first: " in done.stderr
    told = json.loads(done.stdout)["notes"]
    assert any(one.startswith(f"Warning: {_JUDGE}: {2 * _SEGMENTS} samples") for one in told)


def test_a_translation_that_is_not_there_is_no_failure_of_a_judge(folder: Path) -> None:
    lines = (folder / "a.txt").read_text().splitlines()
    (folder / "a.txt").write_text("\n".join(["", *lines[1:]]) + "\n")
    with serving(_answer) as server:
        done = patmark(folder, "score", *_SCORED, "--base-url", server.url, "--no-cache", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["systems"]["A"][_JUDGE]["n"] == _SEGMENTS - 1


def test_a_budget_of_a_judge_among_measures_names_the_parameter_to_give(folder: Path) -> None:
    with serving(_answer) as server:
        budget = ("--base-url", server.url, "--budget-tokens", "5000")
        done = patmark(folder, "score", *_SCORED, *budget)
    assert done.returncode == 2 and not server.bodies
    assert _JUDGE.replace(")", ",max_tokens=500)") in done.stderr
    assert "--max-tokens" not in done.stderr
