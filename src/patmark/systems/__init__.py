"""Systems under test: what translates or drafts claims, and how it is driven through a test set.

A system takes texts and gives texts; a task says what it is asked; a run is written down row by
row, so that one that was stopped goes on where it was.
"""

from patmark.systems.base import (
    KINDS,
    Answer,
    BuildContext,
    Description,
    Item,
    System,
    SystemKind,
    Task,
    Traits,
    parse_system,
    system_kind,
    task_of,
)
from patmark.systems.chat import ChatSettings, ChatSystem
from patmark.systems.cleaning import Cleaned, clean
from patmark.systems.command import CommandSystem
from patmark.systems.dictionary import (
    DictionarySystem,
    DictionaryTranslator,
    Translation,
    dictionary_system,
)
from patmark.systems.journal import Journal, Row
from patmark.systems.run import (
    Bench,
    Finished,
    Plan,
    Ran,
    RunFiles,
    plan_run,
    read_bench,
    run_plan,
    run_to_files,
)
from patmark.systems.service import ServiceAdapter, ServiceSettings, ServiceSystem
from patmark.systems.simple import CopySystem, OracleSystem, drop_words
from patmark.systems.templates import (
    Template,
    TermBase,
    own_template,
    read_template,
    read_term_base,
)

__all__ = [
    "KINDS",
    "Answer",
    "Bench",
    "BuildContext",
    "ChatSettings",
    "ChatSystem",
    "Cleaned",
    "CommandSystem",
    "CopySystem",
    "Description",
    "DictionarySystem",
    "DictionaryTranslator",
    "Finished",
    "Item",
    "Journal",
    "OracleSystem",
    "Plan",
    "Ran",
    "Row",
    "RunFiles",
    "ServiceAdapter",
    "ServiceSettings",
    "ServiceSystem",
    "System",
    "SystemKind",
    "Task",
    "Template",
    "TermBase",
    "Traits",
    "Translation",
    "clean",
    "dictionary_system",
    "drop_words",
    "own_template",
    "parse_system",
    "plan_run",
    "read_bench",
    "read_template",
    "read_term_base",
    "run_plan",
    "run_to_files",
    "system_kind",
    "task_of",
]
