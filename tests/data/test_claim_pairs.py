"""Claim pairs: one test for each way in which a file can be broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from patmark.data.claim_pairs import (
    ClaimPair,
    ClaimPairs,
    read_claim_pairs,
    reference_hash,
    same_spaces,
    write_claim_pairs,
)
from patmark.errors import InputError, UsageError


def _entry(**changes: Any) -> dict[str, Any]:
    entry = {
        "gold_claim": "1. A valve comprising a spring.",
        "A": "1. A valve with a spring.",
        "B": "1. A pump.",
        "human_eval": {"Quality": 1},
    }
    return {name: value for name, value in (entry | changes).items() if value is not ...}


def _write(folder: Path, content: Any, name: str = "pairs.json") -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def _problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_claim_pairs(path)
    return [problem.message for problem in caught.value.problems]


def test_a_list_of_pairs_is_read(tmp_path: Path) -> None:
    content = [_entry(), _entry(human_eval={"Clarity": -1, "term use": 0}, meta={"id": 7})]
    pairs = read_claim_pairs(_write(tmp_path, content))
    assert len(pairs) == 2 and pairs.criteria == ("Quality", "Clarity", "term use")
    assert pairs.pairs[1].labels == {"Clarity": -1, "term use": 0}
    assert pairs.pairs[1].meta == {"id": 7}
    assert pairs.name.endswith("pairs.json")


def test_json_lines_are_read(tmp_path: Path) -> None:
    text = "".join(json.dumps(_entry(A=f"1. {word}.")) + "\n" for word in ("One", "Two"))
    pairs = read_claim_pairs(_write(tmp_path, text, "pairs.jsonl"))
    assert [pair.first for pair in pairs.pairs] == ["1. One.", "1. Two."]


@pytest.mark.parametrize("name", ["pairs.json", "pairs.jsonl", "pairs.json.gz", "pairs.jsonl.gz"])
def test_what_is_written_is_read_again(tmp_path: Path, name: str) -> None:
    pairs = (
        ClaimPair("1. A\nB.", "1. “Über”.", "1. 弁.", {"Quality": -1, "Clarity": 0}, {"a": [1]}),
        ClaimPair("r", "a", "b", {"Quality": 1}),
    )
    write_claim_pairs(tmp_path / name, pairs)
    assert read_claim_pairs(tmp_path / name).pairs == pairs
    if name.endswith(".gz"):
        assert gzip.decompress((tmp_path / name).read_bytes())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"gold_claim": ...}, "item 1: field 'gold_claim' is missing; expected a string"),
        ({"A": ...}, "item 1: field 'A' is missing; expected a string"),
        ({"B": 3}, "item 1: field 'B': expected a string, found a number"),
        ({"A": None}, "item 1: field 'A': expected a string, found null"),
        ({"gold_claim": " \n"}, "item 1: field 'gold_claim' is empty"),
        ({"B": ""}, "item 1: field 'B' is empty"),
        ({"A": "\ud800"},
         "item 1: is not usable JSON: holds half of a surrogate pair, which is no text"),
        ({"human_eval": ...},
         "item 1: field 'human_eval' is missing; expected an object of criteria"),
        ({"human_eval": 1}, "item 1: field 'human_eval': expected an object, found a number"),
        ({"human_eval": {}}, "item 1: field 'human_eval' names no criterion"),
        ({"human_eval": {" ": 1}}, "item 1: field 'human_eval' has a criterion without a name"),
        ({"human_eval": {"Quality": 2}},
         "item 1: human_eval.Quality: expected 1, 0 or -1, found 2"),
        ({"human_eval": {"Quality": 0.5}},
         "item 1: human_eval.Quality: expected 1, 0 or -1, found a number"),
        ({"human_eval": {"Quality": True}},
         "item 1: human_eval.Quality: expected 1, 0 or -1, found true or false"),
        ({"human_eval": {"Quality": "1"}},
         "item 1: human_eval.Quality: expected 1, 0 or -1, found a string"),
        ({"human_eval": {"Quality": None}},
         "item 1: human_eval.Quality: expected 1, 0 or -1, found null"),
        ({"C": "x"},
         "item 1: unknown field 'C'; the known ones are gold_claim, A, B, human_eval, meta"),
        ({"meta": []}, "item 1: field 'meta': expected an object, found a list"),
        ({"meta": {"x": "\ud800"}},
         "item 1: is not usable JSON: holds half of a surrogate pair, which is no text"),
    ],
)  # fmt: skip
def test_a_broken_pair_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    assert _problems(_write(tmp_path, [_entry(), _entry(**change)])) == [message]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("[]", "holds no pairs"),
        ("{}", "expected a JSON list of pairs (JSON Lines end in .jsonl), found '{'"),
        ("[1]", "item 0: expected a JSON object, found a number"),
        ('[{"A": 1,]', "is not valid JSON"),
        ('[{"A": "a", "A": "b"}]', "item 0: field 'A' occurs 2 times in one object"),
        ('[{"A": NaN}]', "item 0: is not valid JSON: NaN is not a JSON value"),
        ('[{"meta": {"x": 1e999}}]', "item 0: is not usable JSON: the number 1e999 is too large"),
        ("[" * 200_000, "is not usable JSON: nested too deeply"),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    [found] = _problems(_write(tmp_path, text))
    assert found.startswith(message)


def test_bad_utf8_and_absent_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    assert _problems(path) == ["no such file"]
    path.write_bytes(b"[\n\xff]")
    assert _problems(path) == ["is not UTF-8: byte 1 of the line (0xFF)"]


def test_all_problems_are_listed_with_item_and_line(tmp_path: Path) -> None:
    content = [_entry(A=1, B=""), _entry(), _entry(human_eval={"Quality": 5, "Clarity": 1.0})]
    found = _problems(_write(tmp_path, content))
    assert [message.split(":")[0] for message in found] == ["item 0"] * 2 + ["item 2"] * 2
    listed = ",\n".join(map(json.dumps, [_entry(A=1), 3, _entry(B=2)]))
    with pytest.raises(InputError) as caught:
        read_claim_pairs(_write(tmp_path, f"[{listed}]"))
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3]
    assert "item 2: field 'B'" in str(caught.value)
    lines = "\n".join([json.dumps(_entry()), "", json.dumps(_entry(A=1))])
    with pytest.raises(InputError) as caught:
        read_claim_pairs(_write(tmp_path, lines, "pairs.jsonl"))
    assert [problem.line for problem in caught.value.problems] == [2, 3]
    assert "item 2: field 'A'" in str(caught.value)


def test_the_reference_as_a_candidate_is_found_whatever_its_white_space() -> None:
    pair = ClaimPair("1. A  valve.\n2. B.", "1. A valve. 2. B. ", "1. C.", {"Quality": 1})
    assert pair.holds_reference
    assert not ClaimPair("1. A valve.", "1. a valve.", "x", {"Quality": 1}).holds_reference
    assert same_spaces(" a\t b\n") == "a b"


def test_labels_may_be_absent_where_they_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps([_entry(human_eval=...), _entry(human_eval={}), _entry()]))
    read = read_claim_pairs(path, labels="optional")
    assert [dict(pair.labels) for pair in read.pairs] == [{}, {}, {"Quality": 1}]
    with pytest.raises(InputError) as caught:
        read_claim_pairs(path)
    assert len(caught.value.problems) == 2
    path.write_text(json.dumps([_entry(human_eval={"Quality": 7})]))
    with pytest.raises(InputError, match="expected 1, 0 or -1"):
        read_claim_pairs(path, labels="optional")


def test_references_are_named_by_a_hash_whatever_their_white_space() -> None:
    assert reference_hash("1. A\n valve. ") == reference_hash("1. A valve.")
    assert reference_hash("1. A valve.") != reference_hash("1. A pump.")
    # SHA-256 of "a" begins so (FIPS 180 test programs, coreutils sha256sum)
    assert reference_hash(" a") == "ca978112ca1bbdca"


def test_an_unknown_criterion_is_refused() -> None:
    pairs = ClaimPairs((ClaimPair("r", "a", "b", {"Quality": 1}),))
    with pytest.raises(UsageError, match="no criterion 'quality'; there are Quality"):
        pairs.check_criterion("quality")


def test_every_ending_of_json_lines_holds_pairs(tmp_path: Path) -> None:
    pair = ClaimPair("1. A pump.", "1. A pump.", "1. A fan.", {"Quality": 1})
    for name in ("pairs.jsonl", "pairs.ndjson"):
        write_claim_pairs(tmp_path / name, [pair, pair])
        assert len((tmp_path / name).read_text(encoding="utf-8").splitlines()) == 2
        assert len(read_claim_pairs(tmp_path / name)) == 2
