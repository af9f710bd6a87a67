"""Score tiny checkpoints (``tests/support/tiny_metrics.py``) with the programs of their authors.

    python tools/foreign_metric_scores.py comet scores.json
    python tools/foreign_metric_scores.py metricx scores.json --code metricx

Each runs in an environment of its own, without patmark: ``comet`` with unbabel-comet 2.2.7 and
setuptools < 81; ``metricx`` with transformers 4.30.2, accelerate 0.20.3, datasets 2.13.1, fsspec
2023.6.0, pyarrow < 18, numpy < 2 and the folder of google-research/metricx, of which ``models.py``
of metricx23 (commit 4875437) and ``get_dataset`` of both ``predict.py`` (metricx24: commit 0be34b4)
are used. Forks of metricx24 have the same network as metricx23; Google's own file of it was not at
hand, so that the network of metricx23 serves both years. The numbers go into
``tests/constants/foreign_metric_scores.json``, which the tests hold.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import tiny_metrics as tiny


def comet_scores() -> dict[str, Any]:
    """Return unbabel-comet's scores and error spans for each checkpoint."""
    from comet import load_from_checkpoint

    found = {}
    for name in tiny.COMETS:
        with tempfile.TemporaryDirectory() as folder:
            weights = tiny.write_comet(Path(folder), name)
            os.chdir(folder)  # the encoder is named by a path from here
            model = load_from_checkpoint(f"{folder}/checkpoints/model.ckpt", local_files_only=True)
            for asked, sides in _inputs(name).items():
                rows = [{side: row[side] for side in sides} for row in tiny.SEGMENTS]
                said = model.predict(rows, batch_size=5, gpus=0, progress_bar=False)
                found[asked] = {"weights": weights, "scores": said.scores}
                if "metadata" in said and "error_spans" in said.metadata:
                    found[asked]["spans"] = [
                        [
                            [one["start"], one["end"], one["severity"], one["confidence"]]
                            for one in row
                        ]
                        for row in said.metadata.error_spans
                    ]
            os.chdir("/")
    return found


def _inputs(name: str) -> dict[str, tuple[str, ...]]:
    """By which texts a model is asked, under which name."""
    if name.startswith("xcomet"):
        return {name: ("src", "mt", "ref"), f"{name}-qe": ("src", "mt")}
    return {name: ("src", "mt") if name.startswith("kiwi") else ("src", "mt", "ref")}


def metricx_scores(code: str) -> dict[str, Any]:
    """Return the scores of the published MetricX-23 and MetricX-24 programs, text by text."""
    import torch
    from transformers import AutoTokenizer

    sys.path.insert(0, code)
    models = importlib.import_module("metricx23.models")
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        weights = tiny.write_metricx(Path(folder) / "model")
        tokenizer = AutoTokenizer.from_pretrained(f"{folder}/model")
        model = models.MT5ForRegression.from_pretrained(f"{folder}/model").eval()
        rows = [
            {"source": row["src"], "hypothesis": row["mt"], "reference": row["ref"]}
            for row in tiny.SEGMENTS
        ]
        given = Path(folder) / "input.jsonl"
        given.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        for year in ("23", "24"):
            predict = importlib.import_module(f"metricx{year}.predict")
            for qe in (False, True):
                read = predict.get_dataset(str(given), tokenizer, 64, torch.device("cpu"), qe)
                with torch.no_grad():
                    scores = [
                        float(
                            model(row["input_ids"][None], row["attention_mask"][None]).predictions
                        )
                        for row in read["test"]
                    ]
                found[f"metricx-{year}{'-qe' if qe else ''}"] = {
                    "weights": weights, "scores": scores,
                }  # fmt: skip
    return found


def main() -> None:
    """Add the numbers of one program to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", choices=["comet", "metricx"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--code", default="metricx", help="the folder of google-research/metricx")
    given = parser.parse_args()
    out = given.out.resolve()
    known = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    code = str(Path(given.code).resolve())
    known |= comet_scores() if given.program == "comet" else metricx_scores(code)
    lines = [f" {json.dumps(name)}: {json.dumps(_rounded(one))}" for name, one in known.items()]
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    """Round all numbers to seven decimals."""
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return round(value, 7) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
