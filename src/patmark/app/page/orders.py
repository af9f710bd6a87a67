"""Orders of the page: the request of each, and the same as a command line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from patmark.app.page.files import KINDS, Given, Kind
from patmark.data import system_name
from patmark.errors import UsageError
from patmark.evaluation import PLAIN, NamedRun
from patmark.wording import tr

Task = Literal["score", "compare", "check", "patsnap", "lint"]

_TEXTS: frozenset[Kind] = frozenset({"hypothesis", "reference", "source", "documents", "testset"})
_READ: dict[Task, frozenset[Kind]] = {
    "score": _TEXTS,
    "compare": _TEXTS,
    "check": frozenset({"source", "hypothesis"}),
    "patsnap": frozenset({"rows"}),
    "lint": frozenset({"claims", "description"}),
}
_AT_MOST_ONE: tuple[Kind, ...] = ("source", "documents", "testset", "description")
_INPUTS: dict[Kind, str] = {
    "reference": "ref",
    "source": "src",
    "documents": "docs",
    "testset": "testset",
}
_KINDS_OF_SETTINGS: dict[str, Kind] = {
    "hyp": "hypothesis",
    **{name: kind for kind, name in _INPUTS.items()},
}
REPORT, TABLES = "report.html", "tables.csv"
"""Files that a job may write."""


def page_setting(name: str, value: str = "") -> str:
    """Word a setting for readers of the page, or as a command-line option if the page lacks it."""
    if name == "lang":
        return tr("the languages of this page")
    if name in _KINDS_OF_SETTINGS:
        return tr("a file marked as: {kind}", kind=KINDS[_KINDS_OF_SETTINGS[name]])
    words = f"{name.replace('_', '-')} {value}".strip()
    return tr("the setting “{words}” of the command line", words=words)


@dataclass(frozen=True, slots=True)
class Order:
    """A job, its files, and their source and target language."""

    task: Task
    files: Sequence[Given]
    source: str = ""
    target: str = ""
    office: str = "any"

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Order:
        """Read an order that :meth:`to_json` wrote."""
        files = [Given("", Path(name), kind, "", "") for name, kind in content.pop("files")]
        return cls(files=files, **content)

    def to_json(self) -> dict[str, Any]:
        """Return the order for the worker process, in the folder of its files."""
        files = [(one.name, one.kind) for one in self.files]
        others = {name: getattr(self, name) for name in ("task", "source", "target", "office")}
        return {"files": files, **others}

    @property
    def protocol(self) -> str:
        """Protocol of the files."""
        return "patsnap" if self.task == "patsnap" else PLAIN

    @property
    def lang(self) -> str | None:
        """Languages as a request has them; None without a target, or a source to check."""
        if self.task == "check" and not self.source:
            return None
        pair = "-".join(filter(None, (self.source, self.target)))
        return pair if self.target else None

    def inputs(self) -> dict[str, Any]:
        """Return the inputs of the request by field."""
        if self.task == "patsnap":
            return {"results": tuple(self.named("rows")), "lang": self.lang}
        alone: dict[str, Any] = {
            name: next(iter(self.named(kind)), None)
            for kind, name in _INPUTS.items()
            if kind != "reference"
        }
        hyp = tuple(NamedRun(system_name(name), name) for name in self.named("hypothesis"))
        return {"hyp": hyp, "ref": tuple(self.named("reference")), "lang": self.lang, **alone}

    def line(self) -> list[str]:
        """Return the command with its arguments; refuse errors that it would not detect itself."""
        self._check()
        if self.task == "lint":
            described = [("--description", name) for name in self.named("description")]
            return [
                "claims", "lint", *self.named("claims"), "--office", self.office,
                *(word for option in described for word in option),
            ]  # fmt: skip
        languages = ["--lang", self.lang] if self.lang else []
        if self.task == "check":
            return ["check", *self.named("source"), *self.named("hypothesis"), *languages]
        if self.task == "patsnap":
            return ["score", *self.named("rows"), "--protocol", self.protocol, *languages]
        line: list[str] = [self.task]
        for name in self.named("hypothesis"):
            line += ["--hyp", f"{system_name(name)}={name}"]
        for kind, field in _INPUTS.items():
            for name in self.named(kind):
                line += [f"--{field}", name]
        return line + languages

    def named(self, kind: Kind) -> list[str]:
        """Return the names of the files of a kind."""
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
        single: tuple[Kind, ...] = ("hypothesis",) if self.task == "check" else ()
        for kind in (*_AT_MOST_ONE, *single):
            same = self.named(kind)
            if len(same) > 1:
                raise UsageError(
                    tr("Keep one of {names}: both are marked as: {kind}.",
                       names=tuple(same), kind=KINDS[kind])
                )  # fmt: skip
        if missing := self._missing():
            raise UsageError(missing)

    def _missing(self) -> str:
        """Return the missing inputs of the job, in the words of the page."""
        if self.task in ("patsnap", "lint"):
            kind: Kind = "rows" if self.task == "patsnap" else "claims"
            return "" if self.named(kind) else _no_file(kind)
        if self.task == "check":
            needed: tuple[Kind, ...] = ("source", "hypothesis")
            return next((_no_file(kind) for kind in needed if not self.named(kind)), "")
        if self.named("testset"):
            return ""  # which may hold translations and references
        if not self.named("hypothesis"):
            return _no_file("hypothesis")
        if not (self.named("reference") or self.named("source")):
            return _no_file("reference")
        if self.task == "compare" and len(self.named("hypothesis")) < 2:
            return tr("A comparison needs translations by two systems; add another file.")
        return "" if self.target else tr("Choose the language under “Translated into”.")


def _no_file(kind: Kind) -> str:
    return tr("No file is marked as: {kind}. Add one, or mark one so.", kind=KINDS[kind])
