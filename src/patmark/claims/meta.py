"""Meta-evaluation of claim measures: agreement with experts who compared pairs (Patent-CE).

A measure predicts that the candidate with the better score is the better one. Predictions are
compared with the experts' labels as :mod:`patmark.stats.preference_agreement` defines it, over all
pairs and over those in which no candidate is the reference itself. Intervals resample references,
because pairs that share a reference are not independent.

Experts often see no difference, but a measure with many digits always does. With a tie band, scores
that differ by at most the band tie, and each measure has a second row:

| band | |
|---|---|
| own | the one that a measure declares: ClaimQuality, and PatClaimEval its tolerance |
| folds | for each pair the one that is best for the pairs of other references |
| a number | the same for all measures |

A learned measure describes its training with a method ``training_facts``, which returns the
criterion and hashes of the references; its agreement on these references is no test of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from patmark.claims.measures import (
    ClaimMeasure,
    GivenMeasure,
    choose_claim_measures,
    score_claim_pairs,
)
from patmark.data import ClaimPairs, Estimate, FloatArray, IntArray, Scores, reference_hash
from patmark.errors import UsageError
from patmark.evaluation import Evaluation, Progress, Sampling
from patmark.measures import Measure
from patmark.report import Cell, Column, Report, Result, Table
from patmark.stats import (
    STATISTICS,
    Units,
    held_out_bands,
    interval_holding,
    meeting_counts,
    predicted_preferences,
    resample_totals,
    score_interval,
    tail_beyond,
)
from patmark.wording import tr

TieBand: TypeAlias = float | str
BASELINE = "BLEU-1"
TIE_BANDS = ("own", "folds")
PairMeasure: TypeAlias = ClaimMeasure | GivenMeasure
PERCENT = ("accuracy", "f1")
_TITLES = {"tau": "tau", "rho": "rho", "accuracy": tr("accuracy %"), "f1": tr("weighted F1 %")}
_HOW = tr(
    "tau: Kendall's tau-b over the ranks of all candidates; rho: Spearman over labels. "
    "A measure ties only where both scores are exactly equal, unless a tie band is given."
)
_BANDS = {
    "own": tr("the band that the measure declares"),
    "folds": tr("a band that was calibrated on the pairs of other references"),
}


@dataclass(frozen=True, slots=True)
class ExpertAgreement:
    """Agreement with the experts over ``n`` pairs; ``estimates`` has tau, rho, accuracy, f1.

    ``undefined`` counts resamples in which a coefficient is undefined; they are left out of its
    interval.
    """

    n: int
    references: int
    estimates: Mapping[str, Estimate]
    undefined: int

    def to_json(self) -> dict[str, Any]:
        """Return values and intervals; None if no interval was drawn."""
        values = {name: one.value for name, one in self.estimates.items()}
        ci = {name: one.ci and list(one.ci) for name, one in self.estimates.items()}
        return {"n": self.n, **values, "ci": ci if any(ci.values()) else None}


@dataclass(frozen=True, slots=True)
class AgreementRow:
    """One measure by one criterion. ``without_gold``: no candidate is the reference itself.

    ``bands`` are the least and the largest tie band of its pairs, None if only equal scores tie.
    ``difference`` is that of tau to BLEU-1, if that was measured as well.
    """

    criterion: str
    measure: PairMeasure
    ties: int
    everything: ExpertAgreement
    without_gold: ExpertAgreement
    bands: tuple[float, float] | None = None
    difference: Estimate | None = None

    def to_json(self) -> dict[str, Any]:
        """Return one row of the machine-readable result."""
        return {
            "measure": self.measure.label,
            "name": self.measure.name,
            "criterion": self.criterion,
            **self.everything.to_json(),
            "predicted_ties": self.ties,
            "tie_band": self.bands and list(self.bands),
            "tau_difference": self.difference
            and {"to": BASELINE, "value": self.difference.value, "ci": self.difference.ci},
            "without_gold": self.without_gold.to_json(),
        }


@dataclass(frozen=True, eq=False)
class ClaimMetaEvaluation(Result):
    """Measures against experts, with the scores behind the predictions.

    ``training`` lists reasons to doubt the agreement of learned measures.
    """

    pairs: ClaimPairs
    criteria: tuple[str, ...]
    scores: Mapping[str, Scores]
    rows: tuple[AgreementRow, ...]
    settings: Sampling
    training: tuple[str, ...] = ()
    tie_band: TieBand | None = None

    @property
    def scored(self) -> Evaluation:
        """The scores behind the result."""
        return Evaluation(scores=self.scores, documents=self.pairs.reference_keys)

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        return {
            "rows": [row.to_json() for row in self.rows],
            "counts": {criterion: self._counts(criterion) for criterion in self.criteria},
            "signatures": {name: scores.signature for name, scores in self.scores.items()},
            "notes": self.notes,
            "resampling": {
                "unit": "reference",
                "resamples": self.settings.resamples,
                "seed": self.settings.seed,
                "undefined": self.undefined,
            },
        }

    def to_report(self) -> Report:
        """Return two tables for each criterion: all pairs, and those without the reference itself.

        With a tie band there are two more.
        """
        tables = [
            self._table(criterion, without_gold, banded)
            for criterion in self.criteria
            for banded in ([False] if self.tie_band is None else [False, True])
            for without_gold in (False, True)
        ]
        references = len(set(self.pairs.reference_keys))
        return Report(
            title=tr("Claim measures against experts"),
            subtitle=tr(
                "{name} · {n} pairs · {references} references",
                name=self.pairs.name,
                n=len(self.pairs),
                references=references,
            ),
            headlines=(),
            tables=tuple(tables),
            signatures={
                **{name: scores.signature for name, scores in self.scores.items()},
                "intervals": self._interval_signature,
            },
            notes=tuple(self.notes),
            brief=2 if self.tie_band is None else len(tables),
        )

    @property
    def undefined(self) -> int:
        """The largest number of resamples in which a coefficient is undefined."""
        return max(max(row.everything.undefined, row.without_gold.undefined) for row in self.rows)

    @property
    def notes(self) -> list[str]:
        """Notes on the computation, and relevant facts about the pairs."""
        pairs = (note for name in self.criteria for note in self._criterion_notes(name))
        return [_HOW, *self.training, *self._gaps(), *pairs]

    def _gaps(self) -> list[str]:
        """Name the measures that lack scores of some pairs."""
        unscored = {
            name: int(np.isnan(scores.segment_scores).any(axis=0).sum())
            for name, scores in self.scores.items()
        }
        return [
            tr(
                "{name} has no score of {number} of {n} pairs, which are left out of its rows.",
                name=name,
                number=number,
                n=len(self.pairs),
            )
            for name, number in unscored.items()
            if number
        ]

    def _counts(self, criterion: str) -> dict[str, Any]:
        labelled = [pair for pair in self.pairs.pairs if criterion in pair.labels]
        labels = Counter(pair.labels[criterion] for pair in labelled)
        return {
            "pairs": len(labelled),
            "unlabelled": len(self.pairs) - len(labelled),
            "references": len({pair.reference_key for pair in labelled}),
            "labels": {str(label): labels[label] for label in (1, 0, -1)},
            "pairs_with_gold": sum(pair.holds_reference for pair in labelled),
        }

    def _criterion_notes(self, criterion: str) -> list[str]:
        counts = self._counts(criterion)
        labels = counts["labels"]
        notes: list[str] = [
            tr(
                "{criterion}: A is better in {a} pairs, equal in {equal}, B is better in "
                "{b}. In {pairs_with_gold} of {pairs} pairs a candidate is the reference "
                "itself, which any measure of overlap puts first.",
                criterion=criterion,
                a=labels["1"],
                equal=labels["0"],
                b=labels["-1"],
                pairs_with_gold=counts["pairs_with_gold"],
                pairs=counts["pairs"],
            )
        ]
        if counts["unlabelled"]:
            notes.append(
                tr(
                    "{criterion}: {unlabelled} pairs have no label, left out.",
                    criterion=criterion,
                    unlabelled=counts["unlabelled"],
                )
            )
        return notes

    def _table(self, criterion: str, without_gold: bool, banded: bool) -> Table:
        compared = not without_gold and any(row.difference for row in self.rows)
        columns = [*agreement_columns()]
        columns += [Column(tr("tau less {baseline}", baseline=BASELINE), 3)] if compared else []
        columns += [Column(tr("band from")), Column(tr("to"))] if banded else []
        rows: list[tuple[Cell, ...]] = []
        for row in self.rows:
            if row.criterion == criterion and (row.bands is not None) == banded:
                found = row.without_gold if without_gold else row.everything
                cells: list[Cell] = [row.measure.label, found.n, *found.estimates.values()]
                cells += [row.difference] if compared else []
                rows.append((*cells, *(f"{band:.3g}" for band in row.bands or ())))
        which = (
            tr("pairs without the reference as a candidate") if without_gold else tr("all pairs")
        )
        note = ""
        if banded:
            how = _BANDS.get(str(self.tie_band), tr("a band of {width}", width=self.tie_band))
            note = tr("scores tie within {how}", how=how)
        title = tr("{name}: {text}", name=criterion, text=which)
        if banded:
            title = tr("{pairs}, with tie bands", pairs=title)
        return Table(title, tuple(columns), tuple(rows), note)

    @property
    def _interval_signature(self) -> str:
        if not self.settings.resamples:
            return "none (no resamples)"
        left_out = (
            f"|resamples without a value, left out:{self.undefined}" if self.undefined else ""
        )
        return (
            f"expanded percentile bootstrap, 95 %|draws:{self.settings.resamples}|unit:reference"
            f"|seed:{self.settings.seed}{left_out}"
        )


def meta_evaluate_claims(
    pairs: ClaimPairs,
    measures: str | Sequence[str | Measure] | None = None,
    criteria: Sequence[str] | None = None,
    settings: Sampling | None = None,
    progress: Progress | None = None,
    given: Sequence[GivenMeasure] = (),
    tie_band: TieBand | None = None,
) -> ClaimMetaEvaluation:
    """Evaluate measures (by default those of the paper) against the labels of each criterion.

    ``given`` measures are external scores; a pair without a score is left out of its row. With a
    ``tie_band`` (own, folds or a number) each measure has a second row.
    """
    settings = settings or Sampling()
    tie_band = None if tie_band is None else read_tie_band(tie_band)
    names = tuple(criteria) if criteria else pairs.criteria
    for criterion in names:
        pairs.check_criterion(criterion)
    if len(set(names)) < len(names):
        raise UsageError(f"a criterion is asked for twice: {', '.join(names)}")
    chosen = [
        one for one in choose_claim_measures(measures) if any(map(one.is_held_against, names))
    ]
    if not chosen and not any(one.is_held_against(name) for one in given for name in names):
        raise UsageError(f"no measure is for {', '.join(names)}: those chosen are for others")
    _refuse_doubles([*chosen, *given])
    scores = score_claim_pairs(pairs, chosen, progress)
    scores |= {one.label: one.scores for one in given}
    rows = [
        row
        for criterion in names
        for band in ([None] if tie_band is None else [None, tie_band])
        for row in _criterion_rows(pairs, criterion, [*chosen, *given], scores, settings, band)
    ]
    training = tuple(_training_notes(pairs, names, chosen))
    return ClaimMetaEvaluation(pairs, names, scores, tuple(rows), settings, training, tie_band)


def read_tie_band(given: TieBand) -> TieBand:
    """Return a tie band as given: own, folds or a number from 0."""
    if given in TIE_BANDS:
        return given
    try:
        band = float(given)
    except ValueError:
        band = -1.0
    if not 0 <= band < np.inf:
        raise UsageError(f"tie band {given!r}: expected {', '.join(TIE_BANDS)} or a number from 0")
    return band


def tie_bands(
    measure: PairMeasure,
    scores: FloatArray,
    labels: IntArray,
    references: Sequence[str],
    band: TieBand,
) -> FloatArray:
    """Return the tie band of each pair, from scores (2, pairs) of which higher ones are better."""
    if band == "folds":
        return held_out_bands(labels, scores[0], scores[1], references)
    computed = getattr(measure, "measure", None)  # given scores declare no band
    own = getattr(computed, "tie_band", 0.0) if band == "own" else band
    return np.full(len(labels), float(own))


def _refuse_doubles(measures: Sequence[PairMeasure]) -> None:
    doubles = [
        label for label, times in Counter(one.label for one in measures).items() if times > 1
    ]
    if doubles:
        raise UsageError(f"{doubles[0]} is both measured and given; leave one of them out")


def _criterion_rows(
    pairs: ClaimPairs,
    criterion: str,
    measures: Sequence[PairMeasure],
    scores: Mapping[str, Scores],
    settings: Sampling,
    band: TieBand | None,
) -> list[AgreementRow]:
    measures = [one for one in measures if one.is_held_against(criterion)]
    labelled = [place for place, pair in enumerate(pairs.pairs) if criterion in pair.labels]
    labels = np.array([pairs.pairs[place].labels[criterion] for place in labelled])
    keys = [pairs.reference_keys[place] for place in labelled]
    bands = np.zeros((len(measures), len(labelled)))
    predictions = np.zeros(bands.shape, dtype=np.int64)
    scored = np.zeros(bands.shape, dtype=bool)
    for row, one in enumerate(measures):
        found = scores[one.label]
        signed = found.segment_scores[:, labelled] * (1 if found.higher_is_better else -1)
        scored[row] = ~np.isnan(signed).any(axis=0)
        there = np.flatnonzero(scored[row])
        if band is not None and there.size:
            known = [keys[place] for place in there]
            bands[row, there] = tie_bands(one, signed[:, there], labels[there], known, band)
        first, second = signed[:, there]
        predictions[row, there] = predicted_preferences(first, second, band=bands[row, there])
    counts = np.where(scored[..., None], meeting_counts(labels, predictions), 0.0)
    foreign = np.flatnonzero([not pairs.pairs[place].holds_reference for place in labelled])
    everything = agreements(counts, keys, settings)
    without_gold = agreements(counts[:, foreign], [keys[place] for place in foreign], settings)
    ties = np.count_nonzero(scored & (predictions == 0), axis=1)
    named = [one.label for one in measures]
    differences: list[Estimate | None] = [None] * len(named)
    if BASELINE in named:
        found_differences = tau_differences(counts, named.index(BASELINE), keys, settings)
        differences = [
            one if scored[row].all() else None for row, one in enumerate(found_differences)
        ]
    return [
        AgreementRow(
            criterion,
            measure,
            int(ties[row]),
            everything[row],
            without_gold[row],
            None if band is None else _range(bands[row, scored[row]]),
            differences[row],
        )
        for row, measure in enumerate(measures)
    ]


def _range(bands: FloatArray) -> tuple[float, float]:
    return (float(bands.min()), float(bands.max())) if bands.size else (0.0, 0.0)


def agreement_columns() -> tuple[Column, ...]:
    """Return the columns of a table of agreements: measure, pairs, and the statistics."""
    statistics = (Column(_TITLES[name], 1 if name in PERCENT else 3) for name in STATISTICS)
    return Column(tr("measure")), Column(tr("pairs"), 0), *statistics


def tau_differences(
    counts: FloatArray, baseline: int, references: Sequence[str], settings: Sampling
) -> list[Estimate | None]:
    """Compute the differences in tau between each measure and a baseline, which has None.

    Both use the same draws of references. Counts are (measures, pairs, 9).
    """
    tau = STATISTICS["tau"]
    values = tau(counts.sum(axis=1))
    draws = None
    if settings.resamples and len(set(references)) > 1:
        units = Units.choose(references, "document")
        draws = tau(resample_totals(counts, units, settings.resamples, settings.seed))
    found: list[Estimate | None] = []
    for row, value in enumerate((values - values[baseline]).tolist()):
        ci = None
        if draws is not None:
            sizes = np.bincount(units.of_segment).astype(np.float64)
            ci = score_interval(value, draws[:, row] - draws[:, baseline], sizes)
        found.append(None if row == baseline else Estimate(value, ci, len(references)))
    return found


def agreements(
    counts: FloatArray, references: Sequence[str], settings: Sampling
) -> list[ExpertAgreement]:
    """Compute the agreement of each measure from counts (measures, pairs, 9), on one set of draws.

    A pair without counts is left out. With fewer than two references there is no interval.
    """
    known = len(set(references))
    compared = [np.flatnonzero(one.any(axis=-1)).tolist() for one in counts]
    totals = counts.sum(axis=1)
    drawn, tails = None, [0.0] * len(counts)
    if settings.resamples and known > 1:
        units = Units.choose(references, "document")
        tails = [tail_beyond(units.sizes(one.any(axis=-1))) for one in counts]
        drawn = resample_totals(counts, units, settings.resamples, settings.seed)
    estimates: list[dict[str, Estimate]] = [{} for _ in counts]
    undefined = np.zeros(len(counts), dtype=np.int64)
    for name, statistic in STATISTICS.items():
        scale = 100.0 if name in PERCENT else 1.0
        values = scale * statistic(totals)
        draws = None if drawn is None else scale * statistic(drawn)
        if draws is not None:
            undefined = np.maximum(undefined, np.isnan(draws).sum(axis=0))
        for place, value in enumerate(values.tolist()):
            ci = None if draws is None else interval_holding(value, draws[:, place], tails[place])
            estimates[place][name] = Estimate(value, ci, len(compared[place]))
    return [
        ExpertAgreement(len(among), len({references[at] for at in among}), found, int(missing))
        for among, found, missing in zip(compared, estimates, undefined, strict=True)
    ]


def _training_notes(
    pairs: ClaimPairs, criteria: Sequence[str], measures: Sequence[ClaimMeasure]
) -> Iterator[str]:
    """Yield the reasons why the agreement of a learned measure may be no test of it."""
    labelled = [pair for pair in pairs.pairs if any(name in pair.labels for name in criteria)]
    hashes = [reference_hash(pair.reference) for pair in labelled]
    for one in measures:
        facts = one.training_facts
        if facts is None:
            continue
        references, criterion = facts.get("trained_on"), facts.get("criterion")
        if not isinstance(references, list):
            yield tr(
                "{label}: it is not known which references it was trained on.", label=one.label
            )
        elif seen := sum(each in set(map(str, references)) for each in hashes):
            yield (
                tr(
                    "{label} was trained on the references of {seen} of {n} pairs: its agreement "
                    "here is no test of it.",
                    label=one.label,
                    seen=seen,
                    n=len(hashes),
                )
            )
        if not isinstance(criterion, str):
            yield tr(
                "{label}: it is not known which criterion it was trained for.", label=one.label
            )
        elif others := [name for name in criteria if name.lower() != criterion.lower()]:
            yield tr(
                "{label} was trained for {criterion}, not for {others}.",
                label=one.label,
                criterion=criterion,
                others=tuple(others),
            )
