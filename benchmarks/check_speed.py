"""Speed of all checks of facts together, on one core and on several.

    python benchmarks/check_speed.py CASES.jsonl [SEGMENTS] [PROCESSES]

CASES.jsonl has rows with lang, source and translation. They are repeated with other numbers until
there are SEGMENTS (10,000) of them, so that no text occurs twice. Each process scores its share
with the checks numbers, limits, reference-signs, polarity, markers and claim-structure. Prints
segments per second of processor time for one process, and of wall time for all of them.
"""

from __future__ import annotations

import json
import multiprocessing
import re
import sys
import time
from collections import defaultdict
from pathlib import Path

from patmark import Run, Sampling, TestSet, evaluate

_CHECKS = ["numbers", "limits", "reference-signs", "polarity", "markers", "claim-structure"]
LEAST_RATE = 5_000  # segments per second, on all cores
_DIGITS = re.compile(r"\d+")
Rows = list[tuple[str, str]]


def segments(path: Path, wanted: int) -> dict[str, Rows]:
    """Return distinct pairs of texts by languages; copies have other numbers."""
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    cases = [case for case in cases if case["lang"][:2] != case["lang"][3:]]
    found: defaultdict[str, Rows] = defaultdict(list)
    for place in range(wanted):
        case, copy = cases[place % len(cases)], place // len(cases)
        pair = (_renumbered(case[side], copy) for side in ("source", "translation"))
        found[case["lang"]].append((*pair,))  # type: ignore[arg-type]
    return dict(found)


def _renumbered(text: str, copy: int) -> str:
    return _DIGITS.sub(lambda match: str(int(match[0]) + copy), text) if copy else text


def score(rows: dict[str, Rows]) -> float:
    """Score segments with all checks; return the seconds of processor time."""
    began = time.process_time()
    for languages, pairs in rows.items():
        source, target = languages.split("-")
        sources, hypotheses = zip(*pairs, strict=True)
        test_set = TestSet.of(
            [[]] * len(pairs), sources=sources, source_language=source, target_language=target
        )
        evaluate(test_set, [Run("x", hypotheses)], _CHECKS, Sampling(resamples=0))
    return time.process_time() - began


def share(rows: dict[str, Rows], part: int, parts: int) -> dict[str, Rows]:
    """Return every so many-th segment."""
    return {languages: pairs[part::parts] for languages, pairs in rows.items()}


def main() -> int:
    """Time one process and several."""
    path, numbers = Path(sys.argv[1]), [int(one) for one in sys.argv[2:]]
    wanted, processes = (*numbers, *(10_000, 2)[len(numbers) :])
    rows = segments(path, wanted)
    score(share(rows, 0, 50))  # read the table of words
    one = score(rows)
    print(f"{wanted} segments: {wanted / one:,.0f} per second of processor time on one core")
    began = time.perf_counter()
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        spent = pool.map(score, [share(rows, part, processes) for part in range(processes)])
    wall = time.perf_counter() - began
    each = sum(wanted / processes / seconds for seconds in spent)
    reached = each >= LEAST_RATE
    print(
        f"checks of facts, {wanted} segments, {processes} processes: {wanted / wall:,.0f} per "
        f"second of wall time, {each:,.0f} per second of processor time (goal {LEAST_RATE:,})"
        + ("" if reached else "  MISSED")
    )
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
