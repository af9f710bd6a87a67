"""Segments and systems that are added while a campaign runs."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from campaigns import campaign, usual_text
from patmark.app.commands import human
from patmark.errors import UsageError
from patmark.human.campaign import Answer, CampaignSettings, Page, plan_campaign
from patmark.human.campaign.extension import Extension
from patmark.human.campaign.extra_pages import EDITS, Extras
from patmark.human.campaign.settings import Assignment
from patmark.human.campaign.store import Store
from patmark.report import to_json_text

CHECKS = Extras(0.2, 1, EDITS)


def _small(form: str = "adequacy", **others: Any) -> CampaignSettings:
    """Return six segments and two systems, unless something else is said."""
    return campaign(form, **{"segments": 6, "systems": ("A", "B"), **others})


def _begun(store: Store, settings: CampaignSettings) -> str:
    return store.create_campaign(plan_campaign(settings)).campaign


def _answer_pages(store: Store, id: str, evaluator: str, most: int = 100) -> list[Page]:
    """Answer so many open pages with grades, and return them."""
    pages = store.state(id).plan.pages_of(evaluator)
    done = store.state(id).done
    chosen = [page for page in pages if page.id not in done][:most]
    for page in chosen:
        for one in page.candidates:
            store.save(id, evaluator, Answer(page.id, one.label, "adequacy", "4"))
    return chosen


def _judged(store: Store, id: str) -> Counter[tuple[str, str, str]]:
    """Count what is to be judged in the main phase: evaluator, segment, system."""
    return Counter(
        (page.evaluator, page.segment, system)
        for page, one in store.state(id).plan.shown("main")
        for system in one.systems
    )


@pytest.mark.parametrize("mode", ["same", "different", "overlap", "each-r-times"])
def test_new_segments_are_dealt_as_the_others(store: Store, mode: Any) -> None:
    assignment = Assignment(mode, overlap=0.5, times=2 if mode == "each-r-times" else 1)
    before = _small(assignment=assignment, checks=CHECKS)
    id = _begun(store, before)
    _answer_pages(store, id, "e1", 2)
    old = {page.id: page for page in store.state(id).plan.pages}
    given = store.answers(id, "e1")
    after = _small(segments=18, assignment=assignment, checks=CHECKS)
    preview = store.extend(id, after, dry_run=True)
    assert {page.id: page for page in store.state(id).plan.pages} == old
    made = store.extend(id, after)
    assert to_json_text(made.to_json()) == to_json_text(preview.to_json())
    state = store.state(id)
    now_there = {page.id: page for page in state.plan.pages}
    assert {name: now_there[name] for name in old} == old
    assert store.answers(id, "e1") == given
    counts = _judged(store, id)
    assert set(counts.values()) == {1}
    times = Counter(segment for _, segment, system in counts if system == "A")
    expected = {"same": {3}, "different": {1}, "overlap": {1, 3}, "each-r-times": {2}}[mode]
    assert set(times.values()) == expected and len(times) == 18
    assert all(
        [page.position for page in state.plan.pages_of(name)]
        == sorted({page.position for page in state.plan.pages_of(name)})
        for name in ("e1", "e2", "e3")
    )
    assert sum(page.phase == "check" for page in now_there.values()) > sum(
        page.phase == "check" for page in old.values()
    )
    assert state.settings["segments"] == [f"s{place}" for place in range(1, 19)]
    assert [one.detail for one in store.events(id) if one.action == "extended"] == ["12 segments"]
    with pytest.raises(UsageError, match="nothing is new"):
        store.extend(id, after)


def test_a_new_system_stands_beside_the_others_where_nobody_has_begun(store: Store) -> None:
    settings = _small(assignment=Assignment("same"))
    id = _begun(store, settings)
    begun = {page.segment for page in _answer_pages(store, id, "e1", 2)}
    made = store.extend(id, campaign(segments=6, assignment=Assignment("same")))
    assert "2 pages were begun already" in made.notes[0]
    assert set(_judged(store, id).values()) == {1} and len(_judged(store, id)) == 3 * 6 * 3
    pages = store.state(id).plan.pages_of("e1")
    alone = [page for page in pages if len(page.candidates) == 1]
    assert {page.segment for page in alone} == begun
    assert {page.candidates[0].systems for page in alone} == {("C",)}
    assert sum(len(page.candidates) == 3 for page in pages) == 4
    assert all(len(page.candidates) == 3 for page in store.state(id).plan.pages_of("e2"))
    assert len(store.answers(id, "e1")) == 4
    _answer_pages(store, id, "e1")
    results = store.state(id).results.judgements
    assert results is not None and len(results.rows) == 18


def test_an_output_that_equals_another_counts_for_both(store: Store) -> None:
    """Nothing is asked again, also in a server that has read the pages before."""
    settings = _small(assignment=Assignment("same"), repeats=Extras(0.3, 1))
    id = _begun(store, settings)
    _answer_pages(store, id, "e1")
    count = len(store.state(id).pages)
    same = replace(settings.runs[0], system="C")
    with Store(store._engine) as elsewhere:
        made = elsewhere.extend(id, replace(settings, runs=(*settings.runs, same)))
    assert not made.pages and not made.replaced
    state = store.state(id)
    assert len(state.pages) == count
    assert {one.systems for _, one in state.plan.shown()} == {("A", "C"), ("B",)}
    results = state.results.judgements
    assert results is not None and {row.system for row in results.rows} == {"A", "B", "C"}


@pytest.mark.parametrize(("form", "added"), [("pairwise", 2 * 6 * 3), ("mqm", 6 * 3)])
def test_new_systems_of_pairs_and_of_single_outputs(store: Store, form: str, added: int) -> None:
    id = _begun(store, _small(form, assignment=Assignment("same")))
    made = store.extend(id, campaign(form, segments=6, assignment=Assignment("same")))
    assert len(made.pages) == added and not made.replaced
    assert all(("C",) in [one.systems for one in page.candidates] for page in made.pages)
    contents = [(page.evaluator, page.content) for page in store.state(id).plan.pages]
    assert len(set(contents)) == len(contents)


@pytest.mark.parametrize("form", ["adequacy", "esa"])
def test_a_shared_pool_grows(store: Store, form: str) -> None:
    pool = Assignment("pool", times=2)
    id = _begun(store, _small(form, assignment=pool, repeats=Extras(0.2, 1)))
    first = store.next_view(id, "e1")
    after = campaign(form, segments=9, assignment=pool, repeats=Extras(0.2, 1))
    made = store.extend(id, after)
    assert not made.pages and made.items
    seen: Counter[tuple[str, str]] = Counter()
    for name in ("e1", "e2", "e3"):
        while (view := store.next_view(id, name)).kind == "page":
            page = store.state_of(id, name, view.page or "").texts[view.page or ""]
            if page.phase == "main":
                seen.update(
                    (page.segment, system) for one in page.candidates for system in one.systems
                )
            for one in page.candidates:
                if form == "adequacy":
                    store.save(id, name, Answer(page.id, one.label, "adequacy", "4"))
                else:
                    spans: dict[str, list[object]] = {"spans": []}
                    store.save(id, name, Answer(page.id, one.label, "errors", "0", spans))
                    store.save(id, name, Answer(page.id, one.label, "esa", "80"))
    assert first.page is not None
    assert set(seen.values()) == {2} and len(seen) == 9 * 3
    assert store.state(id).info.places == store.state(id).progress.total - _extras(store, id)


def _extras(store: Store, id: str) -> int:
    return sum(page.phase == "repeat" for page in store.state(id).pages)


def test_whoever_has_no_access_gets_nothing(store: Store) -> None:
    id = _begun(store, _small(assignment=Assignment("different")))
    store.revoke(id, "e2")
    store.exclude(id, "e3", "answers at random")
    made = store.extend(id, _small(segments=9, assignment=Assignment("different")))
    assert {page.evaluator for page in made.pages} == {"e1"} and len(made.pages) == 3


def test_documents_grow_by_whole_documents_only(store: Store) -> None:
    settings = _small("esa", documents=3, pages="document")
    id = _begun(store, settings)
    with pytest.raises(UsageError, match="document D0, D1, D2 of the campaign has more segments"):
        store.extend(id, campaign("esa", segments=9, documents=3, pages="document"))
    made = store.extend(id, campaign("esa", segments=6, documents=3, pages="document"))
    assert [page.segment for page in made.pages].count("D1") == 1 and len(made.pages) == 3
    assert {one.systems for page in made.pages for one in page.candidates} == {("C",)}


def _other_text(system: str, place: int) -> str:
    return usual_text(system, place).replace("stirred", "shaken" if place == 3 else "stirred")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (campaign(segments=3, systems=("A", "B")), "segment s4, s5, s6 of the campaign is missing"),
        (campaign(segments=8, systems=("A",)), "system B of the campaign is missing"),
        (campaign("fluency", segments=8), "the form of a campaign that has begun"),
        (campaign(segments=8, texts=_other_text), "output A s4, B s4 of the campaign is another"),
        (_small(), "nothing is new"),
        (campaign(segments=8, record={"assignment": "pool"}), "field 'assignment'"),
    ],
)
def test_a_file_that_changes_something_is_refused(
    store: Store, changed: CampaignSettings, message: str
) -> None:
    id = _begun(store, _small())
    before = store.state(id).plan
    with pytest.raises(UsageError, match=message):
        store.extend(id, changed)
    assert store.state(id).plan == before


def test_a_ranking_of_all_systems_takes_no_new_one(store: Store) -> None:
    id = _begun(store, _small("ranking"))
    with pytest.raises(UsageError, match="would have to be judged again"):
        store.extend(id, campaign("ranking", segments=6))
    assert store.extend(id, _small("ranking", segments=7)).segments == ("s7",)
    store.close_campaign(id)
    with pytest.raises(UsageError, match="is closed"):
        store.extend(id, _small("ranking", segments=8))


def test_the_file_of_a_campaign_grows(tmp_path: Path) -> None:
    """From files, as an organiser does it."""
    texts, file = tmp_path / "texts.tsv", tmp_path / "campaign.yaml"
    rows = [f"s{n}\t第{n}号。\tNo. {n}.\tNumber {n}." for n in range(1, 9)]
    head = "id\tsource\tsystem:atlas\tsystem:borealis"
    texts.write_text("\n".join([head, *rows[:4]]), encoding="utf-8")
    file.write_text(
        "name: Growing\nform: adequacy\nlanguages: zh-en\ntestset: texts.tsv\n"
        "evaluators: [e1, e2]\n",
        encoding="utf-8",
    )
    db = str(tmp_path / "campaign.db")
    human.new(human.NewCampaignRequest(file=file, db=db))
    texts.write_text("\n".join([head, *rows]), encoding="utf-8")
    request = human.CampaignRequest(db=db)
    made: Extension = human.extend(request, file, dry_run=True)
    assert made.added == "4 segments"
    file.write_text(file.read_text(encoding="utf-8").replace("e2]", "e2, secretive]"))
    assert human.extend(request, file).newcomers == ("secretive",)
    with Store.open(db) as store:
        assert "secretive" not in str(store.settings(store.campaigns()[0].id))
    assert made.to_report().subtitle == "4 segments"
    assert {one.total for one in human.status(request).people} == {8}


def test_added_pages_come_after_the_last(store: Store) -> None:
    """Whoever had finished finds new work, and completion follows it."""
    id = _begun(store, _small(assignment=Assignment("same")))
    _answer_pages(store, id, "e1")
    assert store.next_view(id, "e1").kind == "done"
    store.extend(id, _small(segments=7, assignment=Assignment("same")))
    view = store.next_view(id, "e1")
    assert view.kind == "page"
    assert store.state_of(id, "e1", view.page or "").texts[view.page or ""].segment == "s7"
