"""Prompts: gaps are filled once, mistakes in templates of users are all named."""

from __future__ import annotations

from pathlib import Path

import pytest

from patmark.data.model import Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.llm import language_gaps, read_term_base
from patmark.systems import Traits, own_template, read_template, task_of
from patmark.systems.run import TASKS

PROMPTED = Traits(frozenset({"prompt", "context", "glossary"}))
TERMS = [{"source": "阀门", "target": ["valve"]}]
SET = TestSet(
    (
        Segment("1", "阀门打开。", document="a"),
        Segment("2", "弹簧{context}压缩。", document="a"),
        Segment("3", "另一个。", document="b"),
        Segment("4", "阀门关闭。", document="a", meta={"terms": TERMS}),
    ),
    "en", "zh",
)  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_our_templates_fill_all_gaps(task: str) -> None:
    template = own_template(task)
    system, user = template.messages(
        {"source": "S!", "source_language": "Chinese", "target_language": "English"}
    )
    assert (system.role, user.role) == ("system", "user")
    assert "{" not in system.content + user.content
    assert user.content.endswith("S!") and "English" in system.content


@pytest.mark.parametrize(
    ("languages", "source", "target"),
    [(("zh", "en"), "Chinese", "English"), (("ko", "de"), "Korean", "German"),
     ((None, "tr"), "the source language", "tr")],
)  # fmt: skip
def test_languages_are_named_as_their_packs_name_them(
    languages: tuple[str | None, str], source: str, target: str
) -> None:
    gaps = language_gaps(languages)
    assert (gaps["source_language"], gaps["target_language"]) == (source, target)
    assert (gaps["source_code"], gaps["target_code"]) == (languages[0] or "", languages[1])


def test_context_is_of_the_same_document_and_braces_stay() -> None:
    items = task_of("translate", context=2).items(SET, PROMPTED)
    assert [item.context for item in items] == [
        (),
        ("阀门打开。",),
        (),
        ("阀门打开。", "弹簧{context}压缩。"),
    ]
    last, second = items[3].messages[-1].content, items[1].messages[-1].content
    assert "阀门打开。\n弹簧{context}压缩。" in last and last.endswith("阀门关闭。")
    assert second.endswith("弹簧{context}压缩。")
    assert "same patent" not in items[0].messages[-1].content


def test_terms_of_rows_and_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "terms.tsv"
    table.write_text(
        "弹簧\tspring\n阀\tvalve member\n打开\tto open\n阀门\tgate\n", encoding="utf-8"
    )
    base = read_term_base(["rows", str(table)])
    items = task_of("translate", terms=base).items(SET, PROMPTED)
    assert items[0].glossary == (("打开", "to open"), ("阀门", "gate"))
    assert items[1].glossary == (("弹簧", "spring"),)
    assert items[3].glossary == (("阀门", "valve"),)
    assert "Use these terms:\n阀门 = valve\n" in items[3].messages[-1].content
    table.write_text("a\tb\nonly one\n\t\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_term_base([str(table)])
    assert [problem.line for problem in error.value.problems] == [2, 3]


def test_templates_of_users(tmp_path: Path) -> None:
    plain = tmp_path / "mine.txt"
    plain.write_text('Into {target_language}, as {"json": 1}: {source}\n', encoding="utf-8")
    [message] = read_template(str(plain)).messages({"source": "S", "target_language": "English"})
    assert message.content == 'Into English, as {"json": 1}: S'
    toml = tmp_path / "mine.toml"
    toml.write_text(
        'system = "Be exact."\nuser = "{glossary}{source}"\n[blocks]\nglossary = "T: {glossary}; "',
        encoding="utf-8",
    )
    template = read_template(str(toml))
    assert template.messages({"source": "S", "glossary": "a = b"})[1].content == "T: a = b; S"
    assert template.messages({"source": "S"})[1].content == "S"


@pytest.mark.parametrize(
    ("name", "text", "messages"),
    [
        ("a.txt", "Translate {sauce}.", ["unknown placeholder {sauce}", "{source} is missing"]),
        ("a.txt", "Translate\nfrom {sauce}: {source}", ["a.txt:2: unknown placeholder {sauce}"]),
        (
            "a.txt",
            "{source}\n{{source}} { Source }",
            ["a.txt:2: unknown placeholder {{source}}", "a.txt:2: unknown placeholder { Source }"],
        ),
        ("a.toml", "user = '{source}'\n[blocks]\nterms = '{terms}'", []),
        (
            "a.toml",
            "system = 'x'\nuser = '{source}{sauce}'",
            ["a.toml:2: unknown placeholder {sauce}"],
        ),
        ("a.toml", "user = 1", ["field 'user': expected a text"]),
        ("a.toml", "system = 'x'\nusr = 'y'", ["unknown field 'usr'", "field 'user' is missing"]),
        (
            "a.toml",
            "user = '{source}'\n[blocks]\ncontext = 'x'",
            ["lacks its own placeholder {context}"],
        ),
        ("a.toml", "user = '{source}'\nversion = 'x'", ["expected a whole number"]),
        ("a.toml", "user = ", ["is not valid TOML"]),
    ],
)
def test_every_mistake_in_a_template_is_named(
    name: str, text: str, messages: list[str], tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_template(str(path))
    assert all(message in str(error.value) for message in messages)
    assert str(path) in str(error.value)


def test_options_without_effect_are_refused() -> None:
    with pytest.raises(UsageError, match="context= has no effect with copy"):
        task_of("translate", context=1).check(Traits(), "copy")
    bare = own_template("claims")
    with pytest.raises(UsageError, match=r"no placeholder \{context\}"):
        task_of("translate", bare, context=1).check(PROMPTED, "openai")
    with pytest.raises(UsageError, match="belong to one document"):
        task_of("translate", context=1).items(TestSet((Segment("1", "a"),), "en"), PROMPTED)
    with pytest.raises(UsageError, match="the task 'sing' is unknown"):
        task_of("sing")


def test_revision_shows_description_and_instructions_of_the_row() -> None:
    meta = {"description": "A long text.", "instructions": "Add the seat."}
    segments = (Segment("1", "1. A valve.", meta=meta), Segment("2", "1. A pump."))
    first, second = task_of("revise").items(TestSet(segments, "en", "en"), PROMPTED)
    assert "A long text." in first.messages[1].content
    assert "What is to be changed:\nAdd the seat." in first.messages[1].content
    assert second.messages[1].content.startswith("Revise these claims.")
