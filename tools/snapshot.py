"""Record what patmark does, and compare it with what it did before.

    python tools/snapshot.py record before           # at the old commit
    python tools/snapshot.py record after            # at the new commit
    python tools/snapshot.py compare before after    # what differs, case by case; exit 1 if any
    python tools/snapshot.py compare before          # run now and compare

A move through the house must not change a number, a message or an exit code. The matrix in
`snapshot_matrix/commands.txt` runs commands and documented Python calls on the bundled examples.
For each case it stores the command, exit code, stdout, stderr and every file written, as text:
compressed files are unpacked and Parquet is read. What may differ from run to run is replaced by
the expressions in `NORMAL`, nothing else; numbers are compared to the last digit.

Each group of the matrix runs in a folder of its own that holds the examples (`patmark examples`),
its cases one after the other, so that a case may use what an earlier one wrote. A case is a fork of
a process that has run `patmark --help`, so that each case loads only what it needs beyond that. Of
patmark only `patmark.app.cli:main` and the documented Python API are used, so any checkout can be
recorded:

    PYTHONPATH=/another/checkout/src python tools/snapshot.py record before

`--without help` leaves out a group, `--only score/plain` keeps one group or case. For a difference
that is intended, `--ignore PATTERN` leaves out the lines that match before comparing.
"""

from __future__ import annotations

import argparse
import difflib
import faulthandler
import gzip
import importlib
import io
import json
import os
import re
import runpy
import shlex
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from local_services import Evaluator, endpoint, free_port, wait_for

