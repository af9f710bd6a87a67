"""patmark human status and export: how far a campaign is, and what it found."""

from __future__ import annotations

from typing import Annotated

import typer

from patmark.cli import options as given
from patmark.cli.human_options import DATABASE, ChosenCampaign, Db, open_store
from patmark.cli.output import Outputs, deliver_report, say
from patmark.errors import UsageError


def status(
    db: Db = DATABASE,
    campaign: ChosenCampaign = None,
    resamples: given.Resamples = 2000,
    seed: given.Seed = 0,
    html: given.Html = None,
    csv: given.Csv = None,
    md: given.Md = None,
    as_json: given.AsJson = False,
    full: given.Full = False,
    quiet: given.Quiet = False,
) -> None:
    """Show how far everybody is, and how well the evaluators agree; --full adds the checks.

    Rankings are left to patmark human report, which reads the export and finds the same agreement.

    Examples:

      patmark human status

      patmark human status --full --html status.html
    """
    from patmark.campaign.status import campaign_status
    from patmark.campaign.store.store import find_campaign
    from patmark.protocols import Settings
    from patmark.report.encoding import plain

    outputs = Outputs(as_json, quiet, full, html, csv, md)
    outputs.check([])
    with open_store(db) as store:
        state = store.state(find_campaign(store, campaign).id)
    found = campaign_status(state, Settings(resamples, seed))
    deliver_report(found.to_report(), plain(found.to_json()), outputs)


def export(
    out: Annotated[str, typer.Option(help="The file to write; a folder for mt-metrics-eval.")],
    db: Db = DATABASE,
    campaign: ChosenCampaign = None,
    form: Annotated[
        str | None,
        typer.Option("--format", help="csv, jsonl or mt-metrics-eval (default: by the name)."),
    ] = None,
    phase: Annotated[
        str, typer.Option(help="all, or some of main,training,check,repeat with commas.")
    ] = "main,repeat",
    only: Annotated[
        str | None, typer.Option(help="judgements or preferences, if the form asks for both.")
    ] = None,
    with_excluded: Annotated[
        bool, typer.Option("--with-excluded", help="Also evaluators who were excluded.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Write over OUT if it exists.")
    ] = False,
    quiet: given.Quiet = False,
) -> None:
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
    from patmark.campaign.export import (
        EXPORT_FORMS,
        campaign_export,
        parse_phases,
        write_export,
    )
    from patmark.campaign.store.store import find_campaign
    from patmark.protocols.human_convert import check_target

    chosen = form or _form_of(out)
    if chosen not in EXPORT_FORMS:
        raise UsageError(f"--format {chosen!r}: choose from {', '.join(EXPORT_FORMS)}")
    Outputs(save=out).check([db] if "://" not in db else [])
    check_target(out, overwrite=overwrite)
    with open_store(db) as store:
        state = store.state(find_campaign(store, campaign).id)
    found = campaign_export(state, parse_phases(phase), with_excluded=with_excluded)
    notes = write_export(found, chosen, out, only)
    if not quiet:
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
