"""patmark doctor: what is installed, what is missing, and how to get it."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from importlib import metadata

from patmark.cli.output import Json, print_json

_ABOUT = {
    "": "scoring, comparing, reports",
    "corpus": "building collections from patents; Parquet; dictionary of Chinese",
    "japanese": "dictionary of Japanese (JMdict)",
    "human": "campaigns in the browser",
    "llm": "systems and judges behind a chat endpoint",
    "neural": "BERTScore, COMET and other learned measures",
    "retrieval": "index, search and evaluation of prior art",
    "spacy": "lemmas by spaCy instead of simplemma",
    "spark": "building collections on a cluster",
}
_FOR_DEVELOPERS = ("all", "dev")


@dataclass(frozen=True, slots=True)
class Part:
    """What patmark itself or an extra needs: versions of what is there, names of what is not."""

    extra: str
    about: str
    installed: dict[str, str]
    missing: tuple[str, ...]

    @property
    def advice(self) -> str:
        """How to get what is missing."""
        wanted = f"'patmark[{self.extra}]'" if self.extra else "--force-reinstall patmark"
        return f"pip install {wanted}" if self.missing else ""


def doctor(*, output: Json = Json()) -> None:
    """Say what is installed, what is missing, and the line that installs it.

    Exits with 1 if something is missing that every command needs.
    """
    import platform
    import sys

    from patmark._version import __version__

    parts = installed_parts()
    if output.json:
        print_json(
            {
                "patmark": __version__,
                "python": platform.python_version(),
                "parts": [{**asdict(part), "advice": part.advice} for part in parts],
            }
        )
    else:
        print(f"patmark {__version__}, Python {platform.python_version()}, {platform.platform()}")
        for part in parts:
            _print_part(part)
    sys.exit(1 if any(part.missing for part in parts if not part.extra) else 0)


def installed_parts() -> list[Part]:
    """Patmark itself and each of its extras, as its package declares them."""
    names: dict[str, list[str]] = {"": []}
    for requirement in metadata.requires("patmark") or []:
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", requirement)
        name = re.match(r"[\w.-]+", requirement)
        if name and name[0] != "patmark":
            names.setdefault(extra[1] if extra else "", []).append(name[0])
    return [_part(extra, of) for extra, of in names.items() if extra not in _FOR_DEVELOPERS]


def _part(extra: str, names: list[str]) -> Part:
    found = {name: _version(name) for name in sorted(set(names))}
    installed = {name: version for name, version in found.items() if version is not None}
    missing = tuple(name for name in found if name not in installed)
    return Part(extra, _ABOUT.get(extra, ""), installed, missing)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _print_part(part: Part) -> None:
    name = part.extra or "patmark"
    print(f"\n{name}{f': {part.about}' if part.about else ''}")
    if part.installed:
        print(f"    there: {', '.join(f'{one} {of}' for one, of in part.installed.items())}")
    if part.missing:
        print(f"    missing: {', '.join(part.missing)}; {part.advice}")
