"""patmark retrieve topics: from rows and from files of the offices, and on to an evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")
pytest.importorskip("lxml", reason="lxml is absent: pip install 'patmark[corpus]'")

from command_line import Done, invoke, patmark_json
from patmark.collections.retrieval import DemoCollection, read_qrels, read_topics, write_demo
from patmark.errors import UsageError

_EP = (
    "<?xml version='1.0'?><ep-patent-document country='EP' doc-number='{number}' kind='{kind}' "
    "lang='en' date-publ='{published}'><SDOBI><B200><B210>{application}</B210><B220><date>{filed}"
    "</date></B220></B200><B500><B560>{cited}</B560></B500></SDOBI><claims lang='en'><claim "
    "num='0001'><claim-text>A cup with a {number} handle.</claim-text></claim></claims>"
    "</ep-patent-document>\n"
)


def _ep(number: str, kind: str, published: str, application: str, filed: str, *cited: str) -> str:
    texts = "".join(f"<B561><text>{each}</text></B561>" for each in cited)
    return _EP.format(
        number=number, kind=kind, published=published, application=application, filed=filed,
        cited=texts,
    )  # fmt: skip


_CITED = ("EP-A- 0 460 575", "EP-A- 1 442 058", "US-A- 5 948 634")
_FILE = "".join(
    [
        _ep("0460575", "A1", "19911211", "91109056.7", "19910604"),
        _ep("1442058", "A1", "19930804", "92779063.3", "19921108"),
        _ep("1442058", "B1", "20060719", "92779063.3", "19921108", *_CITED),
    ]
)


def _run(folder: Path, *arguments: str) -> Done:
    return invoke("retrieve", *arguments, folder=folder)


def test_from_topics_to_an_evaluation(tmp_path: Path) -> None:
    write_demo(tmp_path, DemoCollection(600, words=60), 1)
    card = patmark_json(
        tmp_path, "retrieve", "topics", "documents.jsonl", "--out", "t", "--by-family"
    )
    assert card["topics"] > 100
    assert card["topics"] + sum(card["left_out"].values()) == card["documents"] == 600
    _run(tmp_path, "index", "documents.jsonl", "--out", "i", "--lang", "en", "-q")
    _run(tmp_path, "search", "i", "--topics", "t/topics.jsonl", "--out", "mono.run", "-q")
    done = patmark_json(
        tmp_path, "retrieve", "evaluate", "--qrels", "t/qrels.txt", "--run", "mono.run",
        "--collection", "documents.jsonl", "--measures", "AP(rel=2),Recall@1000",
    )  # fmt: skip
    found = done["systems"]["mono"]
    assert found["AP(rel=2)"]["value"] > 0.2
    assert found["AP(rel=2)"]["n"] == card["topics_rigid"]
    assert found["Recall@1000"]["value"] == 1.0, "filters of the search leave all that is relevant"
    assert done["collection"]["missing"] == []


def test_from_files_of_an_office(tmp_path: Path) -> None:
    (tmp_path / "ep.xml").write_text(_FILE)
    done = _run(tmp_path, "topics", "ep.xml", "--lang", "en", "--out", "direct")
    shown = " ".join(done.stdout.split())
    assert "1 topic from 3 documents" in shown
    assert "cited documents of the topic's own family 1" in shown
    assert "cited documents not in the collection 1" in shown
    assert "The date of a topic is that of its filing, as in NTCIR-7" in shown
    invoke("corpus", "parse", "ep.xml", "--out", "docs.jsonl", "-q", folder=tmp_path)
    _run(tmp_path, "topics", "docs.jsonl", "--lang", "en", "--out", "parsed", "-q")
    for folder in ("direct", "parsed"):
        (topic,) = read_topics(tmp_path / folder / "topics.jsonl")
        assert (topic.id, topic.text) == ("EP1442058B1", "A cup with a 1442058 handle.")
        assert topic.family == "EP1992779063"
        assert read_qrels(tmp_path / folder / "qrels.txt").grades == {
            "EP1442058B1": {"EP0460575A1": 1}
        }


_DOCDB = """<exch:exchange-documents><exch:exchange-document country="EP" doc-number="1442058"
 kind="A3" date-publ="20041006"><exch:bibliographic-data><exch:references-cited>
