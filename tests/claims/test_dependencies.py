"""Which claims are mentioned, and when that makes a claim dependent."""

from __future__ import annotations

import pytest

from patmark.claims import ParsedClaim, parse_claims

_ENGLISH = [
    "A pump comprising a shaft.",
    "The pump of claim 1, wherein the shaft is red.",
    "The pump of claim 2, wherein the shaft is long.",
    "A method of pumping, comprising turning a wheel.",
    "The method of claim 4, wherein the wheel is red.",
]
_CHINESE = [
    "一种泵，包括转轴。",
    "根据权利要求1所述的泵。",
    "根据权利要求2所述的泵。",
    "一种抽水方法。",
]
_JAPANESE = [
    "軸を備えるポンプ。",
    "請求項１に記載のポンプ。",
    "請求項２に記載のポンプ。",
    "揚水方法。",
]


def _last(before: list[str], text: str) -> ParsedClaim:
    numbered = [f"{number}. {words}" for number, words in enumerate([*before, text], start=1)]
    return parse_claims("\n".join(numbered)).claims[-1]


def english(text: str) -> ParsedClaim:
    """A claim after two pumps, one of them twice dependent, and two methods."""
    return _last(_ENGLISH, text)


@pytest.mark.parametrize(
    ("text", "targets", "alternative"),
    [
        ("The pump of claim 1, being red.", (1,), False),
        ("A pump as claimed in claim 1, being red.", (1,), False),
        ("Pump according to claim 3, being red.", (3,), False),
        ("The pump in accordance with claim 2 wherein the shaft is red.", (2,), False),
        ("The pump as set forth in claim 1.", (1,), False),
        ("A pump according to any one of claims 1 to 3.", (1, 2, 3), True),
        ("A pump as claimed in claim 1 or 2.", (1, 2), True),
        ("A pump according to one of claims 1-3.", (1, 2, 3), True),
        ("A pump according to claims 1 and 2.", (1, 2), False),
        ("A pump according to claims 1–2 and 3.", (1, 2, 3), False),
        ("The pump of either claim 1 or claim 3.", (1, 3), True),
        ("The pump of any preceding claim.", (1, 2, 3, 4, 5), True),
        ("The pump according to at least one of the preceding claims.", (1, 2, 3, 4, 5), True),
        ("The method of claim 4, wherein the pump of claim 1 is used.", (4,), False),
        ("A method of pumping according to claim 4.", (4,), False),
        ("The pump of\nclaim\n2, being red.", (2,), False),
        ("The pump of claim ２.", (2,), False),
        ("The pump of claim 17, being red.", (17,), False),
        ("The method of claim 1, being red.", (1,), False),
    ],
)
def test_dependent_claims(text: str, targets: tuple[int, ...], alternative: bool) -> None:
    claim = english(text)
    assert claim.depends_on == targets
    assert claim.multiple == (len(targets) > 1)
    assert claim.alternative == alternative


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("A method of making the pump of claim 1.", (1,)),
        ("A method of making a pump according to claim 1 or 2, comprising casting.", (1, 2)),
        ("A system configured to perform the method of claim 4.", (4,)),
        ("A vehicle comprising the pump of claim 3.", (3,)),
        ("A vehicle with a pump as claimed in any of claims 1 to 3.", (1, 2, 3)),
        ("Use of a pump according to claim 1 for moving water.", (1,)),
        ("A pump made by the method of claim 4.", (4,)),
        ("A kit comprising: a wheel; and the pump of claim 1.", (1,)),
        ("A computer program that, when run, performs the method of claim 5.", (5,)),
        ("A device, wherein the wheel turns as in claim 4.", (4,)),
    ],
)
def test_claims_that_only_mention_others(text: str, targets: tuple[int, ...]) -> None:
    claim = english(text)
    assert not claim.dependent
    assert claim.refers_to == targets


def test_all_mentions_are_kept() -> None:
    claim = english("The method of claim 4, wherein the pump of claim 1 is used.")
    assert claim.refers_to == (1, 4)
    assert [reference.numbers for reference in claim.references] == [(4,), (1,)]
    assert english("A lid.").refers_to == ()


