"""A program that is fed lines and gives lines, for as long as it moves."""

from __future__ import annotations

import asyncio
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import TracebackType

from patmark.errors import UsageError

_LONGEST_LINE = 1 << 26
_KEPT_STDERR = 10
_KEPT_SIGNS = 500
_GLANCE = 0.01
_GOODBYE = 1.0


class Stuck(Exception):
    """A program that gave nothing usable; the text says what happened."""


class Program:
    """A running program. Use it as a context: it is gone afterwards, whatever happened."""

    def __init__(self, words: Sequence[str], timeout: float) -> None:
        self._words = words
        self._timeout = timeout
        self._moved = 0.0
        self._said: deque[str] = deque(maxlen=_KEPT_STDERR)

    async def __aenter__(self) -> Program:
        environment = os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
        try:
            self._process: Process = await asyncio.create_subprocess_exec(
                *self._words, stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=_LONGEST_LINE,
                env=environment, start_new_session=True,
            )  # fmt: skip
        except FileNotFoundError:
            raise UsageError(f"there is no program {self._words[0]!r}") from None
        except PermissionError:
            raise UsageError(f"{self._words[0]!r} may not be executed") from None
        except OSError as error:
            raise UsageError(f"{self._words[0]!r} cannot be run: {error.strerror}") from None
        self._tasks = [asyncio.create_task(self._listen())]
        self._move()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        _kill_group(self._process)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), _GOODBYE)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def feed(self, lines: Iterable[str]) -> None:
        """Begin to send lines; after the last one the input of the program ends."""
        self._tasks.append(asyncio.create_task(self._send(lines)))

    async def next_line(self) -> str | None:
        """The next line, None at the end; Stuck if nothing moves for too long."""
        output = self._process.stdout
        reading = asyncio.ensure_future(output.readline()) if output else None
        if reading is None:
            return None
        while not reading.done():
            left = self._moved + self._timeout - _now()
            if left <= 0:
                reading.cancel()
                raise Stuck(
                    f"the program gave no line within {self._timeout:g} seconds{self._told()}"
                )
            await asyncio.wait({reading}, timeout=left)
        try:
            line = reading.result()
        except ValueError:
            raise Stuck("the program printed a line of more than 64 MB") from None
        self._move()
        try:
            return line.decode("utf-8").removesuffix("\n").removesuffix("\r") if line else None
        except UnicodeDecodeError:
            raise Stuck("the program printed a line that is not UTF-8") from None

    async def ending(self) -> str | None:
        """How the program ended, None if well; programs that it has started end with it."""
        code = await self._code()
        if code is None:
            return f"the program did not end within {self._timeout:g} seconds"
        _kill_group(self._process)
        await asyncio.wait({self._tasks[0]}, timeout=_GOODBYE)
        if code == 0:
            return None
        how = f"ended with code {code}" if code > 0 else f"was ended by signal {-code}"
        return f"the program {how}{self._told()}"

    async def _code(self) -> int | None:
        """The code that the program ends with, None if it goes on.

        ``Process.wait`` would wait for all who hold its pipes, such as programs it has started.
        """
        end = _now() + self._timeout
        while self._process.returncode is None and _now() < end:
            await asyncio.sleep(_GLANCE)
        return self._process.returncode

    def _move(self) -> None:
        self._moved = _now()

    def _told(self) -> str:
        """The last words on standard error."""
        told = " / ".join(self._said)
        return f": {told}" if told else " and said nothing on standard error"

    async def _send(self, lines: Iterable[str]) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            for line in lines:
                pipe.write(f"{line}\n".encode())
                await pipe.drain()
                self._move()
            pipe.close()
            await pipe.wait_closed()

    async def _listen(self) -> None:
        """Take what comes on standard error, so that the program never waits for a reader."""
        errors = self._process.stderr
        while errors and (piece := await errors.read(1 << 16)):
            lines = piece.decode("utf-8", errors="replace").splitlines()
            self._said.extend(_beginning(line.strip()) for line in lines if line.strip())


def _beginning(line: str) -> str:
    """A line as a reason has it, which is noted with every text that fails."""
    return line if len(line) <= _KEPT_SIGNS else line[:_KEPT_SIGNS] + "…"


def _kill_group(process: Process) -> None:
    """End a program and all that it has started."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _now() -> float:
    return asyncio.get_running_loop().time()
