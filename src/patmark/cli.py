"""The entry point of the command line; ``patmark.app.cli`` implements it."""

from patmark.app import main

__all__ = ["main"]
