"""Patent families by shared priorities.

* **simple**: the same set of priorities, as in DOCDB. A first filing has none; its own
  application, or the PCT application that it comes from, stands for it, because that is what
  the others claim.
* **extended**: everything that is connected by shared priorities, applications or parents, as in
  INPADOC.

A DOCDB family id, if present, decides for simple families. Unlinked documents are listed with the
reason.

SQL assigns families, for any number of documents: ``family_step`` as a step of a build,
``build_families`` for a list of documents. ``simple_family`` names the family of one document from
its own numbers alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal, TypeAlias

from patmark.data import Document, read_document_jsonl, write_json_lines
from patmark.engine import (
    Batch,
    Dataset,
    Place,
    StepRunner,
    batch_of,
    iter_rows,
    open_engine,
    remove_tree,
    write_rows,
)
from patmark.errors import UsageError
from patmark.report import Column, Report, Result, Table
from patmark.wording import setting, tr

FamilyKind: TypeAlias = Literal["simple", "extended"]
FAMILY_KINDS: tuple[FamilyKind, ...] = ("simple", "extended")
_SHOWN = 20
_LINK_SCHEMA = {"doc_id": "string", "links": "string"}
KEY_SCHEMA = {
    "doc_id": "string",
    "role": "string",  # priority, related, application, docdb
    "link": "string",
    "number": "int64",
    "problem": "string",
}
_ALL = "SELECT DISTINCT * FROM link_keys WHERE link <> ''"
# Only documents that share a number with another one can be in a family with it.
_LINKED = """
SELECT DISTINCT k.doc_id, k.role, k.link, k.number, k.problem
FROM link_keys k
JOIN (
  SELECT DISTINCT a.doc_id
  FROM link_keys a
  JOIN (
    SELECT number FROM link_keys WHERE link <> '' GROUP BY number HAVING COUNT(DISTINCT doc_id) > 1
  ) common ON common.number = a.number
) wanted ON wanted.doc_id = k.doc_id
WHERE k.link <> ''
"""
# Numbers of one document are connected. Edges go from the higher one to the lower one.
_EDGES = """
SELECT DISTINCT number AS node, lowest AS root
FROM (SELECT number, MIN(number) OVER (PARTITION BY doc_id) AS lowest FROM linked) l
WHERE number > lowest
"""
# Two steps of "Connected components in MapReduce and beyond" (Kiveris et al. 2014), large star and
# small star: after some rounds every node has one edge, to the lowest node of its component.
_ROUND = """
WITH both_ways AS (
  SELECT node, root FROM edges UNION ALL SELECT root AS node, node AS root FROM edges
), large_star AS (
  SELECT DISTINCT root AS node, lowest AS root
  FROM (
    SELECT node, root, LEAST(node, MIN(root) OVER (PARTITION BY node)) AS lowest FROM both_ways
  ) b
  WHERE root > node
), small_star AS (
  SELECT node, root, MIN(root) OVER (PARTITION BY node) AS lowest FROM large_star
)
SELECT node, lowest AS root FROM small_star
UNION
SELECT root AS node, lowest AS root FROM small_star WHERE root <> lowest
"""
_LEFT_OVER = """
SELECT (SELECT COUNT(*) - COUNT(DISTINCT node) FROM edges)
     + (SELECT COUNT(*) FROM edges e JOIN edges f ON f.node = e.root) AS n
