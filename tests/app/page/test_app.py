"""What the page is told: files, progress, reports, and what is wrong."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from command_line import patmark
from patmark.app.page import app as desk_app
from patmark.app.page.files import Given
from patmark.app.page.jobs import Job
from patmark.app.page.orders import Order
from patmark.examples import example_path

_PATIENCE = 120


@pytest.fixture
def client(desk: str) -> Iterator[httpx.Client]:
    """A client of an empty desk."""
    with httpx.Client(base_url=desk, timeout=_PATIENCE) as opened:
        yield opened
        for one in opened.get("files").json():
            opened.delete(f"files/{one['id']}")


def _put(client: httpx.Client, name: str, content: bytes | None = None) -> dict[str, Any]:
    content = example_path(name).read_bytes() if content is None else content
    answer = client.post("files", params={"name": name.rpartition("/")[2]}, content=content)
    assert answer.status_code == 200, answer.text
    given: dict[str, Any] = answer.json()
    return given


def _finished(client: httpx.Client, **wanted: str) -> dict[str, Any]:
    job: dict[str, Any] = client.post("jobs", json=wanted).json()
    end = time.monotonic() + _PATIENCE
    while job["state"] in ("waiting", "running") and time.monotonic() < end:
        time.sleep(0.02)
        job = client.get(f"jobs/{job['id']}").json()
    return job


def test_the_report_is_the_one_that_the_command_writes(
    client: httpx.Client, tmp_path: Path
) -> None:
    _put(client, "ja_en/atlas.en")
    _put(client, "ja_en/reference.en")
    job = _finished(client, task="score", target="en")
    assert (job["state"], job["files"]) == ("done", ["report.html", "tables.csv"])
    assert job["total"] > 0
    assert "atlas" in job["answer"]
    report = client.get(f"jobs/{job['id']}/report.html")
    assert "sandbox allow-scripts" in report.headers["content-security-policy"]
    for name in ("atlas.en", "reference.en"):
        (tmp_path / name).write_bytes(example_path(f"ja_en/{name}").read_bytes())
    words = job["command"].split()[1:]
    assert patmark(tmp_path, *words, "--quiet").returncode == 0
    assert report.text == (tmp_path / "report.html").read_text(encoding="utf-8")
    saved = client.get(f"jobs/{job['id']}/tables.csv", params={"download": True})
    assert 'filename="tables.csv"' in saved.headers["content-disposition"]


def test_bad_bytes_get_the_message_of_the_command_line_with_file_and_line(
    client: httpx.Client,
) -> None:
    _put(client, "atlas.en", b"one line\n\xff\n")
    _put(client, "reference.en", b"one line\nanother\n")
    job = _finished(client, task="score", target="en")
    assert (job["state"], job["files"]) == ("failed", [])
    assert job["said"][0].startswith("atlas.en:2: ")


def test_rows_and_claims_give_reports(client: httpx.Client) -> None:
    rows = _put(client, "patsnap_cn2en/atlas.jsonl")
    assert rows["kind"] == "rows"
    job = _finished(client, task="patsnap", source="zh", target="en")
    assert job["state"] == "done", job
    assert "grade A" in job["answer"]
    client.delete(f"files/{rows['id']}")
    _put(client, "claims.txt", b"1. A pump.\n2. The pump of claim 7.\n")
    job = _finished(client, task="lint", office="epo")
    assert (job["state"], job["files"]) == ("done", ["report.html"])
    assert "dependency-missing" in client.get(f"jobs/{job['id']}/report.html").text


def test_a_whole_document_is_checked_against_its_translation(client: httpx.Client) -> None:
    _put(client, "valve.src.html", "<p>壳体10的长度为5mm。</p><p>温度为80℃。</p>".encode())
    _put(client, "valve.en.html", b"<p>The housing 10 has a length of 5 mm.</p><p>It is 60 C.</p>")
    assert [one["kind"] for one in client.get("files").json()] == ["source", "hypothesis"]
    job = _finished(client, task="check", source="zh", target="en")
    assert job["state"] == "done", job["said"]
    assert "80" in client.get(f"jobs/{job['id']}/report.html").text


@pytest.mark.parametrize(
    ("second", "kinds"),
    [
        ("The housing 10 has a length of 5 mm and is made of steel.", ["source", "hypothesis"]),
        ("壳体10由钢制成，并且与阀座20连接在一起。", ["hypothesis", "hypothesis"]),
    ],
)
def test_the_first_of_two_documents_in_different_languages_is_the_source(
    client: httpx.Client, second: str, kinds: list[str]
) -> None:
    _put(client, "p1.html", ("<p>壳体10由不锈钢制成，并且与阀座20连接在一起。</p>" * 2).encode())
    _put(client, "p2.html", (f"<p>{second}</p>" * 2).encode())
    files = client.get("files").json()
    assert [one["kind"] for one in files] == kinds
    assert (files[0]["source"], files[0]["target"]) == (
        ("zh", "") if kinds[0] == "source" else ("", "zh")
    )


def test_warnings_of_the_command_are_passed_on(client: httpx.Client) -> None:
    _put(client, "ja_en/atlas.en")
    _put(client, "ja_en/reference.en")
    job = _finished(client, task="score", target="zh")
    assert any("zh" in line for line in job["said"])


def test_a_file_can_be_something_else_and_go(client: httpx.Client) -> None:
    given = _put(client, "ja_en/atlas.en")
    assert client.post(f"files/{given['id']}/kind", json="reference").status_code == 200
    assert client.get("files").json()[0]["kind"] == "reference"
    assert client.post(f"files/{given['id']}/kind", json="nonsense").status_code == 422
    assert client.delete(f"files/{given['id']}").status_code == 200
    assert client.get("files").json() == []
    assert client.delete(f"files/{given['id']}").status_code == 404


def test_a_program_on_the_desk_is_never_run(client: httpx.Client, tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    _put(client, "json.py", f"open({str(trap)!r}, 'w')\n".encode())
    client.post(f"files/{client.get('files').json()[0]['id']}/kind", json="claims")
    assert _finished(client, task="lint")["state"] in ("done", "failed")
    assert not trap.exists()


def test_what_runs_can_be_stopped(client: httpx.Client) -> None:
    for name in ("atlas.en", "borealis.en", "reference.en"):
        _put(client, f"ja_en/{name}")
    job = client.post("jobs", json={"task": "compare", "target": "en"}).json()
    client.post(f"jobs/{job['id']}/stop")
    assert client.get(f"jobs/{job['id']}").json()["state"] == "stopped"
    assert client.get(f"jobs/{job['id']}/report.html").status_code == 404


def test_large_files_are_refused_with_the_limit(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_app, "LARGEST_SUM", 3 * 1024**2)
    _put(client, "a.txt", b"x" * 2 * 1024**2)
    answer = client.post("files", params={"name": "b.txt"}, content=b"x" * 2 * 1024**2)
    assert answer.status_code == 413
    assert answer.json()["detail"].startswith("b.txt: all files together may have 3 MB here")
    monkeypatch.setattr(desk_app, "LARGEST_FILE", 1024**2)
    answer = client.post("files", params={"name": "c.txt"}, content=b"x" * (1024**2 + 1))
    assert answer.json()["detail"].startswith("c.txt: a file may have 1 MB here")
    assert [one["name"] for one in client.get("files").json()] == ["a.txt"]


def test_files_of_one_name_at_once_are_two_files(desk: str, client: httpx.Client) -> None:
    async def pieces(text: bytes, both_began: asyncio.Barrier) -> AsyncIterator[bytes]:
        yield text
        await both_began.wait()
        yield text

    async def put_both() -> None:
        began = asyncio.Barrier(2)
        async with httpx.AsyncClient(base_url=desk, timeout=_PATIENCE) as both:
            contents = [pieces(text, began) for text in (b"A valve. ", b"A spring. ")]
            put = (both.post("files", params={"name": "a.en"}, content=one) for one in contents)
            await asyncio.gather(*put)

    asyncio.run(put_both())
    given = {one["name"]: one["size"] for one in client.get("files").json()}
    assert given.keys() == {"a.en", "a-2.en"}
    assert sorted(given.values()) == [18, 20]


def test_a_command_that_cannot_begin_has_failed(tmp_path: Path) -> None:
    job = Job("a", Order("score", []), tmp_path / "none" / "a")
    asyncio.run(job.run(tmp_path, asyncio.Lock()))
    assert job.state == "failed"
    assert job.said[0].startswith("the command could not run: ")


def test_a_failure_names_no_option_of_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_text("A valve.\nA pump.\n", encoding="utf-8")
    (tmp_path / "r.en").write_text("A valve.\n\n", encoding="utf-8")
    files = [
        Given(name, tmp_path / name, kind, "", "")
        for name, kind in (("a.en", "hypothesis"), ("r.en", "reference"))
    ]
    job = Job("a", Order("score", files, target="en"), tmp_path / "job")  # type: ignore[arg-type]
    asyncio.run(job.run(tmp_path, asyncio.Lock()))
    [said] = job.said
    assert job.state == "failed" and said.startswith("r.en:2: empty reference")
    assert "--" not in said and "“allow-empty-refs” of the command line" in said


def test_results_that_make_room_leave_the_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(desk_app, "_KEPT_JOBS", 1)
    old = Job("old", Order("lint", []), tmp_path / "old", state="done")
    old.folder.mkdir()

    async def order() -> None:
        desk = desk_app.Desk(tmp_path)
        desk.jobs["old"] = old
        desk.start(Order("lint", [Given("a", tmp_path / "a", "claims", "", "")]), "en")
        await desk.close()

    asyncio.run(order())
    assert not old.folder.exists()


def test_nobody_else_gets_in(desk: str) -> None:
    address = desk.rpartition("only-for-tests")[0]
    assert httpx.get(f"{address}").status_code == 404
    assert httpx.get(f"{address}wrong/").status_code == 404
    assert httpx.get(f"{address}wrong/files").status_code == 404
    assert httpx.get(desk, headers={"Host": "evil.example"}).status_code == 421
    foreign = {"Origin": "http://evil.example"}
    assert httpx.post(f"{desk}jobs", json={"task": "score"}, headers=foreign).status_code == 403
    assert httpx.get(f"{desk}jobs/0/..%2f..%2fapp.py").status_code == 404


def test_the_command_prints_a_link_and_leaves_nothing_behind(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "patmark", "open", "--no-browser"]
    private = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=private) as started:
        try:
            assert started.stderr is not None
            said = started.stderr.readline()
            link = re.fullmatch(r"patmark is open at (http://127.0.0.1:(\d+)/[\w-]{32}/)\n", said)
            assert link, said
            assert httpx.get(link[1], timeout=_PATIENCE).status_code == 200
            assert len(list(tmp_path.iterdir())) == 1
            taken = subprocess.run([*line, "--port", link[2]], stderr=subprocess.PIPE, text=True)
            assert taken.returncode == 2
            assert "cannot be used" in taken.stderr
        finally:
            started.send_signal(signal.SIGINT)
            started.wait(60)
    assert list(tmp_path.iterdir()) == []
