from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tantivy", reason="tantivy is absent: pip install 'patmark[retrieval]'")
pytest.importorskip("pyarrow", reason="pyarrow is absent: pip install 'patmark[retrieval]'")

from pyarrow import parquet

from patmark.collections.retrieval.demo_collection import DemoCollection
from patmark.collections.retrieval.index import build_index
from patmark.collections.retrieval.index_manifest import read_manifest, write_manifest
from patmark.collections.retrieval.index_terms import term_procedure
from patmark.collections.retrieval.search import OpenIndex, SearchSettings, search_topics
from patmark.data import PatentDocument
from patmark.errors import InputError, MissingExtra, UsageError

_STEMS = term_procedure("en-stem")
_SIZE, _BATCH = 400, 40
_DEMO = DemoCollection(_SIZE, words=20)

# Says after each batch how many documents are committed, so that the test knows when to kill.
_BUILDER = f"""
import sys
from pathlib import Path
from patmark.collections.retrieval.demo_collection import DemoCollection
from patmark.collections.retrieval.index import build_index
from patmark.collections.retrieval.index_terms import term_procedure
build_index(
    Path(sys.argv[1]), DemoCollection({_SIZE}, words=20).documents(), term_procedure("en-stem"),
    sources=["demo"], exact_tables=True, batch={_BATCH},
    progress=lambda done: print(done, flush=True),
)
"""


_ADDER = f"""
import sys
from pathlib import Path
from patmark.data import PatentDocument
from patmark.collections.retrieval.index import build_index
from patmark.collections.retrieval.index_terms import term_procedure
build_index(
    Path(sys.argv[1]), (PatentDocument(f"new{{n}}", title=f"gate {{n}}") for n in range({_SIZE})),
    term_procedure("en-stem"), sources=["new"], exact_tables=True, add=True, batch={_BATCH},
    progress=lambda done: print(done, flush=True),
)
"""


def _killed_build(folder: Path, after: int, builder: str = _BUILDER) -> None:
    """Start a build and kill it without warning, while it works on a later batch."""
    with subprocess.Popen(
        [sys.executable, "-c", builder, str(folder)], stdout=subprocess.PIPE, text=True
    ) as process:
        stdout = process.stdout
        if stdout is None:
            raise RuntimeError("the builder has no output")
        for line in stdout:
            if int(line) >= after:
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL


def _build(folder: Path, **options: Any) -> Any:
    settings: dict[str, Any] = {"sources": ["demo"], "exact_tables": True, "batch": _BATCH}
    return build_index(folder, _DEMO.documents(), _STEMS, **{**settings, **options})


