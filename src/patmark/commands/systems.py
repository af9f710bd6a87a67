"""patmark run in Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from patmark.commands.asking import keeping_client, outside_loops
from patmark.commands.inputs import Texts, read_texts
from patmark.data import Run, Segment, TestSet, language_pair
from patmark.errors import UsageError
from patmark.report import notebook_progress

if TYPE_CHECKING:
    from patmark.llm import ChatClient


def run(
    system: str,
    texts: Texts,
    *,
    lang: str | None = None,
    name: str | None = None,
    journal: str | Path | None = None,
    context: int = 0,
    template: str | None = None,
    clean: bool | None = None,
    api_key_env: str | None = None,
    client: ChatClient | None = None,
    **options: Any,
) -> Run:
    """Let a system translate the sources: ``run("openai:my-model", texts, base_url=…)``.

    ``texts`` is a list of sources, or a test set, a table or a file as score takes it. Systems and
    options are those of the command; ``system`` is dictionary, copy, oracle, openai:MODEL,
    command:PROGRAM, hf:MODEL or an address. With a ``journal``, a run that was stopped goes on.
    What a system did not answer is None. A ChatClient of patmark.llm has further settings, such as
    a budget.
    """
    from patmark.systems import (
        BuildContext,
        parse_system,
        plan_run,
        read_template,
        run_plan,
        task_of,
    )

    if isinstance(texts, list | tuple) and all(isinstance(one, str) for one in texts):
        test_set = _sources(texts, lang)
    else:
        test_set, _ = read_texts(texts, None, lang)
    kind, argument = parse_system(system)
    if unknown := [one for one in options if one not in kind.options]:
        raise UsageError(f"{kind.name} has no option {unknown[0]}")

    def connect(url: str, adapter: Any) -> ChatClient:
        return client or keeping_client(url, api_key_env, adapter)

    task = task_of("translate", None if template is None else read_template(template), context)
    languages = (test_set.source_language, test_set.target_language)
    built = kind.build(argument, options, BuildContext(*languages, task.template, connect))
    plan = plan_run(built, task, test_set, cleaning=clean)
    with TemporaryDirectory() as folder, notebook_progress() as bar:
        kept = journal or Path(folder) / "journal"
        advance = None if bar is None else lambda done, total, _: bar(system, done, total)
        done = outside_loops(lambda: run_plan(plan, kept, progress=advance))
    found = {row.id: row.hypothesis for row in done.rows}
    texts_in_order = tuple(found.get(segment.id) for segment in test_set)
    return Run(name or kind.default_name(argument), texts_in_order)


def _sources(texts: Sequence[str], lang: str | None) -> TestSet:
    source, target = language_pair(lang or "")
    segments = (Segment(str(number), source=text) for number, text in enumerate(texts, 1))
    return TestSet(tuple(segments), target, source)
