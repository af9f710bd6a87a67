"""Translation memories: encodings, languages and codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.collections.corpus.tmx import TranslationUnit, write_tmx
from patmark.documents import Place, read_bilingual
from patmark.errors import InputError

TMX = """<?xml version="1.0" encoding="{encoding}"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="{srclang}" segtype="sentence"/><body>
<tu tuid="t1"><tuv xml:lang="EN-US"><seg>The <bpt i="1">&lt;b&gt;</bpt>pump<ept i="1">&lt;/b&gt;\
</ept> leaks<ph>[note <sub>at the shaft</sub>]</ph>. <hi>Yes.</hi></seg></tuv>
<tuv xml:lang="zh-CN"><seg>泵泄漏。</seg></tuv><tuv xml:lang="zh-TW"><seg>泵洩漏。</seg></tuv></tu>
<tu><tuv lang="en"><seg>The shaft turns.</seg></tuv></tu>{more}
</body></tmx>"""
THREE = '<tu tuid="t3"><tuv xml:lang="ja"><seg>軸。</seg></tuv></tu>'


def made(folder: Path, encoding: str = "utf-8", srclang: str = "zh", more: str = "") -> Path:
    path = folder / "a.tmx"
    path.write_bytes(TMX.format(encoding=encoding, srclang=srclang, more=more).encode(encoding))
    return path


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_memory_is_read_from_its_source_language(tmp_path: Path, encoding: str) -> None:
    document = read_bilingual(made(tmp_path, encoding))
    assert (document.source.lang, document.target.lang) == ("zh", "en")
    assert document.source.text == "泵泄漏。"
    assert document.target.text == "The pump leaksat the shaft. Yes.\nThe shaft turns."
    assert document.pairs == (((0, 4), (0, 32)), (None, (33, 49)))
    assert document.target.place(40) == Place(segment="2")


def test_without_a_source_language_the_first_comes_first(tmp_path: Path) -> None:
    document = read_bilingual(made(tmp_path, srclang="*all*"))
    assert (document.source.lang, document.target.lang) == ("en", "zh")
    [notice] = document.source.notices
    assert notice.text == "1 of 2 segments have no translation"


def test_a_memory_of_three_languages_needs_a_choice(tmp_path: Path) -> None:
    path = made(tmp_path, more=THREE)
    with pytest.raises(InputError, match=r"has 3 languages \(en, zh, ja\).*lang='zh-en'"):
        read_bilingual(path)
    document = read_bilingual(path, lang="ja-en")
    assert (document.source.text, len(document.pairs)) == ("軸。", 3)


def test_a_language_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no text in ko; it has en, zh"):
        read_bilingual(made(tmp_path), lang="ko-en")


def test_a_memory_of_patmark_is_read(tmp_path: Path) -> None:
    units = [TranslationUnit("泵 <1>。", "A pump <1>.", "u1"), TranslationUnit("轴。", "A shaft.")]
    write_tmx(tmp_path / "b.tmx", units, ("zh", "en"))
    document = read_bilingual(tmp_path / "b.tmx")
    assert document.source.text.split("\n") == ["泵 <1>。", "轴。"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<xliff/>", "no TMX: its root is xliff"),
        ("<tmx>&nbsp;</tmx>", "not well-formed"),
        ('<!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx>&name;</tmx>', "unknown entity &name;"),
        ("<tmx><body/></tmx>", "has 0 languages"),
    ],
)
def test_what_is_no_memory_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "a.tmx").write_text(content)
    with pytest.raises(InputError, match=message):
        read_bilingual(tmp_path / "a.tmx")
