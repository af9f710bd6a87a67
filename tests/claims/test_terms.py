"""Terms introduced and referred to, and which covers which."""

from __future__ import annotations

from pathlib import Path

import pytest

from claim_documents import ep_documents, us_documents
from patmark.claims import ClaimSet, ParsedClaim, Term, covers, parse_claims
from patmark.languages.phrases import singular

_MARKS = {"introduced": "+", "bare": "~", "referred": "<"}


def shown(text: str) -> list[str]:
    """The terms of a single claim, with a mark for the kind and the sign after it."""
    return [
        _MARKS[term.kind] + term.text + (f" ({term.sign})" if term.sign else "")
        for term in parse_claims(text).claims[0].terms
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A first rotating shaft (12) connected to a motor.",
         ["+first rotating shaft (12)", "+motor"]),
        ("One or more shafts and at least two signal processing units storing data.",
         ["+shafts", "+signal processing units", "~data"]),
        ("A hitch assembly and a family of gears, the hitch assembly being simply red.",
         ["+hitch assembly", "+family", "~gears", "<hitch assembly", "~red"]),
        ("A power supply configured to supply water to the supply line and the ply.",
         ["+power supply", "~water", "<supply line", "<ply"]),
        ("A plurality of shafts, the shafts rotating.", ["+shafts", "<shafts"]),
        ("The housing encloses the first shaft.", ["<housing", "<first shaft"]),
        ("Each of the two shafts; the at least one motor.", ["<shafts", "<motor"]),
        ("The other shaft and the substantially flat plate.", ["<shaft", "<flat plate"]),
        ("A receiving unit receiving said signal.", ["+receiving unit", "<signal"]),
        ("A movable lid adjacent to the larger pot.", ["+movable lid", "<larger pot"]),
        ("The selected two shafts.", ["<selected two shafts"]),
        ("A housing 12 with a bearing 13a.", ["+housing (12)", "+bearing (13a)"]),
        ("A 2nd lens 12 and the 10th-order filter.", ["+2nd lens (12)", "<10th-order filter"]),
        ("The pump of any of the preceding claims.", ["<pump"]),
        ("一种泵，包括壳体（11）、第一转轴和多个轴承，所述壳体为圆形。",
         ["+泵", "~壳体 (11)", "~第一转轴", "+轴承", "<壳体", "~圆形"]),
        ("一种制造方法，该方法包括所述第一转轴。", ["+制造方法", "<方法", "<第一转轴"]),
        ("第１の回転軸と、前記第１の回転軸の複数の軸受と、を備える電動機。",
         ["~第１の回転軸", "<第１の回転軸", "+軸受", "~電動機"]),
    ],
)  # fmt: skip
def test_terms(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


def test_places_words_and_markers() -> None:
    text = "1. A pump having at least one Signal Line (7)."
    term = parse_claims(text).claims[0].terms[-1]
    assert text[term.start : term.end] == term.text == "Signal Line"
    assert (term.words, term.head, term.marker) == (("signal", "line"), "line", "at least one")


def _term(phrase: str) -> Term:
    return parse_claims(phrase).claims[0].terms[0]


@pytest.mark.parametrize(
    ("introduced", "reference", "covered"),
    [
        ("a first rotating shaft", "the rotating shaft", True),
        ("a first rotating shaft", "the shaft", True),
        ("a first rotating shaft", "the first shaft", True),
        ("a first rotating shaft", "the second shaft", False),
        ("a first rotating shaft", "said shafts", True),
        ("a plurality of batteries", "the battery", True),
        ("a shaft", "the rotated shaft", True),
        ("a shaft", "the rotor shaft", False),
        ("a refrigerant", "the refrigerant passes", True),
        ("a shaft", "the motor", False),
        ("a rotor shaft", "the rotor", False),
        ("一个第一转轴", "所述转轴", True),
        ("一个第一转轴", "所述第二转轴", False),
        ("一个转轴", "所述转轴转动", True),
        ("一个转轴", "所述电机", False),
        ("複数の回転軸", "前記回転軸", True),
        ("複数の回転軸", "前記電動機", False),
        ("a mobile part", "the fixed part", False),
        ("a part", "the fixed part", True),
        ("a first shaft", "the first rotated shaft", True),
        ("a rotating shaft", "the rotated shaft", True),
    ],
)
def test_covers(introduced: str, reference: str, covered: bool) -> None:
    assert covers(_term(introduced), _term(reference)) == covered


def _uncovered(claims: ClaimSet, claim: ParsedClaim) -> tuple[int, int]:
    """How many references of a claim no earlier term covers, of how many."""
    known = [term for other in claims.in_scope(claim) for term in other.terms]
    uncovered = total = 0
    for term in claim.terms:
        if term.kind == "referred":
            total += 1
            uncovered += not any(covers(earlier, term) for earlier in known)
        known.append(term)
    return uncovered, total


def test_references_of_real_claims_are_mostly_covered(shared_data: Path) -> None:
    patents = shared_data / "patents"
    documents = [*us_documents(patents / "us_uspto"), *ep_documents(patents / "ep_fulltext")]
    counts = [
        _uncovered(claims, claim)
        for document in documents
        if document.language == "en"
        for claims in [parse_claims(document.joined("\n"))]
        for claim in claims.claims
    ]
    uncovered, total = (sum(column) for column in zip(*counts, strict=True))
    assert total > 2000
    assert uncovered < 0.11 * total


@pytest.mark.parametrize(
    ("plural", "one"),
    [("axes", "axis"), ("series", "series"), ("species", "species"), ("lens", "lens"),
     ("axles", "axle"), ("assemblies", "assembly"), ("boxes", "box"), ("processes", "process"),
     ("purposes", "purpose"), ("cases", "case"), ("sizes", "size"), ("gases", "gas"),
     ("lenses", "lens"), ("apparatuses", "apparatus")],
)  # fmt: skip
def test_singular(plural: str, one: str) -> None:
    assert singular(plural) == one


@pytest.mark.parametrize(
    ("claim", "terms"),
    [("the protrusions deflect at the lid", ["protrusion", "lid"]),
     ("the rotor stabilizes the flow", ["rotor", "flow"]),
     ("arms that engage a lid and deflect", ["arm", "lid"]),
     ("the interconnects and the shelves", ["interconnect", "shelve"]),
     ("arms that are pressed outwards", ["arm"]),
     ("behind the drive roller the lid", ["drive roller", "lid"])],
)  # fmt: skip
def test_verbs_are_no_terms(claim: str, terms: list[str]) -> None:
    [parsed] = parse_claims(f"1. {claim}.").claims
    assert [" ".join(term.words) for term in parsed.terms] == terms


@pytest.mark.parametrize(
    ("claim", "terms"),
    [("a first and a second drive shaft", ["first drive shaft", "second drive shaft"]),
     ("the first, second and third lids", ["first lid", "second lid", "third lid"]),
     ("front and rear edges", ["front edge", "rear edge"]),
     ("a first side and a second, opposite side", ["first side", "second side", "side"]),
     ("the first and a lid", ["first", "lid"])],
)  # fmt: skip
def test_lists_share_their_noun(claim: str, terms: list[str]) -> None:
    [parsed] = parse_claims(f"1. {claim}.").claims
    assert [" ".join(term.words) for term in parsed.terms] == terms
