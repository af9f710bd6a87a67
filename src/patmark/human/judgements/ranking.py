"""Rankings of systems by grades or preferences: scores, groups, sign tests of NTCIR, strengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from patmark.data import Estimate, FloatArray, Message, Scores, criterion_name
from patmark.errors import UsageError
from patmark.evaluation import (
    CompareSettings,
    Comparison,
    MeasureComparison,
    Sampling,
    compare,
    corrected_together,
    verdict_json,
    z_by_evaluator,
)
from patmark.human.judgements.exclusions import (
    Exclusion,
    Workload,
    counted_grades,
    fewer_segments,
    preference_workloads,
    unfinished_choices,
    unjudged_segments,
    workloads,
)
from patmark.human.judgements.model import PREFERENCE, Judgements, Preferences, Scale
from patmark.human.judgements.scores import human_scores, mean_over, preference_scores, scores_among
from patmark.report import message_texts
from patmark.stats import (
    BradleyTerry,
    SignTest,
    Units,
    bradley_terry,
    estimate_scores,
    holm,
    magnitude,
    ntcir_mark,
    rounded,
    segment_wins,
    sign_test,
    system_pairs,
)
from patmark.wording import tr

_RANKING_FIELDS = ("ranking", "scores", "rank_ranges", "clusters", "clusters_reason", "testable")
_PAIR_FIELDS = (
    "a", "b", "delta", "ci", "p", "p_holm", "p_family", "p_bound", "hinges_on", "significant",
    "significant_family", "detectable", "units_needed", "common",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SignPair:
    """The sign test between two systems; wins are those of the first.

    If not ``testable``, nothing may be called significant.
    """

    first: str
    second: str
    test: SignTest
    p_holm: float
    testable: bool = True

    def mark(self, *, corrected: bool = False) -> str | None:
        """Return the mark of NTCIR for the test; None if it is not testable."""
        return ntcir_mark(self.p_holm if corrected else self.test.p) if self.testable else None

    def to_json(self) -> dict[str, Any]:
        """Return the test without the names of the systems."""
        return {
            "wins": self.test.wins,
            "losses": self.test.losses,
            "ties": self.test.ties,
            "p_sign": self.test.p,
            "p_sign_holm": self.p_holm,
            "mark": self.mark(),
            "mark_holm": self.mark(corrected=True),
        }


@dataclass(frozen=True, slots=True)
class Wins:
    """Wins per segment, (segments, systems, systems), and differences of each pair.

    ``differences`` (pairs, segments) have the sign of the better system, NaN if not compared.
    """

    wins: FloatArray
    ties: FloatArray
    differences: FloatArray

    def among(self, systems: Sequence[int], segments: Sequence[int]) -> Wins:
        """Return the wins between some systems in some segments, by position."""
        pairs = system_pairs(self.wins.shape[1])
        kept = [place for place, pair in enumerate(pairs) if set(pair) <= set(systems)]
        places = np.array(segments)[:, None, None], np.array(systems)[:, None], np.array(systems)
        return Wins(self.wins[places], self.ties[places], self.differences[kept][:, segments])


def grade_wins(grades: FloatArray, *, ordinal: bool) -> Wins:
    """Count wins from grades (evaluators, systems, segments).

    Evaluators of one segment are not independent, so it counts once in a sign test: by the mean of
    their differences, or for ordinal grades by the majority. In ``wins`` each of them counts.
    """
    first, second = _pair_positions(grades.shape[1])
    differences = grades[:, first] - grades[:, second]
    of_pairs = mean_over(np.sign(differences) if ordinal else differences)
    wins, ties = segment_wins(grades[0])
    for own in grades[1:]:
        won, tied = segment_wins(own)
        wins += won
        ties += tied
    return Wins(wins, ties, rounded(of_pairs, magnitude(grades).item()))


def preference_wins(preferences: Preferences, criterion: str = PREFERENCE) -> Wins:
    """Count wins from preferences; a segment counts once, by the majority."""
    wins, ties = preferences.wins(criterion), preferences.ties(criterion)
    first, second = _pair_positions(wins.shape[1])
    ahead = (wins - wins.swapaxes(1, 2))[:, first, second].T
    compared = (wins + wins.swapaxes(1, 2) + ties)[:, first, second].T > 0
    return Wins(wins, ties, np.where(compared, ahead, np.nan))


def sign_pairs(
    systems: Sequence[str], wins: Wins, *, corrected: bool, testable: bool = True
) -> tuple[SignPair, ...]:
    """Return the sign test of every two systems, with Holm's correction if requested."""
    tests = [sign_test(one[~np.isnan(one)]) for one in wins.differences]
    p_values = [test.p for test in tests]
    holms = holm(p_values) if corrected else p_values
    pairs = system_pairs(len(systems))
    return tuple(
        SignPair(systems[a], systems[b], test, p, testable)
        for (a, b), test, p in zip(pairs, tests, holms, strict=True)
    )


