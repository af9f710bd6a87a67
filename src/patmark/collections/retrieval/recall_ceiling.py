"""Recall ceiling: the share of relevant documents that pass the filters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from patmark.collections.retrieval.filters import TopicFilter, topic_filters
from patmark.collections.retrieval.index_tables import IndexedDocument
from patmark.collections.retrieval.qrels import PARTIAL, Qrels
from patmark.collections.retrieval.search_settings import Filters
from patmark.collections.retrieval.topics import Topic
from patmark.data import FloatArray
from patmark.errors import UsageError
from patmark.wording import tr


@dataclass(frozen=True, slots=True)
class RecallCeiling:
    """Means over topics of the share of relevant documents that pass, from 0 to 1.

    ``present`` are those in the collection; ``ipc``, ``date`` and ``family`` count one filter each
    among all relevant documents, and ``all`` all filters. ``topics`` have a relevant document and
    count; ``without_relevant`` have none and do not.
    """

    present: float
    ipc: float
    date: float
    family: float
    all: float
    topics: int
    without_relevant: int
    missing_documents: int

    def to_json(self) -> dict[str, float | int]:
        """Return the values by name."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def lines(self) -> Iterator[str]:
        """Describe the values for people."""
        yield (
            tr(
                "recall ceiling over {topics} topics: IPC {ipc:.4f}, date {date:.4f}, family "
                "{family:.4f}, all {all:.4f}",
                topics=self.topics,
                ipc=self.ipc,
                date=self.date,
                family=self.family,
                all=self.all,
            )
        )
        if self.missing_documents:
            yield tr(
                "{missing_documents} relevant documents are not in the collection",
                missing_documents=self.missing_documents,
            )
        if self.without_relevant:
            yield tr(
                "{without_relevant} topics have no relevant document and do not count",
                without_relevant=self.without_relevant,
            )


def recall_ceiling(
    documents: Sequence[IndexedDocument],
    topics: Sequence[Topic],
    qrels: Qrels,
    filters: Filters,
    grade: int = PARTIAL,
) -> RecallCeiling:
    """Compute the ceiling of topics; refuse a topic without any judgement.

    A relevant document outside the collection passes no filter.
    """
    known = set(qrels.topics)
    unknown = [topic.id for topic in topics if topic.id not in known]
    if unknown:
        raise UsageError(f"{qrels.name} has no judgements for topics: {', '.join(unknown[:10])}")
    relevant = qrels.relevant_documents(grade)
    wanted = [documents_of for topic in topics if (documents_of := relevant.get(topic.id))]
    judged = [topic for topic in topics if relevant.get(topic.id)]
    if not judged:
        raise UsageError(f"no topic has a document of grade {grade} or better in {qrels.name}")
    by_id = {document.id: document for document in documents}
    shares = np.array(
        [
            _shares(found, one, by_id)
            for found, one in zip(wanted, topic_filters(judged, filters), strict=True)
        ]
    )
    present, ipc, day, family, together = shares.mean(axis=0).tolist()
    missing = {name for found in wanted for name in found if name not in by_id}
    return RecallCeiling(
        present,
        ipc,
        day,
        family,
        together,
        len(judged),
        len(topics) - len(judged),
        len(missing),
    )


def _shares(
    relevant: Sequence[str], wanted: TopicFilter, by_id: Mapping[str, IndexedDocument]
) -> FloatArray:
    """Return the shares that are present, pass IPC, date, family, and all of them."""
    found = [by_id[name] for name in relevant if name in by_id]
    passed = np.array(
        [
            [True, wanted.passes_ipc(one), wanted.passes_date(one), wanted.passes_family(one)]
            for one in found
        ],
        dtype=bool,
    ).reshape(-1, 4)
    counts = [*passed.sum(axis=0), passed.all(axis=1).sum()]
    shares: FloatArray = np.array(counts, dtype=np.float64) / len(relevant)
    return shares
