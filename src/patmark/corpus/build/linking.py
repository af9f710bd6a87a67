"""Steps 2 and 3: families, and the document pairs that are to be aligned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from patmark.corpus.build.parsing import links_from_json
from patmark.corpus.build.settings import PipelineSettings
from patmark.engine.datasets import Batch, batch_of, iter_rows, write_rows
from patmark.engine.steps import Dataset, Workshop
from patmark.patents.families import FamilyKind, build_families

KEY_SCHEMA = {"doc_id": "string", "link": "string", "problem": "string"}
MEMBER_SCHEMA = {"doc_id": "string", "family": "string", "family_group": "string"}
_PAIRS_PER_SHARD = 50

# Of several records of one publication, the one with most text is read.
_CATALOGUE = """
SELECT doc_id, office, kind, pub_date, language, languages, ipc, origin, place, problem
FROM (
  SELECT d.*, ROW_NUMBER() OVER (
    PARTITION BY doc_id ORDER BY text_size DESC, origin, place) AS choice
  FROM parsed d WHERE status = 'document'
) chosen
WHERE choice = 1
ORDER BY doc_id
"""
_LINKS = """
SELECT doc_id, links FROM parsed WHERE status = 'document' ORDER BY doc_id, origin, place
"""
# Only documents that share a number with another one can be in a family with it.
_SHARED = """
SELECT l.doc_id, l.links
FROM links l
JOIN (
  SELECT DISTINCT k.doc_id
  FROM link_keys k
  JOIN (
    SELECT link FROM link_keys WHERE link <> '' GROUP BY link HAVING COUNT(DISTINCT doc_id) > 1
  ) common ON common.link = k.link
) wanted ON wanted.doc_id = l.doc_id
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
       CASE WHEN s.ipc <> '' THEN s.ipc ELSE t.ipc END AS ipc
FROM ({relations}) r
JOIN publications s ON s.doc_id = r.source_id
JOIN publications t ON t.doc_id = r.target_id
ORDER BY pair_id
"""
_TEXTS = """
SELECT p.pair_id, p.relation, p.family, p.family_group, p.source_id, p.target_id, p.source_date,
       p.target_date, p.ipc, s.document AS source_document, t.document AS target_document
FROM document_pairs p
JOIN publications sp ON sp.doc_id = p.source_id
JOIN publications tp ON tp.doc_id = p.target_id
JOIN parsed s ON s.doc_id = sp.doc_id AND s.origin = sp.origin AND s.place = sp.place
JOIN parsed t ON t.doc_id = tp.doc_id AND t.origin = tp.origin AND t.place = tp.place
ORDER BY p.pair_id
"""


def family_step(shop: Workshop, parsed: Dataset, kind: FamilyKind) -> tuple[Dataset, Dataset]:
    """The numbers that link documents, and every publication with its family.

    The extended family, which no split divides, stands beside it.
    """
    catalogue = shop.sql("catalogue", _CATALOGUE, {"parsed": parsed})
    links = shop.sql("links", _LINKS, {"parsed": parsed})
    keys = shop.map("link_keys", keys_of, links, KEY_SCHEMA)
    shared = shop.sql("shared", _SHARED, {"links": links, "link_keys": keys})

    def make(output: Path) -> None:
        write_rows(output, _members(shared.path, kind), MEMBER_SCHEMA)

    members = shop.step("members", make, [shared], {"kind": kind})
    tables = {"catalogue": catalogue, "members": members}
    return keys, shop.sql("publications", _PUBLICATIONS, tables)


def keys_of(links: Batch) -> Iterator[Batch]:
    """One row for each number that may link a document; one without a number if there is none."""
    rows = []
    for text in links.column("links").to_pylist():
        found = links_from_json(text)
        docdb = [f"docdb:{found.family_id}"] if found.family_id else []
        names = sorted({*found.priorities, *found.related, *docdb, found.application} - {""})
        problem = "; ".join(found.problems)
        rows += [{"doc_id": found.id, "link": name, "problem": problem} for name in names or [""]]
    yield batch_of(rows, KEY_SCHEMA)


def _members(shared: Path, kind: FamilyKind) -> Iterator[dict[str, Any]]:
    links = [links_from_json(row["links"]) for row in iter_rows(shared, ["links"])]
    families = build_families(links, kind).families
    groups = build_families(links, "extended").families
    group_of = {member.id: group.id for group in groups for member in group.members}
    family_of = {member.id: family.id for family in families for member in family.members}
    for name in sorted(family_of):
        yield {"doc_id": name, "family": family_of[name], "family_group": group_of[name]}


def pair_step(shop: Workshop, publications: Dataset, settings: PipelineSettings) -> Dataset:
    """The document pairs: one per family, or documents that are in both languages."""
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
    return shop.sql("document_pairs", statement, {"publications": publications})


def text_step(shop: Workshop, parsed: Dataset, publications: Dataset, pairs: Dataset) -> Dataset:
    """The document pairs with both documents."""
    tables = {"parsed": parsed, "publications": publications, "document_pairs": pairs}
    return shop.sql("paired_texts", _TEXTS, tables, shard_rows=_PAIRS_PER_SHARD)


def _wanted(language: str, offices: Sequence[str]) -> str:
    """Which publications have a text in the language."""
    found = f"p.languages LIKE '%|{language}|%'"
    if not offices:
        return found
    return f"{found} AND p.office IN ({', '.join(map(quoted, offices))})"


def _order(language: str, offices: Sequence[str], kinds: Sequence[str]) -> str:
    """Own language first, then offices and kinds as they are preferred, then the earliest."""
    return ", ".join([
        f"CASE WHEN p.language = '{language}' THEN 0 ELSE 1 END",
        _places("p.office =", [quoted(office) for office in offices]),
        _places("p.kind LIKE", [quoted(f"{kind}%") for kind in kinds]),
        "CASE WHEN p.pub_date = '' THEN '9999' ELSE p.pub_date END",
        "p.doc_id",
    ])  # fmt: skip


def _places(test: str, values: Sequence[str]) -> str:
    """The place of the first value that fits."""
    if not values:
        return "CAST(NULL AS BIGINT)"
    cases = " ".join(f"WHEN {test} {value} THEN {place}" for place, value in enumerate(values))
    return f"CASE {cases} ELSE {len(values)} END"


def quoted(text: str) -> str:
    """A string in SQL."""
    return "'" + text.replace("'", "''") + "'"
