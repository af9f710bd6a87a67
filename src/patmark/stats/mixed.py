"""A linear mixed model with crossed random factors, fitted by REML.

A grade is the mean of its system plus random effects of its document, segment and evaluator plus a
residual. The factors are crossed: every evaluator may judge every segment. The fit follows Bates et
al. (2015), "Fitting linear mixed-effects models using lme4". Means and residual variance are
profiled out, so that the search runs over one number per factor: the ratio of its standard
deviation to the residual one. The gradient is exact, so a few dozen steps suffice.

If factors leave no residual, as when all evaluators give the same grades, the likelihood is
unbounded and carries no information on the factors. The residual variance is therefore kept above a
millionth of the variance of the values. The fit is then that of the values without their
repetitions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, nan, pi, sqrt

import numpy as np

from patmark.data import FloatArray, IntArray
from patmark.stats.distributions import student_quantile

REST = "residual"
_CONFIDENCE = 0.975
_NOTHING = 1e-12  # of the variance of the values; less counts as zero
_NO_REST = 1e-6  # of the variance within groups; a smaller residual counts as none
_LEAST, _NEAR_ZERO, _LARGEST = 1e-4, 1e-3, 1e5  # ratios of deviations


@dataclass(frozen=True, slots=True, eq=False)
class MixedModel:
    """Means of groups, such as systems, and the variance component of each random factor.

    ``variances`` are by factor, the residual last; ``levels`` are the numbers of levels.
    ``criterion`` is the REML criterion, −2 log likelihood, and NaN without a residual. ``spread``
    has the weight of each level of each factor in the mean of each group; ``covariance`` is that of
    means.
    """

    means: FloatArray
    covariance: FloatArray
    variances: Mapping[str, float]
    levels: Mapping[str, int]
    criterion: float
    n: int
    spread: Mapping[str, FloatArray]

    @property
    def shares(self) -> dict[str, float]:
        """The share of each factor in the variance of a single value."""
        total = sum(self.variances.values())
        return {name: value / total if total else nan for name, value in self.variances.items()}

    def parts(self, contrast: Sequence[float]) -> dict[str, float]:
        """Return the variance that each factor contributes to a weighted sum of the means."""
        weights = np.asarray(contrast, np.float64)
        parts = {
            name: self.variances[name] * float(np.square(weights @ spread).sum())
            for name, spread in self.spread.items()
        }
        rest = float(weights @ self.covariance @ weights) - sum(parts.values())
        return parts | {REST: max(0.0, rest)}


def margin(parts: Mapping[str, float], df: Mapping[str, float]) -> float:
    """Return half the width of a 95 % interval from variance parts and their df.

    The degrees of freedom of the sum are Satterthwaite's: few evaluators make it wide.
    """
    total = sum(parts.values())
    if not total:
        return 0.0
    weighed = sum(part**2 / max(1.0, df[name]) for name, part in parts.items())
    return student_quantile(_CONFIDENCE, total**2 / weighed) * sqrt(total)


def estimable(
    groups: IntArray, factors: Mapping[str, IntArray]
) -> tuple[list[str], dict[str, str]]:
    """Return the factors with estimable variance, and the reason for each of the others.

    Factors are tried in order. A factor is not estimable if it partitions the data like the groups,
    like an earlier factor, or into single values.
    """
    kept: dict[str, IntArray] = {}
    refused: dict[str, str] = {}
    for name, codes in factors.items():
        levels = len(np.unique(codes))
        alike = next((one for one, other in kept.items() if _same(codes, other)), None)
        if levels < 2:
            refused[name] = "there is only one"
        elif levels == len(codes):
            refused[name] = "each has a single value"
        elif _same(codes, groups):
            refused[name] = "it is the same as the groups"
        elif alike is not None:
            refused[name] = f"it is the same as {alike}"
        else:
            kept[name] = codes
    return list(kept), refused


def _same(first: IntArray, second: IntArray) -> bool:
    """Return True if two factors partition the data in the same way."""
    both = len(np.unique(np.stack([first, second]), axis=1).T)
    return both == len(np.unique(first)) == len(np.unique(second))


def fit_mixed(
    values: FloatArray, groups: IntArray, factors: Mapping[str, IntArray]
) -> MixedModel | None:
    """Fit means of ``groups`` and variances of crossed ``factors``, all coded 0, 1, … by value.

    At least one factor is needed, and every code must be in use (see :func:`estimable`). None if
    there is nothing to fit: no variance within groups, or no residual degrees of freedom.
    """
    equations = _Equations(values, groups, factors)
    if equations.spare < 1 or not equations.varies:
        return None
    return equations.model(_search(equations))


def with_copies(
    model: MixedModel, values: FloatArray, groups: IntArray, factors: Mapping[str, IntArray],
    answers: Mapping[str, IntArray],
) -> MixedModel:  # fmt: skip
    """Return means of all values if the model covers only answers and some values are copies.

    ``factors`` are those of the values, ``answers`` those of the answer of each value, with the
    answer itself as the residual. A copy counts in the mean of its group with all random effects of
    the answer, so that two groups with the same answers do not differ.
    """
    equations = _Equations(values, groups, factors)
    rest = max(model.variances[REST], equations.least_rest)
    weights, means = equations.weights(np.sqrt([model.variances[one] / rest for one in factors]))
    covariance = np.zeros((len(means), len(means)))
    spread = {}
    for name, codes in answers.items():
        shares = np.zeros((len(means), int(codes.max()) + 1))
        np.add.at(shares.T, codes, weights.T)
        covariance += model.variances[name] * (shares @ shares.T)
        if name != REST:
            spread[name] = shares
    return replace(model, means=means, covariance=covariance, spread=spread)


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """Solution of the equations for ratios D of deviations, with M = D·Z'Z·D + I.

    ``solution`` is M⁻¹·D·Z'[X y], ``remains`` the part of [X y] that it does not explain, ``left``
    the remaining cross products, ``traces`` the diagonal of M⁻¹ summed by factor.
    """

    ratios: FloatArray
    determinant: float
    solution: FloatArray
    remains: FloatArray
    left: FloatArray
    traces: FloatArray


class _Equations:
    """Cross products of one data set, and the criterion for ratios of deviations.

    Levels of one factor never occur together in one value, so its own equations are diagonal. The
    factor with the most levels is eliminated, and only the others are solved as a matrix.
    """

    def __init__(
        self, values: FloatArray, groups: IntArray, factors: Mapping[str, IntArray]
    ) -> None:
        from scipy import sparse

        by_size = sorted(factors, key=lambda name: int(factors[name].max()))
        self.names = list(factors)
        self.sizes = [int(factors[name].max()) + 1 for name in by_size]
        self.place = [by_size.index(name) for name in self.names]
        self.cuts = np.cumsum(self.sizes)[:-1]
        self.centre = float(values.mean())
        centred, count, rows = values - self.centre, len(values), np.arange(len(values))
        columns = [
            factors[name] + start
            for name, start in zip(by_size, [0, *self.cuts.tolist()], strict=True)
        ]
        where = (np.tile(rows, len(columns)), np.concatenate(columns))
        random = sparse.csr_matrix((np.ones(count * len(columns)), where))
        fixed = np.zeros((count, int(groups.max()) + 1))
        fixed[rows, groups] = 1.0
        beside = np.column_stack([fixed, centred])
        crossed = (random.T @ random).tocsr()
        self.kept = sum(self.sizes[:-1])
        self.largest = crossed.diagonal()[self.kept :]
        self.between = crossed[self.kept :, : self.kept]
        self.others = crossed[: self.kept, : self.kept].toarray()
        self.beside_random = np.asarray(random.T @ beside)
        self.random, self.beside = random, beside
        self.count, self.spare = count, count - fixed.shape[1]
        within = centred - fixed @ (fixed.T @ centred / fixed.sum(axis=0))
        squares = float(np.square(within).sum())
        self.varies = squares > _NOTHING * float(np.square(values).sum())
        self.least_rest = _NO_REST * squares / max(1, self.spare)

    def solve(self, ratios: FloatArray) -> _Solved:
        """Solve the equations; ``ratios`` are in the order of sizes."""
        from scipy import sparse

        scale, largest = np.repeat(ratios[:-1], self.sizes[:-1]), float(ratios[-1])
        diagonal = 1 + largest**2 * self.largest
        between = largest * (self.between @ sparse.diags(scale, shape=(self.kept, self.kept)))
        eliminated = (between.T @ sparse.diags(1 / diagonal) @ between).toarray()
        matrix = np.eye(self.kept) + scale[:, None] * self.others * scale - eliminated
        inverse = np.linalg.inv(matrix)
        determinant = float(np.log(diagonal).sum() + np.linalg.slogdet(matrix)[1])
        scaling = np.concatenate([scale, np.full(len(diagonal), largest)])[:, None]
        scaled = scaling * self.beside_random
        first, last = scaled[: self.kept], scaled[self.kept :] / diagonal[:, None]
        of_others = inverse @ (first - between.T @ last)
        of_largest = last - (between @ of_others) / diagonal[:, None]
        solution = np.concatenate([of_others, of_largest])
        within = np.asarray(between.multiply(between @ inverse).sum(axis=1)).ravel()
        own = np.concatenate([np.diagonal(inverse), 1 / diagonal + within / diagonal**2])
        traces = np.array([part.sum() for part in np.split(own, self.cuts)])
        remains = self.beside - self.random @ (scaling * solution)
        left = remains.T @ remains + solution.T @ solution  # a difference would lose precision
        return _Solved(ratios, determinant, solution, remains, left, traces)

    def criterion(self, ratios: FloatArray) -> tuple[float, FloatArray]:
        """Return −2 log restricted likelihood and its gradient, profiled to the ratios."""
        found = self.solve(ratios)
        means, rest = self._means(found)
        variance = self._variance(rest)
        inverse = np.linalg.inv(found.left[:-1, :-1])
        logs = found.determinant + float(np.linalg.slogdet(found.left[:-1, :-1])[1])
        slopes = np.zeros(len(ratios))
        for place, part in enumerate(np.split(found.solution, self.cuts)):
            if ratios[place] > 0:
                fixed = part[:, :-1]
                explained = float(((fixed @ inverse) * fixed).sum())
                misfit = float(np.square(part[:, -1] - fixed @ means).sum()) / variance
                slope = self.sizes[place] - found.traces[place] - explained - misfit
                slopes[place] = 2 * slope / ratios[place]
        return logs + self.spare * log(2 * pi * variance) + rest / variance, slopes

    def _means(self, found: _Solved) -> tuple[FloatArray, float]:
        """Return the means of groups, centred, and the remaining sum of squares."""
        means = np.asarray(np.linalg.solve(found.left[:-1, :-1], found.left[:-1, -1]), np.float64)
        rest = float(found.left[-1, -1] - found.left[-1, :-1] @ means)
        return means, rest

    def _variance(self, rest: float) -> float:
        """Return the residual variance, bounded away from zero."""
        return max(rest / self.spare, self.least_rest)

    def weights(self, ratios: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weight of each value in the mean of each group, and the means."""
        in_order = np.zeros(len(ratios))
        in_order[self.place] = ratios.clip(0.0, _LARGEST)
        found = self.solve(in_order)
        means, _ = self._means(found)
        weights = np.linalg.solve(found.left[:-1, :-1], found.remains[:, :-1].T)
        return np.asarray(weights), means + self.centre

    def model(self, ratios: FloatArray) -> MixedModel:
        """Return the fit at given ratios."""
        found = self.solve(ratios)
        means, rest = self._means(found)
        variance = self._variance(rest)
        remains = variance > self.least_rest
        inverse = np.linalg.inv(found.left[:-1, :-1])
        parts = np.split(found.solution[:, :-1], self.cuts)
        spread, variances, levels = {}, {}, {}
        for name, place in zip(self.names, self.place, strict=True):
            ratio = float(ratios[place])
            variances[name], levels[name] = ratio**2 * variance, self.sizes[place]
            spread[name] = inverse @ parts[place].T / (ratio or 1.0)
        return MixedModel(
            means + self.centre,
            np.asarray(variance * inverse, np.float64),
            {**variances, REST: variance if remains else 0.0},
            {**levels, REST: self.count},
            self.criterion(ratios)[0] if remains else nan,
            self.count,
            spread,
        )


