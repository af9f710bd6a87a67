"""PDF files that Chromium printed: paragraphs in reading order, without the furniture of pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from patmark.documents import Place, WholeDocument, read_document
from patmark.errors import InputError

pytestmark = pytest.mark.browser

Printer = Callable[[str], WholeDocument]

_LINES = """<style>@page{size:A4;margin:0}
body{margin:0;font:10.5pt 'Liberation Serif','Noto Serif CJK JP'}
.page{position:relative;width:210mm;height:296mm;page-break-after:always}
.page>*{position:absolute;white-space:nowrap}.line{width:80mm;text-align-last:justify}
.last{text-align-last:left}</style>"""


@pytest.fixture(scope="module")
def printed(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Printer:
    folder = tmp_path_factory.mktemp("pdf")
    page = browser.new_page()

    def printing(html: str) -> WholeDocument:
        path = folder / f"{len(list(folder.iterdir()))}.pdf"
        page.set_content(html)
        page.evaluate("document.fonts.ready")
        page.pdf(path=str(path), prefer_css_page_size=True)
        return read_document(path)

    return printing


def texts(document: WholeDocument) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def office_page(
    number: int, left: str, right: str, numbers: range = range(0), header: str = "EP 9 999 999 A1"
) -> str:
    """Make a page with two columns line by line, and line numbers in the gutter.

    A line with "|" at its end is the last of its paragraph; ">" begins an indented one.
    """
    parts = [
        f'<div style="left:86mm;top:12mm">{header}</div>',
        f'<div style="left:104mm;top:282mm">{number}</div>',
        *(
            f'<div style="left:103.5mm;top:{20 + 5 * at}mm;font-size:8pt">{at}</div>'
            for at in numbers
        ),
    ]
    for x, column in ((20, left), (110, right)):
        for at, line in enumerate(column.strip().split("\n"), 1):
            indent = 5 if line.startswith(">") else 0
            kind = "line last" if line.endswith("|") else "line"
            style = f"left:{x + indent}mm;top:{20 + 5 * at}mm;width:{80 - indent}mm"
            parts.append(f'<div class="{kind}" style="{style}">{line.strip("|>")}</div>')
    return f'<div class="page">{"".join(parts)}</div>'


LEFT = """
>[0001] The present invention relates to a pump
and in particular to a seal that stops the leak-
age of the coolant. The seal is checked by X-
ray inspection. Leakage is measured in litres
per hour of operation.|
>[0002] Pumps of this kind are known. They have
a motor of 5 kW and a housing. The hous-
ing is made of cast iron, the shaft of steel, and
10 bolts hold the cover of the housing. A well-
known pump has a ring of rubber, 25 mm wide."""
RIGHT = """
The ring wears out after 20 000 hours. It must
be replaced by a new ring.|
>[0003] The object is a seal that lasts longer
than 10<sup style="font-size:6pt">5</sup> hours in H<sub style="font-size:6pt">2</sub>O.|
>[0004] Further embodiments are the subject of
the dependent claims. The well-known pump
leaks at a pressure of 3 bar, which is measured
with a gauge that stands beside the pump and is
read by the operator of the plant every full min-"""
SECOND = """
ute, so that the pressure is known.|
>[0005] Figure 1 shows the pump.|
>[0006] A minute later the pump stops.|
Claims|
>1. A pump comprising a seal (5), the seal being
arranged in a housing.|"""
WANTED = [
    "[0001] The present invention relates to a pump and in particular to a seal that stops the "
    "leakage of the coolant. The seal is checked by X-ray inspection. Leakage is measured in "
    "litres per hour of operation.",
    "[0002] Pumps of this kind are known. They have a motor of 5 kW and a housing. The housing is "
    "made of cast iron, the shaft of steel, and 10 bolts hold the cover of the housing. A "
    "well-known pump has a ring of rubber, 25 mm wide.",
    "The ring wears out after 20 000 hours. It must be replaced by a new ring.",
    "[0003] The object is a seal that lasts longer than 10⁵ hours in H2O.",
    "[0004] Further embodiments are the subject of the dependent claims. The well-known pump leaks "
    "at a pressure of 3 bar, which is measured with a gauge that stands beside the pump and is "
    "read by the operator of the plant every full minute, so that the pressure is known.",
    "[0005] Figure 1 shows the pump.",
    "[0006] A minute later the pump stops.",
    "Claims",
    "1. A pump comprising a seal (5), the seal being arranged in a housing.",
    "2. The pump of claim 1, wherein the seal is rubber.",
]


def test_two_columns_are_read_one_after_the_other_without_line_numbers(printed: Printer) -> None:
    second = office_page(
        2, SECOND, ">2. The pump of claim 1, wherein the seal|\nis rubber.|", range(5, 6, 5)
    )
    document = printed(_LINES + office_page(1, LEFT, RIGHT, range(5, 11, 5)) + second)
    assert texts(document) == WANTED
    assert document.lang == "en"
    assert document.place(document.text.index("20 000")) == Place(page=1, paragraph=3)
    assert document.place(document.text.index("claim 1")) == Place(page=2, paragraph=10)


PARAGRAPHS = [
    f"[{n:04}] A pump according to embodiment {n} conveys {n * 7} litres of coolant per minute "
    f"through the cooling circuit of a vehicle, wherein the impeller {100 + n} is driven by the "
    f"motor {200 + n} at a speed of {n * 110} rpm and is sealed by a ring made of rubber. The "
    f"temperature of the coolant is kept between {n + 20} °C and {n + 60} °C by a control unit."
    for n in range(1, 41)
]


def flowing(paragraphs: list[str], style: str, header: str = "") -> str:
    """Make pages in which Chromium breaks lines, columns and pages by itself."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        "<style>@page{size:A4;margin:25mm 20mm;@top-center{content:'HEAD'}"
        "@bottom-center{content:counter(page)}}p{margin:0;text-indent:2em;text-align:justify}"
        f"body{{margin:0;font:11pt/1.4 'Liberation Serif','Noto Serif CJK SC'}}div{{{style}}}"
        f"</style><div>{body}</div>"
    ).replace("HEAD", header)


