"""Judge by the scheme of the prompt: direct, mqm, esa or pairwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from patmark.data import Run, TestSet
from patmark.evaluation import Sampling
from patmark.llm import ChatClient, Progress
from patmark.systems.judge.asking import check_outputs, each_run, questions_of
from patmark.systems.judge.direct import judge_scores
from patmark.systems.judge.marking import judge_errors
from patmark.systems.judge.pairwise import both_orders, every_two, judge_pairs
from patmark.systems.judge.preview import JudgePreview, preview_questions
from patmark.systems.judge.prompt import Scheme
from patmark.systems.judge.result import JudgeResult
from patmark.systems.judge.settings import JudgeSettings

_JUDGING: Mapping[Scheme, Callable[..., JudgeResult]] = {
    "direct": judge_scores,
    "mqm": judge_errors,
    "esa": judge_errors,
    "pairwise": judge_pairs,
}


def judge(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> JudgeResult:
    """Judge all outputs by the scheme of the prompt; ``sampling`` is for intervals."""
    judging = _JUDGING[settings.prompt.scheme]
    return judging(test_set, runs, client, settings, progress, sampling)


def preview_judge(
    test_set: TestSet, runs: Sequence[Run], client: ChatClient, settings: JudgeSettings
) -> JudgePreview:
    """Preview :func:`judge`; ask nothing."""
    prompt = settings.prompt
    check_outputs(test_set, runs, prompt)
    shown = both_orders(runs, every_two(runs, prompt)) if prompt.compares else each_run(runs)
    return preview_questions([(questions_of(test_set, shown, prompt), settings)], runs, client)
