"""Two aligned texts: the output of `patmark corpus align`, and its quality."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from patmark.alignment import (
    DEFAULT_ALIGNER,
    Aligner,
    AlignmentQuality,
    Bead,
    Link,
    WordMatches,
    aligner_for,
    avsim,
    count_ratio,
    links_of,
    read_gold,
    score_alignment,
    senses_for,
    snt_scores,
)
from patmark.collections.corpus.tmx import TranslationUnit, write_tmx
from patmark.data import FloatArray, Notice, file_format, read_lines, write_atomically
from patmark.errors import InputError, Problem
from patmark.evaluation import pair_language_warnings
from patmark.languages import GLOSS_LANGUAGE, both_languages, join_sentences, language
from patmark.report import Column, Report, Result, Table, message_texts
from patmark.wording import setting, tr

_WITH_SIM = ("hybrid", "utiyama-isahara")


@dataclass(frozen=True, slots=True)
class TextPair:
    """The sentences of both sides."""

    source: Sequence[str]
    target: Sequence[str]

    @classmethod
    def read(cls, source: str, target: str) -> TextPair:
        """Read one sentence per line; refuse a file without any."""
        texts = cls(read_lines(source), read_lines(target))
        sides = ((source, texts.source), (target, texts.target))
        empty = [path for path, side in sides if not any(line.strip() for line in side)]
        if empty:
            raise InputError([Problem("holds no sentence", path) for path in empty])
        return texts


@dataclass(frozen=True, kw_only=True)
class AlignSetup:
    """Settings of an aligner; ``vectors`` are .npy files of both sides."""

    lang: str
    aligner: str = DEFAULT_ALIGNER
    dictionary: str | None = None
    lexicon: str | None = None
    ratio: bool = False
    translations: str | None = None
    vectors: tuple[str, str] | None = None

    def __post_init__(self) -> None:
        both_languages(self.lang)

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return both_languages(self.lang)

    def make(self, texts: TextPair) -> Aligner:
        """Make the aligner for two texts."""
        translated = None if self.translations is None else read_lines(self.translations)
        embed = None if self.vectors is None else _given_vectors(self.vectors, texts)
        return aligner_for(
            self.aligner,
            *self.languages,
            self.dictionary,
            self.lexicon,
            translations=translated,
            embed=embed,
        )

    @property
    def missing_dictionary(self) -> str:
        """A note if the hybrid has no words to begin with, unless the dictionary is ``none``."""
        if self.aligner != "hybrid" or self.lexicon or self.dictionary:
            return ""
        if senses_for(None, *self.languages) is not None:
            return ""
        known = [name for code in self.languages for name in language(code).dictionaries]
        known = known if GLOSS_LANGUAGE in self.languages else []
        ours = ", ".join([*known[:1], *(f"{name}:FILE" for name in known[1:])])
        own = f"{ours} or tsv:FILE" if ours else "tsv:FILE"
        return (
            f"no dictionary for {'-'.join(self.languages)}: only numbers, equal words and "
            f"lengths are known at first; {setting('dictionary', own)} or "
            f"{setting('lexicon', 'FILE')} gives better beads"
        )


@dataclass(frozen=True, slots=True)
class AlignedTexts(Result):
    """Beads with SIM, and the quality if gold beads were given."""

    texts: TextPair
    beads: Sequence[Bead]
    sim: FloatArray | None
    signature: str
    languages: tuple[str, str]
    quality: AlignmentQuality | None = None

    def rows(self) -> list[dict[str, Any]]:
        """Return beads for JSON; SIM and SntScore if there is a dictionary."""
        rows: list[dict[str, Any]] = [
            {"src": list(bead.source), "tgt": list(bead.target), "score": bead.score}
            for bead in self.beads
        ]
        if self.sim is not None:
            for row, sim, score in zip(rows, self.sim, snt_scores(self.sim), strict=True):
                row |= {"sim": float(sim), "sntscore": float(score)}
        return rows

    def sides(self, bead: Bead) -> tuple[str, str]:
        """Return the sentences of a bead."""
        source, target = self.languages
        return (
            join_sentences([self.texts.source[place] for place in bead.source], source),
            join_sentences([self.texts.target[place] for place in bead.target], target),
        )

    def to_json(self) -> dict[str, Any]:
        """Return beads, AVSIM, ratio and quality for JSON."""
        quality = self.quality
        scored = (
            {}
            if quality is None
            else {"strict": quality.strict.to_json(), "lax": quality.lax.to_json()}
        )
        return {
            "beads": self.rows(),
            "avsim": None if self.sim is None else avsim(self.sim),
            "ratio": count_ratio(len(self.texts.source), len(self.texts.target)),
            **scored,
            "warnings": message_texts(self.warnings),
            "signature": self.signature,
        }

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Warnings of sides that do not fit their language."""
        return pair_language_warnings((self.texts.source, self.texts.target), self.languages)

    def to_report(self) -> Report:
        """Return all beads as a table."""
        columns = (
            Column(tr("kind")),
            Column(tr("score"), 3),
            Column(tr("source")),
            Column(tr("target")),
        )
        rows = tuple((bead.kind, bead.score, *self.sides(bead)) for bead in self.beads)
        first, *others = self.summary()
        return Report(
            title=tr("Aligned sentences"),
            subtitle=first,
            headlines=(),
            tables=(Table(tr("Beads"), columns, rows),),
            signatures={"aligner": self.signature},
            findings=tuple(others),
        )

    def summary(self) -> list[str]:
        """Summarise the bead types, AVSIM and the quality."""
        kinds = Counter(bead.kind for bead in self.beads)
        lines: list[str] = [
            tr(
                "{source} × {target} sentences: {n} beads ({kinds})",
                source=len(self.texts.source),
                target=len(self.texts.target),
                n=len(self.beads),
                kinds=tuple(f"{kind} {count}" for kind, count in kinds.most_common()),
            )
        ]
        if self.sim is not None:
            lines.append(f"AVSIM {avsim(self.sim):.4f}")
        if self.quality is not None:
            lines += [
                tr(
                    "{name}: precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}",
                    name=name,
                    precision=each.precision,
                    recall=each.recall,
                    f1=each.f1,
                )
                for name, each in (
                    (tr("strict"), self.quality.strict),
                    (tr("lax"), self.quality.lax),
                )
            ]
        return [*lines, *message_texts(self.warnings)]

    def write(self, path: str) -> None:
        """Write the beads with their texts by extension: TMX, a table with tabs, else JSONL."""
        if file_format(path) == "tmx":
            units = (
                TranslationUnit(*self.sides(bead), notes={"score": f"{bead.score:.6g}"})
                for bead in self.beads
            )
            write_tmx(path, units, self.languages)
            return
        is_table = file_format(path) == "tsv"
        lines = ["src\ttgt\tscore\tsource\ttarget"] if is_table else []
        for row, bead in zip(self.rows(), self.beads, strict=True):
            source, target = self.sides(bead)
            if is_table:
                numbers = [",".join(map(str, side)) for side in (bead.source, bead.target)]
                texts = [" ".join(text.split()) for text in (source, target)]
                lines.append("\t".join([*numbers, f"{bead.score:.6g}", *texts]))
            else:
                whole = {**row, "source": source, "target": target}
                lines.append(json.dumps(whole, ensure_ascii=False))
        write_atomically(path, "\n".join(lines) + "\n")


