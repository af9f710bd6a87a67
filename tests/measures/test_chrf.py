"""chrF++ on Chinese: what a refusal advises can be done."""

from __future__ import annotations

import pytest

from patmark.data import Run, TestSet
from patmark.errors import UsageError
from patmark.evaluation import Sampling, evaluate
from patmark.evaluation.scoring import choose_measures


def test_advice_for_words_of_chinese_can_be_followed() -> None:
    test_set = TestSet.of(["阀门 关闭 。"], target_language="zh")
    run, settings = Run("mine", ("阀门 打开 。",)), Sampling(resamples=0)
    asked = choose_measures(test_set, "chrF(words=2)", tok="13a", force=True)
    with pytest.raises(UsageError, match="use tok=zh, or tok=none if the text is segmented"):
        evaluate(test_set, [run], asked, settings)
    for tok in ("zh", "none"):
        followed = choose_measures(test_set, "chrF(words=2)", tok=tok)
        [scores] = evaluate(test_set, [run], followed, settings).scores.values()
        assert 0 < scores.system_scores[0] < 100
