"""A cluster gives what one machine gives. Spark runs with two workers in processes of their own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import engine_functions as functions
from demo_builds import built, contents, demo_pipeline
from patmark.collections.corpus.build.pipeline import build_corpus
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.engine.datasets import iter_rows, write_rows
from patmark.engine.engine import LocalEngine
from patmark.engine.store_paths import any_place
from patmark.errors import InputError, UsageError
from s3_server import bucket, download, s3_server
from spark_cluster import MASTER, skip_without_spark, spark_session

skip_without_spark()
pytest.importorskip("duckdb", reason="duckdb is absent: pip install 'patmark[corpus]'")

_QUICK = 'method = "gale-church"\ndictionary = "none"'
pytestmark = pytest.mark.filterwarnings("ignore")  # those of pyspark are not ours


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    with spark_session(2, python_path=str(Path(functions.__file__).parent)) as session:
        yield session


def test_spark_and_the_local_engine_write_the_same_bytes(session: Any, tmp_path: Path) -> None:
    from patmark.engine.spark import SparkEngine

    pipeline = demo_pipeline(tmp_path / "demo", 12)
    local = built(pipeline, tmp_path / "local", LocalEngine(2))
    spark = built(pipeline, tmp_path / "spark", SparkEngine())
    assert spark.skipped == ()
    assert set(spark.done) == set(local.done)
    assert contents(spark.folder) == contents(local.folder)
    assert spark.facts == local.facts
    # what one engine began, the other one takes up
    other = built(pipeline, tmp_path / "spark", LocalEngine(1), from_="rank")
    assert {"aligned", "parsed"} <= set(other.skipped)
    assert contents(other.folder) == contents(local.folder)


def _documented_command(folder: Path) -> list[str | Path]:
    """The command of docs/cluster.md, on a cluster of one process."""
    from pyspark.find_spark_home import _find_spark_home

    page = Path(__file__).parents[3] / "docs" / "cluster.md"
    script = page.read_text(encoding="utf-8").partition("file=build.py\n")[2].partition("```")[0]
    (folder / "build.py").write_text(script, encoding="utf-8")
    submit = Path(_find_spark_home(), "bin", "spark-submit")
    return [submit, "--master", "local[1]", folder / "build.py"]


def test_from_store_to_store_spark_goes_on_after_a_kill(session: Any, tmp_path: Path) -> None:
    from patmark.engine.spark import SparkEngine

    pipeline = demo_pipeline(tmp_path / "demo", 6)
    text = pipeline.read_text(encoding="utf-8") + "\n[export]\nrows = 60\n"
    with s3_server(tmp_path) as settings:
        root = bucket("spark", settings, files=tmp_path / "demo/documents")
        source = json.dumps(f"{root}/in?{settings}")
        pipeline.write_text(text.replace('"documents"', source), encoding="utf-8")
        local = built(pipeline, tmp_path / "local", LocalEngine(1))
        url = f"{root}/out?{settings}"
        command = [*_documented_command(tmp_path), pipeline, url]
        driver = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
        for _ in range(6000):
            if list((any_place(url) / "steps").glob("publications-*")) or driver.poll() is not None:
                break
            time.sleep(0.05)
        assert driver.poll() is None
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        spark = build_corpus(read_pipeline(pipeline), any_place(url), SparkEngine())
        assert {"files", "link_keys"} <= set(spark.skipped)
        copy = download(f"{root}/out", settings, tmp_path / "copy")
    assert spark.facts == local.facts
    assert contents(copy) == contents(local.folder)
    assert len(list((copy / "pairs").iterdir())) > 1


def test_the_work_was_done_by_two_workers(session: Any) -> None:
    assert session.sparkContext.master == MASTER
    assert session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() == 3  # and the driver


def test_after_a_killed_driver_the_other_engine_goes_on(tmp_path: Path) -> None:
    pipeline = demo_pipeline(tmp_path / "demo", 4, align=_QUICK)
    local = built(pipeline, tmp_path / "local", LocalEngine(1))
    steps = tmp_path / "out" / "steps"
    command = [sys.executable, "-m", "patmark", "corpus", "build", pipeline, "--out",
               tmp_path / "out", "--engine", "spark", "--master", "local[1]",
               "--quiet"]  # fmt: skip
    driver = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    for _ in range(6000):
        if list(steps.glob("publications-*")) or driver.poll() is not None:
            break
        time.sleep(0.05)
    assert driver.poll() is None
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    finished = built(pipeline, tmp_path / "out", LocalEngine(1))
    assert {"parsed", "link_keys"} <= set(finished.skipped)
    assert contents(finished.folder) == contents(local.folder)


@pytest.mark.parametrize("killed", [functions.killed_once, functions.executor_killed_once])
def test_a_worker_or_an_executor_that_is_killed_loses_nothing(
    killed: Any, session: Any, tmp_path: Path
) -> None:
    from patmark.engine.spark import SparkEngine

    rows = [{"number": n, "text": f"Text {n} 文"} for n in range(40)]
    write_rows(tmp_path / "in", rows, functions.SCHEMA, 10)
    work = partial(killed, str(tmp_path / "marker"), 25)
    SparkEngine().map_batches(
        work, tmp_path / "in", tmp_path / "out", functions.SCHEMA, batch_rows=4
    )
    assert (tmp_path / "marker").exists()
    assert sorted(iter_rows(tmp_path / "out"), key=lambda row: row["number"]) == rows


def test_finished_shards_are_kept_when_work_is_taken_up_again(session: Any, tmp_path: Path) -> None:
    from patmark.engine.spark import SparkEngine

    rows = [{"number": n, "text": f"Text {n} 文"} for n in range(40)]
    write_rows(tmp_path / "in", rows, functions.SCHEMA, 10)
    places = (tmp_path / "in", tmp_path / "out", functions.SCHEMA)
    SparkEngine().map_batches(functions.doubled, *places)
    found = list(iter_rows(tmp_path / "out"))
    (tmp_path / "out" / "part-000002.parquet").unlink()
    kept = {part: part.stat().st_mtime_ns for part in (tmp_path / "out").glob("part-*")}
    SparkEngine().map_batches(functions.doubled, *places)
    assert list(iter_rows(tmp_path / "out")) == found
    assert len(kept) == 3
    assert all(part.stat().st_mtime_ns == before for part, before in kept.items())


def test_problems_of_the_data_come_back_from_the_workers(session: Any, tmp_path: Path) -> None:
    from patmark.engine.spark import SparkEngine

    write_rows(tmp_path / "in", [{"number": 1, "text": ""}], functions.SCHEMA)
    with pytest.raises(InputError, match="is wrong too"):
        SparkEngine().map_batches(
            functions.refused, tmp_path / "in", tmp_path / "out", functions.SCHEMA
        )


def test_another_cluster_than_the_running_one_is_refused(session: Any) -> None:
    from patmark.engine.spark import SparkEngine

    with pytest.raises(UsageError, match="is running"):
        SparkEngine("local[1]")
