"""A whole build: from office files to a test collection."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from patmark._version import __version__
from patmark.collections.corpus.build.aligning import AlignTask, align_step
from patmark.collections.corpus.build.data_card import data_card
from patmark.collections.corpus.build.document_pairs import pair_step, parse_step, publication_step
from patmark.collections.corpus.build.duplicates import clean_step
from patmark.collections.corpus.build.export import (
    divided_view,
    write_broken,
    write_context,
    write_judging_sample,
    write_monolingual,
    write_pairs,
    write_splits,
)
from patmark.collections.corpus.build.facts import (
    SUMMARY_FILE,
    BuildTables,
    abstract_facts,
    build_facts,
)
from patmark.collections.corpus.build.metadata import CROISSANT_FILE, croissant, source_facts
from patmark.collections.corpus.build.pair_ranks import rank_step
from patmark.collections.corpus.build.settings import PipelineSettings
from patmark.collections.corpus.splits import check_leakage, split_step
from patmark.engine import (
    Cost,
    Engine,
    Place,
    Relation,
    StepProgress,
    StepRunner,
    View,
    cpu_seconds,
    locked,
    publish,
    write_text,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.report import Report, Result
from patmark.wording import setting

# steps that a user can repeat, and the internal steps
STEPS: Mapping[str, tuple[str, ...]] = {
    "parse": ("files", "parsed"),
    "families": ("link_keys", "linked", "members", "publications"),
    "pairs": ("document_pairs",),
    "align": ("first_aligned", "lexicon", "aligned"),
    "rank": ("ranked",),
    "clean": ("checked", "encoded", "bicleaner_read", "bands", "similar", "cleaned"),
    "split": ("drawn", "leaks", "split", "held"),
}
# everything about a pair of sentences: its texts and scores, its documents, the reason for
# exclusion
_PAIRS = """
SELECT r.place, CONCAT(r.pair_id, ':', CAST(r.number AS STRING)) AS id, c.left_out, c.reasons,
       p.family, p.family_group, p.relation, p.source_id, p.target_id, p.source_office,
       p.target_office, p.source_date, p.target_date, p.ipc, r.pair_id, r.number, r.section, r.bead,
       r.sim, r.avsim, r.ratio, r.sntscore, r.score, r.source, r.target
