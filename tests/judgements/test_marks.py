"""A human evaluation from error annotations: ranking, kinds of error, agreement, explorer."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from patmark.data.annotations import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    Rating,
    write_annotations,
)
from patmark.errors import InputError, UsageError
from patmark.evaluation import CompareSettings, Sampling, mqm_scores, weights_called
from patmark.judgements import evaluate_judgements, read_human_files, read_sources
from patmark.judgements.files import convert_annotations
from patmark.judgements.formats.wmt_mqm import write_wmt_mqm
from patmark.judgements.scores import human_scores
from patmark.report import Heat, plain, to_csv, to_html, to_latex, to_markdown, to_text

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
    cost = tables["What errors cost: mqm by category"]
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
