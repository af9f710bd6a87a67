"""Claim pairs: two candidate claim sets, compared by experts against a reference.

The file is a JSON list of ``{gold_claim, A, B, human_eval: {CRITERION: 1 | 0 | -1}}``, the format
of Patent-CE, or the same objects as JSON Lines; 1 means that A is better. An object may have
``meta``.

The criteria are those of Patent-CE, with their weights in quality. Pairs, or one reference with
drafts of it, become a test set with runs for measures and judges.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from patmark.data.files import (
    FilePath,
    atomic_writer,
    file_format,
    json_entries,
    read_lines,
    shown,
)
from patmark.data.model import Run, Segment, TestSet
from patmark.data.records import Record, json_object, json_text, json_type, raise_if_any
from patmark.errors import Problem, UsageError
from patmark.languages import DEFAULT_LANGUAGE

Labels: TypeAlias = Literal["required", "optional"]
CANDIDATES = ("A", "B")
A_BETTER, EQUAL, B_BETTER = 1, 0, -1
_TEXTS = ("gold_claim", "A", "B")
_FIELDS = (*_TEXTS, "human_eval", "meta")
_HASH_DIGITS = 16
_NO_META: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ClaimPair:
    """Two candidates for one reference; ``labels`` map a criterion to 1 (A better), 0 or -1."""

    reference: str
    first: str
    second: str
    labels: Mapping[str, int]
    meta: Mapping[str, Any] = field(default_factory=lambda: _NO_META)

    @property
    def candidates(self) -> tuple[str, str]:
        """Both candidates, A and B."""
        return self.first, self.second

    @property
    def reference_key(self) -> str:
        """The text of the reference with normalised white space, which identifies references."""
        return same_spaces(self.reference)

    @property
    def holds_reference(self) -> bool:
        """True if a candidate is the reference itself, which any overlap measure gets right."""
        return self.reference_key in map(same_spaces, self.candidates)


@dataclass(frozen=True)
class ClaimPairs:
    """Pairs in file order; a pair is identified by its position, from 0."""

    pairs: tuple[ClaimPair, ...]
    name: str = "claim pairs"

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def criteria(self) -> tuple[str, ...]:
        """All criteria, in the order of their first occurrence."""
        return tuple(dict.fromkeys(name for pair in self.pairs for name in pair.labels))

    @cached_property
    def reference_keys(self) -> tuple[str, ...]:
        """The key of each pair's reference."""
        return tuple(pair.reference_key for pair in self.pairs)

    def check_criterion(self, criterion: str) -> None:
        """Refuse a criterion that no pair has."""
        if criterion not in self.criteria:
            known = ", ".join(self.criteria)
            raise UsageError(f"{self.name} has no criterion {criterion!r}; there are {known}")


def same_spaces(text: str) -> str:
    """Return a text with normalised white space: single blanks, none at the ends."""
    return " ".join(text.split())


def reference_hash(text: str) -> str:
    """Return a hash of a reference, ignoring white space, to identify training data."""
    return hashlib.sha256(same_spaces(text).encode("utf-8")).hexdigest()[:_HASH_DIGITS]


def read_claim_pairs(path: FilePath, labels: Labels = "required") -> ClaimPairs:
    """Read a JSON list, or JSON Lines, of compared pairs; report all problems together.

    With ``labels`` "optional" a pair may have no expert labels.
    """
    problems: list[Problem] = []
    if file_format(path) == "jsonl":
        entries: Iterable[tuple[int, str]] = enumerate(read_lines(path), 1)
    else:
        entries = json_entries(path, "a JSON list of pairs (JSON Lines end in .jsonl)")
    pairs = [_pair(item, labels) for item in numbered_items(entries, path, problems)]
    if not pairs and not problems:
        problems.append(Problem("holds no pairs", shown(path)))
    raise_if_any(problems)
    return ClaimPairs(tuple(pairs), shown(path))


