"""patmark corpus: parse, families, align, build, estimate, demo, split, stats, sample, judged, tmx.

Each command is a function from a request to a result. The command line and the functions of
Python build the same requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from patmark import alignment, corpus, engine as engines, patents
from patmark.commands.inputs import both_languages, file_list
from patmark.data import FilePath, file_format, language_pair
from patmark.errors import UsageError
from patmark.report import notebook_progress
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.corpus import (
        AlignedTexts,
        AlignSetup,
        Build,
        BuildEstimate,
        PairFileCounts,
        PairPrecision,
        PairSample,
        SplitSettings,
        TextPair,
        TmxExport,
    )
    from patmark.engine import Engine, StepProgress
    from patmark.patents import Families, FamilyKind, ParseResult
    from patmark.report import Result

Count: TypeAlias = Callable[[int], None]
_BEAD_FORMATS = ("jsonl", "tsv", "tmx")


def _nothing(done: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class EngineChoice:
    """Engine of a build, and its resources."""

    engine: str = "local"
    master: str | None = None
    workers: int | None = None
    memory: str | None = None

    @contextmanager
    def open(self) -> Iterator[Engine]:
        """Open the engine, and close it at the end of the block."""
        running = engines.open_engine(
            self.engine, workers=self.workers, memory=self.memory, master=self.master
        )
        try:
            yield running
        finally:
            running.close()


@dataclass(frozen=True)
class ParseRequest:
    """Request of ``corpus parse``: ``map`` says where fields stand in files of another form."""

    files: Sequence[str]
    out: str
    map: str | None = None


def parse_patents(request: ParseRequest, progress: Count = _nothing) -> ParseResult:
    """Write the patent documents of files in one form."""
    return patents.parse_files(request.files, request.out, progress, mapping=request.map)


def parse(
    files: FilePath | Sequence[FilePath], out: FilePath, *, map: str | None = None
) -> ParseResult:
    """Read patent documents of any known format into one form, JSON Lines."""
    return parse_patents(ParseRequest(file_list(files), str(out), map))


@dataclass(frozen=True)
class FamiliesRequest:
    """Request of ``corpus families``: ``prefer`` are kinds of publication, best first."""

    documents: Sequence[str]
    out: str
    kind: str = "simple"
    one_per_office: bool = False
    prefer: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.family_kind  # noqa: B018 an unknown kind is refused before anything is read
        if self.prefer and not self.one_per_office:
            raise UsageError(f"{setting('prefer')} needs {setting('one_per_office')}")

    @property
    def family_kind(self) -> FamilyKind:
        """The kind of families."""
        return patents.family_kind(self.kind)


def group_families(request: FamiliesRequest, progress: Count = _nothing) -> Families:
    """Write the families of documents."""
    links = patents.read_links(request.documents, progress)
    found = patents.build_families(links, request.family_kind)
    found.write(request.out, one_of_each=request.one_per_office, prefer=request.prefer)
    return found


def families(documents: FilePath | Sequence[FilePath], out: FilePath, **options: Any) -> Families:
    """Put documents of parse into families by their priorities.

    ``options`` as in the command: kind, one_per_office, prefer.
    """
    return group_families(FamiliesRequest(file_list(documents), str(out), **options))


@dataclass(frozen=True)
class AlignRequest:
    """Request of ``corpus align``: two files, or two lists of sentences.

    ``vectors`` are .npy files of both sides.
    """

    source: FilePath | Sequence[str]
    target: FilePath | Sequence[str]
    lang: str
    aligner: str = alignment.DEFAULT_ALIGNER
    dictionary: str | None = None
    lexicon: str | None = None
    ratio: bool = False
    translations: str | None = None
    vectors: tuple[str, str] | None = None
    gold: str | None = None
    out: str | None = None
    save_lexicon: str | None = None

    def __post_init__(self) -> None:
        self.setup  # noqa: B018 a single language is refused before anything is read
        for name, used in (("save_lexicon", "hybrid"), ("ratio", "utiyama-isahara")):
            if getattr(self, name) and self.aligner != used:
                where = f"with {setting('aligner', self.aligner)}"
                raise UsageError(f"{setting(name)} has no effect {where}")

    @property
    def setup(self) -> AlignSetup:
        """The settings of the aligner."""
        return corpus.AlignSetup(
            self.aligner,
            both_languages(self.lang),
            self.dictionary,
            self.lexicon,
            self.ratio,
            self.translations,
            self.vectors,
        )

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        sides = [str(side) for side in (self.source, self.target) if isinstance(side, FilePath)]
        return [
            *sides,
            *filter(None, (self.lexicon, self.translations, self.gold)),
            *(self.vectors or ()),
        ]

    def read_texts(self) -> TextPair:
        """Read both sides, if they are files."""
        if isinstance(self.source, FilePath) or isinstance(self.target, FilePath):
            return corpus.TextPair.read(str(self.source), str(self.target))
        return corpus.TextPair(self.source, self.target)


def align_sentences(request: AlignRequest) -> AlignedTexts:
    """Align two texts; write the beads and the learnt lexicon where files are named."""
    if request.out not in (None, "-") and file_format(str(request.out)) not in _BEAD_FORMATS:
        wanted = "expected a name that ends in .jsonl or .tsv, or .tmx"
        raise UsageError(f"{setting('out', str(request.out))}: {wanted}")
    texts, setup = request.read_texts(), request.setup
    aligner = setup.make(texts)
    gold = None if request.gold is None else corpus.read_gold_for(request.gold, texts)
    result = corpus.align_texts(texts, aligner, setup, gold)
    if request.save_lexicon is not None and isinstance(aligner, alignment.Hybrid):
        learnt = alignment.learn_lexicon([(texts.source, texts.target)], aligner)
        learnt.save(request.save_lexicon)
    if request.out is not None:
        result.write(request.out)
    return result


def align(
    source: FilePath | Sequence[str], target: FilePath | Sequence[str], *, lang: str, **options: Any
) -> AlignedTexts:
    """Align the sentences of a text with those of its translation, each a list or a file.

    ``options`` as in the command: aligner, dictionary, lexicon, ratio, translations, vectors,
    gold, out and save_lexicon.
    """
    return align_sentences(AlignRequest(source, target, lang, **options))


@dataclass(frozen=True)
class BuildRequest:
    """Request of ``corpus build``: ``from_`` names the first step to do again.

    ``language`` is that of the data card.
    """

    pipeline: str
    out: str
    publish: str | None = None
    from_: str | None = None
    engine: EngineChoice = field(default_factory=EngineChoice)
    language: str = "en"


def build_collection(request: BuildRequest, progress: StepProgress | None = None) -> Build:
    """Build a test collection with its data card, and publish it where a URL is named."""
    settings = corpus.read_pipeline(request.pipeline)
    folder = _output_folder(request.out)
    if request.publish is not None:
        engines.open_store(request.publish)  # a wrong address is told before hours of work
    with request.engine.open() as engine:
        made = corpus.build_corpus(settings, folder, engine, progress=progress, from_=request.from_)
    corpus.write_card(folder, made, request.language)
    if request.publish is not None:
        made.publish(request.publish)
    return made


def build(
    pipeline: FilePath,
    out: FilePath,
    *,
    from_: str | None = None,
    publish: str | None = None,
    **engine: Any,
) -> Build:
    """Make a test collection with its data card: families, aligned pairs, splits, sample.

    ``engine`` as in the command: engine, workers, memory, master.
    """
    request = BuildRequest(str(pipeline), str(out), publish, from_, EngineChoice(**engine))
    with notebook_progress() as progress:
        return build_collection(request, progress)


@dataclass(frozen=True)
class EstimateRequest:
    """Request of ``corpus estimate``: ``cores`` are those of each of the ``executors``."""

    pipeline: str
    documents: int
    workers: int | None = None
    executors: int | None = None
    cores: int | None = None


def estimate_collection(
    request: EstimateRequest, progress: StepProgress | None = None
) -> BuildEstimate:
    """Build a sample, and estimate time, memory and disk of a full build."""
    return corpus.estimate_build(
        corpus.read_pipeline(request.pipeline),
        request.documents,
        workers=request.workers,
        executors=request.executors or 0,
        cores=request.cores,
        progress=progress,
    )


def estimate(pipeline: FilePath, documents: int, **machines: int) -> BuildEstimate:
    """Estimate what a build of so many documents takes, from the sample that the settings name.

    ``machines`` as in the command: workers, executors, cores.
    """
    with notebook_progress() as progress:
        return estimate_collection(EstimateRequest(str(pipeline), documents, **machines), progress)


@dataclass(frozen=True)
class FamilyDemoRequest:
    """Request of ``corpus demo``: invented families, and a new folder for them."""

    out: str
    lang: str = "zh-en"
    families: int = 60
    seed: int = 0

    def __post_init__(self) -> None:
        source, target = language_pair(self.lang)
        if source is None or target != "en":
            raise UsageError(f"{setting('lang')} {self.lang!r}: the demo is zh-en or ja-en")
        folder = Path(self.out)
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already; name a new folder")


def invent_families(request: FamilyDemoRequest) -> Path:
    """Write invented families, and settings to build a collection from them."""
    source, _ = language_pair(request.lang)
    invented = corpus.DemoFamilies(request.families, source or "", request.seed)
    return invented.write(Path(request.out))


def demo(out: FilePath, **options: Any) -> Path:
    """Invent patent families, with settings from which build makes a collection.

    ``options`` as in the command: lang, families, seed.
    """
    return invent_families(FamilyDemoRequest(str(out), **options))


@dataclass(frozen=True)
class SplitRequest:
    """Request of ``corpus split``: pairs, and how they are divided."""

    pairs: str
    out: str
    settings: SplitSettings = field(default_factory=lambda: corpus.SplitSettings())
    seed: int = 0
    engine: EngineChoice = field(default_factory=EngineChoice)
    language: str = "en"


def split_collection(request: SplitRequest, progress: StepProgress | None = None) -> PairFileCounts:
    """Write train, dev and test with a data card."""
    with request.engine.open() as engine:
        folder = _output_folder(request.out)
        made = corpus.split_pairs(
            Path(request.pairs), folder, request.settings, request.seed, engine, progress=progress
        )
    corpus.write_card(folder, made, request.language)
    return made


def split(
    pairs: FilePath,
    out: FilePath,
    *,
    settings: SplitSettings | None = None,
    seed: int = 0,
    **engine: Any,
) -> PairFileCounts:
    """Divide pairs into train, dev and test, by family and year, without leakage."""
    chosen = settings or corpus.SplitSettings()
    request = SplitRequest(str(pairs), str(out), chosen, seed, EngineChoice(**engine))
    with notebook_progress() as progress:
        return split_collection(request, progress)


def _output_folder(out: str) -> Path:
    """Return the folder to write to, made if its own folder is there."""
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; {setting('out')} takes a folder")
    if not folder.absolute().parent.is_dir():
        raise UsageError(f"{folder} cannot be made: its folder does not exist")
    folder.mkdir(exist_ok=True)
    return folder


def stats(place: FilePath) -> Result:
    """Count what is in the folder of a build, or in a file of pairs."""
    return corpus.collection_stats(Path(place))


@dataclass(frozen=True)
class SampleRequest:
    """Request of ``corpus sample``: ``n`` pairs for people to judge."""

    pairs: str
    out: str
    n: int = 200
    seed: int = 0


def sample(request: SampleRequest) -> PairSample:
    """Draw sentence pairs evenly from all scores, and write them to be judged."""
    return corpus.sample_file(request.pairs, request.n, request.seed, request.out)


@dataclass(frozen=True)
class JudgedRequest:
    """Request of ``corpus judged``: a judged sample, or one with ``judgements`` of a campaign."""

    sample: str
    judgements: str | None = None
    write_testset: str | None = None


def judged(request: JudgedRequest) -> PairPrecision:
    """Estimate the precision of all pairs; write those that were judged correct where asked."""
    rows = corpus.read_judged(request.sample, elsewhere=request.judgements is not None)
    notes: tuple[str, ...] = ()
    if request.judgements is not None:
        campaign = corpus.read_campaign_judgements(request.judgements)
        rows, notes = corpus.merge_judgements(rows, campaign), campaign.notes()
    if request.write_testset is not None:
        written = corpus.write_correct_pairs(request.write_testset, rows)
        where = request.write_testset
        notes = (*notes, f"{written} pairs that were judged correct are in {where}.")
    return corpus.precision(rows, request.sample, notes)


@dataclass(frozen=True)
class TmxRequest:
    """Request of ``corpus tmx``: pairs of a split with at least a score."""

    pairs: str
    out: str
    lang: str
    split: str = "train"
    min_score: float | None = None

    def __post_init__(self) -> None:
        both_languages(self.lang)


def tmx(request: TmxRequest) -> TmxExport:
    """Write sentence pairs as a translation memory."""
    languages = both_languages(request.lang)
    return corpus.pairs_to_tmx(
        request.pairs, request.out, languages, request.min_score, request.split
    )
