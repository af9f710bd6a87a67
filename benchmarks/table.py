"""Run the benchmarks that have goals one after the other, and put one table of them into README.md.

    python benchmarks/table.py [--data FOLDER]

What a benchmark prints with a goal becomes a row. A benchmark that fails or takes over 400 seconds
becomes a row that says so, and the rest goes on. FOLDER has the real texts that some rows
need (see `waiting.py`; `facts/cases.jsonl` for `check_speed.py`). Text outside of the two marks in
README.md stays as it is. Exits with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from patmark._version import __version__

HERE = Path(__file__).resolve().parent
README = HERE / "README.md"
BEGIN, END = "<!-- the table begins -->", "<!-- the table ends -->"
REACHED, MISSED = "reached", "**missed**"
MOST_SECONDS = 400
BENCHMARKS = (
    "waiting.py --data {data}", "run_speed.py", "run.py", "check_speed.py {data}/facts/cases.jsonl",
    "align_speed.py", "campaign_load.py --pages", "startup.py", "compare_command.py",
    "compare_speed.py", "meta_speed.py", "ter_memory.py", "claims_speed.py",
    "claim_quality_speed.py", "retrieval_speed.py",
)  # fmt: skip
PEERS = ("sacrebleu", "nltk", "rouge-score", "rouge", "bm25s")
_MEASURE = re.compile(
    r"(?P<measure>\S+)\s+(?P<peer>[A-Za-z][\w-]*)\s+(?P<pairs>\d+)\s+(?P<ours>\d+)\s+(?P<theirs>\d+)"
    r"\s+(?P<ratio>[\d.]+)\s+(?P<goal>[\d.]+|none)(?P<missed>\s+MISSED)?"
)


def results(benchmark: str) -> list[tuple[str, str]]:
    """Return the lines of a benchmark about its goals, with the outcome of each."""
    script, *arguments = benchmark.split()
    print(f"running {benchmark} …", file=sys.stderr, flush=True)
    command = [sys.executable, str(HERE / script), *arguments]
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as wrong:
        process = subprocess.Popen(command, stdout=said, stderr=wrong, start_new_session=True)
        try:
            code = process.wait(MOST_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            code = process.wait()
        printed, complaint = (file.seek(0) or file.read() for file in (said, wrong))
    found = [row for line in printed.splitlines() if (row := _row(line)) is not None]
    if code not in (0, 1) or not found:
        last = (complaint.strip().splitlines() or ["printed no goal"])[-1].replace(f"{HERE}/", "")
        late = f"stopped after {MOST_SECONDS} s" if code == -signal.SIGKILL else last
        return [*found, (f"failed: {late}", MISSED)]
    return found


def _row(line: str) -> tuple[str, str] | None:
    if match := _MEASURE.fullmatch(line.strip()):
        said = (
            f"{match['measure']}: {match['ours']} pairs/s, {match['peer']} {match['theirs']}, "
            f"ratio {match['ratio']} (goal {match['goal']})"
        )
        return said, "none" if match["goal"] == "none" else MISSED if match["missed"] else REACHED
    if "goal" not in line or line.startswith("measure "):
        return None
    said = " ".join(line.replace("MISSED", "").split())
    return said, MISSED if "MISSED" in line else REACHED


def machine() -> str:
    """Describe the processor, its cores, the memory, and the versions of Python and the peers."""
    described = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    model = re.search(r"model name\s*:\s*(.+)", described)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    peers = ", ".join(f"{peer} {_version(peer)}" for peer in PEERS)
    processor = model[1].strip() if model else platform.processor() or platform.machine()
    size = f"{os.cpu_count()} cores, {memory:.0f} GiB, Python {platform.python_version()}"
    return f"{processor}, {size}; patmark {__version__} against {peers}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


def write(rows: Sequence[tuple[str, str, str]], heading: str) -> None:
    """Put a table in the place of the one before."""
    lines = [f"{heading}.", "", "| benchmark | result | goal |", "|---|---|---|"]
    lines += [f"| `{name}` | {said} | {goal} |" for name, said, goal in rows]
    text = README.read_text(encoding="utf-8")
    before, after = text[: text.index(BEGIN)], text[text.index(END) :]
    README.write_text(f"{before}{BEGIN}\n" + "\n".join(lines) + f"\n{after}", encoding="utf-8")


def main() -> int:
    """Run everything; the table grows with each benchmark."""
    parser = argparse.ArgumentParser(description="Run the benchmarks that have goals.")
    parser.add_argument("--data", type=Path, default=Path("data"), help="folder of real texts")
    data = parser.parse_args().data.resolve()
    rows: list[tuple[str, str, str]] = []
    for name in BENCHMARKS:
        rows += [(name.split()[0], *found) for found in results(name.format(data=data))]
        write(rows, f"{date.today().isoformat()}, {machine()}")
    for name, said, goal in rows:
        print(f"{goal.strip('*'):8} {name}: {said}")
    return 1 if MISSED in {goal for _, _, goal in rows} else 0


if __name__ == "__main__":
    sys.exit(main())
