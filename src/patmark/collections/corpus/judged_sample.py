"""Judgements of a sample of pairs, and the resulting precision of all pairs.

The share of correct pairs is a stratified mean. Its interval is Wilson's, with the effective size 1
/ Σ(weight² / judged) as the number of judgements; this ignores the gain of stratification and is
therefore conservative. Unsure judgements are left out of the main numbers and counted both ways
separately.

Judgements may come from the CSV export of a campaign on the sample: a segment there is a pair here.
If several people judged a pair, the majority counts, and in a tie the worse judgement. Judgements
of training, checks and repeats are ignored.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from patmark.collections.corpus.sampling import SAMPLE_FIELDS
from patmark.data import (
    Estimate,
    file_format,
    header_problems,
    iter_json_lines,
    named_rows,
    read_csv_records,
    write_atomically,
)
from patmark.errors import InputError, Problem
from patmark.evaluation import estimate_json
from patmark.report import Cell, Column, Headline, Report, Result, Table
from patmark.stats import wilson_interval
from patmark.wording import tr

JUDGEMENTS = ("correct", "partly", "wrong", "unsure")
_PAIR = ("source", "target", "section", "family")
_NEEDED = ("id", "judgement", "score", "stratum", "stratum_pairs")
CRITERION = "correctness"
_COLUMNS = ("evaluator", "system", "segment", "criterion", "value")
_OTHERS = ("document", "order", "phase", "comment")
_COUNTED_PHASES = ("", "main")
# worst first, to resolve ties; "unsure" loses to all others
_WORST_FIRST = ("wrong", "partly", "correct", "unsure")
_SCALE = (0.0, 100.0)


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A row of a sample; an empty judgement has not been made yet.

    ``pair`` holds its texts, section and family, as far as the file has them.
    """

    id: str
    judgement: str
    score: float
    stratum: int
    stratum_pairs: int
    pair: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stratum:
    """Judgements of the pairs of one stratum; scores are those of its sampled pairs."""

    number: int
    pairs: int
    lowest: float
    highest: float
    counts: dict[str, int]

    @property
    def decided(self) -> int:
        """Number of judgements without unsure ones."""
        return sum(self.counts[each] for each in JUDGEMENTS if each != "unsure")


@dataclass(frozen=True, slots=True)
class PairPrecision(Result):
    """Shares of correct pairs among all pairs of a collection.

    ``without`` lists the strata without a certain judgement, which are left out. ``sample`` is the
    name of the sample, and ``about`` describes external judgements.
    """

    correct: Estimate
    correct_or_partly: Estimate
    unsure_as_wrong: Estimate
    unsure_as_correct: Estimate
    strata: tuple[Stratum, ...]
    without: tuple[int, ...]
    sample: str = "sample"
    about: tuple[str, ...] = ()

    def count(self, judgement: str) -> int:
        """Count the pairs with a judgement; ``""``: none yet."""
        return sum(stratum.counts[judgement] for stratum in self.strata)

    def to_json(self) -> dict[str, Any]:
        """Return all numbers, in the types that JSON knows."""
        return {
            "pairs": sum(stratum.pairs for stratum in self.strata),
            "sample": sum(sum(stratum.counts.values()) for stratum in self.strata),
            "judged": {name: self.count(name) for name in JUDGEMENTS},
            "not_judged": self.count(""),
            "correct": _estimate_json(self.correct),
            "correct_or_partly": _estimate_json(self.correct_or_partly),
            "unsure_as_wrong": _estimate_json(self.unsure_as_wrong),
            "unsure_as_correct": _estimate_json(self.unsure_as_correct),
            "strata_without_judgement": list(self.without),
            "strata": [
                {
                    "stratum": stratum.number,
                    "pairs": stratum.pairs,
                    "scores": [stratum.lowest, stratum.highest],
                    **{name: stratum.counts[name] for name in JUDGEMENTS},
                    "not_judged": stratum.counts[""],
                    "precision": _estimate_json(top_precision([stratum])[0]),
                    "precision_up_to_here": _estimate_json(top),
                }
                for stratum, top in zip(self.strata, top_precision(self.strata), strict=True)
            ],
        }

    def to_report(self) -> Report:
        """Return headline and tables; shares in per cent."""
        pairs = sum(stratum.pairs for stratum in self.strata)
        judged = sum(self.count(each) for each in JUDGEMENTS)
        return Report(
            title=tr("Precision of sentence pairs"),
            subtitle=tr("{judged} judged pairs stand for {pairs}", judged=judged, pairs=pairs),
            headlines=_headlines(self, self.sample),
            tables=(_overall(self), _by_score(self)),
            signatures={
                "correct": "mean over strata of scores, weighted by their pairs; "
                "95 % interval: Wilson, effective n"
            },
            notes=(*self.about, *_notes(self)),
        )


