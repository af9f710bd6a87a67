"""patmark claims pairs: from ratings of single claim sets to compared pairs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from patmark.cli.options import Scales
from patmark.cli.output import Tables, deliver
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group

if TYPE_CHECKING:
    from patmark.protocols import ComparedRatings, PairOptions


@group
class RatedClaims(Scales, heading="Inputs"):
    """What was rated."""

    testset: str
    """The reference claims: JSONL {id, references}."""
    hyp: tuple[str, ...]
    """Rated claims: JSONL {id, hypothesis}; NAME=FILE; repeat."""


@group
class Splitting(Options, heading="Pairs"):
    """How pairs are made and split, and where they go."""

    out: str
    """Write pairs.json, and the parts of the split, to this folder."""
    overwrite: bool = False
    """Replace files of the same name in the folder."""
    experts: str = "majority"
    """majority: one label of all experts. each: one pair for each expert."""
    equal_within: float = 0.0
    """Ratings at most this far apart are equal."""
    split: str = "reference"
    """reference: no shared references. random: as in the paper. none."""
    test: float = 0.15
    """Share of the test part."""
    validation: float = 0.1
    """Share of the validation part, of what the test part leaves."""
    seed: int = 0
    """Seed of the order and of the split."""


def pairs(
    *ratings: Annotated[
        str,
        Parameter(
            required=True, help="Ratings: CSV evaluator,system,segment,criterion,value, or others."
        ),
    ],
    rated: RatedClaims,
    splitting: Splitting,
    output: Tables = Tables(),
) -> None:
    """Make compared pairs from ratings of single claim sets, and split them.

    Example:

      patmark claims pairs ratings.csv --testset references.jsonl --hyp draft=draft.jsonl
      --hyp model=model.jsonl --out pairs
    """
    from patmark.claims import SplitPlan
    from patmark.protocols import PairOptions

    files = [hypothesis.partition("=")[2] or hypothesis for hypothesis in rated.hyp]
    output.check([*ratings, rated.testset, *files])
    plan = SplitPlan(
        cast("Any", splitting.split), splitting.test, splitting.validation, splitting.seed
    )
    options = PairOptions(cast("Any", splitting.experts), splitting.equal_within, plan)
    out = Path(splitting.out)
    _check_free(out, splitting.split, splitting.overwrite)
    made = _compared_ratings(ratings, rated, options)
    written = _write_parts(out, made)
    deliver(made, output)
    output.say(f"wrote {', '.join(written)} to {splitting.out}")


def _part_names(split: str) -> list[str]:
    from patmark.claims import PARTS

    return ["pairs.json"] + ([] if split == "none" else [f"{part}.json" for part in PARTS])


def _check_free(out: Path, split: str, overwrite: bool) -> None:
    """Refuse, before any work is done, to write over something."""
    there = [name for name in _part_names(split) if os.path.lexists(out / name)]
    if there and not overwrite:
        raise UsageError(f"{out} holds {', '.join(there)} already; --overwrite replaces them")


def _compared_ratings(
    ratings: Sequence[str], rated: RatedClaims, options: PairOptions
) -> ComparedRatings:
    from patmark import data
    from patmark.judgements import read_judgements
    from patmark.protocols import compare_ratings

    test_set = data.read_jsonl_test_set(rated.testset, "en")
    named = [data.split_name(argument) for argument in rated.hyp]
    runs = [data.read_jsonl_run(path, test_set, name, allow_partial=True) for name, path in named]
    names = [run.system for run in runs]
    if len(set(names)) < len(names):
        raise UsageError(f"two candidates have one name: {', '.join(names)}")
    sources = []
    for path in ratings:
        read = read_judgements(path, scales=rated.scales, systems=names, test_set=test_set)
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
