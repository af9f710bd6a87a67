"""Pages from templates, in the language of the reader, with addresses of the bundled files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import takewhile
from typing import Any, TypeAlias

from fastapi import HTTPException, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from patmark.campaign.form import LANGUAGES
from patmark.campaign.state import planned_language
from patmark.campaign.web.sessions import app_state, session_of

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
    for file in (resources.files("patmark.campaign.web") / "static").iterdir():
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
        loader=PackageLoader("patmark.campaign.web"),
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
    settings = app_state(request).store.settings(campaign)
    request.state.planned_language = planned_language(settings, evaluator)


def _planned_language(request: Request) -> str | None:
    """The language of the campaign file, read before if the page needed the campaign anyway."""
    if hasattr(request.state, "planned_language"):
        planned: str | None = request.state.planned_language
        return planned
    session = session_of(request)
    if session is None or session.evaluator is None:
        return None
    settings = app_state(request).store.settings(session.campaign)
    return planned_language(settings, session.evaluator)


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


Phrase: TypeAlias = Callable[..., str]
"""Gives the text of a key in one language; names in braces are filled in."""


@cache
def all_words() -> Mapping[str, Mapping[str, str]]:
    """Every text of the interface by key, then by language."""
    file = resources.files("patmark.campaign.web") / "words.json"
    words: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return words


def phrases(language: str) -> Phrase:
    """The texts of one language."""
    return phrases_of(all_words(), language)


def phrases_of(words: Mapping[str, Mapping[str, str]], language: str) -> Phrase:
    """Some texts in one language."""

    def phrase(key: str, **values: object) -> str:
        return words[key][language].format(**values) if values else words[key][language]

    return phrase


def starting_with(prefixes: tuple[str, ...], language: str) -> dict[str, str]:
    """The texts that a script needs, with their names in braces."""
    return {key: texts[language] for key, texts in all_words().items() if key.startswith(prefixes)}


def preferred_language(chosen: str | None, planned: str | None, accepted: str) -> str:
    """The language that was chosen, else the planned one, else one for the browser, else English.

    The person chooses on the page; the campaign file plans; the browser names what it accepts.
    """
    for wanted in (chosen, planned):
        if wanted in LANGUAGES:
            return wanted
    for part in accepted.split(","):
        code = part.partition(";")[0].strip().lower().partition("-")[0]
        if code in LANGUAGES:
            return code
    return "en"


def in_language(words: Mapping[str, str], language: str) -> str:
    """A text of a form: in the language of the interface, else in English, else in any."""
    return words.get(language) or words.get("en") or next(iter(words.values()), "")


@cache
def organiser_words() -> Mapping[str, Mapping[str, str]]:
    """Every text of the organiser's pages by key, then by language."""
    file = resources.files("patmark.campaign.web") / "organiser_words.json"
    words: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return words


def organiser_phrases(language: str) -> Phrase:
    """The texts of one language."""
    return phrases_of(organiser_words(), language)


_HEADING = re.compile(r"(#{1,4}) +(.+?) *#*")
_ITEM = re.compile(r"( *)(?:([-*+])|(\d{1,9})[.)]) +(.*)")
_RULE = re.compile(r" *(?:(?:- *){3,}|(?:\* *){3,})")
_TABLE_RULE = re.compile(r"\|?(?: *:?-+:? *\|)+ *(?::?-+:? *)?")
_CODE = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^\s()]+)\)")
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_ITALIC = re.compile(r"(?<![*\w])\*(?=[^\s*])(.+?)(?<=[^\s*])\*(?![*\w])")
_KEPT = re.compile("\x00(\\d+)\x00")


def to_markup(text: str) -> Markup:
    """The text as HTML, with headings one level lower than they are written."""
    lines = text.replace("\x00", "").expandtabs(4).splitlines()
    return Markup("\n".join(_blocks(lines)))


def _blocks(lines: list[str]) -> list[str]:
    html: list[str] = []
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        for kind in _BLOCK_KINDS:
            found = kind(lines, at)
            if found is not None:
                block, at = found
                html.append(block)
                break
        else:
            block, at = _paragraph(lines, at)
            html.append(block)
    return html


def _heading(lines: list[str], at: int) -> tuple[str, int] | None:
    found = _HEADING.fullmatch(lines[at].strip())
    if found is None:
        return None
    level = len(found[1]) + 1
    return f"<h{level}>{_inline(found[2])}</h{level}>", at + 1


