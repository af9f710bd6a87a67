"""A page for each measure in the documentation site, made from what the measures say themselves.

mkdocs calls ``on_config`` and ``on_files``; ``patmark measures NAME`` prints the same.
"""

from __future__ import annotations

from typing import Any

from patmark.app.cli.measures import example_command
from patmark.measures import MeasureInfo, describe_all, describe_rankings

FOLDER = "measures/reference"
_ROOT = "../.."
_TITLE, _SECTION = "All measures, one by one", "Score"


def pages() -> dict[str, str]:
    """Return the text of every page by its place in the documentation, the list first."""
    groups = {"Texts": describe_all(), "Rankings": describe_rankings()}
    listed = [info for infos in groups.values() for info in infos]
    return {
        f"{FOLDER}/index.md": _index(groups),
        **{
            f"{FOLDER}/{info.slug}.md": info.to_markdown(_ROOT, example_command(info))
            for info in listed
        },
    }


def _index(groups: dict[str, list[MeasureInfo]]) -> str:
    lines = [f"# {_TITLE}", ""]
    for title, infos in groups.items():
        lines += [f"## {title}", "", "| measure | | needs |", "|---|---|---|"]
        lines += [
            f"| [{one.name}]({one.slug}.md) | {one.description} | {needs or 'nothing'} |"
            for one in infos
            for needs in [", ".join(one.needs)]
        ]
        lines.append("")
    return "\n".join(lines)


def on_config(config: Any) -> Any:
    """Give the list a place behind the page on measures."""
    [section] = [part[_SECTION] for part in config["nav"] if _SECTION in part]
    section.insert(1, {_TITLE: f"{FOLDER}/index.md"})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages; the list leads to them, so that the navigation need not."""
    from mkdocs.structure.files import File, InclusionLevel

    for place, text in pages().items():
        listed = place.endswith("/index.md")
        level = InclusionLevel.INCLUDED if listed else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, place, content=text, inclusion=level))
    return files
