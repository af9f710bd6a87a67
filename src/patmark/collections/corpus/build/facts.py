"""Counts of a build and of files of pairs, and the summary of a build."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from patmark.collections.corpus.build.document_pairs import LONG_PARTS, has_part, is_wanted
from patmark.collections.corpus.build.pair_ranks import abstracts_view
from patmark.collections.corpus.build.settings import PipelineSettings
from patmark.engine import Dataset, Place, Relation, StepRunner
from patmark.errors import InputError

SUMMARY_FILE = "summary.json"
_NEEDED = frozenset({"parse", "pairs", "settings", "ranked_by"})
Counts: TypeAlias = dict[str, int]
BINS = 20
_LISTED = 100

_PARSED = """
SELECT status, office, SUBSTR(pub_date, 1, 4) AS published,
       CASE WHEN status = 'skipped' THEN problem ELSE '' END AS ending,
       CAST(COUNT(*) AS BIGINT) AS n, CAST(COUNT(DISTINCT doc_id) AS BIGINT) AS documents
FROM parsed GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""
# each file with broken records, their number, and the problem of the first
_BROKEN_FILES = """
SELECT origin, CAST(COUNT(*) AS BIGINT) AS records, MIN_BY(problem, place) AS first_problem
FROM parsed WHERE status IN ('broken', 'damaged') GROUP BY origin ORDER BY origin LIMIT {listed}
"""
_FAMILIES = """
SELECT offices, CAST(COUNT(*) AS BIGINT) AS families, CAST(SUM(members) AS BIGINT) AS members
FROM (
  SELECT family, COUNT(DISTINCT office) AS offices, COUNT(*) AS members
  FROM publications GROUP BY family
) f
GROUP BY offices ORDER BY offices
"""
_PARTLY = """
SELECT CAST(COALESCE(SUM(families), 0) AS BIGINT) AS n
FROM (
  SELECT COUNT(DISTINCT family) AS families FROM publications GROUP BY family_group
) g
WHERE families > 1
"""
_UNLINKED = """
SELECT CAST(COUNT(DISTINCT doc_id) AS BIGINT) AS n FROM link_keys WHERE problem <> ''
"""
_DOCUMENT_PAIRS = """
SELECT relation, source_office, target_office, CAST(COUNT(*) AS BIGINT) AS n
FROM document_pairs GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
# earlier family members without claims and description
_PASSED_OVER = """
SELECT CAST(COUNT(*) AS BIGINT) AS n, MIN(CONCAT(c.doc_id, ' for ', p.doc_id)) AS example
FROM document_pairs d
JOIN publications c ON c.doc_id = d.{side}_id
JOIN publications p ON p.family = c.family AND {is_wanted}
WHERE d.relation = 'family' AND {chosen_has} AND NOT {other_has}
  AND p.pub_date <> '' AND p.pub_date < c.pub_date
"""
_ONE_SIDED = """
SELECT CAST(COUNT(*) AS BIGINT) AS n, MIN(d.pair_id) AS example
FROM document_pairs d
JOIN publications s ON s.doc_id = d.source_id
JOIN publications t ON t.doc_id = d.target_id
WHERE NOT ({source_has} AND {target_has})
"""
_ALIGNED = """
SELECT section, bead, problem, CAST(COUNT(*) AS BIGINT) AS n,
       CAST(SUM(source_count) AS BIGINT) AS source_sentences,
       CAST(SUM(target_count) AS BIGINT) AS target_sentences
FROM aligned GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
"""
_PAIRS = """
SELECT split, left_out, reasons, section, bead, SUBSTR(ipc, 1, 1) AS ipc_section,
       source_office, target_office, SUBSTR(target_date, 1, 4) AS published,
       CAST(COUNT(*) AS BIGINT) AS n
FROM divided GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9
"""
_HISTOGRAM = """
SELECT b.bin, CAST(COUNT(*) AS BIGINT) AS n,
       CAST(SUM(CASE WHEN b.split <> '' THEN 1 ELSE 0 END) AS BIGINT) AS used,
       MIN(b.low) AS low, MIN(b.width) AS width
FROM (
  SELECT p.split, r.low, r.width,
         CASE WHEN r.width <= 0 OR FLOOR((p.score - r.low) / r.width) < 0 THEN 0
              WHEN FLOOR((p.score - r.low) / r.width) > {last} THEN {last}
              ELSE CAST(FLOOR((p.score - r.low) / r.width) AS BIGINT) END AS bin
  FROM divided p
  CROSS JOIN (
    SELECT MIN(score) AS low, (MAX(score) - MIN(score)) / {bins}e0 AS width FROM divided
  ) r
) b
GROUP BY b.bin ORDER BY b.bin
"""
_SIZES = """
SELECT split, CAST(COUNT(*) AS BIGINT) AS pairs, CAST(COUNT(DISTINCT family) AS BIGINT) AS families,
       CAST(COUNT(DISTINCT pair_id) AS BIGINT) AS document_pairs
