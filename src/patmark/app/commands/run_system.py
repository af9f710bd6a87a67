"""patmark run: let a system translate a test set, draft claims or revise them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from patmark.app.commands.endpoint import EndpointRequest, endpoint_notices, outside_loops, warn
from patmark.app.commands.inputs import Texts, read_texts
from patmark.claims import DEFAULT_MEASURES
from patmark.data import Notice, Run, Segment, TestSet
from patmark.errors import UsageError
from patmark.evaluation import Protocol, Sampling, protocol_called
from patmark.languages import language_pair
from patmark.llm import Adapter, ChatClient, Endpoint, Prices, read_term_base
from patmark.options import refuse
from patmark.report import notebook_progress
from patmark.systems import (
    BuildContext,
    RunDataset,
    RunPlan,
    SystemKind,
    parse_system,
    plan_run,
    read_dataset,
    read_template,
    run_plan,
    run_to_files,
    task_of,
)
from patmark.wording import setting

_REASKS = 1


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """A system and its task.

    ``options`` are settings of some systems by name; one without effect is refused. ``client``
    replaces the settings of the endpoint.
    """

    system: str
    task: str = "translate"
    name: str | None = None
    context: int | None = None
    glossary: Sequence[str] = ()
    template: str | None = None
    clean: bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    client: ChatClient | None = None

    def __post_init__(self) -> None:
        kind, _ = self.parsed
        given = self._options
        foreign = {setting(name): True for name in given if name not in kind.options}
        refuse(f"with {kind.name}", foreign)
        if self.name is not None and (not self.name.strip() or set(self.name) & set("=/\\")):
            raise UsageError(f"{setting('name')} must not be empty and have no = or slash")

    @property
    def parsed(self) -> tuple[SystemKind, str]:
        """The kind of the system, and its argument."""
        return parse_system(self.system)

    @property
    def title(self) -> str:
        """The name of the system in results."""
        kind, argument = self.parsed
        return kind.default_name(argument) if self.name is None else self.name.strip()

    @property
    def prices(self) -> Prices | None:
        """Prices of tokens, None if they are not given."""
        return self._endpoint.prices

    @property
    def _options(self) -> dict[str, Any]:
        template = {} if self.template is None else {"template": self.template}
        return {**template, **self.options}

    @property
    def _endpoint(self) -> EndpointRequest:
        known = {one.name for one in fields(EndpointRequest)}
        given = {name: value for name, value in self.options.items() if name in known}
        return EndpointRequest(**{"reasks": _REASKS, **given})

    def plan(
        self,
        test_set: TestSet,
        about: Mapping[str, Any] | None = None,
        on_notice: Callable[[Notice], None] | None = None,
    ) -> RunPlan:
        """Build the system and its task; ``about`` identifies the test set in the journal."""

        def connect(url: str, adapter: Callable[[Endpoint], Adapter]) -> ChatClient:
            if self.client is not None:
                return self.client
            client = self._endpoint.client(url, adapter)
            for notice in endpoint_notices(client.endpoint, "texts"):
                (on_notice or warn)(notice)
            return client

        kind, argument = self.parsed
        own = None if self.template is None else read_template(self.template)
        task = task_of(self.task, own, self.context or 0, read_term_base(self.glossary))
        languages = (test_set.source_language, test_set.target_language)
        context = BuildContext(*languages, task.template, connect)
        system = kind.build(argument, self._options, context)
        return plan_run(system, task, test_set, cleaning=self.clean, **(about or {}))


@dataclass(frozen=True, kw_only=True)
class ThenRequest:
    """The scoring after a run; ``detailed`` is for full reports."""

    then: str
    measures: str | None = None
    variant: str | None = None
    sampling: Sampling = field(default_factory=Sampling)
    detailed: bool = False

    def protocol(self, dataset: RunDataset, task: str) -> Protocol:
        """Return the protocol that scores the results; refuse results that it cannot score.

        Drafts are scored by the measures of claims.
        """
        given = setting("then", self.then)
        if self.then != "score":
            raise UsageError(f"{given}: only score can follow")
        if dataset.format != "bench" and not any(dataset.test_set.reference_lists):
            needed = setting("ref") if dataset.is_of_lines else "references in the test set"
            raise UsageError(f"{given} needs references: {needed}")
        if dataset.direction is None:
            refuse("without PatSnap rows", {setting("variant"): self.variant})
        else:
            refuse("with PatSnap rows", {setting("measures"): self.measures})
        measures = self.measures
        if task != "translate" and measures is None:
            measures = ",".join(one.name for one in DEFAULT_MEASURES)
        named = {"direction": dataset.direction, "variant": self.variant, "measures": measures}
        asked = {name: value for name, value in named.items() if value is not None}
        chosen = protocol_called(dataset.protocol, asked, self.sampling, detailed=self.detailed)
        chosen.names(dataset.test_set)
        if not dataset.is_of_documents:
            return chosen
        from patmark.app.commands.whole_documents import WholeDocuments

        return WholeDocuments(chosen)


def run_dataset(*, documents: bool = False, **given: Any) -> RunDataset:
    """Read the inputs of a run: rows, lines, or whole documents.

    ``given`` are the arguments of :func:`patmark.systems.read_dataset`.
    """
    if not documents:
        return read_dataset(**given)
    from patmark.app.commands.whole_documents import read_documents_to_translate

    others = ("testset", "direction", "docs")
    foreign = {setting(name): given[name] for name in others if given.get(name)}
    if given.get("task", "translate") != "translate":
        foreign[setting("task", str(given["task"]))] = True
    refuse(f"with {setting('documents')}", foreign)
    if given.get("src") is None:
        raise UsageError(f"{setting('documents')} needs sources: {setting('src', 'FOLDER')}")
    return read_documents_to_translate(
        given["src"], given.get("ref") or (), given.get("lang"), given["out"]
    )


def run(
    system: str,
    texts: Texts,
    *,
    lang: str | None = None,
    name: str | None = None,
    journal: str | Path | None = None,
    fresh: bool = False,
    context: int | None = None,
    glossary: Sequence[str] = (),
    template: str | None = None,
    clean: bool | None = None,
    client: ChatClient | None = None,
    documents: bool = False,
    out: str | Path | None = None,
    **options: Any,
) -> Run:
    """Let a system translate the sources: ``run("openai:my-model", texts, base_url=…)``.

    ``texts`` is a list of sources, a test set, a table or a file. Systems and options are those of
    the command; ``system`` is dictionary, copy, oracle, openai:MODEL, command:PROGRAM, hf:MODEL or
    an address. With a ``journal``, a stopped run is resumed unless ``fresh`` is set. A hypothesis
    without an answer is None. ``client`` replaces the options of the endpoint. With
    ``documents=True``, ``texts`` is a whole document or a folder of them. Translations are written
    to ``out``, a file or folder, and returned in the order of names.
    """
    request = RunRequest(
        system=system,
        name=name,
        context=context,
        glossary=glossary,
        template=template,
        clean=clean,
        options=options,
        client=client,
    )
    if documents:
        return _run_documents(request, texts, lang, out, journal, fresh)
    refuse(f"without {setting('documents')}", {setting("out"): out})
    if isinstance(texts, list | tuple) and all(isinstance(one, str) for one in texts):
        test_set = _sources(texts, lang)
    else:
        test_set, _ = read_texts(texts, None, lang)
    plan = request.plan(test_set)
    with TemporaryDirectory() as folder, notebook_progress() as bar:
        kept = journal or Path(folder) / "journal"
        advance = None if bar is None else lambda done, total, _: bar(system, done, total)
        done = outside_loops(lambda: run_plan(plan, kept, fresh=fresh, progress=advance))
    for notice in done.notices:
        warn(notice)
    found = {row.id: row.hypothesis for row in done.rows}
    return Run(request.title, tuple(found.get(segment.id) for segment in test_set))


def _run_documents(
    request: RunRequest,
    texts: Any,
    lang: str | None,
    out: str | Path | None,
    journal: str | Path | None,
    fresh: bool,
) -> Run:
    """Translate whole documents to files, as the command does."""
    if not isinstance(texts, str | Path) or out is None:
        raise UsageError(
            f"{setting('documents')} needs a file or folder of documents and {setting('out')}"
        )
    refuse(f"with {setting('documents')}", {"journal": journal})
    dataset = run_dataset(documents=True, src=texts, lang=lang, out=str(out))
    plan = request.plan(dataset.test_set, dataset.about)
    with notebook_progress() as bar:
        advance = None if bar is None else lambda done, total, _: bar(request.title, done, total)
        ran = outside_loops(
            lambda: run_to_files(
                plan, dataset, request.title, str(out), fresh=fresh, progress=advance
            )
        )
    for notice in ran.finished.notices:
        warn(notice)
    return Run(request.title, tuple(row.hypothesis for row in ran.finished.rows))


def _sources(texts: Sequence[str], lang: str | None) -> TestSet:
    source, target = language_pair(lang or "")
    segments = (Segment(str(number), source=text) for number, text in enumerate(texts, 1))
    return TestSet(tuple(segments), target, source)
