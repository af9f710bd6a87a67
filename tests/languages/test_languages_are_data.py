"""Engines hold no word and no code of a language: these are in ``languages/CODE/``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import patmark
from patmark.languages import packs

_SOURCE = Path(patmark.__file__).parent
_ELSEWHERE = ("languages", "examples", "locale")
_CJK = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")

_WORDS = {
    "protocols/patsnap/bench_files.py": "labels and fields of the published bench: 词, 句, 段",
    "data/dictionaries.py": "the form of a line of EDICT, in a message",
}
_CODES = {
    "protocols/patsnap/bench_files.py": "directions of the published bench: cn2en",
    "protocols/ntcir9.py": "the measures that the task prescribes for each target language",
    "protocols/ntcir7/demo.py": "topics of the demo are in two languages",
    "llm/terms.py": "fields of the published bench",
    "collections/corpus/build/metadata.py": "@language of a Croissant file",
    "collections/patents/formats/bibliography.py": "language of translated titles",
    "systems/judge/translations.py": "the language of the bundled prompts",
    "alignment/words.py": "names of Snowball stemmers, of languages without a pack too",
    "facts/glosses.py": "es, an English ending",
    "app/cli/doctor.py": "names of fonts, as fontconfig lists them",
    "app/page/app.py": "languages of texts that the page offers, by their own names",
}


@cache
def _strings() -> dict[str, tuple[str, ...]]:
    """Return the string constants of every module outside the packs, without docstrings."""
    return {
        path.relative_to(_SOURCE).as_posix(): tuple(_constants(ast.parse(path.read_text("utf-8"))))
        for path in sorted(_SOURCE.rglob("*.py"))
        if path.relative_to(_SOURCE).parts[0] not in _ELSEWHERE and path.name != "wording.py"
    }


def _constants(tree: ast.AST) -> Iterator[str]:
    documentation = {
        id(node.value) for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }  # fmt: skip
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documentation
        ):
            yield node.value


def test_words_of_a_language_are_in_its_pack() -> None:
    found = [name for name, texts in _strings().items() if any(map(_CJK.search, texts))]
    assert sorted(found) == sorted(_WORDS), (
        "a string with kana or Chinese characters: put the word into a table of languages/CODE/,"
        " or state here which format or protocol prescribes it; strike a module without any"
    )


def test_codes_of_languages_are_in_the_registry() -> None:
    codes = {pack.code for pack in packs()}
    found = [name for name, texts in _strings().items() if codes.intersection(texts)]
    assert sorted(found) == sorted(_CODES), (
        "a language code: ask the pack for the property that the code stands for, or state here"
        " which format or protocol prescribes it; strike a module without any"
    )
