"""patmark human validate, new, serve, status and export: a campaign from file to results."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Annotated, Any, TextIO

from patmark.campaign import created_links, named_links
from patmark.cli.human.database import (
    ADDRESS,
    PORT,
    Address,
    Campaign,
    Database,
    serve_command,
)
from patmark.cli.options import Draws
from patmark.cli.output import (
    Quiet,
    Tables,
    Talk,
    check_files,
    deliver,
    print_json,
    say,
)
from patmark.errors import MissingExtra, UsageError
from patmark.options import Options, Parameter, at_least, group

if TYPE_CHECKING:
    from patmark.campaign import Created, Plan, Store


_HOURS = 3600
_DAY = 24 * _HOURS


def validate(
    campaign: Annotated[str, Parameter(help="The campaign file: YAML, JSON or TOML.")],
    /,
    *,
    output: Talk = Talk(),
) -> None:
    """Check a campaign file and all files that it names; nothing is written.

    Every problem is listed with its place. If there is none, the plan is shown: pages of each
    evaluator, and how precise the results can be expected to be.

    Example:

      patmark human validate campaign.yaml
    """
    _show_plan(_planned(campaign), output)


@group
class Links(Address):
    """Where links lead, for how long, and where they are kept."""

    links: str | None = None
    """Write the links to this new file, which only you can read."""
    days: Annotated[int | None, at_least(1)] = None
    """Links of evaluators end after so many days."""
    dry_run: bool = False
    """Show the plan and begin nothing."""


def new(
    campaign: Annotated[str, Parameter(help="The campaign file: YAML, JSON or TOML.")],
    /,
    *,
    database: Database = Database(),
    links: Links = Links(),
    output: Talk = Talk(),
) -> None:
    """Begin a campaign: plan every page and make the private links.

    The links are shown this once; the database keeps only hashes of them. Send each evaluator
    their own link, and keep the organiser's. A lost link is replaced by: patmark human link.

    Examples:

      patmark human new campaign.yaml --links links.txt

      patmark human serve

      patmark human new campaign.yaml --db postgresql://patmark@db/campaigns
      --base-url https://judge.example.org
    """
    address = links.address
    output.check([campaign], links.links)
    if links.links is not None and os.path.exists(links.links):
        raise UsageError(f"{links.links} exists; name a new file for the links")
    plan = _planned(campaign)
    if links.dry_run:
        _show_plan(plan, output)
        return
    with _private_file(links.links) as kept:
        created = _begin(plan, database, links.days, address)
        made = created_links(address or ADDRESS, created)
        kept.write(rows_of(made))
    if output.json:
        from patmark.campaign import PlanOverview

        where = {"links": made} if links.links is None else {"links_file": links.links}
        head = {"campaign": created.campaign, "name": plan.name, **where}
        print_json(head | PlanOverview(plan).to_json())
        return
    for note in plan.notes:
        say(f"note: {note}")
    _say_links(plan, made, links.links)
    command = serve_command(address or ADDRESS, database.db)
    output.say(f"kept in {database.shown} as {created.campaign}; start the server with: {command}")


@group
class Server(Options, heading="Server"):
    """How the server is reached."""

    port: Annotated[int, port_number()] = PORT
    """The port to listen on."""
    host: str = "127.0.0.1"
    """The address to listen on; the default is this machine only."""
    name: tuple[str, ...] = ()
    """A name by which browsers call the server, instead of its address; repeat."""
    behind_tls: bool = False
    """A proxy in front speaks TLS: cookies only over https."""
    proxy: Annotated[tuple[str, ...], Parameter(metavar="ADDRESS")] = ()
    """A proxy that is believed when it says who calls (X-Forwarded-For); repeat."""
    session_hours: Annotated[float, at_least(0.1)] = 168.0
    """How long evaluators stay logged in."""
    access_log: bool = False
    """Log every request; links are left out."""
    create: bool = False
    """Make the tables if the database is still empty, and serve before any campaign begins."""


def port_number() -> Any:
    """A port that there is."""
    from cyclopts.validators import Number

    return Parameter(validator=Number(gte=1, lte=65535))


def serve(*, database: Database = Database(), server: Server = Server()) -> None:
    """Serve all campaigns of a database until interrupted with Ctrl-C.

    The server is reached from this machine only, unless --host says otherwise. For others, put a
    proxy with TLS in front and say by which name it is called, and from where the proxy calls:
    wrong links are counted by visitor only if the proxy may say who that is.

    Examples:

      patmark human serve

      patmark human serve --behind-tls --name judge.example.org --proxy 127.0.0.1
    """
    try:
        import uvicorn  # noqa: F401  (asked for before anything is said)

        from patmark.campaign import WebSettings, host_names, serve as serve_store
        from patmark.web import LOOPBACK_NAMES
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "a library", "human") from None
    settings = WebSettings(
        hosts=server.name or LOOPBACK_NAMES,
        secure=server.behind_tls,
        proxies=tuple(map(_checked_network, server.proxy)),
        session_seconds=int(server.session_hours * _HOURS),
    )
    host, port = server.host, server.port
    names = host_names(host, settings)
    with database.open(create=server.create) as store:
        _check_free(host, port)
        campaigns = store.campaigns()
        listed = ", ".join(one.name for one in campaigns) or "none yet"
        say(f"campaigns: {listed}")
        listening = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        say(f"serving {database.shown} at http://{listening}; stop with Ctrl-C")
        if server.name or server.behind_tls:
            say(f"requests are answered under the name {' or '.join(names)} only")
        if server.behind_tls and not server.proxy:
            say(
                "warning: --behind-tls without --proxy: wrong links of all visitors are counted as "
                "those of one; name the address of the proxy, such as --proxy 127.0.0.1"
            )
        log_level = "info" if server.access_log else "warning"
        serve_store(store, host, port, settings, log_level=log_level)


def run_server(store: Store, port: int) -> None:
    """Serve on this machine until interrupted, also by a signal that would end the process."""
    import signal

    from patmark.campaign import serve as serve_store

    _check_free("127.0.0.1", port)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    serve_store(store, port=port, log_level="warning")


def _planned(file: str) -> Plan:
    from patmark.campaign import plan_campaign, read_campaign

    return plan_campaign(read_campaign(file))


def _begin(plan: Plan, database: Database, days: int | None, address: str | None) -> Created:
    with database.open(create=True) as store:
        from patmark.campaign import now

        expires = None if days is None else now(days * _DAY)
        return store.create_campaign(plan, expires, address, new_name=True)


def _show_plan(plan: Plan, output: Talk) -> None:
    from patmark.campaign import PlanOverview

    deliver(PlanOverview(plan), output)


def rows_of(made: Mapping[str, Any]) -> str:
    from rich.cells import cell_len, set_cell_size

    named = named_links(made)
    width = max(map(cell_len, named))
    return "".join(f"{set_cell_size(name, width)}  {link}\n" for name, link in named.items())


def _say_links(plan: Plan, made: Mapping[str, Any], links: str | None) -> None:
    if links is None:
        say(f"{plan.name}: private links, shown this once")
        print(rows_of(made), end="")
    else:
        say(f"{plan.name}: private links are in {links}")


@contextmanager
def _private_file(path: str | None) -> Iterator[TextIO]:
    """A new file that only its owner can read, made before there is anything to lose."""
    if path is None:
        yield StringIO()
        return
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            yield file
    except BaseException:
        os.unlink(path)
        raise


def _check_free(host: str, port: int) -> None:
    """Say in plain words that the server cannot listen there, before it starts."""
    import socket

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise UsageError(
            f"cannot listen on {host}:{port}: {reason}; choose another --port"
        ) from None


def _checked_network(address: str) -> str:
    from ipaddress import ip_network

    try:
        return str(ip_network(address))
    except ValueError:
        raise UsageError(
            f"--proxy {address!r}: expected an address as 127.0.0.1 or a network as 10.0.0.0/8"
        ) from None


def status(
    *, campaign: Campaign = Campaign(), sampling: Draws = Draws(), output: Tables = Tables()
) -> None:
    """Show how far everybody is, and how well the evaluators agree; --full adds the checks.

    Rankings are left to patmark human report, which reads the export and finds the same agreement.

    Examples:

      patmark human status

      patmark human status --full --html status.html
    """
    from patmark.campaign import campaign_status

    output.check([])
    with campaign.found() as (store, found):
        state = store.state(found.id)
    deliver(campaign_status(state, sampling.settings), output)


def remind(*, campaign: Campaign = Campaign(), output: Tables = Tables()) -> None:
    """List who has not begun, is late or has stopped, to be written to.

    Late is who has not finished by the deadline of the campaign file; stopped, who saved nothing
    for three days.

    Examples:

      patmark human remind

      patmark human remind --json
    """
    from patmark.campaign import now, reminders

    output.check([])
    with campaign.found() as (store, found):
        state = store.state(found.id)
    deliver(reminders(state, now()), output)


def codes(*, campaign: Campaign = Campaign(), output: Tables = Tables()) -> None:
    """List the completion codes for a crowd platform, and who has earned one.

    A code is earned by who has finished and found as many attention checks as the campaign file
    asks for under completion.

    Example:

      patmark human codes --csv codes.csv
    """
    from patmark.campaign import completions

    output.check([])
    with campaign.found() as (store, found):
        state = store.state(found.id)
    if not state.settings.get("completion"):
        raise UsageError(f"{found.name} has no completion codes; its file has no field completion")
    deliver(completions(state), output)


@group
class Export(Options, heading="Export"):
    """Which judgements are written, and where."""

    out: str
    """The file to write; a folder for mt-metrics-eval."""
    format: str | None = None
    """csv, jsonl, testset, mt-metrics-eval or pearmut; of marked errors annotations, wmt-mqm,
    label-studio or pearmut-log (default: by the name)."""
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
    checks. jsonl holds all that was collected: besides judgements the answers that are none, with
    the reason, marked errors, remarks and flags, what was agreed on and why, times and revisions.
    mt-metrics-eval is a folder with texts and scores of the main phase, pearmut a campaign to judge
    the same texts again. annotations are all marked errors with their texts; wmt-mqm, label-studio
    and pearmut-log are the forms that other tools have for them. testset is the test set with all
    references that evaluators wrote (form write-reference), as patmark score reads it.

    Examples:

      patmark human export --out judgements.csv

      patmark human report judgements.csv

      patmark human export --out folder --format mt-metrics-eval

      patmark human export --out marks.jsonl --format annotations

      patmark human export --out marks.tsv --format wmt-mqm

      patmark human export --out references.jsonl --format testset
    """
    from patmark.campaign import EXPORT_FORMS, campaign_export, parse_phases, write_export
    from patmark.judgements import check_target

    out = wanted.out
    chosen = wanted.format or _form_of(out)
    if chosen not in EXPORT_FORMS:
        raise UsageError(f"--format {chosen!r}: choose from {', '.join(EXPORT_FORMS)}")
    check_files([out], [campaign.db] if "://" not in campaign.db else [])
    check_target(out, overwrite=wanted.overwrite)
    with campaign.found() as (store, found):
        state = store.state(found.id)
    made = campaign_export(state, parse_phases(wanted.phase), with_excluded=wanted.with_excluded)
    notes = write_export(made, chosen, out, wanted.only)
    output.say(*(f"note: {note}" for note in notes), f"wrote {out}")


def _form_of(out: str) -> str:
    from patmark.data import file_format

    if file_format(out) not in ("csv", "jsonl"):
        raise UsageError(f"--out {out}: the name does not tell the form; add --format")
    return file_format(out)
