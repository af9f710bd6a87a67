"""A text and its translation, one sentence per line: aligned, written and summed up."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from patmark.corpus.alignment.beads import Aligner, Bead
from patmark.corpus.alignment.choice import senses_for
from patmark.corpus.alignment.scoring import (
    AlignmentQuality,
    Link,
    links_of,
    read_gold,
    score_alignment,
)
from patmark.corpus.alignment.similarity import WordMatches
from patmark.corpus.alignment.utiyama_isahara import avsim, count_ratio, snt_scores
from patmark.data import FloatArray, read_lines, write_atomically
from patmark.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class TextPair:
    """The sentences of both sides."""

    source: Sequence[str]
    target: Sequence[str]

    @classmethod
    def read(cls, source: str, target: str) -> TextPair:
        """Both files, which must hold something."""
        texts = cls(read_lines(source), read_lines(target))
        sides = ((source, texts.source), (target, texts.target))
        empty = [path for path, side in sides if not any(line.strip() for line in side)]
        if empty:
            raise InputError([Problem("holds no sentence", path) for path in empty])
        return texts

    @property
    def ratio(self) -> float:
        """R, the ratio of the counts of sentences."""
        return count_ratio(len(self.source), len(self.target))

    def read_vectors(self, source: str, target: str) -> Callable[[Sequence[str]], FloatArray]:
        """A function that knows the vectors of these two texts only, from .npy files."""
        found = [_load_vectors(path) for path in (source, target)]
        sides = (self.source, self.target)
        for path, vectors, side in zip((source, target), found, sides, strict=True):
            if len(vectors) != len(side):
                message = f"expected {len(side)} rows, one for each sentence, found {len(vectors)}"
                raise InputError.at(message, path)
        return lambda sentences: found[0] if sentences is self.source else found[1]

    def read_gold(self, path: str) -> list[Link]:
        """Right beads of these texts."""
        links = read_gold(path)
        sizes = len(self.source), len(self.target)
        for side, (name, size) in enumerate(zip(("source", "target"), sizes, strict=True)):
            last = max((max(link[side]) for link in links if link[side]), default=0)
            if last >= size:
                message = f"speaks of {name} sentence {last}; the last of the text is {size - 1}"
                raise InputError.at(message, path)
        return links


def _load_vectors(path: str) -> FloatArray:
    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise InputError.at(f"cannot be read as .npy: {error}", path) from None
    if vectors.ndim != 2 or not np.issubdtype(vectors.dtype, np.number):
        raise InputError.at("expected numbers, one row for each sentence", path)
    return np.asarray(vectors, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class AlignedTexts:
    """Beads of two texts, with SIM where there is a dictionary, and quality where gold is known."""

    texts: TextPair
    beads: Sequence[Bead]
    sim: FloatArray | None
    signature: str
    quality: AlignmentQuality | None = None

    def to_json(self) -> dict[str, Any]:
        """Everything that is known."""
        quality = self.quality
        scored = quality and {"strict": quality.strict.to_json(), "lax": quality.lax.to_json()}
        return {
            "beads": self._rows(),
            "avsim": None if self.sim is None else avsim(self.sim),
            "ratio": self.texts.ratio,
            **(scored or {}),
            "signature": self.signature,
        }

    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [
            {"src": list(bead.source), "tgt": list(bead.target), "score": bead.score}
            for bead in self.beads
        ]
        if self.sim is not None:
            for row, sim, score in zip(rows, self.sim, snt_scores(self.sim), strict=True):
                row |= {"sim": float(sim), "sntscore": float(score)}
        return rows

    def sides(self, bead: Bead) -> tuple[str, str]:
        """The sentences of a bead."""
        return (
            " ".join(self.texts.source[place] for place in bead.source),
            " ".join(self.texts.target[place] for place in bead.target),
        )

    def write(self, out: str) -> None:
        """Write the beads with their texts, as .tsv or as JSON lines."""
        lines = ["src\ttgt\tscore\tsource\ttarget"] if out.endswith(".tsv") else []
        for row, bead in zip(self._rows(), self.beads, strict=True):
            source, target = self.sides(bead)
            if out.endswith(".tsv"):
                numbers = [",".join(map(str, side)) for side in (bead.source, bead.target)]
                texts = [" ".join(text.split()) for text in (source, target)]
                lines.append("\t".join([*numbers, f"{bead.score:.6g}", *texts]))
            else:
                whole = {**row, "source": source, "target": target}
                lines.append(json.dumps(whole, ensure_ascii=False))
        write_atomically(out, "\n".join(lines) + "\n")

    def summary(self) -> list[str]:
        """What became of the sentences, in lines; the first counts beads."""
        kinds = Counter(bead.kind for bead in self.beads)
        listed = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        sizes = f"{len(self.texts.source)} × {len(self.texts.target)} sentences"
        lines = [f"{sizes}: {len(self.beads)} beads ({listed})"]
        if self.sim is not None:
            lines.append(f"AVSIM {avsim(self.sim):.4f}")
        if self.quality is not None:
            for name, each in (("strict", self.quality.strict), ("lax", self.quality.lax)):
                lines.append(
                    f"{name}: precision {each.precision:.4f}, recall {each.recall:.4f}, "
                    f"F1 {each.f1:.4f}"
                )
        return [*lines, self.signature]


def align_texts(
    texts: TextPair,
    aligner: Aligner,
    method: str,
    languages: tuple[str, str],
    dictionary: str | None,
    *,
    ratio: bool = False,
    gold: Sequence[Link] | None = None,
) -> AlignedTexts:
    """Align; the score of utiyama-isahara is SntScore, times R if asked for."""
    beads = aligner.align(texts.source, texts.target)
    sim = None
    if method in ("hybrid", "utiyama-isahara"):
        senses = senses_for(dictionary, *languages)
        if senses is not None:
            matches = WordMatches.of(texts.source, texts.target, languages, senses)
            sim = matches.similarities(beads)
    if method == "utiyama-isahara" and sim is not None:
        scores = snt_scores(sim) * (texts.ratio if ratio else 1.0)
        beads = [replace(bead, score=float(s)) for bead, s in zip(beads, scores, strict=True)]
    quality = None if gold is None else score_alignment([(links_of(beads), gold)])
    return AlignedTexts(texts, beads, sim, aligner.signature, quality)
