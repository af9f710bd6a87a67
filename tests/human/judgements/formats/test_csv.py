from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from patmark.errors import InputError
from patmark.human.judgements.checks import check_judgements, check_preferences
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.formats.csv import write_judgement_csv, write_preference_csv
from patmark.human.judgements.model import Judgement, Preference

_HEADER = "evaluator,system,segment,criterion,value\n"
_PAIRS = "evaluator,segment,first,second,winner\n"

_name = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\r\n"), min_size=1, max_size=8
).filter(lambda text: text == text.strip())
_comment = st.none() | st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\r"), min_size=1, max_size=12
)
_judgement = st.builds(
    Judgement,
    evaluator=_name,
    system=_name,
    segment=_name,
    criterion=st.just("adequacy"),
    value=st.sampled_from("12345"),
    order=st.none() | st.integers(1, 99),
    phase=st.sampled_from(["main", "training", "check", "repeat"]),
    comment=_comment,
)


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "file.csv"
    path.write_text(text, encoding="utf-8")
    return path


def _problems(path: Path, **options: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_judgements(path, **options)  # type: ignore[arg-type]
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


@given(rows=st.lists(_judgement, min_size=1, max_size=6, unique_by=lambda row: row.key))
def test_judgements_are_read_back_as_they_were_written(
    rows: list[Judgement], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("csv") / "file.csv"
    data = check_judgements(rows)
    write_judgement_csv(path, data)
    reading = read_judgements(path, "csv")
    assert reading.judgements == data
    assert reading.preferences is None and reading.format == "judgement CSV"


@given(
    pairs=st.lists(
        st.tuples(_name, _name, _name, _name, st.integers(0, 2), _name), min_size=1, max_size=5
    )
)
def test_preferences_are_read_back_as_they_were_written(
    pairs: list[tuple[str, str, str, str, int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = {
        row.key: row
        for evaluator, segment, first, second, winner, document in pairs
        if first != second and "equal" not in (first, second)
        for row in [
            Preference(evaluator, segment, first, second, (first, second, None)[winner],
                       document=f"P{segment}" if document else None, copied=winner == 1)
        ]
    }  # fmt: skip
    if not rows:
        return
    path = tmp_path_factory.mktemp("csv") / "file.csv"
    data = check_preferences(list(rows.values()))
    write_preference_csv(path, data)
    assert read_judgements(path, "preferences").preferences == data


def test_copied_is_yes_or_nothing(tmp_path: Path) -> None:
    text = "evaluator,segment,first,second,winner,copied\ne,1,A,B,A,yes\ne,2,A,B,A,{}\n"
    data = read_judgements(_file(tmp_path, text.format(""))).preferences
    assert data is not None and [row.copied for row in data.rows] == [True, False]
    problems = _problems(_file(tmp_path, text.format("1")))
    assert problems == ["3: copied: expected yes or nothing, found '1'"]


def test_optional_columns_and_lines_of_multi_line_fields(tmp_path: Path) -> None:
    text = (
        "segment,comment,evaluator,system,criterion,value,document,order,phase\n"
        '1,"two\nlines",e1,A,adequacy,4,P1,2,main\n'
        "1,,e1,B,adequacy,5,P1,,\n"
        "2,,e1,B,adequacy,7,,,\n"
    )
    path = _file(tmp_path, text)
    assert _problems(path) == ["5: adequacy: expected one of 1, 2, 3, 4, 5, found '7'"]
    data = read_judgements(_file(tmp_path, text.replace(",7,", ",3,"))).judgements
    assert data is not None
    assert data.rows[0] == Judgement("e1", "A", "1", "adequacy", "4", "P1", 2, "main", "two\nlines")
    assert [row.line for row in data.rows] == [2, 4, 5]


def test_all_problems_of_a_file_at_once(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "evaluator,system,segment,criterion,value,order\n"
        "e1,A,1,adequacy,4,1\n"
        "e1,A,1,adequacy,5,1\n"
        "e1,C,1,adequacy,4,1\n"
        "e1,A,2,adequacy\n"
        "e1,A,3,adequacy,4,first\n"
        ",A,4,adequacy,4,\n"
        "e1,A,5,style,4,\n",
    )
    found = _problems(path, systems=["A", "B"])
    assert [line.partition(":")[0] for line in found] == ["3", "4", "5", "6", "7", "8"]
    assert found[0].endswith("already on line 2")
    assert "unknown system 'C'" in found[1]
    assert found[2] == "5: expected 6 fields as in the header, found 4"
    assert found[3] == "6: order: expected a whole number from 1, found 'first'"
    assert found[4] == "7: field 'evaluator' is empty"
    assert "criterion 'style' has no scale" in found[5]


def test_a_criterion_without_a_scale_is_told_once(tmp_path: Path) -> None:
    rows = [f"e1,A,{segment},{name},4\n" for segment in range(9) for name in ("style", "tone")]
    found = _problems(_file(tmp_path, _HEADER + "".join(rows)))
    assert [line.partition(";")[0] for line in found] == [
        "2: criterion 'style' has no scale",
        "3: criterion 'tone' has no scale",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        (_HEADER, "2: has a header but no rows"),
        ("evaluator,system,segment,value\ne,A,1,4\n", "1: expected a header line .* criterion"),
        (_HEADER.replace("\n", ",colour\n") + "e,A,1,adequacy,4,red\n", "unknown column 'colour'"),
        (_HEADER.replace("\n", ",value\n") + "e,A,1,adequacy,4,4\n", "'value' occurs 2 times"),
        (_HEADER + '"e,A,1,adequacy,4\n', "2: is not valid CSV"),
        (_HEADER + "\ne,A,1,adequacy,4\n", "2: blank line"),
        ("e,A,1,adequacy,4\n", "is in no known form"),
        (_PAIRS + "e,1,A,B,\n", "2: field 'winner' is empty; a tie is written as equal"),
        (_PAIRS + "e,1,A,B,C\n", "2: winner 'C'"),
        (_PAIRS + "e,1,A,B,first\ne,1,B,A,first\n", "3: .* already on line 2"),
        (_PAIRS.replace(",winner", ""), "1: .*missing: winner"),
    ],
)
def test_broken_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgements(_file(tmp_path, text))


def test_bad_utf8_names_line_and_byte(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(_HEADER.encode() + b"e,\xff,1,adequacy,4\n")
    with pytest.raises(InputError, match=r"file\.csv:2: is not UTF-8: byte 3"):
        read_judgements(path)


def test_ways_to_name_the_winner(tmp_path: Path) -> None:
    rows = "e,1,A,B,first\ne,2,A,B,second\ne,3,A,B,equal\ne,4,A,B,B\ne,5,second,B,second\n"
    data = read_judgements(_file(tmp_path, _PAIRS + rows)).preferences
    assert data is not None
    assert [row.winner for row in data.rows] == ["A", "B", None, "B", "second"]


def test_a_system_called_equal_cannot_be_written(tmp_path: Path) -> None:
    data = check_preferences([Preference("e", "1", "equal", "B", None)])
    with pytest.raises(InputError, match="cannot be told from a tie"):
        write_preference_csv(tmp_path / "out.csv", data)
    assert not list(tmp_path.iterdir())
