"""Mutated files for every reader: no traceback, no hang, no flood of memory.

    python benchmarks/fuzz.py [INPUTS] [--seed N] [--only NAME]

Each reader gets small files of its own form with bytes, lines and values changed, cut, doubled,
moved or put in from elsewhere. It may read them or refuse them with a PatmarkError; anything else,
more than 10 seconds, or a process of more than 1 GB is a fault. INPUTS (100,000) are shared by all
readers. A fault is printed with the reader and the seed that makes the file again. Exits with 1 if
there is one.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shutil import copytree
from typing import Any, cast

import patmark
from patmark.alignment.gold import read_gold
from patmark.claims.parser import parse_claims
from patmark.collections.corpus.build.settings import read_pipeline
from patmark.collections.corpus.demo_families import DemoFamilies
from patmark.collections.corpus.judged_sample import read_judged
from patmark.collections.corpus.pair_rows import iter_pair_rows
from patmark.collections.patents.formats.mapped import read_mapping
from patmark.collections.patents.read import UNREADABLE, _records as split_records, read_documents
from patmark.collections.retrieval.collection import read_collection
from patmark.collections.retrieval.qrels import read_qrels
from patmark.collections.retrieval.rankings import read_ranking
from patmark.collections.retrieval.topics import read_topics
from patmark.data.annotations import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    Rating,
    write_annotations,
)
from patmark.data.claim_pairs import read_claim_pairs
from patmark.data.dictionaries import read_glossary
from patmark.data.documents import (
    BrokenRecord,
    Document,
    document_to_json,
    read_document_jsonl,
)
from patmark.data.manifest import read_manifest
from patmark.data.model import Run, TestSet
from patmark.data.score_tables import read_score_table
from patmark.data.tables import read_tsv
from patmark.data.test_sets import (
    read_jsonl_run,
    read_jsonl_test_set,
    read_line_test_set,
)
from patmark.errors import PatmarkError
from patmark.evaluation.score_files import read_scores, save_scores
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.examples import example_path
from patmark.human.campaign.form import read_form
from patmark.human.campaign.settings import read_campaign
from patmark.human.judgements.files import read_judgements
from patmark.human.judgements.formats.label_studio import write_label_studio
from patmark.human.judgements.formats.pearmut import write_pearmut_annotations
from patmark.human.judgements.formats.wmt_mqm import write_wmt_mqm
from patmark.human.judgements.model import parse_scale
from patmark.protocols.patsnap.bench_files import read_patsnap
from patmark.systems.run import read_template

INPUTS, MOST_SECONDS, MOST_MEGABYTES = 100_000, 10, 1000
_SEED_BYTES = 6000
_PACKAGE = Path(patmark.__file__).parent
_PATENTS = Path(__file__).parents[1] / "tests" / "collections" / "patents" / "data"
_ODD = (
    b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\n\n", b"\t\t",
    b'"', b"'", b"{", b"}", b"[[[[[[[[", b"]", b"null", b"true", b"NaN", b"-1", b"1e999",
    b"9" * 400, b"\\u0000", b"\\ud800", b"&amp;", b"<", b"</", b"&b;", b"- ", b": ", b"!!x",
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"&a *a", b"=1+1", b"a" * 5000,
    "\u2028".encode(), "１２".encode(), "第１の".encode(), "𝟙".encode(),
)  # fmt: skip


_VALUES = (
    None, True, False, 0, -1, 1.5, 10**400, float("nan"), float("inf"), "", " ", "a", "\0",
    "\ud800", "1", "=1", [], [None], [[]], {}, {"": {}}, {"a": [1]}, ["a", 1],
    "x" * 5000, [0] * 500,
)  # fmt: skip


_MAPPING = """record = "//patent-application-publication"
[fields]
number = ".//document-id/doc-number"
publication_date = ".//document-id/document-date"
title = ".//title-of-invention"
claims = ".//claim"
[fixed]
office = "US"
language = "en"
[priorities]
each = ".//foreign-priority-data"
country = "country-code"
number = ".//doc-number"
date = "filing-date"
"""


@dataclass(frozen=True)
class Reader:
    """A reader with seeds: the ending of a file and its content."""

    read: Callable[[Path], Any]
    seeds: tuple[tuple[str, bytes], ...]


@dataclass
class Outcome:
    """Outcomes of the inputs of a reader."""

    taken: int = 0
    refused: int = 0
    faults: list[str] = field(default_factory=list)


def _annotations(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Write error annotations in every format, with marks on both sides and without a place."""
    rated = tuple(Rating(system, "1", "ann", 80.0, "d") for system in "AB")
    marks = (
        Annotation("A", "1", "ann", 2, 3, "target", "Accuracy/Mistranslation", "major"),
        Annotation("A", "1", "ann", 0, 1, "source", "Accuracy/Omission", "minor"),
        Annotation("A", "1", "ann", 4, 4, "target", "Other", "minor"),
    )
    annotations = Annotations(rated, marks)
    texts = AnnotatedTexts({"1": "𠮷野"}, {("A", "1"): "a 𝒙 b c", ("B", "1"): "d"})
    writers = {
        ".jsonl": write_annotations,
        ".tsv": write_wmt_mqm,
        ".json": write_label_studio,
        ".log": write_pearmut_annotations,
    }
    for ending, write in writers.items():
        path = folder / f"annotations{ending}"
        write(path, annotations, texts)
        yield ending, path.read_bytes()
    span = {"start": 2, "end": 3, "category": "omission", "severity": "minor"}
    answer = {"kind": "answer", "item": "1", "evaluator": "e", "systems": ["A"]}
    answer |= {"criterion": "errors", "value": "1", "spans": [span]}
    yield from _rows(".jsonl", answer)