FROM ranked r
JOIN cleaned c ON c.place = r.place
JOIN document_pairs p ON p.pair_id = r.pair_id
"""
_BROKEN = """
SELECT origin, problem FROM parsed WHERE status IN ('broken', 'damaged')
ORDER BY origin, place LIMIT 10
"""
STEPS_FOLDER = "steps"
MANIFEST_FILE = "manifest.json"
_ANY_YEAR = 9999


@dataclass(frozen=True, slots=True)
class Build(Result):
    """Result of a build. ``facts`` are the counts; ``done`` and ``skipped`` name its steps.

    ``costs`` are those of the executed steps, and of the export.
    """

    folder: Place
    facts: dict[str, Any]
    done: tuple[str, ...]
    skipped: tuple[str, ...]
    costs: Mapping[str, Cost]

    def to_json(self) -> dict[str, Any]:
        """Return the facts, and the steps that were done or skipped."""
        return {**self.facts, "steps": {"done": list(self.done), "skipped": list(self.skipped)}}

    def to_report(self) -> Report:
        """Return the data card."""
        return data_card(self.facts)

    @property
    def damaged(self) -> int:
        """Number of places after which an input file is unreadable."""
        return int(self.facts["parse"].get("damaged", 0))

    def publish(self, url: str) -> None:
        """Copy the collection without its steps to an object store; the summary comes last."""
        if not isinstance(self.folder, Path):
            raise UsageError(f"{self.folder} is in an object store already")
        files = [
            path
            for path in sorted(self.folder.rglob("*"))
            if path.is_file() and path.relative_to(self.folder).parts[0] != STEPS_FOLDER
        ]
        publish(self.folder, sorted(files, key=lambda path: path.name == SUMMARY_FILE), url)


def build_corpus(
    settings: PipelineSettings,
    folder: Place,
    engine: Engine,
    *,
    progress: StepProgress | None = None,
    from_: str | None = None,
    share: float = 1.0,
) -> Build:
    """Run all unfinished steps, check the splits, and write the collection.

    The same files and settings give the same bytes, independent of engine and interruptions.
    ``folder`` may be in an object store, as may its steps. ``share`` is the part of the document
    pairs to build from.
    """
    steps = StepRunner(folder / STEPS_FOLDER, engine, redo=_redo(from_))
    if progress is not None:
        steps.progress = _named_for_users(progress)
    with locked(steps.folder, folder):
        return _build(steps, settings, folder, share)


def _build(steps: StepRunner, settings: PipelineSettings, folder: Place, share: float) -> Build:
    AlignTask.of(settings).aligner()  # reports missing parts before anything is read
    parsed = parse_step(steps, settings.inputs, settings.base)
    keys, publications = publication_step(steps, parsed, settings.family_kind)
    documents = pair_step(steps, parsed, publications, settings, share)
    if not documents.rows:
        raise InputError(_no_pairs(steps, parsed, settings, share))
    aligned, task = align_step(steps, documents, settings)
    # a score by lengths alone says nothing about abstracts
    rank = settings.rank if task.knows_words else replace(settings.rank, abstracts=0.0)
    ranked = rank_step(steps, aligned, rank)
    checked, cleaned = clean_step(steps, ranked, settings.filter_settings, settings.duplicates)
    pairs = View(_PAIRS, {"ranked": ranked, "cleaned": cleaned, "document_pairs": documents})
    divided = divided_view(pairs, split_step(steps, pairs, ranked, settings.split, settings.seed))
    leakage = check_leakage(steps, divided, checked)
    begun = cpu_seconds()
    steps.progress("export", 0, 0)
    final, files = write_pairs(steps, folder, pairs, divided, settings.export.rows)
    languages = [settings.source_language, settings.target_language]
    tables = BuildTables(parsed, keys, publications, documents, aligned, final)
    facts = {
        "name": settings.name,
        "languages": languages,
        "settings": settings.to_json(),
        "signature": _signature(settings, task),
        "ranked_by": task.ranked_by,
        "sources": source_facts(settings),
        **build_facts(steps, tables, settings),
        "abstracts": abstract_facts(steps, aligned, rank.abstracts),
        "leakage": leakage,
    }
    write_broken(steps, folder, parsed)
    files += write_splits(steps, folder, final, settings.export.rows)
    write_text(folder / MANIFEST_FILE, _json({"files": files}))
    written: dict[str, Relation] = {
        "final_pairs": final,
        "publications": publications,
        "parsed": parsed,
    }
    facts["context"] = write_context(steps, folder, written, languages)
    wanted = [languages[("source", "target").index(side)] for side in settings.monolingual.sides]
    if wanted:
        until = settings.monolingual.until or settings.split.last_training_year or _ANY_YEAR
        facts["monolingual"] = write_monolingual(steps, folder, written, wanted, until)
    facts["sample"] = write_judging_sample(
        steps, folder, final, settings.sample.size, settings.seed
    )
    write_text(folder / CROISSANT_FILE, _json(croissant(facts, files)))
    write_text(folder / SUMMARY_FILE, _json(facts))
    costs = {**steps.costs, "export": Cost(cpu_seconds() - begun, 0)}
    return Build(folder, facts, tuple(steps.done), tuple(steps.skipped), costs)


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _named_for_users(progress: StepProgress) -> StepProgress:
    """Report progress by the names of ``STEPS``."""
    names = {inner: name for name, each in STEPS.items() for inner in each}
    return lambda step, done, total: progress(names.get(step, step), done, total)


def _redo(step: str | None) -> frozenset[str]:
    if step is None:
        return frozenset()
    if step not in STEPS:
        raise UsageError(f"{setting('from_')} {step!r}: the steps are {', '.join(STEPS)}")
    names = list(STEPS)
    return frozenset(inner for name in names[names.index(step) :] for inner in STEPS[name])


def _no_pairs(
    steps: StepRunner, parsed: Relation, settings: PipelineSettings, share: float
) -> list[Problem]:
    """Explain why there is nothing to align: broken records, else the families."""
    broken = [
        Problem(row["problem"], row["origin"]) for row in steps.rows(_BROKEN, {"parsed": parsed})
    ]
    pair = f"{settings.source_language}-{settings.target_language}"
    message = (
        f"no document pair {pair}: no two documents of a family are in these languages. "
        "Look at the families with: patmark corpus parse, patmark corpus families"
    )
    if share < 1:
        message = (
            f"the sample is too small for an estimate: {share:.0%} of it has no document pair "
            f"{pair}. If patmark corpus build finds some, name more families"
        )
    return [Problem(message, ", ".join(settings.inputs)), *broken]


def _signature(settings: PipelineSettings, task: AlignTask) -> str:
    return f"patmark:{__version__}|aligner:{task.aligner().signature}|seed:{settings.seed}"
