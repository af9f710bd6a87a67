"""XLIFF 1.2 and 2 with the dialects of translation tools, and their notes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from patmark.documents import (
    BilingualDocument,
    DocumentComment,
    Place,
    read_bilingual,
    read_document,
    write_comments,
)
from patmark.errors import InputError, UsageError

PLAIN = """<?xml version='1.0' encoding='utf-8'?>\r
<xlf:xliff xmlns:xlf="urn:oasis:names:tc:xliff:document:1.2" version="1.2">\r
 <xlf:file original="a.docx" source-language="zh-CN" target-language="en-US" datatype="x">\r
  <xlf:body><!-- kept -->\r
   <xlf:trans-unit id="u1" approved="yes">\r
    <xlf:source>泵<xlf:g id="1">10</xlf:g>包括<xlf:x id="2"/>壳体&#13;。</xlf:source>\r
    <xlf:target state="final" note='a>b'>The pump <xlf:g id="1">10</xlf:g> has a\
<xlf:ph id="2">&lt;b&gt;</xlf:ph> housing&#13;.</xlf:target>\r
    <xlf:alt-trans><xlf:source>other</xlf:source><xlf:target>other</xlf:target></xlf:alt-trans>\r
   </xlf:trans-unit>\r
   <xlf:group id="g"><xlf:trans-unit id="u2"><xlf:source>所述壳体由钢制成。</xlf:source>\
<xlf:target/></xlf:trans-unit></xlf:group>\r
   <xlf:trans-unit id="u3" translate="no"><xlf:source>ABC</xlf:source></xlf:trans-unit>\r
  </xlf:body>\r
 </xlf:file>\r
</xlf:xliff>\r
"""

SDL = """<?xml version="1.0" encoding="utf-8"?><xliff
 xmlns:sdl="http://sdl.com/FileTypes/SdlXliff/1.0" xmlns="urn:oasis:names:tc:xliff:document:1.2"
 version="1.2" sdl:version="1.0"><doc-info xmlns="http://sdl.com/FileTypes/SdlXliff/1.0">
 <cmt-defs><cmt-def id="c1"><Comments><Comment severity="Low">old remark</Comment></Comments>
 </cmt-def></cmt-defs></doc-info><file original="a" source-language="ja-JP"
 target-language="en-US"><body><trans-unit id="x1"><source>ポンプである。壳を備える。</source>
<seg-source><g id="5"><mrk mtype="seg" mid="7">ポンプである。</mrk></g><mrk mtype="seg" mid="8"\
>殻を備える。</mrk></seg-source><target><g id="5"><mrk mtype="seg" mid="7">It is <mrk
 mtype="x-sdl-deleted" sdl:revid="r1">the </mrk><mrk mtype="x-sdl-added" sdl:revid="r2">a </mrk
>pump.</mrk></g> <mrk mtype="seg" mid="8"><mrk mtype="x-sdl-comment" sdl:cid="c1">It has a\
 shell.</mrk></mrk></target><sdl:seg-defs><sdl:seg id="7" conf="Draft"/><sdl:seg id="8"
 conf="ApprovedSignOff" locked="true"/></sdl:seg-defs></trans-unit></body></file></xliff>"""

MEMOQ = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:mq="MQXliff"><file
 original="a" source-language="en" target-language="de"><body><trans-unit id="1"
 mq:status="ManuallyConfirmed" mq:locked="locked"><source xml:space="preserve">The <bpt id="1"
 ctype="bold">{}</bpt>pump<ept id="1">{}</ept> leaks.</source><target xml:space="preserve">Die
 Pumpe leckt.</target><mq:comments><mq:comment deleted="true" appliesto="Target">no text\
</mq:comment></mq:comments><mq:minorversions><mq:historical-unit><source>The old</source><target
>Die alte</target></mq:historical-unit></mq:minorversions></trans-unit></body></file></xliff>"""

PHRASE = """<xliff xmlns:m="http://www.memsource.com/mxlf/2.0" version="1.2"
 xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="zh"
 target-language="en"><body><group id="0"><trans-unit id="j:0" m:confirmed="1" m:locked="true"
><source>所述{b>泵&lt;b}在{1}处泄漏{2>。&lt;2}</source><target>The
 {b>pump&lt;b} leaks{1} here{2>.&lt;2}</target>
<m:tunit-metadata><m:mark id="1"><m:content>&lt;br/&gt;</m:content></m:mark></m:tunit-metadata
></trans-unit></group><group id="0"><trans-unit id="j:1"><source>泵<ph id="1"/>。</source
></trans-unit></group></body></file></xliff>"""