def _rule(lines: list[str], at: int) -> tuple[str, int] | None:
    return ("<hr>", at + 1) if _RULE.fullmatch(lines[at]) else None


def _fence(lines: list[str], at: int) -> tuple[str, int] | None:
    if not lines[at].startswith("```"):
        return None
    inside = list(takewhile(lambda line: not line.startswith("```"), lines[at + 1 :]))
    return f"<pre>{escape(chr(10).join(inside))}</pre>", at + len(inside) + 2


def _quote(lines: list[str], at: int) -> tuple[str, int] | None:
    inside = list(takewhile(lambda line: line.startswith(">"), lines[at:]))
    if not inside:
        return None
    html = "\n".join(_blocks([line[1:].removeprefix(" ") for line in inside]))
    return f"<blockquote>{html}</blockquote>", at + len(inside)


def _table(lines: list[str], at: int) -> tuple[str, int] | None:
    if "|" not in lines[at] or at + 1 == len(lines) or not _TABLE_RULE.fullmatch(lines[at + 1]):
        return None
    body = list(takewhile(lambda line: "|" in line, lines[at + 2 :]))
    head = "".join(f'<th scope="col">{_inline(cell)}</th>' for cell in _cells(lines[at]))
    rows = "".join(
        "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in _cells(line)) + "</tr>"
        for line in body
    )
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="scroll" tabindex="0">{table}</div>', at + 2 + len(body)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _list(lines: list[str], at: int) -> tuple[str, int] | None:
    first = _ITEM.fullmatch(lines[at])
    if first is None:
        return None
    indent, ordered = len(first[1]), first[3] is not None
    items: list[list[str]] = []
    while at < len(lines):
        item = _ITEM.fullmatch(lines[at])
        deeper = lines[at].startswith(" " * (indent + 2))
        if item is not None and len(item[1]) == indent and (item[3] is not None) == ordered:
            items.append([item[4]])
        elif lines[at].strip() and (deeper or item is None) and lines[at - 1].strip():
            items[-1].append(lines[at][indent + 2 :] if deeper else lines[at].strip())
        else:
            break
        at += 1
    tag = f'ol start="{int(first[3])}"' if ordered else "ul"
    html = "".join(f"<li>{_item(item)}</li>" for item in items)
    return f"<{tag}>{html}</{tag[:2]}>", at


def _item(lines: list[str]) -> str:
    """The text of an item, and the list inside it if there is one."""
    text = list(takewhile(lambda line: not _ITEM.fullmatch(line), lines[1:]))
    below = [line.removeprefix(" ") for line in lines[1 + len(text) :]]
    inner = "\n".join(_blocks(below)) if below else ""
    return _inline("\n".join([lines[0], *text])) + inner


def _paragraph(lines: list[str], at: int) -> tuple[str, int]:
    end = at + 1
    while end < len(lines) and lines[end].strip() and not _starts_block(lines, end):
        end += 1
    return f"<p>{_inline(chr(10).join(line.strip() for line in lines[at:end]))}</p>", end


def _starts_block(lines: list[str], at: int) -> bool:
    return any(kind(lines, at) is not None for kind in _BLOCK_KINDS)


def _inline(text: str) -> str:
    """One line with its marks. Code and links are set aside, so that no mark reaches into them."""
    kept: list[str] = []

    def keep(html: str) -> str:
        kept.append(html)
        return f"\x00{len(kept) - 1}\x00"

    line = str(escape(text))
    line = _CODE.sub(lambda found: keep(f"<code>{found[1]}</code>"), line)
    line = _LINK.sub(
        lambda found: (
            keep(f'<a href="{found[2]}" rel="noreferrer noopener" target="_blank">')
            + found[1]
            + keep("</a>")
        ),
        line,
    )
    line = _BOLD.sub(r"<strong>\1</strong>", line)
    line = _ITALIC.sub(r"<em>\1</em>", line)
    return _KEPT.sub(lambda found: kept[int(found[1])], line)


_BLOCK_KINDS: tuple[Callable[[list[str], int], tuple[str, int] | None], ...] = (
    _heading,
    _rule,
    _fence,
    _quote,
    _table,
    _list,
)
