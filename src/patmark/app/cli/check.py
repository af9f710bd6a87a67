"""patmark check: whole documents against their translations."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

from patmark.app.cli.output import Tables, deliver, progress_bar
from patmark.options import Options, Parameter, group
from patmark.wording import speaker


@group
class CheckInputs(Options, heading="Inputs"):
    """Languages and resources of a check."""

    lang: str | None = None
    """Languages as SOURCE-TARGET, e.g. zh-en (default: detected)."""
    glossary: tuple[str, ...] = ()
    """Terms to use: TBX, TMX, CSV, TSV or JSON; may be repeated."""
    lexicon: str | None = None
    """A file of --save-lexicon: word translations of earlier documents."""
    save_lexicon: str | None = None
    """Write the word translations of these documents, added to those of --lexicon."""
    revisions: Literal["final", "original"] = "final"
    """Tracked changes of a file: accepted (final) or rejected (original)."""
    ref: str | None = None
    """A reference translation, or a folder of them: adds scores by document, section and claim."""
    measures: str | None = None
    """With --ref: comma-separated measures (default: BLEU,chrF)."""
    review: str | None = None
    """A review saved by the HTML page: shows its decisions and the resulting precision."""
    comments: str | None = None
    """Write a copy of the translation (Word, XLIFF) with findings as comments: a file or folder."""


@group
class CheckGate(Options, heading="Gates"):
    """Condition on findings."""

    fail_on: Literal["error", "warning"] | None = None
    """Exit with 1 if a finding has this severity or a higher one."""


def check(
    source: Annotated[str, Parameter(help="A document, or a folder of documents.")],
    translation: Annotated[
        str | None,
        Parameter(help="Its translation, or a folder matched by name; none for XLIFF and TMX."),
    ] = None,
    /,
    *,
    inputs: CheckInputs = CheckInputs(),
    gate: CheckGate = CheckGate(),
    output: Tables = Tables(),
) -> None:
    """Check whole documents against their translations: missing, added and changed content.

    Examples:

      patmark check patent.zh.txt patent.en.txt

      patmark check patent.docx translation.docx --lang ja-en --html report.html

      patmark check originals translations --lang zh-en --json --fail-on error

      patmark check job.xliff --glossary terms.tbx
    """
    from patmark.app.commands import CheckRequest, check
    from patmark.report import message_text

    request = CheckRequest(source, translation, **vars(inputs), fail_on=gate.fail_on)
    lexicon = inputs.save_lexicon if inputs.save_lexicon != inputs.lexicon else None
    output.check(
        [source, translation, *inputs.glossary, inputs.lexicon, inputs.ref],
        lexicon,
        inputs.comments,
    )
    with progress_bar(output.quiet, "checking ") as progress:
        result = check(request, progress=progress)
    deliver(result, output)
    written = filter(None, (inputs.save_lexicon, inputs.comments))
    tr = speaker(output.language)
    output.say(*(tr("wrote {file}", file=path) for path in written))
    output.say("", *(message_text(one, output.language) for one in result.summary))
    if result.failed:
        sys.exit(1)
