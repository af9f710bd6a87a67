"""patmark bench: benches of the PatSnap kind from your own patents."""

from __future__ import annotations

from typing import Annotated

from patmark.app import commands
from patmark.app.cli.output import Tables, Talk, deliver, print_json, wrote
from patmark.options import Parameter


def build(request: commands.bench.BenchRequest, output: Tables) -> None:
    """Make a bench of all nine PatSnap labels from the held-out patents of a collection.

    Chinese and English give PatSnap rows for patmark score --protocol patsnap; other languages give
    a test set with the same labels. Let people check the rows, then keep the good ones with patmark
    bench accept.

    Examples:

      patmark bench build collection --out bench.jsonl --review review.csv

      patmark bench build collection --out bench.jsonl --rows 100 --terms terms.csv
    """
    output.check([request.collection], request.out, request.terms, request.review)
    deliver(commands.bench.build(request), output)
    output.say(wrote(request.out, output.language))


def overview(
    bench: Annotated[str, Parameter(help="PatSnap rows, or a test set of bench build.")],
    /,
    *,
    output: Tables,
) -> None:
    """Show the contents of a bench: labels, IPC sections, granularity, lengths.

    No translations are needed.

    Example:

      patmark bench overview bench.jsonl --html bench.html
    """
    output.check([bench])
    deliver(commands.bench.overview(bench), output)


def evaluate(request: commands.bench.ScorerRequest, talk: Talk) -> None:
    """Print the output of PatSnap's own scorer, with the same options.

    The numbers are those of patmark score --protocol patsnap --variant published, which also has
    intervals, grades and several systems.

    Example:

      patmark bench evaluate --input results.jsonl --direction cn2en --output result_cn2en.json
    """
    talk.check([request.input], request.output)
    print_json(commands.bench.evaluate(request.input, request.direction, request.output))
    if request.output is not None:
        talk.say(wrote(request.output))


def accept(request: commands.bench.AcceptRequest, output: Talk) -> None:
    """Keep the rows of a bench that people judged correct.

    Example:

      patmark bench accept bench.jsonl --judgements review.csv --out checked.jsonl
    """
    out = request.out
    output.check([request.bench, request.judgements], out)
    kept = commands.bench.accept(request.bench, request.judgements, out, unjudged=request.unjudged)
    output.tell({**kept, "out": out}, f"wrote {out}: {kept['kept']} of {kept['rows']} rows")
