"""Real documents of the USPTO and EPO. Expected values were read from the files by eye."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from patmark.collections.patents.families import build_families, links_of
from patmark.collections.patents.read import read_documents
from patmark.data.documents import BrokenRecord, Document, without_placeholders


def _read(folder: Path) -> dict[str, Document]:
    found = list(read_documents(folder))
    assert [each for each in found if isinstance(each, BrokenRecord)] == []
    return {each.id: each for each in found if isinstance(each, Document)}


@pytest.fixture(scope="module")
def us(shared_data: Path) -> dict[str, Document]:
    return _read(shared_data / "patents" / "us_uspto")


@pytest.fixture(scope="module")
def ep(shared_data: Path) -> dict[str, Document]:
    return _read(shared_data / "patents" / "ep_fulltext")


@pytest.fixture(scope="module")
def docdb(shared_data: Path) -> dict[str, Document]:
    return _read(shared_data / "patents" / "docdb")


# id, date, application key, priorities, first IPC, begin of title, claims
_US = [
    ("US3937375A", "1976-02-10", "US 1974 05/518454", (), "B60R 9/00", "Bumper support", 3),
    ("US4347903A", "1982-09-07", "US 1980 06/192529", ("JP 1978 084696",), "G01G 19/04",
     "Electronic reading balance", 3),
    ("US20010000044A1", "2001-03-15", "US 1999 09/342866", (), "G06F 17/60", "Systems and", 21),
    ("US6336130B1", "2002-01-01", "US 1999 09/413215", ("NO 1997 01605",), "G06F 15/16",
     "Arrangement for improving", 22),
    ("US6859910B2", "2005-02-22", "US 2001 09/832323", ("US 2000 60/195933",), "G06F 15/00",
     "Methods and systems for transactional", 2),
    ("US7272630B2", "2007-09-18", "US 2004 10/991571", (), "G06F 15/13", "Locating", 17),
    ("US8930553B2", "2015-01-06", "US 2012 13/648029", (), "G06F 15/16", "Managing mid", 8),
    ("US20050004437A1", "2005-01-06", "US 2004 10/830857", ("CH 2001 1974",), "A61B 5/00",
     "Simulation device", 10),
]  # fmt: skip


@pytest.mark.parametrize(("name", "date", "key", "priorities", "ipc", "title", "claims"), _US)
def test_us_documents(us, name, date, key, priorities, ipc, title, claims) -> None:
    document = us[name]
    text = document.text("en")
    assert document.publication_date == date
    assert document.application_key == key
    assert tuple(each.key for each in document.priorities) == priorities
    assert document.ipc[0] == ipc
    assert text.title.startswith(title)
    assert [claim.num for claim in text.claims] == list(range(1, claims + 1))
    assert document.stated_claims in (None, claims)
    assert len(text.abstract) > 100
    assert {"summary", "drawings", "embodiments"} - {each.section for each in text.description} in (
        set(), {"summary"},
    )  # fmt: skip


def test_us_claims_are_whole_and_linked(us) -> None:
    claims = us["US6336130B1"].text("en").claims
    assert claims[0].text.startswith("An arrangement in a network including a plurality")
    assert claims[0].text.endswith("fixed network node agent representing the fixed network node.")
    assert claims[4].depends_on == (4,)
    green = us["US4347903A"].text("en").claims
    assert green[2].depends_on == (1,)
    assert green[0].text.endswith("average calculator means (12).")
    assert us["US20050004437A1"].text("en").claims[0].text.startswith("A simulation device")


def test_us_parents(us) -> None:
    assert [each.key for each in us["US7272630B2"].parents] == ["US 2001 09/876376"]
    assert [each.key for each in us["US20050004437A1"].parents] == ["WO 2002 CH00573"]


def test_xml4ip_states_its_claims(us) -> None:
    document = us["US12993548CLM"]
    assert document.stated_claims == 17
    assert [claim.num for claim in document.text("en").claims] == list(range(1, 18))
    assert document.text("en").claims[1].depends_on == (1,)
    # claims 1 to 16 were cancelled; the file counts the nine others
    amended = us["US14522151CLM"]
    assert amended.stated_claims == 9
    assert [claim.num for claim in amended.text("en").claims] == [1, *range(17, 26)]
    assert "the record states 9 claims; 10 were read" in amended.notes


def test_formulas_and_tables_of_a_grant(us) -> None:
    text = "\n".join(each.text for each in us["US7272630B2"].text("en").description)
    assert text.count("⟦formula") == 4
    assert text.count("⟦table") == 1


def test_ep_claim_triples(ep, shared_data: Path) -> None:
    path = shared_data / "patents" / "ep_fulltext" / "claims_parallel_de_en_fr.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 178
    assert len({row["doc"] for row in rows}) == 14
    read = {
        (document.id, claim.num, text.language): claim.text
        for document in ep.values() for text in document.texts for claim in text.claims
    }  # fmt: skip
    for row in rows:
        for language in ("de", "en", "fr"):
            claim = read[row["doc"], row["claim"], language]
            assert " ".join(without_placeholders(claim).split()) == row[language]
    granted = {key for key in read if key[0][-2:] in ("B1", "B2")}
    assert len(granted) == 3 * 178


def _claim_elements(path: Path) -> int:
    return path.read_text(encoding="utf-8").count("<claim ")


def test_ep_documents_lose_no_claim(ep, shared_data: Path) -> None:
    files = sorted((shared_data / "patents" / "ep_fulltext").glob("*.xml"))
    assert len(files) == len(ep) == 31
    by_file = {Path(document.origin).name: document for document in ep.values()}
    for path in files:
        count = sum(len(text.claims) for text in by_file[path.name].texts)
        assert count == _claim_elements(path), path.name


@pytest.mark.parametrize(
    ("name", "date", "language", "ipc", "priorities"),
    [
        ("EP1442058B1", "2006-07-19", "en", "C07K 14/47", ["US 2001 60/331477"]),
        ("EP0874807B2", "2006-08-02", "en", "C07C 249/08", ["CH 1995 3388", "CH 1996 451"]),
        ("EP0449582B1", "2009-10-21", "en", "G03F 9/00", ["JP 1990 080002"]),
        ("EP0000002A1", "1978-12-20", "de", "C07D 307/12", ["DE 1977 024675"]),
        ("EP2716170B2", "2021-09-22", "de", "A24C 5/20", ["DE 2011 114434"]),
        ("EP3782854A1", "2021-02-24", "en", "B60R 7/06", ["CN 2018 10358967"]),
        ("EP4090146A1", "2022-11-23", "en", "A01B 71/02", ["US 2020 62/962762"]),
        ("EP0560858A1", "1993-09-22", "en", "B05B 7/00", ["GB 1990 26298", "GB 1991 09072"]),
    ],
)
def test_ep_documents(ep, name, date, language, ipc, priorities) -> None:
    document = ep[name]
    assert (document.publication_date, document.language) == (date, language)
    assert document.ipc[0] == ipc
    assert [each.key for each in document.priorities] == priorities
    assert {text.language for text in document.texts if text.title} == {"de", "en", "fr"}


def test_pct_applications_are_parents(ep, us) -> None:
    assert [each.key for each in ep["EP1442058B1"].parents] == ["WO 2002 CA01757"]
    assert [each.key for each in us["US4347903A"].parents] == ["WO 1979 JP00178"]


def test_all_ep_priorities_have_keys(ep) -> None:
    assert [each.problem for document in ep.values() for each in document.priorities
            if not each.key] == []  # fmt: skip


def test_docdb(docdb) -> None:
    assert len(docdb) == 14
    wo = docdb["WO2023012807A1"]
    assert (wo.family_id, wo.application_key) == ("83004620", "WO 2022 IL50854")
    assert [each.key for each in wo.priorities] == ["US 2021 63/230089"]
    assert {text.language for text in wo.texts} == {"en", "fr"}
    ap = docdb["AP1206A"]
    assert [each.key for each in ap.priorities] == ["US 1998 09/083597"]
    assert [each.key for each in ap.parents] == ["WO 1998 US16128"]
    assert ap.text("en").title.startswith("Enteric coated")
    assert "A61K 9/1652" in ap.cpc


def _ops(shared_data: Path, name: str) -> Iterator[Document]:
    for found in read_documents(shared_data / "patents" / "ops_family" / name):
        assert isinstance(found, Document)
        yield found


def test_ops_family_shares_one_priority(shared_data: Path) -> None:
    members = list(_ops(shared_data, "fixtures_family_input.xml"))
    assert len(members) == 6
    assert {each.key for member in members for each in member.priorities} == {"NL 1998 1010536"}
    for kind in ("simple", "extended"):
        found = build_families(map(links_of, members), kind)
        assert [len(family.members) for family in found.families] == [6]
    without_id = build_families(
        [links_of(_without_family_id(member)) for member in members], "simple"
    )
    assert [family.id for family in without_id.families] == ["NL19981010536"]
    assert len(without_id.families[0].members) == 6


def _without_family_id(document: Document) -> Document:
    from dataclasses import replace

    return replace(document, family_id="")


def test_ops_texts(shared_data: Path) -> None:
    (claims,) = _ops(shared_data, "test_claims_example.xml")
    assert [claim.num for claim in claims.text("en").claims] == list(range(1, 12))
    assert claims.text("en").claims[3].depends_on == (1, 2, 3)
    (together,) = _ops(shared_data, "test_claims_example_2.xml")
    assert [claim.num for claim in together.text("en").claims] == list(range(1, 21))
    assert together.text("en").claims[1].text.startswith("The method of claim 1")
    (description,) = _ops(shared_data, "test_description_example.xml")
    first = description.text("en").description[0]
    assert (first.id, first.text[:22]) == ("0001", "The invention relates ")


def test_a_json_file_among_the_replies_is_reported(shared_data: Path) -> None:
    path = shared_data / "patents" / "ops_family" / "fixtures_ep1000000_description_result.xml"
    (found,) = read_documents(path)
    assert isinstance(found, BrokenRecord)
    assert "no known patent format" in found.message
