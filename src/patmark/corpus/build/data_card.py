"""Counts of a build, and the data card: contents of a collection, and losses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from patmark.corpus.build.document_pairs import LONG_PARTS, has_part, is_wanted
from patmark.corpus.build.settings import PipelineSettings
from patmark.corpus.splits import SPLITS
from patmark.data import write_atomically
from patmark.engine import Dataset, Relation as Rows, StepRunner
from patmark.errors import InputError
from patmark.report import Cell, Column, Report, Result, Table, in_language, to_html, to_markdown
from patmark.wording import tr, tr_n, yes_or_no

SUMMARY_FILE = "summary.json"
_REASONS = {
    "cut": tr("score or rank below the cut"),
    "filter": tr("refused by a filter"),
    "duplicate": tr("the same text as a better pair"),
    "near-duplicate": tr("nearly the same as a better pair, on both sides"),
    "pattern": tr("dev or test has a pair of this pattern"),
    "per-patent": tr("dev or test has enough pairs of this patent"),
    "unused": tr("for dev or test, but not needed"),
    "years": tr("of years that no split takes, or of a family in later years"),
    "no-date": tr("without a date of publication"),
    "leak": tr("nearly the same as a pair of dev or test"),
}
_SIDES = {"source": tr("source"), "target": tr("target")}
_RELATIONS = {"family": tr("family"), "document": tr("document")}
_NEEDED = frozenset({"parse", "pairs", "settings", "ranked_by"})
_SHOWN = 10
_BY = {
    "year": tr("Year of publication (target side)"),
    "section": tr("Section"),
    "ipc": tr("IPC section"),
    "offices": tr("Offices"),
    "bead": tr("Sentences per pair"),
}


@dataclass(frozen=True, slots=True)
class PairFileCounts(Result):
    """The counts of a file of pairs, of which nothing else is known."""

    name: str
    facts: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the counts."""
        return self.facts

    def to_report(self) -> Report:
        """Return the card of the file."""
        return pairs_card(self.name, self.facts)