@pytest.mark.parametrize(
    "style", ["", "columns:2;column-gap:10mm"], ids=["one column", "two columns"]
)
def test_flowing_text_comes_back_paragraph_by_paragraph(printed: Printer, style: str) -> None:
    document = printed(flowing(PARAGRAPHS, style, "WO 2099/000001"))
    assert texts(document) == PARAGRAPHS
    assert document.blocks[-1].place.page > 1


CHINESE = [
    f"[{n:04}] 本实施例{n}的离心泵每分钟输送{n * 7}升冷却液，叶轮{100 + n}由电动机{200 + n}以"
    f"{n * 110} rpm的转速驱动，并由橡胶制成的密封圈密封。冷却液的温度由控制单元（CPU）保持在"
    f"{n + 20}℃至{n + 60}℃之间，所述控制单元与温度传感器电连接。"
    for n in range(1, 41)
]


@pytest.mark.parametrize("style", ["", "columns:2;column-gap:10mm"])
def test_chinese_lines_are_joined_without_blanks(printed: Printer, style: str) -> None:
    document = printed(flowing(CHINESE, style, "说 明 书"))
    assert [text.replace(" ", "") for text in texts(document)] == [
        text.replace(" ", "") for text in CHINESE
    ]
    assert document.lang == "zh"


JAPANESE = [
    "【請求項１】ポンプ１０と、前記ポンプ１０を駆動するモータ１２と、前記モータ１２の回転数を毎分１０００"
    "回転に制御する制御部１４とを備え、前記制御部１４はＣＰＵを有する冷却装置。",
    "【０００１】本発明は、自動車のエンジンを冷却する冷却液を循環させるポンプに関する。",
]