"""
# ``own`` is the set of keys that a simple family has in common, as text
_MEMBERS = """
WITH rooted AS (
  SELECT l.doc_id, l.link, COALESCE(e.root, l.number) AS root
  FROM linked l LEFT JOIN edges e ON e.node = l.number
), named AS (
  SELECT root, REPLACE(MIN(link), ' ', '') AS name FROM rooted GROUP BY root
), grouped AS (
  SELECT r.doc_id, n.name
  FROM (SELECT DISTINCT doc_id, root FROM rooted) r JOIN named n ON n.root = r.root
), priorities AS (
  SELECT doc_id, MIN(link) AS first_key,
         array_join(array_sort(array_agg(DISTINCT link)), '|') AS own
  FROM linked WHERE role = 'priority' GROUP BY doc_id
), others AS (
  SELECT doc_id, MIN(problem) AS problem,
         MIN(CASE WHEN role = 'application' THEN link END) AS application,
         MIN(CASE WHEN role = 'docdb' THEN link END) AS docdb
  FROM linked GROUP BY doc_id
), own_sets AS (
  SELECT o.doc_id, o.docdb, p.first_key, p.own AS priorities,
         CASE WHEN o.problem = '' THEN COALESCE(p.own, o.application) END AS own
  FROM others o LEFT JOIN priorities p ON p.doc_id = o.doc_id
), by_set AS (
  SELECT own, MIN(docdb) AS docdb, COUNT(DISTINCT docdb) AS docdb_families
  FROM own_sets WHERE own IS NOT NULL GROUP BY own
)
SELECT s.doc_id, {family} AS family, g.name AS family_group, s.docdb, s.own, s.priorities
FROM own_sets s
JOIN grouped g ON g.doc_id = s.doc_id
LEFT JOIN by_set b ON b.own = s.own
"""
_FAMILY: dict[FamilyKind, str] = {
    "simple": """CASE
         WHEN s.docdb IS NOT NULL THEN s.docdb
         WHEN b.docdb_families = 1 THEN b.docdb
         WHEN s.own LIKE '%|%'
         THEN CONCAT(REPLACE(s.first_key, ' ', ''), '+', SUBSTR(sha2(s.own, 256), 1, 8))
         ELSE REPLACE(s.own, ' ', '') END""",
    "extended": "g.name",
}


@dataclass(frozen=True, slots=True)
class FamilyLinks:
    """The numbers of a document that are needed for linking, without its texts."""

    id: str
    office: str
    kind: str
    date: str
    priorities: frozenset[str] = frozenset()
    related: frozenset[str] = frozenset()
    application: str = ""
    family_id: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """Documents of one family, in order of date and id, and their common keys."""

    id: str
    members: tuple[FamilyLinks, ...]
    keys: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return a row of a families file."""
        return {
            "family": self.id,
            "members": [member.id for member in self.members],
            "offices": sorted({member.office for member in self.members}),
            "keys": list(self.keys),
        }


@dataclass(frozen=True, slots=True)
class Unlinked:
    """A document without a family, and the reason."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Families(Result):
    """Families in order of their ids, and doubtful links.

    ``partly`` are documents that share a key with a document of another family: simple families
    lose these links.
    """

    kind: FamilyKind
    families: tuple[Family, ...]
    unlinked: tuple[Unlinked, ...]
    conflicts: tuple[str, ...]
    partly: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and all doubtful links."""
        return {
            "kind": self.kind,
            "families": len(self.families),
            "documents": sum(len(each.members) for each in self.families),
            "families_of_several_offices": sum(
                len({member.office for member in each.members}) > 1 for each in self.families
            ),
            "partly_shared": list(self.partly),
            "conflicts": list(self.conflicts),
            "unlinked": [{"id": each.id, "reason": each.reason} for each in self.unlinked],
        }

    def lines(self) -> list[str]:
        """Return the counts for people, with the first unlinked documents."""
        facts = self.to_json()
        lines: list[str] = [
            tr(
                "{families} {kind} families of {documents} documents, {several} with several "
                "offices",
                families=facts["families"],
                kind=self.kind,
                documents=facts["documents"],
                several=facts["families_of_several_offices"],
            )
        ]
        if self.partly:
            lines.append(
                tr("{n} documents share a priority with another family", n=len(self.partly))
            )
        lines += self.conflicts
        if self.unlinked:
            lines.append(tr("{n} documents not linked", n=len(self.unlinked)))
        lines += [f"  {each.id}: {each.reason}" for each in self.unlinked[:_SHOWN]]
        if len(self.unlinked) > _SHOWN:
            more = len(self.unlinked) - _SHOWN
            lines.append(tr("  … and {n} more; {option} lists all", n=more, option=setting("json")))
        return lines

    def to_report(self) -> Report:
        """Return the families by their number of offices."""
        sizes = Counter(len({member.office for member in each.members}) for each in self.families)
        columns = (Column(tr("offices"), 0), Column(tr("families"), 0))
        first, *others = self.lines()
        return Report(
            title=tr("Patent families"),
            subtitle=first,
            headlines=(),
            tables=(Table(tr("Families"), columns, tuple(sorted(sizes.items()))),),
            signatures={},
            notes=tuple(others),
        )

    def write(self, path: str, *, one_of_each: bool = False, prefer: Sequence[str] = ()) -> None:
        """Write a line of JSON for each family, with ``one_of_each`` publication per office."""
        kept = (one_per_office(one, prefer) if one_of_each else one for one in self.families)
        write_json_lines(path, (family.to_json() for family in kept))


