"""Print the files of patmark that a command walks through, and how many modules it loads.

    python tools/walk.py score --hyp a.txt --ref r.txt --lang ja-en
    python tools/walk.py --table

A reader who wants to know how a command works opens the files that it enters, one after the other.
Fewer is better; the fewer files, the sooner the reader understands. A file is entered when one of
its functions is called, at first entry in the order shown. The body of a module and the body of a
class, which run when the module is imported, do not count, but a function that such a body calls
does (these files are marked `import`): the reader meets it. Work that is handed to another process
is not seen.

The command runs in this process; what it prints on stdout is dropped. With --table the walks that
the design sets aims for are measured, each in a process of its own, on the bundled examples.
Of patmark only the command line is used, and for the campaign what its pages send to the server.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import json
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import httpx

from local_services import Evaluator, endpoint, free_port, wait_for

AIMS = (
    ("score, two files, HTML", "score", 56, 35),
    ("compare, three systems, HTML", "compare", 83, 45),
    ("corpus build on the demo families", "build", 93, 55),
    ("saving one answer in a campaign", "save", 16, 8),
    ("run openai:", "openai", 25, 14),
    ("modules loaded by score --measures BLEU", "modules", 254, 90),
)
"""Quantity, the name of its walk below, its number in version 0.1, and the aim."""

_MEASURES = ("--lang", "ja-en", "--measures", "BLEU,chrF,TER")
_TEXTS = ("--ref", "reference.en", *_MEASURES)


@dataclass
class Walk:
    """The files of patmark that were entered, each with the function by which it was entered."""

    root: str
    entered: dict[str, str] = field(default_factory=dict)
    at_import: set[str] = field(default_factory=set)
    is_watching: bool = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note all calls in this thread, and in those that begin now."""
        self.is_watching = True
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
            self.is_watching = False

    def note(self, frame: FrameType, event: str, _: Any) -> None:
        """Record a function call, as a profile function of Python."""
        if event != "call" or not self.is_watching:
            return
        code = frame.f_code
        name = code.co_filename
        if not name.startswith(self.root) or not code.co_flags & inspect.CO_OPTIMIZED:
            return  # CO_OPTIMIZED: the code of a function, not of a module or a class
        if name not in self.entered:
            self.entered[name] = _title(code)
            if self._is_importing(frame):
                self.at_import.add(name)
        elif name in self.at_import and not self._is_importing(frame):
            self.at_import.discard(name)

    def _is_importing(self, frame: FrameType | None) -> bool:
        while frame is not None:
            code = frame.f_code
            if code.co_name == "<module>" and code.co_filename.startswith(self.root):
                return True
            frame = frame.f_back
        return False

    def names(self) -> list[str]:
        """Return the files, relative to the folder of patmark."""
        return [name.removeprefix(self.root) for name in self.entered]

    def sizes(self) -> tuple[int, int]:
        """Count the files entered, and those entered by an import alone."""
        return len(self.entered), len(self.at_import)

    def lines(self) -> list[str]:
        """One line for each file."""
        return [
            f"{place:4}  {path.removeprefix(self.root):44} {function}"
            + ("  (import)" if path in self.at_import else "")
            for place, (path, function) in enumerate(self.entered.items(), 1)
        ]


def _title(code: CodeType) -> str:
    return getattr(code, "co_qualname", code.co_name)


def new_walk() -> Walk:
    """Return a new recorder for the patmark that Python imports."""
    found = importlib.util.find_spec("patmark")
    if found is None or found.origin is None:
        raise SystemExit("patmark is not installed, and PYTHONPATH does not name it")
    return Walk(str(Path(found.origin).resolve().parent) + os.sep)


def loaded() -> int:
    """Count the loaded modules of patmark."""
    return sum(name.partition(".")[0] == "patmark" for name in sys.modules)


def run(arguments: Sequence[str]) -> int:
    """Run the command line of patmark; gives its exit code."""
    from patmark.app.cli import main as program

    sys.argv = ["patmark", *arguments]
    try:
        program()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


@contextmanager
def dropped(stream: int) -> Iterator[None]:
    """Drop what is written to stdout (1) or stderr (2)."""
    kept = os.dup(stream)
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    try:
        yield
    finally:
        (sys.stdout if stream == 1 else sys.stderr).flush()
        os.dup2(kept, stream)


def walk_of(arguments: Sequence[str]) -> Walk:
    """Record a command in this process."""
    walk = new_walk()
    with dropped(1), walk.watching():
        code = run(arguments)
    if code:
        print(f"the command ended with {code}", file=sys.stderr)
    return walk


