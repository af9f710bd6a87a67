"""Every measure says what a person must know and has a page; so does that of CONTRIBUTING.md."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

import measure_pages
from command_line import JA_EN, patmark_json
from patmark.app.cli.measures import example_command
from patmark.examples import write_examples
from patmark.measures import (
    MeasureInfo,
    describe,
    describe_all,
    describe_rankings,
    register,
    registry,
)

_DOCS = Path(__file__).parents[2] / "docs"
_TEXTS, _RANKINGS = describe_all(), describe_rankings()
_ALL = [*_TEXTS, *_RANKINGS]
_CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
_SECTION = re.compile(r"## A measure: one file, one line\n\n(?P<text>.*?)\n## ", re.DOTALL)
_LISTING = re.compile(r"```python\n(?P<code>.*?)```", re.DOTALL)
_LINE = re.compile(r"`\"(?P<name>\w+)\": \"patmark\.measures\.(?P<place>[\w.]+:\w+)\"`")
_each = pytest.mark.parametrize("info", _ALL, ids=[info.slug for info in _ALL])


@_each
def test_a_measure_says_all_that_its_page_needs(info: MeasureInfo) -> None:
    assert info.description and info.reference and info.limits
    assert info.needs or not info.reads
    assert info.formula or info in _RANKINGS
    assert re.search(r"(higher|lower) is better|neither is better", info.scale)
    assert (_DOCS / info.guide).is_file()
    assert info.signature.startswith(info.name.partition("(")[0].removesuffix("@k"))
    assert all(text for text in info.parameters.values())


@_each
def test_a_measure_has_a_page_of_its_own(info: MeasureInfo) -> None:
    page = measure_pages.pages()[f"{measure_pages.FOLDER}/{info.slug}.md"]
    assert page.startswith(f"# {info.name}\n")
    assert f"| needs | {', '.join(info.needs) or 'nothing'} |" in page
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


def _section() -> str:
    section = _SECTION.search(_CONTRIBUTING.read_text(encoding="utf-8"))
    assert section is not None
    return section["text"]


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with the listing, under the name and in the place that the catalogue would have."""
    listing, line = _LISTING.search(_section()), _LINE.search(_section())
    assert listing is not None and line is not None
    folder = tmp_path / "package"
    about = folder / "plug-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / f"{line['place'].partition(':')[0]}.py").write_text(listing["code"], "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: plug\nVersion: 1.0\n")
    entry = f"[patmark.measures]\n{line['name']} = {line['place']}\n"
    (about / "entry_points.txt").write_text(entry)
    return folder


def test_the_listing_of_a_measure_scores_as_printed(package: Path) -> None:
    paths = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(package)])
    done = subprocess.run(
        [
            sys.executable, "-m", "patmark", "score", "--hyp", JA_EN / "atlas.en",
            "--ref", JA_EN / "reference.en", "--lang", "ja-en",
            "--measures", "vowels,vowels(letters=e)", "--resamples", "0", "--json",
        ],
        env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = (JA_EN / "atlas.en").read_text(encoding="utf-8").splitlines()
    for name, letters in {"vowels": "aeiou", "vowels(letters=e)": "e"}.items():
        shares = [sum(map(line.count, letters)) / len(line) for line in lines]
        [found] = (scores[name]["value"] for scores in json.loads(done.stdout)["systems"].values())
        assert found == pytest.approx(sum(shares) / len(shares))


def test_the_listing_says_all_that_its_page_needs(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [file] = package.glob("*.py")
    module = ModuleType(file.stem)
    monkeypatch.setitem(sys.modules, file.stem, module)
    monkeypatch.setattr(registry, "_registered", [])
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), module.__dict__)
    info = describe(register(module.Vowels))
    test_a_measure_says_all_that_its_page_needs(info)
    test_a_measure_has_a_page_of_its_own(info)


def test_a_measure_without_needs_has_an_example_that_runs() -> None:
    bleu = next(one for one in describe_all() if one.name == "BLEU")
    example = example_command(replace(bleu, reads=frozenset()))
    assert example == example_command(bleu) and "--ref reference.en" in example
