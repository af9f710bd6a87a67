"""patmark human: campaigns, rankings by human judgements, validation of evaluators, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.human_campaign import new, serve, validate
from patmark.cli.human_campaign_people import add_evaluator, close, link, reopen
from patmark.cli.human_campaign_watch import export, status
from patmark.cli.human_store import backup, forget, migrate
from patmark.cli.inputs import Inputs, refuse
from patmark.cli.output import Outputs, deliver, say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import TestSet
    from patmark.judgements import Judgements, Preferences

human = typer.Typer(
    help="Human evaluation: campaigns in the browser, rankings by judgements, their files.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
human.command()(validate)
human.command()(new)
human.command()(serve)
human.command()(status)
human.command()(export)

_Files: TypeAlias = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Judgements or preferences, in any form.")
]
_Format: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="csv, preferences, jsonl, label-studio, pearmut or appraise (default: by content).",
    ),
]
_Scales: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--scale", help="Grades of a criterion, worst first: NAME=1..5, NAME=F,C,B,A,AA; repeat."
    ),
]
_Systems: TypeAlias = Annotated[
    str | None, typer.Option(help="The only systems that may occur, with commas.")
]
_Manifest: TypeAlias = Annotated[
    str | None, typer.Option(help="A task manifest: its runs and segments only may occur.")
]
_KnownSegments: TypeAlias = Annotated[
    str | None,
    typer.Option("--testset", help="Test set (JSONL, TSV) whose segments only may occur."),
]
_KeepUnfinished: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--keep-unfinished",
        help="Count segments for which an evaluator graded only some of the systems.",
    ),
]
_TARGETS = ("csv", "jsonl", "mt-metrics-eval", "pearmut")


@human.command()
def report(
    files: _Files,
    form: _Format = None,
    scale: _Scales = None,
    systems: _Systems = None,
    manifest: _Manifest = None,
    testset: _KnownSegments = None,
    keep_unfinished: _KeepUnfinished = False,
    by: given.By = None,
    resamples: given.Resamples = 2000,
    trials: given.CompareTrials = None,
    seed: given.Seed = 0,
    holm: given.Holm = None,
    save: given.Save = None,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Rank systems by human judgements, and say how far the evaluators can be trusted.

    Examples:

      patmark human report judgements.csv

      patmark human report e1.csv e2.csv e3.csv --systems atlas,borealis --html human.html

      patmark human report answers.csv --scale clarity=1..7 --save human.json.gz
    """
    from patmark import evaluation
    from patmark.judgements import evaluate_judgements, parse_scale, read_human_files

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex, save=save)
    outputs.check([*files, *filter(None, [manifest, testset])])
    settings = evaluation.CompareSettings(
        evaluation.Settings(resamples, seed, by), trials=trials, holm=holm
    )
    names, test_set = _known(systems, manifest, testset)
    data = read_human_files(
        files, form, scales=map(parse_scale, scale or []), systems=names, test_set=test_set
    )
    done = evaluate_judgements(data, settings, whole_segments=not keep_unfinished)
    scores, documents = done.ranking.scores, done.ranking.documents
    deliver(done.to_report(), done.to_json(), scores, documents, outputs)


@human.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="Judgements or preferences.")],
    target: Annotated[str, typer.Argument(metavar="OUT", help="The file or folder to write.")],
    to: Annotated[str, typer.Option("--to", help=f"One of {', '.join(_TARGETS)}.")],
    form: _Format = None,
    scale: _Scales = None,
    only: Annotated[
        str | None,
        typer.Option(help="judgements or preferences, of a file that holds both."),
    ] = None,
    testset: given.TestSetFile = None,
    ref: given.Ref = None,
    src: given.Src = None,
    docs: given.Docs = None,
    hyp: given.Hyp = None,
    lang: given.Lang = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Write over OUT if it exists.")
    ] = False,
    quiet: given.Quiet = False,
) -> None:
    """Turn judgements into another form.

    csv and jsonl hold the judgements themselves. mt-metrics-eval is a folder of texts and human
    scores; pearmut is a campaign with the same texts, criteria and number of evaluators, to judge
    them once more. Both need the texts, as patmark score takes them.

    Examples:

      patmark human convert answers.jsonl judgements.csv --to csv

      patmark human convert judgements.csv folder --to mt-metrics-eval --src s.ja --ref r.en
      --hyp atlas.en --hyp borealis.en --lang ja-en
    """
    from patmark.judgements import (
        check_target,
        convert_rows,
        convert_with_texts,
        parse_scale,
        read_human_files,
    )

    if to not in _TARGETS:
        raise UsageError(f"the form {to!r} is unknown; choose from {', '.join(_TARGETS)}")
    inputs = Inputs([], hyp or [], ref or [], src, docs, testset, lang, False, False)
    if to in ("csv", "jsonl"):
        refuse(f"with --to {to}", {
            "--testset": testset, "--ref": ref, "--src": src, "--docs": docs, "--hyp": hyp,
            "--lang": lang,
        })  # fmt: skip
    inputs.check()
    Outputs(save=target).check([source, *inputs.paths])
    check_target(target, overwrite=overwrite)
    texts = None if to in ("csv", "jsonl") else inputs.read_plain()
    data = read_human_files(
        [source], form, scales=map(parse_scale, scale or []),
        systems=[run.system for run in texts[1]] if texts else None,
        test_set=texts[0] if texts else None,
    )  # fmt: skip
    notes = [*data.notes]
    chosen = _chosen(data.judgements, data.preferences, only)
    if texts is None:
        convert_rows(chosen, to, target)
    else:
        notes += convert_with_texts(chosen, to, target, *texts)
    if not quiet:
        for note in notes:
            say(note)
        say(f"wrote {target}")


def _known(
    systems: str | None, manifest: str | None, testset: str | None
) -> tuple[list[str] | None, TestSet | None]:
    """The systems and segments that may occur; None means any."""
    from patmark import data
    from patmark.data import read_manifest

    named = [name.strip() for name in systems.split(",")] if systems is not None else None
    if named is not None and not all(named):
        raise UsageError(f"--systems: expected names with commas between, found {systems!r}")
    if manifest is not None:
        refuse("with --manifest", {"--systems": systems, "--testset": testset})
        task = read_manifest(manifest)
        return [one.id for one in task.submissions], task.test_set
    if testset is None:
        return named, None
    return named, data.read_test_set(testset, _ANY_LANGUAGE, allow_empty_references=True)[0]


_ANY_LANGUAGE = "en"  # only ids and documents are used


def _chosen(
    judgements: Judgements | None, preferences: Preferences | None, only: str | None
) -> Judgements | Preferences:
    """The one kind that the file holds, or that was asked for."""
    if only not in (None, "judgements", "preferences"):
        raise UsageError(f"--only {only!r}: expected judgements or preferences")
    kinds = {"judgements": judgements, "preferences": preferences}
    held = {name: data for name, data in kinds.items() if data is not None}
    if only is None and len(held) > 1:
        raise UsageError("the file holds judgements and preferences; choose one kind with --only")
    wanted = only or next(iter(held))
    if wanted not in held:
        raise UsageError(f"the file holds no {wanted}")
    return held[wanted]


human.command()(add_evaluator)
human.command()(link)
human.command()(close)
human.command()(reopen)
human.command()(backup)
human.command()(forget)
human.command()(migrate)
