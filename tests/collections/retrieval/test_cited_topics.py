"""Topics and judgements from citations: what is relevant, what is left out, and why."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from patmark.collections.patents import publication_key
from patmark.collections.retrieval import (
    CitationGrades,
    DemoCollection,
    TopicChoice,
    cited_topics,
    read_families,
    read_qrels,
    read_topics,
)
from patmark.collections.retrieval.cited_topics import first_claim
from patmark.collections.retrieval.collection_rows import document_of_record
from patmark.data import Citation, Claim, Document, PatentDocument, PatentText, Record
from patmark.errors import InputError, UsageError

_DAY = date(2000, 1, 1)
_GRADES = {"X": 2, "Y": 1, "A": 0}
_NOT_THERE = Citation("US5948634A", "X")


def _generated(size: int, seed: int) -> list[PatentDocument]:
    """Patents with families of one to three, some with A1 and B1, and citations of all kinds."""
    rng = random.Random(seed)
    documents: list[PatentDocument] = []
    for number in range(size):
        filed = _DAY + timedelta(days=rng.randrange(4000))
        published = filed + timedelta(days=rng.randint(200, 900))
        cited = rng.sample(range(size), rng.randrange(6))
        document = PatentDocument(
            f"EP{1000000 + number}A1",
            None if rng.random() < 0.05 else published,
            (rng.choice(("G06F 17/30", "H01L 21/00", "A61B 5/00")),),
            claims=f"1. A cup {number}.\n2. The cup of claim 1.",
            lang="en",
            family=f"F{number // rng.randint(1, 3)}",
            filed=filed,
            citations=(*(each for n in cited for each in _cites(n, rng)), _NOT_THERE),
        )
        documents.append(document)
        if rng.random() < 0.3:
            granted = published + timedelta(days=1000)
            documents.append(replace(document, id=f"EP{1000000 + number}B1", date=granted))
    return documents


def _cites(number: int, rng: random.Random) -> list[Citation]:
    """One document, by one of its kinds, by none or by one that nobody has; perhaps twice."""
    name = f"EP{1000000 + number}{rng.choice(('A1', 'A1', 'B1', '', 'A4'))}"
    letters = rng.choice(("X", "Y", "A", "XA", "PX", "D", ""))
    found = [Citation(name, letters, by=rng.choice(("examiner", "applicant", "")))]
    if rng.random() < 0.2:
        found.append(Citation(name, "A"))
    return found


def _grade(citations: Sequence[Citation]) -> int | None:
    """The best letter; without any, 1 where nobody but the applicant is named."""
    lettered = [each for each in citations if each.category]
    letters = [_GRADES[sign] for each in lettered for sign in each.category if sign in _GRADES]
    parties = [1 for each in citations if each.by in ("", "examiner")]
    return max(letters if lettered else parties, default=None)


def _expected(documents: Sequence[PatentDocument]) -> dict[str, dict[str, int]]:
    """The judgements by definition, one document after the other."""
    by_id = {document.id: document for document in documents}
    judged: dict[str, dict[str, int]] = {}
    for document in documents:
        assert document.filed is not None
        for number in {citation.document[:9] for citation in document.citations}:
            citations = [each for each in document.citations if each.document[:9] == number]
            exact = [by_id[each.document] for each in citations if each.document in by_id]
            grade = _grade(citations)
            for cited in exact or [each for each in documents if each.id[:9] == number]:
                earlier = cited.date is not None and cited.date < document.filed
                if earlier and cited.family != document.family and grade is not None:
                    judged.setdefault(document.id, {})[cited.id] = grade
    relevant = {name: one for name, one in judged.items() if any(one.values())}
    first: dict[str, str] = {}
    for name in sorted(relevant, key=lambda name: (by_id[name].date or date.max, name)):
        first.setdefault(str(by_id[name].family), name)
    return {name: relevant[name] for name in sorted(first.values())}


@pytest.mark.parametrize("seed", range(5))
def test_qrels_of_a_generated_collection_are_the_known_ones(seed: int) -> None:
    documents = _generated(300, seed)
    made = cited_topics(documents)
    expected = _expected(documents)
    assert len(expected) > 50
    assert made.qrels.grades == expected
    assert [topic.id for topic in made.topics] == list(expected)
    assert len(documents) == len(made.topics) + sum(made.left_out.values())
    assert made.cited["outside"] == made.outside["US"] > 0


@pytest.mark.parametrize("by_family", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_no_topic_sees_a_document_of_its_family_or_after_its_date(
    seed: int, by_family: bool
) -> None:
    documents = {each.id: each for each in _generated(300, seed)}
    made = cited_topics(documents.values(), TopicChoice(by_family=by_family))
    topics = {topic.id: topic for topic in made.topics}
    for topic, name, _ in made.qrels.rows():
        found = documents[name]
        assert found.date is not None
        assert found.date < topics[topic].date == documents[topic].filed
        assert found.family != topics[topic].family == documents[topic].family
    assert len({topic.family for topic in made.topics}) == len(made.topics)
    assert all(any(grades.values()) for grades in made.qrels.grades.values())


def test_topics_do_not_depend_on_the_order_of_documents() -> None:
    documents = _generated(300, 1)
    choice = TopicChoice(number=20, seed=7)
    one, other = cited_topics(documents, choice), cited_topics(documents[::-1], choice)
    assert (one.topics, one.to_json()) == (other.topics, other.to_json())
    assert len(one.topics) == 20
    assert one.left_out["not_drawn"] > 0
    assert cited_topics(documents, replace(choice, seed=8)).topics != one.topics


def test_the_demo_collection_gives_its_own_qrels() -> None:
    demo = DemoCollection(1500, words=10)
    dated = {each.id: each.date for each in demo.documents()}
    made = cited_topics(demo.documents(), TopicChoice(by_family=True))
    known = demo.qrels(len(made.topics)).grades
    topics = {topic.family: topic for topic in made.topics}
    for topic in demo.topics(len(made.topics)):
        judged = {
            name: grade
            for name, grade in known[topic.id].items()
            if (day := dated[name]) is not None and topic.date is not None and day < topic.date
        }
        if judged:
            mine = topics[topic.family]
            assert mine.date == topic.date
            assert dict(made.qrels.grades[mine.id]) == judged


_CITED = PatentDocument("EP0460575A1", date(1991, 12, 11), title="Old", family="F1")
_OTHER = PatentDocument("EP0460575B1", date(1995, 12, 13), title="Old", family="F1")
_TOPIC = PatentDocument(
    "EP1442058B1",
    date(2006, 7, 19),
    ("C07K 14/47",),
    abstract="A short cup.",
    claims="1. A cup.\n2. The cup of claim 1.",
    description="Long.",
    lang="en",
    family="F2",
    filed=date(2002, 11, 8),
    priority=date(1992, 11, 9),
    citations=(Citation("EP0460575A", "X", (2, 3)),),
)
_SMALL = [_CITED, _OTHER, _TOPIC]


def _judged(documents: Sequence[PatentDocument], **choice: object) -> dict[str, dict[str, int]]:
    made = cited_topics(documents, TopicChoice(**choice))  # type: ignore[arg-type]
    return {topic: dict(grades) for topic, grades in made.qrels.grades.items()}


def test_a_number_without_its_kind_stands_for_all_its_publications() -> None:
    assert _judged(_SMALL) == {"EP1442058B1": {"EP0460575A1": 2, "EP0460575B1": 2}}
    exact = replace(_TOPIC, citations=(Citation("EP0460575B1", "X"),))
    assert _judged([_CITED, _OTHER, exact]) == {"EP1442058B1": {"EP0460575B1": 2}}
    assert _judged([_CITED, _OTHER, exact], by_family=True) == _judged(_SMALL)


def test_the_date_of_a_topic_is_named() -> None:
    assert _judged(_SMALL, date="priority") == {"EP1442058B1": {"EP0460575A1": 2}}
    on_the_day = replace(_CITED, date=_TOPIC.filed)
    with pytest.raises(InputError, match="1 cited not published before the date of the topic"):
        cited_topics([on_the_day, _TOPIC])
    assert _judged([on_the_day, _TOPIC], date="publication")
    with pytest.raises(InputError, match="1 have no such date"):
        cited_topics([_CITED, replace(_TOPIC, filed=None)])


@pytest.mark.parametrize(
    ("text", "words"), [("claim", "A cup."), ("abstract", "A short cup."), ("description", "Long.")]
)
def test_texts(text: str, words: str) -> None:
    made = cited_topics(_SMALL, TopicChoice(text=text))  # type: ignore[arg-type]
    assert [topic.text for topic in made.topics] == [words]


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ({"ipc": ("G06F",)}, "outside of the IPC codes"),
        ({"first": date(2002, 11, 9)}, "1 outside of the dates"),
        ({"last": date(2002, 11, 7)}, "1 outside of the dates"),
        ({"language": "ja"}, "1 in another language"),
        ({"claim_one": True}, "1 cited against other claims"),
        ({"grades": CitationGrades.parsed("Y=1")}, "1 cited without a grade"),
        ({"single": True}, "1 have several relevant documents"),
    ],
)
def test_a_choice_that_leaves_nothing_says_why(choice: dict[str, object], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        _judged(_SMALL, **choice)


@pytest.mark.parametrize("code", ["C", "C07", "C07K", "C07K 14/00"])
def test_ipc_codes_of_any_level(code: str) -> None:
    assert _judged(_SMALL, ipc=("G06F", code))
    with pytest.raises(UsageError, match="is no code of the IPC"):
        TopicChoice(ipc=("seven",))


def test_families_are_known_beyond_the_collection() -> None:
    american = replace(_TOPIC, citations=(Citation("US5948634A", "Y"),))
    families = {"US5948634A": "F1", "EP0460575A1": "F1", "EP0460575B1": "F1"}
    made = cited_topics([_CITED, _OTHER, american], TopicChoice(by_family=True), families)
    assert made.qrels.grades == {"EP1442058B1": {"EP0460575A1": 1, "EP0460575B1": 1}}


def test_search_reports_come_from_other_files_and_letters_decide() -> None:
    listed = replace(_TOPIC, citations=(Citation("EP0460575A", by="examiner"),))
    assert _judged([_CITED, listed]) == {"EP1442058B1": {"EP0460575A1": 1}}
    report = {publication_key("EP1442058A3"): (Citation("EP0460575A1", "X", by="examiner"),)}
    made = cited_topics([_CITED, listed], citations=report)
    assert made.qrels.grades == {"EP1442058B1": {"EP0460575A1": 2}}
    report = {publication_key("EP1442058A3"): (Citation("EP0460575A1", "A", by="examiner"),)}
    with pytest.raises(InputError, match="1 have no relevant document"):
        cited_topics([_CITED, listed], citations=report)


def test_the_report_is_the_card() -> None:
    report = cited_topics(_SMALL, TopicChoice(number=5)).to_report()
    assert report.subtitle == "1 topic of 5 asked for from 3 documents"
    assert report.tables[0].rows[0] == ("topics", 1)
    assert ("documents", "cite nothing", 2) in report.tables[1].rows
    assert ("cited documents", "judged", 1) in report.tables[1].rows
    assert ("IPC classes of topics", "C07", 1) in report.tables[2].rows


def test_the_own_family_is_never_relevant() -> None:
    for family in ("F2", None):
        own = PatentDocument("EP1442058A1", date(1999, 1, 1), family=family)
        topic = replace(_TOPIC, family=family, citations=(Citation("EP1442058A1", "X"),))
        with pytest.raises(InputError, match="1 cited of the topic's own family"):
            cited_topics([own, topic])


@pytest.mark.parametrize(
    ("scheme", "citation", "grade"),
    [
        ("category", Citation("a", "X"), 2),
        ("category", Citation("a", "PX"), 2),
        ("category", Citation("a", "YI"), 2),
        ("category", Citation("a", "Y", by="applicant"), 1),
        ("category", Citation("a", "A", by="examiner"), 0),
        ("category", Citation("a", "D", by="examiner"), None),
        ("category", Citation("a", by="examiner"), 1),
        ("category", Citation("a", by="applicant"), None),
        ("category", Citation("a"), 1),
        ("party", Citation("a", "A", by="examiner"), 2),
        ("party", Citation("a", by="applicant"), 1),
        ("X=3,Y=2,A=1", Citation("a", "A"), 1),
        ("X=3,Y=2,A=1", Citation("a", by="examiner"), None),
    ],
)
def test_grades(scheme: str, citation: Citation, grade: int | None) -> None:
    assert CitationGrades.parsed(scheme).of(citation) == grade


@pytest.mark.parametrize("text", ["", "X", "X=two", "inventor=1", "X=0"])
def test_bad_grades(text: str) -> None:
    with pytest.raises(UsageError, match="grades"):
        CitationGrades.parsed(text)


@pytest.mark.parametrize(
    ("claims", "first"),
    [
        ("1. A cup.\n2. The cup of claim 1.", "A cup."),
        ("1. A cup of 2. class\nand a lid.", "A cup of 2. class\nand a lid."),
        ("【請求項１】\n茶碗。\n【請求項２】\n請求項１の茶碗。", "茶碗。"),
        ("1、一种杯子。\n2、如权利要求1所述的杯子。", "一种杯子。"),
        ("A cup comprising:\na lid.\nThe cup of claim 1.", "A cup comprising:\na lid."),
        ("", ""),
        ("1. A plate of at least\n2.5 mm.\n2. The plate.", "A plate of at least\n2.5 mm."),
        ("1. A plate of at least\n2.5 mm and a hole.", "A plate of at least\n2.5 mm and a hole."),
        ("1. A kit comprising\n2 plates and a bolt.", "A kit comprising\n2 plates and a bolt."),
        ("1 A kit of\n2 plates.\n2 The kit of claim 1.", "A kit of\n2 plates."),
        ("1. Making:\n1) heating;\n2) cooling;\n3) eating.\n2. So.",
         "Making:\n1) heating;\n2) cooling;\n3) eating."),
        ("1) Making:\n1) heating; and\n2) cooling.\n2) So.",
         "Making:\n1) heating; and\n2) cooling."),
        ("Claim 1: A cup.\nClaim 2: The cup of claim 1.", "A cup."),
        ("１．茶碗。\n２．請求項１の茶碗。", "茶碗。"),
        ("1. A cup. 2. The cup of claim 1.", "A cup."),
        ("What is claimed is:\n1. A cup.\n2. The cup of claim 1.", "A cup."),
        ("[Claim 1] A cup.\n[Claim 2] A lid.", "A cup."),
        ("請求の範囲\n1. 茶碗。\n2. 請求項1の茶碗。", "茶碗。"),
        ("1. (canceled)\n2. A cup.", "A cup."),
    ],
)  # fmt: skip
def test_first_claim(claims: str, first: str) -> None:
    assert first_claim(claims) == first


_STEPS = "A method comprising:\n1. heating.\n2. cooling."


@pytest.mark.parametrize("first", [_STEPS, f"1. {_STEPS}"])
def test_a_list_of_claims_is_not_put_together_and_cut_again(first: str) -> None:
    row = {"id": "a", "claims": [first, "2. The method of claim 1."]}
    document = document_of_record(Record(row, "rows", 1, []), "a")
    assert TopicChoice().words(document) == _STEPS
    thick = replace(document, first_claim="1 mm of steel.")
    assert TopicChoice().words(thick) == "1 mm of steel."


def test_the_claims_of_an_office_are_not_put_together_and_cut_again() -> None:
    claims = (Claim(1, _STEPS), Claim(2, "The method of claim 1.", (1,)))
    office = Document("EP", "1", "A1", "", "ops", "en", texts=(PatentText("en", claims=claims),))
    assert TopicChoice().words(office.in_language("en")) == _STEPS


def test_the_card_counts_what_the_chosen_topics_cite() -> None:
    documents = _generated(300, 2)
    made = cited_topics(documents, TopicChoice(number=2))
    assert made.cited["judged"] == len(list(made.qrels.rows())) > 0
    assert made.cited["outside"] == made.outside["US"] == 2
    families = cited_topics(documents, TopicChoice(number=2, by_family=True))
    assert families.cited["outside"] == families.outside["US"] == 2


def test_files(tmp_path: Path) -> None:
    made = cited_topics(_SMALL)
    made.write(tmp_path / "topics")
    assert read_topics(tmp_path / "topics/topics.jsonl") == made.topics
    assert read_qrels(tmp_path / "topics/qrels.txt").grades == made.qrels.grades
    assert json.loads((tmp_path / "topics/card.json").read_text()) == made.to_json()
    families = tmp_path / "families.jsonl"
    families.write_text('{"family": "F", "members": ["a", "b"]}\n{"family": "G", "members": []}\n')
    assert read_families(families) == {"a": "F", "b": "F"}
    families.write_text('{"family": "F", "members": ["a"]}\n{"family": "G", "members": ["a"]}\n')
    with pytest.raises(InputError, match="'a' is already in family 'F'"):
        read_families(families)


def test_texts_of_documents_that_are_not_drawn_are_not_held() -> None:
    size, count = 100_000, 200

    def documents() -> Iterator[PatentDocument]:
        yield _CITED
        for number in range(count):
            text = f"{number} " + "w" * size
            yield replace(_TOPIC, id=f"US{number}A", family=f"F{number}", description=text)

    tracemalloc.start()
    try:
        made = cited_topics(documents(), TopicChoice(text="description", number=2))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(made.topics) == 2 and all(len(topic.text) > size for topic in made.topics)
    assert peak < 20 * size
