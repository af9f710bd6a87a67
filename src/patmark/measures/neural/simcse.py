"""SimCSE: the cosine of the vectors of two texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import one_of
from patmark.measures.neural.base import COMMON_PARAMETERS, NeuralMeasure, in_blocks
from patmark.measures.neural.embeddings import unit_vectors
from patmark.measures.neural.models import Model
from patmark.measures.neural.tokens import Frame, Tokens, batches, padded, windows

POOLINGS = ("pooler", "cls", "mean")


@dataclass(frozen=True, kw_only=True)
class SimCSE(NeuralMeasure):
    """Cosine of text vectors. A long text in windows has the mean vector of its parts."""

    label: ClassVar[str] = "SimCSE"
    description: ClassVar[str] = "SimCSE: cosine of the vectors of whole texts, up to 1"
    citation: ClassVar[str] = "Gao et al. 2021"
    bounds: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    example: ClassVar[str] = "princeton-nlp/sup-simcse-roberta-large"
    may_be_missing: ClassVar[tuple[str, ...]] = ("pooler.",)
    parameters: ClassVar[dict[str, str]] = {
        **COMMON_PARAMETERS,
        "long": "what to do with longer texts: refuse, window (mean vector of parts) or cut",
        "pooling": "pooler (supervised SimCSE), cls (unsupervised) or mean (all tokens)",
    }

    pooling: str = "pooler"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "pooling", self.pooling, POOLINGS)

    def loaded(self) -> Model:
        """The model; pooling=pooler needs a pooler that was trained."""
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

    def _embed(self, model: Model, texts: Sequence[Tokens], most: int) -> FloatArray:
        """One vector per text: the mean of its windows, by their share of the tokens."""
        frame = Frame.of(model.tokenizer)
        parts = [
            (at, window)
            for at, text in enumerate(texts)
            for window in windows(len(text.ids), most, most // 2)
        ]
        rows = [frame.around(texts[at].ids[window.start : window.end]) for at, window in parts]
        found: list[FloatArray] = [np.empty(0)] * len(rows)
        for places in batches([len(row) for row in rows], self.batch):
            inputs = padded([rows[at] for at in places], model.tokenizer.pad_token_id)
            for at, vector in zip(places, self._pooled(model, inputs), strict=True):
                found[at] = vector
        vectors = np.zeros((len(texts), len(found[0])))
        for (at, window), vector in zip(parts, found, strict=True):
            vectors[at] += vector * (window.keep_end - window.keep_start)
        return vectors

    def _pooled(self, model: Model, inputs: dict[str, Any]) -> FloatArray:
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
