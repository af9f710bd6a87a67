"""A real Spark cluster on this machine: a master and two workers."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from s3_server import KEYS

MASTER = "local-cluster[2,1,1024]"


def skip_without_spark() -> None:
    """Skip a whole module where pyspark or Java is absent."""
    pytest.importorskip("pyspark", reason="pyspark is absent: pip install 'patmark[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is absent, which Spark needs", allow_module_level=True)


@contextmanager
def spark_session(partitions: int, python_path: str = "") -> Iterator[Any]:
    """A session on the cluster; workers also import modules from ``python_path``.

    Where this process imports patmark from, they do so too.
    """
    from pyspark.find_spark_home import _find_spark_home
    from pyspark.sql import SparkSession

    places = filter(None, [python_path, os.environ.get("PYTHONPATH")])
    os.environ.setdefault("SPARK_HOME", _find_spark_home())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = SparkSession.builder
        for name, value in KEYS.items():
            builder = builder.config(f"spark.executorEnv.{name}", value)
        session = (
            builder.master(MASTER)
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", str(partitions))
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.executorEnv.PYTHONPATH", os.pathsep.join(places))
            .getOrCreate()
        )
        yield session
        session.stop()
