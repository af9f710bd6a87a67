"""Claim numbers and claim references in three languages."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.facts.claim_references import claim_layout


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("The device according to claim 1", {1}),
        ("The device of the twenty-first claim, wherein", {21}),
        ("The device of the thirteenth claim, wherein", {13}),
        ("The device as claimed in any one of claims 1 to 3", {1, 2, 3}),
        ("The device of claim 2 or 3", {2, 3}),
        ("The device of claim 2 or claim 3", {2, 3}),
        ("The device of claims 1, 2 and 5-7", {1, 2, 5, 6, 7}),
        ("The device of claims 1 through 3", {1, 2, 3}),
        ("根据权利要求1所述的装置", {1}),
        ("如权利要求１至３中任一项所述的装置", {1, 2, 3}),
        ("如权利要求 1 - 6中任一项", {1, 2, 3, 4, 5, 6}),
        ("如请求项1或2所述之装置", {1, 2}),
        ("根据权利要求1或权利要求4所述", {1, 4}),
        ("請求項1に記載の装置", {1}),
        ("請求項１〜３のいずれか一項に記載の装置", {1, 2, 3}),
        ("請求項1、2および5から7に記載の装置", {1, 2, 5, 6, 7}),
        ("請求項2又は4に記載", {2, 4}),
        ("請求項1乃至3のいずれか", {1, 2, 3}),
    ],
)
def test_references(text: str, claims: set[int]) -> None:
    (reference,) = claim_layout(text).references
    assert reference.claims == claims
    assert reference.within is None


@pytest.mark.parametrize(
    "text",
    ["any preceding claim", "根据前述权利要求中任一项", "前記いずれかの請求項に記載の装置"],
)
def test_preceding_claims(text: str) -> None:
    assert [reference.claims for reference in claim_layout(text).references] == ["preceding"]


@pytest.mark.parametrize(
    "text",
    [
        "1. A device.\n2. The device of claim 1, 3 mm long.\n3. The device of claim 2.",
        "1.A device comprising a rod. 2.The device of claim 1. 3.The device of claim 2.",
        "1、一种装置。2、如权利要求1所述的装置。3、如权利要求2所述的装置。",
        "权利要求书\n1． 一种装置。\n2． 权利要求1的装置。\n3． 权利 要求2的装置。",
        "【請求項１】\n装置。\n【請求項２】\n請求項１に記載の装置。\n【請求項３】\n請求項２の装置。",
        "Claim 1: A device.\nClaim 2: The device of claim 1.\nClaim 3: The device of claim 2.",
    ],
)
def test_numbers_and_where_references_stand(text: str) -> None:
    layout = claim_layout(text)
    assert [number.number for number in layout.numbers] == [1, 2, 3]
    assert [(ref.within, ref.claims) for ref in layout.references] == [(2, {1}), (3, {2})]


@pytest.mark.parametrize(
    "text",
    [
        "The housing is mounted on the base.",
        "10. Cylinder; 11. Port; 12. Air inlet.",
        "1) extracting a catalyst; 2) drying; wherein it is dried.",
        "10、分离筒；11、端口；12、进风口。",
    ],
)
def test_text_without_claims(text: str) -> None:
    layout = claim_layout(text)
    assert len(layout.numbers) <= 1
    assert layout.references == ()


def test_places_are_those_of_the_original() -> None:
    text = "２．根据权利要求１至３所述"
    layout = claim_layout(text)
    assert [text[item.start : item.end] for item in layout.numbers] == ["２"]
    assert [text[item.start : item.end] for item in layout.references] == ["权利要求１至３"]


@given(st.sets(st.integers(1, 99), min_size=1, max_size=5))
def test_lists_are_read_alike_in_three_languages(claims: set[int]) -> None:
    numbers = [str(number) for number in sorted(claims)]
    texts = (
        f"the device of claims {', '.join(numbers)}",
        f"根据权利要求{'、'.join(numbers)}所述",
        f"請求項{'、'.join(numbers)}に記載",
    )
    assert all(claim_layout(text).references[0].claims == claims for text in texts)


@pytest.mark.parametrize("text", [" " * 40_000, "claim 1, 2, " * 3_000, "权利要求1至" * 6_000])
def test_endless_runs_are_read(text: str) -> None:
    assert all(item.end <= len(text) for item in claim_layout(text).references)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("Tasse nach Anspruch 1, gekennzeichnet durch 2 Henkel", {1}),
        ("Tasse nach einem der Ansprüche 1 bis 3 und 5", {1, 2, 3, 5}),
        ("Tasse gemäß Patentanspruch 2 oder nach Anspruch 4", {2, 4}),
        ("Verwendung nach den Ansprüchen 1, 2 und/oder 3", {1, 2, 3}),
        ("Deckel nach mindestens einem der vorangegangenen Ansprüche", "preceding"),
        ("Deckel nach einem der vorhergehenden Patentansprüche", "preceding"),
        ("Tasse selon la revendication 1 ou la revendication 3", {1, 3}),
        ("Tasse selon l'une quelconque des revendications 1 à 3", {1, 2, 3}),
        ("Tasse selon l'une des revendications précédentes", "preceding"),
        ("Tasse selon l'une quelconque des revendications qui précèdent", "preceding"),
    ],
)
def test_german_and_french_references(text: str, claims: object) -> None:
    (reference,) = claim_layout(text).references
    assert reference.claims == claims


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("제1항에 있어서, 상기 부재는 강철인 장치.", [{1}]),
        ("청구항 2에 있어서, 상기 부재는 강철인 장치.", [{2}]),
        ("특허법 제42조 제3항에 따라 기재한다.", []),
        ("「특허법」제29조제1항의 규정에 의한 발명.", []),
        ("특허법 제30조의2 제1항에 해당하는 경우", []),
        ("시행령 제5조제2항제1호에 해당하는 경우", []),
    ],
)
def test_a_paragraph_of_a_korean_law_is_no_claim(text: str, claims: list[set[int]]) -> None:
    assert [reference.claims for reference in claim_layout(text).references] == claims
