"""A local server of the S3 kind (moto), with a bucket for each test."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_SETTINGS = "region=us-east-1&scheme=http&allow_bucket_creation=true&endpoint_override="
KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}


@contextmanager
def s3_server(folder: Path) -> Iterator[str]:
    """Start the server; gives the settings of its URLs. Keys are in the environment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    before = {name: os.environ.get(name) for name in KEYS}
    os.environ.update(KEYS)
    with (folder / "moto.log").open("wb") as log:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        server = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        _wait(port, server)
        yield f"{_SETTINGS}127.0.0.1%3A{port}"
    finally:
        server.kill()
        server.wait()
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _wait(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        if server.poll() is not None:
            raise RuntimeError("moto.server ended; see moto.log")
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("moto.server does not answer")


def bucket(name: str, settings: str, *, files: Path | None = None) -> str:
    """Make a bucket, with the files of a folder below ``in``; gives the URL of its root."""
    from pyarrow import fs

    system: Any = fs.FileSystem.from_uri(f"s3://{name}/?{settings}")[0]
    system.create_dir(name)
    if files is not None:
        fs.copy_files(
            str(files),
            f"{name}/in",
            source_filesystem=fs.LocalFileSystem(),
            destination_filesystem=system,
        )
    return f"s3://{name}"


def download(url: str, settings: str, folder: Path) -> Path:
    """Copy everything below a URL to a folder."""
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(f"{url}?{settings}")
    fs.copy_files(
        path,
        str(folder),
        source_filesystem=system,
        destination_filesystem=fs.LocalFileSystem(),
    )
    return folder
