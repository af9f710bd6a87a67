"""patmark claims score: scores of drafts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from patmark.app.cli.options import Resampling
from patmark.app.cli.output import Output, deliver, progress_bar
from patmark.options import Options, group

if TYPE_CHECKING:
    from patmark.app.commands.claims import DraftTexts
    from patmark.data import Run, TestSet


@group
class Drafts(Options, heading="Inputs"):
    """Reference claims and drafts, or claim pairs."""

    ref: str | None = None
    """The reference claims, a text file."""
    hyp: tuple[str, ...] = ()
    """Drafts, a text file each: FILE or NAME=FILE."""
    pairs: str | None = None
    """Claim pairs instead: JSON list or .jsonl {gold_claim, A, B}; labels are not used."""

    @property
    def texts(self) -> DraftTexts:
        """The drafts of a request."""
        from patmark.app.commands.claims import DraftTexts
        from patmark.data import split_name

        named = [split_name(argument) for argument in self.hyp]
        return DraftTexts(
            ref=None if self.ref is None else Path(self.ref),
            hyp=tuple((name, Path(path)) for name, path in named),
            pairs=self.pairs,
        )

    def check(self) -> list[str]:
        """Return all files to read; standard input only once."""
        return [*map(str, self.texts.files)]

    def read(self) -> tuple[TestSet, tuple[Run, ...]]:
        """Read a set of reference claims with its drafts, or both candidates of each pair."""
        return self.texts.read()


@group
class ClaimMeasures(Options, heading="Measures"):
    """Measures of claims."""

    measures: str | None = None
    """Comma-separated measures (default: ClaimQuality, which also reports BLEU-1)."""


def score(
    *,
    drafts: Drafts = Drafts(),
    measures: ClaimMeasures = ClaimMeasures(),
    sampling: Resampling = Resampling(),
    output: Output = Output(),
) -> None:
    """Score drafts of claims by ClaimQuality, with findings on content, clarity, terms and links.

    Examples:

      patmark claims score --ref granted.txt --hyp generated.txt

      patmark claims score --ref granted.txt --hyp A=a.txt --hyp B=b.txt --html report.html

      patmark claims score --pairs pairs.json --measures ClaimQuality,ROUGE-L --json
    """
    from patmark.app.commands.claims import ClaimScoreRequest, score_claims

    output.check(drafts.check())
    request = ClaimScoreRequest(
        drafts=drafts.texts, measures=measures.measures, sampling=sampling.settings
    )
    with progress_bar(output.quiet, "scoring ") as progress:
        done = score_claims(request, progress)
    deliver(done, output)