def read_all_claim_pairs(paths: Sequence[FilePath]) -> ClaimPairs:
    """Read the compared pairs of several files as one set, in their order."""
    parts = [read_claim_pairs(path) for path in paths]
    pairs = tuple(pair for part in parts for pair in part.pairs)
    return ClaimPairs(pairs, ", ".join(part.name for part in parts))


def write_claim_pairs(path: FilePath, pairs: Iterable[ClaimPair]) -> None:
    """Write JSON Lines if the name ends so, else a JSON list, atomically."""
    rows = [json_text(_plain(pair)) for pair in pairs]
    with atomic_writer(path) as file:
        if file_format(path) == "jsonl":
            file.writelines(f"{row}\n" for row in rows)
        else:
            file.write("[\n" + ",\n".join(rows) + "\n]\n")


@dataclass(frozen=True, slots=True)
class ListItem(Record):
    """An object of a list; its problems are reported with its position, from 0."""

    place: int = 0

    def complain(self, message: str) -> None:
        """Note a problem of this object."""
        Record.complain(self, f"item {self.place}: {message}")


def numbered_items(
    entries: Iterable[tuple[int, str]], path: FilePath, problems: list[Problem]
) -> list[ListItem]:
    """Return the objects of entries with their lines; other entries become problems."""
    found = []
    for place, (line, text) in enumerate(entries):
        try:
            found.append(ListItem(json_object(text), shown(path), line, problems, place))
        except ValueError as error:
            problems.append(Problem(f"item {place}: {error}", shown(path), line))
    return found


def _pair(item: ListItem, labels: Labels) -> ClaimPair:
    """Return the pair of an entry; add its problems to the list."""
    item.only(_FIELDS)
    reference, first, second = (_text(item, name) for name in _TEXTS)
    meta = item.fields.get("meta", {})
    if not isinstance(meta, dict):
        item.mismatch("meta", "an object")
        meta = {}
    return ClaimPair(reference, first, second, _labels(item, labels), meta)


def _text(item: ListItem, name: str) -> str:
    text = item.text(name)
    if isinstance(item.fields.get(name), str) and not text.strip():
        item.complain(f"field {name!r} is empty")
    return text


def _labels(item: ListItem, wanted: Labels) -> dict[str, int]:
    given = item.fields.get("human_eval")
    if "human_eval" not in item.fields:
        if wanted == "required":
            item.mismatch("human_eval", "an object of criteria")
        return {}
    if not isinstance(given, dict):
        item.mismatch("human_eval", "an object")
        return {}
    if not given and wanted == "required":
        item.complain("field 'human_eval' names no criterion")
    labels = {}
    for criterion, label in given.items():
        if not criterion.strip():
            item.complain("field 'human_eval' has a criterion without a name")
        if isinstance(label, bool) or not isinstance(label, int):
            found = json_type(label)
            item.complain(f"human_eval.{criterion}: expected 1, 0 or -1, found {found}")
        elif label not in (A_BETTER, EQUAL, B_BETTER):
            item.complain(f"human_eval.{criterion}: expected 1, 0 or -1, found {label}")
        else:
            labels[criterion] = label
    return labels


def _plain(pair: ClaimPair) -> dict[str, Any]:
    texts: Sequence[str] = (pair.reference, pair.first, pair.second)
    fields: dict[str, Any] = dict(zip(_TEXTS, texts, strict=True))
    fields["human_eval"] = dict(pair.labels)
    return fields | ({"meta": dict(pair.meta)} if pair.meta else {})


def drafts_of_pairs(pairs: ClaimPairs) -> tuple[TestSet, tuple[Run, Run]]:
    """Return both candidates of each pair as two systems; a segment is the position of a pair."""
    segments = tuple(
        Segment(str(place), references=(pair.reference,), document=pair.reference_key)
        for place, pair in enumerate(pairs.pairs)
    )
    first, second = CANDIDATES
    return TestSet(segments, DEFAULT_LANGUAGE, name=pairs.name), (
        Run(first, tuple(pair.first for pair in pairs.pairs)),
        Run(second, tuple(pair.second for pair in pairs.pairs)),
    )
