"""A certificate for this machine, made on the spot, and a server side that shows it."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from chat_server import ChatServer, Reply, serving
from patmark.llm import transport

Serve: TypeAlias = Callable[[Callable[[dict[str, Any], int], Reply]], Any]


def own_certificate(folder: Path) -> tuple[ssl.SSLContext, Path]:
    """The server side of TLS for localhost, and the certificate that a client has to trust."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is absent: no certificate can be made")
    key, certificate = folder / "key.pem", folder / "cert.pem"
    request = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext"
    subprocess.run(
        [*request.split(), "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )  # fmt: skip
    server_side = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server_side.load_cert_chain(certificate, key)
    return server_side, certificate


@contextmanager
def trusted(certificate: Path) -> Iterator[None]:
    """Let clients of this process trust a certificate."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(certificate))
        transport.ssl_context.cache_clear()
        try:
            yield
        finally:
            transport.ssl_context.cache_clear()


@contextmanager
def serving_encrypted(
    reply: Callable[[dict[str, Any], int], Reply], server_side: ssl.SSLContext, certificate: Path
) -> Iterator[ChatServer]:
    """A chat server over TLS that clients of this process trust."""
    with trusted(certificate), serving(reply, server_side) as chat:
        yield chat
