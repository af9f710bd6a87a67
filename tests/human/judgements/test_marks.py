"""A human evaluation from error annotations: ranking, kinds of error, agreement, explorer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from patmark.data import Estimate
from patmark.data.annotations import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    Rating,
    write_annotations,
)
from patmark.errors import InputError, UsageError
from patmark.evaluation import CompareSettings, Sampling, mqm_scores, weights_called
from patmark.human.judgements import (
    HumanData,
    check_judgements,
    evaluate_judgements,
    read_human_files,
    read_sources,
)
from patmark.human.judgements.files import convert_annotations, mark_judgements, mark_scale
from patmark.human.judgements.formats.wmt_mqm import write_wmt_mqm
from patmark.human.judgements.report import _rounded_down
from patmark.human.judgements.scores import human_scores
from patmark.report import Heat, plain, to_csv, to_html, to_latex, to_markdown, to_text
from patmark.report.html import payload

FAST = CompareSettings(Sampling(resamples=100))
TEXT = "the 𝒙 valve opens"


def annotated(critical: bool = False) -> tuple[Annotations, AnnotatedTexts]:
    """Three systems, 24 segments in twelve documents; two people rate the outputs of A."""
    rated, marks = [], []
    for number in range(24):
        for system, evaluators in (("A", "ab"), ("B", "a"), ("C", "b")):
            for evaluator in evaluators:
                key = (system, str(number), evaluator)
                rated.append(Rating(*key, document=f"d{number % 12}"))
                if system != "A" or number % 4 == 0:
                    kind = ("Accuracy/Mistranslation", "major" if system == "C" else "minor")
                    marks.append(Annotation(*key, 4, 5, "target", *kind))
    if critical:
        marks.append(Annotation("C", "0", "b", 0, 1, "source", "Claims/Scope", "critical"))
    keys = {(one.system, one.segment) for one in rated}
    sources = {str(number): f"阀门{number}打开" for number in range(24)}
    return Annotations(tuple(rated), tuple(marks)), AnnotatedTexts(
        sources, dict.fromkeys(keys, TEXT)
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mqm.tsv"
    write_wmt_mqm(path, *annotated())
    return path


def test_annotated_errors_are_a_criterion_like_others(file: Path) -> None:
    data = read_human_files([file])
    assert data.judgements is not None and data.judgements.criteria == ("mqm",)
    assert data.weights is not None and data.weights.name == "wmt"
    scores = human_scores(data.judgements).scores["mqm"]
    expected = mqm_scores(annotated()[0])
    found = dict(zip(scores.systems, scores.system_scores, strict=True))
    assert found == pytest.approx(dict(zip(expected.systems, expected.system_scores, strict=True)))
    assert found == pytest.approx({"A": -0.25, "B": -1.0, "C": -5.0})
    assert "weights:wmt" in scores.signature and "unfinished:kept" in scores.signature


def test_outputs_that_were_rated_alone_are_not_left_out(file: Path) -> None:
    """Nobody rated all systems of a segment: each output is annotated by itself."""
    done = evaluate_judgements(read_human_files([file]), FAST)
    assert done.ranking.exclusions == ()
    [ranking] = done.ranking.rankings
    assert ranking.measured.ranking == ("A", "B", "C")
    assert ranking.measured.clusters == (("A",), ("B",), ("C",))
    assert done.models["mqm"].systems == ("A", "B", "C")


def test_kinds_of_error_are_counted_and_open_their_segments(file: Path) -> None:
    done = evaluate_judgements(read_human_files([file]), FAST)
    report = done.to_report()
    tables = {table.title: table for table in report.tables}
    heat = tables["Errors in 100 outputs"]
    assert [row[:2] for row in heat.rows] == [
        ("Accuracy/Mistranslation", "major"),
        ("Accuracy/Mistranslation", "minor"),
        ("all errors", ""),
    ]
    assert [cell.value for cell in heat.rows[0][2:] if isinstance(cell, Heat)] == [0.0, 0.0, 100.0]
    assert [cell.value for cell in heat.rows[1][2:] if isinstance(cell, Heat)] == [25.0, 100.0, 0.0]
    cost = tables["mqm by error category"]
    assert cost.rows[0][0] == "Accuracy/Mistranslation" and cost.rows[-1][0] == "all"
    assert "Agreement on marked errors" in tables and "Scores from annotations" in tables
    page = to_html(report)
    links = re.findall(r'class="number heat" style="--shade:(\d+)%"><a href="#([^"]+)"', page)
    assert links == [
        ("100", "system=2&amp;findings=0"),
        ("50", "system=0&amp;findings=1"),
        ("100", "system=1&amp;findings=1"),
    ]
    explorer = report.explorer
    assert explorer is not None and explorer.test_set.source_language == "zh"
    assert explorer.hypotheses[0][0] == TEXT
    [evidence] = explorer.evidence["Accuracy/Mistranslation, major"][2][0]
    assert (evidence.side, TEXT[evidence.start : evidence.end]) == ("hypothesis", "𝒙")


def test_a_heat_map_is_a_plain_table_elsewhere(file: Path) -> None:
    report = evaluate_judgements(read_human_files([file]), FAST).to_report()
    assert "Errors in 100 outputs,Accuracy/Mistranslation / minor,A,25.0" in to_csv(report)
    row = "Accuracy/Mistranslation | minor | 25.0 | 100.0 | 0.0"
    assert row in to_markdown(report).replace("\\", "")
    assert "25.0 & 100.0 & 0.0" in to_latex(report)
    assert re.search(r"minor +25\.0 +100\.0 +0\.0\n", to_text(replace(report, brief=9)))


def test_the_machine_readable_result(file: Path) -> None:
    errors = plain(evaluate_judgements(read_human_files([file]), FAST).to_json())["errors"]
    assert (errors["weights"], errors["ratings"], errors["errors"]) == ("wmt", 96, 60)
    assert errors["systems"]["C"]["mqm"]["value"] == -5.0
    assert errors["kinds"][0]["per_100_outputs"] == {"A": 0.0, "B": 0.0, "C": 100.0}
    agreement = errors["agreement"]
    assert agreement["outputs"] == 24 and agreement["f1"]["value"] == 1.0
    assert agreement["alpha"]["value"] == 1.0 and agreement["pairs"][0]["found"] == 1.0


def test_critical_errors_choose_the_weights_of_patents(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    write_wmt_mqm(path, *annotated(critical=True))
    data = read_human_files([path])
    assert data.weights is not None and data.weights.name == "patent"
    scores = human_scores(data.judgements).scores["mqm"]  # type: ignore[arg-type]
    assert scores.system_scores[scores.systems.index("C")] == pytest.approx(-(24 * 5 + 25) / 24)
    with pytest.raises(UsageError, match="'wmt' have none for errors that are 'critical'"):
        read_human_files([path], weights=weights_called("wmt"))


def test_an_output_in_two_files_is_a_problem_of_the_second(file: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.tsv"
    again.write_bytes(file.read_bytes())
    with pytest.raises(InputError, match=r"again\.tsv: .* is rated twice"):
        read_human_files([file, again])


def test_annotations_are_gold_of_a_meta_evaluation(file: Path) -> None:
    [source] = read_sources([str(file)])
    assert source.human and set(source.series) == {"mqm"}
    assert source.series["mqm"].of_systems.tolist() == pytest.approx([-0.25, -1.0, -5.0])


def test_texts_are_asked_for_where_a_file_has_none(file: Path, tmp_path: Path) -> None:
    plain_file = tmp_path / "a.jsonl"
    data = read_human_files([file])
    convert_annotations(data, "annotations", str(plain_file))
    assert read_human_files([plain_file]).texts == data.texts
    assert data.annotations is not None
    write_annotations(plain_file, data.annotations)
    bare = read_human_files([plain_file])
    assert bare.annotations == data.annotations and bare.texts is None
    with pytest.raises(
        UsageError, match="wmt-mqm holds the annotated texts, and the file does not"
    ):
        convert_annotations(bare, "wmt-mqm", str(tmp_path / "b.tsv"))
    convert_annotations(bare, "wmt-mqm", str(tmp_path / "b.tsv"), data.texts)
    assert read_human_files([tmp_path / "b.tsv"]).annotations == data.annotations


def test_grades_alone_have_nothing_to_convert(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("evaluator,system,segment,criterion,value\ne,A,1,adequacy,4\n")
    data: Any = read_human_files([path])
    assert data.annotations is None and data.weights is None
    with pytest.raises(UsageError, match="holds no error annotations"):
        convert_annotations(data, "annotations", str(tmp_path / "x.jsonl"))


def _of(systems: str, documents: int, score: float | None = None) -> HumanData:
    """Ratings by one person; every output of B has a major error."""
    rated = [
        Rating(system, str(number), "a", score and score - (system == "B"), f"d{number}")
        for number in range(documents)
        for system in systems
    ]
    marks = [
        Annotation(*one.key, 4, 5, "target", "Style", "major") for one in rated if one.system == "B"
    ]
    annotations = Annotations(tuple(rated), tuple(marks))
    weights = weights_called("wmt")
    rows = mark_judgements(annotations, weights)
    texts = AnnotatedTexts({}, {(one.system, one.segment): TEXT for one in rated})
    judgements = check_judgements(rows, scales=[mark_scale(weights)])
    return HumanData(judgements, None, (), annotations, texts, weights)


def test_a_report_of_one_system_has_its_scores_and_errors() -> None:
    done = evaluate_judgements(_of("B", 8), FAST)
    assert done.ranking.rankings == ()
    assert plain(done.to_json())["criteria"]["mqm"]["scores"]["B"]["value"] == -5.0
    report = done.to_report()
    tables = {table.title: table for table in report.tables}
    [row] = tables["Scores"].rows
    assert isinstance(row[1], Estimate) and row[1].value == -5.0
    assert "Errors in 100 outputs" in tables and "Ranking by mqm" not in tables
    assert "mqm: fewer than two systems were judged, so it gives no ranking" in report.notes
    assert "mqm" in report.signatures and report.explorer is not None
    assert "the 𝒙 valve opens" in to_html(report)


def test_two_systems_that_cannot_be_tested_have_plain_numbers() -> None:
    tables = {one.title: one for one in evaluate_judgements(_of("AB", 3), FAST).to_report().tables}
    assert [one.title for one in tables["Differences by mqm"].columns] == [
        "better", "worse", "difference", "segments won–lost–tied",
    ]  # fmt: skip
    assert not [title for title in tables if title.startswith(("Sign test", "Bradley"))]
    tested = {one.title: one for one in evaluate_judgements(_of("AB", 8), FAST).to_report().tables}
    assert [one.title for one in tested["Differences by mqm"].columns][3:] == [
        "p permutation", "segments won–lost–tied", "p sign", "mark",
    ]  # fmt: skip
    assert tested["Differences by mqm"].rows[0][4] == "8–0–0"


@pytest.mark.parametrize("lost", [0.3, 5.0, 5.01, 480.0])
def test_bars_of_mqm_have_an_axis_that_fits(lost: float) -> None:
    assert _rounded_down([Estimate(-lost / 2, (-lost, 0.0), 3)]) == {
        0.3: -1, 5.0: -5, 5.01: -10, 480.0: -500,
    }[lost]  # fmt: skip


def test_grades_of_esa_lead() -> None:
    done = evaluate_judgements(_of("AB", 8, 80.0), FAST)
    assert list(done.ranking.scores) == ["esa", "mqm"]
    tables = {table.title: table for table in done.to_report().tables}
    columns = tables["Scores and groups"].columns
    assert [one.title for one in columns] == ["system", "esa", "esa group", "mqm", "mqm group"]
    assert [one.scale for one in columns if one.scale] == [(0.0, 100.0), (-5.0, 0.0)]
    assert [one.title for one in tables["Scores from annotations"].columns] == [
        "system", "esa", "mqm",
    ]  # fmt: skip
    explorer = done.to_report().explorer
    assert explorer is not None and list(explorer.values) == ["esa", "mqm"]


def test_a_great_many_errors_are_no_mistake() -> None:
    marks = tuple(
        Annotation("A", "1", "a", at, at + 1, "target", "Claims/Scope", "critical")
        for at in range(60)
    )
    found = mark_judgements(Annotations((), marks), weights_called("patent"))
    assert check_judgements(found).rows[0].value == "-1500"


def test_one_evaluator_alone_has_no_columns_of_agreement(tmp_path: Path) -> None:
    rated = tuple(Rating(system, str(at), "a") for system in "AB" for at in range(8))
    path = tmp_path / "marks.jsonl"
    write_annotations(path, Annotations(rated, ()))
    report = evaluate_judgements(read_human_files([path]), FAST).to_report()
    [table] = [table for table in report.tables if table.title == "Evaluators"]
    assert [column.title for column in table.columns] == [
        "criterion", "evaluators", "segments", "common",
    ]  # fmt: skip
    assert not table.note


def test_severities_colour_the_marks_and_a_legend_names_them(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    write_wmt_mqm(path, *annotated(critical=True))
    report = evaluate_judgements(read_human_files([path]), FAST).to_report()
    page = to_html(report)
    assert re.findall(r'<mark class="finding level-(\d)">(\w+)</mark>', page) == [
        ("0", "critical"), ("1", "major"), ("2", "minor"),
    ]  # fmt: skip
    assert report.explorer is not None
    shown = payload(report.explorer)
    assert {shown["checks"][row[0]]: row[-1] for row in shown["findings"]} == {
        "Accuracy/Mistranslation, major": 1,
        "Accuracy/Mistranslation, minor": 2,
        "Claims/Scope, critical": 0,
    }
