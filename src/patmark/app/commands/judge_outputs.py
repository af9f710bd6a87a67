"""patmark judge and claims judge: a language model judges translations or drafts of claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

from patmark import data, evaluation
from patmark.app.commands.claims.score import DraftTexts
from patmark.app.commands.endpoint import (
    EndpointRequest,
    Model,
    endpoint_notices,
    outside_loops,
    warn,
)
from patmark.app.commands.inputs import Texts, read_texts
from patmark.app.commands.options import Resampling, TextOptions, inputs_of, paths_of
from patmark.errors import UsageError
from patmark.llm import read_term_base
from patmark.options import PYTHON, Options, Parameter, at_least, group, refuse
from patmark.report import notebook_progress
from patmark.systems import judge as judges
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.data import Notice, Run, TestSet
    from patmark.evaluation import Sampling
    from patmark.llm import ChatClient, Progress
    from patmark.systems.judge import JudgePreview, JudgeResult, JudgeSettings, Probe, Prompt

CLAIM_SCHEMES = ("direct", "pairwise")


@group
class JudgeOptions(Options, heading="Judge"):
    """The judge and its samples."""

    base_url: str
    """An OpenAI-compatible endpoint, such as http://localhost:8000/v1."""
    model: str
    """Name of the model at the endpoint."""
    prompt: Annotated[str | None, Parameter(metavar="FILE")] = None
    """Custom prompt: .toml, or text with placeholders such as {source}; for claims also table6, the
    form of Patent-CE; see docs/judge.md."""
    criteria: Annotated[str | None, Parameter(metavar="FILE")] = None
    """Custom criteria: .toml, .yaml or .json with name, question, weight and bands."""
    samples: Annotated[int, at_least(1)] = 5
    """Number of samples per output (for pairs: per order)."""
    name: str | None = None
    """The name of the judge in scores."""
    dry_run: bool = False
    """Send nothing; show the prompt and an estimate of the cost."""
    probe: bool = False
    """Test the judge for position bias, length bias and self-consistency on these texts."""


@group
class JudgeModel(Model):
    """Parameters of the model."""

    temperature: float | None = 1.0
    """Sampling temperature, 0–2."""
    max_tokens: int | None = None
    """Maximum length of an answer in tokens (default: the model's)."""
    model_seed: int | None = None
    """Seed for the model; sample i is sent this plus i."""
    extra: Annotated[str | Mapping[str, Any] | None, Parameter(metavar="JSON")] = None
    """Additional request fields, as a JSON object."""
    reasks: int | None = 2
    """Number of repeated requests after an answer that cannot be parsed."""


@group
class JudgeInputs(TextOptions):
    """The texts to judge."""

    claims: bool = False
    """The texts are claims: --ref the reference claims, --hyp drafts, whole files."""
    pairs: str | None = None
    """With --claims: claim pairs instead, JSON list or .jsonl {gold_claim, A, B}."""


@group
class Shown(Options, heading="Question and context"):
    """The prompt for translations."""

    scheme: str = "direct"
    """direct: scores from 0 to 100; mqm: errors with category and severity; esa: errors, then a
    score; pairwise: each pair of systems in both orders."""
    no_ref: bool = False
    """Do not show references."""
    context: Annotated[int | None, at_least(0)] = None
    """Number of preceding and following segments to show, with their translations."""
    glossary: Annotated[tuple[str, ...], Parameter(metavar="FILE|rows")] = ()
    """Required terms: a file (term, tab, translation), or rows for those of the test set."""
    batch: Annotated[int, at_least(1)] = 1
    """Number of segments per request; larger batches are cheaper and less accurate."""
    typology: str | None = None
    """mqm, esa: error typology, patent (default), wmt or mqm."""


