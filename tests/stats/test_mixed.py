"""Mixed models: numbers of lme4 and statsmodels, a known design, and data that cannot tell."""

from __future__ import annotations

import numpy as np
import pytest

from patmark.stats.mixed import REST, estimable, fit_mixed, margin

# Davies and Goldsmith (1972), section 6.6: diameters of six samples (columns) on 24 plates; the
# data set Penicillin of lme4.
_PENICILLIN = [
    "272326232321",
    "272326232321",
    "252125242420",
    "262325232320",
    "252226222320",
    "242225232219",
    "242023212219",
    "262226242421",
    "242124222220",
    "242124232219",
    "262326242421",
    "252226242420",
    "262426242522",
    "262326232320",
    "262325242422",
    "252225232320",
    "252124232320",
    "252224232319",
    "242123212119",
    "262326242421",
    "252124222218",
    "252225222220",
    "242124222419",
    "242124222118",
]
# Davies and Goldsmith (1972), section 6.4: yields of five preparations of six batches; Dyestuff.
_DYESTUFF = [
    1545, 1440, 1440, 1520, 1580, 1540, 1555, 1490, 1560, 1495, 1595, 1550, 1605, 1510, 1560,
    1445, 1440, 1595, 1465, 1545, 1595, 1630, 1515, 1635, 1625, 1520, 1455, 1450, 1480, 1445,
]  # fmt: skip


def test_dyestuff_as_lme4_fits_it() -> None:
    """Bates, "lme4: Mixed-effects modeling with R", chapter 1: Yield ~ 1 + (1 | Batch)."""
    model = fit_mixed(np.array(_DYESTUFF, float), np.zeros(30, int),
                      {"batch": np.repeat(np.arange(6), 5)})  # fmt: skip
    assert model is not None
    assert model.criterion == pytest.approx(319.6543, abs=1e-4)
    assert model.means[0] == pytest.approx(1527.5)
    assert model.covariance[0, 0] ** 0.5 == pytest.approx(19.38, abs=5e-3)
    assert model.variances["batch"] == pytest.approx(1764.05, abs=0.02)
    assert model.variances[REST] == pytest.approx(2451.25, abs=0.02)


def test_crossed_factors_of_penicillin_as_lme4_fits_them() -> None:
    """The same book, chapter 2: diameter ~ 1 + (1 | plate) + (1 | sample)."""
    diameters = np.array([[int(row[at : at + 2]) for at in range(0, 12, 2)] for row in _PENICILLIN])
    plates, samples = np.indices(diameters.shape)
    model = fit_mixed(
        diameters.ravel().astype(float), np.zeros(144, int),
        {"plate": plates.ravel(), "sample": samples.ravel()},
    )  # fmt: skip
    assert model is not None
    assert model.criterion == pytest.approx(330.86, abs=5e-3)
    assert model.means[0] == pytest.approx(22.9722, abs=5e-5)
    assert model.covariance[0, 0] ** 0.5 == pytest.approx(0.8086, abs=5e-5)
    deviations = {name: variance**0.5 for name, variance in model.variances.items()}
    assert deviations["plate"] == pytest.approx(0.8467, abs=5e-5)
    assert deviations["sample"] == pytest.approx(1.9316, abs=5e-5)
    assert deviations[REST] == pytest.approx(0.5499, abs=5e-5)


