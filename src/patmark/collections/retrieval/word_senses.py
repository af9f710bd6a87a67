"""Word senses by IPC: the translation of a word that documents of the topic's field use.

A collection is counted: in which share of its documents each translation occurs, in all and in
those of each IPC section, class and subclass. Shares of narrow fields with few documents are
smoothed with those of the wider field. A translation scores by its share in the field of the topic,
by how much more frequent it is there than elsewhere, and by its place in the dictionary. Of topics
without an IPC code the field is the whole collection. Translations that occur in fewer than two
documents never replace the first one of the dictionary.
"""

from __future__ import annotations

import hashlib
import heapq
import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from patmark.collections.retrieval.index_terms import TermProcedure, word_procedure
from patmark.collections.retrieval.ipc import IpcLevel, ipc_prefixes
from patmark.data import PatentDocument

SAMPLE = 20_000
VERSION = 1
_ALL = ""
_LEVELS: tuple[IpcLevel, ...] = ("section", "class", "subclass")
_CHARACTERS = 2_000
_WIDER_FIELD = 20.0
_LEAST_DOCUMENTS = 2

_prefixes = lru_cache(maxsize=2**16)(ipc_prefixes)


@dataclass(frozen=True, slots=True)
class SenseCounts:
    """Documents of a collection by IPC code, and those of them that hold a translation.

    ``documents`` counts by code, with the empty code for all; ``holding`` by code and terms.
    ``ids_sha256`` stands for the counted documents.
    """

    procedure: TermProcedure
    documents: Mapping[str, int]
    holding: Mapping[tuple[str, str], int]
    ids_sha256: str

    @property
    def total(self) -> int:
        """Number of counted documents."""
        return self.documents[_ALL]

    @property
    def signature(self) -> str:
        """The rule with its version, the counted documents and the terms."""
        return (
            f"senses=ipc/{VERSION}(docs={self.total},ids={self.ids_sha256[:12]},"
            f"terms={self.procedure.signature})"
        )

    def choose(self, senses: Sequence[str], ipc: Sequence[str]) -> str:
        """Return the most likely of the translations of a word, given the codes of a topic."""
        first, *others = (self._terms(sense) for sense in senses)
        if not first:
            return senses[0]
        fields = [chain for chain in map(_chain, ipc) if chain] or [()]
        scores = {senses[0]: self._score(first, 0, fields)}
        for place, (sense, terms) in enumerate(zip(senses[1:], others, strict=True), 1):
            if self.holding.get((_ALL, terms), 0) >= _LEAST_DOCUMENTS:
                scores[sense] = self._score(terms, place, fields)
        return max(scores, key=scores.__getitem__)

    def _terms(self, sense: str) -> str:
        return " ".join(self.procedure.terms(sense))

    def _score(self, terms: str, place: int, fields: Sequence[Sequence[str]]) -> float:
        everywhere = self._share(terms, ())
        here = math.fsum(self._share(terms, field) for field in fields) / len(fields)
        return 2 * math.log(here) - math.log(everywhere) - math.log(place + 1)

    def _share(self, terms: str, field: Sequence[str]) -> float:
        """Return the share of the documents of a field that hold the terms, smoothed."""
        share = (self.holding.get((_ALL, terms), 0) + 0.5) / (self.total + 1)
        for code in field:
            count = self.holding.get((code, terms), 0) + _WIDER_FIELD * share
            share = count / (self.documents.get(code, 0) + _WIDER_FIELD)
        return share


def count_senses(
    documents: Iterable[PatentDocument], senses: Collection[str], language: str
) -> SenseCounts:
    """Count translations in a collection, or in a sample of 20,000 documents drawn by their ids.

    Only the first 2,000 characters of a document are read: title, abstract and first claim.
    """
    procedure = word_procedure(language)
    wanted = {" ".join(procedure.terms(sense)) for sense in senses} - {""}
    longest = max((terms.count(" ") + 1 for terms in wanted), default=0)
    drawn = heapq.nsmallest(SAMPLE, map(_drawn, documents))
    by_code, holding = Counter({_ALL: 0}), Counter[tuple[str, str]]()
    for _, _, codes, text in drawn:
        found = _sequences(procedure.terms(text), longest) & wanted
        for code in (_ALL, *codes):
            by_code[code] += 1
            holding.update((code, terms) for terms in found)
    digest = hashlib.sha256("".join(f"{row[1]}\n" for row in drawn).encode())
    return SenseCounts(procedure, by_code, holding, digest.hexdigest())


def _drawn(document: PatentDocument) -> tuple[bytes, str, tuple[str, ...], str]:
    """Return the number that decides who is drawn, and what is counted of a document."""
    number = hashlib.blake2b(document.id.encode(), digest_size=8).digest()
    codes = {code for one in document.ipc or document.cpc for code in _chain(one)}
    return number, document.id, tuple(sorted(codes)), document.text[:_CHARACTERS]


def _chain(code: str) -> tuple[str, ...]:
    """Return section, class and subclass of a code, as far as it goes; nothing of no code."""
    prefixes = _prefixes(code) or {}
    return tuple(prefixes[level] for level in _LEVELS if level in prefixes)


def _sequences(terms: Sequence[str], longest: int) -> set[str]:
    """Return all sequences of up to ``longest`` terms."""
    found: set[str] = set()
    for size in range(1, longest + 1):
        shifted = [islice(terms, start, None) for start in range(size)]
        found.update(map(" ".join, zip(*shifted, strict=False)))
    return found