@pytest.mark.parametrize(
    ("text", "targets", "alternative"),
    [
        ("根据权利要求1所述的泵，其特征在于，还包括盖子。", (1,), False),
        ("如权利要求1或2所述的泵。", (1, 2), True),
        ("根据权利要求1至3中任一项所述的泵。", (1, 2, 3), True),
        ("根据权利要求１～３任意一项所述的泵。", (1, 2, 3), True),
        ("一种如权利要求2所述的泵。", (2,), False),
        ("根据权利要求1所述的方法，其特征在于，加热所述壳体。", (1,), False),
        ("如权利要求1所述的方法", (1,), False),
        ("根据上述权利要求中任一项所述的泵。", (1, 2, 3, 4), True),
    ],
)
def test_chinese_dependent_claims(text: str, targets: tuple[int, ...], alternative: bool) -> None:
    claim = _last(_CHINESE, text)
    assert claim.depends_on == targets
    assert claim.alternative == alternative


@pytest.mark.parametrize(
    "text",
    [
        "一种制造权利要求1所述的泵的方法。",
        "如权利要求1所述的泵的制造方法，其特征在于，包括铸造。",
        "一种车辆，包括根据权利要求1所述的泵。",
        "一种采用权利要求1所述泵的系统。",
        "根据权利要求1所述泵制造方法，其特征在于，包括铸造。",
    ],
)
def test_chinese_claims_that_only_mention_others(text: str) -> None:
    claim = _last(_CHINESE, text)
    assert (claim.depends_on, claim.refers_to) == ((), (1,))


@pytest.mark.parametrize(
    ("text", "targets", "alternative"),
    [
        ("前記軸が鋼である、請求項１に記載のポンプ。", (1,), False),
        ("請求項１または２に記載のポンプ。", (1, 2), True),
        ("請求項1〜3のいずれか一項に記載のポンプ。", (1, 2, 3), True),
        ("請求項１乃至請求項３のいずれか１項に記載のポンプ。", (1, 2, 3), True),
        ("前記軸を加熱する、請求項１に記載の方法。", (1,), False),
        ("請求項１に記載の方法", (1,), False),
        ("請求項１に記載のポンプにおいて、蓋を備えることを特徴とするポンプ。", (1,), False),
    ],
)
def test_japanese_dependent_claims(text: str, targets: tuple[int, ...], alternative: bool) -> None:
    claim = _last(_JAPANESE, text)
    assert claim.depends_on == targets
    assert claim.alternative == alternative


@pytest.mark.parametrize(
    "text",
    ["請求項１に記載のポンプを備える車両。", "請求項１に記載のポンプの製造方法。"],
)
def test_japanese_claims_that_only_mention_others(text: str) -> None:
    claim = _last(_JAPANESE, text)
    assert (claim.depends_on, claim.refers_to) == ((), (1,))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("A pump according to the first claim, wherein the shaft is red.", (1,)),
        ("The pump of the second claim.", (2,)),
        ("A server configured to read the first claim record of a claim form.", ()),
    ],
)
def test_claims_can_be_named_by_ordinal_words(text: str, numbers: tuple[int, ...]) -> None:
    assert english(text).depends_on == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("如申請專利範圍第1項所述之泵，其中該轉軸為紅色。", (1,)),
        ("如申请专利范围第1项所述的泵。", (1,)),
        ("如申請專利範圍第1項或第2項所述之泵。", (1, 2)),
        ("如申請專利範圍第1至3項中任一項所述之泵。", (1, 2, 3)),
    ],
)
def test_claims_of_taiwan(text: str, numbers: tuple[int, ...]) -> None:
    assert _last(_CHINESE, text).depends_on == numbers


def test_a_status_after_its_own_number_is_no_reference() -> None:
    text = "3. A tape.\n\n4. 2 Claim 4 (Previously presented): The tape of claim 3."
    assert [claim.refers_to for claim in parse_claims(text).claims] == [(), (3,)]
