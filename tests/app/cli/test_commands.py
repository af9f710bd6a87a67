"""The command line as its users meet it: whole programs and real files.

Where the process is the subject it is a process; else the program runs within the tests.
"""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from command_line import Done, program
from patmark.examples import SYSTEMS, example_path

Command = Callable[..., Done]
_JA_EN = example_path("ja_en")
_EN_ZH = example_path("en_zh")
_PATSNAP = example_path("patsnap_cn2en")
_LINES = ["--hyp", str(_JA_EN / "atlas.en"), "--ref", str(_JA_EN / "reference.en"),
          "--lang", "ja-en"]  # fmt: skip


@pytest.fixture
def patmark(tmp_path: Path) -> Command:
    return partial(program, tmp_path)


@pytest.fixture
def process(tmp_path: Path) -> Command:
    """A process of its own."""

    def run(*arguments: str | Path, text: str = "") -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "patmark", *map(str, arguments)],
            cwd=tmp_path, input=text, capture_output=True, text=True, encoding="utf-8",
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def test_help_teaches(patmark: Command) -> None:
    top = patmark("--help")
    assert top.returncode == 0
    for command in ("score", "measures", "demo"):
        assert command in top.stdout
    score = patmark("score", "--help").stdout
    assert "patmark score --hyp mine.txt --ref ref.txt --lang ja-en" in " ".join(score.split())


def test_version(process: Command) -> None:
    from patmark._version import __version__

    assert process("--version").stdout.strip() == __version__


def test_score_patsnap_json_is_the_only_thing_on_stdout(process: Command) -> None:
    done = process("score", _PATSNAP / "cobalt.jsonl", "--protocol", "patsnap", "--json",
                   "--resamples", "100")  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["direction"] == "cn2en" and result["missing"] == 2
    assert result["overall"]["grade"] == "D"
    assert done.stderr == ""


