"""patmark claims: parse, lint, check, compare, score, judge, meta, pairs and train."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.app import commands
from patmark.app.cli.judge import JudgeOutput, judge as judge_any
from patmark.app.cli.output import (
    Files,
    Html,
    Json,
    Output,
    SegmentTables,
    Tables,
    Talk,
    deliver,
    exit_if,
    print_json,
    progress_bar,
    say,
    spoken,
    wrote,
)
from patmark.options import Parameter, group, refuse
from patmark.wording import translated

if TYPE_CHECKING:
    from patmark.claims import Epoch, LintedFiles


@group
class LintOutput(Html, Talk):
    """Outputs of the linter."""

    sarif: str | None = None
    """Write the findings as SARIF 2.1.0."""


def lint(request: commands.claims.LintRequest, output: LintOutput) -> None:
    """Check claims for faults of form, dependency, antecedents, terms and wording.

    Examples:

      patmark claims lint draft.txt

      patmark claims lint draft.txt --office epo --description description.txt --sarif lint.sarif

      patmark claims lint draft.txt --select antecedents,term-drift --fail-on warning
    """
    if request.list_rules:
        useless = request.named("select", "ignore", "description")
        written = output.named("sarif", "html")
        refuse("with --list-rules", {"FILES": request.texts, **written, **useless})
        rules = commands.claims.list_rules(request.office)
        if output.json:
            print_json(rules.to_json())
            return
        for line in rules.lines(output.language):
            print(line)
        return
    output.check([*request.texts, request.description], output.sarif)
    linted = commands.claims.lint_files(request)
    _deliver(linted, output)
    exit_if(linted.failed)


def _deliver(linted: LintedFiles, output: LintOutput) -> None:
    from patmark.data import write_atomically

    if output.sarif is not None:
        write_atomically(output.sarif, linted.to_sarif())
    if output.html:
        from patmark.report import to_html

        write_atomically(output.html, to_html(spoken(linted, output.language)))
    if output.json:
        print_json(linted.to_json())
    elif not output.quiet and "-" not in (output.sarif, output.html):
        for line in linted.lines(output.language):
            print(line)
    for note in () if output.quiet else linted.notes():
        say(translated(note, output.language))


@group
class ParseOutput(Html, Json):
    """Output: a tree, JSON or a page."""


def parse(
    file: Annotated[str, Parameter(help="A text with claims; - for stdin.")],
    /,
    *,
    language: commands.claims.ClaimLanguage,
    output: ParseOutput,
) -> None:
    """Read the claims of a text: numbers, parts, limitations, dependencies, terms.

    Examples:

      patmark claims parse draft.txt

      patmark claims parse draft.txt --json --html claims.html
    """
    output.check([file])
    parsed = commands.claims.parse(Path(file), language.lang)
    if output.html:
        from patmark.data import shown, write_atomically
        from patmark.report import in_language, to_html

        report = in_language(parsed.to_report(shown(file)), output.language)
        write_atomically(output.html, to_html(report))
    if output.json:
        print_json(parsed.to_json())
        return
    from rich.console import Console
    from rich.text import Text

    Console(soft_wrap=True).print(Text(parsed.tree()))


def check(request: commands.claims.SupportRequest, output: Tables) -> None:
    """Find the support of each limitation, term, amount and sign of claims in the description.

    Examples:

      patmark claims check claims.txt --description description.txt

      patmark claims check claims.txt --description description.txt --html support.html
    """
    output.check([request.claims, request.description])
    deliver(commands.claims.check_claims(request), output)


def compare(
    old: Annotated[str, Parameter(help="The first version, e.g. as filed; - for stdin.")],
    new: Annotated[str, Parameter(help="The second version, e.g. as amended.")],
    /,
    *,
    output: Tables,
) -> None:
    """Compare two versions of a set of claims, limitation by limitation.

    Examples:

      patmark claims compare filed.txt amended.txt

      patmark claims compare filed.txt amended.txt --html amendments.html
    """
    from patmark.data import shown

    output.check([old, new])
    deliver(commands.claims.compare(Path(old), Path(new), (shown(old), shown(new))), output)


def score(request: commands.claims.ClaimScoreRequest, output: Output) -> None:
    """Score drafts of claims by ClaimQuality, with findings on content, clarity, terms and links.

    Examples:

      patmark claims score --ref granted.txt --hyp generated.txt

      patmark claims score --ref granted.txt --hyp A=a.txt --hyp B=b.txt --html report.html

      patmark claims score --pairs pairs.json --measures ClaimQuality,ROUGE-L --json
    """
    output.check(request.files)
    with progress_bar(output.quiet, "scoring ") as progress:
        done = commands.claims.score_claims(request, progress)
    deliver(done, output)


def judge(request: commands.ClaimJudgeRequest, output: Output) -> None:
    """Judge drafts of claims with a language model: completeness, clarity, consistency, linkage.

    Examples:

      patmark claims judge --ref granted.txt --hyp A=a.txt --hyp B=b.txt
      --base-url http://localhost:8000/v1 --model my-model

      patmark claims judge --pairs pairs.json --base-url https://api.example.com/v1 --model m
      --samples 5 --max-tokens 200 --price-in 2.5 --price-out 10 --budget-cost 20 --save judged.json

      patmark claims judge --pairs pairs.json --pairwise --base-url http://localhost:8000/v1
      --model m --save compared.json

      patmark claims meta pairs.json --scores judged.json --scores compared.json
    """
    judge_any(request.judging, JudgeOutput(**output.changed()))


def meta(request: commands.claims.ClaimMetaRequest, output: SegmentTables) -> None:
    """Measure how well measures agree with experts who compared pairs of claim sets.

    Examples:

      patmark claims meta pairs.json

      patmark claims meta pairs.json --measures BLEU-4,ROUGE-L,chrF --criterion Quality --json

      patmark claims meta pairs.json --measures BLEU-1,ClaimQuality --tie-band folds
      patmark claims meta pairs.json --scores judged.json --scores compared.json

      patmark claims meta final_c2c.json --prompts eval_data_c2c.csv
    """
    output.check([request.pairs, request.prompts, *request.scores])
    with progress_bar(output.quiet, "scoring ") as progress:
        done = commands.claims.meta_claims(request, progress)
    deliver(done, output)


def pairs(request: commands.claims.PairsRequest, output: Tables) -> None:
    """Make compared pairs from ratings of single claim sets, and split them.

    Example:

      patmark claims pairs ratings.csv --testset references.jsonl --hyp draft=draft.jsonl
      --hyp model=model.jsonl --out pairs
    """
    output.check(request.paths)
    deliver(commands.claims.make_pairs(request), output)
    output.say(f"wrote {', '.join(request.file_names)} to {request.out}")


def train(request: commands.claims.TrainRequest, output: Files) -> None:
    """Train PatClaimEval (extra neural) on pairs that experts compared, for each criterion.

    Examples:

      patmark claims train train.json --encoder longformer-base-4096 --criterion Quality --out model

      patmark claims meta test.json --measures 'PatClaimEval(model=model)' --criterion Quality

      patmark claims train train.json --encoder longformer-base-4096 --criterion all --out models

      patmark reproduce patent-ce --data test.json --measures 'PatClaimEval(model=models)'
    """
    output.check(request.pairs)
    with progress_bar(output.quiet) as progress:
        done = commands.claims.train(request, progress, None if output.quiet else _say_epoch)
    deliver(done, output)
    output.say(wrote(request.out, output.language))


def _say_epoch(criterion: str, epoch: Epoch) -> None:
    """Write progress to stderr; an epoch may take hours."""
    parts = {
        "training loss": epoch.training_loss,
        "validation loss": epoch.validation_loss,
        "tau": epoch.tau,
        "accuracy": epoch.accuracy,
    }
    shown = [f"{name} {value:.4f}" for name, value in parts.items() if value is not None]
    before = f"{criterion}, " if criterion else ""
    say(f"{before}epoch {epoch.epoch}: {', '.join(shown)}")
