"""patmark corpus align: the sentences of a text and of its translation side by side."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from patmark.cli.output import Talk, print_json, say
from patmark.errors import UsageError
from patmark.options import Options, Parameter, at_least, group, refuse

if TYPE_CHECKING:
    from patmark.alignment import Aligner
    from patmark.corpus import AlignedTexts, AlignSetup, TextPair


@group
class AlignOptions(Options, heading="Alignment"):
    """What decides about the beads."""

    lang: str
    """Languages as SOURCE-TARGET, e.g. zh-en."""
    aligner: str = "hybrid"
    """hybrid, utiyama-isahara, gale-church, translation or embeddings."""
    dictionary: str | None = None
    """cedict, jmdict, edict:FILE, tsv:FILE or none (default: cedict for zh and en, jmdict for ja
    and en where it is installed)."""
    lexicon: str | None = None
    """hybrid: word translations learnt earlier."""
    ratio: bool = False
    """utiyama-isahara: multiply scores by the ratio of the counts."""
    translations: str | None = None
    """translation: the source in the target language, line by line."""
    vectors: Annotated[tuple[str, str] | None, Parameter(metavar="SOURCE.npy TARGET.npy")] = None
    """embeddings: vectors, one row for each sentence."""
    gold: str | None = None
    """Right beads, lines [0]:[0,1]: gives precision and recall."""

    @property
    def paths(self) -> list[str]:
        """All files to read beside the texts."""
        named = (self.lexicon, self.translations, self.gold)
        return [*filter(None, named), *(self.vectors or ())]

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        from patmark.data import language_pair

        source, target = language_pair(self.lang)
        if source is None:
            raise UsageError(f"--lang {self.lang}: expected both languages, e.g. zh-en")
        return source, target

    @property
    def setup(self) -> AlignSetup:
        """The same for the aligner."""
        from patmark.corpus import AlignSetup

        return AlignSetup(
            self.aligner,
            self.languages,
            self.dictionary,
            self.lexicon,
            self.ratio,
            self.translations,
            self.vectors,
        )


@group
class AlignOutput(Talk):
    """Where beads go."""

    out: str | None = None
    """Write the beads with their texts: .jsonl or .tsv, or .tmx for those with both sides."""
    show: Annotated[int, at_least(0)] = 20
    """How many beads to print."""
    save_lexicon: str | None = None
    """hybrid: write the word translations learnt from these texts."""


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
    from patmark.corpus import TextPair, align_texts, read_gold_for

    _check([source, target, *options.paths], options, output)
    texts = TextPair.read(source, target)
    setup = options.setup
    method = setup.make(texts)
    if setup.missing_dictionary:
        say(setup.missing_dictionary)
    gold = None if options.gold is None else read_gold_for(options.gold, texts)
    result = align_texts(texts, method, setup, gold)
    if output.save_lexicon is not None:
        _save_lexicon(method, texts, output.save_lexicon, quiet=not output.talks)
    _deliver(result, output)


def _check(read: Sequence[str], options: AlignOptions, output: AlignOutput) -> None:
    output.check(read, output.save_lexicon, output.out)
    if output.out not in (None, "-") and not str(output.out).endswith((".jsonl", ".tsv", ".tmx")):
        raise UsageError(
            f"--out {output.out}: expected a name that ends in .jsonl or .tsv, or .tmx"
        )
    if options.aligner != "hybrid":
        refuse(f"with --aligner {options.aligner}", output.named("save_lexicon"))
    if options.aligner != "utiyama-isahara":
        refuse(f"with --aligner {options.aligner}", options.named("ratio"))


def _save_lexicon(aligner: Aligner, texts: TextPair, path: str, *, quiet: bool) -> None:
    from patmark.alignment import Hybrid, learn_lexicon

    if isinstance(aligner, Hybrid):
        learn_lexicon([(texts.source, texts.target)], aligner).save(path)
        if not quiet:
            say(f"wrote {path}")


def _deliver(result: AlignedTexts, output: AlignOutput) -> None:
    """Write the file that was asked for; print JSON, or the first beads and a summary."""
    if output.out is not None:
        result.write(output.out)
    if output.json:
        print_json(result.to_json())
    elif not output.quiet and output.out != "-":
        _print(result, output.show)
        if output.out is not None:
            say(f"wrote {output.out}")


def _print(result: AlignedTexts, shown: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("kind", "score", show_lines=True)
    for side in ("source", "target"):
        table.add_column(side, overflow="fold")
    for bead in result.beads[:shown]:
        table.add_row(bead.kind, f"{bead.score:.3f}", *map(Text, result.sides(bead)))
    if shown:
        (Console() if sys.stdout.isatty() else Console(width=120)).print(table)
    first, *others = result.summary()
    print(first)
    if len(result.beads) > shown:
        print(f"the first {shown} are shown; --show N shows more, --out writes all")
    for line in (*others, result.signature):
        print(line)
