"""Vectors of tokens and of whole texts, from the hidden layers of an encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.measures.neural.base import COMMON_PARAMETERS, NeuralMeasure, in_blocks
from patmark.measures.neural.models import Model
from patmark.measures.neural.tokens import (
    Frame,
    Ids,
    Tokens,
    batches,
    inverse_frequencies,
    padded,
    token_weights,
    tokenize,
    windows,
)

LAYER_TEXT = "hidden layer, 0 for the embeddings; -1 for the last"
IDF_TEXT = "weigh tokens by inverse document frequency in the references"


@dataclass(frozen=True, slots=True)
class EmbeddedText:
    """The tokens of a text: vectors of length 1, weights, and which begin a word.

    The vectors of the special tokens around them stand apart.
    """

    vectors: FloatArray
    special: FloatArray
    weights: FloatArray
    words: NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class TokenVectorMeasure(NeuralMeasure):
    """A measure on the vectors of single tokens."""

    may_be_missing: ClassVar[tuple[str, ...]] = ("pooler.",)
    parameters: ClassVar[dict[str, str]] = {
        **COMMON_PARAMETERS,
        "layer": LAYER_TEXT,
        "idf": IDF_TEXT,
    }

    layer: int = -1
    idf: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.layer < -1:
            raise UsageError(f"{self.label}: layer={self.layer} must be -1, 0 or more")

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        layers = layer_count(self.loaded())
        return super()._signature_parts(test_set) | {
            "layer": layers if self.layer == -1 else self.layer
        }

    def score_vectors(
        self,
        test_set: TestSet,
        pairs: Sequence[tuple[str, str]],
        names: Sequence[str],
        score: Callable[[EmbeddedText, EmbeddedText], float],
    ) -> FloatArray:
        """Embed the texts of all pairs, each text once in a block, and score pair by pair."""
        model = self.loaded()
        self._check_layer(model)
        tokens, most = self.tokenized(model, pairs, names)
        frequencies = self._frequencies(model, test_set, most)
        count = len(test_set.flat_references)
        scores = np.zeros(len(pairs))
        for block, texts in in_blocks(pairs):
            embedded = self._embed(model, [tokens[text] for text in texts], most)
            weighted = {
                text: EmbeddedText(
                    *vectors,
                    token_weights(tokens[text], frequencies, count),
                    np.array(tokens[text].words, dtype=bool),
                )
                for text, vectors in zip(texts, embedded, strict=True)
            }
            scores[block] = [score(weighted[own], weighted[other]) for own, other in pairs[block]]
        return scores

    def _check_layer(self, model: Model) -> None:
        if self.layer > layer_count(model):
            raise UsageError(
                f"{self.name}: the model has {layer_count(model)} layers, not {self.layer}"
            )

    def _frequencies(self, model: Model, test_set: TestSet, most: int) -> dict[int, float] | None:
        if not self.idf:
            return None
        references = tokenize(model.tokenizer, test_set.flat_references)
        if self.long == "cut":
            references = [text.cut(most) for text in references]
        found = inverse_frequencies(references)
        if any(text.ids and not any(found[token] for token in text.ids) for text in references):
            raise UsageError(
                f"{self.name}: a reference holds only tokens that occur in all references, so "
                "that idf gives it no weight; give idf=no, or more references"
            )
        return found

    def _embed(
        self, model: Model, texts: Sequence[Tokens], most: int
    ) -> list[tuple[FloatArray, FloatArray]]:
        """Vectors of the tokens, and of the special tokens, of each text."""
        frame = Frame.of(model.tokenizer)
        parts = [
            (at, window)
            for at, text in enumerate(texts)
            for window in windows(len(text.ids), most, most // 2)
        ]
        rows = [frame.around(texts[at].ids[window.start : window.end]) for at, window in parts]
        hidden = hidden_rows(model, rows, self.layer, self.batch)
        kept: list[list[FloatArray]] = [[] for _ in texts]
        special: list[list[FloatArray]] = [[] for _ in texts]
        shift = len(frame.before)
        for (at, window), vectors in zip(parts, hidden, strict=True):
            unit = unit_vectors(vectors)
            own = slice(shift + window.keep_start - window.start,
                        shift + window.keep_end - window.start)  # fmt: skip
            kept[at].append(unit[own])
            special[at].append(np.delete(unit, np.s_[shift : len(unit) - len(frame.after)], 0))
        return [
            (np.concatenate(own), np.concatenate(other))
            for own, other in zip(kept, special, strict=True)
        ]


def layer_count(model: Model) -> int:
    """How many layers the encoder has."""
    return int(model.network.config.num_hidden_layers)


def hidden_rows(model: Model, rows: Sequence[Ids], layer: int, batch: int) -> list[FloatArray]:
    """The hidden states of each row, padding left out."""
    found: list[FloatArray] = [np.empty(0)] * len(rows)
    for places in batches([len(row) for row in rows], batch):
        inputs = padded([rows[at] for at in places], model.tokenizer.pad_token_id)
        outputs = model.run(**inputs, output_hidden_states=True)
        states = outputs.hidden_states[layer].cpu().numpy()
        for at, state in zip(places, states, strict=True):
            found[at] = state[: len(rows[at])].astype(np.float64)
    return found


def unit_vectors(vectors: FloatArray) -> FloatArray:
    """Vectors scaled to length 1; a zero vector stays as it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: FloatArray = vectors / np.where(lengths > 0, lengths, 1.0)
    return scaled