def _found(folder: Path, engine: Any) -> Any:
    settings = SearchSettings(k=50, engine=engine)
    return search_topics(OpenIndex.at(folder), _DEMO.topics(5), settings).found


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished index that no test may change."""
    folder = tmp_path_factory.mktemp("finished") / "index"
    _build(folder, batch=_SIZE)
    return folder


@pytest.fixture
def own_copy(finished: Path, tmp_path: Path) -> Path:
    """A finished index that the test may change."""
    return Path(shutil.copytree(finished, tmp_path / "i"))


def test_a_killed_build_resumes_without_duplicates_or_loss(finished: Path, tmp_path: Path) -> None:
    killed = tmp_path / "killed"
    for after in (40, 160):
        _killed_build(killed, after)
        with pytest.raises(UsageError, match="not finished"):
            OpenIndex.at(killed)
    seen: list[int] = []
    resumed = _build(killed, progress=seen.append)
    assert seen[0] >= 200  # what was committed before is not done again
    assert seen[-1] == _SIZE
    assert resumed == OpenIndex.at(finished).manifest
    assert resumed.documents == _SIZE
    assert OpenIndex.at(killed).documents == OpenIndex.at(finished).documents
    assert _found(killed, "tantivy") == _found(finished, "tantivy")
    assert _found(killed, "duckdb") == _found(finished, "duckdb")


def test_rows_of_a_batch_that_was_not_committed_are_dropped(finished: Path, tmp_path: Path) -> None:
    """A crash between writing the rows and the commit of the engine."""
    folder = tmp_path / "index"

    def crash(done: int) -> None:
        if done == 120:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _build(folder, progress=crash)
    for table in ("documents", "postings"):
        (folder / "tables" / table / "part-000000120.parquet").write_bytes(b"half")
        (folder / "tables" / table / ".part-000000400.unfinished").write_bytes(b"half")
    assert _build(folder) == OpenIndex.at(finished).manifest
    assert _found(folder, "duckdb") == _found(finished, "duckdb")
    assert not list(folder.rglob("*.unfinished"))


@pytest.mark.skipif(os.name != "posix", reason="Windows opens no folders")
def test_the_names_of_tables_are_on_disk_before_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced = []

    def sync(file: int) -> None:
        synced.append(os.fstat(file).st_ino)

    monkeypatch.setattr("patmark.collections.retrieval.index_tables.os.fsync", sync)
    build_index(tmp_path / "i", [PatentDocument("a", title="gate")], _STEMS)
    table = tmp_path / "i/tables/documents"
    written = [path.stat().st_ino for path in (table / "part-000000000.parquet", table)]
    assert [number for number in synced if number in written] == written


def test_adding_gives_the_same_as_building_at_once(finished: Path, tmp_path: Path) -> None:
    documents = list(_DEMO.documents())
    parts = tmp_path / "parts"
    first = build_index(parts, documents[:230], _STEMS, sources=["one"], exact_tables=True)
    assert first.documents == 230
    second = build_index(
        parts, documents[230:], _STEMS, sources=["two"], exact_tables=True, add=True
    )
    assert second.ids_sha256 == OpenIndex.at(finished).manifest.ids_sha256
    assert _found(parts, "tantivy") == _found(finished, "tantivy")
    assert _found(parts, "duckdb") == _found(finished, "duckdb")


def test_the_manifest_says_what_was_done(tmp_path: Path) -> None:
    documents = [
        PatentDocument("a", ipc=("H01L 21/00", "nonsense"), title="gate"),
        PatentDocument("b", cpc=("G06F 3/01",), title="mouse"),
    ]
    built = build_index(tmp_path / "i", documents, _STEMS, sources=["two"])
    assert built == read_manifest(tmp_path / "i")
    assert (built.documents, built.tokens, built.undated) == (2, 2, 2)
    assert (built.unclassified, built.unreadable_codes) == (0, 1)
    assert (built.k1, built.b, built.state) == (1.2, 0.75, "complete")
    # sha256 of "a\nb\n" by sha256sum of GNU coreutils 9.1
    assert built.ids_sha256 == "911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2"


def test_a_finished_index_is_not_overwritten(own_copy: Path) -> None:
    with pytest.raises(UsageError, match="finished index of 400 documents; use add="):
        _build(own_copy)


def test_documents_that_are_in_already_are_refused(own_copy: Path) -> None:
    with pytest.raises(InputError, match="400 documents are already in the index: US00000001"):
        _build(own_copy, add=True)


def test_a_build_resumes_only_with_its_own_collection(tmp_path: Path) -> None:
    _killed(tmp_path / "i")
    with pytest.raises(UsageError, match="unfinished build from demo"):
        _build(tmp_path / "i", sources=["other"])
    changed = DemoCollection(_SIZE, "zh", words=20).documents()
    with pytest.raises(InputError, match="document 1 was 'US00000001' when this build began"):
        build_index(tmp_path / "i", changed, _STEMS, sources=["demo"], exact_tables=True)


def _kept_files(folder: Path) -> dict[str, bytes]:
    """The manifest and the tables of an index."""
    paths = [folder / "manifest.json", *(folder / "tables").rglob("*.*")]
    return {str(path): path.read_bytes() for path in paths}


def _failing(documents: list[PatentDocument], error: BaseException) -> Iterator[PatentDocument]:
    yield from documents
    raise error


@pytest.mark.parametrize("batch", [1, _BATCH])
def test_an_addition_that_fails_leaves_the_index_as_it_was(own_copy: Path, batch: int) -> None:
    before, found = _kept_files(own_copy), _found(own_copy, "tantivy")
    new = [PatentDocument(f"new{number}", title="gate") for number in range(3)]
    cut_off = _failing(new, InputError.at("cut off"))
    options: dict[str, Any] = {"add": True, "exact_tables": True, "batch": batch}
    with pytest.raises(InputError, match="cut off"):
        build_index(own_copy, cut_off, _STEMS, **options)
    with pytest.raises(InputError, match="already in the index: US00000001"):
        build_index(own_copy, [*new, *_DEMO.documents()], _STEMS, **options)
    assert _kept_files(own_copy) == before
    assert not list(own_copy.glob("addition-*"))
    assert _found(own_copy, "tantivy") == found
    again = build_index(own_copy, new, _STEMS, **options)
    assert OpenIndex.at(own_copy).manifest == again
    assert again.documents == _SIZE + 3


def test_an_addition_that_was_stopped_goes_on_while_the_index_can_be_searched(
    own_copy: Path,
) -> None:
    found = _found(own_copy, "duckdb")
    documents = [PatentDocument(f"new{number}", title="gate") for number in range(3)]
    stopped = _failing(documents[:2], KeyboardInterrupt())
    options: dict[str, Any] = {"add": True, "exact_tables": True, "batch": 1}
    with pytest.raises(KeyboardInterrupt):
        build_index(own_copy, stopped, _STEMS, sources=["new"], **options)
    assert OpenIndex.at(own_copy).manifest.documents == _SIZE
    assert _found(own_copy, "duckdb") == found
    with pytest.raises(UsageError, match="unfinished build from new"):
        build_index(own_copy, [], _STEMS, sources=["other"], **options)
    seen: list[int] = []
    done = build_index(
        own_copy, documents, _STEMS, sources=["new"], progress=seen.append, **options
    )
    assert (seen, done.documents) == ([_SIZE + 3], _SIZE + 3)


def test_an_addition_that_was_killed_when_all_was_in_is_put_in_place(
    own_copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"add": True, "exact_tables": True, "sources": ["new"]}

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("patmark.collections.retrieval.index._put_in_place", killed)
        build_index(own_copy, [PatentDocument("new", title="gate")], _STEMS, **options)
    assert OpenIndex.at(own_copy).manifest.documents == _SIZE
    done = build_index(own_copy, [PatentDocument("new", title="gate")], _STEMS, **options)
    assert OpenIndex.at(own_copy).manifest == done and done.documents == _SIZE + 1


def test_an_addition_that_was_killed_leaves_the_index_as_it_was(own_copy: Path) -> None:
    before = {engine: _found(own_copy, engine) for engine in ("tantivy", "duckdb")}
    files = _kept_files(own_copy)
    _killed_build(own_copy, _SIZE + 2 * _BATCH, _ADDER)
    assert (own_copy / "addition-1").is_dir()
    assert _kept_files(own_copy) == files
    assert {engine: _found(own_copy, engine) for engine in before} == before
    new = [PatentDocument(f"new{number}", title=f"gate {number}") for number in range(_SIZE)]
    seen: list[int] = []
    options: dict[str, Any] = {"add": True, "exact_tables": True, "batch": _BATCH}
    done = build_index(own_copy, new, _STEMS, sources=["new"], progress=seen.append, **options)
    assert done.documents == 2 * _SIZE
    assert seen[0] > _SIZE + 2 * _BATCH  # what was committed before the end is not done again


def test_a_second_build_is_refused_and_harms_nothing(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "i"

    def met(documents: list[PatentDocument], add: bool) -> Iterator[PatentDocument]:
        for number, document in enumerate(documents):
            if number in (0, _BATCH + 1):
                with pytest.raises(UsageError, match="i is being built by another process"):
                    _build(folder, add=add)
            yield document

    documents = list(_DEMO.documents())
    options: dict[str, Any] = {"exact_tables": True, "batch": _BATCH}
    build_index(folder, met(documents[:90], False), _STEMS, **options)
    build_index(folder, met(documents[90:], True), _STEMS, add=True, **options)
    assert _found(folder, "tantivy") == _found(finished, "tantivy")
    assert _found(folder, "duckdb") == _found(finished, "duckdb")


def test_a_build_that_lost_a_table_is_not_complete(tmp_path: Path) -> None:
    def lose(done: int) -> None:
        (tmp_path / "i/tables/documents/part-000000040.parquet").unlink(missing_ok=True)

    with pytest.raises(InputError, match="has 360 documents, but the index 400; build it again"):
        _build(tmp_path / "i", progress=lose)
    with pytest.raises(UsageError, match="not finished"):
        OpenIndex.at(tmp_path / "i")


def test_the_number_of_workers_changes_nothing_that_is_found(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts and threads so small that several processes and threads have work."""
    monkeypatch.setattr("patmark.collections.retrieval.index._PART_DOCUMENTS", 90)
    monkeypatch.setattr("patmark.collections.retrieval.index._OF_A_THREAD", 1)
    built = _build(tmp_path / "i", batch=_SIZE, workers=3)
    assert built == OpenIndex.at(finished).manifest
    for engine in ("tantivy", "duckdb"):
        assert _found(tmp_path / "i", engine) == _found(finished, engine)


