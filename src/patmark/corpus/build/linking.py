"""Documents to families, and the document pairs that are to be aligned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from patmark.corpus.build.parsing import links_from_json
from patmark.corpus.build.settings import PipelineSettings
from patmark.engine.datasets import Batch, batch_of, write_rows
from patmark.engine.steps import Dataset, StepRunner, Table, View
from patmark.patents.families import FamilyKind, build_families

KEY_SCHEMA = {"doc_id": "string", "link": "string", "problem": "string"}
MEMBER_SCHEMA = {"doc_id": "string", "family": "string", "family_group": "string"}
_PAIRS_PER_SHARD = 50

# Of several records of one publication, the one with most text is read.
_CATALOGUE = """
SELECT doc_id, office, kind, pub_date, language, languages, ipc, origin, place
FROM (
  SELECT d.*, ROW_NUMBER() OVER (
    PARTITION BY doc_id ORDER BY text_size DESC, origin, place) AS choice
  FROM parsed d WHERE status = 'document'
) chosen
WHERE choice = 1
"""
# Only documents that share a number with another one can be in a family with it.
_SHARED = """
SELECT l.doc_id, l.links
FROM parsed l
JOIN (
  SELECT DISTINCT k.doc_id
  FROM link_keys k
  JOIN (
    SELECT link FROM link_keys WHERE link <> '' GROUP BY link HAVING COUNT(DISTINCT doc_id) > 1
  ) common ON common.link = k.link
) wanted ON wanted.doc_id = l.doc_id
WHERE l.status = 'document'
ORDER BY l.doc_id, l.links
"""
_PUBLICATIONS = """
SELECT c.doc_id, c.office, c.kind, c.pub_date, c.language, c.languages, c.ipc, c.origin, c.place,
       COALESCE(m.family, CONCAT('alone:', c.doc_id)) AS family,
       COALESCE(m.family_group, CONCAT('alone:', c.doc_id)) AS family_group
FROM catalogue c LEFT JOIN members m ON m.doc_id = c.doc_id
ORDER BY c.doc_id
"""
_FAMILY_PAIRS = """
SELECT source_id, target_id, 'family' AS relation
FROM (
  SELECT s.doc_id AS source_id, p.doc_id AS target_id,
         ROW_NUMBER() OVER (PARTITION BY p.family ORDER BY {target_order}) AS choice
  FROM publications p
  JOIN (
    SELECT family, doc_id, office
    FROM (
      SELECT p.family, p.doc_id, p.office,
             ROW_NUMBER() OVER (PARTITION BY p.family ORDER BY {source_order}) AS choice
      FROM publications p WHERE {source_wanted}
    ) ordered_sources
    WHERE choice = 1
  ) s ON s.family = p.family AND s.office <> p.office
  WHERE {target_wanted}
) ordered_targets
WHERE choice = 1
"""
_DOCUMENT_PAIRS = """
SELECT p.doc_id AS source_id, p.doc_id AS target_id, 'document' AS relation
FROM publications p
WHERE {source_wanted} AND {target_wanted}
"""
_PAIRS = """
SELECT CONCAT(r.source_id, ':', r.target_id) AS pair_id, r.relation, s.family, s.family_group,
       r.source_id, r.target_id, s.office AS source_office, t.office AS target_office,
       s.pub_date AS source_date, t.pub_date AS target_date,
       CASE WHEN s.ipc <> '' THEN s.ipc ELSE t.ipc END AS ipc,
       sd.document AS source_document, td.document AS target_document
