"""Pipeline files: every setting is read, and every mistake is named at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.collections.corpus.build.aligning import AlignTask
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.errors import InputError

_ALL = """
name: all settings
lang: ja-en
inputs: [jp, us.zip]
seed: 7
families: {kind: extended}
pairs: {kinds: [family, document], source_offices: JP, target_offices: [US, EP], prefer: [B, A]}
align: {method: hybrid, dictionary: "tsv:words.tsv", sections: [claims], passes: 2}
rank: {beads: [1-1, 2-1], use_ratio: true, min_score: 0.1, keep: 1000, share: 0.5}
filters: {shortest: 3, require_final_mark: true}
duplicates: {exact: either, near: 0}
split: {dev: 5, test: 6, side: later, test_from: 2006, per_patent: 3}
sample: {size: 0}
"""


def _written(folder: Path, text: str, name: str = "pipeline.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_all_settings_are_read(tmp_path: Path) -> None:
    for name in ("jp", "us.zip", "words.tsv"):
        (tmp_path / name).touch()
    found = read_pipeline(_written(tmp_path, _ALL))
    assert (found.source_language, found.target_language, found.seed) == ("ja", "en", 7)
    assert found.inputs == ("jp", "us.zip")
    assert found.family_kind == "extended"
    assert found.pairs.source_offices == ("JP",)
    assert found.align.dictionary == f"tsv:{tmp_path / 'words.tsv'}"
    assert found.rank.beads == ("1-1", "2-1")
    assert found.rank.min_score == 0.1
    assert found.filter_settings.source_language == "ja"
    assert found.filter_settings.require_final_mark
    assert found.split.last_training_year == 2005
    assert found.duplicates.exact == "either"


def test_little_is_needed(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    text = 'lang = "zh-en"\ninputs = "documents"\n'
    found = read_pipeline(_written(tmp_path, text, "small.toml"))
    assert found.name == "small"
    assert found.inputs == ("documents",)
    assert found.split.last_training_year is None
    assert "base" not in found.to_json()
    assert found.align.learns
    assert found.to_json()["align"]["passes"] == 2
    assert found.to_json()["align"]["dictionary"] == "that of the languages"


def test_missing_files_are_named_with_all_else(tmp_path: Path) -> None:
    text = """\
lang: zh-en
inputs: [here, there, nowhere]
align: {dictionary: "tsv:words.tsv"}
rank: {keep: 0}
"""
    (tmp_path / "here").mkdir()
    with pytest.raises(InputError) as caught:
        read_pipeline(_written(tmp_path, text))
    assert [(problem.line, problem.message) for problem in caught.value.problems] == [
        (2, "field 'inputs': there: no such file or folder"),
        (2, "field 'inputs': nowhere: no such file or folder"),
        (3, "field 'dictionary': words.tsv: no such file"),
        (4, "keep is the number of pairs to keep, at least 1"),
    ]


def test_every_mistake_is_named_with_its_line(tmp_path: Path) -> None:
    text = """\
lang: zh
seed: one
splits: {}
pairs: {kinds: [cousin]}
align:
  method: guess
  passes: 3
rank: {beads: [1x1], share: 2}
filters: {longest: -1, source_language: zh}
duplicates: {near: yes}
split: [1, 2]
sample: {size: -1}
"""
    with pytest.raises(InputError) as caught:
        read_pipeline(_written(tmp_path, text))
    found = {(problem.line, problem.message) for problem in caught.value.problems}
    lines = {line for line, _ in found}
    assert lines == {1, 2, 3, 4, 5, 8, 9, 10, 11, 12}
    text = str(caught.value)
    for part in (
        "expected two languages such as zh-en",
        "field 'seed': expected a whole number, found a string",
        "unknown field 'splits'",
        "field 'inputs' is missing or empty",
        "kinds is one of family, document, not 'cousin'",
        "method is one of",
        "beads are such as 1-1 or 2-1, not '1x1'",
        "unknown field 'source_language'",
        "field 'near': expected a number, found true or false",
        "field 'split': expected an object, found a list",
        "size is not negative",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("rank: {keep: 0}", "keep is the number of pairs"),
        ("rank: {share: 1.5}", "share is above 0"),
        ("align: {method: gale-church, passes: 2}", "gale-church learns no words"),
        ("align: {method: utiyama-isahara, passes: 2}", "utiyama-isahara learns no words"),
        ("align: {method: translation}", "method is one of hybrid, utiyama-isahara, gale-church"),
        ("align: {sections: [claim]}", "sections is one of title, abstract, claims, description"),
        ("align: {passes: 4}", "passes is 1 or 2, not 4"),
        ("align: {lexicon_pairs: 0}", "lexicon_pairs is at least 1"),
        ("families: {kind: large}", "kind is one of simple, extended"),
        ("duplicates: {exact: some}", "exact is one of pair"),
        ("duplicates: {near: 2}", "near is a similarity from 0 to 1"),
        ("pairs: {kinds: []}", "kinds is empty"),
    ],
)
def test_wrong_values_are_refused(section: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    path = _written(tmp_path, f"lang: zh-en\ninputs: x\n{section}\n")
    with pytest.raises(InputError, match=message):
        read_pipeline(path)


def test_numbers_are_shown_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    path = _written(tmp_path, "lang: zh-en\ninputs: x\nfilters: {shortest: 3, slack: 1.0}\n")
    shown = read_pipeline(path).to_json()["filters"]
    assert (str(shown["shortest"]), str(shown["slack"])) == ("3", "1.0")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("inputs: x", "field 'lang' is missing or empty"),
        ("lang: zh-en\ninputs: [x, 3]", "field 'inputs': expected a string, found a number"),
        ("lang: zh-en\ninputs: x\nrank: {beads: 3}", "field 'beads': expected a list"),
        ("lang: zh-en\ninputs: x\nrank:", "field 'rank': expected an object"),
    ],
)
def test_fields_of_another_type_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(InputError, match=message):
        read_pipeline(_written(tmp_path, f"{text}\n"))


def test_a_dictionary_may_be_behind_a_url_and_is_shown_without_its_folder(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    words = tmp_path / "words.tsv"
    words.write_text("阀\tvalve\n", encoding="utf-8")
    shown = set()
    for name in (words.as_uri(), "words.tsv"):
        text = f'lang = "zh-en"\ninputs = "documents"\n[align]\ndictionary = "tsv:{name}"\n'
        found = read_pipeline(_written(tmp_path, text, "url.toml"))
        task = AlignTask.of(found)
        assert task.aligner().signature and task.knows_words
        shown.add(found.to_json()["align"]["dictionary"])
    assert shown == {"tsv:words.tsv"}