@dataclass(frozen=True, slots=True)
class Collection(Result):
    """The facts that a build left in its folder."""

    facts: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return the facts."""
        return self.facts

    def to_report(self) -> Report:
        """Return the data card."""
        return data_card(self.facts)


def read_facts(folder: Path) -> dict[str, Any]:
    """Read the facts that a build left in its folder."""
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


def data_card(facts: Mapping[str, Any]) -> Report:
    """Return the card of a build."""
    source, target = facts["languages"]
    pairs = facts["pairs"]
    return Report(
        title=tr("Data card: {name}", name=facts["name"]),
        subtitle=tr(
            "{source} → {target} · {number} pairs",
            source=source,
            target=target,
            number=_number(_used(pairs)),
        ),
        headlines=(),
        tables=(
            _splits(pairs),
            _steps(facts),
            *_left_out(pairs),
            *_not_aligned(facts),
            *_lengths(pairs, {"source": source, "target": target}),
            *_parts(pairs),
            _scores(pairs, facts["ranked_by"]),
            *_on_the_way(facts),
            _files(facts),
            _settings(facts["settings"]),
        ),
        signatures={"collection": facts["signature"]},
        notes=_notes(facts),
        findings=_findings(facts),
        brief=4,
    )


def pairs_card(name: str, pairs: Mapping[str, Any]) -> Report:
    """Return the card of a file of pairs, of which nothing else is known."""
    return Report(
        title=tr("Sentence pairs: {name}", name=name),
        subtitle=tr(
            "{total} pairs, {used} of them in a split",
            total=_number(pairs["total"]),
            used=_number(_used(pairs)),
        ),
        headlines=(),
        tables=(
            _splits(pairs),
            *_left_out(pairs),
            *_lengths(pairs, {}),
            *_parts(pairs),
            _scores(pairs, ""),
        ),
        signatures={},
    )


def _used(pairs: Mapping[str, Any]) -> int:
    return sum(split["pairs"] for split in pairs["splits"].values())


def _number(count: int) -> str:
    return f"{count:,}"


def _whole(*titles: str) -> tuple[Column, ...]:
    return tuple(Column(title, decimals=0) for title in titles)


def _table(
    title: str,
    first: str,
    others: Sequence[str],
    rows: Iterable[tuple[Cell, ...]],
    note: str = "",
    section: str = "",
) -> Table:
    return Table(title, (Column(first), *_whole(*others)), tuple(rows), note, section)


def _splits(pairs: Mapping[str, Any]) -> Table:
    names = ("pairs", "families", "document_pairs")
    rows = [
        (split, *(pairs["splits"].get(split, {}).get(name, 0) for name in names))
        for split in SPLITS
    ]
    return _table(
        tr("Splits"), tr("split"), (tr("pairs"), tr("families"), tr("document pairs")), rows
    )


def _lengths(pairs: Mapping[str, Any], languages: Mapping[str, str]) -> list[Table]:
    """Tabulate sentence lengths: Chinese and Japanese in characters, others in words.

    Without their languages, in both; builds of earlier versions did not measure them.
    """
    rows: list[tuple[Cell, ...]] = []
    measured = pairs.get("lengths", ())
    for row in (row for split in SPLITS for row in measured if row["split"] == split):
        language = languages.get(row["side"])
        name: str = _SIDES[row["side"]]
        if language:
            name = tr("{side} ({language})", side=name, language=language)
        for unit, title in (("characters", tr("characters")), ("words", tr("words"))):
            if language is None or (language in ("zh", "ja")) == (unit == "characters"):
                found = row[unit]
                rows.append((row["split"], name, title, found["min"], found["mean"], found["max"]))
    columns = (*map(Column, (tr("split"), tr("side"), tr("unit"))), Column(tr("shortest"), 0))
    columns = (*columns, Column(tr("mean"), 1), Column(tr("longest"), 0))
    table = Table(
        tr("Lengths"), columns, tuple(rows), tr("Words between blanks."), tr("What is in it")
    )
    return [table] if rows else []


def _steps(facts: Mapping[str, Any]) -> Table:
    """Tabulate the output and the losses of each step."""
    parse, pairs = facts["parse"], facts["pairs"]
    documents, families = facts["families"]["documents"], _families(facts)
    beads, used = sum(facts["align"]["beads"].values()), _used(pairs)
    lost = sum(each["sections"] for each in facts["align"]["lost"].values())
    rows: list[tuple[Cell, ...]] = [
        (tr("records"), parse["records"] + parse["broken"], parse["broken"], tr("broken")),
        (
            tr("documents"),
            documents,
            parse["records"] - documents,
            tr("other records of a publication"),
        ),
        (tr("families"), families, None, ""),
        *_pair_rows(facts),
        (tr("beads"), beads, lost, tr("sections not aligned")),
        (tr("pairs"), pairs["total"], beads - pairs["total"], tr("beads of other kinds")),
        (
            tr("pairs in a split"),
            used,
            pairs["total"] - used,
            tr("pairs left out"),
        ),
        *(
            (tr("monolingual documents ({language})", language=language), count, None, "")
            for language, count in facts.get("monolingual", {}).items()
        ),
    ]
    columns = (
        Column(tr("step")),
        Column(tr("count"), decimals=0),
        Column(tr("left behind"), decimals=0),
        Column(tr("which are")),
    )
    return Table(tr("Steps"), columns, tuple(rows))


def _families(facts: Mapping[str, Any]) -> int:
    return sum(each["families"] for each in facts["families"]["by_offices"].values())


def _pair_rows(facts: Mapping[str, Any]) -> list[tuple[Cell, ...]]:
    """Return rows of document pairs: of families, or of documents in both languages."""
    rows: list[tuple[Cell, ...]] = []
    for relation, total, name in (
        ("family", _families(facts), tr("families without documents in both languages")),
        (
            "document",
            facts["families"]["documents"],
            tr("documents without text in both languages"),
        ),
    ):
        if relation in facts["settings"]["pairs"]["kinds"]:
            counts = facts["document_pairs"].items()
            found = sum(count for pair, count in counts if pair.startswith(f"{relation} "))
            kind = tr("document pairs ({relation})", relation=_RELATIONS[relation])
            rows.append((kind, found, total - found, name))
    return rows


def _left_out(pairs: Mapping[str, Any]) -> list[Table]:
    rows: list[tuple[Cell, ...]] = [
        (name, _REASONS.get(name, ""), count) for name, count in pairs["left_out"].items()
    ]
    rows += [
        (tr("filter: {name}", name=name), "", count) for name, count in pairs["filters"].items()
    ]
    columns = (Column(tr("left out as")), Column(tr("because")), Column(tr("pairs"), decimals=0))
    note = tr("A pair counts once for each filter that refuses it.") if pairs["filters"] else ""
    return [Table(tr("Pairs left out"), columns, tuple(rows), note)] if rows else []


def _parts(pairs: Mapping[str, Any]) -> list[Table]:
    return [
        _table(
            title,
            title,
            SPLITS,
            [
                (value or tr("unknown"), *(counts.get(split, 0) for split in SPLITS))
                for value, counts in pairs["by"][name].items()
            ],
            section=tr("What is in it"),
        )
        for name, title in _BY.items()
    ]


def _scores(pairs: Mapping[str, Any], ranked_by: str) -> Table:
    bins = pairs["scores"]
    most = float(max((each["pairs"] for each in bins), default=1))
    columns = (
        Column(tr("from"), decimals=3),
        Column(tr("to"), decimals=3),
        Column(tr("pairs"), decimals=0, scale=(0.0, most)),
        Column(tr("in a split"), decimals=0),
    )
    rows = tuple((each["from"], each["to"], each["pairs"], each["used"]) for each in bins)
    note = ""
    if ranked_by:
        note = tr(
            "Pairs are ranked by S × the mean S of the document pair, and × R if that is on. "
            "S is the {score}.",
            score=ranked_by,
        )
    return Table(tr("Scores"), columns, rows, note, tr("What is in it"))


def _not_aligned(facts: Mapping[str, Any]) -> list[Table]:
    rows = [(problem, *lost.values()) for problem, lost in facts["align"]["lost"].items()]
    titles = (tr("sections"), tr("source sentences"), tr("target sentences"))
    return [_table(tr("Sections not aligned"), tr("why"), titles, rows)] if rows else []


def _on_the_way(facts: Mapping[str, Any]) -> list[Table]:
    beads = _table(
        tr("Beads"),
        tr("kind"),
        (tr("beads"),),
        facts["align"]["beads"].items(),
        tr("Sentences on the source and the target side."),
        tr("On the way"),
    )
    offices = _table(
        tr("Document pairs"),
        tr("pair"),
        (tr("pairs"),),
        facts["document_pairs"].items(),
        section=tr("On the way"),
    )
    return [offices, beads]


def _files(facts: Mapping[str, Any]) -> Table:
    parse = facts["parse"]
    rows: list[tuple[Cell, ...]] = [
        (tr("office {office}", office=office), n) for office, n in parse["by_office"].items()
    ]
    rows += [
        (tr("published {year}", year=year or tr("unknown")), n)
        for year, n in parse["by_year"].items()
    ]
    return _table(tr("Records read"), tr("by"), (tr("records"),), rows, section=tr("On the way"))


def _settings(settings: Mapping[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, value in settings.items():
        inside = value if isinstance(value, dict) else {"": value}
        rows += [(f"{name}.{key}" if key else name, _shown(each)) for key, each in inside.items()]
    return Table(
        tr("Settings"),
        (Column(tr("setting")), Column(tr("value"))),
        tuple(rows),
        section=tr("Settings"),
    )


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return tr("{parts}", parts=tuple(map(str, value))) if value else tr("all")
    if isinstance(value, bool):
        return yes_or_no(value)
    return tr("none") if value is None else str(value)


def _findings(facts: Mapping[str, Any]) -> tuple[str, ...]:
    checked, split = facts["leakage"], facts["settings"]["split"]
    found: list[str] = [
        tr(
            "No family, document or text is in two splits: {n} training pairs were checked against "
            "all of dev and test.",
            n=_number(checked["training_pairs"]),
        )
    ]
    for name in ("dev", "test"):
        size = facts["pairs"]["splits"].get(name, {}).get("pairs", 0)
        if size < split[name]:
            found.append(
                tr(
                    "{name} has {n} pairs, not {wanted}: there were no more.",
                    name=name,
                    n=_number(size),
                    wanted=_number(split[name]),
                )
            )
    text = facts.get("text", {})  # builds of earlier versions did not count it
    if text.get("passed_over"):
        found.append(
            tr_n(
                "{n} earlier publication without claims and description gave way to one of its "
                "family that has them: {example}.",
                "{n} earlier publications without claims and description gave way to one of their "
                "family that has them, e.g. {example}.",
                n=text["passed_over"],
                example=text["passed_over_example"],
            )
        )
    if text.get("pairs_without"):
        found.append(
            tr_n(
                "{n} document pair has no claims and no description on one side; only title and "
                "abstract can be aligned: {example}.",
                "{n} document pairs have no claims and no description on one side; only title and "
                "abstract can be aligned, e.g. {example}.",
                n=text["pairs_without"],
                example=text["pairs_without_example"],
            )
        )
    return tuple(found)


def _notes(facts: Mapping[str, Any]) -> tuple[str, ...]:
    parse, families = facts["parse"], facts["families"]
    broken = parse["broken_files"]
    notes: list[str] = [
        tr(
            "{file}: {n} broken records; {first}",
            file=each["file"],
            n=_number(each["records"]),
            first=each["first"],
        )
        for each in broken[:_SHOWN]
    ]
    if len(broken) > _SHOWN:
        notes.append(tr("More files have broken records; all are listed in broken.jsonl."))
    notes += [
        tr("{n} files were not opened: {ending}", n=_number(count), ending=ending)
        for ending, count in parse["skipped_files"].items()
    ]
    partly = families["families_that_share_numbers"]
    if partly:
        notes.append(
            tr(
                "{n} families share a priority or an application with another one; they are "
                "aligned apart, but stand in one split.",
                n=_number(partly),
            )
        )
    unknown = families["documents_with_unknown_numbers"]
    if unknown:
        notes.append(
            tr(
                "{n} documents have a number that is not understood, so that links to others may "
                "be missing; near-duplicates across splits were removed all the same.",
                n=_number(unknown),
            )
        )
    return tuple(notes)


Counts: TypeAlias = dict[str, int]
BINS = 20
_LISTED = 100

_PARSED = """
SELECT status, office, SUBSTR(pub_date, 1, 4) AS published,
       CASE WHEN status = 'skipped' THEN problem ELSE '' END AS ending,
       CAST(COUNT(*) AS BIGINT) AS n, CAST(COUNT(DISTINCT doc_id) AS BIGINT) AS documents
