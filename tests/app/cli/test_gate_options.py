"""Gates of patmark score and compare: what fails, what is told, what is refused early."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from command_line import DATA, JA_EN, PATSNAP, SYSTEMS, patmark


def _refused(folder: Path, *arguments: str | Path) -> str:
    done = patmark(folder, *arguments)
    assert done.returncode == 2 and done.stdout == "", done
    return done.stderr


def test_fail_under_decides_the_exit_code(tmp_path: Path) -> None:
    atlas = ["--hyp", str(JA_EN / "atlas.en")]
    passed = patmark(tmp_path, "score", *atlas, *DATA, "-q", "--fail-under", "BLEU=30,TER=60")
    assert (passed.returncode, passed.stderr) == (0, "")
    failed = patmark(tmp_path, "score", *atlas, *DATA, "-q", "--fail-under", "BLEU=90",
                      "--junit", "j.xml")  # fmt: skip
    assert failed.returncode == 1 and "BLEU of atlas" in failed.stderr
    suite = ElementTree.fromstring((tmp_path / "j.xml").read_text(encoding="utf-8"))
    assert len(suite.findall(".//failure")) == 1


def test_only_a_significant_drop_fails(tmp_path: Path) -> None:
    saved = patmark(tmp_path, "score", "--hyp", f"now={JA_EN / 'atlas.en'}", *DATA, "-q",
                     "--save", "old.json")  # fmt: skip
    assert saved.returncode == 0, saved.stderr
    gate = ["--baseline", "old.json", "--max-drop", "BLEU=0.5", "-q"]
    same = patmark(tmp_path, "score", "--hyp", f"now={JA_EN / 'atlas.en'}", *DATA, *gate)
    worse = patmark(tmp_path, "score", "--hyp", f"now={JA_EN / 'cobalt.en'}", *DATA, *gate)
    assert (same.returncode, worse.returncode) == (0, 1)


def test_a_margin_asks_for_evidence_that_nothing_was_lost(tmp_path: Path) -> None:
    saved = patmark(tmp_path, "score", "--hyp", f"now={JA_EN / 'atlas.en'}", *DATA, "-q",
                     "--save", "old.json")  # fmt: skip
    assert saved.returncode == 0, saved.stderr
    gate = ["--baseline", "old.json", "--margin", "BLEU=0.5", "-q", "--junit", "j.xml"]
    same = patmark(tmp_path, "score", "--hyp", f"now={JA_EN / 'atlas.en'}", *DATA, *gate)
    worse = patmark(tmp_path, "score", "--hyp", f"now={JA_EN / 'borealis.en'}", *DATA, *gate,
                     "--json")  # fmt: skip
    assert (same.returncode, worse.returncode) == (0, 1), (same.stderr, worse.stderr)
    assert "a fall of 0.50 is not ruled out" in worse.stderr
    [verdict] = json.loads(worse.stdout)["gates"]
    assert verdict["gate"] == "margin" and verdict["worst"] > verdict["limit"] == 0.5
    suite = ElementTree.fromstring((tmp_path / "j.xml").read_text(encoding="utf-8"))
    assert [one.get("type") for one in suite.findall(".//failure")] == ["margin"]


def test_compare_shows_equivalence_and_takes_a_primary_measure(tmp_path: Path) -> None:
    done = patmark(tmp_path, "compare", *SYSTEMS, *DATA, "--margin", "BLEU=100", "--primary", "TER",
                    "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["margin"] == {"BLEU": 100} and result["primary"] == "TER"
    assert all(pair["equivalence"]["equivalent"] for pair in result["measures"]["BLEU"]["pairs"])
    for wrong, message in (
        (["--margin", "chrF=1"], "--margin: no measure here is called chrF"),
        (["--margin", "BLEU=0"], "a margin must be greater than 0"),
        (["--primary", "chrF"], "--primary: no measure here is called chrF"),
    ):
        assert message in _refused(tmp_path, "compare", *SYSTEMS, *DATA, *wrong)
    assert "--margin needs a --baseline" in _refused(
        tmp_path, "score", *SYSTEMS, *DATA, "--margin", "BLEU=1"
    )


def test_gate_options_need_each_other(tmp_path: Path) -> None:
    for arguments, message in (
        (["--max-drop", "BLEU=1"], "go together"),
        (["--junit", "j.xml"], "has no effect without"),
        (["--fail-under", "BLEU"], "BLEU"),
        (["--fail-under", "chrF=3"], "chrF"),
    ):
        done = patmark(tmp_path, "score", *SYSTEMS, *DATA, *arguments)
        assert done.returncode == 2 and message in done.stderr, done.stderr


def test_a_baseline_of_another_test_set_is_refused(tmp_path: Path) -> None:
    lines = (JA_EN / "reference.en").read_text(encoding="utf-8").splitlines()
    other = tmp_path / "other.en"
    other.write_text("\n".join([*lines[1:], lines[0]]) + "\n", encoding="utf-8")
    old, atlas = tmp_path / "old.json", ["--hyp", f"now={JA_EN / 'atlas.en'}"]
    saved = patmark(tmp_path, "score", *atlas, *DATA, "-q", "--save", old)
    assert saved.returncode == 0, saved.stderr
    gate = ["--baseline", old, "--max-drop", "BLEU=0.5", "-q"]
    data = [str(other) if part.endswith("reference.en") else part for part in DATA]
    assert "the baseline was scored on another test set than the new result: other references" in (
        _refused(tmp_path, "score", *atlas, *data, *gate)
    )
    content = json.loads(old.read_text(encoding="utf-8"))
    content["facts"] = {}
    old.write_text(json.dumps(content), encoding="utf-8")
    unchecked = patmark(tmp_path, "score", *atlas, *DATA, *gate)
    assert unchecked.returncode == 0
    assert "could not be checked that the baseline was scored on the same texts" in unchecked.stderr


def test_a_gate_on_a_measure_without_a_value_fails_in_words(tmp_path: Path) -> None:
    for name, text in (("h.txt", "a valve\n"), ("s.txt", "弁\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    scored = ["score", "--hyp", "h.txt", "--ref", "h.txt", "--src", "s.txt", "--lang", "ja-en",
              "--measures", "numbers"]  # fmt: skip
    done = patmark(tmp_path, *scored, "--json", "--fail-under", "numbers=0.5", "--save", "s.json")
    assert done.returncode == 1 and "numbers of h has no value" in done.stderr, done.stderr
    [verdict] = json.loads(done.stdout)["gates"]
    assert verdict["value"] is None and verdict["passed"] is False
    drop = patmark(tmp_path, *scored, "--json", "--baseline", "s.json", "--max-drop", "numbers=1")
    assert drop.returncode == 1, drop.stderr
    assert json.loads(drop.stdout)["gates"][0]["value"] is None


def test_usage_errors_are_found_before_any_scoring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scored(*arguments: object) -> None:
        raise AssertionError("scored")

    one = ["--hyp", f"v2={JA_EN / 'atlas.en'}"]
    saved = patmark(tmp_path, "score", *SYSTEMS[:4], *DATA, "-q", "--save", tmp_path / "s.json")
    assert saved.returncode == 0, saved.stderr
    _with_other_signature(tmp_path / "s.json", "BLEU")
    monkeypatch.setattr("patmark.evaluation.protocol.evaluate", scored)
    gate = ["--baseline", tmp_path / "s.json", "--max-drop"]
    for command, arguments, message in (
        ("compare", one, "at least two systems, and 1 are given"),
        ("compare", [*SYSTEMS, "--detect", "chrF=1"], "--detect: no measure here is called chrF"),
        ("compare", [*SYSTEMS, "--fail-under", "chrF=1"], "chrF has a threshold, but it is not s"),
        ("score", [*one, "--fail-under", "BLEU=high"], "expected a number after the ="),
        ("score", [*one, "--fail-under", "length-ratio=1"], "no system can be better by it"),
        ("score", [*one, *gate, "TER=-1"], "an allowed drop must not be negative"),
        ("score", [*one, *gate, "TER=1"], "the baseline has no system 'v2'"),
        ("score", [*one, "--baseline", "absent.json", "--max-drop", "TER=1"], "no such file"),
        ("compare", [*SYSTEMS[:4], *gate, "TER=1", "--trials", "5"], "at least 19 are needed"),
        ("score", [*SYSTEMS[:4], *gate, "BLEU=1"], "the baseline counted BLEU in another way"),
    ):  # fmt: skip
        assert message in _refused(tmp_path, command, *arguments, *DATA)
    done = patmark(tmp_path, "score", *one, *DATA)
    assert done.returncode == 3 and "scored" in done.stderr


def test_patsnap_thresholds_are_checked_before_any_scoring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("patmark.protocols.patsnap.protocol.score_patsnap", None)
    file = PATSNAP / "atlas.jsonl"
    message = _refused(tmp_path, "score", file, "--protocol", "patsnap", "--fail-under", "BLEU=30")
    assert "BLEU has a threshold, but it is not scored; there are overall, " in message
    assert "at least two systems" in _refused(tmp_path, "compare", file, "--protocol", "patsnap")


def _with_other_signature(path: Path, measure: str) -> None:
    content = json.loads(path.read_text(encoding="utf-8"))
    content["measures"][measure]["signature"] = "made otherwise"
    path.write_text(json.dumps(content), encoding="utf-8")


def test_outputs_are_written_before_gates_are_judged(tmp_path: Path) -> None:
    one = [PATSNAP / "atlas.jsonl", "--protocol", "patsnap", "--resamples", "9", "-q"]
    saved = patmark(tmp_path, "score", *one, "--save", "s.json")
    assert saved.returncode == 0, saved.stderr
    _with_other_signature(tmp_path / "s.json", "overall")
    gate = ["--baseline", "s.json", "--max-drop", "overall=1", "--junit", "j.xml"]
    done = patmark(tmp_path, "score", *one, *gate, "--csv", "r.csv", "--save", "new.json")
    assert done.returncode == 2 and "counted overall in another way" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"s.json", "r.csv", "new.json"}


def test_the_test_and_its_trials_decide_about_a_drop(tmp_path: Path) -> None:
    old = ["--hyp", f"a={JA_EN / 'atlas.en'}", "--hyp", f"b={JA_EN / 'borealis.en'}"]
    new = ["--hyp", f"a={JA_EN / 'borealis.en'}", "--hyp", f"b={JA_EN / 'borealis.en'}"]
    assert patmark(tmp_path, "score", *old, *DATA, "-q", "--save", "s.json").returncode == 0
    gate = ["--baseline", "s.json", "--max-drop", "BLEU=0.5", "--json"]
    for test, smallest in ((["--trials", "30"], 1 / 31), (["--test", "bootstrap"], 1 / 101)):
        done = patmark(tmp_path, "compare", *new, *DATA, *gate, *test)
        assert done.returncode == 1, done.stderr
        assert json.loads(done.stdout)["gates"][0]["p"] == pytest.approx(smallest)


def test_what_gates_find_is_told_also_when_they_pass(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("the valve is closed\na rotor turns\n", encoding="utf-8")
    (tmp_path / "w.txt").write_text("the valve is closed\na rotor\n", encoding="utf-8")
    data = ["--ref", "r.txt", "--lang", "en", "--measures", "chrF", "-q"]
    saved = patmark(tmp_path, "score", "--hyp", "a=r.txt", *data, "--save", "s.json")
    assert saved.returncode == 0, saved.stderr
    gates = ["--baseline", "s.json", "--max-drop", "chrF=0.5", "--fail-under", "chrF=1"]
    done = patmark(tmp_path, "score", "--hyp", "a=w.txt", *data, *gates, "--junit", "j.xml")
    assert done.returncode == 0 and done.stdout == ""
    assert done.stderr.startswith("patmark: warning: chrF of a went from 100.00 to ")
    assert "more than the allowed 0.50, but the difference is not significant" in done.stderr
    suite = ElementTree.fromstring((tmp_path / "j.xml").read_text(encoding="utf-8"))
    told = [out.text for out in suite.findall(".//system-out")]
    assert len(told) == 2 and told[0] is not None and "at least 1.00 is asked for" in told[0]


def test_a_threshold_on_the_wrong_scale_is_warned_of(tmp_path: Path) -> None:
    done = patmark(tmp_path, "score", *SYSTEMS[:2], *DATA, "-q", "--fail-under", "BLEU=0.3")
    assert done.returncode == 0
    assert done.stderr == (
        "patmark: warning: --fail-under: BLEU runs from 0 to 100, and 0.3 is asked for; "
        "is 30 meant?\n"
    )


def test_leaving_out_documents_does_not_get_round_the_rule_for_few(tmp_path: Path) -> None:
    """A gate takes the documents that either side knows, and refuses others."""
    lines = len((JA_EN / "reference.en").read_text(encoding="utf-8").splitlines())
    for name, kinds in (("five.txt", 5), ("four.txt", 4)):
        rows = (f"D{row * kinds // lines}\n" for row in range(lines))
        (tmp_path / name).write_text("".join(rows), encoding="utf-8")
    data = [*DATA[:2], *DATA[4:]]  # without --docs
    old, new = (["--hyp", f"v={JA_EN / name}.en"] for name in ("atlas", "cobalt"))
    docs, gate = ["--docs", "five.txt"], ["--max-drop", "BLEU=0.5", "--margin", "BLEU=0.5"]
    for name, saved_with in (("with.json", docs), ("without.json", [])):
        saved = patmark(tmp_path, "score", *old, *data, *saved_with, "-q", "--save", name)
        assert saved.returncode == 0, saved.stderr
    for name, scored_with in (("with.json", []), ("without.json", docs), ("with.json", docs)):
        given = ["score", *new, *data, *scored_with, "--json", "--baseline", name, *gate]
        verdicts = json.loads(patmark(tmp_path, *given).stdout)["gates"]
        assert [verdict["p"] for verdict in verdicts] == [None, None]
        assert all("5 documents are too few" in verdict["message"] for verdict in verdicts)
    others = ["--docs", "four.txt", "--baseline", "with.json", *gate]
    assert "the baseline has other documents than the new result" in (
        _refused(tmp_path, "score", *new, *data, *others)
    )


def test_the_help_of_compare_says_that_a_margin_tests_equivalence(tmp_path: Path) -> None:
    compared, scored = (patmark(tmp_path, name, "--help").stdout for name in ("compare", "score"))
    assert "Test which systems differ by less" in compared
    assert "Test which systems differ by less" not in scored
