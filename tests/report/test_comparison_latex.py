"""A comparison as LaTeX for a paper."""

from __future__ import annotations

import numpy as np
import pytest

from patmark.data.scores import Scores
from patmark.evaluation.comparison import CompareSettings, Comparison, compare
from patmark.evaluation.comparison_tables import comparison_report
from patmark.evaluation.scoring import Sampling
from patmark.measures.registry import parse_measure
from patmark.report.latex import escape, to_latex

_SEGMENTS = 40


def _comparison(systems: int, names: tuple[str, ...] = ("RIBES", "omission")) -> Comparison:
    """Systems that are clearly better, one after the other, by means of segments."""
    rng = np.random.default_rng(0)
    values = np.linspace(0.9, 0.1, systems)[:, None] + rng.normal(0, 0.01, (systems, _SEGMENTS))
    statistics = np.stack([values, np.ones_like(values)], axis=-1)
    scores = {}
    for name in names:
        measure = parse_measure(name)
        scores[name] = Scores(
            name, f"{name}|v:1", tuple(f"s_{n}" for n in range(systems)),
            tuple(map(str, range(_SEGMENTS))), statistics, measure, measure.higher_is_better,
            bounds=measure.bounds,
        )  # fmt: skip
    settings = CompareSettings(Sampling(resamples=50), trials=2000)
    return compare(scores, [None] * _SEGMENTS, settings)


def _latex(comparison: Comparison) -> str:
    return to_latex(comparison_report(comparison, "A & B", "sub"))


def test_two_tables_whatever_the_report_holds() -> None:
    comparison = _comparison(3)
    report = comparison_report(comparison, "A & B", "sub")
    text = to_latex(report)
    assert len(report.tables) > 4 and text.count(r"\begin{table}") == 2
    lines = text.splitlines()
    assert lines[1] == "% A & B"
    assert r"system & RIBES & omission $\downarrow$ \\" in lines
    for system, letters in (("s_0", "ac"), ("s_1", "bb"), ("s_2", "ca")):
        shown = [
            f"{comparison.measures[name].estimates[system].value:.{decimals}f}"
            for name, decimals in (("RIBES", 4), ("omission", 4))
        ]
        cells = [
            (rf"\textbf{{{value}}}" if letter == "a" else value) + f"$^{{{letter}}}$"
            for value, letter in zip(shown, letters, strict=True)
        ]
        assert rf"{escape(system)} & {' & '.join(cells)} \\" in lines
    pair, other = (comparison.measures[name].pairs[0] for name in ("RIBES", "omission"))
    assert r"difference & RIBES & omission $\downarrow$ \\" in lines
    assert (
        rf"s\_0 $-$ s\_1 & $+${pair.delta:.4f} ($<${pair.p_holm:.4f}) & "
        rf"$+${other.delta:.4f} ($<${other.p_holm:.4f}) \\"
    ) in lines
    assert text.count(r"\label{tab:a-b-") == 2
    assert r"\item RIBES: \texttt{RIBES\textbar\allowbreak{}v:1}" in text
    assert r"\paragraph{Findings}" in text


@pytest.mark.parametrize("systems", [2, 7, 12])
def test_no_table_is_longer_than_a_page(systems: int) -> None:
    text = _latex(_comparison(systems, ("RIBES",)))
    pairs = systems * (systems - 1) // 2
    assert text.count(r"\begin{table}") == 1 + -(-pairs // 40)
    assert text.count(" $-$ s") == pairs
    assert (", part 2 of 2" in text) == (systems == 12)


def test_what_could_not_be_tested_has_no_letter() -> None:
    measure = parse_measure("RIBES")
    statistics = np.array([[[0.9, 1.0]] * 3, [[0.1, 1.0]] * 3])
    scores = Scores("RIBES", "s", ("x", "y"), ("1", "2", "3"), statistics, measure, True)
    settings = CompareSettings(Sampling(resamples=50), trials=100)
    comparison = compare({"RIBES": scores}, [None] * 3, settings)
    text = _latex(comparison)
    assert r"x & \textbf{0.9000} \\" in text.splitlines()
    assert r"y & 0.1000 \\" in text.splitlines()