FROM parsed GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""
# each file with broken records, how many they are, and what is wrong with the first
_BROKEN_FILES = """
SELECT origin, CAST(COUNT(*) AS BIGINT) AS records, MIN_BY(problem, place) AS first_problem
FROM parsed WHERE status = 'broken' GROUP BY origin ORDER BY origin LIMIT {listed}
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
# members of a family that came before the chosen one, but have no claims and no description
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

    parsed: Rows
    link_keys: Dataset
    publications: Dataset
    document_pairs: Dataset
    aligned: Dataset
    pairs: Rows


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
    """Count publications that gave way to ones with full text, and pairs without it."""

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


def _parse_facts(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    rows = list(rows)
    read = [row for row in rows if row["status"] == "document"]
    return {
        "records": sum(row["n"] for row in read),
        "documents": sum(row["documents"] for row in read),
        "broken": sum(row["n"] for row in rows if row["status"] == "broken"),
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


def pair_facts(steps: StepRunner, pairs: Rows) -> dict[str, Any]:
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


def write_card(folder: Path, result: Result, language: str = "en") -> Report:
    """Write the data card into a collection, as Markdown and as HTML."""
    card = in_language(result.to_report(), language)
    write_atomically(folder / "data_card.md", to_markdown(card))
    write_atomically(folder / "data_card.html", to_html(card))
    return card
