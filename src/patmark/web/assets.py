"""Bundled files that pages use: style sheets, scripts, pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources

from starlette.exceptions import HTTPException
from starlette.responses import Response

from patmark.wording import DEFAULT_LANGUAGE, LANGUAGES, script_words

_KINDS = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_FROM_REPORT = ("report.css", "theme.js")
_A_YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class Assets:
    """The files that all pages share, and those in the folder ``static`` of a package.

    Only these are ever sent: no path of a request reaches a disk. The style of the report serves
    here, too, so that all pages of patmark look alike.
    """

    package: str

    @cached_property
    def _contents(self) -> Mapping[str, bytes]:
        report = resources.files("patmark.report") / "templates"
        files = {name: report / name for name in _FROM_REPORT}
        for package in ("patmark.web", self.package):
            for file in (resources.files(package) / "static").iterdir():
                if file.name.rpartition(".")[2] in _KINDS:
                    files[file.name] = file
        return {name: file.read_bytes() for name, file in sorted(files.items())}

    @cached_property
    def _mark(self) -> str:
        """A hash that changes with any of the files."""
        return hashlib.sha256(b"\0".join(self._contents.values())).hexdigest()[:12]

    def address(self, name: str) -> str:
        """Return the address of a file below that of the application."""
        if name not in self._contents:
            raise KeyError(name)
        return f"/static/{self._mark}/{name}"

    def words(self, language: str) -> Mapping[str, str]:
        """Return the translations that the scripts need."""
        return _words(self, language)

    def response(self, mark: str, name: str) -> Response:
        """Return a bundled file, to be cached for ever: its address holds the mark."""
        content = self._contents.get(name)
        if content is None or mark != self._mark:
            raise HTTPException(404)
        caching = {"Cache-Control": f"private, max-age={_A_YEAR}, immutable"}
        return Response(content, media_type=_KINDS[name.rpartition(".")[2]], headers=caching)


@cache
def _words(assets: Assets, language: str) -> Mapping[str, str]:
    """Return the translations of all scripts, searched once: every page view asks for them."""
    files = assets._contents.items()
    return script_words([text.decode() for name, text in files if name.endswith(".js")], language)


def preferred_language(chosen: str | None, planned: str | None, accepted: str) -> str:
    """Return the chosen language, else the planned one, else the browser's, else English.

    The person chooses on the page; a campaign file plans; the browser names what it accepts.
    """
    for wanted in (chosen, planned):
        if wanted and wanted in LANGUAGES:
            return wanted
    for part in accepted.split(","):
        code = part.partition(";")[0].strip().lower().partition("-")[0]
        if code in LANGUAGES:
            return code
    return DEFAULT_LANGUAGE
