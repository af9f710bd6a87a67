"""Judgements of a sample that people gave in a campaign, as its CSV export holds them.

The sample is the material of the campaign: a segment there is a pair here. Several people may have
judged a pair: the majority counts, and in a tie the worse judgement. Judgements of training,
checks and repeats are set aside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from patmark.corpus.judged_sample import JUDGEMENTS, Judged
from patmark.data import header_problems, named_rows, read_csv_records
from patmark.errors import InputError, Problem

CRITERION = "correctness"
_COLUMNS = ("evaluator", "system", "segment", "criterion", "value")
_OTHERS = ("document", "order", "phase", "comment")
_COUNTED_PHASES = ("", "main")
# worst first, for ties; who is unsure gives way
_WORST_FIRST = ("wrong", "partly", "correct", "unsure")


@dataclass(frozen=True, slots=True)
class CampaignJudgements:
    """The judgements of each pair, and how many others were set aside."""

    name: str
    of_pair: Mapping[str, Sequence[str]]
    set_aside: int

    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        several = [values for values in self.of_pair.values() if len(values) > 1]
        disputed = sum(len(set(values)) > 1 for values in several)
        notes = [
            f"{len(several)} pairs were judged by several people, {disputed} of them differently; "
            "the majority counts, and in a tie the worse judgement."
        ]
        if self.set_aside:
            others = "judgements of training, checks and repeats do not count."
            notes.append(f"{self.set_aside} {others}")
        return tuple(notes)


def read_campaign_judgements(path: str | Path) -> CampaignJudgements:
    """All judgements of each pair; what is wrong with any row is listed."""
    name = str(path)
    problems: list[Problem] = []
    header, *records = read_csv_records(path)
    if wrong := header_problems(header, _COLUMNS, _OTHERS, name):
        raise InputError(wrong)
    found: dict[str, list[str]] = {}
    set_aside = 0
    for line, row in named_rows(records, header, name, problems):
        problems += [Problem(message, name, line) for message in _faults(row)]
        if row.get("phase", "") in _COUNTED_PHASES:
            found.setdefault(row["segment"], []).append(row["value"])
        else:
            set_aside += 1
    if not found and not problems:
        problems.append(Problem("holds no judgement", name))
    if problems:
        raise InputError(problems)
    return CampaignJudgements(name, found, set_aside)


def _faults(row: Mapping[str, str]) -> Iterator[str]:
    if row["criterion"] != CRITERION:
        yield f"criterion {row['criterion']!r}; expected {CRITERION}"
    elif row["value"] not in JUDGEMENTS:
        yield f"value {row['value']!r}; expected {', '.join(JUDGEMENTS)}"


def merge_judgements(sample: Sequence[Judged], campaign: CampaignJudgements) -> list[Judged]:
    """The sample with the judgements of a campaign."""
    known = {row.id for row in sample}
    problems = [
        Problem(f"segment {segment!r} is no pair of the sample", campaign.name)
        for segment in campaign.of_pair
        if segment not in known
    ]
    if any(row.judgement for row in sample):
        problems.append(Problem("the sample has judgements of its own already", campaign.name))
    if problems:
        raise InputError(problems)
    return [replace(row, judgement=_majority(campaign.of_pair.get(row.id, ()))) for row in sample]


def _majority(values: Sequence[str]) -> str:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], _WORST_FIRST.index(value)), default="")
