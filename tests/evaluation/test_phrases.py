"""What one system gets right and the other does not."""

from __future__ import annotations

import pytest

from patmark.data.model import Run, Segment, TestSet
from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.errors import UsageError
from patmark.evaluation.analysis import PhraseWin, found_in, phrase_tables, phrase_wins
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.examples import SYSTEMS, example_path


def wins_of(test_set: TestSet, first: Run, second: Run, limit: int = 30) -> list[PhraseWin]:
    ours, theirs = found_in(test_set, (first.texts, second.texts))
    return phrase_wins(test_set, ours, theirs, limit)


def wins(
    references: list[str | list[str]],
    first: list[str | None],
    second: list[str | None],
    language: str = "en",
    limit: int = 30,
) -> list[PhraseWin]:
    test_set = TestSet.of(references, target_language=language)
    return wins_of(test_set, Run("a", tuple(first)), Run("b", tuple(second)), limit)


def test_the_longest_phrase_stands_for_its_parts() -> None:
    found = wins(
        ["The lid member closes.", "A lid member is used."],
        ["the lid member closes", "a lid member"],
        ["the cover closes", "a cover"],
    )
    assert found == [
        PhraseWin("lid member", "phrase", 2, 0, ("1", "2")),
        PhraseWin("lid member closes", "phrase", 1, 0, ("1",)),
    ]


def test_frequent_wins_come_first_on_both_sides() -> None:
    found = wins(
        ["valve", "valve", "valve", "rotor", "spring", "spring"],
        ["valve", "valve", "valve", "rotor", "", None],
        ["", "", "", "", "spring", "spring"],
    )
    assert found == [
        PhraseWin("valve", "phrase", 3, 0, ("1", "2", "3")),
        PhraseWin("rotor", "phrase", 1, 0, ("4",)),
        PhraseWin("spring", "phrase", 0, 2, ("5", "6")),
    ]
    assert wins(["valve", "rotor"], ["valve", "rotor"], ["", ""], limit=1) == [
        PhraseWin("rotor", "phrase", 1, 0, ("2",))
    ]


def test_matches_are_clipped_at_the_reference_that_has_most() -> None:
    found = wins(
        [["valve, valve", "valve, valve, valve"]],
        ["valve, valve, valve, valve"],
        ["valve"],
    )
    assert found == [PhraseWin("valve", "phrase", 3, 1, ("1",))]


def test_a_win_counts_what_only_one_system_has() -> None:
    """Three common matches do not weaken a win that stands in one segment."""
    references: list[str | list[str]] = ["control box", "control", "control", "control"]
    first: list[str | None] = ["control box", "control", "control", "control"]
    second: list[str | None] = ["", "control", "control", "control"]
    assert wins(references, first, second) == [PhraseWin("control box", "phrase", 1, 0, ("1",))]


def test_of_pieces_shifted_by_a_word_one_is_shown() -> None:
    text = "rotary shaft bearing housing cover"
    found = [win.phrase for win in wins([text], [text], [""])]
    assert found == ["rotary shaft bearing housing", "housing cover"]


def test_function_words_punctuation_and_plain_numbers_are_no_phrases() -> None:
    found = wins(["of the (and) said, 12 wherein!"], ["of the (and) said, 12 wherein!"], [""])
    assert [(win.phrase, win.kind) for win in found] == [("12", "number")]


def test_phrases_do_not_cross_punctuation_and_ignore_case() -> None:
    found = wins(["Rotor, stator", "the rotor"], ["ROTOR, STATOR", "rotor"], ["", ""])
    assert [(win.phrase, win.first) for win in found] == [("rotor", 2), ("stator", 1)]


def test_at_most_five_segments_in_which_the_winner_is_ahead() -> None:
    texts: list[str | list[str]] = ["valve"] * 8
    first: list[str | None] = ["", *["valve"] * 7]
    assert wins(texts, first, ["valve", *[""] * 7]) == [
        PhraseWin("valve", "phrase", 7, 1, ("2", "3", "4", "5", "6"))
    ]


