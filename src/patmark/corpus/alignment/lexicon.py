"""Translation probabilities of words: from a dictionary, from equal strings, from a learnt file."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from patmark.corpus.alignment.senses import Senses
from patmark.corpus.alignment.sparse import entries
from patmark.corpus.alignment.words import Side
from patmark.data import FilePath, FloatArray, read_lines, shown, write_atomically
from patmark.errors import InputError, Problem

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_HEADER = "source\ttarget\tforward\tbackward"
_LEAST = 0.001


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Pairs of words with p(target word | source word) and the other way round.

    Words are in the form in which aligners compare them (stems, base forms).
    """

    pairs: Mapping[tuple[str, str], tuple[float, float]]

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def digest(self) -> str:
        """A few letters that differ for another content, for signatures."""
        return hashlib.sha256(self._text().encode()).hexdigest()[:8]

    def save(self, path: FilePath) -> None:
        """Write source, target, forward, backward with tabs between them, in alphabetical order."""
        write_atomically(path, self._text())

    def _text(self) -> str:
        rows = (
            f"{source}\t{target}\t{forward:.4f}\t{backward:.4f}\n"
            for (source, target), (forward, backward) in sorted(self.pairs.items())
        )
        return "".join([_HEADER + "\n", *rows])

    @classmethod
    def load(cls, path: FilePath) -> Lexicon:
        """Read what :meth:`save` wrote; every line that is something else is named."""
        lines = read_lines(path)
        if not lines or lines[0] != _HEADER:
            shown_header = _HEADER.replace("\t", ", ")
            raise InputError.at(f"expected the header {shown_header} with tabs", shown(path), 1)
        pairs: dict[tuple[str, str], tuple[float, float]] = {}
        problems: list[Problem] = []
        for number, line in enumerate(lines[1:], 2):
            row = _parsed(line)
            if row is None:
                message = "expected two words and two numbers from 0 to 1, with tabs"
                problems.append(Problem(message, shown(path), number))
            elif row[:2] in pairs:
                problems.append(Problem("the same pair of words again", shown(path), number))
            else:
                pairs[row[:2]] = row[2:]
        if problems:
            raise InputError(problems)
        return cls(pairs)


def _parsed(line: str) -> tuple[str, str, float, float] | None:
    fields = line.split("\t")
    if len(fields) != 4 or not all(fields):
        return None
    try:
        forward, backward = float(fields[2]), float(fields[3])
    except ValueError:
        return None
    inside = all(math.isfinite(value) and 0 <= value <= 1 for value in (forward, backward))
    return (fields[0], fields[1], forward, backward) if inside else None


@dataclass(frozen=True, slots=True)
class WordPairs:
    """For the words of two texts: p(t|s) and p(s|t), both with a row for each source word."""

    forward: csr_array
    backward: csr_array

    def after(self, learnt: WordPairs, least: float) -> WordPairs:
        """Learnt probabilities, and these for the share of each word that was not learnt.

        At least the share ``least`` of these is kept, since what was learnt may be wrong.
        """
        from scipy.sparse import diags_array

        free_source = np.maximum(1 - np.asarray(learnt.forward.sum(axis=1)), least)
        free_target = np.maximum(1 - np.asarray(learnt.backward.sum(axis=0)), least)
        return WordPairs(
            (learnt.forward + diags_array(free_source) @ self.forward).tocsr(),
            (learnt.backward + self.backward @ diags_array(free_target)).tocsr(),
        )

    def to_lexicon(self, source: Side, target: Side) -> Lexicon:
        """The pairs that are worth writing down."""
        both = (self.forward + self.backward).tocoo()
        rows, columns = both.coords
        forward = entries(self.forward, rows, columns)
        backward = entries(self.backward, rows, columns)
        pairs = {
            (source.vocabulary[s], target.vocabulary[t]): (float(f), float(b))
            for s, t, f, b in zip(rows, columns, forward, backward, strict=True)
            if max(f, b) >= _LEAST
        }
        return Lexicon(pairs)


def known_pairs(
    source: Side, target: Side, senses: Senses | None, lexicon: Lexicon | None, doubt: float
) -> WordPairs:
    """What is known before the texts are looked at.

    ``doubt`` is the weight of translations that are in no dictionary.
    """
    weights = dictionary_weights(source, target, senses)
    known = WordPairs(_shares(weights, doubt), _shares(weights.T.tocsr(), doubt).T.tocsr())
    if lexicon is None:
        return known
    return known.after(_from_lexicon(source, target, lexicon), 0.0)


def dictionary_weights(source: Side, target: Side, senses: Senses | None) -> csr_array:
    """How surely each target word (column) is a translation of each source word (row), up to 1.

    Words that are written alike, such as numbers, reference signs and names, are translations. The
    dictionary may go either way.
    """
    alike = _equal_words(source, target)
    if senses is None:
        return alike
    if senses.dictionary.source == target.language:
        listed = _listed(target, source, senses).T
    else:
        listed = _listed(source, target, senses)
    return alike.maximum(listed.tocsr()).tocsr()


def _shares(weights: csr_array, doubt: float) -> csr_array:
    from scipy.sparse import diags_array

    return (diags_array(1 / (np.asarray(weights.sum(axis=1)) + doubt)) @ weights).tocsr()


def _numbers(side: Side) -> dict[str, int]:
    return {word: number for number, word in enumerate(side.vocabulary)}


def _matrix(cells: Mapping[tuple[int, int], float], source: Side, target: Side) -> csr_array:
    from scipy.sparse import csr_array

    places = np.array(list(cells), dtype=np.int64).reshape(-1, 2)
    values: FloatArray = np.array(list(cells.values()), dtype=np.float64)
    shape = (len(source.vocabulary), len(target.vocabulary))
    return csr_array((values, (places[:, 0], places[:, 1])), shape=shape)


def _equal_words(source: Side, target: Side) -> csr_array:
    numbers = _numbers(target)
    cells = {
        (place, numbers[word]): 1.0
        for place, word in enumerate(source.vocabulary)
        if word in numbers
    }
    return _matrix(cells, source, target)


def _listed(source: Side, target: Side, senses: Senses) -> csr_array:
    numbers = _numbers(target)
    cells = {
        (place, numbers[other]): weight
        for place, word in enumerate(source.vocabulary)
        for other, weight in senses.translations(word).items()
        if other in numbers
    }
    return _matrix(cells, source, target)


def _from_lexicon(source: Side, target: Side, lexicon: Lexicon) -> WordPairs:
    sources, targets = _numbers(source), _numbers(target)
    found = [
        ((sources[s], targets[t]), both)
        for (s, t), both in lexicon.pairs.items()
        if s in sources and t in targets
    ]
    return WordPairs(
        _matrix({place: forward for place, (forward, _) in found}, source, target),
        _matrix({place: backward for place, (_, backward) in found}, source, target),
    )
