"""Sources of the uncertainty of grades, and ways to reduce it: a mixed model of grades.

Systems are fixed effects; documents, segments and evaluators, and their interactions with systems,
are random. Their variances show if more documents, segments or evaluators would make the means of
systems, and the differences between them, more certain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from patmark.data import Estimate, FloatArray, IntArray
from patmark.report import Column, Table, Way, clauses, fields_json, plain, sentences
from patmark.stats import REST, MixedModel, estimable, fit_mixed, margin, system_pairs, with_copies
from patmark.wording import capitalised, percent, tr, tr_n

DOCUMENT, SEGMENT, EVALUATOR, SAMPLE = "document", "segment", "evaluator", "sample"


@dataclass(frozen=True, slots=True)
class _Source:
    """A source of variance: its names, how many more to consider, and the parts that then fall."""

    many: str
    unit: str = ""
    more: int = 0
    falls: frozenset[str] = frozenset()


_SOURCES = {
    DOCUMENT: _Source(tr("documents"), tr("document"), 10, frozenset({DOCUMENT, SEGMENT, REST})),
    SEGMENT: _Source(tr("segments"), tr("segment"), 100, frozenset({SEGMENT, REST})),
    EVALUATOR: _Source(tr("evaluators"), tr("evaluator"), 1, frozenset({EVALUATOR, REST})),
    SAMPLE: _Source(tr("samples"), tr("sample"), 1, frozenset({REST})),
    REST: _Source(tr("the rest")),
}


_MOST_LEVELS = 1500  # in addition to those of the largest factor; more would take minutes
_LEAST_SHARE = 0.005


def _of_system(factor: str) -> str:
    return f"system × {factor}"


def _source(factor: str) -> str:
    """Return the source of a variance component; a document effect and its interaction are one."""
    return factor.removeprefix("system × ")


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Half the width of a 95 % interval, the share of each source in its variance, and options.

    ``options`` map additional units of a source to the expected margin.
    """

    margin: float
    shares: Mapping[str, float]
    options: Mapping[str, tuple[int, float]]

    def sentence(self, of: str) -> str:
        """Return the sentence for an organiser."""
        shares: list[str] = []
        for name, share in sorted(self.shares.items(), key=lambda item: -item[1]):
            about = {"share": percent(share), "source": _SOURCES[name].many}
            first = tr("{share} comes from {source}", **about)
            if share >= _LEAST_SHARE:
                shares.append(tr("{share} from {source}", **about) if shares else first)
        helpful = []
        for name, (more, width) in self.options.items():
            further = tr("{n} more {units}", n=more, units=_SOURCES[name].many)
            if more == 1:
                further = tr("one more {unit}", unit=_SOURCES[name].unit)
            if width <= self.margin:
                helpful.append(
                    tr("{further} would make it ±{width:.2f}", further=further, width=width)
                )
        options = tr("more of one kind alone would not reduce it")
        return tr(
            "sources of uncertainty of {of}: {shares}. It is ±{margin:.2f}; {options}.",
            of=of,
            shares=tuple(shares),
            margin=self.margin,
            options=clauses(*helpful) if helpful else options,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result."""
        options = [
            {"more": source, "number": more, "margin": width}
            for source, (more, width) in self.options.items()
        ]
        return fields_json(self, "margin", "shares", options=options)


@dataclass(frozen=True, slots=True, eq=False)
class GradeModel:
    """The model of one kind of grades; ``model`` is None if ``notes`` explain why."""

    systems: tuple[str, ...]
    model: MixedModel | None
    df: Mapping[str, float]
    sizes: Mapping[str, float]
    notes: tuple[str, ...]

    def _contrast(self, system: int, other: int | None = None) -> FloatArray:
        """Return the contrast of the mean of a system, or of its difference from another."""
        each: FloatArray = np.eye(len(self.systems))
        return np.asarray(each[system] - (0.0 if other is None else each[other]))

    def estimate(self, system: int, other: int | None = None) -> Estimate:
        """Return the mean of a system, or its difference from another.

        The interval is for other levels of the factors.
        """
        contrast, fitted = self._contrast(system, other), self._fitted
        value = float(contrast @ fitted.means)
        half = margin(fitted.parts(contrast.tolist()), self.df)
        return Estimate(value, (value - half, value + half), fitted.n)

    def standard_error(self, system: int, other: int | None = None) -> float:
        """Return the standard error of the mean of a system, or of the difference of two."""
        contrast = self._contrast(system, other)
        variance = float(contrast @ self._fitted.covariance @ contrast)
        return sqrt(max(0.0, variance))  # rounding makes that of equal systems negative

    @property
    def _fitted(self) -> MixedModel:
        if self.model is None:
            raise ValueError("there is no model: " + "; ".join(self.notes))
        return self.model

    @property
    def of_mean(self) -> Uncertainty:
        """Average standard error of the mean of a system."""
        return self._uncertainty([self._contrast(one) for one in range(len(self.systems))])

    @property
    def of_difference(self) -> Uncertainty | None:
        """Average standard error of the difference between two systems."""
        pairs = [self._contrast(a, b) for a, b in system_pairs(len(self.systems))]
        return self._uncertainty(pairs) if pairs else None

    def _uncertainty(self, contrasts: Sequence[FloatArray]) -> Uncertainty:
        by_contrast = [self._fitted.parts(one.tolist()) for one in contrasts]
        parts = {
            name: float(np.mean([one[name] for one in by_contrast])) for name in by_contrast[0]
        }
        total = sum(parts.values())
        shares: dict[str, float] = {}
        for name, part in parts.items():
            source = _source(name)
            shares[source] = shares.get(source, 0.0) + (part / total if total else 0.0)
        options = {
            name: (one.more, self._with_more(name, parts))
            for name, one in _SOURCES.items()
            if one.more and name in self.sizes
        }
        return Uncertainty(margin(parts, self.df), shares, options)

    def _with_more(self, source: str, parts: Mapping[str, float]) -> float:
        """Return the margin with more units of a source, everything else equal.

        More documents bring more segments, more segments more grades. Another evaluator judges
        every segment.
        """
        size, added = self.sizes[source], _SOURCES[source]
        factor = {name: size / (size + added.more) for name in added.falls}
        if source == EVALUATOR:
            factor[REST] = self.sizes[REST] / (self.sizes[REST] + 1)
        scale = {name: factor.get(_source(name), 1.0) for name in parts}
        return margin(
            {name: part * scale[name] for name, part in parts.items()},
            {name: self.df[name] / scale[name] for name in parts},
        )

    def sentences(self) -> Iterator[str]:
        """Yield the result in sentences for an organiser."""
        if self.model is None:
            return
        yield self.of_mean.sentence(tr("a system's mean"))
        if self.of_difference is not None:
            yield self.of_difference.sentence(tr("the difference between two systems"))

    def to_json(self) -> dict[str, Any]:
        """Return the machine-readable result; without a model only the notes."""
        model, systems = self.model, self.systems
        if model is None:
            return {"fitted": False, "notes": list(self.notes)}
        uncertainty = {"mean": self.of_mean, "difference": self.of_difference}
        return {
            "fitted": True,
            "grades": model.n,
            "method": "REML",
            "reml_criterion": plain(model.criterion),
            "components": [
                {
                    "name": name,
                    "variance": variance,
                    "share": model.shares[name],
                    "levels": model.levels[name],
                }
                for name, variance in model.variances.items()
            ],
            "systems": {system: self._json(place) for place, system in enumerate(systems)},
            "contrasts": [
                {"a": systems[a], "b": systems[b]} | self._json(a, b)
                for a, b in combinations(range(len(systems)), 2)
            ],
            "uncertainty": {name: one.to_json() for name, one in uncertainty.items() if one},
            "notes": list(self.notes),
        }

    def _json(self, *systems: int) -> dict[str, Any]:
        found = self.estimate(*systems)
        ci = list(found.ci or ())
        return {"value": found.value, "se": self.standard_error(*systems), "ci": ci}


def model_grades(
    grades: FloatArray, systems: Sequence[str], documents: Sequence[str | None], *,
    evaluators: bool = True, copied: NDArray[np.bool_] | None = None,
) -> GradeModel:  # fmt: skip
    """Return the model of grades (evaluators, systems, segments), NaN if missing.

    Grades that were ``copied``, because systems gave the same text, count in the means; otherwise a
    system would be judged only by the segments in which it differs. Variances use each answer once.

    Without ``evaluators`` the first axis holds samples of one judge, which are unrelated between
    outputs.
    """
    judged = np.flatnonzero(~np.isnan(grades).all(axis=(0, 2))).tolist()
    names, grades = tuple(systems[place] for place in judged), grades[:, judged]
    copied = np.zeros(grades.shape, bool) if copied is None else copied[:, judged]
    evaluator, system, segment = places = np.nonzero(~np.isnan(grades))
    owner = np.where(copied[places], _owners(grades, copied)[system, segment], system)
    answers = _Answers(grades[places], evaluator, owner, segment, documents, evaluators)
    given = answers.among(owner == system)
    factors = given.factors
    kept, refused = estimable(given.system, factors) if len(given.values) else ([], {})
    others = sum(sorted(_levels(factors[name]) for name in kept)[:-1])
    why: str = tr("no model: the grades of a system do not vary")
    if not kept:
        why = tr("no model: the design of the judgements does not identify sources of variance")
    elif others > _MOST_LEVELS:
        why = tr(
            "no model: {others} levels in addition to those of the largest factor are too many",
            others=others,
        )
    model = None
    if kept and others <= _MOST_LEVELS:
        own = {name: factors[name] for name in kept}
        model = fit_mixed(given.values, _codes(given.system), own)
    notes = [
        tr("no variance of {name}: {why}", name=name, why=reason)
        for name, reason in refused.items()
    ]
    if model is None:
        return GradeModel(names, None, {}, {}, (*notes, why))
    copies = len(system) - len(given.values)
    if copies:
        whole = replace(answers, system=system).factors
        real = {one: answers.factors[one] for one in kept} | {REST: answers.single}
        model = with_copies(model, answers.values, system, {one: whole[one] for one in kept}, real)
        notes.append(
            tr_n(
                "{n} grade of equal outputs: in means as they are, in variances together with the "
                "answer that they follow from",
                "{n} grades of equal outputs: in means as they are, in variances together with the "
                "answer that they follow from",
                n=copies,
            )
        )
    if not model.variances[REST]:
        notes.append(tr("no residual variance: strictness apart, all grades of an output agree"))
    each = len(given.values) / _levels(_codes(given.system, given.segment))
    sizes = {name: float(model.levels[name]) for name in _SOURCES if name in kept} | {REST: each}
    if not evaluators:
        sizes[SAMPLE] = each
    df = _degrees_of_freedom(model, _levels(given.system))
    return GradeModel(names, model, df, sizes, tuple(notes))


def _owners(grades: FloatArray, copied: NDArray[np.bool_]) -> IntArray:
    """Return the owner of each output: the system itself, or the one whose output was judged.

    It is the first system with the copied answers.
    """
    systems, segments = grades.shape[1:]
    owners = np.repeat(np.arange(systems)[:, None], segments, axis=1)
    for system, segment in zip(*np.nonzero(copied.any(axis=0)), strict=True):
        by = copied[:, system, segment]
        same = (grades[by, :, segment] == grades[by, system, segment][:, None]).all(axis=0)
        found = np.flatnonzero(same & ~copied[by, :, segment].any(axis=0))
        owners[system, segment] = found[0] if len(found) else system
    return owners


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """Grades with their evaluator, system and segment."""

    values: FloatArray
    evaluator: IntArray
    system: IntArray
    segment: IntArray
    documents: Sequence[str | None]
    evaluators: bool

    def among(self, chosen: NDArray[np.bool_]) -> _Answers:
        """Return some of them."""
        return replace(
            self,
            values=self.values[chosen],
            evaluator=self.evaluator[chosen],
            system=self.system[chosen],
            segment=self.segment[chosen],
        )

    @property
    def single(self) -> IntArray:
        """A code for each answer."""
        return _codes(self.evaluator, self.system, self.segment)

    @property
    def factors(self) -> dict[str, IntArray]:
        """The codes of each factor; a segment without a known document is its own document."""
        known = any(document is not None for document in self.documents)
        named = [
            f"document {document}" if document is not None else f"segment {place}"
            for place, document in enumerate(self.documents)
        ]
        of_segment = np.unique(named, return_inverse=True)[1] if named else np.zeros(0, np.int64)
        single = {SEGMENT: _codes(self.segment)}
        if known:
            single = {DOCUMENT: _codes(of_segment[self.segment]), **single}
        if self.evaluators:
            single[EVALUATOR] = _codes(self.evaluator)
        of_systems = {
            _of_system(name): _codes(self.system, codes) for name, codes in single.items()
        }
        return single | of_systems


def _codes(*columns: IntArray) -> IntArray:
    """Return combinations of codes, numbered from 0."""
    found: IntArray = np.unique(np.stack(columns), axis=1, return_inverse=True)[1]
    return found.reshape(-1)


def _levels(codes: IntArray) -> int:
    return len(np.unique(codes))


def _degrees_of_freedom(model: MixedModel, systems: int) -> dict[str, float]:
    """Return degrees of freedom, as in an analysis of variance."""
    levels = model.levels
    free: dict[str, float] = {}
    for name in (DOCUMENT, SEGMENT, EVALUATOR):
        if name in levels:
            within = levels.get(DOCUMENT, 1) if name == SEGMENT else 1
            free[name] = max(1.0, levels[name] - within)
            if _of_system(name) in levels:
                free[_of_system(name)] = free[name] * max(1, systems - 1)
    for name in levels:
        if name != REST and name not in free:
            free[name] = max(1.0, levels[name] - systems)
    return free | {REST: max(1.0, model.n - systems - sum(free.values()))}


def component_table(title: str, model: GradeModel) -> Table:
    """Return the variances, and their shares in single grades, in means and in differences."""
    fitted: Any = model.model
    texts = [*model.sentences()]
    texts += (tr("{note}.", note=capitalised(note)) for note in model.notes)

    def component(factor: str) -> str:
        """Return the name of a factor, or of its interaction with systems."""
        source = _source(factor)
        name = _SOURCES[source].unit if source in _SOURCES else ""
        name = name or source
        return name if factor == source else tr("system × {factor}", factor=name)

    columns: list[tuple[Column, Way]] = [
        (Column(tr("varies with")), component),
        (Column(tr("levels"), 0), lambda name: fitted.levels[name]),
        (Column(tr("variance"), 4), lambda name: fitted.variances[name]),
        (Column(tr("standard deviation"), 3), lambda name: sqrt(fitted.variances[name])),
        (Column(tr("share %"), 1), lambda name: 100 * fitted.shares[name]),
    ]
    return Table.of_records(
        title, fitted.variances if fitted else (), columns, sentences(*map(capitalised, texts))
    )


def mean_table(title: str, model: GradeModel) -> Table:
    """Return means of systems by the model, with standard errors, best first."""
    levels = {} if model.model is None else model.model.levels
    order = [] if model.model is None else np.argsort(-model.model.means).tolist()
    note: str = tr(
        "Linear mixed model by REML, 95 % intervals with Satterthwaite's degrees of freedom"
    )
    factors = set(map(_source, levels))
    varying = [name for name in (DOCUMENT, SEGMENT, EVALUATOR) if name in factors]
    if varying:
        *first, last = (_SOURCES[name].many for name in varying)
        others = tr("{first} and {second}", first=tuple(first), second=last) if first else last
        note = tr("{note}, for other {others} of the same kind", note=note, others=others)
    if EVALUATOR in varying:
        note = clauses(note, tr("those of the ranking are for these evaluators"))
    return Table.of_records(
        title,
        order,
        (
            (Column(tr("system")), model.systems.__getitem__),
            (Column(tr("mean"), 3), model.estimate),
            (Column(tr("standard error"), 3), model.standard_error),
        ),
        tr("{note}.", note=note),
    )