def _example(*names: str) -> tuple[tuple[str, bytes], ...]:
    files = _files(*map(example_path, names))
    return tuple((ending, _whole_lines(content)) for ending, content in files)


def _files(*paths: Path) -> tuple[tuple[str, bytes], ...]:
    return tuple((path.suffix, path.read_bytes()) for path in paths)


def _whole_lines(content: bytes) -> bytes:
    return (
        content
        if len(content) < _SEED_BYTES
        else content[: content.rindex(b"\n", 0, _SEED_BYTES) + 1]
    )


def _text(ending: str, content: str) -> tuple[tuple[str, bytes], ...]:
    return ((ending, content.encode()),)


def _rows(ending: str, *rows: dict[str, Any]) -> tuple[tuple[str, bytes], ...]:
    return _text(ending, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def _offices() -> tuple[tuple[str, bytes], ...]:
    folders = (_PATENTS, _PATENTS.parent / "collections", _PATENTS.parent / "markup")
    files = sorted(path for each in folders for path in each.iterdir() if path.suffix != ".md")
    plain = _files(*files)
    variants = sorted((_PATENTS.parent / "variants").iterdir())
    records = (
        (path.suffix, each)
        for path in variants
        if path.suffix in (".sgm", ".txt", ".xml")
        for each in _records(path)
    )
    return (*plain, *records, (".xml.gz", gzip.compress(plain[0][1], mtime=0)))


def _records(path: Path) -> list[bytes]:
    with path.open("rb") as stream:
        return [record for record in split_records(stream, None) if isinstance(record, bytes)]


def _read_offices(path: Path) -> None:
    """Read patent files, where what a reader did not foresee is a broken record, too."""
    for found in read_documents(path):
        if isinstance(found, BrokenRecord) and UNREADABLE in found.message:
            raise RuntimeError(found.message)


def _all(rows: Iterable[Any]) -> None:
    deque(rows, maxlen=0)


def readers(folder: Path) -> dict[str, Reader]:
    """Every reader of files that a person may bring; files that others name are in the folder."""
    guidelines = _PACKAGE / "human" / "campaign" / "guidelines"
    for needed in (example_path("campaign_zh_en"), example_path("ja_en"), guidelines):
        copytree(needed, folder, dirs_exist_ok=True)
    known = TestSet.of(["a", "b", "c"])
    [document, *_] = read_documents(_PATENTS / "synthetic_us_pap.xml")
    evaluation = evaluate(known, [Run("mine", ("a", "b", "d"))], ["BLEU"], Sampling(resamples=0))
    save_scores(folder / "saved.json", evaluation.scores, [None] * 3)
    pipeline = DemoFamilies(2).write(folder)
    mapped = _PATENTS / "synthetic_us_pap.xml"
    pair = {"gold_claim": "1. A pump.", "A": "1. A.", "B": "1. B.", "human_eval": {"Quality": 1}}
    answer = {"item": "s1", "evaluator": "e1", "system": "A", "values": {"adequacy": 4}}
    annotation = {"completed_by": 1, "result": [{"from_name": "adequacy", "value": {"rating": 4}}]}
    task = {"id": 1, "data": {"system": "a", "segment": "1"}, "annotations": [annotation]}
    form = (_PACKAGE / "human" / "campaign" / "forms" / "adequacy.json").read_text("utf-8")
    return {
        "lines": Reader(
            lambda path: read_line_test_set([path], target_language="en"),
            _example("ja_en/reference.en"),
        ),
        "tsv": Reader(
            lambda path: read_tsv(path, "en"),
            _text(".tsv", "id\tsource\treference\n1\t甲\tA pump.\n2\t乙\tB.\n"),
        ),
        "test set": Reader(
            lambda path: read_jsonl_test_set(path, "en"), _example("campaign_zh_en/testset.jsonl")
        ),
        "run": Reader(
            lambda path: read_jsonl_run(path, known),
            _rows(".jsonl", *({"id": str(n), "hypothesis": f"h{n}"} for n in (1, 2, 3))),
        ),
        "PatSnap": Reader(
            lambda path: read_patsnap(path, "cn2en"), _example("patsnap_cn2en/atlas.jsonl")
        ),
        "judgements": Reader(
            lambda path: read_judgements(path, scales=[parse_scale("adequacy=1..5")]),
            (
                *_example("ja_en/judgements.csv", "ja_en/preferences.csv"),
                *_rows(".jsonl", answer),
                *_text(".json", json.dumps([task])),
            ),
        ),
        "annotations": Reader(read_judgements, tuple(_annotations(folder))),
        "score table": Reader(
            read_score_table,
            _text(".csv", "system,segment,measure,value\na,,BLEU,1.5\na,1,BLEU,2\n"),
        ),
        "saved scores": Reader(read_scores, _files(folder / "saved.json")),
        "claim pairs": Reader(
            read_claim_pairs, (*_rows(".jsonl", pair, pair), *_text(".json", json.dumps([pair])))
        ),
        "claims": Reader(
            lambda path: parse_claims(path.read_text("utf-8", "replace")),
            (
                *_text(".txt", "1. A pump comprising a valve.\n2. The pump of claim 1, wherein.\n"),
                *_text(".txt", "１．弁を備えるポンプ。\n２．請求項１に記載のポンプ。\n"),
            ),
        ),
        "manifest": Reader(
            read_manifest,
            _text(
                ".yaml",
                "name: T\nlanguages: ja-en\nreferences: [reference.en]\nsource: source.ja\n"
                "protocol: ntcir9\nruns:\n- {group: G, priority: 1, file: atlas.en, type: SMT}\n",
            ),
        ),
        "campaign": Reader(
            read_campaign, _example("campaign_zh_en/adequacy.yaml", "campaign_zh_en/pairwise.yaml")
        ),
        "form": Reader(read_form, _text(".json", form.replace("../guidelines/", ""))),
        "pipeline": Reader(read_pipeline, _files(pipeline)),
        "documents": Reader(
            lambda path: _all(read_document_jsonl(path)),
            _rows(".jsonl", document_to_json(cast("Document", document))),
        ),
        "offices": Reader(_read_offices, _offices()),
        "mapping": Reader(
            lambda path: _all(read_documents(mapped, mapping=read_mapping(path))),
            _text(".toml", _MAPPING),
        ),
        "collection": Reader(
            lambda path: _all(read_collection([str(path)])),
            _rows(".jsonl", {"id": "1", "date": "2001-01-02", "ipc": ["A01B 1/00"], "title": "a"}),
        ),
        "topics": Reader(
            read_topics,
            (
                *_rows(
                    ".jsonl", {"id": "1", "text": "pump", "date": "2001-01-02", "ipc": ["A01B"]}
                ),
                *_text(".sgml", "<TOPIC><NUM>1</NUM><CLAIM>A pump.</CLAIM></TOPIC>\n"),
            ),
        ),
        "qrels": Reader(read_qrels, _text(".txt", "1 0 d1 2\n1 0 d2 0\n2 0 d1 1\n")),
        "ranking": Reader(read_ranking, _text(".run", "1 Q0 d1 1 2.5 t\n1 Q0 d2 2 1.5 t\n")),
        "pairs": Reader(
            lambda path: _all(iter_pair_rows(path)),
            _rows(".jsonl", {"id": "1", "source": "a", "target": "b", "score": 0.5}),
        ),
        "judged pairs": Reader(
            read_judged,
            _text(".csv", "id,judgement,score,stratum,stratum_pairs\n1,correct,0.5,1,20\n"),
        ),
        "beads": Reader(read_gold, _text(".txt", "[0]:[0]\n[1,2]:[1]\n[]:[2]\n")),
        "glossary": Reader(
            lambda path: read_glossary(f"tsv:{path}", "zh", "en"),
            _text(".tsv", "泵\tpump\n阀\tvalve; flap\n"),
        ),
        "template": Reader(
            lambda path: read_template(str(path)), _text(".txt", "Translate {source}.")
        ),
    }


def mutated(content: bytes, chance: random.Random) -> bytes:
    """Return the content with one to four changes."""
    for _ in range(chance.randint(1, 4)):
        content = chance.choice(_CHANGES)(content, chance)
    return content


def _flip(content: bytes, chance: random.Random) -> bytes:
    if not content:
        return content
    place = chance.randrange(len(content))
    return content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]


