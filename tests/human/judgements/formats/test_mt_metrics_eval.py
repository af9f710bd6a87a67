from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.data.model import Run, Segment, TestSet
from patmark.data.scores import Scores
from patmark.errors import InputError
from patmark.human.judgements.formats.mt_metrics_eval import (
    MetricsEvalSet,
    read_metrics_eval,
    write_metrics_eval,
)


def _scores(name: str, values: list[list[float]], systems: tuple[str, ...]) -> Scores:
    return Scores.of_values(name, name, systems, ("1", "2", "3"), np.array(values))


_TESTS = TestSet(
    (
        Segment("1", "一", ("one", "1"), "JP1", {"domain": "A"}),
        Segment("2", "", ("two", "2"), "JP1", {"domain": "A"}),
        Segment("3", "三", ("three", "3"), "JP2", {"domain": "H"}),
    ),
    "en",
    "ja",
)
_DATA = MetricsEvalSet(
    pair="ja-en",
    test_set=_TESTS,
    runs=(Run("Online-A", ("a", "b", "")), Run("sys.2", ("d", "e", "f"))),
    reference_names=("refA", "refB"),
    human={"adequacy": _scores("adequacy", [[4, np.nan, 2.5]], ("sys.2",))},
    metrics={
        "BLEU-refA": _scores("BLEU-refA", [[0.1, 0.2, 1 / 3], [1, 2, 3]], ("Online-A", "sys.2"))
    },
    human_systems={"adequacy": np.array([np.nan, 3.25])},
    metric_systems={"BLEU-refA": np.array([0.1, 1 / 3]), "corpus-src": np.array([-1.0, 2])},
)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path, _DATA)
    back = read_metrics_eval(tmp_path, "ja-en")
    assert back.test_set.segments == _TESTS.segments
    assert (back.test_set.source_language, back.test_set.target_language) == ("ja", "en")
    assert (back.runs, back.reference_names) == (_DATA.runs, _DATA.reference_names)
    np.testing.assert_array_equal(
        back.metrics["BLEU-refA"].segment_scores, _DATA.metrics["BLEU-refA"].segment_scores
    )
    np.testing.assert_array_equal(
        back.human["adequacy"].segment_scores, [[np.nan] * 3, [4, np.nan, 2.5]]
    )
    assert back.human["adequacy"].system_scores[1] == 3.25
    assert back.notes == ()
    for found, given in (
        (back.human_systems, _DATA.human_systems),
        (back.metric_systems, _DATA.metric_systems),
    ):
        assert found.keys() == given.keys()
        for name, values in given.items():
            np.testing.assert_array_equal(found[name], values)


def test_the_files_have_the_names_and_lines_of_the_form(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path, _DATA)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert files == {
        "sources/ja-en.txt",
        "references/ja-en.refA.txt",
        "references/ja-en.refB.txt",
        "documents/ja-en.docs",
        "system-outputs/ja-en/Online-A.txt",
        "system-outputs/ja-en/sys.2.txt",
        "human-scores/ja-en.adequacy.seg.score",
        "human-scores/ja-en.adequacy.sys.score",
        "metric-scores/ja-en/BLEU-refA.seg.score",
        "metric-scores/ja-en/BLEU-refA.sys.score",
        "metric-scores/ja-en/corpus-src.sys.score",
    }
    systems = tmp_path / "metric-scores" / "ja-en" / "corpus-src.sys.score"
    assert systems.read_text() == "Online-A\t-1.0\nsys.2\t2.0\n"
    human = tmp_path / "human-scores" / "ja-en.adequacy.seg.score"
    assert human.read_text() == "sys.2 4.0\nsys.2 None\nsys.2 2.5\n"
    documents = tmp_path / "documents" / "ja-en.docs"
    assert documents.read_text() == "A JP1\nA JP1\nH JP2\n"


def test_a_folder_with_sources_and_outputs_only(tmp_path: Path) -> None:
    bare = TestSet((Segment("1", "一"),), "en", "ja")
    write_metrics_eval(tmp_path, MetricsEvalSet("ja-en", bare, (Run("A", ("a",)),)))
    back = read_metrics_eval(tmp_path, "ja-en")
    assert back.test_set.segments == bare.segments
    assert back.human == back.metrics == back.human_systems == back.metric_systems == {}