def read_judged(path: str | Path, *, elsewhere: bool = False) -> list[JudgedPair]:
    """Read the rows of a sample file, CSV or JSON Lines; list all problems.

    A sample without any judgement is refused, unless the judgements are ``elsewhere``.
    """
    name = str(path)
    problems: list[Problem] = []
    rows = _json_rows(path) if file_format(path) == "jsonl" else _csv_rows(path, problems)
    judged: list[JudgedPair] = []
    for line, fields in rows:
        found = list(_faults(fields))
        problems += [Problem(message, name, line) for message in found]
        if not found:
            judged.append(_judged(fields))
    problems += [Problem(message, name) for message in _contradictions(judged)]
    if problems:
        raise InputError(problems)
    if not elsewhere and not any(row.judgement for row in judged):
        raise InputError.at(f"holds no judgement; write {', '.join(JUDGEMENTS)}", name)
    return judged


def _csv_rows(path: str | Path, problems: list[Problem]) -> list[tuple[int, dict[str, str]]]:
    header, *records = read_csv_records(path)
    optional = [name for name in (*SAMPLE_FIELDS, "comment") if name not in _NEEDED]
    found = header_problems(header, _NEEDED, optional, str(path))
    if found:
        raise InputError(found)
    return named_rows(records, header, str(path), problems)


def _json_rows(path: str | Path) -> Iterator[tuple[int, dict[str, str]]]:
    for line, fields in iter_json_lines(path):
        yield line, {name: "" if value is None else str(value) for name, value in fields.items()}


def _faults(fields: dict[str, str]) -> Iterator[str]:
    for name in _NEEDED:
        if name not in fields:
            yield f"field {name!r} is missing"
    judgement = fields.get("judgement", "").strip().lower()
    if judgement not in ("", *JUDGEMENTS):
        yield f"judgement {judgement!r}; expected {', '.join(JUDGEMENTS)}, or nothing"
    for name in ("stratum", "stratum_pairs"):
        if name in fields and not (fields[name].isdecimal() and int(fields[name]) > 0):
            yield f"field {name!r}: expected a whole number above 0, found {fields[name]!r}"
    if "score" in fields and not _is_number(fields["score"]):
        yield f"field 'score': expected a number, found {fields['score']!r}"


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _judged(fields: dict[str, str]) -> JudgedPair:
    return JudgedPair(
        fields["id"],
        fields["judgement"].strip().lower(),
        float(fields["score"]),
        int(fields["stratum"]),
        int(fields["stratum_pairs"]),
        {name: fields[name] for name in _PAIR if fields.get(name)},
    )


def _contradictions(rows: Sequence[JudgedPair]) -> Iterator[str]:
    for identity, times in Counter(row.id for row in rows).items():
        if times > 1:
            yield f"id {identity!r} occurs {times} times"
    sizes: dict[int, int] = {}
    for row in rows:
        if sizes.setdefault(row.stratum, row.stratum_pairs) != row.stratum_pairs:
            yield f"stratum {row.stratum} has {sizes[row.stratum]} and {row.stratum_pairs} pairs"


