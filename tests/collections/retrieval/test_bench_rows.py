"""Rows of PatSnap's retrieval benches as qrels and topics, scored as they define it."""

from __future__ import annotations

import json
import random
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from command_line import patmark, patmark_json
from patmark.collections.retrieval import read_qrels, read_topics
from patmark.errors import InputError, UsageError

DEPTHS = (1, 3, 5, 10, 20)


def _rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def _novelty(number: int, rng: random.Random) -> dict[str, Any]:
    """A row: some X documents are also cited against the family; one in five has no family."""
    cited = [f"CN{rng.randrange(60)}A" for _ in range(rng.randrange(1, 4))]
    cited = list(dict.fromkeys(cited))
    others = [] if number % 5 == 0 else [*cited[:1], f" us{rng.randrange(60)}b1"]
    return {
        "id": number, "pn": f"CN9{number}B", "apdt": 20200131, "ipc": ["H01L21/00"], "lang": "CN",
        "type": "family" if others else "public", "pn_x": cited,
        "pn_x_family": [*cited, *(one.replace("CN", "EP") for one in cited)],
        "pn_family_x": others, "pn_family_x_family": [*others, *(f"{one}x" for one in others)],
    }  # fmt: skip


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Forty rows, one without X documents; results with gaps and letters of either case."""
    folder, rng = tmp_path_factory.mktemp("bench"), random.Random(7)
    rows = [_novelty(number, rng) for number in range(1, 41)]
    rows[3] |= {key: [] for key in ("pn_x", "pn_x_family", "pn_family_x", "pn_family_x_family")}
    names = [f"{office}{at}{kind}" for at in range(60)
             for office, kind in (("CN", "A"), ("cn", "a"), ("US", "B1"), ("EP", "A"))]  # fmt: skip
    found = {str(row["id"]): rng.sample(names, 30) for row in rows if row["id"] % 7}
    (folder / "results.json").write_text(json.dumps(found), encoding="utf-8")
    return _rows(folder / "test.jsonl", rows), folder / "results.json"


def _expected(bench: tuple[Path, Path], fields: tuple[str, str]) -> dict[str, float]:
    """top@K and recall@K by the definitions of the bench's README."""
    found = json.loads(bench[1].read_text(encoding="utf-8"))
    sums: dict[str, list[float]] = {}
    for line in bench[0].read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        truth = {one.strip().upper() for name in fields for one in row[name]}
        if not truth:
            continue
        ranked = list(dict.fromkeys(one.upper() for one in found.get(str(row["id"]), ())))
        for k in DEPTHS:
            hits = len(truth.intersection(ranked[:k]))
            sums.setdefault(f"HitRate@{k}", []).append(float(hits > 0))
            sums.setdefault(f"Recall@{k}", []).append(hits / len(truth))
    return {name: sum(values) / len(values) for name, values in sums.items()}


@pytest.mark.parametrize("collapsed", [False, True])
def test_top_and_recall_as_the_bench_defines_them(
    bench: tuple[Path, Path], tmp_path: Path, collapsed: bool
) -> None:
    fields = ("pn_x_family", "pn_family_x_family") if collapsed else ("pn_x", "pn_family_x")
    names = ",".join(f"top@{k},Recall@{k}" for k in DEPTHS)
    done = patmark_json(
        tmp_path, "retrieve", "evaluate", "--qrels", bench[0], "--run", f"mine={bench[1]}",
        "--measures", names, "--resamples", "20", *(["--collapsed"] if collapsed else []),
    )  # fmt: skip
    found = {name: one["value"] for name, one in done["systems"]["mine"].items()}
    expected = _expected(bench, fields)
    assert found == pytest.approx(expected) and 0 < expected["HitRate@3"] < expected["HitRate@20"]


def test_pres_of_targets_as_in_the_published_formula(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "country": "CN", "technical_text": "阀门。", "target_pns": ["A", "B", "C"]},
        {"id": 2, "country": "US", "technical_text": "A valve.", "target_pns": ["D"]},
    ]
    qrels = _rows(tmp_path / "test.jsonl", rows)
    (tmp_path / "r.json").write_text('{"1": ["x", "B", "y", "A"]}', encoding="utf-8")
    done = patmark_json(
        tmp_path, "retrieve", "evaluate", "--qrels", qrels, "--run", "r=r.json",
        "--measures", "HitRate@100,PRES@100", "--resamples", "0",
    )["systems"]["r"]  # fmt: skip
    missed = 100 + (3 + 2 + 1) / 2  # the rank of a document that is not found
    first = 1 - ((2 + 4 + missed) - 3 * 4 / 2) / (3 * 100)
    assert done["PRES@100"]["value"] == pytest.approx(first / 2)
    assert done["HitRate@100"]["value"] == 0.5


def test_rows_are_topics_if_they_have_a_text(tmp_path: Path, bench: tuple[Path, Path]) -> None:
    row = {"id": 7, "pn": "CN1B", "apdt": 20200131, "ipc": ["H01L21/00"], "pn_x": ["CN2A"]}
    [topic] = read_topics(_rows(tmp_path / "n.jsonl", [row | {"description": "A valve."}]))
    assert (topic.id, topic.text, topic.date) == ("7", "A valve.", date(2020, 1, 31))
    assert topic.ipc == ("H01L21/00",)
    [fto] = read_topics(_rows(tmp_path / "f.jsonl", [{"id": 1, "technical_text": "阀。",
                                                      "target_pns": []}]))  # fmt: skip
    assert (fto.text, fto.date) == ("阀。", None)
    with pytest.raises(InputError, match="add the description of CN91B as the field 'description'"):
        read_topics(bench[0])


def test_rows_that_are_refused(tmp_path: Path) -> None:
    good = {"id": 1, "pn_x": ["CN1A"], "pn_x_family": ["CN1A"]}
    for rows, message in (
        ([good | {"pn_x": "CN1A"}], "field 'pn_x'"),
        ([good | {"pn_family_x": ["a b"]}], "'a b' is no document number"),
        ([good, good], "id '1' occurs twice"),
        ([good, {"id": 2, "target_pns": []}], "mixes rows"),
    ):
        with pytest.raises(InputError, match=message):
            read_qrels(_rows(tmp_path / "q.jsonl", rows))
    with pytest.raises(InputError, match="field 'pn_x_family' is missing"):
        read_qrels(_rows(tmp_path / "q.jsonl", [{"id": 1, "pn_x": []}]), collapsed=True)
    (tmp_path / "q.txt").write_text("1 0 a 1\n")
    with pytest.raises(UsageError, match="has no effect"):
        read_qrels(tmp_path / "q.txt", collapsed=True)
    (tmp_path / "r.json").write_text('{"1": ["a"]}', encoding="utf-8")
    done = patmark(tmp_path, "retrieve", "evaluate", "--qrels", "q.txt", "--run", "r.json",
                   "--collapsed")  # fmt: skip
    assert done.returncode == 2 and "--collapsed has no effect" in done.stderr
