"""UniEval: a model answers yes or no to the question whether the text is relevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.measures.neural.base import COMMON_PARAMETERS, NeuralMeasure
from patmark.measures.neural.models import Model
from patmark.measures.neural.tokens import Ids, batches, padded

_LIMIT = 1024


@dataclass(frozen=True, kw_only=True)
class UniEval(NeuralMeasure):
    """Relevance by UniEval: P(yes) ÷ (P(yes) + P(no)) as the first word of the answer."""

    label: ClassVar[str] = "UniEval"
    description: ClassVar[str] = "UniEval relevance: share of yes among yes and no, 0–1"
    citation: ClassVar[str] = "Zhong et al. 2022"
    kind: ClassVar[str] = "seq2seq"
    example: ClassVar[str] = "MingZhong/unieval-sum"
    ways_with_long: ClassVar[tuple[str, ...]] = ("refuse", "cut")
    parameters: ClassVar[dict[str, str]] = {
        **COMMON_PARAMETERS,
        "limit": "longest question with both texts, in tokens; 0 for what the model states",
        "long": "what to do with longer questions: refuse or cut",
    }

    limit: int = _LIMIT

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

    def _shares_of_yes(self, model: Model, rows: Sequence[Ids]) -> FloatArray:
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
    """The question on relevance in the published form; texts part at the end-of-text token."""
    return (
        f"question: Is this summary relevant to the reference? {end} "
        f"summary: {hypothesis} {end} reference: {reference}"
    )
