"""TER against sacreBLEU 2.6.0 and tercom 0.10.0."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics import TER as PeerTER

from patmark.data.model import TestSet
from patmark.errors import UsageError
from patmark.measures.kernels.edits import EditMatrix, Pairs
from patmark.measures.ter import TER

Generator = Callable[[random.Random], tuple[str, str]]

_COMMON = "the the the a said of in on with between and , ; wherein which is (10) (12)"
_OTHER = (
    "valve pump shaft housing sensor electrode layer comprises supports covers drives. contains."
)
_LINKS, _WORDS = _COMMON.split(), f"{_COMMON} {_OTHER}".split()


def _sentence(rng: random.Random, length: int) -> list[str]:
    return rng.choices(_LINKS, k=length // 2) + rng.choices(_WORDS, k=length - length // 2)


def _edited(rng: random.Random, words: Sequence[str], rate: float) -> list[str]:
    """The words with some replaced, dropped, added, and up to three phrases moved."""
    result: list[str] = []
    for word in words:
        kind = rng.random() / rate
        if kind < 0.5:
            result.append(rng.choice(_WORDS).capitalize())
        elif kind < 0.8:
            result += [word, rng.choice(_WORDS)]
        elif kind >= 1:
            result.append(word)
    for _ in range(rng.randint(0, 3)):
        start, size = rng.randint(0, len(result)), rng.randint(1, 6)
        phrase = result[start : start + size]
        del result[start : start + size]
        target = rng.randint(0, len(result))
        result[target:target] = phrase
    return result


def _perturbed(shortest: int, longest: int, rate: float) -> Generator:
    def generate(rng: random.Random) -> tuple[str, str]:
        words = _sentence(rng, rng.randint(shortest, longest))
        rng.shuffle(words)
        return " ".join(_edited(rng, words, rate)), " ".join(words)

    return generate


def _soup(shortest: int, longest: int, vocabulary: int) -> Generator:
    def generate(rng: random.Random) -> tuple[str, str]:
        letters = "abcdefghijklmnopqrstuvwxyz"[: rng.randint(1, vocabulary)]
        hypothesis = rng.choices(letters, k=rng.randint(0, longest))
        reference = rng.choices(letters, k=rng.randint(shortest, longest))
        return " ".join(hypothesis), " ".join(reference)

    return generate


_KINDS: dict[str, tuple[int, Generator]] = {
    "sentences": (300, _perturbed(4, 24, 0.2)),
    "longer sentences": (60, _perturbed(25, 50, 0.15)),
    "word soup": (1500, _soup(1, 10, 6)),
    "word soup, more words": (150, _soup(5, 24, 20)),
    "word soup, many candidates": (20, _soup(25, 40, 3)),
    "two blocks of bits": (8, _perturbed(65, 120, 0.08)),
    "the beam binds": (2, _perturbed(65, 75, 0.9)),
    "longer than the batches": (3, _perturbed(258, 300, 0.02)),
}


def _peer_segments(peer: PeerTER, hypotheses: Sequence[str], references: Any) -> list[float]:
    return [
        peer.sentence_score(hypothesis, refs).score
        for hypothesis, refs in zip(hypotheses, references, strict=True)
    ]


def _corpus_score(measure: TER, test_set: TestSet, hypotheses: Sequence[str]) -> float:
    return float(measure.score(measure.statistics(test_set, hypotheses).sum(axis=0)))


@pytest.mark.parametrize("kind", _KINDS)
def test_generated_pairs_equal_sacrebleu(kind: str) -> None:
    count, generate = _KINDS[kind]
    rng = random.Random(kind)
    hypotheses, references = zip(*(generate(rng) for _ in range(count)), strict=True)
    statistics = TER().statistics(TestSet.of(references), hypotheses)
    peer = [PeerTER().sentence_score(h, [r]) for h, r in zip(hypotheses, references, strict=True)]
    assert statistics[:, 0].tolist() == [score.num_edits for score in peer]
    assert TER().score(statistics).tolist() == [score.score for score in peer]
    edits, lengths = statistics.sum(axis=0)
    assert edits == sum(score.num_edits for score in peer)
    assert lengths == sum(score.ref_length for score in peer)


@pytest.mark.parametrize(
    ("measure", "peer"),
    [
        (TER(), PeerTER()),
        (TER(case="mixed"), PeerTER(case_sensitive=True)),
        (TER(punct=False), PeerTER(no_punct=True)),
    ],
    ids=["TER", "TER(case=mixed)", "TER(punct=no)"],
)
def test_two_references_and_parameters_equal_sacrebleu(measure: TER, peer: PeerTER) -> None:
    rng, generate = random.Random(5), _perturbed(3, 16, 0.25)
    pairs = [(generate(rng), generate(rng)) for _ in range(100)]
    hypotheses = [first[0] for first, _ in pairs]
    references = [(first[1], second[1]) for first, second in pairs]
    test_set = TestSet.of(references)
    segments = measure.score(measure.statistics(test_set, hypotheses))
    assert segments.tolist() == _peer_segments(peer, hypotheses, references)
    whole = peer.corpus_score(hypotheses, list(zip(*references, strict=True))).score
    assert _corpus_score(measure, test_set, hypotheses) == pytest.approx(whole, rel=1e-12)


_MESSY = [
    *".,?!;x中国、（。《한İẞ\n\t \x85\u00a0\u2028\u200b\u3000", "ab", "the", "The", "1.5", "2,3",
    "(3)", "[a]", "{b}", '"', "s'", "A's", "B'S", "Laban's,", "<skipped>", "&quot;", "&amp;",
    "&amp;lt;", "-\n",
]  # fmt: skip


def _messy_pair(rng: random.Random) -> tuple[str, str]:
    """A reference of odd characters, and the same with some of them exchanged or dropped."""
    pieces = ["x", *rng.choices(_MESSY, k=rng.randint(1, 17))]
    changed = [rng.choice(_MESSY) if rng.random() < 0.15 else piece for piece in pieces]
    del changed[rng.randrange(len(changed)) : rng.randrange(len(changed))]
    hypothesis, reference = (
        "".join(piece + rng.choice(("", " ")) for piece in text) for text in (changed, pieces)
    )
    return hypothesis, reference


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        (TER(), {}),
        (TER(punct=False), {"no_punct": True}),
        (TER(tok="tercom"), {"normalized": True}),
        (TER(tok="tercom", case="mixed"), {"normalized": True, "case_sensitive": True}),
        (TER(tok="tercom", punct=False), {"normalized": True, "no_punct": True}),
        (TER(tok="tercom-asian"), {"normalized": True, "asian_support": True}),
        (
            TER(tok="tercom-asian", punct=False),
            {"normalized": True, "asian_support": True, "no_punct": True},
        ),
    ],
    ids=str,
)
def test_messy_lines_equal_sacrebleu(measure: TER, options: dict[str, bool]) -> None:
    peer = PeerTER(**options)
    rng = random.Random(str(measure))
    hypotheses, references = zip(*(_messy_pair(rng) for _ in range(1000)), strict=True)
    statistics = measure.statistics(TestSet.of(references), hypotheses)
    expected = _peer_segments(peer, hypotheses, [[reference] for reference in references])
    np.testing.assert_allclose(measure.score(statistics), expected, atol=1e-9, rtol=0)
    whole = peer.corpus_score(hypotheses, [references]).score
    assert float(measure.score(statistics.sum(axis=0))) == pytest.approx(whole, abs=1e-9)


def _tokenizer(row: dict[str, Any]) -> str:
    if "norm=no" in row["params"]:
        return "none"
    return "tercom-asian" if "asian=yes" in row["params"] else "tercom"


def _expected(row: dict[str, Any]) -> float:
    """The value of the row; of tercom where sacreBLEU alone leaves runs of kana together."""
    glued_kana = row["peer"] == "sacrebleu" and row["id"] == "ja02" and "norm=yes" in row["params"]
    return 30.434783 if glued_kana else float(row["value"])


def test_constants_of_other_programs(metric_constants: list[dict[str, Any]]) -> None:
    rows = [row for row in metric_constants if row["metric"] == "TER"]
    assert len(rows) == 49
    for row in rows:
        one = row["level"] == "sentence"
        hypotheses, references = ([row["hyp"]], [row["refs"]]) if one else (row["hyp"], row["refs"])
        test_set = TestSet.of(references, target_language=row["lang"])
        value = _corpus_score(TER(tok=_tokenizer(row), force=True), test_set, hypotheses)
        assert value == pytest.approx(_expected(row), abs=1e-6), (row["id"], row["peer"])


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        ("a", " ".join(["b"] * 100 + ["a"] + ["c"] * 99)),
        (" ".join(["b"] * 100 + ["a"] + ["c"] * 99), "a"),
        ("a b c", " ".join(["b", "q"] * 300)),
        ("a " * 300, "a " * 270),
        ("a " * 300, "b a " * 140),
        ("a b " * 20, "b a " * 25),
        ("", "a b c"),
        ("x y z", "a b c"),
    ],
    ids=lambda text: text[:12],
)
def test_odd_pairs_equal_sacrebleu(hypothesis: str, reference: str) -> None:
    value = _corpus_score(TER(), TestSet.of([reference]), [hypothesis])
    assert value == PeerTER().sentence_score(hypothesis, [reference]).score


def test_beam_costs_more_than_the_true_distance() -> None:
    shared = [f"w{position}" for position in range(40)]
    hypothesis, reference = [*(["x"] * 30), *shared], [*shared, *(["y"] * 30)]
    numbers = {word: number for number, word in enumerate({*hypothesis, *reference})}
    pairs = Pairs.of([[numbers[w] for w in hypothesis]], [[numbers[w] for w in reference]])
    assert EditMatrix.of(pairs).distances().tolist() == [60]
    statistics = TER().statistics(TestSet.of([" ".join(reference)]), [" ".join(hypothesis)])
    peer = PeerTER().sentence_score(" ".join(hypothesis), [" ".join(reference)])
    assert statistics[0, 0] == peer.num_edits > 60


def test_a_word_repeated_1500_times_and_a_long_document() -> None:
    rng = random.Random(1)
    document = [f"w{rng.randint(0, 3000)}" for _ in range(7000)]
    changed = [
        *document[:3000],
        "new",
        *document[3010:3020],
        *document[3000:3010],
        *document[3021:],
    ]
    test_set = TestSet.of(["a " * 1500, "a " * 1499 + "b", " ".join(document)])
    statistics = TER().statistics(test_set, ["a " * 1500, "b " + "a " * 1499, " ".join(changed)])
    assert statistics[:, 0].tolist() == [0, 2, 3]  # sacreBLEU 2.6.0 prints the same
    assert statistics[:, 1].tolist() == [1500, 1500, 7000]


def test_references_without_words() -> None:
    statistics = TER(punct=False).statistics(TestSet.of([".", ".", "."]), ["", "a b", "a"])
    assert statistics.tolist() == [[0, 0], [2, 0], [1, 0]]
    assert TER().score(statistics).tolist() == [0, 100, 100]
    assert TER().score(np.array([0.0, 0.0])) == 0


def test_no_segments() -> None:
    assert TER().statistics(TestSet.of([]), []).shape == (0, 2)


def test_names_and_bad_parameters() -> None:
    assert TER().name == "TER"
    assert TER(case="mixed", punct=False).name == "TER(case=mixed,punct=no)"
    with pytest.raises(UsageError, match="case=upper is unknown"):
        TER(case="upper")


_LINES = st.text("abcde.A", min_size=1, max_size=14).map(" ".join)


@given(st.lists(_LINES, min_size=1, max_size=6))
def test_identical_text_needs_no_edits(lines: list[str]) -> None:
    assert _corpus_score(TER(), TestSet.of(lines), lines) == 0


@given(st.lists(st.tuples(_LINES, _LINES), min_size=1, max_size=8), st.randoms())
def test_order_of_segments_does_not_matter(
    pairs: list[tuple[str, str]], rng: random.Random
) -> None:
    def statistics(rows: list[tuple[str, str]]) -> list[list[float]]:
        hypotheses, references = zip(*rows, strict=True)
        return TER().statistics(TestSet.of(references), hypotheses).tolist()

    expected = dict(zip(pairs, statistics(pairs), strict=True))
    shuffled = rng.sample(pairs, len(pairs))
    assert statistics(shuffled) == [expected[pair] for pair in shuffled]


_NUMBERS = st.lists(st.integers(0, 5), min_size=1, max_size=90)


@given(st.lists(st.tuples(_NUMBERS, _NUMBERS), min_size=1, max_size=4), st.data())
def test_bit_rows_equal_the_textbook_distance(
    rows: list[tuple[list[int], list[int]]], data: st.DataObject
) -> None:
    hypotheses, references = (list(side) for side in zip(*rows, strict=True))
    matrix = EditMatrix.of(Pairs.of(hypotheses, references))
    assert matrix.distances().tolist() == [_textbook(h, r) for h, r in rows]
    cuts = [sorted(data.draw(st.lists(st.integers(0, len(h)), min_size=3, max_size=3)))
            for h in hypotheses]  # fmt: skip
    shifted = matrix.shifted_distances(np.arange(len(rows)), *np.array(cuts).T)
    moved = [h[:a] + h[b:c] + h[a:b] + h[c:] for h, (a, b, c) in zip(hypotheses, cuts, strict=True)]
    assert shifted.tolist() == [_textbook(h, r) for h, r in zip(moved, references, strict=True)]


def _textbook(first: list[int], second: list[int]) -> int:
    row = list(range(len(second) + 1))
    for position, word in enumerate(first, start=1):
        diagonal, row[0] = row[0], position
        for column, other in enumerate(second, start=1):
            best = min(diagonal + (word != other), row[column] + 1, row[column - 1] + 1)
            diagonal, row[column] = row[column], best
    return row[-1]
