"""Systems under test: what translates or drafts claims, and how it is driven through a test set.

A system takes texts and gives texts; a task says what it is asked; a run is written down row by
row, so that one that was stopped goes on where it was.
"""

from patmark.systems.base import Answer, Description, Item, System, Traits
from patmark.systems.bench import Bench, read_bench
from patmark.systems.chat import ChatSettings, ChatSystem
from patmark.systems.cleaning import Cleaned, clean
from patmark.systems.command import CommandSystem
from patmark.systems.degraded import drop_words
from patmark.systems.dictionary import DictionaryTranslator, Translation
from patmark.systems.files import Ran, RunFiles, run_to_files
from patmark.systems.journal import Journal, Row
from patmark.systems.runner import Finished, Plan, plan_run, run_plan
from patmark.systems.service import ServiceSettings, ServiceSystem, ServiceAdapter
from patmark.systems.simple import CopySystem, OracleSystem
from patmark.systems.tasks import Task, task_of
from patmark.systems.templates import Template, own_template, read_template
from patmark.systems.terms import TermBase, read_term_base
from patmark.systems.word_by_word import DictionarySystem, dictionary_system

__all__ = [
    "Answer",
    "Bench",
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
    "ServiceSettings",
    "ServiceSystem",
    "ServiceAdapter",
    "System",
    "Task",
    "Template",
    "TermBase",
    "Traits",
    "Translation",
    "clean",
    "dictionary_system",
    "drop_words",
    "own_template",
    "plan_run",
    "read_bench",
    "read_template",
    "read_term_base",
    "run_plan",
    "run_to_files",
    "task_of",
]
