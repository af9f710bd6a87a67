"""The plain protocol: any measures on any runs."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from patmark.data.model import Run, TestSet
from patmark.data.scores import FloatArray
from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.errors import InputError, PatmarkError, UsageError
from patmark.evaluation.scoring import Sampling, choose_measures, default_measures, evaluate
from patmark.examples import SYSTEMS, example_path
from patmark.measures.base import MeanMeasure
from patmark.measures.bleu import BLEU
from patmark.report import message_texts


@pytest.fixture(scope="module")
def japanese() -> tuple[TestSet, list[Run]]:
    folder = example_path("ja_en")
    test_set = read_line_test_set(
        [folder / "reference.en", folder / "reference2.en"], source=folder / "source.ja",
        documents=folder / "documents.txt", target_language="en", source_language="ja",
    )  # fmt: skip
    return test_set, [read_line_run(folder / f"{name}.en", test_set) for name in SYSTEMS]


def test_everything_at_once(japanese: tuple[TestSet, list[Run]]) -> None:
    test_set, runs = japanese
    evaluation = evaluate(test_set, runs, sampling=Sampling(resamples=200))
    assert evaluation.units.kind == "document" and evaluation.units.count == 24
    result = json.loads(json.dumps(evaluation.to_json(), allow_nan=False))
    assert set(result["systems"]) == set(SYSTEMS)
    for measure in evaluation.measures:
        for system in SYSTEMS:
            cell = result["systems"][system][measure.name]
            assert cell["ci"][0] <= cell["value"] <= cell["ci"][1]
    for name in ("BLEU", "chrF", "NIST", "RIBES", "METEOR", "ROUGE-L", "numbers"):
        values = [result["systems"][system][name]["value"] for system in SYSTEMS]
        assert values == sorted(values, reverse=True), name
    assert "tok:13a" in result["signatures"]["BLEU"] and "refs:2" in result["signatures"]["BLEU"]


def test_systems_share_resamples_whatever_their_company(
    japanese: tuple[TestSet, list[Run]],
) -> None:
    test_set, runs = japanese
    alone = evaluate(test_set, runs[:1], ["BLEU"], Sampling(resamples=300, seed=0))
    together = evaluate(test_set, runs, ["chrF", "BLEU"], Sampling(resamples=300, seed=0))
    assert alone.estimates["BLEU"]["atlas"].ci == pytest.approx(
        together.estimates["BLEU"]["atlas"].ci
    )


def test_tables_say_where_rates_have_an_interval_of_their_own(
    japanese: tuple[TestSet, list[Run]],
) -> None:
    test_set, runs = japanese
    tables = evaluate(test_set, runs, ["RIBES", "omission"], Sampling(100)).to_report().tables
    assert [table.note.endswith("; rates: Wilson") for table in tables] == [False, True]


def test_default_measures_follow_the_data() -> None:
    references_only = {m.name for m in default_measures(TestSet.of(["a"]))}
    assert "BLEU" in references_only and "numbers" not in references_only
    with_source = {m.name for m in default_measures(TestSet.of(["a"], sources=["b"]))}
    assert {"BLEU", "numbers"} <= with_source
    with pytest.raises(InputError, match="neither references nor sources"):
        default_measures(TestSet.of([[]]))


def test_one_segmenter_for_all_word_measures() -> None:
    test_set = TestSet.of(["阀门"], target_language="zh")
    chosen = choose_measures(test_set, "BLEU,RIBES,ROUGE-1(tok=char),chrF", tok="zh-jieba")
    assert [m.name for m in chosen] == ["BLEU(tok=zh-jieba)", "RIBES(tok=zh-jieba)",
                                        "ROUGE-1(tok=char)", "chrF"]  # fmt: skip


def test_runs_are_checked() -> None:
    test_set = TestSet.of(["a", "b"])
    with pytest.raises(InputError, match="x has 1 hypotheses for 2 segments"):
        evaluate(test_set, [Run("x", ("a",))], ["BLEU"])
    with pytest.raises(InputError, match="two systems are called 'x'"):
        evaluate(test_set, [Run("x", ("a", "b")), Run("x", ("a", "b"))], ["BLEU"])
    with pytest.raises(InputError, match="no system to score"):
        evaluate(test_set, [], ["BLEU"])
    with pytest.raises(UsageError, match="must not be negative"):
        Sampling(resamples=-1)


def test_a_missing_answer_is_reported() -> None:
    evaluation = evaluate(TestSet.of(["a b", "c d"]), [Run("x", ("a b", None))], ["BLEU"])
    assert evaluation.to_json()["missing"] == {"x": 1}
    assert "1 segment without an answer" in evaluation.to_report().notes[0]


@dataclass(frozen=True)
class _Failing(MeanMeasure):
    label: ClassVar[str] = "exact-match"

    def segment_scores(self, test_set: TestSet, hypotheses: tuple[str, ...]) -> FloatArray:
        raise ValueError("oops,\nit broke")


def test_a_measure_that_raises_is_named_in_one_line() -> None:
    expected = "^measure exact-match failed: ValueError: oops, it broke$"
    with pytest.raises(UsageError, match=expected) as caught:
        evaluate(TestSet.of(["a b"]), [Run("x", ("a b",))], ["BLEU", _Failing()])
    assert isinstance(caught.value.__cause__, ValueError)


@pytest.mark.parametrize(
    ("documents", "by", "resamples", "warned", "noted"),
    [
        (["D1", "D1", "D2"], None, 20, "come from 2 documents.", ""),
        (["D1", "D1", "D1"], None, 20, "come from 1 document.", ""),
        (["D1", "D1", "D2"], "document", 20, "", "Only 2 documents are drawn from"),
        (["D1", "D1", "D2"], None, 0, "", ""),
        (["D1", "D2", "D3"], None, 20, "", ""),
        ([None, None, None], None, 20, "", ""),
    ],
)
def test_segments_that_belong_together_are_warned_of(
    documents: list[str | None], by: str | None, resamples: int, warned: str, noted: str
) -> None:
    test_set = TestSet.of(["a b c d"] * 3, documents=documents)
    runs = [Run("x", ("a b c d",) * 3)]
    report = evaluate(test_set, runs, ["BLEU"], Sampling(resamples, by=by)).to_report()
    for messages, expected in ((report.findings, warned), (report.notes, noted)):
        texts = message_texts(messages)
        assert len(texts) == bool(expected) and all(expected in text for text in texts)
    findings = message_texts(report.findings)
    assert all(text.startswith("Warning: segments are drawn") for text in findings)


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_none_and_nan_are_no_answer_and_no_reference(nothing: Any) -> None:
    test_set = TestSet.of(["a b", nothing, [nothing, "e f"]], sources=[nothing, "x", "y"])
    assert [segment.references for segment in test_set] == [("a b",), (), ("e f",)]
    assert [segment.source for segment in test_set] == [None, "x", "y"]
    assert Run("mine", ("a b", nothing, "e f")).hypotheses == ("a b", None, "e f")


def test_what_is_no_text_is_named() -> None:
    with pytest.raises(InputError, match="mine, segment 2: expected a text, found int: 7"):
        Run("mine", ("a", 7))  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"reference 1: expected a text, found float: 1\.5"):
        TestSet.of([1.5])  # type: ignore[list-item]


def test_runs_by_name_and_a_single_measure() -> None:
    test_set = TestSet.of(["a b c d", "e f g h"])
    texts = {"one": ["a b c d", "e f g"], "two": ["a b", None]}
    named = evaluate(test_set, texts, BLEU())
    runs = [Run(system, tuple(given)) for system, given in texts.items()]
    assert named.to_json() == evaluate(test_set, runs, ["BLEU"]).to_json()


_OWN = TestSet.of(["The valve is closed by a spring.", "The pump stops."])


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (["x", "y"], "by its name, as in {'mine': "),
        ("xy", "by its name, as in {'mine': "),
        (None, "by its name, as in {'mine': "),
        ({"a": "ab"}, "the hypotheses of a must be a list of texts"),
        ({"a": None}, "the hypotheses of a must be a list of texts"),
        ({1: ["x", "y"], "b": ["x", "y"]}, "must be a text, and not empty: 1"),
        ({"": ["x", "y"]}, "must be a text, and not empty: ''"),
    ],
)
def test_what_is_no_run_is_refused_in_words(runs: Any, message: str) -> None:
    with pytest.raises(PatmarkError, match=re.escape(message)):
        evaluate(_OWN, runs, "BLEU")


@pytest.mark.parametrize(
    ("measures", "message"), [([], "no measure is named"), ([3], "3 is no measure; give a name")]
)
def test_what_is_no_measure_is_refused_in_words(measures: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evaluate(_OWN, {"a": ["x", "y"]}, measures)


@pytest.mark.parametrize("settings", [{"seed": "x"}, {"resamples": 9.5}])
def test_sampling_needs_whole_numbers(settings: Any) -> None:
    with pytest.raises(UsageError, match="must be a whole number"):
        Sampling(**settings)


def test_gaps_are_allowed_in_python_as_the_message_says() -> None:
    with pytest.raises(InputError, match="allow_empty_refs= leaves such segments out"):
        evaluate(TestSet.of(["The pump stops.", None]), {"a": ["x", "y"]}, "BLEU")
    gaps = TestSet.of(["The pump stops.", None], allow_gaps=True)
    assert evaluate(gaps, {"a": ["The pump stops.", "y"]}, "BLEU").estimates["BLEU"]["a"].n == 1


def test_texts_in_another_script_are_in_the_notes_of_the_result() -> None:
    english, chinese = ["The valve is closed.", "The pump stops."], ["阀门关闭。", "泵停止。"]
    exchanged = TestSet.of(english, sources=english, source_language="zh")
    found = evaluate(exchanged, {"a": chinese, "b": english}, "BLEU", Sampling(resamples=0))
    told = [note for note in found.to_json()["notes"] if "seem to be" in note]
    assert told == [
        "Warning: the sources should be in zh, but they seem to be in Latin letters.",
        "Warning: the translations of a should be in en, but they seem to be in Chinese.",
    ]
    assert set(told) <= set(message_texts(found.to_report().findings))
    right = TestSet.of(english, sources=chinese, source_language="zh")
    copied = evaluate(right, {"a": chinese}, "BLEU", Sampling(resamples=0))
    [warning] = copied.text_warnings
    assert warning.text.endswith("are the files exchanged, or is nothing translated?")
    assert not evaluate(right, {"a": english}, "BLEU", Sampling(resamples=0)).text_warnings


def test_translations_into_another_language_of_the_same_script_are_warned_of() -> None:
    english = ["The valve is closed by the motor, and the pump of the device stops."] * 3
    german = [
        "Das Ventil wird von dem Motor geschlossen, und die Pumpe der Anlage ist aus.",
        "Die Welle ist mit dem Motor verbunden.",
        "Der Druck wird bei dem Verfahren auf den Wert der Tabelle gesetzt.",
    ]
    test_set = TestSet.of(english, sources=german, source_language="de")
    found = evaluate(test_set, {"a": german, "b": english}, "BLEU", Sampling(resamples=0))
    assert message_texts(found.text_warnings) == [
        "Warning: the translations of a should be in en, but they seem to be in German. So are "
        "the sources: are the files exchanged, or is nothing translated?"
    ]


def test_texts_too_short_for_a_measure_are_in_the_notes() -> None:
    test_set = TestSet.of(["pump", "valve", "a valve"])
    runs = {"same": ["pump", "valve", "a valve"], "wrong": ["x", "y", "z"]}
    found = evaluate(test_set, runs, "BLEU,BLEU(n=2),ROUGE-2,chrF", Sampling(resamples=0))
    assert found.estimates["BLEU"]["same"].value == 0
    assert list(found.notes) == [
        "BLEU of same is 0 because no segment has 4 words in a row; BLEU(effective=yes) counts "
        "shorter texts too, and chrF needs no words.",
        "ROUGE-2 is 0 in 2 segments whose reference is a single word; ROUGE-1 and ROUGE-L count "
        "single words.",
    ]
    longer = TestSet.of(["the pump is closed now"])
    closed = {"same": ["the pump is closed now"]}
    assert not evaluate(longer, closed, "BLEU,ROUGE-2", Sampling(resamples=0)).data_notes


def test_json_gives_notices_with_level_code_and_remedy() -> None:
    evaluation = evaluate(
        TestSet.of(["This is a sentence about a valve."] * 4),
        {"A": ["这是一个阀门的句子。"] * 4},
        "BLEU",
    )
    result = evaluation.to_json()
    warned = [one for one in result["notices"] if one["level"] == "warning"]
    assert warned and all(set(one) == {"level", "code", "text", "remedy"} for one in warned)
    for one in warned:
        assert any(one["text"] in note and one["remedy"] in note for note in result["notes"])
