"""Only ``facts`` and ``patents`` read numbers, signs, units and claim references from text."""

from __future__ import annotations

import re
from pathlib import Path

import patmark

_SOURCE = Path(patmark.__file__).parent
_LETTERS = re.compile(r"\[\^\\W\\d_[^\]]*\]")  # [^\W\d_] is a letter
_DIGITS = re.compile(r"\\d(?![a-z])|0-9|０-９")

_ALLOWED = {
    "numbers, dates and versions of file formats": """
        collections/corpus/build/pair_files.py data/csv_records.py data/documents.py
        data/score_tables.py
        human/judgements/formats/csv.py human/judgements/model.py
        collections/retrieval/rankings.py collections/retrieval/topics.py
        alignment/gold.py documents/formats/xliff.py documents/formats/pdf.py
    """,
    "names of files, columns, languages, systems, measures, sections and classes": """
        data/tables.py evaluation/file_roles.py
        human/judgements/formats/appraise.py
        measures/describing.py measures/registry.py report/html.py report/latex.py
        collections/retrieval/cited_topics.py collections/retrieval/families.py
        collections/retrieval/ipc.py
    """,
    "thresholds of gates": """
        evaluation/gates.py
    """,
    "answers of programs and of services, addresses, keys": """
        human/campaign/web/saving.py systems/judge/parsing.py llm/endpoint.py llm/retries.py
        llm/transport.py
        measures/command.py systems/service.py
    """,
    "characters of words: tokenizers and word lists": """
        alignment/words.py claims/dependencies.py claims/profiles.py claims/terms.py
        documents/reference_scores.py evaluation/analysis.py llm/terms.py measures/terms.py
        collections/retrieval/index_terms.py systems/dictionary.py languages/english.py
        languages/registry.py
        languages/tokenizers.py languages/en/numerals.py languages/zh/numerals.py
    """,
    "layout of texts: pages, paragraphs, headings, lists, sentences": """
        documents/formats/html.py documents/formats/page_layout.py documents/layout.py
        report/markdown.py languages/phrases.py languages/sentences.py
    """,
    "notation of signs, ordinals and figures, for all parsers": "languages/notation.py",
    "layout of claims, below facts in the order of imports": "languages/claim_splitting.py",
    "labels of clauses, claim numbers that were not split off, names of chemical compounds": """
        claims/antecedents.py claims/categories.py claims/lint/wording.py claims/parser.py
    """,
    "whether a number follows at all, before the engine reads it": """
        claims/lint/rule.py claims/scope.py
    """,
    "groups of digits, masked or of languages whose numbers the engine does not know": """
        collections/corpus/build/pair_filters.py collections/corpus/near_duplicates.py
    """,
}


def _readers() -> set[str]:
    """Files with a pattern that matches digits."""
    return {
        path.relative_to(_SOURCE).as_posix()
        for path in _SOURCE.rglob("*.py")
        if _DIGITS.search(_LETTERS.sub("", path.read_text(encoding="utf-8")))
        and not path.is_relative_to(_SOURCE / "facts")
        and not path.is_relative_to(_SOURCE / "collections" / "patents")
    }


def test_other_packages_read_digits_of_file_syntax_only() -> None:
    allowed = [name for names in _ALLOWED.values() for name in names.split()]
    assert len(set(allowed)) == len(allowed)
    assert sorted(_readers()) == sorted(allowed), (
        "a pattern with digits: read numbers, signs, units and claim references with patmark.facts,"
        " or name the syntax that the file reads here; a file that reads none must not be here"
    )
