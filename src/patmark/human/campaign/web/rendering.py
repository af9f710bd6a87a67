"""Pages from templates in the language of the reader: words, guidelines and bundled files."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from patmark.data import NO_CATEGORY
from patmark.human.campaign.form import in_any_language
from patmark.human.campaign.records import to_the_minute
from patmark.human.campaign.state import planned_field
from patmark.human.campaign.web.page_view import text_blocks
from patmark.human.campaign.web.sessions import (
    app_state,
    read_cookie,
    root_of,
    route_of,
    session_of,
    write_cookie,
)
from patmark.report import cell_text, numeric_columns
from patmark.web import Assets, preferred_language
from patmark.wording import LANGUAGES, Text, speaker, tr, translated

LANGUAGE_COOKIE = "patmark-language"


assets = Assets("patmark.human.campaign.web")


def _exact(text: str) -> Markup:
    """Escape a text so that its number of characters stays the same in the browser."""
    return Markup(str(escape(text)).replace("\r", "&#13;").replace("\0", "\ufffd"))


class KeptParts:
    """Rendered parts that all pages of a campaign share; the form of a campaign never changes."""

    _MOST = 5_000

    def __init__(self) -> None:
        self._parts: dict[Any, Markup] = {}

    def get(self, key: Any) -> Markup | None:
        """Return a part that was rendered before."""
        return self._parts.get(key)

    def keep(self, key: Any, part: Markup) -> Markup:
        """Keep a part, and return it."""
        if len(self._parts) >= self._MOST:
            self._parts.clear()
        self._parts[key] = part
        return part


@cache
def _environment(language: str) -> Environment:
    """Return the templates of a language.

    ``tr`` translates texts of templates, ``said`` those of a form, ``cell`` titles of a report's
    table, and ``shown_cell`` formats its cells.
    """
    environment = Environment(
        loader=PackageLoader("patmark.human.campaign.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["kept"] = KeptParts()
    environment.filters["exact"] = _exact
    environment.globals["asset"] = assets.address
    environment.globals["no_category"] = NO_CATEGORY
    environment.globals["text_blocks"] = text_blocks
    environment.globals["language"] = language
    environment.globals["languages"] = LANGUAGES
    environment.globals["tr"] = speaker(language)
    environment.globals["cell"] = lambda text: translated(text, language)
    environment.globals["number_columns"] = numeric_columns
    environment.globals["shown_cell"] = lambda cell, column: translated(
        cell if isinstance(cell, str) else cell_text(cell, column.decimals, p_value=column.p_value),
        language,
    )
    environment.globals |= {"number": number, "interval": interval, "moment": moment}
    environment.globals["said"] = lambda words: in_language(words, language)
    return environment


def language_of(request: Request) -> str:
    """Return the language of the interface, found once per request.

    It is the chosen one, else that of the evaluator in the campaign file, else that of the browser.
    """
    if not hasattr(request.state, "language"):
        chosen = read_cookie(request, LANGUAGE_COOKIE)
        planned = None if chosen in LANGUAGES else _planned_language(request)
        accepted = request.headers.get("accept-language", "")
        request.state.language = preferred_language(chosen, planned, accepted)
    language: str = request.state.language
    return language


def keep_language(request: Request, response: Response, language: str) -> None:
    """Remember the language of the interface on this device, if it is one of ours."""
    if language in LANGUAGES:
        write_cookie(request, response, LANGUAGE_COOKIE, language)


def _way_back(request: Request) -> str:
    """Return the address of the page; for the answer to a form, of the page with all forms."""
    if request.method == "GET":
        return request.url.path + (f"?{request.url.query}" if request.url.query else "")
    page = "/organiser" if route_of(request).startswith("/organiser") else "/"
    return root_of(request) + page


def name_reader(request: Request, campaign: str, evaluator: str) -> None:
    """Set the reader of a page if the request has no session, or that of another person."""
    settings = app_state(request).store.settings(campaign)
    request.state.planned_language = planned_field(settings, evaluator, "language")


def _planned_language(request: Request) -> str | None:
    if hasattr(request.state, "planned_language"):
        planned: str | None = request.state.planned_language
        return planned
    session = session_of(request)
    if session is None or session.evaluator is None or session.campaign is None:
        return None
    settings = app_state(request).store.settings(session.campaign)
    return planned_field(settings, session.evaluator, "language")


def render(request: Request, template: str, status: int = 200, **content: Any) -> HTMLResponse:
    """Render a page in the language of its reader."""
    page = (
        _environment(language_of(request))
        .get_template(template)
        .render(
            path=route_of(request),
            root=root_of(request),
            back=_way_back(request),
            session=session_of(request),
            **content,
        )
    )
    return HTMLResponse(page.encode("utf-8", "replace"), status)


def message_page(request: Request, heading: Text, text: Text, status: int) -> HTMLResponse:
    """Render a page with a message only."""
    return render(request, "message.html.j2", status, heading=heading, text=text)


CLOSED = (
    tr("Please open your private link"),
    tr(
        "You are not signed in, or your session has ended. Open the link that you received from "
        "the organiser. Your saved answers are safe."
    ),
)
"""The heading and the text for people without a session."""


def in_language(words: Mapping[str, str], language: str) -> str:
    """Return a text of a form: in the language of the interface, else in English, else in any."""
    return words.get(language) or in_any_language(words)


_LEFT_OUT = ("code", "lheading", "reference", "image", "html_block", "html_inline")
"""Parts of Markdown that guidelines do not use: their marks stay in the text."""
_LOWEST_HEADING = 5


@cache
def _markdown() -> MarkdownIt:
    """Return Markdown for guidelines: no HTML, no images, links to other sites only."""
    markdown = (
        MarkdownIt("commonmark", {"html": False, "xhtmlOut": False})
        .enable("table")
        .disable(_LEFT_OUT)
    )
    markdown.validateLink = lambda url: url.startswith(("http://", "https://"))  # type: ignore[method-assign]
    markdown.add_render_rule("fence", _render_fence)
    markdown.add_render_rule("hardbreak", lambda *_: "\n")
    markdown.add_render_rule("table_open", lambda *_: '<div class="scroll" tabindex="0"><table>\n')
    markdown.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return markdown


def to_markup(text: str) -> Markup:
    """Convert Markdown to HTML, with headings one level lower than they are written."""
    markdown = _markdown()
    tokens = markdown.parse(text.replace("\x00", ""))
    for token in tokens:
        if token.type.startswith("heading_"):
            token.tag = f"h{min(int(token.tag[1]) + 1, _LOWEST_HEADING)}"
        elif token.type in ("th_open", "td_open"):
            token.attrs = {"scope": "col"} if token.tag == "th" else {}
        for part in token.children or ():
            if part.type == "link_open":
                safe = {"rel": "noreferrer noopener", "target": "_blank"}
                part.attrs = {"href": part.attrs["href"], **safe}
    return Markup(markdown.renderer.render(tokens, markdown.options, {}).rstrip("\n"))


def _render_fence(self: Any, tokens: Any, place: int, options: Any, env: Any) -> str:
    code: str = tokens[place].content.rstrip("\n")
    return f"<pre>{escape(code)}</pre>\n"


NOTHING = "–"


def number(value: float | None, digits: int = 2) -> str:
    """Format a number, or a dash where there is none."""
    return NOTHING if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def interval(ci: tuple[float, float] | None, digits: int = 2) -> str:
    """Format an interval in brackets, or a dash."""
    if ci is None or not all(map(math.isfinite, ci)):
        return NOTHING
    return f"[{ci[0]:.{digits}f}, {ci[1]:.{digits}f}]"


def moment(time: str | None) -> str:
    """Format a time to the minute, or a dash."""
    return to_the_minute(time) or NOTHING
