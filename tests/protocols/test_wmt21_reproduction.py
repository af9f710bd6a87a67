"""WMT21 TED zh→en: the printed table, the published averages, and metrics beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.errors import InputError, UsageError
from patmark.evaluation import Sampling
from patmark.protocols.studies.wmt21 import STUDY, published_table, reproduce_ted_zhen
from patmark.report import plain

_SMALL = (("MiSS", "Major"), ("SMU", "Minor"), ("ref", "Minor"), ("refB", "Minor"))
HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def test_the_table_and_every_published_average_come_out(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patmark.protocols.studies.wmt21.METRICS", ("BLEU", "chrF", "TER"))
    monkeypatch.setattr("patmark.protocols.studies.wmt21._PERMUTATIONS", 50)
    monkeypatch.setattr("patmark.protocols.studies.wmt21.CHECKS", ())
    done = reproduce_ted_zhen(shared_data / "mqm", Sampling(resamples=0))
    result = plain(done.to_json())
    assert [(row["system"], row["published"]) for row in result["rows"]] == [
        (row["system"], row["mqm"]) for row in published_table()
    ]
    [other] = [row for row in result["rows"] if row["status"] != "ok"]
    assert (other["system"], other["status"], other["published"]) == ("Borderline", "differs", 2.4)
    assert "segments have the mean 2.4053" in other["note"]
    assert "the printed table says 2.40: the two published files disagree" in other["note"]
    assert all(
        row["segment_file"] == pytest.approx(row["recomputed"], abs=1e-9) for row in result["rows"]
    )
    assert f"Borderline: {other['note']}" in result["notes"]
    assert not any("note" in row for row in result["rows"] if row is not other)
    found = {row["system"]: row["recomputed"] for row in result["rows"]}
    printed = {name: f"{value:.2f}" for name, value in found.items()}
    assert printed.pop("Borderline") == "2.41"
    assert printed == {
        "ref.B": "0.42", "DIDI-NLP": "1.65", "metricsystem2": "1.76", "metricsystem1": "1.90",
        "MiSS": "1.97", "IIE-MT": "1.98", "metricsystem4": "2.05", "metricsystem5": "2.15",
        "SMU": "2.20", "NiuTrans": "2.49", "Facebook-AI": "2.64", "Online-W": "2.93",
        "metricsystem3": "2.99", "ref.A": "5.52",
    }  # fmt: skip
    assert f"{found['SMU']:.3f}" == "2.202"
    means = result["segments"].pop("means")
    assert f"{means['Borderline']:.4f}" == "2.4053" and len(means) == 15
    assert result["segments"] == {
        "published": 7935, "compared": 7935, "equal": 7935, "largest": 0.0,
    }  # fmt: skip
    of_systems, of_segments = (result["meta"][level] for level in ("system", "segment"))
    assert of_systems["without"] == of_segments["without"] == "human"
    assert len(of_systems["systems"]) == 13 and "ref" not in of_systems["systems"]
    assert len(of_systems["all_systems"]["systems"]) == 14
    assert {row["metric"] for row in of_systems["rows"]} == {"BLEU", "chrF", "TER"}
    assert {row["n"] for row in of_segments["rows"]} == {13 * 529}
    assert any("closest to people by SPA" in text for text in result["findings"])
    assert any("calling all outputs" in text for text in result["findings"])


def test_without_the_annotations_the_printed_table_is_shown() -> None:
    result = plain(STUDY.reproduce(Sampling(resamples=0)).to_json())
    assert len(result["rows"]) == 15
    assert {(row["status"], row["recomputed"]) for row in result["rows"]} == {
        ("published only", None)
    }
    assert all("data='FOLDER'" in part["how"] for part in result["listing"])
    with pytest.raises(UsageError, match="more measures needs the annotations: data='FOLDER'"):
        STUDY.reproduce(Sampling(), measures="BLEU")


def test_a_folder_without_the_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"expected a folder with ted_zhen\.tsv or mqm_ted_zhen"):
        STUDY.reproduce(Sampling(), data=str(tmp_path))


def test_a_wrong_average_differs(tmp_path: Path) -> None:
    """Own small files: two systems beside the reference, one average that does not come out."""
    rows = [
        f"{system}\td{segment}\t1\t{segment}\tr1\t源{segment}\t<v>{system}</v> text {segment} a b\t"
        f"Accuracy/Mistranslation\t{severity}\n"
        for system, severity in _SMALL
        for segment in range(3)
    ]
    (tmp_path / "mqm_ted_zhen.tsv").write_text(HEADER + "".join(rows), encoding="utf-8")
    averages = ["system mqm_avg_score seg_id\n"]
    averages += [f"MiSS\t-5.000000 {segment}\n" for segment in range(2)] + ["MiSS\tNone 9\n"]
    averages += ["ref-B\t-2.000000 1\n"]
    path = tmp_path / "mqm_ted_zhen.avg_seg_scores.tsv"
    path.write_text("".join(averages), encoding="utf-8")
    result = plain(STUDY.reproduce(Sampling(resamples=0), data=str(tmp_path)).to_json())
    assert result["segments"] == {
        "published": 3, "compared": 3, "equal": 2, "largest": 1.0,
        "means": {"MiSS": 5.0, "refB": 2.0},
    }  # fmt: skip
    assert result["listing"][-1]["status"] == "differs"
    assert {row["status"] for row in result["rows"]} == {"published only", "differs"}
