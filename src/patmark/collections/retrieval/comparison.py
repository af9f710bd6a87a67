"""Comparison of runs: the t-test table of NTCIR-7, and the gap in BLEU that it requires.

The two-sided paired t-test over topics, which NTCIR-7 used without correction, is reported together
with Holm's correction, effect sizes with intervals, and the tests of every other comparison.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Any

from patmark.collections.retrieval.evaluation import RetrievalEvaluation
from patmark.collections.retrieval.gaps import MetricGaps, metric_gaps
from patmark.data import Estimate
from patmark.errors import UsageError
from patmark.evaluation import (
    CompareSettings,
    Comparison,
    Evaluation,
    Pair,
    better_and_worse,
    compare,
    comparison_report,
)
from patmark.report import Cell, Column, Report, Result, Table
from patmark.stats import PairedTest, holm, is_significant, level_reached, ntcir_mark
from patmark.wording import setting, tr

NO_DIFFERENCE = "—"


def mark(p: float) -> str:
    """Return ≫ below 1 %, > below 5 %, — otherwise."""
    return ntcir_mark(p, NO_DIFFERENCE)


@dataclass(frozen=True, eq=False)
class RetrievalComparison(Result):
    """All pairs of runs under all measures. The first measure orders tables and makes the gaps.

    ``tests`` are t-tests over topics; the better run comes first.
    """

    evaluation: RetrievalEvaluation
    comparison: Comparison
    tests: Mapping[str, tuple[PairedTest[str], ...]]
    gaps: MetricGaps | None

    @property
    def main(self) -> str:
        """The measure that orders the runs."""
        return next(iter(self.tests))

    @property
    def scored(self) -> Evaluation:
        """The scores behind the result."""
        return self.evaluation.scored

    def to_json(self) -> dict[str, Any]:
        """Return the evaluation, t-tests, gaps, and the general comparison."""
        compared = self.comparison.to_json()
        return {
            **self.evaluation.to_json(),
            "measures": compared["measures"],
            "test": compared["test"],
            "t_tests": {
                name: {
                    "ranking": list(self.comparison.measures[name].ranking),
                    "pairs": [_pair_json(pair) for pair in pairs],
                }
                for name, pairs in self.tests.items()
            },
            "gaps": None if self.gaps is None else self.gaps.to_json(),
        }

    def to_report(self) -> Report:
        """Return the t-tests, the gaps, then the tables of the general comparison."""
        general = comparison_report(
            self.comparison,
            tr("Comparison of runs"),
            self.evaluation.subtitle,
            notes=self.evaluation.notes(),
        )
        tests = [table for name in self.tests for table in self._test_tables(name)]
        gaps = self.gaps
        compared = (_of_topics(table) for table in general.tables)
        return replace(
            general,
            tables=(*tests, *(gaps.tables() if gaps else ()), *compared),
            notes=(*general.notes, *(gaps.notes() if gaps else ())),
            charts=(*(gaps.charts() if gaps else ()), *general.charts),
            findings=(*self._findings(), *(gaps.findings() if gaps else ()), *general.findings),
            paper=(),
        )

    def _test_tables(self, measure: str) -> tuple[Table, Table]:
        compared, pairs = self.comparison.measures[measure], self.tests[measure]
        matrix = ttest_matrix(measure, compared.ranking, compared.estimates, pairs)
        return matrix, ttest_table(measure, pairs)

    def _findings(self) -> list[str]:
        pairs = self.tests[self.main]
        raw = sum(is_significant(pair.p) for pair in pairs)
        corrected = sum(pair.significant for pair in pairs)
        return [
            tr(
                "{main}, t-test over topics: {raw} of {n} pairs differ at 5 %, {corrected} "
                "after Holm.",
                main=self.main,
                raw=raw,
                n=len(pairs),
                corrected=corrected,
            )
        ]


_OF_TOPICS = {
    "common segments": tr("common topics"),
    "segments won–lost–tied": tr("topics won–lost–tied"),
}


def _of_topics(table: Table) -> Table:
    """Return a table of the general comparison, with topics as segments."""
    columns = [replace(one, title=_OF_TOPICS.get(one.title, one.title)) for one in table.columns]
    return replace(table, columns=tuple(columns))


def compare_retrieval(
    evaluation: RetrievalEvaluation,
    settings: CompareSettings | None = None,
    metrics: Mapping[str, Mapping[str, float]] | None = None,
) -> RetrievalComparison:
    """Compare all runs of an evaluation; ``metrics`` maps BLEU and the like to values by run."""
    settings = settings or CompareSettings()
    for name, left_out in evaluation.found.left_out.items():
        if len(evaluation.found.topics) - left_out < 2:
            raise UsageError(
                f"{name}: a test needs at least two topics that count; name other measures with "
                f"{setting('measures')}"
            )
    comparison = compare(evaluation.scores, evaluation.documents, settings)
    tests = {name: _t_tests(one.pairs) for name, one in comparison.measures.items()}
    main, pairs = next(iter(tests.items()))
    gaps = None
    if metrics:
        outcome = {run: estimate.value for run, estimate in evaluation.estimates[main].items()}
        levels = {frozenset((pair.first, pair.second)): level_reached(pair.p) for pair in pairs}
        gaps = metric_gaps(main, outcome, levels, metrics)
    return RetrievalComparison(evaluation, comparison, tests, gaps)


def _t_tests(pairs: Sequence[Pair]) -> tuple[PairedTest[str], ...]:
    """Return the t-test of every pair, corrected over all of them, best run first."""
    corrected = holm([pair.p_t for pair in pairs])
    tests = [_t_test(pair, p_holm) for pair, p_holm in zip(pairs, corrected, strict=True)]
    return tuple(sorted(tests, key=lambda test: (test.p, -test.delta)))


def _t_test(pair: Pair, p_holm: float) -> PairedTest[str]:
    """Return the t-test of a pair, the better run first."""
    topics = pair.sign.wins + pair.sign.losses + pair.sign.ties
    test = PairedTest(
        pair.first, pair.second, pair.delta, pair.ci, pair.p_t, p_holm, topics, effect=pair.effect
    )
    return test if test.delta >= 0 else test.turned()


def _cohen_dz(pair: PairedTest[str]) -> float:
    return pair.effect.cohen_dz if pair.effect else nan


def _pair_json(pair: PairedTest[str]) -> dict[str, Any]:
    return {
        "better": pair.first,
        "worse": pair.second,
        "delta": pair.delta,
        "p": pair.p,
        "p_holm": pair.p_holm,
        "cohen_dz": _cohen_dz(pair),
        "cohen_d": _cohen_dz(pair),  # the old key, until 0.4
        "ci": pair.ci or (nan, nan),
        "n": pair.n,
        "mark": mark(pair.p),
        "mark_holm": mark(pair.p_holm),
    }


def ttest_matrix(
    measure: str,
    ranking: Sequence[str],
    means: Mapping[str, Estimate],
    pairs: Sequence[PairedTest[str]],
) -> Table:
    """Tabulate the marks of every two runs, best first, as in NTCIR-7."""
    marks = {frozenset((pair.first, pair.second)): mark(pair.p) for pair in pairs}
    rows: list[tuple[Cell, ...]] = []
    for place, row in enumerate(ranking):
        against = [marks[frozenset((row, column))] for column in ranking[place + 1 :]]
        rows.append((row, means[row], *[""] * place, *against))
    note = tr(
        "Two-sided paired t-test, uncorrected: ≫ p < .01, > p < .05, — none; rows beat columns."
    )
    columns = (Column(tr("run")), Column(measure, 4), *(Column(run) for run in ranking[1:]))
    return Table(tr("t-test by {measure}", measure=measure), columns, tuple(rows), note, measure)


def ttest_table(measure: str, pairs: Sequence[PairedTest[str]]) -> Table:
    """Tabulate every two runs with difference, effect size, and p with and without correction."""
    columns = (
        Column(tr("better")),
        Column(tr("worse")),
        Column(tr("difference"), 4),
        Column("p t", 4, p_value=True),
        Column(tr("marked")),
        Column(tr("p t, Holm"), 4, p_value=True),
        Column(tr("marked, Holm")),
        Column(tr("Cohen d_z"), 2),
        Column(tr("topics"), 0),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            *better_and_worse(pair),
            Estimate(pair.delta, pair.ci, pair.n),
            pair.p,
            mark(pair.p),
            pair.p_holm,
            mark(pair.p_holm),
            _cohen_dz(pair),
            pair.n,
        )
        for pair in pairs
    )
    return Table(
        tr("Pairs by {measure}", measure=measure),
        columns,
        rows,
        tr("Intervals: bootstrap over topics."),
        measure,
    )
