"""From absolute ratings of claims to compared pairs, as Patent-CE was made.

Ranks transfer better between experts than scores do, so only ratings that one expert gave for one
reference are compared: candidates B and C of reference A become a quadruplet (A, B, C, y), y = 1
if B was rated higher, 0 if equal, -1 if lower, for each criterion. Which candidate comes first is
drawn, so that its place says nothing. In files, B is called A and C is called B.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

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
from patmark.judgements import Judgements
from patmark.protocols.claim_splits import SplitPlan, split_pairs

Experts: TypeAlias = Literal["majority", "each"]
Ratings: TypeAlias = Mapping[str, Mapping[str, float]]

Rated: TypeAlias = Mapping[str, Mapping[str, Ratings]]

_DIGITS = 9


@dataclass(frozen=True, slots=True)
class PairOptions:
    """How ratings become labels.

    ``experts`` "majority" makes one pair of two candidates, with the label that most experts give;
    "each" makes one for every expert. Ratings at most ``equal_within`` apart are equal.
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
class ComparedRatings:
    """The pairs, the parts they were split into, and what a reader must know.

    ``undecided`` counts, for each criterion, pairs in which no label has most of the experts; they
    are labelled equal.
    """

    pairs: ClaimPairs
    parts: Mapping[str, IntArray]
    undecided: Mapping[str, int]
    options: PairOptions
    notes: tuple[str, ...]


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
                        segment.references[0], sides[0].texts[place], sides[1].texts[place],
                        {_shown(name): sign * (label or 0) for name, label in labels.items()},
                        {"reference": segment.id, "A": sides[0].system, "B": sides[1].system}
                        | about,
                    )
                )  # fmt: skip
    if not pairs:
        raise UsageError("no expert rated two candidates of one reference by the same criterion")
    made = ClaimPairs(tuple(pairs), test_set.name)
    shown = {_shown(name): count for name, count in undecided.items()}
    parts = split_pairs(made.reference_keys, options.split)
    return ComparedRatings(made, parts, shown, options, tuple(_notes(sources, origins)))


def _by_reference(
    sources: Sequence[Judgements],
) -> defaultdict[str, dict[str, dict[str, dict[str, float]]]]:
    """Reference → expert → candidate → criterion → rating, main phase only.

    An expert is named by source and evaluator: two sources may use one name for two people.
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
    """Add quality where an expert rated the four criteria of a candidate, but not quality.

    Counts ratings whose quality was rated, is derived, or is unknown for want of a criterion.
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


def _check_texts(rated: Rated, test_set: TestSet, runs: Sequence[Run]) -> None:
    """Every rated candidate must have a text, and every reference just one."""
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
    experts: Mapping[str, Ratings], first: str, second: str, options: PairOptions
) -> Iterator[tuple[dict[str, list[int]], dict[str, Any]]]:
    """Criterion → labels of the experts, and what to note; once, or once for each expert."""
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
    """Rounded, because 0.3 - 0.1 must not be more than 0.2."""
    distance = round(abs(difference) - equal_within, _DIGITS)
    return 0 if distance <= 0 else 1 if difference > 0 else -1


def _label(votes: Sequence[int]) -> int | None:
    """The most frequent label; None if two are."""
    ordered = Counter(votes).most_common()
    tied = len(ordered) > 1 and ordered[0][1] == ordered[1][1]
    return None if tied else ordered[0][0]


def _shown(criterion: str) -> str:
    """The criteria of the paper as its files spell them; others as they are."""
    of_paper = (*CRITERION_WEIGHTS, QUALITY)
    return criterion.capitalize() if criterion in of_paper else criterion


def _notes(sources: Sequence[Judgements], origins: Counter[str]) -> list[str]:
    notes = []
    if origins["derived"]:
        rest = f" In {origins['rated']} it is as rated." if origins["rated"] else ""
        rest += f" {origins['unknown']} lack a criterion." if origins["unknown"] else ""
        notes.append(
            f"Quality was not rated in {origins['derived']} of {origins.total()} cases (one expert,"
            " one claim set); there it is (4 completeness + 2 clarity + 2 consistency + 3 linkage) "
            f"/ 11.{rest}"
        )
    for source in sources:
        aside = {phase: count for phase, count in source.phases.items() if phase != "main"}
        notes += [
            f"{source.name}: {count} ratings of the {phase} phase are not used."
            for phase, count in aside.items()
        ]
    return notes
