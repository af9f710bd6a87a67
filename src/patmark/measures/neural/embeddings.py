"""Measures by vectors of an encoder: BERTScore, MoverScore and SimCSE."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from patmark.data import FloatArray, TestSet
from patmark.errors import PatmarkError, UsageError
from patmark.measures.base import PARTS, one_of
from patmark.measures.neural.base import NeuralMeasure, NeuralModel, in_blocks
from patmark.measures.neural.tokens import (
    Frame,
    Ids,
    Tokens,
    batches,
    inverse_frequencies,
    padded,
    token_weights,
    tokenize,
    windowed,
)


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

    may_be_missing = ("pooler.",)

    layer: Annotated[int, "hidden layer, 0 for the embeddings; -1 for the last"] = -1
    idf: Annotated[bool, "weigh tokens by inverse document frequency in the references"] = False

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
        layers = layer_count(model)
        if self.layer > layers:
            raise UsageError(f"{self.name}: the model has {layers} layers, not {self.layer}")
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

    def _frequencies(
        self, model: NeuralModel, test_set: TestSet, most: int
    ) -> dict[int, float] | None:
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
        self, model: NeuralModel, texts: Sequence[Tokens], most: int
    ) -> list[tuple[FloatArray, FloatArray]]:
        """Return vectors of the tokens, and of the special tokens, of each text."""
        frame = Frame.of(model.tokenizer)
        parts, rows = windowed(texts, frame, most)
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


def layer_count(model: NeuralModel) -> int:
    """Count the layers of the encoder."""
    return int(model.network.config.num_hidden_layers)


def hidden_rows(
    model: NeuralModel, rows: Sequence[Ids], layer: int, batch: int
) -> list[FloatArray]:
    """Return the hidden states of each row, padding left out."""
    found: list[FloatArray] = [np.empty(0)] * len(rows)
    for places in batches([len(row) for row in rows], batch):
        inputs = padded([rows[at] for at in places], model.tokenizer.pad_token_id)
        outputs = model.run(**inputs, output_hidden_states=True)
        states = outputs.hidden_states[layer].cpu().numpy()
        for at, state in zip(places, states, strict=True):
            found[at] = state[: len(rows[at])].astype(np.float64)
    return found


def unit_vectors(vectors: FloatArray) -> FloatArray:
    """Return vectors scaled to length 1; a zero vector stays as it is."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: FloatArray = vectors / np.where(lengths > 0, lengths, 1.0)
    return scaled


@dataclass(frozen=True, kw_only=True)
class BERTScore(TokenVectorMeasure):
    """Greedy cosine matches of token vectors, without rescaling.

    Special tokens can be matched but have no weight, as in the authors' program.
    """

    label = "BERTScore"
    description = "BERTScore: greedy matches of token vectors, cosine, up to 1"
    formula = "F1 of the best cosine of each token vector"
    citation = "Zhang et al. 2020; bert-score 0.3.13 without rescaling"
    bounds = (-1.0, 1.0)
    example = "FacebookAI/roberta-large,layer=17"

    part: Annotated[str, "f, precision or recall"] = "f"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "part", self.part, PARTS)

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        part = PARTS.index(self.part)
        return self.score_vectors(
            test_set, pairs, names, lambda own, other: f_precision_recall(own, other)[part]
        )


def f_precision_recall(
    hypothesis: EmbeddedText, reference: EmbeddedText
) -> tuple[float, float, float]:
    """Return F1, precision and recall; 0 where a text has no token of any weight."""
    precision = _matched(hypothesis, reference)
    recall = _matched(reference, hypothesis)
    if not hypothesis.weights.any() or not reference.weights.any():
        return 0.0, 0.0, 0.0
    total = precision + recall
    return (2 * precision * recall / total if total else 0.0), precision, recall


def _matched(text: EmbeddedText, other: EmbeddedText) -> float:
    """Return the weighted mean over the tokens of a text of the best cosine with the other text."""
    if not text.weights.any():
        return 0.0
    best = (text.vectors @ np.concatenate([other.vectors, other.special]).T).max(axis=1)
    return float(best @ text.weights / text.weights.sum())


