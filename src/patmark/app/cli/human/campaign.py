"""patmark human validate, new, serve, status, mail, export: a campaign from file to results."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlsplit

from patmark.app import commands
from patmark.app.cli.output import (
    Quiet,
    Tables,
    Talk,
    deliver,
    exit_if,
    print_json,
    say,
    wrote,
)
from patmark.human.campaign import DEFAULT_PORT, default_database
from patmark.options import Parameter, option

_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def validate(
    campaign: Annotated[str, Parameter(help="The campaign file: YAML, JSON or TOML.")],
    /,
    *,
    output: Talk,
) -> None:
    """Validate a campaign file and all files that it names, without writing anything.

    All problems are listed with their places. Without problems, the plan is shown: pages of each
    evaluator, and the expected precision of the results.

    Example:

      patmark human validate campaign.yaml
    """
    deliver(commands.human.validate(campaign), output)


def new(request: commands.human.NewCampaignRequest, output: Talk) -> None:
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
    output.check([str(request.file)], request.links)
    if request.dry_run:
        deliver(commands.human.validate(request.file), output)
        return
    begun = commands.human.new(request)
    if output.json:
        where = {"links": begun.links} if request.links is None else {"links_file": request.links}
        print_json({"campaign": begun.id, "name": begun.name, **where} | begun.overview.to_json())
        return
    for note in begun.plan.notes:
        say(f"note: {note}")
    if request.links is None:
        say(f"{begun.name}: private links, shown this once")
        print_links(begun.links)
    else:
        say(f"{begun.name}: private links are in {request.links}")
    command = serve_command(begun.address, request.db)
    output.say(f"kept in {request.shown} as {begun.id}; start the server with: {command}")


def extend(
    file: Annotated[str, Parameter(help="The campaign file, with more segments or systems.")],
    /,
    *,
    dry_run: Annotated[
        bool, option("Extension", "Show what would be added, and change nothing.")
    ] = False,
    campaign: commands.human.CampaignRequest,
    output: Tables,
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
    output.check([file])
    made = commands.human.extend(campaign, file, dry_run=dry_run)
    deliver(made, output)
    output.say(f"{'would add' if dry_run else 'added'}: {made.added}")


def print_links(made: Mapping[str, Any]) -> None:
    """Print private links in two columns."""
    from patmark.human.campaign import links_text

    print(links_text(made), end="")


def serve_command(address: str, db: str) -> str:
    """Return the command that starts the server of an address, without database secrets.

    An https server is assumed to be behind a proxy on the same machine.
    """
    parts = urlsplit(address)
    command, host, port = "patmark human serve", parts.hostname or "", parts.port or 80
    if parts.scheme == "https":
        command += f" --behind-tls --name {parts.netloc} --proxy 127.0.0.1"
    else:
        if host not in _THIS_MACHINE:
            command += f" --host 0.0.0.0 --name {host}"
        elif ":" in host:
            command += f" --host {host}"
        if port != DEFAULT_PORT:
            command += f" --port {port}"
    if db != default_database():
        command += " --db " + ("…" if "://" in db else shlex.quote(db))
    return command


def serve(request: commands.human.ServeRequest) -> None:
    """Serve all campaigns of a database until interrupted with Ctrl-C.

    The server is reachable from this machine only, unless --host is given. For other users, put a
    TLS proxy in front, and give the host name (--name) and the address of the proxy (--proxy).
    Without --proxy, all visitors count as one in the limit of wrong links.

    Examples:

      patmark human serve

      patmark human serve --behind-tls --name judge.example.org --proxy 127.0.0.1
    """
    with commands.human.server(request) as ready:
        say(f"campaigns: {', '.join(one.name for one in ready.store.campaigns()) or 'none yet'}")
        say(f"serving {request.shown} at {request.address}; stop with Ctrl-C")
        if request.name or request.behind_tls:
            say(f"requests are answered under the name {' or '.join(ready.names)} only")
        for warning in ready.warnings:
            say(warning)
        ready.run()


def run_until_stopped(ready: commands.human.CampaignServer) -> None:
    """Serve until interrupted or terminated by a signal."""
    import signal

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    ready.run()


def status(
    *,
    campaign: commands.human.CampaignRequest,
    sampling: commands.Draws,
    output: Tables,
) -> None:
    """Show the progress and agreement of evaluators; --full adds the checks.

    For rankings use patmark human report, which reads the export and computes the same agreement.

    Examples:

      patmark human status

      patmark human status --full --html status.html
    """
    output.check([])
    deliver(commands.human.status(campaign, sampling.made()), output)


def remind(
    *,
    merge: Annotated[
        str | None, option("Mail", "Write a CSV file for a mail merge, a line for each evaluator.")
    ] = None,
    campaign: commands.human.CampaignRequest,
    output: Tables,
) -> None:
    """List evaluators who have not started, are late or have stopped.

    Late means not finished by the deadline of the campaign file; stopped means nothing saved for
    three days.

    Examples:

      patmark human remind

      patmark human remind --merge remind.csv
    """
    from patmark.data import write_atomically

    output.check([], merge)
    found = commands.human.remind(campaign)
    if merge is not None:
        write_atomically(merge, found.mail_merge())
    deliver(found, output)


def codes(*, campaign: commands.human.CampaignRequest, output: Tables) -> None:
    """List the completion codes for a crowd platform and the evaluators who earned them.

    An evaluator earns a code by finishing and passing as many attention checks as the campaign file
    requires under completion.

    Example:

      patmark human codes --csv codes.csv
    """
    output.check([])
    deliver(commands.human.codes(campaign), output)


def mail(request: commands.human.MailRequest, output: Tables) -> None:
    """Write links or reminders to the addresses of evaluators, and send them after a preview.

    Without --send nothing is sent: all mails are shown with a code, and --send CODE sends exactly
    these mails. If anything has changed since, nothing is sent. Links are not stored: without their
    table, reminders ask people to open the link they have. The log records who was mailed.

    Examples:

      patmark human mail links.csv --sender ann@example.org

      patmark human mail links.csv --sender ann@example.org --send 1f2e3d4c

      patmark human mail --remind --full
    """
    output.check([str(request.links)] if request.links else [])
    made = commands.human.mail(request)
    deliver(made, output)
    if made.failures is None:
        output.say(f"nothing was sent; send these mails with: --send {made.code}")
    exit_if(bool(made.failures))


def export(request: commands.human.ExportRequest, output: Quiet) -> None:
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
    output.say(*(f"note: {note}" for note in commands.human.export(request)), wrote(request.out))
