"""Measures by a model that writes: BARTScore, how likely a text is, and UniEval, yes or no."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.measures.base import PARTS, one_of
from patmark.measures.neural.base import NeuralMeasure, NeuralModel
from patmark.measures.neural.tokens import Frame, Ids, batches, padded

_IGNORED = -100


@dataclass(frozen=True, kw_only=True)
class BARTScore(NeuralMeasure):
    """Mean log-likelihood of the tokens of a text given the other text, special tokens included.

    An empty hypothesis has the likelihood that the model gives to an empty text.
    """

    label = "BARTScore"
    description = "BARTScore: mean log-likelihood of one text given the other, ≤ 0"
    formula = "mean ln P of the tokens of one text given the other"
    citation = "Yuan et al. 2021"
    bounds = (-math.inf, math.inf)
    kind = "seq2seq"
    example = "facebook/bart-large-cnn"
    ways_with_long = ("refuse", "cut")
    empty_scores_zero = False

    long: Annotated[str, "what to do with longer texts: refuse or cut"] = "refuse"
    part: Annotated[
        str,
        "precision (hypothesis given reference), recall (reference given hypothesis) "
        "or f, their mean",
    ] = "f"

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

    def _likelihoods(self, model: NeuralModel, rows: Sequence[tuple[Ids, Ids]]) -> FloatArray:
        """Return the mean log-probability per token of the second row, given the first."""
        scores = np.zeros(len(rows))
        for places in batches([len(given) + len(target) for given, target in rows], self.batch):
            inputs = padded([rows[at][0] for at in places], model.tokenizer.pad_token_id)
            targets = padded([rows[at][1] for at in places], model.tokenizer.pad_token_id)
            scores[places] = target_likelihoods(model, inputs, targets)
        return scores


def target_likelihoods(
    model: NeuralModel, inputs: dict[str, Any], targets: dict[str, Any]
) -> FloatArray:
    """Return mean log-probability per real token of each target."""
    import torch

    wanted, mask = targets["input_ids"], targets["attention_mask"]
    labels = wanted.masked_fill(mask == 0, _IGNORED)
    logits = model.run(**inputs, labels=labels).logits.float().cpu()
    chosen = torch.log_softmax(logits, dim=-1).gather(2, wanted.unsqueeze(2)).squeeze(2)
    return np.asarray(((chosen * mask).sum(1) / mask.sum(1)).numpy(), dtype=np.float64)


_LIMIT = 1024


@dataclass(frozen=True, kw_only=True)
class UniEval(NeuralMeasure):
    """Relevance by UniEval: P(yes) ÷ (P(yes) + P(no)) as the first word of the answer."""

    label = "UniEval"
    description = "UniEval relevance: share of yes among yes and no, 0–1"
    formula = "P(yes) / (P(yes) + P(no))"
    citation = "Zhong et al. 2022"
    kind = "seq2seq"
    example = "MingZhong/unieval-sum"
    ways_with_long = ("refuse", "cut")

    long: Annotated[str, "what to do with longer questions: refuse or cut"] = "refuse"
    limit: Annotated[
        int, "longest question with both texts, in tokens; 0 for what the model states"
    ] = _LIMIT

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        model = self.loaded()
        most = model.limit(self.limit)
        end = model.tokenizer.eos_token
        questions = [question(hypothesis, reference, end) for hypothesis, reference in pairs]
        rows = [tuple(ids) for ids in model.tokenizer(questions, verbose=False)["input_ids"]]
        lengths = [len(row) for row in rows]
        self.treat_long({"question with both texts": lengths}, most, names)
        cut = [row if len(row) <= most else (*row[: most - 1], row[-1]) for row in rows]
        return self._shares_of_yes(model, cut)

    def _shares_of_yes(self, model: NeuralModel, rows: Sequence[Ids]) -> FloatArray:
        import torch

        tokenizer = model.tokenizer
        answers = [
            tokenizer(word, add_special_tokens=False)["input_ids"][0] for word in ("Yes", "No")
        ]
        if answers[0] == answers[1]:
            raise UsageError(f"{self.name}: the tokenizer of the model cannot tell Yes from No")
        scores = np.zeros(len(rows))
        for places in batches([len(row) for row in rows], self.batch):
            inputs = padded([rows[at] for at in places], tokenizer.pad_token_id)
            start = torch.full((len(places), 1), model.network.config.decoder_start_token_id)
            logits = model.run(**inputs, decoder_input_ids=start).logits[:, 0].cpu().numpy()
            yes, no = logits[:, answers].astype(np.float64).T
            scores[places] = 1 / (1 + np.exp(np.clip(no - yes, -700, 700)))
        return scores


def question(hypothesis: str, reference: str, end: str) -> str:
    """Return the published question on relevance; texts part at the end-of-text token."""
    return (
        f"question: Is this summary relevant to the reference? {end} "
        f"summary: {hypothesis} {end} reference: {reference}"
    )
