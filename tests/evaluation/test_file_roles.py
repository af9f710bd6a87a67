"""Roles of listed files: a name is a role if its stem or its last part is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.app.page.files import guess
from patmark.evaluation import role_by_name
from patmark.evaluation.file_roles import _role

_ROLES = {
    "ref.txt": "ref", "reference.en": "ref", "refs.txt.gz": "ref", "ref1.txt": "ref",
    "refA.en": "ref", "ref_A.txt": "ref", "ref-B.en": "ref", "reference2.en": "ref",
    "test.ref.txt": "ref", "wmt19.zh-en.ref": "ref", "gold.txt": "ref", "参照訳.txt": "ref",
    "参考译文.txt": "ref", "src.zh": "src", "source.ja.txt.zst": "src", "newstest.src.zh": "src",
    "my.source.zh": "src", "src-zh.txt": "src", "source_zh-CN.txt": "src", "原文.txt": "src",
    "docs.txt": "docs", "doc_ids.txt": "docs", "docid": "docs", "文献.txt": "docs",
}  # fmt: skip
_DOUBTFUL = {
    "A_ref.txt": "ref", "human-ref.en": "ref", "team_reference.txt": "ref", "my_source.zh": "src",
    "newstest-src.zh": "src", "测试原文.txt": "src", "test_docs.txt": "docs", "a.docs.txt": "docs",
}  # fmt: skip
_SYSTEMS = [
    "open-source.txt", "open_source.txt", "doc-level.txt", "ref-based.txt", "reference-free.txt",
    "no-ref.txt", "no_ref.txt", "with_docs.txt", "multi-source.zh", "cross-document.txt",
    "google-docs.txt", "docs-finetuned.txt", "source-aware.txt", "src2tgt.txt", "ref_mt.txt",
    "resource.txt", "refined.txt", "doctored.txt", "goldfish.txt", "prefix.txt", "ref.v2.txt",
    "source.system.txt", "doc.zh", "参考系统.txt", "gpt4.ref.out", "crowd-source.en", "a.txt",
    "refs-removed.en", "data-source.txt", "docx.txt", "my-documents.txt", "ref+docs.txt",
]  # fmt: skip


def test_there_are_as_many_systems_as_roles() -> None:
    assert len(_SYSTEMS) == len(_ROLES) + len(_DOUBTFUL)


@pytest.mark.parametrize(("name", "role"), _ROLES.items())
def test_the_stem_or_its_last_part_is_a_role(name: str, role: str) -> None:
    assert role_by_name(name) == (role, True)


@pytest.mark.parametrize(("name", "role"), _DOUBTFUL.items())
def test_a_last_part_that_a_system_could_have_is_a_doubtful_role(name: str, role: str) -> None:
    assert role_by_name(name) == (role, False)


@pytest.mark.parametrize("name", _SYSTEMS)
def test_a_part_of_a_name_is_no_role(name: str, tmp_path: Path) -> None:
    assert role_by_name(name) is None
    path = tmp_path / name
    path.write_text("The valve opens.\nIt closes.\n", encoding="utf-8")
    assert (_role(str(path)).role, guess(path).kind) == ("hyp", "hypothesis")


@pytest.mark.parametrize(("text", "role"), [("d1\nd1\nd2\n", "docs"), ("A cup.\nA mug.\n", "hyp")])
def test_a_doubtful_name_of_document_ids_needs_ids(tmp_path: Path, text: str, role: str) -> None:
    path = tmp_path / "test_docs.txt"
    path.write_text(text, encoding="utf-8")
    assert _role(str(path)).role == role
