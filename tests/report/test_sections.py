"""What stands alone, what is folded, and what the menu lists."""

from __future__ import annotations

from dataclasses import replace

from pages import Page
from patmark.data import Notice
from patmark.report.html import Menu, menu_of, sections_of, to_html
from patmark.report.latex import to_latex
from patmark.report.markdown import to_markdown
from patmark.report.model import Chart, Column, Interval, Intervals, Point, Report, Scatter, Table

ATTACK = "\"'></summary><script>alert(1)</script>"


def table(title: str, section: str = "") -> Table:
    return Table(title, (Column("system"), Column("BLEU")), (("A", 1.0),), "", section)


def forest(section: str = "") -> Intervals:
    return Intervals("Forest", "x", (Interval("A − B", 1.0, 0.5, 1.5, True),), "", section)


def report(
    *tables: Table, charts: tuple[Chart, ...] = (), findings: tuple[str, ...] = ()
) -> Report:
    return Report("Title", "", (), tables, {"BLEU": "v:1"}, charts=charts, findings=findings)


def menu(made: Report) -> Menu:
    return menu_of(made, sections_of(made))


def test_a_section_stands_where_its_first_table_does() -> None:
    scatter = Scatter("Scatter", "x", "y", (Point(1.0, 2.0, "A"),))
    made = report(
        table("Scores"), table("a", "BLEU"), table("b", "TER"), table("c", "BLEU"), table("d"),
        charts=(forest("TER"), scatter, forest("Only a chart")),
    )  # fmt: skip
    shown = [(each.anchor, each.title, each.charts, each.tables) for each in sections_of(made)]
    assert shown == [
        ("table-1", "", (), (0,)),
        ("section-1", "BLEU", (), (1, 3)),
        ("section-2", "TER", (0,), (2,)),
        ("table-5", "", (), (4,)),
        ("chart-2", "", (1,), ()),
        ("section-3", "Only a chart", (2,), ()),
    ]
    assert [each.opened for each in sections_of(made)] == [False, True, False, False, False, False]
    assert [each.contents for each in sections_of(made)[1:3]] == ["2 tables", "1 chart, 1 table"]


def test_only_the_first_section_is_open() -> None:
    page = Page(to_html(report(table("a", "BLEU"), table("b", "TER"), table("Alone"))))
    folds = [names for _, names in page.elements if names.get("class") == "block folded"]
    assert [(names["id"], "open" in names) for names in folds] == [
        ("section-1", True),
        ("section-2", False),
    ]


def test_every_link_of_the_menu_leads_somewhere() -> None:
    made = report(*(table(f"t{n}", f"measure {n}") for n in range(30)), charts=(forest(),))
    page = Page(to_html(replace(made, notes=("a note",))))
    ids = [names["id"] for _, names in page.elements if names.get("id")]
    links = {names["href"] for tag, names in page.elements if tag == "a"}
    assert len(ids) == len(set(ids))
    headings = {"#results", "#details", "#method"}
    parts = {f"#section-{n}" for n in range(1, 31)} | {"#chart-1", "#notes", "#signatures"}
    assert links == headings | parts and headings <= {f"#{one}" for one in ids}


def test_everything_stands_under_five_headings() -> None:
    many = report(*(table(f"t{n}") for n in range(59)), table("folded", "BLEU"))
    assert len(menu(many).links) == 61
    assert menu(many).headings == (
        ("results", "Results"),
        ("details", "In detail"),
        ("method", "How it was done"),
    )
    found = replace(many, findings=("A beats B.",))
    assert menu(found).headings[0] == ("glance", "At a glance")
    page = Page(to_html(many))
    assert [1 for tag, names in page.elements if names.get("class") == "menu whole"]
    assert "All 61 sections" in page.text


def test_names_of_sections_stay_texts() -> None:
    named = (ATTACK, "#table-1", "section-1")
    made = report(table("Alone"), *(table("t", name) for name in named), findings=(ATTACK,) * 9)
    page = Page(to_html(made))
    assert len(page.scripts) == 2
    assert page.text.count(ATTACK) == 9 + 1 + 1  # the findings, the section, the menu
    assert len(sections_of(made)) == 4


def test_findings_come_first_everywhere() -> None:
    few = Notice("warning", "few-units", "few")
    made = report(table("Scores"), findings=(few, "A_1 is better.", *map(str, range(7))))
    page = Page(to_html(made))
    assert page.text.index("A_1 is better.") < page.text.index("1.00")
    assert "3 more" in page.text
    assert [
        names for tag, names in page.elements if tag == "li" and names.get("class") == "warning"
    ]
    markdown = to_markdown(made)
    assert markdown.index("- A_1 is better.") < markdown.index("## Scores")
    assert r"\item A\_1 is better." in to_latex(made)


def test_a_report_without_findings_has_no_empty_box(small_report: Report) -> None:
    page = Page(to_html(small_report))
    assert not [names for _, names in page.elements if names.get("id") == "findings"]
