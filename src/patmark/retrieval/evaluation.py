"""Runs and judgements to scores: the one shape of all judgements, with topics as segments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from patmark.data import FloatArray, Scores
from patmark.errors import InputError, Problem, UsageError
from patmark.retrieval.documents import CollectionFacts
from patmark.retrieval.families import collapse_qrels, collapse_ranking
from patmark.retrieval.judged import JudgedRanking, judge
from patmark.retrieval.qrels import PARTIAL, RELEVANT, Qrels
from patmark.retrieval.ranking_measures import (
    RankingMeasure,
    mean_score,
    parse_ranking_measure,
    parse_ranking_measures,
)
from patmark.retrieval.rankings import Ranking

RIGID, RELAXED = RankingMeasure("AP", rel=RELEVANT), RankingMeasure("AP", rel=PARTIAL)
_DEPTHS = (100, 200, 500, 1000)


@dataclass(frozen=True, slots=True, eq=False)
class RankingScores:
    """What all measures found for all runs.

    ``missing`` lists, by run, the topics without any document, which count 0; ``left_out`` how many
    topics leave the mean of a measure because no document has its grade.
    """

    scores: Mapping[str, Scores]
    topics: tuple[str, ...]
    missing: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, int]


def default_measures(qrels: Qrels) -> tuple[RankingMeasure, ...]:
    """AP rigid where a document has grade 2, AP relaxed, and recall at the depths of NTCIR-7."""
    rigid = (RIGID,) if qrels.relevant(RELEVANT).any() else ()
    recalls = (RankingMeasure("Recall", depth) for depth in _DEPTHS)
    return (*rigid, RELAXED, *recalls)


def score_rankings(
    rankings: Sequence[Ranking],
    qrels: Qrels,
    measures: str | Sequence[RankingMeasure | str] | None = None,
    collection: CollectionFacts | None = None,
    **about: object,
) -> RankingScores:
    """Score every run with every measure.

    A topic that is missing from a run counts 0 and is listed; one that is missing from the qrels
    is an error. Measures by family need the families of the collection. ``about`` goes into the
    signatures: what was done to the data before.
    """
    check_rankings(rankings, qrels)
    chosen = default_measures(qrels) if measures is None else _parsed(measures)
    judged = {level: _judge(rankings, qrels, level, collection)
              for level in dict.fromkeys(measure.level for measure in chosen)}  # fmt: skip
    systems = tuple(ranking.name for ranking in rankings)
    judgements = qrels.fingerprint
    scores, left_out = {}, {}
    for measure in chosen:
        statistics = np.stack([measure.statistics(one) for one in judged[measure.level]])
        signature = measure.signature(judgements, **about)
        scores[measure.name] = Scores(
            measure.name, signature, systems, qrels.topics, statistics, mean_score
        )
        left_out[measure.name] = int((statistics[0, :, 1] == 0).sum())
    first = next(iter(judged.values()))
    missing = {name: one.missing for name, one in zip(systems, first, strict=True)}
    return RankingScores(scores, qrels.topics, missing, left_out)


def topic_values(ranking: Ranking, qrels: Qrels, measure: RankingMeasure = RELAXED) -> FloatArray:
    """The value of every topic of the qrels; NaN for topics that leave the mean."""
    return mean_score(measure.statistics(judge(ranking, qrels)))


def check_rankings(rankings: Sequence[Ranking], qrels: Qrels) -> None:
    """Refuse runs of one name, and topics that nobody judged."""
    names = [ranking.name for ranking in rankings]
    problems = [
        Problem(f"two runs are called {name!r}; name them with NAME=FILE")
        for name in sorted(set(names))
        if names.count(name) > 1
    ]
    known = set(qrels.topics)
    problems += [
        Problem(f"topic {topic!r} of the run {ranking.name} is not in {qrels.name}")
        for ranking in rankings
        for topic in ranking.topics
        if topic not in known
    ]
    if not rankings:
        problems.append(Problem("there is no run to score"))
    if not qrels.topics:
        problems.append(Problem(f"{qrels.name} has no topics"))
    if problems:
        raise InputError(problems)


def _judge(
    rankings: Sequence[Ranking], qrels: Qrels, level: str, collection: CollectionFacts | None
) -> list[JudgedRanking]:
    if level == "document":
        return [judge(ranking, qrels) for ranking in rankings]
    if collection is None:
        raise UsageError("measures with level=family need the collection, which knows the families")
    by_family = collapse_qrels(qrels, collection.family)
    return [judge(collapse_ranking(one, collection.family)[0], by_family) for one in rankings]


def _parsed(measures: str | Sequence[RankingMeasure | str]) -> tuple[RankingMeasure, ...]:
    if isinstance(measures, str):
        return parse_ranking_measures(measures)
    parsed = (parse_ranking_measure(one) if isinstance(one, str) else one for one in measures)
    return parse_ranking_measures(measure.name for measure in parsed)
