"""The command line, the Python functions and the local page carry out the same requests.

Every request is given to all doors that can ask for it. They must give the same numbers, or refuse
with the same message up to the wording of settings.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import patmark
from patmark.app.cli.app import run as run_line
from patmark.app.commands import (
    ComparisonRequest,
    ScoreRequest,
    compare_translations,
    score_translations,
)
from patmark.app.page.files import Given, Kind
from patmark.app.page.orders import Order, Task, page_setting
from patmark.errors import PatmarkError
from patmark.evaluation import CompareSettings, Gates
from patmark.examples import example_path
from patmark.report import to_json_text
from patmark.wording import as_option, settings_worded

_FAST = patmark.Sampling(resamples=20)
_TESTS = CompareSettings(_FAST, trials=50)
_JA_EN = ("atlas.en", "cobalt.en", "reference.en", "reference2.en", "source.ja", "documents.txt")
_ROWS = {
    "zh_atlas.jsonl": "patsnap_cn2en/atlas.jsonl",
    "zh_cobalt.jsonl": "patsnap_cn2en/cobalt.jsonl",
    "en_atlas.jsonl": "patsnap_en2cn/atlas.jsonl",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Example files and broken ones, in the working folder."""
    made = tmp_path_factory.mktemp("doors")
    for name in _JA_EN:
        shutil.copy(example_path(f"ja_en/{name}"), made / name)
    for name, source in _ROWS.items():
        shutil.copy(example_path(source), made / name)
    references = (made / "reference.en").read_text(encoding="utf-8").splitlines()
    answers = (made / "atlas.en").read_text(encoding="utf-8").splitlines()
    (made / "short.en").write_text("\n".join(answers[:5]) + "\n", encoding="utf-8")
    (made / "gaps.en").write_text("\n".join(["", *references[1:]]) + "\n", encoding="utf-8")
    (made / "bytes.en").write_bytes(b"one\n\xff\n")
    (made / "empty.en").write_text("", encoding="utf-8")
    rows = [
        {"id": str(n), "reference": reference, "system:atlas": answer}
        for n, (reference, answer) in enumerate(zip(references, answers, strict=True), 1)
    ]
    lines = [["id", "reference", "system:atlas"], *(list(row.values()) for row in rows)]
    text = "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines)
    (made / "table.csv").write_text(text + "\n", encoding="utf-8")
    part = [{"id": row["id"], "hypothesis": row["system:atlas"]} for row in rows[:-3]]
    (made / "part.jsonl").write_text("\n".join(map(json.dumps, part)) + "\n", encoding="utf-8")
    with chdir(made):
        for name in ("atlas", "cobalt"):
            scored = patmark.score(
                patmark.TestSet.of(references), {name: f"{name}.en"}, "BLEU,TER", sampling=_FAST
            )
            scored.save(f"{name}.json")
        yield made


@dataclass(frozen=True)
class Case:
    """A request at each door: a line, a call, and the files of the page by kind.

    ``refused`` is a part of the message; empty means that all doors give the same numbers.
    """

    line: str
    call: Callable[[], Any]
    refused: str = ""
    page: dict[str, Kind] = field(default_factory=dict)
    task: Task = "score"
    source: str = "ja"
    target: str = "en"

    def __str__(self) -> str:
        return self.line


def _score(*inputs: Any, **options: Any) -> Callable[[], Any]:
    return lambda: patmark.score(*inputs, sampling=_FAST, **options)


def _compare(*inputs: Any, **options: Any) -> Callable[[], Any]:
    return lambda: patmark.compare(*inputs, settings=_TESTS, **options)


def _lines(**files: str) -> Callable[[], patmark.TestSet]:
    """A test set of files with lines, as a program reads them."""
    from patmark.data import read_line_test_set

    languages = {"target_language": "en", "source_language": "ja"}
    return lambda: read_line_test_set(
        [files["ref"]], source=files.get("src"), documents=files.get("docs"), **languages
    )


def _lined(runs: dict[str, Any], measures: Any = "BLEU,TER", **files: str) -> Callable[[], Any]:
    return lambda: patmark.score(_lines(**files)(), runs, measures, sampling=_FAST)


def _both(measures: Any = "BLEU,TER", **options: Any) -> Callable[[], Any]:
    runs = {"atlas": "atlas.en", "cobalt": "cobalt.en"}
    return lambda: patmark.compare(
        _lines(ref="reference.en")(), runs, measures, settings=_TESTS, **options
    )


