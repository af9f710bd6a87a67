"""Words and sentences in English, Chinese and Japanese, for invented patents.

The words are in ``vocabulary.tsv``, the sentences in ``sentences.tsv``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple


class Trilingual(NamedTuple):
    """One notion or sentence in three languages."""

    en: str
    zh: str
    ja: str


class Domain(NamedTuple):
    """A field of technology: its IPC subclass and the parts that its inventions are made of."""

    subclass: str
    device: Trilingual
    parts: tuple[Trilingual, ...]


@cache
def _rows() -> tuple[tuple[str, ...], ...]:
    files = (Path(__file__).with_name(f"{name}.tsv") for name in ("vocabulary", "sentences"))
    lines = (line for file in files for line in file.read_text("utf-8").splitlines()[1:])
    return tuple(tuple(line.split("\t")) for line in lines)


@cache
def terms(kind: str, name: str = "") -> tuple[Trilingual, ...]:
    """Return the words or sentences of a kind, in the order of the table."""
    return tuple(Trilingual(*texts) for a, b, *texts in _rows() if (a, b) == (kind, name))


@cache
def domains() -> tuple[Domain, ...]:
    """Return the fields of technology."""
    devices = {name: Trilingual(*texts) for kind, name, *texts in _rows() if kind == "device"}
    return tuple(Domain(name, device, terms("part", name)) for name, device in devices.items())


def coined_word(number: int) -> Trilingual:
    """Return an invented name of a component; another one for each number."""
    syllables = terms("syllable")
    digits: list[int] = []
    base = len(syllables)
    while number or len(digits) < 3:
        number, digit = divmod(number, base)
        digits.append((digit * 7 + len(digits) * 3) % base)
    chosen = [syllables[digit] for digit in digits]
    return Trilingual(*("".join(parts) for parts in zip(*chosen, strict=True)))
