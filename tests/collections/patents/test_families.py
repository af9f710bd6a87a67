"""Families: same sets, connected documents, DOCDB ids, and what is not linked."""

from __future__ import annotations

import itertools
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from patmark.collections.patents.families import (
    KEY_SCHEMA,
    Families,
    FamilyKind,
    FamilyLinks,
    build_families,
    family_step,
    link_keys,
    links_of,
    links_to_json,
    one_per_office,
)
from patmark.data.documents import Document, Priority
from patmark.engine.datasets import iter_rows, write_rows
from patmark.engine.engine import LocalEngine
from patmark.engine.steps import StepRunner


def _links(
    name: str, *priorities: str, own: str = "", docdb: str = "", date: str = ""
) -> FamilyLinks:
    return FamilyLinks(name, name[:2], name[-1:], date, frozenset(priorities), application=own,
                 family_id=docdb)  # fmt: skip


def _groups(found: Families) -> list[list[str]]:
    return sorted(sorted(member.id for member in family.members) for family in found.families)


def test_a_first_filing_joins_those_that_claim_it() -> None:
    found = build_families([
        _links("JP1A", own="JP 1990 080002"),
        _links("EP2B", "JP 1990 080002", own="EP 1991 302636"),
        _links("US3A", "JP 1990 080002", "JP 1990 090000"),
    ])  # fmt: skip
    assert _groups(found) == [["EP2B", "JP1A"], ["US3A"]]
    assert found.partly == ("EP2B", "JP1A", "US3A")


def test_extended_families_are_connected() -> None:
    rows = [
        _links("JP1A", own="JP 1990 1"),
        _links("EP2B", "JP 1990 1", "JP 1990 2"),
        _links("CN3A", "JP 1990 2"),
        _links("US4A", "JP 1990 3"),
        replace(_links("US5A", "JP 1990 9"), related=frozenset({"JP 1990 3"})),
    ]
    assert _groups(build_families(rows, "extended")) == [["CN3A", "EP2B", "JP1A"], ["US4A", "US5A"]]
    assert len(build_families(rows).families) == 5


def test_docdb_ids_decide_and_pull_in_documents_without_one() -> None:
    found = build_families([
        _links("EP1A", "NL 1998 1", docdb="19"),
        _links("US2A", "NL 1998 1"),
        _links("DE3A", "NL 1998 1", "NL 1998 2", docdb="19"),
    ])  # fmt: skip
    assert _groups(found) == [["DE3A", "EP1A", "US2A"]]
    assert found.families[0].id == "docdb:19"


def test_conflicting_docdb_ids_are_reported() -> None:
    found = build_families([
        _links("EP1A", "NL 1998 1", docdb="19"), _links("US2A", "NL 1998 1", docdb="20"),
        _links("JP3A", "NL 1998 1"),
    ])  # fmt: skip
    assert _groups(found) == [["EP1A"], ["JP3A"], ["US2A"]]
    (conflict,) = found.conflicts
    assert "families 19, 20 for the same priorities: NL 1998 1" in conflict


def test_unlinked_documents_say_why() -> None:
    unknown = Priority("DE", "B77613", "1964-07-10", problem="DE 'B77613': not known")
    known = Priority("JP", "1", "1990-01-01", key="JP 1990 000001")
    document = Document("EP", "1", "A1", "", "ep", priorities=(known, unknown))
    bare = Document("US", "2", "A", "", "ops", application_problem="no application number")
    found = build_families(map(links_of, [document, bare]))
    assert [(each.id, each.reason) for each in found.unlinked] == [
        ("EP1A1", "DE 'B77613': not known"),
        ("US2A", "no priority, and no own key: no application number"),
    ]
    # a known priority is enough for an extended family
    assert _groups(build_families(map(links_of, [document, bare]), "extended")) == [["EP1A1"]]


def test_a_pct_application_without_priority_stands_for_those_that_come_from_it() -> None:
    pct = Priority("WO", "PCT/CA2002/001757", "2002-11-18", key="WO 2002 CA01757")
    world = Document("WO", "1", "A1", "", "docdb", application_key="WO 2002 CA01757")
    europe = Document("EP", "2", "B1", "", "ep", application_key="EP 2002 779063", parents=(pct,))
    assert _groups(build_families(map(links_of, [world, europe]))) == [["EP2B1", "WO1A1"]]


def test_several_files_on_one_document_are_put_together() -> None:
    claims = Document("EP", "1", "A1", "", "ops", application_problem="none given")
    facts = replace(claims, family_id="7", application_key="EP 1999 1", application_problem="")
    found = build_families(map(links_of, [claims, facts]))
    assert _groups(found) == [["EP1A1"]]
    assert found.unlinked == ()


def test_one_publication_per_office() -> None:
    rows = [
        _links("EP1A", "NL 1998 1", date="2000-05-17"),
        _links("EP1B", "NL 1998 1", date="2003-02-12"),
        _links("US2A", "NL 1998 1", date="2000-07-25"),
    ]
    (family,) = build_families(rows).families
    assert [each.id for each in one_per_office(family).members] == ["EP1A", "US2A"]
    assert [each.id for each in one_per_office(family, ["B"]).members] == ["US2A", "EP1B"]


_KEYS = st.frozensets(st.sampled_from([f"JP 1990 {n}" for n in range(8)]), max_size=3)
_ROWS = st.lists(st.tuples(_KEYS, _KEYS, st.sampled_from(["", "1", "2"])), max_size=16)
_QUERIES = settings(deadline=None, max_examples=25)


