"""Claims are found in every notation, and no character is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.claims import ClaimSet, parse_claims
from patmark.errors import UsageError


def contents(claims: ClaimSet) -> list[tuple[int | None, str]]:
    """Stated number and words of each claim."""
    return [
        (claim.number, claims.text[claim.content.start : claim.content.end])
        for claim in claims.claims
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. A lid.\n2. The lid of claim 1.",
        "1. A lid. 2. The lid of claim 1.",
        "1. A lid.2. The lid of claim 1.",
        "1) A lid.\n2) The lid of claim 1.",
        "(1) A lid.\n(2) The lid of claim 1.",
        "1.) A lid.\n2.) The lid of claim 1.",
        "Claim 1: A lid.\nClaim 2: The lid of claim 1.",
        "Claim 1: A lid. Claim 2: The lid of claim 1.",
        "**Claim 1:** A lid.\n\n**Claim 2:** The lid of claim 1.",
        "Claim 1\nA lid.\nClaim 2\nThe lid of claim 1.",
        "Claim 1. A lid. Claim 2. The lid of claim 1.",
        "Claim 1 A lid.\nClaim 2 The lid of claim 1.",
        "Claim 1 - A lid.\r\nClaim 2 - The lid of claim 1.",
        "Claim 1\r\nA lid.\r\nClaim 2\r\nThe lid of claim 1.\r\n",
        "1. A lid.\r\n2. The lid of claim 1.\r\n",
        "[Claim 1] A lid. [Claim 2] The lid of claim 1.",
        "What is claimed is:\n1. A lid.\n2. The lid of claim 1.\n",
        "What is claimed is: 1. A lid. 2. The lid of claim 1.",
        "CLAIMS\n\n  1.  A lid.\n\n  2.  The lid of claim 1.",
        "Here are the claims:\n\n- 1. A lid.\n- 2. The lid of claim 1.\n---\n",
        "１．A lid.\n２．The lid of claim 1.",
        "Claims:\nClaim 1. A lid.\nClaim 2. The lid of claim 1.",
        "Here are the claims:\n\n**Claim 1.** A lid.\n\n**Claim 2.** The lid of claim 1.",
        "**Claim 1**\nA lid.\n\n**Claim 2**\nThe lid of claim 1.",
        "**1.** A lid.\n**2.** The lid of claim 1.",
        "```\n1. A lid.\n2. The lid of claim 1.\n```",
        "Sure!\n\n```text\nClaim 1. A lid.\nClaim 2. The lid of claim 1.\n```\n",
        "1. A lid.\n2. The lid of claim 1.\n\nLet me know if you would like me to adjust it.",
        "1. A lid.\n2. The lid of claim 1.\n\n---\n\nI hope this helps! It is short.",
        "1. A lid.\n2. The lid of claim 1.\nPlease note that claim 2 covers a lid having a knob.",
    ],
)
def test_notations_of_claim_numbers(text: str) -> None:
    claims = parse_claims(text)
    assert contents(claims) == [(1, "A lid."), (2, "The lid of claim 1.")]
    assert claims.claims[1].depends_on == (1,)


@pytest.mark.parametrize(
    "text",
    [
        "1、一种盖子。\n2、根据权利要求1所述的盖子。",
        "1．一种盖子。2．根据权利要求1所述的盖子。",
        "权利要求书\n1. 一种盖子。\n2. 根据权利要求1所述的盖子。",
        "权利要求1：一种盖子。\n权利要求2：根据权利要求1所述的盖子。",
    ],
)
def test_chinese_notations(text: str) -> None:
    claims = parse_claims(text)
    assert claims.language == "zh"
    assert contents(claims) == [(1, "一种盖子。"), (2, "根据权利要求1所述的盖子。")]
    assert claims.claims[1].depends_on == (1,)


@pytest.mark.parametrize(
    "text",
    [
        "【請求項１】\n本体を備える蓋。\n【請求項２】\n請求項１に記載の蓋。",
        "【書類名】特許請求の範囲\n【請求項1】本体を備える蓋。【請求項2】請求項１に記載の蓋。",
        "請求項１\n本体を備える蓋。\n請求項２\n請求項１に記載の蓋。",
    ],
)
def test_japanese_notations(text: str) -> None:
    claims = parse_claims(text)
    assert claims.language == "ja"
    assert contents(claims) == [(1, "本体を備える蓋。"), (2, "請求項１に記載の蓋。")]
    assert claims.claims[1].depends_on == (1,)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1. A lid.\n2. The lid of claim 1.\n2. The lid of claim 1, being red.", [1, 2, 2]),
        ("1. A lid.\n4. The lid of claim 1.\n3. The lid of claim 1.", [1, 4, 3]),
        ("1. A lid. 3. The lid of claim 1. 4. The lid of claim 3.", [1, 3, 4]),
        ("1. A lid.\n2. The lid of claim 1.\n1. A pot.\n2. The pot of claim 1.", [1, 2, 1, 2]),
        ("A lid comprising a knob.\n2. The lid of claim 1.", [None, 2]),
        ("1. A lid comprising a knob.\nThe lid of claim 1, being red.\n3. A pot.", [1, None, 3]),
        ("A lid comprising a knob.\n\nThe lid of claim 1, being red.\n\nA pot.", [None] * 3),
        ("• A lid comprising a knob.\n• The lid of claim 1, being red.", [None, None]),
        ("A lid comprising a knob. The lid of claim 1, being red.", [None, None]),
        ("1-3. (canceled)\n4. (New) A lid.\n5. (Original) The lid of claim 4.", [1, 4, 5]),
        ("1. A lid\n2. The lid of claim 1\n3. The lid of claim 2", [1, 2, 3]),
        ("1. A lid comprising a knob  2. A pot comprising a lid.", [1, 2]),
        ("15. 2. A lid of claim 1. 16. The lid of claim 15.", [15, 16]),
        ("1. A lid.\n2.\n3. A pot.", [1, 2, 3]),
        (
            "1. A lid\n2. The lid of claim 1, being blue\n4. (Canceled)\n5. (New) A pot.",
            [1, 2, 4, 5],
        ),
        ("1. A lid.\n2. The lid of claim 1\n\n4. The lid of claim 2", [1, 2, 4]),
        ("1. A lid comprising a knob and\n\n2. The lid of claim 1.", [1, 2]),
        ("1. A lid comprising a knob attached to\n\n2. A pot comprising a lid.", [1, 2]),
        ("1. A lid comprising a knob,\n\n2. A pot comprising a lid.", [1, 2]),
        ("Claim 1. A lid comprising a knob\nClaim 2. The lid of claim 1.", [1, 2]),
        ("9. A lid.\n1 0. The lid of claim 9.", [9, 10]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_numbers_are_kept_as_stated(text: str, numbers: list[int | None]) -> None:
    assert [claim.number for claim in parse_claims(text).claims] == numbers


@pytest.mark.parametrize(
    "text",
    [
        "1. A method comprising:\n1) heating;\n2) cooling.",
        "1. A method comprising:\n1. heating;\n2. cooling.",
        "1. A method comprising the steps of: 1. Heating; 2. Cooling.",
        "1. A mixture of SEQ ID NO. 2. The rest is water.",
        "1. A bar that is longer than 1.5. It is red.",
        "1. The bar of FIG. 2. The end is round.",
        "1. A pump wherein the ratio is at least\n2. This is a lot.",
        "1. A pump that is driven according to claim\n2. It is red.",
        "1、一种方法，包括：\n1、加热；\n2、冷却。",
        "1. A pump comprising:\n\n1. A housing having an inlet; and\n\n2. A rotor having blades.",
    ],
)
def test_lists_and_figures_inside_a_claim_do_not_split_it(text: str) -> None:
    assert len(parse_claims(text).claims) == 1


def test_a_number_without_a_claim_starts_no_claim() -> None:
    claims = parse_claims("1. A lid.\n2. The lid of claim 1 is\n40. The lid of claim 1 is red.")
    assert all(not claim.text.endswith("40.") for claim in claims.claims)


def test_the_own_number_is_no_reference() -> None:
    [claim] = parse_claims('"Claim 1." A pump comprising a rotor.').claims
    assert claim.refers_to == ()


def test_talk_after_the_claims_is_left_over() -> None:
    text = "1. A lid.\n\nR is a ring.\n\nwherein R is red.\n\nI hope this helps!"
    claims = parse_claims(text)
    assert [claims.text[item.start : item.end].strip() for item in claims.left_over] == [
        "I hope this helps!"
    ]
    assert claims.claims[0].text.endswith("wherein R is red.")
    assert parse_claims("Claims\n\n1. A lid.\n---\n2. A pot.\n").left_over == ()


def test_a_range_of_numbers_stands_for_all_of_them() -> None:
    claims = parse_claims("1. A lid.\n2-4. (Canceled)\n5. The lid of claim 1.")
    assert [(claim.number, claim.last) for claim in claims.claims] == [
        (1, None), (2, 4), (5, None),
    ]  # fmt: skip
    assert claims.find(3) is claims.find(4) is claims.claims[1]
    assert [claim.canceled for claim in claims.claims] == [False, True, False]


def test_a_wrapped_mention_is_no_claim_number() -> None:
    claims = parse_claims("1. A lid.\n2. The lid of claim 1 or of\nclaim 1: it is red.\n3. A pot.")
    assert [claim.number for claim in claims.claims] == [1, 2, 3]


def test_claims_without_number_are_found_by_position() -> None:
    claims = parse_claims("A lid comprising a knob.\n\nThe lid of any preceding claim, being red.")
    assert claims.claims[1].depends_on == (1,)
    assert claims.ancestors(2) == (claims.claims[0],)
    assert parse_claims("A lid comprising a knob.\n2. The lid of claim 1.").find(1) is not None


def test_status_is_kept() -> None:
    claims = parse_claims("1. (Currently Amended) A lid.\n2. (Canceled)\n3. A pot.").claims
    assert [claim.status for claim in claims] == ["Currently Amended", "Canceled", None]
    assert claims[0].text == "1. (Currently Amended) A lid."


def test_pieces_name_headings_and_gaps() -> None:
    claims = parse_claims("Claims\n\n1. A lid.\n---\n2. A pot.\n")
    assert claims.partition() == (
        ("heading", "Claims"),
        ("gap", "\n\n"),
        ("claim", "1. A lid."),
        ("gap", "\n---\n"),
        ("claim", "2. A pot."),
        ("gap", "\n"),
    )


def test_other_languages_are_refused() -> None:
    with pytest.raises(UsageError, match="en, zh, ja"):
        parse_claims("1. Ein Deckel.", "de")


_FRAGMENTS = st.sampled_from(
    ["1. ", "2. ", "3、", "\n", "  ", "A lid", "The lid of claim 1", ", wherein ", "; ", "(a) ",
     ".", "【請求項２】", "请求项1", "Claim 2: ", "一种装置", "其特征在于，", "。", "前記軸と、",
     "<sub>2</sub>",
     "⑩", "10²", "comprising:", "claims 1 to 3", "- ", "**", "（１２）", "What is claimed is:"]
)  # fmt: skip


@given(st.lists(_FRAGMENTS | st.text(max_size=4), max_size=30).map("".join))
def test_no_character_is_lost(text: str) -> None:
    claims = parse_claims(text)
    assert "".join(piece for _, piece in claims.partition()) == text
    spans = [(piece.start, piece.end) for piece in claims.pieces if piece.kind == "claim"]
    assert spans == [(claim.start, claim.end) for claim in claims.claims]
    for claim in claims.claims:
        assert claim.text == text[claim.start : claim.end]
        assert claim.start <= claim.content.start <= claim.content.end == claim.end
        inside = [*claim.limitations, *claim.terms, *claim.references, claim.preamble, claim.body]
        assert all(claim.content.start <= item.start <= item.end <= claim.end for item in inside)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. to 36. (canceled)\n37. A lid.", [(1, 36), (37, None)]),
        ("1 through 9. (Canceled)\n10. A lid.", [(1, 9), (10, None)]),
        ("Claims 1-15 (Canceled)\nClaim 16. A lid.", [(1, 15), (16, None)]),
        ("Claims 1-15 (Canceled)\n16. A lid.", [(1, 15), (16, None)]),
        ("1.-20. (Cancelled)\n21. (New) A lid.", [(1, 20), (21, None)]),
        ("1. Canceled.\n2. A lid.", [(1, None), (2, None)]),
        ("1 (original): A lid.\n2 (canceled).", [(1, None), (2, None)]),
        ("1, 2 and 4-6. (canceled)\n3. A lid.", [(1, None), (2, None), (4, 6), (3, None)]),
        ("【請求項１】～【請求項５】（削除）\n【請求項６】蓋。", [(1, 5), (6, None)]),
        ("1-2.（删除）\n3. 一种盖。", [(1, 2), (3, None)]),
    ],
)
def test_one_note_for_several_canceled_claims(
    text: str, expected: list[tuple[int, int | None]]
) -> None:
    claims = parse_claims(text)
    assert [(claim.number, claim.last) for claim in claims.claims] == expected
    gone = [claim for claim in claims.claims if claim.canceled]
    assert len(gone) == len(expected) - 1
    assert "".join(words for _, words in claims.partition()) == text


@pytest.mark.parametrize(
    "text",
    [
        "1. A lamp;\n2. A shade comprising a lid.",
        "1. A lamp comprising a frame; and\n2. A shade.",
        "1. A kit consisting of:\n2. A box comprising a lid.",
        "[1] A lamp.\n[2] A shade.",
        "1 (original): A lamp.\n2 (currently amended): A shade.",
        "1. (Twice Amended) A lamp.\n2. (Three times amended) A shade.",
        "請求項１　軸を備えるペン。\n請求項２　蓋を備える箱。",
        "請求項１\n　軸を備えるペン。\n請求項２\n　蓋を備える箱。",
        '["1. A lamp with a \\"lid\\".", "2. A shade comprising a lid."]',
        '[{"id": 1, "text": "1. A lamp with a lid."}, {"id": 2, "text": "2. A shade for it."}]',
    ],
)
def test_claims_after_unusual_marks(text: str) -> None:
    claims = parse_claims(text)
    assert [claim.number for claim in claims.claims] == [1, 2]
    assert not any(claim.refers_to for claim in claims.claims)


@pytest.mark.parametrize(
    "text",
    [
        "1. A method comprising:\n1. Heating water;\n2. A second heating; and\n3. Stirring.",
        "1. A method of reading patent claims 1 to 3, comprising showing the claims.",
        "1. A pump that has the lid of claims 1 to 3 of the patent US 5,000,000.",
    ],
)
def test_lists_and_foreign_claims_belong_to_the_claim(text: str) -> None:
    claims = parse_claims(text)
    assert len(claims.claims) == 1
    assert claims.claims[0].refers_to == ()


@pytest.mark.parametrize(
    ("reference", "alternative"),
    [
        ("請求項１から２までのいずれか一項に記載の", True),
        ("請求項１～２のうちのいずれか一項に記載の", True),
        ("請求項１～２の中のいずれかに記載の", True),
        ("請求項１あるいは２に記載の", True),
        ("請求項１及び２に記載の", False),
        ("請求項１～２に記載の", False),
    ],
)
def test_japanese_claims_in_the_alternative(reference: str, alternative: bool) -> None:
    text = f"【請求項１】軸を備えるペン。【請求項２】蓋を備えるペン。【請求項３】{reference}ペン。"
    third = parse_claims(text).claims[2]
    assert third.depends_on == (1, 2)
    assert third.alternative is alternative
