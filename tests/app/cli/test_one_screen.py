"""What a person sees first fits one screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import patmark
from patmark.examples import example_path
from patmark.report.terminal import text_cells

_JA_EN, _PATSNAP = example_path("ja_en"), example_path("patsnap_cn2en")
_DATA = [
    "--ref", _JA_EN / "reference.en", "--src", _JA_EN / "source.ja",
    "--docs", _JA_EN / "documents.txt", "--lang", "ja-en",
]  # fmt: skip
_BENCH = [_PATSNAP / f"{name}.jsonl" for name in ("atlas", "borealis", "cobalt")]
_SYSTEMS = ["--hyp", _JA_EN / "atlas.en", "--hyp", _JA_EN / "cobalt.en"]
_THREE = [*_SYSTEMS, "--hyp", _JA_EN / "borealis.en"]
_FAST = ["--resamples", "100"]
_ANSWERS = {
    "score": ["score", *_SYSTEMS, *_DATA, *_FAST],
    "compare two": ["compare", *_SYSTEMS, *_DATA, *_FAST, "--trials", "100"],
    "compare twelve": ["compare", *(f"--hyp=s{n}.en" for n in range(12)), *_DATA, *_FAST,
                       "--trials", "100"],
    "patsnap": ["score", *_BENCH, "--protocol", "patsnap", *_FAST],
    "compare patsnap": ["compare", *_BENCH, "--protocol", "patsnap", *_FAST, "--trials", "100"],
    "human report": ["human", "report", _JA_EN / "judgements.csv", _JA_EN / "preferences.csv",
                     *_FAST],
    "meta": ["meta", "saved.json", _JA_EN / "judgements.csv", "--gold", "adequacy", *_FAST,
             "--permutations", "100", "--allow-partial"],
    "demo": ["demo"],
}  # fmt: skip


_SPOKEN = [
    *((name, "en") for name in _ANSWERS),
    ("score", "zh"), ("compare twelve", "ja"), ("patsnap", "zh"), ("human report", "ja"),
    ("meta", "zh"), ("demo", "ja"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "language"), _SPOKEN)
def test_the_answer_fits_one_screen(
    name: str, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = _ANSWERS[name]
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("PATMARK_UI", language)
    if "saved.json" in command:
        patmark(tmp_path, "score", *_THREE, *_DATA, *_FAST, "--save", "saved.json", "--quiet")
    lines = (_JA_EN / "atlas.en").read_text(encoding="utf-8").splitlines()
    for number in range(12):
        shorter = (line[: len(line) - 2 * number] for line in lines)
        (tmp_path / f"s{number}.en").write_text("\n".join(shorter) + "\n", encoding="utf-8")
    done = patmark(tmp_path, *command)
    assert done.returncode == 0, done.stderr
    assert len((done.stdout + done.stderr).splitlines()) <= 40
    assert max(map(text_cells, done.stdout.splitlines())) <= 100
    assert "--full" in done.stderr
