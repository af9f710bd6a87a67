"""patmark corpus align: the sentences of a text and of its translation side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from patmark.cli import options as given
from patmark.cli.corpus_align_output import (
    Result,
    Texts,
    deliver_beads,
)
from patmark.cli.inputs import refuse
from patmark.cli.output import Outputs, say
from patmark.errors import InputError, UsageError

if TYPE_CHECKING:
    from patmark.corpus.alignment import Aligner, AlignmentQuality, Bead, Link
    from patmark.data import FloatArray

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
    settings = _Settings(aligner, _languages(lang), dictionary, lexicon, ratio)
    texts = Texts.read(source, target)
    method = _aligner(settings, texts, translations, vectors)
    _note_missing_dictionary(settings)
    known = None if gold is None else _read_gold(gold, texts)
    result = _result(texts, method, settings)
    if save_lexicon is not None:
        _save_lexicon(method, texts, save_lexicon, quiet=quiet or as_json)
    quality = None if known is None else _quality(result.beads, known)
    deliver_beads(result, quality, out, shown=show, as_json=as_json, quiet=quiet)


@dataclass(frozen=True, slots=True)
class _Settings:
    """What decides about the beads."""

    aligner: str
    languages: tuple[str, str]
    dictionary: str | None
    lexicon: str | None
    ratio: bool


def _result(texts: Texts, aligner: Aligner, settings: _Settings) -> Result:
    """Align; SIM is known where there is a dictionary."""
    from patmark.corpus.alignment import WordMatches, senses_for

    beads = aligner.align(texts.source, texts.target)
    sim = None
    if settings.aligner in ("hybrid", "utiyama-isahara"):
        senses = senses_for(settings.dictionary, *settings.languages)
        if senses is not None:
            matches = WordMatches.of(texts.source, texts.target, settings.languages, senses)
            sim = matches.similarities(beads)
    if settings.aligner == "utiyama-isahara" and sim is not None:
        beads = _with_snt_scores(beads, sim, texts, settings.ratio)
    return Result(texts, beads, sim, aligner.signature)


def _with_snt_scores(
    beads: Sequence[Bead], sim: FloatArray, texts: Texts, ratio: bool
) -> list[Bead]:
    """SntScore instead of SIM, with R if asked for: what documents can be compared by."""
    from patmark.corpus.alignment import count_ratio, snt_scores

    factor = count_ratio(len(texts.source), len(texts.target)) if ratio else 1.0
    scores = snt_scores(sim) * factor
    return [replace(bead, score=float(s)) for bead, s in zip(beads, scores, strict=True)]


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
    from patmark.data import language_pair, language_warnings

    source, target = language_pair(lang)
    if source is None:
        raise UsageError(f"--lang {lang}: expected both languages, e.g. zh-en")
    for warning in language_warnings(source, target):
        say(warning)
    return source, target


def _aligner(
    settings: _Settings, texts: Texts, translations: str | None, vectors: tuple[str, str] | None
) -> Aligner:
    from patmark.corpus.alignment import aligner_for
    from patmark.data import read_lines

    translated = None if translations is None else read_lines(translations)
    embed = None if vectors is None else _given_vectors(vectors, texts)
    return aligner_for(
        settings.aligner, *settings.languages, settings.dictionary, settings.lexicon,
        translations=translated, embed=embed,
    )  # fmt: skip


def _note_missing_dictionary(settings: _Settings) -> None:
    """Say that the hybrid has no words to begin with; ``--dictionary none`` is a choice."""
    from patmark.corpus.alignment import senses_for

    if settings.aligner != "hybrid" or settings.lexicon or settings.dictionary:
        return
    if senses_for(None, *settings.languages) is None:
        own = "edict:FILE or tsv:FILE" if set(settings.languages) == {"ja", "en"} else "tsv:FILE"
        say(
            f"no dictionary for {'-'.join(settings.languages)}: only numbers, equal words and "
            f"lengths are known at first; --dictionary {own} or --lexicon FILE gives better beads"
        )


def _given_vectors(paths: tuple[str, str], texts: Texts) -> Callable[[Sequence[str]], FloatArray]:
    """A function that knows the vectors of these two texts only."""
    source, target = (_load_vectors(path) for path in paths)
    for path, vectors, side in zip(paths, (source, target), (texts.source, texts.target),
                                   strict=True):  # fmt: skip
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


def _read_gold(path: str, texts: Texts) -> list[Link]:
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


def _save_lexicon(aligner: Aligner, texts: Texts, path: str, *, quiet: bool) -> None:
    from patmark.corpus.alignment import Hybrid, learn_lexicon

    if isinstance(aligner, Hybrid):
        learn_lexicon([(texts.source, texts.target)], aligner).save(path)
        if not quiet:
            say(f"wrote {path}")
