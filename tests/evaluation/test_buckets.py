"""Segments in buckets, and how each system does in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from patmark.data.model import Run, Segment, TestSet
from patmark.data.scores import Estimate, FloatArray, IntArray
from patmark.data.test_sets import read_line_run, read_line_test_set
from patmark.errors import UsageError
from patmark.evaluation.analysis import Values, bucket_facets, bucket_tables, estimate_groups
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.examples import SYSTEMS, example_path
from patmark.protocols.patsnap.bench_files import read_patsnap
from patmark.stats import Units, estimate_all


@pytest.fixture(scope="module")
def japanese() -> Evaluation:
    folder = example_path("ja_en")
    test_set = read_line_test_set(
        [folder / "reference.en", folder / "reference2.en"], source=folder / "source.ja",
        documents=folder / "documents.txt", target_language="en", source_language="ja",
    )  # fmt: skip
    runs = [read_line_run(folder / f"{name}.en", test_set) for name in SYSTEMS]
    return evaluate(test_set, runs, ["BLEU", "TER"], Sampling(resamples=200, by="segment"))


def small(
    segments: list[Segment], hypotheses: list[list[str | None]], measure: str = "BLEU"
) -> Evaluation:
    runs = [Run(f"s{number}", tuple(texts)) for number, texts in enumerate(hypotheses)]
    test_set = TestSet(tuple(segments), "en", "en", allow_gaps=True)
    return evaluate(test_set, runs, [measure], Sampling(resamples=0))


def facets_of(
    segments: list[Segment], source: str | None = "en", target: str = "en"
) -> dict[str, Values]:
    test_set = TestSet(tuple(segments), target, source, allow_gaps=True)
    run = Run("only", ("",) * len(segments))
    return bucket_facets(evaluate(test_set, [run], ["chrF"], Sampling(resamples=0)))


def test_length_in_words_and_characters() -> None:
    counts = [0, 1, 10, 11, 20, 21, 40, 41, 80, 81, 500]
    english = [Segment(str(n), "word " * n, ("reference",)) for n in counts]
    assert facets_of(english)["source length"] == (
        "empty", "1–10 words", "1–10 words", "11–20 words", "11–20 words", "21–40 words",
        "21–40 words", "41–80 words", "41–80 words", "81+ words", "81+ words",
    )  # fmt: skip
    assert len({id(name) for name in facets_of(english)["source length"]}) == 6  # made once
    chinese = [Segment(str(n), "字" * n, ("reference",)) for n in (1, 20, 21, 160, 161)]
    expected = ("1–20 characters", "1–20 characters", "21–40 characters", "81–160 characters",
                "161+ characters")  # fmt: skip
    assert facets_of(chinese, "zh")["source length"] == expected
    assert facets_of(chinese, None)["source length"] == expected  # the script tells


def test_without_source_the_reference_is_measured() -> None:
    segments = [
        Segment("1", None, ("the lid (14)",)),
        Segment("2", None, ("a bolt of 5 mm " + "and so on " * 5,)),
    ]
    facets = facets_of(segments, None)
    assert facets["reference length"] == ("1–10 words", "11–20 words")
    assert facets["numbers"] == ("without numbers", "with numbers")
    assert facets["reference signs"] == ("with reference signs", "without reference signs")
    assert "source length" not in facets and "document" not in facets


def test_a_segment_without_source_has_no_value_among_others() -> None:
    facets = facets_of([Segment("1", "图1中的5mm孔", ("a",)), Segment("2", None, ("b",))], "zh")
    assert facets["source length"] == ("1–20 characters", None)
    assert facets["numbers"] == ("with numbers", None)
    assert facets["reference signs"] == ("with reference signs", None)


def test_term_frequency_looks_at_the_rarest_content_word() -> None:
    texts = [
        "valve",
        "The valve.",
        "valves",
        "valve spring",
        "valve spring",
        "rotor valve",
        "of it",
    ]
    facets = facets_of([Segment(str(n), "x", (text,)) for n, text in enumerate(texts)])
    often, some, once = "all words 5+ times", "rarest word 2–4 times", "some word only once"
    assert facets["term frequency"] == (often, often, often, some, some, once, None)


def test_term_frequency_counts_the_first_reference_only() -> None:
    facets = facets_of([Segment("1", "x", ("valve", "valve")), Segment("2", "x", ("rotor",))])
    assert facets["term frequency"] == ("some word only once",) * 2


def test_term_frequency_in_a_language_without_function_words() -> None:
    segments = [Segment("1", "x", ("Für Öl",)), Segment("2", "x", ("für das",))]
    facets = facets_of(segments, "en", "de")
    assert facets["term frequency"] == ("some word only once",) * 2


def test_metadata_that_sorts_segments() -> None:
    meta = [
        {"section": "claims", "id": str(n), "n": n, "same": "x", "pn": f"D{n % 2}",
         "numbers": "a" if n else "b", "long": "z" * 80 * (1 + n % 2), "half": "h" if n else None}
        for n in range(4)
    ]  # fmt: skip
    meta[3]["section"] = "abstract"
    segments = [
        Segment(str(n), "a b", ("c",), f"D{n % 2}", values) for n, values in enumerate(meta)
    ]
    facets = facets_of(segments)
    assert list(facets) == [
        "source length", "numbers", "reference signs", "term frequency", "section", "document",
    ]  # fmt: skip
    assert facets["section"] == ("claims", "claims", "claims", "abstract")
    assert facets["document"] == ("D0", "D1", "D0", "D1")
    assert facets["numbers"] == ("without numbers",) * 4


def test_many_ipc_symbols_are_cut() -> None:
    def ipc(symbols: list[object]) -> object:
        segments = [Segment(str(n), "a", ("b",), None, {"ipc": s}) for n, s in enumerate(symbols)]
        return facets_of(segments).get("ipc")

    assert ipc(["G06F 1/00", "G06F 1/00", "H04L 9/32"]) == ("G06F 1/00", "G06F 1/00", "H04L 9/32")
    assert ipc([["G06F 1/00", "A61K"], ["H04L 9/32"], [], ["H04L 9/32"]]) == (
        "G06F 1/00", "H04L 9/32", None, "H04L 9/32",
    )  # fmt: skip
    many: list[object] = [f"{'GH'[n % 2]}06F {n}/00" for n in range(50)]
    assert ipc(many) == ("G06F", "H06F") * 25
    spread: list[object] = [f"{'GH'[n % 2]}{n:02}{'ABCD'[n % 4]} 1/00" for n in range(60)]
    assert ipc(spread) == ("G", "H") * 30


def test_exact_table() -> None:
    segments = [
        Segment("1", "one", ("a b c d",), None, {"label": "x"}),
        Segment("2", "two", ("e f g h",), None, {"label": "y"}),
        Segment("3", "three", ("i j k l",), None, {"label": "y"}),
        Segment("4", "four", ("m n o p",), None, {}),
    ]
    evaluation = small(segments, [["a b c d", "q", "i j k l", "r"], ["", None, "", ""]], "ROUGE-L")
    facets = {"label": bucket_facets(evaluation)["label"], "one value": ("v",) * 4}
    (table,) = bucket_tables(evaluation, facets)
    assert table.title == "ROUGE-L by label"
    assert [column.title for column in table.columns] == ["label", "segments", "s0", "s1"]
    best = evaluation.scores["ROUGE-L"].segment_scores.max()
    assert table.rows == (
        ("y", 2, Estimate(pytest.approx(best / 2), None, 2), Estimate(0.0, None, 2)),  # type: ignore[arg-type]
        ("x", 1, Estimate(best, None, 1), Estimate(0.0, None, 1)),
    )
    assert table.note == (
        "no intervals; fewer than 20 segments, so read with care: y, x; 1 segments have no value"
    )


def test_of_many_systems_some_are_shown() -> None:
    segments = [Segment(str(n), "", ("a b c d",), None, {"label": "xy"[n % 2]}) for n in range(40)]
    answers = [["a b c d"] * 40, ["a b c e"] * 40, ["a b e f"] * 40]
    evaluation = small(segments, answers, "ROUGE-L")
    facets = {"label": bucket_facets(evaluation)["label"]}
    (every,) = bucket_tables(evaluation, facets)
    (some,) = bucket_tables(evaluation, facets, systems=["s2", "s0"])
    assert [column.title for column in some.columns] == ["label", "segments", "s2", "s0"]
    assert some.rows == tuple((*row[:2], row[4], row[2]) for row in every.rows)
    assert some.note == f"{every.note}; the best 2 of 3 systems"


def test_a_bucket_scores_like_a_test_set_of_its_own(japanese: Evaluation) -> None:
    facets = bucket_facets(japanese)
    tables = {table.columns[0].title: table for table in bucket_tables(japanese, facets, "TER")}
    assert list(tables) == [
        "source length", "numbers", "reference signs", "term frequency", "document",
    ]  # fmt: skip
    rows = tables["reference signs"].rows
    assert [row[:2] for row in rows] == [
        ("with reference signs", 47), ("without reference signs", 73),
    ]  # fmt: skip
    for value, count, *cells in rows:
        kept = [place for place, found in enumerate(facets["reference signs"]) if found == value]
        test_set = replace(
            japanese.test_set, segments=tuple(japanese.test_set[place] for place in kept)
        )
        runs = [
            Run(run.system, tuple(run.hypotheses[place] for place in kept)) for run in japanese.runs
        ]
        alone = evaluate(test_set, runs, ["TER"], Sampling(resamples=0)).estimates["TER"]
        assert count == len(kept)
        for cell, expected in zip(cells, alone.values(), strict=True):
            assert isinstance(cell, Estimate) and cell.ci is not None
            assert cell.value == pytest.approx(expected.value) and cell.n == expected.n
            assert cell.ci[0] <= cell.value <= cell.ci[1]


def test_lengths_keep_their_order_and_documents_are_ranked_by_size(japanese: Evaluation) -> None:
    tables = {t.columns[0].title: t for t in bucket_tables(japanese, bucket_facets(japanese))}
    assert [row[:2] for row in tables["source length"].rows] == [
        ("1–20 characters", 19), ("21–40 characters", 81), ("41–80 characters", 20),
    ]  # fmt: skip
    assert tables["source length"].note.endswith("read with care: 1–20 characters")
    assert len(tables["document"].rows) == 24
    assert tables["document"].note.endswith("read with care: 24 of 24")


@pytest.mark.parametrize("by", ["segment", "document"])
def test_intervals_are_those_of_masked_statistics(japanese: Evaluation, by: str) -> None:
    scores = japanese.scores["BLEU"]
    units = Units.choose(japanese.test_set.documents, by)
    groups = [np.arange(0, 120, 2), np.arange(60), np.array([119, 3, 40, 77, 12, 8, 9, 101, 55])]

    def masked(members: IntArray) -> FloatArray:
        inside = np.zeros((1, 120, 1))
        inside[:, members] = 1
        return scores.statistics * inside

    quantities = [(masked(members), scores.score) for members in groups]
    expected = estimate_all(quantities, units, 300, 7)
    found = estimate_groups(scores, groups, units, 300, 7)
    for ours, theirs in zip(found[:2], expected[:2], strict=True):
        for estimate, reference in zip(ours, theirs, strict=True):
            assert estimate.value == pytest.approx(reference.value)
            assert estimate.ci == pytest.approx(reference.ci)
    for estimate, reference in zip(found[2], expected[2], strict=True):
        assert estimate.value == pytest.approx(reference.value) and estimate.n == 9
        assert estimate.ci is not None and reference.ci is not None
        assert estimate.ci[0] >= reference.ci[0]  # a resample without the group is not a zero


def test_no_interval_within_one_unit(japanese: Evaluation) -> None:
    by_document = replace(japanese, sampling=replace(japanese.sampling, by="document"))
    facets = {"document": japanese.test_set.documents}
    (table,) = bucket_tables(by_document, facets)
    assert all(isinstance(cell, Estimate) and cell.ci is None for cell in table.rows[0][2:])
    assert "no interval for a bucket that lies in one document" in table.note


def test_at_most_forty_rows() -> None:
    segments = [Segment(str(n), "a", ("b",), f"D{n // 2:02}") for n in range(90)]
    segments.append(Segment("more", "a", ("b",), "D44"))
    (table,) = bucket_tables(
        small(segments, [["b"] * 91], "chrF"),
        {"document": tuple(segment.document for segment in segments)},
    )
    assert [row[0] for row in table.rows] == ["D44", *(f"D{n:02}" for n in range(39))]
    assert table.note.endswith("5 smaller buckets are left out")


def test_unknown_measure_and_no_facets(japanese: Evaluation) -> None:
    with pytest.raises(UsageError, match="NIST was not measured; there are BLEU, TER"):
        bucket_tables(japanese, bucket_facets(japanese), "NIST")
    assert bucket_tables(japanese, {}) == []


def test_bench_rows_have_their_own_facets() -> None:
    test_set, run = read_patsnap(example_path("patsnap_cn2en") / "atlas.jsonl", "cn2en")
    evaluation = evaluate(test_set, [run], ["numbers"], Sampling(resamples=20))
    facets = bucket_facets(evaluation)
    assert {"ipc", "granularity", "label", "origin", "domain"} <= set(facets)
    assert "pn" not in facets and "special_cn" not in facets
    titles = [table.columns[0].title for table in bucket_tables(evaluation, facets)]
    assert titles == list(facets)
