"""Campaigns come back from the store as they were planned."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest

from patmark.errors import UsageError
from patmark.human.campaign.store import Store
from store_plans import small_form, small_page, small_plan


def test_plan_comes_back_whole(store: Store) -> None:
    plan = small_plan()
    created = store.create_campaign(plan)
    assert store.plan(created.campaign) == plan
    assert store.form(created.campaign) == plan.form
    assert store.form(created.campaign) is store.form(created.campaign)
    assert store.settings(created.campaign) == plan.settings


def test_campaign_info(store: Store) -> None:
    created = store.create_campaign(replace(small_plan(), pass_mark=None, source_language=None))
    info = store.campaign(created.campaign)
    assert info in store.campaigns()
    assert (info.name, info.form, info.form_version) == ("Test campaign", "test-form", 2)
    assert (info.source_language, info.target_language) == (None, "en")
    assert (info.seed, info.pass_mark, info.closed) == (2**70 + 1, None, None)
    assert info.is_open
    assert datetime.datetime.fromisoformat(info.created).tzinfo == datetime.UTC


def test_same_plan_twice_makes_two_campaigns(store: Store) -> None:
    first, second = (store.create_campaign(small_plan()) for _ in range(2))
    assert first.campaign != second.campaign
    secrets = {*first.links.values(), *second.links.values()}
    secrets |= {first.organiser_secret, second.organiser_secret}
    assert len(secrets) == 6
    assert all(len(secret) >= 43 for secret in secrets)  # 256 bits in base 64


def test_secrets_are_not_shown_by_accident(store: Store) -> None:
    created = store.create_campaign(small_plan())
    for secret in (created.organiser_secret, *created.links.values()):
        assert secret not in repr(created)


def test_pages_of_an_evaluator(store: Store) -> None:
    campaign = store.create_campaign(small_plan()).campaign
    infos = store.state_of(campaign, "ann").pages
    assert [(one.id, one.position, one.phase, one.segment) for one in infos] == [
        ("ann-0", 0, "training", "s0"),
        ("ann-1", 1, "main", "s1"),
        ("ann-2", 2, "main", "s2"),
    ]
    assert store.state_of(campaign, "ann", "ann-1").texts == {
        "ann-0": small_page("ann", 0, "training"),
        "ann-1": small_page("ann", 1),
    }


def test_pages_of_others_are_not_given(store: Store) -> None:
    campaign = store.create_campaign(small_plan()).campaign
    other = store.create_campaign(small_plan(("zoe",))).campaign
    assert "bob-1" not in store.state_of(campaign, "ann", "bob-1").texts
    assert "zoe-1" not in store.state_of(campaign, "ann", "zoe-1").texts
    with pytest.raises(UsageError, match="no evaluator 'ann'"):
        store.state_of(other, "ann", "ann-1")
    with pytest.raises(UsageError, match="no evaluator 'zoe'"):
        store.state_of(campaign, "zoe")


@pytest.mark.parametrize("read", ["campaign", "plan", "form", "settings", "answers", "state"])
def test_unknown_campaign(store: Store, read: str) -> None:
    with pytest.raises(UsageError, match="no campaign 'x'"):
        getattr(store, read)("x")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"evaluators": ("ann", "ann", "bob")}, "named twice"),
        ({"evaluators": ("ann",)}, "no evaluator"),
        ({"pages": (small_page("ann", 1), small_page("ann", 1))}, "occurs twice"),
        (
            {"pages": (small_page("ann", 1), small_page("ann", 2, segment="s1"))},
            "judges the same outputs twice",
        ),
        ({"name": "a\0b"}, "NUL"),
    ],
)
def test_bad_plans_are_refused(store: Store, change: dict[str, object], message: str) -> None:
    before = store.campaigns()
    with pytest.raises(UsageError, match=message):
        store.create_campaign(replace(small_plan(), **change))  # type: ignore[arg-type]
    assert store.campaigns() == before


def test_dates_of_the_campaign_file_become_text(store: Store) -> None:
    plan = replace(small_plan(), settings={"until": datetime.date(2026, 1, 31)})
    campaign = store.create_campaign(plan).campaign
    assert store.settings(campaign) == {"until": "2026-01-31"}


def test_form_survives_a_new_process(store_url: str) -> None:
    with Store.open(store_url, create=True) as store:
        campaign = store.create_campaign(small_plan()).campaign
    with Store.open(store_url) as store:
        assert store.form(campaign) == small_form()


def test_secrets_are_kept_as_hashes(tmp_path: Path) -> None:
    path = tmp_path / "campaigns.db"
    with Store.open(str(path), create=True) as store:
        created = store.create_campaign(small_plan())
        session = store.open_session(created.campaign, "ann", 60)
    kept = path.read_bytes()
    assert b"Test campaign" in kept
    for secret in (session, created.organiser_secret, *created.links.values()):
        assert secret.encode() not in kept
    assert path.stat().st_mode & 0o077 == 0
