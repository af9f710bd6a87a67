"""Which system patmark run is asked to drive, and with which options: a group per kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.endpoint import Model, Service, Spending, warn_of_endpoint
from patmark.cli.parsing import Options, Parameter, at_least, group, option_name, refuse

if TYPE_CHECKING:
    from patmark.data import TestSet
    from patmark.llm import Adapter, ChatClient, Endpoint
    from patmark.systems import System, SystemKind, Template


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
        """The options that differ from their defaults, by the names of their fields."""
        groups = (self.model, self.service, self.spending, self.http, self.hf, self.local)
        changed = {name: value for group in groups for name, value in group.changed().items()}
        return changed if self.template is None else {"template": self.template, **changed}

    def check(self, kind: SystemKind) -> None:
        """An option without effect is an error."""
        foreign = [name for name in self.given if name not in kind.options]
        refuse(f"with {kind.name}", {option_name(name): True for name in foreign})


def build_system(
    kind: SystemKind, argument: str, options: SystemOptions, test_set: TestSet, template: Template
) -> System:
    """The system, with the options that it knows."""
    from patmark.systems import BuildContext

    def connect(url: str, adapter: Callable[[Endpoint], Adapter]) -> ChatClient:
        reasks = 1 if options.model.reasks is None else options.model.reasks
        client = options.service.client(url, options.spending, reasks, adapter)
        warn_of_endpoint(client.endpoint, "texts")
        return client

    context = BuildContext(test_set.source_language, test_set.target_language, template, connect)
    return kind.build(argument, options.given, context)
