"""An invented patent in English, Chinese and Japanese, written in every format of documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

HEADING, PARAGRAPH, CLAIM = "heading", "paragraph", "claim"
PATENT: dict[str, list[tuple[str, str]]] = {
    "en": [
        (HEADING, "Cooling pump"),
        (HEADING, "Technical Field"),
        (PARAGRAPH, "The present invention relates to a cooling pump for the battery of an "
                    "electric vehicle."),
        (HEADING, "Background Art"),
        (PARAGRAPH, "A known pump leaks at the shaft when the pressure exceeds 3.5 bar. The "
                    "seal of this pump lasts only 2000 hours."),
        (HEADING, "Description of Embodiments"),
        (PARAGRAPH, "The pump 10 has a housing 12, an impeller 14 and a motor 16. The housing 12 "
                    "is made of aluminium and has a wall thickness of 4 mm."),
        (PARAGRAPH, "The motor 16 drives the impeller 14 at 4800 rpm. A temperature sensor 18 "
                    "measures the temperature of the coolant."),
        (PARAGRAPH, "The control unit 20 stops the motor 16 if the temperature is higher than "
                    "85 °C. The seal 22 is not in contact with the coolant."),
        (HEADING, "Claims"),
        (CLAIM, "A cooling pump comprising a housing (12), an impeller (14) and a motor (16), "
                "wherein a seal (22) is arranged between the housing (12) and the motor (16)."),
        (CLAIM, "The cooling pump according to claim 1, wherein the housing (12) has a wall "
                "thickness of at least 4 mm."),
        (CLAIM, "The cooling pump according to claim 1 or 2, wherein the motor (16) runs at 4800 "
                "rpm or less."),
    ],
    "zh": [
        (HEADING, "冷却泵"),
        (HEADING, "技术领域"),
        (PARAGRAPH, "本发明涉及一种用于电动车辆的电池的冷却泵。"),
        (HEADING, "背景技术"),
        (PARAGRAPH, "已知的泵在压力超过3.5 bar时在轴处泄漏。该泵的密封件仅能使用2000小时。"),
        (HEADING, "具体实施方式"),
        (PARAGRAPH, "泵10具有壳体12、叶轮14和电动机16。壳体12由铝制成，壁厚为4 mm。"),
        (PARAGRAPH, "电动机16以4800 rpm驱动叶轮14。温度传感器18测量冷却液的温度。"),
        (PARAGRAPH, "如果温度高于85 °C，则控制单元20使电动机16停止。密封件22不与冷却液接触。"),
        (HEADING, "权利要求书"),
        (CLAIM, "一种冷却泵，包括壳体（12）、叶轮（14）和电动机（16），其中在壳体（12）与电动机"
                "（16）之间设置有密封件（22）。"),
        (CLAIM, "根据权利要求1所述的冷却泵，其中所述壳体（12）的壁厚为至少4 mm。"),
        (CLAIM, "根据权利要求1或2所述的冷却泵，其中所述电动机（16）以4800 rpm或更低的转速运行。"),
    ],
    "ja": [
        (HEADING, "冷却ポンプ"),
        (HEADING, "技術分野"),
        (PARAGRAPH, "本発明は、電動車両の電池のための冷却ポンプに関する。"),
        (HEADING, "背景技術"),
        (PARAGRAPH, "公知のポンプは、圧力が3.5 barを超えると軸で漏れる。このポンプのシールは"
                    "2000時間しかもたない。"),
        (HEADING, "発明を実施するための形態"),
        (PARAGRAPH, "ポンプ10は、ハウジング12、羽根車14およびモータ16を備える。ハウジング12は"
                    "アルミニウム製であり、肉厚は4 mmである。"),
        (PARAGRAPH, "モータ16は羽根車14を4800 rpmで駆動する。温度センサ18は冷却液の温度を"
                    "測定する。"),
        (PARAGRAPH, "制御部20は、温度が85 °Cより高い場合にモータ16を停止させる。シール22は冷却液と"
                    "接触しない。"),
        (HEADING, "特許請求の範囲"),
        (CLAIM, "ハウジング（12）、羽根車（14）およびモータ（16）を備え、ハウジング（12）とモータ"
                "（16）との間にシール（22）が配置されている、冷却ポンプ。"),
        (CLAIM, "前記ハウジング（12）の肉厚が少なくとも4 mmである、請求項1に記載の冷却ポンプ。"),
        (CLAIM, "前記モータ（16）が4800 rpm以下で動作する、請求項1または2に記載の冷却ポンプ。"),
    ],
}  # fmt: skip

Parts = Sequence[tuple[str, str]]


def numbered_parts(parts: Parts) -> list[str]:
    """Return the texts as printed: claims have numbers."""
    numbers = iter(range(1, len(parts) + 1))
    return [f"{next(numbers)}. {text}" if kind == CLAIM else text for kind, text in parts]


def write_text(path: Path, parts: Parts) -> Path:
    path.write_text("\n\n".join(numbered_parts(parts)) + "\n", encoding="utf-8")
    return path


def write_markdown(path: Path, parts: Parts) -> Path:
    lines = [
        f"## {text}" if kind == HEADING else text
        for (kind, _), text in zip(parts, numbered_parts(parts), strict=True)
    ]
    path.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    return path


def page_of(parts: Parts, style: str = "") -> str:
    """Return a page whose claims are an ordered list; a PDF needs their numbers as text."""
    items = {HEADING: "<h2>{}</h2>", PARAGRAPH: "<p>{}</p>", CLAIM: "<li>{}</li>"}
    body = "".join(items[kind].format(escape(text)) for kind, text in parts)
    first, last = body.index("<li>"), body.rindex("</li>") + len("</li>")
    body = f"{body[:first]}<ol>{body[first:last]}</ol>{body[last:]}"
    return f"<!DOCTYPE html><meta charset=utf-8><style>{style}</style>{body}"


def write_html(path: Path, parts: Parts) -> Path:
    path.write_text(page_of(parts), encoding="utf-8")
    return path


def write_docx(path: Path, parts: Parts) -> Path:
    """Write claims with automatic numbers, and every paragraph as two runs."""
    import docx

    file = docx.Document()
    for kind, text in parts:
        if kind == HEADING:
            file.add_heading(text, 1)
            continue
        paragraph = file.add_paragraph(style="List Number" if kind == CLAIM else None)
        for part in (text[: len(text) // 2], text[len(text) // 2 :]):
            paragraph.add_run(part)
    file.save(str(path))
    return path


def write_pdf(path: Path, parts: Parts, browser: Any) -> Path:
    """Print two columns with a header and page numbers."""
    body = "".join(
        f"<h2>{escape(text)}</h2>" if kind == HEADING else f"<p>{escape(text)}</p>"
        for (kind, _), text in zip(parts, numbered_parts(parts), strict=True)
    )
    style = (
        "@page{size:A5;margin:20mm 12mm;@top-center{content:'XX 9 999 999 A1'}"
        "@bottom-center{content:counter(page)}}div{columns:2;column-gap:8mm}"
        "body{margin:0;font:9.5pt/1.4 'Liberation Serif','Noto Serif CJK JP'}"
        "p{margin:0;text-indent:1.5em;text-align:justify}h2{font-size:9.5pt;margin:6pt 0}"
    )
    page = browser.new_page()
    page.set_content(f"<meta charset=utf-8><style>{style}</style><div>{body}</div>")
    page.evaluate("document.fonts.ready")
    page.pdf(path=str(path), prefer_css_page_size=True)
    page.close()
    return path


def write_xliff(path: Path, source: Parts, target: Parts, languages: tuple[str, str]) -> Path:
    units = "".join(
        f'<trans-unit id="{at}"><source>{escape(one)}</source><target>{escape(other)}</target>'
        "</trans-unit>\n"
        for at, (one, other) in enumerate(
            zip(numbered_parts(source), numbered_parts(target), strict=True), 1
        )
    )
    path.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:'
        f'xliff:document:1.2"><file original="a" source-language="{languages[0]}" '
        f'target-language="{languages[1]}" datatype="x"><body>\n{units}</body></file></xliff>\n',
        encoding="utf-8",
    )
    return path


def write_memory(path: Path, source: Parts, target: Parts, languages: tuple[str, str]) -> Path:
    from patmark.collections.corpus.tmx import TranslationUnit, write_tmx

    units = zip(numbered_parts(source), numbered_parts(target), strict=True)
    write_tmx(path, (TranslationUnit(*pair) for pair in units), languages)
    return path
