"""Any program as a measure: it reads segments as JSON Lines and prints one number per line."""

from __future__ import annotations

import math
import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from patmark.data import FloatArray, TestSet, json_text
from patmark.errors import InputError, Problem, UsageError
from patmark.measures.base import MeanMeasure, Measure

_STDERR_LINES = 10
_START = re.compile(r"(?P<label>command(?:-lower)?)\s*:(?P<line>.*)", re.IGNORECASE | re.DOTALL)
_IN_LIST = re.compile(rf"(?:^|,)\s*(?P<name>{_START.pattern})", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Command(MeanMeasure):
    """The mean of the numbers that a program prints; higher is better.

    The program gets one JSON object per segment on standard input, in UTF-8 and in order: ``{"id",
    "source", "references", "hypothesis"}``, where ``source`` may be null and ``references`` empty.
    It prints one finite number per line and ends with code 0. The command line is split as in a
    POSIX shell, but no shell runs: no variables, no pipes.
    """

    label = "command"
    description = "mean of the numbers that a program prints, one per segment"
    citation = "the program itself"
    needs = frozenset()
    bounds = (-math.inf, math.inf)

    line: Annotated[str, "the program and its arguments"]
    title: Annotated[str, "a name to show instead; scores of NAME=command:… have it"] = field(
        default="", metadata={"signed": False}
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "line", self.line.strip())
        try:
            words = shlex.split(self.line)
        except ValueError as error:
            raise UsageError(f"{self.name}: not a command line: {error}") from None
        if not words:
            raise UsageError(
                f"{self.name} names no program; write e.g. {self.label}:python my_metric.py"
            )

    @property
    def name(self) -> str:
        """Its title, else the label, a colon and the given command line."""
        return self.title or f"{self.label}:{self.line}"

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        counts = sorted({len(references) for references in test_set.reference_lists})
        return {"refs": "-".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))}

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        printed = self._run(_json_lines(test_set, hypotheses))
        return self._numbers(printed, [segment.id for segment in test_set])

    def _run(self, given: bytes) -> bytes:
        words = shlex.split(self.line)
        try:
            done = subprocess.run(words, input=given, capture_output=True, check=False)
        except FileNotFoundError:
            raise UsageError(f"{self.name}: there is no program {words[0]!r}") from None
        except PermissionError:
            raise UsageError(f"{self.name}: {words[0]!r} may not be executed") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"{self.name}: cannot be run: {reason}") from None
        if done.returncode:
            raise UsageError(f"{self.name}: {_ending(done.returncode)}{_tail(done.stderr)}")
        return done.stdout

    def _numbers(self, printed: bytes, ids: Sequence[str]) -> FloatArray:
        """Return one number per segment; report every invalid line."""
        lines = printed.decode("utf-8", errors="replace").split("\n")
        if not lines[-1]:
            del lines[-1]
        if len(lines) != len(ids):
            raise InputError.at(
                f"expected one number per line for {len(ids)} segments, found {len(lines)} lines",
                self.name,
            )
        values = [_number(line) for line in lines]
        wrong = [
            Problem(
                f"expected a number for segment {ids[at]!r}, found {lines[at].strip()!r}",
                self.name,
                at + 1,
            )
            for at, value in enumerate(values)
            if value is None
        ]
        if wrong:
            raise InputError(wrong)
        return np.array(values, dtype=np.float64)


@dataclass(frozen=True)
class LowerCommand(Command):
    """The mean of the numbers that a program prints; lower is better."""

    label = "command-lower"
    description = "as command, for numbers of which less is better"
    higher_is_better = False


def parse_command(name: str) -> Measure | None:
    """Return the measure of ``command:…`` or ``command-lower:…``; None for any other name."""
    kinds = {kind.label: kind for kind in (Command, LowerCommand)}
    if name.strip().lower() in kinds:
        return kinds[name.strip().lower()]("")
    match = _START.fullmatch(name.strip())
    return kinds[match["label"].lower()](match["line"]) if match else None


def split_off_command(text: str) -> tuple[str, list[str]]:
    """Return a list of names without the command at its end, and that command.

    Everything after ``command:`` belongs to it, including commas, so it must come last.
    """
    match = _IN_LIST.search(text)
    return (text[: match.start()], [match["name"].strip()]) if match else (text, [])


def _json_lines(test_set: TestSet, hypotheses: Sequence[str]) -> bytes:
    rows = (
        {
            "id": segment.id,
            "source": segment.source,
            "references": segment.references,
            "hypothesis": hypothesis,
        }
        for segment, hypothesis in zip(test_set, hypotheses, strict=True)
    )
    return "".join(json_text(row) + "\n" for row in rows).encode("utf-8")


def _number(text: str) -> float | None:
    """Return a finite decimal number; None otherwise."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _ending(code: int) -> str:
    if code < 0 and os.name == "posix":
        return f"the program was ended by signal {-code}"
    return f"the program ended with code {code}"


def _tail(stderr: bytes) -> str:
    """Return the last lines that a program wrote to standard error, for a message."""
    lines = stderr.decode("utf-8", errors="replace").rstrip().splitlines()[-_STDERR_LINES:]
    return ":\n" + "\n".join(lines) if lines else " and said nothing on standard error"
