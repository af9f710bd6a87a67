"""axe-core, which looks for what keeps people with disabilities from using a page.

It comes from the npm registry once, and stays in the cache folder of the user; ``AXE_CORE`` may
name the file instead. Its licence (MPL) is not that of patmark, so it is not bundled.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_VERSION = "4.14.0"
_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@cache
def axe_source() -> str:
    """The script; the test is skipped where it cannot be had."""
    named = os.environ.get("AXE_CORE")
    kept = Path(named or Path.home() / ".cache" / "patmark-tests" / f"axe-{_VERSION}.min.js")
    if not kept.is_file():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core needs npm, or the variable AXE_CORE")
        with tempfile.TemporaryDirectory() as folder:
            command = [npm, "pack", f"axe-core@{_VERSION}", "--silent"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if done.returncode:
                pytest.skip("axe-core cannot be fetched from the npm registry")
            with tarfile.open(Path(folder) / done.stdout.strip()) as package:
                script = package.extractfile("package/axe.min.js")
                assert script is not None
                kept.parent.mkdir(parents=True, exist_ok=True)
                part = kept.with_suffix(f".{os.getpid()}")
                part.write_bytes(script.read())
                part.replace(kept)
    return kept.read_text(encoding="utf-8")


def violations(page: Any, *rules: str) -> list[str]:
    """What axe-core finds wrong on a page, by all rules or some, each with the first place."""
    page.evaluate(axe_source())
    chosen = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": _TAGS}
    options = {"runOnly": chosen, "resultTypes": ["violations"]}
    found = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
    ]
