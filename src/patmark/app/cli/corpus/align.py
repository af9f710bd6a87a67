"""patmark corpus align: sentence alignment of a text and its translation."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from patmark.app.cli.output import Talk, Ui, print_json, say
from patmark.app.commands.corpus import AlignRequest
from patmark.options import Options, Parameter, at_least, group
from patmark.wording import speaker

if TYPE_CHECKING:
    from patmark.collections.corpus import AlignedTexts


@group
class AlignOptions(Options, heading="Alignment"):
    """Options of the alignment."""

    lang: str
    """Languages as SOURCE-TARGET, e.g. zh-en."""
    aligner: str = AlignRequest.aligner
    """hybrid, utiyama-isahara, gale-church, translation or embeddings."""
    dictionary: str | None = None
    """cedict, jmdict, edict:FILE, tsv:FILE or none (default: cedict for zh and en, jmdict for ja
    and en if installed)."""
    lexicon: str | None = None
    """hybrid: word translations learned earlier."""
    ratio: bool = False
    """utiyama-isahara: multiply scores by the ratio of sentence counts."""
    translations: str | None = None
    """translation: the source translated into the target language, line by line."""
    vectors: Annotated[tuple[str, str] | None, Parameter(metavar="SOURCE.npy TARGET.npy")] = None
    """embeddings: vectors, one row per sentence."""
    gold: str | None = None
    """Gold beads, lines such as [0]:[0,1]: adds precision and recall."""


@group
class AlignOutput(Ui, Talk):
    """Options of the output of beads."""

    out: str | None = None
    """Write the beads with their texts: .jsonl or .tsv, or .tmx for those with both sides."""
    show: Annotated[int, at_least(0)] = 20
    """Number of beads to print."""
    save_lexicon: str | None = None
    """hybrid: write the word translations learned from these texts."""


def align(
    source: Annotated[str, Parameter(help="A text, one sentence per line.")],
    target: Annotated[str, Parameter(help="Its translation, one sentence per line.")],
    /,
    *,
    options: AlignOptions,
    output: AlignOutput = AlignOutput(),
) -> None:
    """Align the sentences of a text with those of its translation.

    Examples:

      patmark corpus align description.zh.txt description.en.txt --lang zh-en --out beads.jsonl

      patmark corpus align a.de.txt a.fr.txt --lang de-fr --save-lexicon de-fr.tsv

      patmark corpus align a.ja.txt a.en.txt --lang ja-en --dictionary edict:edict2.gz --json
    """
    from patmark.app.commands.corpus import align

    lexicon = output.save_lexicon
    request = AlignRequest(source, target, **vars(options), out=output.out, save_lexicon=lexicon)
    output.check(request.paths, lexicon, output.out)
    result = align(request)
    if missing := request.missing_dictionary:
        say(missing)
    if lexicon is not None:
        output.say(speaker(output.language)("wrote {file}", file=lexicon))
    if output.json:
        print_json(result.to_json())
    elif not output.quiet and output.out != "-":
        _print(result, output.show, output.language)
        if output.out is not None:
            say(speaker(output.language)("wrote {file}", file=output.out))


def _print(result: AlignedTexts, shown: int, language: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    tr = speaker(language)
    table = Table(tr("kind"), tr("score"), show_lines=True)
    for side in (tr("source"), tr("target")):
        table.add_column(side, overflow="fold")
    for bead in result.beads[:shown]:
        table.add_row(bead.kind, f"{bead.score:.3f}", *map(Text, result.sides(bead)))
    if shown:
        (Console() if sys.stdout.isatty() else Console(width=120)).print(table)
    first, *others = map(tr, result.summary())
    print(first)
    if len(result.beads) > shown:
        print(tr("the first {n} are shown; --show N shows more, --out writes all", n=shown))
    for line in (*others, result.signature):
        print(line)
