"""Files of the PatSnap bench, in both directions and both label languages."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bench_rows import ROW
from patmark.data.test_sets import read_jsonl_run
from patmark.errors import InputError, UsageError
from patmark.protocols.patsnap.bench_files import (
    Direction,
    parse_list,
    read_patsnap,
    read_patsnap_bench,
)

HEADINGS = ["ABSTRACT", "CLAIM"]

# label_1, label_2, label_3, domain: in Chinese, then in English; - is absent.
VOCABULARY = """
字 正常字符 - - character normal_character - -
字 特殊字符 - - character special_character - -
词 术语准确性 - 计算机 word terminology_accuracy - computer_science
词 术语准确性 - 机械工程 word terminology_accuracy - mechanical_engineering
词 术语准确性 - 材料 word terminology_accuracy - materials
词 术语一致性 - 电学 word terminology_consistency - electrical
词 术语一致性 - 电学领域 word terminology_consistency - electrical
词 术语一致性 - 化学 word terminology_consistency - chemistry
词 术语一致性 - 化学领域 word terminology_consistency - chemistry
句 正常语句 短 - sentence normal_sentence short -
句 正常语句 长 - sentence normal_sentence long -
句 特殊语句 摘要 - sentence special_sentence abstract -
句 特殊语句 英文标题 - sentence special_sentence english_title -
句 特殊语句 技术领域 - sentence special_sentence technical_field -
句 特殊语句 背景技术 - sentence special_sentence background -
句 特殊语句 发明内容 - sentence special_sentence summary -
句 特殊语句 附图说明 - sentence special_sentence brief_description_of_drawings -
句 特殊语句 具体实施方式 - sentence special_sentence detailed_description -
段 段落准确性 摘要 - paragraph paragraph_accuracy abstract -
段 段落准确性 说明书 - paragraph paragraph_accuracy description -
段 段落准确性 权利要求 - paragraph paragraph_accuracy claims -
段 段落格式 权利要求 - paragraph paragraph_format claims -
篇 篇准确性 - - document document_accuracy - -
篇 专利书写规范 - 医学 document patent_writing_norm - medicine
篇 专利书写规范 - 医学领域 document patent_writing_norm - medicine
"""


def row(**changes: Any) -> dict[str, Any]:
    return ROW | changes


def labelled(*labels: str, domain_field: str = "domain") -> dict[str, Any]:
    """A row with these values of label_1, label_2, label_3 and the domain."""
    fields = {name: value for name, value in ROW.items() if name != "domain"}
    return fields | dict(zip(("label_1", "label_2", "label_3", domain_field), labels, strict=True))


def saved(folder: Path, *rows: dict[str, Any], name: str = "bench.jsonl") -> Path:
    path = folder / name
    lines = [json.dumps(fields, ensure_ascii=False) for fields in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("direction", ["cn2en", "en2cn"])
def test_the_sample_is_read_whole(
    shared_data: Path, patsnap_rows: list[dict[str, Any]], direction: Direction
) -> None:
    test_set, run = read_patsnap(shared_data / "patsnap" / "sample.jsonl", direction)
    assert [segment.id for segment in test_set] == [str(line) for line in range(1, 223)]
    assert Counter(segment.meta["label"] for segment in test_set) == {
        "normal_character": 27,
        "special_character": 29,
        "terminology_accuracy": 30,
        "terminology_consistency": 33,
        "normal_sentence": 27,
        "special_sentence": 28,
        "paragraph_accuracy": 26,
        "document_accuracy": 2,
        "patent_writing_norm": 20,
    }
    for segment, fields in zip(test_set, patsnap_rows, strict=True):
        chinese, english = fields["content_cn"], fields["content_en"]
        english = None if english == "Zero" else english
        texts = (chinese, english) if direction == "cn2en" else (english, chinese)
        assert (segment.source, segment.references) == (texts[0], (texts[1],) if texts[1] else ())
        assert segment.document == (None if fields["pn"] == "Zero" else fields["pn"])
        special = fields["special_en"]
        expected = tuple(special) if isinstance(special, list) else special
        assert segment.meta["special_en"] == (None if special == "Zero" else expected)
    assert (run.system, run.missing) == ("sample", 222)
    without_english = 83
    usable = [segment for segment in test_set if segment.source is not None]
    assert len(usable) == (222 if direction == "cn2en" else 222 - without_english)
    assert set(test_set.documents) - {None}


@pytest.mark.parametrize("direction", ["cn2en", "en2cn"])
def test_a_row_in_both_directions(tmp_path: Path, direction: Direction) -> None:
    path = saved(
        tmp_path,
        row(content_cn_translate="Cup", content_en_translate="杯"),
        row(pn="Zero", ipc="Zero", content_en="Zero", content_cn_translate=None),
        row(special_cn="术语", special_en=HEADINGS, content_en_translate=""),
        name="google.jsonl",
    )
    test_set, run = read_patsnap(path, direction)
    first, second, third = test_set
    assert run.system == "google"
    if direction == "cn2en":
        assert (first.source, first.references) == ("一种杯子", ("A cup",))
        assert (second.source, second.references) == ("一种杯子", ())
        assert (test_set.source_language, test_set.target_language) == ("zh", "en")
        assert run.hypotheses == ("Cup", None, None)
    else:
        assert (first.source, first.references) == ("A cup", ("一种杯子",))
        assert (second.source, second.references) == (None, ("一种杯子",))
        assert (test_set.source_language, test_set.target_language) == ("en", "zh")
        assert run.hypotheses == ("杯", None, "")
    assert test_set.documents == ("CN000000001A", None, "CN000000001A")
    assert second.meta == {
        "pn": None,
        "ipc": None,
        "granularity": "character",
        "label": "normal_character",
        "origin": None,
        "domain": None,
        "special_cn": None,
        "special_en": None,
    }
    assert (third.meta["special_cn"], third.meta["special_en"]) == ("术语", tuple(HEADINGS))


def test_chinese_labels_become_english_ones(tmp_path: Path) -> None:
    entries = [line.replace("-", "Zero").split() for line in VOCABULARY.strip().splitlines()]
    chinese = [labelled(*entry[:4], domain_field="domanial") for entry in entries]
    english = [labelled(*entry[4:]) for entry in entries]
    test_set = read_patsnap_bench(saved(tmp_path, *chinese), "cn2en")
    fields = ("granularity", "label", "origin", "domain")
    found = [[segment.meta[field] or "Zero" for field in fields] for segment in test_set]
    assert found == [entry[4:] for entry in entries]
    again = read_patsnap_bench(saved(tmp_path, *english), "cn2en")
    assert again.segments == test_set.segments


def test_blanks_around_labels_do_not_matter(tmp_path: Path) -> None:
    path = saved(tmp_path, labelled(" 词", "术语准确性\n", " Zero ", "\u3000medicine\t"))
    [segment] = read_patsnap_bench(path, "cn2en")
    names = ("granularity", "label", "origin", "domain")
    found = [segment.meta[name] for name in names]
    assert found == ["word", "terminology_accuracy", None, "medicine"]


def without(field: str) -> dict[str, Any]:
    return {name: value for name, value in ROW.items() if name != field}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        *((without(name), f"field {name!r} is missing; expected a string") for name in ROW),
        *(
            (row(**{name: 5}), f"field {name!r}: expected a string")
            for name in (*ROW, "content_cn_translate")
        ),
        (row(pn=None), "field 'pn': expected a string, found null"),
        (row(content_en=["a"]), "field 'content_en': expected a string, found a list"),
        (row(special_en=["a", 1]), "'special_en': expected a list of strings, found a list"),
        (row(special_cn=None), "'special_cn': expected a string or a list of strings, found null"),
        (
            row(content_cn_translate=["x"]),
            "'content_cn_translate': expected a string, found a list",
        ),
        (
            row(label_1="page"),
            "field 'label_1': unknown value 'page'; expected one of character",
        ),
        (row(label_1="Zero"), "field 'label_1': unknown value 'Zero'"),
        (
            row(label_2="fluency"),
            "field 'label_2': unknown value 'fluency'; expected one of",
        ),
        (
            row(label_3="题"),
            "field 'label_3': unknown value '题'; expected one of short",
        ),
        (
            row(domain="law"),
            "field 'domain': unknown value 'law'; expected one of comp",
        ),
        (row(domanial="Zero"), "has both fields 'domain' and 'domanial'"),
    ],
)
def test_a_broken_row(tmp_path: Path, fields: dict[str, Any], message: str) -> None:
    path = saved(tmp_path, row(content_cn_translate="x"), fields)
    with pytest.raises(InputError) as caught:
        read_patsnap(path, "cn2en")
    [problem] = caught.value.problems
    assert (problem.path, problem.line) == (str(path), 2)
    assert message in problem.message
    assert "\n" not in problem.message


def test_all_problems_are_reported_in_the_order_of_lines(tmp_path: Path) -> None:
    path = saved(tmp_path, row(pn=1, ipc=2), row(), row(label_2="x"))
    with path.open("a") as file:
        file.write("\n{}\n")
    with pytest.raises(InputError) as caught:
        read_patsnap_bench(path, "cn2en")
    lines = [problem.line for problem in caught.value.problems]
    assert lines == [1, 1, 3, 4, *[5] * len(ROW)]


def test_translations_of_the_other_direction_are_noticed(tmp_path: Path) -> None:
    path = saved(tmp_path, row(), row(content_en_translate="杯"))
    with pytest.raises(InputError) as caught:
        read_patsnap(path, "cn2en")
    assert str(caught.value) == (
        f"{path}:2: no row has the field 'content_cn_translate' of direction cn2en, "
        "but this one has 'content_en_translate' of direction en2cn"
    )
    assert read_patsnap(path, "en2cn")[1].hypotheses == (None, "杯")


def test_an_unknown_direction(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="direction 'zh-en' is unknown; choose from cn2en, en2cn"):
        read_patsnap_bench(saved(tmp_path, row()), "zh-en")  # type: ignore[arg-type]


def test_a_separate_run_is_keyed_by_line_number(tmp_path: Path) -> None:
    bench = read_patsnap_bench(saved(tmp_path, row(), row()), "cn2en")
    run = tmp_path / "run.jsonl"
    run.write_text('{"id": 2, "hypothesis": "two"}\n{"id": "1", "hypothesis": "one"}\n')
    assert read_jsonl_run(run, bench).hypotheses == ("one", "two")


@pytest.mark.parametrize(
    ("value", "items"),
    [
        ("[a，an，the]", ("a", "an", "the")),
        ("[摘要、权利要求、技术领域]", ("摘要", "权利要求", "技术领域")),
        (" [ a , b,, ] ", ("a", "b")),
        ("['a', \"b\"]", ("a", "b")),
        ("one", ("one",)),
        ("[]", ()),
        ("", ()),
        ("[__import__('os')]", ("__import__('os')",)),
        (["TECHNICAL FIELD", " a, b "], ("TECHNICAL FIELD", "a, b")),
        (("x",), ("x",)),
    ],
)
def test_lists_and_texts_that_look_like_lists(value: Any, items: tuple[str, ...]) -> None:
    assert parse_list(value) == items
