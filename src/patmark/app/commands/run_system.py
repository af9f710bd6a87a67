"""patmark run: let a system translate a test set, draft claims or revise them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

from patmark import evaluation
from patmark.app.commands.endpoint import (
    EndpointRequest,
    Model,
    Service,
    Spending,
    endpoint_notices,
    outside_loops,
    warn,
)
from patmark.app.commands.inputs import Texts, read_texts
from patmark.app.commands.options import GateOptions, References, Resampling
from patmark.catalogue import load_protocol_options
from patmark.claims import DEFAULT_MEASURES
from patmark.data import Notice, Run, Segment, TestSet
from patmark.errors import UsageError
from patmark.languages import language_pair
from patmark.llm import Adapter, ChatClient, Endpoint, read_term_base
from patmark.options import PYTHON, Argument, Options, Parameter, at_least, group, negative, refuse
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

if TYPE_CHECKING:
    from patmark.evaluation import GatePlan, Protocol, Sampling

_REASKS = 1


@group
class RunOptions(Options, heading="Run"):
    """The task and the results."""

    out: Annotated[str | None, Parameter(required=True)] = None
    """Results: .jsonl for rows, another extension for text lines; a folder for a folder of
    documents."""
    name: str | None = None
    """The name of the system in results (default: from SYSTEM)."""
    task: str = "translate"
    """translate; claims: draft them from a description; revise: improve claims."""
    dry_run: bool = False
    """Send nothing; show the first prompt and an estimate of the cost."""
    fresh: Annotated[bool, negative("resume")] = False
    """Start again instead of resuming an interrupted run (default: resume)."""
    context: Annotated[int | None, at_least(0)] = None
    """Number of preceding texts of the document to show."""
    glossary: Annotated[tuple[str, ...], Parameter(metavar="FILE|rows")] = ()
    """Required terms: a file (term, tab, translation), or rows for those of the test set."""
    template: str | None = None
    """Custom prompt: .toml, or text with the placeholder {source}."""
    clean: Annotated[bool | None, negative("no_clean")] = None
    """Remove a line such as 'Here is the translation:' before an answer (default: for models)."""


@group
class RunInputs(References):
    """The texts to translate, or to draft claims from."""

    direction: str | None = None
    """PatSnap rows: cn2en or en2cn, the bench's names for --lang zh-en and en-zh."""
    documents: bool = False
    """--src and --ref are whole documents (Word, PDF, text, …) or folders of them; each is
    translated as a whole, to the file or folder --out."""


@group
class ChatModel(Model):
    """A model at a chat endpoint."""

    base_url: str | None = None
    """openai: the endpoint, e.g. http://localhost:8000/v1."""


@group
class Http(Options, heading="http"):
    """A translation service."""

    method: str | None = None
    """http: POST (default), GET or PUT."""
    body: Annotated[str | None, Parameter(metavar="JSON")] = None
    """http: request body, with placeholders {source} {source_code} {target_code} {key} (default:
    that of LibreTranslate)."""
    header: Annotated[tuple[str, ...], Parameter(metavar="'NAME: VALUE'")] = ()
    """http: a header; {key} stands for the API key."""
    answer: str | None = None
    """http: path of the translation in the response, e.g. data.0.text (default: translatedText)."""


@group
class HuggingFace(Options, heading="hf"):
    """A model on this machine."""

    revision: str | None = None
    """hf: the revision of a model id."""
    device: str | None = None
    """hf: auto (default), cpu or cuda."""
    beams: Annotated[int | None, at_least(1)] = None
    """hf: beam size (default: 1)."""
    batch: Annotated[int | None, at_least(1)] = None
    """hf: batch size (default: 8)."""
    model_lang: Annotated[str | None, Parameter(metavar="SOURCE:TARGET")] = None
    """hf: the model's own codes, e.g. zho_Hans:eng_Latn."""


@group
class Local(Options, heading="command, dictionary"):
    """A program, or a dictionary."""

    format: str | None = None
    """command: lines (default), or jsonl: one object on each line."""
    dictionary: tuple[str, ...] = ()
    """dictionary: cedict (default for zh-en, en-zh), jmdict, edict:FILE, jmdict+cedict, tsv:FILE
    or inverted-tsv:FILE; repeat."""


