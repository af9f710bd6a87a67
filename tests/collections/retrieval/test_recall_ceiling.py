from __future__ import annotations

from datetime import date

import pytest

from patmark.collections.retrieval.filters import Filters
from patmark.collections.retrieval.index_tables import IndexedDocument
from patmark.collections.retrieval.qrels import Qrels
from patmark.collections.retrieval.recall_ceiling import recall_ceiling
from patmark.collections.retrieval.topics import Topic
from patmark.errors import UsageError

_DOCUMENTS = [
    IndexedDocument("a", date(1990, 1, 1), "f1", ("H", "H01", "H01L", "H01L 21"), 1),
    IndexedDocument("b", date(1999, 1, 1), "f2", ("H", "H01", "H01L", "H01L 29"), 1),
    IndexedDocument("c", date(1990, 1, 1), None, ("G", "G06", "G06F", "G06F 3"), 1),
    IndexedDocument("d", None, "f4", ("H", "H02", "H02K", "H02K 1"), 1),
]
_TOPICS = [
    Topic("t1", "x", date(1995, 1, 1), ("H01L 21/00",), "f1"),
    Topic("t2", "x", date(2000, 1, 1), ("G06F 3/01",)),
    Topic("t3", "x", date(2000, 1, 1), ("G06F 3/01",)),
]
_QRELS = Qrels(
    "test", {"t1": {"a": 2, "b": 1, "c": 1, "d": 1}, "t2": {"c": 2, "gone": 1}, "t3": {"a": 0}}
)


def test_each_filter_is_counted_by_itself() -> None:
    ceiling = recall_ceiling(_DOCUMENTS, _TOPICS, _QRELS, Filters("class"))
    # t1: a and b have the class, a and c the date, all but a another family, none of them all
    # t2: c passes everything, the other document is not in the collection
    assert ceiling.ipc == pytest.approx((2 / 4 + 1 / 2) / 2)
    assert ceiling.date == pytest.approx((2 / 4 + 1 / 2) / 2)
    assert ceiling.family == pytest.approx((3 / 4 + 1 / 2) / 2)
    assert ceiling.all == pytest.approx((0 / 4 + 1 / 2) / 2)
    assert ceiling.present == pytest.approx((4 / 4 + 1 / 2) / 2)
    assert (ceiling.topics, ceiling.without_relevant, ceiling.missing_documents) == (2, 1, 1)


def test_without_filters_only_missing_documents_are_lost() -> None:
    ceiling = recall_ceiling(_DOCUMENTS, _TOPICS, _QRELS, Filters(None, False, False))
    assert {ceiling.ipc, ceiling.date, ceiling.family, ceiling.all} == {0.75}


def test_a_better_grade_leaves_fewer_documents() -> None:
    ceiling = recall_ceiling(_DOCUMENTS, _TOPICS, _QRELS, Filters("class"), grade=2)
    assert (ceiling.ipc, ceiling.family, ceiling.missing_documents) == (1.0, 0.5, 0)


def test_topics_without_judgements_are_an_error() -> None:
    topic = Topic("t9", "x", date(2000, 1, 1))
    with pytest.raises(UsageError, match="no judgements for topics: t9"):
        recall_ceiling(_DOCUMENTS, [topic], _QRELS, Filters())


def test_no_relevant_document_at_all() -> None:
    with pytest.raises(UsageError, match="no topic has a document of grade 1"):
        recall_ceiling(_DOCUMENTS, [_TOPICS[2]], _QRELS, Filters())
