"""Ways of judging, one file each: additive statistics of segments, and a score of their sums."""

from patmark.measures.base import Check, Finding, MeanMeasure, Measure, WordMeasure
from patmark.measures.registry import (
    MeasureInfo,
    all_measures,
    describe,
    describe_all,
    parse_measure,
    parse_measures,
    register,
    split_names,
)

__all__ = [
    "Check",
    "Finding",
    "MeanMeasure",
    "Measure",
    "MeasureInfo",
    "WordMeasure",
    "all_measures",
    "describe",
    "describe_all",
    "parse_measure",
    "parse_measures",
    "register",
    "split_names",
]
