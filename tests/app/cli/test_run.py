"""patmark run as a user gives it: data in, results that the other commands read, and exit codes."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from chat_server import Reply, refused, said, serving
from command_line import JA_EN, PATSNAP, patmark, patmark_json

KEY = "sk-secret-0123456789abcdef"
BENCH = ("--testset", PATSNAP / "atlas.jsonl", "--direction", "cn2en")
LINES = ("--src", JA_EN / "source.ja", "--lang", "ja-en")
REF = ("--ref", JA_EN / "reference.en")
FAST = ("--resamples", "20")
UPPER = shlex.join([sys.executable, "-c", "import sys\nfor s in sys.stdin: print('X', s.strip())"])


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _answer(body: dict[str, Any], seen: int) -> Reply:
    return said(
        f"Here is the translation:\n\nText of {len(body['messages'][-1]['content'])} signs."
    )


def _openai(url: str, *more: str | Path) -> tuple[str | Path, ...]:
    return ("openai:my/model", "--base-url", url, "--no-cache", *more)


def test_a_dictionary_translates_the_bench_and_is_scored_in_one_go(tmp_path: Path) -> None:
    (tmp_path / "words.tsv").write_text("一种\ta kind of\n阀门\tvalve\n", encoding="utf-8")
    done = patmark(tmp_path, "run", "dictionary", *BENCH, "--dictionary", "tsv:words.tsv",
                   "--out", "d.jsonl", "--then", "score",
                   *FAST, "--md", "d.md", "--segments", "d.csv")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "148 of 148 rows answered" in done.stderr and "mean of labels" in done.stdout
    alone = patmark(tmp_path, "score", "dictionary=d.jsonl", "--protocol", "patsnap",
                    "--direction", "cn2en", *FAST, "--md", "e.md", "--segments", "e.csv"
                    )  # fmt: skip
    assert alone.stdout == done.stdout
    assert (tmp_path / "d.md").read_text() == (tmp_path / "e.md").read_text()
    assert (tmp_path / "d.csv").read_text() == (tmp_path / "e.csv").read_text()
    before, after = _rows(PATSNAP / "atlas.jsonl"), _rows(tmp_path / "d.jsonl")
    kept = [{name: row[name] for name in row if name != "content_cn_translate"} for row in before]
    assert [{name: row[name] for name in row if name != "content_cn_translate"} for row in after
            ] == kept  # fmt: skip
    about = json.loads((tmp_path / "d.jsonl.run.json").read_text(encoding="utf-8"))
    assert about["signature"].startswith("dictionary:word-by-word/2(tsv(2 lines)")
    assert (about["rows"], about["failed"], about["excluded"]) == (148, 0, 0)


@pytest.mark.parametrize(("lang", "direction"), [("zh-en", "cn2en"), ("en-zh", "en2cn")])
def test_the_languages_of_bench_rows_are_named_as_those_of_all_others(
    tmp_path: Path, lang: str, direction: str
) -> None:
    """--lang zh-en, in run and in score; --direction cn2en, the name of the bench, still works."""
    rows = ("--testset", PATSNAP / "atlas.jsonl")
    for name, option in (("new", ("--lang", lang)), ("old", ("--direction", direction))):
        done = patmark(tmp_path, "run", "copy", *rows, *option, "--out", f"{name}.jsonl")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "new.jsonl").read_bytes() == (tmp_path / "old.jsonl").read_bytes()
    score = ("score", "new.jsonl", "--protocol", "patsnap", *FAST)
    found = patmark_json(tmp_path, *score, "--lang", lang)
    assert found == patmark_json(tmp_path, *score, "--direction", direction)
    assert found["direction"] == direction


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--lang", "en-zh", "--direction", "cn2en"), "--lang en-zh is --direction en2cn"),
        (("--lang", "ja-en"), "--lang ja-en: PatSnap rows are zh-en or en-zh"),
        ((), "name the languages of the PatSnap rows: --lang zh-en or en-zh"),
    ],
)
def test_other_languages_of_bench_rows_are_refused(
    tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    rows = ("--testset", PATSNAP / "atlas.jsonl")
    done = patmark(tmp_path, "run", "copy", *rows, *options, "--out", "c.jsonl")
    assert done.returncode == 2 and message in done.stderr
    if options:
        bench = PATSNAP / "atlas.jsonl"
        done = patmark(tmp_path, "score", bench, "--protocol", "patsnap", *options)
        assert done.returncode == 2 and message in done.stderr


def test_rows_without_a_source_are_left_as_they_are_and_counted(tmp_path: Path) -> None:
    bench = ("--testset", PATSNAP / "atlas.jsonl", "--direction", "en2cn")
    told = patmark_json(tmp_path, "run", "copy", *bench, "--out", "c.jsonl")
    without = sum(row["content_en"] == "Zero" for row in _rows(PATSNAP / "atlas.jsonl"))
    assert without > 0 and told["excluded"] == without
    rows = _rows(tmp_path / "c.jsonl")
    assert sum("content_en_translate" in row for row in rows) == 148 - without


def test_lines_and_rows_are_read_by_score_compare_and_task(tmp_path: Path) -> None:
    patmark(tmp_path, "run", f"command:{UPPER}", *LINES, "--out", "a.txt")
    patmark(tmp_path, "run", "oracle", *LINES, *REF, "--out", "b.jsonl", "--name", "known")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8").startswith("X ")
    files = ("--hyp", "a.txt", "--hyp", "b.jsonl", *REF, "--lang", "ja-en", "--measures", "BLEU")
    scores = patmark_json(tmp_path, "score", *files, *FAST)
    assert scores["systems"]["known"]["BLEU"]["value"] == pytest.approx(100)
    assert patmark(tmp_path, "compare", *files, *FAST, "--trials", "50").returncode == 0
    rows = [{"id": str(at), "source": f"弁{at}", "references": [f"valve number {at} of the set"]}
            for at in range(5)]  # fmt: skip
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "runs").mkdir()
    given = ("--testset", "set.jsonl", "--lang", "ja-en")
    for name in ("copy", "oracle"):
        out = patmark(tmp_path, "run", name, *given, "--out", f"runs/{name}.jsonl")
        assert out.returncode == 0, out.stderr
    task = patmark(tmp_path, "task", "runs", "--testset", "set.jsonl", "--lang", "ja-en",
                   "--measures", "BLEU", "--trials", "50", *FAST)  # fmt: skip
    assert task.returncode == 0, task.stderr
    assert "oracle-1" in task.stdout


def test_a_model_is_asked_cleaned_and_counted(tmp_path: Path) -> None:
    for name in ("source.ja", "documents.txt"):
        lines = (JA_EN / name).read_text(encoding="utf-8").splitlines()
        (tmp_path / name).write_text("\n".join(lines[:12]), encoding="utf-8")
    few = ("--src", "source.ja", "--lang", "ja-en")
    with serving(_answer) as server:
        told = patmark_json(tmp_path, "run", *_openai(server.url), *few, "--out", "m.jsonl",
                            "--price-in", "2", "--price-out", "10", "--docs",
                            "documents.txt", "--context", "1")  # fmt: skip
        assert server.at_once <= 8
        assert any("same patent" in prompt for prompt in server.prompts)
        assert {body["temperature"] for body in server.bodies} == {0.0}
    count = told["rows"]
    assert (told["system"], told["answered"], told["cleaned"]) == ("my-model", count, count)
    requests = len(server.bodies)
    assert told["spent"]["prompt_tokens"] == 10 * requests
    assert told["spent"]["cost"] == pytest.approx(requests * (20 + 50) / 1e6)
    manifest, first, *_ = _rows(tmp_path / "m.jsonl")
    assert manifest == {"system": "my-model", "kind": "LLM", "resources": ["C"], "priority": 1}
    assert first["cleaned"] == ["preamble"] and first["raw"].startswith("Here is")
    with serving(_answer) as server:
        raw = patmark(tmp_path, "run", *_openai(server.url), *few, "--out", "raw.txt",
                      "--no-clean")  # fmt: skip
    assert raw.returncode == 0
    assert (
        (tmp_path / "raw.txt").read_text(encoding="utf-8").startswith("Here is the translation:  T")
    )


def test_chatter_is_scored_and_flagged_and_no_word_of_a_translation_is_lost(
    tmp_path: Path,
) -> None:
    sources = ["平移：沿x轴移动相机。", "阀门打开。", "弹簧压紧阀门。"]
    answers = {
        sources[0]: "Translation: moving the camera along the x axis.",
        sources[1]: '"The valve opens."',
        sources[2]: "Translation:\nThe spring presses the valve.",
    }
    rows = [{"id": f"n{at}", "source": text, "references": ["x"]}
            for at, text in enumerate(sources)]  # fmt: skip
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")

    def reply(body: dict[str, Any], seen: int) -> Reply:
        prompt = body["messages"][-1]["content"]
        return said(next(answer for text, answer in answers.items() if text in prompt))

    with serving(reply) as server:
        asked = ("run", *_openai(server.url), "--testset", "set.jsonl", "--lang", "zh-en")
        done = patmark(tmp_path, *asked, "--out", "m.jsonl")
        patmark(tmp_path, *asked, "--out", "raw.jsonl", "--no-clean")
    assert "1 of 3 rows seem to hold chatter besides the answer (quotes 1)" in done.stderr
    assert _rows(tmp_path / "m.jsonl")[1:] == [
        {"id": "n0", "hypothesis": answers[sources[0]]},
        {"id": "n1", "hypothesis": answers[sources[1]], "chatter": ["quotes"]},
        {"id": "n2", "hypothesis": "The spring presses the valve.", "raw": answers[sources[2]],
         "cleaned": ["preamble"]},
    ]  # fmt: skip
    about = json.loads((tmp_path / "m.jsonl.run.json").read_text())
    assert about["chatter"] == {"quotes": 1} and about["cleaned"] == 1
    kept = _rows(tmp_path / "raw.jsonl")[1:]
    assert [row["hypothesis"] for row in kept] == [*answers.values()]
    assert [row.get("chatter") for row in kept] == [None, ["quotes"], ["label"]]


def test_failed_rows_are_listed_and_give_1_also_with_scores(tmp_path: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        bad = body["messages"][-1]["content"].endswith("弁2")
        return refused(400, "too long") if bad else said("a valve of steel is here")

    rows = [{"id": f"n{at}", "source": f"弁{at}", "references": ["a valve of steel is here"]}
            for at in range(4)]  # fmt: skip
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with serving(reply) as server:
        done = patmark(tmp_path, "run", *_openai(server.url), "--testset", "set.jsonl", "--lang",
                       "ja-en", "--out", "m.jsonl", "--then", "score", "--measures", "BLEU",
                       *FAST)  # fmt: skip
    assert done.returncode == 1
    assert "1 of 4 rows failed" in done.stderr and "n2: status 400: too long" in done.stderr
    assert _rows(tmp_path / "m.jsonl.failed.jsonl") == [
        {"id": "n2", "reason": "status 400: too long"}
    ]
    assert "BLEU" in done.stdout


def test_claims_are_drafted_and_scored_from_one_text(tmp_path: Path) -> None:
    claims = (
        "1. A valve comprising a housing and a seat.\n2. The valve of claim 1, wherein it is steel."
    )
    (tmp_path / "description.txt").write_text("The invention is a valve.\nIt has a seat.\n")
    (tmp_path / "granted.txt").write_text(claims + "\n", encoding="utf-8")
    announced = f"Here are the claims:\n\n{claims}"
    with serving(lambda body, seen: said(announced)) as server:
        done = patmark(tmp_path, "run", *_openai(server.url), "--task", "claims", "--src",
                       "description.txt", "--lang", "en", "--ref", "granted.txt", "--out",
                       "claims.txt", "--then", "score", *FAST)  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "Draft a full set" in server.prompts[0]
        assert "It has a seat." in server.prompts[0]
    assert (tmp_path / "claims.txt").read_text(encoding="utf-8") == claims + "\n"
    assert "ClaimQuality" in done.stdout
    alone = patmark(tmp_path, "claims", "score", "--ref", "granted.txt", "--hyp",
                    "my-model=claims.txt", *FAST)  # fmt: skip
    assert alone.stdout == done.stdout


def test_claims_of_many_rows_are_revised(tmp_path: Path) -> None:
    row = {"id": "1", "source": "1. A valve.", "references": ["1. A valve with a seat."],
           "meta": {"instructions": "Add the seat."}}  # fmt: skip
    (tmp_path / "drafts.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with serving(lambda body, seen: said("1. A valve with a seat.")) as server:
        done = patmark(tmp_path, "run", *_openai(server.url), "--task", "revise", "--testset",
                       "drafts.jsonl", "--lang", "en", "--out", "revised.jsonl", "--then",
                       "score", *FAST)  # fmt: skip
        assert "Add the seat." in server.prompts[0]
    assert done.returncode == 0, done.stderr
    assert "ClaimQuality" in done.stdout
    wrong = patmark(tmp_path, "run", "copy", "--task", "revise", "--testset", "drafts.jsonl",
                    "--lang", "en", "--out", "revised.txt")  # fmt: skip
    assert wrong.returncode == 2 and ".jsonl" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nonsense"], "the system 'nonsense' is unknown"),
        (["openai:"], "say which one: openai:NAME"),
        (["copy:x"], "nothing can follow copy"),
        (["openai:m"], "--base-url"),
        (["copy", "--temperature", "0"], "--temperature has no effect with copy"),
        (["copy", "--no-cache"], "--no-cache has no effect with copy"),
        (["copy", "--context", "1"], "--context has no effect with copy"),
        (["copy", "--html", "x.html"], "--html has no effect without --then score"),
        (["copy", "--seed", "0"], "--seed has no effect without --then score"),
        (["copy", "--then", "sing"], "only score can follow"),
        (["copy", "--then", "score"], "--then score needs references: --ref"),
        (["copy", "--out", "no/such/x.txt"], "its folder does not exist"),
        (["copy", "--out", str(JA_EN / "source.ja")], "would be overwritten"),
        (["copy", "--out", "-"], "--out must be a file"),
        (["copy", "--out", "o.tsv"], "o.tsv: a run is written as rows or lines: .txt, .jsonl"),
        (["copy", "--testset", "x"], "either a --testset or source texts"),
        (["copy", "--lang", "en"], "two languages are needed"),
        (["copy", "--name", "a=b"], "--name must not be empty"),
        (["copy", "--task", "claims", "--out", "o.jsonl"], "write them to a .txt"),
        (["command:cat", "--template", "x.txt"], "x.txt"),
        (["dictionary"], "no dictionary is at hand for ja-en"),
        (["http://127.0.0.1:9", "--body", "{"], "--body is not valid JSON"),
        (["http://127.0.0.1:9", "--header", "x"], "--header must look like"),
        (["http://127.0.0.1:9", "--header", "X-Key: {key}"], "{key} needs a key"),
        (["http://127.0.0.1:9?api_key=abcdefgh"], "looks like a key"),
        ([f"openai:{KEY}", "--base-url", "http://127.0.0.1:9"], "looks like a key"),
        (["openai:m", "--base-url", "http://127.0.0.1:9", "--temperature", "3"], "from 0 to 2"),
        (["openai:m", "--base-url", "http://127.0.0.1:9", "--glossary", "rows"], "no effect"),
        (["command:cat", "--task", "claims"], "with --format jsonl a program can"),
        (["http://127.0.0.1:9", "--task", "claims"], "http only translates"),
        (["dictionary", "--task", "claims", "--lang", "en"], "a dictionary translates"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_written(
    arguments: list[str], message: str, tmp_path: Path
) -> None:
    out = [] if "--out" in arguments else ["--out", "o.txt"]
    done = patmark(tmp_path, "run", *LINES, *arguments, *out)
    assert done.returncode == 2 and message in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--ref", "--docs"])
def test_what_a_test_set_brings_cannot_be_given_beside_it(option: str, tmp_path: Path) -> None:
    done = patmark(tmp_path, "run", "copy", *BENCH, option, JA_EN / "reference.en", "--out", "o")
    assert done.returncode == 2 and "--ref and --docs go with --src" in done.stderr


def test_sources_that_are_missing_are_all_named(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("a\n\nb\n \n", encoding="utf-8")
    done = patmark(tmp_path, "run", "copy", "--src", "s.txt", "--lang", "en-zh", "--out", "o.txt")
    assert done.returncode == 2
    assert "'2' has no source" in done.stderr and "'4' has no source" in done.stderr


def test_a_program_gets_terms_and_context_as_json(tmp_path: Path) -> None:
    program = """
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    said = {"terms": row["glossary"], "before": row["context"], "asked": row["messages"][1]}
    print(json.dumps({"id": row["id"], "hypothesis": json.dumps(said)}))
