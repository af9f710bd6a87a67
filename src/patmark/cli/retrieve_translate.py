"""patmark retrieve translate: topics word by word with a dictionary."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.output import Outputs, say
from patmark.errors import UsageError

_Topics: TypeAlias = Annotated[
    str, typer.Argument(metavar="TOPICS", help="Topics: JSONL, NTCIR or TREC.")
]
_Lang: TypeAlias = Annotated[
    str, typer.Option(help="Languages as SOURCE-TARGET: zh-en, ja-en, en-zh …")
]
_Dictionary: TypeAlias = Annotated[
    list[str],
    typer.Option(
        help="cedict (zh-en), edict:FILE (ja-en) or tsv:FILE (word, tab, translation); repeat, "
        "the first that has a word decides."
    ),
]
_Out: TypeAlias = Annotated[str, typer.Option(help="Write the translated topics to this JSONL.")]


def translate(
    topics: _Topics,
    lang: _Lang,
    dictionary: _Dictionary,
    out: _Out,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Translate topics word by word: a baseline that needs no model and no network.

    Examples:

      patmark retrieve translate topics.jsonl --lang zh-en --dictionary cedict --out cedict.jsonl

      patmark retrieve translate topics.txt --lang ja-en --dictionary tsv:own.tsv
      --dictionary edict:edict2.gz --out edict.jsonl

    Words that no dictionary has are kept as they stand, and counted.
    """
    from patmark.data import language_pair
    from patmark.retrieval import read_topics, translate_topics, write_topics
    from patmark.systems import DictionaryTranslator
    from patmark.text.dictionaries import joined_glossaries, read_glossary

    files = [path for one in dictionary if (path := one.partition(":")[2])]
    Outputs(as_json, quiet, save=out).check([topics, *files])
    source, target = language_pair(lang)
    if source is None:
        raise UsageError(f"--lang {lang}: two languages are needed, such as zh-en")
    glossaries = [read_glossary(choice, source, target) for choice in dictionary]
    translator = DictionaryTranslator(joined_glossaries(glossaries))
    done = translate_topics(read_topics(topics), translator)
    write_topics(Path(out), done.topics)
    if as_json:
        print(json.dumps(done.to_json(), ensure_ascii=False, indent=2))
    elif not quiet:
        for line in [*done.lines(), f"wrote {out}"]:
            say(line)
