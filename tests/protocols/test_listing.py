"""The list of tables and figures of a paper holds all that its data files hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from patmark.catalogue import STUDIES, load
from patmark.data import Estimate
from patmark.evaluation import Sampling
from patmark.protocols.studies import reproduction
from patmark.protocols.studies.listing import places_text, printed_only, recomputed
from patmark.protocols.studies.reproduction import Study, Value, published_rows
from patmark.report import plain

_CONTENTS = {  # the last table and the last figure of each paper
    "ntcir7": (4, 9),
    "ntcir9": (23, 24),
    "patent-ce": (8, 0),
}


@pytest.fixture(scope="module", params=list(_CONTENTS))
def listed(request: pytest.FixtureRequest) -> tuple[str, list[dict[str, Any]]]:
    study: Study = load(STUDIES[request.param])
    done = study.reproduce(Sampling(resamples=0))
    return request.param, plain(done.to_json())["listing"]


def test_every_table_and_figure_is_listed(listed: tuple[str, list[dict[str, Any]]]) -> None:
    name, parts = listed
    tables, figures = _CONTENTS[name]
    found = [place for part in parts for place in _single_places(part["place"])]
    numbered = {place for place in found if place.startswith(("Table", "Figure"))}
    assert numbered == {f"Table {1 + n}" for n in range(tables)} | {
        f"Figure {1 + n}" for n in range(figures)
    }
    assert set(found) - numbered <= {"Text", "Appendix B"}


def _single_places(place: str) -> list[str]:
    """Return the tables of a place such as Tables 3–5 or Tables 6, 8."""
    kind, _, numbers = place.partition(" ")
    if not kind.endswith("s"):
        return [place]
    found: list[int] = []
    for part in numbers.split(", "):
        first, _, last = part.partition("–")
        found += range(int(first), int(last or first) + 1)
    return [f"{kind[:-1]} {number}" for number in found]


def test_every_printed_number_of_the_data_files_is_in_the_list_once(
    listed: tuple[str, list[dict[str, Any]]],
) -> None:
    name, parts = listed
    folder = Path(reproduction.__file__).parent / "published" / name.replace("-", "_")
    found = {f"{folder.name}/{file.name}" for file in folder.glob("*.csv")}
    files = found - {f"{folder.name}/listing.csv"}
    assert files == {part["file"] for part in parts if part["file"]}
    for file in files:
        counted = sum(part["values"] for part in parts if part["file"] == file)
        assert counted == _printed_numbers(file), file


def _printed_numbers(file: str) -> int:
    """All numbers but those that name a row; a test without a level is printed as well."""
    rows = published_rows(file)
    if {"level", "mark"} & rows[0].keys():
        return len(rows)
    return sum(
        isinstance(cell, float) and not column.startswith("resource_")
        for row in rows
        for column, cell in row.items()
    )


def test_every_part_says_what_became_of_it(listed: tuple[str, list[dict[str, Any]]]) -> None:
    for part in listed[1]:
        assert part["how"]
        if part["status"] == "recomputed" and part["values"]:
            assert abs(part["difference"]) <= part["tolerance"] + 1e-9
        elif part["status"] == "solved":
            low, high = part["solved"]
            assert low < high
        else:
            assert part["status"] in ("recomputed", "printed only")
            assert part["difference"] is None and part["solved"] is None


@pytest.mark.parametrize("name", ["ntcir7", "ntcir9"])
def test_what_is_called_drawn_is_drawn(name: str) -> None:
    study: Study = load(STUDIES[name])
    done = study.reproduce(Sampling(resamples=0))
    titles = [chart.title for chart in done.to_report().charts]
    for part in plain(done.to_json())["listing"]:
        if part["status"] == "recomputed" and not part["values"]:
            assert any(title.startswith(f"{part['place']},") for title in titles), part["place"]


def test_a_place_has_a_part_for_each_status() -> None:
    about = {"subject": "EJ", "metric": "BLEU", "published": 0.5, "tolerance": 0.001}
    values = [
        Value(estimate=Estimate(0.5), **about),
        Value(estimate=Estimate(0.499), **about),
        Value(estimate=Estimate(0.6), **about),
        Value(estimate=Estimate(0.6), **about, missing=("A",), solved=(1.5, 2.25)),
        Value(estimate=Estimate(0.6), **about, missing=("A",)),
    ]
    good, wrong, solved, lacking = recomputed("Table 1", "r", values, "from Table 2", "")
    assert (good.status, good.values, good.difference) == ("recomputed", 2, -0.001)
    assert (wrong.status, wrong.difference, wrong.tolerance) == ("differs", 0.1, 0.001)
    assert (solved.status, solved.solved, solved.how) == (
        "solved",
        (1.5, 2.25),
        "EJ BLEU of A: 1.5 to 2.25",
    )
    assert (lacking.status, lacking.values) == ("printed only", 1)


def test_numbers_of_a_file_of_several_tables_are_counted_by_table() -> None:
    file = "ntcir9/validation_published.csv"
    assert printed_only("Table 17", "r", "not public", file, ["pearson"]).values == 6
    assert printed_only("Table 18", "r", "not public", file, ["pearson"]).values == 18
    assert printed_only("Table 6", "signs", "not public").values == 0


def test_places_are_told_in_few_words() -> None:
    places = ["Table 5", "Table 11", "Figure 2", "Table 12", "Figure 4", "Figure 3", "Appendix B"]
    assert places_text(places) == "Tables 5, 11, 12, Figures 2–4, Appendix B"
    assert places_text(["Table 5"]) == "Table 5"
