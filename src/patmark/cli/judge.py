"""patmark judge: a language model judges translations or claims."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

from patmark.cli.claims.score import Drafts
from patmark.cli.options import Model, Resampling, Service, Spending, Texts, warn_of_endpoint
from patmark.cli.output import (
    Output,
    deliver,
    print_json,
    progress_bar,
    say,
    told_when_stopped,
)
from patmark.errors import UsageError
from patmark.options import Options, Parameter, at_least, group, refuse

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.evaluation import Sampling
    from patmark.judge import JudgePreview, JudgeResult, JudgeSettings, Probe, Prompt
    from patmark.llm import ChatClient

_SCHEMES = ("direct", "mqm", "esa", "pairwise")
_OF_CLAIMS = ("direct", "pairwise")
_ERROR_SCHEMES = ("mqm", "esa")


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
    probe: bool = False
    """Try the judge itself on these texts: does the order decide, or the length, and does it agree
    with itself?"""

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
class JudgeInputs(Texts):
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
    typology: str | None = None
    """mqm, esa: the kinds of error, patent (default), wmt or mqm."""

    @property
    def paths(self) -> list[str]:
        """Files to read."""
        return [path for path in self.glossary if path != "rows"]

    def check(self, claims: bool, asked: Asked, output: JudgeOutput) -> None:
        """Refuse what this scheme does not have, or has no effect with it."""
        known = _OF_CLAIMS if claims else _SCHEMES
        if self.scheme not in known:
            where = "of claims" if claims else "of translations"
            raise UsageError(
                f"the scheme {self.scheme!r} {where} is unknown; choose from {', '.join(known)}"
            )
        if claims:
            batch = {"--batch": self.batch > 1}
            refuse("with --claims", self.named("no_ref", "context", "glossary") | batch)
        errors = self.named("typology") | output.named("annotations")
        if self.scheme in _ERROR_SCHEMES:
            refuse(f"with --scheme {self.scheme}", asked.named("criteria"))
        else:
            refuse(f"with --scheme {self.scheme}", errors)

    def prompt(self, claims: bool, references: bool, scheme: str) -> Prompt:
        """Our question of a scheme."""
        from patmark.judge import PAIRWISE, RATING, translation_prompt
        from patmark.llm import read_term_base

        if claims:
            return PAIRWISE if scheme == "pairwise" else RATING
        return translation_prompt(
            cast("Any", scheme),
            reference=references and not self.no_ref,
            context=self.context or 0,
            terms=read_term_base(self.glossary),
            batch=self.batch,
            typology=self.typology or "patent",
        )


@group
class JudgeOutput(Output):
    """Tables, scores, and the errors behind them."""

    annotations: str | None = None
    """mqm, esa: write the marked errors as JSON lines, for patmark human report."""


def judge(
    *,
    asked: Asked,
    judged: JudgeInputs = JudgeInputs(),
    shown: Shown = Shown(),
    model: JudgeModel = JudgeModel(),
    service: Service = Service(),
    spending: Spending = Spending(),
    sampling: Resampling = Resampling(),
    output: JudgeOutput = JudgeOutput(),
) -> None:
    """Let a language model judge translations: scores, errors or pairs; or drafts of claims.

    Examples:

      patmark judge --src s.txt --ref r.txt --hyp A=a.txt --hyp B=b.txt --lang zh-en
      --base-url http://localhost:8000/v1 --model my-model --save judged.json

      patmark judge --src s.txt --hyp A=a.txt --lang ja-en --no-ref --scheme mqm
      --base-url http://localhost:8000/v1 --model my-model --annotations errors.jsonl

      patmark judge --src s.txt --hyp A=a.txt --hyp B=b.txt --lang ja-en --probe
      --base-url http://localhost:8000/v1 --model my-model

      patmark judge --claims --ref granted.txt --hyp A=a.txt --base-url http://localhost:8000/v1
      --model my-model
    """
    shown.check(judged.claims, asked, output)
    output.check([*judged.files(), *asked.paths, *shown.paths], output.annotations)
    test_set, runs = judged.read_any()
    references = any(test_set.reference_lists)

    def settings(scheme: str) -> JudgeSettings:
        prompt = asked.asking(shown.prompt(judged.claims, references, scheme))
        return model.settings(asked, prompt, _default_name(judged.claims, scheme, asked.model))

    client = model.client(asked, service, spending)
    schemes = [shown.scheme]
    if asked.probe and asked.prompt is None and shown.scheme != "pairwise":
        schemes.append("pairwise")
    work = _Work(test_set, tuple(runs), client, [*map(settings, schemes)], sampling.settings)
    _judge(work, asked, output)


def _default_name(claims: bool, scheme: str, model: str) -> str:
    """What a judge is called in scores unless a user says otherwise."""
    if claims:
        return "LLMJudge-pairwise" if scheme == "pairwise" else "LLMJudge"
    return f"Judge(model={model},scheme={scheme})"


@dataclass(frozen=True, slots=True)
class _Work:
    """What is judged, by whom, and how; several settings are for a probe."""

    test_set: TestSet
    runs: tuple[Run, ...]
    client: ChatClient
    asked: Sequence[JudgeSettings]
    sampling: Sampling

    def preview(self, probed: bool) -> JudgePreview:
        """What it would take."""
        from patmark.judge import preview_judge, preview_probe

        if probed:
            return preview_probe(self.test_set, self.runs, self.client, self.asked)
        return preview_judge(self.test_set, self.runs, self.client, self.asked[0])

    def judge(self, quiet: bool) -> JudgeResult:
        """Judge everything."""
        from patmark.judge import judge

        [settings] = self.asked
        with self._progress(quiet) as bar:
            return judge(self.test_set, self.runs, self.client, settings, bar, self.sampling)

    def probe(self, quiet: bool) -> Probe:
        """Try the judge."""
        from patmark.judge import probe

        with self._progress(quiet) as bar:
            return probe(self.test_set, self.runs, self.client, self.asked, bar, self.sampling)

    @contextmanager
    def _progress(self, quiet: bool) -> Iterator[Callable[[int, int], None]]:
        from patmark.llm import MemoryCache

        model = self.asked[0].model
        kept = not isinstance(self.client.cache, MemoryCache)
        with told_when_stopped(kept=kept), progress_bar(quiet, "judging ") as bar:
            yield lambda done, total: bar(model, done, total)


def _judge(work: _Work, asked: Asked, output: JudgeOutput) -> None:
    """Judge, or show what that would take; exit with 1 if a sample has no answer."""
    from patmark.data import counted, write_annotations
    from patmark.judge import JudgedErrors

    annotations = output.annotations
    if asked.probe:
        kept = output.named("save", "segments", "annotations")
        refuse("with --probe", asked.named("name") | kept)
    if asked.dry_run:
        paths = [*output.paths, *filter(None, [annotations])]
        refuse("with --dry-run", dict.fromkeys(paths, True))
        seen = work.preview(asked.probe)
        if output.json:
            print_json(seen.to_json())
        else:
            print(seen.prompt)
            say(seen.summary)
        return
    warn_of_endpoint(work.client.endpoint, work.asked[0].prompt.subject.title.lower())
    result = work.probe(output.quiet) if asked.probe else work.judge(output.quiet)
    if annotations and isinstance(result, JudgedErrors):
        write_annotations(annotations, result.annotations, result.texts)
    deliver(result, output)
    if annotations and output.talks:
        say(f"wrote {annotations}")
    if result.failures:
        left_out = counted(len(result.failures), "sample")
        say(f"patmark: {left_out} without scores; the first: {result.failures[0].reason}")
        sys.exit(1)
