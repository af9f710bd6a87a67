"""How a build grows with the number of families, and whether an estimate was right.

    python benchmarks/scale.py [FAMILIES …] [--real N] [--workers N]

The families are invented and small (about 25 sentences a document), so that many fit into a day.
Each size is built in a process of its own. Printed are CPU seconds, peak memory of the program and
of a worker, and disk; of each step CPU seconds and the slope between the two largest sizes in
logarithms: 1 is linear. ``--real`` builds so many families of real size, 250 sentences a document.
The estimate from the first size is held against the second. Exits with 1 if a step that takes more
than a second grows faster than n^1.2.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SIZES = (200, 2000)
MOST_SLOPE, LEAST_SECONDS = 1.2, 1.0
REAL_FACTOR = 12

_BUILD = """
import json, os, re, resource, sys
from pathlib import Path
from patmark.corpus import demo_families
from patmark.corpus.build.estimate import estimate_build
from patmark.corpus.build.pipeline import build_corpus
from patmark.corpus.build.settings import read_pipeline
from patmark.engine import open_engine
if __name__ == "__main__":
    folder, families, factor, workers, wanted = Path(sys.argv[1]), *map(int, sys.argv[2:])
    sizes = demo_families._SIZES
    demo_families._SIZES = {name: (a * factor, b * factor) for name, (a, b) in sizes.items()}
    pipeline = demo_families.DemoFamilies(families).write(folder / "demo")
    pipeline.write_text(re.sub("(dev|test) = .*", r"\\1 = 20", pipeline.read_text()))
    settings = read_pipeline(pipeline)
    if wanted:
        print(json.dumps(estimate_build(settings, wanted, workers=workers).to_json()))
        sys.exit()
    engine = open_engine("local", workers=workers)
    built = build_corpus(settings, folder / "built", engine)
    engine.close()
    peaks = [resource.getrusage(who).ru_maxrss // 1024
             for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    disk = sum(f.stat().st_size for f in (folder / "built").rglob("*") if f.is_file())
    print(json.dumps({
        "families": families, "documents": built.facts["parse"]["documents"],
        "pairs": built.facts["pairs"]["total"], "seconds": sum(os.times()[:4]),
        "program": peaks[0], "worker": peaks[1], "disk": disk,
        "steps": {step: cost.seconds for step, cost in built.costs.items()},
    }))
"""


def run(families: int, workers: int, factor: int = 1, documents: int = 0) -> dict[str, Any]:
    """Build in a process of its own, or estimate a build of ``documents``."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "work.py"
        script.write_text(_BUILD, encoding="utf-8")
        given = map(str, (families, factor, workers, documents))
        command = [sys.executable, str(script), folder, *given]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return dict(json.loads(done.stdout.splitlines()[-1]))


def show(found: dict[str, Any]) -> None:
    """The whole build in a line."""
    print(
        f"{found['families']:>7,} families, {found['documents']:,} documents, "
        f"{found['pairs']:,} pairs: {found['seconds']:.1f} CPU s, program {found['program']} MB, "
        f"worker {found['worker']} MB, disk {found['disk'] / 1e6:.1f} MB",
        flush=True,
    )


def slope(small: float, large: float, times: float) -> float:
    """The exponent of growth."""
    return math.log(max(large, 1e-3) / max(small, 1e-3)) / math.log(times)


def main() -> int:
    """Build all sizes and compare them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("families", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--real", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    if options.real:
        print("documents of real size:")
        show(run(options.real, options.workers, REAL_FACTOR))
    builds = []
    for families in options.families:
        builds.append(run(families, options.workers))
        show(builds[-1])
    if len(builds) < 2:
        return 0
    first, second = builds[-2:]
    times = second["documents"] / first["documents"]
    too_fast = []
    for step, seconds in second["steps"].items():
        grown = slope(first["steps"][step], seconds, times)
        print(f"  {step:16} {first['steps'][step]:8.2f} s {seconds:9.2f} s   n^{grown:.2f}")
        if seconds > LEAST_SECONDS and grown > MOST_SLOPE:
            too_fast.append(step)
    told = run(first["families"], options.workers, documents=second["documents"])
    real = sum(second["steps"].values())
    print(
        f"estimate from {first['families']:,} families for {second['families']:,}: "
        f"{told['cpu_seconds']:.0f} CPU s, {told['disk_bytes'] / 1e6:.0f} MB of disk; "
        f"real {real:.0f} CPU s, {second['disk'] / 1e6:.0f} MB; "
        f"slowest step {told['slowest_step']}"
    )
    if too_fast:
        print(f"faster than n^{MOST_SLOPE}: {', '.join(too_fast)}")
    return int(bool(too_fast))


if __name__ == "__main__":
    sys.exit(main())
