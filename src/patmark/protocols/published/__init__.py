"""Numbers that papers have printed, as typed rows; SOURCES.md beside this file names the papers."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib import resources

__all__ = [
    "SUBTASKS",
    "AcceptabilityRow",
    "AdequacyRow",
    "AutomaticRow",
    "MetaRow",
    "PatentRun",
    "TTestRow",
    "ValidationRow",
    "ntcir7_ej",
    "ntcir7_je",
    "ntcir7_t_tests",
    "ntcir9_acceptability",
    "ntcir9_adequacy",
    "ntcir9_automatic",
    "ntcir9_meta",
    "ntcir9_validation",
]

SUBTASKS = ("CE", "JE", "EJ")

_ADEQUACY_RATES = ("5", "4_or_higher", "3_or_higher", "2_or_higher", "1_or_higher")
_ACCEPTABILITY_RATES = ("AA", "A_or_higher", "B_or_higher", "C_or_higher", "F_or_higher")


@dataclass(frozen=True, slots=True)
class PatentRun:
    """A run of NTCIR-7 (Tables 2 and 3). ``human`` is adequacy + fluency as printed.

    ``method``: S statistical, R rule-based, E example-based. None: not in the table.
    """

    group: str
    method: str
    bleu: float | None
    human: float | None
    adequacy: float | None
    fluency: float | None
    extrinsic_bleu: float | None = None
    map_rigid: float | None = None
    map_relaxed: float | None = None


@dataclass(frozen=True, slots=True)
class TTestRow:
    """A pair of NTCIR-7 runs (Table 4) and the level at which MAP rigid differs, if it does."""

    better: str
    worse: str
    level: float | None


@dataclass(frozen=True, slots=True)
class AdequacyRow:
    """A system of NTCIR-9 with its mean adequacy; ``rates`` are cumulative, best grade first."""

    system: str
    type: str
    average: float
    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AcceptabilityRow:
    """A system of NTCIR-9 with its pairwise score; ``rates`` are cumulative, best grade first."""

    system: str
    type: str
    pairwise: float
    rates: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class AutomaticRow:
    """A system of NTCIR-9 with its automatic scores; None where the paper has no readable value."""

    system: str
    bleu: float | None
    nist: float | None
    ribes: float | None


@dataclass(frozen=True, slots=True)
class MetaRow:
    """A row of Tables 19 and 20 of NTCIR-9: a metric against average adequacy."""

    table: int
    subtask: str
    metric: str
    systems: str
    spearman: float
    pearson: float


@dataclass(frozen=True, slots=True)
class ValidationRow:
    """A row of Tables 17 and 18 of NTCIR-9: pairwise scores of two parts of the judgements."""

    table: int
    subtask: str
    criterion: str
    between: str
    pearson: float


def ntcir7_je() -> tuple[PatentRun, ...]:
    """Table 2: Japanese to English."""
    return tuple(_patent_run(row, row["bleu"]) for row in _rows("ntcir7/intrinsic_JE.csv"))


def ntcir7_ej() -> tuple[PatentRun, ...]:
    """Table 3: English to Japanese, with retrieval; ``Mono`` is retrieval without translation."""
    rows = _rows("ntcir7/intrinsic_extrinsic_EJ.csv")
    return tuple(_patent_run(row, row["intrinsic_bleu"]) for row in rows)


def ntcir7_t_tests() -> tuple[TTestRow, ...]:
    """Table 4: every pair of runs with retrieval, and ``Mono`` against each."""
    return tuple(
        TTestRow(row["better"], row["worse"], _number(row["level"]))
        for row in _rows("ntcir7/ttest_map_rigid.csv")
    )


def ntcir9_adequacy(subtask: str) -> tuple[AdequacyRow, ...]:
    """Table 5 (CE), 9 (JE) or 13 (EJ)."""
    return tuple(
        AdequacyRow(row["system"], row["type"], float(row["average"]), _rates(row, _ADEQUACY_RATES))
        for row in _rows(f"ntcir9/adequacy_{subtask}.csv")
    )


def ntcir9_acceptability(subtask: str) -> tuple[AcceptabilityRow, ...]:
    """Table 7 (CE), 11 (JE) or 15 (EJ)."""
    return tuple(
        AcceptabilityRow(
            row["system"], row["type"], float(row["pairwise"]), _rates(row, _ACCEPTABILITY_RATES)
        )
        for row in _rows(f"ntcir9/acceptability_{subtask}.csv")
    )


def ntcir9_automatic(subtask: str) -> tuple[AutomaticRow, ...]:
    """The runs with human scores of Table 21 (CE), 22 (JE) or 23 (EJ)."""
    return tuple(
        AutomaticRow(row["system"], *(_number(row[name]) for name in ("bleu", "nist", "ribes")))
        for row in _rows(f"ntcir9/automatic_{subtask}.csv")
    )


def ntcir9_meta() -> tuple[MetaRow, ...]:
    """Tables 19 (all systems) and 20 (without RBMT)."""
    return tuple(
        MetaRow(
            int(row["table"]), row["subtask"], row["item"], row["systems"],
            float(row["spearman"]), float(row["pearson"]),
        )
        for row in _rows("ntcir9/meta_published.csv")
    )  # fmt: skip


def ntcir9_validation() -> tuple[ValidationRow, ...]:
    """Tables 17 (halves of the data) and 18 (evaluators)."""
    return tuple(
        ValidationRow(
            int(row["table"]), row["subtask"], row["criterion"], row["between"],
            float(row["pearson"]),
        )
        for row in _rows("ntcir9/validation_published.csv")
    )  # fmt: skip


def _rows(name: str) -> list[dict[str, str]]:
    text = (resources.files(__name__) / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _number(text: str | None) -> float | None:
    return float(text) if text else None


def _rates(row: dict[str, str], names: tuple[str, ...]) -> tuple[float, ...]:
    return tuple(float(row[f"rate_{name}"]) for name in names)


def _patent_run(row: dict[str, str], bleu: str) -> PatentRun:
    judged = (_number(row[name]) for name in ("human", "adequacy", "fluency"))
    retrieved = (_number(row.get(name)) for name in ("extrinsic_bleu", "map_rigid", "map_relax"))
    return PatentRun(row["group"], row["method"], _number(bleu), *judged, *retrieved)