_PLAIN = "--ref reference.en --lang ja-en --measures BLEU,TER"
_TEXTS: dict[str, Kind] = {"atlas.en": "hypothesis", "reference.en": "reference"}
_TWO: dict[str, Kind] = {**_TEXTS, "cobalt.en": "hypothesis"}
_ROW: dict[str, Kind] = {"zh_atlas.jsonl": "rows"}

CASES = [
    # -- the same numbers
    Case(f"score --hyp atlas.en {_PLAIN}", _lined({"atlas": "atlas.en"}, ref="reference.en")),
    Case("score --hyp atlas.en --ref reference.en --lang ja-en",
         _lined({"atlas": "atlas.en"}, None, ref="reference.en"), page=_TEXTS),
    Case("score --hyp atlas.en --ref reference.en --src source.ja --docs documents.txt "
         "--lang ja-en",
         _lined({"atlas": "atlas.en"}, None, ref="reference.en", src="source.ja",
                docs="documents.txt"),
         page={**_TEXTS, "source.ja": "source", "documents.txt": "documents"}),
    Case("score atlas.en reference.en --measures chrF",
         _score(["atlas.en", "reference.en"], measures="chrF")),
    Case("score --testset table.csv --lang ja-en --measures BLEU",
         _score("table.csv", measures="BLEU", lang="ja-en")),
    Case("score --testset table.csv --hyp cobalt=cobalt.en --lang ja-en --measures BLEU",
         _score("table.csv", {"cobalt": "cobalt.en"}, "BLEU", lang="ja-en")),
    Case("score --testset table.csv --lang ja-en", _score("table.csv", lang="ja-en"),
         page={"table.csv": "testset"}),
    Case("score --testset table.csv --lang ja-en --measures BLEU --tok char",
         _score("table.csv", measures=["BLEU"], lang="ja-en", tok="char")),
    Case("score --testset table.csv --hyp part=part.jsonl --allow-partial --lang en --measures TER",
         _score("table.csv", {"part": "part.jsonl"}, "TER", lang="en", allow_partial=True)),
    Case("score zh_atlas.jsonl --protocol patsnap --lang zh-en",
         _score("zh_atlas.jsonl", protocol="patsnap", lang="zh-en")),
    Case("score en_atlas.jsonl --protocol patsnap --lang en-zh",
         _score("en_atlas.jsonl", protocol="patsnap", lang="en-zh")),
    Case("score zh_atlas.jsonl --protocol patsnap", _score("zh_atlas.jsonl", protocol="patsnap")),
    Case("score zh_atlas.jsonl", _score(["zh_atlas.jsonl"])),
    Case("score zh_atlas.jsonl --protocol patsnap --variant published",
         _score("zh_atlas.jsonl", protocol="patsnap", variant="published")),
    Case("score zh_atlas.jsonl zh_cobalt.jsonl --protocol patsnap --measures chrF",
         _score(["zh_atlas.jsonl", "zh_cobalt.jsonl"], None, "chrF", protocol="patsnap")),
    Case("compare --hyp atlas.en --hyp cobalt.en " + _PLAIN, _both()),
    Case("compare --hyp atlas.en --hyp cobalt.en --ref reference.en --lang ja-en --measures TER",
         _both(["TER"])),
    Case("compare --hyp atlas.en --hyp cobalt.en --ref reference.en --lang ja-en", _both(None),
         page=_TWO, task="compare"),
    Case("compare zh_atlas.jsonl zh_cobalt.jsonl --protocol patsnap",
         _compare(["zh_atlas.jsonl", "zh_cobalt.jsonl"], protocol="patsnap")),
    Case("compare --scores atlas.json --scores cobalt.json",
         _compare(scores=["atlas.json", "cobalt.json"])),
    Case("compare --scores atlas.json --scores cobalt.json --measures TER",
         _compare(None, None, "TER", scores=["atlas.json", "cobalt.json"])),
    Case("compare --scores atlas.json --scores cobalt.json --systems cobalt,atlas",
         _compare(scores=["atlas.json", "cobalt.json"], systems=["cobalt", "atlas"])),
    # -- the same refusals
    Case("score --hyp atlas.en --ref reference.en --lang ja-en --measures chrF,NoSuchMeasure",
         _lined({"atlas": "atlas.en"}, "chrF,NoSuchMeasure", ref="reference.en"),
         "the measure 'NoSuchMeasure' is unknown"),
    Case("score zh_atlas.jsonl --protocol patsnap --measures chrF,NoSuchMeasure",
         _score("zh_atlas.jsonl", None, "chrF,NoSuchMeasure", protocol="patsnap"),
         "the measure 'NoSuchMeasure' is unknown"),
    Case("score --testset zh_atlas.jsonl --hyp other=short.en --protocol patsnap",
         _score("zh_atlas.jsonl", {"other": "short.en"}, protocol="patsnap"), "short.en"),
    Case("score zh_atlas.jsonl --protocol patsnap --tok char",
         _score("zh_atlas.jsonl", protocol="patsnap", tok="char"), "has no effect with"),
    Case("score --testset table.csv --lang en --direction cn2en",
         _score("table.csv", lang="en", direction="cn2en"), "has no effect without"),
    Case("score zh_atlas.jsonl --protocol patsnap --lang ja-en",
         _score("zh_atlas.jsonl", protocol="patsnap", lang="ja-en"), "PatSnap rows are zh-en",
         page=_ROW, task="patsnap"),
    Case("score zh_atlas.jsonl --protocol patsnap --lang en-zh",
         _score("zh_atlas.jsonl", protocol="patsnap", lang="en-zh"), "zh_atlas.jsonl",
         page=_ROW, task="patsnap", source="en", target="zh"),
    Case("score zh_atlas.jsonl --protocol nonsense",
         _score("zh_atlas.jsonl", protocol="nonsense"), "the protocol 'nonsense' is unknown"),
    Case("score zh_atlas.jsonl --protocol patsnap --variant loose",
         _score("zh_atlas.jsonl", protocol="patsnap", variant="loose"), "variant 'loose' is"),
    Case("score zh_atlas.jsonl --protocol patsnap --lang zh-en --direction en2cn",
         _score("zh_atlas.jsonl", protocol="patsnap", lang="zh-en", direction="en2cn"),
         "give one of them"),
    Case("score en_atlas.jsonl --protocol patsnap --lang en-zh --lemmatizer spacy",
         _score("en_atlas.jsonl", protocol="patsnap", lang="en-zh", lemmatizer="spacy"),
         "has no effect on Chinese"),
    Case("score zh_atlas.jsonl en_atlas.jsonl --protocol patsnap",
         _score(["zh_atlas.jsonl", "en_atlas.jsonl"], protocol="patsnap"), "en_atlas.jsonl"),
    Case("score --testset table.csv --lang nonsense", _score("table.csv", lang="nonsense"),
         "nonsense"),
    Case("score --testset table.csv", _score("table.csv"), "say which language"),
    Case("score --testset table.csv --lang en --measures BLEU,BLEU",
         _score("table.csv", lang="en", measures="BLEU,BLEU"), "asked for twice: BLEU"),
    Case("score --testset table.csv --lang en --measures BLEU(n=x)",
         _score("table.csv", lang="en", measures="BLEU(n=x)"), "BLEU"),
    Case("score --hyp short.en " + _PLAIN, _lined({"short": "short.en"}, ref="reference.en"),
         "short.en", page={"short.en": "hypothesis", "reference.en": "reference"}),
    Case("score --hyp atlas.en --ref gaps.en --lang ja-en",
         _lined({"atlas": "atlas.en"}, ref="gaps.en"), "gaps.en:1: empty reference",
         page={"atlas.en": "hypothesis", "gaps.en": "reference"}),
    Case("score --hyp bytes.en --ref reference.en --lang ja-en",
         _lined({"bytes": "bytes.en"}, ref="reference.en"), "bytes.en:2",
         page={"bytes.en": "hypothesis", "reference.en": "reference"}),
    Case("score --hyp atlas.en --ref empty.en --lang ja-en",
         _lined({"atlas": "atlas.en"}, ref="empty.en"), "empty.en",
         page={"atlas.en": "hypothesis", "empty.en": "reference"}),
    Case("score --testset table.csv --hyp part=part.jsonl --lang en",
         _score("table.csv", {"part": "part.jsonl"}, lang="en"), "part.jsonl",
         page={"table.csv": "testset", "part.jsonl": "hypothesis"}, source=""),
    Case("score --testset table.csv --hyp atlas=cobalt.en --lang en",
         _score("table.csv", {"atlas": "cobalt.en"}, lang="en"), "two systems are called 'atlas'"),
    Case("score --testset table.csv --lang en --lower-is-better x",
         _score("table.csv", lang="en", lower_is_better=["x"]), "has no effect without"),
    Case("score --testset table.csv --lang en --scores BLEU=absent.csv",
         _score("table.csv", lang="en", scores={"BLEU": "absent.csv"}), "absent.csv"),
    Case("score --testset table.csv --lang en --allow-partial",
         _score("table.csv", lang="en", allow_partial=True), "without a run with ids"),
    Case("compare --hyp atlas.en " + _PLAIN,
         lambda: patmark.compare(_lines(ref="reference.en")(), {"atlas": "atlas.en"}, "BLEU,TER",
                                 settings=_TESTS),
         "a comparison needs at least two systems, and 1 are given"),
    Case("compare --testset table.csv --lang en", _compare("table.csv", lang="en"),
         "a comparison needs at least two systems, and 1 are given",
         page={"table.csv": "testset"}, task="compare", source=""),
    Case("compare zh_atlas.jsonl --protocol patsnap",
         _compare("zh_atlas.jsonl", protocol="patsnap"),
         "a comparison needs at least two systems, and 1 are given"),
    Case("compare --scores atlas.json", _compare(scores="atlas.json"),
         "a comparison needs at least two systems, and 1 are given"),
    Case("compare --scores atlas.json --scores atlas.json",
         _compare(scores=["atlas.json", "atlas.json"]), "atlas.json is given twice"),
    Case("compare --scores atlas.json --scores absent.json",
         _compare(scores=["atlas.json", "absent.json"]), "absent.json"),
    Case("compare --scores atlas.json --scores cobalt.json --measures chrF",
         _compare(None, None, "chrF", scores=["atlas.json", "cobalt.json"]),
         "no measure 'chrF' was saved"),
    Case("compare --scores atlas.json --scores cobalt.json --tok char",
         _compare(scores=["atlas.json", "cobalt.json"], tok="char"), "has no effect with"),
    Case("compare --scores atlas.json --scores cobalt.json --lang en",
         _compare(scores=["atlas.json", "cobalt.json"], lang="en"), "has no effect with"),
    Case("compare --scores atlas.json --testset table.csv --lang en",
         _compare("table.csv", scores=["atlas.json"], lang="en"), "files of texts"),
    Case("compare --hyp atlas.en --hyp cobalt.en --systems atlas,cobalt " + _PLAIN,
         _both(systems=["atlas", "cobalt"]), "has no effect without"),
    Case("compare --hyp atlas.en --hyp cobalt.en --ref reference.en --lang en "
         "--measures length-ratio", _both("length-ratio"), "no system can be better by it"),
    Case("compare zh_atlas.jsonl zh_cobalt.jsonl --protocol patsnap --measures chrF",
         _compare(["zh_atlas.jsonl", "zh_cobalt.jsonl"], None, "chrF", protocol="patsnap"),
         "systems are compared by the labels of the bench"),
]  # fmt: skip


