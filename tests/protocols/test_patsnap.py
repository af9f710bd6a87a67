"""The PatSnap bench on invented rows: labels, faults, grades, missing answers, variants."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.data import Estimate
from patmark.data.model import Run
from patmark.errors import InputError, UsageError
from patmark.evaluation.protocol import SharedOptions
from patmark.evaluation.scoring import Sampling
from patmark.examples import SYSTEMS, example_path
from patmark.protocols.patsnap.bench_files import (
    Direction,
    known_answers,
    read_patsnap,
    read_patsnap_bench,
)
from patmark.protocols.patsnap.grades import grade
from patmark.protocols.patsnap.options import BenchOptions
from patmark.protocols.patsnap.protocol import Patsnap
from patmark.protocols.patsnap.report import _meaning, _rated, patsnap_json, patsnap_report
from patmark.protocols.patsnap.rows import PROFESSIONAL
from patmark.protocols.patsnap.scoring import PatsnapOptions, score_patsnap
from patmark.report import message_texts, one_screen, to_html, to_markdown, to_text

_HEADINGS = ["ABSTRACT", "CLAIM", "BRIEF DESCRIPTION OF DRAWINGS"]


def _row(label: str, **fields: Any) -> dict[str, Any]:
    granularity = {"special_character": "character", "patent_writing_norm": "document"}
    return {
        "pn": "Zero", "ipc": "Zero", "content_cn": "一种阀门", "content_en": "Zero",
        "label_1": granularity.get(label, "word"), "label_2": label, "label_3": "Zero",
        "special_cn": "Zero", "special_en": "Zero", "domain": "Zero", **fields,
    }  # fmt: skip


def _score(
    tmp_path: Path, rows: list[dict[str, Any]], direction: Direction = "cn2en", **options: Any
) -> dict[str, Any]:
    path = tmp_path / "system.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    test_set, run = read_patsnap(path, direction)
    settings = Sampling(resamples=0)
    return patsnap_json(
        score_patsnap(test_set, [run], PatsnapOptions(direction, sampling=settings, **options))
    )


def test_texts_in_another_script_are_in_the_json_and_in_the_report(tmp_path: Path) -> None:
    """Translations that are still Chinese: both forms of the result say so."""
    rows = [_row("terminology_accuracy", special_cn="阀门", special_en="valve")]
    rows = [row | {"content_cn_translate": "一种阀门"} for row in rows * 3]
    path = tmp_path / "system.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    test_set, run = read_patsnap(path, "cn2en")
    result = score_patsnap(test_set, [run], PatsnapOptions(sampling=Sampling(resamples=0)))
    warning = "Warning: the translations of system should be in en, but they seem to be in Chinese."
    assert patsnap_json(result)["notes"][0].startswith(warning)
    assert message_texts(patsnap_report(result).findings)[0].startswith(warning)


@pytest.mark.parametrize(
    ("percent", "letter"),
    [(100, "A"), (80, "A"), (79.99, "B"), (65, "B"), (50, "C"), (49.99, "D"), (0, "D")],
)
def test_grades(percent: float, letter: str) -> None:
    assert grade(percent)[0] == letter


@pytest.mark.parametrize(
    ("term", "output", "strict", "published"),
    [
        ("gear lapping", "Gear lapping is used.", 100, 100),
        ("ion", "a lotion is applied", 0, 100),
        ("formulation, preparation", "the preparation is oral", 100, 0),
        ("ribonucleic acid (RNA)", "RNA is extracted", 100, 0),
        ("nonlinear con-trol system", "a nonlinear control system", 100, 0),
        ("valve", "the valves are closed", 100, 100),
        ("valve", "the pump is closed", 0, 0),
    ],
)
def test_term_accuracy_by_variant(
    term: str, output: str, strict: float, published: float, tmp_path: Path
) -> None:
    row = _row("terminology_accuracy", special_cn="阀门", special_en=term)
    row["content_cn_translate"] = output
    for variant, expected in (("strict", strict), ("published", published)):
        result = _score(tmp_path, [row], variant=variant)
        assert result["accuracy_by_label"] == {"terminology_accuracy": expected}


@pytest.mark.parametrize(
    ("source", "output", "strict", "published"),
    [
        ("阀门和阀门", "a valve and a valve", 100, 100),
        ("阀门和阀门", "a valve and a flap", 0, 0),
        ("一个阀门", "one valve", 100, 0),
    ],
)
def test_term_consistency_by_variant(
    source: str, output: str, strict: float, published: float, tmp_path: Path
) -> None:
    row = _row("terminology_consistency", content_cn=source, special_cn="阀门", special_en="valve")
    row["content_cn_translate"] = output
    for variant, expected in (("strict", strict), ("published", published)):
        result = _score(tmp_path, [row], variant=variant)
        assert result["accuracy_by_label"] == {"terminology_consistency": expected}


def test_writing_norm_tolerates_articles_only_in_strict(tmp_path: Path) -> None:
    row = _row("patent_writing_norm", special_en=_HEADINGS)
    row["content_cn_translate"] = "Abstract … Claims … Brief Description of the Drawings …"
    assert _score(tmp_path, [row])["accuracy_by_label"] == {"patent_writing_norm": 100}
    published = _score(tmp_path, [row], variant="published")
    assert published["accuracy_by_label"] == {"patent_writing_norm": 67}


def test_heading_list_given_as_text_counts_only_in_strict(tmp_path: Path) -> None:
    row = _row("patent_writing_norm", special_en="[ABSTRACT，CLAIM]")
    row["content_cn_translate"] = "Abstract … claims"
    assert _score(tmp_path, [row])["accuracy_by_label"] == {"patent_writing_norm": 100}
    published = _score(tmp_path, [row], variant="published")
    assert published["accuracy_by_label"] == {"patent_writing_norm": 0}


def _sentence(output: str | None, **fields: Any) -> dict[str, Any]:
    row = _row("normal_sentence", content_en="The valve is closed by a spring.", label_1="sentence",
               label_3="short", **fields)  # fmt: skip
    return row if output is None else {**row, "content_cn_translate": output}


def test_missing_rows_count_as_wrong_unless_partial(tmp_path: Path) -> None:
    rows = [_sentence("The valve is closed by a spring."), _sentence(None)]
    strict = _score(tmp_path, rows)
    partial = _score(tmp_path, rows, allow_partial=True)
    published = _score(tmp_path, rows, variant="published")
    assert strict["missing"] == partial["missing"] == 1 and strict["missing_ids"] == ["2"]
    assert (strict["total"], strict["answered"], strict["expected"]) == (2, 1, 2)
    assert strict["miss_translation_pct_by_label"] == {"normal_sentence": 50.0}
    full = partial["accuracy_by_label"]["normal_sentence"]
    assert strict["accuracy_by_label"]["normal_sentence"] == pytest.approx(full / 2, abs=0.01)
    assert published["accuracy_by_label"]["normal_sentence"] == full
    assert published["total"] == 1


def test_faults_are_told_apart(tmp_path: Path) -> None:
    text = "The valve is closed by a spring."
    rows = [
        _sentence(text),
        _sentence("The valve"),
        _sentence(f"{text} " * 6),
        _sentence("阀门 " + text),
    ]
    result = _score(tmp_path, rows)
    assert result["miss_translation_pct_by_label"] == {"normal_sentence": 25}
    assert result["length_hallucination_pct_by_label"] == {"normal_sentence": 25}
    assert result["leakage_pct_by_label"] == {"normal_sentence": 25}
    assert result["hallucination_pct_by_label"] == {"normal_sentence": 50}


def test_empty_and_full_stop_outputs_score_zero_in_both_directions(tmp_path: Path) -> None:
    row = _sentence(None)
    for output in ("", ".", " . "):
        english = _score(tmp_path, [{**row, "content_cn_translate": output}], variant="published")
        assert english["accuracy_by_label"]["normal_sentence"] < 5
        chinese = _score(tmp_path, [{**row, "content_en_translate": output}], "en2cn")
        assert chinese["accuracy_by_label"]["normal_sentence"] == 0


def test_rows_without_english_are_excluded_from_en2cn(tmp_path: Path) -> None:
    rows = [
        {**_sentence(None), "content_en_translate": "阀门"},
        _row("terminology_accuracy", special_cn="阀门", special_en="valve"),
    ]
    result = _score(tmp_path, rows, "en2cn")
    assert (result["expected"], result["excluded"], result["missing"]) == (1, 1, 0)


def test_en2cn_leakage_looks_at_the_reference(tmp_path: Path) -> None:
    rows = [
        {**_sentence(None, content_cn="一种阀门"), "content_en_translate": "一种 valve"},
        {**_sentence(None, content_cn="一种LED阀门"), "content_en_translate": "一种LED阀门"},
    ]
    result = _score(tmp_path, rows, "en2cn")
    assert result["leakage_pct_by_label"] == {"normal_sentence": 50}


def test_flagged_rows_are_listed_and_left_out_of_one_mean(tmp_path: Path) -> None:
    rows = [
        {**_row("terminology_accuracy", content_cn="缓冲剂的用量", special_cn="冲剂",
                special_en="soluble granules"), "content_cn_translate": "amount of buffer"},
        {**_row("terminology_accuracy", content_cn="阀门的用量", special_cn="阀门",
                special_en="valve"), "content_cn_translate": "the valve"},
    ]  # fmt: skip
    result = _score(tmp_path, rows)
    assert result["flagged"] == ["1"]
    assert result["overall"]["value"] == 50
    assert result["overall"]["without_flagged_rows"]["value"] == 100


def test_title_rule_is_reported_beside_the_score(tmp_path: Path) -> None:
    title = _row("special_sentence", label_1="sentence", label_3="english_title",
                 content_en="Valve and method", special_en="[a，an，the]")  # fmt: skip
    rows = [
        {**title, "content_cn_translate": "Valve and method"},
        {**title, "content_cn_translate": "A valve and method"},
    ]
    assert _score(tmp_path, rows)["title_without_article_pct"] == 50


def test_rows_without_what_they_are_scored_by_are_excluded(tmp_path: Path) -> None:
    rows = [
        {**_sentence("The valve is closed."), "content_en": "Zero"},
        {**_row("terminology_accuracy"), "content_cn_translate": "valve"},
        _sentence("The valve is closed by a spring."),
    ]
    result = _score(tmp_path, rows)
    assert (result["expected"], result["excluded"]) == (1, 2)
    assert result["by_label"]["normal_sentence"]["n"] == 1


@pytest.mark.parametrize("symbol", [",", "[", "-", "%"])
def test_a_special_character_is_one_symbol(symbol: str, tmp_path: Path) -> None:
    row = _row("special_character", special_cn=symbol, special_en=symbol, content_en="x")
    for variant in ("strict", "published"):
        for output, score in ((f"a{symbol} b", 100), ("a b", 0)):
            result = _score(tmp_path, [{**row, "content_cn_translate": output}], variant=variant)
            assert result["accuracy_by_label"] == {"special_character": score}


def test_a_list_of_terms_holds_alternatives(tmp_path: Path) -> None:
    row = _row("terminology_accuracy", special_cn="活塞", special_en=["piston", "plunger"])
    for variant in ("strict", "published"):
        result = _score(tmp_path, [{**row, "content_cn_translate": "a plunger"}], variant=variant)
        assert result["accuracy_by_label"] == {"terminology_accuracy": 100}


def test_empty_answers_are_counted(tmp_path: Path) -> None:
    result = _score(tmp_path, [_sentence(" "), _sentence("The valve is closed by a spring.")])
    assert (result["empty"], result["empty_ids"], result["missing"]) == (1, ["1"], 0)


def test_nothing_to_score_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no row can be scored"):
        _score(tmp_path, [{**_row("terminology_accuracy"), "content_en_translate": "x"}], "en2cn")
    with pytest.raises(UsageError, match="choose from strict, published"):
        PatsnapOptions(variant="loose")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def examples() -> Any:
    read = [read_patsnap(example_path(f"patsnap_cn2en/{name}.jsonl"), "cn2en") for name in SYSTEMS]
    return score_patsnap(read[0][0], [run for _, run in read], PatsnapOptions(checks=True))


def test_example_systems_rank_as_they_were_made(examples: Any) -> None:
    values = [examples.overall(system).value for system in SYSTEMS]
    assert values == sorted(values, reverse=True)
    for system in SYSTEMS:
        estimate = examples.overall(system)
        assert estimate.ci[0] <= estimate.value <= estimate.ci[1]


def test_json_has_the_published_keys_and_ours(examples: Any) -> None:
    result = patsnap_json(examples)
    assert set(result["systems"]) == set(SYSTEMS)
    one = result["systems"]["cobalt"]
    for key in ("direction", "total", "missing", "accuracy_by_label", "hallucination_pct_by_label",
                "miss_translation_pct_by_label", "length_hallucination_pct_by_label",
                "leakage_pct_by_label", "overall", "by_ipc", "by_granularity", "signatures",
                "checks"):  # fmt: skip
        assert key in one
    assert set(one["overall"]) >= {"value", "ci", "grade"}
    assert len(one["accuracy_by_label"]) == 9
    json.dumps(result, allow_nan=False)


def test_report_shows_labels_faults_checks_and_segments(examples: Any) -> None:
    report = patsnap_report(examples)
    titles = [table.title for table in report.tables]
    assert titles[:3] == [
        "Accuracy by label",
        "Omission and hallucination",
        "Checks without reference",
    ]
    assert [row[0] for row in report.tables[2].rows] == [*examples.systems, "(reference)"]
    assert report.explorer is not None
    assert len(report.explorer.test_set) == 148
    assert any(any(found) for found in report.explorer.evidence["numbers"])
    assert [headline.grade for headline in report.headlines] == ["A", "B", "D"]


def test_checks_leave_out_rows_without_a_source_that_the_published_rule_admits(
    tmp_path: Path,
) -> None:
    rows = [
        _row("normal_sentence", content_cn=source, content_en="The gap is 12 mm.",
             content_cn_translate="The gap is 13 mm.")
        for source in ("间隙为12mm。", "Zero")
    ]  # fmt: skip
    path = tmp_path / "system.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    test_set, run = read_patsnap(path, "cn2en")
    options = PatsnapOptions(variant="published", checks=True, sampling=Sampling(resamples=0))
    result = score_patsnap(test_set, [run], options)
    assert len(result.test_set) == 2
    assert result.checks is not None
    numbers = result.checks.scores["numbers"].segment_scores[0]
    assert numbers[0] < 1 and np.isnan(numbers[1])
    assert patsnap_report(result).explorer is not None


def test_components_are_shown_by_label_and_for_all_general_rows(tmp_path: Path) -> None:
    text = "the valve closes the pipe when the pressure falls"
    rows = [
        _row("normal_sentence", content_en=text, content_cn_translate=text),
        _row("normal_sentence", content_en=text),
        _row("special_sentence", content_en=text, content_cn_translate="a pump"),
    ]
    assert "components_by_label" not in _score(tmp_path, rows)
    found = _score(tmp_path, rows, components=True)["components_by_label"]
    assert list(found) == ["BLEU-1", "BLEU-2", "BLEU-4", "SacreBLEU", "METEOR",
                           "ROUGE-1", "ROUGE-2", "ROUGE-L"]  # fmt: skip
    values = {label: of["value"] for label, of in found["BLEU-4"].items()}
    assert values == pytest.approx(
        {"normal_sentence": 50, "special_sentence": 0, "all": 100 / 3}, abs=1e-6
    )
    partial = _score(tmp_path, rows, components=True, allow_partial=True)["components_by_label"]
    assert partial["BLEU-4"]["normal_sentence"]["value"] == pytest.approx(100)


def test_measures_of_the_users_choice_stand_beside_the_score(tmp_path: Path) -> None:
    text = "the valve closes the pipe when the pressure falls"
    rows = [
        _row("normal_sentence", content_en=text, content_cn_translate=text),
        _row("special_sentence", content_en=text, content_cn_translate=text),
        _row("special_sentence", content_en=text),
        _row("terminology_accuracy", special_en="valve", content_cn_translate="valve"),
    ]
    plain, measured = _score(tmp_path, rows), _score(tmp_path, rows, measures="BLEU,chrF")
    assert measured["accuracy_by_label"] == plain["accuracy_by_label"]
    found = measured["measures_by_label"]
    assert {(name, label): of["n"] for name, labels in found.items() for label, of in labels.items()
            } == {(name, label): rows for name in ("BLEU", "chrF") for label, rows in
                  (("normal_sentence", 1), ("special_sentence", 2), ("all", 3))}  # fmt: skip
    assert found["BLEU"]["normal_sentence"]["value"] == pytest.approx(100)
    assert found["BLEU"]["special_sentence"]["value"] < 70
    assert measured["signatures"]["chrF"].startswith("chrF")
    answered = _score(tmp_path, rows, measures="BLEU", allow_partial=True)["measures_by_label"]
    assert answered["BLEU"]["special_sentence"]["value"] == pytest.approx(100)


def test_a_comparison_by_labels_takes_no_measures() -> None:
    for shared, options in (
        (SharedOptions(measures="BLEU"), BenchOptions()),
        (SharedOptions(), BenchOptions(components=True)),
    ):
        protocol = Patsnap.of(options, shared, Sampling(resamples=0), detailed=False)
        test_set, _ = read_patsnap(example_path("patsnap_cn2en/atlas.jsonl"), "cn2en")
        with pytest.raises(UsageError, match="compared by the labels"):
            protocol.check_comparable(test_set)


@pytest.mark.parametrize("variant", ["strict", "published"])
def test_the_oracle_knows_the_terms_of_rows_without_a_reference(
    variant: str, patsnap_rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "bench.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in patsnap_rows), encoding="utf-8")
    bench = read_patsnap_bench(path, "cn2en")
    answers = [known_answers(segment, "en") for segment in bench]
    assert all(answers)
    runs = [Run("oracle", tuple(answer[0] for answer in answers))]
    options = PatsnapOptions(variant=variant, sampling=Sampling(resamples=0))  # type: ignore[arg-type]
    accuracy = patsnap_json(score_patsnap(bench, runs, options))["accuracy_by_label"]
    professional = {accuracy[label] for label in PROFESSIONAL if label != "special_character"}
    assert professional == {100.0}


@pytest.mark.parametrize(
    ("value", "interval", "lowest", "meaning"),
    [
        (88.0, (82.0, 92.0), ("a", 81.0), "ready for professional use"),
        (88.0, (82.0, 92.0), ("a", 67.04), "but a 67.0 is B"),
        (82.0, (78.0, 86.0), ("a", 81.0), "ready for professional use; the interval reaches B"),
        (70.0, (50.0, 85.0), ("a", 20.0), "but a 20.0 is D; the interval reaches A and C"),
        (37.0, None, ("a", 20.0), "not usable without retranslation"),
        (float("nan"), None, None, "nothing was scored"),
    ],
)
def test_a_grade_says_no_more_than_its_lowest_label_and_its_interval(
    value: float,
    interval: tuple[float, float] | None,
    lowest: tuple[str, float] | None,
    meaning: str,
) -> None:
    assert _meaning(Estimate(value, interval, 9), lowest) == meaning


def _changed(direction: Direction, change: Callable[[int, str], str | None]) -> dict[str, Any]:
    """Score the references of the example after a change, with the forms people read."""
    path = example_path(f"patsnap_{direction}/atlas.jsonl")
    bench = read_patsnap_bench(path, direction)
    known = [known_answers(segment, bench.target_language)[0] for segment in bench]
    run = Run("sys", tuple(change(row, text) for row, text in enumerate(known)))
    options = PatsnapOptions(direction, sampling=Sampling(resamples=0))
    result = score_patsnap(bench, [run], options)
    report = patsnap_report(result)
    forms = (to_text(one_screen(report, 100, 24)[0], 100), to_markdown(report), to_html(report))
    return {**patsnap_json(result)["overall"], "forms": [" ".join(one.split()) for one in forms]}


_OTHER_DIGITS = str.maketrans("0123456789", "1234567890")
_FOREIGN = {"cn2en": " 阀门", "en2cn": " valve"}


@pytest.mark.parametrize("direction", ["cn2en", "en2cn"])
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda row, text, foreign: text.translate(_OTHER_DIGITS), "numbers check 0."),
        (lambda row, text, foreign: text + foreign * (row % 3 == 0), "hallucination "),
        (lambda row, text, foreign: None if row % 8 == 0 else text, "omission "),
    ],
    ids=["digits", "hallucination", "omission"],
)
def test_the_words_of_a_grade_are_withheld_where_a_fault_rate_or_a_check_is_bad(
    direction: Direction, change: Callable[[int, str, str], str | None], named: str
) -> None:
    found = _changed(direction, lambda row, text: change(row, text, _FOREIGN[direction]))
    assert found["grade"] == "A"
    assert found["contradicted_by"][0]["name"] == named.split()[0]
    for form in found["forms"]:
        assert f"(but {named}" in form or f">but {named}" in form
        assert "ready for professional use" not in form


@pytest.mark.parametrize("direction", ["cn2en", "en2cn"])
@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda row, text, foreign: text, ""),
        (lambda row, text, foreign: text.replace("1,", "1"), ""),
        (lambda row, text, foreign: text + foreign * (row == 0), "; hallucination "),
    ],
    ids=["same", "thousands", "one row"],
)
def test_the_words_of_a_grade_stay_where_little_is_wrong(
    direction: Direction, change: Callable[[int, str, str], str | None], named: str
) -> None:
    found = _changed(direction, lambda row, text: change(row, text, _FOREIGN[direction]))
    assert (found["grade"], found["contradicted_by"]) == ("A", [])
    assert all(f"ready for professional use{named}" in form for form in found["forms"])


def test_a_grade_is_marked_where_its_interval_reaches_another() -> None:
    sure, unsure = Estimate(85.0, (81.0, 89.0), 9), Estimate(81.0, (78.0, 84.0), 9)
    shown = [_rated(one) for one in (sure, unsure, Estimate(81.0, None, 9))]
    assert [one.grade + one.mark for one in shown] == ["A", "A*", "A"]
