"""The notebooks of the documentation run, show what they say they show, and stay small."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from notebooks import FOLDER, executed

_PAGES = sorted(FOLDER.glob("*.ipynb"))
_VERSION = re.compile(r"patmark:[0-9.a-z]+")


def test_there_is_one_for_each_group_of_users() -> None:
    names = [page.stem for page in _PAGES]
    assert names == ["claim_drafters", "mt_team", "shared_task"]


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_a_notebook_shows_what_its_cells_give(page: Path) -> None:
    pytest.importorskip("pandas")
    text = page.read_text(encoding="utf-8")
    assert len(text.encode()) < 100_000
    kept = json.loads(text)
    assert _shown(executed(kept)) == _shown(kept)


def _shown(notebook: dict[str, Any]) -> list[str]:
    outputs = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [_VERSION.sub("", json.dumps(one, ensure_ascii=False)) for one in outputs]