def test_signs_and_numbers_are_kinds_of_their_own() -> None:
    found = wins(
        ["A bolt (12) of 5 mm and 10 holes"],
        ["A bolt 12 of 5 millimeters and ten holes"],
        ["A bolt (21) of 5 cm and 100 holes"],
    )
    kinds = [(win.phrase, win.kind, win.first, win.second) for win in found]
    assert kinds == [
        ("12", "reference sign", 1, 0),
        ("10", "number", 1, 0),
        ("5 mm", "number", 1, 0),
    ]


def test_prescribed_terms() -> None:
    term = {"source": "阀", "target": ["valve", "cock"]}
    segments = tuple(Segment(str(n), "阀", ("it",), None, {"terms": [term]}) for n in (1, 2))
    test_set = TestSet(segments, "en", "zh")
    found = wins_of(test_set, Run("a", ("two cocks", "valves")), Run("b", ("gate", "a valve")))
    assert found == [PhraseWin("valve", "term", 2, 1, ("1",))]


def test_chinese_and_japanese_words() -> None:
    found = wins(["该伸缩立柱和DC电机"], ["该伸缩立柱和DC电机"], ["该柱子"], "zh")
    assert [win.phrase for win in found] == ["伸缩立柱和DC", "DC电机"]
    japanese = wins(["電池セルを接続する。"], ["電池セルを接続"], ["電池を接続"], "ja")
    assert [win.phrase for win in japanese] == ["電池セルを接続"]


def test_another_language() -> None:
    found = wins(["Die Öffnung"], ["Die Öffnung"], ["Das Loch"], "de")
    assert [win.phrase for win in found] == ["Die Öffnung"]


def test_nothing_to_win() -> None:
    assert wins(["valve"], ["valve"], ["valve"]) == []
    assert wins(["valve"], [None], [""]) == []
    assert wins([[], "valve"], ["a", "valve"], ["b", ""])[0].segments == ("2",)


def test_swapped_systems_swap_the_wins() -> None:
    folder = example_path("ja_en")
    test_set = read_line_test_set(
        [folder / "reference.en", folder / "reference2.en"], target_language="en"
    )
    atlas, borealis = (read_line_run(folder / f"{name}.en", test_set) for name in SYSTEMS[:2])
    forth = wins_of(test_set, atlas, borealis)
    back = wins_of(test_set, borealis, atlas)
    mirrored = {PhraseWin(w.phrase, w.kind, w.second, w.first, w.segments) for w in back}
    assert set(forth) == mirrored and len(forth) == len(back)
    assert {win.kind for win in forth} == {"phrase", "reference sign", "number"}


def test_table_of_the_chinese_example() -> None:
    folder = example_path("en_zh")
    test_set = read_line_test_set(
        [folder / "reference.zh"], source=folder / "source.en", target_language="zh",
        source_language="en",
    )  # fmt: skip
    runs = [read_line_run(folder / f"{name}.zh", test_set) for name in SYSTEMS[:2]]
    evaluation = evaluate(test_set, runs, ["chrF"], Sampling(resamples=0))
    [table] = phrase_tables(evaluation, [("atlas", "borealis")], limit=2)
    assert [column.title for column in table.columns] == [
        "phrase", "kind", "won by", "atlas", "borealis", "segments",
    ]  # fmt: skip
    assert table.rows == (
        ("控制盒", "phrase", "atlas", 3, 0, "2, 4, 5"),
        ("伸缩立柱", "phrase", "atlas", 2, 0, "2, 3"),
        ("光发射器22交替", "phrase", "borealis", 0, 1, "12"),
        ("误差小于", "phrase", "borealis", 0, 1, "29"),
    )
    for a, b, message in (("atlas", "x", "no system is called 'x'"), ("atlas", "atlas", "itself")):
        with pytest.raises(UsageError, match=message):
            phrase_tables(evaluation, [(a, b)])
