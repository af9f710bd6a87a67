"""Restrictions of the documents for a topic: by IPC, by date, and by family.

Filters only remove candidates; term statistics are those of the whole collection.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from patmark.collections.retrieval.index_tables import IndexedDocument
from patmark.collections.retrieval.ipc import IpcLevel, ipc_prefixes
from patmark.collections.retrieval.search_settings import Filters
from patmark.collections.retrieval.topics import Topic
from patmark.errors import InputError, Problem
from patmark.wording import setting


@dataclass(frozen=True, slots=True)
class TopicFilter:
    """The restrictions of one topic; None is no restriction.

    A document passes with one of ``codes``, a publication strictly before ``before``, and a
    family other than ``family``.
    """

    codes: frozenset[str] | None = None
    before: date | None = None
    family: str | None = None

    def passes_ipc(self, document: IndexedDocument) -> bool:
        """Return True if the document has one of the codes."""
        return self.codes is None or not self.codes.isdisjoint(document.codes)

    def passes_date(self, document: IndexedDocument) -> bool:
        """Return True if the document was published before; one without a date does not pass."""
        return self.before is None or (document.date is not None and document.date < self.before)

    def passes_family(self, document: IndexedDocument) -> bool:
        """Return True if the document belongs to another family."""
        return self.family is None or document.family != self.family


def topic_filters(topics: Iterable[Topic], filters: Filters) -> list[TopicFilter]:
    """Return the restrictions of each topic; refuse a topic that lacks the required data."""
    problems: list[Problem] = []
    made = [_topic_filter(topic, filters, problems) for topic in topics]
    if problems:
        raise InputError(problems)
    return made


def _topic_filter(topic: Topic, filters: Filters, problems: list[Problem]) -> TopicFilter:
    def complain(message: str) -> None:
        problems.append(Problem(f"topic {topic.id!r} {message}"))

    if filters.before_date and topic.date is None:
        complain(f"has no date; add it, or search without the date filter ({setting('no_date')})")
    return TopicFilter(
        _codes(topic, filters.ipc, complain) if filters.ipc else None,
        topic.date if filters.before_date else None,
        topic.family if filters.other_family else None,
    )


def _codes(topic: Topic, level: IpcLevel, complain: Callable[[str], None]) -> frozenset[str]:
    found = set()
    for code in topic.ipc:
        prefixes = ipc_prefixes(code)
        if prefixes is None:
            complain(f"has {code!r}, which is no IPC code")
        elif level not in prefixes:
            complain(f"has the IPC code {code!r}, which has no {level}")
        else:
            found.add(prefixes[level])
    if not topic.ipc:
        complain(f"has no IPC code; add one, or search with ipc=off instead of {level}")
    return frozenset(found)
