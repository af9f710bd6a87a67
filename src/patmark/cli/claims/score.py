"""patmark claims score: generated claims against reference claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from patmark.cli.options import Resampling
from patmark.cli.output import Output, deliver, progress_bar
from patmark.errors import UsageError
from patmark.options import Options, group, refuse

if TYPE_CHECKING:
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

    def check(self) -> list[str]:
        """All files to read; standard input only once."""
        from patmark.data import check_stdin_once, split_name

        drafts = (split_name(one)[1] for one in self.hyp)
        named = [path for path in (self.ref, *drafts, self.pairs) if path]
        check_stdin_once(named)
        return named

    def read(self) -> tuple[TestSet, tuple[Run, ...]]:
        """One set of reference claims and its drafts, or both candidates of each pair."""
        from patmark.data import drafts_of_pairs, read_claim_pairs, read_drafts

        if self.pairs is not None:
            refuse("with --pairs", self.named("ref", "hyp"))
            return drafts_of_pairs(read_claim_pairs(self.pairs, labels="optional"))
        if self.ref is None or not self.hyp:
            raise UsageError("give reference claims with --ref and drafts with --hyp, or --pairs")
        return read_drafts(self.ref, self.hyp)


@group
class ClaimMeasures(Options, heading="Measures"):
    """What is measured."""

    measures: str | None = None
    """Measures with commas (default: claim-overall, claim-completeness, claim-clarity,
    claim-consistency, claim-linkage, ClaimQuality)."""


def score(
    *,
    drafts: Drafts = Drafts(),
    measures: ClaimMeasures = ClaimMeasures(),
    sampling: Resampling = Resampling(),
    output: Output = Output(),
) -> None:
    """Score drafts of claims; diagnostics of completeness, clarity, terms and links, with evidence.

    Examples:

      patmark claims score --ref granted.txt --hyp generated.txt

      patmark claims score --ref granted.txt --hyp A=a.txt --hyp B=b.txt --html report.html

      patmark claims score --pairs pairs.json --measures claim-overall,ClaimQuality --json
    """
    from patmark.claims import evaluate_claims

    output.check(drafts.check())
    settings = sampling.settings
    test_set, runs = drafts.read()
    with progress_bar(output.quiet, "scoring ") as progress:
        done = evaluate_claims(test_set, runs, measures.measures, settings, progress)
    deliver(done, output)
