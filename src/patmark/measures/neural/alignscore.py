"""AlignScore: how well a part of the reference supports each sentence of the text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import UsageError
from patmark.languages import rough_sentence_spans
from patmark.measures.neural.base import NeuralMeasure, NeuralModel
from patmark.measures.neural.tokens import Frame, Ids, batches, padded, tokenize, windows

_NAMES = ("aligned", "entailment")
_CLASSES = 3


@dataclass(frozen=True, kw_only=True)
class AlignScore(NeuralMeasure):
    """Mean over the sentences of the hypothesis of the best alignment with a part of the reference.

    Sentences also end at semicolons, so that each limitation of a claim is judged by itself.
    """

    label = "AlignScore"
    description = "AlignScore: probability that each sentence is supported, 0–1"
    formula = "mean over sentences of the highest probability of being supported"
    citation = "Zha et al. 2023"
    kind = "classifier"
    example = "owner/name"

    long: Annotated[
        str, "a sentence that does not fit beside a part: refuse, window (in pieces) or cut"
    ] = "refuse"
    chunk: Annotated[int, "greatest size of a part of the reference, in tokens"] = 350
    aligned: Annotated[
        int, "number of the class that means aligned; -1: by its name in the model"
    ] = -1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.chunk < 1:
            raise UsageError(f"{self.label}: chunk={self.chunk} must be at least 1")
        if not -1 <= self.aligned < _CLASSES:
            raise UsageError(f"{self.label}: aligned={self.aligned} must be between -1 and 2")

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        return super()._signature_parts(test_set) | {
            "aligned": self._aligned_class(self.loaded()),
            "sentences": "patmark",
        }

    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        model = self.loaded()
        language = test_set.target_language
        references = {text: self._chunks(model, text, language) for _, text in pairs}
        claims = self._claims(model, [own for own, _ in pairs], language, names)
        return self._alignments(model, [references[text] for _, text in pairs], claims)

    def _chunks(self, model: NeuralModel, reference: str, language: str) -> list[Ids]:
        """Return whole sentences, as many as fit; a longer sentence is split."""
        tokens = tokenize(model.tokenizer, [reference])[0]
        ends = [end for _, end in rough_sentence_spans(reference, language)]
        borders = [*np.searchsorted(tokens.starts, ends[:-1]).tolist(), len(tokens.ids)]
        return [tokens.ids[start:end] for start, end in packed(borders, self.chunk)]

    def _claims(
        self, model: NeuralModel, texts: Sequence[str], language: str, names: Sequence[str]
    ) -> list[list[Ids]]:
        """Return the sentences of each text, none longer than fits beside a chunk."""
        most = model.limit(self.limit) - self.chunk - Frame.of(model.tokenizer, 2).size
        if most < 1:
            raise UsageError(f"{self.name}: chunk={self.chunk} leaves no room for a sentence")
        claims = [_sentences(model, text, language) for text in texts]
        longest = [max(map(len, sentences), default=0) for sentences in claims]
        self.treat_long({"longest sentence": longest}, most, names)
        if self.long == "cut":
            return [[sentence[:most] for sentence in sentences] for sentences in claims]
        return [
            [
                sentence[window.keep_start : window.keep_end]
                for sentence in sentences
                for window in windows(len(sentence), most, 0)
            ]
            for sentences in claims
        ]

    def _alignments(
        self, model: NeuralModel, chunks: Sequence[Sequence[Ids]], claims: Sequence[Sequence[Ids]]
    ) -> FloatArray:
        pairs = [
            (chunk, claim)
            for parts, sentences in zip(chunks, claims, strict=True)
            for claim in sentences
            for chunk in parts
        ]
        found = iter(self._probabilities(model, pairs))
        scores = np.zeros(len(chunks))
        for at, (parts, sentences) in enumerate(zip(chunks, claims, strict=True)):
            best = [max(next(found) for _ in parts) for _ in sentences]
            scores[at] = float(np.mean(best)) if best else 0.0
        return scores

    def _probabilities(self, model: NeuralModel, pairs: Sequence[tuple[Ids, Ids]]) -> list[float]:
        """Return the probability that the second text of each pair is aligned with the first."""
        frame, aligned = Frame.of(model.tokenizer, 2), self._aligned_class(model)
        rows = [frame.around(*pair) for pair in pairs]
        scores = np.zeros(len(rows))
        for places in batches([len(row) for row in rows], self.batch):
            inputs = padded([rows[at] for at in places], model.tokenizer.pad_token_id)
            if frame.second_type:
                first = [len(frame.before + pairs[at][0] + frame.between) for at in places]
                inputs["token_type_ids"] = _token_types(
                    [rows[at] for at in places], first, frame.second_type
                )
            logits = model.run(**inputs).logits.double().softmax(-1)
            scores[places] = logits[:, aligned].cpu().numpy()
        return scores.tolist()

    def _aligned_class(self, model: NeuralModel) -> int:
        config = model.network.config
        if config.num_labels != _CLASSES:
            raise UsageError(f"{self.name}: the model has {config.num_labels} classes, not 3")
        if self.aligned >= 0:
            return self.aligned
        named = [at for at, name in config.id2label.items() if str(name).lower() in _NAMES]
        if len(named) != 1:
            names = ", ".join(f"{at} {name}" for at, name in config.id2label.items())
            raise UsageError(
                f"{self.name}: none of the classes of the model ({names}) is called aligned or "
                "entailment; give its number, e.g. aligned=0"
            )
        return int(named[0])


def packed(ends: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Return spans of neighbouring sentences with at most so many tokens; a longer one is split."""
    starts = [0, *ends[:-1]]
    pieces = [
        (start + window.keep_start, start + window.keep_end)
        for start, end in zip(starts, ends, strict=True)
        for window in windows(end - start, most, 0)
    ]
    spans = pieces[:1]
    for start, end in pieces[1:]:
        if end - spans[-1][0] <= most:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return spans


def _sentences(model: NeuralModel, text: str, language: str) -> list[Ids]:
    parts = [text[start:end].strip() for start, end in rough_sentence_spans(text, language)]
    return [tokens.ids for tokens in tokenize(model.tokenizer, parts) if tokens.ids]


def _token_types(rows: Sequence[Ids], first: Sequence[int], second_type: int) -> Any:
    """Return 0 for the first text of each row, the other type for the second."""
    types = [
        (0,) * own + (second_type,) * (len(row) - own) for row, own in zip(rows, first, strict=True)
    ]
    return padded(types, 0)["input_ids"]
