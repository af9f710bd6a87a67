"""The command line: one file per command; options in, result out."""

from patmark.app.cli.app import main

__all__ = ["main"]
