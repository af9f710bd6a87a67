"""What pairs are ranked by: SIM with a dictionary or a learnt lexicon, or the aligner's score."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from patmark.alignment.aligners import senses_for
from patmark.alignment.beads import Bead
from patmark.alignment.gold import read_gold
from patmark.alignment.lexicon import Lexicon
from patmark.alignment.similarity import WordMatches
from patmark.collections.corpus.build.aligning import AlignTask, own_scores
from patmark.collections.corpus.build.settings import AlignSettings
from patmark.data.files import read_lines
from patmark.data.scores import FloatArray

_LANGUAGES = ("de", "en")
_SOURCE = ["Rad dreht Welle 12", "Ventil schließt"]
_TARGET = ["wheel turns shaft 12", "valve closes"]
_BEADS = [Bead((0,), (0,), -1.5), Bead((1,), (1,), 0.25)]


def _lexicon(**words: str) -> Lexicon:
    return Lexicon({(source, target): (0.9, 0.9) for source, target in words.items()})


def _similarities(lexicon: Lexicon) -> FloatArray:
    return WordMatches.of(_SOURCE, _TARGET, _LANGUAGES, None, lexicon).similarities(_BEADS)


def test_sim_counts_words_of_the_lexicon_and_words_that_are_alike() -> None:
    """SIM = (co + 1) / (words - 2 co + 2): 8 words of which 12 is alike, 4 of which none is."""
    without = _similarities(Lexicon({}))
    assert without.tolist() == pytest.approx([2 / 8, 1 / 6])
    learnt = _lexicon(rad="wheel", dreht="turn", ventil="valv")
    found = _similarities(learnt)
    assert found.tolist() == pytest.approx([4 / 4, 2 / 4])
    unlikely = Lexicon({("ventil", "valv"): (0.2, 0.1)})
    same = _similarities(unlikely)
    assert same.tolist() == without.tolist()


def test_own_scores_can_be_multiplied_and_keep_their_order() -> None:
    assert own_scores("hybrid", _BEADS).tolist() == [0.0, 0.25]
    assert own_scores("gale-church", _BEADS).tolist() == pytest.approx(
        [math.exp(-1.5), math.exp(0.25)]
    )
    assert own_scores("hybrid", []).shape == (0,)


def test_the_card_names_what_pairs_are_ranked_by() -> None:
    plain = AlignTask("de", "en", AlignSettings(passes=1))
    assert plain.ranked_by == "score of the aligner hybrid, for want of a dictionary"
    assert AlignTask("zh", "en", AlignSettings("gale-church")).ranked_by.startswith(
        "SIM with the dictionary CC-CEDICT"
    )


def test_right_pairs_of_a_real_text_rank_above_wrong_ones(shared_data: Path) -> None:
    """Verses of the Bible beside their neighbours: how often a right pair has the higher SIM."""
    folder = shared_data / "align_gold" / "bible_zh_en"
    chinese, english = read_lines(folder / "zh" / "001"), read_lines(folder / "en" / "001")
    beads = [
        (zh[0], en[0])
        for en, zh in read_gold(folder / "gold" / "001.align")[:400]
        if len(en) == len(zh) == 1
    ]
    right = _sims([chinese[zh] for zh, _ in beads], [english[en] for _, en in beads])
    shifted = beads[1:] + beads[:1]
    wrong = _sims([chinese[zh] for zh, _ in beads], [english[en] for _, en in shifted])
    assert (right[:, None] > wrong[None, :]).mean() > 0.9
    ranked = np.argsort(-np.concatenate([right, wrong]), kind="stable")
    parts = [float((part < len(right)).mean()) for part in np.array_split(ranked, 5)]
    assert parts[0] > 0.95
    assert parts == sorted(parts, reverse=True)


def _sims(source: list[str], target: list[str]) -> FloatArray:
    one_to_one = [Bead((place,), (place,), 0.0) for place in range(len(source))]
    senses = senses_for("cedict", "zh", "en")
    return WordMatches.of(source, target, ("zh", "en"), senses).similarities(one_to_one)
