"""A run: a system is driven through a test set, and its results are written to files."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from patmark.data import (
    TRANSLATION_FIELDS,
    Direction,
    Segment,
    TestSet,
    fingerprint,
    has_patsnap_rows,
    is_jsonl,
    iter_json_lines,
    language_pair,
    patsnap_direction,
    read_line_test_set,
    read_lines,
    read_patsnap_bench,
    read_test_set,
    write_atomically,
    write_json_lines,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.llm import CacheHits, Prices, Usage
from patmark.systems.base import System, SystemAnswer, SystemInput, Task
from patmark.systems.cleaning import VERSION as CLEANING, clean, find_fault
from patmark.systems.journal import Journal, RunRow

ResultFormat: TypeAlias = Literal["bench", "rows", "lines", "text"]
Progress: TypeAlias = Callable[[int, int, Usage], None]


@dataclass(frozen=True, slots=True, eq=False)
class RunDataset:
    """A test set and the format of its results.

    ``records`` are the bench rows of the file, to which results are added.
    """

    test_set: TestSet
    format: ResultFormat
    direction: Direction | None = None
    records: tuple[Mapping[str, Any], ...] = ()

    @property
    def protocol(self) -> str:
        """The protocol by which results in this format are scored."""
        return "plain" if self.direction is None else "patsnap"

    @property
    def excluded(self) -> int:
        """The number of rows without a source in this direction."""
        return sum(not (segment.source or "").strip() for segment in self.test_set)

    @property
    def languages(self) -> str:
        """Both languages, as in zh-en; the target alone where only that is known."""
        known = (self.test_set.source_language, self.test_set.target_language)
        return "-".join(filter(None, known))

    @property
    def about(self) -> dict[str, Any]:
        """What must be the same when a run is continued."""
        sources = fingerprint(self.test_set).get("sources", "")[:16]
        return {"languages": self.languages, "testset": sources}


def read_dataset(
    *,
    testset: str | None = None,
    direction: str | None = None,
    lang: str | None = None,
    src: str | None = None,
    ref: Sequence[str] = (),
    docs: str | None = None,
    out: str,
    task: str = "translate",
) -> RunDataset:
    """The test set that options name.

    Rows of the PatSnap bench are told by their fields; ``direction`` is its name for the languages.
    """
    if (testset is None) == (src is None):
        raise UsageError("give either a --testset or source texts with --src")
    if testset is not None and (ref or docs):
        raise UsageError("--ref and --docs go with --src; a test set brings its own")
    if direction is not None or (testset not in (None, "-") and has_patsnap_rows(testset)):
        return _patsnap(testset, patsnap_direction(lang, direction), task)
    if not lang:
        raise UsageError("name the languages: --lang zh-en")
    source_language, target_language = language_pair(lang)
    if task == "translate" and source_language is None:
        raise UsageError(f"--lang {lang}: two languages are needed to translate, such as zh-en")
    if testset is not None:
        test_set, *_ = read_test_set(testset, target_language, source_language)
        bench = RunDataset(test_set, "rows" if is_jsonl(out) else "lines")
        if task != "translate" and bench.format == "lines":
            raise UsageError(f"{out}: claims are many lines; write them to a .jsonl")
    elif task != "translate":
        bench = _one_text(cast("str", src), ref, docs, lang, out)
    else:
        test_set = read_line_test_set(
            ref,
            source=src,
            documents=docs,
            target_language=target_language,
            source_language=source_language,
        )
        bench = RunDataset(test_set, "rows" if is_jsonl(out) else "lines")
    _check_sources(bench.test_set)
    return bench


def _check_sources(test_set: TestSet) -> None:
    """Refuse segments without a source, all of them at once."""
    problems = [
        Problem(f"segment {segment.id!r} has no source text", test_set.name)
        for segment in test_set
        if not (segment.source or "").strip()
    ]
    if problems:
        raise InputError(problems)


def _patsnap(testset: str | None, direction: Direction | None, task: str) -> RunDataset:
    if direction is None:
        raise UsageError("name the languages of the PatSnap rows: --lang zh-en or en-zh")
    if testset is None or task != "translate":
        raise UsageError("PatSnap rows are a --testset, and to be translated only")
    if testset == "-":
        raise UsageError("PatSnap rows must be in a file: results are added to them")
    test_set = read_patsnap_bench(testset, direction)
    records = tuple(fields for _, fields in iter_json_lines(testset))
    bench = RunDataset(test_set, "bench", direction, records)
    if bench.excluded == len(test_set):
        raise InputError.at(f"no row has a source text for the direction {direction}", testset)
    return bench


def _one_text(src: str, ref: Sequence[str], docs: str | None, lang: str, out: str) -> RunDataset:
    """A whole file as one segment: a description, or a draft of claims."""
    if docs is not None:
        raise UsageError("--docs has no effect: the source file is one document")
    if is_jsonl(out):
        raise UsageError(f"{out}: the claims of one text are text; write them to a .txt")
    source_language, target_language = language_pair(lang)
    source, *references = ("\n".join(read_lines(path)) for path in (src, *ref))
    segment = Segment("0", source, tuple(references), src)
    test_set = TestSet((segment,), target_language, source_language or target_language, src)
    return RunDataset(test_set, "text")


@dataclass(frozen=True, slots=True)
class RunPlan:
    """A system, its task and its items, and whether answers are cleaned of chatter.

    ``about`` is what else must be the same when the run is continued: languages and test set.
    """

    system: System
    task: Task
    items: tuple[SystemInput, ...]
    cleaning: bool
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that decides what a row will be."""
        return {
            "system": self.system.description.to_json(),
            "task": self.task.to_json(),
            "cleaning": CLEANING if self.cleaning else 0,
            **self.about,
        }

    @property
    def signature(self) -> str:
        """One line that tells two runs apart."""
        parts = [self.system.description.signature, f"task={self.task.name}"]
        parts += [f"context={self.task.context}"] if self.task.context else []
        terms = self.task.terms.to_json()
        parts += (
            [f"glossary={'rows' if terms['rows'] else ''}{terms['table'] or ''}"] if terms else []
        )
        parts += [f"clean={CLEANING}"] if self.cleaning else []
        return "|".join(parts)


