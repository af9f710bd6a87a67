"""Kept answers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from patmark.errors import InputError
from patmark.llm import (
    AnswerCache,
    CacheHits,
    ChatAnswer,
    ChatRequest,
    DiskCache,
    MemoryCache,
    Message,
    default_cache_folder,
)

_SERVER = "http://localhost:8000/v1"
_ASKED = ChatRequest("m", (Message("user", "a bolt 螺栓"),))
_ANSWER = ChatAnswer("ボルト\u2028\n", "stop", None, "m-1", 3, None)


@pytest.fixture(params=["disk", "memory"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> AnswerCache:
    return DiskCache(tmp_path / "deep" / "answers") if request.param == "disk" else MemoryCache()


def test_what_was_put_is_got(cache: AnswerCache) -> None:
    assert cache.get(_SERVER, _ASKED) is None
    cache.put(_SERVER, _ASKED, _ANSWER)
    kept = cache.get(_SERVER, _ASKED)
    assert kept is not None and kept.answer == _ANSWER
    assert timedelta() <= datetime.now(UTC) - kept.asked < timedelta(minutes=1)
    assert cache.get(_SERVER, _ASKED.again(1)) is None


def test_an_answer_belongs_to_the_server_that_gave_it(cache: AnswerCache) -> None:
    cache.put(_SERVER, _ASKED, _ANSWER)
    assert cache.get("http://localhost:8001/v1", _ASKED) is None


def test_an_answer_of_the_time_before_servers_were_told_apart_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / _ASKED.key()[:2] / f"{_ASKED.key()}.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"format": "patmark-answer-1", "answer": _ANSWER.to_json()}))
    assert DiskCache(tmp_path).get(_SERVER, _ASKED) is None


def test_answers_in_a_folder_that_was_there_are_still_private(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    cache = DiskCache(tmp_path)
    cache.put(_SERVER, _ASKED, _ANSWER)
    modes = {path.name: path.stat().st_mode & 0o077 for path in tmp_path.iterdir()}
    assert modes == dict.fromkeys(("answers.sqlite", "answers.sqlite-shm", "answers.sqlite-wal"), 0)


def test_how_old_kept_answers_are() -> None:
    now = datetime(2026, 3, 9, 12, tzinfo=UTC)
    ago = [now - timedelta(days=3), None, now - timedelta(seconds=90)]
    kept = CacheHits.of(ago)
    assert kept.words(now) == "2 with kept answers of earlier runs (1 minute to 3 days old)"
    assert kept.to_json() == {
        "count": 2,
        "oldest": "2026-03-06T12:00:00+00:00",
        "newest": "2026-03-09T11:58:30+00:00",
    }
    assert CacheHits.of([None]).words(now) == ""
    assert CacheHits().to_json() == {"count": 0, "oldest": None, "newest": None}


def test_the_file_tells_people_who_was_asked_what(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path)
    for _ in range(2):
        cache.put(_SERVER, _ASKED, _ANSWER)
    with closing(sqlite3.connect(cache.path)) as opened:
        [(server, request)] = opened.execute("SELECT server, request FROM answers").fetchall()
    assert server == _SERVER
    assert json.loads(request)["messages"][0]["content"] == "a bolt 螺栓"
    assert tmp_path.joinpath("answers.sqlite") == cache.path


def test_two_runs_share_a_folder(tmp_path: Path) -> None:
    one, other = DiskCache(tmp_path), DiskCache(tmp_path)
    one.put(_SERVER, _ASKED, _ANSWER)
    other.put(_SERVER, _ASKED.again(1), _ANSWER)
    assert one.get(_SERVER, _ASKED.again(1)) and other.get(_SERVER, _ASKED)


def test_a_new_folder_is_open_to_its_owner_alone(tmp_path: Path) -> None:
    DiskCache(tmp_path / "answers").put(_SERVER, _ASKED, _ANSWER)
    assert (tmp_path / "answers").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("content", [b"x" * 5000, b"{}"])
def test_a_file_that_is_no_database_is_named(tmp_path: Path, content: bytes) -> None:
    cache = DiskCache(tmp_path)
    cache.path.write_bytes(content)
    for use in (lambda: cache.get(_SERVER, _ASKED), lambda: cache.put(_SERVER, _ASKED, _ANSWER)):
        with pytest.raises(InputError, match=r"answers\.sqlite: is no store of answers"):
            use()


@pytest.mark.parametrize(
    ("field", "value"), [("answer", "{"), ("answer", "{}"), ("asked", None), ("asked", "now")]
)
def test_a_broken_answer_is_no_answer(tmp_path: Path, field: str, value: str | None) -> None:
    cache = DiskCache(tmp_path)
    cache.put(_SERVER, _ASKED, _ANSWER)
    with closing(sqlite3.connect(cache.path)) as opened, opened:
        opened.execute(f"UPDATE answers SET {field} = ?", (value,))
    with pytest.raises(InputError, match="is no store of answers"):
        cache.get(_SERVER, _ASKED)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="expected a folder"):
        DiskCache(tmp_path / "file")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "file" / "answers")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be made"):
        cache.put(_SERVER, _ASKED, _ANSWER)


def test_the_usual_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / "patmark" / "llm"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_folder().parts[-3:] == (".cache", "patmark", "llm")
