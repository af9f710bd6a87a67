"""The inputs of a request: files as named, or texts in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from patmark.data import (
    FilePath,
    Run,
    TestSet,
    has_ids,
    read_line_test_set,
    read_run,
    read_test_set,
    split_name,
    table_test_set,
)
from patmark.errors import UsageError
from patmark.languages import language_pair
from patmark.wording import DEFAULT_LANGUAGE, setting


class NamedRun(NamedTuple):
    """A file of translations and the name of its system."""

    system: str
    path: FilePath


Hypothesis: TypeAlias = str | NamedRun | Run
"""Translations of a system: FILE, NAME=FILE, or a run."""


_GIVEN = ["results", "hyp", "ref", "src", "docs", "lang", "allow_empty_refs", "documents"]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The texts to evaluate.

    ``results`` are files in the format of a protocol, or files with inferred roles. ``testset`` is
    a file, a test set or a table. With ``documents``, files and folders hold whole documents.
    """

    results: Sequence[str] = ()
    hyp: Sequence[Hypothesis] = ()
    ref: Sequence[str] = ()
    src: str | None = None
    docs: str | None = None
    testset: Any = None
    lang: str | None = None
    allow_empty_refs: bool = False
    documents: bool = False

    @property
    def given(self) -> list[str]:
        """Names of the given inputs."""
        return [name for name in _GIVEN if getattr(self, name)] + ["testset"] * (
            self.testset is not None
        )

    def refuse(self, where: str, *names: str) -> None:
        """Refuse inputs that have no effect."""
        given = [name for name in names if name in self.given]
        if given:
            raise UsageError(f"{', '.join(map(setting, given))} has no effect {where}")

    def read_test_set(self) -> tuple[TestSet, list[Run]]:
        """Read line-aligned files, or a test set and the runs in it."""
        if self.testset is None and not self.ref and self.src is None:
            raise UsageError(
                f"give references with {setting('ref')}, a source with {setting('src')}, "
                f"or a {setting('testset')}"
            )
        if isinstance(self.testset, TestSet):
            if self.lang is not None:
                raise UsageError(
                    f"a TestSet knows its languages; {setting('lang')} is for tables and files"
                )
            return self.testset, []
        if not self.lang:
            raise UsageError(
                f"say which language the translations are in: {setting('lang', 'ja-en')}, "
                f"or {setting('lang', DEFAULT_LANGUAGE)}"
            )
        source, target = language_pair(self.lang)
        empty = self.allow_empty_refs
        if self.testset is not None:
            self.refuse(f"with {setting('testset')}", "ref", "src", "docs")
            read = read_test_set if isinstance(self.testset, FilePath) else table_test_set
            return read(self.testset, target, source, allow_empty_references=empty)
        test_set = read_line_test_set(
            self.ref,
            source=self.src,
            documents=self.docs,
            target_language=target,
            source_language=source,
            allow_empty_references=empty,
        )
        return test_set, []

    def files_of(self, test_set: TestSet, runs: Sequence[Run]) -> dict[str, str]:
        """Return the file of the sources, the references and the translations of each system."""
        files = [test_set.name] * (len(runs) - len(self.hyp))
        files += [str(_file(one)) for one in self.hyp]
        sides = [f"translations of {run.system}" for run in runs]
        named = {"sources": self.src or test_set.name, "references": test_set.name}
        return named | dict(zip(sides, files, strict=True))

    @property
    def have_ids(self) -> bool:
        """True if a run comes from a file with ids, which may lack some."""
        return any(not isinstance(one, Run) and has_ids(_file(one)) for one in self.hyp)

    def read_runs(self, test_set: TestSet, *, allow_partial: bool) -> list[Run]:
        """Read the translations; a system name may precede a file."""
        runs = []
        for one in self.hyp:
            if isinstance(one, Run):
                runs.append(one)
                continue
            path, name = _file(one), None
            if isinstance(one, NamedRun):
                name = one.system
            elif one != path:
                name = split_name(one)[0]
            runs.append(read_run(path, test_set, name, allow_partial=allow_partial))
        return runs


def _file(one: Hypothesis) -> FilePath:
    """Return the file of translations; a run in memory is called by its system."""
    if isinstance(one, Run):
        return one.system
    return one.path if isinstance(one, NamedRun) else split_name(one)[1]
