"""patmark corpus: from patent documents to a test collection."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from patmark.app import commands
from patmark.app.cli.output import (
    Files,
    Full,
    Tables,
    Talk,
    Ui,
    counting,
    deliver,
    exit_if,
    print_json,
    progress_bar,
    report_when_stopped,
    say,
    show,
    spoken,
    tell_beside,
)
from patmark.options import Parameter, at_least, group
from patmark.wording import speaker

if TYPE_CHECKING:
    from patmark.collections.corpus import AlignedTexts, Build, CollectionStats
    from patmark.collections.patents import Families, ParseResult


def parse(request: commands.corpus.ParseRequest, output: Talk) -> None:
    """Convert patent documents of any known format to JSON Lines.

    USPTO Green Book, SGML, PAP, Red Book and XML4IP; EPO full text, DOCDB and OPS; JPO gazettes and
    ST.96; CNIPA; KIPRIS; TIPO; MAREC, LexisNexis, Google Patents, Lens and PatentsView. Other
    formats need --map. Formats are detected by content; zip, tar, gz, zst, bz2 and xz are opened.
    Broken records are listed and counted; the rest is written.

    Example:

      patmark corpus parse week.zip epo/ --out docs.jsonl.zst
    """
    paths, out = [str(one) for one in request.paths], str(request.out)
    output.check(paths, out)
    with counting(output.quiet, "documents") as advance:
        result = commands.corpus.parse(request, progress=advance)
    _tell(result, out, output)
    exit_if(bool(result.damaged))


def families(request: commands.corpus.FamiliesRequest, output: Talk) -> None:
    """Group documents into families by their priorities, and list those that could not be linked.

    Example:

      patmark corpus families docs.jsonl.zst --out families.jsonl --kind extended
    """
    docs, out = [str(one) for one in request.docs], str(request.out)
    output.check(docs, out)
    with counting(output.quiet, "documents") as advance:
        result = commands.corpus.families(request, progress=advance)
    _tell(result, out, output)


def _tell(result: ParseResult | Families, out: str, output: Talk) -> None:
    """Print the result for people or for programs."""
    tell_beside(map(speaker(Ui().language), result.lines()), result.to_json(), out, output)


@group
class CardOutput(Full, Talk):
    """Options of the output of a data card."""


def build(request: commands.corpus.BuildRequest, output: CardOutput) -> None:
    """Make a test collection: families, aligned pairs, splits, context, sample, data card.

    Finished steps are not repeated; after an interruption, run the same command.

    Example:

      patmark corpus build pipeline.toml --out collection
    """
    request = replace(request, language=output.language)
    with report_when_stopped(work="done"), progress_bar(output.quiet) as progress:
        made = commands.corpus.build(request, progress=progress)
    _deliver_card(str(request.out), made, output)
    exit_if(bool(made.damaged))


def split(request: commands.corpus.SplitRequest, output: CardOutput) -> None:
    """Divide pairs into train, dev and test, by family and year, without leakage.

    Pairs that a build rejected (filters, duplicates) stay out.

    Example:

      patmark corpus split collection/pairs.parquet --test-from 2006 --out splits
    """
    request = replace(request, language=output.language)
    with report_when_stopped(work="done"), progress_bar(output.quiet) as progress:
        made = commands.corpus.split(request, progress=progress)
    _deliver_card(str(request.out), made, output)


def _deliver_card(out: str, result: Build | CollectionStats, output: CardOutput) -> None:
    """Show the data card of a collection."""
    if output.json:
        print_json({**result.to_json(), "out": str(Path(out))})
    elif not output.quiet:
        show(spoken(result, output.language), full=output.full)
        say(f"wrote {Path(out)}; the data card is {Path(out) / 'data_card.html'}")


def estimate(request: commands.corpus.EstimateRequest, output: Tables) -> None:
    """Estimate the time, memory and disk space of a full build from a sample.

    Example:

      patmark corpus estimate sample.toml --documents 10000000 --executors 16 --cores 8
    """
    output.check([str(request.pipeline)])
    with progress_bar(output.quiet) as progress:
        found = commands.corpus.estimate(request, progress=progress)
    deliver(found, output)


def demo(request: commands.corpus.FamilyDemoRequest, output: Talk) -> None:
    """Write invented patent families, with settings that build a collection from them.

    Example:

      patmark corpus demo --out demo

      patmark corpus build demo/pipeline.toml --out collection
    """
    families, out = request.families, str(request.out)
    written = commands.corpus.demo(request)
    if output.json:
        print_json({"families": families, "pipeline": str(written), "out": out})
    elif not output.quiet:
        counted = f"{families} invented {'family' if families == 1 else 'families'}"
        print(f"{counted} in {written.parent / 'documents'}")
        say(f"wrote {written}; now: patmark corpus build {written} --out collection")


def stats(
    place: Annotated[
        str, Parameter(name="DIR|PAIRS", help="Folder of a build, or pairs (Parquet, JSONL).")
    ],
    /,
    *,
    output: Tables,
) -> None:
    """Show the contents of a collection, and the removed pairs with reasons.

    Example:

      patmark corpus stats collection --full
    """
    output.check([place])
    deliver(commands.corpus.stats(place), output)


def changes(
    old: Annotated[str, Parameter(name="OLD", help="Folder of the earlier build.")],
    new: Annotated[str, Parameter(name="NEW", help="Folder of the later build.")],
    /,
    *,
    output: Tables,
) -> None:
    """Show the changes between two builds: settings, counts, and pairs of the splits.

    Example:

      patmark corpus changes collection-2025 collection-2026 --md CHANGES.md
    """
    output.check([old, new])
    deliver(commands.corpus.changes(old, new), output)


def sample(request: commands.corpus.SampleRequest, output: Talk) -> None:
    """Draw a sample of sentence pairs for human judgement, stratified by score.

    Fill in the column judgement with correct, partly, wrong or unsure; then run
    patmark corpus judged.

    Example:

      patmark corpus sample pairs.jsonl --n 200 --out sample.csv
    """
    out = str(request.out)
    output.check([str(request.pairs)], out)
    drawn = commands.corpus.sample(request)
    tell_beside([drawn.line()], drawn.to_json(), out, output)


def judged(request: commands.corpus.JudgedRequest, output: Files) -> None:
    """Estimate the precision of sentence pairs from a judged sample, overall and by score.

    Examples:

      patmark corpus judged sample.csv --html precision.html

      patmark corpus judged sample.csv --judgements campaign.csv --write-testset test.jsonl
    """
    output.check([request.sample, request.judgements], request.write_testset)
    deliver(commands.corpus.judged(request), output)


def tmx(request: commands.corpus.TmxRequest, output: Talk) -> None:
    """Write sentence pairs as a translation memory.

    From a build, the training pairs are written: a memory with the test pairs would reveal them.

    Example:

      patmark corpus tmx collection --lang zh-en --min-score 0.1 --out pairs.tmx
    """
    from patmark.data import counted
    from patmark.report import message_texts

    out = str(request.out)
    output.check([str(request.pairs)], out)
    made = commands.corpus.tmx(request)
    warnings = message_texts(made.warnings)
    for line in warnings:
        say(line)
    lines = [f"wrote {out}: {counted(made.pairs, 'pair')}"]
    if made.left_out:
        reasons = ", ".join(f"{name} {count}" for name, count in made.left_out.items())
        divided = made.left_out.keys() - {"score"}
        lines.append(f"left out: {reasons}" + ("; --split chooses" if divided else ""))
    facts = {"pairs": made.pairs, "left_out": made.left_out, "warnings": warnings}
    output.tell({**facts, "out": out}, "\n".join(lines))


@group
class AlignOutput(Ui, Talk):
    """Options of the output of beads."""

    out: str | None = None
    """Write the beads with their texts: .jsonl or .tsv, or .tmx for those with both sides."""
    show: Annotated[int, at_least(0)] = 20
    """Number of beads to print."""
    save_lexicon: str | None = None
    """hybrid: write the word translations learned from these texts."""


def align(request: commands.corpus.AlignRequest, output: AlignOutput) -> None:
    """Align the sentences of a text with those of its translation.

    Examples:

      patmark corpus align description.zh.txt description.en.txt --lang zh-en --out beads.jsonl

      patmark corpus align a.de.txt a.fr.txt --lang de-fr --save-lexicon de-fr.tsv

      patmark corpus align a.ja.txt a.en.txt --lang ja-en --dictionary edict:edict2.gz --json
    """
    lexicon, tr = output.save_lexicon, speaker(output.language)
    request = replace(request, out=output.out, save_lexicon=lexicon)
    output.check(request.paths, lexicon, output.out)
    result = commands.corpus.align(request)
    if missing := request.setup.missing_dictionary:
        say(missing)
    if lexicon is not None:
        output.say(tr("wrote {file}", file=lexicon))
    if output.json:
        print_json(result.to_json())
    elif not output.quiet and output.out != "-":
        _print(result, output.show, output.language)
        if output.out is not None:
            say(tr("wrote {file}", file=output.out))


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
