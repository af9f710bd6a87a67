"""Copies of a database that is in use."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError

from patmark.campaign.store.database import make_private_file, secret_parameters
from patmark.errors import UsageError

_DEBIAN = Path("/usr/lib/postgresql")


def copy_sqlite(engine: Engine, target: Path) -> None:
    """A file with everything that was saved when the copy began. Nobody has to wait for it."""
    with _unfinished(target) as part, engine.connect() as connection:
        try:
            connection.exec_driver_sql("VACUUM INTO ?", (str(part),))
        except OperationalError as error:
            raise UsageError(f"cannot write {target}: {error.orig}") from None


def copy_postgresql(url: URL, target: Path) -> None:
    """A dump for pg_restore. The password goes by the environment, which others cannot read."""
    program = find_program("pg_dump")
    if program is None:
        raise UsageError(
            "pg_dump is not found; install the client programs of PostgreSQL, or run it elsewhere"
        )
    if secrets := secret_parameters(url):
        raise UsageError(
            f"pg_dump would show {', '.join(secrets)} to everybody on this machine: leave it out "
            "of the address, or make the backup with pg_dump and a service file"
        )
    environment = dict(os.environ)
    if url.password is not None:
        environment["PGPASSWORD"] = str(url.password)
    address = URL.create(
        "postgresql", url.username, None, url.host, url.port, url.database, url.query
    ).render_as_string()
    with _unfinished(target) as part:
        command = [program, "--format=custom", "--no-password", f"--file={part}", address]
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            raise UsageError(f"pg_dump failed: {result.stderr.strip()}")


def find_program(name: str) -> str | None:
    """A program of PostgreSQL: on the path, or the newest one where Debian keeps them."""
    found = shutil.which(name)
    if found is not None or not _DEBIAN.is_dir():
        return found
    versions = [folder for folder in _DEBIAN.iterdir() if (folder / "bin" / name).is_file()]
    newest = max(versions, key=lambda folder: float(folder.name), default=None)
    return None if newest is None else str(newest / "bin" / name)


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its name once it is complete and on the disk."""
    part = target.with_name(f"{target.name}.part")
    try:
        make_private_file(part)
    except FileExistsError:
        raise UsageError(
            f"{part} exists; another backup is running, or one was broken off"
        ) from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    try:
        yield part
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
