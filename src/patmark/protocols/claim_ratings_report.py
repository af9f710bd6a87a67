"""What compared ratings look like: balance of the labels, lengths of the texts, parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from patmark.protocols.claim_ratings import ComparedRatings
from patmark.protocols.claim_splits import split_table
from patmark.report import Cell, Column, Report, Table

_LEAK = "pairs whose reference is also in train"


def ratings_json(made: ComparedRatings) -> dict[str, Any]:
    """The machine-readable result."""
    options = made.options
    return {
        "pairs": len(made.pairs),
        "references": len(set(made.pairs.reference_keys)),
        "balance": label_balance(made),
        "lengths": text_lengths(made),
        "splits": split_table(made.pairs.reference_keys, made.parts),
        "settings": {
            "experts": options.experts, "equal_within": options.equal_within,
            "split": options.split.by, "test": options.split.test,
            "validation": options.split.validation, "seed": options.split.seed,
        },
        "notes": _notes(made),
    }  # fmt: skip


def ratings_report(made: ComparedRatings) -> Report:
    """Balance, lengths, and the parts if there are any."""
    references = len(set(made.pairs.reference_keys))
    split = made.options.split
    tables = [_balance_table(made), _length_table(made)]
    tables += [_split_table(made)] if made.parts else []
    return Report(
        title="Claim pairs from ratings",
        subtitle=f"{made.pairs.name} · {len(made.pairs)} pairs · {references} references",
        headlines=(),
        tables=tuple(tables),
        signatures={
            "labels": f"experts:{made.options.experts}|equal within:{made.options.equal_within:g}",
            "split": f"by:{split.by}|test:{split.test:g}|validation:{split.validation:g}"
            f"|seed:{split.seed}",
        },
        notes=tuple(_notes(made)),
    )


def label_balance(made: ComparedRatings) -> list[dict[str, Any]]:
    """For each criterion: A better, equal, B better; and pairs without a majority among equals."""
    rows = []
    for criterion in made.pairs.criteria:
        found = Counter(
            pair.labels[criterion] for pair in made.pairs.pairs if criterion in pair.labels
        )
        rows.append(
            {
                "criterion": criterion, "A": found[1], "equal": found[0], "B": found[-1],
                "undecided": made.undecided.get(criterion, 0),
            }
        )  # fmt: skip
    return rows


def text_lengths(made: ComparedRatings) -> list[dict[str, Any]]:
    """Words between blanks, of each reference once and of both candidates of each pair."""
    pairs = made.pairs.pairs
    references = list({pair.reference_key for pair in pairs})
    candidates = [text for pair in pairs for text in (pair.first, pair.second)]
    return [_lengths("references", references), _lengths("candidates", candidates)]


def _lengths(texts_of: str, texts: Sequence[str]) -> dict[str, Any]:
    words = np.array([len(text.split()) for text in texts])
    return {
        "texts": texts_of, "n": len(words), "min": int(words.min()), "mean": float(words.mean()),
        "median": float(np.median(words)), "max": int(words.max()),
        "sd": float(words.std(ddof=1)) if len(words) > 1 else None,
    }  # fmt: skip


def _notes(made: ComparedRatings) -> list[str]:
    notes = list(made.notes)
    leaked = sum(row["leaked"] for row in split_table(made.pairs.reference_keys, made.parts))
    if leaked:
        notes.append(
            f"{leaked} pairs of the validation and test parts share a reference with the training "
            "part: a trained metric may know them. A split by reference avoids this."
        )
    undecided = sum(made.undecided.values())
    if undecided:
        notes.append(f"{undecided} labels are equal because experts are split without a majority.")
    same = sum(pair.first == pair.second for pair in made.pairs.pairs)
    if same:
        notes.append(f"In {same} pairs both candidates are the same text.")
    return notes


def _balance_table(made: ComparedRatings) -> Table:
    columns = (
        Column("criterion"), Column("A better", 0), Column("equal", 0), Column("B better", 0),
        Column("of them undecided", 0),
    )  # fmt: skip
    return Table("Balance of the labels", columns, _cells(label_balance(made)))


def _length_table(made: ComparedRatings) -> Table:
    columns = (
        Column("words in"), Column("n", 0), Column("min", 0), Column("mean", 1),
        Column("median", 1), Column("max", 0), Column("SD", 1),
    )  # fmt: skip
    return Table("Lengths", columns, _cells(text_lengths(made)), "Words between blanks.")


def _split_table(made: ComparedRatings) -> Table:
    columns = (Column("part"), Column("pairs", 0), Column("references", 0), Column(_LEAK, 0))
    rows = _cells(split_table(made.pairs.reference_keys, made.parts))
    return Table(f"Split by {made.options.split.by}", columns, rows)


def _cells(rows: Sequence[dict[str, Any]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(row.values()) for row in rows)
