"""Glossaries in every format that tools of translators write."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.documents import GlossaryTerm, read_glossary_terms
from patmark.errors import InputError

V2 = """<?xml version="1.0"?><!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body><termEntry id="c1">
<langSet xml:lang="zh-CN"><tig><term>泵</term></tig></langSet>
<langSet xml:lang="en-US"><ntig><termGrp><term>pump</term><termNote type="administrativeStatus"
>preferredTerm-admn-sts</termNote></termGrp></ntig><tig><term>pumping device</term><termNote
 type="administrativeStatus">deprecatedTerm-admn-sts</termNote></tig></langSet>
<langSet xml:lang="de"><tig><term>Pumpe</term></tig></langSet></termEntry></body></text></martif>"""
V3_DCA = """<tbx type="TBX-Basic" style="dca" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>
<conceptEntry id="c1"><langSec xml:lang="zh"><termSec><term>泵</term></termSec></langSec>
<langSec xml:lang="en"><termSec><term>pump</term></termSec><termSec><term>pumping device</term>
<termNote type="administrativeStatus">supersededTerm-admn-sts</termNote></termSec></langSec>
</conceptEntry></body></text></tbx>"""
V3_DCT = """<tbx type="TBX-Min" style="dct" xmlns="urn:iso:std:iso:30042:ed-2"
 xmlns:min="http://www.tbxinfo.net/ns/min"><text><body><conceptEntry id="c1"><langSec xml:lang="zh"
><termSec><term>泵</term></termSec></langSec><langSec xml:lang="en"><termSec><term>pump</term
></termSec><termSec><term>pumping device</term><min:administrativeStatus>deprecatedTerm-admn-sts\
</min:administrativeStatus></termSec></langSec></conceptEntry></body></text></tbx>"""
MIN = """<TBX dialect="TBX-Min"><header><languages source="zh" target="en"/></header><body>
<entry id="c1"><langGroup xml:lang="zh"><termGroup><term>泵</term></termGroup></langGroup>
<langGroup xml:lang="en"><termGroup><term>pump</term></termGroup><termGroup><term>pumping
 device</term><termStatus>notRecommended</termStatus></termGroup></langGroup></entry></body></TBX>"""

WANTED = (GlossaryTerm("泵", ("pump",), ("pumping device",)),)


@pytest.mark.parametrize("content", [V2, V3_DCA, V3_DCT, MIN], ids=["v2", "dca", "dct", "min"])
def test_tbx_of_every_version_tells_right_from_deprecated(tmp_path: Path, content: str) -> None:
    (tmp_path / "a.tbx").write_text(content)
    assert read_glossary_terms(tmp_path / "a.tbx", ("zh", "en")) == WANTED


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "泵,pump\n叶轮,impeller; runner\n泵,pump\n"),
        ("a.csv", "zh-CN,en\n泵,pump\n叶轮,impeller|runner\n"),
        ("a.csv", "note,target,source\nx,pump,泵\n,impeller;runner,叶轮\n"),
        ("a.csv", "泵;pump\n叶轮;impeller\n叶轮;runner\n"),
        ("a.tsv", "泵\tpump\n叶轮\timpeller\n叶轮\trunner\n"),
        ("a.json", '[{"source": "泵", "target": "pump"},\n'
                   '{"source": "叶轮", "target": ["impeller", "runner"]}]'),
        ("a.tmx", "<tmx><body><tu><tuv xml:lang='en'><seg>pump</seg></tuv><tuv xml:lang='zh'><seg>"
                  "泵</seg></tuv></tu><tu><tuv xml:lang='en'><seg>impeller</seg></tuv><tuv xml:lang"
                  "='zh'><seg>叶轮</seg></tuv></tu><tu><tuv xml:lang='en'><seg>runner</seg></tuv>"
                  "<tuv xml:lang='zh'><seg>叶轮</seg></tuv></tu></body></tmx>"),
    ],
)  # fmt: skip
def test_tables_and_memories_are_glossaries(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    assert read_glossary_terms(tmp_path / name, ("zh", "en")) == (
        GlossaryTerm("泵", ("pump",)),
        GlossaryTerm("叶轮", ("impeller", "runner")),
    )


def test_a_forbidden_term_of_json_is_kept_apart(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        '[{"source": "泵", "target": ["pump"], "forbidden": ["pumping device"]}]'
    )
    assert read_glossary_terms(tmp_path / "a.json", ("zh", "en")) == WANTED


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "泵,pump\n叶轮\n,x\n", r"a\.csv:2: expected a term.*\n.*a\.csv:3"),
        ("a.csv", "zh,en\n", "holds no terms in zh and en"),
        ("a.tbx", "<xliff/>", "no TBX: its root is xliff"),
        ("a.tbx", MIN.replace('"zh"', '"ja"'), "holds no terms in zh and en"),
        ("a.json", '[{"source": "泵", "goal": "pump"}]', "goal"),
        ("a.pdf", "x", "a glossary has one of the endings .tbx"),
    ],
)
def test_a_bad_glossary_is_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        read_glossary_terms(tmp_path / name, ("zh", "en"))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", 'zh\ten\n"泵"\t"pump"\n\n叶轮\t"impeller ""A"""\n'),
        ("a.csv", 'zh,en\n\n泵,pump\n,\n叶轮,"impeller ""A"""\n'),
    ],
)
def test_cells_lose_their_quotes_and_blank_lines_are_skipped(
    tmp_path: Path, name: str, content: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    found = read_glossary_terms(tmp_path / name, ("zh", "en"))
    assert [(one.source, one.target) for one in found] == [
        ("泵", ("pump",)), ("叶轮", ('impeller "A"',)),
    ]  # fmt: skip
