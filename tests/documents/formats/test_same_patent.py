"""One invented patent in every format and language is read as the same text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from invented_patent import (
    PATENT,
    numbered_parts,
    write_docx,
    write_html,
    write_markdown,
    write_memory,
    write_pdf,
    write_text,
    write_xliff,
)
from patmark.documents import WholeDocument, read_bilingual, read_document

WRITERS: dict[str, Callable[..., Path]] = {
    "a.docx": write_docx,
    "a.html": write_html,
    "a.md": write_markdown,
}


def texts(document: WholeDocument) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


@pytest.mark.parametrize("language", PATENT)
@pytest.mark.parametrize("name", WRITERS)
def test_a_format_gives_the_paragraphs_of_the_patent(
    tmp_path: Path, name: str, language: str
) -> None:
    parts = PATENT[language]
    document = read_document(WRITERS[name](tmp_path / name, parts))
    assert texts(document) == numbered_parts(parts)
    assert document.lang == language
    kinds = ["heading" if kind == "heading" else "" for kind, _ in parts]
    assert ["heading" if b.kind == "heading" else "" for b in document.blocks] == kinds


@pytest.mark.parametrize("language", PATENT)
def test_plain_text_has_the_paragraphs_of_the_patent(tmp_path: Path, language: str) -> None:
    document = read_document(write_text(tmp_path / "a.txt", PATENT[language]))
    assert document.text.strip().split("\n\n") == numbered_parts(PATENT[language])
    assert document.lang == language


@pytest.mark.browser
@pytest.mark.parametrize("language", PATENT)
def test_a_printed_patent_has_the_same_paragraphs(
    tmp_path: Path, language: str, browser: Any
) -> None:
    document = read_document(write_pdf(tmp_path / "a.pdf", PATENT[language], browser))
    assert texts(document) == numbered_parts(PATENT[language])
    assert document.lang == language


@pytest.mark.parametrize("pair", [("zh", "en"), ("ja", "en"), ("en", "zh"), ("ja", "zh")])
@pytest.mark.parametrize(("name", "write"), [("a.xlf", write_xliff), ("a.tmx", write_memory)])
def test_a_bilingual_file_pairs_the_paragraphs(
    tmp_path: Path, name: str, write: Callable[..., Path], pair: tuple[str, str]
) -> None:
    both = read_bilingual(write(tmp_path / name, PATENT[pair[0]], PATENT[pair[1]], pair))
    assert (both.source.lang, both.target.lang) == pair
    found = [
        (both.source.text[slice(*source)], both.target.text[slice(*target)])
        for source, target in both.pairs
        if source and target
    ]
    wanted = [numbered_parts(PATENT[language]) for language in pair]
    assert found == list(zip(*wanted, strict=True))
