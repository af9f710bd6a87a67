"""patmark bench: build, overview and accept, for the command line and for Python."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from patmark import protocols
from patmark.app.commands.requests import takes
from patmark.catalogue import load_protocol_options
from patmark.collections.corpus import read_held_out
from patmark.data import write_atomically
from patmark.evaluation import Inputs, Sampling, protocol_called
from patmark.options import PYTHON, Argument, Options, group
from patmark.protocols import BenchOverview, accepted_rows
from patmark.report import to_json_text

if TYPE_CHECKING:
    from patmark.data import FilePath
    from patmark.protocols import BenchSettings
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


@group
class RowChoice(Options, heading="Rows"):
    """Number of rows, and the file that they go to."""

    out: str
    """The bench: .jsonl."""
    rows: int = 30
    """Maximum number of rows per label."""
    per_patent: int = 5
    """Maximum number of rows per label and patent."""
    labels: str | Sequence[str] | None = None
    """Comma-separated labels (default: all nine)."""
    seed: int = 0
    """Random seed."""


@group
class Proposals(Options, heading="Terms and review"):
    """Dictionary for terms, and files for a review."""

    dictionary: str | None = None
    """Dictionary that proposes terms: cedict (default for zh-en), jmdict, edict:FILE, tsv:FILE,
    none."""
    terms: str | None = None
    """Also write the terms with their evidence: .csv."""
    review: str | None = None
    """Also write the rows for human review, in a spreadsheet or a campaign: .csv."""


@group
class BenchRequest(RowChoice, Proposals):
    """Request of ``bench build``; in Python ``settings`` may replace the options of the rows."""

    collection: Annotated[str | FilePath, Argument()]
    """Folder of patmark corpus build."""
    settings: Annotated[BenchSettings | None, PYTHON] = None

    @property
    def chosen(self) -> BenchSettings:
        """Numbers of rows, labels and seed."""
        labels = self.labels.split(",") if isinstance(self.labels, str) else self.labels
        given = {} if labels is None else {"labels": tuple(labels)}
        return self.settings or protocols.BenchSettings(
            self.rows, self.per_patent, self.seed, **given
        )


@takes(BenchRequest, "collection", "out")
def build(request: BenchRequest) -> Result:
    """Make a bench of all nine labels from the held-out patents of a collection, and write it."""
    held_out = read_held_out(Path(request.collection), request.dictionary)
    made = protocols.build_bench(held_out, request.chosen)
    protocols.write_bench(made, request.out, terms=request.terms, review=request.review)
    return made


@group
class ScorerRequest(Options, heading="Published scorer"):
    """The options of the scorer that PatSnap published."""

    input: str
    """Bench rows with a translation added to each: .jsonl."""
    direction: str
    """Direction of the translations: cn2en or en2cn."""
    output: str | None = None
    """Also write the result: .json."""


@group
class AcceptRequest(Options, heading="Review"):
    """A bench, its review, and the file of accepted rows."""

    bench: Annotated[str, Argument()]
    """The bench that was reviewed."""
    judgements: str
    """The review with judgements, or the CSV export of a campaign."""
    out: str
    """The rows that were judged correct: .jsonl."""
    unjudged: bool = False
    """Also keep rows without a judgement."""