def test_scores_of_other_levels_are_named(tmp_path: Path) -> None:
    write_metrics_eval(tmp_path, _DATA)
    (tmp_path / "human-scores" / "ja-en.mqm.doc.score").write_text("sys.2 1\n")
    [note] = read_metrics_eval(tmp_path, "ja-en").notes
    assert note.startswith("not read") and note.endswith("ja-en.mqm.doc.score")


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("sources/ja-en.txt", "x\n", "has 3 lines; expected 1, one for each source"),
        (
            "references/ja-en.refA.txt",
            "x\n",
            "refA.txt: has 1 line; expected 3, one for each source",
        ),
        ("references/ja-en.ref-C.txt", "x\ny\nz\n", "reference 'ref-C' must not hold . or -"),
        ("references/ja-en.all.txt", "x\ny\nz\n", "reference 'all' must not"),
        ("documents/ja-en.docs", "A P\nA\nA P\n", "docs:2: expected DOMAIN DOCUMENT, found 'A'"),
        ("human-scores/ja-en.x.seg.score", "B 1\n", "score:1: unknown system 'B'"),
        ("human-scores/ja-en.x.seg.score", "sys.2 1\n", "'sys.2' has 1 score; expected 3"),
        ("human-scores/ja-en.x.seg.score", "sys.2 good\n", "score:1: expected SYSTEM SCORE"),
        ("human-scores/ja-en.x.seg.score", "sys.2 nan\n", "score:1: expected SYSTEM SCORE"),
        ("human-scores/ja-en.x.seg.score", "1\n", "score:1: expected SYSTEM SCORE"),
        ("metric-scores/ja-en/x-src.sys.score", "B\t1\n", "score:1: unknown system 'B'"),
        (
            "metric-scores/ja-en/x-src.sys.score",
            "sys.2\t1\nsys.2\t1\n",
            "'sys.2' has 2 scores; expected one",
        ),
        ("metric-scores/ja-en/x-src.sys.score", "sys.2\tgood\n", "score:1: expected SYSTEM SCORE"),
        ("system-outputs/ja-en/C.txt", "", "C.txt: is empty"),
    ],
)
def test_broken_folders(tmp_path: Path, path: str, text: str, message: str) -> None:
    write_metrics_eval(tmp_path, _DATA)
    (tmp_path / path).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_metrics_eval(tmp_path, "ja-en")


def test_missing_parts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_metrics_eval(tmp_path, "ja-en")
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "ja-en.txt").write_text("x\n")
    with pytest.raises(InputError, match="has no system outputs"):
        read_metrics_eval(tmp_path, "ja-en")


def _segments(**change: Any) -> TestSet:
    first, *others = _TESTS.segments
    return TestSet((replace(first, **change), *others), "en", "ja")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reference_names": ("ref.A", "refB")}, "reference 'ref.A' must not hold . or -"),
        ({"reference_names": ("refA",)}, "has 2 references, but 1 name is"),
        ({"human": {"a.b": _DATA.human["adequacy"]}}, "human score 'a.b' must not hold a ."),
        ({"metrics": {"BLEU": _DATA.metrics["BLEU-refA"]}}, "metric score 'BLEU' must end in"),
        ({"runs": (Run("sys 2", ("d", "e", "f")),)}, "name 'sys 2' is empty or has a space"),
        (
            {"runs": (Run("sys 2", ("d", "e", "f")),)},
            "rename it, such as 'sys_2', in the texts and",
        ),
        ({"metric_systems": {"BLEU": np.zeros(2)}}, "metric score 'BLEU' must end in"),
        (
            {"metric_systems": {"x-src": np.zeros(3)}},
            "'x-src' has 3 scores of systems, but the outputs are of 2",
        ),
        ({"runs": (Run("sys.2", ("d", None, "f")),)}, "'sys.2' has no output for 1 segment,"),
        ({"runs": (Run("sys.3", ("d", "e", "f")),)}, "'adequacy' are of other systems"),
        ({"runs": (Run("sys.2", ("d\nd", "e", "f")),)}, "outputs of 'sys.2' has a line break"),
        ({"test_set": _segments(source="a\nb")}, "text of the sources has a line break"),
        ({"test_set": _segments(document="JP2")}, "document 'JP2' are not in one block"),
        ({"test_set": _segments(document="JP 1")}, "needs document and domain without spaces"),
        ({"test_set": _segments(document=None)}, "needs document and domain without spaces"),
    ],
)
def test_what_the_form_cannot_express(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        write_metrics_eval(tmp_path, replace(_DATA, **change))
    assert not list(tmp_path.iterdir())
