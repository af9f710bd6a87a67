"""Any program as a system: it reads texts on standard input and writes answers.

| form | in, on each line | out |
|---|---|---|
| lines | a line of a text | a line for each line |
| jsonl | an object with id, source, context, glossary, messages | ``{"id", "hypothesis"}`` |

In place of a hypothesis there may be an ``error``; answers in JSON may come in any order.

Lines are noted as they come, so that a run that is killed goes on from there. But a lost line
shifts all that follow: so all of them fail unless the program ends well with the right number of
lines. Answers in JSON count one by one; a program that dies or hangs is started again for the rest,
and a text that it fails on twice is given up.
"""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from patmark.data import json_object
from patmark.errors import UsageError
from patmark.llm.chat import secret_fields
from patmark.systems.base import Answer, Description, Item, Settled, Traits
from patmark.systems.named_files import named_files
from patmark.systems.process import Program, Stuck

FORMS = ("lines", "jsonl")
_TRIES = 2
_BARREN_STARTS = 3
_GIVEN_UP = 3
_DISTRUST = (
    "one for each was expected, so that none can be trusted; mend the program, and begin anew with "
    "--fresh"
)
_PARTS = re.compile(r"[\s=:'\"]+")
_JSON_TAKES = frozenset({"prompt", "context", "glossary"})


@dataclass(frozen=True, slots=True)
class CommandSystem:
    """A program and its arguments, split as a POSIX shell does it; no shell runs.

    ``timeout`` are the seconds in which the program must take or give a line; ``processes`` run
    side by side, each with its share of the texts. ``files`` are those that the line names, as they
    were when the system was made.
    """

    line: str
    languages: tuple[str | None, str]
    form: str = "lines"
    timeout: float = 120.0
    processes: int = 1
    files: Mapping[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"--format must be one of {', '.join(FORMS)}, not {self.form!r}")
        if not self.timeout > 0:
            raise UsageError(f"the timeout must be more than 0 seconds: {self.timeout:g}")
        words = self.words
        named = [*pairwise(words), *(word.split(sign, 1) for word in words for sign in "=:"
                                     if sign in word)]  # fmt: skip
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
        """Programs that read JSON get all there is; line by line, only translating makes sense."""
        if self.form == "jsonl":
            return Traits(_JSON_TAKES)
        return Traits(only_translates=True)

    @property
    def description(self) -> Description:
        """The command line, how it is spoken to, and what is in the files that it names."""
        files = {"files": dict(self.files)} if self.files else {}
        return Description("command", self.line, parameters={"format": self.form, **files})

    async def answer_all(self, items: Sequence[Item], settled: Settled) -> None:
        """Feed all texts to the program."""
        answer = self._in_json if self.form == "jsonl" else self._in_lines
        count = min(self.processes, len(items))
        shares = (items[place::count] for place in range(count))
        await asyncio.gather(*(answer(share, settled) for share in shares))

    async def _in_lines(self, items: Sequence[Item], settled: Settled) -> None:
        """All lines in, all lines out; what came before the program went wrong is taken back."""
        try:
            async with Program(self.words, self.timeout) as program:
                await _line_by_line(program, items, settled)
        except Stuck as trouble:
            for item in items:
                settled(item, Answer(None, str(trouble)))

    async def _in_json(self, items: Sequence[Item], settled: Settled) -> None:
        """Answers as they come; the program is started again where it failed."""
        left = {item.id: item for item in items}
        failed: dict[str, int] = {}
        barren, most = 0, _BARREN_STARTS
        while left:
            before = len(left)
            trouble = await self._one_process(left, settled)
            if len(left) < before:
                # It works: only several texts in a row that it fails on are a reason to stop.
                barren, most = 0, _TRIES * _GIVEN_UP
            else:
                barren += 1
            if left and barren >= most:
                for item in left.values():
                    settled(item, Answer(None, f"{trouble} ({barren} starts without an answer)"))
                return
            if left:
                first = next(iter(left))
                failed[first] = failed.get(first, 0) + 1
                if failed[first] >= _TRIES:
                    settled(left.pop(first), Answer(None, f"{trouble} (tried {_TRIES} times)"))

    async def _one_process(self, left: dict[str, Item], settled: Settled) -> str:
        """Answer what one process can, and take it from what is left; then say how it ended."""
        try:
            async with Program(self.words, self.timeout) as program:
                program.feed([self._question(item) for item in left.values()])
                while left and (line := await program.next_line()) is not None:
                    identity, answer = _read_answer(line, left)
                    settled(left.pop(identity), answer)
                if not left:
                    return ""
                return await program.ending() or "the program ended without an answer for this text"
        except Stuck as trouble:
            return str(trouble)

    def _question(self, item: Item) -> str:
        source, target = self.languages
        fields: dict[str, Any] = {
            "id": item.id, "source": item.source, "source_language": source,
            "target_language": target, "context": item.context,
            "glossary": [{"source": one, "target": other} for one, other in item.glossary],
            "messages": [{"role": one.role, "content": one.content} for one in item.messages],
        }  # fmt: skip
        return json.dumps(fields, ensure_ascii=False)


async def _line_by_line(program: Program, items: Sequence[Item], settled: Settled) -> None:
    """Settle items as their lines come; Stuck if there are not as many lines as were sent."""
    texts = [item.source.split("\n") for item in items]
    asked = [line for lines in texts for line in lines if line.strip()]
    program.feed(asked)
    given = 0
    for item, lines in zip(items, texts, strict=True):
        answers = []
        for line in lines:
            answer = await program.next_line() if line.strip() else ""
            if answer is None:
                raise Stuck(await _too_few(program, given, len(asked)))
            given += bool(line.strip())
            answers.append(answer)
        settled(item, Answer("\n".join(answers)))
    if await program.next_line() is not None:
        raise Stuck(f"the program gave more than the {len(asked)} lines that it got; {_DISTRUST}")
    if (trouble := await program.ending()) is not None:
        raise Stuck(f"{trouble} (after {given} of {len(asked)} lines)")


async def _too_few(program: Program, given: int, asked: int) -> str:
    """Why lines are missing."""
    trouble = await program.ending()
    if trouble is not None:
        return f"{trouble} (after {given} of {asked} lines)"
    return f"the program gave {given} lines for {asked}; {_DISTRUST}"


def _read_answer(line: str, left: dict[str, Item]) -> tuple[str, Answer]:
    """The answer on a line; Stuck if it is none."""
    try:
        fields = json_object(line)
    except ValueError as error:
        raise Stuck(f"the program printed a line that {error}: {line[:80]!r}") from None
    identity = str(fields.get("id"))
    if identity not in left:
        raise Stuck(f"the program answered {identity!r}, which is not among the texts left")
    text, trouble = fields.get("hypothesis"), fields.get("error")
    if isinstance(text, str):
        return identity, Answer(text)
    if isinstance(trouble, str) and trouble.strip():
        return identity, Answer(None, f"the program says: {trouble.strip()}")
    raise Stuck(f"the answer for {identity!r} has neither a hypothesis nor an error")
