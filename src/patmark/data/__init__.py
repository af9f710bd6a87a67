"""What is judged and what comes out: segments, test sets, runs, scores, tables; and their files."""

from patmark.data.files import (
    atomic_writer,
    check_stdin_once,
    iter_json_lines,
    read_lines,
    system_name,
    write_atomically,
)
from patmark.data.jsonl import (
    read_jsonl_run,
    read_jsonl_test_set,
    write_jsonl_run,
    write_jsonl_test_set,
)
from patmark.data.languages import language_code, language_pair
from patmark.data.lines import read_line_run, read_line_test_set, split_name
from patmark.data.model import Run, Segment, TestSet
from patmark.data.patsnap import (
    TRANSLATION_FIELDS,
    Direction,
    check_same_rows,
    parse_list,
    read_patsnap,
    read_patsnap_bench,
)
from patmark.data.report import (
    Cell,
    Chart,
    Column,
    Explorer,
    Headline,
    Interval,
    Intervals,
    Leaderboard,
    Point,
    RankedRun,
    Report,
    Scatter,
    Table,
)
from patmark.data.score_files import segment_csv, segment_rows, write_segment_csv
from patmark.data.scores import Estimate, Evidence, FloatArray, IntArray, ScoreFunction, Scores
from patmark.data.test_set_file import read_test_set
from patmark.data.tsv import read_tsv

__all__ = [
    "TRANSLATION_FIELDS",
    "Cell",
    "Chart",
    "Column",
    "Direction",
    "Estimate",
    "Evidence",
    "Explorer",
    "FloatArray",
    "Headline",
    "IntArray",
    "Interval",
    "Intervals",
    "Leaderboard",
    "Point",
    "RankedRun",
    "Report",
    "Run",
    "Scatter",
    "ScoreFunction",
    "Scores",
    "Segment",
    "Table",
    "TestSet",
    "atomic_writer",
    "check_same_rows",
    "check_stdin_once",
    "iter_json_lines",
    "language_code",
    "language_pair",
    "parse_list",
    "read_jsonl_run",
    "read_jsonl_test_set",
    "read_line_run",
    "read_line_test_set",
    "read_lines",
    "read_patsnap",
    "read_patsnap_bench",
    "read_test_set",
    "read_tsv",
    "segment_csv",
    "segment_rows",
    "split_name",
    "system_name",
    "write_atomically",
    "write_jsonl_run",
    "write_jsonl_test_set",
    "write_segment_csv",
]
