"""Run patmark within the process of the tests, which is much faster than a process each."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from patmark.app.cli import main
from patmark.app.cli.app import run
from patmark.examples import example_path
from patmark.wording import as_option, settings_worded

JA_EN = example_path("ja_en")
PATSNAP = example_path("patsnap_cn2en")
SYSTEMS = [part for name in ("atlas", "borealis", "cobalt")
           for part in ("--hyp", str(JA_EN / f"{name}.en"))]  # fmt: skip
DATA = ["--ref", str(JA_EN / "reference.en"), "--docs", str(JA_EN / "documents.txt"),
        "--lang", "ja-en", "--measures", "BLEU,TER", "--resamples", "100"]  # fmt: skip
FEW_TRIALS = ["--trials", "200"]


@dataclass(frozen=True, slots=True)
class Done:
    """What a process would have left behind."""

    returncode: int
    stdout: str
    stderr: str


def patmark(folder: Path, *arguments: str | Path, text: str = "") -> Done:
    """Run the whole program in a folder, from its arguments and standard input to its exit."""
    with patch("sys.argv", ["patmark", *map(str, arguments)]):
        return _done(main, folder, text)


program = patmark


def invoke(*arguments: str | Path, folder: Path = Path()) -> Done:
    """Run a command in a folder; its errors come through as they were raised."""
    with settings_worded(as_option):
        return _done(lambda: run([*map(str, arguments)]), folder)


def _done(program: Callable[[], None], folder: Path, text: str = "") -> Done:
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    given = io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8")
    with (
        chdir(folder),
        patch("sys.stdin", given),
        redirect_stdout(streams[0]),
        redirect_stderr(streams[1]),
    ):
        code = _exit_code(program)
    out, err = (_written(stream) for stream in streams)
    return Done(code, out, err)


def _exit_code(program: Callable[[], None]) -> int:
    try:
        program()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def patmark_json(folder: Path, *arguments: str | Path) -> Any:
    """What a command prints with --json."""
    done = patmark(folder, *arguments, "--json")
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)
