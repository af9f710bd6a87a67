"""patmark corpus: parse, families, align, build, estimate, demo, split, stats, changes, sample.

Each command takes a request, or its fields, and returns a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from patmark import alignment, engine as engines
from patmark.app.commands.inputs import file_list, split_list
from patmark.app.commands.requests import takes
from patmark.collections import corpus, patents
from patmark.data import FilePath, file_format
from patmark.errors import UsageError
from patmark.languages import both_languages, language_pair
from patmark.options import PYTHON, Argument, Options, Parameter, at_least, group
from patmark.report import notebook_progress
from patmark.wording import DEFAULT_LANGUAGE, setting

if TYPE_CHECKING:
    from patmark.collections.corpus import (
        AlignedTexts,
        Build,
        BuildChanges,
        BuildEstimate,
        CollectionStats,
        PairPrecision,
        PairSample,
        SplitSettings,
        TextPair,
        TmxExport,
    )
    from patmark.collections.patents import Families, FamilyKind, ParseResult
    from patmark.engine import Engine, Place, StepProgress

Count: TypeAlias = Callable[[int], None]
_BEAD_FORMATS = ("jsonl", "tsv", "tmx")


def _nothing(done: int) -> None:
    """Show no progress."""


@group
class ParseRequest(Options, heading="Documents"):
    """Request of ``corpus parse``."""

    paths: Annotated[tuple[str, ...] | Sequence[FilePath], Argument()]
    """Files, archives or folders."""
    out: str | FilePath
    """Documents as JSON Lines (.jsonl, .gz, .zst)."""
    map: str | None = None
    """Mapping of fields in XML, JSON or CSV of other formats (.toml, .yaml, .json)."""


@takes(ParseRequest, "paths", "out", "map")
def parse(request: ParseRequest, progress: Count = _nothing) -> ParseResult:
    """Read patent documents of any known format into one format, JSON Lines."""
    files, out = file_list(request.paths), str(request.out)
    return patents.parse_files(files, out, progress, mapping=request.map)


@group
class FamiliesRequest(Options, heading="Families"):
    """Request of ``corpus families``."""

    docs: Annotated[tuple[str, ...] | Sequence[FilePath], Argument()]
    """Documents from patmark corpus parse."""
    out: str | FilePath
    """Families as JSON Lines."""
    kind: str = "simple"
    """simple (same priorities) or extended (connected)."""
    one_per_office: bool = False
    """Keep one publication per office."""
    prefer: str | Sequence[str] | None = None
    """Kinds to keep with --one-per-office, best first: B,A (default: first)."""

    def __post_init__(self) -> None:
        self.family_kind  # noqa: B018 an unknown kind is refused before anything is read
        if self.prefer and not self.one_per_office:
            raise UsageError(f"{setting('prefer')} needs {setting('one_per_office')}")

    @property
    def family_kind(self) -> FamilyKind:
        """The kind of families."""
        return patents.family_kind(self.kind)


@takes(FamiliesRequest, "docs", "out", "kind")
def families(request: FamiliesRequest, progress: Count = _nothing) -> Families:
    """Put documents of parse into families by their priorities, and write the families."""
    links = patents.read_links(file_list(request.docs), progress)
    found = patents.build_families(links, request.family_kind)
    wanted = split_list(request.prefer) if isinstance(request.prefer, str) else request.prefer
    found.write(str(request.out), one_of_each=request.one_per_office, prefer=wanted or ())
    return found


@group
class AlignOptions(Options, heading="Alignment"):
    """Options of the alignment."""

    lang: str
    """Languages as SOURCE-TARGET, e.g. zh-en."""
    aligner: str = corpus.AlignSetup.aligner
    """hybrid, utiyama-isahara, gale-church, translation or embeddings."""
    dictionary: str | None = None
    """cedict, jmdict, edict:FILE, tsv:FILE or none (default: cedict for zh and en, jmdict for ja
    and en if installed)."""
    lexicon: str | None = None
    """hybrid: word translations learned earlier."""
    ratio: bool = False
    """utiyama-isahara: multiply scores by the ratio of sentence counts."""
    translations: str | None = None
    """translation: the source translated into the target language, line by line."""
    vectors: Annotated[tuple[str, str] | None, Parameter(metavar="SOURCE.npy TARGET.npy")] = None
    """embeddings: vectors, one row per sentence."""

    @property
    def setup(self) -> corpus.AlignSetup:
        """Settings of the aligner."""
        names = AlignOptions.__dataclass_fields__
        return corpus.AlignSetup(**{name: getattr(self, name) for name in names})


@group
class AlignRequest(AlignOptions):
    """Request of ``corpus align``: two files, or in Python two lists of sentences.

    ``out`` and ``save_lexicon`` are files for the beads and the learned lexicon.
    """

    source: Annotated[str | FilePath | Sequence[str], Argument()]
    """A text, one sentence per line."""
    target: Annotated[str | FilePath | Sequence[str], Argument()]
    """Its translation, one sentence per line."""
    gold: str | None = None
    """Gold beads, lines such as [0]:[0,1]: adds precision and recall."""
    out: Annotated[str | None, PYTHON] = None
    save_lexicon: Annotated[str | None, PYTHON] = None

    def __post_init__(self) -> None:
        self.setup  # noqa: B018 languages are refused before anything is read
        for name, used in (("save_lexicon", "hybrid"), ("ratio", "utiyama-isahara")):
            if getattr(self, name) and self.aligner != used:
                where = f"with {setting('aligner', self.aligner)}"
                raise UsageError(f"{setting(name)} has no effect {where}")

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        sides = [str(side) for side in (self.source, self.target) if isinstance(side, FilePath)]
        others = filter(None, (self.lexicon, self.translations, self.gold))
        return [*sides, *others, *(self.vectors or ())]

    def read_texts(self) -> TextPair:
        """Read both sides, if they are files."""
        if isinstance(self.source, FilePath) or isinstance(self.target, FilePath):
            return corpus.TextPair.read(str(self.source), str(self.target))
        return corpus.TextPair(self.source, self.target)


@takes(AlignRequest, "source", "target", "lang")
def align(request: AlignRequest) -> AlignedTexts:
    """Align two texts; write the beads and the learned lexicon if files are named."""
    if request.out not in (None, "-") and file_format(str(request.out)) not in _BEAD_FORMATS:
        wanted = "expected a name that ends in .jsonl or .tsv, or .tmx"
        raise UsageError(f"{setting('out', str(request.out))}: {wanted}")
    texts = request.read_texts()
    aligner = request.setup.make(texts)
    gold = None if request.gold is None else corpus.read_gold_for(request.gold, texts)
    result = corpus.align_texts(texts, aligner, request.setup, gold)
    if request.save_lexicon is not None and isinstance(aligner, alignment.Hybrid):
        learnt = alignment.learn_lexicon([(texts.source, texts.target)], aligner)
        learnt.save(request.save_lexicon)
    if request.out is not None:
        result.write(request.out)
    return result


@group
class EngineRequest(Options, heading="Engine"):
    """Engine of a build with its resources, and the language of the data card."""

    engine: str = "local"
    """local: DuckDB and processes. spark: a Spark cluster."""
    master: str | None = None
    """Address of the Spark cluster (default: Spark's settings)."""
    workers: Annotated[int | None, at_least(1)] = None
    """Processes of the local engine (default: all cores)."""
    memory: str | None = None
    """Memory of the local engine's SQL, e.g. 4GB; then disk is used."""
    language: Annotated[str, PYTHON] = DEFAULT_LANGUAGE

    @contextmanager
    def open_engine(self) -> Iterator[Engine]:
        """Open the engine, and close it at the end of the block."""
        running = engines.open_engine(
            self.engine, workers=self.workers, memory=self.memory, master=self.master
        )
        try:
            yield running
        finally:
            running.close()


@contextmanager
def _shown(progress: StepProgress | None) -> Iterator[StepProgress | None]:
    """Show progress as asked, or with a bar in notebooks."""
    if progress is not None:
        yield progress
        return
    with notebook_progress() as bar:
        yield bar


@group
class BuildOptions(Options, heading="Collection"):
    """Options of the collection."""

    out: str | FilePath
    """Folder or URL of the collection with its steps; created if missing."""
    publish: Annotated[str | None, Parameter(metavar="URL")] = None
    """Copy the finished collection there: s3://, gs://, abfs://, hdfs:// or file://."""
    from_: Annotated[str | None, Parameter(metavar="STEP")] = None
    """Repeat this step and all later ones: parse, families, pairs, align, rank, clean, split."""


@group
class BuildRequest(BuildOptions, EngineRequest):
    """Request of ``corpus build``."""

    pipeline: Annotated[str | FilePath, Argument()]
    """Settings: .toml, .yaml or .json."""


@takes(BuildRequest, "pipeline", "out", "publish", "from_")
def build(request: BuildRequest, progress: StepProgress | None = None) -> Build:
    """Build a test collection with its data card, and publish it if a URL is named."""
    settings = corpus.read_pipeline(request.pipeline)
    folder = _output_place(request)
    if request.publish is not None:
        engines.open_store(request.publish)  # report a wrong address before hours of work
    with request.open_engine() as engine, _shown(progress) as bar:
        made = corpus.build_corpus(settings, folder, engine, progress=bar, from_=request.from_)
    corpus.write_card(folder, made, request.language)
    if request.publish is not None:
        made.publish(request.publish)
    return made


@group
class EstimateRequest(Options, heading="Estimate"):
    """Request of ``corpus estimate``: the size and the machines of the full build."""

    pipeline: Annotated[str | FilePath, Argument()]
    """Settings whose inputs are a sample."""
    documents: Annotated[int, at_least(1)]
    """Number of documents of the full collection."""
    workers: Annotated[int | None, at_least(1)] = None
    """Processes that build the sample (default: all cores)."""
    executors: Annotated[int | None, at_least(1)] = None
    """Machines of a Spark cluster (default: this machine alone)."""
    cores: Annotated[int | None, at_least(1)] = None
    """Cores of each machine (default: as many as here)."""


@takes(EstimateRequest, "pipeline", "documents")
def estimate(request: EstimateRequest, progress: StepProgress | None = None) -> BuildEstimate:
    """Build a sample, and estimate time, memory and disk of a full build."""
    with _shown(progress) as bar:
        return corpus.estimate_build(
            corpus.read_pipeline(request.pipeline),
            request.documents,
            workers=request.workers,
            executors=request.executors or 0,
            cores=request.cores,
            progress=bar,
        )


@group
class FamilyDemoRequest(Options, heading="Invention"):
    """Request of ``corpus demo``: invented families, and a new folder for them."""

    out: str | FilePath
    """A new folder for documents and settings."""
    lang: str = "zh-en"
    """zh-en or ja-en."""
    families: Annotated[int, at_least(1)] = 60
    """Number of families to invent."""
    seed: int = 0
    """Random seed."""

    def __post_init__(self) -> None:
        source, target = language_pair(self.lang)
        if source is None or target != DEFAULT_LANGUAGE:
            raise UsageError(f"{setting('lang')} {self.lang!r}: the demo is zh-en or ja-en")
        folder = Path(self.out)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already; name a new folder")


@takes(FamilyDemoRequest, "out", "lang", "families", "seed")
def demo(request: FamilyDemoRequest) -> Path:
    """Invent patent families, with settings from which build makes a collection."""
    source, _ = language_pair(request.lang)
    invented = corpus.DemoFamilies(request.families, source or "", request.seed)
    return invented.write(Path(request.out))


@group
class SplitOptions(Options, heading="Split"):
    """Options of the split."""

    out: str | FilePath
    """Folder for train, dev and test."""
    dev: Annotated[int, at_least(0)] = corpus.SplitSettings.dev
    """Number of dev pairs."""
    test: Annotated[int, at_least(0)] = corpus.SplitSettings.test
    """Number of test pairs."""
    test_from: int | None = None
    """First year of dev and test (default: split without regard to years)."""
    train_until: int | None = None
    """Last year of training (default: the year before)."""
    side: str = corpus.SplitSettings.side
    """Publication that dates a pair: source, target or later."""
    per_patent: Annotated[int | None, at_least(1)] = corpus.SplitSettings.per_patent
    """Maximum number of dev and test pairs per patent."""
    seed: int = 0
    """Random seed."""


@group
class SplitRequest(SplitOptions, EngineRequest):
    """Request of ``corpus split``; in Python ``settings`` may replace the options of the split."""

    pairs: Annotated[str | FilePath, Argument()]
    """Pairs {id, source, target, family, …}: Parquet or JSONL."""
    settings: Annotated[SplitSettings | None, PYTHON] = None

    @property
    def chosen(self) -> SplitSettings:
        """Sizes and years."""
        names = ("dev", "test", "test_from", "train_until", "side", "per_patent")
        given = {name: getattr(self, name) for name in names}
        return self.settings or corpus.SplitSettings(**given)


@takes(SplitRequest, "pairs", "out", "settings", "seed")
def split(request: SplitRequest, progress: StepProgress | None = None) -> CollectionStats:
    """Divide pairs into train, dev and test, by family and year, without leakage."""
    pairs, settings, seed = Path(request.pairs), request.chosen, request.seed
    with request.open_engine() as engine, _shown(progress) as bar:
        folder = _output_folder(request.out)
        made = corpus.split_pairs(pairs, folder, settings, seed, engine, progress=bar)
    corpus.write_card(folder, made, request.language)
    return made


def _output_place(request: BuildRequest) -> Place:
    """Return the place of a collection; refuse an unreachable address at once."""
    place = engines.any_place(request.out)
    if isinstance(place, Path):
        return _output_folder(place)
    if request.publish is not None:
        raise UsageError(f"{setting('publish')} copies a folder; {setting('out')} is a URL already")
    place.is_dir()
    return place


def _output_folder(out: FilePath) -> Path:
    """Return the output folder; make it if its parent exists."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; {setting('out')} takes a folder")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"{folder} cannot be made: its folder does not exist")
    folder.mkdir(exist_ok=True)
    return folder


def stats(place: FilePath) -> CollectionStats:
    """Count the contents of a build folder, or of a file of pairs."""
    return corpus.collection_stats(engines.any_place(place))


def changes(old: FilePath, new: FilePath) -> BuildChanges:
    """Compare two builds: settings, counts, and added, removed and moved pairs."""
    return corpus.compare_builds(engines.any_place(old), engines.any_place(new))


@group
class SampleRequest(Options, heading="Sample"):
    """Request of ``corpus sample``: pairs for people to judge."""

    pairs: Annotated[str | FilePath, Argument()]
    """Pairs {id, source, target, score, section}: JSONL or Parquet."""
    out: str | FilePath
    """Sample to be judged: .csv or .jsonl."""
    n: int = 200
    """Number of pairs to draw; NTCIR-7 judged 3,000."""
    seed: int = 0
    """Random seed."""


@takes(SampleRequest, "pairs", "out", "n", "seed")
def sample(request: SampleRequest) -> PairSample:
    """Draw sentence pairs evenly from all scores, and write them to be judged."""
    return corpus.sample_file(request.pairs, request.n, request.seed, request.out)


@group
class JudgedInputs(Options, heading="Inputs"):
    """A judged sample, or one with judgements of a campaign."""

    sample: Annotated[str, Argument()]
    """The sample with judgements: .csv or .jsonl."""
    judgements: str | None = None
    """Judgements of the sample from a campaign: its CSV export."""


@group
class CorrectPairs(Options, heading="Test set"):
    """The file for correct pairs."""

    write_testset: str | None = None
    """Write the pairs that people judged correct as a test set: .jsonl."""


@group
class JudgedRequest(JudgedInputs, CorrectPairs):
    """Request of ``corpus judged``: a judged sample, and the file for correct pairs."""


@takes(JudgedRequest, "sample", "judgements", "write_testset")
def judged(request: JudgedRequest) -> PairPrecision:
    """Estimate the precision of all pairs; write the correct ones if requested."""
    rows = corpus.read_judged(request.sample, elsewhere=request.judgements is not None)
    notes: tuple[str, ...] = ()
    if request.judgements is not None:
        campaign = corpus.read_campaign_judgements(request.judgements)
        rows, notes = corpus.merge_judgements(rows, campaign), campaign.notes()
    if (path := request.write_testset) is not None:
        written = corpus.write_correct_pairs(path, rows)
        notes = (*notes, f"{written} pairs that were judged correct are in {path}.")
    return corpus.precision(rows, request.sample, notes)


@group
class TmxRequest(Options, heading="Translation memory"):
    """Request of ``corpus tmx``: pairs of a split with a minimum score."""

    pairs: Annotated[str | FilePath, Argument()]
    """Pairs {id, source, target, score, section}: JSONL or Parquet, the folder of a build, or one
    of its splits (.jsonl)."""
    lang: str
    """Languages as SOURCE-TARGET, e.g. zh-en."""
    out: str | FilePath
    """Pairs as TMX 1.4 (.tmx)."""
    split: Literal["train", "dev", "test", "all"] = "train"
    """Pairs of a build to write: a split, or all (with dev, test and removed pairs)."""
    min_score: float | None = None
    """Leave out pairs with a lower score."""

    def __post_init__(self) -> None:
        both_languages(self.lang)


@takes(TmxRequest, "pairs", "out", "lang", "split", "min_score")
def tmx(request: TmxRequest) -> TmxExport:
    """Write sentence pairs as a translation memory."""
    languages, least = both_languages(request.lang), request.min_score
    return corpus.pairs_to_tmx(request.pairs, request.out, languages, least, request.split)
