"""Which files of a command line count, and what is known of them."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from patmark.systems import CommandSystem
from patmark.systems.command import named_files


def test_files_are_known_by_their_content_and_a_program_on_the_path_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("up.py", "mine.toml", "python3", "run.sh"):
        Path(name).write_text(name, encoding="utf-8")
    with open("model.bin", "wb") as model:
        model.truncate(2**26 + 1)
    Path("folder").mkdir()
    words = ["up.py", "--config=mine.toml", "folder", "model.bin", "", "absent", "x" * 5000]

    def digest(name: str) -> str:
        return hashlib.sha256(name.encode()).hexdigest()[:16]

    found = {"up.py": digest("up.py"), "mine.toml": digest("mine.toml")}
    found["model.bin"] = f"{2**26 + 1} bytes"
    assert named_files(["python3", *words]) == found
    assert named_files(["./run.sh", *words]) == {"./run.sh": digest("run.sh"), **found}


def test_an_edited_file_changes_the_signature_of_a_system_but_not_of_one_that_runs(
    tmp_path: Path,
) -> None:
    program = tmp_path / "up.py"
    program.write_text("1", encoding="utf-8")
    before = CommandSystem(f"python3 '{program}'", ("ja", "en"))
    signature = before.description.signature
    program.write_text("2", encoding="utf-8")
    after = CommandSystem(f"python3 '{program}'", ("ja", "en"))
    assert before.description.signature == signature != after.description.signature


def test_a_command_without_files_is_described_as_ever() -> None:
    described = CommandSystem("sed s/^/X/", ("ja", "en")).description
    assert described.signature == "command:sed s/^/X/|format=lines"
