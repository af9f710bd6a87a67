"""Files of the PatSnap Patent Translation Bench, with English or Chinese labels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

from patmark.data import (
    FilePath,
    Record,
    Run,
    Segment,
    TestSet,
    parse_records,
    raise_if_any,
    shown,
    system_name,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import language_pair
from patmark.llm import BENCH_FIELDS
from patmark.wording import setting

Direction: TypeAlias = Literal["cn2en", "en2cn"]

ABSENT = "Zero"

ENGLISH = "en"
"""The language with a rule of its own: its titles have no article."""
LANGUAGES = {"cn2en": ("zh", ENGLISH), "en2cn": (ENGLISH, "zh")}
TEXT_FIELDS = {"zh": "content_cn", ENGLISH: "content_en"}
TRANSLATION_FIELDS = {"cn2en": "content_cn_translate", "en2cn": "content_en_translate"}

_GRANULARITIES = {
    "字": "character",
    "词": "word",
    "句": "sentence",
    "段": "paragraph",
    "篇": "document",
}
_LABELS = {
    "正常字符": "normal_character",
    "特殊字符": "special_character",
    "术语准确性": "terminology_accuracy",
    "术语一致性": "terminology_consistency",
    "正常语句": "normal_sentence",
    "特殊语句": "special_sentence",
    "段落准确性": "paragraph_accuracy",
    "篇准确性": "document_accuracy",
    "专利书写规范": "patent_writing_norm",
    "段落格式": "paragraph_format",  # known, but without a published scoring rule
}
_ORIGINS = {
    "短": "short",
    "长": "long",
    "摘要": "abstract",
    "英文标题": "english_title",
    "技术领域": "technical_field",
    "背景技术": "background",
    "发明内容": "summary",
    "附图说明": "brief_description_of_drawings",
    "具体实施方式": "detailed_description",
    "说明书": "description",
    "权利要求": "claims",
}
_DOMAINS = {
    "计算机": "computer_science",
    "机械工程": "mechanical_engineering",
    "材料": "materials",
    "电学": "electrical",
    "电学领域": "electrical",
    "化学": "chemistry",
    "化学领域": "chemistry",
    "医学": "medicine",
    "医学领域": "medicine",
}
_FILE_FIELDS = {"granularity": "label_1", "label": "label_2", "origin": "label_3"}
_LIST_SEPARATOR = re.compile("[、，,]")
_EXCERPT = 40


def is_row(record: Mapping[str, object]) -> bool:
    """Return True for a record with the label of a row."""
    return _FILE_FIELDS["label"] in record


def has_patsnap_rows(path: FilePath) -> bool:
    """Return True if the first record of a file is a row of the bench."""
    records, _ = parse_records(path)
    return bool(records) and is_row(records[0].fields)


def patsnap_direction(lang: str | None, direction: str | None = None) -> Direction | None:
    """Return the direction of rows by languages such as zh-en, or by the bench's name for it.

    None if neither is given; contradictory ones are refused.
    """
    if lang is None:
        if direction is not None:
            _check_direction(direction)
        return cast("Direction | None", direction)
    pair = language_pair(lang)
    named = next((one for one, languages in LANGUAGES.items() if languages == pair), None)
    if named is None:
        raise UsageError(f"{setting('lang', lang)}: PatSnap rows are zh-en or en-zh")
    if direction not in (None, named):
        raise UsageError(
            f"{setting('lang', lang)} is {setting('direction', named)}, not {direction}; "
            "give one of them"
        )
    return cast("Direction", named)


def read_patsnap(path: FilePath, direction: Direction) -> tuple[TestSet, Run]:
    """Return the rows of a result file, and their translations.

    A null or absent translation is no answer.
    """
    _check_direction(direction)
    records, problems = parse_records(path)
    test_set = _test_set(records, path, direction)
    field = TRANSLATION_FIELDS[direction]
    hypotheses = tuple(record.optional_text(field) for record in records)
    problems += _wrong_direction(records, direction)
    raise_if_any(problems)
    return test_set, Run(system_name(path), hypotheses)


def read_patsnap_bench(path: FilePath, direction: Direction) -> TestSet:
    """Return the rows of the bench without translations; ids are 1-based line numbers."""
    _check_direction(direction)
    records, problems = parse_records(path)
    test_set = _test_set(records, path, direction)
    raise_if_any(problems)
    return test_set


def known_answers(segment: Segment, target_language: str) -> tuple[str, ...]:
    """Return the references; for a row without any, its terms twice, or its headings."""
    special = segment.meta.get(BENCH_FIELDS.get(target_language, ""))
    if segment.references or not special:
        return segment.references
    if segment.meta["label"] == "patent_writing_norm":
        return ("\n".join(parse_list(special)),)
    terms = (special,) if isinstance(special, str) else special
    return ("; ".join((*terms, *terms)),)


def parse_list(value: str | Sequence[str]) -> tuple[str, ...]:
    """Return the items of a list, or of a text that looks like one: ``[a，an，the]``."""
    if isinstance(value, str):
        value = _LIST_SEPARATOR.split(value.strip().removeprefix("[").removesuffix("]"))
    items = (item.strip().strip("'\"").strip() for item in value)
    return tuple(item for item in items if item)


def check_same_rows(first: TestSet, other: TestSet, names: tuple[str, str]) -> None:
    """Refuse two result files that do not hold the same bench in the same order."""
    for line, (expected, found) in enumerate(zip(first, other, strict=False), 1):
        theirs = _comparable(found, other)
        for field, value in _comparable(expected, first).items():
            if value != theirs[field]:
                raise InputError.at(
                    f"differs from {names[0]} in {field}: expected {_excerpt(value)}, "
                    f"found {_excerpt(theirs[field])}",
                    names[1],
                    line,
                )
    if len(first) != len(other):
        longer = names[0] if len(first) > len(other) else names[1]
        line = min(len(first), len(other)) + 1
        raise InputError.at(
            f"{names[0]} has {len(first)} rows, but {names[1]} has {len(other)}; "
            f"line {line} of {longer} is the first without a partner",
            longer,
            line,
        )


def _check_direction(direction: str) -> None:
    if direction not in LANGUAGES:
        raise UsageError(f"direction {direction!r} is unknown; choose from {', '.join(LANGUAGES)}")


def _test_set(records: Sequence[Record], path: FilePath, direction: Direction) -> TestSet:
    source, target = LANGUAGES[direction]
    segments = tuple(_segment(record, source, target) for record in records)
    return TestSet(segments, target, source, shown(path))


def _segment(record: Record, source_language: str, target_language: str) -> Segment:
    texts = {language: _value(record, field) for language, field in TEXT_FIELDS.items()}
    reference = texts[target_language]
    meta = _meta(record)
    return Segment(
        id=str(record.line),
        source=texts[source_language],
        references=() if reference is None else (reference,),
        document=meta["pn"],
        meta=meta,
    )


def _meta(record: Record) -> dict[str, Any]:
    return {
        "pn": _value(record, "pn"),
        "ipc": _value(record, "ipc"),
        "granularity": _label(record, "label_1", _GRANULARITIES),
        "label": _label(record, "label_2", _LABELS),
        "origin": _optional_label(record, "label_3", _ORIGINS),
        "domain": _optional_label(record, _domain_field(record), _DOMAINS),
        "special_cn": _special(record, "special_cn"),
        "special_en": _special(record, "special_en"),
    }


def _domain_field(record: Record) -> str:
    """Return the name of the domain field, which the file with Chinese labels misspells."""
    if "domain" in record.fields and "domanial" in record.fields:
        record.complain("has both fields 'domain' and 'domanial'; expected one of them")
    return "domanial" if "domanial" in record.fields else "domain"


def _value(record: Record, field: str) -> str | None:
    """Return a text unchanged, or None for the word that marks an absent one."""
    text = record.text(field)
    return None if text.strip() in ("", ABSENT) else text


def _special(record: Record, field: str) -> str | tuple[str, ...] | None:
    """Return terms, symbols or words, which are a text or a list of texts."""
    value = record.fields.get(field)
    if isinstance(value, list):
        return record.texts(field)
    if value is None or not isinstance(value, str):
        record.mismatch(field, "a string or a list of strings")
        return None
    return _value(record, field)


def _label(record: Record, field: str, vocabulary: Mapping[str, str]) -> str | None:
    text = record.text(field).strip()
    english = vocabulary.get(text, text)
    if english not in vocabulary.values() and isinstance(record.fields.get(field), str):
        known = ", ".join(dict.fromkeys(vocabulary.values()))
        record.complain(f"field {field!r}: unknown value {text!r}; expected one of {known}")
    return english


def _optional_label(record: Record, field: str, vocabulary: Mapping[str, str]) -> str | None:
    return None if _value(record, field) is None else _label(record, field, vocabulary)


def _wrong_direction(records: Sequence[Record], direction: Direction) -> list[Problem]:
    other: Direction = "en2cn" if direction == "cn2en" else "cn2en"
    wanted, found = TRANSLATION_FIELDS[direction], TRANSLATION_FIELDS[other]
    if any(wanted in record.fields for record in records):
        return []
    return [
        Problem(
            f"no row has the field {wanted!r} of direction {direction}, but this one has "
            f"{found!r} of direction {other}",
            record.path,
            record.line,
        )
        for record in records
        if found in record.fields
    ][:1]


def _comparable(segment: Segment, test_set: TestSet) -> dict[str, object]:
    """Return the fields that must agree between two files of one bench, by name."""
    texts = {
        TEXT_FIELDS[test_set.source_language or LANGUAGES["cn2en"][0]]: segment.source,
        TEXT_FIELDS[test_set.target_language]: segment.references[0]
        if segment.references
        else None,
    }
    return texts | {_FILE_FIELDS.get(name, name): value for name, value in segment.meta.items()}


def _excerpt(value: object) -> str:
    text = ABSENT if value is None else str(value)
    return repr(text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…")