@group
class JudgeRequest(JudgeOptions, JudgeInputs, Shown, JudgeModel, EndpointRequest):
    """The judge, the texts, the prompt and its content.

    ``annotations`` is a file for the marked errors.
    """

    annotations: Annotated[str | None, PYTHON] = None
    sampling: Annotated[Sampling, Resampling] = field(default_factory=lambda: evaluation.Sampling())

    def __post_init__(self) -> None:
        known = CLAIM_SCHEMES if self.claims else get_args(judges.Scheme)
        if self.scheme not in known:
            subject = "of claims" if self.claims else "of translations"
            raise UsageError(
                f"the scheme {self.scheme!r} {subject} is unknown; choose from {', '.join(known)}"
            )
        if self.claims:
            batch = {setting("batch"): self.batch > 1}
            named = self.named("no_ref", "context", "glossary") | batch
            refuse(f"with {setting('claims')}", named)
            refuse(f"with {setting('claims')}", self.named("src", "docs", "testset", "lang"))
            if len(self.ref) > 1:
                raise UsageError("one set of reference claims is needed, and several are given")
        else:
            refuse(f"without {setting('claims')}", self.named("pairs"))
        marks_errors = self.scheme in ("mqm", "esa")
        useless = ("criteria",) if marks_errors else ("typology", "annotations")
        refuse(f"with {setting('scheme', self.scheme)}", self.named(*useless))
        if self.probe:
            refuse(f"with {setting('probe')}", self.named("name", "annotations"))

    @property
    def subject(self) -> str:
        """The kind of texts that the judge reads."""
        return "claims" if self.claims else "translations"

    @property
    def drafts(self) -> DraftTexts:
        """The drafts of claims."""
        ref = Path(self.ref[0]) if self.ref else None
        hyp = tuple(one for one in self.hyp if isinstance(one, str))
        return DraftTexts(ref=ref, hyp=hyp, pairs=self.pairs)

    @property
    def paths(self) -> list[Any]:
        """All files to read."""
        texts = self.drafts.files if self.claims else paths_of(inputs_of(self))
        tables = [path for path in self.glossary if path != "rows"]
        return [*map(str, texts), self.prompt, self.criteria, *tables]

    def read(self) -> tuple[TestSet, Sequence[Run], Sequence[Notice]]:
        """Read the test set and the outputs to judge, with notices on their languages."""
        if self.claims:
            return *self.drafts.read(), ()
        if not self.hyp and self.testset is None:
            raise UsageError(
                f"give translations with {setting('hyp')}, and sources with {setting('src')}"
            )
        inputs = inputs_of(self)
        test_set, runs = inputs.read_test_set()
        runs += inputs.read_runs(test_set, allow_partial=False)
        files = inputs.files_of(test_set, runs)
        return test_set, runs, [*evaluation.language_warnings(test_set, runs, files)]

    def settings(self, test_set: TestSet) -> list[JudgeSettings]:
        """Return the settings of the judge; a probe without its own prompt also compares pairs."""
        schemes = [self.scheme]
        if self.probe and self.prompt is None and self.scheme != "pairwise":
            schemes.append("pairwise")
        return [self._settings(scheme, test_set) for scheme in schemes]

    def _settings(self, scheme: str, test_set: TestSet) -> JudgeSettings:
        prompt = self._prompt(scheme, any(test_set.reference_lists))
        if self.criteria is not None:
            prompt = replace(prompt, criteria=judges.read_criteria(self.criteria))
        if self.prompt is not None:
            prompt = prompt.in_words_of(self.prompt)
        default = f"Judge(model={self.model},scheme={scheme})"
        if self.claims:
            default = "LLMJudge-pairwise" if scheme == "pairwise" else "LLMJudge"
        return judges.JudgeSettings(
            self.model,
            self.samples,
            self.temperature,
            self.max_tokens,
            self.model_seed,
            self.extra_fields,
            default if self.name is None else self.name,
            prompt,
        )

    def _prompt(self, scheme: str, has_references: bool) -> Prompt:
        if self.claims:
            return judges.PAIRWISE if scheme == "pairwise" else judges.RATING
        return judges.translation_prompt(
            cast("judges.Scheme", scheme),
            reference=has_references and not self.no_ref,
            context=self.context or 0,
            terms=read_term_base(self.glossary),
            batch=self.batch,
            typology=self.typology or "patent",
        )


@group
class ClaimJudgeRequest(JudgeOptions, DraftTexts, JudgeModel, EndpointRequest):
    """A judge of drafts of claims."""

    pairwise: bool = False
    """Compare each pair of drafts in both orders instead of rating single drafts."""
    sampling: Annotated[Sampling, Resampling] = field(default_factory=lambda: evaluation.Sampling())

    @property
    def judging(self) -> JudgeRequest:
        """Request to judge with the same options."""
        given = {
            **self.changed(),
            "claims": True,
            "ref": () if self.ref is None else (str(self.ref),),
        }
        scheme = "pairwise" if given.pop("pairwise", False) else "direct"
        return JudgeRequest(**given, scheme=scheme)


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
        return judges.probe(test_set, runs, client, asked, progress, request.sampling)
    result = judges.judge(test_set, runs, client, asked[0], progress, request.sampling)
    if request.annotations and isinstance(result, judges.JudgedErrors):
        data.write_annotations(request.annotations, result.annotations, result.texts)
    return result


def preview_request(
    request: JudgeRequest, test_set: TestSet, runs: Sequence[Run], client: ChatClient
) -> JudgePreview:
    """Return the prompt of a request and an estimate of its cost, without sending it."""
    asked = request.settings(test_set)
    if request.probe:
        return judges.preview_probe(test_set, runs, client, asked)
    return judges.preview_judge(test_set, runs, client, asked[0])


def judge(
    texts: Texts,
    runs: Any = None,
    *,
    model: str,
    base_url: str = "",
    lang: str | None = None,
    client: ChatClient | None = None,
    **settings: Any,
) -> JudgeResult | Probe:
    """Let a language model judge translations; inputs are those of score.

    ``settings`` are those of :class:`JudgeRequest`, such as ``scheme``, ``samples``, ``no_ref``,
    ``context``, ``glossary``, ``batch`` and ``sampling``. Answers go to the response cache of the
    command line. ``client`` replaces the settings of the endpoint; it may have a budget.
    """
    request = judge_request(model, base_url, settings)
    return judge_in_notebook(request, *read_texts(texts, runs, lang), client)


def judge_request(model: str, base_url: str, settings: Mapping[str, Any]) -> JudgeRequest:
    """Return the request of a Python call; refuse unknown settings."""
    known = JudgeRequest.__dataclass_fields__
    if unknown := [name for name in settings if name not in known]:
        raise UsageError(f"judge has no setting {unknown[0]}; choose from {', '.join(known)}")
    given = {name: value for name, value in settings.items() if value is not None}
    return JudgeRequest(model=model, base_url=base_url, **given)


def judge_in_notebook(
    request: JudgeRequest, test_set: TestSet, runs: Sequence[Run], client: ChatClient | None
) -> JudgeResult | Probe:
    """Judge with a progress bar in notebooks, also within a running event loop."""
    client = client or request.client_of(request.base_url, reasks=request.reasks)
    for notice in endpoint_notices(client.endpoint, request.subject):
        warn(notice)
    with notebook_progress() as bar:
        advance = None if bar is None else lambda done, total: bar(request.model, done, total)
        return outside_loops(lambda: judge_runs(request, test_set, runs, client, advance))
