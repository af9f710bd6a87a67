"""Names of measures: one name, the same everywhere, parsed and printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, strategies as st

from patmark.data.model import TestSet
from patmark.data.scores import FloatArray
from patmark.errors import InputError, UsageError
from patmark.measures import registry as registry_module
from patmark.measures.base import Check, MeanMeasure
from patmark.measures.describing import describe_all, find_described
from patmark.measures.registry import (
    all_measures,
    measures_by_default,
    parse_measure,
    parse_measures,
    register,
    split_names,
)


@pytest.mark.parametrize(
    ("given_name", "printed"),
    [
        ("BLEU", "BLEU"),
        ("bleu", "BLEU"),
        ("BLEU(n=1)", "BLEU(n=1)"),
        ("BLEU( tok = zh , n=2 )", "BLEU(tok=zh,n=2)"),
        ("BLEU(n=4)", "BLEU"),
        ("chrF++", "chrF(words=2)"),
        ("chrF++(case=lower)", "chrF(words=2,case=lower)"),
        ("METEOR(variant=nltk)", "METEOR(variant=nltk)"),
        ("ROUGE-L(variant=pltrdy)", "ROUGE-L(variant=pltrdy)"),
        ("RIBES(alpha=0.3)", "RIBES(alpha=0.3)"),
        ("ROUGE-1(stem=true)", "ROUGE-1(stem=yes)"),
    ],
)
def test_parses_and_prints(given_name: str, printed: str) -> None:
    assert parse_measure(given_name).name == printed
    assert parse_measure(printed) == parse_measure(given_name)


@pytest.mark.parametrize("measure", all_measures(), ids=lambda m: f"{m.label}-{m.variant}")
def test_default_name_parses_back(measure: type) -> None:
    assert parse_measure(measure().name) == measure()


@given(
    st.sampled_from([1, 2, 3, 4]),
    st.sampled_from(["auto", "13a", "zh", "ja-mecab"]),
    st.sampled_from(["exp", "floor", "add-k", "none"]),
    st.booleans(),
)
def test_any_name_parses_back_to_itself(n: int, tok: str, smooth: str, effective: bool) -> None:
    measure = parse_measure(
        f"BLEU(n={n},tok={tok},smooth={smooth},effective={'yes' if effective else 'no'})"
    )
    assert parse_measure(measure.name) == measure


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("BLUE", "did you mean BLEU?"),
        ("foo", "choose from"),
        ("BLEU(x=1)", "no parameter 'x'"),
        ("BLEU(n=five)", "n must be a whole number"),
        ("BLEU(n=9)", "choose from 1, 2, 3, 4"),
        ("BLEU(effective=maybe)", "yes or no"),
        ("BLEU(n)", "write key=value"),
        ("BLEU(variant=moses)", "variant 'moses' is unknown"),
        ("BLEU(", "is not the name of a measure"),
        ("", "is not the name of a measure"),
        ("BLEU(n=1,n=2)", "given twice"),
        ("chrF(beta=nan)", "beta must be a number"),
        ("chrF(tok=zh)", "has no effect without words"),
        ("NIST(n=1000)", "between 1 and 9"),
        ("omission(below=0)", "greater than 0"),
    ],
)
def test_bad_names_say_what_is_wrong(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("?", r"\?")):
        parse_measure(name)


def test_all_bad_names_are_reported_at_once() -> None:
    with pytest.raises(UsageError) as caught:
        parse_measures("BLEU,foo,chrF,bar")
    assert "foo" in str(caught.value) and "bar" in str(caught.value)


def test_the_same_measure_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="asked for twice: BLEU"):
        parse_measures("BLEU,BLEU(n=4)")


def test_commas_inside_brackets_do_not_split() -> None:
    assert split_names("BLEU(n=1,tok=zh), chrF") == ["BLEU(n=1,tok=zh)", "chrF"]


def test_every_measure_describes_itself() -> None:
    for info in describe_all():
        assert info.description and info.reference
        assert all("default" in text for text in info.parameters.values())


def test_a_registered_measure_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry_module, "_registered", [])

    @register
    @dataclass(frozen=True, kw_only=True)
    class OwnVowels(MeanMeasure):
        label: ClassVar[str] = "own-vowels"
        description: ClassVar[str] = "share of vowels"
        citation: ClassVar[str] = "this test"
        needs: ClassVar[frozenset[str]] = frozenset()

        def segment_scores(self, test_set: TestSet, hypotheses: Sequence[str]) -> FloatArray:
            return np.array([sum(c in "aeiou" for c in text) / len(text) for text in hypotheses])

    measure = parse_measure("own-vowels")
    statistics = measure.statistics(TestSet.of(["x", "y"]), ["aaaa", "abab"])
    assert float(measure.score(statistics.sum(axis=0))) == 0.75


def test_a_broken_plug_in_is_named_and_does_not_stop_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = EntryPoint("broken", "no_such_package:Nope", registry_module.ENTRY_POINT_GROUP)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [broken])
    registry_module._plugged_in.cache_clear()
    try:
        with pytest.warns(UserWarning, match="'broken' .* cannot be loaded: No module named"):
            assert "BLEU" in [measure.label for measure in all_measures()]
    finally:
        registry_module._plugged_in.cache_clear()


def test_a_label_cannot_be_taken_twice() -> None:
    from patmark.measures.bleu import BLEU

    with pytest.raises(UsageError, match="a measure called BLEU already"):
        register(BLEU)


def test_unsegmented_and_misnamed_text_is_refused() -> None:
    sentence = "壳体通过螺栓固定在底座上方的支架上"
    with pytest.raises(UsageError, match="takes blanks for word boundaries"):
        parse_measure("TER(tok=none)").statistics(
            TestSet.of([sentence], target_language="zh"), [sentence]
        )
    with pytest.raises(UsageError, match="seem to be written in Chinese"):
        parse_measure("BLEU").statistics(TestSet.of([sentence]), [sentence])
    forced = parse_measure("BLEU(force=yes)")
    assert forced.statistics(TestSet.of([sentence]), [sentence]).shape == (1, 10)


def test_wrong_number_of_hypotheses_names_both_counts() -> None:
    with pytest.raises(InputError, match="has 2 segments, but there are 1 hypotheses"):
        parse_measure("BLEU").statistics(TestSet.of(["a", "b"]), ["a"])


def test_empty_reference_is_named() -> None:
    with pytest.raises(InputError, match="segment '2' has no reference"):
        parse_measure("BLEU").statistics(TestSet.of(["a", " "]), ["a", "b"])


def test_missing_source_and_terms_are_named() -> None:
    with pytest.raises(InputError, match=r"numbers needs source texts \(src=\)"):
        parse_measure("numbers").statistics(TestSet.of(["a"]), ["a"])
    with pytest.raises(InputError, match=r"no segment has meta\.terms"):
        parse_measure("term-accuracy").statistics(TestSet.of(["a"], sources=["b"]), ["a"])


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_western_tokenizer_on_cjk_is_refused_unless_forced(language: str) -> None:
    test_set = TestSet.of(["阀门"], target_language=language)
    with pytest.raises(UsageError, match=f"whole {language} clause"):
        parse_measure("BLEU(tok=13a)").statistics(test_set, ["阀门"])
    parse_measure("BLEU(tok=13a,force=yes)").statistics(test_set, ["阀门"])


def test_signature_names_everything() -> None:
    test_set = TestSet.of([["弁", "バルブ"]], target_language="ja")
    signature = parse_measure("BLEU(case=lower)").signature(test_set)
    for part in ("tok:ja-mecab(mecab-python3-", "ipadic-", "case:lower", "refs:2", "patmark:"):
        assert part in signature


@pytest.mark.parametrize("name", ["MAP", "mrr", "R@100", "Recall@5", "nDCG"])
def test_measures_of_rankings_are_described_under_all_their_names(name: str) -> None:
    [info] = find_described(name)
    assert info.needs == ["qrels"] and "cutoff" in info.parameters


def test_a_name_of_one_measure_describes_all_its_variants() -> None:
    assert [info.name for info in find_described("bleu(n=2)")][:2] == ["BLEU", "BLEU(variant=nltk)"]
    assert find_described("command:wc -c") == []
    with pytest.raises(UsageError, match="only measures of rankings have a depth"):
        parse_measure("BLEU@10")
    for name in ("Recall@100", "map"):
        with pytest.raises(UsageError, match="measures rankings, not texts"):
            parse_measure(name)


def test_a_missing_answer_counts_as_an_empty_text() -> None:
    own = TestSet.of(["a b", "c d"], sources=["12", "13"], source_language="zh")
    bleu, numbers = parse_measures("BLEU,numbers")
    assert (bleu.statistics(own, ["a", None]) == bleu.statistics(own, ["a", ""])).all()
    assert isinstance(numbers, Check)
    assert numbers.findings(own, ["12", None]) == numbers.findings(own, ["12", ""])
    letters: Any = "ab"
    with pytest.raises(UsageError, match="must be a list of texts"):
        bleu.statistics(own, letters)


def test_measures_declare_whether_they_run_by_default() -> None:
    of_group: dict[str, list[str]] = {}
    for measure in measures_by_default():
        of_group.setdefault(measure.group, []).append(measure.name)
    assert of_group == {
        "reference": ["BLEU", "chrF", "TER", "NIST", "RIBES", "METEOR", "ROUGE-L"],
        "length": ["length-ratio", "omission", "length-hallucination", "leakage"],
        "check": [
            "numbers", "reference-signs", "claim-structure", "untranslated", "doubled",
            "term-drift",
        ],
    }  # fmt: skip
    declared = {measure.label for measure in all_measures() if measure.runs_by_default}
    assert declared == {measure.label for measure in measures_by_default()}


def test_the_declared_aggregation_is_what_score_computes() -> None:
    totals = np.array([[3.0, 4.0], [0.0, 2.0], [5.0, 5.0]])
    for measure in all_measures():
        one = measure()
        if one.aggregation != "measure":
            more = np.ones((3, one.width - 2)) if one.width else np.ones((3, 0))
            assert one.score(np.hstack([totals, more])) == pytest.approx([0.75, 0.0, 1.0])