FROM divided WHERE split <> '' GROUP BY split ORDER BY split
"""
_ABSTRACTS = """
SELECT CAST(COUNT(*) AS BIGINT) AS document_pairs, MAX(least) AS least_score,
       CAST(COALESCE(SUM(CASE WHEN score < least THEN 1 ELSE 0 END), 0) AS BIGINT) AS left_out,
       MIN(CASE WHEN score < least THEN pair_id END) AS example
FROM abstracts
"""
# sentences have no double blanks
_LENGTHS = """
SELECT split, side, CAST(MIN(characters) AS BIGINT) AS least_characters,
       AVG(characters) AS mean_characters, CAST(MAX(characters) AS BIGINT) AS most_characters,
       CAST(MIN(words) AS BIGINT) AS least_words, AVG(words) AS mean_words,
       CAST(MAX(words) AS BIGINT) AS most_words
FROM (
  SELECT split, side, LENGTH(sentence) AS characters,
         LENGTH(sentence) - LENGTH(REPLACE(sentence, ' ', '')) + 1 AS words
  FROM (
    SELECT split, 'source' AS side, TRIM(source) AS sentence FROM divided WHERE split <> ''
    UNION ALL
    SELECT split, 'target' AS side, TRIM(target) AS sentence FROM divided WHERE split <> ''
  ) t
) l
GROUP BY split, side ORDER BY split, side
"""


@dataclass(frozen=True, slots=True)
class BuildTables:
    """The tables of a build that the facts are counted from."""

    parsed: Relation
    link_keys: Dataset
    publications: Dataset
    document_pairs: Dataset
    aligned: Dataset
    pairs: Relation


def build_facts(
    steps: StepRunner, tables: BuildTables, settings: PipelineSettings
) -> dict[str, Any]:
    """Count everything in a build."""

    def rows(statement: str, *names: str) -> list[dict[str, Any]]:
        return list(steps.rows(statement, {name: getattr(tables, name) for name in names}))

    [partly] = rows(_PARTLY, "publications")
    [unlinked] = rows(_UNLINKED, "link_keys")
    return {
        "parse": {
            **_parse_facts(rows(_PARSED, "parsed")),
            "broken_files": [
                {"file": row["origin"], "records": row["records"], "first": row["first_problem"]}
                for row in rows(_BROKEN_FILES.format(listed=_LISTED), "parsed")
            ],
        },
        "families": {
            "documents": tables.publications.rows,
            "by_offices": {
                str(row["offices"]): {"families": row["families"], "documents": row["members"]}
                for row in rows(_FAMILIES, "publications")
            },
            "documents_with_unknown_numbers": unlinked["n"],
            "families_that_share_numbers": partly["n"],
        },
        "document_pairs": {
            f"{row['relation']} {row['source_office']}-{row['target_office']}": row["n"]
            for row in rows(_DOCUMENT_PAIRS, "document_pairs")
        },
        "text": _text_facts(settings, rows),
        "align": _align_facts(rows(_ALIGNED, "aligned")),
        "pairs": pair_facts(steps, tables.pairs),
    }


def _text_facts(
    settings: PipelineSettings, rows: Callable[..., list[dict[str, Any]]]
) -> dict[str, Any]:
    """Count publications replaced by ones with full text, and pairs without it."""

    def has_text(language: str, publication: str) -> str:
        return f"({' OR '.join(has_part(language, part, publication) for part in LONG_PARTS)})"

    tables = ("document_pairs", "publications")
    source, target = settings.source_language, settings.target_language
    passed = [
        row
        for side, language, offices in (
            ("source", source, settings.pairs.source_offices),
            ("target", target, settings.pairs.target_offices),
        )
        for row in rows(
            _PASSED_OVER.format(
                side=side,
                is_wanted=is_wanted(language, offices),
                chosen_has=has_text(language, "c"),
                other_has=has_text(language, "p"),
            ),
            *tables,
        )
    ]
    sides = {"source_has": has_text(source, "s"), "target_has": has_text(target, "t")}
    [bare] = rows(_ONE_SIDED.format(**sides), *tables)
    return {
        "passed_over": sum(row["n"] for row in passed),
        "passed_over_example": next((row["example"] for row in passed if row["n"]), ""),
        "pairs_without": bare["n"],
        "pairs_without_example": bare["example"] or "",
    }


def abstract_facts(steps: StepRunner, aligned: Dataset, share: float) -> dict[str, Any]:
    """Count the pairs of abstracts, and those that are not translations of each other."""
    [row] = steps.rows(_ABSTRACTS, {"abstracts": abstracts_view(aligned, share)})
    least = row["least_score"] or 0.0
    return {**row, "least_score": round(least, 6), "example": row["example"] or ""}


def _parse_facts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    rows = list(rows)
    read = [row for row in rows if row["status"] == "document"]
    return {
        "records": sum(row["n"] for row in read),
        "documents": sum(row["documents"] for row in read),
        "broken": sum(row["n"] for row in rows if row["status"] in ("broken", "damaged")),
        "damaged": sum(row["n"] for row in rows if row["status"] == "damaged"),
        "skipped_files": _sums(rows, "ending", lambda row: row["status"] == "skipped"),
        "by_office": _sums(read, "office"),
        "by_year": _sums(read, "published"),
    }


def _align_facts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    rows = list(rows)
    lost: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["problem"]:
            known = lost.setdefault(row["problem"], {"sections": 0, "source": 0, "target": 0})
            known["sections"] += row["n"]
            known["source"] += row["source_sentences"]
            known["target"] += row["target_sentences"]
    return {
        "beads": _sums(rows, "bead", lambda row: not row["problem"]),
        "by_section": _sums(rows, "section", lambda row: not row["problem"]),
        "lost": lost,
    }


def pair_facts(steps: StepRunner, pairs: Relation) -> dict[str, Any]:
    """Count pairs by split, by reason and by their properties."""
    tables = {"divided": pairs}
    rows = list(steps.rows(_PAIRS, tables))
    bins = list(steps.rows(_HISTOGRAM.format(last=BINS - 1, bins=BINS), tables))
    sizes = list(steps.rows(_SIZES, tables))
    used = [row for row in rows if row["split"]]
    offices = [{**row, "offices": f"{row['source_office']}-{row['target_office']}"} for row in used]
    return {
        "total": sum(row["n"] for row in rows),
        "splits": {row.pop("split"): row for row in sizes},
        "lengths": [_length_facts(row) for row in steps.rows(_LENGTHS, tables)],
        "left_out": _sums(rows, "left_out", lambda row: not row["split"]),
        "filters": _reasons(rows),
        "by": {
            "section": _by_split(used, "section"),
            "bead": _by_split(used, "bead"),
            "ipc": _by_split(used, "ipc_section"),
            "year": _by_split(used, "published"),
            "offices": _by_split(offices, "offices"),
        },
        "scores": [
            {
                "from": row["low"] + row["bin"] * row["width"],
                "to": row["low"] + (row["bin"] + 1) * row["width"],
                "pairs": row["n"],
                "used": row["used"],
            }
            for row in bins
        ],
    }


def _length_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shortest, the mean and the longest text of one side of a split, in both units."""
    facts: dict[str, Any] = {"split": row["split"], "side": row["side"]}
    for unit in ("characters", "words"):
        ends = {"min": row[f"least_{unit}"], "max": row[f"most_{unit}"]}
        facts[unit] = {**ends, "mean": row[f"mean_{unit}"]}
    return facts


