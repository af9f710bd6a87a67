"""Pages from templates, in the language of the reader, with addresses of the bundled files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from fastapi import HTTPException, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from patmark.human.campaign.form import LANGUAGES
from patmark.web.sessions import room_of, session_of
from patmark.web.words import all_words, in_language, phrases, preferred_language

LANGUAGE_COOKIE = "patmark-language"
_KINDS = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_FROM_REPORT = ("report.css", "theme.js")
_A_YEAR = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Asset:
    """A bundled file: what it holds, what it is, and a mark that changes with it."""

    content: bytes
    kind: str
    mark: str


@cache
def assets() -> Mapping[str, Asset]:
    """All bundled files by name. Only these are ever sent: no path of a request reaches a disk.

    The style of the report serves here, too, so that all pages of patmark look alike.
    """
    report = resources.files("patmark.report") / "templates"
    files = {name: report / name for name in _FROM_REPORT}
    for file in (resources.files("patmark.web") / "static").iterdir():
        if file.name.rpartition(".")[2] in _KINDS:
            files[file.name] = file
    contents = {name: file.read_bytes() for name, file in sorted(files.items())}
    mark = hashlib.sha256(b"\0".join(contents.values())).hexdigest()[:12]
    return {
        name: Asset(content, _KINDS[name.rpartition(".")[2]], mark)
        for name, content in contents.items()
    }


def asset_response(mark: str, name: str) -> Response:
    """A bundled file. Its address holds the mark, so that it may be kept for ever."""
    asset = assets().get(name)
    if asset is None or asset.mark != mark:
        raise HTTPException(404)
    caching = {"Cache-Control": f"private, max-age={_A_YEAR}, immutable"}
    return Response(asset.content, media_type=asset.kind, headers=caching)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("patmark.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["asset"] = lambda name: f"/static/{assets()[name].mark}/{name}"
    names = all_words()["language.name"]
    environment.globals["languages"] = [(code, names[code]) for code in LANGUAGES]
    return environment


def language_of(request: Request) -> str:
    """The language of the interface: the one chosen, else that of the evaluator in the campaign
    file, else what the browser accepts; found once per request.
    """
    if not hasattr(request.state, "language"):
        chosen = request.cookies.get(LANGUAGE_COOKIE)
        planned = None if chosen in LANGUAGES else _planned_language(request)
        accepted = request.headers.get("accept-language", "")
        request.state.language = preferred_language(chosen, planned, accepted)
    language: str = request.state.language
    return language


def name_reader(request: Request, campaign: str, evaluator: str) -> None:
    """Say who reads the page of a request that has no session yet, or somebody else's."""
    request.state.reader = campaign, evaluator


def _planned_language(request: Request) -> str | None:
    if hasattr(request.state, "reader"):
        campaign, evaluator = request.state.reader
    else:
        session = session_of(request)
        if session is None or session.evaluator is None:
            return None
        campaign, evaluator = session.campaign, session.evaluator
    return room_of(request).store.language_of(campaign, evaluator)


def render(request: Request, template: str, status: int = 200, **content: Any) -> HTMLResponse:
    """A page. ``t`` gives the words of the interface in a template, ``said`` those of a form."""
    language = language_of(request)
    page = (
        _environment()
        .get_template(template)
        .render(
            t=phrases(language),
            said=lambda words: in_language(words, language),
            language=language,
            path=request.url.path,
            session=session_of(request),
            **content,
        )
    )
    return HTMLResponse(page.encode("utf-8", "replace"), status)


def message_page(request: Request, key: str, status: int, **values: object) -> HTMLResponse:
    """A page that only says something: the title and text of a key."""
    return render(request, "message.html.j2", status, key=key, values=values)