def links_of(document: Document) -> FamilyLinks:
    """Return the numbers of a document that link it to its family."""
    problems = [each.problem for each in document.priorities if not each.key]
    related = [each.key for each in document.parents if each.key]
    pct = next((key for key in related if key.startswith("WO ")), "")
    if not (document.priorities or document.application_key or pct):
        problems.append(f"no priority, and no own key: {document.application_problem}")
    return FamilyLinks(
        document.id,
        document.office,
        document.kind,
        document.publication_date,
        frozenset(each.key for each in document.priorities if each.key),
        frozenset({*related, *filter(None, [document.application_key])}),
        pct or document.application_key,
        document.family_id,
        tuple(problems),
    )


def simple_family(document: Document) -> str:
    """Return the simple family that a document states itself, or an empty text."""
    links = links_of(document)
    if links.family_id:
        return f"docdb:{links.family_id}"
    own = links.priorities or frozenset(filter(None, [links.application]))
    if links.problems or not own:
        return ""
    ordered = sorted(own)
    first = ordered[0].replace(" ", "")
    if len(ordered) == 1:
        return first
    return f"{first}+{hashlib.sha256('|'.join(ordered).encode()).hexdigest()[:8]}"


def family_kind(name: str) -> FamilyKind:
    """Return the family kind of a name; refuse an unknown one."""
    for kind in FAMILY_KINDS:
        if kind == name:
            return kind
    raise UsageError(f"{setting('kind')} {name!r}: expected {' or '.join(FAMILY_KINDS)}")


def links_to_json(links: FamilyLinks) -> str:
    """Write the numbers of a document with their roles, and the problems of others."""
    roles = [
        *(("priority", key) for key in links.priorities),
        *(("related", key) for key in links.related),
        ("application", links.application),
        ("docdb", f"docdb:{links.family_id}" if links.family_id else ""),
    ]
    found = sorted((role, key) for role, key in roles if key)
    return json.dumps([found, "; ".join(links.problems)], ensure_ascii=False)


def link_keys(documents: Batch) -> Iterator[Batch]:
    """Yield one row for each number that may link a document, or one without a number.

    Keys are hashed to 64 bits: with ten million documents, a collision occurs once in ten thousand
    collections.
    """
    rows = []
    for document in documents.to_pylist():
        found, problem = json.loads(document["links"])
        rows += [
            {
                "doc_id": document["doc_id"],
                "role": role,
                "link": key,
                "number": _number(key),
                "problem": problem,
            }
            for role, key in found or [("", "")]
        ]
    yield batch_of(rows, KEY_SCHEMA)


def _number(key: str) -> int:
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def family_step(
    steps: StepRunner, keys: Dataset, kind: FamilyKind, *, alone: bool = False
) -> Dataset:
    """Assign a family and an extended family to each document that shares a number with another.

    ``keys`` is the result of ``link_keys``. A document may have no family of the kind (null). With
    ``alone``, documents without shared numbers get their own families.
    """
    linked = steps.sql("linked", _ALL if alone else _LINKED, {"link_keys": keys})

    def make(output: Place) -> None:
        rounds = output.with_name(f"{output.name}.rounds")
        edges = rounds / "0"
        steps.engine.sql(_EDGES, {"linked": linked.path}, edges)
        number = 0
        while _unfinished(steps, edges):
            number += 1
            steps.engine.sql(_ROUND, {"edges": edges}, rounds / str(number))
            edges = rounds / str(number)
        tables = {"linked": linked.path, "edges": edges}
        steps.engine.sql(_MEMBERS.format(family=_FAMILY[kind]), tables, output)
        remove_tree(rounds)

    given = {"kind": kind, "statements": [_EDGES, _ROUND, _MEMBERS, _FAMILY[kind]]}
    return steps.step("members", make, [linked], given)


def _unfinished(steps: StepRunner, edges: Place) -> int:
    [row] = steps.rows(_LEFT_OVER, {"edges": Dataset(edges, "")})
    return int(row["n"])