def _incomplete() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Grades of 3 systems × 12 segments × 4 evaluators, about 15 % of them missing."""
    rng = np.random.default_rng(20)
    system, segment, evaluator = (axis.ravel() for axis in np.indices((3, 12, 4)))
    values = 3 + 0.3 * system + rng.normal(0, 0.8, 12)[segment]
    values = values + rng.normal(0, 0.4, 4)[evaluator]
    values = values + rng.normal(0, 0.5, (3, 12))[system, segment]
    values = np.round(values + rng.normal(0, 0.6, len(system)), 1)
    kept = rng.random(len(system)) > 0.15
    return values[kept], system[kept], segment[kept], evaluator[kept]


def test_incomplete_crossed_grades_as_statsmodels_fits_them() -> None:
    """MixedLM of statsmodels 0.15.0, one group, vc_formula, REML, method lbfgs.

    Its standard errors are those of the full Hessian and differ in the fourth digit.
    """
    values, system, segment, evaluator = _incomplete()
    output = np.unique(system * 12 + segment, return_inverse=True)[1]
    model = fit_mixed(
        values, system, {"segment": segment, "evaluator": evaluator, "output": output}
    )
    assert model is not None and model.n == 124
    assert model.criterion == pytest.approx(289.84800945, abs=1e-6)
    assert model.means == pytest.approx([2.388560119, 2.691451125, 3.064668290], abs=1e-6)
    errors = np.sqrt(np.diag(model.covariance))
    assert errors == pytest.approx([0.271362907, 0.274926478, 0.273243825], rel=5e-4)
    assert model.variances["segment"] == pytest.approx(0.352211964, rel=1e-5)
    assert model.variances["evaluator"] == pytest.approx(0.009775954, rel=1e-4)
    assert model.variances["output"] == pytest.approx(0.409905839, rel=1e-5)
    assert model.variances[REST] == pytest.approx(0.334025661, rel=1e-5)


def test_parts_of_a_variance_add_up_to_it() -> None:
    values, system, segment, evaluator = _incomplete()
    model = fit_mixed(values, system, {"segment": segment, "evaluator": evaluator})
    assert model is not None
    for contrast in ([1, 0, 0], [1, -1, 0], [0.5, 0.5, -1]):
        variance = np.array(contrast) @ model.covariance @ contrast
        parts = model.parts(contrast)
        assert sum(parts.values()) == pytest.approx(variance) and min(parts.values()) >= 0


def test_a_balanced_design_gives_the_formulas_of_analysis_of_variance() -> None:
    """The variance of a mean of a balanced design: each component by its number of levels."""
    rng = np.random.default_rng(1)
    system, segment, evaluator = (axis.ravel() for axis in np.indices((2, 40, 5)))
    values = rng.normal(0, 1, 40)[segment] + rng.normal(0, 0.7, 5)[evaluator]
    values = values + rng.normal(0, 0.5, len(system))
    model = fit_mixed(values, system, {"segment": segment, "evaluator": evaluator})
    assert model is not None
    parts, variances = model.parts([1, 0]), model.variances
    expected = {"segment": 40, "evaluator": 5, REST: 200}
    for name, levels in expected.items():
        assert parts[name] == pytest.approx(variances[name] / levels, rel=1e-4)
    difference = model.parts([1, -1])
    assert difference["segment"] == pytest.approx(0, abs=1e-12)  # it cancels out of a difference


def test_components_are_recovered_on_average() -> None:
    rng = np.random.default_rng(2)
    system, segment, evaluator = (axis.ravel() for axis in np.indices((3, 30, 6)))
    found = []
    for _ in range(60):
        values = rng.normal(0, 0.8, 30)[segment] + rng.normal(0, 0.4, 6)[evaluator]
        model = fit_mixed(
            values + rng.normal(0, 0.6, len(system)), system,
            {"segment": segment, "evaluator": evaluator},
        )  # fmt: skip
        assert model is not None
        found.append(list(model.variances.values()))
    assert np.mean(found, axis=0) == pytest.approx([0.64, 0.16, 0.36], rel=0.15)


def test_a_factor_without_variance_is_zero() -> None:
    """Values that alternate within every level: less than no variance between levels."""
    values = np.array([1.0, -1.0] * 12)
    model = fit_mixed(values, np.zeros(24, int), {"segment": np.repeat(np.arange(12), 2)})
    assert model is not None and model.variances["segment"] == 0
    assert model.variances[REST] == pytest.approx(values.var(ddof=1))


def _agreeing() -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Three evaluators with the same grades for 2 systems × 20 segments."""
    rng = np.random.default_rng(3)
    system, segment, evaluator = (axis.ravel() for axis in np.indices((2, 20, 3)))
    grades = rng.normal(0, 0.7, 20) + rng.normal(0, 1.2, (2, 20))
    factors = {"segment": segment, "evaluator": evaluator, "output": system * 20 + segment}
    return grades[system, segment], system, factors


