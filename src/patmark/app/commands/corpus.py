"""patmark corpus: parse, families, align, build, estimate, demo, split, stats, changes, sample.

Each command takes a request, or its fields, and returns a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from patmark import alignment, engine as engines
from patmark.app.commands.inputs import file_list
from patmark.app.commands.requests import takes
from patmark.collections import corpus, patents
from patmark.data import FilePath, file_format
from patmark.errors import UsageError
from patmark.languages import both_languages, language_pair
from patmark.report import notebook_progress
from patmark.wording import setting

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


@dataclass(frozen=True)
class ParseRequest:
    """Request of ``corpus parse``: ``map`` maps the fields of other file formats."""

    files: FilePath | Sequence[FilePath]
    out: FilePath
    map: str | None = None


@takes(ParseRequest)
def parse(request: ParseRequest, progress: Count = _nothing) -> ParseResult:
    """Read patent documents of any known format into one format, JSON Lines."""
    files, out = file_list(request.files), str(request.out)
    return patents.parse_files(files, out, progress, mapping=request.map)


@dataclass(frozen=True)
class FamiliesRequest:
    """Request of ``corpus families``: ``prefer`` are kinds of publication, best first."""

    documents: FilePath | Sequence[FilePath]
    out: FilePath
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


@takes(FamiliesRequest)
def families(request: FamiliesRequest, progress: Count = _nothing) -> Families:
    """Put documents of parse into families by their priorities, and write the families."""
    links = patents.read_links(file_list(request.documents), progress)
    found = patents.build_families(links, request.family_kind)
    found.write(str(request.out), one_of_each=request.one_per_office, prefer=request.prefer)
    return found


@dataclass(frozen=True)
class AlignRequest(corpus.AlignSetup):
    """Request of ``corpus align``: two files, or two lists of sentences."""

    source: FilePath | Sequence[str]
    target: FilePath | Sequence[str]
    gold: str | None = None
    out: str | None = None
    save_lexicon: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
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


@takes(AlignRequest)
def align(request: AlignRequest) -> AlignedTexts:
    """Align two texts; write the beads and the learned lexicon if files are named."""
    if request.out not in (None, "-") and file_format(str(request.out)) not in _BEAD_FORMATS:
        wanted = "expected a name that ends in .jsonl or .tsv, or .tmx"
        raise UsageError(f"{setting('out', str(request.out))}: {wanted}")
    texts = request.read_texts()
    aligner = request.make(texts)
    gold = None if request.gold is None else corpus.read_gold_for(request.gold, texts)
    result = corpus.align_texts(texts, aligner, request, gold)
    if request.save_lexicon is not None and isinstance(aligner, alignment.Hybrid):
        learnt = alignment.learn_lexicon([(texts.source, texts.target)], aligner)
        learnt.save(request.save_lexicon)
    if request.out is not None:
        result.write(request.out)
    return result


@dataclass(frozen=True)
class EngineRequest:
    """Engine of a build with its resources, and the language of the data card."""

    engine: str = field(default="local", kw_only=True)
    master: str | None = field(default=None, kw_only=True)
    workers: int | None = field(default=None, kw_only=True)
    memory: str | None = field(default=None, kw_only=True)
    language: str = field(default="en", kw_only=True)

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


@dataclass(frozen=True)
class BuildRequest(EngineRequest):
    """Request of ``corpus build``: ``from_`` names the first step to repeat."""

    pipeline: FilePath
    out: FilePath
    publish: str | None = None
    from_: str | None = None


@takes(BuildRequest)
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


@dataclass(frozen=True)
class EstimateRequest:
    """Request of ``corpus estimate``: ``cores`` are those of each of the ``executors``."""

    pipeline: FilePath
    documents: int
    workers: int | None = None
    executors: int | None = None
    cores: int | None = None


@takes(EstimateRequest)
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


@dataclass(frozen=True)
class FamilyDemoRequest:
    """Request of ``corpus demo``: invented families, and a new folder for them."""

    out: FilePath
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


@takes(FamilyDemoRequest)
def demo(request: FamilyDemoRequest) -> Path:
    """Invent patent families, with settings from which build makes a collection."""
    source, _ = language_pair(request.lang)
    invented = corpus.DemoFamilies(request.families, source or "", request.seed)
    return invented.write(Path(request.out))


@dataclass(frozen=True)
class SplitRequest(EngineRequest):
    """Request of ``corpus split``: pairs and split settings."""

    pairs: FilePath
    out: FilePath
    settings: SplitSettings = field(default_factory=lambda: corpus.SplitSettings())
    seed: int = 0


@takes(SplitRequest)
def split(request: SplitRequest, progress: StepProgress | None = None) -> CollectionStats:
    """Divide pairs into train, dev and test, by family and year, without leakage."""
    pairs, settings, seed = Path(request.pairs), request.settings, request.seed
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


@dataclass(frozen=True)
class SampleRequest:
    """Request of ``corpus sample``: ``n`` pairs for people to judge."""

    pairs: FilePath
    out: FilePath
    n: int = 200
    seed: int = 0


@takes(SampleRequest)
def sample(request: SampleRequest) -> PairSample:
    """Draw sentence pairs evenly from all scores, and write them to be judged."""
    return corpus.sample_file(request.pairs, request.n, request.seed, request.out)


@dataclass(frozen=True)
class JudgedRequest:
    """Request of ``corpus judged``: a judged sample, or one with ``judgements`` of a campaign."""

    sample: str
    judgements: str | None = None
    write_testset: str | None = None


@takes(JudgedRequest)
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


@dataclass(frozen=True)
class TmxRequest:
    """Request of ``corpus tmx``: pairs of a split with a minimum score."""

    pairs: FilePath
    out: FilePath
    lang: str
    split: str = "train"
    min_score: float | None = None

    def __post_init__(self) -> None:
        both_languages(self.lang)


@takes(TmxRequest)
def tmx(request: TmxRequest) -> TmxExport:
    """Write sentence pairs as a translation memory."""
    languages, least = both_languages(request.lang), request.min_score
    return corpus.pairs_to_tmx(request.pairs, request.out, languages, least, request.split)
