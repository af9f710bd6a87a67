"""patmark corpus align: the sentences of a text and of its translation side by side."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from patmark.cli.output import Talk, print_json, say
from patmark.cli.parsing import Options, Parameter, at_least, group, refuse
from patmark.errors import InputError, Problem, UsageError

if TYPE_CHECKING:
    from patmark.corpus.alignment import Aligner, AlignmentQuality, Bead, Link
    from patmark.data import FloatArray


@group
class AlignOptions(Options, heading="Alignment"):
    """What decides about the beads."""

    lang: str
    """Languages as SOURCE-TARGET, e.g. zh-en."""
    aligner: str = "hybrid"
    """hybrid, utiyama-isahara, gale-church, translation or embeddings."""
    dictionary: str | None = None
    """cedict, edict:FILE, tsv:FILE or none (default: cedict for zh and en)."""
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


@group
class AlignOutput(Talk):
    """Where beads go."""

    out: str | None = None
    """Write the beads with their texts: .jsonl or .tsv."""
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
    _check([source, target, *options.paths], options, output)
    _warn_of_languages(options)
    texts = _Texts.read(source, target)
    method = _aligner(options, texts)
    _note_missing_dictionary(options)
    known = None if options.gold is None else _read_gold(options.gold, texts)
    result = _result(texts, method, options)
    if output.save_lexicon is not None:
        _save_lexicon(method, texts, output.save_lexicon, quiet=not output.talks)
    quality = None if known is None else _quality(result.beads, known)
    _deliver(result, quality, output)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The sentences of both sides."""

    source: Sequence[str]
    target: Sequence[str]

    @classmethod
    def read(cls, source: str, target: str) -> _Texts:
        from patmark.data import read_lines

        texts = cls(read_lines(source), read_lines(target))
        empty = [
            path
            for path, side in ((source, texts.source), (target, texts.target))
            if not any(line.strip() for line in side)
        ]
        if empty:
            raise InputError([Problem("holds no sentence", path) for path in empty])
        return texts


@dataclass(frozen=True, slots=True)
class _Result:
    """Beads with what else is known about them."""

    texts: _Texts
    beads: Sequence[Bead]
    sim: FloatArray | None
    signature: str


def _check(read: Sequence[str], options: AlignOptions, output: AlignOutput) -> None:
    from patmark.data import check_stdin_once

    check_stdin_once(read)
    output.check(read, output.save_lexicon, output.out)
    if output.out not in (None, "-") and not str(output.out).endswith((".jsonl", ".tsv")):
        raise UsageError(f"--out {output.out}: expected a name that ends in .jsonl or .tsv")
    if options.aligner != "hybrid":
        refuse(f"with --aligner {options.aligner}", output.named("save_lexicon"))
    if options.aligner != "utiyama-isahara":
        refuse(f"with --aligner {options.aligner}", options.named("ratio"))


def _warn_of_languages(options: AlignOptions) -> None:
    from patmark.data.languages import language_warnings

    for warning in language_warnings(*options.languages):
        say(warning)


def _aligner(options: AlignOptions, texts: _Texts) -> Aligner:
    from patmark.corpus.alignment import aligner_for
    from patmark.data import read_lines

    given, vectors = options.translations, options.vectors
    return aligner_for(
        options.aligner,
        *options.languages,
        options.dictionary,
        options.lexicon,
        translations=None if given is None else read_lines(given),
        embed=None if vectors is None else _given_vectors(vectors, texts),
    )


def _note_missing_dictionary(options: AlignOptions) -> None:
    """Say that the hybrid has no words to begin with; ``--dictionary none`` is a choice."""
    from patmark.corpus.alignment import senses_for

    if options.aligner != "hybrid" or options.lexicon or options.dictionary:
        return
    if senses_for(None, *options.languages) is None:
        own = "edict:FILE or tsv:FILE" if set(options.languages) == {"ja", "en"} else "tsv:FILE"
        say(
            f"no dictionary for {'-'.join(options.languages)}: only numbers, equal words and "
            f"lengths are known at first; --dictionary {own} or --lexicon FILE gives better beads"
        )


def _result(texts: _Texts, aligner: Aligner, options: AlignOptions) -> _Result:
    """Align; SIM is known where there is a dictionary."""
    from patmark.corpus.alignment import WordMatches, senses_for

    beads = aligner.align(texts.source, texts.target)
    sim = None
    if options.aligner in ("hybrid", "utiyama-isahara"):
        senses = senses_for(options.dictionary, *options.languages)
        if senses is not None:
            matches = WordMatches.of(texts.source, texts.target, options.languages, senses)
            sim = matches.similarities(beads)
    if options.aligner == "utiyama-isahara" and sim is not None:
        beads = _with_snt_scores(beads, sim, texts, options.ratio)
    return _Result(texts, beads, sim, aligner.signature)


def _with_snt_scores(
    beads: Sequence[Bead], sim: FloatArray, texts: _Texts, ratio: bool
) -> list[Bead]:
    """SntScore instead of SIM, with R if asked for: what documents can be compared by."""
    from patmark.corpus.alignment import count_ratio, snt_scores

    factor = count_ratio(len(texts.source), len(texts.target)) if ratio else 1.0
    scores = snt_scores(sim) * factor
    return [replace(bead, score=float(s)) for bead, s in zip(beads, scores, strict=True)]


