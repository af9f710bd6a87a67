"""patmark task: score all runs of a shared task, and publish the results."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from patmark.cli import options as given
from patmark.cli.inputs import Inputs, refuse
from patmark.cli.output import Outputs, deliver, progress_bar, say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import TaskManifest
    from patmark.tasks import TaskJudgements, TaskResult

_Manifest = Annotated[
    str,
    typer.Argument(
        metavar="MANIFEST",
        help="The manifest (.yaml, .json, .toml), its folder, or a folder of .jsonl runs.",
    ),
]
_Out = Annotated[
    str | None,
    typer.Option(help="Write leaderboard, a page for each run, results and scores to this folder."),
]
_Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Allow a folder that is not empty; replace its results.")
]
_Protocol = Annotated[
    str | None,
    typer.Option(help="plain (default) or ntcir9, instead of what the manifest says."),
]
_Judgements = Annotated[
    list[str] | None,
    typer.Option(help="Human judgements of runs (CSV evaluator,system,segment,criterion,value …)."),
]


def task(
    manifest: _Manifest,
    out: _Out = None,
    overwrite: _Overwrite = False,
    testset: given.TestSetFile = None,
    ref: given.Ref = None,
    src: given.Src = None,
    docs: given.Docs = None,
    lang: given.Lang = None,
    protocol: _Protocol = None,
    measures: given.Measures = None,
    judgements: _Judgements = None,
    scale: given.Scales = None,
    keep_unfinished: given.KeepUnfinished = False,
    trials: given.CompareTrials = None,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    by: given.By = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Score and compare all runs of a shared task, and write a leaderboard with a page per run.

    Examples:

      patmark task task.yaml --out results

      patmark task task.yaml --judgements adequacy.csv --out results

      patmark task submissions/ --testset test.jsonl --lang ja-en --protocol ntcir9 --out results

    A manifest names the test set and the runs:

    \b
      name: Patent task 2026
      languages: ja-en
      references: [reference.en]
      protocol: ntcir9
      runs:
        - {group: NTT-UT, priority: 1, file: ntt.txt, type: SMT, resources: BM}

    All problems of all runs are reported at once. Without --out the results are only printed.
    """
    from patmark import evaluation
    from patmark.data import TaskNote
    from patmark.tasks import run_task

    outputs = Outputs(as_json, quiet, full, None, csv, md, latex)
    inputs = Inputs([], [], ref or [], src, docs, testset, lang, False, False)
    outputs.check([manifest, *inputs.paths, *(judgements or [])])
    if out is None:
        refuse("without --out", {"--overwrite": overwrite})
    else:
        _check_folder(Path(out), Path(manifest), overwrite)
    if not judgements:
        refuse("without --judgements", {"--scale": scale, "--keep-unfinished": keep_unfinished})
    described = _read(manifest, inputs, protocol, measures)
    human = _judged(judgements or [], described, scale or [], keep_unfinished)
    described = replace(described, notes=(*described.notes, *map(TaskNote, human.notes)))
    settings = evaluation.CompareSettings(evaluation.Settings(resamples, seed, by), trials=trials)
    with progress_bar(quiet) as progress:
        result = run_task(described, settings, progress, human.scores, human.pairwise)
    written = _publish(Path(out), result) if out is not None else []
    deliver(
        result.to_report(), result.to_json(), result.evaluation.scores,
        result.manifest.test_set.documents, outputs,
    )  # fmt: skip
    if not quiet and not as_json:
        for message in written:
            say(message)