def _search(equations: _Equations) -> FloatArray:
    """Return the ratios that minimise the criterion; a vanishing ratio is zero.

    A search over logarithms finds the order of magnitude, but may lose a factor, because the
    logarithm of a tiny ratio has no gradient. A search over squares recovers it, but is insensitive
    to small ratios. So the logarithms are searched last.
    """
    ratios = _least_by_logs(equations, np.ones(len(equations.sizes)))
    unit = max(1.0, float(ratios.max()))
    bounds = (_LEAST**2, (_LARGEST / unit) ** 2)
    squares = _least(
        equations, np.square(ratios / unit).clip(*bounds), bounds,
        lambda squares: (unit * np.sqrt(squares), unit / (2 * np.sqrt(squares))),
    )  # fmt: skip
    ratios = _least_by_logs(equations, unit * np.sqrt(squares))
    return np.where(ratios < _NEAR_ZERO, 0.0, ratios)


def _least_by_logs(equations: _Equations, start: FloatArray) -> FloatArray:
    logs = _least(
        equations, np.log(start), (log(_LEAST), log(_LARGEST)),
        lambda logs: (np.exp(logs), np.exp(logs)),
    )  # fmt: skip
    return np.exp(logs)


def _least(
    equations: _Equations, start: FloatArray, bounds: tuple[float, float],
    ratios_of: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
) -> FloatArray:  # fmt: skip
    """Minimise the criterion; ``ratios_of`` returns the ratios at a point and their gradients.

    The criterion is taken by value, to keep the first step short.
    """
    from scipy.optimize import minimize

    def by_value(place: FloatArray) -> tuple[float, FloatArray]:
        ratios, change = ratios_of(place)
        value, slopes = equations.criterion(ratios)
        return value / equations.spare, slopes * change / equations.spare

    found = minimize(
        by_value, start, jac=True, method="L-BFGS-B", bounds=[bounds] * len(start),
        options={"ftol": 1e-13, "gtol": 1e-8},
    )  # fmt: skip
    return np.asarray(found.x, np.float64)
