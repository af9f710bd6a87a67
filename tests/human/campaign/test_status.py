"""What an organiser watches, held against cases that can be counted by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.support.campaigns import set_consensus

from campaigns import campaign
from example_campaigns import ADEQUACY, PAIRWISE, Begun, answers, begin, checked, fill
from patmark.app.commands import human
from patmark.errors import UsageError
from patmark.human.campaign import Answer, Candidate, Page, Plan, plan_campaign, read_form
from patmark.human.campaign.consensus import common_items
from patmark.human.campaign.export import campaign_export, export_bytes, write_export
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.status import campaign_status, pairwise_scores, rank_campaign
from patmark.human.campaign.store import Store
from patmark.human.campaign.web.downloads import results_page
from patmark.human.judgements.files import read_human_files
from patmark.human.judgements.ranking import rank_humans
from patmark.human.judgements.validation import validate_preferences
from patmark.report import to_json_text

_GRADES = {
    "s1": ("5", "3", "1"), "s2": ("5", "3", "1"), "s3": ("5", "5", "1"), "s4": ("4", "3", "3"),
    "s5": ("5", "2", "2"), "s6": ("4", "2", "1"), "s7": ("5", "4", "1"), "s8": ("4", "1", "2"),
}  # fmt: skip
_SYSTEMS = ("a", "b", "c")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(str(tmp_path / "campaign.db"), create=True) as opened:
        yield opened


def _small_plan(evaluators: tuple[str, ...], settings: Mapping[str, object] | None = None) -> Plan:
    pages = tuple(
        Page(
            f"{name}-{segment}", name, place, "main", segment,
            tuple(Candidate(label, (system,), f"{system} {segment}")
                  for label, system in zip("ABC", _SYSTEMS, strict=True)),
            f"source of {segment}", document=segment,
        )
        for name in evaluators
        for place, segment in enumerate(_GRADES, 1)
    )  # fmt: skip
    return Plan(
        "Small", read_form("adequacy"), "zh", "en", evaluators, pages, 0,
        settings={"systems": list(_SYSTEMS), "segments": list(_GRADES), **(settings or {})},
    )  # fmt: skip


def _give(store: Store, campaign: str, name: str, segment: str, grades: tuple[str, ...]) -> None:
    given = [
        Answer(f"{name}-{segment}", label, "adequacy", grade, seconds=1.0)
        for label, grade in zip("ABC", grades, strict=True)
    ]
    store.save_many(campaign, name, given)


def test_ranking_counted_by_hand(store: Store) -> None:
    campaign = store.create_campaign(_small_plan(("ann",))).campaign
    for segment, grades in _GRADES.items():
        _give(store, campaign, "ann", segment, grades)
    data = store.state(campaign)
    ranking, reason = rank_campaign(data)
    assert ranking is not None and reason == ""
    [one] = ranking.rankings
    report = rank_humans(data.results.judgements).rankings[0]  # 256 exchanges of 8 segments
    assert [pair.p for pair in one.measured.pairs] == [pair.p for pair in report.measured.pairs]
    assert one.measured.pairs[0].p * 256 == round(one.measured.pairs[0].p * 256)
    means = {name: found.value for name, found in one.measured.estimates.items()}
    assert means == pytest.approx({"a": 37 / 8, "b": 23 / 8, "c": 12 / 8})
    # Of 16 comparisons a wins 15 and ties 1 (s3 with b); b wins 5 of 8 against c, ties 2 (s4, s5).
    assert pairwise_scores(data)["adequacy"] == pytest.approx(
        {"a": 15.5 / 16, "b": (0.5 + 6) / 16, "c": 2 / 16}
    )
    signs = {(sign.first, sign.second): sign.test for sign in one.signs}
    assert [(test.wins, test.losses, test.ties) for test in signs.values()] == [
        (7, 0, 1), (8, 0, 0), (5, 1, 2),
    ]  # fmt: skip
    # Two-sided sign test without ties: 2 / 2**7, 2 / 2**8 and 2 (1 + 6) / 2**6.
    assert [test.p for test in signs.values()] == pytest.approx([2 / 128, 2 / 256, 14 / 64])


def test_agreement_counted_by_hand(store: Store) -> None:
    campaign = store.create_campaign(_small_plan(("ann", "bob"))).campaign
    for name, s1 in (("ann", ("5", "3", "1")), ("bob", ("5", "2", "1"))):
        _give(store, campaign, name, "s1", s1)
        _give(store, campaign, name, "s2", ("4", "4", "1"))
    seen = campaign_status(store.state(campaign))
    [found] = seen.validations
    assert found.agreement is not None and found.agreement.percent is not None
    assert found.agreement.percent.exact == pytest.approx(5 / 6)
    assert found.agreement.percent.within_one == 1.0
    assert found.agreement.pairs is not None
    # Cohen: observed 5/6; chance (5: 1·1, 4: 2·2, 3: 1·0, 2: 0·1, 1: 2·2) / 36 = 9/36.
    assert found.agreement.pairs[0].kappa == pytest.approx((5 / 6 - 9 / 36) / (1 - 9 / 36))
    assert [one.mean for one in found.bias] == pytest.approx([18 / 6, 17 / 6])
    assert [one.difference for one in found.bias] == pytest.approx([1 / 6, -1 / 6])


def test_a_campaign_that_has_just_begun(store: Store) -> None:
    campaign = store.create_campaign(_small_plan(("ann", "bob"))).campaign
    data = store.state(campaign)
    ranking, reason = rank_campaign(data)
    assert ranking is None and "no judgements" in reason
    seen = campaign_status(data)
    assert seen.validations == () and any("main phase" in note for note in seen.notes)
    assert common_items(data) == () and pairwise_scores(data) == {}
    with pytest.raises(UsageError, match="no judgements to export"):
        export_bytes(campaign_export(data), "csv")


def test_checks_that_nobody_answered_have_a_dash_for_p(store: Store) -> None:
    checked = campaign(segments=20, evaluators=["e1"], checks=Extras(0.2, 3, EDITS))
    begun = store.create_campaign(plan_campaign(checked)).campaign
    seen = campaign_status(store.state(begun))
    assert [one["p"] for one in seen.to_json()["checks"]] == [None]
    [table] = [one for one in seen.to_report().tables if one.title == "Attention checks"]
    assert table.rows[0][-1] is None and "a dash if no check has been answered" in table.note


def test_half_a_page_is_watched_too(store: Store) -> None:
    campaign = store.create_campaign(_small_plan(("ann",))).campaign
    store.save(campaign, "ann", Answer("ann-s1", "A", "adequacy", "5"))
    data = store.state(campaign)
    campaign_status(data)
    ranking, reason = rank_campaign(data)
    assert ranking is None and reason


def test_too_fast(store: Store) -> None:
    campaign = store.create_campaign(_small_plan(("ann",), {"min_seconds": 2.5})).campaign
    _give(store, campaign, "ann", "s1", ("5", "3", "1"))  # three saves of one second
    store.save_many(campaign, "ann", [
        Answer("ann-s2", label, "adequacy", "3", seconds=0.5) for label in "ABC"
    ])  # fmt: skip
    store.save(campaign, "ann", Answer("ann-s3", "A", "adequacy", "3", seconds=0.1))
    [person] = campaign_status(store.state(campaign)).people
    assert person.fast == ("s2",)
    assert (person.done, person.seconds) == (2, pytest.approx(2.25))
    assert person.minutes_left == 1


def test_training_and_qualification(tmp_path: Path) -> None:
    begun = begin(tmp_path / "c.db")
    with Store.open(begun.db) as store:
        pages = [page for page in begun.plan.pages_of("e1") if page.phase == "training"]
        wrong = [
            Answer(one.page, one.candidate, one.question, "1") for one in answers(begun.plan, pages)
        ]
        store.save_many(begun.campaign, "e1", [*wrong, *checked(pages)])
        first, second, _ = campaign_status(store.state(begun.campaign)).people
        assert (first.agreement.right, first.agreement.given, first.agreement.total) == (0, 8, 8)
        assert first.passed is False and not first.may_judge
        assert second.passed is None and second.agreement.share_of_given is None
        assert not second.may_judge
        store.set_qualified(begun.campaign, "e1", True)
        assert campaign_status(store.state(begun.campaign)).people[0].may_judge


def test_excluded_evaluators_do_not_count(tmp_path: Path) -> None:
    begun = begin(tmp_path / "c.db")
    fill(begun)
    with Store.open(begun.db) as store:
        store.exclude(begun.campaign, "e3", "asleep")
        data = store.state(begun.campaign)
    assert data.results.judgements is not None
    assert data.results.judgements.evaluators == ("e1", "e2")
    assert all("e3" not in item.values for item in common_items(data))
    assert [one.info.excluded for one in campaign_status(data).people] == [None, None, "asleep"]


def test_disagreements_come_first(store: Store) -> None:
    campaign = store.create_campaign(_small_plan(("ann", "bob"))).campaign
    _give(store, campaign, "ann", "s1", ("5", "3", "1"))
    _give(store, campaign, "bob", "s1", ("5", "4", "4"))
    _give(store, campaign, "ann", "s2", ("5", "3", "1"))
    items = common_items(store.state(campaign))
    assert [(item.systems, item.distance) for item in items] == [
        (("c",), 3), (("b",), 1), (("a",), 0),
    ]  # fmt: skip
    assert items[0].values == {"ann": "1", "bob": "4"}
    assert items[0].possible == ("5", "4", "3", "2", "1")
    set_consensus(store, campaign, "s1", ("c",), "adequacy", "2", "talked about it")
    agreed = common_items(store.state(campaign))[0]
    assert (agreed.agreed, agreed.note, agreed.key) == ("2", "talked about it", items[0].key)


def test_choices_are_compared_in_one_order(tmp_path: Path) -> None:
    begun = begin(tmp_path / "c.db", PAIRWISE)
    with Store.open(begun.db) as store:
        for page in begun.plan.pages:
            if page.phase == "main":
                better = min(page.candidates, key=lambda one: one.systems)
                value = "first" if page.candidates[0] == better else "second"
                store.save(begun.campaign, page.evaluator, Answer(page.id, "", "preference", value))
        items = common_items(store.state(begun.campaign))
    assert items and {value for item in items for value in item.values.values()} == {"first"}
    assert all(item.distance == 0 for item in items)


def test_exports_need_a_choice_where_there_are_two_kinds(tmp_path: Path) -> None:
    begun = _filled(tmp_path, ADEQUACY)
    with Store.open(begun.db) as store:
        found = campaign_export(store.state(begun.campaign))
    with pytest.raises(UsageError, match="no preferences"):
        write_export(found, "csv", tmp_path / "x.csv", "preferences")
    with pytest.raises(UsageError, match="expected judgements"):
        found.chosen("all")
    with pytest.raises(UsageError, match="unknown"):
        write_export(found, "xml", tmp_path / "x.xml")


def test_campaigns_are_found_by_name(tmp_path: Path, store: Store) -> None:
    with pytest.raises(UsageError, match="no campaigns"):
        store.find()
    made = [store.create_campaign(_small_plan(("ann",))).campaign for _ in range(2)]
    with pytest.raises(UsageError, match="several campaigns"):
        store.find()
    with pytest.raises(UsageError, match="choose by id"):
        store.find("Small")
    with pytest.raises(UsageError, match="no campaign 'x'"):
        store.find("x")
    assert store.find(made[1]).id == made[1]


def _filled(folder: Path, file: Path) -> Begun:
    begun = begin(folder / "c.db", file)
    fill(begun)
    return begun


def test_agreement_is_that_of_a_report_of_the_export(tmp_path: Path) -> None:
    begun = begin(tmp_path / "campaign.db", PAIRWISE)
    fill(begun)
    with Store.open(begun.db) as opened:
        data = opened.state(begun.campaign)
    write_export(campaign_export(data), "csv", tmp_path / "j.csv")
    exported = read_human_files([tmp_path / "j.csv"]).preferences
    assert exported is not None
    [seen], [reported] = campaign_status(data).validations, validate_preferences(exported)
    assert seen.agreement is not None and reported.agreement is not None
    assert seen.agreement.alpha == reported.agreement.alpha
    assert seen.agreement.alpha.resamples == 10000


@pytest.mark.parametrize("file", [ADEQUACY, PAIRWISE])
def test_the_live_ranking_is_that_of_a_report_of_the_export(tmp_path: Path, file: Path) -> None:
    """Scores, intervals, p, groups and sign tests, to the last digit."""
    begun = _filled(tmp_path, file)
    with Store.open(begun.db) as opened:
        state = opened.state(begun.campaign)
    write_export(campaign_export(state), "csv", tmp_path / "j.csv")
    ranking, _ = rank_campaign(state)
    reported = human.report(tmp_path / "j.csv").ranking
    assert ranking is not None
    live, printed = ([one.to_json() for one in found.rankings] for found in (ranking, reported))
    assert to_json_text(live) == to_json_text(printed)


def test_published_results_name_nobody_and_count_who_judged(tmp_path: Path) -> None:
    begun = begin(tmp_path / "campaign.db", ADEQUACY)
    fill(begun)
    with Store.open(begun.db) as opened:
        names = opened.plan(begun.campaign).evaluators
        opened.add_evaluator(begun.campaign, "someone who only looked")
        opened.exclude(begun.campaign, names[-1], "too fast")
        opened.close_campaign(begun.campaign)
        page = results_page(opened.state(begun.campaign))
    assert f"{len(names) - 1} evaluators" in page
    body = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
    for name in (*names, "someone who only looked"):
        assert not re.search(rf"\b{name}\b", body), name
    assert "No groups: " in body or "opens a group" in body
