"""The example data: well-formed, complete, and different in the ways the demo relies on."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from command_line import patmark, patmark_json
from patmark.errors import UsageError
from patmark.examples import SYSTEMS, example_names, example_path

BENCH_KEYS = [
    "pn", "ipc", "content_cn", "content_en", "label_1", "label_2", "label_3",
    "special_cn", "special_en", "domain",
]  # fmt: skip
LABELS = {
    "normal_character": "character",
    "special_character": "character",
    "terminology_accuracy": "word",
    "terminology_consistency": "word",
    "normal_sentence": "sentence",
    "special_sentence": "sentence",
    "paragraph_accuracy": "paragraph",
    "document_accuracy": "document",
    "patent_writing_norm": "document",
}
DETAILS = {
    "normal_sentence": {"short", "long"},
    "special_sentence": {
        "abstract", "english_title", "technical_field", "background", "summary",
        "brief_description_of_drawings", "detailed_description",
    },
    "paragraph_accuracy": {"abstract", "description", "claims"},
}  # fmt: skip
DOMAINS = {
    "computer_science", "mechanical_engineering", "materials",
    "electrical", "chemistry", "medicine",
}  # fmt: skip
WITHOUT_ENGLISH = {"terminology_accuracy", "terminology_consistency", "patent_writing_norm"}
DIRECTIONS = {"cn2en": "content_cn_translate", "en2cn": "content_en_translate"}
HAN = re.compile("[\u4e00-\u9fff]")
JA_EN = (
    "source.ja", "reference.en", "reference2.en", "documents.txt",
    "atlas.en", "borealis.en", "cobalt.en",
)  # fmt: skip
JA_EN_JUDGED = ("judgements.csv", "preferences.csv")
EN_ZH = ("source.en", "reference.zh", "atlas.zh", "borealis.zh")


def rows(direction: str, system: str) -> list[dict[str, Any]]:
    text = example_path(f"patsnap_{direction}/{system}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def bench(direction: str, system: str = "atlas") -> list[dict[str, Any]]:
    return [{key: row[key] for key in BENCH_KEYS} for row in rows(direction, system)]


def lines(name: str) -> list[str]:
    return example_path(name).read_text(encoding="utf-8").split("\n")[:-1]


def tokens(text: str) -> list[str]:
    """Words of a Latin text, single characters of a Chinese one."""
    return re.findall(
        "[\u3040-\u30ff\u4e00-\u9fff]|[^\\W\u3040-\u30ff\u4e00-\u9fff]+", text.lower()
    )


def overlap_f1(pairs: Iterable[tuple[str, str]]) -> float:
    """Word-overlap F1 of (output, reference) pairs, counts summed over all pairs."""
    common = total = 0
    for output, reference in pairs:
        ours, theirs = Counter(tokens(output)), Counter(tokens(reference))
        common += (ours & theirs).total()
        total += ours.total() + theirs.total()
    return 2 * common / total


def patsnap_f1(direction: str, system: str) -> float:
    reference = "content_en" if direction == "cn2en" else "content_cn"
    field = DIRECTIONS[direction]
    scored = [row for row in rows(direction, system) if row["content_en"] != "Zero"]
    return overlap_f1((row.get(field, ""), row[reference]) for row in scored)


def clearly_falling(values: Sequence[float]) -> bool:
    return all(a > b + 0.05 for a, b in pairwise(values))


def test_names_lead_to_what_exists() -> None:
    names = example_names()
    folders = [
        "campaign_claims", "campaign_zh_en", "en_zh", "ja_en", "patsnap_cn2en", "patsnap_en2cn",
        "whole_documents",
    ]  # fmt: skip
    assert list(names[:7]) == folders
    older = [name for name in names[7:] if not name.startswith(("campaign_", "whole_documents"))]
    assert len(older) == len(EN_ZH) + len(JA_EN) + len(JA_EN_JUDGED) + 2 * len(SYSTEMS)
    assert all(example_path(name).is_dir() for name in folders)
    assert all(example_path(name).is_file() for name in names[7:])


@pytest.mark.parametrize("name", ["", "nothing", "../errors.py", "README.md", "ja_en/none.en"])
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UsageError, match=r"patsnap_cn2en/atlas\.jsonl"):
        example_path(name)


def test_files_are_clean_text_and_small() -> None:
    paths = [example_path(name) for name in example_names()]
    contents = {path: path.read_bytes() for path in paths if path.is_file()}
    assert sum(map(len, contents.values())) < 510_000
    for path, content in contents.items():
        text = content.decode("utf-8")
        assert text.endswith("\n") and not text.endswith("\n\n"), path
        assert "\r" not in text and not text.startswith("\ufeff"), path
        assert not re.search(r"[ \t\u3000]$", text, re.MULTILINE), path
    assert (example_path("ja_en").parent / "README.md").is_file()


@pytest.mark.parametrize(("direction", "field"), DIRECTIONS.items())
@pytest.mark.parametrize("system", SYSTEMS)
def test_bench_rows_have_the_keys_in_order(direction: str, field: str, system: str) -> None:
    for number, row in enumerate(rows(direction, system), 1):
        assert list(row) in (BENCH_KEYS, [*BENCH_KEYS, field]), number
        assert isinstance(row.get(field, ""), str), number


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_bench_fields_are_the_same_for_all_systems(direction: str) -> None:
    assert bench(direction, "borealis") == bench(direction)
    assert bench(direction, "cobalt") == bench(direction)


def test_labels_are_complete_and_typed() -> None:
    table = bench("cn2en")
    assert {row["label_2"] for row in table} == set(LABELS)
    for row in table:
        assert row["label_1"] == LABELS[row["label_2"]]
        assert row["label_3"] in DETAILS.get(row["label_2"], {"Zero"})
    for label, details in DETAILS.items():
        assert {row["label_3"] for row in table if row["label_2"] == label} == details


def test_zero_stands_where_the_format_wants_it() -> None:
    for row in bench("cn2en"):
        bare = row["label_2"] in WITHOUT_ENGLISH
        assert (row["content_en"] == "Zero") == bare
        assert (row["pn"] == "Zero") == (row["ipc"] == "Zero") == bare
        assert (row["domain"] in DOMAINS) == bare
        assert bare or re.fullmatch(r"CN9\d{8}[AU]", row["pn"])
        assert bare or row["ipc"] in set("ABCDEFGH")


def test_patents_and_sections_are_spread_evenly() -> None:
    known = [row for row in bench("cn2en") if row["pn"] != "Zero"]
    assert 25 <= len({row["pn"] for row in known}) <= 30
    assert min(Counter(row["pn"] for row in known).values()) >= 2
    sections = Counter(row["ipc"] for row in known)
    assert set(sections) == set("ABCDEFGH")
    assert min(sections.values()) >= 10
    assert len({(row["pn"], row["ipc"]) for row in known}) == len({row["pn"] for row in known})


def test_special_fields_fit_their_label() -> None:
    for row in bench("cn2en"):
        label, chinese, english = row["label_2"], row["special_cn"], row["special_en"]
        if label == "special_character":
            assert chinese == english and chinese in "-@*/%"
            assert chinese in row["content_cn"] and english in row["content_en"]
        elif label in {"terminology_accuracy", "terminology_consistency"}:
            wanted = 1 if label == "terminology_accuracy" else 2
            assert row["content_cn"].count(chinese) >= wanted
        elif label == "patent_writing_norm":
            assert len(english) == 7 and all(heading.isupper() for heading in english)
            assert all(heading in row["content_cn"] for heading in chinese[1:-1].split("、"))
        else:
            title = row["label_3"] == "english_title"
            assert (chinese, english) == ("Zero", "[a，an，the]" if title else "Zero")


def test_the_english_to_chinese_rows_are_a_part_of_the_bench() -> None:
    whole, part = bench("cn2en"), bench("en2cn")
    assert all(row in whole for row in part)
    assert {row["label_2"] for row in part} == set(LABELS) - WITHOUT_ENGLISH


@pytest.mark.parametrize(
    ("folder", "names", "count"), [("ja_en", JA_EN, 120), ("en_zh", EN_ZH, 30)]
)
def test_lines_are_aligned(folder: str, names: tuple[str, ...], count: int) -> None:
    assert {name: len(lines(f"{folder}/{name}")) for name in names} == dict.fromkeys(names, count)


def test_japanese_documents_have_five_segments_each() -> None:
    assert list(Counter(lines("ja_en/documents.txt")).values()) == [5] * 24
    source = lines("ja_en/source.ja")
    assert sum("請求項" in line for line in source) >= 24
    assert any("ステップＳ１０１" in line for line in source)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_systems_rank_as_told_on_the_bench(direction: str) -> None:
    scores = [patsnap_f1(direction, system) for system in SYSTEMS]
    assert scores[0] < 1 and clearly_falling(scores)


@pytest.mark.parametrize("reference", ["reference.en", "reference2.en"])
def test_systems_rank_as_told_on_japanese(reference: str) -> None:
    expected = lines(f"ja_en/{reference}")
    outputs = [lines(f"ja_en/{system}.en") for system in SYSTEMS]
    scores = [overlap_f1(zip(output, expected, strict=True)) for output in outputs]
    assert scores[0] < 1 and clearly_falling(scores)


def test_systems_rank_as_told_on_chinese_lines() -> None:
    expected = lines("en_zh/reference.zh")
    outputs = [lines(f"en_zh/{system}.zh") for system in ("atlas", "borealis")]
    scores = [overlap_f1(zip(output, expected, strict=True)) for output in outputs]
    assert scores[0] < 1 and clearly_falling(scores)


def test_cobalt_has_its_faults_in_english() -> None:
    field = DIRECTIONS["cn2en"]
    table = rows("cn2en", "cobalt")
    outputs = [row[field] for row in table if field in row]
    assert len(table) - len(outputs) == 2
    assert outputs.count("") == 1
    assert sum(HAN.search(output) is not None for output in outputs) >= 20
    general = [row for row in table if row["content_en"] != "Zero" and row.get(field)]
    ratios = [len(row[field].split()) / len(row["content_en"].split()) for row in general]
    assert sum(ratio > 5 for ratio in ratios) == 1
    assert sum(ratio < 0.5 for ratio in ratios) >= 4


def test_cobalt_has_its_faults_in_chinese() -> None:
    field = DIRECTIONS["en2cn"]
    table = rows("en2cn", "cobalt")
    answered = [row for row in table if field in row]
    assert len(table) - len(answered) == 1
    assert [row[field] for row in answered].count("") == 1
    assert sum(len(row[field]) > 5 * len(row["content_cn"]) for row in answered) == 1
    letters = re.compile("[A-Za-z]")
    leaks = [letters.search(r[field]) and not letters.search(r["content_cn"]) for r in answered]
    assert sum(map(bool, leaks)) >= 5


def test_cobalt_has_its_faults_in_lines() -> None:
    outputs, expected = lines("ja_en/cobalt.en"), lines("ja_en/reference.en")
    pairs = list(zip(outputs, expected, strict=True))
    assert outputs.count("") == 1
    assert sum(len(a.split()) > 5 * len(b.split()) for a, b in pairs) == 1
    japanese = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
    assert sum(japanese.search(output) is not None for output in outputs) >= 10


@pytest.mark.parametrize(("direction", "field"), DIRECTIONS.items())
def test_the_better_systems_answer_every_row_in_one_language(direction: str, field: str) -> None:
    for system in ("atlas", "borealis"):
        outputs = [row[field] for row in rows(direction, system)]
        assert all(outputs)
        assert direction != "cn2en" or not any(map(HAN.search, outputs))


def test_the_command_writes_them_into_a_new_folder_only(tmp_path: Path) -> None:
    written = patmark_json(tmp_path, "examples", "try")["files"]
    names = [str(Path(name).relative_to("try")) for name in written]
    assert {name for name in example_names() if "/" in name} <= set(names)
    assert {"atlas.en", "reference.zh", "cobalt.jsonl"} <= set(names)
    assert (tmp_path / "try" / "atlas.en").read_bytes() == example_path(
        "ja_en/atlas.en"
    ).read_bytes()
    again = patmark(tmp_path, "examples", "try")
    assert again.returncode == 2 and "name a new folder" in again.stderr
