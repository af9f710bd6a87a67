"""patmark measures: what can be measured, and how it is called."""

from __future__ import annotations

from typing import Annotated

import typer

from patmark.cli import options as given


def measures(
    name: Annotated[
        str | None, typer.Argument(help="Describe one measure only, e.g. BLEU.")
    ] = None,
    as_json: given.AsJson = False,
) -> None:
    """List the measures with their parameters.

    A measure has one name everywhere: BLEU, BLEU(n=1), chrF(words=2), METEOR(variant=nltk).
    """
    import json
    from dataclasses import asdict

    from patmark.measures import describe_all, describe_rankings, find_described

    described = find_described(name) if name else [*describe_all(), *describe_rankings()]
    if as_json:
        print(json.dumps([asdict(info) for info in described], ensure_ascii=False, indent=2))
        return
    for info in described:
        print(f"{info.name}: {info.description}")
        print(f"    {info.reference}; needs {', '.join(info.needs) or 'nothing'}")
        for parameter, text in info.parameters.items():
            print(f"    {parameter}: {text}")
    if name is None:
        print("command:PROGRAM: numbers that a program prints, one per line; see docs/compare.md")
