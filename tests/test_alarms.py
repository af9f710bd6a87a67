"""The list of findings on correct texts: the tool tells a new finding from a stored one."""

from __future__ import annotations

from pathlib import Path

import pytest

import alarms


def _findings(*lines: str) -> dict[str, object]:
    return {"pairs": lambda: iter(lines)}


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stored list of one finding that occurs twice."""
    monkeypatch.setattr(alarms, "STORED", tmp_path / "alarms.tsv")
    monkeypatch.setattr(alarms, "SETS", _findings(*["pairs\ta\tnumber\terror"] * 2))
    assert alarms.main(["--write"]) == 0
    return tmp_path / "alarms.tsv"


def test_the_same_findings_are_no_difference(
    stored: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert alarms.main([]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith("2 findings on correct texts: 2 error\n")


def test_added_and_removed_findings_are_shown(
    stored: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ("pairs\ta\tnumber\terror", "pairs\tb\tunit\twarning")
    monkeypatch.setattr(alarms, "SETS", _findings(*lines))
    assert alarms.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "+ pairs\tb\tunit\twarning",
        "- pairs\ta\tnumber\terror",
    ]


def test_every_finding_quotes_its_words() -> None:
    finding = next(alarms.documents())
    name, text, kind, severity, source, *_ = finding.split("\t")
    assert (name, kind, severity) == ("documents", "omission", "error")
    assert text == "whole_documents/translation.en.txt" and source