# -- the table ----------------------------------------------------------------------------------


def score() -> Walk:
    """Two files in, a page out."""
    return walk_of(("score", "--hyp", "atlas.en", *_TEXTS, "--html", "report.html"))


def compare() -> Walk:
    """Three systems, a page out."""
    systems = [part for name in ("atlas", "borealis", "cobalt") for part in ("--hyp", f"{name}.en")]
    return walk_of(("compare", *systems, *_TEXTS, "--html", "comparison.html"))


def build() -> Walk:
    """Build a collection from invented families with one worker, in this process."""
    in_fork(lambda: run(("corpus", "demo", "--out", "families", "--families", "12")))
    return walk_of(
        ("corpus", "build", "families/pipeline.toml", "--out", "collection", "--workers", "1")
    )


def openai() -> Walk:
    """Translate a few lines with a model on this machine."""
    lines = Path("source.ja").read_text().splitlines()[:3]
    Path("few.ja").write_text("\n".join(lines) + "\n")
    with endpoint() as address:
        return walk_of(
            ("run", "openai:model", "--base-url", f"{address}/v1", "--src", "few.ja", "--lang",
             "ja-en", "--out", "few.en")
        )  # fmt: skip


def save() -> Walk:
    """Save the second answer on a page; only this request is recorded."""
    for name in ("first.yaml", "texts.tsv"):
        shutil.copy(Path(__file__).parent / "snapshot_matrix" / "inputs" / name, name)
    in_fork(lambda: run(("human", "new", "first.yaml", "--db", "one.db", "--links", "links.txt")))
    links = dict(line.split() for line in Path("links.txt").read_text().splitlines())
    port, walk = free_port(), new_walk()
    threading.setprofile(walk.note)
    serving = ("human", "serve", "--db", "one.db", "--port", str(port))
    threading.Thread(target=run, args=(serving,), daemon=True).start()
    wait_for(port)
    address = f"http://127.0.0.1:{port}"
    with httpx.Client(base_url=address, trust_env=False, verify=False, timeout=60) as client:
        person = Evaluator(client, "ann")
        person.enter(links["ann"].rpartition("/")[2])
        first, second = person.next_questions()
        person.save(first)
        walk.is_watching = True
        person.save(second)
        walk.is_watching = False
    return walk


def modules() -> int:
    """List what is loaded to count BLEU."""
    with dropped(1):
        run(("score", "--hyp", "atlas.en", "--ref", "reference.en", "--lang", "ja-en", "--measures",
             "BLEU"))  # fmt: skip
    return loaded()


def in_fork(work: Callable[[], Any]) -> Any:
    """Run work in a fork, and return its result through JSON."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            with dropped(1), dropped(2):
                result = work()
            os.write(writing, json.dumps(result).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    if not text:
        raise SystemExit("a walk ended before its time")
    return json.loads(text)


def print_table() -> None:
    """Measure every walk of the design."""
    walks = {"score": score, "compare": compare, "build": build, "save": save, "openai": openai}
    print(f"{'walk':42} {'0.1':>6} {'aim':>6} {'now':>6} {'by import':>9}")
    with tempfile.TemporaryDirectory(prefix="walk-") as made:
        os.environ.update(HOME=made, XDG_CACHE_HOME=made)
        os.chdir(made)
        in_fork(lambda: run(("examples", "texts")))
        os.chdir("texts")
        for title, name, before, aim in AIMS:
            found = walks.get(name)
            now, at_import = in_fork(lambda f=found: f().sizes() if f else (modules(), 0))
            print(f"{title:42} {before:6} {aim:6} {now:6} {at_import:9}", flush=True)
    root = Path(new_walk().root)
    for name, folder in (("src", root), ("tests", root.parents[1] / "tests")):
        paths = list(folder.rglob("*.py"))
        lines = sum(len(path.read_bytes().splitlines()) for path in paths)
        print(f"{name}: {len(paths)} files, {lines:,} lines")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--table", action="store_true", help="measure the walks of the design")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="a command of patmark")
    options = parser.parse_args(arguments)
    if options.table:
        print_table()
        return 0
    if not options.command:
        parser.error("name a command of patmark, or --table")
    walk = walk_of(options.command)
    with suppress(BrokenPipeError):
        print("\n".join(walk.lines()))
        print(f"{len(walk.entered)} files entered, {loaded()} modules of patmark loaded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
