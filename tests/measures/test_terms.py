"""Terms, symbols and headings that a segment prescribes."""

from __future__ import annotations

from typing import Any

import pytest

from patmark.data.model import Segment, TestSet
from patmark.errors import InputError
from patmark.measures.base import Check
from patmark.measures.registry import parse_measure
from patmark.measures.terms import alternatives


def _inspect(name: str, source: str, hypothesis: str, **meta: Any) -> Any:
    measure = parse_measure(name)
    assert isinstance(measure, Check)
    test_set = TestSet((Segment("1", source, (), None, meta),), "en", "zh")
    [finding] = measure.findings(test_set, [hypothesis])
    return finding


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("valve", ("valve",)),
        ("formulation, preparation", ("formulation", "preparation")),
        ("ribonucleic acid (RNA)", ("ribonucleic acid", "RNA")),
        ("apply (a voltage, etc.)", ("apply",)),
        ("nonlinear con-trol", ("nonlinear con-trol", "nonlinear control")),
        ("针灸；针", ("针灸", "针")),
        ("1,2-propanediol", ("1,2-propanediol",)),
        ("N,N-dimethylformamide", ("N,N-dimethylformamide",)),
        ("poly(vinyl alcohol)", ("poly(vinyl alcohol)",)),
        ("iron(III) oxide", ("iron(III) oxide",)),
        ("stage (III)", ("stage",)),
        ("light-emitting diode (LED)", ("light-emitting diode", "LED", "lightemitting diode")),
    ],
)
def test_alternatives_inside_one_string(term: str, expected: tuple[str, ...]) -> None:
    assert alternatives(term) == expected


def test_term_accuracy_counts_terms_and_marks_the_source() -> None:
    terms = [
        {"source": "阀门", "target": ["valve", "flap"]},
        {"source": "转子", "target": "rotor"},
    ]
    finding = _inspect("term-accuracy", "阀门和转子", "two flaps and a motor", terms=terms)
    assert (finding.kept, finding.expected) == (1, 2)
    [evidence] = finding.evidence
    assert (evidence.side, evidence.start, evidence.end) == ("source", 3, 5)
    assert evidence.message == "转子 should be rendered as rotor"


@pytest.mark.parametrize(
    ("hypothesis", "kept"),
    [("the valve and the valves", 1), ("the valve and the flap", 0), ("the pump", 0)],
)
def test_term_consistency_wants_one_rendering(hypothesis: str, kept: int) -> None:
    terms = [{"source": "阀门", "target": ["valve", "flap"]}]
    finding = _inspect("term-consistency", "阀门和阀门", hypothesis, terms=terms)
    assert (finding.kept, finding.expected) == (kept, 1)
    assert bool(finding.evidence) == (kept == 0)


@pytest.mark.parametrize("name", ["term-accuracy", "term-consistency"])
def test_a_term_without_a_source_side_marks_nothing_there(name: str) -> None:
    terms = [{"source": "", "target": ["valve"]}]
    finding = _inspect(name, "阀门和阀门", "the pump", terms=terms)
    assert (finding.kept, finding.expected, finding.evidence) == (0, 1, ())


def test_terms_of_the_wrong_shape_are_named() -> None:
    with pytest.raises(InputError, match=r"segment '1': meta\.terms must be a list"):
        _inspect("term-accuracy", "阀门", "valve", terms=["valve"])


def test_special_characters_fold_width() -> None:
    finding = _inspect(
        "special-characters", "A/B-C％", "A B-C%", special_characters=("/", "-", "％")
    )
    assert (finding.kept, finding.expected) == (2, 3)
    assert [(e.start, e.end, e.message) for e in finding.evidence] == [(1, 2, "/ is lost")]


def test_writing_norm_ignores_case_number_and_articles() -> None:
    headings = ("ABSTRACT", "CLAIM", "BRIEF DESCRIPTION OF DRAWINGS", "SUMMARY")
    text = "Abstract: … Claims: … Brief Description of the Drawings"
    finding = _inspect("writing-norm", "摘要", text, headings=headings)
    assert (finding.kept, finding.expected) == (3, 4)
    assert finding.evidence[0].message == "the heading SUMMARY is missing"


def test_leakage_rules_by_direction() -> None:
    measure = parse_measure("leakage")
    english = TestSet.of(["a valve", "a valve"], source_language="zh")
    assert measure.statistics(english, ["a 阀门", "a valve"])[:, 0].tolist() == [1, 0]
    japanese = TestSet.of(["a valve"], source_language="ja")
    assert measure.statistics(japanese, ["a バルブ"])[:, 0].tolist() == [1]
    chinese = TestSet.of(["阀门", "LED阀门"], target_language="zh", source_language="en")
    assert measure.statistics(chinese, ["valve", "LED"])[:, 0].tolist() == [1, 0]


def test_lengths_are_words_in_english_and_characters_in_chinese() -> None:
    ratio = parse_measure("length-ratio")
    english = ratio.statistics(TestSet.of(["one two three four"]), ["one two"])
    assert float(ratio.score(english.sum(axis=0))) == 0.5
    chinese = ratio.statistics(TestSet.of(["一二三四"], target_language="zh"), ["一"])
    assert float(ratio.score(chinese.sum(axis=0))) == 0.25


def test_thresholds_of_the_length_faults() -> None:
    test_set = TestSet.of(["a b"] * 4)
    hypotheses = ["a b", "a", "x", " ".join("a" * 11)]
    omission = parse_measure("omission").statistics(test_set, ["", *hypotheses[1:]])
    assert omission[:, 0].tolist() == [1, 0, 0, 0]  # exactly half is not an omission
    hallucination = parse_measure("length-hallucination").statistics(test_set, hypotheses)
    assert hallucination[:, 0].tolist() == [0, 0, 0, 1]
    stricter = parse_measure("omission(below=0.6)").statistics(test_set, hypotheses)
    assert stricter[:, 0].tolist() == [0, 1, 1, 0]