def _pair_positions(systems: int) -> tuple[list[int], list[int]]:
    pairs = system_pairs(systems)
    return [first for first, _ in pairs], [second for _, second in pairs]


@dataclass(frozen=True, slots=True, eq=False)
class CriterionRanking:
    """Ranking of all systems judged on one criterion.

    ``scale`` is None for sums of criteria and for preferences. ``rates`` maps a grade to the share
    of outputs with it or better, by system, best grade first. ``z_scores`` are means in standard
    deviations from the mean of each evaluator, for numbers from several evaluators.
    """

    criterion: str
    scale: Scale | None
    comparison: Comparison
    rates: Mapping[str, Mapping[str, Estimate]]
    signs: tuple[SignPair, ...]
    strengths: BradleyTerry
    z_scores: Mapping[str, Estimate] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name of the criterion in tables."""
        return criterion_name(self.criterion)

    @property
    def systems(self) -> tuple[str, ...]:
        """The judged systems."""
        return self.comparison.systems

    @property
    def measured(self) -> MeasureComparison:
        """Scores, permutation tests and groups."""
        return self.comparison.measures[self.criterion]

    @property
    def score(self) -> str:
        """Kind of the score: mean, pairwise, sum or wins."""
        if self.scale is None:
            return "sum" if "|sum:" in self.measured.signature else "wins"
        return "pairwise" if self.scale.kind == "ordinal" else "mean"

    def sign_marks(self, *, corrected: bool = False) -> dict[tuple[str, str], str]:
        """Map pairs of systems to the marks of NTCIR: the first beats the second."""
        found: dict[tuple[str, str], str] = {}
        for one in self.signs:
            won = one.test.wins >= one.test.losses
            better, worse = (one.first, one.second) if won else (one.second, one.first)
            mark = one.mark(corrected=corrected) or ""
            found[better, worse] = mark
            found[worse, better] = "-" if mark == "-" else ""
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        compared = self.comparison.to_json()
        measured = compared["measures"][self.criterion]
        signs = {(one.first, one.second): one.to_json() for one in self.signs}
        return {
            "score": self.score,
            **{name: measured[name] for name in _RANKING_FIELDS},
            "pairs": [
                {name: pair[name] for name in _PAIR_FIELDS} | signs[pair["a"], pair["b"]]
                for pair in measured["pairs"]
            ],
            "rates": self.rates,
            "z_scores": self.z_scores,
            "bradley_terry": {
                "strengths": dict(zip(self.systems, self.strengths.strengths, strict=True)),
                "components": [
                    [self.systems[place] for place in group] for group in self.strengths.components
                ],
                "prior": self.strengths.prior,
                "prior_resamples": self.strengths.prior_resamples,
                "unconverged": self.strengths.unconverged,
            },
            "test": compared["test"],
            "resampling": compared["resampling"],
        }


@dataclass(frozen=True, slots=True, eq=False)
class HumanRanking:
    """Rankings by every criterion; ``scores`` all have the same systems and segments.

    ``alone`` has the scores of criteria on which only one system was judged, if no other criterion
    gives a ranking.
    """

    rankings: tuple[CriterionRanking, ...]
    scores: Mapping[str, Scores]
    documents: tuple[str | None, ...]
    exclusions: tuple[Exclusion, ...]
    notices: tuple[Message, ...]
    workloads: tuple[Workload, ...]
    alone: Mapping[str, Mapping[str, Estimate]] = field(default_factory=dict)

    @property
    def measured(self) -> tuple[MeasureComparison, ...]:
        """Scores, permutation tests and groups by each criterion."""
        return tuple(one.measured for one in self.rankings)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            "criteria": {name: {"scores": found} for name, found in self.alone.items()}
            | {one.criterion: one.to_json() for one in self.rankings},
            "verdict": verdict_json(self.measured),
            "exclusions": self.exclusions,
            "notices": message_texts(self.notices),
            "workloads": self.workloads,
            "signatures": {name: one.signature for name, one in self.scores.items()},
        }


def rank_humans(
    judgements: Judgements | None,
    preferences: Preferences | None = None,
    settings: CompareSettings | None = None,
    *,
    whole_segments: bool = True,
) -> HumanRanking:
    """Rank the systems by each judged criterion.

    With ``whole_segments`` a segment counts for an evaluator only if all systems were graded.
    """
    settings = settings or CompareSettings()
    if judgements is None and preferences is None:
        raise UsageError("there are no judgements and no preferences to rank systems by")
    found = _by_grades(judgements, settings, whole_segments) if judgements else None
    chosen = _by_preferences(preferences, settings) if preferences else None
    parts = [one for one in (found, chosen) if one is not None]
    clash = sorted(set(parts[0].scores) & set(parts[-1].scores)) if len(parts) > 1 else []
    if clash:
        raise UsageError(f"{clash[0]} is both graded and chosen between two outputs")
    return _corrected(parts[0] if len(parts) == 1 else _joined(*parts))


def _corrected(ranking: HumanRanking) -> HumanRanking:
    """Return the ranking with p of every pair corrected over the criteria too."""
    together = corrected_together({one.criterion: one.measured for one in ranking.rankings})
    rankings = []
    for one in ranking.rankings:
        measures = {one.criterion: together[one.criterion]}
        rankings.append(replace(one, comparison=replace(one.comparison, measures=measures)))
    return replace(ranking, rankings=tuple(rankings))


def _by_grades(
    judgements: Judgements, settings: CompareSettings, whole_segments: bool
) -> HumanRanking:
    human = human_scores(judgements, whole_segments=whole_segments)
    main = judgements.in_phase("main")
    unranked = [name for name in main.criteria if len(_judged_places(human.scores[name])[0]) < 2]
    is_alone = len(unranked) == len(main.criteria)
    rankings, kept = [], {}
    for name, scores in human.scores.items():
        if is_alone and name in main.criteria:
            kept[name] = scores
        if is_alone or name in unranked:
            continue
        if name in main.criteria:
            scale = main.scale(name)
            grades = counted_grades(main, name, whole_segments=whole_segments)
        elif ">=" in name:
            continue
        else:
            scale, grades = None, scores.segment_scores[None]
        wins = grade_wins(grades, ordinal=scale is not None and scale.kind == "ordinal")
        rates = {
            rate.removeprefix(f"{name}>="): one
            for rate, one in human.scores.items()
            if rate.startswith(f"{name}>=")
        }
        kept[name] = scores
        ranked = _rank(name, scale, scores, rates, wins, human.documents, settings)
        numbers = scale is not None and scale.kind == "interval"
        z_scores = _z_scores(ranked, scores, grades, settings.sampling) if numbers else {}
        rankings.append(replace(ranked, z_scores=z_scores))
    work = tuple(one for name in main.criteria for one in workloads(main, name))
    sentences = [
        tr("{name}: fewer than two systems were judged, so it gives no ranking", name=name)
        for name in unranked
    ]
    return HumanRanking(
        tuple(rankings),
        kept,
        human.documents,
        human.exclusions,
        (*human.notices, *sentences),
        work,
        _alone(kept, human.documents, settings.sampling) if is_alone else {},
    )


def _alone(
    scores: Mapping[str, Scores], documents: Sequence[str | None], sampling: Sampling
) -> dict[str, dict[str, Estimate]]:
    found = {}
    for name, one in scores.items():
        kept, own = judged_part(one, documents)
        units = Units.choose(own, sampling.by, kept.segments)
        [estimates] = estimate_scores([kept], units, sampling.resamples, sampling.seed)
        found[name] = dict(zip(kept.systems, estimates, strict=True))
    return found


def _by_preferences(preferences: Preferences, settings: CompareSettings) -> HumanRanking:
    main = preferences.in_phase("main")
    scores = {name: preference_scores(preferences, name) for name in main.criteria}
    rankings = tuple(
        _rank(name, None, one, {}, preference_wins(main, name), main.documents, settings)
        for name, one in scores.items()
    )
    work = {name: preference_workloads(main, name) for name in scores}
    sentences = [
        text
        for name, of_criterion in work.items()
        for text in (
            *fewer_segments(of_criterion),
            *unjudged_segments(main, name),
            *unfinished_choices(main, name),
        )
    ]
    others = len(preferences.rows) - len(main.rows)
    if others:
        sentences.append(
            tr("{others} preferences of other phases do not enter results", others=others)
        )
    everyone = tuple(one for of_criterion in work.values() for one in of_criterion)
    return HumanRanking(rankings, scores, main.documents, (), tuple(sentences), everyone)


def _rank(
    name: str,
    scale: Scale | None,
    scores: Scores,
    rates: Mapping[str, Scores],
    wins: Wins,
    documents: Sequence[str | None],
    settings: CompareSettings,
) -> CriterionRanking:
    rows, columns = _judged_places(scores)
    if len(rows) < 2:
        raise UsageError(f"{name}: a ranking needs at least two systems that were judged")
    kept, kept_documents = judged_part(scores, documents)
    comparison = compare({name: kept}, kept_documents, settings)
    sampling, units = settings.sampling, comparison.units
    parts = [_part(one, rows, columns) for one in rates.values()]
    estimates = estimate_scores(parts, units, sampling.resamples, sampling.seed)
    part = wins.among(rows, columns)
    return CriterionRanking(
        name,
        scale,
        comparison,
        {
            grade: dict(zip(kept.systems, of_systems, strict=True))
            for grade, of_systems in zip(rates, estimates, strict=True)
        },
        sign_pairs(kept.systems, part, corrected=comparison.corrected, testable=not units.too_few),
        bradley_terry(part.wins, part.ties, units, sampling.resamples, sampling.seed),
    )


def _z_scores(
    ranked: CriterionRanking, scores: Scores, grades: FloatArray, sampling: Sampling
) -> dict[str, Estimate]:
    """Return the mean z by evaluator of each system; empty if a single evaluator graded."""
    if np.count_nonzero((~np.isnan(grades)).any(axis=(1, 2))) < 2:
        return {}
    values = mean_over(z_by_evaluator(grades))
    about = scores.measure, "z by evaluator", scores.systems, scores.segments
    part = _part(Scores.of_values(*about, values), *_judged_places(scores))
    units = ranked.comparison.units
    [estimates] = estimate_scores([part], units, sampling.resamples, sampling.seed)
    return dict(zip(part.systems, estimates, strict=True))


def judged_part(
    scores: Scores, documents: Sequence[str | None]
) -> tuple[Scores, tuple[str | None, ...]]:
    """Return human scores of judged systems and segments, and the documents of the segments.

    Unjudged segments would only dilute resamples.
    """
    rows, columns = _judged_places(scores)
    return _part(scores, rows, columns), tuple(documents[column] for column in columns)


def _judged_places(scores: Scores) -> tuple[list[int], list[int]]:
    judged = (scores.statistics != 0).any(axis=-1)
    return np.flatnonzero(judged.any(axis=1)).tolist(), np.flatnonzero(judged.any(axis=0)).tolist()


def _part(scores: Scores, rows: Sequence[int], columns: Sequence[int]) -> Scores:
    return replace(
        scores,
        systems=tuple(scores.systems[row] for row in rows),
        segments=tuple(scores.segments[column] for column in columns),
        statistics=scores.statistics[rows][:, columns],
    )


def _joined(graded: HumanRanking, chosen: HumanRanking) -> HumanRanking:
    """Return both on one axis of systems and segments, to save them together."""
    parts = [next(iter(one.scores.values())) for one in (graded, chosen)]
    systems = tuple(dict.fromkeys(name for part in parts for name in part.systems))
    documents: dict[str, str | None] = {}
    for part, one in zip(parts, (graded, chosen), strict=True):
        for segment, document in zip(part.segments, one.documents, strict=True):
            documents[segment] = documents.get(segment) or document
    scores = {
        name: scores_among(one, systems, tuple(documents))
        for name, one in {**graded.scores, **chosen.scores}.items()
    }
    return HumanRanking(
        (*graded.rankings, *chosen.rankings),
        scores,
        tuple(documents.values()),
        graded.exclusions,
        (*graded.notices, *chosen.notices),
        (*graded.workloads, *chosen.workloads),
    )
