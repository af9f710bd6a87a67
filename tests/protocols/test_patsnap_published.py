"""The published scorer's numbers, recomputed here from its libraries, row by row.

What the scorer does was learnt from its public description; this oracle calls the same
libraries (sacreBLEU, NLTK, jieba, rouge) on the same preparation with our lemmatiser.
"""

from __future__ import annotations

import json
import logging
import random
import re
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sacrebleu
from nltk.translate.bleu_score import sentence_bleu
from nltk.translate.meteor_score import meteor_score
from rouge import Rouge

from patmark.app.commands.bench import evaluate
from patmark.evaluation.scoring import Sampling
from patmark.languages import english_lemmas
from patmark.protocols.patsnap.bench_files import Direction, read_patsnap
from patmark.protocols.patsnap.report import patsnap_json
from patmark.protocols.patsnap.rows import COMPONENTS, score_rows
from patmark.protocols.patsnap.scoring import PatsnapOptions, score_patsnap

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its patterns are an error where it is not compiled yet
    import jieba

jieba.setLogLevel(logging.ERROR)
_GENERAL = {"normal_sentence", "normal_character", "paragraph_accuracy", "special_sentence",
            "document_accuracy"}  # fmt: skip


def _general_score(direction: Direction, label: str, output: str, reference: str, wn: Any) -> float:
    if label == "document_accuracy":
        tokenizer = "13a" if direction == "cn2en" else "zh"
        return sacrebleu.corpus_bleu([output], [[reference]], tokenize=tokenizer).score / 100
    if direction == "cn2en":
        own, other = output.split(), reference.split()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            overlap = sentence_bleu([other], own, weights=(1, 0, 0, 0))
    else:
        own, other = list(jieba.cut(output)), list(jieba.cut(reference))
        overlap = Rouge(["rouge-1"]).get_scores(" ".join(own), " ".join(other))[0]["rouge-1"]["f"]
    return (overlap + meteor_score([other], own, wordnet=wn)) / 2


def _special_score(label: str, output: str, special: Any) -> float:
    if label == "patent_writing_norm":
        if not isinstance(special, list):
            return 0.0
        return round(sum(item.lower() in output for item in special) / len(special), 2)
    return float(output.count(special) >= (2 if label == "terminology_consistency" else 1))


def _oracle(rows: list[dict[str, Any]], direction: Direction, wn: Any) -> dict[str, Any]:
    scores, hallucination, omission = defaultdict(list), defaultdict(list), defaultdict(list)
    total = 0
    for row in rows:
        field = "content_cn_translate" if direction == "cn2en" else "content_en_translate"
        if field not in row:
            continue
        total += 1
        label, raw = row["label_2"], row[field]
        output = english_lemmas(raw) if direction == "cn2en" else raw
        reference = row["content_en" if direction == "cn2en" else "content_cn"]
        if label not in _GENERAL:
            special = row["special_en" if direction == "cn2en" else "special_cn"]
            if direction == "cn2en":
                special = (
                    [english_lemmas(item) for item in special]
                    if isinstance(special, list)
                    else english_lemmas(special)
                )
            scores[label].append(_special_score(label, output, special))
            continue
        if direction == "cn2en":
            reference = english_lemmas(reference)
            ratio = len(output.split()) / len(reference.split())
            leaks = re.search("[\u4e00-\u9fff]", raw) is not None
        else:
            ratio = len(raw) / len(reference)
            leaks = bool(re.search("[a-zA-Z]", raw)) and not re.search("[a-zA-Z]", reference)
        scores[label].append(_general_score(direction, label, output, reference, wn))
        hallucination[label].append(float(ratio > 5 or leaks))
        omission[label].append(float(ratio < 0.5))
    return {
        "total": total,
        **{
            key: {label: round(sum(v) / len(v) * 100, 2) for label, v in values.items()}
            for key, values in (
                ("accuracy_by_label", scores),
                ("hallucination_pct_by_label", hallucination),
                ("miss_translation_pct_by_label", omission),
            )
        },
    }


