"""Measures with the interface of Hugging Face's ``evaluate``, for programs that expect it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from patmark.data import Run, TestSet, language_pair
from patmark.errors import UsageError
from patmark.evaluation.evaluation import evaluate, parse_given
from patmark.measures import Measure
from patmark.stats import Sampling


class Metric:
    """One or more measures: ``compute``, ``add`` and ``add_batch`` as modules of ``evaluate``.

    Each value comes with the ends of its interval, as plain numbers: BLEU, BLEU_low, BLEU_high.
    """

    def __init__(self, measures: Sequence[Measure], lang: str, sampling: Sampling) -> None:
        self.measures, self.sampling = tuple(measures), sampling
        self.source_language, self.target_language = language_pair(lang)
        self._predictions: list[Any] = []
        self._references: list[Any] = []
        self._sources: list[Any] = []

    @property
    def name(self) -> str:
        """The names of the measures, joined."""
        return ",".join(measure.name for measure in self.measures)

    @property
    def description(self) -> str:
        """What the measures are."""
        return "\n".join(f"{one.name}: {one.description}" for one in self.measures)

    @property
    def citation(self) -> str:
        """Where the measures come from."""
        return "\n".join(one.citation for one in self.measures)

    def __repr__(self) -> str:
        return f"<Metric {self.name}, {self.target_language}>"

    def add(self, *, prediction: Any = None, reference: Any = None, source: Any = None) -> None:
        """Keep one segment for compute."""
        self.add_batch(
            predictions=[prediction],
            references=None if reference is None else [reference],
            sources=None if source is None else [source],
        )

    def add_batch(
        self,
        *,
        predictions: Sequence[Any] | None = None,
        references: Sequence[Any] | None = None,
        sources: Sequence[Any] | None = None,
    ) -> None:
        """Keep segments for compute; a segment may have a list of references."""
        self._predictions += [] if predictions is None else list(predictions)
        self._references += [] if references is None else list(references)
        self._sources += [] if sources is None else list(sources)

    def compute(
        self,
        *,
        predictions: Sequence[Any] | None = None,
        references: Sequence[Any] | None = None,
        sources: Sequence[Any] | None = None,
    ) -> dict[str, float]:
        """The values of all measures for what is given here and was added before."""
        self.add_batch(predictions=predictions, references=references, sources=sources)
        given, own, texts = self._predictions, self._references, self._sources
        self._predictions, self._references, self._sources = [], [], []
        if not given:
            raise UsageError("there are no predictions to score")
        test_set = TestSet.of(
            own or [None] * len(given),
            sources=texts or None,
            target_language=self.target_language,
            source_language=self.source_language,
        )
        found = evaluate(test_set, Run("predictions", tuple(given)), self.measures, self.sampling)
        values: dict[str, float] = {}
        for name, [estimate] in ((name, one.values()) for name, one in found.estimates.items()):
            values[name] = estimate.value
            if estimate.ci is not None:
                values |= {f"{name}_low": estimate.ci[0], f"{name}_high": estimate.ci[1]}
        return values


def load(*measures: str | Measure, lang: str, sampling: Sampling | None = None) -> Metric:
    """Measures with the interface of ``evaluate``: ``load("BLEU", lang="en").compute(…)``."""
    return Metric(parse_given(list(measures)), lang, sampling or Sampling())
