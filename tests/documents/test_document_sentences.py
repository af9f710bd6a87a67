"""Sentences of whole documents: nothing of a text is lost between them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from invented_patent import PATENT, write_docx, write_html, write_markdown, write_text
from patmark.documents import WholeDocument, read_document
from patmark.documents.document_sentences import DocumentSide
from patmark.documents.formats.bilingual import NewBlock, document_of
from patmark.documents.model import Place

CLAIMS_JA = (
    "1. 第一部材と、第二部材とを備える装置。",
    "2. 前記第一部材が金属である、請求項1に記載の装置。",
    "3. 前記第二部材が樹脂である、請求項1に記載の装置。",
)
CLAIMS_EN = (
    "1. A device comprising a first member and a second member.",
    "2. The device according to claim 1, wherein the first member is metal.",
    "3. The device according to claim 1, wherein the second member is resin.",
)
CLAIMS = {"ja": CLAIMS_JA, "en": CLAIMS_EN}
HEADING = {"ja": "特許請求の範囲", "en": "Claims"}


def one_block(language: str) -> WholeDocument:
    """Return claims that line breaks separate inside a paragraph."""
    texts = HEADING[language], "\n".join(CLAIMS[language])
    return document_of("a", [NewBlock(text, "paragraph", Place()) for text in texts], language)


def uneven_blocks(language: str) -> WholeDocument:
    """Return claims that begin and end inside of blocks, with a paragraph number before them."""
    first, second, third = CLAIMS[language]
    texts = (
        f"[0012] {HEADING[language]}", HEADING[language], f"{HEADING[language]}: \n{first[:12]}",
        f"{first[12:]}\n{second}", f"{third}\n\nHere are the 3 claims. I hope that they help.",
    )  # fmt: skip
    return document_of("a", [NewBlock(text, "paragraph", Place()) for text in texts], language)


def stated(language: str) -> WholeDocument:
    """Return a document that states its sections, as office XML does."""
    blocks = [
        NewBlock("A 1", "heading", Place(), "title"),
        NewBlock("B 2.", "paragraph", Place(), "abstract"),
        *(NewBlock(text, "claim", Place(), "claims") for text in CLAIMS[language]),
    ]
    return document_of("a", blocks, language)


def numbered(language: str) -> WholeDocument:
    """Return plain text with numbers of paragraphs."""
    text = "\n".join(["【０００１】", *CLAIMS[language], "", HEADING[language], *CLAIMS[language]])
    return WholeDocument("a", text)


def lost(side: DocumentSide) -> str:
    """Return the letters and digits outside of sentences and numbers of paragraphs."""
    numbers = chain.from_iterable(range(*span) for span in side.numbers)
    inside = {place for one in side.sentences for place in one.offsets[:-1]}.union(numbers)
    text = side.document.text
    return "".join(text[at] for at in range(len(text)) if text[at].isalnum() and at not in inside)


@pytest.mark.parametrize("whole_claims", [False, True])
@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("layout", [one_block, uneven_blocks, stated, numbered])
def test_every_letter_and_digit_is_in_a_sentence_or_a_paragraph_number(
    layout: Callable[[str], WholeDocument], language: str, whole_claims: bool
) -> None:
    side = DocumentSide.of(layout(language), language, whole_claims=whole_claims)
    assert lost(side) == ""
    assert sum(map(len, side.texts)) <= len(side.document.text)


@pytest.mark.parametrize("whole_claims", [False, True])
@pytest.mark.parametrize("language", PATENT)
@pytest.mark.parametrize(
    ("ending", "write"),
    [("docx", write_docx), ("html", write_html), ("md", write_markdown), ("txt", write_text)],
)
def test_every_letter_and_digit_of_a_file_is_in_a_sentence_or_a_paragraph_number(
    tmp_path: Path, ending: str, write: Callable[..., Path], language: str, whole_claims: bool
) -> None:
    document = read_document(write(tmp_path / f"a.{ending}", PATENT[language]))
    assert lost(DocumentSide.of(document, language, whole_claims=whole_claims)) == ""


def test_all_claims_of_a_block_are_sentences_with_anchors() -> None:
    side = DocumentSide.of(one_block("ja"), "ja", whole_claims=True)
    assert side.texts == [HEADING["ja"], *CLAIMS_JA]
    assert all(side.anchors) and len(set(side.anchors)) == 4


@pytest.mark.parametrize("language", ["ja", "en"])
def test_claim_1_is_a_claim_where_the_file_states_its_sections(language: str) -> None:
    side = DocumentSide.of(stated(language), language, whole_claims=True)
    assert [claim.number for claim in side.claims] == [1, 2, 3]
    assert side.sections[-1].heading == (side.sections[-1].start,) * 2


def test_a_heading_of_a_stated_section_is_no_claim() -> None:
    blocks = [NewBlock(text, "claim", Place(), "claims") for text in ("Claims", *CLAIMS_EN)]
    side = DocumentSide.of(document_of("a", blocks, "en"), "en", whole_claims=True)
    assert side.texts == ["Claims", *CLAIMS_EN]


PARTS = {
    "claims": "CLAIMS\n1. A pump comprising a housing.\n2. The pump of claim 1, which is red.\n",
    "description": "DESCRIPTION\nThe pump has a housing.\n",
    "abstract": "ABSTRACT\nA pump is described.\n",
}


def test_parts_stand_in_the_order_of_the_other_document() -> None:
    def side(*parts: str) -> DocumentSide:
        return DocumentSide.of(WholeDocument("a", "\n".join(map(PARTS.__getitem__, parts))), "en")

    first = side("abstract", "description", "claims")
    other = side("claims", "description", "abstract").in_order_of(first)
    assert other.texts == first.texts
    assert [other.texts[place] for place in sorted(other.cuts)] == ["DESCRIPTION", "CLAIMS"]
    assert side("abstract", "claims").in_order_of(first).cuts == frozenset()


def test_the_place_of_a_bead_never_reaches_over_a_moved_part() -> None:
    texts = [
        "".join(PARTS[part] for part in parts)
        for parts in (("abstract", "claims", "description"), ("description", "claims", "abstract"))
    ]
    first, second = (DocumentSide.of(WholeDocument("a", text), "en") for text in texts)
    moved = second.in_order_of(first)
    for cut in moved.cuts:
        start, end = moved.span((cut - 1, cut)) or (0, 0)
        assert texts[1][start:end] == moved.texts[cut - 1]
    together = moved.span((0, 1)) or (0, 0)
    assert texts[1][slice(*together)].split("\n") == moved.texts[:2]


@pytest.mark.parametrize("end", ["", "\n2. 根据权利要求1所述的泵，其特征在于，"])
def test_a_lead_stays_with_the_limitation_that_follows(end: str) -> None:
    text = f"1. 一种泵，包括壳体（10）；转子（20）；其特征在于，转子（20）的直径为5 mm。{end}"
    blocks = [NewBlock(part, "paragraph", Place()) for part in ("权利要求书", text)]
    texts = DocumentSide.of(document_of("a", blocks, "zh"), "zh").texts
    assert "其特征在于，转子（20）的直径为5 mm。" in [one.strip() for one in texts]
    assert "".join("".join(texts).split()) == "".join(f"权利要求书{text}".split())
