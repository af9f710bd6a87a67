"""The human commands for campaigns: begin, serve, watch, export, people, links, archive.

Every function opens the database of its request, carries out one command and closes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import parseaddr
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from patmark.data import counted, file_format, read_text, write_atomically
from patmark.errors import MissingExtra, UsageError
from patmark.human.campaign import (
    DEFAULT_PORT,
    EXPORT_FORMS,
    CampaignList,
    PlanOverview,
    SmtpServer,
    campaign_export,
    campaign_status,
    completions,
    created_links,
    default_database,
    evaluator_link,
    is_mail_address,
    join_link,
    links_text,
    local_address,
    mail_links,
    mail_merge,
    mail_reminders,
    now,
    organiser_link,
    parse_phases,
    parse_renaming,
    personal_data,
    plan_campaign,
    read_campaign,
    read_links,
    reminders,
    send_mails,
    write_export,
)
from patmark.human.judgements import check_target
from patmark.options import Argument, Options, Parameter, at_least, group
from patmark.report import to_json_text
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.evaluation import Sampling
    from patmark.human.campaign import (
        CampaignInfo,
        CampaignStatus,
        Completions,
        Extension,
        Mailing,
        Plan,
        Reminders,
        Store,
        WebSettings,
    )

ORGANISER = "organiser"
"""The organiser of a new campaign."""
_THIS_MACHINE = "127.0.0.1"
_BASE_URL = (
    "Public address of the server, stored for later links of the campaign (default: the stored "
    f"one, or {local_address()})."
)
_HOUR = 3600
_DAY = 24 * _HOUR


@group
class DatabaseRequest(Options, heading="Database"):
    """A database of campaigns."""

    db: str = field(default_factory=default_database)
    """Database of campaigns: a file, or a URL such as postgresql://user@host/name (default:
    PATMARK_DB, or campaign.db)."""

    @contextmanager
    def open(self, *, create: bool = False) -> Iterator[Store]:
        """Open the database, and close it at the end of the block."""
        with _store_class().open(self.db, create=create) as store:
            yield store

    @property
    def shown(self) -> str:
        """The database without a password."""
        from patmark.human.campaign import database_url, shown

        return shown(database_url(self.db))


@group
class CampaignRequest(DatabaseRequest):
    """A campaign of a database."""

    campaign: str | None = None
    """Id or name of a campaign, if the database has several."""

    @contextmanager
    def found(self) -> Iterator[tuple[Store, CampaignInfo]]:
        """Open the database, and find the campaign."""
        with self.open() as store:
            yield store, store.find(self.campaign)


@group
class AddressOptions(Options, heading="Links"):
    """Address of the server for evaluators.

    A given address is stored for later links of the campaign. Otherwise the stored address is used,
    or that of this machine.
    """

    base_url: Annotated[str | None, Parameter(help=_BASE_URL)] = None

    @property
    def address(self) -> str | None:
        """The given address in the form to which links are appended."""
        return None if self.base_url is None else checked_address(self.base_url)

    def address_in(self, store: Store, campaign: str | None) -> str:
        """Return the address of the links of a campaign; store it if given."""
        given = self.address
        if campaign is None:
            return given or local_address()
        if given is not None:
            store.set_address(campaign, given)
        return store.address(campaign) or local_address()


@group
class LinkedRequest(CampaignRequest, AddressOptions):
    """A campaign of a database, and the server address of its links."""


def _store_class() -> type[Store]:
    """Return the class of stores, if its libraries are installed."""
    try:
        from patmark.human.campaign import Store
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "a library", "human") from None
    return Store


def checked_address(base_url: str) -> str:
    """Return the address of a server in the form to which links are appended."""
    expected = (
        f"{setting('base_url')} {base_url!r}: expected an address as https://judge.example.org"
    )
    try:
        parts = urlsplit(base_url)
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise UsageError(expected) from None
    if parts.scheme not in ("http", "https") or not has_host or parts.query or parts.fragment:
        raise UsageError(expected)
    if parts.path.strip("/"):
        raise UsageError(
            f"{setting('base_url')} {base_url!r}: the pages must lie at the root of the server"
        )
    return f"{parts.scheme}://{parts.netloc}"


# Beginning a campaign


def validate(file: FilePath) -> PlanOverview:
    """Check a campaign file and all files that it names, and return its plan."""
    return PlanOverview(plan_campaign(read_campaign(file)))


@group
class LinkFile(AddressOptions):
    """Address, duration and file of links."""

    links: str | None = None
    """Write the links to this new file, which only you can read; a .csv is for a mail merge."""
    days: Annotated[int | None, at_least(1)] = None
    """Days until the links of evaluators expire."""
    dry_run: bool = False
    """Show the plan without starting the campaign."""


@group
class NewCampaignRequest(DatabaseRequest, LinkFile):
    """A campaign file, a database, and the links."""

    file: Annotated[str | FilePath, Argument("CAMPAIGN")]
    """The campaign file: YAML, JSON or TOML."""

    def __post_init__(self) -> None:
        if self.links is not None and os.path.exists(self.links):
            raise UsageError(f"{self.links} exists; name a new file for the links")


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """A new campaign with its private links, which are shown once."""

    id: str
    name: str
    address: str
    links: Mapping[str, Any]
    plan: Plan

    @property
    def overview(self) -> PlanOverview:
        """The pages of everybody, and the expected precision."""
        return PlanOverview(self.plan)


def new(request: NewCampaignRequest) -> NewCampaign:
    """Begin a campaign: plan every page and make the private links."""
    given = request.address
    plan = plan_campaign(read_campaign(request.file))
    expires = None if request.days is None else now(request.days * _DAY)
    with _private_file(request.links) as keep, request.open(create=True) as store:
        created = store.create_campaign(plan, expires, given, new_name=True)
        address = given or local_address()
        made = created_links(address, created)
        is_table = request.links is not None and file_format(request.links) == "csv"
        keep(mail_merge(made, plan) if is_table else links_text(made))
    return NewCampaign(created.campaign, plan.name, address, made, plan)


@contextmanager
def _private_file(path: str | None) -> Iterator[Any]:
    """Create a file that only its owner can read, before anything is written."""
    if path is None:
        yield lambda _: None
        return
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            yield file.write
    except BaseException:
        os.unlink(path)
        raise


def extend(request: CampaignRequest, file: FilePath, *, dry_run: bool = False) -> Extension:
    """Add new segments and systems of its file to a running campaign.

    ``dry_run`` plans them and changes nothing.
    """
    settings = read_campaign(file)
    with request.found() as (store, found):
        return store.extend(found.id, settings, dry_run=dry_run)


def clone(request: LinkedRequest, name: str, rename: Sequence[str] = ()) -> NewCampaign:
    """Create a campaign with the people and pages of another, without answers.

    ``rename`` lists OLD=NEW: NEW replaces OLD.
    """
    renamed = parse_renaming(rename)
    with request.found() as (store, found):
        made = store.clone(found.id, name.strip(), renamed)
        address = request.address_in(store, made.campaign)
        plan = store.plan(made.campaign)
    return NewCampaign(made.campaign, plan.name, address, created_links(address, made), plan)


# Serving


def port_number() -> Any:
    """Return the parameter of a port."""
    from cyclopts.validators import Number

    return Parameter(validator=Number(gte=1, lte=65535))


@group
class ServerOptions(Options, heading="Server"):
    """Address and names of the server."""

    port: Annotated[int, port_number()] = DEFAULT_PORT
    """The port to listen on."""
    host: str = _THIS_MACHINE
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


@group
class ServeRequest(DatabaseRequest, ServerOptions):
    """Address of a campaign server; reachable from this machine only unless ``host`` is set."""

    @property
    def address(self) -> str:
        """The address on which the server listens."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class CampaignServer:
    """A server that is ready to run, its host names, and warnings about it."""

    request: ServeRequest
    store: Store
    settings: WebSettings
    names: tuple[str, ...]
    warnings: tuple[str, ...] = ()

    def run(self) -> None:
        """Serve until interrupted."""
        from patmark.human.campaign import serve as serve_store

        log_level = "info" if self.request.access_log else "warning"
        serve_store(
            self.store, self.request.host, self.request.port, self.settings, log_level=log_level
        )


