"""Every row of the constants: our measure against the number that another program printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from patmark.data.model import TestSet
from patmark.measures.registry import parse_measure

_ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "constants" / "metric_constants.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
_CORPUS_EN = next(row for row in _ROWS if row["id"] == "corpus-en")

# sacreBLEU's kana rules are anchored at the line start and leave kana runs glued together;
# ours follow tercom, whose value for the same rows is tested.
_FOLLOWS_TERCOM = {("TER", "sacrebleu", "norm=yes punct=yes asian=yes case=lc", "ja")}


def _bleu(row: dict[str, Any]) -> str:
    params, tok = row["params"], row["tokens"]
    if row["peer"] == "mteval-v13a.pl":
        return f"BLEU(tok=13a,force=yes,case={'mixed' if 'kept' in params else 'lower'})"
    smooth = params.split("smooth=")[1].split()[0].split("[")[0]
    effective = "yes" if "eff=yes" in params else "no"
    case = "lower" if "case=lc" in params else "mixed"
    return f"BLEU(tok={tok},smooth={smooth},effective={effective},case={case})"


def _chrf(row: dict[str, Any]) -> str:
    eps = "yes" if "eff=no" in row["params"] else "no"
    words = 2 if "nw=2" in row["params"] else 0
    return f"chrF(words={words},eps={eps}{',tok=none' if words else ''})"


def _ter(row: dict[str, Any]) -> str:
    if "asian=yes" in row["params"]:
        return "TER(tok=tercom-asian)"
    return "TER(tok=tercom)" if "norm=yes" in row["params"] else "TER(tok=none,force=yes)"


def _rouge(row: dict[str, Any]) -> str:
    label, part = row["metric"].rsplit("-", 1)
    if row["peer"] == "rouge":
        exclusive = "no" if "exclusive=False" in row["params"] else "yes"
        return f"{label}(variant=pltrdy,tok=none,exclusive={exclusive})"
    tok = "none" if row["tokens"].startswith("pre-tokenised") else "rouge"
    stem = "yes" if "use_stemmer=True" in row["params"] else "no"
    name = {"F": "f", "P": "precision", "R": "recall"}[part]
    return f"{label}(part={name},tok={tok},stem={stem},force=yes)"


def _measure_name(row: dict[str, Any]) -> str | None:
    metric, params = row["metric"], row["params"]
    kept = "mixed" if "kept" in params else "lower"
    if metric.startswith("ROUGE"):
        return _rouge(row)
    if metric in ("BLEU-1", "BLEU-2", "BLEU-4"):
        if row["level"] == "corpus":
            return f"BLEU(variant=nltk-corpus,n={metric[-1]},tok=none)"
        return f"BLEU(variant=nltk,n={metric[-1]},tok=none)"
    makers = {
        "BLEU": lambda: _bleu(row),
        "chrF": lambda: _chrf(row),
        "chrF++": lambda: _chrf(row),
        "TER": lambda: _ter(row),
        "NIST": lambda: f"NIST(tok=13a,force=yes,case={kept})",
        "RIBES": lambda: f"RIBES(tok=none,case={kept})",
        "METEOR": lambda: "METEOR(tok=none)",
        "METEOR-nltk": lambda: "METEOR(variant=nltk,tok=none)",
    }
    return makers[metric]() if metric in makers else None


def _identifier(row: dict[str, Any]) -> str:
    return "-".join([row["metric"], row["peer"], row["id"], row["tokens"][:24], row["params"]])


def _compared(row: dict[str, Any]) -> bool:
    key = (row["metric"], row["peer"], row["params"], row["lang"])
    return _measure_name(row) is not None and key not in _FOLLOWS_TERCOM


_COMPARED = [row for row in _ROWS if _compared(row)]


def _as_corpus(row: dict[str, Any]) -> tuple[list[str], list[list[str]]]:
    single = isinstance(row["hyp"], str)
    return ([row["hyp"]], [row["refs"]]) if single else (row["hyp"], row["refs"])


@pytest.mark.parametrize("row", _COMPARED, ids=map(_identifier, _COMPARED))
def test_equals_peer(row: dict[str, Any]) -> None:
    name = _measure_name(row)
    assert name is not None
    measure = parse_measure(name)
    hypotheses, references = _as_corpus(row)
    if "information weights from the whole corpus-en" in row["params"]:
        hypotheses, references = _CORPUS_EN["hyp"], _CORPUS_EN["refs"]
    test_set = TestSet.of(references, target_language=row["lang"])
    statistics = measure.statistics(test_set, hypotheses)
    if "information weights from the whole corpus-en" in row["params"]:
        value = float(measure.score(statistics)[hypotheses.index(row["hyp"])])
    else:
        value = float(measure.score(statistics.sum(axis=0)))
    if row.get("error"):
        assert value == 0.0  # the peer refuses an empty hypothesis; ours is 0
        return
    assert value == pytest.approx(row["value"], abs=1e-6)


def test_every_row_is_compared_or_a_known_contrast() -> None:
    others = {(row["metric"], row["peer"]) for row in _ROWS if not _compared(row)}
    assert others == {("RIBES-nltk", "nltk"), ("NIST-nltk", "nltk"), ("TER", "sacrebleu")}
    assert len(_COMPARED) == len(_ROWS) - sum(not _compared(row) for row in _ROWS)
    assert len(_COMPARED) > 380


@pytest.mark.parametrize("label", ["RIBES", "NIST"])
def test_nltk_contrasts_are_not_ours(label: str) -> None:
    """NLTK's RIBES and NIST are other numbers; somewhere ours must differ from them."""
    differences = []
    for row in _ROWS:
        if row["metric"] != f"{label}-nltk" or row["value"] is None:
            continue
        hypotheses, references = _as_corpus(row)
        test_set = TestSet.of(references, target_language=row["lang"])
        measure = parse_measure(f"{label}(tok=none)")
        value = float(measure.score(measure.statistics(test_set, hypotheses).sum(axis=0)))
        differences.append(abs(value - row["value"]))
    assert max(differences) > 1e-3
