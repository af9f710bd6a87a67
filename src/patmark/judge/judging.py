"""Direct scores: each output is rated on every criterion, several times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from patmark.data import Run, TestSet
from patmark.evaluation import Sampling
from patmark.judge.asking import JudgeSettings, Shown, ask, check_outputs
from patmark.judge.criteria import with_overall
from patmark.judge.parsing import score_form
from patmark.judge.result import JudgedScores
from patmark.llm import ChatClient, Progress

_HUNDRED = 100.0


def judge_scores(
    test_set: TestSet,
    runs: Sequence[Run],
    client: ChatClient,
    settings: JudgeSettings,
    progress: Progress | None = None,
    sampling: Sampling | None = None,
) -> JudgedScores:
    """Rate every output; sampling is for intervals."""
    prompt = settings.prompt
    check_outputs(test_set, runs, prompt)
    read = score_form(prompt.criteria).read_all
    answers = ask(test_set, each_run(runs), client, settings, read, progress)
    shape = (len(runs), len(test_set), settings.samples, len(settings.aspects))
    values = np.full(shape, np.nan)
    for ((system, segment), sample), scores in answers.values.items():
        shown = [score * prompt.subject.top / _HUNDRED for score in scores]
        values[system, segment, sample] = with_overall(prompt.criteria, shown)
    return JudgedScores(
        test_set=test_set,
        runs=tuple(runs),
        settings=settings,
        values=values,
        answers=answers,
        sampling=sampling or Sampling(),
    )


def each_run(runs: Sequence[Run]) -> Shown:
    """Every run by itself."""
    return {(system,): [run] for system, run in enumerate(runs)}