def test_score_lines(patmark: Command, tmp_path: Path) -> None:
    done = patmark("score", *_LINES, "--src", _JA_EN / "source.ja", "--docs",
                   _JA_EN / "documents.txt", "--json", "--resamples", "50", "--measures",
                   "BLEU,NIST,RIBES,numbers", "--segments", "segments.csv")  # fmt: skip
    result = json.loads(done.stdout)
    cell = result["systems"]["atlas"]["BLEU"]
    assert set(cell) == {"value", "ci", "n"} and cell["n"] == 120
    assert set(result["signatures"]) == {"BLEU", "NIST", "RIBES", "numbers"}
    assert result["resampling"]["by"] == "document"
    lines = (tmp_path / "segments.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "system,segment,measure,value"
    assert len(lines) == 1 + 4 * 121


def test_score_is_equal_to_sacrebleu_on_the_command_line(patmark: Command) -> None:
    import sacrebleu

    done = patmark("score", *_LINES, "--measures", "BLEU,chrF", "--resamples", "0", "--json")
    values = json.loads(done.stdout)["systems"]["atlas"]
    hypotheses = (_JA_EN / "atlas.en").read_text(encoding="utf-8").splitlines()
    references = (_JA_EN / "reference.en").read_text(encoding="utf-8").splitlines()
    bleu = sacrebleu.corpus_bleu(hypotheses, [references]).score
    assert values["BLEU"]["value"] == pytest.approx(bleu, abs=1e-9)
    assert values["BLEU"]["ci"] is None


def test_table_for_people(patmark: Command) -> None:
    done = patmark("score", *_LINES, "--measures", "BLEU", "--resamples", "50")
    assert done.returncode == 0 and "BLEU" in done.stdout and "[" in done.stdout
    assert "\x1b" not in done.stdout


def test_all_written_forms(process: Command, tmp_path: Path) -> None:
    files = [_PATSNAP / f"{system}.jsonl" for system in SYSTEMS]
    done = process("score", *files, "--protocol", "patsnap", "--quiet", "--resamples", "50",
                   "--html", "r.html", "--csv", "r.csv", "--md", "r.md",
                   "--latex", "r.tex", "--no-checks")  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "</html>" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "atlas" in (tmp_path / "r.csv").read_text(encoding="utf-8")
    assert "| normal_sentence" in (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "\\toprule" in (tmp_path / "r.tex").read_text(encoding="utf-8")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv", "r.html", "r.md", "r.tex"]


def test_gzip_stdin_and_names(process: Command, tmp_path: Path) -> None:
    packed = tmp_path / "ref.txt.gz"
    packed.write_bytes(gzip.compress(b"the valve is closed\nthe rotor\n"))
    done = process("score", "--hyp", "mine=-", "--ref", packed, "--lang", "en", "--measures",
                   "chrF", "--json", text="the valve is closed\nthe rotor\n")  # fmt: skip
    assert json.loads(done.stdout)["systems"]["mine"]["chrF"]["value"] == pytest.approx(100)


def test_separate_run_file_for_the_bench(patmark: Command, tmp_path: Path) -> None:
    rows = (_PATSNAP / "atlas.jsonl").read_text(encoding="utf-8").splitlines()
    bench, answers = [], []
    for number, line in enumerate(rows, start=1):
        row = json.loads(line)
        answers.append({"id": str(number), "hypothesis": row.pop("content_cn_translate")})
        bench.append(row)
    for name, records in (("bench.jsonl", bench), ("atlas.jsonl", answers)):
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        (tmp_path / name).write_text(text, encoding="utf-8")
    arguments = ["--protocol", "patsnap", "--json", "--resamples", "0"]
    apart = patmark("score", "--testset", "bench.jsonl", "--hyp", "atlas.jsonl", *arguments)
    together = patmark("score", _PATSNAP / "atlas.jsonl", *arguments)
    assert json.loads(apart.stdout) == json.loads(together.stdout)


def test_measures_command(patmark: Command) -> None:
    listed = json.loads(patmark("measures", "--json").stdout)
    names = {info["name"] for info in listed}
    assert {"BLEU", "METEOR(variant=nltk)", "numbers", "term-drift"} <= names
    assert set(listed[0]) == {
        "name", "description", "reference", "parameters", "needs",
        "formula", "scale", "corpus", "limits", "signature", "guide", "example",
    }  # fmt: skip
    one = patmark("measures", "BLEU").stdout
    assert "longest n-gram" in one and "  limits: Shared word sequences only" in one


def test_demo_writes_a_report(process: Command, tmp_path: Path) -> None:
    done = process("demo")
    assert done.returncode == 0, done.stderr
    assert "grade A" in done.stdout
    assert "dictionary  mean of labels" in done.stdout
    assert "Retrieval: AP(rel=2) groups, best first: " in done.stderr
    assert (tmp_path / "report.html").stat().st_size > 100_000


def test_demo_as_json_leaves_an_earlier_report_alone(patmark: Command, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine", encoding="utf-8")
    done = patmark("demo", "--json")
    assert json.loads(done.stdout)["systems"], done.stderr
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["score", "--hyp", "h.txt", "--ref", "short.txt", "--lang", "en"], "3"),
        (["score", "--hyp", "absent.txt", "--ref", "h.txt", "--lang", "en"], "absent.txt"),
        (["score", "--hyp", "bad.txt", "--ref", "h.txt", "--lang", "en"], "bad.txt:2"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt"], "--lang"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--measures", "BLUE"],
         "did you mean BLEU?"),
        (["score", "--hyp", "h.txt", "--ref", "zh.txt", "--lang", "zh", "--tok", "13a"],
         "whole zh clause"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--protocol", "x"],
         "choose from plain, patsnap"),
        (["score", "broken.jsonl", "--protocol", "patsnap"], "broken.jsonl:1"),
        (["score", "h.txt", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en"],
         "give each translation with its own --hyp"),
        (["score", "--hyp", "-", "--ref", "-", "--lang", "en"], "standard input"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--html", "no/dir/r.html"],
         "no/dir"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--resamples", "-3"],
         "negative"),
        (["score", "--unknown"], "score has no option --unknown"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--csv", "x", "--md", "x"],
         "x is given twice as an output"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--csv", "./h.txt"],
         "is an input"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--json", "--csv", "-"],
         "--json takes standard output"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--segments", "s.csv",
          "--html", "no/dir/r.html"], "folder does not exist"),
        (["score", "--hyp", "run.txt", "--ref", "short.txt", "--lang", "en"], "JSON records"),
        (["score", "--hyp", "X=-", "--ref", "-", "--lang", "en"], "standard input"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--measures", ","],
         "no measure is named"),
        (["score", "--hyp", "h.txt", "--ref", "h.txt", "--lang", "en", "--direction", "cn2en"],
         "--direction has no effect"),
        (["score", "bench.jsonl", "--protocol", "patsnap"], "no row has a translation"),
        (["score", "broken.jsonl", "--protocol", "patsnap", "--lang", "en"],
         "--lang en: PatSnap rows are zh-en or en-zh"),
        (["score", "--hyp", "h.txt", "--ref", "zh.txt", "--lang", "en"],
         "seem to be written in Chinese"),
        (["score", "--testset", "half.jsonl", "--hyp", "h.txt", "--lang", "en"],
         "segment '2' has no reference"),
    ],
)  # fmt: skip
def test_bad_usage_and_data(
    patmark: Command, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "h.txt").write_text("a b\nc d\ne f\n", encoding="utf-8")
    (tmp_path / "short.txt").write_text("a b\n", encoding="utf-8")
    (tmp_path / "bad.txt").write_bytes(b"good\nb\xffd\nline\n")
    (tmp_path / "broken.jsonl").write_text('{"pn": "CN1A"}\n', encoding="utf-8")
    (tmp_path / "run.txt").write_text('{"id": "1", "hypothesis": "a"}\n', encoding="utf-8")
    (tmp_path / "zh.txt").write_text("阀门\n转子\n轴\n", encoding="utf-8")
    (tmp_path / "half.jsonl").write_text(
        '{"id": "1", "references": ["a"]}\n{"id": "2"}\n{"id": "3"}\n', encoding="utf-8"
    )
    row = json.loads((_PATSNAP / "atlas.jsonl").read_text(encoding="utf-8").splitlines()[0])
    del row["content_cn_translate"]
    (tmp_path / "bench.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    done = patmark(*arguments, text="a\n")
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(tmp_path.iterdir()) == before


def test_interrupt_leaves_nothing_half_written(tmp_path: Path) -> None:
    program = (
        "import patmark.report.html as page, sys\n"
        "def stop(report): raise KeyboardInterrupt\n"
        "page.to_html = stop\n"
        "from patmark.app.cli import main\n"
        "sys.argv = ['patmark', *sys.argv[1:], '--html', 'report.html']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "score", *_LINES, "--measures", "chrF", "--resamples", "0"],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_manifest_of_a_run_names_its_system(patmark: Command, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text('{"id": "1", "references": ["a b"]}\n', encoding="utf-8")
    (tmp_path / "run.jsonl").write_text(
        '{"system": "named"}\n{"id": "1", "hypothesis": "a b"}\n', encoding="utf-8"
    )
    arguments = ["score", "--testset", "t.jsonl", "--lang", "en", "--measures", "chrF", "--json"]
    own = json.loads(patmark(*arguments, "--hyp", "run.jsonl").stdout)
    given = json.loads(patmark(*arguments, "--hyp", "mine=run.jsonl").stdout)
    assert (list(own["systems"]), list(given["systems"])) == (["named"], ["mine"])


def test_a_full_disk_and_a_closed_input_are_told_in_words(tmp_path: Path) -> None:
    lines = " ".join(_LINES)
    for redirection, arguments in (
        ("> /dev/full", f"score {lines} --measures chrF --resamples 0"),
        ("<&-", f"score --hyp - --ref {_JA_EN / 'reference.en'} --lang en"),
    ):
        done = subprocess.run(
            ["bash", "-c", f"{sys.executable} -m patmark {arguments} {redirection}"],
            cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 2, done.stderr
        assert done.stderr.startswith("patmark: ") and "Traceback" not in done.stderr


def test_a_reader_that_stops_early_is_no_failure(tmp_path: Path) -> None:
    command = f"{sys.executable} -m patmark measures | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.startswith("BLEU") and "Traceback" not in done.stderr


def test_output_does_not_depend_on_the_locale(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "patmark", "measures", "--json"], cwd=tmp_path,
        capture_output=True, env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0
    assert "0–100" in done.stdout.decode("utf-8")


def test_the_terminal_shows_every_table_of_plain_scores(patmark: Command) -> None:
    done = patmark("score", *_LINES, "--src", _JA_EN / "source.ja", "--resamples", "0",
                   "--measures", "BLEU,omission,numbers", "--latex", "s.tex")  # fmt: skip
    for title in ("Scores", "Length and leakage", "Checks without reference"):
        assert title in done.stdout.splitlines()
    assert done.stderr == "wrote s.tex\n"


def test_sources_in_another_language_are_noticed(patmark: Command) -> None:
    source = ["--src", str(_JA_EN / "source.ja"), "--measures", "BLEU", "--quiet"]
    assert (
        "sources, but they seem to be in Japanese"
        in patmark("score", *_LINES[:4], "--lang", "zh-en", *source).stderr
    )
    assert "seem to be" not in patmark("score", *_LINES, *source).stderr


def test_exchanged_files_are_noticed_on_every_side(patmark: Command) -> None:
    hypotheses, source, reference = (
        str(_JA_EN / name) for name in ("atlas.en", "source.ja", "reference.en")
    )
    fast = ["--measures", "BLEU", "--resamples", "0", "--quiet"]
    done = patmark("score", "--hyp", f"mine={source}", "--src", hypotheses, "--ref", reference,
                   "--lang", "ja-en", *fast)  # fmt: skip
    [of_sources, of_translations] = done.stderr.splitlines()
    assert f"{hypotheses}: --lang says ja for the sources, but they seem" in of_sources
    assert f"{source}: --lang says en for the translations of mine" in of_translations
    assert "seem to be in Japanese." in of_translations
    done = patmark("score", "--hyp", f"copy={source}", "--src", source, "--ref", reference,
                   "--lang", "ja-en", *fast)  # fmt: skip
    assert "So are the sources: are the files exchanged, or is nothing" in done.stderr


def test_the_warning_of_exchanged_files_is_in_every_result(
    patmark: Command, tmp_path: Path
) -> None:
    source = str(_JA_EN / "source.ja")
    files = ["--hyp", f"copy={source}", "--hyp", str(_JA_EN / "atlas.en"), "--src", source]
    fast = [*_LINES[2:], "--measures", "BLEU", "--resamples", "9"]
    told = "the translations of copy should be in en, but they seem to be in Japanese. So are"
    for command in (["score"], ["compare", "--trials", "99"]):
        made = ["--json", "--md", "r.md", "--html", "r.html"]
        done = patmark(*command, *files, *fast, *made)
        notes = json.loads(done.stdout)["notes"]
        assert [note for note in notes if told in note], notes
        for name in ("r.md", "r.html"):
            assert told in (tmp_path / name).read_text(encoding="utf-8"), (command, name)


def test_references_that_are_missing_altogether_are_one_problem(patmark: Command) -> None:
    source = ["--src", str(_JA_EN / "source.ja"), "--lang", "ja-en", "--measures", "BLEU"]
    done = patmark("score", "--hyp", str(_JA_EN / "atlas.en"), *source)
    assert done.returncode == 2
    [problem] = done.stderr.splitlines()
    assert "BLEU needs references (--ref), and there are none" in problem


def test_references_of_another_language_name_their_file(patmark: Command) -> None:
    reference = str(_EN_ZH / "reference.zh")
    done = patmark("score", "--hyp", str(_EN_ZH / "atlas.zh"), "--ref", reference, "--lang", "ko",
                   "--measures", "BLEU")  # fmt: skip
    assert done.returncode == 2
    assert f"references of {reference} seem to be written in Chinese" in done.stderr
    assert f"{reference}: --lang says ko for the references" in done.stderr