def transport_cost(supply: FloatArray, demand: FloatArray, costs: FloatArray) -> float:
    """Return the exact optimum of the transport problem, by the dual simplex of HiGHS.

    Supply and demand are positive and are scaled to sum to 1; ``costs`` has a row per supply.
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    rows, columns = costs.shape
    leaves = kron(eye_array(rows), np.ones((1, columns)))
    arrives = kron(np.ones((1, rows)), eye_array(columns))
    totals = np.concatenate([supply / supply.sum(), demand / demand.sum()])
    # One equation follows from the others; rounding could make it contradict them.
    solved = linprog(
        costs.ravel(),
        A_eq=vstack([leaves, arrives]).tocsr()[:-1],
        b_eq=totals[:-1],
        method="highs-ds",
    )
    if not solved.success:
        raise PatmarkError(f"the transport problem was not solved: {solved.message}")
    return float(solved.fun)


@dataclass(frozen=True, kw_only=True)
class MoverScore(TokenVectorMeasure):
    """1 − the word mover distance of n-gram vectors, weighted by inverse document frequency.

    A word is the vector of its first token; punctuation and special tokens are left out.
    """

    label = "MoverScore"
    description = "MoverScore: 1 − word mover distance of token vectors, up to 1"
    formula = "1 − word mover distance of token vectors"
    citation = "Zhao et al. 2019"
    bounds = (-1.0, 1.0)
    example = "distilbert/distilbert-base-uncased"

    idf: bool = True
    n: Annotated[int, "words per unit that is moved, 1 or 2"] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "n", self.n, (1, 2))

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {"transport": "exact-highs-ds"}

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        def score(hypothesis: EmbeddedText, reference: EmbeddedText) -> float:
            return mover_score(word_units(hypothesis, self.n), word_units(reference, self.n))

        return self.score_vectors(test_set, pairs, names, score)


def word_units(text: EmbeddedText, n: int) -> tuple[FloatArray, FloatArray]:
    """Return vectors and weights of the word n-grams; a shorter text is one unit."""
    chosen = text.words & (text.weights > 0)
    return ngram_units(text.vectors[chosen], text.weights[chosen], n)


def ngram_units(vectors: FloatArray, weights: FloatArray, n: int) -> tuple[FloatArray, FloatArray]:
    """Return the weighted mean vector, of length 1, and the sum of weights of each n-gram."""
    size = min(n, len(weights))
    if size < 2:
        return vectors, weights
    places = np.arange(len(weights) - size + 1)[:, None] + np.arange(size)
    total = weights[places].sum(axis=1)
    means = (vectors[places] * weights[places][..., None]).sum(axis=1) / total[:, None]
    return unit_vectors(means), total


def mover_score(
    hypothesis: tuple[FloatArray, FloatArray], reference: tuple[FloatArray, FloatArray]
) -> float:
    """Return 1 − the least mean distance of moving weights; 0 without weights."""
    if not len(hypothesis[1]) or not len(reference[1]):
        return 0.0
    squared = 2 - 2 * hypothesis[0] @ reference[0].T
    distances = np.sqrt(np.maximum(squared, 0.0))
    return 1 - transport_cost(hypothesis[1], reference[1], distances)


POOLINGS = ("pooler", "cls", "mean")


@dataclass(frozen=True, kw_only=True)
class SimCSE(NeuralMeasure):
    """Cosine of text vectors. A long text in windows has the mean vector of its parts."""

    label = "SimCSE"
    description = "SimCSE: cosine of the vectors of whole texts, up to 1"
    formula = "cosine of the vectors of both texts"
    citation = "Gao et al. 2021"
    bounds = (-1.0, 1.0)
    example = "princeton-nlp/sup-simcse-roberta-large"
    may_be_missing = ("pooler.",)

    long: Annotated[
        str, "what to do with longer texts: refuse, window (mean vector of parts) or cut"
    ] = "refuse"
    pooling: Annotated[
        str, "pooler (supervised SimCSE), cls (unsupervised) or mean (all tokens)"
    ] = "pooler"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "pooling", self.pooling, POOLINGS)

    def loaded(self) -> NeuralModel:
        """Return the model; pooling=pooler needs a pooler that was trained."""
        model = super().loaded()
        if self.pooling == "pooler" and any(key.startswith("pooler.") for key in model.missing):
            raise UsageError(f"{self.name}: the model has no pooler; give pooling=cls or mean")
        return model

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        model = self.loaded()
        tokens, most = self.tokenized(model, pairs, names)
        scores = np.zeros(len(pairs))
        for block, texts in in_blocks(pairs):
            vectors = unit_vectors(self._embed(model, [tokens[text] for text in texts], most))
            place = {text: at for at, text in enumerate(texts)}
            own, other = (
                [place[text] for text in side] for side in zip(*pairs[block], strict=True)
            )
            scores[block] = (vectors[own] * vectors[other]).sum(axis=1)
        return scores

    def _embed(self, model: NeuralModel, texts: Sequence[Tokens], most: int) -> FloatArray:
        """Return one vector per text: the mean of its windows, by their share of the tokens."""
        parts, rows = windowed(texts, Frame.of(model.tokenizer), most)
        found: list[FloatArray] = [np.empty(0)] * len(rows)
        for places in batches([len(row) for row in rows], self.batch):
            inputs = padded([rows[at] for at in places], model.tokenizer.pad_token_id)
            for at, vector in zip(places, self._pooled(model, inputs), strict=True):
                found[at] = vector
        vectors = np.zeros((len(texts), len(found[0])))
        for (at, window), vector in zip(parts, found, strict=True):
            vectors[at] += vector * (window.keep_end - window.keep_start)
        return vectors

    def _pooled(self, model: NeuralModel, inputs: dict[str, Any]) -> FloatArray:
        outputs = model.run(**inputs)
        if self.pooling == "pooler":
            if getattr(outputs, "pooler_output", None) is None:
                raise UsageError(f"{self.name}: the model has no pooler; give pooling=cls or mean")
            return np.asarray(outputs.pooler_output.cpu().numpy(), dtype=np.float64)
        states = outputs.last_hidden_state.cpu().numpy().astype(np.float64)
        if self.pooling == "cls":
            return np.asarray(states[:, 0])
        mask = inputs["attention_mask"].numpy()[..., None]
        return np.asarray((states * mask).sum(axis=1) / mask.sum(axis=1))
