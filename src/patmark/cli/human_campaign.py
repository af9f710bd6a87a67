"""patmark human validate, new and serve: from a campaign file to a running server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, Annotated, Any, TextIO, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.human_options import (
    ADDRESS,
    DATABASE,
    PORT,
    BaseUrl,
    Db,
    checked_address,
    evaluator_link,
    open_store,
    organiser_link,
    serve_command,
)
from patmark.cli.output import Outputs, say, show
from patmark.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from patmark.campaign import Plan
    from patmark.campaign.store import Created

_File: TypeAlias = Annotated[
    str, typer.Argument(metavar="CAMPAIGN", help="The campaign file: YAML, JSON or TOML.")
]
_HOURS = 3600
_DAY = 24 * _HOURS


def validate(file: _File, as_json: given.AsJson = False, quiet: given.Quiet = False) -> None:
    """Check a campaign file and all files that it names; nothing is written.

    Every problem is listed with its place. If there is none, the plan is shown: pages of each
    evaluator, and how precise the results can be expected to be.

    Example:

      patmark human validate campaign.yaml
    """
    _show_plan(_planned(file), as_json, quiet)


def new(
    file: _File,
    db: Db = DATABASE,
    base_url: BaseUrl = ADDRESS,
    links: Annotated[
        str | None,
        typer.Option(help="Write the links to this new file, which only you can read."),
    ] = None,
    days: Annotated[
        int | None, typer.Option(min=1, help="Links of evaluators end after so many days.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and begin nothing.")
    ] = False,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
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
    address = checked_address(base_url)
    Outputs(as_json=as_json, save=links).check([file])
    if links is not None and os.path.exists(links):
        raise UsageError(f"{links} exists; name a new file for the links")
    plan = _planned(file)
    if dry_run:
        _show_plan(plan, as_json, quiet)
        return
    with _private_file(links) as kept:
        created = _begin(plan, db, days)
        made = _links(address, created)
        kept.write(_rows(made))
    if as_json:
        shown: dict[str, Any] = {"organiser": made["organiser"], "evaluators": made["evaluators"]}
        where = {"links_file": links} if links is not None else {"links": shown}
        _print_json({"campaign": created.campaign, "name": plan.name, **where, **_facts(plan)})
        return
    for note in plan.notes:
        say(f"note: {note}")
    _say_links(plan, made, links)
    if not quiet:
        command = serve_command(address, db)
        say(f"kept in {_place(db)} as {created.campaign}; start the server with: {command}")


def serve(
    db: Db = DATABASE,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = PORT,
    host: Annotated[
        str, typer.Option(help="The address to listen on; the default is this machine only.")
    ] = "127.0.0.1",
    name: Annotated[
        list[str] | None,
        typer.Option("--name", help="A name by which browsers call the server; repeat."),
    ] = None,
    behind_tls: Annotated[
        bool,
        typer.Option("--behind-tls", help="A proxy in front speaks TLS: cookies only over https."),
    ] = False,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            metavar="ADDRESS",
            help="A proxy that is believed when it says who calls (X-Forwarded-For); repeat.",
        ),
    ] = None,
    session_hours: Annotated[
        float, typer.Option(min=0.1, help="How long evaluators stay logged in.")
    ] = 168.0,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Log every request; links are left out.")
    ] = False,
) -> None:
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

        from patmark.campaign.web import WebSettings
        from patmark.campaign.web import serve as run_server
        from patmark.campaign.web.server import check_host
        from patmark.campaign.web.sessions import LOOPBACK_NAMES
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "a library", "human") from None
    settings = WebSettings(
        hosts=(*LOOPBACK_NAMES, *(name or [])),
        secure=behind_tls,
        proxies=tuple(map(_checked_network, proxy or ())),
        session_seconds=int(session_hours * _HOURS),
    )
    check_host(host, settings)
    with open_store(db) as store:
        _check_free(host, port)
        campaigns = store.campaigns()
        listed = ", ".join(one.name for one in campaigns) or "none yet"
        say(f"campaigns: {listed}")
        say(f"serving {_place(db)} at http://{host}:{port}; stop with Ctrl-C")
        run_server(store, host, port, settings, log_level="info" if access_log else "warning")


def _planned(file: str) -> Plan:
    from patmark.campaign import plan_campaign, read_campaign

    return plan_campaign(read_campaign(file))


def _begin(plan: Plan, db: str, days: int | None) -> Created:
    with open_store(db, create=True) as store:
        from patmark.campaign.store.tables import now

        same = [one for one in store.campaigns() if one.name == plan.name]
        if same:
            raise UsageError(
                f"{_place(db)} holds a campaign {plan.name!r} already ({same[0].id}); change the "
                "name in the file, or take another database with --db"
            )
        return store.create_campaign(plan, None if days is None else now(days * _DAY))


def _show_plan(plan: Plan, as_json: bool, quiet: bool) -> None:
    from patmark.campaign.status import PlanOverview

    if as_json:
        _print_json({"name": plan.name, **_facts(plan)})
    elif not quiet:
        show(PlanOverview(plan).to_report(), full=True)


def _facts(plan: Plan) -> dict[str, Any]:
    from patmark.campaign.status import PlanOverview

    return PlanOverview(plan).to_json()


def _links(address: str, created: Created) -> dict[str, Any]:
    return {
        "organiser": organiser_link(address, created.organiser_secret),
        "evaluators": {
            name: evaluator_link(address, token) for name, token in created.links.items()
        },
    }


def _rows(made: Mapping[str, Any]) -> str:
    from rich.cells import cell_len, set_cell_size

    named = {"(organiser)": made["organiser"], **made["evaluators"]}
    width = max(map(cell_len, named))
    return "".join(f"{set_cell_size(name, width)}  {link}\n" for name, link in named.items())


def _say_links(plan: Plan, made: Mapping[str, Any], links: str | None) -> None:
    if links is None:
        say(f"{plan.name}: private links, shown this once")
        print(_rows(made), end="")
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


def _place(db: str) -> str:
    from patmark.campaign.store.database import database_url, shown

    return shown(database_url(db))


def _print_json(result: Mapping[str, Any]) -> None:
    print(json.dumps(result, ensure_ascii=False, indent=2, allow_nan=False))
