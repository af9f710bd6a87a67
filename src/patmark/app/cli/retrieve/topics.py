"""patmark retrieve topics: topics and relevance judgements from citations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from patmark.app.cli.options import split_list
from patmark.app.cli.output import Tables, counting, deliver, say, wrote
from patmark.options import Options, Parameter, group

if TYPE_CHECKING:
    from patmark.collections.retrieval import TopicChoice


@group
class TopicOptions(Options, heading="Topics"):
    """Options of the topics."""

    out: str
    """Write topics.jsonl, qrels.txt and card.json to this folder."""
    text: str = "claim"
    """The text of a topic: claim (the first one), abstract or description."""
    lang: str | None = None
    """Topics in this language; required for office files."""
    ipc: str | None = None
    """Topics with one of these codes, at any level: G06F,H01L 21."""
    date: str = "filing"
    """The date of a topic, before which relevant documents are published: filing (as in NTCIR-7),
    priority (the first one) or publication."""
    from_: str | None = None
    """Topics of this date or later."""
    to: str | None = None
    """Topics of this date or earlier."""
    number: int | None = None
    """Number of topics to draw (default: all)."""
    seed: int = 0
    """Random seed of the draw."""
    single: bool = False
    """Only topics with exactly one relevant document."""


@group
class Relevance(Options, heading="Relevance"):
    """Options of relevance."""

    grades: str = "category"
    """category (X=2,I=2,Y=1,A=0, without a letter examiner=1,unknown=1), party (examiner=2,
    third-party=2,applicant=1,other=1,unknown=1), or your own: X=3,Y=2,A=1."""
    by_family: bool = False
    """A citation by or of any document of a family counts for the whole family."""
    claim_one: bool = False
    """Leave out citations against other claims than the first."""
    citations: tuple[str, ...] = ()
    """More citations of the same documents: DOCDB, OPS or other patent files; repeat."""
    families: str | None = None
    """Families from patmark corpus families, instead of those of the documents."""


def topics(
    *collection: Annotated[
        str,
        Parameter(
            required=True,
            help="Documents with citations: JSONL (.gz, .zst), Parquet, or patent files as the "
            "offices publish them.",
        ),
    ],
    choice: TopicOptions,
    relevance: Relevance = Relevance(),
    output: Tables = Tables(),
) -> None:
    """Create topics and graded relevance judgements from the citations of a collection.

    Examples:

      patmark retrieve topics patents.jsonl.gz --out topics --ipc G06F --number 100

      patmark retrieve topics ep-fulltext/ --lang en --out topics --citations docdb.xml
      --by-family --families families.jsonl --grades X=3,Y=2,A=1

    A cited document is relevant if it is in the collection, was published before the date of the
    topic and belongs to another family. A family gives one topic. Excluded citations are counted.
    """
    from patmark.app.commands.retrieve import TopicsRequest, topics

    wanted = _choice(choice, relevance)
    request = TopicsRequest(collection, choice.out, wanted, relevance.citations, relevance.families)
    output.check([*collection, *relevance.citations, relevance.families])
    with counting(output.quiet, "documents") as progress:
        made = topics(request, progress=progress)
    deliver(made, output)
    output.say(wrote(choice.out, output.language))
    if not output.json:
        for line in made.problems.lines():
            say(line)


def _choice(choice: TopicOptions, relevance: Relevance) -> TopicChoice:
    from patmark.app.commands.retrieve import day_of
    from patmark.collections.retrieval import CitationGrades, TopicChoice
    from patmark.languages import language_code

    return TopicChoice(
        cast("Any", choice.text),
        cast("Any", choice.date),
        CitationGrades.parsed(relevance.grades),
        tuple(split_list(choice.ipc)),
        day_of("from_", choice.from_),
        day_of("to", choice.to),
        language_code(choice.lang) if choice.lang else None,
        relevance.by_family,
        relevance.claim_one,
        choice.single,
        choice.number,
        choice.seed,
    )
