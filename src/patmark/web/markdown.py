"""Guidelines from Markdown to HTML: a small part of Markdown, everything else stays text.

Known are headings, paragraphs, lists (one inside another by indent), quotes, tables, fenced code,
rules, and in a line bold, italic, code and links to other sites. Every character of the text is
escaped before any of it becomes markup.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import takewhile

from markupsafe import Markup, escape

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
        for kind in _KINDS:
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
    return any(kind(lines, at) is not None for kind in _KINDS)


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


_KINDS: tuple[Callable[[list[str], int], tuple[str, int] | None], ...] = (
    _heading,
    _rule,
    _fence,
    _quote,
    _table,
    _list,
)