<exch:citation cited-phase="SEA" sequence="1"><patcit num="1"><document-id><country>EP</country>
<doc-number>0460575</doc-number><kind>A1</kind></document-id></patcit><category>X</category>
</exch:citation></exch:references-cited></exch:bibliographic-data></exch:exchange-document>
</exch:exchange-documents>"""


def test_categories_of_a_search_report_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "ep.xml").write_text(_FILE)
    (tmp_path / "docdb.xml").write_text(_DOCDB)
    options = ["--lang", "en", "--citations", "docdb.xml", "--html", "card.html", "-q"]
    _run(tmp_path, "topics", "ep.xml", "--out", "t", *options)
    assert read_qrels(tmp_path / "t/qrels.txt").grades == {"EP1442058A1": {"EP0460575A1": 2}}
    assert "Topics from citations" in (tmp_path / "card.html").read_text()


def test_an_index_of_the_same_files_leaves_out_the_own_family(tmp_path: Path) -> None:
    (tmp_path / "ep.xml").write_text(_FILE)
    _run(tmp_path, "topics", "ep.xml", "--lang", "en", "--out", "t", "-q")
    _run(tmp_path, "index", "ep.xml", "--out", "i", "--lang", "en", "-q")
    _run(tmp_path, "search", "i", "--topics", "t/topics.jsonl", "--out", "a.run", "--no-date", "-q")
    assert (tmp_path / "a.run").read_text().split()[2] == "EP0460575A1"
    assert "EP1442058" not in (tmp_path / "a.run").read_text().replace("EP1442058B1 Q0", "")


def test_families_of_a_file_replace_those_of_the_documents(tmp_path: Path) -> None:
    (tmp_path / "ep.xml").write_text(_FILE)
    rows = [{"family": "F", "members": ["EP0460575A1", "EP1442058B1"]}]
    (tmp_path / "f.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["--lang", "en", "--families", "f.jsonl", "-q"]
    _run(tmp_path, "topics", "ep.xml", "--out", "t", "--date", "publication", *options)
    assert read_qrels(tmp_path / "t/qrels.txt").grades == {"EP1442058B1": {"EP1442058A1": 1}}
    _run(tmp_path, "index", "ep.xml", "--out", "i", *options)
    _run(tmp_path, "search", "i", "--topics", "t/topics.jsonl", "--out", "a.run", "--no-date", "-q")
    assert [line.split()[2] for line in (tmp_path / "a.run").read_text().splitlines()] == [
        "EP1442058A1"
    ]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--out", "t"], "may hold several languages; say which with --lang"),
        (["--out", "ep.xml", "--lang", "en"], "ep.xml is a file; name a folder"),
        (["--out", "t", "--lang", "en", "--from", "soon"], "--from: expected a date"),
        (["--out", "t", "--lang", "en", "--text", "title"], "choose from claim, abstract"),
        (["--out", "t", "--lang", "en", "--date", "grant"], "choose from filing, priority"),
        (["--out", "t", "--lang", "en", "--number", "0"], "must be at least 1"),
        (["--out", "t", "--lang", "en", "--grades", "Z"], "expected LABEL=GRADE"),
    ],
)
def test_bad_requests(tmp_path: Path, arguments: list[str], problem: str) -> None:
    (tmp_path / "ep.xml").write_text(_FILE)
    with pytest.raises(UsageError, match=problem):
        _run(tmp_path, "topics", "ep.xml", *arguments)


def test_json_and_card_name_the_records_that_could_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "ep.xml").write_text(_FILE + "<?xml version='1.0'?><bad")
    card = patmark_json(tmp_path, "retrieve", "topics", "ep.xml", "--lang", "en", "--out", "t")
    (broken,) = card["problems"]["broken"]
    assert broken.startswith("ep.xml: record 4")
    assert json.loads((tmp_path / "t/card.json").read_text())["problems"] == card["problems"]