def _insert(content: bytes, chance: random.Random) -> bytes:
    place = chance.randint(0, len(content))
    return content[:place] + chance.choice(_ODD) + content[place:]


def _delete(content: bytes, chance: random.Random) -> bytes:
    first, last = _slice(content, chance)
    return content[:first] + content[last:]


def _repeat(content: bytes, chance: random.Random) -> bytes:
    first, last = _slice(content, chance)
    return content[:last] + content[first:last] * chance.randint(1, 20) + content[last:]


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randint(0, len(content))]


def _swap_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def _replace_value(content: bytes, chance: random.Random) -> bytes:
    """Put something odd in the place of a word, number or quoted text."""
    words = content.split(b" ")
    words[chance.randrange(len(words))] = chance.choice(_ODD)
    return b" ".join(words)


def _other_value(content: bytes, chance: random.Random) -> bytes:
    """Put a value of another type, an odd one, or none in the place of one in JSON."""
    lines = content.splitlines(keepends=True)
    whole = content.startswith((b"[", b"{\n")) or not lines
    place = chance.randrange(len(lines)) if not whole else 0
    try:
        value = json.loads(content if whole else lines[place])
    except ValueError:
        return content
    changed = json.dumps(_changed(value, chance), ensure_ascii=chance.random() < 0.5)
    line = changed.encode("utf-8", "surrogatepass")
    return line if whole else b"".join([*lines[:place], line + b"\n", *lines[place + 1 :]])


