"""Folders of documents: nothing is left out, overwritten or accepted in silence."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import patmark
from patmark.app.cli import main
from patmark.documents import CheckResult, write_comments
from patmark.documents.model import DocumentComment
from patmark.errors import InputError, UsageError
from patmark.examples import example_path

ZH = "这个装置的功率是10瓦，并且包括壳体。\n"
WRONG = "The power of this device is 70 W, and it includes a housing.\n"
RIGHT = WRONG.replace("70", "10")


def written(folder: Path, **files: str) -> tuple[Path, Path]:
    """Write ``s__a__txt`` as s/a.txt; return the folders of sources and translations."""
    for name, text in files.items():
        path = folder / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "s", folder / "t"


def codes(result: CheckResult) -> list[str]:
    return [one.code for one in result.notices]


def word_file(path: Path, text: str) -> None:
    import docx

    path.parent.mkdir(parents=True, exist_ok=True)
    file = docx.Document()
    file.add_paragraph(text)
    file.save(str(path))


@pytest.fixture
def word_folders(tmp_path: Path) -> Path:
    for part in ("x", "y"):
        word_file(tmp_path / "s" / part / "p.docx", ZH)
        word_file(tmp_path / "t" / part / "p.docx", WRONG)
    return tmp_path


def test_copies_keep_the_folders_of_their_originals(word_folders: Path) -> None:
    out = word_folders / "out"
    patmark.check(word_folders / "s", word_folders / "t", lang="zh-en", comments=out)
    found = [one.relative_to(out).as_posix() for one in out.rglob("*.docx")]
    assert sorted(found) == ["x/p.docx", "y/p.docx"]


def test_an_existing_copy_is_not_overwritten(word_folders: Path) -> None:
    kept = word_folders / "out" / "y" / "p.docx"
    word_file(kept, "mine")
    before = kept.read_bytes()
    with pytest.raises(UsageError, match="exists already"):
        patmark.check(
            word_folders / "s", word_folders / "t", lang="zh-en", comments=word_folders / "out"
        )
    assert kept.read_bytes() == before and not (word_folders / "out" / "x").exists()


def test_a_failed_copy_is_no_failed_check(
    word_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(_: object, original: Path, *__: Any) -> None:
        if original.parent.name == "x":
            raise InputError.at("takes no comments", str(original))

    monkeypatch.setattr(sys.modules["patmark.app.commands.check"], "write_commented_copy", write)
    result = patmark.check(
        word_folders / "s", word_folders / "t", lang="zh-en", comments=word_folders / "out"
    )
    assert len(result.documents) == 2 and result.failures == () and result.failed
    assert [one.name for one in result.uncommented] == [str(Path("x/p.docx"))]
    assert "not-commented" in codes(result) and "not-checked" not in codes(result)


def test_files_without_comments_do_not_stop_the_copies_of_others(word_folders: Path) -> None:
    for side, text in (("s", ZH), ("t", WRONG)):
        (word_folders / side / "q.txt").write_text(text, encoding="utf-8")
    out = word_folders / "out"
    result = patmark.check(word_folders / "s", word_folders / "t", lang="zh-en", comments=out)
    assert [one.name for one in result.uncommented] == ["q.txt"]
    assert len(list(out.rglob("*.docx"))) == 2 and not list(out.rglob("*.txt"))


def test_files_that_are_not_read_are_listed_with_the_reason(tmp_path: Path) -> None:
    s, t = written(
        tmp_path, s___a__txt=ZH, t___a__txt=RIGHT, t___b__docx__bak="", t___c__rtf="", s___LIST="",
    )  # fmt: skip
    result = patmark.check(s, t, lang="zh-en")
    texts = [one.text for one in result.notices if one.code == "not-checked"]
    assert [text.partition(" was not checked: ")[0] for text in texts] == [
        str(s / "LIST"), str(t / "b.docx.bak"), str(t / "c.rtf"),
    ]  # fmt: skip
    assert "save it as .docx" in texts[2] and "has no ending" in texts[0]
    assert not result.failed


@pytest.mark.parametrize("ending", ["doc", "rtf", "odt", "xlf"])
def test_a_source_that_is_not_read_fails_the_check(tmp_path: Path, ending: str) -> None:
    s, t = written(tmp_path, s___a__txt=ZH, t___a__txt=RIGHT, **{f"s___b__{ending}": ""})
    result = patmark.check(s, t, lang="zh-en")
    assert result.failed and result.to_json()["missed"] == [str(s / f"b.{ending}")]


def test_folders_without_common_documents_say_what_is_not_read(tmp_path: Path) -> None:
    s, t = written(tmp_path, s___a__doc="", t___a__doc="")
    with pytest.raises(InputError, match=r"save it as \.docx"):
        patmark.check(s, t)


@pytest.mark.parametrize(("side", "failed"), [("s", True), ("t", False)])
def test_a_source_without_counterpart_fails_the_check(
    tmp_path: Path, side: str, failed: bool
) -> None:
    s, t = written(tmp_path, s___a__txt=ZH, t___a__txt=RIGHT, **{f"{side}___b__txt": ZH})
    result = patmark.check(s, t, lang="zh-en")
    assert result.failed is failed and len(result.unmatched) == 1


def review(folder: Path, result: CheckResult, *more: dict[str, object]) -> Path:
    documents = [
        {
            "name": document.name,
            "findings": [{**one.to_json(), "verdict": "accepted"} for one in document.findings],
        }
        for document in result.documents
    ]
    path = folder / "review.json"
    content = {"format": "patmark review", "version": 1, "documents": [*documents, *more]}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


STALE = {
    "name": "old.txt",
    "findings": [{"kind": "number", "source": [0, 1], "target": [0, 1], "verdict": "accepted"}],
}


def test_verdicts_without_a_finding_are_counted_and_a_foreign_review_is_refused(
    tmp_path: Path,
) -> None:
    written(tmp_path, a__txt=ZH, b__txt=WRONG, right__txt=RIGHT)
    files = tmp_path / "a.txt", tmp_path / "b.txt"
    first = patmark.check(*files, lang="zh-en")
    assert "stale-review" not in codes(
        patmark.check(*files, lang="zh-en", review=review(tmp_path, first))
    )
    mixed = review(tmp_path, first, STALE)
    assert "stale-review" in codes(patmark.check(*files, lang="zh-en", review=mixed))
    with pytest.raises(InputError, match="none of its verdicts"):
        patmark.check(files[0], tmp_path / "right.txt", lang="zh-en", review=mixed)


def test_translations_without_a_reference_are_named(tmp_path: Path) -> None:
    s, t = written(
        tmp_path, s___a__txt=ZH, t___a__txt=RIGHT, s___b__txt=ZH, t___b__txt=RIGHT, r___a__txt=RIGHT
    )
    result = patmark.check(s, t, lang="zh-en", ref=tmp_path / "r")
    [notice] = [one for one in result.notices if one.code == "unmatched-reference"]
    assert str(t / "b.txt") in notice.text and not result.failed


def test_documents_left_out_of_the_lexicon_are_named(tmp_path: Path) -> None:
    folder = example_path("whole_documents")
    texts = [
        (folder / name).read_text(encoding="utf-8")
        for name in ("patent.zh.txt", "translation.en.txt")
    ]
    s, t = written(
        tmp_path, s___a__txt=texts[0], t___a__txt=texts[1], s___b__txt=texts[1], t___b__txt=texts[0]
    )
    result = patmark.check(s, t, save_lexicon=tmp_path / "words.tsv")
    [notice] = [one for one in result.notices if one.code == "not-learnt"]
    assert "zh-en" in notice.text and "b.txt" in notice.text


def test_notices_in_json_have_codes(tmp_path: Path) -> None:
    s, t = written(tmp_path, s___a__txt=ZH, t___a__txt=RIGHT, t___b__txt=ZH)
    found = json.loads(json.dumps(patmark.check(s, t, lang="zh-en").to_json()))
    assert [one["code"] for one in found["notices"]] == ["unmatched"]
    assert found["notes"][0].startswith("Warning: 1 file has no counterpart")


def test_characters_that_xml_forbids_are_left_out_of_comments(tmp_path: Path) -> None:
    import docx

    word_file(tmp_path / "a.docx", "Hello world.")
    comments = [DocumentComment(0, 5, "omission: 第一\x0c章")]
    write_comments(tmp_path / "a.docx", comments, tmp_path / "b.docx")
    [comment] = docx.Document(str(tmp_path / "b.docx")).comments
    assert comment.text == "omission: 第一章"


@pytest.mark.parametrize(
    ("target", "kinds"),
    [
        ("The control unit is cold.", []),
        ("The control unit and the unit are cold.", ["error"]),
        ("The unit is cold.", ["error", "warning"]),
    ],
)
def test_a_forbidden_form_within_a_right_rendering_is_no_error(
    tmp_path: Path, target: str, kinds: list[str]
) -> None:
    terms = [{"source": "控制单元", "target": ["control unit"], "forbidden": ["unit"]}]
    (tmp_path / "terms.json").write_text(json.dumps(terms), encoding="utf-8")
    written(tmp_path, a__txt="控制单元是冷的。\n", b__txt=f"{target}\n")
    result = patmark.check(
        tmp_path / "a.txt", tmp_path / "b.txt", lang="zh-en", glossary=tmp_path / "terms.json"
    )
    found = [one.severity for _, one in result.findings() if one.kind == "term"]
    assert sorted(found) == kinds


def test_the_command_names_the_copy_and_the_lexicon_that_it_wrote(
    word_folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(word_folders)
    line = "check s t --lang zh-en --comments out --save-lexicon words.tsv --html report.html"
    monkeypatch.setattr(sys, "argv", ["patmark", *line.split()])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    said = capsys.readouterr().err.splitlines()
    assert {"wrote out", "wrote words.tsv", "wrote report.html"} <= set(said)


def test_a_document_is_not_its_own_translation_and_sides_are_not_exchanged(tmp_path: Path) -> None:
    zh, en = tmp_path / "a.zh.txt", tmp_path / "a.en.txt"
    zh.write_text(ZH * 3, encoding="utf-8")
    en.write_text(RIGHT * 3, encoding="utf-8")
    copy = tmp_path / "copy.txt"
    copy.write_text(ZH * 3, encoding="utf-8")
    for lang in (None, "zh-en"):
        with pytest.raises(UsageError, match=r"a\.zh\.txt is both the source and the translation"):
            patmark.check(zh, zh, lang=lang)
    with pytest.raises(UsageError, match="both documents are in zh"):
        patmark.check(zh, copy)
    with pytest.raises(UsageError, match="exchange them"):
        patmark.check(en, zh, lang="zh-en")
    untranslated = patmark.check(zh, copy, lang="zh-en").documents[0]
    assert {one.kind for one in untranslated.findings} == {"untranslated"}


def test_the_heading_of_claims_has_no_reference_sign(tmp_path: Path) -> None:
    (tmp_path / "a.en.txt").write_text(
        "Patent Document 1 discloses a plate.\nClaims\n1. A method for cooling the pump according "
        "to any one of claims 2 to 4, in which the speed of a motor (70) is increased.\n",
        "utf-8",
    )
    (tmp_path / "a.zh.txt").write_text(
        "专利文献1公开了一种板。\n权利要求书\n1. 一种用于冷却根据权利要求2至4中任一项所述的"
        "泵的方法，其中提高电机（70）的转速。\n",
        "utf-8",
    )
    found = patmark.check(tmp_path / "a.en.txt", tmp_path / "a.zh.txt", lang="en-zh").documents[0]
    assert [one for one in found.findings if one.severity == "error"] == []


def test_a_document_in_another_language_than_stated_is_warned_of(tmp_path: Path) -> None:
    ja, en = tmp_path / "a.ja.txt", tmp_path / "a.en.txt"
    ja.write_text("この装置の出力は10ワットであり、筐体を備える。\n" * 3, encoding="utf-8")
    en.write_text(RIGHT * 3, encoding="utf-8")
    wrong, right = (patmark.check(ja, en, lang=lang) for lang in ("zh-en", "ja-en"))
    assert "Warning: the source should be in zh, but seems to be in ja" in str(wrong)
    assert "other-language" in codes(wrong) and "other-language" not in codes(right)
