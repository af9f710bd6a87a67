"""patmark bench: build, overview and accept, for the command line and for Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.catalogue import load_protocol_options
from patmark.collections.corpus import read_held_out
from patmark.data import write_atomically
from patmark.evaluation import Inputs, Sampling, protocol_called
from patmark.protocols import BenchOverview, BenchSettings, accepted_rows, build_bench, write_bench
from patmark.report import to_json_text

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.report import Result

overview = BenchOverview.of_file
accept = accepted_rows
_PUBLISHED_KEYS = (
    "direction", "total", "accuracy_by_label", "hallucination_pct_by_label",
    "miss_translation_pct_by_label",
)  # fmt: skip


def evaluate(results: FilePath, direction: str, output: FilePath | None = None) -> dict[str, Any]:
    """Score one result file as the published scorer does, and return its five keys.

    ``direction`` is cn2en or en2cn; ``output`` is an additional JSON file. For intervals, grades
    and stricter rules see `score`.
    """
    options = load_protocol_options("patsnap")(direction=direction, variant="published")  # type: ignore[call-arg]
    protocol = protocol_called("patsnap", Sampling(resamples=0), options=options)
    scored = protocol.score(*protocol.read(Inputs(results=(str(results),)))).to_json()
    found = {key: scored[key] for key in _PUBLISHED_KEYS}
    if output is not None:
        write_atomically(output, to_json_text(found) + "\n")
    return found


def build(
    collection: FilePath,
    out: str,
    *,
    settings: BenchSettings | None = None,
    dictionary: str | None = None,
    terms: str | None = None,
    review: str | None = None,
) -> Result:
    """Make a bench of all nine labels from the held-out patents of a collection, and write it.

    ``terms`` and ``review`` are additional CSV files: the terms with their evidence, and the rows
    for people to check, which accept then reads.
    """
    made = build_bench(read_held_out(Path(collection), dictionary), settings)
    write_bench(made, out, terms=terms, review=review)
    return made
