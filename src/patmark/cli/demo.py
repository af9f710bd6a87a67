"""patmark demo: the whole story on bundled example data."""

from __future__ import annotations

import typer


def demo(
    html: str = typer.Option("report.html", help="Where to write the HTML report."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON on stdout and nothing else."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing but errors."),
) -> None:
    """Score three invented systems on invented patents, and write a report to look at."""
    from patmark.cli.output import Outputs, deliver, say
    from patmark.data import read_patsnap
    from patmark.examples import SYSTEMS, example_path
    from patmark.protocols import PatsnapOptions, patsnap_report, score_patsnap

    read = [
        read_patsnap(example_path(f"patsnap_cn2en/{system}.jsonl"), "cn2en") for system in SYSTEMS
    ]
    options = PatsnapOptions(direction="cn2en", checks=True)
    result = score_patsnap(read[0][0], [run for _, run in read], options)
    report, summary = patsnap_report(result), result.to_json()
    deliver(report, summary, Outputs(as_json=as_json, quiet=quiet, html=html))
    if not quiet and not as_json:
        say("now with your own files: patmark score --help")