def _given_vectors(paths: tuple[str, str], texts: _Texts) -> Callable[[Sequence[str]], FloatArray]:
    """A function that knows the vectors of these two texts only."""
    source, target = (_load_vectors(path) for path in paths)
    sides = (texts.source, texts.target)
    for path, vectors, side in zip(paths, (source, target), sides, strict=True):
        if len(vectors) != len(side):
            message = f"expected {len(side)} rows, one for each sentence, found {len(vectors)}"
            raise InputError.at(message, path)
    return lambda sentences: source if sentences is texts.source else target


def _load_vectors(path: str) -> FloatArray:
    import numpy as np

    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError.at(f"cannot be read as .npy: {error}", path) from None
    if vectors.ndim != 2 or not np.issubdtype(vectors.dtype, np.number):
        raise InputError.at("expected numbers, one row for each sentence", path)
    return np.asarray(vectors, dtype=np.float64)


def _read_gold(path: str, texts: _Texts) -> list[Link]:
    from patmark.corpus.alignment import read_gold

    links = read_gold(path)
    sizes = len(texts.source), len(texts.target)
    for side, (name, size) in enumerate(zip(("source", "target"), sizes, strict=True)):
        last = max((max(link[side]) for link in links if link[side]), default=0)
        if last >= size:
            message = f"speaks of {name} sentence {last}; the last of the text is {size - 1}"
            raise InputError.at(message, path)
    return links


def _quality(beads: Sequence[Bead], gold: Sequence[Link]) -> AlignmentQuality:
    from patmark.corpus.alignment import links_of, score_alignment

    return score_alignment([(links_of(beads), gold)])


def _save_lexicon(aligner: Aligner, texts: _Texts, path: str, *, quiet: bool) -> None:
    from patmark.corpus.alignment import Hybrid, learn_lexicon

    if isinstance(aligner, Hybrid):
        learn_lexicon([(texts.source, texts.target)], aligner).save(path)
        if not quiet:
            say(f"wrote {path}")


def _deliver(result: _Result, quality: AlignmentQuality | None, output: AlignOutput) -> None:
    """Write the file that was asked for; print JSON, or the first beads and a summary."""
    if output.out is not None:
        _write(output.out, result)
    if output.json:
        print_json(_json(result, quality))
    elif not output.quiet and output.out != "-":
        _print(result, quality, output.show)
        if output.out is not None:
            say(f"wrote {output.out}")


def _rows(result: _Result) -> list[dict[str, Any]]:
    """Beads for JSON; SIM and SntScore where there is a dictionary."""
    from patmark.corpus.alignment import snt_scores

    rows: list[dict[str, Any]] = [
        {"src": list(bead.source), "tgt": list(bead.target), "score": bead.score}
        for bead in result.beads
    ]
    if result.sim is not None:
        for row, sim, score in zip(rows, result.sim, snt_scores(result.sim), strict=True):
            row |= {"sim": float(sim), "sntscore": float(score)}
    return rows


def _json(result: _Result, quality: AlignmentQuality | None) -> dict[str, Any]:
    from patmark.corpus.alignment import avsim, count_ratio

    scored = {}
    if quality is not None:
        scored = {"strict": quality.strict.to_json(), "lax": quality.lax.to_json()}
    return {
        "beads": _rows(result),
        "avsim": None if result.sim is None else avsim(result.sim),
        "ratio": count_ratio(len(result.texts.source), len(result.texts.target)),
        **scored,
        "signature": result.signature,
    }


def _sides(result: _Result, bead: Bead) -> tuple[str, str]:
    return (
        " ".join(result.texts.source[place] for place in bead.source),
        " ".join(result.texts.target[place] for place in bead.target),
    )


def _write(out: str, result: _Result) -> None:
    import json

    from patmark.data import write_atomically

    lines = []
    for row, bead in zip(_rows(result), result.beads, strict=True):
        source, target = _sides(result, bead)
        if out.endswith(".tsv"):
            numbers = [",".join(map(str, side)) for side in (bead.source, bead.target)]
            texts = [" ".join(text.split()) for text in (source, target)]
            lines.append("\t".join([*numbers, f"{bead.score:.6g}", *texts]))
        else:
            whole = {**row, "source": source, "target": target}
            lines.append(json.dumps(whole, ensure_ascii=False))
    header = ["src\ttgt\tscore\tsource\ttarget"] if out.endswith(".tsv") else []
    write_atomically(out, "\n".join([*header, *lines]) + "\n")


def _print(result: _Result, quality: AlignmentQuality | None, shown: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("kind", "score", show_lines=True)
    for side in ("source", "target"):
        table.add_column(side, overflow="fold")
    for bead in result.beads[:shown]:
        table.add_row(bead.kind, f"{bead.score:.3f}", *map(Text, _sides(result, bead)))
    console = Console() if sys.stdout.isatty() else Console(width=120)
    if shown:
        console.print(table)
    for line in _summary(result, quality, shown):
        print(line)


def _summary(result: _Result, quality: AlignmentQuality | None, shown: int) -> list[str]:
    from patmark.corpus.alignment import avsim

    kinds = Counter(bead.kind for bead in result.beads)
    listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    sizes = f"{len(result.texts.source)} × {len(result.texts.target)} sentences"
    lines = [f"{sizes}: {len(result.beads)} beads ({listed})"]
    if len(result.beads) > shown:
        lines.append(f"the first {shown} are shown; --show N shows more, --out writes all")
    if result.sim is not None:
        lines.append(f"AVSIM {avsim(result.sim):.4f}")
    if quality is not None:
        for name, each in (("strict", quality.strict), ("lax", quality.lax)):
            lines.append(
                f"{name}: precision {each.precision:.4f}, recall {each.recall:.4f}, "
                f"F1 {each.f1:.4f}"
            )
    return [*lines, result.signature]
