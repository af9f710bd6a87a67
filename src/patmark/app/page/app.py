"""The local page and its API, below an address that nobody can guess."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import shutil
import socket
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from fastapi import APIRouter, Body, Depends, FastAPI, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from jinja2 import Environment, PackageLoader, StrictUndefined
from pydantic import BaseModel
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response

from patmark.app.page.files import (
    KINDS,
    WHOLE_DOCUMENT_ENDINGS,
    Given,
    Kind,
    guess,
    pair_documents,
    safe_name,
)
from patmark.app.page.jobs import Job
from patmark.app.page.orders import Order, Task
from patmark.errors import PatmarkError, UsageError
from patmark.web import (
    FAILED,
    LOOPBACK_NAMES,
    NO_TELEMETRY,
    SERVER_OPTIONS,
    Assets,
    Guards,
    preferred_language,
)
from patmark.wording import (
    DEFAULT_LANGUAGE,
    LANGUAGES,
    InterfaceLanguage,
    speaker,
    tr,
    translated,
)

LARGEST_FILE = 64 * 1024 * 1024
LARGEST_SUM = 512 * 1024 * 1024
_MOST_FILES = 100
_KEPT_JOBS = 20
# A report holds its own scripts, allowed by their hashes, and foreign texts. As a page without an
# origin it can run the former and reach nothing here.
_REPORT_POLICY = (
    "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
)
_assets = Assets("patmark.app.page")
Item = TypeVar("Item")


class Desk:
    """Files and jobs of one person, in a folder that is deleted with the server."""

    def __init__(self, folder: Path) -> None:
        self.inputs = folder / "files"
        self.inputs.mkdir()
        self._results = folder
        self.files: dict[str, Given] = {}
        self.jobs: dict[str, Job] = {}
        self._turn = asyncio.Lock()
        self._running: set[asyncio.Task[None]] = set()

    async def receive(self, name: str, request: Request) -> Given:
        """Store an uploaded file."""
        there = list(self.inputs.iterdir())  # including uploads in progress
        if len(there) >= _MOST_FILES:
            raise HTTPException(413, f"at most {_MOST_FILES} files; remove some first")
        bytes_left = LARGEST_SUM - sum(one.stat().st_size for one in there)
        path = self.inputs / safe_name(name, [one.name for one in there])
        path.touch(exist_ok=False)
        size = 0
        try:
            with path.open("wb") as file:
                async for piece in request.stream():
                    size += len(piece)
                    if size > min(bytes_left, LARGEST_FILE):
                        raise HTTPException(413, _too_large(path.name, size > LARGEST_FILE))
                    file.write(piece)
            found = await asyncio.to_thread(guess, path)
        except BaseException:
            path.unlink()
            raise
        given = Given(secrets.token_hex(8), path, found.kind, found.source, found.target)
        self.files[given.id] = given
        pair_documents(list(self.files.values()))
        return given

    def remove(self, given: Given) -> None:
        """Remove a file from the desk."""
        del self.files[given.id]
        given.path.unlink()

    def start(self, order: Order, ui: str) -> Job:
        """Start an order after running jobs; old results are removed."""
        order.line()  # refuses an incomplete order
        name = secrets.token_hex(8)
        job = Job(name, order, self._results / name, ui)
        self.jobs[name] = job
        for old in list(self.jobs.values())[:-_KEPT_JOBS]:
            if old.state not in ("waiting", "running"):
                del self.jobs[old.id]
                shutil.rmtree(old.folder, ignore_errors=True)
        task = asyncio.create_task(job.run(self.inputs, self._turn))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return job

    async def close(self) -> None:
        """Stop all running jobs."""
        for job in self.jobs.values():
            job.stop()
        await asyncio.gather(*self._running, return_exceptions=True)


def _too_large(name: str, alone: bool) -> str:
    limit = LARGEST_FILE if alone else LARGEST_SUM
    what = "a file" if alone else "all files together"
    return f"{name}: {what} may have {limit // 1024**2} MB here; the command line has no limit"


# -- routes ---------------------------------------------------------------------------------------

_router = APIRouter()


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


def _given(id: str, request: Request) -> Given:
    return _found(_desk(request).files, id)


def _job(id: str, request: Request) -> Job:
    return _found(_desk(request).jobs, id)


def _found(things: dict[str, Item], id: str) -> Item:
    if id not in things:
        raise HTTPException(404, "this is no longer here; load the page again")
    return things[id]


OnDesk = Annotated[Desk, Depends(_desk)]
OneFile = Annotated[Given, Depends(_given)]
OneJob = Annotated[Job, Depends(_job)]


_TASKS: tuple[tuple[Task, str, str], ...] = (
    (
        "score",
        tr("Score translations"),
        tr("Every measure with an interval, and where the errors are."),
    ),
    (
        "compare",
        tr("Compare systems"),
        tr("Significant differences between two or more translations."),
    ),
    (
        "check",
        tr("Check a translated document"),
        tr("Missing, added and changed content: a whole document and its translation."),
    ),
    (
        "patsnap",
        tr("PatSnap bench"),
        tr("Nine labels and a grade, from rows with translations."),
    ),
    (
        "lint",
        tr("Check claims"),
        tr("Faults of form, dependency, antecedents, terms and wording."),
    ),
)
_TEXT_LANGUAGES = {
    **{code: LANGUAGES[code] for code in ("zh", "ja", "en")},
    "ko": "한국어",
    "de": "Deutsch",
    "fr": "français",
    "es": "español",
}


@cache
def _environment(language: str) -> Environment:
    environment = Environment(
        loader=PackageLoader("patmark.app.page"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.globals |= {
        "asset": _assets.address,
        "words": _assets.words(language),
        "largest": LARGEST_FILE,
        "document_endings": WHOLE_DOCUMENT_ENDINGS,
        "language": language,
        "languages": LANGUAGES,
        "kinds": KINDS,
        "tr": speaker(language),
        "tasks": _TASKS,
        "text_languages": _TEXT_LANGUAGES,
    }
    return environment


@_router.get("/")
async def _page(request: Request, ui: str | None = None) -> HTMLResponse:
    language = preferred_language(ui, None, request.headers.get("accept-language", ""))
    return HTMLResponse(_environment(language).get_template("desk.html.j2").render())


@_router.get("/files")
async def _files(desk: OnDesk) -> list[dict[str, str | int]]:
    return [one.to_json() for one in desk.files.values()]


@_router.post("/files")
async def _receive(name: str, desk: OnDesk, request: Request) -> dict[str, str | int]:
    return (await desk.receive(name, request)).to_json()


@_router.post("/files/{id}/kind")
async def _mark(given: OneFile, kind: Annotated[Kind, Body()]) -> None:
    given.kind = kind


@_router.delete("/files/{id}")
async def _remove(given: OneFile, desk: OnDesk) -> None:
    desk.remove(given)


class Wanted(BaseModel):
    """An order as sent by the script of the page."""

    task: Task
    source: str = ""
    target: str = ""
    office: Literal["any", "uspto", "epo", "jpo", "cnipa"] = "any"
    ui: InterfaceLanguage = DEFAULT_LANGUAGE


@_router.post("/jobs")
async def _start(wanted: Wanted, desk: OnDesk) -> JSONResponse:
    order = Order(files=list(desk.files.values()), **wanted.model_dump(exclude={"ui"}))
    try:
        return JSONResponse(desk.start(order, wanted.ui).to_json())
    except UsageError as error:
        raise HTTPException(400, translated(error.args[0], wanted.ui)) from None


@_router.get("/jobs/{id}")
async def _progress(job: OneJob) -> JSONResponse:
    return JSONResponse(job.to_json())


@_router.post("/jobs/{id}/stop")
async def _stop(job: OneJob) -> None:
    job.stop()


@_router.get("/jobs/{id}/{name}")
async def _result(job: OneJob, name: str, download: bool = False) -> Response:
    if name not in job.to_json()["files"]:
        raise HTTPException(404, "this is no longer here; load the page again")
    return FileResponse(
        job.folder / name,
        filename=name if download else None,
        headers={"Content-Security-Policy": _REPORT_POLICY},
    )


def _say(request: Request, error: Exception) -> JSONResponse:
    """Return an error as one sentence for the page."""
    if isinstance(error, HTTPException):
        return JSONResponse({"detail": str(error.detail)}, error.status_code)
    if isinstance(error, RequestValidationError):
        return JSONResponse({"detail": "the page sent something that it should not send"}, 422)
    return JSONResponse({"detail": str(error)}, 400)


# -- the application ------------------------------------------------------------------------------


def create_app(folder: Path, token: str) -> FastAPI:
    """Return the application over an empty folder, at addresses that begin with ``/token/``."""

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        app.state.desk = Desk(folder)
        yield
        await app.state.desk.close()

    app = FastAPI(
        title="patmark", lifespan=living, openapi_url=None, docs_url=None, redoc_url=None,
        telemetry=NO_TELEMETRY,
    )  # fmt: skip
    app.add_middleware(Guards, hosts=LOOPBACK_NAMES, largest_body=LARGEST_FILE + 1)
    app.include_router(_router, prefix="/{token}", dependencies=[Depends(_keeper(token))])
    app.add_api_route("/static/{mark}/{name}", _assets.response, response_model=None)
    for kind in (HTTPException, RequestValidationError, PatmarkError):
        app.add_exception_handler(kind, _say)
    app.add_exception_handler(Exception, lambda request, error: FAILED)
    return app


def _keeper(token: str) -> Callable[[Request], None]:
    def keep(request: Request) -> None:
        given: str = request.path_params["token"]
        if not hmac.compare_digest(given.encode(), token.encode()):
            raise HTTPException(404, "open the link that patmark open has printed")

    return keep


def serve(port: int, ready: Callable[[str], None], *, browser: bool) -> None:
    """Serve on this machine until interrupted; ``ready`` gets the link. Port 0: any free one."""
    import uvicorn

    token = secrets.token_urlsafe(24)
    with (
        tempfile.TemporaryDirectory(prefix="patmark-") as folder,
        socket.create_server(("127.0.0.1", port)) as listener,
    ):
        link = f"http://127.0.0.1:{listener.getsockname()[1]}/{token}/"
        ready(link)
        if browser:  # the socket listens already: the browser waits until the server answers
            webbrowser.open(link)
        config = uvicorn.Config(
            create_app(Path(folder), token), log_level="warning", **SERVER_OPTIONS
        )
        uvicorn.Server(config).run([listener])
