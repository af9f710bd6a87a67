"""Protocols behind one interface: found by name, also from outside, with their own options."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from command_line import patmark
from patmark import catalogue
from patmark.errors import UsageError
from patmark.evaluation.protocol import (
    Inputs,
    Plain,
    SharedOptions,
    protocol_called,
    refuse_foreign,
)
from patmark.evaluation.scoring import Sampling
from patmark.examples import example_path

_MINE = '''
from __future__ import annotations

from patmark.evaluation import Plain
from patmark.options import Options, group


@group
class MyOptions(Options, heading="My protocol"):
    """What mine is asked."""

    longest: int = 4
    """The longest n-gram."""
    strictly: bool = False
    """Count TER as well."""


class Mine(Plain):
    name = "mine"
    options = MyOptions
    shared_options = frozenset()

    @classmethod
    def of(cls, options, shared, sampling, *, detailed):
        more = ",TER" if options.strictly else ""
        return cls(sampling, measures=f"BLEU(n={options.longest}){more}")
'''
_BROKEN = "raise RuntimeError('half installed')"


@pytest.fixture
def from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Packages that bring protocols through entry points; one of them is broken."""
    added = []
    for name, text in (("mine", _MINE), ("broken", _BROKEN)):
        (tmp_path / f"protocol_{name}.py").write_text(text, encoding="utf-8")
        added.append(EntryPoint(name, f"protocol_{name}:Mine", catalogue.PROTOCOL_GROUP))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        "importlib.metadata.entry_points",
        lambda group: added if group == catalogue.PROTOCOL_GROUP else [],
    )
    _forget_protocols()
    yield
    _forget_protocols()


def _forget_protocols() -> None:
    catalogue.protocols.cache_clear()
    catalogue.protocol_options.cache_clear()


_FOLDER = example_path("ja_en")
_FILES = ["--hyp", _FOLDER / "atlas.en", "--hyp", _FOLDER / "cobalt.en"]
_FILES += ["--ref", _FOLDER / "reference.en", "--lang", "ja-en"]
_MINE_OF = [*_FILES, "--protocol", "mine"]


def test_a_protocol_from_outside_is_scored_and_compared(from_outside: None, tmp_path: Path) -> None:
    done = patmark(tmp_path, "score", *_MINE_OF, "--json")
    assert list(json.loads(done.stdout)["systems"]["atlas"]) == ["BLEU"], done.stderr
    done = patmark(tmp_path, "compare", *_MINE_OF, "--json", "--trials", "100", "--strictly")
    assert list(json.loads(done.stdout)["measures"]) == ["BLEU", "TER"], done.stderr
    refused = patmark(tmp_path, "score", *_MINE_OF, "--measures", "BLEU")
    assert refused.returncode == 2
    assert "--measures has no effect with --protocol mine" in refused.stderr


@pytest.mark.parametrize("form", [["--longest", "2"], ["--longest=2"], ["--longest", "2", "-q"]])
def test_a_protocol_from_outside_brings_options_of_its_own(
    form: list[str], from_outside: None, tmp_path: Path
) -> None:
    done = patmark(tmp_path, "score", *_MINE_OF, *form, "--json")
    assert list(json.loads(done.stdout)["systems"]["atlas"]) == ["BLEU(n=2)"], done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--longest", "2"], "--longest has no effect without --protocol mine"),
        (["--protocol", "mine", "--longest", "x"], "--longest x: expected a whole number"),
        (["--protocol", "mine", "--longst", "2"], "did you mean --longest?"),
        (
            ["--protocol", "mine", "--direction", "cn2en"],
            "--direction has no effect without --protocol patsnap",
        ),
        (["--protocol", "broken"], "'broken' (protocol_broken:Mine) cannot be loaded: half inst"),
        (["--protocol", "nonsense"], "unknown; choose from plain, patsnap, mine, broken"),
    ],
)
@pytest.mark.filterwarnings("ignore:the protocol 'broken'")
def test_options_of_protocols_that_a_line_cannot_have(
    line: list[str], message: str, from_outside: None, tmp_path: Path
) -> None:
    for command in ("score", "compare"):
        done = patmark(tmp_path, command, *_FILES, *line)
        assert done.returncode == 2 and message in done.stderr, done.stderr


