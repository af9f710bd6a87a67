"""patmark corpus: Python and the command line have the same defaults and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from command_line import invoke
from patmark import commands
from patmark.alignment.aligners import DEFAULT_ALIGNER
from patmark.app.commands.corpus import AlignRequest, SplitRequest
from patmark.collections.corpus.build.settings import AlignSettings, SplitSettings
from patmark.errors import UsageError
from patmark.wording import as_keyword, as_option

_CHINESE, _ENGLISH = ["阀门关闭。"], ["The valve closes."]


def test_a_split_has_the_defaults_of_builds() -> None:
    assert SplitRequest(pairs="pairs", out="out").chosen == SplitSettings()


def test_one_aligner_is_the_default_of_align_and_of_builds() -> None:
    assert AlignRequest(source=_CHINESE, target=_ENGLISH, lang="zh-en").aligner == DEFAULT_ALIGNER
    assert AlignSettings().method == DEFAULT_ALIGNER


def test_a_demo_is_into_english_and_in_a_new_folder(tmp_path: Path) -> None:
    """Python took any target language, and wrote into folders that were not empty."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").touch()
    for lang, out, message in (
        ("zh-ja", "new", "the demo is zh-en or ja-en"),
        ("zh-en", "full", "is there already; name a new folder"),
    ):
        with pytest.raises(UsageError, match=message):
            commands.corpus.demo(tmp_path / out, lang=lang)
        with pytest.raises(UsageError, match=message):
            invoke("corpus", "demo", "--out", tmp_path / out, "--lang", lang)
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("fields_", "names"),
    [
        ({"ratio": True}, ("ratio", "aligner", "hybrid")),
        ({"aligner": "gale-church", "save_lexicon": "l.tsv"},
         ("save_lexicon", "aligner", "gale-church")),
    ],
)  # fmt: skip
def test_settings_without_effect_are_refused(
    tmp_path: Path, fields_: dict[str, Any], names: tuple[str, str, str]
) -> None:
    """Python took them without a word."""
    for name, lines in (("zh.txt", _CHINESE), ("en.txt", _ENGLISH)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    setting, where, value = names
    with pytest.raises(UsageError) as refused:
        commands.corpus.align(_CHINESE, _ENGLISH, lang="zh-en", **fields_)
    assert str(refused.value) == (
        f"{as_keyword(setting)} has no effect with {as_keyword(where, value)}"
    )
    options = [
        part
        for name, value_ in fields_.items()
        for part in ([as_option(name)] if value_ is True else [as_option(name), value_])
    ]
    with pytest.raises(UsageError) as refused:
        invoke("corpus", "align", "zh.txt", "en.txt", "--lang", "zh-en", *options, folder=tmp_path)
    assert str(refused.value) == (
        f"{as_option(setting)} has no effect with {as_option(where, value)}"
    )


def test_kinds_to_prefer_need_one_publication_per_office(tmp_path: Path) -> None:
    """Python could not ask for one publication per office."""
    with pytest.raises(UsageError, match="prefer= needs one_per_office="):
        commands.corpus.families("d.jsonl", tmp_path / "f.jsonl", prefer=["B"])
    with pytest.raises(UsageError, match="--prefer needs --one-per-office"):
        invoke("corpus", "families", "d.jsonl", "--out", "f.jsonl", "--prefer", "B")


def test_a_collection_needs_a_folder_that_can_be_made(tmp_path: Path) -> None:
    """Python wrote over the check that the command makes."""
    settings = commands.corpus.demo(tmp_path / "demo", families=4)
    with pytest.raises(UsageError, match="its folder does not exist"):
        commands.corpus.build(settings, tmp_path / "no" / "collection")
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="file is a file; out= takes a folder"):
        commands.corpus.build(settings, tmp_path / "file")
    with pytest.raises(UsageError, match="file is a file; --out takes a folder"):
        invoke("corpus", "build", settings, "--out", tmp_path / "file")
