"""The front door: one file per command. Parses, calls, prints; no logic."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; errors that are expected end in one message and exit code 2."""
    from patmark.cli.app import app
    from patmark.errors import PatmarkError

    try:
        app()
    except PatmarkError as error:
        print(f"patmark: {error}", file=sys.stderr)
        sys.exit(2)
