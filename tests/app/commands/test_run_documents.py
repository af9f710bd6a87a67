"""patmark run --documents: whole documents through a system, on the command line and in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import docx
import pytest

from chat_server import Reply, refused, said, serving
from command_line import invoke
from patmark import commands, score
from patmark.errors import InputError, UsageError

_PUMP = ["泵", "该泵具有壳体1和转子2。转子2在壳体1中转动。"]
_VALVE = ["阀", "该阀包括阀体10和弹簧11。"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in: sources as Word and text, references as text."""
    (tmp_path / "src" / "more").mkdir(parents=True)
    document = docx.Document()
    for paragraph in _PUMP:
        document.add_paragraph(paragraph)
    document.save(str(tmp_path / "src" / "pump.zh.docx"))
    (tmp_path / "src" / "more" / "valve.txt").write_text("\n".join(_VALVE) + "\n")
    (tmp_path / "ref" / "more").mkdir(parents=True)
    right = "A pump\nThe pump has a housing 1 and a rotor 2.\nThe rotor 2 turns.\n"
    (tmp_path / "ref" / "pump.en.txt").write_text(right)
    (tmp_path / "ref" / "more" / "valve.txt").write_text("A valve\nThe valve has a body 10.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _by_text(body: dict[str, Any], seen: int) -> Reply:
    asked = body["messages"][-1]["content"]
    if "泵" in asked:
        return said("Pump\nThe pump has a housing 1.\nThe rotor 2 turns.")
    return refused(400, "too long") if seen == 0 else said("Valve\nA body.")


def test_a_folder_is_translated_document_by_document_and_continued(folder: Path) -> None:
    arguments = "run openai:m --documents --src src --lang zh-en --out out --no-cache --base-url"
    with serving(_by_text) as server:
        first = invoke(*arguments.split(), server.url, "--json")
        assert (first.returncode, sorted(Path("out").rglob("*.txt"))) == (1, [Path("out/pump.txt")])
        assert json.loads(first.stdout)["failures"][0]["id"] == "more/valve.txt"
        assert sum("\n".join(_PUMP) in prompt for prompt in server.prompts) == 1
        second = invoke(*arguments.split(), server.url, "--json")
        assert (second.returncode, json.loads(second.stdout)["taken_over"]) == (0, 1)
        assert sum("泵" in prompt for prompt in server.prompts) == 1
    assert (
        Path("out/pump.txt").read_text() == "Pump\nThe pump has a housing 1.\nThe rotor 2 turns.\n"
    )
    assert Path("out/more/valve.txt").read_text() == "Valve\nA body.\n"
    scored = score("ref", {"m": "out"}, "BLEU", lang="zh-en", documents=True)
    assert scored.to_json()["alignment"]["segments"] == 5


def test_python_and_the_command_write_the_same_files(folder: Path) -> None:
    line = "run dictionary --documents --src src --lang zh-en --out one"
    invoke(*line.split())
    run = commands.run("dictionary", "src", lang="zh-en", documents=True, out="two")
    names = [path.relative_to("one") for path in sorted(Path("one").rglob("*.txt"))]
    assert [str(name) for name in names] == ["more/valve.txt", "pump.txt"]
    texts = [Path("one", name).read_text() for name in names]
    assert texts == [Path("two", name).read_text() for name in names]
    assert texts == [f"{text}\n" for text in run.texts]


def test_one_document_is_written_to_a_file_and_scored(folder: Path) -> None:
    line = "run oracle --documents --src src/pump.zh.docx --ref ref/pump.en.txt --lang zh-en"
    then = "--out pump.en.txt --then score --measures BLEU --resamples 0 --json"
    done = invoke(*line.split(), *then.split())
    assert json.loads(done.stdout)["systems"]["oracle"]["BLEU"]["value"] == pytest.approx(100)
    assert Path("pump.en.txt").read_text() == Path("ref/pump.en.txt").read_text()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"out": "src/here"}, "lies in the folder of the sources"),
        ({"lang": "en"}, "two languages are needed"),
        ({"out": None}, "documents= needs a file or folder of documents"),
        ({"journal": "x"}, "journal"),
        ({"documents": False, "out": "x"}, "out= has no effect"),
        ({"out": "ref"}, "is not the result of an earlier run"),
    ],
)
def test_requests_without_sense_are_refused(
    folder: Path, given: dict[str, Any], problem: str
) -> None:
    settings = {"lang": "zh-en", "documents": True, "out": "out"} | given
    with pytest.raises(UsageError, match=problem):
        commands.run("copy", "src", **settings)
    assert not Path("out").exists()


def test_documents_that_cannot_be_read_are_listed_before_anything_is_asked(folder: Path) -> None:
    Path("src/scan.pdf").write_bytes(b"%PDF-1.4 broken")
    Path("src/empty.txt").write_text("")
    with pytest.raises(InputError) as caught:
        commands.run("dictionary", "src", lang="zh-en", documents=True, out="out")
    assert "scan.pdf" in str(caught.value) and "empty.txt" in str(caught.value)
