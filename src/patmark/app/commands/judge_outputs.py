"""patmark judge and claims judge: a language model judges translations or drafts of claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from patmark.app.commands.endpoint import EndpointRequest, endpoint_notices, outside_loops, warn
from patmark.app.commands.inputs import Texts, read_texts
from patmark.data import Run, TestSet, write_annotations
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.llm import ChatClient, Progress, read_term_base
from patmark.options import refuse
from patmark.report import notebook_progress
from patmark.systems.judge import (
    PAIRWISE,
    RATING,
    JudgedErrors,
    JudgePreview,
    JudgeResult,
    JudgeSettings,
    Probe,
    Prompt,
    Scheme,
    judge as judge_outputs,
    preview_judge,
    preview_probe,
    probe,
    read_criteria,
    translation_prompt,
)
from patmark.wording import setting

CLAIM_SCHEMES = ("direct", "pairwise")


@dataclass(frozen=True, kw_only=True)
class JudgeRequest:
    """The judge, its prompt, and the content of the prompt.

    ``prompt``, ``criteria`` and ``glossary`` are files. ``annotations`` is a file for the marked
    errors. ``probe`` tests the judge itself on the texts.
    """

    model: str
    scheme: str = "direct"
    claims: bool = False
    samples: int = 5
    name: str | None = None
    prompt: str | None = None
    criteria: str | None = None
    temperature: float | None = 1.0
    max_tokens: int | None = None
    model_seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    no_ref: bool = False
    context: int | None = None
    glossary: Sequence[str] = ()
    batch: int = 1
    typology: str | None = None
    probe: bool = False
    annotations: str | None = None
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        known = CLAIM_SCHEMES if self.claims else get_args(Scheme)
        if self.scheme not in known:
            subject = "of claims" if self.claims else "of translations"
            raise UsageError(
                f"the scheme {self.scheme!r} {subject} is unknown; choose from {', '.join(known)}"
            )
        if self.claims:
            batch = {setting("batch"): self.batch > 1}
            named = self._named("no_ref", "context", "glossary") | batch
            refuse(f"with {setting('claims')}", named)
        marks_errors = self.scheme in ("mqm", "esa")
        useless = ("criteria",) if marks_errors else ("typology", "annotations")
        refuse(f"with {setting('scheme', self.scheme)}", self._named(*useless))
        if self.probe:
            refuse(f"with {setting('probe')}", self._named("name", "annotations"))

    def _named(self, *names: str) -> dict[str, object]:
        return {setting(name): getattr(self, name) for name in names}

    def settings(self, test_set: TestSet) -> list[JudgeSettings]:
        """Return the settings of the judge; a probe without its own prompt also compares pairs."""
        schemes = [self.scheme]
        if self.probe and self.prompt is None and self.scheme != "pairwise":
            schemes.append("pairwise")
        return [self._settings(scheme, test_set) for scheme in schemes]

    def _settings(self, scheme: str, test_set: TestSet) -> JudgeSettings:
        prompt = self._prompt(scheme, any(test_set.reference_lists))
        if self.criteria is not None:
            prompt = replace(prompt, criteria=read_criteria(self.criteria))
        if self.prompt is not None:
            prompt = prompt.in_words_of(self.prompt)
        return JudgeSettings(
            self.model,
            self.samples,
            self.temperature,
            self.max_tokens,
            self.model_seed,
            self.extra,
            self._default_name(scheme) if self.name is None else self.name,
            prompt,
        )

    def _prompt(self, scheme: str, has_references: bool) -> Prompt:
        if self.claims:
            return PAIRWISE if scheme == "pairwise" else RATING
        return translation_prompt(
            cast("Scheme", scheme),
            reference=has_references and not self.no_ref,
            context=self.context or 0,
            terms=read_term_base(self.glossary),
            batch=self.batch,
            typology=self.typology or "patent",
        )

    def _default_name(self, scheme: str) -> str:
        """Return the name of the judge in scores."""
        if self.claims:
            return "LLMJudge-pairwise" if scheme == "pairwise" else "LLMJudge"
        return f"Judge(model={self.model},scheme={scheme})"


def judge_runs(
    request: JudgeRequest,
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    progress: Progress | None = None,
) -> JudgeResult | Probe:
    """Judge all outputs, or probe the judge; write the requested annotations."""
    asked = request.settings(test_set)
    if request.probe:
        return probe(test_set, runs, client, asked, progress, request.sampling)
    result = judge_outputs(test_set, runs, client, asked[0], progress, request.sampling)
    if request.annotations and isinstance(result, JudgedErrors):
        write_annotations(request.annotations, result.annotations, result.texts)
    return result


def preview_request(
    request: JudgeRequest, test_set: TestSet, runs: Sequence[Run], client: ChatClient
) -> JudgePreview:
    """Return the prompt of a request and an estimate of its cost, without sending it."""
    asked = request.settings(test_set)
    if request.probe:
        return preview_probe(test_set, runs, client, asked)
    return preview_judge(test_set, runs, client, asked[0])


def judge(
    texts: Texts,
    runs: Any = None,
    *,
    model: str,
    base_url: str = "",
    lang: str | None = None,
    api_key_env: str | None = None,
    client: ChatClient | None = None,
    **settings: Any,
) -> JudgeResult | Probe:
    """Let a language model judge translations; inputs are those of score.

    ``settings`` are those of :class:`JudgeRequest`, such as ``scheme``, ``samples``, ``no_ref``,
    ``context``, ``glossary``, ``batch`` and ``sampling``. Answers go to the response cache of the
    command line. ``client`` replaces ``base_url`` and ``api_key_env``; it may have a budget.
    """
    request = judge_request(model, settings)
    test_set, found = read_texts(texts, runs, lang)
    client = client or EndpointRequest(api_key_env=api_key_env).client(base_url)
    return judge_in_notebook(request, test_set, found, client)


def judge_request(model: str, settings: Mapping[str, Any]) -> JudgeRequest:
    """Return the request of a Python call; refuse unknown settings."""
    known = JudgeRequest.__dataclass_fields__
    if unknown := [name for name in settings if name not in known]:
        raise UsageError(f"judge has no setting {unknown[0]}; choose from {', '.join(known)}")
    given = {name: value for name, value in settings.items() if value is not None}
    return JudgeRequest(model=model, **given)


def judge_in_notebook(
    request: JudgeRequest, test_set: TestSet, runs: Sequence[Run], client: ChatClient
) -> JudgeResult | Probe:
    """Judge with a progress bar in notebooks, also within a running event loop."""
    for notice in endpoint_notices(client.endpoint, "claims" if request.claims else "translations"):
        warn(notice)
    with notebook_progress() as bar:
        advance = None if bar is None else lambda done, total: bar(request.model, done, total)
        return outside_loops(lambda: judge_runs(request, test_set, runs, client, advance))
