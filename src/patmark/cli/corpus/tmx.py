"""patmark corpus tmx: sentence pairs for the tools of translators."""

from __future__ import annotations

from typing import Annotated

from patmark.cli.output import Talk
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group


@group
class Memory(Options, heading="Translation memory"):
    """Where pairs go, and in which languages they are."""

    lang: str
    """Languages as SOURCE-TARGET, e.g. zh-en."""
    out: str
    """Pairs as TMX 1.4 (.tmx)."""
    min_score: float | None = None
    """Leave out pairs with a lower score."""


def tmx(
    pairs: Annotated[
        str, Parameter(help="Pairs {id, source, target, score, section}: JSONL or Parquet.")
    ],
    /,
    *,
    memory: Memory,
    output: Talk = Talk(),
) -> None:
    """Write sentence pairs as a translation memory.

    Example:

      patmark corpus tmx collection/pairs.parquet --lang zh-en --min-score 0.1 --out pairs.tmx
    """
    from patmark.corpus import pairs_to_tmx
    from patmark.data import language_pair

    source, target = language_pair(memory.lang)
    if source is None:
        raise UsageError(f"--lang {memory.lang}: expected both languages, e.g. zh-en")
    out = memory.out
    output.check([pairs], out)
    count = pairs_to_tmx(pairs, out, (source, target), memory.min_score)
    output.tell({"pairs": count, "out": out}, f"wrote {out}: {count} pairs")
