"""Measures and protocols of other packages that go wrong, on the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import DATA, JA_EN

_MEASURE = """
from dataclasses import dataclass
from typing import ClassVar
from patmark.measures import MeanMeasure

@dataclass(frozen=True, kw_only=True)
class Raises(MeanMeasure):
    label: ClassVar[str] = "raises"
    description: ClassVar[str] = "raises"
    citation: ClassVar[str] = "this test"

    def segment_scores(self, test_set, hypotheses):
        return [1 / (len(text) * 0) for text in hypotheses]
"""
_ENTRIES = """[patmark.measures]
raises = plug_raises:Raises
unlicensed = plug_unlicensed:Any
nameless = plug_raises:Absent
half = plug_half:Any

[patmark.protocols]
unlicensed = plug_unlicensed:Any
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with a measure that raises, and entries that cannot be loaded."""
    folder = tmp_path / "package"
    about = folder / "plug-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "plug_raises.py").write_text(_MEASURE)
    (folder / "plug_unlicensed.py").write_text("raise RuntimeError('no\\nlicence')")
    (folder / "plug_half.py").write_text("from plug_raises import absent")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(_ENTRIES)
    return folder


def _patmark(package: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(package)])
    return subprocess.run(
        [sys.executable, "-m", "patmark", *arguments],
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )


_RAISING = ("score", "--hyp", JA_EN / "atlas.en", *DATA[:6], "--measures", "raises,BLEU")


def test_debug_shows_where_a_measure_raised(package: Path) -> None:
    short = _patmark(package, *_RAISING)
    assert short.returncode == 2 and "Traceback" not in short.stderr
    last = short.stderr.splitlines()[-1]
    assert last == "patmark: measure raises failed: ZeroDivisionError: division by zero"
    long = _patmark(package, *_RAISING, "--debug")
    assert long.returncode == 2 and long.stderr.splitlines()[-1] == last
    assert 'plug_raises.py", line 13, in segment_scores' in long.stderr


def test_broken_plug_ins_are_warned_of_once_and_without_paths(package: Path) -> None:
    expected = [
        "patmark: the measure 'half' (plug_half:Any) cannot be loaded: cannot import name "
        "'absent' from 'plug_raises'",
        "patmark: the measure 'nameless' (plug_raises:Absent) cannot be loaded: module "
        "'plug_raises' has no attribute 'Absent'",
        "patmark: the measure 'unlicensed' (plug_unlicensed:Any) cannot be loaded: no licence",
    ]
    assert sorted(_patmark(package, *_RAISING).stderr.splitlines()[:-1]) == expected
    listed = _patmark(package, "measures")
    assert listed.returncode == 0 and sorted(listed.stderr.splitlines()) == expected
    helped = _patmark(package, "score", "--help")
    assert helped.returncode == 0 and helped.stderr == (
        "patmark: the protocol 'unlicensed' (plug_unlicensed:Any) cannot be loaded: no licence\n"
    )
