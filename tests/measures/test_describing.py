"""Every measure says of itself what a person must know, and has a page of its own."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import measure_pages
from command_line import patmark_json
from patmark.app.cli.measure_examples import example_command
from patmark.examples import write_examples
from patmark.measures import MeasureInfo, describe_all, describe_rankings

_DOCS = Path(__file__).parents[2] / "docs"
_TEXTS, _RANKINGS = describe_all(), describe_rankings()
_ALL = [*_TEXTS, *_RANKINGS]
_each = pytest.mark.parametrize("info", _ALL, ids=[info.slug for info in _ALL])


@_each
def test_a_measure_says_all_that_its_page_needs(info: MeasureInfo) -> None:
    assert info.description and info.reference and info.needs and info.limits
    assert info.formula or info in _RANKINGS
    assert re.search(r"(higher|lower) is better|neither is better", info.scale)
    assert (_DOCS / info.guide).is_file()
    assert info.signature.startswith(info.name.partition("(")[0].removesuffix("@k"))
    assert all(text for text in info.parameters.values())


@_each
def test_a_measure_has_a_page_of_its_own(info: MeasureInfo) -> None:
    page = measure_pages.pages()[f"{measure_pages.FOLDER}/{info.slug}.md"]
    assert page.startswith(f"# {info.name}\n")
    for text in (
        info.formula,
        info.limits,
        info.reference,
        example_command(info),
        *info.parameters,
    ):
        assert text in page
    [link] = re.findall(r"\]\(([^)]+)\)", page)
    assert (_DOCS / measure_pages.FOLDER / link).resolve().is_file()


def test_no_two_measures_have_one_address_and_the_list_leads_to_all() -> None:
    pages = measure_pages.pages()
    assert len(pages) == len(_ALL) + 1
    listed = re.findall(r"\]\((\S+)\.md\)", pages[f"{measure_pages.FOLDER}/index.md"])
    assert listed == [info.slug for info in _ALL]


def test_examples_that_need_no_model_run(tmp_path: Path) -> None:
    """All in one command: each example differs by its measure and the files that it needs."""
    write_examples(tmp_path)
    plain = [one for one in _TEXTS if set(one.needs) <= {"references", "source"}]
    own = [shlex.split(example_command(one)) for one in plain if one.area == "texts"]
    assert len(own) > 20
    chosen = ",".join(line[line.index("--measures") + 1] for line in own)
    files = max(own, key=len)[1:-1]
    scored = patmark_json(
        tmp_path, *files, chosen, "--src", "source.ja", "--resamples", "0",
    )  # fmt: skip
    assert len(scored["systems"]["atlas"]) == len(own)
