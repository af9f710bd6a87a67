"""Terms for prompts: those of the row of a segment, and those of tables of the user."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from patmark.data import Segment, read_lines
from patmark.errors import InputError, Problem
from patmark.llm.templates import json_hash

Term: TypeAlias = tuple[str, str]

ROWS = "rows"
BENCH_FIELDS = {"zh": "special_cn", "en": "special_en"}
"""The fields of terms in rows of the PatSnap bench, by language."""
_BENCH_LABELS = ("terminology_accuracy", "terminology_consistency")
_LATIN = re.compile(r"[^\W_]", re.ASCII)


@dataclass(frozen=True, slots=True)
class TermBase:
    """Terms of the row of a segment, terms of a table, or both."""

    from_rows: bool = False
    table: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return self.from_rows or bool(self.table)

    def to_json(self) -> dict[str, Any] | None:
        """Return the part that changes answers, for signatures."""
        if not self:
            return None
        return {"rows": self.from_rows, "table": json_hash(self.table) if self.table else None}

    def of(self, segment: Segment, languages: tuple[str | None, str]) -> tuple[Term, ...]:
        """Return the terms of a segment: those of its row, then matches of the table."""
        own = _row_terms(segment, languages) if self.from_rows else []
        known = {source for source, _ in own}
        found = [
            term for term in occurring(self.table, segment.source or "") if term[0] not in known
        ]
        return (*own, *found)


def read_term_base(choices: Sequence[str]) -> TermBase:
    """Read a term base from ``rows`` and files with a term, a tab and a translation on each line.

    The first translation of a repeated term counts.
    """
    table: dict[str, str] = {}
    problems: list[Problem] = []
    for path in choices:
        if path == ROWS:
            continue
        for number, line in enumerate(read_lines(path), 1):
            fields = [field.strip() for field in line.split("\t")]
            if len(fields) == 2 and all(fields):
                table.setdefault(*fields)
            else:
                problems.append(Problem("expected a term, a tab, a translation", path, number))
    if problems:
        raise InputError(problems)
    longest_first = sorted(table.items(), key=lambda term: -len(term[0]))
    return TermBase(ROWS in choices, tuple(longest_first))


def occurring(table: Sequence[Term], text: str) -> list[Term]:
    """Return the terms that occur in a text, except those only within a longer term.

    The table must have its longest terms first.
    """
    remaining = text.casefold()
    found = []
    for source, target in table:
        folded = source.casefold()
        if folded in remaining and (pattern := _pattern(folded)).search(remaining):
            found.append((source, target))
            remaining = pattern.sub("\x00", remaining)
    return found


def shown_terms(terms: Sequence[Term]) -> str:
    """Return terms for a prompt, one on each line."""
    return "\n".join(f"{source} = {target}" for source, target in terms)


@lru_cache(maxsize=4096)
def _pattern(term: str) -> re.Pattern[str]:
    """Return a pattern of a term; Latin letters at its ends need word boundaries."""
    before = r"(?<![a-z0-9])" if _LATIN.match(term[0]) else ""
    after = r"(?![a-z0-9])" if _LATIN.match(term[-1]) else ""
    return re.compile(before + re.escape(term) + after)


def _row_terms(segment: Segment, languages: tuple[str | None, str]) -> list[Term]:
    if segment.meta.get("label") not in _BENCH_LABELS:
        return [(term.source, term.target[0]) for term in segment.terms if term.target]
    source, target = (segment.meta.get(BENCH_FIELDS.get(one or "", "")) for one in languages)
    return [(source, target)] if isinstance(source, str) and isinstance(target, str) else []
