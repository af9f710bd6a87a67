"""Whole sets of claims: what must hold for any of them, and agreement with real documents.

Preamble, transition, body; limitations and their levels.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from claim_documents import StatedClaims, ep_documents, us_documents
from patmark.claims import parse_claims
from patmark.claims.lint import lint
from patmark.errors import UsageError

_NOUNS = ["lid", "pump housing", "rotating shaft", "controller"]


@st.composite
def claim_lists(draw: st.DrawFn) -> list[tuple[str, tuple[int, ...]]]:
    """Claims without numbers, each with the numbers of the claims on which it depends."""
    claims: list[tuple[str, tuple[int, ...]]] = []
    for number in range(1, draw(st.integers(1, 12)) + 1):
        noun, part = draw(st.sampled_from(_NOUNS)), draw(st.sampled_from(_NOUNS))
        targets = sorted(
            draw(st.sets(st.integers(1, number - 1), max_size=3)) if number > 1 else []
        )
        if not targets:
            claims.append((f"A {noun} comprising a {part}; and at least one knob.", ()))
        elif len(targets) == 1:
            claims.append(
                (f"The {noun} of claim {targets[0]}, wherein the {part} is red.", (targets[0],))
            )
        else:
            named = ", ".join(map(str, targets[:-1])) + f" or {targets[-1]}"
            claims.append(
                (
                    f"The {noun} of any one of claims {named}, further comprising a knob.",
                    tuple(targets),
                )
            )
    return claims


@settings(max_examples=50)
@given(claim_lists(), st.sampled_from(["\n", " ", "\n\n", "  \n  "]))
def test_count_and_dependencies_of_well_formed_claims(
    claims: list[tuple[str, tuple[int, ...]]], separator: str
) -> None:
    text = separator.join(f"{number}. {words}" for number, (words, _) in enumerate(claims, start=1))
    parsed = parse_claims(text)
    assert [claim.number for claim in parsed.claims] == list(range(1, len(claims) + 1))
    assert [claim.depends_on for claim in parsed.claims] == [targets for _, targets in claims]
    for claim in parsed.claims:
        assert all(parsed.find(target) is not None for target in claim.depends_on)
        assert claim.multiple == claim.alternative == (len(claim.depends_on) > 1)


@settings(max_examples=50)
@given(claim_lists(), st.randoms(use_true_random=False))
def test_blanks_and_line_wraps_change_nothing(
    claims: list[tuple[str, tuple[int, ...]]], random: Any
) -> None:
    words = " ".join(
        f"{number}. {text}" for number, (text, _) in enumerate(claims, start=1)
    ).split()
    wrapped = "".join(word + random.choice([" ", "  ", "\n", "\n   "]) for word in words)
    plain, other = parse_claims(" ".join(words)), parse_claims(wrapped)
    assert [claim.text for claim in plain.claims] == [
        " ".join(claim.text.split()) for claim in other.claims
    ]
    for claim, twin in zip(plain.claims, other.claims, strict=True):
        assert claim.depends_on == twin.depends_on
        assert claim.category == twin.category
        assert [term.words for term in claim.terms] == [term.words for term in twin.terms]


_SET = """1. A pump comprising a shaft.
2. The pump of claim 1, wherein the shaft is hollow.
3. The pump of claim 2, wherein the shaft is red.
4. A method of making the pump of claim 3.
5. The method of claim 4, wherein the pump is heated.
6. The pump of claim 1 or 3, further comprising a lid."""


def test_ancestors_and_scope() -> None:
    claims = parse_claims(_SET)
    assert [claim.number for claim in claims.independent] == [1, 4]
    assert [claim.number for claim in claims.ancestors(3)] == [1, 2]
    assert [claim.number for claim in claims.ancestors(5)] == [4]
    assert [claim.number for claim in claims.in_scope(claims.claim(5))] == [1, 2, 3, 4]
    assert [claim.number for claim in claims.ancestors(6)] == [1, 2, 3]
    with pytest.raises(UsageError, match="there is no claim 7; numbers: 1, 2, 3, 4, 5, 6"):
        claims.ancestors(7)


def test_circles_end() -> None:
    claims = parse_claims(
        "1. The pump of claim 2.\n2. The pump of claim 1.\n3. The pump of claim 3."
    )
    assert [claim.number for claim in claims.ancestors(1)] == [2]
    assert claims.ancestors(3) == ()
    assert len(claims.tree().splitlines()) == 3


def test_json_has_everything_in_plain_types() -> None:
    claims = parse_claims(_SET)
    kept = json.loads(json.dumps(claims.to_json()))
    assert kept["language"] == "en"
    assert [claim["dependent"] for claim in kept["claims"]] == [
        False,
        True,
        True,
        False,
        True,
        True,
    ]
    assert kept["claims"][1]["depends_on"] == [1]
    assert kept["claims"][1]["terms"][0]["text"] == "pump"
    assert kept["pieces"][0] == {"kind": "claim", "start": 0, "end": 29}


def test_a_very_long_claim() -> None:
    parts = "; ".join(f"a part {number} coupled to the part {number - 1}" for number in range(3000))
    claims = parse_claims(f"1. A device comprising: {parts}.\n2. The device of claim 1.")
    assert [len(claim.limitations) for claim in claims.claims] == [3000, 0]


@pytest.mark.parametrize(
    "unit", ["1. ", " ", "\n", "(a) ", ";", "The ", "claim 1 or ", "所述", "*", ".\n"]
)
def test_repeated_text_takes_linear_time(unit: str) -> None:
    """Each would take minutes if a pattern went back and forth."""
    text = unit * (50_000 // len(unit))
    assert "".join(piece for _, piece in parse_claims(text).partition()) == text


@pytest.mark.parametrize(
    "text",
    [
        f"【請求項1】{'漢' * 50_000}、が。",
        f"【請求項1】{'ア' * 50_000}を、する",
        f"【請求項1】装置({'あ。' * 25_000})。",
        f"1. A cup{' ' * 50_000}having a lid.",
        f"1. A cup{chr(10) * 50_000}having a lid",
        f"1. {'a' * 50_000} comprising a {'b' * 50_000} x",
        f"1.一种机构，包括{'第二、' * 15_000}，所述第二齿轮转动。",
    ],
    ids=["kanji", "katakana", "stops", "blanks", "lines", "long words", "ordinals"],
)
def test_long_runs_are_read_and_checked_in_linear_time(text: str) -> None:
    read = lint(text).claims
    assert (read.text, len(read.claims)) == (text, 1)


def _agreement(documents: list[StatedClaims], separator: str) -> tuple[int, int]:
    """How many claims were found with number and text, of how many."""
    found = total = 0
    for document in documents:
        parsed = parse_claims(document.joined(separator))
        stated = {f"{claim.number}. {claim.text}".strip() for claim in document.claims}
        found += len(stated & {claim.text for claim in parsed.claims})
        total += len(document.claims)
    return found, total


@pytest.mark.parametrize("separator", ["\n", " "])
def test_claims_of_real_documents_are_found(shared_data: Path, separator: str) -> None:
    documents = [
        *us_documents(shared_data / "patents" / "us_uspto"),
        *ep_documents(shared_data / "patents" / "ep_fulltext"),
    ]
    found, total = _agreement(documents, separator)
    assert total > 700
    assert found >= 0.98 * total


@pytest.mark.parametrize("separator", ["\n", " "])
def test_references_are_those_of_us_documents(shared_data: Path, separator: str) -> None:
    same = total = 0
    for document in us_documents(shared_data / "patents" / "us_uspto"):
        parsed = parse_claims(document.joined(separator))
        for claim in document.claims:
            if claim.refers_to is not None:
                ours = parsed.find(claim.number)
                same += ours is not None and frozenset(ours.refers_to) == claim.refers_to
                total += 1
    assert total > 100
    assert same >= 0.98 * total


def test_independence_is_that_of_us_documents(shared_data: Path) -> None:
    """The documents count every claim with a reference as dependent; by form some are not."""
    same = total = 0
    for document in us_documents(shared_data / "patents" / "us_uspto"):
        parsed = parse_claims(document.joined("\n"))
        for claim in document.claims:
            if claim.independent is not None:
                ours = parsed.find(claim.number)
                same += ours is not None and ours.dependent != claim.independent
                total += 1
    assert total > 60
    assert same >= 0.95 * total


def _foreign_references(text: str, number: int) -> frozenset[int]:
    """The claims that a German text mentions."""
    found: set[int] = set()
    if re.search(r"(?:vorher|voran|vor)(?:gehenden|stehenden|gegangenen) Anspr", text):
        found |= set(range(1, number))
    for match in re.finditer(r"Anspr(?:uch|üchen?)\s*((?:\d+|bis|oder|und|-|–|,|\s)+)", text):
        for first, last in re.findall(r"(\d+)\s*(?:(?:bis|-|–)\s*(\d+))?", match[1]):
            found |= set(range(int(first), int(last or first) + 1))
    return frozenset(found)


def test_references_are_those_of_the_german_translation(shared_data: Path) -> None:
    path = shared_data / "patents" / "ep_fulltext" / "claims_parallel_de_en_fr.jsonl"
    documents: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        documents[row["doc"]].append(row)
    same = total = 0
    for rows in documents.values():
        parsed = parse_claims("\n".join(f"{row['claim']}. {row['en']}" for row in rows))
        for row in rows:
            ours = parsed.claim(row["claim"])
            same += frozenset(ours.refers_to) == _foreign_references(row["de"], row["claim"])
            total += 1
    assert total > 150
    assert same >= 0.98 * total


def test_generated_claims_are_numbered_plausibly(shared_data: Path) -> None:
    rows = json.loads((shared_data / "patent_ce" / "quality_dev.json").read_text(encoding="utf-8"))
    texts = sorted({row[side] for row in rows for side in ("gold_claim", "A", "B")})
    parsed = [parse_claims(text) for text in texts]
    counted = [
        [claim.number for claim in claims.claims] == list(range(1, len(claims.claims) + 1))
        for claims in parsed
    ]
    assert sum(counted) >= 0.97 * len(counted)
    for claims in parsed:
        assert "".join(piece for _, piece in claims.partition()) == claims.text
        assert claims.claims[0].depends_on == ()
    assert all(claim.number for claim in chain.from_iterable(item.claims for item in parsed))


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