def _spoil(text: str, rng: random.Random, chinese: bool) -> str:
    """A poor translation: words dropped, swapped, doubled; at times cut, leaking or overlong."""
    words = list(text) if chinese else text.split(" ")
    for _ in range(rng.randint(0, max(2, len(words) // 8))):
        at, other = rng.randrange(len(words)), rng.randrange(len(words))
        words[at] = rng.choice([words[other], "", words[at] + words[other]])
    joined = ("" if chinese else " ").join(words)
    fault = rng.random()
    if fault < 0.06:
        joined = joined[: len(joined) // 3]
    elif fault < 0.12:
        joined += " valve" if chinese else " 阀门"
    elif fault < 0.16:
        joined = joined * 7
    return joined or "x"


def _results(rows: list[dict[str, Any]], direction: Direction, seed: int) -> list[dict[str, Any]]:
    rng = random.Random(seed)
    results = []
    for row in rows:
        row = dict(row)
        if direction == "en2cn":
            if row["content_en"] != "Zero":
                row["content_en_translate"] = _spoil(row["content_cn"], rng, True)
        elif rng.random() < 0.95:
            special = row["special_en"]
            text = row["content_en"]
            if text == "Zero":
                text = " ".join(special) if isinstance(special, list) else f"the {special}s, "
                text *= rng.randint(1, 3)
            row["content_cn_translate"] = _spoil(text, rng, False)
        results.append(row)
    return results


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )
    return path


@pytest.mark.parametrize("direction", ["cn2en", "en2cn"])
def test_published_variant_reproduces_the_published_scorer(
    direction: Direction, patsnap_rows: list[dict[str, Any]], nltk_wordnet: Any, tmp_path: Path
) -> None:
    rows = _results(patsnap_rows, direction, seed=1)
    test_set, run = read_patsnap(_write(tmp_path / "r.jsonl", rows), direction)
    options = PatsnapOptions(direction, "published", sampling=Sampling(resamples=0))
    ours = patsnap_json(score_patsnap(test_set, [run], options))
    expected = _oracle(rows, direction, nltk_wordnet)
    assert len(expected["accuracy_by_label"]) == (9 if direction == "cn2en" else 6)
    for key, value in expected.items():
        assert ours[key] == value, key
    published = {"direction": direction} | expected
    assert evaluate(tmp_path / "r.jsonl", direction, tmp_path / "out.json") == published
    assert json.loads((tmp_path / "out.json").read_text(encoding="utf-8")) == published


def _component(name: str, direction: Direction, output: str, reference: str, wn: Any) -> float:
    """A metric of one row by its own package, 0–1."""
    if name == "SacreBLEU":
        return _general_score(direction, "document_accuracy", output, reference, wn)
    cut = str.split if direction == "cn2en" else lambda text: list(jieba.cut(text))
    own, other = cut(output), cut(reference)
    if name == "METEOR":
        return meteor_score([other], own, wordnet=wn)
    if name.startswith("ROUGE"):
        key = name.lower()
        return Rouge([key]).get_scores(" ".join(own), " ".join(other))[0][key]["f"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        own, other = " ".join(own).split(), " ".join(other).split()
        return sentence_bleu([other], own, weights=(1 / int(name[-1]),) * int(name[-1]))


@pytest.mark.parametrize("direction", ["cn2en", "en2cn"])
def test_components_of_rows_equal_their_packages(
    direction: Direction, patsnap_rows: list[dict[str, Any]], nltk_wordnet: Any, tmp_path: Path
) -> None:
    general = [row for row in patsnap_rows if row["label_2"] in _GENERAL]
    short = [row for row in general if len(row["content_en"]) < 1000]  # the package recurs by word
    rows = _results(short[::2], direction, seed=2)
    test_set, run = read_patsnap(_write(tmp_path / "r.jsonl", rows), direction)
    found = score_rows(
        test_set, run.hypotheses, direction, "strict", components=tuple(COMPONENTS)
    ).components
    prepare = english_lemmas if direction == "cn2en" else str
    answered = [row for row, text in enumerate(run.hypotheses) if text is not None]
    assert len(answered) > 20
    for name in COMPONENTS:
        expected = [
            _component(
                name,
                direction,
                prepare(run.texts[row]),
                prepare(test_set[row].references[0]),
                nltk_wordnet,
            )
            for row in answered
        ]
        np.testing.assert_allclose(found[name][answered], expected, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("direction", ["cn2en", "en2cn"])
def test_reference_as_output_scores_near_the_top(
    direction: Direction, patsnap_rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    """METEOR of NLTK keeps identical text below 1, so the composite does not reach 1 either."""
    source, target = ("cn", "en") if direction == "cn2en" else ("en", "cn")
    rows = [
        {**row, f"content_{source}_translate": row[f"content_{target}"]}
        for row in patsnap_rows
        if row["content_en"] != "Zero"
    ]
    test_set, run = read_patsnap(_write(tmp_path / "r.jsonl", rows), direction)
    scores = score_rows(test_set, run.hypotheses, direction, "published")
    general = np.array([segment.meta["label"] in _GENERAL for segment in test_set])
    accuracy = scores.accuracy[general]
    assert (accuracy > 0.74).all() and accuracy.max() < 1.0 + 1e-9
    assert np.nanmax(scores.omission) == 0 and np.nanmax(scores.length_hallucination) == 0
