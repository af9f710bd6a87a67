"""patmark judge: a language model judges translations or claims."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, cast

from patmark.cli.claims.score import Drafts
from patmark.cli.options import Model, Resampling, Service, Spending, Texts, warn_of_endpoint
from patmark.cli.output import Output, deliver, print_json, progress_bar, say
from patmark.errors import UsageError
from patmark.options import Options, Parameter, at_least, group, refuse

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.judge import JudgeSettings, Prompt
    from patmark.llm import ChatClient

SCHEMES = ("direct", "mqm", "esa", "pairwise")
_OF_CLAIMS = ("direct", "pairwise")


@group
class Asked(Options, heading="Judge"):
    """Who judges, and how often."""

    base_url: str
    """An OpenAI-compatible endpoint, such as http://localhost:8000/v1."""
    model: str
    """The model, as the endpoint calls it."""
    prompt: Annotated[str | None, Parameter(metavar="FILE")] = None
    """A prompt of your own: .toml, or text with gaps such as {source}; see docs/judge.md."""
    criteria: Annotated[str | None, Parameter(metavar="FILE")] = None
    """Criteria of your own: .toml, .yaml or .json with name, question, weight and bands."""
    samples: Annotated[int, at_least(1)] = 5
    """How often each output is judged; of pairs, each order."""
    name: str | None = None
    """The name of the judge in scores."""
    dry_run: bool = False
    """Ask nothing: show the prompt and what it would take."""

    def asking(self, prompt: Prompt) -> Prompt:
        """The question with the criteria and in the words of the user."""
        from patmark.judge import read_criteria

        if self.criteria is not None:
            prompt = replace(prompt, criteria=read_criteria(self.criteria))
        return prompt if self.prompt is None else prompt.in_words_of(self.prompt)

    @property
    def paths(self) -> list[str | None]:
        """Files to read."""
        return [self.prompt, self.criteria]


@group
class JudgeModel(Model):
    """How the model is asked."""

    temperature: float | None = 1.0
    """How freely the model answers, 0–2."""
    max_tokens: int | None = None
    """The longest answer (default: the model's)."""
    model_seed: int | None = None
    """A seed for the model; sample i is sent this plus i."""
    extra: Annotated[str | None, Parameter(metavar="JSON")] = None
    """More fields of the request, a JSON object."""
    reasks: int | None = 2
    """How often to ask again when an answer cannot be read."""

    def settings(self, asked: Asked, prompt: Prompt, name: str) -> JudgeSettings:
        """All that decides an answer."""
        from patmark.judge import JudgeSettings

        return JudgeSettings(
            asked.model,
            asked.samples,
            1.0 if self.temperature is None else self.temperature,
            self.max_tokens,
            self.model_seed,
            self.extra_fields,
            name if asked.name is None else asked.name,
            prompt,
        )

    def client(self, asked: Asked, service: Service, spending: Spending) -> ChatClient:
        """The endpoint, with the limits of the user."""
        return service.client(asked.base_url, spending, 2 if self.reasks is None else self.reasks)


@group
class Judged(Texts):
    """What is judged."""

    claims: bool = False
    """The texts are claims: --ref the reference claims, --hyp drafts, whole files."""
    pairs: str | None = None
    """With --claims: claim pairs instead, JSON list or .jsonl {gold_claim, A, B}."""

    @property
    def drafts(self) -> Drafts:
        """The same of claims."""
        refuse("with --claims", self.named("src", "docs", "testset", "lang"))
        if len(self.ref) > 1:
            raise UsageError("one set of reference claims is needed, and several are given")
        return Drafts(ref=self.ref[0] if self.ref else None, hyp=self.hyp, pairs=self.pairs)

    def read_any(self) -> tuple[TestSet, Sequence[Run]]:
        """The test set, and what is judged."""
        if self.claims:
            return self.drafts.read()
        refuse("without --claims", self.named("pairs"))
        if not self.hyp and self.testset is None:
            raise UsageError("give translations with --hyp, and sources with --src")
        return self.read()

    def files(self) -> list[str]:
        """All files to read."""
        return self.drafts.check() if self.claims else self.check()


