"""patmark measures: list of measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.output import Json, print_json
from patmark.options import Parameter

if TYPE_CHECKING:
    from patmark.measures import MeasureInfo

_FILES = {"references": "--ref reference.en", "source": "--src source.ja"}
_COMMANDS = {
    "claims": "patmark claims score --ref granted.txt --hyp draft.txt",
    "rankings": "patmark retrieve evaluate --qrels qrels.txt --run found.run",
}


def measures(
    name: Annotated[str | None, Parameter(help="Describe one measure only, e.g. BLEU.")] = None,
    /,
    *,
    output: Json,
) -> None:
    """List the measures with their parameters.

    A measure has the same name everywhere: BLEU, BLEU(n=1), chrF(words=2), METEOR(variant=nltk).
    """
    from dataclasses import asdict

    from patmark.measures import describe_all, describe_rankings, find_described

    described = find_described(name) if name else [*describe_all(), *describe_rankings()]
    if output.json:
        hidden = ("call", "area", "reads")
        print_json(
            [
                {key: value for key, value in asdict(info).items() if key not in hidden}
                | {"example": example_command(info)}
                for info in described
            ]
        )
        return
    for info in described:
        print(f"{info.name}: {info.description}")
        print(f"    {info.reference}; needs {', '.join(info.needs) or 'nothing'}")
        for parameter, text in info.parameters.items():
            print(f"    {parameter}: {text}")
        for title, text in (*info.facts(), ("example", example_command(info))) if name else ():
            print(f"  {title}: {text}")
    if name is None:
        print("command:PROGRAM: numbers that a program prints, one per line; see docs/compare.md")


def example_command(info: MeasureInfo) -> str:
    """Return a command that computes a measure."""
    command = _COMMANDS.get(info.area)
    if command is None:
        needed = sorted(info.reads) or ["references"]
        rows = info.reads - set(_FILES)
        files = "--testset rows.jsonl" if rows else " ".join(_FILES[need] for need in needed)
        command = f"patmark score --hyp atlas.en {files} --lang ja-en"
    endpoint = (
        " --base-url 'http://localhost:8000/v1'"
        if info.name.startswith("Judge(") or info.name == "Judge"
        else ""
    )
    return f"{command} --measures '{info.call}'{endpoint}"
