"""Scores from elsewhere as measures of an evaluation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from patmark.data import TestSet
from patmark.data.model import Segment
from patmark.errors import InputError, UsageError
from patmark.evaluation.joined_scores import imported_scores, names_import, read_imported
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import choose_measures, evaluate

TEST_SET = TestSet(
    tuple(Segment(f"s{at}", references=(f"the valve {at} closes",)) for at in range(1, 4)), "en"
)
RUNS = {"A": ["the valve 1", "valve 2 closes", "x"], "B": ["a", "b", "the valve 3 closes"]}
CSV = """\
system,segment,value
B,s3,0.1
A,s1,0.5
A,s2,
A,s3,0.75
B,s1,0.5
B,s2,0.25
"""


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "c.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def test_values_are_matched_by_system_and_id_and_an_empty_one_does_not_count(scores: Path) -> None:
    [measure] = read_imported([f"COMET={scores}"])
    found = evaluate(TEST_SET, RUNS, ["BLEU", measure])
    values = found.scores["COMET"].segment_scores
    np.testing.assert_array_equal(values, [[0.5, np.nan, 0.75], [0.5, 0.25, 0.1]])
    assert found.estimates["COMET"]["A"].value == pytest.approx(0.625)
    assert found.estimates["COMET"]["A"].n == 2
    signature = found.scores["COMET"].signature
    assert signature.startswith(f"COMET|from:{scores}|column:COMET|scores:")
    np.testing.assert_array_equal(found.explorer().values["COMET"], values)


def test_the_signature_changes_with_the_scores(scores: Path) -> None:
    before = read_imported([f"COMET={scores}"])[0].signature(TEST_SET)
    scores.write_text(CSV.replace("0.75", "0.76"), encoding="utf-8")
    assert read_imported([f"COMET={scores}"])[0].signature(TEST_SET) != before


def test_saved_and_read_again_they_are_the_same_mean(scores: Path, tmp_path: Path) -> None:
    found = evaluate(TEST_SET, RUNS, list(read_imported([f"TER={scores}"])))
    save_scores(tmp_path / "s.json", found.scores, TEST_SET.documents)
    again = read_scores(tmp_path / "s.json").scores["TER"]
    np.testing.assert_array_equal(again.system_scores, found.scores["TER"].system_scores)
    assert not again.higher_is_better
    [imported] = read_imported([f"TER={tmp_path / 's.json'}"])
    other = evaluate(TEST_SET, RUNS, [imported])
    np.testing.assert_array_equal(
        other.scores["TER"].segment_scores, found.scores["TER"].segment_scores
    )


def test_less_is_better_by_name_or_by_word(scores: Path) -> None:
    arguments = [f"{name}={scores}" for name in ("TER", "COMET", "mine", "yours")]
    measures = read_imported(arguments, ["mine"])
    assert [one.higher_is_better for one in measures] == [False, True, False, True]
    with pytest.raises(UsageError, match="no scores are imported as other"):
        read_imported(arguments, ["other"])


def test_an_imported_measure_stands_where_it_is_named(scores: Path) -> None:
    imported = read_imported([f"BLEU={scores}", f"X={scores}"])
    chosen = choose_measures(TEST_SET, "chrF,BLEU,TER", imported=imported)
    assert [one.name for one in chosen] == ["chrF", "BLEU", "TER", "X"]
    assert chosen[1] is imported[0]
    with pytest.raises(UsageError, match="asked for twice: BLEU"):
        choose_measures(TEST_SET, imported=imported)


def test_a_program_gets_a_name_of_its_own(tmp_path: Path) -> None:
    program = tmp_path / "words.py"
    program.write_text("import sys, json\nfor line in sys.stdin:\n"
                       "    print(len(json.loads(line)['hypothesis'].split()))\n")  # fmt: skip
    [measure] = read_imported([f"words=command:python3 {program}"])
    found = evaluate(TEST_SET, RUNS, [measure])
    np.testing.assert_array_equal(found.scores["words"].segment_scores, [[3, 3, 1], [1, 1, 4]])
    assert found.scores["words"].signature.startswith(f"command|line:python3 {program}|refs:1|")
    [less] = read_imported([f"words=command-lower:python3 {program}"])
    assert not less.higher_is_better


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CSV.replace("A,s1,0.5\n", ""), "c.csv: COMET of A: there is no score of segment 's1'"),
        (CSV + "A,s9,1\n", "c.csv:8: COMET of A: segment 's9' is not in"),
        (CSV.replace("B,", "C,"), "c.csv: COMET: has no scores of B, but of C, A"),
        ("segment,value\ns1,1\ns2,1\ns3,1\n", "c.csv: COMET: names no system, and there are 2: A"),
        ("A 1\nA 2\nA 3\nA 4\nB 1\nB 2\nB 3\n", "c.csv:4: COMET of A: 4 scores for 3 segments"),
        ("A 1\nA 2\nB 1\nB 2\nB 3\n", "c.csv:2: COMET of A: 2 scores for 3 segments"),
        ("system,segment,measure,value\nA,,X,1\nB,,X,2\n", "c.csv: holds scores of whole systems"),
        ("system,segment,measure,value\nA,s1,X,1\nA,s1,Y,1\n", "c.csv: has no measure 'COMET', b"),
    ],
)
def test_scores_that_do_not_fit_are_refused(scores: Path, text: str, message: str) -> None:
    given = scores if "," in text else scores.with_suffix(".txt")
    given.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        evaluate(TEST_SET, RUNS, list(read_imported([f"COMET={given}"])))
    assert message.replace("c.csv", given.name) in str(raised.value)


def test_many_missing_segments_are_one_short_message(scores: Path) -> None:
    scores.write_text("system,segment,value\nA,x,1\nB,x,1\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        evaluate(TEST_SET, RUNS, list(read_imported([f"COMET={scores}"])))
    *shown, last = str(raised.value).splitlines()
    assert len(shown) == 5
    assert last.endswith("c.csv: … and 3 more segments without a match")


def test_files_without_texts_share_systems_and_segments(scores: Path, tmp_path: Path) -> None:
    other = tmp_path / "o.csv"
    rows = "".join(f"{system},s{at},{at}\n" for system in "CBA" for at in (3, 2, 1))
    other.write_text(f"system,segment,value\n{rows}", encoding="utf-8")
    found = imported_scores([f"COMET={scores}", f"X={other}"], ["X"])
    assert found.systems == ("B", "A")
    assert found.segments == ("s3", "s1", "s2")
    np.testing.assert_array_equal(found.scores["X"].segment_scores, [[3, 1, 2], [3, 1, 2]])
    assert not found.scores["X"].higher_is_better
    with pytest.raises(UsageError, match="needs texts"):
        imported_scores(["X=command:true"])


def test_a_name_is_told_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a=b.json").touch()
    assert [names_import(one) for one in ("COMET=c.csv", "a=b.json", "runs/x=1/s.json")] == [
        True, False, False,
    ]  # fmt: skip
    with pytest.raises(UsageError, match=r"scores='c\.csv': write NAME=FILE or NAME=command:"):
        read_imported(["c.csv"])
    with pytest.raises(UsageError, match="names X twice"):
        read_imported(["X=c.csv", "X=d.csv"])
