"""Whole builds of the invented collection: what comes out, again, and after interruptions."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard

from command_line import patmark
from demo_builds import built, contents, demo_pipeline
from patmark.collections.corpus.build.aligning import paired_sections
from patmark.collections.corpus.build.document_pairs import pairs_per_shard
from patmark.collections.corpus.build.pipeline import STEPS, Build
from patmark.collections.patents.read import read_documents
from patmark.data import (
    Claim,
    Document,
    Paragraph,
    PatentText,
    read_jsonl_test_set,
    write_documents,
)
from patmark.engine.datasets import iter_rows, stored_files
from patmark.engine.engine import LocalEngine
from patmark.engine.steps import locked
from patmark.errors import InputError, UsageError

_QUICK = 'method = "gale-church"\ndictionary = "none"'


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Settings of a small collection, aligned by length only, which is fastest."""
    return demo_pipeline(tmp_path_factory.mktemp("demo"), align=_QUICK)


@pytest.fixture(scope="module")
def collection(pipeline: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A build that nothing has disturbed."""
    return built(pipeline, tmp_path_factory.mktemp("built"), LocalEngine(1))


def _pairs(build: Build) -> list[dict[str, Any]]:
    return list(iter_rows(build.folder / "pairs.parquet"))


def test_everything_is_counted(collection: Build) -> None:
    facts = collection.facts
    # 24 families: 2 are never translated, 4 have a grant besides, 1 claims two priorities
    assert facts["parse"]["by_office"] == {"CN": 24, "US": 26}
    assert facts["parse"]["broken"] == 1
    [broken] = facts["parse"]["broken_files"]
    assert (broken["file"], broken["records"]) == ("documents/broken.jsonl", 1)
    assert broken["first"].startswith("record 1: is no document")
    [listed] = (collection.folder / "broken.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(listed) == {"origin": broken["file"], "problem": broken["first"]}
    assert facts["families"]["by_offices"] == {
        "1": {"families": 4, "documents": 4},
        "2": {"families": 21, "documents": 46},
    }
    assert facts["document_pairs"] == {"family CN-US": 21}
    pairs = facts["pairs"]
    in_splits = sum(split["pairs"] for split in pairs["splits"].values())
    assert in_splits + sum(pairs["left_out"].values()) == pairs["total"]
    assert pairs["total"] == facts["align"]["beads"]["1-1"] == len(_pairs(collection))
    assert sum(each["pairs"] for each in pairs["scores"]) == pairs["total"]
    for counts in pairs["by"].values():
        assert sum(sum(each.values()) for each in counts.values()) == in_splits
    assert json.loads((collection.folder / "summary.json").read_bytes()) == json.loads(
        json.dumps(facts)
    )


def test_lengths_are_those_of_the_sentences(collection: Build) -> None:
    pairs = _pairs(collection)
    lengths = collection.facts["pairs"]["lengths"]
    assert len(lengths) == 2 * len(collection.facts["pairs"]["splits"])
    for row in lengths:
        texts = [pair[row["side"]] for pair in pairs if pair["split"] == row["split"]]
        for unit, sizes in (
            ("characters", [len(text) for text in texts]),
            ("words", [len(text.split()) for text in texts]),
        ):
            found = row[unit]
            assert (found["min"], found["max"]) == (min(sizes), max(sizes))
            assert found["mean"] == pytest.approx(sum(sizes) / len(sizes))
    titles = [table.title for table in collection.to_report().tables]
    assert "Lengths" in titles[2:]


def test_monolingual_documents_are_of_training_years_and_of_no_held_out_family(
    pipeline: Path, collection: Build, tmp_path: Path
) -> None:
    settings = pipeline.parent / "monolingual.toml"
    text = pipeline.read_text(encoding="utf-8")
    settings.write_text(f'{text}\n[monolingual]\nsides = ["target"]\n', encoding="utf-8")
    found = built(settings, tmp_path / "built", LocalEngine(1))
    lines = (found.folder / "monolingual.en.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert found.facts["monolingual"] == {"en": len(rows)} and rows
    last = found.facts["settings"]["split"]["test_from"] - 1
    assert max(int(row["date"][:4]) for row in rows) <= last
    held = {pair["target_id"] for pair in _pairs(found) if pair["split"] in ("dev", "test")}
    assert held and held.isdisjoint(row["id"] for row in rows)
    trained = {pair["target_id"] for pair in _pairs(found) if pair["split"] == "train"}
    assert trained <= {row["id"] for row in rows}
    assert all(row["lang"] == "en" and row["description"] for row in rows)
    assert not (collection.folder / "monolingual.en.jsonl").exists()


def test_splits_are_test_sets_and_hold_what_the_parquet_file_says(collection: Build) -> None:
    pairs = _pairs(collection)
    for split in ("train", "dev", "test"):
        found = read_jsonl_test_set(collection.folder / f"{split}.jsonl", "en", "zh")
        expected = {pair["id"]: pair for pair in pairs if pair["split"] == split}
        assert {segment.id for segment in found} == set(expected)
        for segment in found:
            pair = expected[segment.id]
            assert (segment.source, *segment.references) == (pair["source"], pair["target"])
            assert segment.document == pair["source_id"]
            assert segment.meta["family"] == pair["family"]
            assert segment.meta["rank"] == pair["rank"]
    assert [pair["rank"] for pair in pairs] == list(range(1, len(pairs) + 1))
    assert sorted(pairs, key=lambda pair: -pair["score"]) == pairs


def test_families_and_years_are_kept_apart(collection: Build) -> None:
    splits: dict[str, set[str]] = {}
    for pair in _pairs(collection):
        if pair["split"]:
            splits.setdefault(pair["family_group"], set()).add(pair["split"])
            assert (pair["target_date"] >= "2009") == (pair["split"] != "train")
    assert all(len(each) == 1 for each in splits.values())
    # family 12 claims the priority of family 11 too: simple families differ, the group does not
    families: dict[str, set[str]] = {}
    for row in iter_rows(next((collection.folder / "steps").glob("publications-*"))):
        families.setdefault(row["family_group"], set()).add(row["family"])
    assert Counter(len(each) for each in families.values())[3] == 1


def test_scores_are_those_of_the_paper(collection: Build) -> None:
    aligned = next((collection.folder / "steps").glob("aligned-*"))
    sims: dict[str, list[float]] = {}
    for row in iter_rows(aligned):
        if row["source_count"] and row["target_count"] and not row["problem"]:
            sims.setdefault(row["pair_id"], []).append(row["sim"])
    for pair in _pairs(collection):
        mean = sum(sims[pair["pair_id"]]) / len(sims[pair["pair_id"]])
        assert pair["avsim"] == pytest.approx(mean, abs=2e-9)
        assert pair["sntscore"] == pytest.approx(mean * pair["sim"], abs=5e-9)
        assert pair["score"] == pair["sntscore"]


def test_context_documents_are_those_of_dev_and_test(collection: Build) -> None:
    pairs = _pairs(collection)
    for split in ("dev", "test"):
        for side, language in (("source", "zh"), ("target", "en")):
            path = collection.folder / "context" / f"{split}.{language}.jsonl"
            rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            expected = {pair[f"{side}_id"] for pair in pairs if pair["split"] == split}
            assert {row["id"] for row in rows} == expected
            for row in rows:
                assert all(row[name] for name in ("title", "ipc", "abstract", "claims", "date"))
                assert row["lang"] == language


def test_done_again_it_does_nothing_and_gives_the_same_bytes(
    collection: Build, pipeline: Path, tmp_path: Path
) -> None:
    before = contents(collection.folder)
    again = built(pipeline, collection.folder, LocalEngine(1))
    assert again.done == ()
    assert contents(collection.folder) == before
    elsewhere = built(pipeline, tmp_path / "elsewhere", LocalEngine(2))
    assert contents(elsewhere.folder) == before
    assert set(elsewhere.done) >= {"parsed", "aligned", "split"}


def test_other_settings_redo_only_what_follows(
    collection: Build, pipeline: Path, tmp_path: Path
) -> None:
    shutil.copytree(collection.folder, tmp_path / "out")
    other = pipeline.with_name("other.toml")
    other.write_text(pipeline.read_text().replace("per_patent = 8", "per_patent = 3"))
    second = built(other, tmp_path / "out", LocalEngine(1))
    assert "cleaned" in second.skipped
    assert "drawn" in second.done
    assert len(list((tmp_path / "out" / "steps").glob("drawn-*"))) == 1
    redone = built(other, tmp_path / "out", LocalEngine(1), from_="clean")
    assert "ranked" in redone.skipped
    assert {"checked", "split"} <= set(redone.done)
    assert redone.facts == second.facts != collection.facts
    with pytest.raises(UsageError, match="the steps are parse, families, pairs, align"):
        built(other, tmp_path / "out", LocalEngine(1), from_="begin")


def test_scores_of_bicleaner_and_functions_are_filters_with_counts(
    pipeline: Path, collection: Build, tmp_path: Path
) -> None:
    pairs = _pairs(collection)
    low = {pair["id"] for pair in pairs if not pair["left_out"]}
    low = set(sorted(low)[:5])
    texts = {(pair["source"], pair["target"]) for pair in pairs if pair["id"] in low}
    scores = pipeline.parent / "bicleaner.tsv"
    scores.write_text(
        "".join(
            f"{pair['source']}\t{pair['target']}\t"
            f"{0.1 if (pair['source'], pair['target']) in texts else 0.9}\n"
            for pair in pairs[:-3]
        ),
        encoding="utf-8",
    )
    settings = pipeline.parent / "filtered.toml"
    text = pipeline.read_text(encoding="utf-8")
    section = '[filters]\nbicleaner = "bicleaner.tsv"\nplugins = ["demo_builds:keeps_all"]\n'
    settings.write_text(f"{text}\n{section}", encoding="utf-8")
    shutil.copytree(collection.folder, tmp_path / "built")
    found = built(settings, tmp_path / "built", LocalEngine(1))
    assert "aligned" in found.skipped and "bicleaner_read" in found.done
    refused = {pair["id"] for pair in _pairs(found) if "bicleaner" in pair["reasons"].split()}
    assert low <= refused
    assert found.facts["pairs"]["filters"]["bicleaner"] == len(refused)
    assert {pair["left_out"] for pair in _pairs(found) if pair["id"] in low} == {"filter"}
    assert found.facts["settings"]["filters"]["bicleaner"] == "bicleaner.tsv"


def test_a_new_file_is_read_alone_and_a_removed_one_is_forgotten(tmp_path: Path) -> None:
    copied = demo_pipeline(tmp_path / "demo", 4, align=_QUICK)
    documents, out = tmp_path / "demo" / "documents", tmp_path / "out"
    first = built(copied, out, LocalEngine(1))
    [step] = (out / "steps").glob("parsed-*")
    kept = {part: part.stat().st_mtime_ns for part in step.glob("part-*")}
    (documents / "us-2.jsonl").rename(tmp_path / "us-2.jsonl")
    (documents / "picture.tif").write_bytes(b"II*")
    second = built(copied, out, LocalEngine(1))
    assert second.facts["parse"]["records"] < first.facts["parse"]["records"]
    assert second.facts["parse"]["skipped_files"] == {".tif": 1}
    [new] = set(step.glob("part-*")) - set(kept)
    assert [row["origin"] for row in iter_rows(new)] == ["documents/picture.tif"] * 2
    assert all(part.stat().st_mtime_ns == before for part, before in kept.items())
    (documents / "picture.tif").unlink()
    (tmp_path / "us-2.jsonl").rename(documents / "us-2.jsonl")
    third = built(copied, out, LocalEngine(1))
    assert "parsed" in third.skipped
    assert third.facts == first.facts
    assert set(step.glob("part-*")) == set(kept)  # nothing of the other one is wanted any more


def test_files_that_were_only_touched_are_read_again_but_not_aligned(tmp_path: Path) -> None:
    copied = demo_pipeline(tmp_path / "demo", 4, align=_QUICK)
    first = built(copied, tmp_path / "out", LocalEngine(1))
    for path in (tmp_path / "demo" / "documents").iterdir():
        os.utime(path, (1e9, 1e9))
    second = built(copied, tmp_path / "out", LocalEngine(1))
    assert second.done == ("files", "parsed")
    assert second.facts == first.facts


def _tgz(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return packed.getvalue()


@pytest.mark.parametrize("ending", ["jsonl.gz", "jsonl.zst", "tgz"])
def test_a_truncated_file_keeps_what_precedes_the_damage_and_ends_with_1(
    ending: str, tmp_path: Path
) -> None:
    pipeline = demo_pipeline(tmp_path, align=_QUICK)
    documents = tmp_path / "documents"
    noise = "".join(random.Random(0).choices("0123456789abcdef", k=400_000)).encode()
    if ending == "tgz":
        jp = Path(__file__).parents[1] / "patents" / "data" / "synthetic_jp_gazette.xml"
        packed = _tgz({"a.xml": jp.read_bytes(), "b.xml": b"<jp-official-gazette>" + noise})
        expected = {"CN": 24, "JP": 1, "US": 26}
    else:
        whole = documents / "us-1.jsonl"
        lines = whole.read_bytes() + b'{"office": "' + noise
        packed = gzip.compress(lines) if ending.endswith("gz") else zstandard.compress(lines)
        whole.unlink()
        expected = {"CN": 24, "US": 26}
    (documents / f"us-1.{ending}").write_bytes(packed[: len(packed) * 3 // 4])
    done = patmark(
        tmp_path, "corpus", "build", pipeline, "--out", "built", "--workers", "1", "--json"
    )
    assert done.returncode == 1
    parsed = json.loads(done.stdout)["parse"]
    assert parsed["damaged"] >= 1 and parsed["by_office"] == expected
    damaged = parsed["broken_files"][-1]["file"]
    assert damaged.startswith(f"documents/us-1.{ending}")


@pytest.mark.parametrize("ending", ["xml.gz", "xml.zst", "jsonl.gz", "tar.zst"])
def test_a_file_that_is_damaged_from_its_beginning_is_listed(ending: str, tmp_path: Path) -> None:
    pipeline = demo_pipeline(tmp_path, align=_QUICK)
    text = "".join(random.Random(1).choices('<>abcdef {}"', k=20_000)).encode()
    packed = gzip.compress(text) if ending.endswith("gz") else zstandard.compress(text)
    turned = bytes(byte ^ 0x5A for byte in packed[20:200])
    (tmp_path / "documents" / f"us-9.{ending}").write_bytes(packed[:20] + turned + packed[200:])
    done = patmark(
        tmp_path, "corpus", "build", pipeline, "--out", "built", "--workers", "1", "--json"
    )
    assert done.returncode == 1
    parsed = json.loads(done.stdout)["parse"]
    assert parsed["by_office"] == {"CN": 24, "US": 26}
    assert any(
        each["file"].startswith(f"documents/us-9.{ending}") for each in parsed["broken_files"]
    )


def test_two_builds_in_one_folder_are_refused(pipeline: Path, tmp_path: Path) -> None:
    with (
        locked(tmp_path / "out" / "steps", tmp_path / "out"),
        pytest.raises(UsageError, match="out is being built by another process"),
    ):
        built(pipeline, tmp_path / "out", LocalEngine(1))
    with locked(tmp_path / "out" / "steps", tmp_path / "out"):  # and given back
        pass


def test_what_an_aligner_lacks_is_said_before_anything_is_read(tmp_path: Path) -> None:
    path = demo_pipeline(tmp_path / "demo", 3, align='method = "utiyama-isahara"')
    path.write_text(path.read_text().replace('lang = "zh-en"', 'lang = "zh-de"'))
    with pytest.raises(UsageError, match="utiyama-isahara needs a dictionary"):
        built(path, tmp_path / "out", LocalEngine(1))
    assert not list((tmp_path / "out" / "steps").glob("parsed-*"))


def test_a_killed_build_is_taken_up_again_and_loses_nothing(
    collection: Build, pipeline: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "patmark", "corpus", "build", pipeline, "--out",
               tmp_path / "out", "--workers", "1", "--quiet"]  # fmt: skip
    kept = "what was done is kept, and the same command goes on from there"
    ends = ("parsed", signal.SIGKILL), *[("aligned", signal.SIGINT)] * 5
    for step, end in ends:
        for made in (tmp_path / "out" / "steps").glob(f"{step}-*"):  # the kill came late
            shutil.rmtree(made)
        running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        for _ in range(1200):
            if list((tmp_path / "out" / "steps").glob(f"{step}-*")) or running.poll() is not None:
                break
            time.sleep(0.02)
        running.send_signal(end)
        _, told = running.communicate()
        if kept in told:  # else the build was complete before
            break
    assert running.returncode == 130
    assert told == f"patmark: stopped; {kept}\n"
    finished = built(pipeline, tmp_path / "out", LocalEngine(1))
    assert contents(finished.folder) == contents(collection.folder)


def test_documents_in_two_languages_are_pairs_of_their_own(
    shared_data: Path, tmp_path: Path
) -> None:
    samples = shared_data / "patents"
    settings = {
        "lang": "de-en", "inputs": [str(samples)], "pairs": {"kinds": ["document"]},
        "align": {"method": "gale-church", "sections": ["claims"]},
        "filters": {"shortest": 0, "number_share": 0, "sign_share": 0, "largest_ratio": 9},
        "duplicates": {"exact": "keep", "near": 0}, "split": {"dev": 0, "test": 0},
    }  # fmt: skip
    path = tmp_path / "pipeline.json"
    path.write_text(json.dumps(settings))
    build = built(path, tmp_path / "out", LocalEngine(1))
    pairs = [pair for pair in _pairs(build) if pair["section"] == "claims"]
    # the claims of the European specifications that are in German and English
    assert len(pairs) == 178
    assert all(pair["source_id"] == pair["target_id"] for pair in pairs)
    assert build.facts["align"]["lost"]["section is not asked for"]["sections"] > 0


def _publication(name: str, date: str, language: str, *, whole: bool) -> Document:
    """A document of one family; if it is not ``whole`` it is a bibliographic record."""
    title = {"zh": "齿轮泵", "en": "gear pump"}[language]
    sentence = {"zh": "该泵具有壳体和轴。", "en": "The pump has a housing and a shaft."}[language]
    text = PatentText(language, title, sentence)
    if whole:
        claims, description = (Claim(1, sentence),), (Paragraph("embodiments", "", sentence),)
        text = replace(text, claims=claims, description=description)
    named = Document(name[:2], name[2:-2], name[-2:], date, "marec", language, texts=(text,))
    return replace(named, family_id="7")


def _build_of(folder: Path, *documents: Document) -> Build:
    write_documents(folder / "documents.jsonl", documents)
    settings = {
        "lang": "zh-en", "inputs": ["documents.jsonl"], "split": {"dev": 0, "test": 0},
        "align": {"method": "gale-church", "dictionary": "none"},
    }  # fmt: skip
    (folder / "pipeline.json").write_text(json.dumps(settings))
    return built(folder / "pipeline.json", folder / "out", LocalEngine(1))


def test_a_publication_with_text_is_chosen_before_an_earlier_one_without(tmp_path: Path) -> None:
    chinese = _publication("CN104999901A1", "2015-10-21", "zh", whole=True)
    record = _publication("WO2016999901A1", "2016-03-03", "en", whole=False)
    grant = _publication("US9999901B2", "2018-06-19", "en", whole=True)
    build = _build_of(tmp_path, chinese, record, grant)
    assert {pair["target_id"] for pair in _pairs(build)} == {"US9999901B2"}
    [_, told] = build.to_report().findings
    assert told == (
        "1 earlier publication without claims and description gave way to one of its family that "
        "has them: US9999901B2 for WO2016999901A1."
    )


_TRANSLATED = (
    ("一种齿轮泵，包括壳体和两个齿轮。", "A gear pump includes a housing and two gears."),
    ("弹簧将阀压在阀座上。", "A spring presses the valve against a valve seat."),
)
_INDEPENDENT = (
    ("为了降低噪声，油在轴承中循环。", "No leakage occurs even if the pressure changes."),
    ("因此维护成本低。", "The cover can be removed by hand, and the tool is not needed."),
)


def _with_abstract(number: int, office: str, language: str, abstract: str, own: str) -> Document:
    side = ("zh", "en").index(language)
    sentences = [pair[side] for pair in _TRANSLATED]
    paragraphs = tuple(Paragraph("embodiments", "", text) for text in sentences)
    text = PatentText(language, "", abstract, (Claim(1, sentences[0]),), paragraphs)
    named = Document(office, str(number), "A", "2001-01-01", "marec", own, texts=(text,))
    return replace(named, family_id=str(number))


def test_abstracts_that_are_not_translations_are_left_out_and_counted(tmp_path: Path) -> None:
    documents = []
    for number, (abstract, own) in enumerate(
        ((_TRANSLATED, "en"), (_INDEPENDENT, "en"), (_TRANSLATED, "de"), (_TRANSLATED, "")), 1
    ):
        ours, theirs = (" ".join(pair[side] for pair in abstract) for side in (0, 1))
        documents += [
            _with_abstract(number, "CN", "zh", ours, "zh"),
            _with_abstract(number, "EP", "en", theirs, own),
        ]
    write_documents(tmp_path / "documents.jsonl", documents)
    for least, left_out in ((None, 1), (0, 0)):
        settings = {
            "lang": "zh-en", "inputs": ["documents.jsonl"], "split": {"dev": 0, "test": 0},
            "align": {"passes": 1}, "duplicates": {"exact": "keep", "near": 0},
            **({} if least is None else {"rank": {"abstracts": least}}),
        }  # fmt: skip
        (tmp_path / "pipeline.json").write_text(json.dumps(settings))
        found = built(tmp_path / "pipeline.json", tmp_path / f"out{least}", LocalEngine(1))
        in_abstracts = {
            (pair["pair_id"], pair["left_out"])
            for pair in _pairs(found)
            if pair["section"] == "abstract"
        }
        # the third is English beside a German publication, the fourth does not say
        assert in_abstracts == {
            ("CN1A:EP1A", ""), ("CN2A:EP2A", "abstract" if left_out else ""), ("CN4A:EP4A", "")
        }  # fmt: skip
        abstracts = found.facts["abstracts"]
        assert (abstracts["document_pairs"], abstracts["left_out"]) == (3, left_out)
        assert abstracts["example"] == ("CN2A:EP2A" if left_out else "")
        reason = "abstract in another language than that of its publication"
        assert found.facts["align"]["lost"][reason]["sections"] == 1
        said = [text for text in found.to_report().findings if "pairs of abstracts" in text]
        assert len(said) == left_out


def test_abstracts_in_two_languages_of_one_document_need_that_of_the_publication() -> None:
    texts = tuple(PatentText(each, abstract="Title of something.") for each in ("de", "en", "fr"))
    for own, is_paired in (("de", True), ("en", True), ("fr", False), ("und", True)):
        document = Document("WO", "1", "A1", "2001-01-01", "test", own, texts=texts)
        [pair] = paired_sections(document, document, "de", "en")
        assert (pair.problem == "") is is_paired, own


def test_replies_of_kipris_are_paired_with_english_relatives(tmp_path: Path) -> None:
    replies = Path(__file__).parents[1] / "patents/variants/korea.xml"
    korean = next(iter(read_documents(replies)))
    assert isinstance(korean, Document)
    claims = (
        "A cup comprising a wall and a lid on the wall.",
        "The cup of claim 1, wherein the wall is of metal.",
        "The cup of claim 1 or 2, further comprising a handle.",
    )
    text = PatentText("en", "Cup", claims=tuple(Claim(n, each) for n, each in enumerate(claims, 1)))
    write_documents(
        tmp_path / "documents.jsonl",
        [replace(korean, office="US", number="1", kind="B2", language="en", texts=(text,))],
    )
    settings = {
        "lang": "ko-en", "inputs": [str(replies), "documents.jsonl"],
        "split": {"dev": 0, "test": 0}, "align": {"sections": ["claims"]},
    }  # fmt: skip
    (tmp_path / "pipeline.json").write_text(json.dumps(settings))
    found = built(tmp_path / "pipeline.json", tmp_path / "out", LocalEngine(1))
    assert found.facts["document_pairs"] == {"family KR-US": 1}
    pairs = {pair["source"]: pair["target"] for pair in _pairs(found)}
    # claim 3 was deleted, so that claim 4 of the patent is the third one
    assert set(pairs.values()) == set(claims)
    assert pairs["제1항 또는 제2항에 있어서, 손잡이를 더 포함하는 컵."] == claims[2]


def test_a_pair_without_text_is_said(tmp_path: Path) -> None:
    chinese = _publication("CN104999901A1", "2015-10-21", "zh", whole=True)
    record = _publication("WO2016999901A1", "2016-03-03", "en", whole=False)
    build = _build_of(tmp_path, chinese, record)
    [_, told] = build.to_report().findings
    assert told.startswith("1 document pair has no claims and no description on one side")
    titles = [table.title for table in build.to_report().tables[:4]]
    assert "Sections not aligned" in titles  # the terminal shows why text was lost


def _of_tables(folder: Path, inputs: str) -> Build:
    """A build from rows of BigQuery, a Chinese and an American document, and a table of Lens."""
    files = folder / "files"
    files.mkdir()
    for country, language, number in (("CN", "zh", "104999901"), ("US", "en", "9999901")):
        sentence = {"zh": "泵具有壳体。", "en": "The pump has a housing."}[language]
        text = [{"text": sentence, "language": language}]
        row = {
            "publication_number": f"{country}-{number}-A", "country_code": country,
            "kind_code": "A", "family_id": "7", "publication_date": 20150101, "title_localized":
            text, "abstract_localized": text, "claims_localized": text,
        }  # fmt: skip
        with (files / "bq.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
    (files / "lens.csv").write_text(
        "Lens ID,Jurisdiction,Kind,Display Key,Publication Date,Title,Abstract\n"
        "1,US,B2,US 8888801 B2,2014-01-01,Valve,A valve.\n"
    )
    (files / "notes.csv").write_text("a,b\n1,2\n")
    settings = {
        "lang": "zh-en", "inputs": [inputs], "split": {"dev": 0, "test": 0},
        "align": {"method": "gale-church", "dictionary": "none"},
    }  # fmt: skip
    (folder / "pipeline.json").write_text(json.dumps(settings))
    return built(folder / "pipeline.json", folder / "out", LocalEngine(1))


@pytest.mark.parametrize("inputs", ["files", "files/bq.jsonl"])
def test_tables_of_patents_are_read_as_parse_reads_them(tmp_path: Path, inputs: str) -> None:
    facts = _of_tables(tmp_path, inputs).facts
    assert facts["document_pairs"] == {"family CN-US": 1}
    whole = inputs == "files"
    assert facts["parse"]["by_office"] == {"CN": 1, "US": 1 + whole}
    assert facts["parse"]["skipped_files"] == ({".csv": 1} if whole else {})


def test_without_pairs_the_records_that_could_not_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no document pair zh-en") as caught:
        _of_tables(tmp_path, "files/notes.csv")
    assert "no known patent format" in str(caught.value)


def test_without_pairs_it_says_so(tmp_path: Path) -> None:
    path = demo_pipeline(tmp_path / "demo", 3, align=_QUICK)
    path.write_text(path.read_text().replace('lang = "zh-en"', 'lang = "zh-de"'))
    with pytest.raises(InputError, match="no document pair zh-de"):
        built(path, tmp_path / "out", LocalEngine(1))
    path.write_text(path.read_text().replace('inputs = ["documents"]', 'inputs = ["none", "no"]'))
    with pytest.raises(InputError) as caught:
        built(path, tmp_path / "out", LocalEngine(1))
    assert len(caught.value.problems) == 2


def test_progress_moves_within_a_small_build_by_names_that_users_know(
    pipeline: Path, tmp_path: Path
) -> None:
    told: list[tuple[str, int, int]] = []
    built(pipeline, tmp_path / "out", LocalEngine(1), progress=lambda *each: told.append(each))
    assert {name for name, _, _ in told} == {*STEPS, "export"}
    assert {(1, 3), (2, 3), (3, 3)} <= {(n, total) for name, n, total in told if name == "align"}
    assert [pairs_per_shard(n) for n in (0, 100, 400, 10**6)] == [10, 10, 20, 50]


def test_every_step_can_be_named() -> None:
    assert list(STEPS) == ["parse", "families", "pairs", "align", "rank", "clean", "split"]


def test_files_behind_urls_give_the_same_collection_which_can_be_published(
    pipeline: Path, collection: Build, tmp_path: Path
) -> None:
    folder = (pipeline.parent / "documents").as_uri()
    path = tmp_path / "pipeline.toml"
    given = pipeline.read_text(encoding="utf-8")
    path.write_text(given.replace('"documents"', f'"{folder}?key=secret"'), encoding="utf-8")
    found = built(path, tmp_path / "out", LocalEngine(1))
    found.publish(f"{tmp_path.as_uri()}/store/collection")
    published = tmp_path / "store" / "collection"
    same = ("pairs.parquet", "train.jsonl", "test.jsonl", "context/test.zh.jsonl", "sample.csv")
    for name in same:
        assert (published / name).read_bytes() == (collection.folder / name).read_bytes()
    assert not (published / "steps").exists()
    broken = json.loads((published / "broken.jsonl").read_text(encoding="utf-8"))
    assert broken["origin"] == f"{folder}/broken.jsonl"
    assert "secret" not in (published / "summary.json").read_text(encoding="utf-8")
    assert built(path, tmp_path / "out", LocalEngine(1)).done == ()


@pytest.mark.parametrize("url", ["file:///no/such/folder", "foo://bucket/folder"])
def test_urls_that_cannot_be_read_are_named(pipeline: Path, tmp_path: Path, url: str) -> None:
    path = tmp_path / "pipeline.toml"
    given = pipeline.read_text(encoding="utf-8")
    path.write_text(given.replace('"documents"', f'"{url}"'), encoding="utf-8")
    with pytest.raises(InputError, match=url):
        built(path, tmp_path / "out", LocalEngine(1))


def test_keys_in_a_url_are_not_shown() -> None:
    with pytest.raises(InputError) as error:
        list(stored_files("foo://key:secret@bucket/folder"))
    assert "foo://bucket/folder" in str(error.value) and "secret" not in str(error.value)
