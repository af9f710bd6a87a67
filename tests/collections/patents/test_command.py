"""patmark corpus on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import patmark

_DATA = Path(__file__).parent / "data"


def _parsed(folder: Path) -> Path:
    done = patmark(folder, "corpus", "parse", _DATA, "--out", "docs.jsonl.zst")
    assert done.returncode == 0, done.stderr
    return folder / "docs.jsonl.zst"


def test_parse_counts_and_lists_broken_records(tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("<?xml version='1.0'?><PATDOC><a></PATDOC>")
    (tmp_path / "picture.tif").write_bytes(b"II*")
    done = patmark(tmp_path, "corpus", "parse", _DATA, tmp_path, "--out", "docs.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["documents"] == 7
    assert result["offices"] == {"CN": 2, "JP": 2, "US": 3}
    assert result["languages"] == {"en": 3, "ja": 2, "zh": 2}
    assert result["claims"] == 3 + 2 + 2 + 2 + 2 + 1 + 1
    assert result["skipped_files"] == {".md": 1, ".tif": 1}
    assert result["broken"] == 1
    (broken,) = result["broken_records"]
    assert broken["path"].endswith("bad.xml")
    assert broken["record"] == 1
    assert "not well-formed" in broken["message"]
    assert len((tmp_path / "docs.jsonl").read_text(encoding="utf-8").splitlines()) == 7


def test_parse_tells_people(tmp_path: Path) -> None:
    done = patmark(tmp_path, "corpus", "parse", _DATA, "--out", "docs.jsonl")
    assert "7 documents (CN 2, JP 2, US 3), 13 claims" in done.stdout
    assert "wrote docs.jsonl" in done.stderr
    assert patmark(tmp_path, "corpus", "parse", _DATA, "--out", "d.jsonl", "-q").stdout == ""


def test_a_publication_with_two_records_is_said(tmp_path: Path) -> None:
    [grant, *_] = sorted(_DATA.glob("*.xml"))
    (tmp_path / "again.xml").write_bytes(grant.read_bytes())
    names = ("corpus", "parse", grant, "again.xml", "--out", "docs.jsonl")
    told = patmark(tmp_path, *names).stdout
    twice = json.loads(patmark(tmp_path, *names, "--json").stdout)["repeated"]
    assert twice
    assert "other record" in told and twice[0] in told


def test_nothing_to_read_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("<html/>")
    done = patmark(tmp_path, "corpus", "parse", "bad.xml", "--out", "docs.jsonl")
    assert done.returncode == 2
    assert "record 1: no known patent format" in done.stderr
    assert not (tmp_path / "docs.jsonl").exists()
    missing = patmark(tmp_path, "corpus", "parse", "nowhere", "--out", "docs.jsonl")
    assert missing.returncode == 2
    assert "no such file" in missing.stderr


def test_families(tmp_path: Path) -> None:
    docs = _parsed(tmp_path)
    done = patmark(tmp_path, "corpus", "families", docs, "--out", "f.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["families"], result["documents"], result["unlinked"]) == (7, 7, [])
    rows = [json.loads(line) for line in (tmp_path / "f.jsonl").read_text().splitlines()]
    assert {
        "family": "JP2006054321", "members": ["CN101234567A"], "offices": ["CN"],
        "keys": ["JP 2006 054321"],
    } in rows  # fmt: skip


def test_families_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / _parsed(tmp_path)).rename(tmp_path / "docs" / "all.jsonl")
    done = patmark(tmp_path, "corpus", "families", "docs", "--out", "f.jsonl", "--json")
    assert json.loads(done.stdout)["documents"] == 7
    (tmp_path / "empty").mkdir()
    none = patmark(tmp_path, "corpus", "families", "empty", "--out", "g.jsonl")
    assert (none.returncode, "holds no file that ends in .jsonl" in none.stderr) == (2, True)
    assert not (tmp_path / "g.jsonl").exists()


def test_documents_on_stdout(tmp_path: Path) -> None:
    done = patmark(tmp_path, "corpus", "parse", _DATA, "--out", "-")
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 7
    assert "7 documents" in done.stderr


def test_bad_requests(tmp_path: Path) -> None:
    docs = _parsed(tmp_path)
    wrong = patmark(tmp_path, "corpus", "families", docs, "--out", "f.jsonl", "--kind", "big")
    assert (wrong.returncode, "expected simple or extended" in wrong.stderr) == (2, True)
    over = patmark(tmp_path, "corpus", "families", docs, "--out", docs)
    assert (over.returncode, "would be overwritten" in over.stderr) == (2, True)
    lost = patmark(tmp_path, "corpus", "families", docs, "--out", "f.jsonl", "--prefer", "B")
    assert (lost.returncode, "--one-per-office" in lost.stderr) == (2, True)
