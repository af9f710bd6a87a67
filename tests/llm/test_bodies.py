"""Bodies that are too long, packed, or no text: a failed row with words, and little memory."""

from __future__ import annotations

import codecs
import json
import tracemalloc
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from chat_asking import ask, client_for
from chat_server import Reply, said
from patmark.llm import Outcome
from tls import Serve

_MOST_MEMORY = 100 << 20
_MEGABYTE = b"x" * (1 << 20)


class _Bomb:
    """3 GB of blanks, packed as gzip."""

    def __iter__(self) -> Iterator[bytes]:
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        yield packer.compress(b" " * (4 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
        raw = zlib.compressobj(9, zlib.DEFLATED, -15)
        piece = raw.compress(b" " * (4 << 20)) + raw.flush(zlib.Z_FULL_FLUSH)
        for _ in range(767):
            yield piece


class _Stream:
    """A gigabyte that never ends in JSON."""

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(1024):
            yield _MEGABYTE


class _LongAnswer:
    """An answer of 200 MB that is whole and right."""

    def __iter__(self) -> Iterator[bytes]:
        begin, end = said("|").body.split(b"|")
        yield begin
        for _ in range(200):
            yield _MEGABYTE
        yield end


def _asked(serve: Serve, reply: Reply, text: str = "a row of 20 letters", **more: Any) -> Outcome:
    with serve(lambda body, seen: reply) as server:
        batch = client_for(server).ask_all(ask(text, **more))
    return batch.outcomes[0]


@pytest.mark.parametrize(
    "reply",
    [
        Reply(endless=_Bomb(), headers={"Content-Encoding": "gzip"}),
        Reply(endless=_Stream()),
        Reply(endless=_LongAnswer()),
        Reply(status=500, endless=_Stream()),
    ],
    ids=["bomb", "stream", "answer", "error"],
)
def test_a_body_that_is_too_long_fails_its_row_and_takes_little_memory(
    serve: Serve, reply: Reply
) -> None:
    tracemalloc.start()
    try:
        found = _asked(serve, reply)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.failure == "the response has more than 4.2 MB, which no answer can have"
    assert found.tries == 1
    assert peak < _MOST_MEMORY


@pytest.mark.parametrize(
    ("text", "more"), [("x" * 200_000, {}), ("x", {"max_tokens": 8_000})], ids=["source", "tokens"]
)
def test_the_limit_grows_with_the_request(serve: Serve, text: str, more: dict[str, int]) -> None:
    answer = "y" * 8_000_000
    assert (_asked(serve, said(answer)).failure or "").startswith("the response has more than")
    found = _asked(serve, said(answer), text, **more)
    assert found.answer is not None and found.answer.text == answer


def test_what_is_not_utf8_is_a_failure(serve: Serve) -> None:
    body = json.dumps({"choices": [{"message": {"content": "阀"}}]}, ensure_ascii=False)
    found = _asked(serve, Reply(body=body.encode("gbk")))
    assert found.answer is None
    assert (found.failure or "").startswith("the response is not UTF-8 (byte 39)")


def test_a_bom_before_json_is_fine(serve: Serve) -> None:
    found = _asked(serve, Reply(body=codecs.BOM_UTF8 + said("阀").body))
    assert found.answer is not None and found.answer.text == "阀"
