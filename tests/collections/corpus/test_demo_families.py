"""Invented families are what a build must cope with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from patmark.collections.corpus.build.settings import read_pipeline
from patmark.collections.corpus.demo_families import DemoFamilies
from patmark.collections.patents.families import build_families, links_of
from patmark.collections.patents.numbers import number_key
from patmark.data.documents import read_document_jsonl
from patmark.errors import UsageError


@pytest.mark.parametrize(("language", "office"), [("zh", "CN"), ("ja", "JP")])
def test_families_are_found_by_their_priorities(language: str, office: str) -> None:
    documents = list(DemoFamilies(30, language).documents())
    families = build_families(map(links_of, documents)).families
    offices = Counter(len({member.office for member in each.members}) for each in families)
    # 3 of 30 are never translated; 12 and 24 claim two priorities and so lose their first filing
    assert offices == {2: 25, 1: 7}
    for document in documents:
        for priority in document.priorities:
            assert priority.country == office
            assert str(number_key(office, priority.number, priority.date)) == priority.key


def test_both_sides_say_the_same_but_for_what_the_translator_did() -> None:
    documents = {each.id: each for each in DemoFamilies(12, "zh").documents()}
    chinese = next(each for each in documents.values() if each.office == "CN")
    english = next(each for each in documents.values() if each.office == "US")
    ours, theirs = chinese.text("zh"), english.text("en")
    assert len(ours.claims) == len(theirs.claims) == 3
    assert [each.section for each in ours.description if each.is_heading] == [
        "field", "background", "summary", "embodiments",
    ]  # fmt: skip
    assert theirs.title[0].isupper()
    assert " a " not in theirs.title
    assert all("{" not in each.text for each in (*ours.description, *theirs.description))


def test_the_same_seed_writes_the_same_files(tmp_path: Path) -> None:
    first = DemoFamilies(6, "ja", 1).write(tmp_path / "one")
    DemoFamilies(6, "ja", 1).write(tmp_path / "two")
    DemoFamilies(6, "ja", 2).write(tmp_path / "three")
    names = sorted(path.name for path in (tmp_path / "one" / "documents").iterdir())
    assert names == ["broken.jsonl", "jp-1.jsonl", "jp-2.jsonl", "us-1.jsonl", "us-2.jsonl"]
    texts = [
        [(tmp_path / folder / "documents" / name).read_bytes() for name in names]
        for folder in ("one", "two", "three")
    ]
    assert texts[0] == texts[1] != texts[2]
    assert len(list(read_document_jsonl(tmp_path / "one" / "documents" / "jp-1.jsonl"))) == 3
    settings = read_pipeline(first)
    assert (settings.source_language, settings.target_language) == ("ja", "en")


def test_wrong_demos_are_refused() -> None:
    with pytest.raises(UsageError, match="choose from zh, ja"):
        DemoFamilies(3, "de")
    with pytest.raises(UsageError, match="at least one family"):
        DemoFamilies(0)