SECOND = """<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.1" srcLang="ja" trgLang="en">
<file id="f1"><unit id="u1"><originalData><data id="d1">&lt;b&gt;</data></originalData><segment
 id="s1" state="final"><source>ポンプ<pc id="1" dataRefStart="d1">１０</pc>。</source><target
>The pump <pc id="1">10</pc>.</target></segment><ignorable><source> </source></ignorable>
<segment id="s2"><source>殻<cp hex="0001"/><ph id="3"/>。</source></segment></unit></file>
<file id="f2"><unit id="u1"><notes><note id="n1">kept</note></notes><segment><source>軸。</source
><target>The <mrk id="m1" type="term">shaft</mrk>.</target></segment></unit></file></xliff>"""


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(document: BilingualDocument) -> list[tuple[str | None, str | None, str | None]]:
    """Segment, source and target of each pair, cut out by their offsets."""
    found = []
    for source, target in document.pairs:
        one = (document.source, source) if source else (document.target, target)
        assert one[1] is not None
        left = document.source.text[slice(*source)] if source else None
        right = document.target.text[slice(*target)] if target else None
        found.append((one[0].place(one[1][0]).segment, left, right))
    return found


def test_version_1_has_its_texts_without_codes(tmp_path: Path) -> None:
    document = read_bilingual(written(tmp_path, "a.xlf", PLAIN))
    assert rows(document) == [
        ("u1", "泵10包括壳体\r。", "The pump 10 has a housing\r."),
        ("u2", "所述壳体由钢制成。", None),
    ]
    assert (document.source.lang, document.target.lang) == ("zh", "en")
    assert [(one.code, one.text) for one in document.source.notices] == [
        ("empty-targets", "1 of 2 segments have no translation"),
        ("not-translatable", "1 unit that must not be translated is not checked"),
    ]
    assert document.source.place(document.source.text.index("钢")) == Place(segment="u2")


def test_trados_has_several_segments_in_a_unit(tmp_path: Path) -> None:
    assert rows(read_bilingual(written(tmp_path, "a.sdlxliff", SDL))) == [
        ("7", "ポンプである。", "It is a pump."),
        ("8", "殻を備える。", "It has a shell."),
    ]


def test_memoq_has_neither_comments_nor_history_in_its_text(tmp_path: Path) -> None:
    assert rows(read_bilingual(written(tmp_path, "a.mqxliff", MEMOQ))) == [
        ("1", "The pump leaks.", "Die\n Pumpe leckt."),
    ]


def test_phrase_writes_tags_as_text_or_elements(tmp_path: Path) -> None:
    assert rows(read_bilingual(written(tmp_path, "a.mxliff", PHRASE))) == [
        ("j:0", "所述泵在处泄漏。", "The\n pump leaks here."),
        ("j:1", "泵。", None),
    ]


def test_version_2_counts_its_files_and_segments(tmp_path: Path) -> None:
    document = read_bilingual(written(tmp_path, "a.xliff", SECOND))
    assert rows(document) == [
        ("1/u1/s1", "ポンプ１０。", "The pump 10."),
        ("1/u1/s2", "殻\x01。", None),
        ("2/u1", "軸。", "The shaft."),
    ]
    assert document.source.lang == "ja"


def test_a_missing_language_is_that_of_the_text(tmp_path: Path) -> None:
    text = "The pump of the invention has a housing and a shaft."
    content = f"""<xliff version="1.2"><file><body><trans-unit id="1"><source>{text}</source>
</trans-unit></body></file></xliff>"""
    path = written(tmp_path, "a.xlf", content)
    assert read_bilingual(path).source.lang == "en"
    assert read_bilingual(path, lang="de-ja").target.lang == "ja"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xlf", "<html/>", "no XLIFF: its root is html"),
        ("a.xlf", "<xliff", "is not well-formed XML"),
        ("a.xlf", '<xliff version="1.2"><file/></xliff>', "holds no segments"),
        ("a.xlf", '<!DOCTYPE a [<!ENTITY a "b">]><xliff>&a;</xliff>', "declares entities"),
        ("a.docx", "", "name its translation, too; a file that holds both has one of .xlf"),
    ],
)
def test_what_is_no_xliff_is_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_bilingual(written(tmp_path, name, content))


