"""patmark demo and examples: a complete run on bundled data, and example files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.output import Full, Html, Json, Talk, deliver, print_json, say
from patmark.options import Parameter, group
from patmark.wording import speaker

if TYPE_CHECKING:
    from patmark.data import Run
    from patmark.report import Result

_DICTIONARY = "dictionary"


@group
class DemoOutput(Full, Html, Talk):
    """A page to look at."""

    html: str | None = None
    """Write a self-contained HTML report (default: report.html, unless with --json)."""


def demo(*, output: DemoOutput = DemoOutput()) -> None:
    """Score bundled example systems, search with their translations, write a report.

    Three invented systems and a word-by-word dictionary translate invented patents. Then invented
    topics, translated and degraded, search for prior art.
    """
    from patmark.catalogue import load_protocol_options
    from patmark.errors import MissingExtra
    from patmark.evaluation import Sampling, protocol_called
    from patmark.examples import SYSTEMS, example_path
    from patmark.protocols import DemoResult, read_patsnap, retrieval_section

    if not output.json:
        output = replace(output, html=output.html or "report.html")
    output.check([])
    rows = [example_path(f"patsnap_cn2en/{system}.jsonl") for system in SYSTEMS]
    read = [read_patsnap(path, "cn2en") for path in rows]
    runs = [run for _, run in read]
    try:
        runs.append(_dictionary_run(rows[0]))
        retrieval = retrieval_section()
    except MissingExtra as missing:
        say(f"left out of the demo: {missing}")
        retrieval = None
    checked = load_protocol_options("patsnap")(checks=True)  # type: ignore[call-arg]
    bench = protocol_called("patsnap", Sampling(), options=checked)
    result: Result = bench.score(read[0][0], runs)
    if retrieval is not None:
        result = DemoResult(result, retrieval)
    deliver(result, output)
    if output.talks:
        tr = speaker(output.language)
        for finding in () if retrieval is None else retrieval.findings[-1:]:
            say(tr("Retrieval: {text}", text=finding))
        say(tr("now with your own files: patmark score --help"))


def _dictionary_run(rows: Path) -> Run:
    """Translate the rows word by word, as patmark run does."""
    from tempfile import TemporaryDirectory

    from patmark.languages import language_pair
    from patmark.protocols import read_patsnap
    from patmark.systems import dictionary_system, plan_run, read_dataset, run_to_files, task_of

    lang = "zh-en"
    with TemporaryDirectory() as folder:
        out = str(Path(folder) / f"{_DICTIONARY}.jsonl")
        bench = read_dataset(testset=str(rows), lang=lang, out=out)
        system = dictionary_system([], *language_pair(lang))
        plan = plan_run(system, task_of("translate"), bench.test_set, **bench.about)
        run_to_files(plan, bench, _DICTIONARY, out, fresh=True)
        _, run = read_patsnap(out, "cn2en")
    return run


def examples(
    folder: Annotated[str, Parameter(help="A new folder for the example files.")],
    /,
    *,
    output: Json = Json(),
) -> None:
    """Write the invented example files of the documentation.

    The commands of the README and of most pages in docs/ run in that folder.
    """
    from patmark.examples import SYSTEMS, write_examples

    write_examples(Path(folder))
    if output.json:
        written = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        print_json({"files": [str(path) for path in written]})
        return
    say(f"wrote {folder}: the systems {', '.join(SYSTEMS)}, with sources, references, judgements")
    say(f"now: cd {folder}; patmark score --hyp atlas.en --ref reference.en --lang ja-en")
