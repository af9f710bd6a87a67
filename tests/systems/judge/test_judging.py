"""The judge against a real server."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chat_server import ChatServer, FakeTime, Reply, refused, said, serving
from patmark.app.commands.claims import DraftTexts
from patmark.data import Run, TestSet
from patmark.data.claim_pairs import ClaimPair, ClaimPairs, drafts_of_pairs
from patmark.errors import InputError, UsageError
from patmark.evaluation.comparison import compare
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import Sampling
from patmark.llm import ChatClient, ClientSettings, DiskCache, Endpoint, Prices, RetryPolicy
from patmark.systems.judge.direct import JudgedScores, judge_scores
from patmark.systems.judge.measure import preview_judge
from patmark.systems.judge.prompt import RATING, JudgeSettings

_TEST_SET = TestSet.of(["1. A bolt with a head.", "1. A nut with a thread."])
_NOBODY = ChatClient(Endpoint("http://127.0.0.1:9/v1"))
_RUNS = (
    Run("good", ("1. A bolt with a big head.", "1. A nut with an inner thread.")),
    Run("poor", ("1. A thing.", "1. A nut.")),
)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def _form(*scores: int) -> str:
    titles = ("Completeness", "Clarity", "Terminology consistency", "Logical linkage")
    return "\n".join(f"{title}: {score}" for title, score in zip(titles, scores, strict=True))


def _draft(body: dict[str, Any]) -> str:
    match = re.search(r"<draft \w+>\n(.*?)\n</draft", body["messages"][-1]["content"], re.DOTALL)
    return match[1] if match else ""


def _by_length(body: dict[str, Any], seen: int) -> Reply:
    """Long drafts are good ones; later samples are a little better."""
    base = min(2 * len(_draft(body)), 90)
    return said(_form(base + seen, base, base, base))


def _judge(
    server: ChatServer, settings: JudgeSettings, cache: Path | None = None, **limits: Any
) -> JudgedScores:
    time = FakeTime()
    client = ChatClient(
        Endpoint(server.url), DiskCache(cache) if cache else None,
        ClientSettings(**{"policy": RetryPolicy(retries=2), "concurrency": 1} | limits),
        sleep=time.sleep, clock=time.clock, rng=random.Random(0),
    )  # fmt: skip
    return judge_scores(_TEST_SET, _RUNS, client, settings)


def test_scores_are_means_of_samples_in_the_one_shape() -> None:
    with serving(_by_length) as server:
        result = _judge(server, JudgeSettings("m", samples=3))
    assert result.values.shape == (2, 2, 3, 5)
    poor = 2 * len("1. A thing.") / 10
    np.testing.assert_allclose(result.means[1, 0], [poor + 0.1, poor, poor, poor, poor + 0.4 / 11])
    np.testing.assert_allclose(result.spreads[1, 0], [0.1, 0, 0, 0, 0.4 / 11], atol=1e-12)
    scores = result.scores
    assert list(scores) == [
        "LLMJudge",
        *(f"LLMJudge(criterion={name})" for name in RATING.aspects[:-1]),
    ]
    overall = scores["LLMJudge"]
    assert (overall.systems, overall.segments) == (("good", "poor"), ("1", "2"))
    assert overall.system_scores[0] > overall.system_scores[1]
    assert "model:m|" in overall.signature and "|samples:3|" in overall.signature
    assert result.answered_by == ("test-model-0001",)
    assert not result.failures


def test_a_mixed_model_tells_samples_from_claim_sets() -> None:
    with serving(_by_length) as server:
        result = _judge(server, JudgeSettings("m", samples=3))
        single = _judge(server, JudgeSettings("m", samples=1))
    components = result.to_json()["mixed_model"]["LLMJudge"]["components"]
    assert {"segment", "residual"} <= {one["name"] for one in components}
    assert "evaluator" not in {one["name"] for one in components}
    assert any("uncertainty" in table.title for table in result.to_report().tables)
    assert single.to_json()["mixed_model"] == {}


def test_what_is_sent() -> None:
    settings = JudgeSettings("m", 2, temperature=0.7, max_tokens=50, seed=9, extra={"top_p": 0.5})
    with serving(_by_length) as server:
        _judge(server, settings)
    assert len(server.bodies) == 8
    assert {body["seed"] for body in server.bodies} == {9, 10}
    for body in server.bodies:
        rest = {name: body[name] for name in ("model", "temperature", "max_tokens", "top_p")}
        assert rest == {"model": "m", "temperature": 0.7, "max_tokens": 50, "top_p": 0.5}


def test_bad_answers_are_asked_again_then_listed(tmp_path: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        draft = _draft(body)
        if draft == "1. A thing.":
            return said("I'm sorry, I can't rate this.")
        return said("Hm, let me think.") if seen == 0 else said(_form(80, 70, 60, 50))

    with serving(reply) as server:
        result = _judge(server, JudgeSettings("m", samples=2), tmp_path, reasks=1)
    assert [(one.system, one.segment, one.sample) for one in result.failures] == [
        ("poor", "1", 1), ("poor", "1", 2),
    ]  # fmt: skip
    assert result.failures[0].reason.startswith("no usable answer in 2: refused: I'm sorry")
    assert np.isnan(result.means[1, 0]).all()
    assert result.means[1, 1, 4] == pytest.approx(73 / 11)
    assert result.scores["LLMJudge"].system_scores[1] == pytest.approx(73 / 11)
    judged = replace(result, sampling=Sampling(resamples=50))
    assert judged.missing == {"good": 0, "poor": 1}
    assert judged.to_json()["systems"]["poor"]["LLMJudge"]["value"] == pytest.approx(73 / 11)
    assert any("poor: 1 of 2 drafts" in note for note in judged.to_report().notes)
    said_of = {
        number: [table.note for table in replace(judged, answers=asked).to_report().tables]
        for number, asked in ((n, replace(judged.answers, reasks=n)) for n in (0, 1))
    }
    assert any("not repeated (0 re-asks)" in str(note) for note in said_of[0])
    assert any("Each request was repeated" in str(note) for note in said_of[1])


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    def reply(body: dict[str, Any], seen: int) -> Reply:
        return refused(401) if "nut" in _draft(body) else _by_length(body, seen)

    settings = JudgeSettings("m", samples=3)
    with serving(reply) as server:
        first = _judge(server, settings, tmp_path)
    answered = first.answers.batch.spent.answers
    assert 0 < answered < 12 and len(first.failures) == 12 - answered
    with serving(_by_length, port=server.port) as server:
        second = _judge(server, settings, tmp_path)
    assert len(server.bodies) == 12 - answered
    assert (second.answers.batch.recalled.answers, second.failures) == (answered, ())


def test_equal_drafts_get_equal_scores_for_one_price() -> None:
    pairs = ClaimPairs(
        tuple(ClaimPair("1. A bolt.", "1. A nut.", "1. A nut.", {"Quality": 0}) for _ in range(3))
    )
    test_set, runs = drafts_of_pairs(pairs)
    assert [segment.id for segment in test_set] == ["0", "1", "2"]
    assert set(test_set.documents) == {"1. A bolt."}
    with serving(lambda body, seen: said(_form(seen, 1, 1, 1))) as server:
        client = ChatClient(Endpoint(server.url))
        result = judge_scores(test_set, runs, client, JudgeSettings("m", samples=2))
    assert len(server.bodies) == 2
    assert (result.means == result.means[0, 0]).all()


def test_scores_can_be_saved_and_compared(tmp_path: Path) -> None:
    with serving(_by_length) as server:
        result = _judge(server, JudgeSettings("m", samples=2, name="Panel"))
    save_scores(tmp_path / "judged.json", result.scores, _TEST_SET.documents)
    back = read_scores(tmp_path / "judged.json").scores
    for name, scores in result.scores.items():
        np.testing.assert_allclose(back[name].segment_scores, scores.segment_scores)
    compared = compare(back, _TEST_SET.documents)
    assert compared.measures["Panel"].estimates["good"].value > 5


def test_tokens_and_cost() -> None:
    with serving(_by_length) as server:
        result = _judge(server, JudgeSettings("m", samples=1), prices=Prices(1e6, 2e6))
    usage = replace(result, sampling=Sampling(resamples=0)).to_json()["usage"]
    assert usage["requests"] == 4
    assert usage["spent"] == {
        "answers": 4, "prompt_tokens": 40, "completion_tokens": 20, "estimated": 0, "cost": 80.0,
    }  # fmt: skip


def test_a_missing_draft_is_a_failure_and_is_not_asked() -> None:
    runs = (Run("A", ("1. A bolt.", None)), Run("B", (" ", "1. A nut.")))
    with serving(_by_length) as server:
        client = ChatClient(Endpoint(server.url))
        result = judge_scores(_TEST_SET, runs, client, JudgeSettings("m", samples=1))
    assert len(server.bodies) == 2
    assert [(one.system, one.segment, one.reason) for one in result.failures] == [
        ("A", "2", "there is no draft"), ("B", "1", "there is no draft"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("test_set", "runs", "message"),
    [
        (_TEST_SET, (), "nothing to judge"),
        (_TEST_SET, (_RUNS[0], _RUNS[0]), "two drafts are called 'good'"),
        (_TEST_SET, (Run("A", ("x",)),), "A has 1 drafts for 2 claim sets"),
        (TestSet.of([["a", "b"]]), (Run("A", ("x",)),), "exactly one set"),
        (TestSet.of([" "]), (Run("A", ("x",)),), "exactly one set"),
    ],
)
def test_what_cannot_be_judged(test_set: TestSet, runs: tuple[Run, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        preview_judge(test_set, runs, _NOBODY, JudgeSettings("m"))


def test_bad_settings() -> None:
    with pytest.raises(UsageError, match="at least one sample"):
        JudgeSettings("m", samples=0)
    with pytest.raises(UsageError, match="name of the judge"):
        JudgeSettings("m", name=" ")


def test_a_preview_counts_what_is_left(tmp_path: Path) -> None:
    settings = JudgeSettings("m", samples=2, max_tokens=30)
    with serving(_by_length) as server:
        client = ChatClient(Endpoint(server.url), DiskCache(tmp_path))
        before = preview_judge(_TEST_SET, _RUNS, client, settings)
        judge_scores(_TEST_SET, _RUNS[:1], client, settings)
        after = preview_judge(_TEST_SET, _RUNS, client, settings)
    assert (before.requests, before.kept, before.expected.completion_tokens) == (8, 0, 240)
    assert (after.requests, after.kept, after.expected.completion_tokens) == (8, 4, 120)
    assert "A bolt with a big head" in before.prompt


def test_a_reference_without_claims_is_refused_and_an_empty_draft_is_read(tmp_path: Path) -> None:
    for name in ("ref", "a", "b"):
        (tmp_path / f"{name}.txt").write_text("\n" if name != "a" else "1. A bolt.\n\n2. A nut.\n")
    hyp = [("A", tmp_path / "a.txt"), ("b", tmp_path / "b.txt")]
    with pytest.raises(InputError, match=r"ref\.txt: holds no claims"):
        DraftTexts(ref=tmp_path / "ref.txt", hyp=hyp).read()
    test_set, [run, empty] = DraftTexts(ref=tmp_path / "a.txt", hyp=hyp).read()
    assert (run.system, run.hypotheses) == ("A", ("1. A bolt.\n\n2. A nut.",))
    assert (empty.system, empty.hypotheses) == ("b", ("",))
    assert test_set.reference_lists == ((run.hypotheses[0],),)


def test_the_judge_says_how_many_answers_were_kept_and_how_old_they_are(tmp_path: Path) -> None:
    with serving(_by_length) as server:
        first = _judge(server, JudgeSettings("m", 1), tmp_path)
        assert first.to_json()["usage"]["kept"] == {"count": 0, "oldest": None, "newest": None}
        again = _judge(server, JudgeSettings("m", 1), tmp_path)
    kept = again.to_json()["usage"]["kept"]
    assert kept["count"] == 4 and kept["oldest"] <= kept["newest"]
    assert any("4 with kept answers of earlier runs (" in note for note in again.to_report().notes)
    assert not any("kept answers" in note for note in first.to_report().notes)


def test_the_answers_of_another_server_are_not_those_of_the_judge(tmp_path: Path) -> None:
    with (
        serving(_by_length) as first,
        serving(lambda body, seen: said(_form(9, 9, 9, 9))) as other,
    ):
        _judge(first, JudgeSettings("m", 1), tmp_path)
        judged = _judge(other, JudgeSettings("m", 1), tmp_path)
    assert len(other.bodies) == 4 and set(judged.values.ravel()) == {0.9}
