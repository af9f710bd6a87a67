"""An invented leaderboard."""

from __future__ import annotations

from patmark.data.scores import Estimate
from patmark.report.model import Cell, Column, Leaderboard, RankedRun

KINDS = ("SMT", "RBMT", "HYBRID", "EBMT", "NMT")
RESOURCES = (("B",), ("B", "M?"), ("E",), (), None)
DESCRIPTIONS = (
    "Phrase-based system with two language models and a word order model, tuned on 2,000 sentences",
    "規則に基づく翻訳。特許の辞書を用い、長い文を請求項の構造に従って分割してから翻訳する仕組みである。",
    "基于短语的统计机器翻译",
    "",
)


def board_of(size: int) -> Leaderboard:
    """Runs with falling adequacy and mixed other scores; every seventh run has no BLEU."""
    return Leaderboard(
        title="Invented task, ja→en",
        subtitle="300 sentences",
        columns=(
            Column("Adequacy", 2, (1.0, 5.0)),
            Column("BLEU", 1, (0.0, 50.0)),
            Column("Errors", 1, higher_is_better=False),
        ),
        runs=tuple(_run(position) for position in range(size)),
        signatures={"BLEU": "BLEU|n:4|tok:13a"},
        resource_names={"B": "bilingual corpus", "M": "monolingual corpus", "E": "external"},
        notes=("All numbers are invented.",),
        letters_note="Runs that share a letter cannot be told apart.",
    )


def _run(position: int) -> RankedRun:
    group, priority = f"TEAM{position // 2 + 1}", position % 2 + 1
    adequacy, bleu = 4.5 - position / 50, 20.0 + position * 7 % 23
    cells: tuple[Cell, ...] = (
        Estimate(adequacy, (adequacy - 0.1, adequacy + 0.1), 300),
        None if position % 7 == 3 else Estimate(bleu, (bleu - 1.0, bleu + 1.0), 300),
        float(position * 5 % 17),
    )
    return RankedRun(
        id=f"{group}-{priority}",
        group=group,
        priority=priority,
        kind=KINDS[position % len(KINDS)],
        resources=RESOURCES[position % len(RESOURCES)],
        description=DESCRIPTIONS[position % len(DESCRIPTIONS)],
        cells=cells,
        letters=("abcdefghijklmnopqrstuvwxyz"[position // 5 % 26], "", ""),
        link=f"runs/{group}-{priority}.html",
    )
