"""MetricX-23 and MetricX-24: the error score that an mT5 predicts, with or without a reference.

A checkpoint is a folder of transformers (MT5ForRegression); the tokenizer is that of mT5. The model
reads one line and answers with one number: the logit of ``<extra_id_10>`` at the first position,
limited to 0–25. Inputs and truncation are those of google-research/metricx.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

from patmark.data import TestSet
from patmark.errors import UsageError
from patmark.measures.neural.base import NeuralModel, find_model, find_settings, load_model
from patmark.measures.neural.tokens import Frame, batches, padded
from patmark.measures.neural.translation import TranslationMetric, Triple, TripleScores

_ANSWER = 250089  # <extra_id_10> in the vocabulary of mT5
_WORST = 25.0
_TOKENIZER = "google/mt5-xl"
_VOCABULARIES = ("tokenizer.json", "spiece.model")


@dataclass(frozen=True, kw_only=True)
class _MetricX(TranslationMetric):
    """Common parts of the four MetricX measures; ``form`` is the input line of the model."""

    formula = "one number of a text-to-text model, kept within 0 and 25"
    guide = "measures/metricx.md"
    kind = "seq2seq"
    higher_is_better = False
    bounds = (0.0, _WORST)
    citation = "Juraska et al. 2023, 2024; google-research/metricx"
    form: ClassVar[str]
    longest: ClassVar[int]

    limit: Annotated[
        int, "longest input in tokens; 0 for that of the training, 1536 (24) or 1024 (23)"
    ] = 0
    tokenizer: Annotated[
        str, "folder or id of the tokenizer; default the model's own, else google/mt5-xl"
    ] = ""

    def _load(self) -> NeuralModel:
        other = self._other_tokenizer()
        model = load_model(
            self.kind, self.model, self.revision, self.device, self.dtype, other and other[0]
        )
        size = int(model.network.config.vocab_size)
        if size <= _ANSWER:
            raise UsageError(
                f"{self.name}: the model has {size} words, and MetricX answers with word {_ANSWER} "
                "of mT5; is it a model of another kind?"
            )
        return model

    def _other_tokenizer(self) -> tuple[Path, str] | None:
        """Return folder and hash of a separate tokenizer."""
        folder = find_model(self.model, self.revision).folder
        own = any((folder / name).is_file() for name in _VOCABULARIES)
        name = self.tokenizer or ("" if own else _TOKENIZER)
        return find_settings(name) if name else None

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        other = self._other_tokenizer()
        parts = super()._signature_parts(test_set) | {"limit": self.longest_input()}
        return parts | {"tokenizer": other[1] if other else "own"}

    def longest_input(self) -> int:
        return self.limit or self.longest

    def _judge(self, triples: Sequence[Triple]) -> TripleScores:
        model = self.loaded()
        lines = [self.form.format(**one._asdict()) for one in triples]
        encoded = model.tokenizer(lines, add_special_tokens=False, truncation=False, verbose=False)
        found = [tuple(ids) for ids in encoded["input_ids"]]
        most = (
            self.longest_input() - Frame.of(model.tokenizer).size
        )  # the end token is counted, but not read
        if most < 1:
            raise UsageError(f"{self.name}: limit={self.limit} leaves no room for a text")
        cut = self.cut_flags(triples, {"input": [len(ids) for ids in found]}, most)
        rows = [ids[:most] for ids in found]
        scores = np.zeros(len(rows))
        for places in batches([len(row) for row in rows], self.batch):
            inputs = padded([rows[at] for at in places], model.tokenizer.pad_token_id)
            start = inputs["input_ids"].new_zeros((len(places), 1))
            logits = model.run(**inputs, decoder_input_ids=start, use_cache=False).logits
            scores[places] = logits[:, 0, _ANSWER].float().cpu().numpy()
        return TripleScores(np.clip(scores, 0.0, _WORST), cut)


@dataclass(frozen=True, kw_only=True)
class MetricX24(_MetricX):
    """MetricX-24 with source and reference."""

    label = "MetricX"
    variant = "24"
    description = "learned error score of source and reference, 0 (best) to 25"
    example = "google/metricx-24-hybrid-large-v2p6"
    form = "source: {source} candidate: {hypothesis} reference: {reference}"
    longest = 1536


@dataclass(frozen=True, kw_only=True)
class MetricX23(_MetricX):
    """MetricX-23 with a reference; it does not read the source."""

    label = "MetricX"
    variant = "23"
    description = "learned error score of translation and reference, 0 (best) to 25"
    example = "google/metricx-23-large-v2p0"
    needs = frozenset({"references"})
    form = "candidate: {hypothesis} reference: {reference}"
    longest = 1024


@dataclass(frozen=True, kw_only=True)
class MetricXQE24(_MetricX):
    """MetricX-24 without a reference, from the same hybrid models."""

    label = "MetricX-QE"
    variant = "24"
    description = "learned error score of translation and source, 0 (best) to 25"
    example = "google/metricx-24-hybrid-large-v2p6"
    needs = frozenset({"source"})
    form = "source: {source} candidate: {hypothesis}"
    longest = 1536


@dataclass(frozen=True, kw_only=True)
class MetricXQE23(_MetricX):
    """MetricX-23-QE, without a reference."""

    label = "MetricX-QE"
    variant = "23"
    description = "learned error score of translation and source, 0 (best) to 25"
    example = "google/metricx-23-qe-large-v2p0"
    needs = frozenset({"source"})
    form = "candidate: {hypothesis} source: {source}"
    longest = 1024
