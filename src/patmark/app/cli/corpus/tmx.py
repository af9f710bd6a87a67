"""patmark corpus tmx: sentence pairs as a translation memory."""

from __future__ import annotations

from typing import Annotated, Literal

from patmark.app.cli.output import Talk, say
from patmark.options import Options, Parameter, group


@group
class TmxOptions(Options, heading="Translation memory"):
    """Options of the translation memory."""

    lang: str
    """Languages as SOURCE-TARGET, e.g. zh-en."""
    out: str
    """Pairs as TMX 1.4 (.tmx)."""
    split: Literal["train", "dev", "test", "all"] = "train"
    """Pairs of a build to write: a split, or all (with dev, test and removed pairs)."""
    min_score: float | None = None
    """Leave out pairs with a lower score."""


def tmx(
    pairs: Annotated[
        str,
        Parameter(
            help="Pairs {id, source, target, score, section}: JSONL or Parquet, the folder of a "
            "build, or one of its splits (.jsonl)."
        ),
    ],
    /,
    *,
    memory: TmxOptions,
    output: Talk = Talk(),
) -> None:
    """Write sentence pairs as a translation memory.

    From a build, the training pairs are written: a memory with the test pairs would reveal them.

    Example:

      patmark corpus tmx collection --lang zh-en --min-score 0.1 --out pairs.tmx
    """
    from patmark.app.commands.corpus import TmxRequest, tmx
    from patmark.report import message_texts

    out = memory.out
    request = TmxRequest(pairs, **vars(memory))
    output.check([pairs], out)
    made = tmx(request)
    warnings = message_texts(made.warnings)
    for line in warnings:
        say(line)
    lines = [f"wrote {out}: {made.pairs} pairs"]
    if made.left_out:
        reasons = ", ".join(f"{name} {count}" for name, count in made.left_out.items())
        divided = made.left_out.keys() - {"score"}
        lines.append(f"left out: {reasons}" + ("; --split chooses" if divided else ""))
    facts = {"pairs": made.pairs, "left_out": made.left_out, "warnings": warnings}
    output.tell({**facts, "out": out}, "\n".join(lines))