def _read(
    manifest: str, inputs: Inputs, protocol: str | None, measures: str | None
) -> TaskManifest:
    """The task, with what the command line says in place of the manifest."""
    from patmark.data import find_manifest, read_manifest, read_run_folder

    if find_manifest(manifest) is not None:
        refuse("with a manifest, which names the test set", {
            "--testset": inputs.testset, "--ref": inputs.ref, "--src": inputs.src,
            "--docs": inputs.docs, "--lang": inputs.lang,
        })  # fmt: skip
        described = read_manifest(manifest)
    else:
        if inputs.testset is None and not inputs.ref and inputs.src is None:
            raise UsageError(
                f"{manifest} holds no manifest.yaml; write one, or give --testset and --lang"
            )
        test_set, runs = inputs.read_plain()
        if runs:
            raise UsageError(f"{inputs.testset} holds outputs; hand in each run as a file")
        described = read_run_folder(manifest, test_set)
    if protocol is not None:
        described = replace(described, protocol=protocol)
    if measures is not None:
        described = replace(described, measures=(measures,))
    return described


def _judged(
    files: list[str], manifest: TaskManifest, scales: list[str], keep_unfinished: bool
) -> TaskJudgements:
    from patmark.judgements import parse_scale
    from patmark.tasks import TaskJudgements, read_task_judgements

    if not files:
        return TaskJudgements()
    return read_task_judgements(
        files, manifest, scales=map(parse_scale, scales), whole_segments=not keep_unfinished
    )


def _check_folder(out: Path, manifest: Path, overwrite: bool) -> None:
    """Refuse a place that is no folder, holds something, or is where the task itself lies."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out takes a folder")
    if not out.absolute().parent.is_dir():
        raise UsageError(f"{out} cannot be made: its folder does not exist")
    home = manifest if manifest.is_dir() else manifest.parent
    if out.resolve() == home.resolve():
        raise UsageError(f"{out} is the folder of the task; write the results to one of their own")
    if out.is_dir() and any(out.iterdir()) and not overwrite:
        raise UsageError(f"{out} is not empty; choose another folder, or add --overwrite")


def _rendered(result: TaskResult) -> dict[str, str | bytes]:
    """Every file of the folder, by its name there; nothing is written yet."""
    from patmark.evaluation import ScoreFacts, save_scores
    from patmark.report import Link, leaderboard_html, to_html, to_json_text

    pages = {one.id: f"runs/{one.id}.html" for one in result.manifest.submissions}
    several = result.comparison is not None
    compared = [Link("Tests of all pairs of runs", "comparison.html")] if several else []
    above = [replace(link, address=f"../{link.address}") for link in compared]
    home = (Link("← All runs", "../index.html"), *above)
    board = replace(result.to_leaderboard(pages), links=tuple(compared))
    files: dict[str, str | bytes] = {
        "index.html": leaderboard_html(board),
        **{
            page: to_html(replace(result.run_report(run), links=home))
            for run, page in pages.items()
        },
        "results.csv": result.to_csv(),
        "results.json": to_json_text(result.to_json()) + "\n",
    }
    if several:
        report = replace(result.to_report(), links=(Link("← All runs", "index.html"),))
        files["comparison.html"] = to_html(report)
    test_set = result.manifest.test_set
    facts = ScoreFacts.of(test_set, result.manifest.runs).to_json()
    with TemporaryDirectory() as folder:
        saved = Path(folder) / "scores.json.gz"
        save_scores(saved, result.evaluation.scores, test_set.documents, facts)
        files[saved.name] = saved.read_bytes()
    return files


def _publish(out: Path, result: TaskResult) -> list[str]:
    """Write the folder, once everything is rendered; what to tell the user about it."""
    from patmark.data import write_atomically
    from patmark.errors import InputError

    files = _rendered(result)
    try:
        (out / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.at(f"cannot be made: {error.strerror}", str(out)) from None
    for name, content in files.items():
        write_atomically(out / name, content)
    pages = {f"runs/{page.name}" for page in (out / "runs").glob("*.html")}
    return [
        f"wrote {len(files)} files to {out}; open {out / 'index.html'}",
        *(
            f"{out / stale} is from an earlier task and not part of these results"
            for stale in sorted(pages - set(files))
        ),
    ]