@contextmanager
def server(request: ServeRequest) -> Iterator[CampaignServer]:
    """Prepare a server of all campaigns of a database; refuse invalid settings."""
    try:
        import uvicorn  # noqa: F401  (checked before any output)

        from patmark.human.campaign import WebSettings, host_names
        from patmark.web import LOOPBACK_NAMES
    except ModuleNotFoundError as error:
        raise MissingExtra(error.name or "a library", "human") from None
    settings = WebSettings(
        hosts=request.name or LOOPBACK_NAMES,
        secure=request.behind_tls,
        proxies=tuple(map(_checked_network, request.proxy)),
        session_seconds=int(request.session_hours * _HOUR),
    )
    names = host_names(request.host, settings)
    warnings = []
    if request.behind_tls and not request.proxy:
        warnings.append(
            f"warning: {setting('behind_tls')} without {setting('proxy')}: wrong links of all "
            "visitors are counted as those of one; name the address of the proxy, such as "
            f"{setting('proxy', _THIS_MACHINE)}"
        )
    with request.open(create=request.create) as store:
        _check_free(request.host, request.port)
        yield CampaignServer(request, store, settings, names, tuple(warnings))


@contextmanager
def demo(port: int = DEFAULT_PORT) -> Iterator[tuple[CampaignServer, str, list[NewCampaign]]]:
    """Prepare a server with two invented campaigns, deleted at the end of the block.

    Yield the server, the link of the organiser of all campaigns, and the campaigns.
    """
    from patmark.human.campaign import begin_demo

    address = local_address(port)
    with TemporaryDirectory(prefix="patmark-demo-") as folder:
        request = ServeRequest(db=f"{folder}/demo.db", port=port, create=True)
        with server(request) as ready:
            secret, made = begin_demo(ready.store, address)
            begun = [
                NewCampaign(
                    one.campaign,
                    name,
                    address,
                    created_links(address, one),
                    ready.store.plan(one.campaign),
                )
                for name, one in made.items()
            ]
            yield ready, organiser_link(address, secret), begun


