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
from patmark.report import Column, Table, clauses, plain, sentences
from patmark.stats import REST, MixedModel, estimable, fit_mixed, margin, system_pairs, with_copies
from patmark.wording import capitalised, percent, tr, tr_n

DOCUMENT, SEGMENT, EVALUATOR, SAMPLE = "document", "segment", "evaluator", "sample"
_SOURCES = {
    DOCUMENT: tr("documents"),
    SEGMENT: tr("segments"),
    EVALUATOR: tr("evaluators"),
    SAMPLE: tr("samples"),
    REST: tr("the rest"),
}
_UNITS = {
    DOCUMENT: tr("document"),
    SEGMENT: tr("segment"),
    EVALUATOR: tr("evaluator"),
    SAMPLE: tr("sample"),
}
_MORE = {
    DOCUMENT: 10,
    SEGMENT: 100,
    EVALUATOR: 1,
    SAMPLE: 1,
}  # additional units to consider
_FALLS = {  # sources whose variance part falls with more units
    DOCUMENT: {DOCUMENT, SEGMENT, REST},
    SEGMENT: {SEGMENT, REST},
    EVALUATOR: {EVALUATOR, REST},
    SAMPLE: {REST},
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
        known = sorted(self.shares.items(), key=lambda item: -item[1])
        shares = tuple(
            tr("{share} comes from {source}", share=percent(share), source=_SOURCES[name])
            if place == 0
            else tr("{share} from {source}", share=percent(share), source=_SOURCES[name])
            for place, (name, share) in enumerate(known)
            if share >= _LEAST_SHARE
        )
        helpful = [
            tr("{further} would make it ±{width:.2f}", further=_further(name, more), width=width)
            for name, (more, width) in self.options.items()
            if width <= self.margin
        ]
        return tr(
            "sources of uncertainty of {of}: {shares}. It is ±{margin:.2f}; {options}.",
            of=of,
            shares=shares,
            margin=self.margin,
            options=clauses(*helpful)
            if helpful
            else tr("more of one kind alone would not reduce it"),
        )


def _further(name: str, more: int) -> str:
    if more == 1:
        return tr("one more {unit}", unit=_UNITS[name])
    return tr("{n} more {units}", n=more, units=_SOURCES[name])


@dataclass(frozen=True, slots=True, eq=False)
class GradeModel:
    """The model of one kind of grades; ``model`` is None if ``notes`` explain why."""

    systems: tuple[str, ...]
    model: MixedModel | None
    df: Mapping[str, float]
    sizes: Mapping[str, float]
    notes: tuple[str, ...]

    def mean(self, system: int) -> Estimate:
        """Return the mean of a system, with an interval for other levels of the factors."""
        return self._estimate(np.eye(len(self.systems))[system])

    def difference(self, first: int, second: int) -> Estimate:
        """Return the first system minus the second."""
        one = np.eye(len(self.systems))
        return self._estimate(one[first] - one[second])

    def _estimate(self, contrast: FloatArray) -> Estimate:
        fitted = self._fitted
        value = float(contrast @ fitted.means)
        half = margin(fitted.parts(contrast.tolist()), self.df)
        return Estimate(value, (value - half, value + half), fitted.n)

    def standard_error(self, *systems: int) -> float:
        """Return the standard error of the mean of a system, or of the difference of two."""
        contrast = np.eye(len(self.systems))[systems[0]]
        if len(systems) > 1:
            contrast = contrast - np.eye(len(self.systems))[systems[1]]
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
        return self._uncertainty(np.eye(len(self.systems)))

    @property
    def of_difference(self) -> Uncertainty | None:
        """Average standard error of the difference between two systems."""
        one = np.eye(len(self.systems))
        pairs = [one[a] - one[b] for a, b in system_pairs(len(self.systems))]
        return self._uncertainty(np.array(pairs)) if pairs else None

    def _uncertainty(self, contrasts: FloatArray) -> Uncertainty:
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
            name: (_MORE[name], self._with_more(name, parts))
            for name in _MORE
            if name in self.sizes
        }
        return Uncertainty(margin(parts, self.df), shares, options)

    def _with_more(self, source: str, parts: Mapping[str, float]) -> float:
        """Return the margin with more units of a source, everything else equal.

        More documents bring more segments, more segments more grades. Another evaluator judges
        every segment.
        """
        size = self.sizes[source]
        factor = {name: size / (size + _MORE[source]) for name in _FALLS[source]}
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
        if self.model is None:
            return {"fitted": False, "notes": list(self.notes)}
        pairs = combinations(range(len(self.systems)), 2)
        uncertainty = {"mean": self.of_mean, "difference": self.of_difference}
        return {
            "fitted": True,
            "grades": self.model.n,
            "method": "REML",
            "reml_criterion": plain(self.model.criterion),
            "components": [
                {
                    "name": name,
                    "variance": variance,
                    "share": self.model.shares[name],
                    "levels": self.model.levels[name],
                }
                for name, variance in self.model.variances.items()
            ],
            "systems": {
                system: _estimate_json(self.mean(place), self.standard_error(place))
                for place, system in enumerate(self.systems)
            },
            "contrasts": [
                {"a": self.systems[a], "b": self.systems[b]}
                | _estimate_json(self.difference(a, b), self.standard_error(a, b))
                for a, b in pairs
            ],
            "uncertainty": {
                name: {
                    "margin": one.margin,
                    "shares": dict(one.shares),
                    "options": [
                        {"more": source, "number": more, "margin": width}
                        for source, (more, width) in one.options.items()
                    ],
                }
                for name, one in uncertainty.items()
                if one is not None
            },
            "notes": list(self.notes),
        }


