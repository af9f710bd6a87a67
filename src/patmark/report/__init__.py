"""Show a report: on the terminal, as Markdown, LaTeX, CSV, or as one self-contained HTML file."""

from patmark.report.csv_table import to_csv
from patmark.report.html import to_html
from patmark.report.junit import to_junit
from patmark.report.latex import to_latex
from patmark.report.leaderboard import leaderboard_html
from patmark.report.markdown import to_markdown
from patmark.report.terminal import print_report

__all__ = [
    "leaderboard_html",
    "print_report",
    "to_csv",
    "to_html",
    "to_junit",
    "to_latex",
    "to_markdown",
]
