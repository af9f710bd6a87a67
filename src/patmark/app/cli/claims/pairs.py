"""patmark claims pairs: compared pairs from ratings."""

from __future__ import annotations

from typing import Annotated, Any, cast

from patmark.app.cli.options import Scales
from patmark.app.cli.output import Tables, deliver
from patmark.options import Options, Parameter, group


@group
class RatedClaims(Scales, heading="Inputs"):
    """Rated texts."""

    testset: str
    """The reference claims: JSONL {id, references}."""
    hyp: tuple[str, ...]
    """Rated claims: JSONL {id, hypothesis}; NAME=FILE; repeat."""


@group
class Splitting(Options, heading="Pairs"):
    """Settings of pairs and of their split, and the folder for them."""

    out: str
    """Write pairs.json, and the parts of the split, to this folder."""
    overwrite: bool = False
    """Replace files of the same name in the folder."""
    experts: str = "majority"
    """majority: one label from all experts. each: one pair per expert."""
    equal_within: float = 0.0
    """Largest difference of ratings that counts as a tie."""
    split: str = "reference"
    """reference (parts share no reference), random (as in the paper) or none."""
    test: float = 0.15
    """Share of pairs in the test part."""
    validation: float = 0.1
    """Share of the remaining pairs in the validation part."""
    seed: int = 0
    """Random seed of the order and the split."""


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
    from patmark.app.commands.claims import PairsRequest, make_pairs
    from patmark.claims import SplitPlan
    from patmark.data import split_name

    output.check([*ratings, rated.testset, *(split_name(one)[1] for one in rated.hyp)])
    request = PairsRequest(
        ratings=ratings,
        testset=rated.testset,
        hyp=rated.hyp,
        out=splitting.out,
        overwrite=splitting.overwrite,
        scales=rated.scales,
        experts=cast("Any", splitting.experts),
        equal_within=splitting.equal_within,
        split=SplitPlan(
            cast("Any", splitting.split), splitting.test, splitting.validation, splitting.seed
        ),
    )
    made = make_pairs(request)
    deliver(made, output)
    output.say(f"wrote {', '.join(request.file_names)} to {splitting.out}")