def _check_free(host: str, port: int) -> None:
    """Refuse a port on which the server cannot listen, before it starts."""
    import socket

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise UsageError(
            f"cannot listen on {host}:{port}: {reason}; choose another {setting('port')}"
        ) from None


def _checked_network(address: str) -> str:
    """Return the address of a proxy, or of its network."""
    from ipaddress import ip_network

    try:
        return str(ip_network(address))
    except ValueError:
        raise UsageError(
            f"{setting('proxy')} {address!r}: expected an address as 127.0.0.1 or a network as "
            "10.0.0.0/8"
        ) from None


# Watching and exporting


def list_campaigns(request: DatabaseRequest, *, archived: bool = False) -> CampaignList:
    """List the campaigns of a database with their progress, newest first."""
    with request.open() as store:
        every = store.overview()
    listed = tuple(one for one in every if archived or one.info.archived is None)
    return CampaignList(listed, len(every) - len(listed))


def status(request: CampaignRequest, sampling: Sampling | None = None) -> CampaignStatus:
    """Return the progress of everybody, and the agreement of the evaluators."""
    with request.found() as (store, found):
        return campaign_status(store.state(found.id), sampling)


def remind(request: CampaignRequest) -> Reminders:
    """List evaluators who have not begun, are late or have stopped."""
    with request.found() as (store, found):
        return reminders(store.state(found.id), now())


SMTP_VARIABLE = "PATMARK_SMTP"
"""The variable with the address of the mail server, so that no process list shows its password."""


