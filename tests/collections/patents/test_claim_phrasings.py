"""Which claims a claim refers to, in the phrasings of six languages, and where claims begin.

Each line of the table was written with its answer before it was tried.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.collections.patents.formats.body import claims_in_text, make_claim
from patmark.collections.patents.formats.citations import claim_numbers

_LINES = (Path(__file__).parent / "claim_phrasings.txt").read_text(encoding="utf-8").splitlines()
_PHRASINGS = [line.split(" | ", 1) for line in _LINES if " | " in line]
_SETS = [line.split(" || ", 1) for line in _LINES if " || " in line]


def _numbers(written: str) -> tuple[int, ...]:
    return tuple(range(1, 10)) if written == "all" else claim_numbers(written)


def _plain(written: str) -> str:
    return written.replace("⏎", "\n").replace("␣", "\u00a0")


@pytest.mark.parametrize(("claims", "text"), _PHRASINGS)
def test_claims_that_a_claim_refers_to(claims: str, text: str) -> None:
    assert make_claim(10, _plain(text)).depends_on == _numbers(claims)


@pytest.mark.parametrize(("claims", "text"), _SETS)
def test_sets_of_claims_in_one_text(claims: str, text: str) -> None:
    expected = [each.partition(":")[::2] for each in claims.split("; ")]
    assert [(claim.num, claim.depends_on) for claim in claims_in_text(_plain(text))] == [
        (int(number), _numbers(named)) for number, named in expected
    ]


def test_the_table_is_whole() -> None:
    assert (len(_PHRASINGS), len(_SETS)) == (297, 34)
