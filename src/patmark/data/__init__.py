"""What is judged and what comes out: segments, test sets, runs, scores, tables; and their files."""

from patmark.data.model import Run, Segment, TestSet
from patmark.data.report import Cell, Column, Explorer, Headline, Report, Table
from patmark.data.scores import Estimate, Evidence, FloatArray, IntArray, ScoreFunction, Scores

__all__ = [
    "Cell",
    "Column",
    "Estimate",
    "Evidence",
    "Explorer",
    "FloatArray",
    "Headline",
    "IntArray",
    "Report",
    "Run",
    "ScoreFunction",
    "Scores",
    "Segment",
    "Table",
    "TestSet",
]