@group
class MailOptions(Options, heading="Mail"):
    """Kind, text and server of mails."""

    remind: bool = False
    """Write to evaluators who have not begun, are late or have stopped."""
    sender: Annotated[str | None, Parameter(metavar="ADDRESS")] = None
    """Sender address (default: the contact of the campaign file)."""
    text: Annotated[str | FilePath | None, Parameter(metavar="FILE")] = None
    """Custom text with {name}, {campaign}, {link}, {pages}, {done}, {deadline} and {contact}."""
    smtp: Annotated[str | None, Parameter(metavar="URL")] = None
    """Mail server, such as smtps://user:password@host or smtp://localhost:25 (default: the variable
    PATMARK_SMTP, which keeps the password out of the process list)."""
    send: Annotated[str | None, Parameter(metavar="CODE")] = None
    """Send the mails of the preview with this code."""


@group
class MailRequest(MailOptions, CampaignRequest):
    """Mails to evaluators: links of a table, or reminders."""

    links: Annotated[str | FilePath | None, Argument()] = None
    """The table of links (CSV) that patmark human new wrote."""

    def __post_init__(self) -> None:
        if self.links is None and not self.remind:
            raise UsageError(f"name the table of links, or add {setting('remind')}")


def mail(request: MailRequest) -> Mailing:
    """Write mails with links or reminders, and send them if their preview was seen."""
    with request.found() as (store, found):
        state = store.state(found.id)
        sender = request.sender or str(state.settings.get("contact") or "")
        if not (sender.isprintable() and is_mail_address(parseaddr(sender)[1])):
            raise UsageError(
                f"{setting('sender')}: expected a mail address, such as ann@example.org"
            )
        text = None if request.text is None else read_text(request.text)
        links = {} if request.links is None else _working_links(store, found, request.links)
        if request.remind:
            made = mail_reminders(state, now(), sender, links, text)
        else:
            made = mail_links(state, links, sender, text)
        if request.send is None:
            return made
        address = request.smtp or os.environ.get(SMTP_VARIABLE)
        if not address:
            raise UsageError(f"name the mail server with {setting('smtp')} or {SMTP_VARIABLE}")
        sent = send_mails(made, SmtpServer.parse(address), request.send)
        store.record_mails(found.id, sent.kind, sent.reached)
        return sent


def _working_links(store: Store, found: CampaignInfo, path: FilePath) -> dict[str, str]:
    """Read a table of links, which must be those currently valid."""
    links = read_links(read_text(path).splitlines(), str(path))
    for name, one in links.items():
        owner = store.evaluator_of(one.rpartition("/")[2])
        if owner is None or (owner.campaign, owner.name) != (found.id, name):
            raise UsageError(
                f"{path}: the link of {name!r} does not lead to {found.name!r} any more"
            )
    return links


def codes(request: CampaignRequest) -> Completions:
    """List the completion codes for a crowd platform, and the evaluators who earned one."""
    with request.found() as (store, found):
        state = store.state(found.id)
    if not state.settings.get("completion"):
        raise UsageError(f"{found.name} has no completion codes; its file has no field completion")
    return completions(state)


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


@group
class ExportRequest(ExportOptions, CampaignRequest):
    """The judgements of a campaign to be written."""

    def __post_init__(self) -> None:
        if self.evaluator is not None and (self.format or self.only or self.with_excluded):
            raise UsageError(f"{setting('evaluator')} writes everything about a person, as JSON")

    @property
    def form(self) -> str:
        """The format of the export: the given one, or that of the file name."""
        if self.format is None and file_format(self.out) not in ("csv", "jsonl"):
            raise UsageError(
                f"{setting('out')} {self.out}: the format is unknown; add {setting('format')}"
            )
        form = self.format or file_format(self.out)
        if form not in EXPORT_FORMS:
            raise UsageError(f"{setting('format')} {form!r}: choose from {', '.join(EXPORT_FORMS)}")
        return form


