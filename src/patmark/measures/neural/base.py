"""What all model-backed measures share: the model, long texts, several references, signatures."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from patmark.data import FloatArray, TestSet
from patmark.errors import InputError, Problem, UsageError
from patmark.measures.base import MeanMeasure, one_of
from patmark.measures.kernels.references import ReferenceLayout, best_reference
from patmark.measures.neural.models import DEVICES, Model, load_model
from patmark.measures.neural.tokens import Frame, Tokens, tokenize

_BLOCK = 256
COMMON_PARAMETERS: Mapping[str, str] = {
    "model": "folder of a model, or a model id",
    "revision": "branch, tag or commit of a model id; default its main branch",
    "device": "auto, cpu or cuda; auto takes cuda where there is one",
    "batch": "texts per step; changes speed, not scores",
    "limit": "longest input in tokens; 0 for what the model states",
    "long": "what to do with longer texts: refuse, window (overlapping parts) or cut",
}


@dataclass(frozen=True, kw_only=True)
class NeuralMeasure(MeanMeasure):
    """A score of hypothesis and reference by a model; of several references the best counts."""

    kind: ClassVar[str] = "encoder"
    example: ClassVar[str]
    ways_with_long: ClassVar[tuple[str, ...]] = ("refuse", "window", "cut")
    may_be_missing: ClassVar[tuple[str, ...]] = ()
    empty_scores_zero: ClassVar[bool] = True
    parameters: ClassVar[Mapping[str, str]] = COMMON_PARAMETERS

    model: str = ""
    revision: str = ""
    device: str = "auto"
    batch: int = 16
    limit: int = 0
    long: str = "refuse"

    def __post_init__(self) -> None:
        one_of(self.label, "device", self.device, DEVICES)
        one_of(self.label, "long", self.long, self.ways_with_long)
        if self.batch < 1:
            raise UsageError(f"{self.label}: batch={self.batch} must be at least 1")
        if self.limit < 0:
            raise UsageError(f"{self.label}: limit={self.limit} must not be negative")
        if set("(),") & set(self.model + self.revision):
            raise UsageError(f"{self.label}: brackets and commas cannot stand in a name: link the "
                             f"folder {self.model} to a plainer path")  # fmt: skip

    def loaded(self) -> Model:
        """The model; refuses one of which parts are missing, since those would be random."""
        if not self.model:
            raise UsageError(
                f"{self.label} needs a model, and none comes with patmark: write "
                f"{self.label}(model=/path/to/folder) or {self.label}(model={self.example})"
            )
        model = load_model(self.kind, self.model, self.revision, self.device)
        missing = [key for key in model.missing if not key.startswith(self.may_be_missing)]
        if missing:
            raise UsageError(
                f"{self.name}: the checkpoint lacks {', '.join(missing[:3])}"
                f"{' and more' if missing[3:] else ''}; is it a model of another kind?"
            )
        return model

    def _check(self, test_set: TestSet, hypotheses: Sequence[str]) -> None:
        super()._check(test_set, hypotheses)
        self.loaded()

    def _signature_parts(self, test_set: TestSet) -> dict[str, Any]:
        model = self.loaded()
        return {
            "revision": model.checkpoint.revision,
            "device": model.device,
            "limit": model.limit(self.limit),
            "weights": model.checkpoint.weights,
            "settings": model.checkpoint.settings,
            "with": model.versions,
        }

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        layout = ReferenceLayout.of(test_set.reference_lists)
        pairs = [
            (hypotheses[segment], reference)
            for segment, reference in zip(layout.segment, test_set.flat_references, strict=True)
        ]
        names = [f"segment {test_set[segment].id!r}" for segment in layout.segment]
        scores = self._all_scores(test_set, pairs, names)
        best: FloatArray = scores[best_reference(layout, scores)]
        return best

    def _all_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        scores = np.zeros(len(pairs))
        both = [all(map(str.strip, pair)) for pair in pairs]
        todo = [at for at, full in enumerate(both) if full or not self.empty_scores_zero]
        if todo:
            chosen = [pairs[at] for at in todo]
            scores[todo] = self._pair_scores(test_set, chosen, [names[at] for at in todo])
        wrong = np.flatnonzero(~np.isfinite(scores)).tolist()
        if wrong:
            raise InputError(Problem(f"{names[at]}: {self.name} has no value") for at in wrong)
        return scores

    @abstractmethod
    def _pair_scores(
        self, test_set: TestSet, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> FloatArray:
        """The score of each pair (hypothesis, reference); names say where a pair comes from."""

    def treat_long(
        self, lengths: Mapping[str, Sequence[int]], most: int, names: Sequence[str]
    ) -> None:
        """Refuse texts of more than ``most`` tokens, or warn that they are cut.

        ``lengths`` holds the token counts of each side (hypothesis, reference), by pair.
        """
        found = sorted(
            {
                (names[at], side, count)
                for side, counts in lengths.items()
                for at, count in enumerate(counts)
                if count > most
            }
        )
        if not found or self.long == "window":
            return
        if self.long == "cut":
            warnings.warn(
                f"{self.name}: {len(found)} texts are cut to {most} tokens; what follows in them "
                "has no effect on the score",
                stacklevel=2,
            )
            return
        cures = " or ".join(f"long={way}" for way in self.ways_with_long if way != "refuse")
        raise InputError(
            Problem(
                f"{name}: the {side} has {count} tokens, {self.label} with this model takes "
                f"{most}; give {cures}, or a model for longer texts"
            )
            for name, side, count in found
        )

    def tokenized(
        self, model: Model, pairs: Sequence[tuple[str, str]], names: Sequence[str]
    ) -> tuple[dict[str, Tokens], int]:
        """The tokens of each different text, cut if so asked, and the most that fit the model."""
        most = model.limit(self.limit) - Frame.of(model.tokenizer).size
        if most < 1:
            raise UsageError(f"{self.name}: limit={self.limit} leaves no room for a text")
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        tokens = dict(zip(texts, tokenize(model.tokenizer, texts), strict=True))
        own, other = ([len(tokens[text].ids) for text in side] for side in zip(*pairs, strict=True))
        self.treat_long({"hypothesis": own, "reference": other}, most, names)
        if self.long == "cut":
            tokens = {text: found.cut(most) for text, found in tokens.items()}
        return tokens, most


def in_blocks(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[slice, list[str]]]:
    """Slices of the pairs with their different texts, so that memory does not grow with them."""
    for start in range(0, len(pairs), _BLOCK):
        block = slice(start, start + _BLOCK)
        yield block, list(dict.fromkeys(text for pair in pairs[block] for text in pair))
