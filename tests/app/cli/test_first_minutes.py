"""Files that are only listed, and completion by the tab key."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from command_line import patmark
from patmark.examples import example_path

_FAST = ("--measures", "BLEU", "--resamples", "20")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, new in (
        ("atlas.en", "mine.txt"), ("reference.en", "test.ref.txt"), ("reference2.en", "ref2.txt"),
        ("source.ja", "source.ja"), ("documents.txt", "docs.txt"),
    ):  # fmt: skip
        shutil.copy(example_path(f"ja_en/{name}"), tmp_path / new)
    return tmp_path


def test_roles_and_languages_are_guessed_and_said(files: Path) -> None:
    names = ("docs.txt", "ref2.txt", "mine.txt", "source.ja", "test.ref.txt")
    done = patmark(files, "score", *names, *_FAST, "--json")
    guessed = "--hyp mine.txt --ref ref2.txt --ref test.ref.txt --src source.ja --docs docs.txt"
    assert f"patmark: guessed {guessed} --lang ja-en\n" in done.stderr
    options = (*guessed.split(), "--lang", "ja-en")
    named = json.loads(patmark(files, "score", *options, *_FAST, "--json").stdout)
    listed = json.loads(done.stdout)
    assert listed.pop("inferred_roles") == {
        "protocol": "plain", "hyp": ["mine.txt"], "ref": ["ref2.txt", "test.ref.txt"],
        "src": "source.ja", "docs": "docs.txt", "lang": "ja-en",
    }  # fmt: skip
    assert (named.pop("inferred_roles"), named) == ({}, listed)
    assert "guessed" not in patmark(files, "score", *names, *_FAST, "-q").stderr


def test_compare_guesses_as_score_does(files: Path) -> None:
    shutil.copy(example_path("ja_en/cobalt.en"), files / "other.txt")
    names = ("mine.txt", "other.txt", "test.ref.txt", "source.ja")
    done = patmark(files, "compare", *names, *_FAST, "--trials", "100", "--json")
    guessed = "--hyp mine.txt --hyp other.txt --ref test.ref.txt --src source.ja"
    assert f"patmark: guessed {guessed} --lang ja-en\n" in done.stderr
    assert json.loads(done.stdout)["measures"]["BLEU"]["clusters"] == [["mine"], ["other"]]
    rows = [str(example_path(f"patsnap_en2cn/{name}.jsonl")) for name in ("atlas", "cobalt")]
    done = patmark(files, "compare", *rows, "--resamples", "20", "--trials", "100", "-q")
    assert done.returncode == 0, done.stderr


def test_systems_with_a_role_inside_their_name_do_not_vanish(files: Path) -> None:
    for name in ("open-source.txt", "doc-level.txt", "ref-based.txt"):
        shutil.copy(files / "mine.txt", files / name)
    names = ("open-source.txt", "doc-level.txt", "ref-based.txt", "ref2.txt")
    found = json.loads(patmark(files, "score", *names, *_FAST, "--json").stdout)
    assert list(found["systems"]) == ["open-source", "doc-level", "ref-based"]


def test_a_role_that_may_be_a_system_is_shown_even_to_people_in_a_hurry(files: Path) -> None:
    shutil.copy(files / "ref2.txt", files / "A_ref.txt")
    done = patmark(files, "score", "mine.txt", "A_ref.txt", *_FAST, "-q")
    assert done.returncode == 0
    assert "Warning: A_ref.txt was taken for --ref A_ref.txt by the last part" in done.stderr
    assert "name it: --hyp A_ref.txt." in done.stderr
    plain = patmark(files, "score", "mine.txt", "ref2.txt", *_FAST, "-q")
    named = patmark(files, "score", "A=A_ref.txt", "ref2.txt", *_FAST, "-q", "--json")
    assert (plain.stderr, named.stderr) == ("", "")
    assert list(json.loads(named.stdout)["systems"]) == ["A"]


def test_source_and_translations_in_one_language_are_refused(files: Path) -> None:
    shutil.copy(files / "mine.txt", files / "source.txt")
    names = ("score", "mine.txt", "ref2.txt", "source.txt", *_FAST)
    done = patmark(files, *names)
    assert done.returncode == 2
    assert "source.txt: source and translations seem to be in one language" in done.stderr
    assert patmark(files, *names, "--lang", "de-en").returncode == 0


def test_what_is_given_is_not_guessed(files: Path) -> None:
    given = ("--ref", "test.ref.txt", "--lang", "en")
    done = patmark(files, "score", "mine.txt", *given, *_FAST)
    assert "guessed --hyp mine.txt\n" in done.stderr


def test_tables_and_rows_are_told_apart(files: Path) -> None:
    row = {"id": "1", "references": ["阀门关闭。"], "source": "The valve closes."}
    (files / "set.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (files / "run.csv").write_text("id,hypothesis\n1,阀门闭合。\n", encoding="utf-8")
    done = patmark(files, "score", "run.csv", "set.jsonl", *_FAST)
    assert "guessed --hyp run.csv --testset set.jsonl --lang en-zh\n" in done.stderr
    bench = str(example_path("patsnap_en2cn/atlas.jsonl"))
    done = patmark(files, "score", bench, "--resamples", "20", "--json")
    assert "guessed --protocol patsnap --lang en-zh\n" in done.stderr
    assert json.loads(done.stdout)["direction"] == "en2cn"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["mine.txt"], "mine.txt: which file holds the references? Give it a name such as"),
        (["ref2.txt"], "ref2.txt: which file holds translations? Add it, or name it"),
        (["mine.txt", "ref2.txt", "source.ja", "src.txt"], "Name one with --src FILE"),
        (["mine.txt", "numbers.ref"], "say which languages the texts are in: --lang"),
        (["mine.txt", "absent.csv"], "absent.csv: no such file"),
        (["mine.txt", "BENCH"], "mine.txt holds no PatSnap rows, but"),
    ],
)
def test_what_cannot_be_known_is_asked_for(files: Path, names: list[str], message: str) -> None:
    (files / "numbers.ref").write_text("1\n2\n", encoding="utf-8")
    bench = str(example_path("patsnap_en2cn/atlas.jsonl"))
    done = patmark(files, "score", *(bench if name == "BENCH" else name for name in names))
    assert (done.returncode, message in done.stderr) == (2, True), done.stderr


def test_the_shell_completes_commands_and_options(tmp_path: Path) -> None:
    script = patmark(tmp_path, "completion", "bash").stdout
    (tmp_path / "complete").write_text(script, encoding="utf-8")
    line = (
        "source complete; COMP_WORDS=(patmark {0}); COMP_CWORD={1}; _patmark; "
        "echo ${{COMPREPLY[*]}}"
    )
    for typed, place, expected in (("sco", 1, "score"), ("score --hy", 2, "--hyp")):
        found = subprocess.run(
            ["bash", "-c", line.format(typed, place)], cwd=tmp_path, capture_output=True, text=True
        )
        assert found.stdout.split() == [expected], found.stderr


def test_an_unknown_shell_is_named(tmp_path: Path) -> None:
    done = patmark(tmp_path, "completion", "bsh")
    assert done.returncode == 2
    assert "no completion for 'bsh'; did you mean bash?; known: bash, zsh, fish" in done.stderr
