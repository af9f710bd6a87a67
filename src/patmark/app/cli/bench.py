"""patmark bench: benches of the PatSnap kind from your own patents."""

from __future__ import annotations

from typing import Annotated

from patmark.app.cli.output import Tables, Talk, deliver, print_json, wrote
from patmark.options import Options, Parameter, group


@group
class Drawing(Options, heading="Rows"):
    """Number of rows, and the file that they go to."""

    out: str
    """The bench: .jsonl."""
    rows: int = 30
    """Maximum number of rows per label."""
    per_patent: int = 5
    """Maximum number of rows per label and patent."""
    labels: str | None = None
    """Comma-separated labels (default: all nine)."""
    seed: int = 0
    """Random seed."""


@group
class Proposals(Options, heading="Terms and review"):
    """Dictionary for terms, and files for a review."""

    dictionary: str | None = None
    """Dictionary that proposes terms: cedict (default for zh-en), jmdict, edict:FILE, tsv:FILE,
    none."""
    terms: str | None = None
    """Also write the terms with their evidence: .csv."""
    review: str | None = None
    """Also write the rows for human review, in a spreadsheet or a campaign: .csv."""


def build(
    collection: Annotated[str, Parameter(help="Folder of patmark corpus build.")],
    /,
    *,
    drawing: Drawing,
    proposals: Proposals = Proposals(),
    output: Tables = Tables(),
) -> None:
    """Make a bench of all nine PatSnap labels from the held-out patents of a collection.

    Chinese and English give PatSnap rows for patmark score --protocol patsnap; other languages give
    a test set with the same labels. Let people check the rows, then keep the good ones with patmark
    bench accept.

    Examples:

      patmark bench build collection --out bench.jsonl --review review.csv

      patmark bench build collection --out bench.jsonl --rows 100 --terms terms.csv
    """
    from patmark.app.commands import bench
    from patmark.protocols import BenchSettings

    output.check([collection], drawing.out, proposals.terms, proposals.review)
    labels = {} if drawing.labels is None else {"labels": tuple(drawing.labels.split(","))}
    settings = BenchSettings(drawing.rows, drawing.per_patent, drawing.seed, **labels)
    made = bench.build(
        collection,
        drawing.out,
        settings=settings,
        dictionary=proposals.dictionary,
        terms=proposals.terms,
        review=proposals.review,
    )
    deliver(made, output)
    output.say(wrote(drawing.out, output.language))


def overview(
    bench: Annotated[str, Parameter(help="PatSnap rows, or a test set of bench build.")],
    /,
    *,
    output: Tables = Tables(),
) -> None:
    """Show the contents of a bench: labels, IPC sections, granularity, lengths.

    No translations are needed.

    Example:

      patmark bench overview bench.jsonl --html bench.html
    """
    from patmark.app.commands.bench import overview as overview_of

    output.check([bench])
    deliver(overview_of(bench), output)


@group
class ScorerOptions(Options, heading="Published scorer"):
    """The options of the scorer that PatSnap published."""

    input: str
    """Bench rows with a translation added to each: .jsonl."""
    direction: str
    """Direction of the translations: cn2en or en2cn."""
    output: str | None = None
    """Also write the result: .json."""


def evaluate(
    *,
    scorer: ScorerOptions,
    talk: Talk = Talk(),
) -> None:
    """Print the output of PatSnap's own scorer, with the same options.

    The numbers are those of patmark score --protocol patsnap --variant published, which also has
    intervals, grades and several systems.

    Example:

      patmark bench evaluate --input results.jsonl --direction cn2en --output result_cn2en.json
    """
    from patmark.app.commands.bench import evaluate as evaluated

    talk.check([scorer.input], scorer.output)
    print_json(evaluated(scorer.input, scorer.direction, scorer.output))
    if scorer.output is not None:
        talk.say(wrote(scorer.output))


@group
class Checked(Options, heading="Review"):
    """Judgements of a review, and the file of accepted rows."""

    judgements: str
    """The review with judgements, or the CSV export of a campaign."""
    out: str
    """The rows that were judged correct: .jsonl."""
    unjudged: bool = False
    """Also keep rows without a judgement."""


def accept(
    bench: Annotated[str, Parameter(help="The bench that was reviewed.")],
    /,
    *,
    checked: Checked,
    output: Talk = Talk(),
) -> None:
    """Keep the rows of a bench that people judged correct.

    Example:

      patmark bench accept bench.jsonl --judgements review.csv --out checked.jsonl
    """
    from patmark.app.commands.bench import accept as accepted_rows

    output.check([bench, checked.judgements], checked.out)
    kept = accepted_rows(bench, checked.judgements, checked.out, unjudged=checked.unjudged)
    summary = f"wrote {checked.out}: {kept['kept']} of {kept['rows']} rows"
    output.tell({**kept, "out": checked.out}, summary)