_OF_SYSTEMS = (ChatModel, Service, Spending, Http, HuggingFace, Local)


@group
class RunRequest(RunOptions, RunInputs, ChatModel, EndpointRequest, Http, HuggingFace, Local):
    """A system, its task and its texts; a setting of other systems is refused.

    ``client`` replaces the settings of the endpoint.
    """

    system: Annotated[str, Argument()]
    """openai:MODEL, command:PROGRAM, http://ADDRESS, hf:MODEL, dictionary, copy or oracle."""
    client: Annotated[ChatClient | None, PYTHON] = None

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
    def paths(self) -> list[str | None]:
        """All files to read."""
        tables = [path for path in self.glossary if path != "rows"]
        return [*self.ref, self.src, self.docs, self.testset, self.template, *tables]

    @property
    def dataset(self) -> RunDataset:
        """The inputs: rows, lines, or whole documents."""
        names = ("ref", "src", "docs", "testset", "lang", "direction", "documents", "out", "task")
        return run_dataset(**{name: getattr(self, name) for name in names})

    @property
    def _options(self) -> dict[str, Any]:
        """Return the given settings of systems."""
        changed = self.changed()
        names = ["template", *(name for one in _OF_SYSTEMS for name in one.__dataclass_fields__)]
        return {name: changed[name] for name in names if name in changed}

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
            reasks = _REASKS if self.reasks is None else self.reasks
            client = self.client_of(url, adapter, reasks=reasks)
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


@group
class GivenResampling(Resampling):
    """Resampling that remembers which of its options were given."""

    def made(self) -> Any:
        return self

    @property
    def settings(self) -> Sampling:
        """The settings."""
        return super().made()


@group
class ThenRequest(Options, heading="Scoring"):
    """Scoring after the run; ``detailed`` is for full reports."""

    then: str | None = None
    """score: score the results after the run, with the options below."""
    measures: str | None = None
    """Comma-separated measures, e.g. 'BLEU,chrF,TER(case=mixed)'; see patmark measures."""
    variant: str | None = None
    """With PatSnap rows: strict (default), or published to reproduce the published scorer."""
    sampling: GivenResampling = field(default_factory=GivenResampling)
    gates: GateOptions = field(default_factory=GateOptions)
    detailed: Annotated[bool, PYTHON] = False

    def given(self) -> dict[str, object]:
        """Return the given options by their names in the front end."""
        own = {"then": self.then, "measures": self.measures, "variant": self.variant}
        named = {setting(name): value for name, value in own.items() if value is not None}
        return named | self.sampling.given() | self.gates.given()

    @property
    def plan(self) -> GatePlan | None:
        """The conditions on scores."""
        return self.gates.read(self.sampling.settings)

    def protocol(self, dataset: RunDataset, task: str) -> Protocol:
        """Return the protocol that scores the results; refuse results that it cannot score.

        Drafts are scored by the measures of claims.
        """
        given = setting("then", str(self.then))
        if self.then != "score":
            raise UsageError(f"{given}: only score can follow")
        if dataset.format != "bench" and not any(dataset.test_set.reference_lists):
            needed = setting("ref") if dataset.is_of_lines else "references in the test set"
            raise UsageError(f"{given} needs references: {needed}")
        if dataset.direction is None:
            refuse("without PatSnap rows", self.named("variant"))
        else:
            refuse("with PatSnap rows", self.named("measures"))
        measures = self.measures
        if task != "translate" and measures is None:
            measures = ",".join(one.name for one in DEFAULT_MEASURES)
        named = {"direction": dataset.direction, "variant": self.variant}
        given_own = {name: value for name, value in named.items() if value is not None}
        chosen = evaluation.protocol_called(
            dataset.protocol,
            self.sampling.settings,
            evaluation.SharedOptions(measures=measures),
            load_protocol_options(dataset.protocol)(**given_own),
            detailed=self.detailed,
        )
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
    journal: str | Path | None = None,
    fresh: bool = False,
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
    known = RunRequest.__dataclass_fields__
    foreign = {setting(name): True for name in options if name not in known}
    refuse(f"with {parse_system(system)[0].name}", foreign)
    request = RunRequest(system=system, **options)
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
