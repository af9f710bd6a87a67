"""Content of a bench without translations: labels, IPC sections, lengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from patmark.data import TestSet, read_jsonl_test_set
from patmark.errors import InputError
from patmark.protocols.patsnap.bench_files import (
    ENGLISH,
    LANGUAGES,
    has_patsnap_rows,
    read_patsnap_bench,
)
from patmark.protocols.patsnap.rows import LABEL_NAMES, LABELS
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import tr

_FACETS = {
    "granularity": tr("Granularity"),
    "ipc": tr("IPC section"),
    "origin": tr("Origin of the text"),
    "domain": tr("Technical domain"),
}
_NONE = tr("not given")


@dataclass(frozen=True, slots=True)
class BenchOverview(Result):
    """The rows of a bench: label, granularity, ipc, origin, domain, source, target, document.

    ``sides`` are the languages of source and target, if known. ``available`` is the number of
    available rows of each label.
    """

    name: str
    rows: Sequence[Mapping[str, Any]]
    sides: tuple[str, str] = ("source", "target")
    available: Mapping[str, int] | None = None

    @classmethod
    def of_file(cls, path: str) -> BenchOverview:
        """Return the overview of PatSnap rows, or of a test set whose rows have labels."""
        if has_patsnap_rows(path):
            return cls.of_test_set(read_patsnap_bench(path, "cn2en"), LANGUAGES["cn2en"])
        bench = read_jsonl_test_set(path, ENGLISH, allow_empty_references=True)
        if not all("label" in segment.meta for segment in bench):
            raise InputError.at("is no bench: rows have no label", path)
        return cls.of_test_set(bench)

    @classmethod
    def of_test_set(
        cls, bench: TestSet, sides: tuple[str, str] = ("source", "target")
    ) -> BenchOverview:
        """Return the overview of a bench that was read from a file."""
        rows = (
            {
                **{name: segment.meta.get(name) for name in ("label", *_FACETS)},
                "source": segment.source,
                "target": segment.references[0] if segment.references else None,
                "document": segment.document,
            }
            for segment in bench
        )
        return cls(bench.name, tuple(rows), sides)

    @property
    def labels(self) -> list[str]:
        """The labels in the order of the bench's description, then others."""
        present = Counter(row["label"] for row in self.rows)
        known = [label for label in LABELS if label in present or self.available]
        return [*known, *sorted(present.keys() - set(LABELS))]

    def to_json(self) -> dict[str, Any]:
        """Return all counts for JSON."""
        return {
            "rows": len(self.rows),
            "documents": len({row["document"] for row in self.rows if row["document"]}),
            "labels": {label: self._about(label) for label in self.labels},
            **{f"by_{facet}": dict(self._counts(facet)) for facet in _FACETS},
            "percent": {
                "label": {label: self._percent(len(self._of(label))) for label in self.labels},
                **{
                    facet: {name: self._percent(rows) for name, rows in self._counts(facet)}
                    for facet in _FACETS
                },
            },
        }

    def to_report(self) -> Report:
        """Return tables of labels and facets."""
        facts = self.to_json()
        return Report(
            title=tr("Bench"),
            subtitle=tr(
                "{name} · {rows} rows of {patents} patents",
                name=self.name,
                rows=facts["rows"],
                patents=facts["documents"],
            ),
            headlines=(),
            tables=(self._label_table(), self._ipc_table(), *self._facet_tables()),
            signatures={},
            brief=2,
        )

    def _of(self, label: str) -> list[Mapping[str, Any]]:
        return [row for row in self.rows if row["label"] == label]

    def _about(self, label: str) -> dict[str, Any]:
        rows = self._of(label)
        return {
            "rows": len(rows),
            **({} if self.available is None else {"available": self.available.get(label, 0)}),
            "documents": len({row["document"] for row in rows if row["document"]}),
            "without_target": sum(row["target"] is None for row in rows),
            "characters": {
                name: _lengths(row[side] for row in rows)
                for name, side in zip(self.sides, ("source", "target"), strict=True)
            },
        }

    def _label_table(self) -> Table:
        drawn = [] if self.available is None else [Column(tr("of"), 0)]
        columns = (
            Column(tr("label")), Column(tr("rows"), 0), Column("%", 1), *drawn,
            Column(tr("patents"), 0),
            Column(tr("without {sides} text", sides=self.sides[1]), 0),
            *(Column(tr("{side} characters", side=side)) for side in self.sides),
        )  # fmt: skip
        rows: list[tuple[Cell, ...]] = []
        for label in self.labels:
            about = self._about(label)
            of = [] if self.available is None else [about["available"]]
            lengths = map(_shown, about["characters"].values())
            counts = about["documents"], about["without_target"]
            shares = about["rows"], self._percent(about["rows"])
            rows.append((LABEL_NAMES.get(label, label), *shares, *of, *counts, *lengths))
        return Table(
            tr("Labels"),
            columns,
            tuple(rows),
            tr("%: share of all rows. Characters: shortest, median, longest."),
        )

    def _ipc_table(self) -> Table:
        sections = [name for name, _ in self._counts("ipc")]
        columns = (Column(tr("label")), *(Column(name, 0) for name in sections))
        rows: list[tuple[Cell, ...]] = []
        for label in self.labels:
            counts = Counter(row["ipc"] or _NONE for row in self._of(label))
            rows.append((LABEL_NAMES.get(label, label), *(counts[name] for name in sections)))
        return Table(tr("Labels by IPC section"), columns, tuple(rows))

    def _counts(self, facet: str) -> list[tuple[str, int]]:
        counts = Counter(row[facet] or _NONE for row in self.rows)
        return sorted(counts.items(), key=lambda item: (item[0] == _NONE, item[0]))

    def _percent(self, rows: int) -> float:
        """Return the share of all rows, as the description of the bench prints it."""
        return round(100 * rows / len(self.rows), 1) if self.rows else 0.0

    def _facet_tables(self) -> Iterable[Table]:
        for facet, title in _FACETS.items():
            columns = (Column(_FACETS[facet]), Column(tr("rows"), 0), Column("%", 1))
            rows = tuple((*each, self._percent(each[1])) for each in self._counts(facet))
            yield Table(title, columns, rows)


def _lengths(texts: Iterable[str | None]) -> list[float] | None:
    lengths = [len(text) for text in texts if text is not None]
    return [min(lengths), median(lengths), max(lengths)] if lengths else None


def _shown(lengths: Sequence[float] | None) -> str | None:
    return None if lengths is None else " · ".join(f"{length:.0f}" for length in lengths)
