"""The results of a run, and the files they are written to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from patmark.data import write_atomically, write_json_lines
from patmark.errors import UsageError
from patmark.llm import Prices
from patmark.systems.dataset import RunDataset
from patmark.systems.journal import RunRow
from patmark.systems.run import Progress, RunPlan, RunRows, run_plan
from patmark.wording import setting, tr, tr_n


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The paths of the results and of the files beside them.

    | file | holds |
    |---|---|
    | OUT | the results; of a folder of whole documents, a folder |
    | OUT.journal | every row as it came, with raw answers; a run is continued from here |
    | OUT.run.json | the description, the signature, counts and tokens |
    | OUT.failed.jsonl | rows without a result and why; absent if there are none |
    """

    out: str
    in_folder: bool = False

    @property
    def journal(self) -> Path:
        """The rows so far."""
        return Path(f"{Path(self.out)}.journal")

    @property
    def about(self) -> Path:
        """The description of the run."""
        return Path(f"{Path(self.out)}.run.json")

    @property
    def failed(self) -> Path:
        """The rows without a result."""
        return Path(f"{Path(self.out)}.failed.jsonl")

    @property
    def written(self) -> list[str]:
        """All files that a run may write."""
        return [self.out, *map(str, (self.journal, self.about, self.failed))]

    def check(self, *, fresh: bool) -> None:
        """Refuse, before anything is asked, files that cannot be written in the end.

        A file that is not the result of a run is not replaced.
        """
        if self.out == "-":
            raise UsageError(f"{setting('out')} must be a file: results are kept as they come")
        files = self.written[1:] if self.in_folder else self.written
        for path in filter(os.path.isdir, files):
            raise UsageError(f"{path} cannot be written: it is a folder")
        if self.in_folder and os.path.isfile(self.out):
            raise UsageError(f"{self.out} is a file; translated documents need a folder")
        if os.path.exists(self.out) and not self.journal.exists() and not fresh:
            raise UsageError(
                f"{self.out} exists and is not the result of an earlier run; give another "
                f"{setting('out')}, or {setting('fresh')} to replace it"
            )


