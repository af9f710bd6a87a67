"""The table of the rules of the claim linter in its page, and a page of all rules with examples.

    python tools/rule_pages.py     # write the table in docs/claim_lint.md

Both are made from ``claims/rules``. mkdocs calls ``on_config`` and ``on_files`` for the page.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from patmark.claims.lint import OFFICES, Rule, rules

PAGE = Path(__file__).parents[1] / "docs" / "claim_lint.md"
REFERENCE = "claims/rules.md"
_TITLE, _SECTION = "All rules of the linter", "Claims"
_BEGIN, _END = "<!-- rules: python tools/rule_pages.py -->\n", "<!-- end of rules -->\n"
_LETTERS = {"error": "E", "warning": "W", "information": "i", None: "–"}


def table() -> str:
    """Return the table of all rules."""
    every = {code for rule in rules() for code in rule.languages}
    lines = ["| rule | fault | family | USPTO EPO JPO CNIPA |", "|---|---|---|---|"]
    for rule in rules():
        codes = f" ({', '.join(rule.languages)})" if set(rule.languages) != every else ""
        letters = " ".join(_LETTERS[rule.severity[office]] for office in OFFICES[1:])
        lines.append(f"| `{rule.id}` | {rule.title}{codes} | {rule.family} | {letters} |")
    return "\n".join(lines) + "\n"


def with_table(text: str) -> str:
    """Return the text of the page with the table of today."""
    before, _, rest = text.partition(_BEGIN)
    return before + _BEGIN + "\n" + table() + "\n" + _END + rest.partition(_END)[2]


def reference() -> str:
    """Return the page of all rules with their legal bases and examples."""
    return f"# {_TITLE}\n\n" + "\n".join(map(_section, rules()))


def _section(rule: Rule) -> str:
    lines = [f"## {rule.id}", "", f"{rule.title[0].upper()}{rule.title[1:]}.", ""]
    for office in OFFICES[1:]:
        if rule.severity[office]:
            lines.append(f"* {office.upper()}: {rule.severity[office]}, {rule.basis[office]}")
    for code, examples in rule.examples.items():
        for kind, listed in (("wrong", examples.wrong), ("right", examples.right)):
            lines += ["", f"{kind.capitalize()} ({code}):", ""]
            for example in listed:
                lines += ["```text", example.claims, "```", ""]
    return "\n".join(lines)


def on_config(config: Any) -> Any:
    """Give the page a place behind that of the linter."""
    [section] = [part[_SECTION] for part in config["nav"] if _SECTION in part]
    section.insert(2, {_TITLE: REFERENCE})
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the page."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, REFERENCE, content=reference()))
    return files


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), "utf-8")