@dataclass(frozen=True, slots=True)
class RunRows:
    """The rows of all items, in their order.

    ``spent`` was paid now; ``taken_over`` rows were there before, and ``from_cache`` counts those
    that were answered now from kept answers of other runs.
    """

    rows: tuple[RunRow, ...]
    taken_over: int
    spent: Usage
    tries: int
    from_cache: int

    @property
    def failures(self) -> tuple[RunRow, ...]:
        """The rows without a hypothesis."""
        return tuple(row for row in self.rows if row.failure is not None)

    @property
    def kept(self) -> CacheHits:
        """The rows with an answer that was given before the run began."""
        return CacheHits.of(row.kept for row in self.rows if row.failure is None)

    @property
    def used(self) -> Usage:
        """What all rows took, in this run and earlier ones."""
        return Usage.total(row.usage for row in self.rows)


def run_plan(
    plan: RunPlan,
    journal_path: str | Path,
    *,
    fresh: bool = False,
    progress: Progress | None = None,
) -> RunRows:
    """Answer what has no answer yet. Rows that failed before are tried again."""
    with Journal(journal_path, plan.settings, fresh=fresh) as journal:
        work = _Progress(plan, journal, progress)
        left = work.left
        if left:
            asyncio.run(plan.system.answer_all(left, work.add))
        for item in left:
            if item.id not in work.rows:
                work.add(item, SystemAnswer(None, "the system gave no answer"))
        rows = tuple(work.rows[item.id] for item in plan.items)
        journal.tidy(rows)
    return RunRows(rows, len(plan.items) - len(left), work.spent, work.tries, work.from_cache)


class _Progress:
    """The rows so far, and what they cost."""

    def __init__(self, plan: RunPlan, journal: Journal, progress: Progress | None) -> None:
        self._plan = plan
        self._journal = journal
        self._progress = progress
        known = {item.id for item in plan.items}
        earlier = journal.rows.items()
        self.rows = {one: row for one, row in earlier if one in known and row.failure is None}
        self.left = [item for item in plan.items if item.id not in self.rows]
        self.spent = Usage()
        self.tries = 0
        self.from_cache = 0

    def add(self, item: SystemInput, answer: SystemAnswer) -> None:
        """Check an answer, and write it to the journal before anything else happens."""
        kept = answer.kept if answer.kept and answer.kept < self._journal.begun else None
        row = replace(_row(item, answer, self._plan), kept=kept)
        self._journal.add(row)
        self.rows[item.id] = row
        self.spent += answer.usage
        self.tries += answer.tries
        self.from_cache += kept is not None and row.failure is None
        if self._progress:
            self._progress(len(self.rows), len(self._plan.items), self.spent)


