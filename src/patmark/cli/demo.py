"""patmark demo: the whole story on bundled example data."""

from __future__ import annotations

from patmark.cli import options as given


def demo(
    html: given.Html = "report.html",
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Score three invented systems on invented patents, and write a report to look at."""
    from patmark.cli.output import Outputs, deliver, say
    from patmark.data import read_patsnap
    from patmark.examples import SYSTEMS, example_path
    from patmark.protocols import PatsnapOptions, patsnap_json, patsnap_report, score_patsnap

    read = [
        read_patsnap(example_path(f"patsnap_cn2en/{system}.jsonl"), "cn2en") for system in SYSTEMS
    ]
    outputs = Outputs(as_json=as_json, quiet=quiet, html=html)
    outputs.check([])
    options = PatsnapOptions(direction="cn2en", checks=True)
    result = score_patsnap(read[0][0], [run for _, run in read], options)
    documents = result.test_set.documents
    deliver(patsnap_report(result), patsnap_json(result), result.label_scores, documents, outputs)
    if not quiet and not as_json:
        say("now with your own files: patmark score --help")