def _reasons(rows: Iterable[Mapping[str, Any]]) -> Counts:
    """Count the pairs that each filter refuses; a pair may have several reasons."""
    counts: Counter[str] = Counter()
    for row in rows:
        for reason in row["reasons"].split():
            counts[reason] += row["n"]
    return dict(sorted(counts.items()))


def _sums(
    rows: Iterable[Mapping[str, Any]],
    name: str,
    wanted: Callable[[Mapping[str, Any]], bool] = lambda row: True,
) -> Counts:
    counts: Counter[str] = Counter()
    for row in rows:
        if wanted(row):
            counts[row[name]] += row["n"]
    return dict(sorted(counts.items()))


def _by_split(rows: Iterable[Mapping[str, Any]], name: str) -> dict[str, Counts]:
    found: dict[str, Counter[str]] = {}
    for row in rows:
        found.setdefault(row[name], Counter())[row["split"]] += row["n"]
    return {value: dict(sorted(found[value].items())) for value in sorted(found)}


def read_facts(folder: Place) -> dict[str, Any]:
    """Read the facts in the folder of a build."""
    path = folder / SUMMARY_FILE
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f"holds no {SUMMARY_FILE}; expected the folder of patmark corpus build"
        raise InputError.at(message, str(folder)) from None
    except ValueError as error:
        raise InputError.at(f"is not the summary of a build: {error}", str(path)) from None
    if not isinstance(facts, dict) or not facts.keys() >= _NEEDED:
        raise InputError.at("is not the summary of a build", str(path))
    return facts