def test_a_bilingual_file_is_no_document_of_one_language(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give it alone"):
        read_document(written(tmp_path, "a.sdlxliff", SDL))


FILES = [
    ("a.xlf", PLAIN.encode()),
    ("a.xlf", b"\xef\xbb\xbf" + PLAIN.encode()),
    ("a.xlf", PLAIN.replace("'utf-8'", "'utf-16'").encode("utf-16")),
    ("a.sdlxliff", SDL.encode()),
    ("a.mqxliff", MEMOQ.encode()),
    ("a.mxliff", PHRASE.encode()),
    ("a.xliff", SECOND.encode()),
]


@pytest.mark.parametrize(("name", "content"), FILES)
def test_a_copy_without_comments_is_the_same_file(
    tmp_path: Path, name: str, content: bytes
) -> None:
    path = written(tmp_path, name, content)
    write_comments(path, [], tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == content


@pytest.mark.parametrize(("name", "content"), FILES)
def test_notes_change_nothing_else(tmp_path: Path, name: str, content: bytes) -> None:
    path, out = written(tmp_path, name, content), tmp_path / f"out{Path(name).suffix}"
    before = read_bilingual(path)
    comments = [DocumentComment(block.start, block.end, "5 < 6 & 数", side)
                for side in ("source", "target")
                for block in getattr(before, side).blocks]  # fmt: skip
    write_comments(path, comments, out)
    after = read_bilingual(out)
    assert rows(after) == rows(before)
    encoding = "utf-16" if b"\0" in content else "utf-8"
    text = out.read_bytes().decode(encoding)
    note = re.compile(
        r"<(?:xlf:)?notes><(?:xlf:)?note category.*?</(?:xlf:)?notes>"
        r'|<((?:xlf:)?note) (?:from|category)="patmark"[^>]*>[^<]*</\1>'
    )
    assert note.sub("", text) == content.decode(encoding)
    assert text.count("5 &lt; 6 &amp; 数") == len(comments)


def test_a_note_stands_beside_its_target_with_the_prefix_of_the_file(tmp_path: Path) -> None:
    path, out = written(tmp_path, "a.xlf", PLAIN), tmp_path / "b.xlf"
    at = read_bilingual(path).target.text.index("10")
    write_comments(path, [DocumentComment(at, at + 2, "12?")], out)
    note = '<xlf:note from="patmark" annotates="target">12?</xlf:note>'
    assert f"housing&#13;.</xlf:target>{note}\r\n    <xlf:alt-trans>" in out.read_bytes().decode()


def test_a_note_names_its_segment_where_the_unit_has_several(tmp_path: Path) -> None:
    path, out = written(tmp_path, "a.sdlxliff", SDL), tmp_path / "b.sdlxliff"
    at = read_bilingual(path).source.text.index("殻")
    write_comments(path, [DocumentComment(at, at + 1, "shell?", "source")], out)
    assert '</target><note from="patmark" annotates="source">[8] shell?</note>' in out.read_text()


def test_version_2_has_notes_before_its_segments(tmp_path: Path) -> None:
    path, out = written(tmp_path, "a.xliff", SECOND), tmp_path / "b.xliff"
    write_comments(path, [DocumentComment(0, 3, "first"), DocumentComment(15, 16, "last")], out)
    first = '<notes><note category="patmark" appliesTo="target">[1/u1/s1] first</note></notes>'
    last = '<note id="n1">kept</note><note category="patmark" appliesTo="target">last</note>'
    assert f'<unit id="u1">{first}<originalData>' in out.read_text()
    assert f"<notes>{last}</notes>" in out.read_text()


def test_other_files_take_no_comments(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", "text")
    with pytest.raises(UsageError, match=r"can be written into \.docx"):
        write_comments(path, [DocumentComment(0, 1, "x")], tmp_path / "b.txt")
    assert not (tmp_path / "b.txt").exists()
