"""Without the extra, a document names the command that installs it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from invented_patent import PATENT, write_docx, write_html, write_markdown, write_text, write_xliff
from patmark.documents import DocumentComment, read_bilingual, read_document, write_comments
from patmark.errors import MissingExtra

INSTALL = r"pip install 'patmark\[documents\]'"


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def hide(*names: str) -> None:
        for name in names:
            monkeypatch.setitem(sys.modules, name, None)

    return hide


def test_readers_name_the_extra(tmp_path: Path, without: Callable[..., None]) -> None:
    word = write_docx(tmp_path / "a.docx", PATENT["en"])
    page = write_html(tmp_path / "a.html", PATENT["en"])
    job = write_xliff(tmp_path / "a.xlf", PATENT["zh"], PATENT["en"], ("zh", "en"))
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4")
    without("lxml.etree", "lxml.html", "pypdfium2")
    for path in (word, page, tmp_path / "a.pdf"):
        with pytest.raises(MissingExtra, match=INSTALL):
            read_document(path)
    with pytest.raises(MissingExtra, match=INSTALL):
        read_bilingual(job)


def test_comments_in_word_files_name_the_extra(
    tmp_path: Path, without: Callable[..., None]
) -> None:
    word = write_docx(tmp_path / "a.docx", PATENT["en"])
    without("docx")
    with pytest.raises(MissingExtra, match=INSTALL):
        write_comments(word, [DocumentComment(0, 1, "x")], tmp_path / "b.docx")
    assert not (tmp_path / "b.docx").exists()


def test_plain_text_needs_no_extra(tmp_path: Path, without: Callable[..., None]) -> None:
    path = write_text(tmp_path / "a.txt", PATENT["zh"])
    without("lxml", "lxml.etree", "lxml.html", "pypdfium2", "docx")
    assert read_document(path).lang == "zh"
    with pytest.raises(MissingExtra, match=INSTALL):
        read_document(write_markdown(tmp_path / "a.md", PATENT["zh"]))
