"""patmark compare and the gates, as processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from patmark.examples import example_path

_JA_EN = example_path("ja_en")
_SYSTEMS = [part for name in ("atlas", "borealis", "cobalt")
            for part in ("--hyp", str(_JA_EN / f"{name}.en"))]  # fmt: skip
_DATA = ["--ref", str(_JA_EN / "reference.en"), "--docs", str(_JA_EN / "documents.txt"),
         "--lang", "ja-en", "--measures", "BLEU,TER", "--resamples", "100"]  # fmt: skip
_FEW = ["--trials", "200"]


def _patmark(folder: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "patmark", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip


def test_compare_gives_pairs_and_clusters(tmp_path: Path) -> None:
    done = _patmark(tmp_path, "compare", *_SYSTEMS, *_DATA, *_FEW, "--json")
    result = json.loads(done.stdout)
    assert set(result["measures"]) == {"BLEU", "TER"}
    assert result["measures"]["BLEU"]["clusters"] == [["atlas"], ["borealis"], ["cobalt"]]
    assert len(result["measures"]["TER"]["pairs"]) == 3


def test_compare_writes_a_report_with_segments(tmp_path: Path) -> None:
    done = _patmark(tmp_path, "compare", *_SYSTEMS, *_DATA, *_FEW, "--html", "c.html",
                    "--latex", "c.tex")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "tells 3 groups apart" in done.stdout
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    assert "Who beats whom by BLEU" in page and "reference length" in page
    assert "\\toprule" in (tmp_path / "c.tex").read_text(encoding="utf-8")


def test_saved_scores_are_compared_without_texts(tmp_path: Path) -> None:
    direct = _patmark(tmp_path, "compare", *_SYSTEMS, *_DATA, *_FEW, "--json", "--save",
                      "s.json.gz")  # fmt: skip
    again = _patmark(tmp_path, "compare", "--scores", "s.json.gz", "--resamples", "100", *_FEW,
                     "--json")  # fmt: skip
    assert json.loads(again.stdout) == json.loads(direct.stdout)
    less = _patmark(tmp_path, "compare", "--scores", "s.json.gz", "--measures", "TER", "--by",
                    "segment", "--test", "bootstrap", "--json")  # fmt: skip
    result = json.loads(less.stdout)
    assert set(result["measures"]) == {"TER"} and result["resampling"]["by"] == "segment"


def test_patsnap_systems_are_compared_by_label(tmp_path: Path) -> None:
    folder = example_path("patsnap_cn2en")
    files = [folder / f"{name}.jsonl" for name in ("atlas", "cobalt")]
    done = _patmark(tmp_path, "compare", *files, "--protocol", "patsnap", "--resamples", "100",
                    *_FEW, "--json")  # fmt: skip
    result = json.loads(done.stdout)
    assert len(result["measures"]) == 10
    assert result["measures"]["overall"]["ranking"] == ["atlas", "cobalt"]


def test_fail_under_decides_the_exit_code(tmp_path: Path) -> None:
    atlas = ["--hyp", str(_JA_EN / "atlas.en")]
    passed = _patmark(tmp_path, "score", *atlas, *_DATA, "-q", "--fail-under", "BLEU=30,TER=60")
    assert (passed.returncode, passed.stderr) == (0, "")
    failed = _patmark(tmp_path, "score", *atlas, *_DATA, "-q", "--fail-under", "BLEU=90",
                      "--junit", "j.xml")  # fmt: skip
    assert failed.returncode == 1 and "BLEU of atlas" in failed.stderr
    suite = ElementTree.fromstring((tmp_path / "j.xml").read_text(encoding="utf-8"))
    assert len(suite.findall(".//failure")) == 1


def test_only_a_significant_drop_fails(tmp_path: Path) -> None:
    saved = _patmark(tmp_path, "score", "--hyp", f"now={_JA_EN / 'atlas.en'}", *_DATA, "-q",
                     "--save", "old.json")  # fmt: skip
    assert saved.returncode == 0, saved.stderr
    gate = ["--baseline", "old.json", "--max-drop", "BLEU=0.5", "-q"]
    same = _patmark(tmp_path, "score", "--hyp", f"now={_JA_EN / 'atlas.en'}", *_DATA, *gate)
    worse = _patmark(tmp_path, "score", "--hyp", f"now={_JA_EN / 'cobalt.en'}", *_DATA, *gate)
    assert (same.returncode, worse.returncode) == (0, 1)


def test_gate_options_need_each_other(tmp_path: Path) -> None:
    for arguments, message in (
        (["--max-drop", "BLEU=1"], "go together"),
        (["--junit", "j.xml"], "has no effect without"),
        (["--fail-under", "BLEU"], "BLEU"),
        (["--fail-under", "chrF=3"], "chrF"),
    ):
        done = _patmark(tmp_path, "score", *_SYSTEMS, *_DATA, *arguments)
        assert done.returncode == 2 and message in done.stderr, done.stderr


def test_an_external_program_is_a_measure(tmp_path: Path) -> None:
    (tmp_path / "metric.py").write_text(
        "import json, sys\nfor line in sys.stdin:\n    print(len(json.loads(line)['hypothesis']))\n"
    )
    data = [part if part != "BLEU,TER" else f"chrF,command:{sys.executable} metric.py"
            for part in _DATA]  # fmt: skip
    done = _patmark(tmp_path, "compare", *_SYSTEMS, *data, *_FEW, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    [name] = [name for name in result["measures"] if name.startswith("command:")]
    assert result["measures"][name]["pairs"][0]["ci"][0] is not None
