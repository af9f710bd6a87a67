"""Kept answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from patmark.errors import InputError
from patmark.llm import (
    AnswerCache,
    ChatAnswer,
    ChatRequest,
    DiskCache,
    MemoryCache,
    Message,
    default_cache_folder,
)

_ASKED = ChatRequest("m", (Message("user", "a bolt 螺栓"),))
_ANSWER = ChatAnswer("ボルト\u2028\n", "stop", None, "m-1", 3, None)


@pytest.fixture(params=["disk", "memory"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> AnswerCache:
    return DiskCache(tmp_path / "deep" / "answers") if request.param == "disk" else MemoryCache()


def test_what_was_put_is_got(cache: AnswerCache) -> None:
    assert cache.get(_ASKED) is None
    cache.put(_ASKED, _ANSWER)
    assert cache.get(_ASKED) == _ANSWER
    assert cache.get(_ASKED.again(1)) is None


def test_files_are_named_by_content_and_nothing_else_is_left(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    cache.put(_ASKED, _ANSWER)
    cache.put(_ASKED, _ANSWER)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [tmp_path / _ASKED.key()[:2] / f"{_ASKED.key()}.json"]
    assert json.loads(files[0].read_text())["request"]["messages"][0]["content"] == "a bolt 螺栓"


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"format": "other"}', '{"format": "patmark-answer-1", "answer": {}}'],
)
def test_a_broken_file_is_named(tmp_path: Path, content: str) -> None:
    cache = DiskCache(tmp_path)
    cache.put(_ASKED, _ANSWER)
    cache.path(_ASKED).write_text(content)
    with pytest.raises(InputError, match=_ASKED.key()):
        cache.get(_ASKED)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="expected a folder"):
        DiskCache(tmp_path / "file")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "file" / "answers")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be made"):
        cache.put(_ASKED, _ANSWER)


def test_the_usual_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / "patmark" / "llm"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_folder().parts[-3:] == (".cache", "patmark", "llm")
