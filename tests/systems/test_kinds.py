"""The kinds of systems that the command line can name."""

from __future__ import annotations

import pytest

from patmark.app.cli.app import load
from patmark.catalogue import SYSTEMS
from patmark.errors import UsageError
from patmark.options import options_of
from patmark.systems import parse_system, system_kind


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_kind_is_declared_under_its_name_with_options_that_exist(name: str) -> None:
    kind = system_kind(name)
    assert kind.name == name
    groups = options_of(load("patmark run")).values()
    assert set(kind.options) <= {option.name for group in groups for option in group}


@pytest.mark.parametrize(
    ("text", "name", "argument", "title"),
    [
        ("openai:org/model:7b", "openai", "org/model:7b", "org-model-7b"),
        ("hf:models/opus-mt/", "hf", "models/opus-mt/", "opus-mt"),
        ("command:python 'a dir/translate.py'", "command", "python 'a dir/translate.py'",
         "translate.py"),
        ("http://localhost:5000/translate", "http", "http://localhost:5000/translate", "http"),
        ("https://a.example/t", "http", "https://a.example/t", "http"),
        ("dictionary", "dictionary", "", "dictionary"),
        ("oracle", "oracle", "", "oracle"),
    ],
)  # fmt: skip
def test_a_system_is_named_by_kind_and_argument(
    text: str, name: str, argument: str, title: str
) -> None:
    kind, found = parse_system(text)
    assert (kind.name, found, kind.default_name(found)) == (name, argument, title)


def test_an_unknown_kind_is_told_all_that_are_known() -> None:
    known = "openai:MODEL, command:PROGRAM, http://ADDRESS, hf:MODEL, dictionary, copy, oracle"
    with pytest.raises(UsageError, match=f"the system 'bert' is unknown; choose from {known}"):
        parse_system("bert:x")
