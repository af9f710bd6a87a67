"""A small share of ``benchmarks/fuzz.py``: readers of mutated files refuse them or read them."""

from __future__ import annotations

from pathlib import Path

import fuzz


def test_readers_take_their_seeds(tmp_path: Path) -> None:
    for name, reader in fuzz.readers(tmp_path).items():
        for ending, content in reader.seeds:
            path = tmp_path / f"{name}{ending}"
            path.write_bytes(content)
            reader.read(path)


def test_readers_survive_mutated_files(tmp_path: Path) -> None:
    for name, reader in fuzz.readers(tmp_path).items():
        outcome = fuzz.fuzz(name, reader, 40, 0, tmp_path)
        assert outcome.faults == []
        assert outcome.taken + outcome.refused == 40
