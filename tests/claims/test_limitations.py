"""Preamble, transition, body; limitations and their levels."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.claims import parse_claims


def parts(text: str) -> tuple[str, str | None, str | None, str]:
    """Preamble, transition with its kind, and body of a single claim."""
    claim = parse_claims(text).claims[0]
    shown = (
        None if claim.transition is None else text[claim.transition.start : claim.transition.end]
    )
    kind = None if claim.transition is None else claim.transition.kind
    preamble = text[claim.preamble.start : claim.preamble.end]
    return preamble, shown, kind, text[claim.body.start : claim.body.end]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A lid comprising a knob.", ("A lid", "comprising", "open", "a knob.")),
        ("A lid comprising: a knob.", ("A lid", "comprising:", "open", "a knob.")),
        ("A salt consisting of X.", ("A salt", "consisting of", "closed", "X.")),
        (
            "A salt consisting essentially of X.",
            ("A salt", "consisting essentially of", "partly-closed", "X."),
        ),
        (
            "A pot comprising a lid, characterised in that the lid is red.",
            ("A pot comprising a lid,", "characterised in that", "two-part", "the lid is red."),
        ),
        (
            "The pot of claim 1, wherein the lid is red.",
            ("The pot of claim 1,", "wherein", "wherein", "the lid is red."),
        ),
        (
            "A method for a system comprising a lid, the method comprising: lifting it.",
            ("A method for a system comprising a lid, the method", "comprising:", "open",
             "lifting it."),
        ),
        ("A pot having a lid.", ("A pot", "having", "open", "a lid.")),
        ("A pot.", ("A pot.", None, None, "")),
        ("一种泵，其特征在于，包括轴。", ("一种泵，", "其特征在于，", "two-part", "包括轴。")),
        ("一种泵，包括：轴。", ("一种泵，", "包括：", "open", "轴。")),
        ("軸と、蓋とを備えるポンプ。", ("ポンプ。", "を備える", "open", "軸と、蓋と")),
        (
            "請求項１に記載のポンプにおいて、軸が赤いポンプ。",
            ("請求項１に記載のポンプ", "において、", "wherein", "軸が赤いポンプ。"),
        ),
        (
            "軸が赤いことを特徴とする請求項１に記載のポンプ。",
            ("請求項１に記載のポンプ。", "ことを特徴とする", "two-part", "軸が赤い"),
        ),
        (
            "軸が赤い、請求項１に記載のポンプ。",
            ("請求項１に記載のポンプ。", None, None, "軸が赤い、"),
        ),
    ],
)  # fmt: skip
def test_parts(text: str, expected: tuple[str, str | None, str | None, str]) -> None:
    assert parts(text) == expected


def levels(text: str) -> list[tuple[int, str]]:
    """Level and text of the limitations of a single claim."""
    return [
        (item.level, " ".join(item.text.split()))
        for item in parse_claims(text).claims[0].limitations
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A pot comprising: a lid; and a knob.", [(1, "a lid;"), (1, "and a knob.")]),
        (
            "A pot comprising: a lid, wherein the lid is red; and a knob.",
            [(1, "a lid,"), (2, "wherein the lid is red;"), (1, "and a knob.")],
        ),
        (
            "A pot comprising:\n  a) a lid;\n  b) a part that has:\n    (i) an end; and\n"
            "    (ii) a rim; and\n  c) a knob.",
            [(1, "a) a lid;"), (1, "b) a part that has:"), (2, "(i) an end;"),
             (2, "and (ii) a rim;"), (1, "and c) a knob.")],
        ),
        (
            "A pot comprising: a cook configured to: stir; and taste; and a knob.",
            [(1, "a cook configured to:"), (2, "stir;"), (2, "and taste;"), (1, "and a knob.")],
        ),
        (
            "A method comprising (a) stirring, (b) tasting, and (c) repeating steps (a) and (b).",
            [(1, "(a) stirring,"), (1, "(b) tasting, and"),
             (1, "(c) repeating steps (a) and (b).")],
        ),
        (
            "A method comprising:\nstirring a soup of\nmeat,\ntasting it.",
            [(1, "stirring a soup of meat,"), (1, "tasting it.")],
        ),
        (
            "一种方法，包括：\nS1、加热；\nS2、冷却，其中，温度为5度。",
            [(1, "S1、加热；"), (1, "S2、冷却，"), (2, "其中，温度为5度。")],
        ),
        ("軸と、\n前記軸の蓋と、を備えるポンプ。", [(1, "軸と、"), (1, "前記軸の蓋と、")]),
    ],
)  # fmt: skip
def test_limitations(text: str, expected: list[tuple[int, str]]) -> None:
    assert levels(text) == expected


def test_labels() -> None:
    claim = parse_claims("A pot comprising: a) a lid; (ii) a rim; a knob.").claims[0]
    assert [item.label for item in claim.limitations] == ["a", "ii", None]


_BODY = st.lists(
    st.sampled_from(
        ["a lid", ";", ",", " and ", "\n", " wherein ", " whereby ", "(a) ", "b) ", ":", " ",
         "1. x", "と、", "其中", "(i) "]
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(_BODY)
def test_limitations_cover_the_body_in_order(body: str) -> None:
    text = f"A pot comprising: {body}"
    claim = parse_claims(text).claims[0]
    ends = [claim.body.start]
    for item in claim.limitations:
        assert ends[-1] <= item.start < item.end
        assert item.level >= 1
        ends.append(item.end)
    joined = "".join(item.text for item in claim.limitations)
    assert "".join(joined.split()) == "".join(text[claim.body.start : claim.body.end].split())
