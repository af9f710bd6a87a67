"""The files of a built bench: its rows, its terms, and the review of the rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from patmark.collections.corpus import (
    JudgedPair,
    PairRow,
    SampledPair,
    merge_judgements,
    read_campaign_judgements,
    read_judged,
    write_sample,
)
from patmark.data import iter_json_lines, read_csv_records, write_atomically, write_csv
from patmark.errors import InputError, Problem
from patmark.protocols.patsnap.bench_files import ABSENT
from patmark.protocols.patsnap.building import Bench

_TERM_FIELDS = (
    "source", "target", "pairs", "source_pairs", "target_pairs", "dice", "dictionary", "lexicon",
    "known",
)  # fmt: skip
_JUDGED = "correct"
_MOST_NAMED = 5


def write_bench(
    bench: Bench, out: str, *, terms: str | None = None, review: str | None = None
) -> None:
    """Write the rows; write the terms with their evidence and the review sheet if requested."""
    if not bench.rows:
        raise InputError.at("the collection gives no row for any of the labels", out)
    if terms is not None:
        fields = ([getattr(pair, name) for name in _TERM_FIELDS] for pair in bench.terms)
        write_csv(terms, _TERM_FIELDS, fields)
    if review is not None:
        pairs = (
            PairRow(number, source, target, 1.0, label)
            for number, source, target, label in _review_rows(bench)
        )
        write_sample(review, (SampledPair(pair, 1, len(bench.rows)) for pair in pairs))
    _write(out, bench.records)


def accepted_rows(
    bench: str, judgements: str, out: str, *, unjudged: bool = False
) -> dict[str, int]:
    """Write the rows judged correct, and count the outcomes of all."""
    rows = [fields for _, fields in iter_json_lines(bench)]
    reviewed = _judged(judgements, len(rows))
    judged = {row.id: row.judgement for row in reviewed}
    problems = [
        Problem(f"row {row.id}: {doubt}, so that this is the review of another bench", judgements)
        for row in reviewed
        if (doubt := _strange(row, rows))
    ]
    if problems:
        raise InputError(problems[:_MOST_NAMED])
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


def _strange(row: JudgedPair, rows: Sequence[Mapping[str, Any]]) -> str:
    if row.id not in map(str, range(1, len(rows) + 1)):
        return "the bench has no such row"
    texts = [text for value in rows[int(row.id) - 1].values() for text in _texts(value)]
    seen = row.pair.get("source", "")
    return "" if not seen or any(seen.endswith(text) for text in texts) else "it has another text"


def _texts(value: Any) -> list[str]:
    """Return a field that may be the source text."""
    return [value] if isinstance(value, str) and len(value) > 1 and value != ABSENT else []


def _judged(path: str, rows: int) -> list[JudgedPair]:
    if "evaluator" not in read_csv_records(path)[0].fields:
        return read_judged(path)
    blank = [JudgedPair(str(number), "", 1.0, 1, rows) for number in range(1, rows + 1)]
    return merge_judgements(blank, read_campaign_judgements(path))


def _write(path: str | Path, rows: list[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomically(path, "".join(lines))


def _review_rows(bench: Bench) -> Iterable[tuple[str, str, str, str]]:
    """Yield rows for a review: number, source, target, label; terms precede texts."""
    for number, row in enumerate(bench.rows, 1):
        source, target = row.source, row.target or ""
        if row.special and row.label != "special_sentence":
            before, after = (
                special if isinstance(special, str) else " · ".join(special)
                for special in row.special
            )
            source, target = f"[{before}] {source}", f"[{after}] {target}"
        yield str(number), source, target, row.label