def export(request: ExportRequest) -> tuple[str, ...]:
    """Write the judgements of a campaign, and return notes for their readers."""
    form = "json" if request.evaluator else request.form
    if "://" not in request.db and Path(request.out).resolve() == Path(request.db).resolve():
        raise UsageError(f"{request.out} is an input; it would be overwritten")
    if not Path(request.out).absolute().parent.is_dir():
        raise UsageError(f"{request.out} cannot be written: its folder does not exist")
    check_target(request.out, overwrite=request.overwrite)
    with request.found() as (store, found):
        state = store.state(found.id)
        if request.evaluator is not None:
            found_data = personal_data(store, state, request.evaluator)
            write_atomically(request.out, to_json_text(found_data) + "\n")
            return ()
    phases = parse_phases(request.phase)
    made = campaign_export(state, phases, with_excluded=request.with_excluded)
    return write_export(made, form, request.out, request.only)


# People and their links


@dataclass(frozen=True, slots=True)
class NewEvaluator:
    """An evaluator who was added, the private link, and the number of pages."""

    name: str
    link: str
    pages: int


def add_evaluator(
    request: LinkedRequest, name: str, like: str | None = None, mail: str | None = None
) -> NewEvaluator:
    """Add an evaluator to a campaign that has begun.

    ``like`` names an evaluator whose pages the new one judges too; otherwise there is only the
    training. ``mail`` is the mail address.
    """
    if mail is not None and not is_mail_address(mail):
        raise UsageError(f"{setting('mail')} {mail!r}: expected an address as ann@example.org")
    with request.found() as (store, found):
        address = request.address_in(store, found.id)
        token, count = store.add_evaluator(found.id, name, like)
        if mail is not None:
            store.set_mail_address(found.id, name, mail)
    return NewEvaluator(name, evaluator_link(address, token), count)


def replace_evaluator(request: LinkedRequest, leaver: str, name: str) -> NewEvaluator:
    """Reassign the pages of a leaving evaluator to a new one, and end the old access."""
    with request.found() as (store, found):
        address = request.address_in(store, found.id)
        token, count = store.replace_evaluator(found.id, leaver, name)
    return NewEvaluator(name, evaluator_link(address, token), count)


def add_organiser(
    request: LinkedRequest, name: str, *, everywhere: bool = False
) -> tuple[CampaignInfo | None, str]:
    """Add an organiser of a campaign, or of all; return the campaign and the private link."""
    with request.open() as store:
        found = None if everywhere else store.find(request.campaign)
        campaign = found.id if found else None
        secret = store.add_organiser(campaign, name)
        return found, organiser_link(request.address_in(store, campaign), secret)


@group
class LinkOwner(Options, heading="Link"):
    """Owner of the link."""

    organiser: bool = False
    """A new link for an organiser instead."""
    everywhere: bool = False
    """An organiser of all campaigns."""
    join: bool = False
    """A new common link for joining; evaluators who joined by the old one stay."""
    revoke: bool = False
    """End all access; no new link."""


@group
class LinkRequest(LinkOwner, LinkedRequest):
    """A link to be renewed or ended: of an evaluator or an organiser, or for joining."""

    name: Annotated[str | None, Argument()] = None
    """Name of the evaluator or organiser (default for organisers: organiser)."""

    def __post_init__(self) -> None:
        if self.join:
            if self.name is not None or self.organiser or self.everywhere:
                raise UsageError(
                    f"{setting('join')} is for whoever comes: without a name, and not for "
                    "organisers"
                )
            return
        if self.everywhere and not self.organiser:
            raise UsageError(
                f"{setting('everywhere')} is for organisers: add {setting('organiser')}"
            )
        if self.name is None and (not self.organiser or self.revoke or self.everywhere):
            raise UsageError(
                f"name whose link it is; without a name only {setting('organiser')} alone"
            )


