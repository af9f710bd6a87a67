"""A desk on a real server."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from patmark.app.page import create_app
from patmark.web import SERVER_OPTIONS

TOKEN = "only-for-tests"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The link of a desk."""
    app = create_app(tmp_path_factory.mktemp("desk"), TOKEN)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", **SERVER_OPTIONS))
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/{TOKEN}/"
        server.should_exit = True
        thread.join(60)
