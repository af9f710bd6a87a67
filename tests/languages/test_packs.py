"""The packs: every row of every table finds its example and leaves its counter-example alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import patmark.languages
from patmark.documents import DocumentChecker
from patmark.errors import InputError
from patmark.languages import Language, language, packs, shared_pack

_FOLDER = Path(patmark.languages.__file__).parent
_TABLES = sorted(
    (path.parent.name, path.stem)
    for path in _FOLDER.glob("*/*.tsv")
    if path.stem == "documents"  # facts, headings and claims have tests of their own
)


@pytest.mark.parametrize(("code", "subject"), _TABLES)
def test_rows_find_their_example_and_not_the_other(code: str, subject: str) -> None:
    folded = str.maketrans("，；：", ",;:")
    for row in language(code).table(subject).rows:
        forms = "|".join(row.forms)
        whole = forms if language(code).is_dense else rf"(?<!\w)(?:{forms})(?:(?<=\W)|(?!\w))"
        pattern = re.compile(whole, re.IGNORECASE)
        where = f"{subject}.tsv of {code}, {row.group} {row.id}"
        assert row.example and pattern.search(row.example.translate(folded)), where
        found = pattern.search(row.no_example.translate(folded)) if row.no_example else None
        assert row.no_example and found is None, f"{where}: {found}"


def test_packs_are_complete() -> None:
    for pack in (shared_pack(), *packs()):
        assert pack.folder is not None and (pack.folder / "pack.toml").is_file()
        assert pack.name != pack.code


def test_a_folder_elsewhere_is_a_pack_and_its_limits_are_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = "Of Esperanto, nothing but numbers is compared."
    (tmp_path / "pack.toml").write_text(f'name = "Esperanto"\ncannot = "{limits}"\n')
    (tmp_path / "words.tsv").write_text(
        "group\tid\tcertainty\tforms\texceptions\texample\tno example\n"
        "class\tMORE\tsure\tplimulta|alta\t\t\t\n"
        "limit-pre\t>\tsure\tpli {MORE} ol\t\tpli alta ol 5\talta\n"
    )
    pack = Language.read("eo", tmp_path)
    assert pack.name == "Esperanto" and pack.is_spaced and not pack.is_dense
    assert re.search(pack.table("words").pattern("limit-pre"), "pli alta ol 5 mm")
    monkeypatch.setattr("patmark.documents.checking.language", lambda code: pack)
    notices = DocumentChecker()._notices(("eo", "en"))
    assert limits in [notice.text for notice in notices if notice.code == "pack-limits"]


def test_a_key_that_is_no_property_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pack.toml").write_text('name = "Esperanto"\nspacey = true\n')
    with pytest.raises(InputError, match=r"pack\.toml: unknown property: .*spacey"):
        Language.read("eo", tmp_path)


def test_a_short_row_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "pack.toml").write_text('name = "Esperanto"\n')
    (tmp_path / "words.tsv").write_text("group\tid\n\nlimit-pre\t>\tsure\tpli ol\n")
    with pytest.raises(InputError, match=r"words\.tsv:3: expected 7 columns .*, found 4"):
        Language.read("eo", tmp_path).table("words")


def test_a_language_without_a_pack_has_empty_tables() -> None:
    unknown = language("sw")
    assert unknown.folder is None and unknown.name == "sw" and unknown.is_spaced
    table = unknown.table("words")
    assert table.rows == () and table.words("stop") == frozenset() and table.forms("unit") == {}
    assert re.search(table.pattern("negation"), "hapana") is None
