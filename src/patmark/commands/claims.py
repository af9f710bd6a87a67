"""patmark claims score, lint, parse and meta in Python; texts are strings, pairs a file or rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from patmark.claims import evaluate_claims, lint as lint, meta_evaluate_claims, parse_claims
from patmark.data import Run, Segment, TestSet, drafts_of_pairs, read_claim_pairs

if TYPE_CHECKING:
    from patmark.claims import ClaimMetaEvaluation, ClaimsEvaluation
    from patmark.data import FilePath
    from patmark.evaluation import Sampling

parse = parse_claims


def score(
    reference: str | Sequence[str] | None = None,
    drafts: Mapping[str, str | Sequence[str | None]] | None = None,
    measures: str | Sequence[Any] | None = None,
    *,
    pairs: FilePath | None = None,
    sampling: Sampling | None = None,
) -> ClaimsEvaluation:
    """Score drafts of claims against reference claims: ``score(granted, {"mine": draft})``.

    One text or one list of texts, in the same order for the reference and for every system; or a
    file of claim ``pairs``, whose candidates are then the systems.
    """
    from patmark.errors import UsageError

    if pairs is not None:
        if reference is not None or drafts is not None:
            raise UsageError("give claim pairs, or reference claims and drafts")
        return evaluate_claims(
            *drafts_of_pairs(read_claim_pairs(pairs, labels="optional")), measures, sampling
        )
    if reference is None or not drafts:
        raise UsageError("give reference claims and drafts by the name of their system")
    texts = [reference] if isinstance(reference, str) else reference
    segments = tuple(Segment(str(place), references=(text,)) for place, text in enumerate(texts))
    runs = [
        Run(name, (draft,) if isinstance(draft, str) else tuple(draft))
        for name, draft in drafts.items()
    ]
    return evaluate_claims(TestSet(segments, "en", name="claims"), runs, measures, sampling)


def meta(
    pairs: FilePath,
    measures: str | None = None,
    *,
    criteria: Sequence[str] | None = None,
    sampling: Sampling | None = None,
) -> ClaimMetaEvaluation:
    """Hold measures against experts who compared pairs of claim sets."""
    return meta_evaluate_claims(read_claim_pairs(pairs), measures, criteria, sampling)
