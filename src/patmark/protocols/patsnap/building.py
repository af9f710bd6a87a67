"""A bench of the PatSnap kind from your own patents: rows of all nine labels.

| label | rows |
|---|---|
| normal_character | titles |
| special_character | titles and short sentences with the same symbol on both sides |
| terminology_accuracy | sentences with a proposed term on both sides |
| terminology_consistency | sentences or paragraphs that have it twice on both sides |
| normal_sentence | short claims and sentences |
| special_sentence | sentences of a section, and titles |
| paragraph_accuracy | long claims, and sentences in a row of abstract or description |
| document_accuracy | documents: all parts that they have in both languages |
| patent_writing_norm | the sections of a document with their headings |

All rows come from the held-out documents of a collection, so that no row was in training data. Rows
of a label are drawn in turn from all IPC sections and origins; a sentence is in at most one row of
a granularity. A sentence with other numbers, limits or reference signs in its translation is only
in document rows, because a correct system would be penalised.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from patmark.collections.corpus import (
    HeldOut,
    JudgedPair,
    PairRow,
    SampledPair,
    TermPair,
    merge_judgements,
    read_campaign_judgements,
    read_judged,
    write_sample,
)
from patmark.collections.patents import classify_heading
from patmark.data import iter_json_lines, read_csv_records, write_atomically, write_csv
from patmark.errors import InputError, Problem, UsageError
from patmark.facts import (
    FACT_LANGUAGES,
    compare_limits,
    compare_quantities,
    compare_signs,
    facts_of,
)
from patmark.languages import (
    has_cjk,
    join_sentences,
    language as pack_of,
    split_sentences,
)
from patmark.llm import BENCH_FIELDS
from patmark.protocols.patsnap.bench_files import ABSENT, ENGLISH, LANGUAGES, TEXT_FIELDS
from patmark.protocols.patsnap.overview import BenchOverview
from patmark.protocols.patsnap.rows import LABELS, occurrences
from patmark.report import Report, Result
from patmark.wording import setting

GRANULARITIES = {
    "normal_character": "character",
    "special_character": "character",
    "terminology_accuracy": "word",
    "terminology_consistency": "word",
    "normal_sentence": "sentence",
    "special_sentence": "sentence",
    "paragraph_accuracy": "paragraph",
    "document_accuracy": "document",
    "patent_writing_norm": "document",
}
SYMBOLS = "-@*/%"
_ORIGINS = {
    "abstract": "abstract",
    "field": "technical_field",
    "background": "background",
    "summary": "summary",
    "drawings": "brief_description_of_drawings",
    "embodiments": "detailed_description",
}
_DOMAINS = {
    "medicine": "A61",
    "computer_science": "G06 G16",
    "materials": "B22 B32 C03 C04 C21 C22 C23 C30",
    "chemistry": "B01 C",
    "electrical": "G01R G02 G11 H",
    "mechanical_engineering": "B D E F",
}
_PARTS = ("title", "abstract", "claims", "description")
_ARTICLES = "[a，an，the]"
_LONG = 60
_SHORT = 30
_LONGEST_TITLE = 120
_LONGEST_CLAIM = 600
_RUN = 6
_LEAST_COVERED = 0.8
_NORM_SENTENCES = 2
_LEAST_HEADINGS = 4


@dataclass(frozen=True, slots=True)
class BenchRow:
    """A row; ``special`` is its term, symbol or headings in both languages."""

    label: str
    source: str
    target: str | None
    document: str
    ipc: str
    origin: str | None = None
    special: tuple[Any, Any] | None = None
    pairs: frozenset[str] = frozenset()
    term: TermPair | None = None

    @property
    def domain(self) -> str | None:
        """The technical domain of terms and headings, by the first IPC class."""
        if self.label not in ("terminology_accuracy", "terminology_consistency",
                              "patent_writing_norm"):  # fmt: skip
            return None
        known = ((name, part) for name, parts in _DOMAINS.items() for part in parts.split())
        fitting = [(len(part), name) for name, part in known if self.ipc.startswith(part)]
        return max(fitting)[1] if fitting else None


@dataclass(frozen=True, slots=True)
class BenchSettings:
    """Number of rows to draw for a label, and from one patent."""

    rows: int = 30
    per_patent: int = 5
    seed: int = 0
    labels: tuple[str, ...] = LABELS

    def __post_init__(self) -> None:
        if self.rows < 1 or self.per_patent < 1:
            raise UsageError(f"{setting('rows')} and {setting('per_patent')} must be at least 1")
        unknown = [label for label in self.labels if label not in LABELS]
        if unknown:
            raise UsageError(f"no label {unknown[0]!r}; choose from {', '.join(LABELS)}")
        if len(set(self.labels)) < len(self.labels):
            raise UsageError(f"a label is asked for twice: {', '.join(self.labels)}")


@dataclass(frozen=True)
class Bench(Result):
    """The rows in the order of the labels, and the number of available ones.

    ``unfaithful`` counts the excluded sentences, whose translations have other numbers, limits or
    reference signs.
    """

    languages: tuple[str, str]
    rows: tuple[BenchRow, ...]
    available: Mapping[str, int]
    terms: tuple[TermPair, ...] = ()
    unfaithful: int = 0
    settings: BenchSettings = field(default_factory=BenchSettings)

    @property
    def is_patsnap(self) -> bool:
        """True if the languages are those of the bench, so that its own format can be written."""
        return self.languages in LANGUAGES.values()

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """The rows in file format: PatSnap rows, or those of a test set."""
        if self.is_patsnap:
            return [self._patsnap_row(row) for row in self.rows]
        return [self._test_set_row(row, number) for number, row in enumerate(self.rows, 1)]

    def _patsnap_row(self, row: BenchRow) -> dict[str, Any]:
        texts = dict(zip(self.languages, (row.source, row.target), strict=True))
        special = dict(zip(self.languages, row.special or (None, None), strict=True))
        return {
            "pn": row.document,
            "ipc": row.ipc[:1] or ABSENT,
            **{field: texts[language] or ABSENT for language, field in TEXT_FIELDS.items()},
            "label_1": GRANULARITIES[row.label],
            "label_2": row.label,
            "label_3": row.origin or ABSENT,
            **{field: special[language] or ABSENT for language, field in BENCH_FIELDS.items()},
            "domain": row.domain or ABSENT,
        }

    def _test_set_row(self, row: BenchRow, number: int) -> dict[str, Any]:
        meta: dict[str, Any] = {
            "label": row.label,
            "granularity": GRANULARITIES[row.label],
            "origin": row.origin,
            "ipc": row.ipc[:1] or None,
            "domain": row.domain,
        }
        if row.term is not None:
            meta["terms"] = [{"source": row.term.source, "target": [row.term.target]}]
        elif row.label == "special_character" and row.special:
            meta["special_characters"] = [row.special[1]]
        elif row.label == "patent_writing_norm" and row.special:
            meta["headings"] = list(row.special[1])
        return {
            "id": str(number),
            "document": row.document,
            "source": row.source,
            "references": [] if row.target is None else [row.target],
            "meta": meta,
        }

    def to_json(self) -> dict[str, Any]:
        """Return counts by label, and the evidence of each term."""
        return {
            "languages": list(self.languages),
            "rows": len(self.rows),
            "unfaithful_sentences": self.unfaithful,
            "labels": {
                label: {
                    "rows": sum(row.label == label for row in self.rows),
                    "available": self.available.get(label, 0),
                }
                for label in self.settings.labels
            },
            "terms": [pair._asdict() | {"dice": pair.dice} for pair in self.terms],
        }

    def to_report(self) -> Report:
        """Return the report on the content of the bench."""
        rows = (
            {
                "label": row.label, "granularity": GRANULARITIES[row.label],
                "ipc": row.ipc[:1] or None, "origin": row.origin, "domain": row.domain,
                "source": row.source, "target": row.target, "document": row.document,
            }
            for row in self.rows
        )  # fmt: skip
        name = f"{self.languages[0]}-{self.languages[1]} bench"
        return BenchOverview(name, tuple(rows), self.languages, self.available).to_report()


def build_bench(held: HeldOut, settings: BenchSettings | None = None) -> Bench:
    """Draw a bench from the held-out part of a collection."""
    settings = settings or BenchSettings()
    found: dict[str, list[BenchRow]] = {label: [] for label in LABELS}
    faithful = [pair for pair in held.pairs if _is_faithful(pair, held.languages)]
    for row in (*_candidates(held, faithful), *_document_rows(held)):
        found[row.label].append(row)
    used: dict[str, set[str]] = defaultdict(set)
    drawn: dict[str, list[BenchRow]] = {}
    for label in sorted(settings.labels, key=lambda label: len(found[label])):
        taken = used[GRANULARITIES[label]]
        drawn[label] = _draw(found[label], settings, taken)
        taken |= {pair for row in drawn[label] for pair in row.pairs}
    rows = tuple(row for label in LABELS for row in drawn.get(label, ()))
    terms = {row.term.source: row.term for row in rows if row.term is not None}
    available = {label: len(of) for label, of in found.items()}
    unfaithful = len(held.pairs) - len(faithful)
    return Bench(held.languages, rows, available, tuple(terms.values()), unfaithful, settings)


def _is_faithful(pair: Mapping[str, Any], languages: tuple[str, str]) -> bool:
    """Return True if numbers, limits and reference signs agree, or the languages are unknown."""
    if not FACT_LANGUAGES.issuperset(languages):
        return True
    facts = facts_of(pair["source"], languages[0]), facts_of(pair["target"], languages[1])
    return not any(
        difference.severity == "error"
        for compare in (compare_quantities, compare_limits, compare_signs)
        for difference in compare(*facts).differences
    )


def _draw(rows: Sequence[BenchRow], settings: BenchSettings, used: set[str]) -> list[BenchRow]:
    """Draw rows in turn from all origins and IPC sections; limit rows per patent and term."""
    generator = random.Random(f"bench {settings.seed}")
    cells: dict[tuple[str, str], list[BenchRow]] = defaultdict(list)
    for row in rows:
        cells[row.origin or "", row.ipc[:1]].append(row)
    queues = [generator.sample(cells[cell], len(cells[cell])) for cell in sorted(cells)]
    drawn: list[BenchRow] = []
    taken = set(used)
    patents: Counter[str] = Counter()
    terms: set[str] = set()
    while queues and len(drawn) < settings.rows:
        queue = queues.pop(0)
        row = queue.pop()
        fresh = taken.isdisjoint(row.pairs) and patents[row.document] < settings.per_patent
        if fresh and (row.term is None or row.term.source not in terms):
            drawn.append(row)
            taken |= row.pairs
            patents[row.document] += 1
            terms |= {row.term.source} if row.term else set()
        if queue:
            queues = [*queues, queue] if fresh else [queue, *queues]
    return drawn


def _candidates(held: HeldOut, pairs: Sequence[Mapping[str, Any]]) -> Iterator[BenchRow]:
    for pair in pairs:
        rows = _title_rows if pair["section"] == "title" else _sentence_rows
        yield from rows(pair, held.languages)
        yield from _symbol_rows(pair)
    runs = list(_runs(pairs))
    for run in runs:
        if len(run) > 1:
            origin = "abstract" if run[0]["section"] == "abstract" else "description"
            joined = _joined(run, held.languages)
            yield _row("paragraph_accuracy", run, origin=origin, **joined)
    yield from _term_rows(held, pairs, runs)


def _row(label: str, pairs: Sequence[Mapping[str, Any]], **others: Any) -> BenchRow:
    first = pairs[0]
    return BenchRow(
        label,
        others.pop("source", first["source"]),
        others.pop("target", first["target"]),
        first["source_id"],
        first["ipc"],
        pairs=frozenset(pair["id"] for pair in pairs),
        **others,
    )


def _title_rows(pair: Mapping[str, Any], languages: tuple[str, str]) -> Iterator[BenchRow]:
    if ENGLISH in languages:
        special = tuple(_ARTICLES if one == ENGLISH else None for one in languages)
        yield _row("special_sentence", [pair], origin="english_title", special=special)
    if not any(symbol in pair["source"] for symbol in SYMBOLS):
        yield _row("normal_character", [pair])


def _symbol_rows(pair: Mapping[str, Any]) -> Iterator[BenchRow]:
    longest = _LONGEST_CLAIM if pair["section"] == "claims" else _LONGEST_TITLE
    if len(pair["source"]) > longest:
        return
    for symbol in SYMBOLS:
        times = pair["source"].count(symbol)
        if times and times == pair["target"].count(symbol):
            yield _row("special_character", [pair], special=(symbol, symbol))
            return


def _sentence_rows(pair: Mapping[str, Any], languages: tuple[str, str]) -> Iterator[BenchRow]:
    length = _length(pair["source"], languages[0])
    if pair["section"] in _ORIGINS:
        yield _row("special_sentence", [pair], origin=_ORIGINS[pair["section"]])
    if pair["section"] == "claims" and length >= _LONG:
        yield _row("paragraph_accuracy", [pair], origin="claims")
    else:
        yield _row("normal_sentence", [pair], origin="short" if length < _SHORT else "long")


def _length(text: str, language: str) -> int:
    """Return the length in words, or in characters of a language without blanks."""
    return len(text.split() if pack_of(language).is_spaced else text)


_Run = list[Mapping[str, Any]]


def _runs(pairs: Sequence[Mapping[str, Any]]) -> Iterator[_Run]:
    """Yield consecutive pairs of a section on both sides, at most a paragraph."""
    numbered = enumerate(pairs)
    together = groupby(
        numbered, key=lambda it: (it[1]["pair_id"], it[1]["section"], it[1]["number"] - it[0])
    )
    for (_, section, _), members in together:
        run = [pair for _, pair in members]
        if section not in ("title", "claims"):
            yield from (run[start : start + _RUN] for start in range(0, len(run), _RUN))


def _joined(run: _Run, languages: tuple[str, str]) -> dict[str, str]:
    return {
        side: join_sentences([pair[side] for pair in run], language)
        for side, language in zip(("source", "target"), languages, strict=True)
    }


def _term_rows(
    held: HeldOut, pairs: Sequence[Mapping[str, Any]], runs: Sequence[_Run]
) -> Iterator[BenchRow]:
    """Yield a row for each separate occurrence of a term.

    As a part of a longer word it would make a right answer wrong.
    """
    texts: list[tuple[_Run, dict[str, str]]] = [
        ([pair], {side: pair[side] for side in ("source", "target")})
        for pair in pairs
        if pair["section"] != "title"
    ]
    texts += [(run, _joined(run, held.languages)) for run in runs if len(run) > 1]
    for term in held.terms:
        for run, text in texts:
            times = text["source"].count(term.source)
            sound = times == occurrences(term.source, text["source"], held.languages[0])
            if not (times and sound and times == _renderings(term, text["target"])):
                continue
            label = "terminology_consistency" if times > 1 else "terminology_accuracy"
            if times > 1 or len(run) == 1:
                yield _row(label, run, special=(term.source, term.target), term=term, **text)


def _renderings(term: TermPair, text: str) -> int:
    if has_cjk(term.target):
        return text.count(term.target)
    return len(re.findall(rf"\b{re.escape(term.target)}(?:e?s)?\b", text, re.IGNORECASE))


def _document_rows(held: HeldOut) -> Iterator[BenchRow]:
    for _, members in groupby(held.pairs, key=lambda pair: pair["pair_id"]):
        pairs = list(members)
        first = pairs[0]
        source, target = (
            held.documents.get((first[f"{side}_id"], language))
            for side, language in zip(("source", "target"), held.languages, strict=True)
        )
        if source is None or target is None:
            continue
        parts = [part for part in _PARTS if source.get(part) and target.get(part)]
        ours, theirs = (
            "\n".join(document[part] for part in parts) for document in (source, target)
        )
        covered = min(
            sum(len(pair[side]) for pair in pairs) / max(len(text), 1)
            for side, text in (("source", ours), ("target", theirs))
        )
        if covered >= _LEAST_COVERED:
            yield BenchRow("document_accuracy", ours, theirs, first["source_id"], first["ipc"])
        yield from _norm_rows(first, (source, target), held.languages)


def _norm_rows(
    pair: Mapping[str, Any], documents: Sequence[Mapping[str, Any]], languages: tuple[str, str]
) -> Iterator[BenchRow]:
    """Yield the beginnings of the sections that both documents have, under their headings."""
    headings = [pack_of(language).table("bench").forms("heading") for language in languages]
    if not all(headings):
        return
    sources, targets = (
        _sections(document, language)
        for document, language in zip(documents, languages, strict=True)
    )
    names = [name for name in headings[0] if sources.get(name) and targets.get(name)]
    if len(names) < _LEAST_HEADINGS:
        return
    ours, theirs = ([forms[name][0] for name in names] for forms in headings)
    parts = (f"{heading}\n{sources[name]}" for heading, name in zip(ours, names, strict=True))
    yield BenchRow(
        "patent_writing_norm", "\n".join(parts), None, pair["source_id"], pair["ipc"],
        special=(ours, theirs),
    )  # fmt: skip


def _sections(document: Mapping[str, Any], language: str) -> dict[str, str]:
    lines: dict[str, list[str]] = defaultdict(list)
    section = None
    for line in document.get("description", "").splitlines():
        opened = classify_heading(line)
        section = opened or section
        if opened is None and section is not None:
            lines[section].append(line)
    texts = {name: "\n".join(of) for name, of in lines.items()}
    texts |= {
        "abstract": document.get("abstract", ""),
        "claims": document.get("claims", "").split("\n")[0],
    }
    return {name: _beginning(text, language) for name, text in texts.items() if text.strip()}


def _beginning(text: str, language: str) -> str:
    return join_sentences(split_sentences(text, language)[:_NORM_SENTENCES], language)


_TERM_FIELDS = (
    "source", "target", "pairs", "source_pairs", "target_pairs", "dice", "dictionary", "lexicon",
    "known",
)  # fmt: skip
_JUDGED = "correct"
_MOST_NAMED = 5


def write_bench(
    bench: Bench, out: str, *, terms: str | None = None, review: str | None = None
) -> None:
    """Write the rows; write the terms with their evidence and the review sheet if requested."""
    if not bench.rows:
        raise InputError.at("the collection gives no row for any of the labels", out)
    if terms is not None:
        fields = ([getattr(pair, name) for name in _TERM_FIELDS] for pair in bench.terms)
        write_csv(terms, _TERM_FIELDS, fields)
    if review is not None:
        pairs = (
            PairRow(number, source, target, 1.0, label)
            for number, source, target, label in _review_rows(bench)
        )
        write_sample(review, (SampledPair(pair, 1, len(bench.rows)) for pair in pairs))
    _write(out, bench.records)


def accepted_rows(
    bench: str, judgements: str, out: str, *, unjudged: bool = False
) -> dict[str, int]:
    """Write the rows judged correct, and count the outcomes of all."""
    rows = [fields for _, fields in iter_json_lines(bench)]
    reviewed = _judged(judgements, len(rows))
    judged = {row.id: row.judgement for row in reviewed}
    problems = [
        Problem(f"row {row.id}: {doubt}, so that this is the review of another bench", judgements)
        for row in reviewed
        if (doubt := _strange(row, rows))
    ]
    if problems:
        raise InputError(problems[:_MOST_NAMED])
    wanted = {_JUDGED, ""} if unjudged else {_JUDGED}
    verdicts = [judged.get(str(number), "") for number in range(1, len(rows) + 1)]
    kept = [row for row, verdict in zip(rows, verdicts, strict=True) if verdict in wanted]
    if not kept:
        raise InputError.at("no row was judged correct", judgements)
    _write(out, kept)
    return {
        "rows": len(rows),
        "kept": len(kept),
        "correct": verdicts.count(_JUDGED),
        "unjudged": verdicts.count(""),
    }


def _strange(row: JudgedPair, rows: Sequence[Mapping[str, Any]]) -> str:
    if row.id not in map(str, range(1, len(rows) + 1)):
        return "the bench has no such row"
    texts = [text for value in rows[int(row.id) - 1].values() for text in _texts(value)]
    seen = row.pair.get("source", "")
    return "" if not seen or any(seen.endswith(text) for text in texts) else "it has another text"


def _texts(value: Any) -> list[str]:
    """Return a field that may be the source text."""
    return [value] if isinstance(value, str) and len(value) > 1 and value != ABSENT else []


def _judged(path: str, rows: int) -> list[JudgedPair]:
    if "evaluator" not in read_csv_records(path)[0].fields:
        return read_judged(path)
    blank = [JudgedPair(str(number), "", 1.0, 1, rows) for number in range(1, rows + 1)]
    return merge_judgements(blank, read_campaign_judgements(path))


def _write(path: str | Path, rows: list[dict[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_atomically(path, "".join(lines))


def _review_rows(bench: Bench) -> Iterable[tuple[str, str, str, str]]:
    """Yield rows for a review: number, source, target, label; terms precede texts."""
    for number, row in enumerate(bench.rows, 1):
        source, target = row.source, row.target or ""
        if row.special and row.label != "special_sentence":
            before, after = (
                special if isinstance(special, str) else " · ".join(special)
                for special in row.special
            )
            source, target = f"[{before}] {source}", f"[{after}] {target}"
        yield str(number), source, target, row.label
