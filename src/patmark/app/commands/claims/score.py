"""Scores of drafts of claims, and the agreement of measures with experts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from patmark import claims as engines, data, evaluation
from patmark.app.commands import Draws, Resampling, claim_text, file_list
from patmark.data import Run, Segment, TestSet, shown
from patmark.errors import InputError, Problem, UsageError
from patmark.options import Argument, Options, group, refuse
from patmark.report import notebook_progress
from patmark.wording import DEFAULT_LANGUAGE, setting

if TYPE_CHECKING:
    from patmark.app.commands.claims.texts import ClaimText
    from patmark.claims import ClaimMetaEvaluation, ClaimsEvaluation, TieBand
    from patmark.data import ClaimPairs, FilePath
    from patmark.evaluation import Progress, Sampling
    from patmark.llm import ChatClient
    from patmark.systems.judge import JudgeResult, Probe

    NamedDraft: TypeAlias = tuple[str, ClaimText | Sequence[str | None]]

Measures: TypeAlias = str | Sequence[Any] | None


@group
class DraftTexts(Options, heading="Inputs"):
    """Reference claims with drafts by the name of their system, or a file of claim pairs.

    In Python a reference is also one text, or several for which each system has as many drafts.
    """

    ref: Path | ClaimText | Sequence[str] | None = None
    """The reference claims, a text file."""
    hyp: tuple[str | NamedDraft, ...] = ()
    """Drafts, a text file each: FILE or NAME=FILE."""
    pairs: str | FilePath | None = None
    """Claim pairs instead: JSON list or .jsonl {gold_claim, A, B}; labels are not used."""

    @property
    def drafts(self) -> list[NamedDraft]:
        """The drafts by the name of their system."""
        found: list[NamedDraft] = []
        for one in self.hyp:
            if isinstance(one, str):
                name, path = data.split_name(one)
                one = (name, Path(path))
            found.append(one)
        return found

    @property
    def files(self) -> list[FilePath]:
        """Files to read; standard input occurs at most once."""
        given = (self.ref, *(draft for _, draft in self.drafts))
        files = [*(one for one in given if isinstance(one, Path)), self.pairs]
        data.check_stdin_once(files)
        return [path for path in files if path is not None]

    def read(self) -> tuple[TestSet, tuple[Run, ...]]:
        """Return the references as a test set, and the drafts as runs; refuse empty references."""
        if self.pairs is not None:
            refuse(f"with {setting('pairs')}", self.named("ref", "hyp"))
            return data.drafts_of_pairs(data.read_claim_pairs(self.pairs, labels="optional"))
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
        runs = tuple(Run(name, _texts(draft)) for name, draft in self.drafts)
        if problems:
            raise InputError(problems)
        segments = (
            Segment(str(at), references=(text or "",)) for at, text in enumerate(references)
        )
        name = shown(self.ref) if isinstance(self.ref, Path) else "claims"
        return TestSet(tuple(segments), DEFAULT_LANGUAGE, name=name), runs


def _texts(given: ClaimText | Sequence[str | None]) -> tuple[str | None, ...]:
    """Read the texts of a file or list; an absent one stays None."""
    return (claim_text(given),) if isinstance(given, str | Path) else tuple(given)


@group
class ClaimMeasures(Options, heading="Measures"):
    """Measures of claims."""

    measures: Measures = None
    """Comma-separated measures (default: ClaimQuality, which also reports BLEU-1)."""


@group
class ClaimScoreRequest(DraftTexts, ClaimMeasures):
    """Drafts, measures and resampling."""

    sampling: Annotated[Sampling, Resampling] = field(default_factory=lambda: evaluation.Sampling())


def score_claims(request: ClaimScoreRequest, progress: Progress | None = None) -> ClaimsEvaluation:
    """Score drafts of claims against reference claims."""
    return engines.evaluate_claims(*request.read(), request.measures, request.sampling, progress)


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
    drafts = tuple((hyp or {}).items())
    given = {} if sampling is None else {"sampling": sampling}
    request = ClaimScoreRequest(ref=ref, hyp=drafts, pairs=pairs, measures=measures, **given)
    with notebook_progress() as progress:
        return score_claims(request, progress)


def judge(
    ref: ClaimText | Sequence[str] | None = None,
    hyp: Mapping[str, ClaimText | Sequence[str | None]] | None = None,
    *,
    model: str,
    base_url: str = "",
    pairs: FilePath | None = None,
    pairwise: bool = False,
    client: ChatClient | None = None,
    **settings: Any,
) -> JudgeResult | Probe:
    """Let a language model judge drafts of claims; inputs are those of score.

    ``pairwise`` compares every two drafts in both orders, instead of rating each. ``settings`` are
    further fields of :class:`JudgeRequest`, such as ``samples`` and ``sampling``.
    """
    from patmark.app.commands import judge_in_notebook, judge_request

    scheme = {"claims": True, "scheme": "pairwise" if pairwise else "direct"}
    request = judge_request(model, base_url, {**settings, **scheme})
    drafts = DraftTexts(ref=ref, hyp=tuple((hyp or {}).items()), pairs=pairs)
    return judge_in_notebook(request, *drafts.read(), client)


@group
class ClaimMetaRequest(Options, heading="Measures"):
    """Claim pairs that experts compared, and the measures to evaluate against them."""

    pairs: Annotated[str, Argument("FILE")]
    """Claim pairs: JSON list or .jsonl {gold_claim, A, B, human_eval}."""
    measures: Measures = None
    """Comma-separated measures (default: BLEU-1, BLEU-4, ROUGE-1, ROUGE-2, ROUGE-L and METEOR, as
    in the Patent-CE paper); see patmark measures."""
    scores: tuple[str, ...] = ()
    """External scores, such as those of a judge (claims judge --save): saved scores or CSV
    system,segment,measure,value, with systems A and B and pair numbers as segments."""
    criterion: tuple[str, ...] = ()
    """A criterion such as Quality; may be repeated (default: all of the file)."""
    prompts: str | None = None
    """CSV with the true next claims, if FILE is a PatentEval export."""
    tie_band: str | TieBand | None = None
    """Also treat close scores as ties: within the measure's own band (own), a band calibrated on
    the pairs of other references (folds), or a number."""
    sampling: Annotated[Sampling, Draws] = field(default_factory=lambda: evaluation.Sampling())

    def read(self) -> ClaimPairs:
        """Return the pairs."""
        if self.prompts is not None:
            return data.read_patenteval(self.pairs, self.prompts)
        return data.read_claim_pairs(self.pairs)


def meta_claims(request: ClaimMetaRequest, progress: Progress | None = None) -> ClaimMetaEvaluation:
    """Compute the agreement of measures with experts who compared pairs of claim sets."""
    pairs = request.read()
    return engines.meta_evaluate_claims(
        pairs,
        request.measures,
        request.criterion,
        request.sampling,
        progress,
        engines.read_given_scores(request.scores, pairs),
        request.tie_band,
    )


def meta(
    pairs: FilePath,
    measures: Measures = None,
    *,
    scores: FilePath | Sequence[FilePath] = (),
    criteria: Sequence[str] | None = None,
    sampling: Sampling | None = None,
    **choice: Any,
) -> ClaimMetaEvaluation:
    """Evaluate measures against expert comparisons of claim sets: ``meta("pairs.json")``.

    ``choice`` are further fields of :class:`ClaimMetaRequest`: prompts and tie_band.
    """
    request = ClaimMetaRequest(
        pairs=str(pairs),
        measures=measures,
        scores=tuple(file_list(scores)),
        criterion=tuple(criteria or ()),
        sampling=sampling or evaluation.Sampling(),
        **choice,
    )
    with notebook_progress() as progress:
        return meta_claims(request, progress)