FROM ({relations}) r
JOIN publications s ON s.doc_id = r.source_id
JOIN publications t ON t.doc_id = r.target_id
JOIN parsed sd ON sd.doc_id = s.doc_id AND sd.origin = s.origin AND sd.place = s.place
JOIN parsed td ON td.doc_id = t.doc_id AND td.origin = t.origin AND td.place = t.place
ORDER BY pair_id
"""


def family_step(steps: StepRunner, parsed: Dataset, kind: FamilyKind) -> tuple[Dataset, Dataset]:
    """The numbers that link documents, and every publication with its family.

    The extended family, which no split divides, stands beside it.
    """
    keys = steps.map("link_keys", keys_of, parsed, KEY_SCHEMA, columns=("status", "links"))

    def make(output: Path) -> None:
        shared = steps.rows(_SHARED, {"parsed": parsed, "link_keys": keys})
        write_rows(output, _members(shared, kind), MEMBER_SCHEMA)

    members = steps.step("members", make, [parsed, keys], {"kind": kind, "shared": _SHARED})
    catalogue = View(_CATALOGUE, {"parsed": parsed})
    tables: dict[str, Table] = {"catalogue": catalogue, "members": members}
    return keys, steps.sql("publications", _PUBLICATIONS, tables)


def keys_of(links: Batch) -> Iterator[Batch]:
    """One row for each number that may link a document; one without a number if there is none."""
    rows = []
    for record in links.to_pylist():
        if record["status"] != "document":
            continue
        found = links_from_json(record["links"])
        docdb = [f"docdb:{found.family_id}"] if found.family_id else []
        names = sorted({*found.priorities, *found.related, *docdb, found.application} - {""})
        problem = "; ".join(found.problems)
        rows += [{"doc_id": found.id, "link": name, "problem": problem} for name in names or [""]]
    yield batch_of(rows, KEY_SCHEMA)


def _members(shared: Iterable[dict[str, Any]], kind: FamilyKind) -> Iterator[dict[str, Any]]:
    links = [links_from_json(row["links"]) for row in shared]
    families = build_families(links, kind).families
    groups = build_families(links, "extended").families
    group_of = {member.id: group.id for group in groups for member in group.members}
    family_of = {member.id: family.id for family in families for member in family.members}
    for name in sorted(family_of):
        yield {"doc_id": name, "family": family_of[name], "family_group": group_of[name]}


def pair_step(
    steps: StepRunner, parsed: Dataset, publications: Dataset, settings: PipelineSettings
) -> Dataset:
    """The document pairs with both texts: one per family, or documents in both languages."""
    wanted = settings.pairs
    parts = {
        "source_wanted": _wanted(settings.source_language, wanted.source_offices),
        "target_wanted": _wanted(settings.target_language, wanted.target_offices),
        "source_order": _order(settings.source_language, wanted.source_offices, wanted.prefer),
        "target_order": _order(settings.target_language, wanted.target_offices, wanted.prefer),
    }
    statements = {"family": _FAMILY_PAIRS, "document": _DOCUMENT_PAIRS}
    relations = " UNION ALL ".join(statements[kind].format(**parts) for kind in wanted.kinds)
    statement = _PAIRS.format(relations=relations)
    tables = {"publications": publications, "parsed": parsed}
    return steps.sql("document_pairs", statement, tables, shard_rows=_PAIRS_PER_SHARD)


def _wanted(language: str, offices: Sequence[str]) -> str:
    """Which publications have a text in the language."""
    found = f"p.languages LIKE '%|{language}|%'"
    if not offices:
        return found
    return f"{found} AND p.office IN ({', '.join(map(quoted, offices))})"


def _order(language: str, offices: Sequence[str], kinds: Sequence[str]) -> str:
    """Own language first, then offices and kinds as they are preferred, then the earliest."""
    return ", ".join(
        [
            f"CASE WHEN p.language = '{language}' THEN 0 ELSE 1 END",
            _places("p.office =", [quoted(office) for office in offices]),
            _places("p.kind LIKE", [quoted(f"{kind}%") for kind in kinds]),
            "CASE WHEN p.pub_date = '' THEN '9999' ELSE p.pub_date END",
            "p.doc_id",
        ]
    )


def _places(test: str, values: Sequence[str]) -> str:
    """The place of the first value that fits."""
    if not values:
        return "CAST(NULL AS BIGINT)"
    cases = " ".join(f"WHEN {test} {value} THEN {place}" for place, value in enumerate(values))
    return f"CASE {cases} ELSE {len(values)} END"


def quoted(text: str) -> str:
    """A string in SQL."""
    return "'" + text.replace("'", "''") + "'"
