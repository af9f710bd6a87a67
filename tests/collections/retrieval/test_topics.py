"""Topics: hostile NTCIR files, TREC files, JSONL."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from patmark.collections.retrieval import Topic, read_topics
from patmark.collections.retrieval.topics import ntcir_topics
from patmark.errors import InputError

HOSTILE = """<?xml version="1.0" encoding="EUC-JP"?>
<!-- no root follows -->
<TOPIC><NUM>1048</NUM><LANG>JA
<FDATE>19950629</FDATE>
<PNUM>PATENT-JA-UPA-1995-000001</PNUM>
<CLAIM>A & B where a < b, x<sub>2</sub> > 3, R&amp;D, &lt;tag&gt;, &#x3042;, &#12354; and
   a line that is wrapped &unknown; </CLAIM></TOPIC>
<topic id="7">
<num> 1050 </num><claim>入力信号を、
受ける信号線と出力
端子</claim>
<IPC>G06F 17/30; H04N 5/00</IPC><FAMILY>F9</FAMILY>
</topic><TOPIC><NUM>1051</NUM><CLAIM>x</CLAIM></TOPIC>
"""


def _read(tmp_path: Path, text: str) -> tuple[Topic, ...]:
    path = tmp_path / "topics"
    path.write_text(text, encoding="utf-8")
    return read_topics(path)


def _problem(tmp_path: Path, text: str) -> str:
    with pytest.raises(InputError) as error:
        _read(tmp_path, text)
    return str(error.value).replace(str(tmp_path), "")


def test_hostile_ntcir_topics(tmp_path: Path) -> None:
    first, second, third = _read(tmp_path, HOSTILE)
    assert first == Topic(
        "1048",
        "A & B where a < b, x2 > 3, R&D, <tag>, あ, あ and a line that is wrapped &unknown;",
        date(1995, 6, 29),
        fields={"LANG": "JA", "PNUM": "PATENT-JA-UPA-1995-000001"},
    )
    assert second.text == "入力信号を、受ける信号線と出力端子"
    assert (second.ipc, second.family) == (("G06F 17/30", "H04N 5/00"), "F9")
    assert third == Topic("1051", "x")


def test_a_root_and_wrappers_are_tolerated(tmp_path: Path) -> None:
    text = f"<TOPICS>\n{HOSTILE.split('-->')[1].replace('<CLAIM>', '<TEXT><CLAIM>')}</TOPICS>"
    assert len(_read(tmp_path, text)) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<TOPIC><NUM>1</NUM><CLAIM>a</CLAIM>", ":1: <TOPIC> is not closed"),
        ("<TOPIC><NUM>1</NUM>\n<TOPIC><NUM>2</NUM><CLAIM>a</CLAIM></TOPIC>",
         ":2: <TOPIC> of line 1 is not closed"),
        ("\n</TOPIC>", ":2: </TOPIC> without <TOPIC>"),
        ("<TOPIC><CLAIM>a</CLAIM></TOPIC>", ":1: expected a topic number without blanks, found ''"),
        ("<TOPIC><NUM>1 2</NUM><CLAIM>a</CLAIM></TOPIC>", "found '1 2'"),
        ("<TOPIC><NUM>1</NUM></TOPIC>", ":1: topic '1' has no text"),
        ("<TOPIC><NUM>1</NUM><CLAIM> </CLAIM></TOPIC>", "topic '1' has no text"),
        ("<TOPIC><NUM>1</NUM><CLAIM>a</TOPIC>", "<CLAIM> is not closed within the topic"),
        ("<TOPIC><NUM>1</NUM><CLAIM>a</CLAIM><CLAIM>b</CLAIM></TOPIC>", "<CLAIM> occurs 2 times"),
        ("<TOPIC><NUM>1</NUM><FDATE>1995</FDATE><CLAIM>a</CLAIM></TOPIC>",
         "<FDATE>: expected a date such as 1995-06-29 or 19950629, found '1995'"),
        ("<TOPIC><NUM>1</NUM><CLAIM>a</CLAIM>lost</TOPIC>", "text outside of any tag: 'lost'"),
        ("<TOPIC><NUM>1</NUM><CLAIM>a</CLAIM></TOPIC>\nlost",
         ":2: text outside of any topic: 'lost'"),
        ("<TOPIC><NUM>1</NUM><CLAIM>a</CLAIM></TOPIC><TOPIC><NUM>1</NUM><CLAIM>a</CLAIM></TOPIC>",
         "topic '1' is already on line 1"),
        ("nothing here", "text outside of any topic"), ("<DOC></DOC>", "holds no topic"),
        ("", "is empty"),
    ],
)  # fmt: skip
def test_ntcir_files_that_are_refused(tmp_path: Path, text: str, message: str) -> None:
    assert message in _problem(tmp_path, text)


def test_bad_utf8_names_the_line(tmp_path: Path) -> None:
    (tmp_path / "topics").write_bytes(b"<TOPIC>\n\xff</TOPIC>")
    with pytest.raises(InputError, match=r"topics:2: is not UTF-8"):
        read_topics(tmp_path / "topics")


_NO_BLANKS = ("Cs", "Zl", "Zp", "Zs", "Cc")


@given(
    st.text(st.characters(exclude_characters="&", exclude_categories=_NO_BLANKS), min_size=1),
)
def test_claims_come_back_whatever_they_hold(claim: str) -> None:
    text = f"<TOPIC><NUM>1</NUM><CLAIM>{claim}</CLAIM></TOPIC>"
    assert ntcir_topics(text, "topics")[0].text == claim


def test_trec_topics(tmp_path: Path) -> None:
    text = """
