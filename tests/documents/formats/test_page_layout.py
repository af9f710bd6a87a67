"""Rows, columns and line numbers of printed pages, from glyphs with places."""

from patmark.documents.formats.page_layout import Glyph, reading_lines


def line(text: str, x: float, y: float, size: float = 10, order: int = 0) -> list[Glyph]:
    """Return the glyphs of a line of full-width characters."""
    return [
        Glyph(x + size * at, y - 0.2 * size, x + size * (at + 1), y + 0.8 * size, one, size,
              order + at if order else 0)
        for at, one in enumerate(text)
    ]  # fmt: skip


def texts(glyphs: list[Glyph]) -> list[str]:
    return [found.text for found in reading_lines([glyphs])]


LEFT = [
    "底板的周缘设有环形槽和螺孔",
    "密封圈嵌入该环形槽中并压缩",
    "盖板通过螺栓固定在底板上面",
    "冷却液在两条流道中逆向流动",
]
RIGHT = [
    "检测时环境温度不宜发生变化",
    "压力读数会因此产生较大误差",
    "所以不建议在室外进行此检测",
    "隔热槽中可以填充空气或泡沫",
]


def test_columns_whose_lines_stand_at_other_heights_are_two() -> None:
    glyphs = line("液冷板组件", 50, 720, 24)
    for at, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        glyphs += line(left, 50, 690 - 16 * at) + line(right, 220, 726 - 16 * at)
    assert texts(glyphs) == ["液冷板组件", *LEFT, *RIGHT]


def test_letters_beside_a_heading_of_the_other_column_are_not_lowered() -> None:
    glyphs = line("技术领域", 50, 700, 16)
    for at, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        glyphs += line(left, 50, 676 - 16 * at) + line(
            right.replace("不宜", "25"), 220, 702 - 16 * at
        )
    assert texts(glyphs)[5] == "检测时环境温度25发生变化"


def test_a_line_number_that_touches_the_text_is_left_out() -> None:
    glyphs: list[Glyph] = []
    for at, (left, right) in enumerate(zip(LEFT * 4, RIGHT * 4, strict=True)):
        y = 700 - 16 * at
        glyphs += line(left, 50, y, order=100 * at + 1) + line(right, 220, y, order=5000 + 100 * at)
        if at % 5 == 4:
            number = str(at + 1)
            glyphs += line(number, 180, y, 6, order=9000 + 100 * at)
    assert texts(glyphs) == [*(LEFT * 4), *(RIGHT * 4)]


def test_the_size_of_a_note_is_that_of_most_letters() -> None:
    glyphs = [one for at, text in enumerate(LEFT) for one in line(text, 50, 700 - 16 * at)]
    glyphs += line("1", 50, 600) + line("质谱仪可以使用市售产品", 60, 600, 8)
    *_, note = reading_lines([glyphs])
    assert (note.text, note.size) == ("1质谱仪可以使用市售产品", 8)