def write_correct_pairs(path: str | Path, rows: Iterable[JudgedPair]) -> int:
    """Write the pairs judged correct as a test set; return their number.

    The document of a pair is its family, so that sentences of one patent stay together.
    """
    correct = [row for row in rows if row.judgement == "correct"]
    bare = [row.id for row in correct if not {"source", "target"} <= row.pair.keys()]
    if bare or not correct:
        said = f"pair {bare[0]!r} has no texts in the sample" if bare else "no pair is correct"
        raise InputError.at(f"no test set can be written: {said}", str(path))
    segments = (
        {
            "id": row.id,
            "document": row.pair.get("family"),
            "source": row.pair["source"],
            "references": [row.pair["target"]],
            "meta": {"section": row.pair.get("section"), "score": row.score},
        }
        for row in correct
    )
    lines = (json.dumps(each, ensure_ascii=False) + "\n" for each in segments)
    write_atomically(path, "".join(lines))
    return len(correct)


def precision(
    rows: Iterable[JudgedPair], sample: str = "sample", about: tuple[str, ...] = ()
) -> PairPrecision:
    """Estimate the precision of all pairs that the sample was drawn from."""
    strata = _strata(list(rows))
    return PairPrecision(
        _share(strata, lambda counts: counts["correct"]),
        _share(strata, lambda counts: counts["correct"] + counts["partly"]),
        _share(strata, lambda counts: counts["correct"], with_unsure=True),
        _share(strata, lambda counts: counts["correct"] + counts["unsure"], with_unsure=True),
        strata,
        tuple(stratum.number for stratum in strata if not stratum.decided),
        sample,
        about,
    )


def top_precision(strata: Sequence[Stratum]) -> list[Estimate]:
    """Return the share of correct pairs in the first stratum, the first two, and so on."""
    return [
        _share(strata[: number + 1], lambda counts: counts["correct"])
        for number in range(len(strata))
    ]


def _strata(rows: Sequence[JudgedPair]) -> tuple[Stratum, ...]:
    found: list[Stratum] = []
    for number in sorted({row.stratum for row in rows}):
        own = [row for row in rows if row.stratum == number]
        scores = [row.score for row in own]
        counts = Counter(row.judgement for row in own)
        every = {name: counts[name] for name in (*JUDGEMENTS, "")}
        found.append(Stratum(number, own[0].stratum_pairs, min(scores), max(scores), every))
    return tuple(found)


def _share(
    strata: Sequence[Stratum], good: Callable[[dict[str, int]], int], with_unsure: bool = False
) -> Estimate:
    """Return a weighted share with its interval; NaN without a judgement that counts."""
    parts = [
        (stratum.pairs, stratum.decided + with_unsure * stratum.counts["unsure"], stratum.counts)
        for stratum in strata
    ]
    used = [(pairs, n, good(counts)) for pairs, n, counts in parts if n]
    total = sum(pairs for pairs, _, _ in used)
    if not used:
        return Estimate(math.nan)
    share = min(1.0, sum(pairs / total * hits / n for pairs, n, hits in used))
    effective = 1 / sum((pairs / total) ** 2 / n for pairs, n, _ in used)
    return Estimate(share, wilson_interval(share, effective), sum(n for _, n, _ in used))


def _estimate_json(estimate: Estimate) -> dict[str, Any] | None:
    return None if math.isnan(estimate.value) else estimate_json(estimate)


@dataclass(frozen=True, slots=True)
class CampaignJudgements:
    """The judgements of each pair, and the number of ignored ones."""

    name: str
    of_pair: Mapping[str, Sequence[str]]
    set_aside: int

    def notes(self) -> tuple[str, ...]:
        """Return notes on disputed and ignored judgements."""
        several = [values for values in self.of_pair.values() if len(values) > 1]
        disputed = sum(len(set(values)) > 1 for values in several)
        notes = [
            tr(
                "{n} pairs were judged by several people, {disputed} of them differently; the "
                "majority counts, and in a tie the worse judgement.",
                n=len(several),
                disputed=disputed,
            )
        ]
        if self.set_aside:
            notes.append(
                tr(
                    "{n} judgements of training, checks and repeats do not count.",
                    n=self.set_aside,
                )
            )
        return tuple(notes)


