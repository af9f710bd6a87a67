"""patmark claims in Python: score, judge, lint, parse, meta. Texts are strings or Paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patmark.claims import (
    ClaimSet,
    evaluate_claims,
    lint as lint_claims,
    meta_evaluate_claims,
    parse_claims,
)
from patmark.commands.inputs import claim_text
from patmark.data import Run, Segment, TestSet, drafts_of_pairs, read_claim_pairs
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.claims import ClaimMetaEvaluation, ClaimsEvaluation, LintResult
    from patmark.data import FilePath
    from patmark.evaluation import Sampling
    from patmark.judge import JudgeResult
    from patmark.llm import ChatClient


def parse(claims: str | Path, language: str | None = None) -> ClaimSet:
    """Claims with their parts and dependencies."""
    return parse_claims(claim_text(claims), language)


def lint(claims: str | Path | ClaimSet, office: str = "any", **choice: Any) -> LintResult:
    """What is wrong with a set of claims, without any reference.

    ``choice`` as in the command: select, ignore, description, language.
    """
    given = claims if isinstance(claims, ClaimSet) else claim_text(claims)
    return lint_claims(given, office, **choice)


def score(
    reference: str | Path | Sequence[str] | None = None,
    drafts: Mapping[str, str | Path | Sequence[str | None]] | None = None,
    measures: str | Sequence[Any] | None = None,
    *,
    pairs: FilePath | None = None,
    sampling: Sampling | None = None,
) -> ClaimsEvaluation:
    """Score drafts of claims against reference claims: ``score(granted, {"mine": draft})``.

    One text or one list of texts, in the same order for the reference and for every system; or a
    file of claim ``pairs``, whose candidates are then the systems.
    """
    return evaluate_claims(*_drafts(reference, drafts, pairs), measures, sampling)


def judge(
    reference: str | Path | Sequence[str] | None = None,
    drafts: Mapping[str, str | Path | Sequence[str | None]] | None = None,
    *,
    model: str,
    base_url: str,
    pairs: FilePath | None = None,
    pairwise: bool = False,
    samples: int = 5,
    api_key_env: str | None = None,
    client: ChatClient | None = None,
    sampling: Sampling | None = None,
) -> JudgeResult:
    """Let a language model judge drafts of claims; inputs are those of score.

    ``pairwise`` compares every two drafts in both orders, instead of rating each.
    """
    from patmark.commands.asking import ask_judge, keeping_client
    from patmark.judge import PAIRWISE, RATING, JudgeSettings

    name, prompt = ("LLMJudge-pairwise", PAIRWISE) if pairwise else ("LLMJudge", RATING)
    settings = JudgeSettings(model, samples, name=name, prompt=prompt)
    client = client or keeping_client(base_url, api_key_env)
    return ask_judge(*_drafts(reference, drafts, pairs), settings, client, sampling)


def _drafts(
    reference: str | Path | Sequence[str] | None,
    drafts: Mapping[str, str | Path | Sequence[str | None]] | None,
    pairs: FilePath | None,
) -> tuple[TestSet, Sequence[Run]]:
    """Reference claims and drafts as a test set and its runs."""
    if pairs is not None:
        if reference is not None or drafts is not None:
            raise UsageError("give claim pairs, or reference claims and drafts")
        return drafts_of_pairs(read_claim_pairs(pairs, labels="optional"))
    if reference is None or not isinstance(drafts, Mapping) or not drafts:
        raise UsageError(
            "give reference claims and drafts by the name of their system: "
            'claims.score(granted, {"mine": draft})'
        )
    texts = [claim_text(reference)] if isinstance(reference, str | Path) else reference
    segments = tuple(Segment(str(place), references=(text,)) for place, text in enumerate(texts))
    runs = [
        Run(name, (claim_text(draft),) if isinstance(draft, str | Path) else tuple(draft))
        for name, draft in drafts.items()
    ]
    return TestSet(segments, "en", name="claims"), runs


def meta(
    pairs: FilePath,
    measures: str | None = None,
    *,
    criteria: Sequence[str] | None = None,
    sampling: Sampling | None = None,
) -> ClaimMetaEvaluation:
    """Hold measures against experts who compared pairs of claim sets."""
    return meta_evaluate_claims(read_claim_pairs(pairs), measures, criteria, sampling)