@pytest.mark.parametrize("mode", ["horizontal-tb", "vertical-rl;height:240mm"])
def test_japanese_is_read_in_both_directions_of_writing(printed: Printer, mode: str) -> None:
    body = "".join(f"<p>{text.replace('１】本', '１】　本')}</p>" for text in JAPANESE)
    style = f"body{{font:10.5pt/2 'Noto Serif CJK JP';writing-mode:{mode}}}"
    document = printed(f"<html lang=ja><style>@page{{size:A4}}{style}</style>{body}")
    assert ["".join(text.split()) for text in texts(document)] == JAPANESE


JA_LEFT = [f"冷却液は第{n}の通路から熱交換器に送る" for n in range(10, 60)]
JA_RIGHT = [f"制御部は第{n}の弁を開いて圧力を保つ" for n in range(10, 60)]


def test_japanese_line_numbers_of_every_tenth_line_go(printed: Printer) -> None:
    page = office_page(
        3, "\n".join(JA_LEFT), "\n".join(JA_RIGHT), range(10, 51, 10), "(3) JP 2099-1 A 2099.1.1"
    )
    document = printed(_LINES + page + page)
    assert document.text.replace("\n", "") == "".join(JA_LEFT + JA_RIGHT) * 2


def margin_page(number: int, lines: list[str]) -> str:
    """Make a page as filed: one column, every fifth line numbered in the left margin."""
    parts = [f'<div style="left:95mm;top:10mm">- {number} -</div>']
    for at, line in enumerate(lines, 1):
        y = 20 + 8 * at
        parts.append(f'<div style="left:25mm;top:{y}mm">{line}</div>')
        if at % 5 == 0:
            parts.append(f'<div style="left:17mm;top:{y}mm">{at}</div>')
    return f'<div class="page">{"".join(parts)}</div>'


def test_line_numbers_in_the_margin_go(printed: Printer) -> None:
    lines = [
        f"the valve {n} of the pump is opened by the lever {n + 40} as soon as the pressure rises,"
        for n in range(10, 50)
    ]
    document = printed(_LINES + margin_page(1, lines[:30]) + margin_page(2, lines[30:]))
    assert document.text.replace("\n", " ") == " ".join(lines)


