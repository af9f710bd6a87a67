"""The front door: groups of options, one file per command. Parses, calls, prints; no logic."""

from patmark.cli.app import main

__all__ = ["main"]
