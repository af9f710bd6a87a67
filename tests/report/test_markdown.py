"""Markdown."""

from __future__ import annotations

from patmark.report.markdown import to_markdown
from patmark.report.model import Column, Report, Table


def test_the_whole_report(small_report: Report) -> None:
    assert to_markdown(small_report) == (
        "# Bench & co_1\n\n"
        "100% #1 {zh}\\~en^2 \\\\ \\$5\n\n"
        "- **sys_A**: Overall 81.2 [80.0, 82.5], grade **A** (ready \\| done)\n"
        "- **B**: Overall 49.0\n\n"
        "## By label\n\n"
        "| label | Accuracy | Errors ↓ | n |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| normal_sentence | 53.2 [51.0, 55.4] | 0.12 | 120 |\n"
        "| a\\|b \\[c\\] \\*d\\* | – | – | 0 |\n\n"
        "*n \\< 20: \\*unsure\\**\n\n"
        "## Notes\n\n"
        "- Resampled by segment.\n"
        "- \\- 5 rows skipped\n\n"
        "## Signatures\n\n"
        "- BLEU: `BLEU|tok:13a|refs:1`\n"
    )


def test_words_cannot_become_markup() -> None:
    words = ("<b>", "_x_", "a\nb", "# top", "1. one", "&lt;", "AT&T", "`c`", "a_b")
    table = Table("t", (Column("x"),), tuple((word,) for word in words))
    page = to_markdown(Report("t", "", (), (table,), {"M": "a`b"}))
    rows = [line[2:-2] for line in page.splitlines() if line.startswith("| ")][2:]
    assert rows == [
        "\\<b\\>",
        "\\_x\\_",
        "a b",
        "\\# top",
        "1\\. one",
        "\\&lt;",
        "AT&T",
        "\\`c\\`",
        "a_b",
    ]
    assert "- M: `` a`b ``" in page


def test_small_p_values_and_shared_signatures() -> None:
    table = Table("t", (Column("x"), Column("p", 4, p_value=True)), (("a", 0.000001),))
    page = to_markdown(Report("t", "", (), (table,), {"one": "s", "two": "s", "three": "u"}))
    assert "| a | \\<0.0001 |" in page
    assert page.endswith("- one, two: `s`\n- three: `u`\n")
