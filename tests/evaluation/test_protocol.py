"""Protocols behind one interface: found by name, also from outside, with their own options."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from command_line import patmark
from patmark.errors import UsageError
from patmark.evaluation import protocol as protocol_module
from patmark.evaluation.evaluation import Sampling
from patmark.evaluation.protocol import Inputs, Plain, protocol_called
from patmark.examples import example_path

_MINE = """
from patmark.evaluation import Plain

class Mine(Plain):
    name = "mine"
    options = frozenset({"variant"})

    @classmethod
    def of(cls, options, sampling, *, detailed):
        return cls(sampling, measures="BLEU" if options.get("variant") == "short" else "BLEU,TER")
"""


@pytest.fixture
def from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package that brings a protocol through an entry point."""
    (tmp_path / "my_protocols.py").write_text(_MINE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    mine = EntryPoint("mine", "my_protocols:Mine", protocol_module.ENTRY_POINT_GROUP)
    monkeypatch.setattr(
        "importlib.metadata.entry_points",
        lambda group: [mine] if group == protocol_module.ENTRY_POINT_GROUP else [],
    )
    protocol_module.protocols.cache_clear()
    yield
    protocol_module.protocols.cache_clear()


def test_a_protocol_from_outside_is_scored_and_compared(from_outside: None, tmp_path: Path) -> None:
    folder = example_path("ja_en")
    files = ["--hyp", folder / "atlas.en", "--hyp", folder / "cobalt.en"]
    data = ["--ref", folder / "reference.en", "--lang", "ja-en", "--protocol", "mine"]
    done = patmark(tmp_path, "score", *files, *data, "--variant", "short", "--json")
    assert list(json.loads(done.stdout)["systems"]["atlas"]) == ["BLEU"], done.stderr
    done = patmark(tmp_path, "compare", *files, *data, "--json", "--trials", "100")
    assert list(json.loads(done.stdout)["measures"]) == ["BLEU", "TER"], done.stderr
    refused = patmark(tmp_path, "score", *files, *data, "--measures", "BLEU")
    assert refused.returncode == 2
    assert "--measures has no effect with --protocol mine" in refused.stderr


def test_options_without_effect_are_refused_by_the_names_that_users_know() -> None:
    with pytest.raises(UsageError, match=r"^--direction has no effect without --protocol patsnap$"):
        protocol_called("plain", {"direction": "cn2en"}, Sampling())
    with pytest.raises(UsageError, match=r"^--tok has no effect with --protocol patsnap$"):
        protocol_called("patsnap", {"tok": "zh"}, Sampling())
    with pytest.raises(UsageError, match=r"'nonsense' is unknown; choose from plain, patsnap"):
        protocol_called("nonsense", {}, Sampling())


def test_inputs_that_a_protocol_does_not_read_are_refused() -> None:
    patsnap = protocol_called("patsnap", {}, Sampling())
    with pytest.raises(UsageError, match="--ref, --lang has no effect with --protocol patsnap"):
        patsnap.read(Inputs(results=["x.jsonl"], ref=["r"], lang="en"))
    with pytest.raises(UsageError, match="--allow-partial has no effect without a run in JSONL"):
        reference = str(example_path("ja_en/reference.en"))
        plain = Plain(Sampling(), allow_partial=True)
        plain.read(Inputs(hyp=[reference], ref=[reference], lang="en"))