def _estimate_json(estimate: Estimate, error: float) -> dict[str, Any]:
    return {"value": estimate.value, "se": error, "ci": list(estimate.ci or ())}


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
    kept, refused = estimable(given.system, given.factors) if len(given.values) else ([], {})
    notes = [
        tr("no variance of {name}: {why}", name=name, why=why) for name, why in refused.items()
    ]
    others = sum(sorted(_levels(given.factors[name]) for name in kept)[:-1])
    model = None
    if not kept:
        notes.append(
            tr("no model: the design of the judgements does not identify sources of variance")
        )
    elif others > _MOST_LEVELS:
        notes.append(
            tr(
                "no model: {others} levels in addition to those of the largest factor are too many",
                others=others,
            )
        )
    else:
        model = fit_mixed(given.values, given.groups, {one: given.factors[one] for one in kept})
        if model is None:
            notes.append(tr("no model: the grades of a system do not vary"))
    if model is None:
        return GradeModel(names, None, {}, {}, tuple(notes))
    copies = len(system) - len(given.values)
    if copies:
        own = replace(answers, system=system).factors
        real = {one: answers.factors[one] for one in kept} | {REST: answers.single}
        model = with_copies(model, answers.values, system, {one: own[one] for one in kept}, real)
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
    sizes = {name: float(model.levels[name]) for name in _MORE if name in kept}
    each = len(given.values) / _levels(_codes(given.system, given.segment))
    sizes |= {REST: each} if evaluators else {REST: each, SAMPLE: each}
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
    def groups(self) -> IntArray:
        """The systems, numbered from 0 without gaps."""
        return _codes(self.system)

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


def _component(factor: str) -> str:
    """Return the name of a factor, or of its interaction with systems."""
    name = _UNITS.get(_source(factor), _source(factor))
    return name if factor == _source(factor) else tr("system × {factor}", factor=name)


def component_table(title: str, model: GradeModel) -> Table:
    """Return the variances, and their shares in single grades, in means and in differences."""
    fitted = model.model
    rows: list[tuple[str | float | None, ...]] = []
    if fitted is not None:
        rows = [
            (
                _component(name),
                fitted.levels[name],
                variance,
                sqrt(variance),
                100 * fitted.shares[name],
            )
            for name, variance in fitted.variances.items()
        ]
    columns = (
        Column(tr("varies with")), Column(tr("levels"), 0), Column(tr("variance"), 4),
        Column(tr("standard deviation"), 3), Column(tr("share %"), 1),
    )  # fmt: skip
    model_sentences = map(capitalised, model.sentences())
    return Table(title, columns, tuple(rows), sentences(*model_sentences, *_noted(model)))


def _noted(model: GradeModel) -> Iterator[str]:
    return (tr("{note}.", note=capitalised(note)) for note in model.notes)


def mean_table(title: str, model: GradeModel) -> Table:
    """Return means of systems by the model, with standard errors, best first."""
    order = np.argsort(-model.model.means) if model.model is not None else ()
    rows = tuple(
        (model.systems[place], model.mean(int(place)), model.standard_error(int(place)))
        for place in order
    )
    note: str = tr(
        "Linear mixed model by REML, 95 % intervals with Satterthwaite's degrees of freedom"
    )
    varying = [name for name in (DOCUMENT, SEGMENT, EVALUATOR) if _varies_with(model, name)]
    if varying:
        others = _listed([_SOURCES[name] for name in varying])
        note = tr("{note}, for other {others} of the same kind", note=note, others=others)
    if EVALUATOR in varying:
        note = clauses(note, tr("those of the ranking are for these evaluators"))
    columns = (Column(tr("system")), Column(tr("mean"), 3), Column(tr("standard error"), 3))
    return Table(title, columns, rows, tr("{note}.", note=note))


def _varies_with(model: GradeModel, source: str) -> bool:
    """Return True if a source or its interaction is among the factors of the model."""
    return model.model is not None and source in map(_source, model.model.levels)


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return tr("{first} and {second}", first=tuple(first), second=last) if first else last
