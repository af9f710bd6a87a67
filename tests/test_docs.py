"""The documentation is true: examples run, commands work and print what is shown, links resolve.

A fenced block whose info string holds ``file=NAME`` is a file of that name, which the commands
and examples of its page may read.
"""

from __future__ import annotations

import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest

import measure_pages
from patmark.app.cli import main
from patmark.examples import write_examples
from patmark.languages import TOKENIZERS
from patmark.measures import Measure, all_measures, describe_all, registry

_ROOT = Path(__file__).parents[1]
_PAGES = [_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_ANY_BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^ *```.*$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_FILE = re.compile(r"\bfile=(\S+)")
_LINK = re.compile(r"\]\((?P<target>[^()\s]+)\)")

_each_page = pytest.mark.parametrize(
    "page", _PAGES, ids=[str(page.relative_to(_ROOT)) for page in _PAGES]
)


def _blocks(page: Path) -> list[tuple[str, str]]:
    """The fenced blocks of a page: info string and content."""
    text = page.read_text(encoding="utf-8")
    return [(match["info"], match["body"]) for match in _BLOCK.finditer(text)]


def _sessions(page: Path) -> list[list[tuple[str, list[str]]]]:
    """The patmark commands of each block, each with the lines that are shown as its output."""
    sessions = []
    for info, body in _blocks(page):
        if info != "console":
            continue
        commands: list[tuple[str, list[str]]] = []
        ours = False
        for line in body.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                ours = line.startswith("$ patmark ")
                commands += [(line.removeprefix("$ "), [])] if ours else []
            elif ours and line.strip() not in ("", "…"):
                commands[-1][1].append(" ".join(line.split()))
        sessions += [commands] if commands else []
    return sessions


_SESSIONS = [(page, session) for page in _PAGES for session in _sessions(page)]


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of `patmark examples`."""
    write_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _write_files(page: Path, folder: Path) -> None:
    for info, body in _blocks(page):
        if name := _FILE.search(info):
            (folder / name[1]).write_text(body, encoding="utf-8")


@_each_page
def test_examples_give_what_they_show(
    page: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_registered", [])
    _write_files(page, workspace)
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    test = doctest.DocTestParser().get_doctest(text, {"__name__": page.stem}, page.name, None, 0)
    complaints: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(test, out=complaints.append)
    assert not complaints, "".join(complaints)


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_the_translated_readme_has_the_commands_of_the_readme(language: str) -> None:
    page = _ROOT / f"README.{language}.md"
    commands = [command for session in _sessions(page) for command, _ in session]
    expected = [command for session in _sessions(_ROOT / "README.md") for command, _ in session]
    assert [command.replace(f" --ui {language}", "") for command in commands] == expected
    links = [match["target"] for match in _LINK.finditer(page.read_text(encoding="utf-8"))]
    assert [link for link in links if not (_ROOT / link).exists()] == []


@_each_page
def test_examples_are_fenced_since_markdown_takes_their_prompt_for_a_quotation(page: Path) -> None:
    unfenced = _ANY_BLOCK.sub("", page.read_text(encoding="utf-8"))
    assert [line for line in unfenced.splitlines() if line.lstrip().startswith(">>>")] == []


@pytest.mark.parametrize(
    ("page", "session"), _SESSIONS, ids=[session[0][0] for _, session in _SESSIONS]
)
def test_commands_run_one_after_the_other_and_print_what_is_shown(
    page: Path, session: list[tuple[str, list[str]]], workspace: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    _write_files(page, workspace)
    for command, shown in session:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        assert end.value.code == 0, captured.err
        printed = " ".join((captured.out + captured.err).split())
        assert [line for line in shown if line not in printed] == []


@_each_page
def test_links_lead_somewhere(page: Path) -> None:
    prose = _CODE.sub("", _BLOCK.sub("", page.read_text(encoding="utf-8")))
    targets = [match["target"].partition("#")[0] for match in _LINK.finditer(prose)]
    relative = [target for target in targets if target and "://" not in target]
    assert [target for target in relative if not (page.parent / target).exists()] == []


def test_every_measure_and_every_tokenizer_is_described() -> None:
    measures = "".join(
        page.read_text(encoding="utf-8") for page in _PAGES if page.parent.name == "measures"
    )
    tokenizers = (_ROOT / "docs" / "tokenizers.md").read_text(encoding="utf-8")
    guided = [measure for measure in all_measures() if measure.guide != Measure.guide]
    assert [m.label for m in guided if f"`{m.label}" not in measures] == []
    generated = [page.partition("\n")[0] for page in measure_pages.pages().values()]
    assert {f"# {info.name}" for info in describe_all()} <= set(generated)
    assert [name for name in TOKENIZERS if f"`{name}`" not in tokenizers] == []


def test_pages_have_examples_and_commands() -> None:
    assert len(_SESSIONS) > 10
    assert sum(">>> " in page.read_text(encoding="utf-8") for page in _PAGES) > 10
