"""What patmark corpus align shows and writes: beads side by side, JSON, and a summary."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from patmark.cli.output import say
from patmark.errors import InputError, Problem

if TYPE_CHECKING:
    from patmark.corpus.alignment import AlignmentQuality, Bead
    from patmark.data import FloatArray


@dataclass(frozen=True, slots=True)
class Texts:
    """The sentences of both sides."""

    source: Sequence[str]
    target: Sequence[str]

    @classmethod
    def read(cls, source: str, target: str) -> Texts:
        from patmark.data import read_lines

        texts = cls(read_lines(source), read_lines(target))
        empty = [path for path, side in ((source, texts.source), (target, texts.target))
                 if not any(line.strip() for line in side)]  # fmt: skip
        if empty:
            raise InputError([Problem("holds no sentence", path) for path in empty])
        return texts


@dataclass(frozen=True, slots=True)
class Result:
    """Beads with what else is known about them."""

    texts: Texts
    beads: Sequence[Bead]
    sim: FloatArray | None
    signature: str


def deliver_beads(
    result: Result, quality: AlignmentQuality | None, out: str | None,
    *, shown: int, as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Write the file that was asked for; print JSON, or the first beads and a summary."""
    if out is not None:
        _write(out, result)
    if as_json:
        print(json.dumps(_json(result, quality), ensure_ascii=False, indent=2))
    elif not quiet and out != "-":
        _print(result, quality, shown)
        if out is not None:
            say(f"wrote {out}")


def _rows(result: Result) -> list[dict[str, Any]]:
    """Beads for JSON; SIM and SntScore where there is a dictionary."""
    from patmark.corpus.alignment import snt_scores

    rows: list[dict[str, Any]] = [
        {"src": list(bead.source), "tgt": list(bead.target), "score": bead.score}
        for bead in result.beads
    ]
    if result.sim is not None:
        for row, sim, score in zip(rows, result.sim, snt_scores(result.sim), strict=True):
            row |= {"sim": float(sim), "sntscore": float(score)}
    return rows


def _json(result: Result, quality: AlignmentQuality | None) -> dict[str, Any]:
    from patmark.corpus.alignment import avsim, count_ratio

    scored = {} if quality is None else {
        "strict": quality.strict.to_json(), "lax": quality.lax.to_json()
    }  # fmt: skip
    return {
        "beads": _rows(result),
        "avsim": None if result.sim is None else avsim(result.sim),
        "ratio": count_ratio(len(result.texts.source), len(result.texts.target)),
        **scored,
        "signature": result.signature,
    }


def _sides(result: Result, bead: Bead) -> tuple[str, str]:
    return (
        " ".join(result.texts.source[place] for place in bead.source),
        " ".join(result.texts.target[place] for place in bead.target),
    )


def _write(out: str, result: Result) -> None:
    from patmark.data import write_atomically

    lines = []
    for row, bead in zip(_rows(result), result.beads, strict=True):
        source, target = _sides(result, bead)
        if out.endswith(".tsv"):
            numbers = [",".join(map(str, side)) for side in (bead.source, bead.target)]
            texts = [" ".join(text.split()) for text in (source, target)]
            lines.append("\t".join([*numbers, f"{bead.score:.6g}", *texts]))
        else:
            whole = {**row, "source": source, "target": target}
            lines.append(json.dumps(whole, ensure_ascii=False))
    header = ["src\ttgt\tscore\tsource\ttarget"] if out.endswith(".tsv") else []
    write_atomically(out, "\n".join([*header, *lines]) + "\n")


def _print(result: Result, quality: AlignmentQuality | None, shown: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("kind", "score", show_lines=True)
    for side in ("source", "target"):
        table.add_column(side, overflow="fold")
    for bead in result.beads[:shown]:
        table.add_row(bead.kind, f"{bead.score:.3f}", *map(Text, _sides(result, bead)))
    console = Console() if sys.stdout.isatty() else Console(width=120)
    if shown:
        console.print(table)
    for line in _summary(result, quality, shown):
        print(line)


def _summary(result: Result, quality: AlignmentQuality | None, shown: int) -> list[str]:
    from patmark.corpus.alignment import avsim

    kinds = Counter(bead.kind for bead in result.beads)
    listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    sizes = f"{len(result.texts.source)} × {len(result.texts.target)} sentences"
    lines = [f"{sizes}: {len(result.beads)} beads ({listed})"]
    if len(result.beads) > shown:
        lines.append(f"the first {shown} are shown; --show N shows more, --out writes all")
    if result.sim is not None:
        lines.append(f"AVSIM {avsim(result.sim):.4f}")
    if quality is not None:
        for name, each in (("strict", quality.strict), ("lax", quality.lax)):
            lines.append(f"{name}: precision {each.precision:.4f}, recall {each.recall:.4f}, "
                         f"F1 {each.f1:.4f}")  # fmt: skip
    return [*lines, result.signature]
