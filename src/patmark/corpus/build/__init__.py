"""Building a test collection, step by step.

``read_pipeline`` reads the settings, ``build_corpus`` does the steps with an engine; a step that
is done is not done again. ``split_pairs`` and ``count_pairs`` are for pairs from elsewhere.
"""

from patmark.corpus.build.pair_files import collection_stats, count_pairs, split_pairs
from patmark.corpus.build.pipeline import STEPS, Build, build_corpus
from patmark.corpus.build.settings import PipelineSettings, read_pipeline

__all__ = [
    "STEPS",
    "Build",
    "PipelineSettings",
    "build_corpus",
    "collection_stats",
    "count_pairs",
    "read_pipeline",
    "split_pairs",
]
