"""The tree of commands: a new command is a line here, and a function where the line says."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TypeAlias

from patmark.errors import UsageError, near
from patmark.options import Command, read_plain_line

ROOT = "patmark"
_Tree: TypeAlias = "Mapping[str, str | _Tree]"
COMMANDS: _Tree = {
    "run": "run",
    "score": "score",
    "compare": "compare",
    "task": "task",
    "meta": "meta",
    "measures": "measures",
    "reproduce": "reproduce",
    "bench": {"build": "bench", "overview": "bench", "accept": "bench"},
    "human": {
        "validate": "human.campaign",
        "new": "human.campaign",
        "serve": "human.campaign",
        "status": "human.campaign",
        "export": "human.campaign",
        "report": "human.judgements",
        "convert": "human.judgements",
        "add-evaluator": "human.access",
        "link": "human.access",
        "close": "human.access",
        "reopen": "human.access",
        "backup": "human.access",
        "forget": "human.access",
        "migrate": "human.access",
    },
    "claims": {
        "judge": "claims.judge",
        "lint": "claims.lint",
        "meta": "claims.meta",
        "pairs": "claims.pairs",
        "parse": "claims.lint",
        "score": "claims.score",
        "train": "claims.train",
    },
    "corpus": {
        "demo": "corpus.build",
        "build": "corpus.build",
        "parse": "corpus.documents",
        "families": "corpus.documents",
        "align": "corpus.align",
        "split": "corpus.build",
        "stats": "corpus.build",
        "sample": "corpus.sample",
        "judged": "corpus.sample",
    },
    "retrieve": {
        "index": "retrieve.index",
        "translate": "retrieve.search",
        "search": "retrieve.search",
        "run": "retrieve.run",
        "demo": "retrieve.run",
        "evaluate": "retrieve.evaluate",
        "compare": "retrieve.evaluate",
    },
    "demo": "demo",
    "examples": "demo",
}
"""Where each command is defined, within this room: as a function of its name, hyphens as _."""

ABOUT = {
    ROOT: """Measure patent translations (zh, ja, en) and generated claims: numbers to be trusted.

    patmark demo shows what it does on bundled examples; patmark examples writes them into a folder.
    Commands that show results take --json. All take --help, and exit with 0 (done), 1 (a gate such
    as --fail-under failed) or 2 (bad usage or data). patmark --version prints the version.
    """,
    "bench": "Benches of the PatSnap kind: what is in one, and your own from your patents.",
    "human": "Human evaluation: campaigns in the browser, rankings by judgements, their files.",
    "claims": "Judge generated claims, and the measures that judge them.",
    "corpus": "Build a test collection from patent documents.",
    "retrieve": "Patent retrieval: index, translate topics, search, and judge what translations "
    "lose.",
}


def run(tokens: Sequence[str]) -> None:
    """Do what a line asks for."""
    path, place = ROOT, 0
    while not isinstance(known := _found(path), str):
        word = tokens[place] if place < len(tokens) else None
        if word == "--version" and path == ROOT:
            from patmark._version import __version__

            return print(__version__)
        if word in (None, "--help", "-h"):
            return _show_commands(path, known, asked=word is not None)
        if word not in known:
            raise UsageError(f"there is no command {path} {word}{near(word, known)}")
        path, place = f"{path} {word}", place + 1
    command = load(path)
    call = read_plain_line(command, tokens[place:])
    if call is not None:
        return call()
    from patmark.cli.usage import run_line

    return run_line(path, command, tokens[place:])


def load(path: str) -> Command:
    """The function of a command, such as ``patmark human serve``."""
    module = import_module(f"patmark.cli.{_found(path)}")
    return getattr(module, path.split()[-1].replace("-", "_"))  # type: ignore[no-any-return]


def _found(path: str) -> str | _Tree:
    """What the tree holds at a path: where a command is defined, or the commands of a group."""
    found: str | _Tree = COMMANDS
    for name in path.split()[1:]:
        found = found[name]  # type: ignore[index]
    return found


def _show_commands(path: str, known: _Tree, *, asked: bool) -> None:
    """The help page of a group of commands; without any word it is bad usage as well."""
    from contextlib import redirect_stdout

    from patmark.cli.page import show_commands

    listed = [
        (name, load(f"{path} {name}").__doc__ if isinstance(what, str) else ABOUT[name])
        for name, what in known.items()
    ]
    with redirect_stdout(sys.stdout if asked else sys.stderr):
        show_commands(path, ABOUT[path.split()[-1]], listed)
    if not asked:
        sys.exit(2)
