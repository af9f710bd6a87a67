"""patmark check: whole documents against their translations."""

from __future__ import annotations

from patmark.app import commands
from patmark.app.cli.output import Tables, deliver, exit_if, progress_bar
from patmark.wording import speaker


def check(request: commands.CheckRequest, output: Tables) -> None:
    """Check whole documents against their translations: missing, added and changed content.

    Examples:

      patmark check patent.zh.txt patent.en.txt

      patmark check patent.docx translation.docx --lang ja-en --html report.html

      patmark check originals translations --lang zh-en --json --fail-on error

      patmark check job.xliff --glossary terms.tbx
    """
    from patmark.report import message_text

    lexicon = request.save_lexicon if request.save_lexicon != request.lexicon else None
    output.check(request.paths, lexicon, request.comments)
    with progress_bar(output.quiet, "checking ") as progress:
        result = commands.check(request, progress=progress)
    deliver(result, output)
    written = filter(None, (request.save_lexicon, request.comments))
    tr = speaker(output.language)
    output.say(*(tr("wrote {file}", file=path) for path in written))
    output.say("", *(message_text(one, output.language) for one in result.summary))
    exit_if(result.failed)
