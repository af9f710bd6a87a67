from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

pytest.importorskip("duckdb", reason="duckdb is absent: pip install 'patmark[retrieval]'")
pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")

from patmark.retrieval.documents import PatentDocument
from patmark.retrieval.filters import Filters
from patmark.retrieval.search import OpenIndex, SearchSettings, search_topics
from patmark.retrieval.tantivy_lengths import K1, LengthCorrection
from patmark.retrieval.topics import Topic
from retrieval_index import open_index

_ALL = Filters(None, False, False)


@given(
    st.lists(st.integers(1, 30_000), min_size=1, max_size=20),
    st.lists(st.tuples(st.floats(0.01, 20), st.integers(1, 500)), min_size=1, max_size=30),
)
@settings(deadline=None, derandomize=True)
def test_the_true_score_is_within_the_bounds(
    lengths: list[int], terms: list[tuple[float, int]]
) -> None:
    correction = LengthCorrection.of(np.array(lengths))
    weights, times = (np.array(column, dtype=np.float64) for column in zip(*terms, strict=True))

    def score(norm: float, frequency: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        return float((weights * frequency * (K1 + 1) / (frequency + norm)).sum())

    for number in range(len(lengths)):
        true, rounded = correction.norms[number], correction.rounded[number]
        found, single = score(rounded, times), score(rounded, np.ones_like(times))
        bounds = correction.bounds(np.array([number]), np.array([found]), np.array([single]))
        assert bounds.low[0] <= score(true, times) * (1 + 1e-12)
        assert bounds.high[0] >= score(true, times) * (1 - 1e-12)
        assert bounds.high[0] <= found * (1 + 1e-12)


def _agreement(index: OpenIndex, queries: list[str]) -> tuple[int, float]:
    """How many first documents differ from exact BM25, and the mean overlap of the best 100."""
    topics = [Topic(f"t{n}", query) for n, query in enumerate(queries)]
    fast = search_topics(index, topics, SearchSettings(_ALL, k=100)).found
    exact = search_topics(index, topics, SearchSettings(_ALL, k=100, engine="duckdb")).found
    shared = [len(dict(fast[t]).keys() & dict(exact[t]).keys()) / len(exact[t]) for t in exact]
    others = sum(fast[topic][0][0] != exact[topic][0][0] for topic in exact)
    return others, float(np.mean(shared))


def test_texts_without_anything_special_are_ranked_as_by_exact_bm25(tmp_path: Path) -> None:
    """Words drawn alike: scores are so close that small errors change the order."""
    rng = np.random.default_rng(3)

    def text(words: int) -> str:
        return " ".join(f"w{number}" for number in rng.integers(0, 300, words).tolist())

    documents = [
        PatentDocument(f"d{n}", title=text(words))
        for n, words in enumerate(rng.integers(60, 250, 800).tolist())
    ]
    index = open_index(tmp_path / "i", documents)
    others, overlap = _agreement(index, [text(60) for _ in range(8)])
    assert others == 0
    assert overlap >= 0.99


def test_words_that_nearly_all_documents_have(tmp_path: Path) -> None:
    """Scores of hundredths, and hundreds of documents that may be the first."""
    rng = np.random.default_rng(4)
    documents = [
        PatentDocument(f"d{n}", title=" ".join(["gate", "shaft"] * times + ["filler"] * words))
        for n, (times, words) in enumerate(rng.integers((1, 41), (4, 90), (600, 2)).tolist())
    ]
    index = open_index(tmp_path / "i", documents)
    assert _agreement(index, ["gate", "gate shaft", "gate gate shaft filler"]) == (0, 1.0)


def test_weights_that_are_too_small_for_single_precision(tmp_path: Path) -> None:
    """All 8200 documents have the one word, all but one the other: weights ln(1.00006), ln(1.0002).

    In single precision these are so coarse that the second of two documents comes out first, by
    more than a ten-thousandth of its score.
    """
    texts = [
        "gate " * 20 + "shaft " * 17 + "filler " * 3,
        "gate " * 4 + "shaft " * 27 + "filler " * 9,
    ]
    texts += ["gate", *["gate shaft"] * 8197]
    documents = [PatentDocument(f"d{n}", title=text) for n, text in enumerate(texts)]
    index = open_index(tmp_path / "i", documents)
    found = search_topics(index, [Topic("t", "gate shaft")], SearchSettings(_ALL, k=2)).found["t"]
    assert [name for name, _ in found] == ["d0", "d1"]


def test_only_documents_that_tantivy_rounds_need_a_correction() -> None:
    correction = LengthCorrection.of(np.array([1, 40, 41, 43]))
    groups: list[list[int]] = [[], [0, 1], [3], [1, 2]]
    needless = [correction.is_needless(np.array(numbers, dtype=int)) for numbers in groups]
    assert needless == [True, True, False, False]