def _at_the_command_line(case: Case) -> str:
    """The JSON of a line, or the message that refuses it."""
    command, *words = case.line.split()
    trials = ["--trials", "50"] if command == "compare" else []
    out = io.StringIO()
    with settings_worded(as_option), redirect_stdout(out), redirect_stderr(io.StringIO()):
        try:
            run_line([command, *words, "--resamples", "20", *trials, "--json"])
        except PatmarkError as error:
            return f"refused: {error}"
    return out.getvalue()


def _in_python(case: Case) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return to_json_text(case.call().to_json()) + "\n"
        except PatmarkError as error:
            return f"refused: {error}"


def _on_the_page(case: Case) -> str:
    """The same request as the page hands it over, with few draws."""
    files = [Given("", Path(name), kind, "", "") for name, kind in case.page.items()]
    order = Order(case.task, files, case.source, case.target)
    asked = {**order.inputs(), "protocol": order.protocol}
    with settings_worded(page_setting):
        try:
            order.line()
            if order.task == "compare":
                request = ComparisonRequest(**asked, settings=_TESTS)
                return to_json_text(compare_translations(request, lambda _: None).to_json()) + "\n"
            scored = ScoreRequest(**asked, sampling=_FAST)
            return to_json_text(score_translations(scored, lambda _: None).to_json()) + "\n"
        except PatmarkError as error:
            return f"refused: {error}"


