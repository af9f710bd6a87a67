"""The files of a bench that was built: its rows, its terms, and what people say of the rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from patmark.corpus import (
    Judged,
    PairRow,
    SampledPair,
    merge_judgements,
    read_campaign_judgements,
    read_judged,
    write_sample,
)
from patmark.data import iter_json_lines, read_csv_records, write_atomically, write_csv
from patmark.errors import InputError
from patmark.protocols.patsnap.building import Bench, review_rows

_TERM_FIELDS = (
    "source", "target", "pairs", "source_pairs", "target_pairs", "dice", "dictionary", "lexicon",
    "known",
)  # fmt: skip
_JUDGED = "correct"


def write_bench(
    bench: Bench, out: str, *, terms: str | None = None, review: str | None = None
) -> None:
    """Write the rows; the terms with their evidence and the sheet of the review where wanted."""
    if not bench.rows:
        raise InputError.at("the collection gives no row for any of the labels", out)
    if terms is not None:
        fields = ([getattr(pair, name) for name in _TERM_FIELDS] for pair in bench.terms)
        write_csv(terms, _TERM_FIELDS, fields)
    if review is not None:
        pairs = (
            PairRow(number, source, target, 1.0, label)
            for number, source, target, label in review_rows(bench)
        )
        write_sample(review, (SampledPair(pair, 1, len(bench.rows)) for pair in pairs))
    _write(out, bench.records)


def accepted_rows(
    bench: str, judgements: str, out: str, *, unjudged: bool = False
) -> dict[str, int]:
    """Write the rows that were judged correct, and count what became of all."""
    rows = [fields for _, fields in iter_json_lines(bench)]
    judged = {row.id: row.judgement for row in _judged(judgements, len(rows))}
    strange = [number for number in judged if not number.isdecimal() or int(number) > len(rows)]
    if strange:
        raise InputError.at(f"{strange[0]!r} is no row of {bench}", judgements)
    wanted = {_JUDGED, ""} if unjudged else {_JUDGED}
    verdicts = [judged.get(str(number), "") for number in range(1, len(rows) + 1)]
    kept = [row for row, verdict in zip(rows, verdicts, strict=True) if verdict in wanted]
    if not kept:
        raise InputError.at("no row was judged correct", judgements)
    _write(out, kept)
    return {
        "rows": len(rows),
        "kept": len(kept),
        "correct": verdicts.count(_JUDGED),
        "unjudged": verdicts.count(""),
    }


def _judged(path: str, rows: int) -> list[Judged]:
    """The judgements of a sheet, or those of a campaign."""
    if "evaluator" not in read_csv_records(path)[0].fields:
        return read_judged(path)
    blank = [Judged(str(number), "", 1.0, 1, rows) for number in range(1, rows + 1)]
    return merge_judgements(blank, read_campaign_judgements(path))


def _write(path: str | Path, rows: list[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomically(path, "".join(lines))
