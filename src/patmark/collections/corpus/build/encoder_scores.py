"""Cosine of the sentence vectors of a pair, from an encoder of the extra ``neural``.

LaBSE and LASER are given by name, transformers models by id or folder. LaBSE gives its pooled
output, other models the mean of their last hidden states; LASER is that of the package
``laser-encoders``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from patmark.catalogue import load_library
from patmark.data import FloatArray, TestSet
from patmark.engine import Batch, batch_of
from patmark.errors import UsageError
from patmark.measures import SimCSE, find_model

ENCODER_SCHEMA = {"place": "int64", "score": "float64"}
_LABSE, _LABSE_MODEL = "labse", "setu4993/LaBSE"
_LASER = "laser"


def encoder_signature(name: str) -> str:
    """Return the name of an encoder with the hash of its weights; raise UsageError if absent."""
    if name.lower() == _LASER:
        load_library("laser_encoders", "neural")
        return name
    checkpoint = find_model(_encoder(name).model, "")
    return f"{name} {checkpoint.weights} {checkpoint.settings}"


def score_pairs(name: str, languages: tuple[str, str], pairs: Batch) -> Iterator[Batch]:
    """Yield the score of each uncut pair, rounded so that machines agree."""
    columns = pairs.to_pydict()
    wanted = [n for n, left_out in enumerate(columns["left_out"]) if not left_out]
    if not wanted:
        return
    sources, targets = ([columns[side][n] for n in wanted] for side in ("source", "target"))
    if name.lower() == _LASER:
        scores = _cosines(_laser(languages[0], sources), _laser(languages[1], targets))
    else:
        scores = _encoder(name).segment_scores(TestSet.of(targets), tuple(sources))
    rows = [
        {"place": columns["place"][n], "score": round(float(score), 4)}
        for n, score in zip(wanted, scores, strict=True)
    ]
    yield batch_of(rows, ENCODER_SCHEMA)


def _encoder(name: str) -> SimCSE:
    if name.lower() == _LABSE:
        return SimCSE(model=_LABSE_MODEL, pooling="pooler", long="window")
    return SimCSE(model=name, pooling="mean", long="window")


def _laser(language: str, texts: Sequence[str]) -> FloatArray:
    return np.asarray(_laser_encoder(language).encode_sentences(list(texts)), dtype=np.float64)


@lru_cache(maxsize=4)
def _laser_encoder(language: str) -> Any:
    encoders = load_library("laser_encoders", "neural")
    try:
        return encoders.LaserEncoderPipeline(lang=language)
    except Exception as error:  # downloads fail in many ways
        raise UsageError(f"LASER cannot be had for {language}: {error}") from error


def _cosines(ours: FloatArray, theirs: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(ours, axis=1) * np.linalg.norm(theirs, axis=1)
    return np.asarray((ours * theirs).sum(axis=1) / np.maximum(lengths, 1e-12))