def test_several_additions_leave_one_copy(own_copy: Path) -> None:
    for number in range(3):
        document = PatentDocument(f"new{number}", title="gate")
        build_index(own_copy, [document], _STEMS, add=True, exact_tables=True)
    names = sorted(path.name for path in own_copy.iterdir())
    assert names == [".lock", "addition-3", "manifest.json"]
    found = OpenIndex.at(own_copy).find(["new2", "new0", "new1", "none"])
    assert [document.id for document in found] == ["new0", "new1", "new2"]


def test_a_build_that_failed_at_once_does_not_block_its_folder(tmp_path: Path) -> None:
    def broken() -> Iterator[PatentDocument]:
        raise InputError.at("no such file")
        yield

    with pytest.raises(InputError, match="no such file"):
        build_index(tmp_path / "i", broken(), _STEMS, sources=["typo"])
    assert not (tmp_path / "i").exists()
    with pytest.raises(UsageError, match="no index to add to"):
        _build(tmp_path / "i", add=True)
    other = term_procedure("en-word")
    built = build_index(tmp_path / "i", _DEMO.documents(), other, sources=["demo"])
    assert (built.documents, built.terms, built.sources) == (_SIZE, "en-word", ("demo",))


def _killed(folder: Path) -> None:
    def stopped() -> Iterator[PatentDocument]:
        yield from list(_DEMO.documents())[:70]
        raise InputError.at("cut off")

    with pytest.raises(InputError, match="cut off"):
        build_index(folder, stopped(), _STEMS, sources=["demo"], exact_tables=True, batch=_BATCH)


