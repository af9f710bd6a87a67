"""A whole build: files of patent offices in, a test collection out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from patmark._version import __version__
from patmark.corpus.build.aligning import AlignTask, align_step
from patmark.corpus.build.cleaning import clean_step
from patmark.corpus.build.export import (
    context_step,
    final_step,
    write_broken,
    write_context,
    write_judging_sample,
    write_pairs,
    write_splits,
)
from patmark.corpus.build.facts import Made, broken_step, build_facts
from patmark.corpus.build.linking import family_step, pair_step, text_step
from patmark.corpus.build.parsing import input_files, parse_step
from patmark.corpus.build.ranking import rank_step
from patmark.corpus.build.settings import PipelineSettings
from patmark.corpus.splits import LEAK_COLUMNS, check_leakage, split_step
from patmark.data.files import write_atomically
from patmark.engine.datasets import Engine, iter_rows
from patmark.engine.steps import Dataset, StepProgress, Workshop, sole_use
from patmark.errors import InputError, UsageError

STEPS: Mapping[str, tuple[str, ...]] = {
    "parse": ("files", "parsed"),
    "families": ("catalogue", "links", "link_keys", "shared", "members", "publications"),
    "pairs": ("document_pairs", "paired_texts"),
    "align": ("first_aligned", "first_scores", "lexicon_pairs", "lexicon", "aligned"),
    "rank": ("scores", "ranked"),
    "clean": (
        "checked", "unique_source", "unique_target", "unique_source_target", "kept", "bands",
        "candidates", "similar", "cleaned",
    ),
    "split": ("dated", "pool", "drawn", "training", "leaks", "split", "final", "context"),
}  # fmt: skip
SUMMARY_FILE = "summary.json"
STEPS_FOLDER = "steps"


@dataclass(frozen=True, slots=True)
class Build:
    """What a build made. ``facts`` are the counts; ``done`` and ``skipped`` name its steps."""

    folder: Path
    facts: dict[str, Any]
    done: tuple[str, ...]
    skipped: tuple[str, ...]


def build_corpus(
    settings: PipelineSettings,
    folder: Path,
    engine: Engine,
    *,
    progress: StepProgress | None = None,
    redo_from: str | None = None,
) -> Build:
    """Do all steps that are not done yet, check the splits, and write the collection.

    The same files and settings give the same bytes, whatever the engine and however often the
    work was interrupted.
    """
    shop = Workshop(folder / STEPS_FOLDER, engine, redo=_redo(redo_from))
    if progress is not None:
        shop.progress = progress
    with sole_use(shop.folder):
        return _build(shop, settings, folder)


def _build(shop: Workshop, settings: PipelineSettings, folder: Path) -> Build:
    AlignTask.of(settings).aligner()  # what it lacks is said before anything is read
    made, context, task = _steps(shop, settings)
    final = final_step(shop, made.pairs)
    checked = check_leakage(partial(iter_rows, final.path, LEAK_COLUMNS))
    broken = broken_step(shop, made.parsed)
    facts = {
        "name": settings.name,
        "languages": [settings.source_language, settings.target_language],
        "settings": settings.to_json(),
        "signature": _signature(settings, task),
        "ranked_by": task.ranked_by,
        **build_facts(shop, made, broken),
        "leakage": checked,
    }
    write_broken(folder, broken.path)
    _write(folder, settings, final, context, facts)
    return Build(folder, facts, tuple(shop.done), tuple(shop.skipped))


def _redo(step: str | None) -> frozenset[str]:
    if step is None:
        return frozenset()
    if step not in STEPS:
        raise UsageError(f"--from {step!r}: the steps are {', '.join(STEPS)}")
    names = list(STEPS)
    return frozenset(inner for name in names[names.index(step) :] for inner in STEPS[name])


def _steps(shop: Workshop, settings: PipelineSettings) -> tuple[Made, Dataset, AlignTask]:
    files = input_files(settings.inputs, settings.base, shop.folder)
    parsed = parse_step(shop, files, settings.base)
    keys, publications = family_step(shop, parsed, settings.family_kind)
    documents = pair_step(shop, publications, settings)
    if not documents.rows:
        raise InputError.at(_no_pairs(settings), ", ".join(settings.inputs))
    texts = text_step(shop, parsed, publications, documents)
    aligned, task = align_step(shop, texts, settings)
    ranked = rank_step(shop, aligned, documents, settings.rank)
    cleaned = clean_step(shop, ranked, settings.filter_settings, settings.duplicates)
    pairs = split_step(shop, cleaned, settings.split, settings.seed)
    context = context_step(shop, pairs, publications, parsed)
    return Made(parsed, keys, publications, documents, aligned, pairs), context, task


def _no_pairs(settings: PipelineSettings) -> str:
    pair = f"{settings.source_language}-{settings.target_language}"
    return (
        f"no document pair {pair}: no two documents of a family are in these languages. "
        "Look at the families with: patmark corpus parse, patmark corpus families"
    )


def _signature(settings: PipelineSettings, task: AlignTask) -> str:
    return f"patmark:{__version__}|aligner:{task.aligner().signature}|seed:{settings.seed}"


def _write(
    folder: Path, settings: PipelineSettings, final: Dataset, context: Dataset,
    facts: dict[str, Any],
) -> None:  # fmt: skip
    languages = {"source": settings.source_language, "target": settings.target_language}
    write_pairs(folder, final.path)
    write_splits(folder)
    facts["context"] = write_context(folder, context.path, languages)
    facts["sample"] = write_judging_sample(folder, settings.sample.size, settings.seed)
    summary = json.dumps(facts, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    write_atomically(folder / SUMMARY_FILE, summary)
