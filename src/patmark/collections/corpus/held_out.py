"""Held-out part of a build: documents of dev and test in both languages, and their pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from patmark.alignment import Lexicon, senses_for
from patmark.collections.corpus.build.export import pairs_place
from patmark.collections.corpus.build.facts import read_facts
from patmark.collections.corpus.build.pipeline import STEPS_FOLDER
from patmark.collections.corpus.term_pairs import KnownWords, TermPair, propose_terms
from patmark.data import iter_json_lines
from patmark.engine import iter_rows
from patmark.errors import InputError

HELD_OUT = ("dev", "test")
# reasons to leave a pair out of dev and test that do not concern its quality
_SOUND = frozenset({"", "per-patent", "unused", "pattern"})
_TERM_PAIRS = 20_000
_COLUMNS = ("id", "split", "left_out", "source_id", "target_id", "pair_id", "number", "ipc",
            "section", "source", "target")  # fmt: skip


@dataclass(frozen=True)
class HeldOut:
    """The sentence pairs of held-out documents in their order, and the documents themselves.

    ``documents`` are by id and language, as rows of a collection. ``others`` are the best sentence
    pairs of all splits, to learn terms from.
    """

    languages: tuple[str, str]
    pairs: tuple[Mapping[str, Any], ...]
    documents: Mapping[tuple[str, str], Mapping[str, Any]]
    others: tuple[tuple[str, str], ...]
    known: KnownWords

    @cached_property
    def terms(self) -> list[TermPair]:
        """The pairs of terms that the collection proposes."""
        own = [(pair["source"], pair["target"]) for pair in self.pairs]
        return propose_terms(list(dict.fromkeys([*own, *self.others])), self.known)


def read_held_out(folder: Path, dictionary: str | None = None) -> HeldOut:
    """Read the held-out part of a collection by ``patmark corpus build``.

    ``dictionary`` is for the words of terms, by default that of the languages.
    """
    facts = read_facts(folder)
    source, target = facts["languages"]
    documents: dict[tuple[str, str], Mapping[str, Any]] = {}
    for split in HELD_OUT:
        for language in (source, target):
            path = folder / "context" / f"{split}.{language}.jsonl"
            if not path.exists():
                raise InputError.at("no such file; patmark corpus build writes it", str(path))
            rows = (row for _, row in iter_json_lines(path)) if path.stat().st_size else ()
            documents |= {(row["id"], language): row for row in rows}
    if not documents:
        raise InputError.at("holds no documents for dev or test", str(folder))
    own: list[Mapping[str, Any]] = []
    others: list[tuple[str, str]] = []
    for row in iter_rows(pairs_place(folder), _COLUMNS):
        sound = row["left_out"] in _SOUND
        if sound and row["split"] != "train" and (row["source_id"], source) in documents:
            own.append(row)
        elif sound and len(others) < _TERM_PAIRS:
            others.append((row["source"], row["target"]))
    own.sort(key=lambda row: (row["pair_id"], row["number"]))
    lexicon = next(iter(sorted((folder / STEPS_FOLDER).glob("lexicon-*/lexicon.tsv"))), None)
    known = KnownWords(
        (source, target),
        senses_for(dictionary, source, target),
        None if lexicon is None else Lexicon.load(lexicon),
    )
    return HeldOut((source, target), tuple(own), documents, tuple(others), known)
