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
        corpus/build/pair_files.py data/csv_records.py data/documents.py data/score_tables.py
        judgements/formats/csv.py judgements/model.py retrieval/rankings.py retrieval/topics.py
        alignment/gold.py documents/formats/xliff.py documents/formats/pdf.py
    """,
    "names of files, columns, languages, systems, measures, sections and classes": """
        data/languages.py data/tables.py evaluation/file_roles.py judgements/formats/appraise.py
        measures/describing.py measures/registry.py report/html.py report/latex.py
        retrieval/cited_topics.py retrieval/families.py retrieval/ipc.py
    """,
    "thresholds of gates": """
        evaluation/gates.py
    """,
    "answers of programs and of services, addresses, keys": """
        campaign/web/saving.py judge/parsing.py llm/endpoint.py llm/retries.py llm/transport.py
        measures/command.py systems/service.py
    """,
    "characters of words: tokenizers and word lists": """
        alignment/words.py claims/dependencies.py claims/profiles.py claims/terms.py
        documents/segmented_outputs.py evaluation/analysis.py llm/terms.py measures/terms.py
        retrieval/index_terms.py systems/dictionary.py text/english.py text/tokenizers.py
    """,
    "layout of texts: pages, paragraphs, headings, lists, sentences": """
        documents/formats/html.py documents/formats/page_layout.py documents/layout.py
        report/markdown.py text/phrases.py text/sentences.py
    """,
    "layout of claims, below facts in the order of imports": "text/claim_splitting.py",
    "labels of clauses, claim numbers that were not split off, names of chemical compounds": """
        claims/antecedents.py claims/categories.py claims/lint/wording.py claims/parser.py
    """,
    "whether a number follows at all, before the engine reads it": """
        claims/lint/rule.py claims/scope.py
    """,
    "groups of digits, masked or of languages whose numbers the engine does not know": """
        corpus/build/pair_filters.py corpus/near_duplicates.py
    """,
}


def _readers() -> set[str]:
    """Files with a pattern that matches digits."""
    return {
        path.relative_to(_SOURCE).as_posix()
        for path in _SOURCE.rglob("*.py")
        if _DIGITS.search(_LETTERS.sub("", path.read_text(encoding="utf-8")))
        and path.relative_to(_SOURCE).parts[0] not in ("facts", "patents")
    }


def test_other_packages_read_digits_of_file_syntax_only() -> None:
    allowed = [name for names in _ALLOWED.values() for name in names.split()]
    assert len(set(allowed)) == len(allowed)
    assert sorted(_readers()) == sorted(allowed), (
        "a pattern with digits: read numbers, signs, units and claim references with patmark.facts,"
        " or name the syntax that the file reads here; a file that reads none must not be here"
    )