@group
class Shown(Options, heading="What the judge is asked and shown"):
    """The question about translations."""

    scheme: str = "direct"
    """direct: scores from 0 to 100; mqm: errors with category and severity; esa: errors, then a
    score; pairwise: every two systems in both orders."""
    no_ref: bool = False
    """Do not show references."""
    context: Annotated[int | None, at_least(0)] = None
    """Show so many segments of the document before and after each, with their translation."""
    glossary: Annotated[tuple[str, ...], Parameter(metavar="FILE|rows")] = ()
    """Terms that have to be used: a file (term, tab, translation), or rows: those of the test set.
    """
    batch: Annotated[int, at_least(1)] = 1
    """How many segments are asked about at once: cheaper, and less exact."""

    @property
    def paths(self) -> list[str]:
        """Files to read."""
        return [path for path in self.glossary if path != "rows"]

    def prompt(self, claims: bool, references: bool) -> Prompt:
        """Our question."""
        from patmark.judge import PAIRWISE, RATING, translation_prompt
        from patmark.llm import read_term_base

        known = _OF_CLAIMS if claims else SCHEMES
        if self.scheme not in known:
            where = "of claims" if claims else "of translations"
            raise UsageError(
                f"the scheme {self.scheme!r} {where} is unknown; choose from {', '.join(known)}"
            )
        if claims:
            batch = {"--batch": self.batch > 1}
            refuse("with --claims", self.named("no_ref", "context", "glossary") | batch)
            return PAIRWISE if self.scheme == "pairwise" else RATING
        return translation_prompt(
            cast("Any", self.scheme),
            reference=references and not self.no_ref,
            context=self.context or 0,
            terms=read_term_base(self.glossary),
            batch=self.batch,
        )


def judge(
    *,
    asked: Asked,
    judged: Judged = Judged(),
    shown: Shown = Shown(),
    model: JudgeModel = JudgeModel(),
    service: Service = Service(),
    spending: Spending = Spending(),
    sampling: Resampling = Resampling(),
    output: Output = Output(),
) -> None:
    """Let a language model judge translations: scores, errors or pairs; or drafts of claims.

    Examples:

      patmark judge --src s.txt --ref r.txt --hyp A=a.txt --hyp B=b.txt --lang zh-en
      --base-url http://localhost:8000/v1 --model my-model --save judged.json

      patmark judge --src s.txt --hyp A=a.txt --lang ja-en --no-ref --scheme pairwise
      --hyp B=b.txt --base-url http://localhost:8000/v1 --model my-model

      patmark judge --claims --ref granted.txt --hyp A=a.txt --base-url http://localhost:8000/v1
      --model my-model
    """
    output.check([*judged.files(), *asked.paths, *shown.paths])
    test_set, runs = judged.read_any()
    references = any(test_set.reference_lists)
    prompt = asked.asking(shown.prompt(judged.claims, references))
    name = default_name(judged.claims, shown.scheme, asked.model)
    settings = model.settings(asked, prompt, name)
    client = model.client(asked, service, spending)
    judge_texts(test_set, runs, client, settings, sampling, output, dry_run=asked.dry_run)


def default_name(claims: bool, scheme: str, model: str) -> str:
    """What a judge is called in scores unless a user says otherwise."""
    if claims:
        return "LLMJudge-pairwise" if scheme == "pairwise" else "LLMJudge"
    return f"Judge(model={model},scheme={scheme})"


def judge_texts(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    sampling: Resampling,
    output: Output,
    *,
    dry_run: bool,
) -> None:
    """Judge, or show what that would take; exit with 1 if a sample has no scores."""
    from patmark.data import counted
    from patmark.judge import judge as ask_judge, preview_judge

    if dry_run:
        refuse("with --dry-run", dict.fromkeys(output.paths, True))
        seen = preview_judge(test_set, runs, client, settings)
        if output.json:
            print_json(seen.to_json())
        else:
            print(seen.prompt)
            say(seen.summary)
        return
    warn_of_endpoint(client.endpoint, settings.prompt.subject.title.lower())
    with progress_bar(output.quiet, "judging ") as bar:
        judged = ask_judge(
            test_set,
            runs,
            client,
            settings,
            None if bar is None else lambda done, total: bar(settings.model, done, total),
            sampling.settings,
        )
    deliver(judged, output)
    if judged.failures:
        left_out = counted(len(judged.failures), "sample")
        say(f"patmark: {left_out} without scores; the first: {judged.failures[0].reason}")
        sys.exit(1)
