"""patmark judge: a language model judges translations or claims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.claims.score import Drafts
from patmark.app.cli.options import (
    Model,
    Resampling,
    Service,
    Spending,
    TextOptions,
    warn_of_endpoint,
)
from patmark.app.cli.output import (
    Output,
    deliver,
    print_json,
    progress_bar,
    report_when_stopped,
    say,
    wrote,
)
from patmark.errors import UsageError
from patmark.options import Options, Parameter, at_least, group, refuse

if TYPE_CHECKING:
    from patmark.app.commands import JudgeRequest
    from patmark.data import Run, TestSet

_ACCESS = ("base_url", "dry_run", "reasks", "pairwise")


@group
class Asked(Options, heading="Judge"):
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

    @property
    def paths(self) -> list[str | None]:
        """Files to read."""
        return [self.prompt, self.criteria]


@group
class JudgeModel(Model):
    """Parameters of the model."""

    temperature: float | None = 1.0
    """Sampling temperature, 0–2."""
    max_tokens: int | None = None
    """Maximum length of an answer in tokens (default: the model's)."""
    model_seed: int | None = None
    """Seed for the model; sample i is sent this plus i."""
    extra: Annotated[str | None, Parameter(metavar="JSON")] = None
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

    @property
    def drafts(self) -> Drafts:
        """The drafts of claims."""
        refuse("with --claims", self.named("src", "docs", "testset", "lang"))
        if len(self.ref) > 1:
            raise UsageError("one set of reference claims is needed, and several are given")
        return Drafts(ref=self.ref[0] if self.ref else None, hyp=self.hyp, pairs=self.pairs)

    def read_any(self) -> tuple[TestSet, Sequence[Run]]:
        """Read the test set and the outputs to judge."""
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

    @property
    def paths(self) -> list[str]:
        """Files to read."""
        return [path for path in self.glossary if path != "rows"]


@group
class JudgeOutput(Output):
    """Output: tables, scores and marked errors."""

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
    """Judge translations or drafts of claims with a language model: scores, errors or pairs.

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
    request = _request(asked, judged, shown, model, sampling, output)
    output.check([*judged.files(), *asked.paths, *shown.paths], output.annotations)
    test_set, runs = judged.read_any()
    client = service.request(spending, model.reasks).client(asked.base_url)
    if asked.dry_run:
        from patmark.app.commands import preview_request

        seen = preview_request(request, test_set, runs, client)
        if output.json:
            print_json(seen.to_json())
        else:
            print(seen.prompt)
            say(seen.summary)
        return
    from patmark.app.commands import judge_runs

    warn_of_endpoint(client.endpoint, "claims" if judged.claims else "translations")
    kept = report_when_stopped(kept=not service.no_cache)
    with kept, progress_bar(output.quiet, "judging ") as bar:
        result = judge_runs(
            request, test_set, runs, client, lambda done, total: bar(asked.model, done, total)
        )
    if output.annotations and output.talks:
        say(wrote(output.annotations, output.language))
    deliver(result, output)


def _request(
    asked: Asked,
    judged: JudgeInputs,
    shown: Shown,
    model: JudgeModel,
    sampling: Resampling,
    output: JudgeOutput,
) -> JudgeRequest:
    """Return the request of the options; refuse unsupported outputs."""
    from patmark.app.commands import JudgeRequest

    if asked.probe:
        refuse("with --probe", output.named("save", "segments"))
    if asked.dry_run:
        paths = [*output.paths, *filter(None, [output.annotations])]
        refuse("with --dry-run", dict.fromkeys(paths, True))
    given = {**asked.changed(), **shown.changed(), **model.changed()}
    kept = {name: value for name, value in given.items() if name not in _ACCESS}
    return JudgeRequest(
        **{**kept, "extra": model.extra_fields},
        claims=judged.claims,
        annotations=output.annotations,
        sampling=sampling.settings,
    )