@_QUERIES
@given(_ROWS, st.sampled_from(["simple", "extended"]), st.randoms(use_true_random=False))
def test_families_are_a_partition_whatever_the_order(rows, kind, rng) -> None:
    links = [
        FamilyLinks(f"D{n:02}", "EP", "A", "", keys, related, family_id=docdb)
        for n, (keys, related, docdb) in enumerate(rows)
    ]
    found = build_families(links, kind)
    assert found == build_families(rng.sample(links, len(links)), kind)
    placed = [member.id for family in found.families for member in family.members]
    assert sorted(placed + [each.id for each in found.unlinked]) == [each.id for each in links]
    assert len({family.id for family in found.families}) == len(found.families)


@_QUERIES
@given(_ROWS)
def test_extended_families_hold_together_what_shares_a_key(rows) -> None:
    links = [
        FamilyLinks(f"D{n}", "EP", "A", "", keys, related)
        for n, (keys, related, _) in enumerate(rows)
    ]
    place = {
        member.id: family.id
        for family in build_families(links, "extended").families for member in family.members
    }  # fmt: skip
    for one, two in itertools.combinations(links, 2):
        if (one.priorities | one.related) & (two.priorities | two.related):
            assert place[one.id] == place[two.id]


@pytest.mark.parametrize("kind", ["simple", "extended"])
def test_no_documents(kind) -> None:
    assert build_families([], kind).families == ()


def _in_sql(links: list[FamilyLinks], kind: FamilyKind) -> dict[str, tuple[str | None, str]]:
    """The family and the extended family that SQL finds for documents."""
    rows = [{"doc_id": each.id, "links": links_to_json(each)} for each in links]
    engine = LocalEngine(1)
    with TemporaryDirectory() as folder:
        steps = StepRunner(Path(folder), engine)
        columns = {"doc_id": "string", "links": "string"}
        given = steps.step("links", lambda output: write_rows(output, rows, columns, 3))
        keys = steps.map("link_keys", link_keys, given, KEY_SCHEMA)
        found = iter_rows(family_step(steps, keys, kind).path)
        placed = {row["doc_id"]: (row["family"], row["family_group"]) for row in found}
        engine.close()
    return placed


def _merged(links: list[FamilyLinks]) -> list[FamilyLinks]:
    """One row per document, with the numbers of all its records."""
    found: dict[str, FamilyLinks] = {}
    for each in links:
        known = found.setdefault(each.id, each)
        found[each.id] = replace(
            known,
            priorities=known.priorities | each.priorities,
            related=known.related | each.related,
            application=min(filter(None, (known.application, each.application)), default=""),
            family_id=min(filter(None, (known.family_id, each.family_id)), default=""),
            problems=known.problems and each.problems,
        )
    return list(found.values())


def _own_set(each: FamilyLinks) -> frozenset[str]:
    own = frozenset(filter(None, [each.application]))
    return frozenset() if each.problems else each.priorities or own


def _simple(links: list[FamilyLinks]) -> dict[str, str]:
    """Families by the same set of priorities, in plain Python."""
    docdb = {own: {each.family_id for each in links if each.family_id and _own_set(each) == own}
             for own in map(_own_set, links)}  # fmt: skip
    families = {}
    for each in links:
        own = _own_set(each)
        named = {each.family_id} if each.family_id else docdb[own] if own else set()
        if len(named) == 1:
            families[each.id] = f"docdb:{next(iter(named))}"
        elif own:
            first, *more = sorted(own)
            mark = sha256("|".join(sorted(own)).encode()).hexdigest()[:8]
            families[each.id] = first.replace(" ", "") + (f"+{mark}" if more else "")
    return families


def _extended(links: list[FamilyLinks]) -> dict[str, str]:
    """Families by shared numbers of any kind, in plain Python."""
    keys = {}
    for each in links:
        docdb = f"docdb:{each.family_id}" if each.family_id else ""
        own = {*each.priorities, *each.related, *filter(None, [each.application, docdb])}
        keys |= {each.id: own} if own else {}
    while True:
        joined = {
            name: set().union(*(other for other in keys.values() if other & own))
            for name, own in keys.items()
        }
        if joined == keys:
            return {name: min(own).replace(" ", "") for name, own in keys.items()}
        keys = joined


@settings(deadline=None, derandomize=True, max_examples=12)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ABCDEFGHIJ"), _KEYS, _KEYS, st.sampled_from(["", "1", "2"]),
            st.sampled_from(["", "JP 1990 1", "JP 1990 3"]), st.sampled_from([(), ("unknown",)]),
        ),
        min_size=1, max_size=12,
    )
)  # fmt: skip
def test_sql_finds_the_same_families(rows) -> None:
    """Documents and builds are put into the families that plain Python finds."""
    links = [
        FamilyLinks(f"D{name}", "EP", "A", "", keys, related, application, docdb, problems)
        for name, keys, related, docdb, application, problems in rows
        if keys or related or docdb or application or problems
    ]
    merged = _merged(links)
    simple, extended = _simple(merged), _extended(merged)
    found = build_families(links, "simple")
    assert {m.id: family.id for family in found.families for m in family.members} == simple
    placed = _in_sql(links, "simple")
    shared = {name for name in extended if list(extended.values()).count(extended[name]) > 1}
    assert shared == set(placed)
    assert placed == {name: (simple.get(name), extended[name]) for name in shared}
    assert _in_sql(links, "extended") == {name: (extended[name],) * 2 for name in shared}


def test_a_long_chain_of_priorities_is_one_extended_family() -> None:
    keys = [f"US 2001 {number:04}" for number in range(301)]
    links = [
        FamilyLinks(f"D{n}", "US", "A", "", frozenset(pair))
        for n, pair in enumerate(itertools.pairwise(keys))
    ]
    assert {group for _, group in _in_sql(links, "simple").values()} == {"US20010000"}
