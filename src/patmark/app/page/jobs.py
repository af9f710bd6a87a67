"""Jobs of the local page: their progress, result, and files."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from asyncio import StreamReader
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

from patmark.app.page.orders import REPORT, TABLES, Order
from patmark.errors import ExitCode
from patmark.wording import DEFAULT_LANGUAGE

_LARGEST_LINE = 1 << 24


@dataclass
class Job:
    """A job, from the order to its report."""

    id: str
    order: Order
    folder: Path
    ui: str = DEFAULT_LANGUAGE
    state: Literal["waiting", "running", "done", "failed", "stopped"] = "waiting"
    step: str = ""
    done: int = 0
    total: int = 0
    said: list[str] = field(default_factory=list)
    answer: str = ""
    process: Process | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields that the page shows."""
        written = [name for name in (REPORT, TABLES) if (self.folder / name).is_file()]
        return {
            "id": self.id,
            "state": self.state,
            "step": self.step,
            "done": self.done,
            "total": self.total,
            "said": self.said,
            "answer": self.answer,
            "command": shlex.join(["patmark", *self.order.line(), *self._shown]),
            "files": written if self.state == "done" else [],
        }

    @property
    def _was_stopped(self) -> bool:
        return self.state == "stopped"

    @property
    def _shown(self) -> list[str]:
        """Options to show with the command line."""
        ui = [] if self.ui == DEFAULT_LANGUAGE else ["--ui", self.ui]
        return [*ui, "--html", REPORT]

    def stop(self) -> None:
        """End the command, or never begin it."""
        if self.state in ("waiting", "running"):
            self.state = "stopped"
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.terminate()

    async def run(self, inputs: Path, turn: asyncio.Lock) -> None:
        """Run the command in the folder of its inputs, when its turn has come."""
        async with turn:
            if self._was_stopped:
                return
            self.state = "running"
            try:
                code, answer = await self._execute(inputs)
            except Exception as error:  # no space on the disk, an endless line, no process
                code, answer = ExitCode.FAILED, ""
                self.said.append(f"the command could not run: {error}")
        if not self._was_stopped:
            self.state, self.answer = ("done" if code == ExitCode.DONE else "failed"), answer
            if code not in (ExitCode.DONE, ExitCode.MISUSED) and not self.said:
                self.said = [f"the command ended with code {code}"]

    async def _execute(self, inputs: Path) -> tuple[int, str]:
        """Run the command to its end: its exit code and its answer."""
        self.folder.mkdir()
        self.process = process = await asyncio.create_subprocess_exec(
            *self._program(), cwd=inputs, stdin=asyncio.subprocess.DEVNULL,
            stdout=PIPE, stderr=PIPE, limit=_LARGEST_LINE,
        )  # fmt: skip
        if self._was_stopped:
            self.stop()
        answer, talk = cast("StreamReader", process.stdout), cast("StreamReader", process.stderr)
        try:
            written, _ = await asyncio.gather(answer.read(), self._read_talk(talk))
        except BaseException:
            process.kill()
            raise
        return await process.wait(), written.decode("utf-8", "replace")

    def _program(self) -> list[str]:
        # -P: user files are in the working folder, and must not be imported
        content = json.dumps(self.order.to_json())
        program = [sys.executable, "-P", "-m", "patmark.app.page.work"]
        return [*program, content, str(self.folder), self.ui]

    async def _read_talk(self, talk: StreamReader) -> None:
        """Move the progress bar; pass on all other output."""
        async for raw in talk:
            line = raw.decode("utf-8", "replace").rstrip("\n")
            if line.startswith("progress\t"):
                _, done, total, self.step = line.split("\t", 3)
                self.done, self.total = int(done), int(total)
            elif line:
                self.said.append(line)
