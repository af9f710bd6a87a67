"""Judgements in another form: what is refused, and what the reader is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.data.model import Run, Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.human.judgements.checks import check_judgements
from patmark.human.judgements.files import check_target, convert_with_texts
from patmark.human.judgements.formats.mt_metrics_eval import read_metrics_eval
from patmark.human.judgements.model import Judgement, Judgements

_TESTS = TestSet(tuple(Segment(str(n), f"{n}", (f"r{n}",)) for n in (1, 2)), "en", "ja")


def _runs(*names: str) -> list[Run]:
    return [Run(name, ("a", "b")) for name in names]


def _graded(*grades: tuple[str, str, str, str]) -> Judgements:
    return check_judgements([Judgement(e, s, n, "acceptability", v) for e, s, n, v in grades])


def test_an_existing_target_is_refused_without_overwrite(tmp_path: Path) -> None:
    file, folder = tmp_path / "x.csv", tmp_path / "empty"
    folder.mkdir()
    check_target(str(file), overwrite=False)
    check_target(str(folder), overwrite=False)
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"x\.csv exists; overwrite="):
        check_target(str(file), overwrite=False)
    with pytest.raises(UsageError, match="is not empty; overwrite="):
        check_target(str(tmp_path), overwrite=False)
    check_target(str(file), overwrite=True)
    check_target(str(tmp_path), overwrite=True)


def test_old_systems_do_not_stay_in_the_folder(tmp_path: Path) -> None:
    data = _graded(("e1", "A", "1", "AA"), ("e1", "B", "1", "F"))
    folder = str(tmp_path)
    convert_with_texts(data, "mt-metrics-eval", folder, _TESTS, _runs("A", "B", "old"))
    with pytest.raises(InputError, match=r"holds system-outputs/ja-en/old\.txt, which would be"):
        convert_with_texts(data, "mt-metrics-eval", folder, _TESTS, _runs("A", "B"))
    convert_with_texts(data, "mt-metrics-eval", folder, _TESTS, _runs("A", "B", "old"))


def test_means_that_change_are_said(tmp_path: Path) -> None:
    """A won 2 of 3 comparisons, two of them in one segment: the mean of segments is 1/2."""
    one = [("e1", "A", "1", "AA"), ("e1", "B", "1", "F")]
    other = [("e1", "A", "2", "F"), ("e1", "B", "2", "AA")]
    twice = [("e2", "A", "1", "A"), ("e2", "B", "1", "F")]

    def notes(name: str, *rows: tuple[str, str, str, str]) -> str:
        target = str(tmp_path / name)
        data = _graded(*rows)
        return " ".join(
            convert_with_texts(data, "mt-metrics-eval", target, _TESTS, _runs("A", "B"))
        )

    assert "differs from patmark's score" not in notes("alone", *one, *other)
    said = notes("two", *one, *other, *twice)
    assert "differs from patmark's score, which .sys.score holds, by up to 0.1667" in said
    back = read_metrics_eval(tmp_path / "two", "ja-en")
    assert back.human_systems["acceptability"].tolist() == pytest.approx([2 / 3, 1 / 3])
