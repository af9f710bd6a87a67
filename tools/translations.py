"""Keep the translations in step with the texts that the code marks with ``tr`` and ``tr_n``.

    python tools/translations.py

New texts are added to ``src/patmark/locale/*.po`` with an empty translation, texts that are gone
are taken out, and what is still to be translated is listed.
"""

from __future__ import annotations

import csv
import io
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

SOURCE = Path(__file__).parents[1] / "src" / "patmark"
LOCALE = SOURCE / "locale"
TRANSLATED = ("zh", "ja")
KEYWORDS: dict[str, Any] = {"tr": (1,), "tr_n": (1, 2)}
_METHODS = {".py": "python", ".js": "javascript", ".j2": "jinja2.ext:babel_extract"}
_OPTIONS: dict[str, dict[str, Any]] = {
    ".js": {"parse_template_string": True},
    ".j2": {"silent": "false", "trim_blocks": "true", "lstrip_blocks": "true"},
}


def marked_texts() -> Iterator[tuple[Path, int, str | tuple[str, ...]]]:
    """Every marked text with its place; of a plural, both forms."""
    for file in sorted(SOURCE.rglob("*")):
        method = _METHODS.get(file.suffix)
        if method:
            with file.open("rb") as lines:
                options = _OPTIONS.get(file.suffix, {})
                for line, message, _, _ in extract(method, lines, KEYWORDS, (), options):
                    yield file, line, message
    for file in sorted(SOURCE.glob("protocols/studies/published/*/listing.csv")):
        with file.open(encoding="utf-8") as text:
            for line, row in enumerate(csv.DictReader(text), 2):
                yield from ((file, line, row[column]) for column in ("content", "how"))
    for file in sorted((SOURCE / "claims" / "rules").glob("*.toml")):
        rule = tomllib.loads(file.read_text("utf-8"))
        message = rule["message"]
        yield from (
            (file, 1, text)
            for text in (message.values() if isinstance(message, dict) else [message])
        )
        yield file, 1, rule["title"]
        for office in ("epo", "jpo", "cnipa"):
            citations = filter(None, rule["basis"].get(office, "").split("; "))
            yield from ((file, 1, citation) for citation in citations)


@cache
def template() -> Catalog:
    """All marked texts, not translated."""
    catalogue = Catalog(charset="utf-8")
    for _, _, message in marked_texts():
        catalogue.add(message)
    return catalogue


def translations(language: str) -> Catalog:
    """Read the translations of a language."""
    with (LOCALE / f"{language}.po").open("rb") as file:
        return read_po(file, language)


def in_step(language: str) -> bytes:
    """Return the catalogue of a language with exactly the marked texts."""
    old = translations(language)
    new = Catalog(language, header_comment="", charset="utf-8")
    for message in template():
        if message.id:
            known = old.get(message.id)
            string = known.string if known and known.id == message.id else None
            new.add(message.id, string).flags.clear()
    written = io.BytesIO()
    write_po(written, new, width=0, no_location=True, omit_header=True, sort_output=True)
    return HEADER.format(language=language).encode() + written.getvalue()


HEADER = (
    'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n'
    '"Content-Type: text/plain; charset=utf-8\\n"\n"Plural-Forms: nplurals=1; plural=0;\\n"\n\n'
)


def first_form(text: str | tuple[str, ...] | list[str]) -> str:
    """Return a text, or the first form of a plural."""
    return text if isinstance(text, str) else text[0]


def main() -> int:
    """Write both files, and list what is to be translated."""
    lacking = []
    for language in TRANSLATED:
        (LOCALE / f"{language}.po").write_bytes(in_step(language))
        lacking += [
            f"{language}: {first_form(message.id)}"
            for message in translations(language)
            if message.id and not first_form(message.string)
        ]
    print(*lacking, sep="\n")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
