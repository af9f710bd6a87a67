"""What every HTML page of patmark has: one file, no network, only the scripts that it names."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from patmark._version import __version__
from patmark.data import Cell, Column, Estimate
from patmark.errors import UsageError
from patmark.report.formatting import DASH, interval_text, is_number, value_text
from patmark.text import has_han, has_kana

if TYPE_CHECKING:
    from jinja2 import Environment

FINDINGS_SHOWN = 6
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class Bar:
    """A value drawn on a scale, all in percent of its length; ``ci`` is (left, width)."""

    left: float
    width: float
    ci: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell as a page shows it."""

    text: str
    interval: str = ""
    numeric: bool = False
    n: int = 0
    bar: Bar | None = None
    link: str = ""


def render_page(
    template: str, styles: Sequence[str], scripts: Sequence[str], **content: Any
) -> str:
    """A page made from a template, with these style sheets and scripts inside.

    The content policy of the page allows its own scripts by their hash, and nothing else.
    """
    from markupsafe import Markup

    theme = _read("theme.js")
    script = f'(() => {{\n"use strict";\n{"".join(map(_read, scripts))}}})();'
    page = (
        _environment()
        .get_template(template)
        .render(
            version=__version__,
            css=Markup("".join(map(_read, styles))),
            theme=Markup(theme),
            script=Markup(script),
            script_hashes=Markup(" ".join(f"'{_digest(text)}'" for text in (theme, script))),
            **content,
        )
    )
    return page.encode("utf-8", "replace").decode("utf-8")


@cache
def _environment() -> Environment:
    """Templates, each compiled once for all pages."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("patmark.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["significant"] = significant_text
    environment.filters["language"] = language_of
    return environment


def check_links(addresses: Mapping[str, str]) -> None:
    """An address stays beside the page; one that names a scheme or a host could lead anywhere."""
    wrong = [name for name, address in addresses.items() if any(urlsplit(address)[:2])]
    if wrong:
        raise UsageError(f"a link must be relative to the page: {', '.join(wrong)}")


def cell_view(cell: Cell, column: Column) -> CellView:
    """A cell with its interval, and with a bar where the column has a scale."""
    if isinstance(cell, str):
        return CellView(cell)
    return CellView(
        text=value_text(cell, column.decimals, p_value=column.p_value),
        interval=interval_text(cell, column.decimals),
        numeric=is_number(cell),
        n=cell.n if isinstance(cell, Estimate) else 0,
        bar=bar_of(cell, column.scale) if column.scale else None,
    )


def bar_of(cell: Cell, scale: tuple[float, float]) -> Bar | None:
    """The bar of a number on a scale, from zero where the scale has one; None for no number."""
    value = cell.value if isinstance(cell, Estimate) else cell
    if not isinstance(value, int | float) or value != value or scale[0] >= scale[1]:
        return None
    start, end = sorted((_percent(0.0, scale), _percent(value, scale)))
    ci = None
    if isinstance(cell, Estimate) and cell.ci and all(side == side for side in cell.ci):
        low, high = (_percent(side, scale) for side in cell.ci)
        ci = (low, round(high - low, 2))
    return Bar(start, round(end - start, 2), ci)


def significant_text(value: float) -> str:
    """A number of unknown size with five significant digits; a dash for NaN."""
    if math.isnan(value):
        return DASH
    return np.format_float_positional(value, _DIGITS, fractional=False, trim="-")


def language_of(text: str) -> str | None:
    """The language to set a text in: kana are Japanese, Han alone is Chinese, None is any other.

    It chooses the shapes of the characters. A Japanese text without kana is taken for Chinese.
    """
    if has_kana(text):
        return "ja"
    return "zh" if has_han(text) else None


def _percent(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return round(100 * (min(max(value, low), high) - low) / (high - low), 2)


def _read(name: str) -> str:
    return (resources.files("patmark.report") / "templates" / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """The name by which the content policy of the page allows this script and no other."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
