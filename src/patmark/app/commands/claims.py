"""The claims commands: parse, lint, check, score, compare, judge, meta, pairs and train.

Each takes a frozen request and returns one result. Texts of claims are strings, or Paths of files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from patmark.app.commands.inputs import claim_text, file_list
from patmark.claims import (
    SPLIT_PARTS,
    ClaimSet,
    LintedFiles,
    RuleList,
    SplitPlan,
    TrainingPlan,
    check_support,
    compare_versions,
    evaluate_claims,
    lint as lint_claims,
    meta_evaluate_claims,
    office_named,
    parse_claims,
    read_given_scores,
    severity_named,
    train_evaluator,
    train_evaluators,
)
from patmark.data import (
    ClaimPairs,
    Run,
    Segment,
    TestSet,
    check_stdin_once,
    drafts_of_pairs,
    read_all_claim_pairs,
    read_claim_pairs,
    read_jsonl_run,
    read_jsonl_test_set,
    read_patenteval,
    read_text,
    shown,
    split_name,
    write_claim_pairs,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import Sampling
from patmark.human.judgements import read_judgements
from patmark.options import refuse
from patmark.protocols import ComparedRatings, PairOptions, compare_ratings
from patmark.report import notebook_progress
from patmark.wording import setting

if TYPE_CHECKING:
    from patmark.claims import (
        ClaimMetaEvaluation,
        ClaimsEvaluation,
        ClaimVersions,
        Epoch,
        LintResult,
        SupportCheck,
        TieBand,
    )
    from patmark.data import FilePath
    from patmark.evaluation import Progress
    from patmark.human.judgements import Scale
    from patmark.llm import ChatClient
    from patmark.report import Result
    from patmark.systems.judge import JudgeResult, Probe

ClaimText: TypeAlias = "str | Path"
Measures: TypeAlias = "str | Sequence[Any] | None"
ALL_CRITERIA = "all"


def parse(claims: ClaimText, language: str | None = None) -> ClaimSet:
    """Read claims with their parts, dependencies and terms; refuse a text without claims."""
    found = parse_claims(claim_text(claims), language)
    if not found.claims:
        raise InputError.at("has no claims", _name(claims))
    return found


def _name(given: ClaimText) -> str:
    return shown(given) if isinstance(given, Path) else "the text"


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRequest:
    """Texts of claims by name, and the rules that apply.

    ``select`` and ``ignore`` name rules or rule families. The result shows findings from
    ``min_severity`` up, and fails from ``fail_on`` up, which may be "never". Comments in the texts
    suppress rules only with ``allow_ignore``.
    """

    texts: Sequence[tuple[str, ClaimText | ClaimSet]]
    office: str = "any"
    select: Sequence[str] | None = None
    ignore: Sequence[str] | None = None
    description: ClaimText | None = None
    language: str | None = None
    min_severity: str = "information"
    fail_on: str = "error"
    allow_ignore: bool = False

    def __post_init__(self) -> None:
        office_named(self.office)
        severity_named(self.min_severity, "min_severity")
        if self.fail_on != "never":
            severity_named(self.fail_on, "fail_on")
        if not self.texts:
            raise UsageError("give one or more files with claims, or - for standard input")


def lint_files(request: LintRequest) -> LintedFiles:
    """Check sets of claims for faults, without any reference."""
    described = None if request.description is None else claim_text(request.description)
    results = [
        lint_claims(
            text if isinstance(text, ClaimSet) else _text_in_place(text),
            request.office,
            request.select,
            request.ignore,
            described,
            request.language,
            allow_ignore=request.allow_ignore,
        )
        for _, text in request.texts
    ]
    return LintedFiles(
        tuple((name, result) for (name, _), result in zip(request.texts, results, strict=True)),
        severity_named(request.min_severity, "min_severity"),
        None if request.fail_on == "never" else severity_named(request.fail_on, "fail_on"),
    )


def _text_in_place(given: ClaimText) -> str:
    """Return a text with the offsets of the file: CR LF counts as two.

    An empty file is a text without claims, which the linter reports beside the findings of others.
    """
    if isinstance(given, Path):
        if given.is_file() and given.stat().st_size == 0:
            return ""
        return read_text(given).replace("\r\n", " \n")
    return claim_text(given)


def lint(claims: ClaimText | ClaimSet, office: str = "any", **choice: Any) -> LintResult:
    """Check a set of claims for faults: ``lint(draft, "epo", select=["antecedents"])``.

    ``choice`` are further fields of :class:`LintRequest`.
    """
    request = LintRequest(texts=[("claims", claims)], office=office, **choice)
    [(_, result)] = lint_files(request).results
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportRequest:
    """Claims, and the description that must support them."""

    claims: ClaimText
    description: ClaimText
    language: str | None = None


def check_claims(request: SupportRequest) -> SupportCheck:
    """Find the support of each part of the claims in the description."""
    given = (request.claims, request.description)
    check_stdin_once([one for one in given if isinstance(one, Path)])
    described = claim_text(request.description)
    if not described.strip():
        raise InputError.at("has no text", _name(request.description))
    return check_support(parse(request.claims, request.language), described)


def check(claims: ClaimText, description: ClaimText, language: str | None = None) -> SupportCheck:
    """Find the support of claims in the description: ``check(draft, description)``."""
    return check_claims(SupportRequest(claims=claims, description=description, language=language))


def list_rules(office: str = "any") -> RuleList:
    """Return the rules of the linter at an office."""
    return RuleList(office_named(office))


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftTexts:
    """Reference claims with drafts by the name of their system, or a file of claim pairs.

    A reference is one text, or several for which each system has as many drafts.
    """

    ref: ClaimText | Sequence[str] | None = None
    hyp: Sequence[tuple[str, ClaimText | Sequence[str | None]]] = ()
    pairs: FilePath | None = None

    @property
    def files(self) -> list[FilePath]:
        """Files to read; standard input occurs at most once."""
        given = (self.ref, *(draft for _, draft in self.hyp))
        files = [*(one for one in given if isinstance(one, Path)), self.pairs]
        check_stdin_once(files)
        return [path for path in files if path is not None]

    def read(self) -> tuple[TestSet, tuple[Run, ...]]:
        """Return the references as a test set, and the drafts as runs; refuse empty references."""
        if self.pairs is not None:
            refuse(f"with {setting('pairs')}", {setting("ref"): self.ref, setting("hyp"): self.hyp})
            return drafts_of_pairs(read_claim_pairs(self.pairs, labels="optional"))
        if self.ref is None or not self.hyp:
            raise UsageError(
                f"give reference claims with {setting('ref')} and drafts with {setting('hyp')}, "
                f"or {setting('pairs')}"
            )
        problems: list[Problem] = []
        references = _texts(self.ref)
        for place, text in enumerate(references):
            if not (text and text.strip()):
                where = shown(self.ref) if isinstance(self.ref, Path) else "the reference"
                many = len(references) > 1
                problems.append(Problem("holds no claims", f"{where}[{place}]" if many else where))
        runs = tuple(Run(name, _texts(draft)) for name, draft in self.hyp)
        if problems:
            raise InputError(problems)
        segments = (
            Segment(str(at), references=(text or "",)) for at, text in enumerate(references)
        )
        name = shown(self.ref) if isinstance(self.ref, Path) else "claims"
        return TestSet(tuple(segments), "en", name=name), runs


def _texts(given: ClaimText | Sequence[str | None]) -> tuple[str | None, ...]:
    """Read the texts of a file or list; an absent one stays None."""
    return (claim_text(given),) if isinstance(given, str | Path) else tuple(given)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimScoreRequest:
    """Drafts, measures (ClaimQuality by default) and resampling."""

    drafts: DraftTexts
    measures: Measures = None
    sampling: Sampling = field(default_factory=Sampling)


def score_claims(request: ClaimScoreRequest, progress: Progress | None = None) -> ClaimsEvaluation:
    """Score drafts of claims against reference claims."""
    return evaluate_claims(*request.drafts.read(), request.measures, request.sampling, progress)


def score(
    ref: ClaimText | Sequence[str] | None = None,
    hyp: Mapping[str, ClaimText | Sequence[str | None]] | None = None,
    measures: Measures = None,
    *,
    pairs: FilePath | None = None,
    sampling: Sampling | None = None,
) -> ClaimsEvaluation:
    """Score claim drafts against reference claims: ``score(granted, {"mine": draft})``.

    Pass one text or one list of texts, in the same order for the reference and for every system; or
    a file of claim ``pairs``, whose candidates are the systems.
    """
    drafts = _draft_texts(ref, hyp, pairs)
    with notebook_progress() as progress:
        return score_claims(
            ClaimScoreRequest(drafts=drafts, measures=measures, sampling=sampling or Sampling()),
            progress,
        )


def _draft_texts(
    ref: ClaimText | Sequence[str] | None,
    hyp: Mapping[str, ClaimText | Sequence[str | None]] | None,
    pairs: FilePath | None,
) -> DraftTexts:
    named = tuple(hyp.items()) if isinstance(hyp, Mapping) else ()
    return DraftTexts(ref=ref, hyp=named, pairs=pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsRequest:
    """Two versions of a set of claims, with the names that a report shows."""

    old: ClaimText
    new: ClaimText
    names: tuple[str, str] = ("A", "B")


def compare_claims(request: VersionsRequest) -> ClaimVersions:
    """Compare two versions of a set of claims, limitation by limitation."""
    check_stdin_once([one for one in (request.old, request.new) if isinstance(one, Path)])
    return compare_versions(claim_text(request.old), claim_text(request.new), request.names)


def compare(old: ClaimText, new: ClaimText, names: tuple[str, str] = ("A", "B")) -> ClaimVersions:
    """Compare two versions of a set of claims: ``compare(filed, amended)``."""
    return compare_claims(VersionsRequest(old=old, new=new, names=names))


def judge(
    ref: ClaimText | Sequence[str] | None = None,
    hyp: Mapping[str, ClaimText | Sequence[str | None]] | None = None,
    *,
    model: str,
    base_url: str = "",
    pairs: FilePath | None = None,
    pairwise: bool = False,
    api_key_env: str | None = None,
    client: ChatClient | None = None,
    **settings: Any,
) -> JudgeResult | Probe:
    """Let a language model judge drafts of claims; inputs are those of score.

    ``pairwise`` compares every two drafts in both orders, instead of rating each. ``settings`` are
    further fields of :class:`JudgeRequest`, such as ``samples`` and ``sampling``.
    """
    from patmark.app.commands.endpoint import EndpointRequest
    from patmark.app.commands.judge_outputs import judge_in_notebook, judge_request

    request = judge_request(
        model, {**settings, "claims": True, "scheme": "pairwise" if pairwise else "direct"}
    )
    client = client or EndpointRequest(api_key_env=api_key_env).client(base_url)
    return judge_in_notebook(request, *_draft_texts(ref, hyp, pairs).read(), client)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimMetaRequest:
    """Claim pairs that experts compared, and the measures to evaluate against them.

    ``scores`` are files of external scores. With ``prompts``, the pairs are a PatentEval export
    whose true next claims are in that CSV.
    """

    pairs: FilePath
    measures: Measures = None
    scores: Sequence[FilePath] = ()
    criteria: Sequence[str] = ()
    prompts: FilePath | None = None
    tie_band: TieBand | None = None
    sampling: Sampling = field(default_factory=Sampling)

    def read(self) -> ClaimPairs:
        """Return the pairs."""
        if self.prompts is not None:
            return read_patenteval(self.pairs, self.prompts)
        return read_claim_pairs(self.pairs)


def meta_claims(request: ClaimMetaRequest, progress: Progress | None = None) -> ClaimMetaEvaluation:
    """Compute the agreement of measures with experts who compared pairs of claim sets."""
    pairs = request.read()
    return meta_evaluate_claims(
        pairs,
        request.measures,
        request.criteria,
        request.sampling,
        progress,
        read_given_scores(request.scores, pairs),
        request.tie_band,
    )


def meta(
    pairs: FilePath,
    measures: Measures = None,
    *,
    scores: FilePath | Sequence[FilePath] = (),
    criteria: Sequence[str] | None = None,
    prompts: FilePath | None = None,
    tie_band: TieBand | None = None,
    sampling: Sampling | None = None,
) -> ClaimMetaEvaluation:
    """Evaluate measures against expert comparisons of claim sets: ``meta("pairs.json")``."""
    request = ClaimMetaRequest(
        pairs=pairs,
        measures=measures,
        scores=file_list(scores),
        criteria=criteria or (),
        prompts=prompts,
        tie_band=tie_band,
        sampling=sampling or Sampling(),
    )
    with notebook_progress() as progress:
        return meta_claims(request, progress)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsRequest:
    """Ratings of single claim sets, the rated texts, and the folder of the pairs.

    ``hyp`` are runs as NAME=FILE or FILE.
    """

    ratings: Sequence[FilePath]
    testset: FilePath
    hyp: Sequence[str]
    out: FilePath
    overwrite: bool = False
    scales: Sequence[Scale] = ()
    experts: Literal["majority", "each"] = "majority"
    equal_within: float = 0.0
    split: SplitPlan = field(default_factory=SplitPlan)

    @property
    def options(self) -> PairOptions:
        """Rules that convert ratings to labels."""
        return PairOptions(self.experts, self.equal_within, self.split)

    @property
    def file_names(self) -> list[str]:
        """Names of the files in the folder."""
        parts = () if self.split.by == "none" else SPLIT_PARTS
        return [f"{part}.json" for part in ("pairs", *parts)]


def make_pairs(request: PairsRequest) -> ComparedRatings:
    """Make compared pairs from ratings of single claim sets, split them and write them."""
    options, out = request.options, Path(request.out)
    there = [name for name in request.file_names if os.path.lexists(out / name)]
    if there and not request.overwrite:
        raise UsageError(
            f"{out} holds {', '.join(there)} already; {setting('overwrite')} replaces them"
        )
    made = _compared_ratings(request, options)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.at(f"cannot be made: {error.strerror}", str(out)) from None
    write_claim_pairs(out / "pairs.json", made.pairs.pairs)
    for part, places in made.parts.items():
        write_claim_pairs(out / f"{part}.json", [made.pairs.pairs[place] for place in places])
    return made


def _compared_ratings(request: PairsRequest, options: PairOptions) -> ComparedRatings:
    test_set = read_jsonl_test_set(request.testset, "en")
    named = [split_name(argument) for argument in request.hyp]
    runs = [read_jsonl_run(path, test_set, name, allow_partial=True) for name, path in named]
    names = [run.system for run in runs]
    if len(set(names)) < len(names):
        raise UsageError(f"two candidates have one name: {', '.join(names)}")
    sources = []
    for path in request.ratings:
        read = read_judgements(path, scales=request.scales, systems=names, test_set=test_set)
        if read.judgements is None:
            raise UsageError(f"{path} holds preferences; expected ratings of single claim sets")
        sources.append(read.judgements)
    return compare_ratings(sources, test_set, runs, options)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainRequest:
    """Files of claim pairs, an encoder, and the folder of the trained evaluators.

    ``criteria`` are those to learn; ("all",) means all criteria of the pairs. ``plan`` are fields
    of :class:`TrainingPlan` that differ from its defaults.
    """

    pairs: Sequence[FilePath]
    out: FilePath
    encoder: str | None
    criteria: Sequence[str] = ("Quality",)
    plan: Mapping[str, Any] = field(default_factory=dict)
    revision: str = ""
    device: str = "auto"
    resume: bool = False


def train(
    request: TrainRequest,
    progress: Progress | None = None,
    on_epoch: Callable[[str, Epoch], None] | None = None,
) -> Result:
    """Train PatClaimEval on pairs that experts compared: one evaluator for each criterion.

    ``on_epoch`` receives the criterion, or "" if there is only one, and the epoch.
    """
    if request.encoder is None:
        raise UsageError(f"patclaimeval needs an {setting('encoder')}, and none comes with patmark")
    plan = TrainingPlan(criterion=request.criteria[0], **request.plan)
    pairs = read_all_claim_pairs(request.pairs)
    criteria = () if tuple(request.criteria) == (ALL_CRITERIA,) else request.criteria
    how: dict[str, Any] = {
        "revision": request.revision,
        "device": request.device,
        "resume": request.resume,
        "progress": progress,
    }
    if len(criteria) == 1:
        own = None if on_epoch is None else lambda epoch: on_epoch("", epoch)
        return train_evaluator(pairs, request.encoder, request.out, plan, **how, on_epoch=own)
    return train_evaluators(
        pairs, request.encoder, request.out, plan, criteria, **how, on_epoch=on_epoch
    )
