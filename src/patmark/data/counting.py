"""Numbers of things in messages."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its words: "1 segment is", "2 segments are". Plain nouns get an s."""
    return f"{number} {one if number == 1 else many or one + 's'}"
