"""BARTScore: how likely a model thinks one text, given the other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.measures.base import one_of
from patmark.measures.neural.base import COMMON_PARAMETERS, NeuralMeasure
from patmark.measures.neural.models import Model
from patmark.measures.neural.tokens import Frame, Ids, batches, padded

PARTS = ("f", "precision", "recall")
_IGNORED = -100


@dataclass(frozen=True, kw_only=True)
class BARTScore(NeuralMeasure):
    """Mean log-likelihood of the tokens of a text given the other text, special tokens included.

    An empty hypothesis has the likelihood that the model gives to an empty text.
    """

    label: ClassVar[str] = "BARTScore"
    description: ClassVar[str] = "BARTScore: mean log-likelihood of one text given the other, ≤ 0"
    citation: ClassVar[str] = "Yuan et al. 2021"
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    kind: ClassVar[str] = "seq2seq"
    example: ClassVar[str] = "facebook/bart-large-cnn"
    ways_with_long: ClassVar[tuple[str, ...]] = ("refuse", "cut")
    empty_scores_zero: ClassVar[bool] = False
    parameters: ClassVar[dict[str, str]] = {
        **COMMON_PARAMETERS,
        "long": "what to do with longer texts: refuse or cut",
        "part": "precision (hypothesis given reference), recall (reference given hypothesis) "
        "or f, their mean",
    }

    part: str = "f"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self.label, "part", self.part, PARTS)

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        model = self.loaded()
        frame = Frame.of(model.tokenizer)
        tokens, _ = self.tokenized(model, pairs, names)
        rows = [[frame.around(tokens[text].ids) for text in pair] for pair in pairs]
        found = []
        if self.part != "recall":
            found.append(self._likelihoods(model, [(given, own) for own, given in rows]))
        if self.part != "precision":
            found.append(self._likelihoods(model, [(own, other) for own, other in rows]))
        mean: FloatArray = np.mean(found, axis=0)
        return mean

    def _likelihoods(self, model: Model, rows: Sequence[tuple[Ids, Ids]]) -> FloatArray:
        """The mean log-probability per token of the second row, given the first."""
        scores = np.zeros(len(rows))
        for places in batches([len(given) + len(target) for given, target in rows], self.batch):
            inputs = padded([rows[at][0] for at in places], model.tokenizer.pad_token_id)
            targets = padded([rows[at][1] for at in places], model.tokenizer.pad_token_id)
            scores[places] = target_likelihoods(model, inputs, targets)
        return scores


def target_likelihoods(model: Model, inputs: dict[str, Any], targets: dict[str, Any]) -> FloatArray:
    """Mean log-probability per real token of each target."""
    import torch

    wanted, mask = targets["input_ids"], targets["attention_mask"]
    labels = wanted.masked_fill(mask == 0, _IGNORED)
    logits = model.run(**inputs, labels=labels).logits.float().cpu()
    chosen = torch.log_softmax(logits, dim=-1).gather(2, wanted.unsqueeze(2)).squeeze(2)
    return np.asarray(((chosen * mask).sum(1) / mask.sum(1)).numpy(), dtype=np.float64)
