"""Servers over plain HTTP and over TLS."""

from __future__ import annotations

import ssl
from functools import partial
from pathlib import Path

import pytest

from chat_server import serving
from tls import Serve, own_certificate, serving_encrypted


@pytest.fixture(scope="session")
def tls(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, Path]:
    """The server side of TLS, and the certificate to trust."""
    return own_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(params=["http", "https"])
def serve(request: pytest.FixtureRequest) -> Serve:
    """Starts a chat server, in both ways."""
    if request.param == "http":
        return serving
    server_side, certificate = request.getfixturevalue("tls")
    return partial(serving_encrypted, server_side=server_side, certificate=certificate)
