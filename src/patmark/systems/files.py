"""The files of one run, and the run as a whole: from a plan to results on disk."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patmark.data import write_atomically
from patmark.errors import UsageError
from patmark.llm import Prices
from patmark.systems.bench import Bench, write_failures, write_results
from patmark.systems.runner import Finished, Plan, Progress, run_plan


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The results, and what lies beside them.

    | file | holds |
    |---|---|
    | OUT | the results |
    | OUT.journal | every row as it came, with raw answers; a run goes on from here |
    | OUT.run.json | the description, the signature, counts and tokens |
    | OUT.failed.jsonl | rows without a result and why; absent if there are none |
    """

    out: str

    @property
    def journal(self) -> Path:
        """Where the run goes on from."""
        return Path(f"{self.out}.journal")

    @property
    def about(self) -> Path:
        """What the run was."""
        return Path(f"{self.out}.run.json")

    @property
    def failed(self) -> Path:
        """What has no result."""
        return Path(f"{self.out}.failed.jsonl")

    @property
    def written(self) -> list[str]:
        """All files that a run may write."""
        return [self.out, *map(str, (self.journal, self.about, self.failed))]

    def check(self, *, fresh: bool) -> None:
        """Refuse, before anything is asked, what could not be written in the end.

        A file that no run of ours has left is not replaced.
        """
        if self.out == "-":
            raise UsageError("--out must be a file: results are kept as they come")
        for path in filter(os.path.isdir, self.written):
            raise UsageError(f"{path} cannot be written: it is a folder")
        if os.path.exists(self.out) and not self.journal.exists() and not fresh:
            raise UsageError(
                f"{self.out} exists and is not the result of an earlier run; give another --out, "
                "or --fresh to replace it"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Ran:
    """A run that has ended: what it was, what came out, and what it cost."""

    plan: Plan
    bench: Bench
    name: str
    files: RunFiles
    finished: Finished
    prices: Prices | None = None

    @property
    def manifest(self) -> dict[str, Any]:
        """The first record of a run, which tells scoring and shared tasks what it is."""
        traits, task = self.plan.system.traits, self.plan.task
        letters = [
            *traits.resources,
            *(["E"] if task.terms else []),
            *(["C"] if task.context else []),
        ]
        return {
            "system": self.name, "kind": traits.run_type,
            "resources": sorted(set(letters)), "priority": 1,
        }  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """What is kept beside the results; the same however often the run was interrupted."""
        done = self.finished
        return {
            "system": self.name,
            "signature": self.plan.signature,
            "settings": self.plan.settings,
            "rows": len(done.rows),
            "answered": len(done.rows) - len(done.failures),
            "failed": len(done.failures),
            "excluded": self.bench.excluded,
            "cleaned": sum(bool(row.cleaned) for row in done.rows if row.failure is None),
            "usage": done.used.to_json(self.prices),
        }

    def write(self) -> None:
        """Write results, failures and the description, each whole or not at all."""
        write_failures(self.finished.failures, self.files.failed)
        write_results(self.bench, self.finished.rows, self.manifest, self.files.out)
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=2, default=_plain)
        write_atomically(self.files.about, text + "\n")


def run_to_files(
    plan: Plan, bench: Bench, name: str, out: str, *, fresh: bool = False,
    prices: Prices | None = None, progress: Progress | None = None,
) -> Ran:  # fmt: skip
    """Run a plan, or go on with it, and write all its files."""
    files = RunFiles(out)
    files.check(fresh=fresh)
    finished = run_plan(plan, files.journal, fresh=fresh, progress=progress)
    ran = Ran(plan, bench, name, files, finished, prices)
    ran.write()
    return ran


def _plain(value: Any) -> Any:
    """Read-only mappings, for JSON."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"no JSON form: {type(value).__name__}")
