"""Faults in a translation are found in every format, at their place in the original file."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from invented_patent import (
    PATENT,
    Parts,
    write_docx,
    write_html,
    write_markdown,
    write_memory,
    write_pdf,
    write_text,
    write_xliff,
)
from patmark.app.commands import check
from patmark.documents import WholeDocument, read_bilingual, read_document
from patmark.errors import UsageError

WRITERS: dict[str, Callable[..., Path]] = {
    "docx": write_docx,
    "html": write_html,
    "md": write_markdown,
    "txt": write_text,
}
# paragraph, right words, wrong words, kind of the finding, words that it marks in the translation
FAULTS = {
    "en": [
        (4, " The seal of this pump lasts only 2000 hours.", "", "omission", ""),
        (6, "thickness of 4 mm", "thickness of 4 cm", "unit", "cm"),
        (7, "at 4800 rpm", "at 4300 rpm", "number", "4300"),
        (8, "is not in contact", "is in contact", "polarity", "is in contact"),
        (11, "at least 4 mm", "at most 4 mm", "limit", "at most 4 mm"),
    ],
    "zh": [
        (4, "该泵的密封件仅能使用2000小时。", "", "omission", ""),
        (6, "壁厚为4 mm", "壁厚为4 cm", "unit", "cm"),
        (7, "以4800 rpm", "以4300 rpm", "number", "4300"),
        (8, "不与冷却液接触", "与冷却液接触", "polarity", "与冷却液接触"),
        (11, "至少4 mm", "至多4 mm", "limit", "至多4 mm"),
    ],
}


def with_faults(language: str) -> Parts:
    parts = list(PATENT[language])
    for place, right, wrong, _, _ in FAULTS[language]:
        kind, text = parts[place]
        assert right in text
        parts[place] = (kind, text.replace(right, wrong))
    return parts


def assert_found(language: str, *files: Path) -> None:
    """Check that all faults are found where they are, and that nothing else is an error."""
    [checked] = check(*files).documents
    source, target = sides(files)
    serious = {one.kind: one for one in checked.findings if one.severity != "info"}
    assert sorted(serious) == sorted(kind for *_, kind, _ in FAULTS[language])
    for place, _, wrong, kind, marked in FAULTS[language]:
        if kind == "omission":
            span = serious[kind].source
            assert span and "2000" in source.text[slice(*span)]
            assert source.place(span[0]) == place_of(source, place)
        else:
            span = serious[kind].target
            assert span and marked in target.text[slice(*span)]
            at = target.text.index(wrong)
            assert span[0] < at + len(wrong) and at < span[1]
            assert target.place(span[0]) == place_of(target, place)


def sides(files: tuple[Path, ...]) -> tuple[WholeDocument, WholeDocument]:
    if len(files) == 1:
        both = read_bilingual(files[0])
        return both.source, both.target
    return read_document(files[0]), read_document(files[1])


def place_of(document: WholeDocument, number: int) -> Any:
    """Return the place of a part of the patent; in plain text, blank lines stand between."""
    if document.blocks:
        return document.blocks[number].place
    return document.place(sum(map(len, document.text.splitlines(True)[: 2 * number])))


@pytest.mark.parametrize("pair", [("zh", "en"), ("en", "zh")])
@pytest.mark.parametrize("ending", WRITERS)
def test_faults_are_found_in_every_format(
    tmp_path: Path, ending: str, pair: tuple[str, str]
) -> None:
    write = WRITERS[ending]
    source = write(tmp_path / f"source.{ending}", PATENT[pair[0]])
    right = write(tmp_path / f"right.{ending}", PATENT[pair[1]])
    [checked] = check(source, right).documents
    assert [one for one in checked.findings if one.severity == "error"] == []
    assert_found(pair[1], source, write(tmp_path / f"wrong.{ending}", with_faults(pair[1])))


@pytest.mark.browser
def test_faults_are_found_in_printed_patents(tmp_path: Path, browser: Any) -> None:
    source = write_pdf(tmp_path / "source.pdf", PATENT["zh"], browser)
    assert_found("en", source, write_pdf(tmp_path / "wrong.pdf", with_faults("en"), browser))


def test_formats_may_differ_between_the_sides(tmp_path: Path) -> None:
    source = write_html(tmp_path / "source.html", PATENT["zh"])
    assert_found("en", source, write_docx(tmp_path / "wrong.docx", with_faults("en")))


def without_omission(language: str) -> Parts:
    """Return the translation with its other faults."""
    parts = list(with_faults(language))
    parts[4] = PATENT[language][4]
    return parts


@pytest.mark.parametrize("pair", [("zh", "en"), ("en", "zh"), ("ja", "en"), ("ja", "zh")])
@pytest.mark.parametrize(("name", "write"), [("a.xlf", write_xliff), ("a.tmx", write_memory)])
def test_faults_are_found_in_bilingual_files(
    tmp_path: Path, name: str, write: Callable[..., Path], pair: tuple[str, str]
) -> None:
    file = write(tmp_path / name, PATENT[pair[0]], without_omission(pair[1]), pair)
    [checked] = check(file).documents
    _, target = sides((file,))
    found = {
        one.kind: target.place(one.target[0]).segment
        for one in checked.findings
        if one.target is not None and one.kind != "marker" and one.severity != "info"
    }
    wanted = {kind: str(at + 1) for at, *_, kind, _ in FAULTS[pair[1]] if kind != "omission"}
    assert found == wanted
    right = write(tmp_path / f"right_{name}", PATENT[pair[0]], PATENT[pair[1]], pair)
    assert [f for f in check(right).documents[0].findings if f.severity == "error"] == []


def test_places_of_a_word_file_name_tables_notes_and_claims(tmp_path: Path) -> None:
    import docx

    def made(name: str, language: str, words: list[str]) -> Path:
        file = docx.Document()
        claims = count(1)
        for kind, text in PATENT[language]:
            number = f"{next(claims)}. " if kind == "claim" else ""
            file.add_paragraph(number + text.replace("4 mm", f"{words[1]} mm"))
        table = file.add_table(2, 2)
        table.cell(1, 0).text, table.cell(1, 1).text = words[0], f"{words[2]} kg"
        file.save(str(tmp_path / name))
        return tmp_path / name

    source = made("a.docx", "zh", ["质量", "4", "35"])
    result = check(source, made("b.docx", "en", ["mass", "7", "85"]))
    [findings, *_] = result.to_report().tables
    places = [str(row[2]) for row in findings.rows if row[1] == "number"]
    assert places == ["paragraph 7", "claim 2", "table 1, row 2, column 2"]


def test_findings_become_comments_of_a_word_file(tmp_path: Path) -> None:
    import docx

    source = write_docx(tmp_path / "source.docx", PATENT["zh"])
    wrong = write_docx(tmp_path / "wrong.docx", with_faults("en"))
    check(source, wrong, comments=tmp_path / "commented.docx")
    file = docx.Document(str(tmp_path / "commented.docx"))
    assert sorted(one.text for one in file.comments) == [
        "limit: ≥ 4 mm became ≤ 4 mm",
        "number: 4800 rpm became 4300 rpm",
        "omission: no translation of this passage was found: 该泵的密封件仅能使用2000小时。",
        "polarity: the negation “不” has no counterpart",
        "unit: 4 mm became 4 cm",
    ]
    assert read_document(tmp_path / "commented.docx").text == read_document(wrong).text


def test_findings_become_notes_of_a_bilingual_file(tmp_path: Path) -> None:
    parts = [*without_omission("en")]
    parts[3] = (parts[3][0], "")
    file = write_xliff(tmp_path / "a.xlf", PATENT["zh"], parts, ("zh", "en"))
    check(file, comments=tmp_path / "copies")
    written = (tmp_path / "copies" / "a.xlf").read_text(encoding="utf-8")
    assert written.count("<note ") == 5
    assert '<target></target><note from="patmark" annotates="source">omission: ' in written


@pytest.mark.parametrize(
    ("ending", "out", "message"),
    [
        ("txt", "b.docx", r"comments can be written into \.docx"),
        ("docx", "wrong.docx", "is an input"),
    ],
)
def test_comments_that_cannot_be_written_are_refused(
    tmp_path: Path, ending: str, out: str, message: str
) -> None:
    source = WRITERS[ending](tmp_path / f"source.{ending}", PATENT["zh"])
    wrong = WRITERS[ending](tmp_path / f"wrong.{ending}", with_faults("en"))
    before = wrong.read_bytes()
    with pytest.raises(UsageError, match=message):
        check(source, wrong, comments=tmp_path / out)
    assert wrong.read_bytes() == before