def _row(item: SystemInput, answer: SystemAnswer, plan: RunPlan) -> RunRow:
    """The row of an answer: cleaned of chatter, or failed."""
    usage = answer.usage + answer.recalled
    if answer.text is None or answer.failure is not None:
        return RunRow(item.id, None, answer.failure or "no answer", answer.text, usage=usage)
    found = clean(answer.text, item.source) if plan.cleaning else None
    text, steps = (found.text, found.steps) if found else (answer.text, ())
    row = RunRow(item.id, text, None, answer.text if steps else None, steps, usage)
    may_copy = plan.system.traits.may_copy or plan.task.name != "translate"
    fault = find_fault(
        item.source,
        text,
        cut_off=answer.cut_off,
        may_copy=may_copy,
        chatty=plan.system.traits.chatty,
    )
    return row if fault is None else replace(row, hypothesis=None, failure=fault, raw=answer.text)


def plan_run(
    system: System, task: Task, test_set: TestSet, *, cleaning: bool | None = None, **about: Any
) -> RunPlan:
    """Plan a run; every option must have an effect. Only chatty systems are cleaned by default."""
    task.check(system.traits, system.description.kind)
    items = tuple(task.items(test_set, system.traits))
    return RunPlan(
        system, task, items, system.traits.chatty if cleaning is None else cleaning, about
    )


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The results, and what lies beside them.

    | file | holds |
    |---|---|
    | OUT | the results |
    | OUT.journal | every row as it came, with raw answers; a run is continued from here |
    | OUT.run.json | the description, the signature, counts and tokens |
    | OUT.failed.jsonl | rows without a result and why; absent if there are none |
    """

    out: str

    @property
    def journal(self) -> Path:
        """The rows so far."""
        return Path(f"{self.out}.journal")

    @property
    def about(self) -> Path:
        """The description of the run."""
        return Path(f"{self.out}.run.json")

    @property
    def failed(self) -> Path:
        """The rows without a result."""
        return Path(f"{self.out}.failed.jsonl")

    @property
    def written(self) -> list[str]:
        """All files that a run may write."""
        return [self.out, *map(str, (self.journal, self.about, self.failed))]

    def check(self, *, fresh: bool) -> None:
        """Refuse, before anything is asked, files that cannot be written in the end.

        A file that is not the result of a run is not replaced.
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
class RunResult:
    """A run that has ended: its plan, its rows, and what it cost."""

    plan: RunPlan
    bench: RunDataset
    name: str
    files: RunFiles
    finished: RunRows
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
            "system": self.name,
            "kind": traits.run_type,
            "resources": sorted(set(letters)),
            "priority": 1,
        }

    def to_json(self) -> dict[str, Any]:
        """The description of the run; the same however often it was interrupted."""
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
            "kept_answers": done.kept.to_json(),
        }

    def outcome(self) -> dict[str, Any]:
        """The description, and what happened this time."""
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
        """What happened, in words."""
        done, counts = self.finished, self.to_json()
        told = {
            "of them earlier": done.taken_over,
            "cleaned of chatter": counts["cleaned"],
            "rows have no source": counts["excluded"],
        }
        parts = [f"{counts['answered']} of {counts['rows']} rows answered"]
        parts += [f"{count} {what}" for what, count in told.items() if count]
        parts += filter(None, [done.kept.words()])
        spent = done.spent.words(self.prices)
        used = [f"used now: {spent}"] if spent else []
        total = done.used.words(self.prices) if done.taken_over else ""
        used += [f"used in all: {total}"] if total and total != spent else []
        return [", ".join(parts), *used, self.plan.signature, f"wrote {self.files.out}"]

    @property
    def failure_line(self) -> str | None:
        """How many rows failed, and why the first one did."""
        failures = self.finished.failures
        if not failures:
            return None
        return (
            f"{len(failures)} of {len(self.finished.rows)} rows failed, listed in "
            f"{self.files.failed}; the first, {failures[0].id}: {failures[0].failure}"
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
    files = RunFiles(out)
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
    if bench.format == "text":
        write_atomically(out, f"{rows[0].hypothesis or ''}\n")
    elif bench.format == "lines":
        ordered = (by_id.get(segment.id) for segment in bench.test_set)
        write_atomically(out, "".join(f"{_one_line(row)}\n" for row in ordered))
    elif bench.format == "bench":
        write_json_lines(out, _bench_rows(bench, by_id))
    else:
        found = (_result(by_id[segment.id]) for segment in bench.test_set)
        write_json_lines(out, [manifest, *found])


def write_failures(failures: Sequence[RunRow], path: Path) -> None:
    """List failed rows with their reasons; if there are none, there is no file."""
    if failures:
        listed = [
            {"id": row.id, "reason": row.failure, **({"raw": row.raw} if row.raw else {})}
            for row in failures
        ]
        write_json_lines(path, listed)
    else:
        path.unlink(missing_ok=True)


def _bench_rows(bench: RunDataset, by_id: Mapping[str, RunRow]) -> Iterator[dict[str, Any]]:
    """The rows of the bench as they were, with translations in the field that scoring reads."""
    field = TRANSLATION_FIELDS[cast("Direction", bench.direction)]
    ours = (field, f"{field}_raw", f"{field}_cleaned")
    for segment, record in zip(bench.test_set, bench.records, strict=True):
        fields = {name: value for name, value in record.items() if name not in ours}
        row = by_id.get(segment.id)
        if row is not None:
            fields[field] = row.hypothesis
            if row.cleaned and row.failure is None:
                fields |= {f"{field}_raw": row.raw, f"{field}_cleaned": list(row.cleaned)}
        yield fields


def _result(row: RunRow) -> dict[str, Any]:
    fields: dict[str, Any] = {"id": row.id, "hypothesis": row.hypothesis}
    if row.cleaned and row.failure is None:
        fields |= {"raw": row.raw, "cleaned": list(row.cleaned)}
    return fields


def _one_line(row: RunRow | None) -> str:
    """A hypothesis without characters that a reader may take for the end of a line."""
    return " ".join((row.hypothesis or "").splitlines()) if row else ""


@dataclass(frozen=True, slots=True)
class RunPreview:
    """The first prompt, the number of texts, and an estimate of tokens where those are counted."""

    prompt: str
    rows: int
    earlier: int
    from_cache: int
    expected: Usage | None
    prices: Prices | None
    signature: str

    @property
    def summary(self) -> str:
        """The counts in one line."""
        texts = f"{self.rows} texts" + (
            f", {self.earlier} answered earlier" if self.earlier else ""
        )
        if self.expected is None:
            return f"{texts}; {self.signature}"
        used = self.expected
        cost = "" if self.prices is None else f", cost about {self.prices.cost(used):.4f}"
        return (
            f"{texts}; {self.from_cache} requests have a kept answer, the other {used.answers} "
            f"take about {used.prompt_tokens:,} prompt and {used.completion_tokens:,} answered "
            f"tokens{cost}; {self.signature}"
        )

    def to_json(self) -> dict[str, Any]:
        """The machine-readable form."""
        guess = None if self.expected is None else self.expected.to_json(self.prices)
        return {
            "prompt": self.prompt,
            "rows": self.rows,
            "earlier": self.earlier,
            "kept": self.from_cache,
            "estimated": guess,
            "signature": self.signature,
        }


def preview(
    plan: RunPlan, prices: Prices | None = None, journalled: Mapping[str, RunRow] | None = None
) -> RunPreview:
    """What a run would ask besides ``journalled`` rows; the first text, if there is no prompt."""
    from patmark.systems.chat import ChatSystem

    first = plan.items[0]
    prompt = "\n\n".join(one.content for one in first.messages) or first.source
    done = {one for one, row in (journalled or {}).items() if row.failure is None}
    left = [item for item in plan.items if item.id not in done]
    earlier, from_cache, expected = len(plan.items) - len(left), 0, None
    if isinstance(plan.system, ChatSystem):
        from_cache, expected = plan.system.expected(left)
    return RunPreview(
        prompt, len(plan.items), earlier, from_cache, expected, prices, plan.signature
    )