@dataclass(frozen=True, slots=True)
class ChangedLink:
    """A link that was renewed or ended; ``name`` is None for the common link."""

    name: str | None
    link: str | None


def link(request: LinkRequest) -> ChangedLink:
    """Renew or revoke a private link; the old one and its sessions become invalid."""
    who = request.name or (None if request.join else ORGANISER)
    with request.open() as store:
        found = None if request.everywhere else store.find(request.campaign)
        campaign = found.id if found else None
        if request.revoke:
            _end_link(store, request, campaign, who)
            return ChangedLink(who, None)
        address = request.address_in(store, campaign)
        if request.organiser and who:
            secret = store.new_organiser_secret(campaign, who)
            return ChangedLink(who, organiser_link(address, secret))
        if campaign and who:
            return ChangedLink(who, evaluator_link(address, store.new_token(campaign, who)))
        return ChangedLink(None, join_link(address, store.new_join_secret(campaign or "")))


def _end_link(store: Store, request: LinkRequest, campaign: str | None, who: str | None) -> None:
    """End a private or the common link."""
    if request.organiser and who:
        store.revoke_organiser(campaign, who)
    elif campaign and who:
        store.revoke(campaign, who)
    elif campaign:
        store.revoke_join(campaign)


def forget(request: CampaignRequest, name: str, *, yes: bool = False) -> int:
    """Delete everything about an evaluator, and return the number of deleted answers.

    It cannot be undone, and needs ``yes``.
    """
    with request.found() as (store, found):
        if name not in [one.name for one in store.evaluators(found.id)]:
            raise UsageError(f"campaign {found.name!r} has no evaluator {name!r}")
        count = len(store.answers(found.id, name))
        if not yes:
            raise UsageError(
                f"this would delete {name!r} with {counted(count, 'answer')} for ever; "
                f"add {setting('yes')} to do it"
            )
        store.forget(found.id, name)
    return count


# Campaigns as a whole


def close(request: CampaignRequest) -> CampaignInfo:
    """Close a campaign: nobody can answer any more. Nothing is deleted."""
    with request.found() as (store, found):
        if not store.close_campaign(found.id):
            raise UsageError(f"{found.name} is closed already, since {found.closed}")
        return store.campaign(found.id)


def reopen(request: CampaignRequest) -> CampaignInfo:
    """Open a closed campaign again."""
    with request.found() as (store, found):
        if not store.reopen(found.id):
            raise UsageError(f"{found.name} is open already")
        return store.campaign(found.id)


def archive(request: CampaignRequest, *, undo: bool = False) -> CampaignInfo:
    """Close a campaign and hide it from lists, or list it again. Nothing is deleted."""
    with request.found() as (store, found):
        (store.unarchive if undo else store.archive)(found.id)
        return store.campaign(found.id)


def answers_to_delete(request: CampaignRequest) -> tuple[CampaignInfo, int]:
    """Return the campaign that ``delete`` would delete, and the number of its answers."""
    with request.found() as (store, found):
        return found, len(store.answers(found.id))


def delete(request: CampaignRequest, confirm: str | None) -> tuple[CampaignInfo, int]:
    """Delete a campaign for ever; ``confirm`` must be its name.

    Return the campaign and the number of deleted answers.
    """
    found, count = answers_to_delete(request)
    if confirm != found.name:
        raise UsageError(
            f"nothing was deleted; to delete {found.name!r} with {counted(count, 'answer')} for "
            f"ever, confirm with its name: {setting('confirm', 'NAME')}"
        )
    with replace(request, campaign=found.id).open() as store:
        store.delete_campaign(found.id)
    return found, count


def backup(request: DatabaseRequest, out: str | Path) -> None:
    """Copy all campaigns to a new file, even while they are running."""
    with request.open() as store:
        store.backup(out)


def migrate(request: DatabaseRequest) -> int:
    """Migrate the database of an older patmark, and return the number of its campaigns."""
    with _store_class().migrate(request.db) as store:
        return len(store.campaigns())