def test_an_index_keeps_its_terms_and_its_tables(own_copy: Path) -> None:
    with pytest.raises(UsageError, match="built with the terms en-stem/1"):
        build_index(own_copy, [], term_procedure("en-word"), add=True, exact_tables=True)
    with pytest.raises(UsageError, match="has exact tables"):
        build_index(own_copy, [], _STEMS, add=True)


def test_another_version_of_the_terms_cannot_search(own_copy: Path) -> None:
    manifest = OpenIndex.at(own_copy).manifest
    old = replace(manifest, terms_signature="en-stem/0(snowballstemmer-1.0)")
    write_manifest(own_copy, old)
    with pytest.raises(UsageError, match=r"en-stem/0.*this installation makes en-stem/1"):
        search_topics(OpenIndex.at(own_copy), _DEMO.topics(1))


@pytest.mark.parametrize("content", ["{", "[]", '{"form": 1}', '{"form": 3, "sources": []}'])
def test_a_damaged_manifest_is_an_error(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(InputError, match=r"manifest\.json"):
        OpenIndex.at(tmp_path)


def test_an_index_of_an_older_form_is_refused(own_copy: Path) -> None:
    manifest = json.loads((own_copy / "manifest.json").read_text())
    (own_copy / "manifest.json").write_text(json.dumps({**manifest, "form": 2}))
    with pytest.raises(InputError, match=r"of form 2, but .* needs form 3; build the index again"):
        OpenIndex.at(own_copy)
    with pytest.raises(InputError, match="needs form 3; build the index again"):
        _build(own_copy, add=True)


def test_lost_documents_are_noticed(own_copy: Path) -> None:
    (path,) = (own_copy / "tables" / "documents").iterdir()
    table = parquet.read_table(path)
    parquet.write_table(table.slice(0, 399), path)
    with pytest.raises(InputError, match="has 399 documents, but the manifest says 400"):
        OpenIndex.at(own_copy)
    path.write_bytes(b"half")
    with pytest.raises(InputError, match=r"documents: is damaged: .*; build the index again"):
        OpenIndex.at(own_copy)


def test_folders_that_hold_something_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="not empty and holds no index"):
        _build(tmp_path)
    with pytest.raises(UsageError, match="is a file"):
        _build(tmp_path / "file")
    with pytest.raises(UsageError, match="no index to add to"):
        _build(tmp_path / "none", add=True)
    with pytest.raises(InputError, match="cannot be made"):
        _build(tmp_path / "a" / "b")
    with pytest.raises(UsageError, match="holds no index"):
        OpenIndex.at(tmp_path / "none")


def test_an_index_without_documents_cannot_be_searched(tmp_path: Path) -> None:
    assert build_index(tmp_path / "i", [], _STEMS).documents == 0
    with pytest.raises(UsageError, match="holds no documents"):
        OpenIndex.at(tmp_path / "i")


def test_a_missing_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(MissingExtra, match=r"patmark\[retrieval\]"):
        build_index(tmp_path / "i", [], _STEMS)
    assert not os.listdir(tmp_path) or not os.listdir(tmp_path / "i")


def test_manifest_is_plain_json(tmp_path: Path) -> None:
    built = _build(tmp_path / "i")
    assert json.loads((tmp_path / "i" / "manifest.json").read_text()) == built.to_json()
