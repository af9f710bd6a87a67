"""Fixtures that several rooms share."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("patmark", deadline=None, derandomize=True)
settings.load_profile("patmark")

_DEFAULT_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of sample data, which cannot be shipped because of its licences."""
    folder = Path(os.environ.get("PATMARK_SHARED_DATA", _DEFAULT_SHARED))
    if not folder.is_dir():
        pytest.skip(f"no sample data: {folder} is absent (set PATMARK_SHARED_DATA)")
    return folder


@pytest.fixture(scope="session")
def metric_constants() -> list[dict[str, Any]]:
    """Numbers that other programs printed; see tests/constants/README.md."""
    return _rows(Path(__file__).parent / "constants" / "metric_constants.jsonl")


@pytest.fixture(scope="session")
def patsnap_rows(shared_data: Path) -> list[dict[str, Any]]:
    """Real rows of the PatSnap bench."""
    return _rows(shared_data / "patsnap" / "sample.jsonl")
