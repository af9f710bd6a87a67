"""Sentence pairs as TMX 1.4 for translation tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from patmark._version import __version__
from patmark.collections.corpus.pair_rows import PairRow, iter_pair_rows
from patmark.data import FilePath, Notice, atomic_writer
from patmark.evaluation import pair_language_warnings

_LOOKED_AT = 1000
# characters that XML does not allow
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class TranslationUnit:
    """A sentence and its translation; ``notes`` are other facts, by name."""

    source: str
    target: str
    id: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)


def write_tmx(path: FilePath, units: Iterable[TranslationUnit], languages: tuple[str, str]) -> int:
    """Write pairs to a stream, without one-sided ones; return the number written."""
    count = 0
    with atomic_writer(path) as file:
        file.write(_HEAD.format(version=__version__, source=quoteattr(languages[0])))
        for unit in units:
            if unit.source.strip() and unit.target.strip():
                count += 1
                file.writelines(_lines(unit, languages))
        file.write("</body>\n</tmx>\n")
    return count


@dataclass(frozen=True, slots=True)
class TmxExport:
    """Counts of pairs that were written or left out, and warnings of the languages."""

    pairs: int
    left_out: Mapping[str, int]
    warnings: tuple[Notice, ...]


def pairs_to_tmx(
    pairs: FilePath,
    out: FilePath,
    languages: tuple[str, str],
    least: float | None = None,
    split: str = "train",
) -> TmxExport:
    """Write the pairs of a file, without those below the minimum score.

    From a build, the pairs of one ``split`` are written: a memory with dev and test pairs would
    reveal them. ``all`` writes every pair, including excluded ones.
    """
    left_out: Counter[str] = Counter()
    first: list[PairRow] = []

    def units() -> Iterator[TranslationUnit]:
        for row in iter_pair_rows(pairs):
            divided = row.split or row.left_out
            if split != "all" and divided and row.split != split:
                left_out[divided] += 1
            elif least is not None and row.score < least:
                left_out["score"] += 1
            else:
                if len(first) < _LOOKED_AT:
                    first.append(row)
                yield TranslationUnit(row.source, row.target, row.id, _known(row))

    count = write_tmx(out, units(), languages)
    sides = [row.source for row in first], [row.target for row in first]
    return TmxExport(
        count, dict(sorted(left_out.items())), pair_language_warnings(sides, languages)
    )


def _known(row: PairRow) -> dict[str, str]:
    notes = {"score": f"{row.score:.6g}", "section": row.section, "family": row.family}
    return {name: value for name, value in notes.items() if value}


_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4">
<header creationtool="patmark" creationtoolversion="{version}" segtype="sentence" \
o-tmf="patmark" adminlang="en" srclang={source} datatype="plaintext"/>
<body>
"""


def _lines(unit: TranslationUnit, languages: tuple[str, str]) -> Iterator[str]:
    yield f"<tu tuid={quoteattr(_plain(unit.id))}>\n" if unit.id else "<tu>\n"
    for name, value in unit.notes.items():
        yield f"<prop type={quoteattr(name)}>{escape(_plain(value))}</prop>\n"
    for language, text in zip(languages, (unit.source, unit.target), strict=True):
        yield f"<tuv xml:lang={quoteattr(language)}><seg>{escape(_plain(text))}</seg></tuv>\n"
    yield "</tu>\n"


def _plain(text: str) -> str:
    return _CONTROL.sub("", " ".join(text.split()))
