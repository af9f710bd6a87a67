"""Blocks of plain text."""

from __future__ import annotations

import pytest

from patmark.documents import layout
from patmark.documents.layout import is_hard_wrapped, running_text, text_blocks

WRAPPED = """The pump comprises a housing in which a rotor turns on a
shaft. The shaft is driven by a motor that is mounted
outside of the housing.

The seal keeps the liquid inside of the housing:
- it is made of rubber and lies in a groove of the
  cover;
- it is pressed by a spring.
"""
UNWRAPPED = """Technical Field of Pumps
The pump comprises a housing in which a rotor turns on a shaft. The shaft is driven by a motor.
The seal keeps the liquid inside.
"""
WRAPPED_ZH = """本发明涉及一种新的离心泵，其具有壳体和在该壳体
中转动的转子。转子由电动机驱动，该电动机安装在
壳体之外。

密封件防止液体泄漏。
"""
WRAPPED_JA = """【技術分野】
【０００１】
本発明は、燃料電池に水素を供給する水素供給装
置に関する。
【背景技術】
【０００２】
近年、環境負荷の低減を目的として、燃料電池を
動力源とする車両の開発が進められている。しか
しながら、外気温が低いと減圧弁が凍結し、水素
の流量が低下するおそれがあった。
【符号の説明】
【０００３】
１０　タンク
２０　減圧弁
１００　水素供給装置
"""


def blocks(text: str) -> list[str]:
    return [text[block.start : block.end] for block in text_blocks(text)]


@pytest.mark.parametrize(
    ("text", "wrapped"),
    [(WRAPPED, True), (WRAPPED_ZH, True), (WRAPPED_JA, True), (UNWRAPPED, False), ("", False)],
)
def test_hard_wrapped_text_is_recognised(text: str, wrapped: bool) -> None:
    assert is_hard_wrapped(text) is wrapped


def test_wrapped_lines_are_one_block_up_to_a_blank_line_or_a_list_marker() -> None:
    found = blocks(WRAPPED)
    assert [one.split()[0] for one in found] == ["The", "The", "-", "-"]
    assert found[2].endswith("cover;")


def test_a_wrapped_list_of_reference_signs_has_a_block_for_each() -> None:
    found = blocks(WRAPPED_JA)
    assert found[-2:] == ["２０　減圧弁", "１００　水素供給装置"]
    assert any(one.endswith("低下するおそれがあった。") and "【０００２】" in one for one in found)
    english = WRAPPED + "\n[0014] 10 tank\n20 pressure reducing valve\n30 heater\n"
    assert blocks(english)[-3:] == ["[0014] 10 tank", "20 pressure reducing valve", "30 heater"]


def test_every_line_of_unwrapped_text_is_a_block() -> None:
    assert len(blocks(UNWRAPPED)) == 3
    assert text_blocks(UNWRAPPED)[0].kind == "heading"


def test_a_table_of_contents_is_a_block_for_each_entry() -> None:
    text = WRAPPED + "\nField of the invention .... 1\nBackground ............... 2\n"
    assert blocks(text)[-2:] == ["Field of the invention .... 1", "Background ............... 2"]


@pytest.mark.parametrize(
    ("text", "running"),
    [
        ("a pump\n  and a valve", "a pump and a valve"),
        ("一种离\n心泵", "一种离心泵"),
        ("泵A\r\n和阀", "泵A和阀"),
        ("所述光源的波长为3\n65 nm", "所述光源的波长为365 nm"),
        ("the pumps 3\n65 of them", "the pumps 3 65 of them"),
    ],
)
def test_line_breaks_of_a_block_are_undone_with_offsets_kept(text: str, running: str) -> None:
    passage = running_text(text, 0, len(text))
    assert passage.text == running
    last = len(running) - 1
    start, end = passage.original((last, last + 1))
    assert text[start:end] == running[-1]


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_work_on_a_paragraph_grows_with_its_lines(
    monkeypatch: pytest.MonkeyPatch, wrapped: bool
) -> None:
    measured: list[str] = []
    cells = layout._cells

    def counted(text: str) -> int:
        measured.append(text)
        return cells(text)

    monkeypatch.setattr(layout, "_cells", counted)
    for lines in (50, 100):
        line = "The pump has a housing and a rotor" if wrapped else "The pump {} " + "x" * 40
        text_blocks("\n".join(line.format(number) for number in range(lines)))
    assert len(measured) <= 150 * 6