def read_links(
    paths: Iterable[str], advance: Callable[[int], None] = lambda count: None
) -> list[FamilyLinks]:
    """Read the links of all documents of files, without their texts."""
    links: list[FamilyLinks] = []
    for path in paths:
        for document in read_document_jsonl(path):
            links.append(links_of(document))
            advance(len(links))
    return links


def build_families(links: Iterable[FamilyLinks], kind: FamilyKind = "simple") -> Families:
    """Group documents into families; their order does not matter."""
    documents: dict[str, list[FamilyLinks]] = defaultdict(list)
    for each in links:
        documents[each.id].append(each)
    assigned = _assigned(chain.from_iterable(documents.values()), kind)
    grouped: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in assigned:
        grouped[row["family"]].append(row)
    families = tuple(_family(name, grouped[name], documents) for name in sorted(grouped))
    unlinked = documents.keys() - {row["doc_id"] for row in assigned}
    return Families(
        kind,
        families,
        tuple(Unlinked(name, _problem(documents[name])) for name in sorted(unlinked)),
        _conflicts(assigned) if kind == "simple" else (),
        _partly(assigned),
    )


def _assigned(links: Iterable[FamilyLinks], kind: FamilyKind) -> list[dict[str, Any]]:
    """Return the documents with a family, the family and the deciding keys."""
    rows = ({"doc_id": each.id, "links": links_to_json(each)} for each in links)
    with TemporaryDirectory() as folder, closing(open_engine("local", workers=1)) as engine:
        steps = StepRunner(Path(folder), engine)
        given = steps.step("links", lambda output: write_rows(output, rows, _LINK_SCHEMA))
        keys = steps.map("link_keys", link_keys, given, KEY_SCHEMA)
        members = list(iter_rows(family_step(steps, keys, kind, alone=True).path))
    return [row for row in members if row["family"] is not None]


def _family(
    name: str, rows: Iterable[Mapping[str, Any]], documents: Mapping[str, list[FamilyLinks]]
) -> Family:
    members, keys = [], set[str]()
    for row in rows:
        first, *others = documents[row["doc_id"]]
        date = next((each.date for each in (first, *others) if each.date), "")
        members.append(replace(first, date=date))
        keys |= _keys(row["own"])
    ordered = sorted(members, key=lambda member: (member.date or "9999", member.id))
    return Family(name, tuple(ordered), tuple(sorted(keys)))


def _keys(joined: str | None) -> set[str]:
    return set(joined.split("|")) if joined else set()


def _problem(records: Sequence[FamilyLinks]) -> str:
    """Return the reason why a document has no family."""
    problems = dict.fromkeys(problem for each in records for problem in each.problems)
    complete = any(not each.problems for each in records)
    return "; ".join(problems) if problems and not complete else "no number that could link it"


def _conflicts(rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """List the sets of priorities for which DOCDB has several families."""
    by_set: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["docdb"] and row["own"]:
            by_set[row["own"]].add(row["docdb"].removeprefix("docdb:"))
    return tuple(
        f"DOCDB has families {', '.join(sorted(names))} for the same priorities: "
        f"{', '.join(sorted(_keys(own)))}"
        for own, names in sorted(by_set.items(), key=lambda item: sorted(_keys(item[0])))
        if len(names) > 1
    )


def _partly(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """List the documents with a priority that also occurs in another family."""
    holders: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for key in _keys(row["priorities"] or row["own"]):
            holders[key].add(row["family"])
    shared = {key for key, families in holders.items() if len(families) > 1}
    found = (row["doc_id"] for row in rows if shared & _keys(row["priorities"] or row["own"]))
    return tuple(sorted(found))


def one_per_office(family: Family, prefer: Sequence[str] = ()) -> Family:
    """Keep one publication per office: by the order of ``prefer``, else the earliest."""

    def rank(member: FamilyLinks) -> tuple[int, str, str]:
        fits = (place for place, kind in enumerate(prefer) if member.kind.startswith(kind))
        return (next(fits, len(prefer)), member.date or "9999", member.id)

    chosen: dict[str, FamilyLinks] = {}
    for member in sorted(family.members, key=rank):
        chosen.setdefault(member.office, member)
    kept = tuple(member for member in family.members if chosen[member.office] is member)
    return replace(family, members=kept)
