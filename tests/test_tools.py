"""The tools that watch over a move: the snapshot sees a difference, the walk names files."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import snapshot

_TOOLS = Path(__file__).parents[1] / "tools"
_CASES = """\
# a comment
[score]
bleu: score --hyp mine.txt --ref ref.txt --lang en --measures BLEU --resamples 0 --csv bleu.csv
missing: score --hyp nowhere.txt --ref ref.txt --lang en

[start]
version: --version
"""


def _tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(_TOOLS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three cases."""
    folder = tmp_path_factory.mktemp("matrix")
    (folder / "commands.txt").write_text(_CASES)
    (folder / "inputs").mkdir()
    for name in ("mine.txt", "ref.txt"):
        shutil.copy(snapshot.MATRIX / "inputs" / name, folder / "inputs")
    return folder


@pytest.fixture(scope="module")
def recorded(matrix: Path) -> Path:
    """What the three cases do."""
    done = _tool("snapshot.py", "record", matrix / "before", "--matrix", matrix)
    assert done.returncode == 0, done.stderr
    return matrix / "before"


def test_a_record_holds_exit_code_output_and_files(recorded: Path) -> None:
    case = recorded / "score" / "bleu"
    assert (case / "command").read_text().endswith("\nexit 0\n")
    assert "BLEU" in (case / "stdout").read_text()
    assert "mine" in (case / "files" / "bleu.csv").read_text()
    refused = recorded / "score" / "missing"
    assert (refused / "command").read_text().endswith("\nexit 2\n")
    assert "nowhere.txt: no such file" in (refused / "stderr").read_text()


def test_running_again_gives_the_same(recorded: Path, matrix: Path) -> None:
    done = _tool("snapshot.py", "compare", recorded, "--matrix", matrix)
    assert (done.returncode, done.stdout) == (0, "3 cases are equal\n"), done.stderr


def test_a_planted_difference_is_found(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "after"
    shutil.copytree(recorded, other)
    for path, old, new in (
        ("score/bleu/files/bleu.csv", "mine", "yours"),
        ("score/missing/command", "exit 2", "exit 1"),
    ):
        (other / path).write_text((other / path).read_text().replace(old, new))
    shutil.rmtree(other / "start" / "version")
    assert snapshot.main(["compare", str(recorded), str(other)]) == 1
    said = capsys.readouterr().out
    assert "-exit 2\n+exit 1" in said and "yours" in said
    assert "## start/version: only in" in said and said.endswith("3 of 3 cases differ\n")
    only = ["compare", str(recorded), str(other), "--only", "score/bleu"]
    assert snapshot.main([*only, "--ignore", "mine|yours"]) == 0


def test_what_differs_between_runs_is_replaced(tmp_path: Path) -> None:
    normal = snapshot.Normal(tmp_path, "")
    said = f"{tmp_path}/a at 2031-02-03T04:05:06Z by patmark:9.8.7 on http://127.0.0.1:54321"
    assert normal(said) == "<folder>/a at <time> by patmark:<version> on http://127.0.0.1:<port>"
    assert normal("BLEU 12.223075560872527") == "BLEU 12.223075560872527"
    drawn = "/page/abcdefghijklmnop-Q"
    assert normal(drawn) == normal(f"see {drawn}").removeprefix("see ") == "/page/<id 1>"
    assert normal('"id": "antecedent-missing"') == '"id": "antecedent-missing"'


def test_the_matrix_has_every_name_once() -> None:
    cases = [
        (case.group, case.name) for case in snapshot.read_matrix(snapshot.MATRIX / "commands.txt")
    ]
    assert len(cases) > 300 and len(set(cases)) == len(cases)


def test_a_walk_names_the_files_that_a_command_enters() -> None:
    done = _tool("walk.py", "measures", "--json")
    assert done.returncode == 0, done.stderr
    *entered, last = done.stdout.splitlines()
    files = [line.split()[1] for line in entered if line.split()]
    assert (
        files.index("app/cli/app.py")
        < files.index("app/cli/parser.py")
        < files.index("app/cli/measures.py")
    )
    assert "measures/bleu.py" in done.stdout and "modules of patmark loaded" in last
