"""A bench from one's own patents: rows of all nine labels, balanced, checked by people."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from command_line import patmark
from demo_builds import built, demo_pipeline
from patmark.collections.corpus.held_out import HeldOut, read_held_out
from patmark.collections.corpus.term_pairs import KnownWords, TermPair
from patmark.engine import open_engine
from patmark.errors import InputError, UsageError
from patmark.protocols.patsnap.bench_files import read_patsnap_bench
from patmark.protocols.patsnap.building import (
    BenchSettings,
    accepted_rows,
    build_bench,
    write_bench,
)
from patmark.protocols.patsnap.overview import BenchOverview
from patmark.protocols.patsnap.rows import LABELS, flagged_rows


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    pipeline = demo_pipeline(folder / "demo", 14, align="passes = 1")
    return built(pipeline, folder / "built", open_engine("local", workers=1)).folder


@pytest.fixture(scope="module")
def held(collection: Path) -> HeldOut:
    return read_held_out(collection)


def test_invented_families_give_rows_of_all_labels_that_the_protocol_scores(
    held: HeldOut, tmp_path: Path
) -> None:
    bench = build_bench(held, BenchSettings(rows=6))
    counts = Counter(row.label for row in bench.rows)
    assert counts.keys() == set(LABELS) and max(counts.values()) <= 6
    write_bench(bench, str(tmp_path / "bench.jsonl"))
    read = read_patsnap_bench(tmp_path / "bench.jsonl", "cn2en")
    assert not any(flagged_rows(read, "cn2en"))
    done = patmark(tmp_path, "run", "oracle", "--testset", "bench.jsonl", "--direction", "cn2en",
                   "--out", "oracle.jsonl", "--then", "score", "--json",
                   "--resamples", "0")  # fmt: skip
    assert done.returncode == 0, done.stderr
    accuracy = json.loads(done.stdout)["accuracy_by_label"]
    assert accuracy.keys() == set(LABELS) and min(accuracy.values()) > 99


def test_rows_stand_for_several_patents_and_ipc_sections(held: HeldOut) -> None:
    bench = build_bench(held, BenchSettings(rows=12, per_patent=3))
    for label in ("normal_sentence", "special_sentence", "terminology_accuracy"):
        rows = [row for row in bench.rows if row.label == label]
        assert max(Counter(row.document for row in rows).values()) <= 3
        assert len({row.ipc[:1] for row in rows}) == len({row.ipc[:1] for row in bench.rows})
    texts = [row.source for row in bench.rows if row.label.endswith("sentence")]
    assert len(set(texts)) == len(texts)


def test_the_seed_decides_what_is_drawn(held: HeldOut) -> None:
    first, again = (build_bench(held, BenchSettings(rows=8, seed=1)) for _ in range(2))
    other = build_bench(held, BenchSettings(rows=8, seed=2))
    assert first.records == again.records != other.records


def test_terms_stand_as_often_on_both_sides(held: HeldOut) -> None:
    bench = build_bench(held)
    for row in bench.rows:
        if row.term is not None and row.target is not None:
            times = row.source.count(row.term.source)
            assert times == row.target.lower().count(row.term.target.lower())
            assert (times > 1) == (row.label == "terminology_consistency")


@pytest.mark.parametrize(
    ("source", "target", "faithful"),
    [
        ("压力为5 MPa以上。", "The pressure is 5000 kPa or more.", True),
        ("压力为5 MPa以上。", "The pressure is 6 MPa or more.", False),
        ("压力为5 MPa以上。", "The pressure is 5 MPa or less.", False),
        ("泵（3）与阀（4）连接。", "The pump (3) is connected to the valve (4).", True),
        ("泵（3）与阀（4）连接。", "The pump (5) is connected to the valve (4).", False),
    ],
)
def test_sentences_with_other_facts_are_left_out(source: str, target: str, faithful: bool) -> None:
    pairs = (_pair(1, "background", source, target), _pair(2, "background", "阀。", "A valve."))
    bench = build_bench(HeldOut(("zh", "en"), pairs, {}, (), KnownWords(("zh", "en"))))
    assert any(row.source == source for row in bench.rows) == faithful
    assert bench.to_json()["unfaithful_sentences"] == (not faithful)


def _pair(number: int, section: str, source: str, target: str) -> dict[str, Any]:
    return {"id": f"p:{number}", "source_id": "EP1", "target_id": "EP1", "pair_id": "p",
            "number": number, "ipc": "G06F 3/01", "section": section, "source": source,
            "target": target}  # fmt: skip


def _german() -> HeldOut:
    pairs = (
        _pair(1, "title", "Client/Server-System", "Client/server system"),
        _pair(2, "claims", "System mit einem Ventil.", "System with a valve."),
        _pair(3, "background", "Ventile sind bekannt.", "Valves are known."),
        _pair(4, "background", "Sie sind teuer.", "They are expensive."),
        _pair(6, "background", "Pumpen auch.", "So are pumps."),
    )
    document = {"title": "T", "abstract": "", "claims": "1. C", "description": ""}
    documents = {("EP1", "de"): document, ("EP1", "en"): {**document, "description": "x" * 999}}
    return HeldOut(("de", "en"), pairs, documents, (), KnownWords(("de", "en")))


def test_other_languages_give_a_test_set_with_the_same_labels(tmp_path: Path) -> None:
    bench = build_bench(_german())
    write_bench(bench, str(tmp_path / "bench.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "bench.jsonl").read_text().splitlines()]
    found = {row["meta"]["label"]: row for row in rows}
    assert found["special_character"]["meta"]["special_characters"] == ["/"]
    assert found["paragraph_accuracy"]["source"] == "Ventile sind bekannt. Sie sind teuer."
    assert found["document_accuracy"]["references"] == ["T\n1. C"]
    assert found["normal_sentence"]["meta"]["ipc"] == "G"
    assert "patent_writing_norm" not in found
    shown = BenchOverview.of_file(str(tmp_path / "bench.jsonl")).to_json()
    assert shown["rows"] == len(rows)


_DE_TEXT = """Technisches Gebiet
Die Erfindung betrifft Ventile.
Stand der Technik
Ventile sind bekannt.
Beschreibung der bevorzugten Ausführungsformen
Das Ventil hat einen Sitz."""
_EN_TEXT = """TECHNICAL FIELD
The invention relates to valves.
BACKGROUND ART
Valves are known.
DESCRIPTION OF THE PREFERRED EMBODIMENTS
The valve has a seat."""


def test_european_documents_give_headings_and_symbols_of_claims() -> None:
    claim = "1. Ventil, dadurch gekennzeichnet, dass der Anteil 5 % beträgt, " + "und so fort " * 20
    other = "1. Valve, characterised in that the share is 5 %, " + "and so on " * 20
    rows = {("EP1", "de"): {"description": _DE_TEXT, "claims": claim},
            ("EP1", "en"): {"description": _EN_TEXT, "claims": other}}  # fmt: skip
    held = HeldOut(
        ("de", "en"), (_pair(1, "claims", claim, other),), rows, (), KnownWords(("de", "en"))
    )
    found = {row.label: row for row in build_bench(held).rows}
    assert found["special_character"].special == ("%", "%")
    assert found["patent_writing_norm"].special == (
        ["PATENTANSPRÜCHE", "TECHNISCHES GEBIET", "STAND DER TECHNIK", "AUSFÜHRUNGSBEISPIELE"],
        ["CLAIM", "TECHNICAL FIELD", "BACKGROUND", "DETAILED DESCRIPTION"],
    )


@pytest.mark.parametrize("missing", ["abstract", "claims", "description"])
def test_documents_without_a_part_give_the_rows_that_they_can(missing: str) -> None:
    held = _german()
    documents = {
        key: {name: text for name, text in row.items() if name != missing}
        for key, row in held.documents.items()
    }
    found = {row.label for row in build_bench(replace(held, documents=documents)).rows}
    assert {"special_character", "paragraph_accuracy", "normal_sentence"} <= found


@pytest.mark.parametrize(
    ("languages", "term", "sentence"),
    [
        (("ja", "en"), ("圧力", "pressure"), ("圧力を測る。", "The pressure is measured.")),
        (("en", "zh"), ("pressure", "压力"), ("The pressure is measured.", "测量该压力。")),
    ],
)
def test_terms_are_found_in_all_languages(
    languages: tuple[str, str], term: tuple[str, str], sentence: tuple[str, str]
) -> None:
    proposed = TermPair(*term, 3, 3, 3, 1.0, 1.0, 1.0)
    pairs = (_pair(1, "background", *sentence),)
    held = HeldOut(languages, pairs, {}, (), KnownWords(languages))
    held.__dict__["terms"] = [proposed]
    assert [row.term for row in build_bench(held).rows if row.term] == [proposed]


def test_a_part_of_another_word_is_no_term() -> None:
    held = HeldOut(
        ("zh", "en"), (_pair(1, "background", "该泵的轴承支撑轴。", "The bearing of the pump "
                             "supports the shaft."),), {}, (), KnownWords(("zh", "en")),
    )  # fmt: skip
    held.__dict__["terms"] = [TermPair("轴", "shaft", 3, 3, 3, 1.0, 1.0, 1.0)]
    assert not [row for row in build_bench(held).rows if row.term]


def test_people_decide_which_rows_stay(held: HeldOut, tmp_path: Path) -> None:
    bench = build_bench(held, BenchSettings(rows=2))
    files = {name: str(tmp_path / name) for name in ("bench.jsonl", "review.csv", "kept.jsonl")}
    write_bench(bench, files["bench.jsonl"], review=files["review.csv"])
    sheet = Path(files["review.csv"]).read_text(encoding="utf-8-sig").splitlines()
    assert len(sheet) >= len(bench.rows) + 1
    header = "evaluator,system,segment,criterion,value\n"
    verdicts = [("a", 1, "correct"), ("b", 1, "wrong"), ("a", 2, "correct"), ("a", 3, "partly")]
    export = tmp_path / "export.csv"
    export.write_text(
        header + "".join(f"{who},corpus,{row},correctness,{said}\n" for who, row, said in verdicts)
    )
    counts = accepted_rows(files["bench.jsonl"], str(export), files["kept.jsonl"])
    kept = Path(files["kept.jsonl"]).read_text(encoding="utf-8").splitlines()
    assert counts == {"rows": len(bench.rows), "kept": 1, "correct": 1,
                      "unjudged": len(bench.rows) - 3}  # fmt: skip
    assert json.loads(kept[0]) == bench.records[1]
    more = accepted_rows(files["bench.jsonl"], str(export), files["kept.jsonl"], unjudged=True)
    assert more["kept"] == len(bench.rows) - 2
    other = build_bench(held, BenchSettings(rows=2, seed=5))
    write_bench(other, str(tmp_path / "other.jsonl"))
    filled = Path(files["review.csv"]).read_text(encoding="utf-8").replace(",,", ",correct,")
    (tmp_path / "filled.csv").write_text(filled, encoding="utf-8")
    with pytest.raises(InputError, match="review of another bench"):
        accepted_rows(
            str(tmp_path / "other.jsonl"), str(tmp_path / "filled.csv"), files["kept.jsonl"]
        )
    export.write_text(f"{header}a,corpus,999,correctness,correct\n")
    with pytest.raises(InputError, match="999"):
        accepted_rows(files["bench.jsonl"], str(export), files["kept.jsonl"])


def test_the_commands_build_show_and_accept(collection: Path, tmp_path: Path) -> None:
    made = patmark(tmp_path, "bench", "build", str(collection), "--out", "b.jsonl", "--rows", "3",
                   "--terms", "terms.csv", "--review", "review.csv", "--json")  # fmt: skip
    assert made.returncode == 0, made.stderr
    facts = json.loads(made.stdout)
    assert facts["rows"] == sum(of["rows"] for of in facts["labels"].values())
    assert (tmp_path / "terms.csv").read_text(encoding="utf-8").count("\n") > len(facts["terms"])
    shown = patmark(tmp_path, "bench", "overview", "b.jsonl")
    assert "terminology_consistency" in shown.stdout and "Labels by IPC section" in shown.stdout
    review = tmp_path / "review.csv"
    text = review.read_text(encoding="utf-8").replace(",,normal_sentence,", ",correct,x,")
    review.write_text(text, encoding="utf-8")
    done = patmark(tmp_path, "bench", "accept", "b.jsonl", "--judgements", "review.csv",
                   "--out", "kept.jsonl", "--json")  # fmt: skip
    assert json.loads(done.stdout)["kept"] == 3, done.stderr


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rows": 0}, "at least 1"),
        ({"labels": ("norms",)}, "no label 'norms'"),
        ({"labels": ("normal_sentence",) * 2}, "asked for twice"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        BenchSettings(**settings)


def test_percentages_are_those_of_the_published_description() -> None:
    """README of patsnap/patent-bench, patent-translation: counts and ratios by granularity."""
    published = {
        "word": (1015, 40.6), "character": (600, 24.0), "sentence": (526, 21.1),
        "paragraph": (294, 11.8), "document": (63, 2.5),
    }  # fmt: skip
    rows = [
        {"label": "normal_sentence", "granularity": name, "ipc": None, "origin": None,
         "domain": None, "source": "阀", "target": "valve", "document": None}
        for name, (count, _) in published.items()
        for _ in range(count)
    ]  # fmt: skip
    facts = BenchOverview("bench", rows).to_json()
    assert facts["rows"] == 2498
    assert facts["percent"]["granularity"] == {
        name: ratio for name, (_, ratio) in published.items()
    }


def test_an_overview_needs_no_translations(shared_data: Path) -> None:
    facts = BenchOverview.of_file(str(shared_data / "patsnap" / "sample.jsonl")).to_json()
    assert facts["rows"] == 222 and facts["labels"]["normal_character"]["rows"] == 27
    assert facts["labels"]["terminology_accuracy"]["without_target"] == 30
    assert facts["by_granularity"]["word"] == 63
    assert facts["percent"]["granularity"]["word"] == 28.4  # 63 of 222
    assert sum(facts["percent"]["label"].values()) == pytest.approx(100, abs=0.5)
    assert facts["labels"]["normal_character"]["characters"]["zh"] == [5, 15, 39]
