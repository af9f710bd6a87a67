"""patmark claims pairs: from ratings of single claim sets to compared pairs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import typer

from patmark.cli import options as given
from patmark.cli.output import Outputs, deliver_report, say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.claims import ComparedRatings, PairOptions

_Ratings: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="RATINGS...",
        help="Ratings: CSV evaluator,system,segment,criterion,value, or others.",
    ),
]
_References: TypeAlias = Annotated[
    str, typer.Option("--testset", help="The reference claims: JSONL {id, references}.")
]
_Candidates: TypeAlias = Annotated[
    list[str], typer.Option("--hyp", help="Rated claims: JSONL {id, hypothesis}; NAME=FILE.")
]
_Folder: TypeAlias = Annotated[
    str, typer.Option(help="Write pairs.json, and the parts of the split, to this folder.")
]
_Overwrite: TypeAlias = Annotated[
    bool, typer.Option("--overwrite", help="Replace files of the same name in the folder.")
]
_Scale: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="The scale of another criterion, e.g. style=1..5.")
]
_Experts: TypeAlias = Annotated[
    str, typer.Option(help="majority: one label of all experts. each: one pair for each expert.")
]
_EqualWithin: TypeAlias = Annotated[
    float, typer.Option(help="Ratings at most this far apart are equal.")
]
_Split: TypeAlias = Annotated[
    str, typer.Option(help="reference: no shared references. random: as in the paper. none.")
]
_Test: TypeAlias = Annotated[float, typer.Option(help="Share of the test part.")]
_Validation: TypeAlias = Annotated[
    float, typer.Option(help="Share of the validation part, of what the test part leaves.")
]
_PairSeed: TypeAlias = Annotated[int, typer.Option(help="Seed of the order and of the split.")]


def pairs(
    ratings: _Ratings,
    testset: _References,
    hyp: _Candidates,
    out: _Folder,
    overwrite: _Overwrite = False,
    scale: _Scale = None,
    experts: _Experts = "majority",
    equal_within: _EqualWithin = 0.0,
    split: _Split = "reference",
    test: _Test = 0.15,
    validation: _Validation = 0.1,
    seed: _PairSeed = 0,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    latex: given.Latex = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Make compared pairs from ratings of single claim sets, and split them.

    Example:

      patmark claims pairs ratings.csv --testset references.jsonl --hyp draft=draft.jsonl
      --hyp model=model.jsonl --out pairs
    """
    from patmark.claims import PairOptions, SplitPlan

    outputs = Outputs(as_json, quiet, full, html, csv, md, latex)
    files = [hypothesis.partition("=")[2] or hypothesis for hypothesis in hyp]
    outputs.check([*ratings, testset, *files])
    plan = SplitPlan(cast("Any", split), test, validation, seed)
    options = PairOptions(cast("Any", experts), equal_within, plan)
    _check_free(Path(out), split, overwrite)
    made = _compared_ratings(ratings, testset, hyp, scale or [], options)
    written = _write_parts(Path(out), made)
    deliver_report(made.to_report(), made.to_json(), outputs)
    if not (as_json or quiet):
        say(f"wrote {', '.join(written)} to {out}")


def _part_names(split: str) -> list[str]:
    from patmark.claims import PARTS

    return ["pairs.json"] + ([] if split == "none" else [f"{part}.json" for part in PARTS])


def _check_free(out: Path, split: str, overwrite: bool) -> None:
    """Refuse, before any work is done, to write over something."""
    there = [name for name in _part_names(split) if os.path.lexists(out / name)]
    if there and not overwrite:
        raise UsageError(f"{out} holds {', '.join(there)} already; --overwrite replaces them")


def _compared_ratings(
    ratings: list[str], testset: str, hyp: list[str], scale: list[str], options: PairOptions
) -> ComparedRatings:
    from patmark import data, judgements
    from patmark.claims import compare_ratings

    test_set = data.read_jsonl_test_set(testset, "en")
    named = [data.split_name(argument) for argument in hyp]
    runs = [data.read_jsonl_run(path, test_set, name, allow_partial=True) for name, path in named]
    names = [run.system for run in runs]
    if len(set(names)) < len(names):
        raise UsageError(f"two candidates have one name: {', '.join(names)}")
    scales = [judgements.parse_scale(text) for text in scale]
    sources = []
    for path in ratings:
        read = judgements.read_judgements(path, scales=scales, systems=names, test_set=test_set)
        if read.judgements is None:
            raise UsageError(f"{path} holds preferences; expected ratings of single claim sets")
        sources.append(read.judgements)
    return compare_ratings(sources, test_set, runs, options)


def _write_parts(out: Path, made: ComparedRatings) -> list[str]:
    from patmark.data import write_claim_pairs
    from patmark.errors import InputError

    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.at(f"cannot be made: {error.strerror}", str(out)) from None
    write_claim_pairs(out / "pairs.json", made.pairs.pairs)
    for part, places in made.parts.items():
        write_claim_pairs(out / f"{part}.json", [made.pairs.pairs[place] for place in places])
    return _part_names(made.options.split.by)
