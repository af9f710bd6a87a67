"""patmark completion: shell completion of commands and options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from patmark.app.cli.output import say
from patmark.errors import UsageError, near
from patmark.options import Parameter, option

if TYPE_CHECKING:
    from cyclopts import App

_SHELLS = ("bash", "zsh", "fish")


def completion(
    shell: Annotated[str, Parameter(help="bash, zsh or fish.")],
    /,
    *,
    install: Annotated[
        bool, option("Output", "Put it where the shell finds it, instead of printing it.")
    ] = False,
) -> None:
    """Print or install the shell completion script.

    Examples:

      patmark completion bash --install

      patmark completion zsh > _patmark
    """
    if shell not in _SHELLS:
        known = ", ".join(_SHELLS)
        raise UsageError(f"no completion for {shell!r}{near(shell, _SHELLS)}; known: {known}")
    from patmark.app.cli.app import COMMANDS, ROOT

    tree: Any = _tree(ROOT, COMMANDS)
    if install:
        say(f"wrote {tree.install_completion(shell=shell)}; it works in the next shell")
    else:
        print(tree.generate_completion(prog_name=ROOT, shell=shell))


def _tree(path: str, commands: Mapping[str, Any]) -> App:
    """Return all commands of a path as cyclopts sees them."""
    from cyclopts import App

    from patmark.app.cli.app import load
    from patmark.app.cli.parser import command_app

    app = App(name=path.split()[-1], help_flags=["--help"], version_flags=[])
    for name, what in commands.items():
        below = f"{path} {name}"
        app.command(command_app(name, load(below)) if isinstance(what, str) else _tree(below, what))
    return app
