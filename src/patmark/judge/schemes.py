"""One way in for all schemes: the question decides how answers are asked for and read."""

from __future__ import annotations

from collections.abc import Sequence

from patmark.data import Run, TestSet
from patmark.evaluation import Sampling
from patmark.judge.asking import JudgeSettings, Preview, check_outputs, preview, questions_of
from patmark.judge.judging import each_run, judge_scores
from patmark.judge.pairwise import both_orders, every_two, judge_pairs
from patmark.judge.result import Judged
from patmark.llm import ChatClient, Progress


def judge(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> Judged:
    """Judge all outputs by the scheme of the question; sampling is for intervals."""
    judging = judge_pairs if settings.prompt.compares else judge_scores
    return judging(test_set, runs, client, settings, progress, sampling)


def preview_judge(
    test_set: TestSet, runs: Sequence[Run], client: ChatClient, settings: JudgeSettings
) -> Preview:
    """What that would take."""
    prompt = settings.prompt
    check_outputs(test_set, runs, prompt)
    shown = both_orders(runs, every_two(runs, prompt)) if prompt.compares else each_run(runs)
    return preview(questions_of(test_set, shown, prompt), client, settings)
