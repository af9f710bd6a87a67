"""The prompts of the tasks.

Our templates are in ``prompts/``; those of users have the same gaps.
"""

from __future__ import annotations

import tomllib
from importlib.resources import files

from patmark.llm import Template, read_prompt

GAPS = (
    "source",
    "source_language",
    "target_language",
    "source_code",
    "target_code",
    "context",
    "glossary",
    "description",
    "instructions",
)


def own_template(task: str) -> Template:
    """The template that comes with patmark for a task."""
    text = files(__package__).joinpath("prompts", f"{task}.toml").read_text(encoding="utf-8")
    return Template(**tomllib.loads(text))


def read_template(path: str) -> Template:
    """Read a template of the user for a task."""
    return read_prompt(path, GAPS, {"source": "the text itself would not be sent"})