_SETTING = re.compile(
    r"--([a-z][a-z-]*)(?: '[^']*'| [^\s,;:]+)?|\b([a-z_]+)=(?:'[^']*')?"
    r"|the languages of this page|a file marked as: [^.,;]*|the setting “[^”]*” of the command line"
)
_CURE = re.compile(r"<setting>.*", re.DOTALL)


def _worded_alike(message: str) -> str:
    """A message without the wording of settings, which differs from door to door."""
    return _CURE.sub("<setting>", _SETTING.sub("<setting>", message))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_door_answers_alike(case: Case, folder: Path) -> None:
    line, call = _at_the_command_line(case), _in_python(case)
    doors = {"python": call} | ({"page": _on_the_page(case)} if case.page else {})
    if case.refused:
        assert line.startswith("refused: ") and case.refused in line
        for door, answer in doors.items():
            assert _worded_alike(answer) == _worded_alike(line), door
        return
    assert not line.startswith("refused"), line
    for door, answer in doors.items():
        found, expected = json.loads(answer), json.loads(line)
        notes = [one.pop("notes") for one in (found, expected)]
        assert found == expected, door
        assert list(map(_worded_alike, notes[0])) == list(map(_worded_alike, notes[1])), door


def test_there_are_enough_requests() -> None:
    assert len(CASES) >= 40
    assert sum(bool(case.page) for case in CASES) >= 10