"""
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    (tmp_path / "terms.tsv").write_text("弁\tvalve\n", encoding="utf-8")
    rows = [{"id": str(at), "source": f"弁{at}を開く。", "document": "d"} for at in range(3)]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = patmark(tmp_path, "run", f"command:{shlex.quote(sys.executable)} program.py", "--format",
                   "jsonl", "--testset", "set.jsonl", "--lang", "ja-en", "--context", "1",
                   "--glossary", "terms.tsv", "--out", "o.jsonl")  # fmt: skip
    assert done.returncode == 0, done.stderr
    manifest, _, second, _ = _rows(tmp_path / "o.jsonl")
    said = json.loads(second["hypothesis"])
    assert said["terms"] == [{"source": "弁", "target": "valve"}]
    assert said["before"] == ["弁0を開く。"] and "弁 = valve" in said["asked"]["content"]
    assert manifest["resources"] == ["C", "E"]


def test_another_command_does_not_go_on_with_a_run(tmp_path: Path) -> None:
    first = patmark(tmp_path, "run", f"command:{UPPER}", *LINES, "--out", "o.txt")
    assert first.returncode == 0
    whole = (tmp_path / "o.txt").read_bytes()
    other = patmark(tmp_path, "run", "copy", *LINES, "--out", "o.txt")
    assert other.returncode == 2
    assert "system.kind: 'command' then, 'copy' now" in other.stderr and "--fresh" in other.stderr
    assert (tmp_path / "o.txt").read_bytes() == whole
    assert patmark(tmp_path, "run", "copy", *LINES, "--out", "o.txt", "--fresh").returncode == 0
    source = (JA_EN / "source.ja").read_bytes()
    assert (tmp_path / "o.txt").read_bytes() == source


def test_a_program_that_was_edited_does_not_go_on_with_a_run(tmp_path: Path) -> None:
    program = tmp_path / "up.py"
    program.write_text("import sys\nfor s in sys.stdin: print('X', s.strip())", encoding="utf-8")
    given = ("run", f"command:{shlex.quote(sys.executable)} up.py", *LINES, "--out", "o.txt")
    assert patmark(tmp_path, *given).returncode == 0
    assert "of them earlier" in patmark(tmp_path, *given).stderr
    program.write_text("import sys\nfor s in sys.stdin: print('Y', s.strip())", encoding="utf-8")
    refused_run = patmark(tmp_path, *given)
    assert refused_run.returncode == 2 and "--fresh" in refused_run.stderr
    assert "system.parameters.files.up.py: " in refused_run.stderr
    assert patmark(tmp_path, *given, "--fresh").returncode == 0
    assert (tmp_path / "o.txt").read_text(encoding="utf-8").startswith("Y ")


def test_help_teaches(tmp_path: Path) -> None:
    done = patmark(tmp_path, "run", "--help")
    assert "patmark run dictionary" in done.stdout and "OUT.failed.jsonl" in done.stdout


def test_a_model_that_refuses_a_temperature_is_asked_without_and_the_run_says_so(
    tmp_path: Path,
) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        if "temperature" in body:
            return refused(400, "Unsupported value: 'temperature' does not support 0.")
        return said("A valve of steel.")

    (tmp_path / "s.txt").write_text("弁1\n弁2\n", encoding="utf-8")
    with serving(reply) as server:
        done = patmark(tmp_path, "run", *_openai(server.url), "--src", "s.txt", "--lang", "ja-en",
                       "--out", "m.txt")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "my/model refuses a temperature; the answers are those of its default." in done.stderr
