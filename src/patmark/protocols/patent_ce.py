"""Patent-CE: compared pairs from absolute ratings of claims, as in its data.

Ranks transfer better between experts than scores do, so only ratings of one expert for one
reference are compared: candidates B and C of reference A become a quadruplet (A, B, C, y), y = 1 if
B was rated higher, 0 if equal, -1 if lower, for each criterion. The order of the candidates is
random. In files, B is called A and C is called B.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from patmark.claims import SplitPlan, split_pairs, split_table
from patmark.data import (
    CRITERION_WEIGHTS,
    QUALITY,
    ClaimPair,
    ClaimPairs,
    IntArray,
    Run,
    TestSet,
    overall_quality,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.human.judgements import Judgements
from patmark.report import Cell, Column, Report, Result, Table, sentences
from patmark.wording import tr

Experts: TypeAlias = Literal["majority", "each"]
_Ratings: TypeAlias = Mapping[str, Mapping[str, float]]
_Rated: TypeAlias = Mapping[str, Mapping[str, _Ratings]]
_DIGITS = 9
_PART_COUNTS = tr("pairs"), tr("references"), tr("pairs whose reference is also in train")


@dataclass(frozen=True, slots=True)
class PairOptions:
    """Rule that converts ratings to labels.

    ``experts`` "majority" makes one pair of two candidates, with the label of most experts; "each"
    makes one for every expert. Ratings at most ``equal_within`` apart are equal.
    """

    experts: Experts = "majority"
    equal_within: float = 0.0
    split: SplitPlan = field(default_factory=SplitPlan)

    def __post_init__(self) -> None:
        if self.experts not in get_args(Experts):
            choices = ", ".join(get_args(Experts))
            raise UsageError(f"experts={self.experts!r} is unknown; choose from {choices}")
        if not self.equal_within >= 0:
            raise UsageError(f"a difference must not be negative: {self.equal_within}")


@dataclass(frozen=True, slots=True)
class ComparedRatings(Result):
    """The pairs, their split, and notes.

    ``undecided`` counts, for each criterion, pairs without a majority of experts; they are labelled
    equal.
    """

    pairs: ClaimPairs
    parts: Mapping[str, IntArray]
    undecided: Mapping[str, int]
    options: PairOptions
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        options = self.options
        return {
            "pairs": len(self.pairs),
            "references": len(set(self.pairs.reference_keys)),
            "balance": _label_balance(self),
            "lengths": text_lengths(self.pairs.pairs),
            "splits": split_table(self.pairs.reference_keys, self.parts),
            "settings": {
                "experts": options.experts,
                "equal_within": options.equal_within,
                "split": options.split.by,
                "test": options.split.test,
                "validation": options.split.validation,
                "seed": options.split.seed,
            },
            "notes": _all_notes(self),
        }

    def to_report(self) -> Report:
        """Return balance, lengths, and the parts if there are any."""
        references = len(set(self.pairs.reference_keys))
        options, split = self.options, self.options.split
        counts = (tr("A better"), tr("equal"), tr("B better"), tr("of them undecided"))
        columns = (Column(tr("criterion")), *(Column(name, 0) for name in counts))
        balance = Table(tr("Balance of the labels"), columns, _cells(_label_balance(self)))
        tables = [balance, _length_table(self)]
        if self.parts:
            columns = (Column(tr("part")), *(Column(name, 0) for name in _PART_COUNTS))
            rows = _cells(split_table(self.pairs.reference_keys, self.parts))
            tables.append(Table(tr("Split by {by}", by=split.by), columns, rows))
        return Report(
            title=tr("Claim pairs from ratings"),
            subtitle=tr(
                "{name} · {n} pairs · {references} references",
                name=self.pairs.name,
                n=len(self.pairs),
                references=references,
            ),
            headlines=(),
            tables=tuple(tables),
            signatures={
                "labels": f"experts:{options.experts}|equal within:{options.equal_within:g}",
                "split": f"by:{split.by}|test:{split.test:g}|validation:{split.validation:g}"
                f"|seed:{split.seed}",
            },
            notes=tuple(_all_notes(self)),
        )


def compare_ratings(
    sources: Sequence[Judgements],
    test_set: TestSet,
    runs: Sequence[Run],
    options: PairOptions | None = None,
) -> ComparedRatings:
    """Compare the ratings of each expert in each source; runs hold the rated claims."""
    options = options or PairOptions()
    rated = _by_reference(sources)
    origins = _derive_quality(rated)
    _check_texts(rated, test_set, runs)
    rng = np.random.default_rng(options.split.seed)
    pairs: list[ClaimPair] = []
    undecided: Counter[str] = Counter()
    for place, segment in enumerate(test_set):
        for first, second in combinations(runs, 2):
            for votes, about in _votes(rated[segment.id], first.system, second.system, options):
                labels = {name: _label(votes[name]) for name in votes}
                undecided.update(name for name, label in labels.items() if label is None)
                sides = (first, second) if rng.integers(2) else (second, first)
                sign = 1 if sides[0] is first else -1
                pairs.append(
                    ClaimPair(
                        segment.references[0],
                        sides[0].texts[place],
                        sides[1].texts[place],
                        {_shown(name): sign * (label or 0) for name, label in labels.items()},
                        {"reference": segment.id, "A": sides[0].system, "B": sides[1].system}
                        | about,
                    )
                )
    if not pairs:
        raise UsageError("no expert rated two candidates of one reference by the same criterion")
    made = ClaimPairs(tuple(pairs), test_set.name)
    shown = {_shown(name): count for name, count in undecided.items()}
    parts = split_pairs(made.reference_keys, options.split)
    return ComparedRatings(made, parts, shown, options, tuple(_source_notes(sources, origins)))


def _by_reference(
    sources: Sequence[Judgements],
) -> defaultdict[str, dict[str, dict[str, dict[str, float]]]]:
    """Return reference → expert → candidate → criterion → rating, main phase only.

    An expert is identified by source and evaluator: two sources may use one name for two people.
    """
    rated: defaultdict[str, dict[str, dict[str, dict[str, float]]]] = defaultdict(dict)
    for source in sources:
        for row in source.in_phase("main").rows:
            grade = source.scale(row.criterion).grade(row.value)
            if grade is None:
                raise InputError.at(f"{row.value!r} is not a grade", source.name, row.line)
            expert = f"{source.name}: {row.evaluator}" if len(sources) > 1 else row.evaluator
            candidates = rated[row.segment].setdefault(expert, {})
            candidates.setdefault(row.system, {})[row.criterion] = grade
    return rated


def _derive_quality(rated: Mapping[str, dict[str, dict[str, dict[str, float]]]]) -> Counter[str]:
    """Add quality if an expert rated the four criteria of a candidate, but not quality.

    Count ratings whose quality was rated, derived, or unknown for lack of a criterion.
    """
    origins: Counter[str] = Counter()
    for experts in rated.values():
        for candidates in experts.values():
            for ratings in candidates.values():
                if QUALITY in ratings:
                    origins["rated"] += 1
                elif set(CRITERION_WEIGHTS) <= set(ratings):
                    ratings[QUALITY] = overall_quality(ratings)
                    origins["derived"] += 1
                else:
                    origins["unknown"] += 1
    return origins


def _check_texts(rated: _Rated, test_set: TestSet, runs: Sequence[Run]) -> None:
    texts = {run.system: run.hypotheses for run in runs}
    places = {segment.id: place for place, segment in enumerate(test_set)}
    problems = []
    for identity, experts in rated.items():
        if identity not in places:
            problems.append(Problem(f"reference {identity!r} is rated, but unknown", test_set.name))
            continue
        place = places[identity]
        count = len(test_set[place].references)
        if count != 1:
            message = f"segment {identity!r} has {count} references; expected one"
            problems.append(Problem(message, test_set.name))
        for system in dict.fromkeys(name for candidates in experts.values() for name in candidates):
            text = texts[system][place] if system in texts else None
            if not (text or "").strip():
                message = f"{system} is rated for {identity!r}, but there is no text of it"
                problems.append(Problem(message, test_set.name))
    if problems:
        raise InputError(problems)


def _votes(
    experts: Mapping[str, _Ratings], first: str, second: str, options: PairOptions
) -> Iterator[tuple[dict[str, list[int]], dict[str, Any]]]:
    """Yield criterion → labels of the experts, and notes; once, or once for each expert."""
    together: defaultdict[str, list[int]] = defaultdict(list)
    voters = []
    for expert, candidates in experts.items():
        own, other = candidates.get(first, {}), candidates.get(second, {})
        votes = {
            name: [_sign(own[name] - other[name], options.equal_within)]
            for name in own
            if name in other
        }
        if not votes:
            continue
        if options.experts == "each":
            yield votes, {"experts": [expert]}
        voters.append(expert)
        for name, [vote] in votes.items():
            together[name].append(vote)
    if options.experts == "majority" and voters:
        yield dict(together), {"experts": voters}


def _sign(difference: float, equal_within: float) -> int:
    """Return the sign of a difference, rounded because 0.3 - 0.1 must not exceed 0.2."""
    distance = round(abs(difference) - equal_within, _DIGITS)
    return 0 if distance <= 0 else 1 if difference > 0 else -1


def _label(votes: Sequence[int]) -> int | None:
    ordered = Counter(votes).most_common()
    tied = len(ordered) > 1 and ordered[0][1] == ordered[1][1]
    return None if tied else ordered[0][0]


def _shown(criterion: str) -> str:
    """Return the criteria of the paper in the spelling of its files, others unchanged."""
    of_paper = (*CRITERION_WEIGHTS, QUALITY)
    return criterion.capitalize() if criterion in of_paper else criterion


def _source_notes(sources: Sequence[Judgements], origins: Counter[str]) -> list[str]:
    notes = []
    if origins["derived"]:
        notes.append(
            sentences(
                tr(
                    "Quality was not rated in {derived} of {all} cases (one expert, one claim "
                    "set); there it is (4 completeness + 2 clarity + 2 consistency + 3 linkage) "
                    "/ 11.",
                    derived=origins["derived"],
                    all=origins.total(),
                ),
                tr("In {n} it is as rated.", n=origins["rated"]) if origins["rated"] else "",
                tr("{n} lack a criterion.", n=origins["unknown"]) if origins["unknown"] else "",
            )
        )
    for source in sources:
        aside = {phase: count for phase, count in source.phases.items() if phase != "main"}
        notes += [
            tr(
                "{name}: {count} ratings of the {phase} phase are not used.",
                name=source.name,
                count=count,
                phase=phase,
            )
            for phase, count in aside.items()
        ]
    return notes


def _label_balance(made: ComparedRatings) -> list[dict[str, Any]]:
    """Return counts of A better, equal and B better for each criterion.

    Pairs without a majority count as equal and are listed too.
    """
    rows = []
    for criterion in made.pairs.criteria:
        found = Counter(
            pair.labels[criterion] for pair in made.pairs.pairs if criterion in pair.labels
        )
        rows.append(
            {
                "criterion": criterion,
                "A": found[1],
                "equal": found[0],
                "B": found[-1],
                "undecided": made.undecided.get(criterion, 0),
            }
        )
    return rows


def text_lengths(pairs: Sequence[ClaimPair]) -> list[dict[str, Any]]:
    """Return words between blanks, of each reference once and of both candidates of each pair."""
    references = list(dict.fromkeys(pair.reference_key for pair in pairs))
    candidates = [text for pair in pairs for text in pair.candidates]
    return [_lengths(tr("references"), references), _lengths(tr("candidates"), candidates)]


def _lengths(texts_of: str, texts: Sequence[str]) -> dict[str, Any]:
    words = np.array([len(text.split()) for text in texts])
    return {
        "texts": texts_of,
        "n": len(words),
        "min": int(words.min()),
        "mean": float(words.mean()),
        "median": float(np.median(words)),
        "max": int(words.max()),
        "sd": float(words.std(ddof=1)) if len(words) > 1 else None,
    }


def _all_notes(made: ComparedRatings) -> list[str]:
    notes = list(made.notes)
    leaked = sum(row["leaked"] for row in split_table(made.pairs.reference_keys, made.parts))
    if leaked:
        notes.append(
            tr(
                "{leaked} pairs of the validation and test parts share a reference with the "
                "training part: a trained metric may know them. A split by reference avoids "
                "this.",
                leaked=leaked,
            )
        )
    undecided = sum(made.undecided.values())
    if undecided:
        notes.append(
            tr(
                "{undecided} labels are equal because experts are split without a majority.",
                undecided=undecided,
            )
        )
    same = sum(pair.first == pair.second for pair in made.pairs.pairs)
    if same:
        notes.append(tr("In {same} pairs both candidates are the same text.", same=same))
    return notes


def _length_table(made: ComparedRatings) -> Table:
    columns = (
        Column(tr("words in")),
        Column("n", 0),
        Column(tr("min"), 0),
        Column(tr("mean"), 1),
        Column(tr("median"), 1),
        Column(tr("max"), 0),
        Column(tr("SD"), 1),
    )
    return Table(
        tr("Lengths"), columns, _cells(text_lengths(made.pairs.pairs)), tr("Words between blanks.")
    )


def _cells(rows: Sequence[dict[str, Any]]) -> tuple[tuple[Cell, ...], ...]:
    return tuple(tuple(row.values()) for row in rows)
