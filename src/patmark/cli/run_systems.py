"""Which system patmark run is asked to drive, and with which options: a group per kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.endpoint import Model, Service, Spending, warn_of_endpoint
from patmark.cli.parsing import Options, Parameter, at_least, group, option_name, refuse
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.data import TestSet
    from patmark.llm import ChatClient, Endpoint
    from patmark.llm.exchange import Wire
    from patmark.systems import System, Template

_NAME_SIGNS = re.compile(r"[^\w.-]+")


@group
class ChatModel(Model):
    """A model behind an endpoint of chats."""

    base_url: str | None = None
    """openai: the endpoint, e.g. http://localhost:8000/v1."""


@group
class Http(Options, heading="http"):
    """A translation service."""

    method: str | None = None
    """http: POST (default), GET or PUT."""
    body: Annotated[str | None, Parameter(metavar="JSON")] = None
    """http: the request, with gaps {source} {source_code} {target_code} {key} (default: that of
    LibreTranslate)."""
    header: Annotated[tuple[str, ...], Parameter(metavar="'NAME: VALUE'")] = ()
    """http: a header; {key} stands for the API key."""
    answer: str | None = None
    """http: where the answer stands, e.g. data.0.text (default: translatedText)."""


@group
class HuggingFace(Options, heading="hf"):
    """A model on this machine."""

    revision: str | None = None
    """hf: the revision of a model id."""
    device: str | None = None
    """hf: auto (default), cpu or cuda."""
    beams: Annotated[int | None, at_least(1)] = None
    """hf: beams (default: 1)."""
    batch: Annotated[int | None, at_least(1)] = None
    """hf: texts at a time (default: 8)."""
    model_lang: Annotated[str | None, Parameter(metavar="SOURCE:TARGET")] = None
    """hf: the model's own codes, e.g. zho_Hans:eng_Latn."""


@group
class Local(Options, heading="command, dictionary"):
    """A program, or a dictionary."""

    format: str | None = None
    """command: lines (default), or jsonl: one object on each line."""
    dictionary: tuple[str, ...] = ()
    """dictionary: cedict (default for zh-en), edict:FILE or tsv:FILE; repeat."""


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """All options that only some systems know, as they were given."""

    template: str | None
    model: ChatModel
    service: Service
    spending: Spending
    http: Http
    hf: HuggingFace
    local: Local

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {
            name: value
            for name, value in values.items()
            if value is not None and value is not False and value != []
        }

    def check(self, kind: SystemKind) -> None:
        """An option without effect is an error."""
        groups = (self.model, self.service, self.spending, self.http, self.hf, self.local)
        given = [] if self.template is None else ["--template"]
        given += [name for group in groups for name in group.given()]
        taken = set(map(option_name, _TAKEN[kind]))
        refuse(f"with {kind}", {name: True for name in given if name not in taken})


def _names(*groups: type[Options]) -> list[str]:
    return [field.name for group in groups for field in fields(group)]  # type: ignore[arg-type]


_TAKEN: Mapping[str, list[str]] = {
    "openai": ["template", *_names(ChatModel, Service, Spending)],
    "http": _names(Service, Http),
    "command": ["template", "format", "timeout", "concurrency"],
    "hf": ["template", "max_tokens", *_names(HuggingFace)],
    "dictionary": ["dictionary"],
    "copy": [],
    "oracle": [],
}


def build_system(
    kind: SystemKind, argument: str, options: SystemOptions, test_set: TestSet, template: Template
) -> System:
    """The system, with the options that it knows."""
    from patmark.systems import BuildContext

    def connect(url: str, adapter: Callable[[Endpoint], Adapter]) -> ChatClient:
        return _client(url, options, adapter)

    context = BuildContext(test_set.source_language, test_set.target_language, template, connect)
    return kind.build(argument, options.given, context)


