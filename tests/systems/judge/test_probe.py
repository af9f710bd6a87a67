"""Judges with known weaknesses, and one without: the probe tells them apart."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from chat_server import Reply, refused, said, serving
from patmark.data import Estimate, Run, TestSet, is_warning
from patmark.errors import UsageError
from patmark.evaluation import Sampling
from patmark.llm import ChatClient, ClientSettings, Endpoint
from patmark.report import message_texts
from patmark.systems.judge.bias_probe import LengthBias, Probe, longer_ways, preview_probe, probe
from patmark.systems.judge.prompt import PAIRWISE, RATING, JudgeSettings
from patmark.systems.judge.translations import translation_prompt

_COUNT = 8
_TEST_SET = TestSet.of(
    [f"The valve {at} opens." for at in range(_COUNT)],
    sources=[f"阀门{at}打开。" for at in range(_COUNT)],
    source_language="zh",
)
_RUNS = (
    Run("A", tuple(f"The valve {at} opens." for at in range(_COUNT))),
    Run("B", tuple(f"Valve {at} is opened, and is open." for at in range(_COUNT))),
)


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def _settings(*schemes: str, samples: int = 2) -> list[JudgeSettings]:
    return [
        JudgeSettings("m", samples, name=scheme, prompt=translation_prompt(scheme))  # type: ignore[arg-type]
        for scheme in schemes
    ]


def _judge(
    quality: Callable[[str, int], float], prefers_first: bool = False
) -> Callable[[dict[str, Any], int], Reply]:
    """A server that scores by a function, and prefers what it scores higher, or what is first."""

    def reply(body: dict[str, Any], seen: int) -> Reply:
        shown = re.findall(
            r"<(?:translation|first|second) \w+>\n(.*?)\n</", body["messages"][-1]["content"], re.S
        )
        scores = [quality(text, seen) for text in shown]
        if len(shown) == 1:
            return said(f"Quality: {scores[0]:g}")
        better = "first" if prefers_first or scores[0] > scores[1] else "second"
        return said(
            f"Quality: {'equal' if len(set(scores)) == 1 and not prefers_first else better}"
        )

    return reply


def _probe(reply: Callable[[dict[str, Any], int], Reply], *schemes: str) -> Probe:
    with serving(reply) as server:
        client = ChatClient(Endpoint(server.url), None, ClientSettings(concurrency=1))
        asked = _settings(*(schemes or ("direct", "pairwise")))
        return probe(_TEST_SET, _RUNS, client, asked, sampling=Sampling(resamples=200))


def _is_longer(text: str) -> bool:
    return "as stated above" in text or text.count("alve") > 1


def test_a_judge_that_rewards_length_is_found_out() -> None:
    found = _probe(_judge(lambda text, seen: 50 + 10 * _is_longer(text)))
    for one in found.length:
        assert one.difference is not None and one.preference is not None
        assert (one.difference.value, one.difference.ci) == (10.0, (10.0, 10.0))
        assert one.preference.value == 1.0
        assert one.finding.startswith("Length bias")
    assert [one.way for one in found.length] == ["padded", "repeated"]


def test_a_judge_that_sees_through_length_is_told_so() -> None:
    found = _probe(_judge(lambda text, seen: 50 - 10 * _is_longer(text)))
    assert {one.difference.value for one in found.length if one.difference} == {-10.0}
    assert all(one.finding.startswith("No length bias") for one in found.length)
    assert "there is no position bias" in " ".join(found.findings)


def test_a_judge_that_prefers_the_first_place_is_found_out() -> None:
    found = _probe(_judge(lambda text, seen: 50, prefers_first=True))
    order = found.to_json()["order"]["overall"]
    # two systems against each other, and each against two longer texts, for 8 segments
    assert (order["bias"]["value"], order["compared"], order["first_twice"]) == (1.0, 40, 40)
    assert any("prefers the text shown first" in one for one in found.findings)
    assert all(one.preference and one.preference.value == 0 for one in found.length)


def test_a_judge_whose_verdicts_cannot_be_read_says_nothing_of_order() -> None:
    found = message_texts(_probe(lambda body, seen: said("Who knows?"), "pairwise").findings)
    assert "No comparison has a verdict in both orders: position bias is unknown." in found
    assert not any("no position bias" in one for one in found)


def test_a_judge_that_changes_its_mind_is_found_out() -> None:
    found = _probe(_judge(lambda text, seen: 50 + 10 * seen * ("valve" in text)), "direct")
    consistency = found.to_json()["self_consistency"]
    assert consistency["identical"] == 0.5
    assert consistency["spread"]["value"] == pytest.approx(0.5 * 10 / 2**0.5)
    assert consistency["unanimous"] is None and found.to_json()["order"] is None


def test_pairs_alone_tell_order_and_preference() -> None:
    found = _probe(_judge(lambda text, seen: 50 + 10 * _is_longer(text)), "pairwise")
    assert found.rated is None and found.unanimous == 1.0
    assert {one.difference for one in found.length} == {None}
    assert found.to_json()["length"]["padded"]["preference"]["value"] == 1.0


def test_errors_of_a_doubled_text_count_once_so_that_doubling_gains_nothing() -> None:
    """Each span stands there twice; a mark without a certain place would be points gained."""

    def reply(body: dict[str, Any], seen: int) -> Reply:
        error = {"span": "alve", "category": "Accuracy/Mistranslation", "severity": "major"}
        return said(json.dumps({"errors": [error]}))

    found = _probe(reply, "mqm")
    assert not found.failures
    assert {one.way: one.difference.value for one in found.length if one.difference} == {
        "padded": 0.0, "repeated": 0.0
    }  # fmt: skip
    assert all(one.finding.startswith("It is not shown") for one in found.length)


def test_points_gained_alone_decide_where_outputs_are_rated() -> None:
    unsure, sure = Estimate(5.6, (-2.8, 14.0)), Estimate(0.375, (0.06, 0.68))
    both = LengthBias("padded", unsure, sure)
    assert both.finding == (
        "It is not shown that padded texts gain or lose (points gained: 5.60 [-2.80, 14.00])."
    )
    assert both.to_json()["decides"] == "difference"
    pairs = LengthBias("padded", None, sure)
    assert pairs.finding == (
        "Length bias: padded texts gain without more content (preferred: 0.375 [0.060, 0.680])."
    )
    assert pairs.to_json()["decides"] == "preference"
    assert LengthBias("padded", Estimate(-5, (-6, -4)), sure).finding == (
        "No length bias: padded texts lose (points gained: -5.00 [-6.00, -4.00])."
    )


def test_notes_and_warnings_say_which_questions_they_are_about() -> None:
    fair = _judge(lambda text, seen: 50)

    def reply(body: dict[str, Any], seen: int) -> Reply:
        text = str(body)
        if "<first" in text and "valve 3" in text and not seen:
            return said("I like both.")
        return refused(400) if "<translation" in text and "valve 5" in text else fair(body, seen)

    report = _probe(reply).to_report()
    # of 8 segments, 2 systems as they are and made longer in 2 ways, 2 samples
    assert "direct: 12 of 96 requests brought no answer; a server may charge them." in report.notes
    assert "direct: A padded: 1 of 8 translations have no score." in report.notes
    assert message_texts(filter(is_warning, report.findings)) == [
        "Warning: pairwise: 10 of 170 answers could not be parsed (no value 10); "
        "repeated requests succeeded."
    ]


def test_the_report_begins_with_what_was_found() -> None:
    report = _probe(_judge(lambda text, seen: 50)).to_report()
    assert len(report.findings) == 4
    titles = [table.title for table in report.tables[:3]]
    assert titles == ["Position bias", "Length bias", "Asked again"]
    assert [row[1] for row in report.tables[2].rows][1:] == [100.0, 100.0]


def test_only_longer_texts_are_made_in_a_language_that_we_have_no_words_of() -> None:
    assert list(longer_ways("de")) == ["repeated"]
    assert longer_ways("zh")["repeated"](" 阀门打开。\n") == "阀门打开。阀门打开。"
    assert longer_ways("ja")["padded"]("弁が開く。").startswith("弁が開く。なお")


def test_claims_are_probed_by_the_same_code() -> None:
    test_set = TestSet.of(["1. A bolt."])
    form = "\n".join(f"{one.title}: 50" for one in RATING.criteria)

    def reply(body: dict[str, Any], seen: int) -> Reply:
        return said(form.replace("50", "equal") if "<first" in str(body) else form)

    asked = [JudgeSettings("m", 2), JudgeSettings("m", 2, name="P", prompt=PAIRWISE)]
    with serving(reply) as server:
        client = ChatClient(Endpoint(server.url))
        found = probe(test_set, [Run("A", ("1. A nut.",))], client, asked)
    assert not found.failures
    assert found.to_json()["length"]["repeated"]["difference"]["value"] == 0.0


def test_a_probe_can_be_previewed_and_needs_two_samples() -> None:
    client = ChatClient(Endpoint("http://127.0.0.1:9/v1"))
    seen = preview_probe(_TEST_SET, _RUNS, client, _settings("direct", "pairwise"))
    # 6 runs of 8 segments rated, 5 pairs compared in both orders, twice each
    assert seen.requests == 2 * (6 * 8 + 5 * 2 * 8)
    with pytest.raises(UsageError, match="at least twice"):
        preview_probe(_TEST_SET, _RUNS, client, _settings("direct", samples=1))
