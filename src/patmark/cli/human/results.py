"""patmark human status and export: how far a campaign is, and what it found."""

from __future__ import annotations

from patmark.cli.human.database import Campaign
from patmark.cli.options import Draws
from patmark.cli.output import Quiet, Ready, Tables, check_files, deliver, say
from patmark.cli.parsing import Options, group
from patmark.errors import UsageError


def status(
    *, campaign: Campaign = Campaign(), sampling: Draws = Draws(), output: Tables = Tables()
) -> None:
    """Show how far everybody is, and how well the evaluators agree; --full adds the checks.

    Rankings are left to patmark human report, which reads the export and finds the same agreement.

    Examples:

      patmark human status

      patmark human status --full --html status.html
    """
    from patmark.protocols.campaign_data import read_campaign_data
    from patmark.protocols.campaign_live import watch
    from patmark.protocols.campaign_report import status_json, status_report

    output.check([])
    with campaign.open() as store:
        data = read_campaign_data(store, campaign.find(store).id)
    seen = watch(data, sampling.settings)
    deliver(Ready(status_report(data, seen), status_json(data, seen)), output)


@group
class Export(Options, heading="Export"):
    """Which judgements are written, and where."""

    out: str
    """The file to write; a folder for mt-metrics-eval."""
    format: str | None = None
    """csv, jsonl or mt-metrics-eval (default: by the name)."""
    phase: str = "main,repeat"
    """all, or some of main,training,check,repeat with commas."""
    only: str | None = None
    """judgements or preferences, if the form asks for both."""
    with_excluded: bool = False
    """Also evaluators who were excluded."""
    overwrite: bool = False
    """Write over OUT if it exists."""


def export(*, wanted: Export, campaign: Campaign = Campaign(), output: Quiet = Quiet()) -> None:
    """Write the judgements of a campaign, also while it is running.

    csv has the columns evaluator,system,segment,criterion,value (of pairs
    evaluator,segment,first,second,winner) that patmark human report, meta and task read. A column
    phase marks repeated pages, which never enter results; --phase all adds training and attention
    checks. jsonl holds all that is known of each answer. mt-metrics-eval is a folder with texts and
    scores of the main phase.

    Examples:

      patmark human export --out judgements.csv

      patmark human report judgements.csv

      patmark human export --out folder --format mt-metrics-eval
    """
    from patmark.protocols.campaign_data import read_campaign_data
    from patmark.protocols.campaign_export import (
        EXPORT_FORMS,
        campaign_export,
        parse_phases,
        write_export,
    )
    from patmark.protocols.human_convert import check_target

    out = wanted.out
    chosen = wanted.format or _form_of(out)
    if chosen not in EXPORT_FORMS:
        raise UsageError(f"--format {chosen!r}: choose from {', '.join(EXPORT_FORMS)}")
    check_files([out], [campaign.db] if "://" not in campaign.db else [])
    check_target(out, overwrite=wanted.overwrite)
    with campaign.open() as store:
        data = read_campaign_data(store, campaign.find(store).id)
    found = campaign_export(data, parse_phases(wanted.phase), with_excluded=wanted.with_excluded)
    notes = write_export(found, chosen, out, wanted.only)
    if not output.quiet:
        for note in notes:
            say(f"note: {note}")
        say(f"wrote {out}")


def _form_of(out: str) -> str:
    plain = out.removesuffix(".gz").removesuffix(".zst")
    endings = {".csv": "csv", ".jsonl": "jsonl"}
    found = next((form for ending, form in endings.items() if plain.endswith(ending)), None)
    if found is None:
        raise UsageError(f"--out {out}: the name does not tell the form; add --format")
    return found
