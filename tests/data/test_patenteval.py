"""PatentEval as claim pairs, and how far two annotators agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from patmark.data.patenteval import read_patenteval
from patmark.errors import InputError
from patmark.stats.agreement import meeting_counts, rater_pairs, tau

_PROMPTS = 'domain,input_claims,true_next_claim\nG,"1. A\nvalve.",2. The valve of claim 1.\n'


def _annotation(**changes: Any) -> dict[str, Any]:
    entry = {
        "id": 5, "annotator": 13391, "input_claim": "1. A  valve.", "domain": "G",
        "output1": "2. The valve of claim 1.", "output2": "2. A pump.",
        "comparison": [{"selected": "left"}],
    }  # fmt: skip
    return {name: value for name, value in (entry | changes).items() if value is not ...}


def _files(folder: Path, annotations: Any, prompts: str = _PROMPTS) -> tuple[Path, Path]:
    paths = folder / "annotations.json", folder / "prompts.csv"
    text = annotations if isinstance(annotations, str) else json.dumps(annotations)
    paths[0].write_text(text, encoding="utf-8")
    paths[1].write_text(prompts, encoding="utf-8")
    return paths


def test_left_is_a_and_an_absent_comparison_is_a_draw(tmp_path: Path) -> None:
    entries = [
        _annotation(),
        _annotation(comparison=[{"selected": "right"}]),
        _annotation(comparison=...),
        _annotation(annotator=2),
    ]
    pairs = read_patenteval(*_files(tmp_path, entries))
    assert [pair.labels for pair in pairs.pairs] == [{"Preference": one} for one in (1, -1, 0)]
    first = pairs.pairs[0]
    assert first.reference == first.first == "2. The valve of claim 1."
    assert first.holds_reference and first.meta == {"task": 5, "domain": "G"}
    assert len(read_patenteval(*_files(tmp_path, entries), annotator=2)) == 1


@pytest.mark.parametrize(
    ("annotations", "message"),
    [
        ("[{", "is not valid JSON"),
        ("[" * 200_000, "is not usable JSON: nested too deeply"),
        ("{}", "expected a JSON list of annotations, found '{'"),
        ([3], "item 0: expected a JSON object, found a number"),
        ([_annotation(output2=...)], "item 0: field 'output2': expected a text"),
        ([_annotation(output1=" ")], "item 0: field 'output1': expected a text"),
        ([_annotation(id="x")], "item 0: field 'id': expected a whole number"),
        ([_annotation(comparison=[{"selected": "both"}])], "item 0: field 'comparison'"),
        ([_annotation(comparison=[])], "item 0: field 'comparison'"),
        ([_annotation(input_claim="1. A pump.")], "item 0: its input claims are not among"),
        ([_annotation(annotator=7)], "has no annotations of annotator 13391; the annotators are 7"),
    ],
)
def test_broken_annotations_are_named(tmp_path: Path, annotations: Any, message: str) -> None:
    with pytest.raises(InputError, match=r"annotations\.json") as caught:
        read_patenteval(*_files(tmp_path, annotations))
    assert caught.value.problems[0].message.startswith(message)


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        ("input_claims\nx\n", "column 'true_next_claim' is missing"),
        (_PROMPTS + "G,y,\n", "field 'true_next_claim' is empty"),
        (_PROMPTS + "G,1. A valve.,2. Other.\n", "occur before with another next claim"),
        (_PROMPTS + "G,y\n", "expected 3 fields as in the header, found 2"),
    ],
)
def test_broken_prompts_are_named(tmp_path: Path, prompts: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_patenteval(*_files(tmp_path, [_annotation()], prompts))


def test_human_ceiling_of_the_pairs_that_two_experts_compared(shared_data: Path) -> None:
    files = [shared_data / "patenteval" / name for name in ("final_c2c.json", "eval_data_c2c.csv")]
    main, second = (read_patenteval(*files, annotator=who) for who in (13391, 13662))
    assert (len(main), len(second)) == (216, 53)
    own, other = (
        {pair.meta["task"]: pair.labels["Preference"] for pair in one.pairs}
        for one in (main, second)
    )
    both = np.array([(own[task], other[task]) for task in other]).T
    [agreement] = rater_pairs(both.astype(float), [-1, 0, 1])
    found = (agreement.exact, agreement.kappa, float(tau(meeting_counts(*both).sum(axis=0))))
    # scikit-learn 1.9.1 (accuracy_score, cohen_kappa_score), scipy 1.17.1 (kendalltau, flat ranks)
    assert found == pytest.approx((0.717, 0.565, 0.661), abs=0.0005)
    assert sum(pair.holds_reference for pair in main.pairs) == 101