@dataclass(frozen=True, slots=True, eq=False)
class RunResult:
    """A finished run: its plan, its rows and its cost."""

    plan: RunPlan
    bench: RunDataset
    name: str
    files: RunFiles
    finished: RunRows
    prices: Prices | None = None

    @property
    def manifest(self) -> dict[str, Any]:
        """The first record of a run, which identifies it for scoring and shared tasks."""
        traits, task = self.plan.system.traits, self.plan.task
        letters = [
            *traits.resources,
            *(["E"] if task.terms else []),
            *(["C"] if task.context else []),
        ]
        return {
            "system": self.name,
            "kind": traits.run_type,
            "resources": sorted(set(letters)),
            "priority": 1,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the description of the run, which does not depend on interruptions."""
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
            "chatter": dict(done.chatter),
            "usage": done.used.to_json(self.prices),
            "kept_answers": done.cache_hits.to_json(),
        }

    def outcome(self) -> dict[str, Any]:
        """Return the description, and the counts of this time."""
        done = self.finished
        return {
            **self.to_json(),
            "out": self.files.out,
            "taken_over": done.taken_over,
            "kept": done.from_cache,
            "requests": done.tries,
            "spent": done.spent.to_json(self.prices),
            "failures": [{"id": row.id, "reason": row.failure} for row in done.failures],
        }

    def lines(self) -> list[str]:
        """Return the outcome in words."""
        done, counts = self.finished, self.to_json()
        parts: list[str] = [
            tr("{n} of {total} rows answered", n=counts["answered"], total=counts["rows"])
        ]
        if done.taken_over:
            parts.append(tr("{n} of them earlier", n=done.taken_over))
        if counts["cleaned"]:
            parts.append(tr("preambles or blanks removed from {n}", n=counts["cleaned"]))
        if counts["excluded"]:
            parts.append(
                tr_n("{n} row has no source", "{n} rows have no source", n=counts["excluded"])
            )
        parts += filter(None, [done.cache_hits.words()])
        spent = done.spent.words(self.prices)
        used: list[str] = [tr("used now: {used}", used=spent)] if spent else []
        total = done.used.words(self.prices) if done.taken_over else ""
        used += [tr("used in all: {used}", used=total)] if total and total != spent else []
        message = tr("{parts}", parts=tuple(parts))
        return [message, *used, self.plan.signature, tr("wrote {file}", file=self.files.out)]

    @property
    def failure_line(self) -> str | None:
        """The number of failed rows, and the reason of the first."""
        failures = self.finished.failures
        if not failures:
            return None
        return tr(
            "{n} of {total} rows failed, listed in {file}; the first, {id}: {reason}",
            n=len(failures),
            total=len(self.finished.rows),
            file=self.files.failed,
            id=failures[0].id,
            reason=failures[0].failure,
        )

    def write(self) -> None:
        """Write results, failures and the description, each whole or not at all."""
        write_failures(self.finished.failures, self.files.failed)
        write_results(self.bench, self.finished.rows, self.manifest, self.files.out)
        text = json.dumps(self.to_json(), ensure_ascii=False, indent=2, default=dict)
        write_atomically(self.files.about, text + "\n")


def run_to_files(
    plan: RunPlan,
    bench: RunDataset,
    name: str,
    out: str,
    *,
    fresh: bool = False,
    prices: Prices | None = None,
    progress: Progress | None = None,
) -> RunResult:
    """Run a plan, or continue it, and write all its files."""
    files = RunFiles(out, in_folder=bench.format == "documents")
    files.check(fresh=fresh)
    finished = run_plan(plan, files.journal, fresh=fresh, progress=progress)
    ran = RunResult(plan, bench, name, files, finished, prices)
    ran.write()
    return ran


def write_results(
    bench: RunDataset, rows: Sequence[RunRow], manifest: Mapping[str, Any], out: str
) -> None:
    """Write the whole file of results, in the order of the test set."""
    by_id = {row.id: row for row in rows}
    if bench.format == "documents":
        for segment in bench.test_set:
            _write_document(Path(out) / segment.id, by_id.get(segment.id))
    elif bench.format in ("text", "document"):
        write_atomically(out, f"{rows[0].hypothesis or ''}\n")
    elif bench.format == "lines":
        ordered = (by_id.get(segment.id) for segment in bench.test_set)
        write_atomically(out, "".join(f"{_one_line(row)}\n" for row in ordered))
    elif bench.format == "bench":
        write_json_lines(out, _bench_rows(bench, by_id))
    else:
        found = (_result(by_id[segment.id]) for segment in bench.test_set)
        write_json_lines(out, [manifest, *found])


def _write_document(path: Path, row: RunRow | None) -> None:
    if row is None or row.hypothesis is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, f"{row.hypothesis}\n")


def write_failures(failures: Sequence[RunRow], path: Path) -> None:
    """List failed rows with their reasons; remove the file if there are none."""
    if failures:
        listed = [
            {"id": row.id, "reason": row.failure, **({"raw": row.raw} if row.raw else {})}
            for row in failures
        ]
        write_json_lines(path, listed)
    else:
        path.unlink(missing_ok=True)


def _bench_rows(bench: RunDataset, by_id: Mapping[str, RunRow]) -> Iterator[dict[str, Any]]:
    field = bench.field
    ours = (field, *(f"{field}_{name}" for name in ("raw", "cleaned", "chatter")))
    for segment, record in zip(bench.test_set, bench.records, strict=True):
        fields = {name: value for name, value in record.items() if name not in ours}
        row = by_id.get(segment.id)
        if row is not None:
            fields[field] = row.hypothesis
            fields |= {f"{field}_{name}": value for name, value in _marks(row).items()}
        yield fields


def _result(row: RunRow) -> dict[str, Any]:
    return {"id": row.id, "hypothesis": row.hypothesis, **_marks(row)}


def _marks(row: RunRow) -> dict[str, Any]:
    """Return the raw answer if it was shortened, and the kinds of chatter that were kept."""
    if row.failure is not None:
        return {}
    short = {"raw": row.raw, "cleaned": list(row.cleaned)} if row.cleaned else {}
    return {**short, **({"chatter": list(row.chatter)} if row.chatter else {})}


def _one_line(row: RunRow | None) -> str:
    """Return a hypothesis without characters that a reader may take for the end of a line."""
    return " ".join((row.hypothesis or "").splitlines()) if row else ""