def test_evaluators_who_agree_completely_count_as_one() -> None:
    """Without a residual the fit is that of one evaluator, whose residual is that of outputs."""
    values, system, factors = _agreeing()
    model = fit_mixed(values, system, factors)
    one = factors["evaluator"] == 0
    single = fit_mixed(values[one], system[one], {"segment": factors["segment"][one]})
    assert model is not None and single is not None
    assert model.variances[REST] == model.variances["evaluator"] == 0
    assert model.variances["segment"] == pytest.approx(single.variances["segment"], rel=1e-3)
    assert model.variances["output"] == pytest.approx(single.variances[REST], rel=1e-3)
    assert model.means == pytest.approx(single.means)
    assert model.covariance == pytest.approx(single.covariance, rel=1e-3)
    assert np.isnan(model.criterion)


@pytest.mark.parametrize("noise", [1e-6, 1e-4, 1e-3, 2e-3, 5e-3, 1e-2, 3e-2])
def test_evaluators_who_all_but_agree_are_near_those_who_do(noise: float) -> None:
    values, system, factors = _agreeing()
    agreed = fit_mixed(values, system, factors)
    added = noise * np.random.default_rng(0).normal(size=len(values))
    model = fit_mixed(values + added, system, factors)
    assert agreed is not None and model is not None
    for name in ("segment", "output"):
        assert model.variances[name] == pytest.approx(agreed.variances[name], rel=0.01 + 2 * noise)
    assert model.covariance == pytest.approx(agreed.covariance, rel=0.01 + 2 * noise)
    assert model.variances[REST] == pytest.approx(noise**2, rel=0.3, abs=3e-6)


def test_evaluators_who_differ_by_a_constant_leave_no_residual() -> None:
    """The variance between evaluators is then that of their constants."""
    values, system, factors = _agreeing()
    agreed = fit_mixed(values, system, factors)
    strictness = np.array([-1.0, 0.0, 1.0])[factors["evaluator"]]
    model = fit_mixed(values + strictness, system, factors)
    assert agreed is not None and model is not None and model.variances[REST] == 0
    assert model.variances["evaluator"] == pytest.approx(1, rel=1e-3)
    assert model.variances["segment"] == pytest.approx(agreed.variances["segment"], rel=1e-3)
    assert model.variances["output"] == pytest.approx(agreed.variances["output"], rel=1e-3)


def test_what_cannot_be_told_apart_is_refused_with_the_reason() -> None:
    system, segment = (axis.ravel() for axis in np.indices((2, 4)))
    kept, refused = estimable(
        system,
        {
            "document": segment // 2, "segment": segment, "again": 3 - segment,
            "evaluator": np.zeros(8, int), "model": 1 - system, "grade": np.arange(8),
        },
    )  # fmt: skip
    assert kept == ["document", "segment"]
    assert refused == {
        "again": "it is the same as segment",
        "evaluator": "there is only one",
        "model": "it is the same as the groups",
        "grade": "each has a single value",
    }


def test_no_model_of_values_that_do_not_vary() -> None:
    assert fit_mixed(np.full(8, 3.0), np.arange(8) % 2, {"segment": np.arange(8) // 2}) is None
    same = np.array([4.0, 2.0] * 4)
    assert fit_mixed(same, np.arange(8) % 2, {"segment": np.arange(8) // 2}) is None


def test_few_evaluators_make_a_wide_interval() -> None:
    """Student's t of 2 degrees of freedom at 97.5 %: 4.3027."""
    assert margin({"evaluator": 0.04}, {"evaluator": 2}) == pytest.approx(0.2 * 4.302653)
    assert margin({"a": 0.02, "b": 0.02}, {"a": 1e9, "b": 1e9}) == pytest.approx(0.2 * 1.959964)
    assert margin({"a": 0.0}, {"a": 3}) == 0
