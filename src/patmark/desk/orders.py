"""What the page asks for, as a line of the command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from patmark.data import system_name
from patmark.desk.files import KINDS, Given, Kind
from patmark.errors import UsageError
from patmark.wording import tr

Task = Literal["score", "compare", "patsnap", "lint"]

_TEXTS: frozenset[Kind] = frozenset({"hypothesis", "reference", "source", "documents", "testset"})
_READ: dict[Task, frozenset[Kind]] = {
    "score": _TEXTS,
    "compare": _TEXTS,
    "patsnap": frozenset({"rows"}),
    "lint": frozenset({"claims", "description"}),
}
_AT_MOST_ONE: tuple[Kind, ...] = ("source", "documents", "testset", "description")
_OPTIONS: dict[Kind, str] = {
    "reference": "--ref",
    "source": "--src",
    "documents": "--docs",
    "testset": "--testset",
}


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done with which files, from and into which language."""

    task: Task
    files: Sequence[Given]
    source: str = ""
    target: str = ""
    office: str = "any"

    def line(self) -> list[str]:
        """The command and its arguments; what the command itself would not notice is refused."""
        self._check()
        if self.task == "lint":
            described = [("--description", name) for name in self._named("description")]
            return [
                "claims", "lint", *self._named("claims"), "--office", self.office,
                *(word for option in described for word in option),
            ]  # fmt: skip
        pair = "-".join(filter(None, (self.source, self.target)))
        languages = ["--lang", pair] if self.target else []
        if self.task == "patsnap":
            return ["score", *self._named("rows"), "--protocol", "patsnap", *languages]
        line: list[str] = [self.task]
        for name in self._named("hypothesis"):
            line += ["--hyp", f"{system_name(name)}={name}"]
        for kind, option in _OPTIONS.items():
            for name in self._named(kind):
                line += [option, name]
        return line + languages

    def _named(self, kind: Kind) -> list[str]:
        return [one.name for one in self.files if one.kind == kind]

    def _check(self) -> None:
        for one in self.files:
            if one.kind not in _READ[self.task]:
                raise UsageError(
                    tr(
                        "{name} is marked as: {kind}. This task does not read it; mark it as "
                        "something else, or remove it.",
                        name=one.name,
                        kind=KINDS[one.kind],
                    )
                )
        for kind in _AT_MOST_ONE:
            same = self._named(kind)
            if len(same) > 1:
                raise UsageError(
                    tr("Keep one of {names}: both are marked as: {kind}.",
                       names=tuple(same), kind=KINDS[kind])
                )  # fmt: skip
        if missing := self._missing():
            raise UsageError(missing)

    def _missing(self) -> str:
        """What the task needs and nobody has given yet, in the words of the page."""
        if self.task in ("patsnap", "lint"):
            kind: Kind = "rows" if self.task == "patsnap" else "claims"
            return "" if self._named(kind) else _no_file(kind)
        if self._named("testset"):
            return ""  # which may hold translations and references
        if not self._named("hypothesis"):
            return _no_file("hypothesis")
        if not (self._named("reference") or self._named("source")):
            return _no_file("reference")
        if self.task == "compare" and len(self._named("hypothesis")) < 2:
            return tr("A comparison needs translations by two systems; add another file.")
        return "" if self.target else tr("Choose the language under “Translated into”.")


def _no_file(kind: Kind) -> str:
    return tr("No file is marked as: {kind}. Add one, or mark one so.", kind=KINDS[kind])
