"""--ui: results for people in their language, the same numbers and JSON for programs."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from patmark.app.cli import main
from patmark.examples import write_examples

_COMPARE = ("compare", "--hyp", "atlas.en", "--hyp", "cobalt.en", "--ref", "reference.en",
            "--lang", "ja-en", "--measures", "BLEU,TER", "--resamples", "50")  # fmt: skip


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_examples(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["patmark", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


def test_results_are_in_the_language_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], workspace: Path
) -> None:
    assert run(monkeypatch, *_COMPARE, "--ui", "zh", "--html", "zh.html", "--md", "zh.md") == 0
    shown = capsys.readouterr()
    assert "系统比较" in shown.out and "atlas 优于 cobalt：" in shown.out
    assert "已写入 zh.html" in shown.err
    page = (workspace / "zh.html").read_text(encoding="utf-8")
    assert '<html lang="zh">' in page and "签名" in page
    assert "系统比较" in (workspace / "zh.md").read_text(encoding="utf-8")
    monkeypatch.setenv("PATMARK_UI", "ja")
    assert run(monkeypatch, *_COMPARE) == 0
    assert "システムの比較" in capsys.readouterr().out
    assert run(monkeypatch, *_COMPARE, "--ui", "en") == 0
    assert "Comparison of systems" in capsys.readouterr().out


def test_what_programs_read_does_not_change(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], workspace: Path
) -> None:
    found = []
    for language in ("en", "zh", "ja"):
        csv = f"{language}.csv"
        assert run(monkeypatch, *_COMPARE, "--json", "--csv", csv, "--ui", language) == 0
        found.append((capsys.readouterr().out, (workspace / csv).read_bytes()))
    assert found[0] == found[1] == found[2]


def test_captions_of_latex_tables_are_in_the_language_and_their_labels_are_not(
    monkeypatch: pytest.MonkeyPatch, workspace: Path
) -> None:
    found = {}
    for language in ("en", "zh", "ja"):
        file = f"{language}.tex"
        assert run(monkeypatch, *_COMPARE, "-q", "--latex", file, "--ui", language) == 0
        found[language] = (workspace / file).read_text(encoding="utf-8")
    assert r"\caption{Scores and groups}" in found["en"] and "ctex" not in found["en"]
    for language, notes in (("zh", "签名"), ("ja", "シグネチャ")):
        text = found[language]
        assert rf"\paragraph{{{notes}}}" in text and "ctex" in text
        [caption] = re.findall(r"\\caption{(.*)}", text)[:1]
        assert not caption.isascii()
        assert re.findall(r"\\label{.*}", text) == re.findall(r"\\label{.*}", found["en"])
        assert r"\textbf{62.30}" in text


def test_an_unknown_language_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATMARK_UI", "fr")
    assert run(monkeypatch, *_COMPARE) == 2
    assert "PATMARK_UI is 'fr'; choose from en, zh, ja" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ("corpus", "align", "source.ja", "reference.en", "--lang", "ja-en", "--show", "1",
             "--dictionary", "none", "--ui", "zh"),
            ("个对齐单元", "仅显示前 1 个"),
        ),
        (
            ("retrieve", "index", "patents.jsonl", "--out", "index", "--lang", "en", "--ui", "ja"),
            ("文書 1 件", "索引語", "日付がなく"),
        ),
        (
            ("run", "copy", "--src", "source.ja", "--lang", "ja-en", "--out", "copy.en",
             "--ui", "ja"),
            ("行の結果を取得", "copy.en を書き出しました"),
        ),
    ],
)  # fmt: skip
def test_commands_without_reports_speak_the_language_too(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    workspace: Path,
    arguments: tuple[str, ...],
    expected: tuple[str, ...],
) -> None:
    row = '{"id": "A", "lang": "en", "title": "Pump", "claims": "1. A pump."}\n'
    (workspace / "patents.jsonl").write_text(row, encoding="utf-8")
    assert run(monkeypatch, *arguments) == 0
    shown = "".join(capsys.readouterr())
    assert all(text in shown for text in expected), shown
