"""patmark corpus align: the sentences of a text and of its translation side by side."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, say
from patmark.errors import UsageError

if TYPE_CHECKING:
    from patmark.corpus.alignment import Aligner
    from patmark.corpus.alignment.result import AlignedTexts, Texts

_Source: TypeAlias = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A text, one sentence per line.")
]
_Target: TypeAlias = Annotated[
    str, typer.Argument(metavar="TARGET", help="Its translation, one sentence per line.")
]
_Lang: TypeAlias = Annotated[str, typer.Option(help="Languages as SOURCE-TARGET, e.g. zh-en.")]
_Method: TypeAlias = Annotated[
    str, typer.Option(help="hybrid, utiyama-isahara, gale-church, translation or embeddings.")
]
_Dictionary: TypeAlias = Annotated[
    str | None,
    typer.Option(help="cedict, edict:FILE, tsv:FILE or none (default: cedict for zh and en)."),
]
_LexiconFile: TypeAlias = Annotated[
    str | None, typer.Option("--lexicon", help="hybrid: word translations learnt earlier.")
]
_SaveLexicon: TypeAlias = Annotated[
    str | None, typer.Option(help="hybrid: write the word translations learnt from these texts.")
]
_Ratio: TypeAlias = Annotated[
    bool,
    typer.Option("--ratio", help="utiyama-isahara: multiply scores by the ratio of the counts."),
]
_Translations: TypeAlias = Annotated[
    str | None,
    typer.Option(help="translation: the source in the target language, line by line."),
]
_Vectors: TypeAlias = Annotated[
    tuple[str, str] | None,
    typer.Option(
        metavar="SOURCE.npy TARGET.npy", help="embeddings: vectors, one row for each sentence."
    ),
]
_Gold: TypeAlias = Annotated[
    str | None, typer.Option(help="Right beads, lines [0]:[0,1]: gives precision and recall.")
]
_Out: TypeAlias = Annotated[
    str | None, typer.Option(help="Write the beads with their texts: .jsonl or .tsv.")
]
_Show: TypeAlias = Annotated[int, typer.Option(min=0, help="How many beads to print.")]


def align(
    source: _Source,
    target: _Target,
    lang: _Lang,
    aligner: _Method = "hybrid",
    dictionary: _Dictionary = None,
    lexicon: _LexiconFile = None,
    save_lexicon: _SaveLexicon = None,
    ratio: _Ratio = False,
    translations: _Translations = None,
    vectors: _Vectors = None,
    gold: _Gold = None,
    out: _Out = None,
    show: _Show = 20,
    as_json: given.AsJson = False,
    quiet: given.Quiet = False,
) -> None:
    """Align the sentences of a text with those of its translation.

    Examples:

      patmark corpus align description.zh.txt description.en.txt --lang zh-en --out beads.jsonl

      patmark corpus align a.de.txt a.fr.txt --lang de-fr --save-lexicon de-fr.tsv

      patmark corpus align a.ja.txt a.en.txt --lang ja-en --dictionary edict:edict2.gz --json
    """
    read = [source, target, *filter(None, [lexicon, translations, gold]), *(vectors or ())]
    _check(read, out, save_lexicon, as_json)
    _refuse_unused(aligner, save_lexicon, ratio)
    from patmark.corpus.alignment.result import AlignSetup, Texts, align_texts, read_gold_for

    languages = _languages(lang)
    setup = AlignSetup(aligner, languages, dictionary, lexicon, ratio, translations, vectors)
    texts = Texts.read(source, target)
    method = setup.make(texts)
    if setup.missing_dictionary:
        say(setup.missing_dictionary)
    known = None if gold is None else read_gold_for(gold, texts)
    result = align_texts(texts, method, setup, known)
    if save_lexicon is not None:
        _save_lexicon(method, texts, save_lexicon, quiet=quiet or as_json)
    if out is not None:
        result.write(out)
    if as_json:
        print(json.dumps(result.to_json(), ensure_ascii=False, indent=2))
    elif not quiet and out != "-":
        _print(result, show)
        if out is not None:
            say(f"wrote {out}")


def _check(inputs: Sequence[str], out: str | None, lexicon: str | None, as_json: bool) -> None:
    from patmark.data import check_stdin_once

    check_stdin_once(inputs)
    Outputs(as_json=as_json, save=out, csv=lexicon).check(inputs)
    if out not in (None, "-") and not str(out).endswith((".jsonl", ".tsv")):
        raise UsageError(f"--out {out}: expected a name that ends in .jsonl or .tsv")


def _refuse_unused(aligner: str, save_lexicon: str | None, ratio: bool) -> None:
    """What :func:`aligner_for` does not see."""
    if aligner != "hybrid":
        refuse(f"with --aligner {aligner}", {"--save-lexicon": save_lexicon})
    if aligner != "utiyama-isahara":
        refuse(f"with --aligner {aligner}", {"--ratio": ratio})


def _languages(lang: str) -> tuple[str, str]:
    from patmark.data import language_pair
    from patmark.data.languages import language_warnings

    source, target = language_pair(lang)
    if source is None:
        raise UsageError(f"--lang {lang}: expected both languages, e.g. zh-en")
    for warning in language_warnings(source, target):
        say(warning)
    return source, target


def _save_lexicon(aligner: Aligner, texts: Texts, path: str, *, quiet: bool) -> None:
    from patmark.corpus.alignment import Hybrid, learn_lexicon

    if isinstance(aligner, Hybrid):
        learn_lexicon([(texts.source, texts.target)], aligner).save(path)
        if not quiet:
            say(f"wrote {path}")


def _print(result: AlignedTexts, shown: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("kind", "score", show_lines=True)
    for side in ("source", "target"):
        table.add_column(side, overflow="fold")
    for bead in result.beads[:shown]:
        table.add_row(bead.kind, f"{bead.score:.3f}", *map(Text, result.sides(bead)))
    console = Console() if sys.stdout.isatty() else Console(width=120)
    if shown:
        console.print(table)
    first, *others = result.summary()
    print(first)
    if len(result.beads) > shown:
        print(f"the first {shown} are shown; --show N shows more, --out writes all")
    for line in (*others, result.signature):
        print(line)
