"""The numbers of docs/claim_quality_model_card.md that can be computed from claim pairs.

    python benchmarks/claim_quality_card.py PAIRS.json [final_c2c.json eval_data_c2c.csv]

Prints agreement with experts (also with tie bands), what ClaimQuality falls for, and how many
references it takes to tell two measures apart; then agreement on PatentEval, if its two files are
given. The pairs of Patent-CE and PatentEval do not come with patmark.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from math import sqrt
from pathlib import Path

import numpy as np
from scipy.stats import nct

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))

from claim_tricks import TRICKS
from patmark.claims.measures import choose_claim_measures, score_claim_pairs
from patmark.claims.meta import Agreement, meta_evaluate_claims
from patmark.claims.model import ClaimSet
from patmark.claims.parser import parse_claims
from patmark.claims.patclaimeval.labelled_pairs import LabelledPairs
from patmark.data.claim_pairs import ClaimPair, ClaimPairs, read_claim_pairs, same_spaces
from patmark.data.patenteval import read_patenteval
from patmark.evaluation.scoring import Sampling
from patmark.stats import Units, meeting_counts, predicted_preferences, resample_totals
from patmark.stats.agreement import tau
from patmark.stats.distributions import student_quantile

MEASURES = "BLEU-1,ClaimQuality"
DIFFERENCES = (0.05, 0.07, 0.10, 0.15, 0.20)
REFERENCES = (10, 20, 50, 100, 200, 400, 800)
_BOILERPLATE = (
    ", wherein various embodiments may be combined in any suitable manner as will be apparent to "
    "those skilled in the relevant field"
)


def _half(text: str) -> str:
    """Return the first half of the claims."""
    claims: ClaimSet = parse_claims(text)
    last = claims.claims[(len(claims.claims) + 1) // 2 - 1]
    return text[: last.end]


def _shuffled(text: str, keep_mentions: bool) -> str:
    """Words in another order within each claim, each on a line of its own with a capital.

    So all claims are still found; mentions of claims can be kept whole.
    """
    rng = random.Random(0)
    lines = []
    for claim in parse_claims(text).claims:
        words: list[str] = []
        at = claim.content.start
        for mention in claim.references if keep_mentions else ():
            words += [*text[at : mention.start].split(), text[mention.start : mention.end]]
            at = mention.end
        words += text[at : claim.content.end].rstrip(". \n").split()
        rng.shuffle(words)
        lines.append(f"{claim.shown_number}. {' '.join(words).capitalize()}.")
    return "\n".join(lines)


def _boilerplate(text: str) -> str:
    """Words of no content at the end of each claim."""
    parts, place = [], 0
    for claim in parse_claims(text).claims:
        end = place + len(text[place : claim.end].rstrip(" .\n"))
        parts += [text[place:end], _BOILERPLATE, text[end : claim.end]]
        place = claim.end
    return "".join([*parts, text[place:]])


SPOILT: Mapping[str, Callable[[str], str]] = {
    "words shuffled line by line": lambda text: _shuffled(text, keep_mentions=False),
    "the same, mentions of claims kept": lambda text: _shuffled(text, keep_mentions=True),
    "half of the claims": _half,
    "boilerplate in every claim": _boilerplate,
    **TRICKS,
}


def _shown(agreement: Agreement) -> list[str]:
    return [
        f"{name} {one.value:.3f} [{one.ci[0]:.3f}, {one.ci[1]:.3f}]"
        for name, one in agreement.estimates.items()
        if one.ci is not None
    ]


def next_claims(texts: str, ratings: str) -> ClaimPairs:
    """PatentEval, but for the pairs whose true continuation is the end of the claims."""
    pairs = read_patenteval(texts, ratings).pairs
    return ClaimPairs(tuple(pair for pair in pairs if pair.reference.strip() != "[end]"))


def print_agreement(pairs: ClaimPairs) -> None:
    """Agreement with experts, without and with tie bands."""
    for band in ("own", "folds"):
        done = meta_evaluate_claims(pairs, MEASURES, settings=Sampling(2000), tie_band=band)
        for row in done.rows:
            if row.bands is not None or band == "own":
                shown = "no band" if row.bands is None else f"{band} {row.bands}"
                print(f"{row.measure.label:14}{shown}: {', '.join(_shown(row.everything))}")
                print(f"{'':14}{row.without_gold.n} pairs without gold: ", end="")
                print(", ".join(_shown(row.without_gold)), end="")
                print(f"; difference {row.difference}")


def print_weaknesses(pairs: ClaimPairs) -> None:
    """Return the share of real drafts that a spoilt version of their reference beats."""
    drafts = {
        (pair.reference, text)
        for pair in pairs.pairs
        for text in pair.candidates
        if same_spaces(text) != pair.reference_key
    }
    real = sorted(drafts)
    print(f"{'spoilt reference':42}{'BLEU-1':>8}{'ClaimQuality':>14}   beats of {len(real)} drafts")
    for name, spoil in SPOILT.items():
        spoilt = {reference: spoil(reference) for reference, _ in real}
        compared = [ClaimPair(ref, spoilt[ref], text, {}) for ref, text in real]
        scores = score_claim_pairs(ClaimPairs(tuple(compared)), choose_claim_measures(MEASURES))
        shares = [
            float(np.mean(one.segment_scores[0] > one.segment_scores[1])) for one in scores.values()
        ]
        print(f"{name:42}{shares[0]:8.0%}{shares[1]:14.0%}")


def difference_spread(pairs: ClaimPairs) -> tuple[float, int]:
    """Return the standard deviation of the paired difference of tau, and the sample size."""
    data = LabelledPairs.of(pairs, pairs.criteria[0])
    scores = score_claim_pairs(pairs, choose_claim_measures(MEASURES)).values()
    predictions = [predicted_preferences(*one.segment_scores) for one in scores]
    counts = meeting_counts(data.labels, np.stack(predictions))
    units = Units.choose(data.references, "document")
    drawn = tau(resample_totals(counts, units, 5000, 0))
    spread = float(np.nanstd(drawn[:, 1] - drawn[:, 0]))
    return spread * sqrt(units.count / (units.count - 1)), units.count


def power(difference: float, error: float, references: int) -> float:
    """Return the share of 95 % intervals of a difference that lie above 0.

    Their ends are quantiles of t, because the error is estimated from the references; so the ratio
    of both has the noncentral t distribution.
    """
    freedom = references - 1
    return float(nct.sf(student_quantile(0.975, freedom), freedom, difference / error))


def print_power(spread: float, known: int, sizes: Sequence[int] = REFERENCES) -> None:
    """Power by difference of tau and number of references, and references for 80 %."""
    print(f"standard deviation of the difference with {known} references: {spread:.3f}")
    print("difference " + "".join(f"{size:>6}" for size in sizes) + "   references for 80 %")
    for difference in DIFFERENCES:

        def share(size: int, difference: float = difference) -> float:
            return power(difference, spread * sqrt(known / size), size)

        needed = next(size for size in count(2) if share(size) >= 0.8)
        print(f"{difference:10.2f} {''.join(f'{share(size):6.0%}' for size in sizes)}{needed:12}")


def main() -> int:
    """Print all tables."""
    if len(sys.argv) not in (2, 4):
        print(__doc__)
        return 2
    pairs = read_claim_pairs(sys.argv[1])
    print_agreement(pairs)
    print_weaknesses(pairs)
    print_power(*difference_spread(pairs))
    if len(sys.argv) == 4:
        print_agreement(next_claims(*sys.argv[2:]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