def test_help_lists_options_of_protocols_and_warns_once_of_a_broken_one(
    from_outside: None, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match="protocol 'broken'.*cannot be loaded") as warned:
        for _ in range(2):
            done = patmark(tmp_path, "score", "--help")
    assert len(warned) == 1
    assert "\nMy protocol, with --protocol mine:\n  --longest INTEGER" in done.stdout
    assert "\nPatSnap bench, with --protocol patsnap:\n  --direction TEXT" in done.stdout


def test_options_that_are_no_group_are_refused(from_outside: None, tmp_path: Path) -> None:
    text = _MINE.replace("options = MyOptions", "options = {'longest'}")
    (tmp_path / "protocol_mine.py").write_text(text, encoding="utf-8")
    sys.modules.pop("protocol_mine", None)
    done = patmark(tmp_path, "score", *_MINE_OF)
    sys.modules.pop("protocol_mine", None)
    assert done.returncode == 2 and "'mine' cannot be used: its options are no" in done.stderr


def test_a_broken_protocol_does_not_disturb_others(from_outside: None, tmp_path: Path) -> None:
    done = patmark(tmp_path, "score", *_FILES, "--measures", "BLEU", "--json")
    assert (done.returncode, done.stderr) == (0, "")


def test_an_option_of_a_protocol_must_not_be_one_of_the_command(
    from_outside: None, tmp_path: Path
) -> None:
    text = _MINE.replace("longest: int", "seed: int")
    (tmp_path / "protocol_mine.py").write_text(text, encoding="utf-8")
    sys.modules.pop("protocol_mine", None)
    done = patmark(tmp_path, "score", *_MINE_OF)
    sys.modules.pop("protocol_mine", None)
    assert done.returncode == 2 and "declares --seed, which the command has" in done.stderr


def test_checks_are_compared_where_rows_are_shown(tmp_path: Path) -> None:
    rows = [example_path(f"patsnap_cn2en/{name}.jsonl") for name in ("atlas", "cobalt")]
    line = ["compare", *rows, "--protocol", "patsnap", "--trials", "10", "--resamples", "10"]
    refused = patmark(tmp_path, *line, "--checks")
    assert "--checks has no effect in a comparison without --html" in refused.stderr
    assert patmark(tmp_path, *line, "--checks", "--html", "x.html").returncode == 0


def test_options_without_effect_are_refused_by_the_names_that_users_know() -> None:
    with pytest.raises(UsageError, match=r"^direction= has no effect without protocol='patsnap'$"):
        refuse_foreign("plain", ["direction"])
    with pytest.raises(UsageError, match=r"^tok= has no effect with protocol='patsnap'$"):
        protocol_called("patsnap", Sampling(), SharedOptions(tok="zh"))
    with pytest.raises(UsageError, match=r"'nonsense' is unknown; choose from plain, patsnap"):
        protocol_called("nonsense", Sampling())


def test_inputs_that_a_protocol_does_not_read_are_refused() -> None:
    patsnap = protocol_called("patsnap", Sampling())
    with pytest.raises(UsageError, match="ref= has no effect with protocol='patsnap'"):
        patsnap.read(Inputs(results=["x.jsonl"], ref=["r"], lang="en"))
    with pytest.raises(UsageError, match="lang='en-zh' is direction='en2cn', not cn2en"):
        patsnap.read(Inputs(results=["x.jsonl"], lang="en-zh"))
    with pytest.raises(UsageError, match="allow_partial= has no effect without a run with"):
        reference = str(example_path("ja_en/reference.en"))
        plain = Plain(Sampling(), allow_partial=True)
        plain.read(Inputs(hyp=[reference], ref=[reference], lang="en"))
