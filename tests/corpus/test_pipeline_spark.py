"""A cluster gives what one machine gives. Spark runs with two workers in processes of their own."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import engine_functions as functions
from demo_builds import built, contents, demo_pipeline
from patmark.corpus.engine import iter_rows, write_rows
from patmark.corpus.engine_local import LocalEngine
from patmark.errors import UsageError

pytest.importorskip("pyspark", reason="pyspark is absent: pip install 'patmark[spark]'")
pytest.importorskip("pandas", reason="pandas is absent: pip install 'patmark[spark]'")
pytest.importorskip("duckdb", reason="duckdb is absent: pip install 'patmark[corpus]'")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("Java is absent, which Spark needs", allow_module_level=True)

_MASTER = "local-cluster[2,1,1024]"

pytestmark = pytest.mark.filterwarnings("ignore")  # those of pyspark are not ours


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """A session on a real cluster: a master and two workers."""
    from pyspark.find_spark_home import _find_spark_home
    from pyspark.sql import SparkSession

    os.environ.setdefault("SPARK_HOME", _find_spark_home())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = (
            SparkSession.builder.master(_MASTER)
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.executorEnv.PYTHONPATH", str(Path(functions.__file__).parent))
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .getOrCreate()
        )
        yield session
        session.stop()


def test_spark_and_the_local_engine_write_the_same_bytes(session: Any, tmp_path: Path) -> None:
    from patmark.corpus.engine_spark import SparkEngine

    pipeline = demo_pipeline(tmp_path / "demo", 12)
    local = built(pipeline, tmp_path / "local", LocalEngine(2))
    spark = built(pipeline, tmp_path / "spark", SparkEngine())
    assert spark.skipped == ()
    assert set(spark.done) == set(local.done)
    assert contents(spark.folder) == contents(local.folder)
    assert spark.facts == local.facts
    # what one engine began, the other one takes up
    other = built(pipeline, tmp_path / "spark", LocalEngine(1), redo_from="rank")
    assert {"aligned", "parsed"} <= set(other.skipped)
    assert contents(other.folder) == contents(local.folder)


def test_a_worker_that_is_killed_in_the_middle_loses_nothing(session: Any, tmp_path: Path) -> None:
    from patmark.corpus.engine_spark import SparkEngine

    rows = [{"number": n, "text": f"Text {n} 文"} for n in range(40)]
    write_rows(tmp_path / "in", rows, functions.SCHEMA, 10)
    work = partial(functions.killed_once, str(tmp_path / "marker"), 25)
    SparkEngine().map_batches(
        work, tmp_path / "in", tmp_path / "out", functions.SCHEMA, batch_rows=4
    )
    assert (tmp_path / "marker").exists()
    assert sorted(iter_rows(tmp_path / "out"), key=lambda row: row["number"]) == rows


def test_the_work_was_done_by_two_workers(session: Any) -> None:
    assert session.sparkContext.master == _MASTER
    assert session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() == 3  # and the driver


def test_another_cluster_than_the_running_one_is_refused(session: Any) -> None:
    from patmark.corpus.engine_spark import SparkEngine

    with pytest.raises(UsageError, match="is running"):
        SparkEngine("local[1]")
