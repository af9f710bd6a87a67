"""patmark retrieve run: the extrinsic evaluation of NTCIR-7 in one command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.cli.options import Draws, Trials
from patmark.cli.output import Output, Scored, counting, deliver, say
from patmark.cli.parsing import Options, Parameter, group
from patmark.cli.retrieve.evaluate import RankingMeasures
from patmark.cli.retrieve.search import Search
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.protocols.ntcir7 import Extrinsic, ExtrinsicSettings


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
    from patmark.data import check_stdin_once
    from patmark.protocols.ntcir7 import ExtrinsicSettings

    systems = system_files(inputs.translated)
    read = [inputs.topics, *systems.values(), inputs.qrels]
    output.check(read)
    check_stdin_once(read)
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
    evaluation = done.comparison.evaluation
    deliver(done, output, Scored(evaluation.scores, evaluation.documents))


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
    from patmark.protocols.ntcir7 import evaluate_extrinsically
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
    from patmark.protocols.ntcir7 import CEILING

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
