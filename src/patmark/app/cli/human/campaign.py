"""patmark human validate, new, serve, status and export: a campaign from file to results."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from patmark.app.cli.human.campaign_options import (
    AddressOptions,
    CampaignOptions,
    DatabaseOptions,
    port_number,
    serve_command,
)
from patmark.app.cli.options import Draws
from patmark.app.cli.output import Quiet, Tables, Talk, deliver, print_json, say, wrote
from patmark.human.campaign import DEFAULT_PORT
from patmark.options import Options, Parameter, at_least, group, option

if TYPE_CHECKING:
    from patmark.app.commands import human


def validate(
    campaign: Annotated[str, Parameter(help="The campaign file: YAML, JSON or TOML.")],
    /,
    *,
    output: Talk = Talk(),
) -> None:
    """Validate a campaign file and all files that it names, without writing anything.

    All problems are listed with their places. Without problems, the plan is shown: pages of each
    evaluator, and the expected precision of the results.

    Example:

      patmark human validate campaign.yaml
    """
    from patmark.app.commands import human

    deliver(human.validate(campaign), output)


@group
class LinkOptions(AddressOptions):
    """Address, duration and file of links."""

    links: str | None = None
    """Write the links to this new file, which only you can read; a .csv is for a mail merge."""
    days: Annotated[int | None, at_least(1)] = None
    """Days until the links of evaluators expire."""
    dry_run: bool = False
    """Show the plan without starting the campaign."""


def new(
    campaign: Annotated[str, Parameter(help="The campaign file: YAML, JSON or TOML.")],
    /,
    *,
    database: DatabaseOptions = DatabaseOptions(),
    links: LinkOptions = LinkOptions(),
    output: Talk = Talk(),
) -> None:
    """Start a campaign: plan every page and create the private links.

    The links are shown once; the database stores only hashes. Send each evaluator their own link,
    and keep the organiser's. To replace a lost link, use patmark human link.

    Examples:

      patmark human new campaign.yaml --links links.txt

      patmark human new campaign.yaml --links mail-merge.csv

      patmark human serve

      patmark human new campaign.yaml --db postgresql://patmark@db/campaigns
      --base-url https://judge.example.org
    """
    from patmark.app.commands import human

    output.check([campaign], links.links)
    request = human.NewCampaignRequest(
        file=campaign,
        base_url=links.base_url,
        days=links.days,
        links=links.links,
        **database.changed(),
    )
    if links.dry_run:
        deliver(human.validate(campaign), output)
        return
    begun = human.new(request)
    if output.json:
        where = {"links": begun.links} if links.links is None else {"links_file": links.links}
        print_json({"campaign": begun.id, "name": begun.name, **where} | begun.overview.to_json())
        return
    for note in begun.plan.notes:
        say(f"note: {note}")
    if links.links is None:
        say(f"{begun.name}: private links, shown this once")
        print_links(begun.links)
    else:
        say(f"{begun.name}: private links are in {links.links}")
    command = serve_command(begun.address, request.db)
    output.say(f"kept in {request.shown} as {begun.id}; start the server with: {command}")


def extend(
    file: Annotated[str, Parameter(help="The campaign file, with more segments or systems.")],
    /,
    *,
    dry_run: Annotated[
        bool, option("Extension", "Show what would be added, and change nothing.")
    ] = False,
    campaign: CampaignOptions = CampaignOptions(),
    output: Tables = Tables(),
) -> None:
    """Add segments or systems to a running campaign.

    Add them to the files that the campaign file names, and pass it here again. New segments are
    distributed among all active evaluators. Outputs of a new system go to the evaluators of the
    segment: on pages that nobody has begun beside the others, else on separate pages. A file with
    any other change is refused.

    Examples:

      patmark human extend campaign.yaml --dry-run

      patmark human extend campaign.yaml
    """
    from patmark.app.commands import human

    output.check([file])
    made = human.extend(campaign.request(), file, dry_run=dry_run)
    deliver(made, output)
    output.say(f"{'would add' if dry_run else 'added'}: {made.added}")


def print_links(made: Mapping[str, Any]) -> None:
    """Print private links in two columns."""
    from patmark.human.campaign import links_text

    print(links_text(made), end="")


@group
class ServerOptions(Options, heading="Server"):
    """Address and names of the server."""

    port: Annotated[int, port_number()] = DEFAULT_PORT
    """The port to listen on."""
    host: str = "127.0.0.1"
    """The address to listen on; the default is this machine only."""
    name: tuple[str, ...] = ()
    """Host name of the server; may be repeated."""
    behind_tls: bool = False
    """A proxy terminates TLS: send cookies over https only."""
    proxy: Annotated[tuple[str, ...], Parameter(metavar="ADDRESS")] = ()
    """Address of a trusted proxy (X-Forwarded-For); may be repeated."""
    session_hours: Annotated[float, at_least(0.1)] = 168.0
    """Duration of a login."""
    access_log: bool = False
    """Log every request, without private links."""
    create: bool = False
    """Create the tables if the database is empty, and serve before the first campaign starts."""


def serve(
    *, database: DatabaseOptions = DatabaseOptions(), server: ServerOptions = ServerOptions()
) -> None:
    """Serve all campaigns of a database until interrupted with Ctrl-C.

    The server is reachable from this machine only, unless --host is given. For other users, put a
    TLS proxy in front, and give the host name (--name) and the address of the proxy (--proxy).
    Without --proxy, all visitors count as one in the limit of wrong links.

    Examples:

      patmark human serve

      patmark human serve --behind-tls --name judge.example.org --proxy 127.0.0.1
    """
    from patmark.app.commands import human

    request = human.ServeRequest(**database.changed(), **server.changed())
    with human.server(request) as ready:
        say(f"campaigns: {', '.join(one.name for one in ready.store.campaigns()) or 'none yet'}")
        say(f"serving {request.shown} at {request.address}; stop with Ctrl-C")
        if server.name or server.behind_tls:
            say(f"requests are answered under the name {' or '.join(ready.names)} only")
        for warning in ready.warnings:
            say(warning)
        ready.run()


def run_until_stopped(ready: human.CampaignServer) -> None:
    """Serve until interrupted or terminated by a signal."""
    import signal

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ready.run()


def status(
    *,
    campaign: CampaignOptions = CampaignOptions(),
    sampling: Draws = Draws(),
    output: Tables = Tables(),
) -> None:
    """Show the progress and agreement of evaluators; --full adds the checks.

    For rankings use patmark human report, which reads the export and computes the same agreement.

    Examples:

      patmark human status

      patmark human status --full --html status.html
    """
    from patmark.app.commands import human

    output.check([])
    deliver(human.status(campaign.request(), sampling.settings), output)


def remind(
    *,
    merge: Annotated[
        str | None, option("Mail", "Write a CSV file for a mail merge, a line for each evaluator.")
    ] = None,
    campaign: CampaignOptions = CampaignOptions(),
    output: Tables = Tables(),
) -> None:
    """List evaluators who have not started, are late or have stopped.

    Late means not finished by the deadline of the campaign file; stopped means nothing saved for
    three days.

    Examples:

      patmark human remind

      patmark human remind --merge remind.csv
    """
    from patmark.app.commands import human
    from patmark.data import write_atomically

    output.check([], merge)
    found = human.remind(campaign.request())
    if merge is not None:
        write_atomically(merge, found.mail_merge())
    deliver(found, output)


def codes(*, campaign: CampaignOptions = CampaignOptions(), output: Tables = Tables()) -> None:
    """List the completion codes for a crowd platform and the evaluators who earned them.

    An evaluator earns a code by finishing and passing as many attention checks as the campaign file
    requires under completion.

    Example:

      patmark human codes --csv codes.csv
    """
    from patmark.app.commands import human

    output.check([])
    deliver(human.codes(campaign.request()), output)


@group
class ExportOptions(Options, heading="Export"):
    """Choice of judgements, and the file to write."""

    out: str
    """The file to write; a folder for mt-metrics-eval."""
    format: str | None = None
    """csv, jsonl, testset, mt-metrics-eval or pearmut; for marked errors annotations, wmt-mqm,
    label-studio or pearmut-log (default: by file name)."""
    phase: str = "main,repeat"
    """Comma-separated phases: main, training, check, repeat; or all."""
    only: str | None = None
    """judgements or preferences, if the form asks for both."""
    with_excluded: bool = False
    """Include excluded evaluators."""
    evaluator: str | None = None
    """Export all stored data of this evaluator as JSON."""
    overwrite: bool = False
    """Overwrite OUT if it exists."""


def export(
    *, wanted: ExportOptions, campaign: CampaignOptions = CampaignOptions(), output: Quiet = Quiet()
) -> None:
    """Export the judgements of a campaign, even while it runs.

    csv has the columns evaluator,system,segment,criterion,value (for pairs
    evaluator,segment,first,second,winner) for patmark human report, meta and task. A column phase
    marks repeated pages, which never enter results; --phase all adds training and attention checks.
    jsonl holds all collected data: judgements, other answers with the reason, marked errors,
    remarks and flags, consensus, times and revisions. mt-metrics-eval is a folder with texts and
    scores of the main phase, pearmut a campaign to judge the same texts again. annotations are all
    marked errors with their texts; wmt-mqm, label-studio and pearmut-log are formats of other
    tools. testset is the test set with all references that evaluators wrote (form write-reference),
    for patmark score.

    Examples:

      patmark human export --out judgements.csv

      patmark human report judgements.csv

      patmark human export --out folder --format mt-metrics-eval

      patmark human export --out marks.jsonl --format annotations

      patmark human export --out marks.tsv --format wmt-mqm

      patmark human export --out references.jsonl --format testset

      patmark human export --out ann.json --evaluator ann
    """
    from patmark.app.commands import human

    request = human.ExportRequest(**campaign.changed(), **wanted.changed())
    output.say(*(f"note: {note}" for note in human.export(request)), wrote(request.out))
