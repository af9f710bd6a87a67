"""What is installed, and the line that installs what is not."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from command_line import patmark, patmark_json


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that needs numpy, and two extras of which one cannot be there."""
    needs = [
        "numpy>=2.1",
        "patmark[corpus]; extra == 'all'",
        "pytest>=8; extra == 'here'",
        'no-such-library<2,>=1.0; (sys_platform != "win32") and extra == "absent"',
        "numpy>=2; extra == 'absent'",
        "no-such-tool; extra == 'dev'",
    ]
    monkeypatch.setattr(metadata, "requires", lambda _: needs)


@pytest.mark.usefixtures("declared")
def test_what_is_missing_comes_with_its_install_line(tmp_path: Path) -> None:
    done = patmark(tmp_path, "doctor")
    assert done.returncode == 0
    assert f"numpy {metadata.version('numpy')}" in done.stdout
    assert "missing: no-such-library; pip install 'patmark[absent]'" in done.stdout
    assert "no-such-tool" not in done.stdout
    assert "reports work; not installed, and only needed for what they do: absent." in done.stdout


@pytest.mark.usefixtures("declared")
def test_json_has_every_part(tmp_path: Path) -> None:
    found = patmark_json(tmp_path, "doctor")
    parts = {part["extra"]: part for part in found["parts"]}
    assert list(parts) == ["", "here", "absent"]
    assert list(parts["absent"]["installed"]) == ["numpy"]
    assert parts["absent"]["missing"] == ["no-such-library"] and parts["here"]["missing"] == []


def test_a_broken_installation_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metadata, "requires", lambda _: ["no-such-library>=1"])
    done = patmark(tmp_path, "doctor")
    assert done.returncode == 1 and "--force-reinstall patmark" in done.stdout
    assert "The installation is broken" in done.stdout


def test_fonts_and_models_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "fc-list"
    program.write_text("#!/bin/sh\n[ $1 = :lang=zh ] && echo 'Noto Sans CJK SC,Noto' || true\n")
    program.chmod(0o755)
    (tmp_path / "hub" / "models--Unbabel--wmt22-comet-da").mkdir(parents=True)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    shown = patmark(tmp_path, "doctor").stdout
    assert "Chinese: Noto Sans CJK SC\n" in shown and "Japanese: none; install Noto" in shown
    assert f"ipadic {metadata.version('ipadic')}" in shown and "Unbabel/wmt22-comet-da" in shown
    assert patmark_json(tmp_path, "doctor")["fonts"] == {"zh": ["Noto Sans CJK SC"], "ja": []}
    monkeypatch.setenv("PATH", str(tmp_path / "hub"))
    assert "fc-list) is not installed" in patmark(tmp_path, "doctor").stdout