def read_campaign_judgements(path: str | Path) -> CampaignJudgements:
    """Read all judgements of each pair; list the problems of all rows."""
    name = str(path)
    problems: list[Problem] = []
    header, *records = read_csv_records(path)
    if wrong := header_problems(header, _COLUMNS, _OTHERS, name):
        raise InputError(wrong)
    found: dict[str, list[str]] = {}
    set_aside = 0
    for line, row in named_rows(records, header, name, problems):
        problems += [Problem(message, name, line) for message in _campaign_faults(row)]
        if row.get("phase", "") in _COUNTED_PHASES:
            found.setdefault(row["segment"], []).append(row["value"])
        else:
            set_aside += 1
    if not found and not problems:
        problems.append(Problem("holds no judgement", name))
    if problems:
        raise InputError(problems)
    return CampaignJudgements(name, found, set_aside)


def _campaign_faults(row: Mapping[str, str]) -> Iterator[str]:
    if row["criterion"] != CRITERION:
        yield f"criterion {row['criterion']!r}; expected {CRITERION}"
    elif row["value"] not in JUDGEMENTS:
        yield f"value {row['value']!r}; expected {', '.join(JUDGEMENTS)}"


def merge_judgements(
    sample: Sequence[JudgedPair], campaign: CampaignJudgements
) -> list[JudgedPair]:
    """Add the judgements of a campaign to the sample."""
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


def _headlines(result: PairPrecision, name: str) -> tuple[Headline, ...]:
    if math.isnan(result.correct.value):
        return ()
    return (
        Headline(
            name, tr("correct pairs (%)"), _percent(result.correct), meaning=tr("of all pairs")
        ),
    )


def _percent(estimate: Estimate) -> Estimate:
    ci = None if estimate.ci is None else (100 * estimate.ci[0], 100 * estimate.ci[1])
    return Estimate(100 * estimate.value, ci, estimate.n)


def _cell(estimate: Estimate) -> Cell:
    return None if math.isnan(estimate.value) else _percent(estimate)


def _overall(result: PairPrecision) -> Table:
    rows = (
        (tr("correct"), result.correct),
        (tr("correct or partly"), result.correct_or_partly),
        (tr("correct, unsure counted as wrong"), result.unsure_as_wrong),
        (tr("correct, unsure counted as correct"), result.unsure_as_correct),
    )
    return Table(
        tr("Shares of all pairs"),
        (Column(tr("share")), Column("%", 1, _SCALE), Column(tr("judgements"), 0)),
        tuple((label, _cell(estimate), estimate.n) for label, estimate in rows),
        tr("Unsure judgements are left out of the first two rows."),
    )


def _by_score(result: PairPrecision) -> Table:
    """Tabulate strata, best scores first, with the precision of a cut below each."""
    columns = (
        Column(tr("stratum"), 0),
        Column(tr("pairs"), 0),
        Column(tr("scores from"), 4),
        Column(tr("to"), 4),
        *(Column(each, 0) for each in JUDGEMENTS),
        Column(tr("correct %"), 1, _SCALE),
        Column(tr("correct %, cut here"), 1, _SCALE),
    )
    rows: list[tuple[Cell, ...]] = []
    for stratum, top in zip(result.strata, top_precision(result.strata), strict=True):
        alone = top_precision([stratum])[0]
        rows.append(
            (
                stratum.number,
                stratum.pairs,
                stratum.lowest,
                stratum.highest,
                *(stratum.counts[each] for each in JUDGEMENTS),
                _cell(alone),
                _cell(top),
            )
        )
    note = tr(
        "Stratum 1 holds the best scores. The last column is the share correct if all strata "
        "below are cut off."
    )
    return Table(tr("By score"), columns, tuple(rows), note)


def _notes(result: PairPrecision) -> tuple[str, ...]:
    notes: list[str] = []
    if result.count(""):
        notes.append(tr("{count} pairs of the sample are not judged yet.", count=result.count("")))
    if result.count("unsure"):
        notes.append(tr("{count} pairs were judged as unsure.", count=result.count("unsure")))
    if result.without:
        strata = tuple(map(str, result.without))
        notes.append(
            tr("Stratum {strata} has no certain judgement and is left out.", strata=strata)
        )
    return tuple(notes)
