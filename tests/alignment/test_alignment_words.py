"""Words, dictionaries with all senses, learnt lexicons, and the matching of words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from patmark.alignment.beads import Bead
from patmark.alignment.hybrid import Hybrid, learn_lexicon
from patmark.alignment.lexicon import Lexicon, LexiconLearning, Senses, known_pairs, learn
from patmark.alignment.similarity import WordMatches, matched_weight, sim
from patmark.alignment.words import numbered, sentence_words
from patmark.data.dictionaries import Dictionary
from patmark.errors import InputError

ENTRIES = [
    ("齿轮", ["gear", "gear wheel"]),
    ("转动", ["to turn (sth) around", "to rotate"]),
    ("轴", ["axis; axle", "shaft", "CL:根[gen1]"]),
    ("泵", ["pump (loanword)"]),
    ("传感", ["to sense"]),
    ("器", ["device", "tool"]),
]
_ENGLISH_WORDS = ["the", "gear", "be", "turn", "1500", "time", "?"]
SENSES = Senses.of(Dictionary("test", "zh", "en", ENTRIES))


@pytest.mark.parametrize(
    ("language", "text", "words"),
    [
        ("en", "The gears were turning 1,500 times?", _ENGLISH_WORDS),
        ("de", "Die Pumpen (12) laufen!", ["die", "pump", "12", "lauf", "!"]),
        ("zh", "齿轮１２转动。", ["齿轮", "12", "转动"]),
        ("ja", "歯車が回転した？", ["歯車", "回転", "する", "?"]),
        ("xx", "Abc déf", ["abc", "déf"]),
    ],
)  # fmt: skip
def test_words_in_the_form_that_is_compared(language: str, text: str, words: list[str]) -> None:
    assert sentence_words([text], language) == [words]


def test_all_senses_count_and_remarks_do_not() -> None:
    assert SENSES.translations("轴") == {"axi": 0.5, "axl": 0.5, "shaft": 1.0}
    assert SENSES.translations("转动") == {"turn": 0.5, "around": 0.5, "rotat": 1.0}


def test_an_unknown_word_is_looked_up_in_parts() -> None:
    assert SENSES.translations("传感器") == {"sens": 0.5, "devic": 0.5, "tool": 0.5}
    assert SENSES.translations("水") == {}


def test_sim_by_hand() -> None:
    """齿轮 and 轴 match gear and shaft: co = 2, l = 3 and 4, SIM = 3 / (7 - 4 + 2)."""
    source, target = ["齿轮和轴转动。"], ["The gear meets the long shaft."]
    matches = WordMatches.of(source, target, ("zh", "en"), SENSES)
    assert matches.source.sizes.tolist() == [3]
    assert matches.target.sizes.tolist() == [4]
    assert matches.similarities([Bead((0,), (0,), 0.0)]).tolist() == [3 / 5]
    assert sim(np.array([0.0]), 0, 0).tolist() == [0.5]


def test_a_word_matches_once_however_often_it_could() -> None:
    matches = WordMatches.of(["齿轮。"], ["Gear gear wheel."], ("zh", "en"), SENSES)
    assert matches.similarities([Bead((0,), (0,), 0.0)]).tolist() == [2 / (1 + 3 - 2 + 2)]


def test_sim_of_merged_and_empty_beads() -> None:
    source, target = ["齿轮。", "轴。", "泵。"], ["Gear and shaft.", "A bird."]
    matches = WordMatches.of(source, target, ("zh", "en"), SENSES)
    beads = [Bead((0, 1), (0,), 0.0), Bead((2,), (), 0.0), Bead((), (1,), 0.0)]
    assert matches.similarities(beads).tolist() == [3 / 2, 0.0, 0.0]


edges = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 5)), unique=True)


@given(edges)
def test_a_matching_is_at_least_half_of_the_largest_and_never_more(
    found: list[tuple[int, int, int]],
) -> None:
    columns = np.array(found, dtype=np.int64).reshape(-1, 3).T
    sizes = matched_weight(*columns, np.ones(len(found)), 3)
    for group in range(3):
        inside = columns[:, columns[0] == group]
        graph = csr_array((np.ones(inside.shape[1]), (inside[1], inside[2])), shape=(6, 6))
        largest = int((maximum_bipartite_matching(graph) >= 0).sum())
        assert largest / 2 <= sizes[group] <= largest


def test_a_chain_is_matched_completely() -> None:
    left, right = np.array([0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 2])
    assert matched_weight(np.zeros(5, int), left, right, np.ones(5), 1).tolist() == [3.0]


def test_words_that_meet_again_and_again_are_learnt_and_those_that_met_once_are_not() -> None:
    source = ["rote Pumpe", "rote Welle", "grüne Pumpe", "grüne Welle", "alte Welle"]
    target = ["pompe rouge", "arbre rouge", "pompe verte", "arbre vert", "arbre ancien"]
    sides = numbered(source, "de"), numbered(target, "fr")
    known = known_pairs(*sides, None, None, 1.0)
    path = [(k, k, (1, 1)) for k in range(5)]
    lexicon = learn(*sides, path, known, LexiconLearning(0.95, 0.0)).to_lexicon(*sides)
    best = {s: max((f, t) for (a, t), (f, _) in lexicon.pairs.items() if a == s)[1]
            for s in ("pump", "well", "rot")}  # fmt: skip
    assert best == {"pump": "pomp", "well": "arbre", "rot": "roug"}
    assert ("alt", "ancien") not in lexicon.pairs


def test_a_lexicon_is_the_same_after_saving(tmp_path: Path) -> None:
    lexicon = Lexicon({("泵", "pump"): (0.75, 0.5), ("轴", "shaft"): (1.0, 0.0)})
    lexicon.save(tmp_path / "l.tsv")
    assert Lexicon.load(tmp_path / "l.tsv") == lexicon


def test_every_bad_line_of_a_lexicon_is_named(tmp_path: Path) -> None:
    path = tmp_path / "l.tsv"
    header = "source\ttarget\tforward\tbackward\n"
    path.write_text(header + "a\tb\t0.5\t0.5\na\tb\t0.1\t0.1\na\tc\t2\t0\na\tc\tx\t0\na\tc\n")
    with pytest.raises(InputError) as error:
        Lexicon.load(path)
    assert [problem.line for problem in error.value.problems] == [3, 4, 5, 6]
    path.write_text("a\tb\t0.5\t0.5\n")
    with pytest.raises(InputError, match="expected the header"):
        Lexicon.load(path)


def test_a_pooled_lexicon_is_learnt_from_several_documents() -> None:
    pairs = [
        ([f"Die Pumpe {k} läuft.", f"Die Welle {k} dreht."],
         [f"La pompe {k} marche.", f"L'arbre {k} tourne."])
        for k in range(10, 14)
    ]  # fmt: skip
    lexicon = learn_lexicon(pairs, Hybrid("de", "fr"))
    assert lexicon.pairs["pump", "pomp"][0] > lexicon.pairs.get(("pump", "arbre"), (0, 0))[0]
