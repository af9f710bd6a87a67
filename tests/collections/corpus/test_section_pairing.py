"""Sections of two documents side by side: nothing lost, nothing paired by accident."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from hypothesis import given, settings, strategies as st

from patmark.collections.corpus.build.aligning import POOLED, SectionPair, paired_sections
from patmark.collections.patents.read import read_documents
from patmark.collections.patents.sections import SECTIONS
from patmark.data.documents import Claim, Document, Paragraph, PatentText


def _document(text: PatentText) -> Document:
    return Document("JP", "1", "A", "2001-01-01", "test", text.language, texts=(text,))


def _paragraphs(*parts: tuple[str, str]) -> tuple[Paragraph, ...]:
    return tuple(Paragraph(section, str(at), text) for at, (section, text) in enumerate(parts))


def _paired(
    source: PatentText, target: PatentText, **options: bool
) -> dict[tuple[str, int], SectionPair]:
    documents = _document(source), _document(target)
    pairs = paired_sections(*documents, source.language, target.language, **options)
    return {(pair.section, pair.number): pair for pair in pairs}


def test_each_section_finds_its_counterpart() -> None:
    ours = PatentText(
        "en", "Cup", "A cup leaks. It is bad.", (Claim(1, "A cup."), Claim(2, "A cup; a lid.")),
        (
            Paragraph("background", "", "BACKGROUND", is_heading=True),
            *_paragraphs(("background", "Cups leak. ⟦formula⟧."), ("embodiments", "FIG. 1 is it.")),
            Paragraph("embodiments", "", "Example 1", is_heading=True),
        ),
    )  # fmt: skip
    theirs = PatentText(
        "ja", "カップ", "カップは漏れる。", (Claim(1, "カップ。"), Claim(2, "カップと、\n蓋。")),
        _paragraphs(("background", "【０００１】漏れる。"), ("embodiments", "図１である。")),
    )  # fmt: skip
    pairs = _paired(ours, theirs)
    assert list(pairs) == [
        ("title", 0), ("abstract", 0), ("claims", 1), ("claims", 2), ("background", 0),
        ("embodiments", 0),
    ]  # fmt: skip
    assert all(pair.is_paired and not pair.problem for pair in pairs.values())
    assert pairs["abstract", 0].source.sentences == ("A cup leaks.", "It is bad.")
    assert pairs["claims", 2].target.sentences == ("カップと、蓋。",)
    background = pairs["background", 0]
    assert background.source.sentences == ("Cups leak.",)
    assert (background.source.only_placeholders, background.source.section_headings) == (1, 1)
    assert background.target.paragraph_numbers == 1
    assert pairs["embodiments", 0].source.sentences == ("FIG. 1 is it.", "Example 1")
    clauses = _paired(ours, theirs, clauses=True)["claims", 2]
    assert clauses.source.sentences == ("A cup;", "a lid.")
    assert clauses.target.sentences == ("カップと、", "蓋。")


def test_claims_with_other_numbers_stay_together() -> None:
    ours = PatentText("en", claims=(Claim(1, "A cup."), Claim(2, "A lid."), Claim(3, "Both.")))
    theirs = PatentText("zh", claims=(Claim(1, "杯。"), Claim(2, "盖。")))
    [pair] = _paired(ours, theirs).values()
    assert (pair.section, pair.number) == ("claims", 0)
    assert (len(pair.source.sentences), len(pair.target.sentences)) == (3, 2)


def test_sections_without_counterpart_are_pooled_in_order() -> None:
    ours = PatentText(
        "en", description=_paragraphs(("field", "Cups."), ("background", "They leak."))
    )
    theirs = PatentText("zh", description=_paragraphs(("other", "杯。漏。")))
    [pair] = _paired(ours, theirs).values()
    assert (pair.section, pair.source.sentences) == (POOLED, ("Cups.", "They leak."))
    assert pair.target.sentences == ("杯。", "漏。")


def test_a_section_that_swallowed_its_neighbour_is_pooled_with_it() -> None:
    long = "Cups are known to leak in many ways. " * 40
    ours = PatentText("en", description=_paragraphs(("field", "Cups."), ("background", long)))
    theirs = PatentText("de", description=_paragraphs(("field", f"Tassen. {long}")))
    [pair] = _paired(ours, theirs).values()
    assert pair.section == POOLED
    assert len(pair.source.sentences) == len(pair.target.sentences) == 41


def test_one_side_only_says_why() -> None:
    pairs = _paired(PatentText("en", "Cup", "It leaks."), PatentText("ja", "カップ"))
    assert pairs["abstract", 0].problem == "no abstract in the target"
    assert not pairs["abstract", 0].is_paired
    formula = _paired(
        PatentText("en", abstract="⟦formula⟧"), PatentText("ja", abstract="⟦formula⟧")
    )
    assert formula["abstract", 0].problem == "no abstract in the source and target"


_WORDS = st.sampled_from(["A cup leaks.", "It is bad.", "⟦formula⟧.", "[0001]", "FIG. 1 is it."])
_DESCRIPTIONS = st.lists(st.tuples(st.sampled_from(SECTIONS), _WORDS, st.booleans()), max_size=12)


def _described(parts: Iterable[tuple[str, str, bool]]) -> PatentText:
    description = tuple(Paragraph(section, "", text, head) for section, text, head in parts)
    return PatentText("en", description=description)


@settings(deadline=None, derandomize=True)
@given(_DESCRIPTIONS, _DESCRIPTIONS)
def test_every_piece_is_in_one_pair_or_counted(
    ours: list[tuple[str, str, bool]], theirs: list[tuple[str, str, bool]]
) -> None:
    pairs = _paired(_described(ours), _described(theirs)).values()
    for parts, sides in (
        (ours, [pair.source for pair in pairs]), (theirs, [pair.target for pair in pairs]),
    ):  # fmt: skip
        found = sum(
            len(side.sentences) + side.only_placeholders + side.paragraph_numbers for side in sides
        )
        assert found == len(parts)
    assert all(pair.is_paired or pair.problem for pair in pairs)


def test_all_claim_triples_of_real_documents_pair_up(shared_data: Path) -> None:
    folder = shared_data / "patents" / "ep_fulltext"
    gold = [
        json.loads(line)
        for line in (folder / "claims_parallel_de_en_fr.jsonl").read_text("utf-8").splitlines()
    ]
    paired = dict.fromkeys(("de", "fr"), 0)
    for path in sorted(folder.glob("*B?.xml")):
        for document in read_documents(path):
            assert isinstance(document, Document)
            for language in paired:
                pairs = paired_sections(document, document, "en", language)
                claims = [pair for pair in pairs if pair.section == "claims"]
                paired[language] += sum(pair.is_paired and pair.number > 0 for pair in claims)
    assert paired == {"de": len(gold), "fr": len(gold)}
    assert len(gold) == 178