def test_line_numbers_go_on_over_columns_and_uneven_distances(printed: Printer) -> None:
    columns = [
        [f"in column {c} the line {n} of a text which goes on" for n in range(40)] for c in (1, 2)
    ]
    parts = []
    for x, first, column in ((25, 0, columns[0]), (115, 40, columns[1])):
        for at, line in enumerate(column, 1):
            y = 20 + 5 * at + 2.5 * (at // 4)
            parts.append(f'<div style="left:{x}mm;top:{y}mm">{line}</div>')
            if at % 5 == 0:
                parts.append(f'<div style="left:{x - 7}mm;top:{y}mm">{first + at}</div>')
    document = printed(f'{_LINES}<div class="page">{"".join(parts)}</div>')
    assert document.text.split() == " ".join(columns[0] + columns[1]).split()


def test_a_column_of_a_table_is_no_line_numbers(printed: Printer) -> None:
    rows = "".join(f"<tr><td>{n}</td><td>{n + 2} mm</td></tr>" for n in range(5, 60, 5))
    document = printed(f"<table>{rows}</table><p>{PARAGRAPHS[0]}")
    assert {f"{n}" for n in range(5, 60, 5)} <= set(document.text.split())


def test_headers_and_footers_beside_the_text_go(printed: Printer) -> None:
    pages = []
    for number in (1, 2, 3):
        words = f"{'abc'[number - 1] * 9} goes on"
        lines = ["US 2099/0123456 A1", *(f"line {n} of the text {words}" for n in range(11, 20))]
        parts = [
            f'<div style="left:25mm;top:{20 + 5 * at}mm">{line}</div>'
            for at, line in enumerate((*lines, str(number)))
        ]
        pages.append(f'<div class="page">{"".join(parts)}</div>')
    text = printed(_LINES + "".join(pages)).text
    assert "US" not in text
    assert text.split().count("line") == 27
    assert not {"1", "2", "3"} & set(text.split())


def test_footnotes_come_last_and_their_marks_go(printed: Printer) -> None:
    small = '<sup style="font-size:6pt">{}</sup>'
    lines = [
        f"The temperature falls to 38 °C{small.format(1)} on an area of 12 mm{small.format(2)}",
        f"within 30 minutes{small.format(2)} and stays there.",
        "The pump is then stopped.",
    ]
    notes = ["1 Measured at 25 °C.", "2 Mean of five tests."]
    parts = [
        f'<div style="left:25mm;top:{20 + 5 * n}mm">{line}</div>' for n, line in enumerate(lines)
    ]
    parts += [
        f'<div style="left:25mm;top:{270 + 4 * n}mm;font-size:8pt">{note}</div>'
        for n, note in enumerate(notes)
    ]
    page = f'<div class="page">{"".join(parts)}</div>'
    following = '<div class="page"><div style="left:25mm;top:25mm">The valve is closed.</div></div>'
    text = printed(_LINES + page + following).text
    assert text.split("\n") == [
        "The temperature falls to 38 °C on an area of 12 mm² within 30 minutes and stays there.",
        "The pump is then stopped.", "The valve is closed.", *notes,
    ]  # fmt: skip


def test_a_list_of_reference_signs_keeps_its_numbers(printed: Printer) -> None:
    signs = "".join(f"<tr><td>{n}</td><td>part {n} of pump</td></tr>" for n in range(1, 31))
    document = printed(f"<p>List of reference signs</p><table>{signs}</table>")
    assert [line for line in texts(document) if line.startswith(("5 ", "10 ", "15 "))] == [
        "5 part 5 of pump", "10 part 10 of pump", "15 part 15 of pump",
    ]  # fmt: skip


def test_a_title_across_both_columns_stands_before_them(printed: Printer) -> None:
    title = '<div style="column-span:all;font-size:20pt;text-align:center">SEALED PUMP</div>'
    page = flowing(PARAGRAPHS[:4], "columns:2;column-gap:10mm").replace("<p>", f"{title}<p>", 1)
    document = printed(page)
    assert texts(document) == ["SEALED PUMP", *PARAGRAPHS[:4]]
    assert document.blocks[0].kind == "heading"


PICTURE = """<script>{ const c = document.createElement('canvas'); c.width = 600; c.height = 800;
c.getContext('2d').fillText('A pump', 50, 50);
const i = new Image(); i.src = c.toDataURL(); i.style = 'width:180mm;height:240mm';
document.body.append(i) }</script>"""


def test_a_scan_is_refused_with_the_reason(printed: Printer) -> None:
    with pytest.raises(InputError, match="pictures without a text layer: it needs OCR"):
        printed(f"<body>{PICTURE}</body>")


def test_pages_without_text_are_named(printed: Printer) -> None:
    document = printed(f"<body><p>{PARAGRAPHS[0]}<p style='page-break-after:always'>{PICTURE}")
    [notice] = document.notices
    assert (notice.level, notice.code) == ("warning", "picture-pages")
    assert notice.text == "pages that are pictures are not read: 2"


LOCKED = b"""%PDF-1.4
1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj
2 0 obj <</Type /Pages /Kids [] /Count 0>> endobj
3 0 obj <</Filter /Standard /V 1 /R 2 /P -1 /O (\
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) /U (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb)>> endobj
trailer <</Root 1 0 R /Encrypt 3 0 R /ID [(x) (x)]>>
%%EOF
"""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"no PDF", "is no PDF file"),
        (b"", "is no PDF file"),
        (b"%PDF-1.4\ntrailer <<>>\n%%EOF", "is no PDF file"),
        (LOCKED, "is protected by a password"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_document(path)
