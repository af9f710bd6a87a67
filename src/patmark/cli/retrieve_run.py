"""patmark retrieve run: the extrinsic evaluation of NTCIR-7 in one command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given, retrieve_options as of_search
from patmark.cli.output import Outputs, deliver, say
from patmark.cli.retrieve_index import counting_bar
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.protocols import Extrinsic, ExtrinsicSettings

_Topics: TypeAlias = Annotated[
    str, typer.Option(help="The original topics, in the language of the index: the ceiling.")
]
_Translated: TypeAlias = Annotated[
    list[str],
    typer.Option(help="The topics as a system translated them: FILE or NAME=FILE; repeat."),
]
_Qrels: TypeAlias = Annotated[str, typer.Option(help="Judgements: TREC lines or PatSnap JSONL.")]
_Measures: TypeAlias = Annotated[
    str | None, typer.Option(help="Default: AP rigid and relaxed, recall; the first one leads.")
]
_AtLeast: TypeAlias = Annotated[
    float | None,
    typer.Option(help="Only topics whose original text has this AP(rel=1) or more, e.g. 0.9."),
]
_Below: TypeAlias = Annotated[
    float | None, typer.Option(help="Only topics whose original text has less AP(rel=1).")
]
_RunsTo: TypeAlias = Annotated[
    str | None, typer.Option(metavar="FOLDER", help="Also write every search as NAME.run.")
]


def run(
    index: of_search.Index,
    topics: _Topics,
    translated: _Translated,
    qrels: _Qrels,
    measures: _Measures = None,
    ap_at_least: _AtLeast = None,
    ap_below: _Below = None,
    ipc: of_search.Ipc = "off",
    date: of_search.Date = True,
    keep_own_family: of_search.OwnFamily = False,
    k: of_search.K = 1000,
    engine: of_search.Engine = "tantivy",
    k1: of_search.K1 = 1.2,
    b: of_search.B = 0.75,
    master: of_search.Master = None,
    runs_to: _RunsTo = None,
    trials: given.Trials = 10_000,
    resamples: given.CompareResamples = 2000,
    seed: given.Seed = 0,
    save: given.Save = None,
    segments: given.Segments = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Search with original and translated topics, and say what each translation loses.

    Example:

      patmark retrieve run index --topics topics.jsonl --translated atlas=atlas.jsonl
      --translated cobalt=cobalt.jsonl --qrels qrels.txt --html report.html

    Date, IPC and family of a topic are those of the original; only the text is translated.
    """
    from patmark.data import check_stdin_once
    from patmark.evaluation import CompareSettings, Settings
    from patmark.protocols import ExtrinsicSettings

    systems = system_files(translated)
    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, segments, save)
    inputs = [topics, *systems.values(), qrels]
    outputs.check(inputs)
    check_stdin_once(inputs)
    of_search.check_measures(measures)
    runs = _run_files(runs_to, systems, index, inputs)
    settings = ExtrinsicSettings(
        of_search.search_settings(ipc, date, keep_own_family, k, engine, (k1, b), master), measures,
        CompareSettings(Settings(resamples, seed), trials=trials), ap_at_least, ap_below,
    )  # fmt: skip
    done = evaluate_files(index, topics, systems, qrels, settings, quiet)
    if runs:
        _write_runs(done, runs, quiet)
    scores, documents = done.comparison.evaluation.scores, done.comparison.evaluation.documents
    deliver(done.to_report(), done.to_json(), scores, documents, outputs)


def system_files(arguments: list[str]) -> dict[str, str]:
    """Files by system; two systems of one name are refused."""
    from patmark.data import split_name

    named = [split_name(argument) for argument in arguments]
    doubles = [name for name, times in Counter(name for name, _ in named).items() if times > 1]
    if doubles:
        raise UsageError(f"two systems are called {doubles[0]!r}; name them with NAME=FILE")
    return dict(named)


def evaluate_files(
    index: str, topics: str, systems: Mapping[str, str], qrels: str, settings: ExtrinsicSettings,
    quiet: bool,
) -> Extrinsic:  # fmt: skip
    """Read everything and evaluate, with a count of the topics that are searched."""
    from patmark.protocols import evaluate_extrinsically
    from patmark.retrieval import OpenIndex, read_qrels, read_topics

    opened = OpenIndex.at(Path(index))
    original = read_topics(topics)
    translated = {name: read_topics(path) for name, path in systems.items()}
    with counting_bar("topics", quiet) as advance:
        return evaluate_extrinsically(
            opened, original, translated, read_qrels(qrels), settings,
            None if advance is None else lambda _, done: advance(done),
        )  # fmt: skip


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
