"""The documentation site: every page has a place, and newcomers find answers within two clicks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
import yaml

_DOCS = Path(__file__).parents[1] / "docs"
_SETTINGS = _DOCS.parent / "mkdocs.yml"
_FRONT = _DOCS / "README.md"
_LINK = re.compile(r"\]\((?P<target>[^()\s#:]+\.md)(?:#[^()\s]*)?\)")
_CLICKS = 2

_QUESTIONS = {
    "Which metric for en→ja claims?": r"\*\*en→ja claims\*\*: `RIBES` first",
    "How do I import COMET scores?": r"--scores COMET=comet",
    "Is a difference of 0.5 BLEU real?": r"patmark compare --hyp .* --docs",
    "Why is my BLEU not that of sacreBLEU?": r"compare signatures: usually the tokenizer differs",
    "Where do I get patents with translations?": r"EuroPat, COPPA of WIPO, PatTR",
    "What do the labels and grades of PatSnap mean?": r"`?terminology_consistency`?",
    "How do I let people judge?": r"patmark human (new|validate)",
    "Which file formats are read?": r"\| .*JSONL",
    "How do I stop a bad release in CI?": r"--fail-under",
    "Do my texts leave my machine?": r"Your texts do not leave the machine",
}


@cache
def _links(page: Path) -> frozenset[Path]:
    text = page.read_text(encoding="utf-8")
    return frozenset((page.parent / found["target"]).resolve() for found in _LINK.finditer(text))


def _within_reach() -> set[Path]:
    reached, edge = {_FRONT}, {_FRONT}
    for _ in range(_CLICKS):
        edge = {target for page in edge for target in _links(page) if target.is_file()} - reached
        reached |= edge
    return reached


@pytest.mark.parametrize("question", _QUESTIONS)
def test_the_front_page_leads_to_the_answer(question: str) -> None:
    line = next(
        line for line in _FRONT.read_text(encoding="utf-8").splitlines() if question in line
    )
    pages = [(_DOCS / target).read_text(encoding="utf-8") for target in _LINK.findall(line)]
    assert any(re.search(_QUESTIONS[question], page) for page in pages)


def test_all_questions_of_the_front_page_are_tested() -> None:
    text = _FRONT.read_text(encoding="utf-8")
    asked = re.findall(r"^\| ([^|]+\?) \|", text, re.MULTILINE)
    assert asked == list(_QUESTIONS)


def test_every_page_is_within_two_clicks() -> None:
    pages = {page.resolve() for page in _DOCS.rglob("*.md")}
    assert sorted(pages - _within_reach()) == []


def test_every_page_is_in_the_navigation_once() -> None:
    settings = yaml.safe_load(_SETTINGS.read_text(encoding="utf-8"))
    listed = [
        one if isinstance(one, str) else next(iter(one.values()))
        for part in settings["nav"]
        for one in next(iter(part.values()))
    ]
    pages = sorted(page.relative_to(_DOCS).as_posix() for page in _DOCS.rglob("*.md"))
    assert sorted(listed) == pages
    assert settings["theme"]["font"] is False
