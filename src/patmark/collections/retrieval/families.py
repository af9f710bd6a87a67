"""Equivalent documents: publications of one patent, patents of one family."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from patmark.collections.retrieval.qrels import Qrels
from patmark.collections.retrieval.rankings import NameCodes, Ranking, repeated
from patmark.collections.retrieval.topics import Topic
from patmark.data import FilePath, IntArray, parse_records, raise_if_any

_KIND = re.compile(r"(?P<number>[A-Z]{2}\S*?\d)[-_.]?[A-Z]\d?")


def read_families(path: FilePath) -> dict[str, str]:
    """Read the family of each document from a file of ``patmark corpus families``."""
    records, problems = parse_records(path)
    families: dict[str, str] = {}
    for record in records:
        name = record.text("family")
        for member in record.texts("members"):
            if families.setdefault(member, name) != name:
                record.complain(f"document {member!r} is already in family {families[member]!r}")
    raise_if_any(problems)
    return families


def without_kind(document: str) -> str:
    """Return a publication number without its kind code: EP0383071B1 becomes EP0383071.

    Other names are returned unchanged.
    """
    match = _KIND.fullmatch(document)
    return document if match is None else match["number"]


def collapse_ranking(ranking: Ranking, unit_of: Callable[[str], str]) -> tuple[Ranking, int]:
    """Rank units, such as families, each at the rank of its first document.

    Also return the number of dropped rows of units found before.
    """
    units, unit_codes = _units(ranking.documents, unit_of)
    documents = unit_codes[ranking.document_of]
    kept = np.ones(len(ranking), dtype=bool)
    kept[repeated(ranking.topic_of * max(1, len(units)) + documents)] = False
    collapsed = replace(ranking, documents=units, document_of=documents)
    return collapsed.only(kept), int((~kept).sum())


def collapse_qrels(qrels: Qrels, unit_of: Callable[[str], str]) -> Qrels:
    """Judge units by the best grade of their documents."""
    collapsed: dict[str, dict[str, int]] = {topic: {} for topic in qrels.topics}
    for topic, document, grade in qrels.rows():
        unit, grades = unit_of(document), collapsed[topic]
        grades[unit] = max(grade, grades.get(unit, grade))
    return Qrels(qrels.name, collapsed)


def without_own_family(
    ranking: Ranking, topics: Sequence[Topic], family_of: Callable[[str], str]
) -> tuple[Ranking, int]:
    """Drop the own family of each topic from a ranking; also return the number of rows.

    An application is no prior art against itself, and finding it must not count as success.
    """
    own = {topic.id: topic.family for topic in topics if topic.family is not None}
    families, family_codes = _units(ranking.documents, family_of)
    place = {family: code for code, family in enumerate(families)}
    own_codes = np.array([place.get(own.get(name, ""), -1) for name in ranking.topics], np.int64)
    kept = family_codes[ranking.document_of] != own_codes[ranking.topic_of]
    return ranking.only(kept), int((~kept).sum())


def _units(
    documents: Sequence[str], unit_of: Callable[[str], str]
) -> tuple[tuple[str, ...], IntArray]:
    names = NameCodes()
    codes = np.array(names.code(map(unit_of, documents)), dtype=np.int64)
    return tuple(names.numbers), codes