NORMAL: tuple[tuple[str, str, str], ...] = (
    ("time", r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( ?(Z|UTC|[+-]\d\d:?\d\d))?", "<time>"),
    ("today", time.strftime("%Y-%m-%d", time.gmtime()), "<today>"),
    ("version", r"\bpatmark([ :/-]|\": ?\")\d+\.\d+\.\d+\w*", r"patmark\1<version>"),
    ("port", r"(127\.0\.0\.1|localhost):\d{4,5}", r"\1:<port>"),
    ("private link", r"/(e|o)/[\w-]{40,}", r"/\1/<link>"),
    ("form token", r'("csrf"(?: value=|: ?))"[0-9a-f]+"', r'\1"<token>"'),
    ("visitor", r'"who": ?"[0-9a-f]{16}"', '"who": "<visitor>"'),
    ("static file", r"/static/[0-9a-f]+/", "/static/<mark>/"),
)
"""Allowed differences between two runs: name, regular expression, replacement."""

OPAQUE = re.compile(
    r"(^|/)(home/|steps/|.*\.(db|db-wal|db-shm)$|[0-9a-f]{32}\.|\.tantivy|\.managed\.json|meta\.json$)"
)
"""Files that are stored by name alone, or not at all: databases, indices, steps of a build, the
user's cache."""

LIBRARIES = (
    "numpy", "scipy.stats", "scipy.special", "scipy.optimize", "rich.table", "rich.progress",
    "jinja2", "yaml", "regex", "simplemma", "zstandard", "httpx", "lxml.etree", "pyarrow.parquet",
    "duckdb", "sqlalchemy.orm", "fastapi", "uvicorn", "tantivy", "MeCab",
)  # fmt: skip
"""Loaded before the forks, because many cases need them and none of them is under test."""

_LONGEST_CASE = 900
MATRIX = Path(__file__).resolve().parent / "snapshot_matrix"


@dataclass(frozen=True)
class Case:
    """One line of the matrix."""

    group: str
    name: str
    command: str


def read_matrix(path: Path) -> list[Case]:
    """Read the cases of a file: `[group]`, then `name: command` on each line."""
    cases, group = [], ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            group = line.strip("[]")
        elif line and not line.startswith("#"):
            name, _, command = line.partition(":")
            cases.append(Case(group, name, command.strip()))
    return cases


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = _options(arguments)
    if options.job == "list":
        for case in _chosen(options):
            print(f"{case.group}/{case.name}: {case.command}")
        return 0
    if options.job == "record":
        return record(Path(options.folder), _chosen(options), options.matrix, options.jobs)
    with tempfile.TemporaryDirectory(prefix="snapshot-") as made:
        second = Path(options.second or made)
        if not options.second:
            record(second, _chosen(options), options.matrix, options.jobs)
        return compare(Path(options.first), second, options)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    jobs = parser.add_subparsers(dest="job", required=True)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--matrix", type=Path, default=MATRIX, help="another folder of cases")
    shared.add_argument("--only", action="append", default=[], metavar="GROUP[/CASE]")
    shared.add_argument("--without", action="append", default=[], metavar="GROUP[/CASE]")
    shared.add_argument("--jobs", type=int, default=2, help="groups at a time (default: 2)")
    jobs.add_parser("list", parents=[shared], help="print the matrix")
    record_parser = jobs.add_parser("record", parents=[shared], help="run the matrix")
    record_parser.add_argument("folder", help="a new folder for the results")
    compare_parser = jobs.add_parser("compare", parents=[shared], help="list differences")
    compare_parser.add_argument("first", help="the folder of an earlier record")
    compare_parser.add_argument("second", nargs="?", help="another one (default: run now)")
    compare_parser.add_argument("--lines", type=int, default=12, help="lines of each difference")
    compare_parser.add_argument("--ignore", action="append", default=[], metavar="PATTERN")
    return parser.parse_args(arguments)


def _chosen(options: argparse.Namespace) -> list[Case]:
    """Return the cases of the selected groups; a case may need earlier ones of its group."""
    has_data = bool(os.environ.get("PATMARK_SHARED_DATA"))
    every = [
        case
        for case in read_matrix(options.matrix / "commands.txt")
        if has_data or "{shared}" not in case.command
    ]
    found = [case for case in every if case.group not in options.without]
    if options.only:
        groups = {name.partition("/")[0] for name in options.only}
        found = [case for case in found if case.group in groups]
    return found


def _is_wanted(name: str, options: argparse.Namespace) -> bool:
    def within(names: Iterable[str]) -> bool:
        return any(name == one or name.startswith(f"{one}/") for one in names)

    return not within(options.without) and (not options.only or within(options.only))


# -- recording ----------------------------------------------------------------------------------


def record(folder: Path, cases: Sequence[Case], matrix: Path, jobs: int) -> int:
    """Run the cases and store what they did. Says on stderr what it does."""
    if folder.exists() and any(folder.iterdir()):
        print(f"{folder} is not empty; name a new folder", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    print(f"recording {_source()}", file=sys.stderr)
    _clean_environment()
    sys.dont_write_bytecode = False  # else each case compiles anew what it loads
    with redirect_stdout(io.StringIO()), suppress(SystemExit):
        _patmark(["--help"])
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.group, []).append(case)
    start = time.monotonic()
    _run_all([lambda own=own: _run_group(folder, own, matrix) for own in groups.values()], jobs)
    print(f"{len(cases)} cases in {time.monotonic() - start:.0f} s", file=sys.stderr)
    return 0


def _clean_environment() -> None:
    """No setting of the person at the machine decides what is recorded."""
    own = ("COLUMNS", "LINES", "PATMARK_DB", "OPENAI_API_KEY", "FORCE_COLOR", "NO_COLOR")
    for name in (*own, "PYTHONDONTWRITEBYTECODE"):
        os.environ.pop(name, None)
    os.environ.update(TZ="UTC", LC_ALL="C.UTF-8", NO_PROXY="127.0.0.1,localhost")
    time.tzset()


def _run_all(tasks: list[Callable[[], None]], jobs: int) -> None:
    """Run each task in a fork, so many at a time."""
    waiting, running = list(tasks), set[int]()
    while waiting or running:
        while waiting and len(running) < jobs:
            running.add(_forked(waiting.pop(0)))
        done, status = os.wait()
        if done in running:
            running.discard(done)
            if status:
                raise RuntimeError("a group of cases ended before its last case")


def _forked(task: Callable[[], Any]) -> int:
    """Fork a process that runs one task, and return its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        code = task() or 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _run_group(folder: Path, cases: Sequence[Case], matrix: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="patmark-") as made, endpoint() as address:
        place = Path(made).resolve() / "work"
        place.mkdir()
        os.environ.update(HOME=f"{place}/home", XDG_CACHE_HOME=f"{place}/home/cache")
        os.chdir(place)
        log = place.parent / "log"
        _run_case(log, log, lambda: _patmark(["examples", "."]))
        shutil.copytree(matrix / "inputs", place, dirs_exist_ok=True)
        facts = {"{endpoint}": address, "{shared}": os.environ.get("PATMARK_SHARED_DATA", "")}
        normal = Normal(place, facts["{shared}"])
        for case in cases:
            _store(folder / case.group / case.name, case, facts, place, normal)


def _store(folder: Path, case: Case, facts: Mapping[str, str], place: Path, normal: Normal) -> None:
    """Run one case and write down what it did."""
    command = case.command
    for gap, value in facts.items():
        command = command.replace(gap, value)
    before = _state(place)
    streams = [place.parent / name for name in ("stdout", "stderr")]
    start = time.monotonic()
    code = _run_case(*streams, _task(shlex.split(command)))
    with (folder.parents[1] / "times.txt").open("a") as times:
        times.write(f"{time.monotonic() - start:6.1f} s  {case.group}/{case.name}\n")
    folder.mkdir(parents=True)
    (folder / "command").write_text(f"{case.command}\nexit {code}\n")
    for stream in streams:
        (folder / stream.name).write_text(normal(stream.read_text("utf-8", "replace")))
    for name, path in _changed(place, before):
        (folder / "files").mkdir(exist_ok=True)
        text = normal(_text(path))
        (folder / "files" / normal(name).replace("/", "⁄")).write_text(text)


def _task(words: list[str]) -> Callable[[], Any]:
    if words[:1] == ["python"]:
        return lambda: _python(MATRIX / "python" / words[1])
    if words[:1] == ["@judge"]:
        return lambda: _judge(*words[1:])
    if "<" in words:
        at = words.index("<")
        return lambda: _patmark(words[:at], Path(words[at + 1]))
    return lambda: _patmark(words)


def _run_case(stdout: Path, stderr: Path, task: Callable[[], Any]) -> int | str:
    """Run a task with its output in two files, and return its exit code."""

    def child() -> Any:
        for stream, path in ((1, stdout), (2, stderr)):
            target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(target, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        faulthandler.dump_traceback_later(_LONGEST_CASE, exit=True)
        return task()

    _, status = os.waitpid(_forked(child), 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else f"signal {os.WTERMSIG(status)}"


def _patmark(words: Sequence[str], stdin: Path | None = None) -> None:
    """Run the program with these arguments."""
    from patmark.app.cli import main as program

    if stdin is not None:
        os.dup2(os.open(stdin, os.O_RDONLY), 0)
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding="utf-8")
    sys.argv = ["patmark", *words]
    program()


def _python(path: Path) -> None:
    """Run a documented Python example, in which `show` prints a value as JSON."""

    def show(value: Any) -> None:
        print(json.dumps(value, indent=1, ensure_ascii=False, default=repr))

    runpy.run_path(str(path), {"show": show})


def _judge(db: str, links: str, training: str, folder: str) -> None:
    """Serve a campaign, let all its evaluators judge everything, keep pages as files."""
    port = free_port()
    server = _forked(lambda: _patmark(["human", "serve", "--db", db, "--port", str(port)]))
    wait_for(port)
    try:
        tokens = dict(line.split() for line in Path(links).read_text().splitlines())
        known = _training_answers(Path(training))
        for name, link in tokens.items():
            token = link.rpartition("/")[2]
            with _browser(port) as client:
                if name == "(organiser)":
                    continue
                person = Evaluator(client, name, known)
                _keep(folder, f"{name}-entrance", client.get(f"/e/{token}").text)
                person.enter(token)
                for path in ("", "guideline", "next"):
                    _keep(folder, f"{name}-{path or 'home'}", person.open(f"/{path}").text)
                print(name, "saved", person.judge_everything(), "answers")
                for path in ("review", "done", ""):
                    _keep(folder, f"{name}-{path or 'home'}-after", person.open(f"/{path}").text)
        with _browser(port) as client:
            secret = tokens["(organiser)"].rpartition("/")[2]
            client.post(f"/o/{secret}", follow_redirects=True).raise_for_status()
            for page in ("", "/agreement", "/checks", "/ranking", "/consensus", "/log"):
                found = client.get(f"/organiser{page}", follow_redirects=True)
                _keep(folder, f"organiser{page.replace('/', '-')}", found.text)
            _keep(folder, "progress", client.get("/api/organiser/progress").text, "json")
    finally:
        os.kill(server, signal.SIGINT)
        os.waitpid(server, 0)


@contextmanager
def _browser(port: int) -> Iterator[httpx.Client]:
    address = f"http://127.0.0.1:{port}"
    with httpx.Client(base_url=address, trust_env=False, verify=False, timeout=60) as client:
        yield client


def _keep(folder: str, name: str, text: str, ending: str = "html") -> None:
    Path(folder).mkdir(exist_ok=True)
    (Path(folder) / f"{name}.{ending}").write_text(text)


def _training_answers(path: Path) -> dict[str, str]:
    """Texts of a training file with the answer that is expected, where it is about one text."""
    rows = map(json.loads, path.read_text().splitlines()) if path.exists() else ()
    texts = (text for row in rows for text in row["candidates"])
    return {one["text"]: next(iter(one["expected"].values())) for one in texts if "expected" in one}


# -- what was written ---------------------------------------------------------------------------


class Normal:
    """Replaces what may differ from run to run.

    Ids that are drawn at random, of small and large letters, are known by what stands before them
    in some text; from then on they are replaced wherever they stand, numbered in the order of the
    text.
    """

    _DRAWN = re.compile(
        r'(?P<before>/page/|after=|kept in \S+ as |"(?:campaign|page|id)": ?"|data-page=")'
        r"(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?P<id>[\w-]{16,64})(?![\w-])"
    )

    def __init__(self, place: Path, shared: str) -> None:
        self._places = [(str(place), "<folder>"), (str(_source()), "<src>")]
        self._places += [(shared.rstrip("/"), "<shared>")] if shared else []
        self._expressions = [(re.compile(found), put) for _, found, put in NORMAL]
        self._ids: set[str] = set()

    def __call__(self, text: str) -> str:
        for path, name in self._places:
            text = text.replace(path, name)
        for expression, put in self._expressions:
            text = expression.sub(put, text)
        self._ids.update(found["id"] for found in self._DRAWN.finditer(text))
        here = sorted((id for id in self._ids if id in text), key=text.index)
        for number, drawn in enumerate(here, 1):
            text = text.replace(drawn, f"<id {number}>")
        return text


def _source() -> Path:
    return Path(str(importlib.import_module("patmark").__file__)).resolve().parents[1]


def _state(place: Path) -> dict[str, tuple[int, int]]:
    """Name, time and size of every file."""
    found = (path for path in place.rglob("*") if path.is_file())
    return {
        str(path.relative_to(place)): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in found
    }


def _changed(place: Path, before: Mapping[str, tuple[int, int]]) -> list[tuple[str, Path]]:
    after = _state(place)
    names = sorted(name for name in after if after[name] != before.get(name))
    gone = sorted(name for name in before if name not in after)
    shown = [(name, place / name) for name in names if not OPAQUE.search(name)]
    return shown + [(f"{name} (deleted)", place / name) for name in gone if not OPAQUE.search(name)]


def _text(path: Path) -> str:
    """Return a file as text."""
    if not path.exists():
        return ""
    data, name = path.read_bytes(), path.name
    if name.endswith(".gz"):
        data, name = gzip.decompress(data), name.removesuffix(".gz")
    elif name.endswith(".zst"):
        import zstandard

        data = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read()
        name = name.removesuffix(".zst")
    if name.endswith(".parquet"):
        return _parquet_text(data)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "(binary)\n"


def _parquet_text(data: bytes) -> str:
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(data))
    rows = (json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist())
    return "\n".join([str(table.schema.remove_metadata()), *rows, ""])


# -- comparing ----------------------------------------------------------------------------------


def compare(first: Path, second: Path, options: argparse.Namespace) -> int:
    """Print the differences of two records; 1 if there are any."""
    ignored = [re.compile(pattern) for pattern in options.ignore]
    before, after = (_cases(folder, options) for folder in (first, second))
    seen: dict[str, str] = {}
    different = 0
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            print(f"## {name}: only in {second if name in after else first}")
            different += 1
            continue
        found = _differences(before[name], after[name], ignored, options.lines)
        if not found:
            continue
        different += 1
        print(f"## {name}: {_command(before[name])}")
        for part, shown in found:
            same = seen.setdefault(shown, f"{name} {part}")
            print(f"-- {part}" + ("" if same == f"{name} {part}" else f": as in {same}"))
            if same == f"{name} {part}":
                print(shown)
    total = len({*before, *after})
    print(f"{different} of {total} cases differ" if different else f"{total} cases are equal")
    return 1 if different else 0


def _cases(folder: Path, options: argparse.Namespace) -> dict[str, Path]:
    found = {
        str(path.parent.relative_to(folder)): path.parent for path in folder.glob("*/*/command")
    }
    return {name: path for name, path in found.items() if _is_wanted(name, options)}


def _command(folder: Path) -> str:
    return (folder / "command").read_text().splitlines()[0][:150]


def _differences(
    first: Path, second: Path, ignored: Sequence[re.Pattern[str]], most: int
) -> list[tuple[str, str]]:
    """Return the parts of a case that differ, each with the first lines of its difference."""
    files = [
        {str(path.relative_to(side)): path for path in side.rglob("*") if path.is_file()}
        for side in (first, second)
    ]
    found = []
    for part in sorted({*files[0], *files[1]}):
        if part not in files[0] or part not in files[1]:
            found.append((part, f"only in the {'first' if part in files[0] else 'second'}"))
            continue
        texts = [side[part].read_text() for side in files]
        if texts[0] == texts[1]:
            continue
        before, after = (_lines(text, ignored) for text in texts)
        if before != after:
            found.append((part, _unified(before, after, most)))
    return found


def _lines(text: str, ignored: Sequence[re.Pattern[str]]) -> list[str]:
    """Lines to compare; long ones, as of JSON and HTML, are broken where a value or a tag ends."""
    lines = []
    for line in text.splitlines():
        long = len(line) > 160
        lines += (
            re.sub(r'(>)(?=<)|([,\]}])(?= ?["\[{\d])', r"\1\2\n", line).split("\n")
            if long
            else [line]
        )
    return [line for line in lines if not any(pattern.search(line) for pattern in ignored)]


def _unified(before: list[str], after: list[str], most: int) -> str:
    lines = list(difflib.unified_diff(before, after, lineterm="", n=0))[2:]
    lines = [line[:240] for line in lines if not line.startswith("@@")]
    rest = [f"… {len(lines) - most} more lines"] if len(lines) > most else []
    return "\n".join([*lines[:most], *rest])


if __name__ == "__main__":
    sys.exit(main())