<top>
<num> Number: 301
<title> International
Organized Crime
<desc> Description:
Identify organizations.
<narr> Narrative:
A relevant document …
</top>
<top><num>302</num><title>Polio</title></top>
"""
    first, second = _read(tmp_path, text)
    assert (first.id, first.text) == (
        "301",
        "International Organized Crime\nIdentify organizations.",
    )
    assert first.fields["narr"] == "A relevant document …"
    assert (second.id, second.text) == ("302", "Polio")
    assert "<top> is not closed" in _problem(tmp_path, "<top><num>1<title>x")


def test_jsonl_topics(tmp_path: Path) -> None:
    rows = '{"id": 1, "text": "a", "date": "19950629", "ipc": ["G06F"], "family": "F1"}\n'
    found = _read(tmp_path, rows + '{"id": "2", "text": "b"}')
    assert found == (Topic("1", "a", date(1995, 6, 29), ("G06F",), "F1"), Topic("2", "b"))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"text": "a"}', "field 'id' is missing"), ('{"id": "1"}', "field 'text' is missing"),
        ('{"id": "1", "text": " "}', "field 'text' is empty"),
        ('{"id": "0", "text": "a"}', "topic '0' is already on line 1"),
        ('{"id": "1", "text": "a", "date": "soon"}', "field 'date': expected a date"),
        ('{"id": "1", "text": "a", "ipcs": []}', "unknown field 'ipcs'"),
        ("[]", "expected a JSON object, found a list"),
    ],
)  # fmt: skip
def test_jsonl_topics_that_are_refused(tmp_path: Path, row: str, message: str) -> None:
    problem = _problem(tmp_path, f'{{"id": "0", "text": "a"}}\n{row}\n')
    assert "/topics:2: " in problem and message in problem


def test_tags_that_occur_again_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "topics.txt"
    fields = "<NUM>1</NUM><FDATE>19950629</FDATE><CLAIM>a gate</CLAIM>"
    path.write_text(f"<TOPIC>{fields}\n<CITE>JP1A</CITE>\n<CITE>JP2A</CITE></TOPIC>\n")
    (topic,) = read_topics(path)
    assert topic.fields == {"CITE": "JP1A\nJP2A"}
    path.write_text("<top>\n<num> Number: 1\n<title> gate\n<desc> a\n<desc> b\n</top>\n")
    (topic,) = read_topics(path)
    assert topic.text == "gate\na\nb"


def test_two_families_of_one_topic_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "topics.txt"
    families = "<FAMILY>F1</FAMILY><FAMILY>F2</FAMILY>"
    path.write_text(f"<TOPIC><NUM>1</NUM>{families}<CLAIM>a gate</CLAIM></TOPIC>\n")
    with pytest.raises(InputError, match="<FAMILY> occurs 2 times"):
        read_topics(path)


def test_entities_and_tags_of_raised_letters_are_no_words(tmp_path: Path) -> None:
    path = tmp_path / "topics.sgml"
    path.write_text(
        "<TOPIC><NUM>1</NUM><CLAIM>CO<SUB>2</SUB> at 10&deg;C<BR>and R&D; a<b</CLAIM></TOPIC>\n",
        encoding="utf-8",
    )
    assert read_topics(path)[0].text == "CO2 at 10°C and R&D; a<b"