def align_texts(
    texts: TextPair, aligner: Aligner, setup: AlignSetup, gold: Sequence[Link] | None = None
) -> AlignedTexts:
    """Align two texts; SIM requires a dictionary."""
    beads = aligner.align(texts.source, texts.target)
    sim = None
    if setup.aligner in _WITH_SIM:
        senses = senses_for(setup.dictionary, *setup.languages)
        if senses is not None:
            matches = WordMatches.of(texts.source, texts.target, setup.languages, senses)
            sim = matches.similarities(beads)
    if setup.aligner == "utiyama-isahara" and sim is not None:
        beads = _with_snt_scores(beads, sim, texts, setup.ratio)
    quality = None if gold is None else score_alignment([(links_of(beads), gold)])
    return AlignedTexts(texts, beads, sim, aligner.signature, setup.languages, quality)


def _with_snt_scores(
    beads: Sequence[Bead], sim: FloatArray, texts: TextPair, ratio: bool
) -> list[Bead]:
    """Replace SIM by SntScore, which compares documents, with R if requested."""
    factor = count_ratio(len(texts.source), len(texts.target)) if ratio else 1.0
    scores = snt_scores(sim) * factor
    return [replace(bead, score=float(s)) for bead, s in zip(beads, scores, strict=True)]


def read_gold_for(path: str, texts: TextPair) -> list[Link]:
    """Read gold beads; refuse one with a sentence that the texts do not have."""
    links = read_gold(path)
    sizes = len(texts.source), len(texts.target)
    for side, (name, size) in enumerate(zip(("source", "target"), sizes, strict=True)):
        last = max((max(link[side]) for link in links if link[side]), default=0)
        if last >= size:
            message = f"speaks of {name} sentence {last}; the last of the text is {size - 1}"
            raise InputError.at(message, path)
    return links


def _given_vectors(
    paths: tuple[str, str], texts: TextPair
) -> Callable[[Sequence[str]], FloatArray]:
    """Return a function that returns the vectors of these two texts only."""
    source, target = (_load_vectors(path) for path in paths)
    sides = (texts.source, texts.target)
    for path, vectors, side in zip(paths, (source, target), sides, strict=True):
        if len(vectors) != len(side):
            message = f"expected {len(side)} rows, one for each sentence, found {len(vectors)}"
            raise InputError.at(message, path)
    return lambda sentences: source if sentences is texts.source else target


def _load_vectors(path: str) -> FloatArray:
    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError.at(f"cannot be read as .npy: {error}", path) from None
    if vectors.ndim != 2 or not np.issubdtype(vectors.dtype, np.number):
        raise InputError.at("expected numbers, one row for each sentence", path)
    return np.asarray(vectors, dtype=np.float64)
