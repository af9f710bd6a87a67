"""METEOR in both forms: equal to the METEOR 1.5 jar, and to NLTK 3.10.4."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from nltk.translate.meteor_score import meteor_score

from patmark.data.model import TestSet
from patmark.errors import UsageError
from patmark.languages import tokenize
from patmark.languages.wordnet import lemma_names, synsets
from patmark.measures.kernels.meteor import BEAM_WIDTH, align_pairs
from patmark.measures.meteor import METEOR, MeteorNltk, related_words

_CONSTANTS = Path(__file__).parents[1] / "constants" / "metric_constants.jsonl"
_ROWS = [json.loads(line) for line in _CONSTANTS.read_text(encoding="utf-8").splitlines()]


def _named(metric: str) -> list[Any]:
    return [
        pytest.param(row, id=f"{row['peer']} {row['version']}-{row['id']}-{number}")
        for number, row in enumerate(_ROWS)
        if row["metric"] == metric
    ]


def _score(
    measure: METEOR | MeteorNltk, hypothesis: str, references: Sequence[str], language: str = "en"
) -> float:
    test_set = TestSet.of([references], target_language=language)
    return float(measure.score(measure.statistics(test_set, [hypothesis]))[0])


@pytest.mark.parametrize("row", _named("METEOR-nltk"))
def test_nltk_constants(row: dict[str, Any]) -> None:
    value = _score(MeteorNltk(tok="none"), row["hyp"], row["refs"], row["lang"])
    assert value == pytest.approx(float(row["exact"]), abs=1e-12)


@pytest.mark.parametrize("row", _named("METEOR"))
def test_jar_constants(row: dict[str, Any]) -> None:
    value = _score(METEOR(tok="none"), row["hyp"], row["refs"], row["lang"])
    assert value == pytest.approx(row["value"], abs=1e-6)


def test_equals_the_jar_on_more_pairs() -> None:
    """Numbers printed by the METEOR 1.5 jar; the options are in the README of the constants."""
    lines = (_CONSTANTS.parent / "meteor_jar.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    test_set = TestSet.of([row["ref"] for row in rows])
    ours = METEOR(tok="none").statistics(test_set, [row["hyp"] for row in rows])[:, 0]
    assert ours == pytest.approx([row["value"] for row in rows], abs=1e-12)
    assert len(rows) == 320


def test_words_are_compared_and_not_their_hashes() -> None:
    """The jar takes "c5" for "as" (one hash in Java, 3122) and gives this pair 1."""
    assert _score(METEOR(tok="none"), "c5", ["as"]) == 0.0


def _perturb(words: list[str], vocabulary: Sequence[str], rng: random.Random) -> list[str]:
    """Drop, swap, inflect, replace by synonyms or by other words, and move phrases."""
    changed: list[str] = []
    for word in words:
        kind = rng.random()
        if kind < 0.1:
            names = [name for synset in synsets(word) for name in lemma_names(synset)]
            changed.append(rng.choice(names or [word]))
        elif kind < 0.2:
            changed.append(word + rng.choice(["s", "ed", "ing", "er"]))
        elif kind < 0.27:
            changed.append(rng.choice(vocabulary))
        elif kind < 0.93:
            changed.append(word)
    for _ in range(rng.randint(0, 3)):
        cuts = sorted(rng.choices(range(len(changed) + 1), k=3))
        parts = [changed[: cuts[0]], changed[cuts[1] : cuts[2]], changed[cuts[0] : cuts[1]]]
        changed = [word for part in [*parts, changed[cuts[2] :]] for word in part]
    return changed


def _pairs(texts: Sequence[list[str]], count: int) -> list[tuple[str, list[str]]]:
    """Perturbed texts with one to three references."""
    rng = random.Random(0)
    vocabulary = [word for words in texts for word in words]
    pairs = []
    for _ in range(count):
        words = rng.choice(texts)
        start = rng.randrange(max(1, len(words) - 40))
        reference = words[start : start + rng.randint(5, 40)]
        references = [reference] + [
            _perturb(reference, vocabulary, rng) or reference
            for _ in range(rng.choice([0, 0, 1, 2]))
        ]
        hypothesis = " ".join(_perturb(reference, vocabulary, rng))
        pairs.append((hypothesis, [" ".join(words) for words in references]))
    return pairs


@pytest.mark.parametrize(
    ("side", "tokenizer", "language", "count"),
    [("content_en", "13a", "en", 2000), ("content_cn", "zh-jieba", "zh", 200)],
)
def test_equals_nltk_on_patents(
    side: str,
    tokenizer: str,
    language: str,
    count: int,
    nltk_wordnet: Any,
    patsnap_rows: list[dict[str, Any]],
) -> None:
    texts = [tokenize(row[side], tokenizer) for row in patsnap_rows]
    pairs = _pairs([words for words in texts if len(words) > 5], count)
    test_set = TestSet.of([references for _, references in pairs], target_language=language)
    measure = MeteorNltk(tok="none")
    ours = measure.statistics(test_set, [hypothesis for hypothesis, _ in pairs])[:, 0]
    peer = [
        meteor_score([text.split() for text in texts], text.split(), wordnet=nltk_wordnet)
        for text, texts in pairs
    ]
    assert ours == pytest.approx(peer, abs=1e-9)
    assert len(set(peer)) > count / 2


@pytest.mark.parametrize(
    ("hypothesis", "reference", "score"),
    [("ΟΔΟΣ İ", "οδος i̇", 0.9375), ("valve_gear unit", "unit valve_gear", 0.5), ("", "unit", 0.0)],
)
def test_equals_nltk_on_odd_words(
    hypothesis: str, reference: str, score: float, nltk_wordnet: Any
) -> None:
    peer = meteor_score([reference.split()], hypothesis.split(), wordnet=nltk_wordnet)
    ours = _score(MeteorNltk(tok="none", force=True), hypothesis, [reference])
    assert ours == pytest.approx(peer) == pytest.approx(score)


def _align_one_by_one(
    hypothesis: Sequence[str], reference: Sequence[str], related: dict[str, tuple[list[str], ...]]
) -> tuple[int, int]:
    """The beam search written plainly: (−equal, chunks, distance, last, matches, taken) each."""
    candidates = [
        [
            (place, word == other)
            for forms in ([other], *related.get(other, ()))
            for place, word in enumerate(hypothesis)
            if word in forms
        ]
        for other in reference
    ]
    wanted = [place for found in candidates for place, _ in found]
    beam = [(0, 0, 0, -1, 0, frozenset[int]())]
    for position, found in enumerate(candidates):
        after = []
        for equal, chunks, distance, last, matches, taken in sorted(beam, key=lambda p: p[:3])[
            :BEAM_WIDTH
        ]:
            fixed = len(found) == 1 and wanted.count(found[0][0]) == 1
            for place, same in found:
                if place not in taken:
                    ends = last not in (-1, place)
                    counts = same and not fixed
                    after.append(
                        (equal - counts, chunks + ends, distance, place + 1, matches + 1,
                         taken | {place})
                    )  # fmt: skip
                    distance += abs(place - position)
            if not fixed:
                after.append((equal, chunks + (last != -1), distance, -1, matches, taken))
        beam = after
    beam = sorted(beam, key=lambda p: p[:3])[:BEAM_WIDTH]
    best = min(beam, key=lambda p: (p[0], p[1] + (p[3] != -1), p[2]))
    return best[4], best[1] + (best[3] != -1)


_LETTERS = "abcde"
_TEXTS = st.lists(st.sampled_from(_LETTERS), max_size=12)
_RELATION = st.sets(st.tuples(st.sampled_from(_LETTERS), st.sampled_from(_LETTERS)), max_size=3)


@given(st.lists(st.tuples(_TEXTS, _TEXTS), min_size=1, max_size=4), _RELATION, _RELATION)
def test_all_pairs_at_once_are_aligned_as_one_by_one(
    pairs: list[tuple[list[str], list[str]]],
    stems: set[tuple[str, str]],
    synonyms: set[tuple[str, str]],
) -> None:
    related = {
        word: tuple(
            sorted({b for a, b in pairs if a == word} | {a for a, b in pairs if b == word} - {word})
            for pairs in (stems, synonyms)
        )
        for word in _LETTERS
    }
    matches, chunks = align_pairs([own for own, _ in pairs], [other for _, other in pairs], related)
    expected = [_align_one_by_one(own, other, related) for own, other in pairs]
    assert list(zip(matches.tolist(), chunks.tolist(), strict=True)) == expected


def test_related_words() -> None:
    related = related_words(["valves", "valve", "shut", "closed", "gear"])
    assert related["valve"] == (["valves"], ["valves"])
    assert related["shut"] == ((), ["closed"])
    assert "gear" not in related


@given(
    st.lists(
        st.sampled_from(["the", "valve", "is", "shut", "a", "store", "memory", "."]), min_size=1
    )
)
def test_identical_texts_score_one(words: list[str]) -> None:
    text = " ".join(words)
    assert _score(METEOR(tok="none"), text, [text]) == 1.0
    expected = 1 - 0.5 / len(words) ** 3
    assert _score(MeteorNltk(tok="none"), text, [text]) == pytest.approx(expected)


@pytest.mark.parametrize("measure", [METEOR(tok="none"), MeteorNltk(tok="none")], ids=str)
def test_repetitive_and_long_texts_finish(measure: METEOR | MeteorNltk) -> None:
    rng = random.Random(0)
    common = ["the", "of", "a", "store", "memory", "storage", "move", "movement", "drive", ","]
    words = rng.choices(common + [f"part{number}" for number in range(300)], k=2000)
    phrases = [words[start : start + 3] for start in range(0, len(words), 3)]
    rng.shuffle(phrases)
    texts = {
        " ".join(["the"] * 300): " ".join(["the"] * 250),
        " ".join(["a", "b"] * 300): " ".join(["b", "a", "c"] * 200),
        " ".join(rng.choices("ab", k=60)): " ".join(rng.choices("ab", k=60)),
        " ".join(rng.choices(common, k=300)): " ".join(rng.choices(common, k=300)),
        " ".join(word for phrase in phrases for word in phrase): " ".join(words),
    }
    test_set = TestSet.of(list(texts.values()))
    scores = measure.statistics(test_set, list(texts))[:, 0]
    assert ((scores > 0.3) & (scores < 1)).all()


def test_only_english_has_stems_and_synonyms() -> None:
    measure = METEOR(tok="none")
    assert _score(measure, "the valves shut", ["the valve closed"]) == 1.0
    assert _score(measure, "the valves shut", ["the valve closed"], "de") < 0.2
    assert _score(measure, "所述 阀门 关闭", ["所述 阀门 关闭"], "zh") == 1.0


def test_best_reference_counts_and_the_corpus_score_is_the_mean() -> None:
    measure = METEOR()
    test_set = TestSet.of([["A gear.", "The valve is closed."], ["A spring."]])
    statistics = measure.statistics(test_set, ["The valve is closed.", ""])
    assert statistics.tolist() == [[1.0, 1.0], [0.0, 1.0]]
    assert measure.score(statistics.sum(axis=0)) == 0.5


def test_names_and_signatures() -> None:
    english, chinese = TestSet.of(["a"]), TestSet.of(["a"], target_language="zh")
    assert METEOR().name == "METEOR"
    assert MeteorNltk(alpha=0.5).name == "METEOR(variant=nltk,alpha=0.5)"
    assert "|stages:exact+stem+synonym|stemmer:snowballstemmer-2" in METEOR().signature(english)
    assert "|wordnet:3.0|" in METEOR().signature(english)
    assert "|stages:exact|refs:1|over:mean|" in METEOR().signature(chinese)
    assert "|stages:exact+stem+synonym|stemmer:porter-nltk|wordnet:3.0|" in MeteorNltk().signature(
        chinese
    )


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("alpha", 1.5), ("beta", -1.0), ("gamma", 2.0), ("gamma", float("nan"))],
)
def test_bad_parameters_are_refused(parameter: str, value: float) -> None:
    with pytest.raises(UsageError, match=parameter):
        METEOR(**{parameter: value})
    with pytest.raises(UsageError, match=parameter):
        MeteorNltk(**{parameter: value})
