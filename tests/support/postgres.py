"""A PostgreSQL server of our own, for as long as the tests run."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER = "patmark"
_OPTIONS = ("-c listen_addresses=''", "-c max_connections=200", "-c shared_buffers=64MB")


def programs() -> Path | None:
    """The folder of initdb and pg_ctl: on the path, or where Debian keeps them."""
    found = shutil.which("initdb")
    if found is not None and shutil.which("pg_ctl") is not None:
        return Path(found).parent
    kept = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(kept, key=lambda folder: float(folder.parent.name), default=None)


@contextmanager
def running_server(bin: Path) -> Iterator[str]:
    """A server in a folder of its own that listens on a socket only; gives its address."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket needs a short path
    try:
        as_owner = _owner(folder)
        data, log = folder / "data", folder / "log"
        _run([*as_owner, bin / "initdb", "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8",
              "--locale=C", "--no-sync"])  # fmt: skip
        options = " ".join((f"-k {folder}", *_OPTIONS))
        start = [*as_owner, bin / "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start"]
        _run(start)
        try:
            yield f"postgresql://{USER}@/postgres?host={folder}"
        finally:
            _run([*as_owner, bin / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"])
    finally:
        shutil.rmtree(folder)


def new_database(server: str) -> str:
    """The address of a new, empty database of the server."""
    import psycopg

    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return server.replace("/postgres?", f"/{name}?")


def empty_database(address: str) -> None:
    """Delete everything in a database, which is much quicker than a new one."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")


def _owner(folder: Path) -> list[str]:
    """How to run a program as the owner of the folder: the server refuses to run as root."""
    if os.geteuid() != 0:
        return []
    names = {entry.pw_name for entry in pwd.getpwall()}
    name = "postgres" if "postgres" in names else "nobody"
    shutil.chown(folder, name)
    return ["runuser", "-u", name, "--"]


def _run(command: list[str | Path]) -> None:
    """Run a program; its output must go to no pipe, which the server would keep open."""
    with tempfile.TemporaryFile("w+") as output:
        result = subprocess.run(
            command, cwd="/", stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
        if result.returncode != 0:
            output.seek(0)
            raise RuntimeError(f"{command[-1]} failed: {output.read()}")