def test_a_protocol_does_not_ignore_runs_and_measures(folder: Path) -> None:
    with pytest.raises(PatmarkError, match="the measure 'NoSuchMeasure' is unknown"):
        patmark.score("zh_atlas.jsonl", {"other": ["x"]}, "chrF,NoSuchMeasure", protocol="patsnap")
    with pytest.raises(PatmarkError, match="other has 1 hypotheses for"):
        patmark.score("zh_atlas.jsonl", {"other": ["x"]}, "chrF", protocol="patsnap")


def test_rows_of_a_protocol_may_be_a_list_of_dicts(folder: Path) -> None:
    lines = Path("zh_atlas.jsonl").read_text(encoding="utf-8").splitlines()
    rows = patmark.score([json.loads(line) for line in lines], protocol="patsnap", sampling=_FAST)
    file = patmark.score("zh_atlas.jsonl", protocol="patsnap", sampling=_FAST)
    assert list(rows.systems) == ["rows"]
    for name, of_systems in file.estimates.items():
        assert rows.estimates[name]["rows"] == of_systems["zh_atlas"]


@pytest.mark.parametrize(
    ("options", "gates", "passed"),
    [
        ("--fail-under BLEU=1", Gates(fail_under="BLEU=1"), True),
        ("--fail-under BLEU=99", Gates(fail_under="BLEU=99"), False),
        ("--baseline cobalt.json --max-drop BLEU=0.5",
         Gates(baseline="cobalt.json", max_drop="BLEU=0.5"), True),
        ("--baseline cobalt.json --margin BLEU=1", Gates(baseline="cobalt.json", margin="BLEU=1"),
         True),
    ],
)  # fmt: skip
def test_gates_judge_alike(options: str, gates: Gates, passed: bool, folder: Path) -> None:
    references = Path("reference.en").read_text(encoding="utf-8").splitlines()
    done = patmark.score(
        patmark.TestSet.of(references), {"atlas": "atlas.en"}, "BLEU,TER", sampling=_FAST
    )
    out = io.StringIO()
    line = f"score --hyp atlas.en --ref reference.en --lang en --measures BLEU,TER {options}"
    code: Any = 0
    with settings_worded(as_option), redirect_stdout(out), redirect_stderr(io.StringIO()):
        try:
            run_line([*line.split(), "--resamples", "20", "--json"])
        except SystemExit as stopped:
            code = stopped.code
    found = json.loads(out.getvalue())["gates"]
    judged = done.check(gates)
    assert found == [json.loads(to_json_text(one.to_json())) for one in judged]
    assert all(one.passed for one in judged) == passed == (code == 0)


@pytest.mark.parametrize(
    ("options", "gates", "message"),
    [
        ("--max-drop BLEU=1", Gates(max_drop="BLEU=1"), "go together"),
        ("--baseline cobalt.json", Gates(baseline="cobalt.json"), "goes together with"),
        ("--margin BLEU=1", Gates(margin="BLEU=1"), "needs a"),
        ("--fail-under BLEU", Gates(fail_under="BLEU"), "'BLEU' is not a threshold"),
        ("--fail-under chrF=1", Gates(fail_under="chrF=1"), "chrF has a threshold, but it is not"),
        ("--fail-under length-ratio=1", Gates(fail_under="length-ratio=1"), "no system can be"),
    ],
)
def test_gates_are_refused_alike(options: str, gates: Gates, message: str, folder: Path) -> None:
    references = Path("reference.en").read_text(encoding="utf-8").splitlines()
    done = patmark.score(
        patmark.TestSet.of(references), {"atlas": "atlas.en"}, "BLEU,TER", sampling=_FAST
    )
    line = f"score --hyp atlas.en --ref reference.en --lang en --measures BLEU,TER {options}"
    with settings_worded(as_option), pytest.raises(PatmarkError, match=message) as at_line:
        run_line([*line.split(), "--resamples", "20", "--json"])
    with pytest.raises(PatmarkError, match=message) as in_python:
        done.check(gates)
    assert _worded_alike(str(at_line.value)) == _worded_alike(str(in_python.value))