def _openai(rest: str, options: SystemOptions, _: TestSet, template: Template) -> System:
    from patmark.llm.exchange import ChatWire
    from patmark.systems import ChatSettings, ChatSystem

    model = options.model
    if model.base_url is None:
        raise UsageError("say where the model is: --base-url http://localhost:8000/v1")
    settings = ChatSettings(
        rest,
        0.0 if model.temperature is None else model.temperature,
        model.max_tokens,
        model.model_seed,
        model.extra_fields,
    )
    return ChatSystem(_client(model.base_url, options, ChatWire), settings, template)


def _http(rest: str, options: SystemOptions, test_set: TestSet, _: Template) -> System:
    from patmark.systems import ServiceSettings, ServiceSystem, ServiceWire

    if test_set.source_language is None:
        raise UsageError("a translation service needs both languages: --lang zh-en")
    settings = ServiceSettings(
        rest,
        test_set.source_language,
        test_set.target_language,
        **_known(
            method=options.http.method,
            body=_body(options),
            answer=options.http.answer,
            headers=_headers(options.http.header),
        ),
    )
    client = _client(rest, options, lambda endpoint: ServiceWire(endpoint, settings))
    if bool(client.endpoint.api_key) != settings.uses_key:
        raise UsageError(
            "the key has no place: write {key} in --header or --body"
            if client.endpoint.api_key
            else "{key} needs a key: --api-key-env names the variable that holds it"
        )
    return ServiceSystem(client, settings)


def _command(rest: str, options: SystemOptions, test_set: TestSet, _: Template) -> System:
    from patmark.systems import CommandSystem

    system = CommandSystem(
        rest,
        (test_set.source_language, test_set.target_language),
        options.local.format or "lines",
        options.service.seconds,
        options.service.concurrency or 1,
    )
    if system.form == "lines":
        refuse("with a command that reads lines", {"--template": options.template})
    return system


def _hf(rest: str, options: SystemOptions, _: TestSet, template: Template) -> System:
    from patmark.systems.huggingface import ModelSettings, load_system

    given = options.hf
    settings = ModelSettings(
        rest,
        **_known(
            revision=given.revision,
            device=given.device,
            beams=given.beams,
            batch=given.batch,
            max_tokens=options.model.max_tokens,
            languages=given.model_lang,
        ),
    )
    return load_system(settings, template, prompted=options.template is not None)


def _dictionary(_: str, options: SystemOptions, test_set: TestSet, __: Template) -> System:
    from patmark.systems import dictionary_system

    return dictionary_system(
        list(options.local.dictionary), test_set.source_language, test_set.target_language
    )


def _copy(*_: object) -> System:
    from patmark.systems import CopySystem

    return CopySystem()


def _oracle(*_: object) -> System:
    from patmark.systems import OracleSystem

    return OracleSystem()


_BUILDERS: Mapping[str, Callable[[str, SystemOptions, TestSet, Template], System]] = {
    "openai": _openai,
    "http": _http,
    "command": _command,
    "hf": _hf,
    "dictionary": _dictionary,
    "copy": _copy,
    "oracle": _oracle,
}


def _known(**values: Any) -> dict[str, Any]:
    """What was given; the rest is left to the defaults of the system."""
    return {name: value for name, value in values.items() if value is not None}


def _client(url: str, options: SystemOptions, wire: Callable[[Endpoint], Wire]) -> ChatClient:
    reasks = 1 if options.model.reasks is None else options.model.reasks
    client = options.service.client(url, options.spending, reasks, wire)
    warn_of_endpoint(client.endpoint, "texts")
    return client


def _body(options: SystemOptions) -> Any:
    import json

    if options.http.body is None:
        key = options.service.api_key_env or options.service.api_key_keyring
        if options.http.method == "GET" or not key or options.http.header:
            return None
        from patmark.systems.service import LIBRE_TRANSLATE

        return {**LIBRE_TRANSLATE, "api_key": "{key}"}
    try:
        return json.loads(options.http.body)
    except ValueError as error:
        raise UsageError(f"--body is not valid JSON: {error}") from None


def _headers(given: tuple[str, ...]) -> dict[str, str]:
    pairs = [one.partition(":") for one in given]
    if not all(colon and name.strip() for name, colon, _ in pairs):
        raise UsageError("--header must look like 'Name: value'")
    return {name.strip(): value.strip() for name, _, value in pairs}
