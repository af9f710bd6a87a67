"""Families and kind codes: what stands for one another counts once."""

from __future__ import annotations

import pytest

from patmark.collections.retrieval import (
    Qrels,
    Ranking,
    Topic,
    collapse_qrels,
    collapse_ranking,
    ranking_of,
    without_kind,
    without_own_family,
)

FAMILIES = {"a1": "A", "a2": "A", "b1": "B", "c1": "C"}


def _order(ranking: Ranking) -> list[str]:
    return [row[1] for row in ranking.rows()]


def _grades(qrels: Qrels) -> list[tuple[str, int]]:
    return [(document, grade) for _, document, grade in qrels.rows()]


@pytest.mark.parametrize(
    ("document", "patent"),
    [
        ("EP0383071B1", "EP0383071"), ("EP-0383071-A2", "EP-0383071"),
        ("JP2000123456A", "JP2000123456"), ("US6123456B2", "US6123456"),
        ("CN101234567A", "CN101234567"), ("USD0123456S1", "USD0123456"),
        ("EP0383071", "EP0383071"), ("PATENT-JA-UPA-1993-000001", "PATENT-JA-UPA-1993-000001"),
        ("30", "30"), ("WO", "WO"),
    ],
)  # fmt: skip
def test_kind_codes(document: str, patent: str) -> None:
    assert without_kind(document) == patent


def test_a_family_stands_where_its_first_document_stood() -> None:
    ranking = ranking_of("x", {"1": [("b1", 4.0), ("a2", 3.0), ("c1", 2.0), ("a1", 1.0)]})
    collapsed, dropped = collapse_ranking(ranking, FAMILIES.__getitem__)
    assert (_order(collapsed), dropped) == (["B", "A", "C"], 1)
    assert collapsed.ranks.tolist() == [1, 2, 3]


def test_the_same_family_may_be_found_for_two_topics() -> None:
    ranking = ranking_of("x", {"1": [("a1", 1.0)], "2": [("a2", 1.0), ("a1", 0.5)]})
    collapsed, dropped = collapse_ranking(ranking, FAMILIES.__getitem__)
    assert (_order(collapsed), dropped) == (["A", "A"], 1)


def test_a_family_has_the_best_grade_of_its_documents() -> None:
    qrels = Qrels("q", {"1": {"a1": 0, "a2": 2, "b1": 1}, "2": {"a1": 1}})
    collapsed = collapse_qrels(qrels, FAMILIES.__getitem__)
    assert _grades(collapsed) == [("A", 2), ("B", 1), ("A", 1)]
    assert [topic for topic, _, _ in collapsed.rows()] == ["1", "1", "2"]


def test_the_own_family_is_removed() -> None:
    ranking = ranking_of(
        "x", {"1": [("a1", 3.0), ("b1", 2.0), ("a2", 1.0)], "2": [("a1", 1.0)], "3": [("c1", 1.0)]}
    )
    topics = [Topic("1", "…", family="A"), Topic("2", "…", family="Z"), Topic("3", "…")]
    kept, dropped = without_own_family(ranking, topics, FAMILIES.__getitem__)
    assert ([row[:2] for row in kept.rows()], dropped) == (
        [("1", "b1"), ("2", "a1"), ("3", "c1")],
        2,
    )
    assert kept.ranks.tolist() == [1, 1, 1]
