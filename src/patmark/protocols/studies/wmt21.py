"""WMT21, TED talks from Chinese into English: the MQM table reproduced, and metrics evaluated.

The annotations are not part of patmark; ``--data`` names the folder of ``mqm_ted_zhen.tsv`` and
``mqm_ted_zhen.avg_seg_scores.tsv`` from google/wmt-mqm-human-evaluation. Metrics are compared with
the recomputed MQM, with the human reference ref.B, which cannot be scored against itself; ref.A,
the other human translation, is reported separately.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from patmark.data import (
    AnnotatedTexts,
    Annotations,
    Estimate,
    Run,
    Scores,
    Segment,
    TestSet,
    is_warning,
    read_lines,
)
from patmark.errors import InputError, UsageError
from patmark.evaluation import (
    Level,
    MetaResult,
    MetaSettings,
    MetricRow,
    Sampling,
    build_panel,
    evaluate,
    meta_evaluate,
    mqm_scores,
    scores_source,
    weights_called,
)
from patmark.human.judgements import read_judgements
from patmark.languages import both_languages
from patmark.measures import split_names
from patmark.protocols.studies.listing import (
    PRINTED_ONLY,
    RECOMPUTED,
    Part,
    listing_table,
    recomputed,
)
from patmark.protocols.studies.reproduction import (
    DIFFERS,
    OK,
    Reproduction,
    Row,
    Study,
    Value,
    answered,
    published_rows,
)
from patmark.report import Column, Report, Table, message_texts
from patmark.stats import Units, estimate_scores
from patmark.wording import capitalised, setting, tr, tr_n

SOURCE = (
    "google/wmt-mqm-human-evaluation, README: MQM of WMT21 TED zh→en; Freitag et al. 2021, Results "
    "of the WMT21 Metrics Shared Task"
)
METRICS = (
    "BLEU", "chrF", "chrF(words=2)", "TER", "NIST", "RIBES", "METEOR", "ROUGE-1", "ROUGE-2",
    "ROUGE-L",
)  # fmt: skip
"""The metrics that need no model."""
CHECKS = ("numbers", "untranslated", "doubled")
"""Checks that apply to general text. They find single faults; do not use them as metrics."""
HUMAN, REFERENCE = "human", "refB"
_FILE = "wmt21/ted_zhen.csv"
_PLACE, _SEGMENTS = "README, TED zh→en", "avg_seg_scores"
_HOW = tr("points of the rows, mean over evaluators, then segments")
_ANNOTATIONS = ("ted_zhen.tsv", "mqm_ted_zhen.tsv")
_AVERAGES = ("ted_zhen_avg_seg_scores.tsv", "mqm_ted_zhen.avg_seg_scores.tsv")
_NAMES = {"ref-A": "ref", "ref-B": "refB"}  # of the averages, in the annotations
_ROW_KEYS = ("n", "recomputed", "ci", "published", "difference", "status")
_AVERAGE_DIGITS = 6
_TRIED = tr(
    "No single rule gives all 15 printed values: not rounding (once, twice, half to even) nor "
    "cutting off, source errors without points, other weights, a limit of 25 points per segment, "
    "another number of segments, or a mean over talks or evaluators; no row is doubled, and every "
    "system has the same 529 segments, each rated once."
)
_PERMUTATIONS = 3200  # with fewer, no pair could be significant after Holm's correction


def _no_data() -> str:
    return tr("needs the annotations: {data}", data=setting("data", "FOLDER"))


def published_table() -> list[Row]:
    """Return the printed table: systems, their names in the file, MQM and the decimals in print."""
    return published_rows(_FILE)


@dataclass(frozen=True, slots=True)
class SegmentCheck:
    """The published averages of segments with the recomputed ones.

    ``means`` are those of the published averages, by system and without the minus.
    """

    published: int
    compared: int
    equal: int
    largest: float
    means: Mapping[str, float]

    @property
    def holds(self) -> bool:
        """True if all published averages of rated segments are reproduced."""
        return self.published == self.compared == self.equal


def reproduce_ted_zhen(
    folder: str | Path, sampling: Sampling | None = None, measures: str | None = None
) -> Reproduction:
    """Return the table, the averages of segments, and metrics against both."""
    sampling = sampling or Sampling()
    reading = read_judgements(_found(folder, _ANNOTATIONS))
    if reading.annotations is None or reading.texts is None:
        raise InputError.at("holds no annotations", str(folder))
    annotations, texts = reading.annotations, reading.texts
    scores = mqm_scores(annotations, weights_called("wmt"))
    known = annotations.documents
    documents = tuple(known.get(segment) for segment in scores.segments)
    values = _values(scores, documents, sampling)
    check = _check_averages(_found(folder, _AVERAGES), scores)
    names = [*METRICS, *CHECKS, *(split_names(measures) if measures else [])]
    results = _meta(annotations, texts, scores, names, sampling)
    notes = [*reading.notes, *_gold_notes(annotations)]
    return _reproduction(values, check, results, scores, notes)


def _from_folder(
    sampling: Sampling, data: str | None = None, measures: str | None = None
) -> Reproduction:
    if data is not None:
        return reproduce_ted_zhen(data, sampling, measures)
    if measures is not None:
        raise UsageError(f"more measures {_no_data()}")
    return _reproduction([_value(row, None) for row in published_table()], None, {}, None, [])


STUDY = Study(_from_folder, frozenset({"data", "measures"}))


def _found(folder: str | Path, names: Sequence[str]) -> Path:
    for name in names:
        for packed in ("", ".gz", ".zst"):
            if (path := Path(folder) / f"{name}{packed}").is_file():
                return path
    raise InputError.at(f"expected a folder with {names[0]} or {names[-1]}", str(folder))


def _values(scores: Scores, documents: Sequence[str | None], sampling: Sampling) -> list[Value]:
    """Return every printed value with the recomputed one, both without the minus."""
    units = Units.choose(documents, sampling.by, scores.segments)
    [estimates] = estimate_scores([scores], units, sampling.resamples, sampling.seed)
    positive = {
        name: Estimate(-one.value, one.ci and (-one.ci[1], -one.ci[0]), one.n)
        for name, one in zip(scores.systems, estimates, strict=True)
    }
    return [_value(row, positive.get(row["in_file"])) for row in published_table()]


def _value(row: Row, estimate: Estimate | None) -> Value:
    return Value(
        row["system"],
        "MQM",
        "mean",
        estimate,
        row["mqm"],
        tolerance=10 ** -row["decimals"],
        rounding=lambda value: round(value, int(row["decimals"])),
    )


def _note(one: Value, system: str, check: SegmentCheck | None) -> str:
    if one.status != DIFFERS or one.published is None or not (check and check.holds):
        return ""
    return tr(
        "the published averages of its segments have the mean {mean:.4f}, as recomputed, and the "
        "printed table says {printed:.2f}: the two published files disagree. {tried}",
        mean=check.means[system],
        printed=one.published,
        tried=_TRIED,
    )


def _gold_notes(annotations: Annotations) -> list[str]:
    several = Counter((one.system, one.segment) for one in annotations.rated)
    if max(several.values()) > 1:
        return []
    return [
        tr(
            "Each output was rated by one of {n} evaluators, so that no agreement on the "
            "same output can be computed.",
            n=len(annotations.evaluators),
        )
    ]


def _check_averages(path: Path, scores: Scores) -> SegmentCheck:
    own = dict(zip(scores.systems, scores.segment_scores, strict=True))
    place = {segment: at for at, segment in enumerate(scores.segments)}
    given = defaultdict[str, list[float]](list)
    compared = equal = 0
    largest = 0.0
    for number, line in enumerate(read_lines(path)[1:], 2):
        fields = re.split(r"[\t ]+", line.strip())
        if len(fields) != 3:
            raise InputError.at("expected system, score and segment", str(path), number)
        name, value, segment = fields
        if value == "None":
            continue
        system = _NAMES.get(name, name)
        given[system].append(-float(value))
        if system not in own or segment not in place:
            continue
        found = own[system][place[segment]]
        if np.isnan(found):
            continue
        compared += 1
        difference = abs(float(found) - float(value))
        equal += round(difference, _AVERAGE_DIGITS) == 0
        largest = max(largest, difference)
    published = sum(map(len, given.values()))
    means = {system: math.fsum(values) / len(values) for system, values in given.items()}
    return SegmentCheck(published, compared, equal, largest, means)


def _meta(
    annotations: Annotations,
    texts: AnnotatedTexts,
    gold: Scores,
    measures: Sequence[str],
    sampling: Sampling,
) -> dict[str, MetaResult]:
    systems = [name for name in annotations.systems if name != REFERENCE]
    unrated = [one for one in annotations.segments if (REFERENCE, one) not in texts.targets]
    if unrated:
        raise UsageError(
            f"{REFERENCE} is the reference of the metrics, and has no text in segment {unrated[0]}"
        )
    documents = annotations.documents
    source, target = both_languages("zh-en")
    test_set = TestSet(
        tuple(
            Segment(
                segment,
                texts.sources.get(segment),
                (texts.targets[REFERENCE, segment],),
                documents.get(segment),
            )
            for segment in annotations.segments
        ),
        target,
        source,
        name="WMT21 TED zh→en",
    )
    runs = [
        Run(name, tuple(texts.targets.get((name, one.id)) for one in test_set)) for name in systems
    ]
    evaluated = evaluate(test_set, runs, list(measures), replace(sampling, resamples=0))
    kept = [place for place, name in enumerate(gold.systems) if name != REFERENCE]
    judged = replace(gold, systems=tuple(systems), statistics=gold.statistics[kept])
    kinds = {row["in_file"]: row["kind"] for row in published_table()}
    sources = [
        scores_source("metrics", evaluated.scores, test_set.documents),
        scores_source("annotations", {gold.measure: judged}, test_set.documents, human=True),
    ]
    panel = build_panel(sources, gold.measure, kinds=kinds, allow_partial=True)
    levels: tuple[Level, ...] = ("system", "segment")
    return {
        level: meta_evaluate(
            panel,
            MetaSettings(level, permutations=_PERMUTATIONS, allow_partial=True, sampling=sampling),
            without=HUMAN,
        )
        for level in levels
    }


def _reproduction(
    values: Sequence[Value],
    check: SegmentCheck | None,
    results: dict[str, MetaResult],
    scores: Scores | None,
    notes: Sequence[str],
) -> Reproduction:
    parts = [
        *recomputed(_PLACE, tr("MQM of 15 systems"), values, _HOW if scores else _no_data(), _FILE),
        _average_part(check),
    ]
    agreeing = sum(one.status == OK for one in values)
    systems = [row["in_file"] for row in published_table()]
    system_notes = [_note(one, name, check) for one, name in zip(values, systems, strict=True)]
    means = {} if check is None else check.means
    note_of = (
        tr(
            "{agreeing} of {n} published values are reproduced",
            agreeing=agreeing,
            n=len(values),
        )
        if scores
        else tr("the annotations do not come with patmark; {no_data}", no_data=_no_data())
    )
    reports = {level: one.to_report() for level, one in results.items()}
    tables = [listing_table(parts), _table(values, [means.get(name) for name in systems])]
    for level, report in reports.items():
        section = _LEVELS[level]
        for table in report.tables:
            title = tr("{table}, {level}", table=table.title, level=section)
            tables.append(replace(table, title=title, section=section))
    report = Report(
        title=tr("WMT21 TED zh→en: reproduction of MQM"),
        subtitle=SOURCE,
        headlines=(),
        tables=tuple(tables),
        signatures={
            "source": SOURCE,
            **({scores.measure: scores.signature} if scores else {}),
            **{
                f"{name}, {level} level": signature
                for level, one in reports.items()
                for name, signature in one.signatures.items()
            },
        },
        notes=(
            *(
                tr("{name}: {text}", name=one.subject, text=note)
                for one, note in zip(values, system_notes, strict=True)
                if note
            ),
            *notes,
            *dict.fromkeys(note for one in reports.values() for note in one.notes),
        ),
        findings=(
            *_advice(results),
            *dict.fromkeys(
                tr("{level}, {text}", level=_LEVELS[level], text=text)
                if not is_warning(text)
                else text
                for level, one in reports.items()
                for text in one.findings
            ),
        ),
        charts=tuple(
            replace(chart, section=_LEVELS[level])
            for level, one in reports.items()
            if level == "system"
            for chart in one.charts
        ),
        summary=tuple(tables[1:3]) if scores else (),
    )
    result: dict[str, Any] = {
        "study": "wmt21-ted-zhen",
        "listing": parts,
        "rows": [
            {name: row[name] for name in ("system", "in_file", "kind")}
            | value.to_json(_ROW_KEYS)
            | {"segment_file": means.get(row["in_file"])}
            | ({"note": note} if note else {})
            for value, row, note in zip(values, published_table(), system_notes, strict=True)
        ],
        "segments": check,
        "meta": {level: one.to_json() for level, one in results.items()},
        "findings": message_texts(report.findings),
        "signatures": report.signatures,
        "notes": message_texts(report.notes),
    }
    return Reproduction(result, answered(report, capitalised(note_of)))


def _average_part(check: SegmentCheck | None) -> Part:
    content = tr("averages of rated segments")
    if check is None:
        return Part(_SEGMENTS, content, PRINTED_ONLY, _no_data())
    how = tr(
        "{equal} of {published} published averages are equal to 6 decimals",
        equal=check.equal,
        published=check.published,
    )
    return Part(_SEGMENTS, content, RECOMPUTED if check.holds else DIFFERS, how)


def _table(values: Sequence[Value], means: Sequence[float | None]) -> Table:
    columns = (
        Column(tr("system")),
        Column("MQM", 4, higher_is_better=False),
        Column(tr("published segments"), 4, higher_is_better=False),
        Column(tr("printed"), 3, higher_is_better=False),
        Column(tr("segments"), 0),
        Column(tr("status")),
    )
    rows = tuple(
        (one.subject, one.estimate, mean, one.published, one.count, one.status)
        for one, mean in zip(values, means, strict=True)
    )
    return Table(
        tr("MQM of all systems: recomputed and published"),
        columns,
        rows,
        tr(
            "Points of errors per segment, 0 without any: major 5, minor 1, minor punctuation 0.1, "
            "non-translation 25; mean over evaluators, then over segments. Published segments: the "
            "mean of the published averages of segments."
        ),
    )


_LEVELS = {"system": tr("system level"), "segment": tr("segment level")}


def _advice(results: dict[str, MetaResult]) -> list[str]:
    sentences: list[str] = []
    for level, result in results.items():
        first = result.evaluations[0]
        most = max(row.n for row in first.rows)
        rows = [
            row
            for row in first.rows
            if row.n == most and _DECIDES[level] in row.agreement and row.metric not in CHECKS
        ]
        if rows:
            advice = _system_advice if level == "system" else _segment_advice
            systems = tr_n("{n} system", "{n} systems", n=len(first.panel.systems))
            sentences.append(
                tr(
                    "{level}, {systems}: {advice}",
                    level=_LEVELS[level],
                    systems=systems,
                    advice=advice(rows),
                )
            )
    return sentences


_DECIDES = {"system": "SPA", "segment": "acc_eq calibrated"}


def _system_advice(rows: Sequence[MetricRow]) -> str:
    name = _DECIDES["system"]
    best, *others = sorted(rows, key=lambda row: -row.agreement[name].value)
    found = best.agreement[name]
    close = [row.metric for row in others if found.ci and row.agreement[name].value >= found.ci[0]]
    closest = tr(
        "closest to people by {name} is {metric} ({value:.3f})",
        name=name,
        metric=best.metric,
        value=found.value,
    )
    if close:
        closest = tr(
            "{closest}; within its interval: {metrics}", closest=closest, metrics=tuple(close)
        )
    return tr("{note}.", note=closest)


def _segment_advice(rows: Sequence[MetricRow]) -> str:
    """Compare metrics with one that calls all outputs equal."""
    name = _DECIDES["segment"]
    best = max(rows, key=lambda row: row.agreement[name].value)
    tied = best.details["acc_eq_constant_metric"]
    useful = [row.metric for row in rows if (row.agreement[name].ci or (-math.inf,))[0] > tied]
    found = f"{best.metric} ({best.agreement[name].value:.3f})"
    if not useful:
        return tr(
            "no metric is clearly better than calling all outputs of a source equal, which "
            "is right in {tied:.3f} of all pairs; the best is {found}. Trust none of them "
            "on single segments.",
            tied=tied,
            found=found,
        )
    return tr(
        "better than calling all outputs equal ({tied:.3f}): {useful}; best {found}.",
        tied=tied,
        useful=tuple(useful),
        found=found,
    )