def _changed(value: Any, chance: random.Random) -> Any:
    if not isinstance(value, dict | list) or not value or chance.random() < 0.1:
        return chance.choice(_VALUES)
    if isinstance(value, dict):
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {**value, "unknown": 1}
        return {**value, key: _changed(value[key], chance)}
    place = chance.randrange(len(value))
    return [*value[:place], _changed(value[place], chance), *value[place + 1 :]]


def _slice(content: bytes, chance: random.Random) -> tuple[int, int]:
    first = chance.randint(0, len(content))
    return first, min(len(content), first + chance.choice((1, 2, 5, 20, 200)))


_CHANGES: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    _flip, _insert, _delete, _repeat, _cut, _swap_lines, _replace_value, _other_value, _other_value,
)  # fmt: skip


class Hang(BaseException):
    """An input took too long; no reader catches it."""


@contextmanager
def _time_limit() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(MOST_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def fuzz(name: str, reader: Reader, inputs: int, seed: int, folder: Path) -> Outcome:
    """Give a reader so many mutated inputs."""
    outcome = Outcome()
    for number in range(inputs):
        key = f"{name}:{seed}:{number}"
        chance = random.Random(key)
        ending, content = chance.choice(reader.seeds)
        path = folder / f"input{ending}"
        path.write_bytes(mutated(content, chance))
        try:
            with _time_limit(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                reader.read(path)
            outcome.taken += 1
        except PatmarkError:
            outcome.refused += 1
        except Hang:
            outcome.faults.append(f"{key}: more than {MOST_SECONDS} s")
        except BaseException:
            outcome.faults.append(f"{key}: {traceback.format_exc(limit=-3)}")
    return outcome


def peak_megabytes() -> float:
    """Return the peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> int:
    """Fuzz all readers, or the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="?", type=int, default=INPUTS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        chosen = {k: one for k, one in readers(Path(folder)).items() if asked.only in ("", k)}
        each = -(-asked.inputs // len(chosen))
        for name, reader in chosen.items():
            outcome = fuzz(name, reader, each, asked.seed, Path(folder))
            faults += len(outcome.faults)
            found = f"{outcome.taken} read, {outcome.refused} refused, {len(outcome.faults)} faults"
            print(f"{name:14} {found}; {peak_megabytes():.0f} MB", flush=True)
            print(*outcome.faults[:5], sep="\n", end="\n" if outcome.faults else "")
    print(f"{each * len(chosen)} inputs, {faults} faults, at most {peak_megabytes():.0f} MB")
    return int(faults > 0 or peak_megabytes() > MOST_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
