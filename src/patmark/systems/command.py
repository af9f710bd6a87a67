"""Any program as a system: it reads texts on standard input and writes answers.

| format | in, on each line | out |
|---|---|---|
| lines | a line of a text | a line for each line |
| jsonl | an object with id, source, context, glossary, messages | ``{"id", "hypothesis"}`` |

An answer may have an ``error`` instead of a hypothesis; answers in JSON may come in any order.

Lines are recorded as they come, so that a killed run can continue. But one lost line shifts all
that follow, so all lines fail unless the program ends with code 0 and the right number of lines.
Answers in JSON count one by one: a program that dies or hangs is started again for the rest, and a
text that it fails on twice is given up.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shlex
import signal
import subprocess
from asyncio.subprocess import PIPE, Process, SubprocessStreamProtocol
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any

from patmark.data import json_object
from patmark.errors import UsageError
from patmark.llm import LARGEST_ANSWER, largest_answer, secret_fields
from patmark.systems.kinds import (
    BuildContext,
    Description,
    OnAnswer,
    Options,
    SystemAnswer,
    SystemInput,
    SystemKind,
    Traits,
)
from patmark.wording import setting

FORMATS = ("lines", "jsonl")
_TRIES = 2
_USELESS_STARTS = 3
_GIVEN_UP = 3
_PARTS = re.compile(r"[\s=:'\"]+")
_JSON_TAKES = frozenset({"prompt", "context", "glossary"})
_STDERR_LINES = 10
_STDERR_CHARACTERS = 500
_POLL_SECONDS = 0.02
_EXIT_SECONDS = 1.0
_LARGEST = 64 * 2**20
_HASH_DIGITS = 16


@dataclass(frozen=True, slots=True)
class CommandSystem:
    """A program and its arguments, split as a POSIX shell does it; no shell runs.

    The program must take or give a line within ``timeout`` seconds. ``processes`` run side by side,
    each with its share of the texts. ``files`` has digests of the files that the line names.
    """

    line: str
    languages: tuple[str | None, str]
    format: str = "lines"
    timeout: float = 120.0
    processes: int = 1
    files: Mapping[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            known = ", ".join(FORMATS)
            raise UsageError(f"{setting('format')} must be one of {known}, not {self.format!r}")
        if not self.timeout > 0:
            raise UsageError(f"the timeout must be more than 0 seconds: {self.timeout:g}")
        words = self.words
        named = [
            *pairwise(words),
            *(word.split(sign, 1) for word in words for sign in "=:" if sign in word),
        ]
        options = [{name.lstrip("-"): value} for name, value in named]
        parts = [part for word in words for part in _PARTS.split(word)]
        if next(secret_fields([words, parts, options]), None) is not None:
            raise UsageError(
                "the command seems to hold a key, and commands are kept with the results; let the "
                "program read it from the environment"
            )
        object.__setattr__(self, "files", named_files(words))

    @property
    def words(self) -> list[str]:
        """The program and its arguments."""
        try:
            words = shlex.split(self.line)
        except ValueError as error:
            raise UsageError(f"command:{self.line}: not a command line: {error}") from None
        if not words:
            raise UsageError("command: names no program; write e.g. command:'python translate.py'")
        return words

    @property
    def traits(self) -> Traits:
        """The traits: programs that read JSON get all parts of an input; others only translate."""
        if self.format == "jsonl":
            return Traits(_JSON_TAKES)
        return Traits(only_translates=True)

    @property
    def description(self) -> Description:
        """The command line, its format, and digests of the files that it names."""
        files = {"files": dict(self.files)} if self.files else {}
        return Description("command", self.line, parameters={"format": self.format, **files})

    async def answer_all(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Feed all texts to the program."""
        answer = self._in_json if self.format == "jsonl" else self._in_lines
        count = min(self.processes, len(items))
        shares = (items[start::count] for start in range(count))
        await asyncio.gather(*(answer(share, on_answer) for share in shares))

    async def _in_lines(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Send and read lines; a failure of the program replaces all its answers."""
        try:
            async with Program(self.words, self.timeout, _largest(items)) as program:
                await _line_by_line(program, items, on_answer)
        except ProgramFailed as failure:
            for item in items:
                on_answer(item, SystemAnswer(None, str(failure)))

    async def _in_json(self, items: Sequence[SystemInput], on_answer: OnAnswer) -> None:
        """Receive answers one by one; restart the program when it fails."""
        left = {item.id: item for item in items}
        failed: dict[str, int] = {}
        useless, most = 0, _USELESS_STARTS
        while left:
            before = len(left)
            failure = await self._one_process(left, on_answer)
            if len(left) < before:
                # The program works: only several failures in a row are a reason to stop.
                useless, most = 0, _TRIES * _GIVEN_UP
            else:
                useless += 1
            if left and useless >= most:
                for item in left.values():
                    on_answer(
                        item, SystemAnswer(None, f"{failure} ({useless} starts without an answer)")
                    )
                return
            if left:
                first = next(iter(left))
                failed[first] = failed.get(first, 0) + 1
                if failed[first] >= _TRIES:
                    on_answer(
                        left.pop(first), SystemAnswer(None, f"{failure} (tried {_TRIES} times)")
                    )

    async def _one_process(self, left: dict[str, SystemInput], on_answer: OnAnswer) -> str:
        """Remove the inputs that one process answers from ``left``; return its ending."""
        try:
            async with Program(self.words, self.timeout, _largest(left.values())) as program:
                program.feed([self._question(item) for item in left.values()])
                while left and (line := await program.next_line()) is not None:
                    identity, answer = _read_answer(line, left)
                    on_answer(left.pop(identity), answer)
                if not left:
                    return ""
                return await program.ending() or "the program ended without an answer for this text"
        except ProgramFailed as failure:
            return str(failure)

    def _question(self, item: SystemInput) -> str:
        source, target = self.languages
        fields: dict[str, Any] = {
            "id": item.id,
            "source": item.source,
            "source_language": source,
            "target_language": target,
            "context": item.context,
            "glossary": [{"source": one, "target": other} for one, other in item.glossary],
            "messages": [{"role": one.role, "content": one.content} for one in item.messages],
        }
        return json.dumps(fields, ensure_ascii=False)


def _build(line: str, options: Options, context: BuildContext) -> CommandSystem:
    system = CommandSystem(
        line,
        (context.source_language, context.target_language),
        options.get("format", "lines"),
        options.get("timeout", 120.0),
        options.get("concurrency", 1),
    )
    if system.format == "lines" and "template" in options:
        raise UsageError(f"{setting('template')} has no effect with a command that reads lines")
    return system


COMMAND = SystemKind(
    "command",
    _build,
    argument="PROGRAM",
    options=("format", "timeout", "concurrency", "template"),
    title=lambda line: os.path.basename(line.split()[-1].strip("'\"")),
)


class ProgramFailed(Exception):
    """The failure of a program."""


class Program:
    """A running program, as a context manager that always ends it and its children.

    Output counts even if a child still holds the pipe. A line may have ``largest`` bytes.
    """

    def __init__(self, words: Sequence[str], timeout: float, largest: int = LARGEST_ANSWER) -> None:
        self._words = words
        self._timeout = timeout
        self._largest = largest
        self._active_at = 0.0
        self._stderr: deque[str] = deque(maxlen=_STDERR_LINES)

    async def __aenter__(self) -> Program:
        self._guard = _Guard()
        # A task of its own: a cancelled start would wait until no child holds the pipes any more.
        starting = asyncio.create_task(self._start())
        try:
            await asyncio.wait({starting})
            self._process = starting.result()
        except BaseException as error:
            self._guard.kill()
            starting.cancel()
            self._guard.dismiss()
            await asyncio.wait({starting}, timeout=_EXIT_SECONDS)
            raise _unstartable(self._words[0], error) from None
        self._tasks = [asyncio.create_task(self._read_stderr())]
        self._note_activity()
        return self

    async def _start(self) -> Process:
        environment = os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
        loop = asyncio.get_running_loop()
        self._transport, protocol = await loop.subprocess_exec(
            lambda: SubprocessStreamProtocol(self._largest, loop),
            *self._words,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=environment,
            **self._guard.membership,
        )
        return Process(self._transport, protocol, loop)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._guard.kill(self._process)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._code(_EXIT_SECONDS)
        # The pipes are closed at once: a child that escaped may never read the rest of the input.
        pipe = self._process.stdin
        if pipe is not None and pipe.transport.get_write_buffer_size():
            pipe.transport.abort()
        self._transport.close()
        self._guard.dismiss()

    def feed(self, lines: Iterable[str]) -> None:
        """Start to send lines; the input of the program is closed after the last one."""
        self._tasks.append(asyncio.create_task(self._send(lines)))

    async def next_line(self) -> str | None:
        """Return the next line, None at the end; raise ProgramFailed after inactivity."""
        output = self._process.stdout
        if output is None:
            return None
        reading = asyncio.create_task(output.readline())
        try:
            line = await self._read(reading)
        except ValueError:
            most = self._largest / 1e6
            raise ProgramFailed(f"the program printed a line of more than {most:.1f} MB") from None
        finally:
            if not reading.done():
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
        self._note_activity()
        try:
            return line.decode("utf-8").removesuffix("\n").removesuffix("\r") if line else None
        except UnicodeDecodeError:
            raise ProgramFailed("the program printed a line that is not UTF-8") from None

    async def _read(self, reading: asyncio.Task[bytes]) -> bytes:
        """Return the line, or b"" if nothing comes any more after the program has ended."""
        while not reading.done():
            left = self._active_at + self._timeout - _now()
            if left <= 0:
                waited = f"the program gave no line within {self._timeout:g} seconds"
                raise ProgramFailed(f"{waited}{self._stderr_text()}")
            if self._process.returncode is None:
                await asyncio.wait({reading}, timeout=min(left, _POLL_SECONDS))
            else:
                await self._read_the_rest(reading)
                break
        return reading.result() if reading.done() else b""

    async def _read_the_rest(self, reading: asyncio.Task[bytes]) -> None:
        """Wait a moment for the rest of the pipe, and end the children that may hold it."""
        await asyncio.wait({reading}, timeout=_EXIT_SECONDS)
        if not reading.done():
            self._guard.kill(self._process)
            await asyncio.wait({reading}, timeout=_EXIT_SECONDS)

    async def ending(self) -> str | None:
        """Return how the program failed, None if it did not; end its child processes."""
        code = await self._code(self._timeout)
        if code is None:
            return f"the program did not end within {self._timeout:g} seconds"
        self._guard.kill(self._process)
        await asyncio.wait({self._tasks[0]}, timeout=_EXIT_SECONDS)
        if code == 0:
            return None
        how = f"ended with code {code}" if code > 0 else f"was ended by signal {-code}"
        return f"the program {how}{self._stderr_text()}"

    async def _code(self, seconds: float) -> int | None:
        """Return the exit code, None if the program is still running after some seconds.

        ``Process.wait`` would also wait for child processes that hold its pipes.
        """
        end = _now() + seconds
        while self._process.returncode is None and _now() < end:
            await asyncio.sleep(_POLL_SECONDS)
        return self._process.returncode

    def _note_activity(self) -> None:
        self._active_at = _now()

    def _stderr_text(self) -> str:
        text = " / ".join(self._stderr)
        return f": {text}" if text else " and said nothing on standard error"

    async def _send(self, lines: Iterable[str]) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        with suppress(BrokenPipeError, ConnectionResetError):
            for line in lines:
                pipe.write(f"{line}\n".encode())
                await pipe.drain()
                self._note_activity()
            pipe.close()
            await pipe.wait_closed()

    async def _read_stderr(self) -> None:
        """Read standard error continuously, so that the program never blocks on it."""
        errors = self._process.stderr
        while errors and (piece := await errors.read(1 << 16)):
            lines = piece.decode("utf-8", errors="replace").splitlines()
            self._stderr.extend(_beginning(line.strip()) for line in lines if line.strip())


def named_files(words: Sequence[str]) -> dict[str, str]:
    """Return digests of the files that a command line names, since they may change answers.

    A name may follow an equals sign, as in ``--config=mine.toml``. A program that is found on the
    PATH is not among them.
    """
    program, *arguments = words
    names = [program] if os.path.dirname(program) else []
    for argument in arguments:
        names += [argument, argument.partition("=")[2]]
    return {name: _digest(Path(name)) for name in names if _is_file(name)}


def _is_file(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_file()
    except OSError:  # too long for a name, or in a folder that is closed to us
        return False


def _digest(path: Path) -> str:
    """Return a hash of the content; only the size of large files such as models."""
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            return f"{size} bytes"
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()[:_HASH_DIGITS]
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"


async def _line_by_line(
    program: Program, items: Sequence[SystemInput], on_answer: OnAnswer
) -> None:
    """Answer inputs as their lines come; raise ProgramFailed for a wrong number of lines."""
    texts = [item.source.split("\n") for item in items]
    asked = [line for lines in texts for line in lines if line.strip()]
    program.feed(asked)
    given = 0
    for item, lines in zip(items, texts, strict=True):
        answers = []
        for line in lines:
            answer = await program.next_line() if line.strip() else ""
            if answer is None:
                failure = await program.ending()
                if failure is not None:
                    raise ProgramFailed(f"{failure} (after {given} of {len(asked)} lines)")
                raise ProgramFailed(
                    f"the program gave {given} lines for {len(asked)}; {_wrong_count()}"
                )
            given += bool(line.strip())
            answers.append(answer)
        on_answer(item, SystemAnswer("\n".join(answers)))
    if await program.next_line() is not None:
        raise ProgramFailed(
            f"the program gave more than the {len(asked)} lines that it got; {_wrong_count()}"
        )
    if (failure := await program.ending()) is not None:
        raise ProgramFailed(f"{failure} (after {given} of {len(asked)} lines)")


def _wrong_count() -> str:
    return (
        "one for each was expected, so that none can be trusted; mend the program, and begin anew "
        f"with {setting('fresh')}"
    )


def _read_answer(line: str, left: dict[str, SystemInput]) -> tuple[str, SystemAnswer]:
    """Return the id and the answer on a line; raise ProgramFailed if it has none."""
    try:
        fields = json_object(line)
    except ValueError as error:
        raise ProgramFailed(f"the program printed a line that {error}: {line[:80]!r}") from None
    identity = str(fields.get("id"))
    if identity not in left:
        raise ProgramFailed(f"the program answered {identity!r}, which is not among the texts left")
    text, failure = fields.get("hypothesis"), fields.get("error")
    if isinstance(text, str):
        return identity, SystemAnswer(text)
    if isinstance(failure, str) and failure.strip():
        return identity, SystemAnswer(None, f"the program says: {_beginning(failure.strip())}")
    raise ProgramFailed(f"the answer for {identity!r} has neither a hypothesis nor an error")


def _largest(items: Iterable[SystemInput]) -> int:
    return largest_answer(max((len(item.source) for item in items), default=0))


def _beginning(line: str) -> str:
    return line if len(line) <= _STDERR_CHARACTERS else line[:_STDERR_CHARACTERS] + "…"


class _Guard:
    """The leader of the process group of a program, which kills the group when patmark dies.

    It waits for the end of a pipe that only patmark holds open: the operating system closes the
    pipe, whatever ended patmark. It starts before the program, so that no moment is unguarded.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        if hasattr(os, "killpg"):
            with suppress(OSError):  # a system without a shell has no guard
                self._process = subprocess.Popen(
                    ["/bin/sh", "-c", "read -r _; kill -s KILL 0"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    process_group=0,
                )

    @property
    def membership(self) -> dict[str, Any]:
        """The arguments that start a process in the group."""
        if self._process is None:
            return {"start_new_session": True}
        return {"process_group": self._process.pid}

    def kill(self, process: Process | None = None) -> None:
        """Kill a program, its children and the guard."""
        with suppress(ProcessLookupError, PermissionError):
            if self._process is not None:
                os.killpg(self._process.pid, signal.SIGKILL)
            elif process is None:  # it was interrupted while it started, and asyncio has killed it
                return
            elif hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()

    def dismiss(self) -> None:
        """Kill the guard alone, if it still runs."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()


def _unstartable(program: str, error: BaseException) -> BaseException:
    if isinstance(error, FileNotFoundError):
        return UsageError(f"there is no program {program!r}")
    if isinstance(error, PermissionError):
        return UsageError(f"{program!r} may not be executed")
    if isinstance(error, OSError):
        return UsageError(f"{program!r} cannot be run: {error.strerror}")
    return error


def _now() -> float:
    return asyncio.get_running_loop().time()
