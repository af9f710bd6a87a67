from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from patmark.data import read_run
from patmark.errors import InputError
from patmark.examples import example_path
from patmark.human.campaign import plan_campaign, read_campaign
from patmark.human.campaign.extra_pages import Extras
from patmark.human.campaign.settings import Assignment, EvaluatorSettings

_GOOD = """name: Small
form: adequacy
languages: zh-en
testset: testset.jsonl
runs: [atlas.jsonl, {system: B, file: borealis.jsonl}]
evaluators: [e1, e2]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(example_path("campaign_zh_en"), tmp_path, dirs_exist_ok=True)
    return tmp_path


def _file(folder: Path, text: str, name: str = "own.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_campaign(path)
    return [str(problem).replace(f"{path.parent}/", "") for problem in caught.value.problems]


def test_the_example_is_read_whole() -> None:
    settings = read_campaign(example_path("campaign_zh_en/adequacy.yaml"))
    assert settings.form.id == "adequacy" and settings.seed == 7
    assert [run.system for run in settings.runs] == ["atlas", "borealis", "cobalt"]
    assert (len(settings.test_set), settings.test_set.source_language) == (12, "zh")
    assert settings.evaluators[1] == EvaluatorSettings("e2", "zh")
    assert settings.assignment == Assignment("overlap", 5, 0.4)
    assert settings.checks is not None and settings.checks.share == 0.2
    assert settings.repeats is not None and settings.repeats.distance == 2
    assert settings.training is not None and len(settings.training.items) == 3
    assert settings.training.pass_mark == 0.6 and settings.min_seconds == 2
    assert settings.context["CN9700001A"]["ipc"] == ["F24H 3/04"]
    assert settings.notes == () and settings.record["balance"] == ["document"]


@pytest.mark.parametrize(
    "name",
    ["campaign_zh_en/acceptability.yaml", "campaign_zh_en/pairwise.yaml",
     "campaign_zh_en/mqm.yaml", "campaign_zh_en/esa.yaml",
     "campaign_claims/rating.yaml", "campaign_claims/pairwise.yaml"],
)  # fmt: skip
def test_every_example_can_be_planned(name: str) -> None:
    settings = read_campaign(example_path(name))
    plan = plan_campaign(settings)
    assert {page.evaluator for page in plan.pages} == {one.name for one in settings.evaluators}


def test_what_is_left_out_has_a_default(folder: Path) -> None:
    settings = read_campaign(_file(folder, _GOOD))
    assert [run.system for run in settings.runs] == ["atlas", "B"]
    assert settings.assignment == Assignment("same") and settings.balance == ("document",)
    assert settings.training is settings.checks is settings.repeats is None
    assert (settings.seed, settings.neighbours, settings.min_seconds) == (0, 0, None)


def test_every_problem_is_listed_with_its_line(folder: Path) -> None:
    text = """name: ''
form: adequate
languages: zh-en
testset: nowhere.jsonl
runs:
  - {system: A, flie: atlas.jsonl}
  - atlas.jsonl
  - 7
evaluators: [e1, {name: e1, language: fr}]
assignment: {mode: overlap, times: 3, items_per_evaluator: 0}
balance: [ipc, year]
checks: {share: 2, edits: [burnt]}
repeats: {distance: -1}
training: {feedback: never}
context: {neighbors: 1}
show: {source: maybe}
min_seconds: soon
seed: -1
colour: red
"""
    found = _problems(_file(folder, text))
    lines = {int(problem.split(":")[1]) for problem in found if problem.startswith("own.yaml:")}
    assert lines == {1, 2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
    assert "own.yaml:10: field 'times': has an effect only in mode each-r-times or pool" in found
    assert "own.yaml:10: mode overlap needs the field 'overlap'" in found
    assert "own.yaml:12: field 'share': expected 1 or less, found 2" in found
    assert (
        "own.yaml:13: field 'share' is missing; expected the share of pages, such as 0.05" in found
    )
    assert "own.yaml:4: no such file: nowhere.jsonl" in found
    assert any("'fr' is unknown; choose from en, zh, ja" in problem for problem in found)
    assert len(found) == len(set(found))


def test_problems_of_runs_have_lines(folder: Path) -> None:
    text = _GOOD.replace("B, file", "atlas, flie").replace("testset.jsonl", "testset.jsonl  ")
    found = _problems(_file(folder, text))
    assert (
        "own.yaml:5: unknown field 'flie'; the known ones are system, file; did you mean file?"
        in found
    )
    text = _GOOD.replace("{system: B,", "{system: atlas,")
    assert _problems(_file(folder, text)) == ["own.yaml:5: two runs are of the system 'atlas'"]


def test_a_run_is_named_by_the_campaign_then_by_itself_then_by_its_file(folder: Path) -> None:
    """The rule of score, compare and tasks."""
    rows = (folder / "atlas.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in rows if "system" not in json.loads(row)]
    head = json.dumps({"system": "Own Name"})
    (folder / "plain.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "named.jsonl").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    text = _GOOD.replace("[atlas.jsonl, ", "[plain.jsonl, named.jsonl, ")
    text = text.replace("borealis.jsonl", "named.jsonl")
    settings = read_campaign(_file(folder, text))
    assert [run.system for run in settings.runs] == ["plain", "Own Name", "B"]
    test_set = settings.test_set
    own = [read_run(folder / name, test_set).system for name in ("plain.jsonl", "named.jsonl")]
    assert own == ["plain", "Own Name"]
    assert read_run(folder / "named.jsonl", test_set, "B").system == "B"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "assignment: {mode: different, items_per_evaluator: 7}",
            "needs 14 segments; the test set",
        ),
        ("assignment: {mode: same, items_per_evaluator: 13}", "needs 13 segments"),
        ("assignment: {mode: each-r-times, times: 3}", "only 2 evaluators are named"),
        ("assignment: {mode: same, pairs_per_segment: 1}", "adequacy does not show pairs"),
        ("manifest: task.yaml", "the manifest says this already"),
        ("source: a.zh", "field 'testset': holds references, source and documents"),
        ("systems: [atlas, zephyr]", "no run is of 'zephyr'; there are atlas, B"),
        ("training: {file: testset.jsonl}", "is also a segment of the test set"),
        ("guideline: {en: no.md}", "no such file"),
    ],
)
def test_what_cannot_work_is_said(folder: Path, change: str, message: str) -> None:
    assert any(message in problem for problem in _problems(_file(folder, f"{_GOOD}{change}\n")))


def test_forms_and_texts_must_go_together(folder: Path) -> None:
    one = _GOOD.replace(", {system: B, file: borealis.jsonl}", "").replace("adequacy", "ranking")
    assert "one run is not enough" in _problems(_file(folder, one))[0]
    rows = [json.loads(line) for line in (folder / "testset.jsonl").read_text().splitlines()]
    bare = [{"id": row["id"]} for row in rows]
    _file(folder, "".join(f"{json.dumps(row)}\n" for row in bare), "testset.jsonl")
    assert "shows the source, and 12 segments have none" in _problems(_file(folder, _GOOD))[0]
    claims = _GOOD.replace("adequacy", "claim-rating")
    assert "shows references, and 12 segments have none" in _problems(_file(folder, claims))[0]


def test_guidelines_and_display_can_be_changed(folder: Path) -> None:
    _file(folder, "# Unsere Regeln\n", "rules.md")
    text = f"{_GOOD}guideline: {{en: rules.md}}\nshow: {{source: false, reference: true}}\n"
    form = read_campaign(_file(folder, text)).form
    assert form.guideline["en"] == "# Unsere Regeln\n" and form.guideline["zh"].startswith(
        "# 充分性"
    )
    assert (form.shows_source, form.shows_reference, form.marks_differences) == (False, True, False)


def test_json_and_toml_say_the_same(folder: Path) -> None:
    content = {
        "name": "Small", "form": "adequacy", "languages": "zh-en", "testset": "testset.jsonl",
        "runs": ["atlas.jsonl"], "evaluators": ["e1"], "checks": {"share": 0.1, "distance": 1},
    }  # fmt: skip
    as_json = read_campaign(_file(folder, json.dumps(content), "own.json"))
    toml = 'name = "Small"\nform = "adequacy"\nlanguages = "zh-en"\ntestset = "testset.jsonl"\n'
    toml += 'runs = ["atlas.jsonl"]\nevaluators = ["e1"]\n[checks]\nshare = 0.1\ndistance = 1\n'
    as_toml = read_campaign(_file(folder, toml, "own.toml"))
    assert as_json.record == as_toml.record == content
    assert as_json.checks == as_toml.checks == Extras(0.1, 1, as_json.checks.edits)  # type: ignore[union-attr]


def test_lines_and_manifests(folder: Path) -> None:
    ja_en = example_path("ja_en")
    lines = f"""name: Lines
form: adequacy
languages: ja-en
source: {ja_en}/source.ja
documents: {ja_en}/documents.txt
runs: [{{system: A, file: {ja_en}/atlas.en}}]
evaluators: [e1]
"""
    settings = read_campaign(_file(folder, lines))
    assert len(settings.test_set) == 120 and settings.runs[0].system == "A"
    _file(folder, f"""name: Task
languages: ja-en
source: {ja_en}/source.ja
references: {ja_en}/reference.en
runs:
  - {{group: atlas, file: {ja_en}/atlas.en, type: NMT}}
  - {{group: cobalt, file: {ja_en}/cobalt.en, type: SMT}}
""", "task.yaml")  # fmt: skip
    text = "name: M\nform: pairwise\nmanifest: task.yaml\nsystems: [cobalt-1, atlas-1]\n"
    settings = read_campaign(_file(folder, f"{text}evaluators: [e1]\n"))
    assert [run.system for run in settings.runs] == ["cobalt-1", "atlas-1"]


def test_patsnap_rows_and_columns_of_a_table(folder: Path) -> None:
    bench = example_path("patsnap_cn2en")
    text = f"""name: Bench
form: ranking
patsnap: cn2en
runs: [{bench}/atlas.jsonl, {bench}/borealis.jsonl]
evaluators: [e1]
balance: [ipc, document]
"""
    settings = read_campaign(_file(folder, text))
    assert len(settings.test_set) == 148 and settings.balance == ("ipc", "document")
    assert (
        "'zh-en' is unknown; choose from cn2en"
        in _problems(_file(folder, text.replace("cn2en\n", "zh-en\n")))[0]
    )
    _file(folder, "id\tsource\treference\tsystem:A\tsystem:B\n1\t原文\tr\ta\tb\n", "table.tsv")
    table = "name: T\nform: pairwise\nlanguages: zh-en\ntestset: table.tsv\nevaluators: [e1]\n"
    assert [run.system for run in read_campaign(_file(folder, table)).runs] == ["A", "B"]


def test_a_corpus_sample_is_judged_pair_by_pair(folder: Path) -> None:
    _file(folder, "id,source,target,judgement,section,family,score,stratum,stratum_pairs\n"
          "p1,你好。,Hello.,,claims,F1,0.9,1,20\np2,再见。,Thanks.,,claims,F1,0.2,2,20\n",
          "sample.csv")  # fmt: skip
    text = (
        "name: S\nform: pair-correctness\nlanguages: zh-en\nsample: sample.csv\nevaluators: [e]\n"
    )
    plan = plan_campaign(read_campaign(_file(folder, text)))
    assert sorted((page.source, page.candidates[0].text) for page in plan.pages) == [
        ("你好。", "Hello."), ("再见。", "Thanks."),
    ]  # fmt: skip
    assert {page.candidates[0].systems for page in plan.pages} == {("corpus",)}
    _file(folder, '{"id": "p1", "source": "", "target": "x"}\n{"id": "p1"}\n', "sample.jsonl")
    found = _problems(_file(folder, text.replace(".csv", ".jsonl")))
    assert found[0] == "sample.jsonl:1: expected an id and two sentences that are not empty"
    assert "sample.jsonl:2: id 'p1' is already on line 1" in found


def test_context_rows_are_checked_and_others_told(folder: Path) -> None:
    rows = '{"id": "CN9700001A", "title": "t", "claims": "1."}\n{"id": "CN1", "title": "u"}\n'
    _file(folder, rows, "context.jsonl")
    settings = read_campaign(_file(folder, f"{_GOOD}context: {{file: context.jsonl}}\n"))
    assert settings.notes[1:] == (
        "context.jsonl: not shown to evaluators: claims",
        "context.jsonl: 1 row is of no document or segment of the test set",
    )
    _file(folder, '{"id": "CN1"}\n{"id": "CN1"}\n{}\n', "context.jsonl")
    found = _problems(_file(folder, f"{_GOOD}context: {{file: context.jsonl}}\n"))
    assert found[0] == "context.jsonl:2: id 'CN1' occurs twice"


def test_training_items_are_checked_against_the_form(folder: Path) -> None:
    rows = [
        {"id": "t1", "source": "原", "candidates": [{"text": "x", "expected": {"adequacy": 6}}]},
        {"id": "t1", "candidates": []},
        {
            "id": "t2",
            "source": "原",
            "candidates": [{"text": "x"}, "y"],
            "expected": {"adequacy": 1},
        },
        {"id": "t3", "source": "原", "candidates": [{"text": "x", "expected": {"adequacy": 1.5}}]},
    ]
    _file(folder, "".join(f"{json.dumps(row)}\n" for row in rows), "training.jsonl")
    found = _problems(_file(folder, f"{_GOOD}training: {{file: training.jsonl}}\n"))
    assert found == [
        "training.jsonl:1: expected answer: adequacy: expected one of 5, 4, 3, 2, 1, found '6'",
        "training.jsonl:2: field 'candidates' is empty",
        "training.jsonl:2: field 'source' is missing or empty, and the form shows the source",
        "training.jsonl:2: id 't1' occurs twice",
        "training.jsonl:3: candidate 2: expected an object with a text",
        "training.jsonl:3: expected answer: 'adequacy' is no question about a page of the form",
        "training.jsonl:4: expected answer to 'adequacy': expected a text or a whole number",
    ]


def test_names_that_could_not_be_exported_are_refused_at_the_start(folder: Path) -> None:
    table = "id\tsource\treference\tsystem:equal\tsystem:B\n s1\t原文\tr\ta\tb\n"
    _file(folder, table, "table.tsv")
    text = "name: T\nform: pairwise\nlanguages: zh-en\ntestset: table.tsv\n"
    found = _problems(_file(folder, f'{text}evaluators: ["a\\u0007b"]\n'))
    assert any("'a\\x07b' holds a line break or another control" in problem for problem in found)
    assert any("the segment ' s1' is empty or has spaces" in problem for problem in found)
    assert any("a system named 'equal' cannot be told from a tie" in problem for problem in found)


def test_a_table_needs_references_only_where_they_are_shown(folder: Path) -> None:
    table = "id\tsource\tsystem:A\tsystem:B\ns1\t一\tone\tuno\n"
    (folder / "texts.tsv").write_text(table, encoding="utf-8")
    text = "name: T\nform: adequacy\nlanguages: zh-en\ntestset: texts.tsv\nevaluators: [e1]\n"
    [page] = plan_campaign(read_campaign(_file(folder, text))).pages
    assert (page.source, page.reference, len(page.candidates)) == ("一", "", 2)
    shown = text + "show: {reference: true}\n"
    assert "shows references, and 1 segment has none" in _problems(_file(folder, shown))[0]
    blank = table.replace("source", "source\treference").replace("一", "一\t ")
    (folder / "texts.tsv").write_text(blank, encoding="utf-8")
    assert "shows references, and 1 segment has none" in _problems(_file(folder, shown))[0]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("evaluaters: [x]", "own.yaml:7: unknown field 'evaluaters'; {}; did you mean evaluators?"),
        ("assignment: {mode: overlaps}", "own.yaml:7: {}; did you mean overlap?"),
        ("systems: [Atlas]", "own.yaml:7: {}; did you mean atlas?"),
        ("training: {file: training_adequacy.json}",
         "own.yaml:7: no such file: {}; did you mean training_adequacy.jsonl?"),
        ("context: {file: zzz.jsonl}", "own.yaml:7: no such file: zzz.jsonl"),
        ("guideline: {en: no.md}", "own.yaml:7: no such file: no.md"),
    ],
)  # fmt: skip
def test_misspelt_names_are_guessed_and_have_a_line(folder: Path, wrong: str, told: str) -> None:
    start, _, end = told.partition("{}")
    found = _problems(_file(folder, f"{_GOOD}{wrong}\n"))[-1]
    assert found.startswith(start) and found.endswith(end) and (end or found == told)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("form: adequacy", "form: adequcy", "own.yaml:2:"),
        ("zh-en", "zh-xx-en", "own.yaml:3: field 'languages'"),
        ("[e1, e2]", "[Ann, ann]", "own.yaml:6: the evaluators 'Ann' and 'ann' would be taken"),
        ("[e1, e2]", "[ann, ａnn]", "own.yaml:6: the evaluators 'ann' and 'ａnn' would be taken"),
    ],
)
def test_forms_languages_and_people_are_checked(
    folder: Path, old: str, new: str, told: str
) -> None:
    found = _problems(_file(folder, _GOOD.replace(old, new)))
    assert [one for one in found if one.startswith(told)]


def test_a_small_campaign_needs_no_numbers(folder: Path) -> None:
    text = f"{_GOOD}checks: {{share: 0.1}}\nrepeats: {{share: 0.1}}\n"
    settings = read_campaign(_file(folder, text))
    pages = plan_campaign(settings).pages_of("e1")
    assert [sum(page.phase == one for page in pages) for one in ("main", "check", "repeat")] == [
        len(settings.test_set), 1, 1,
    ]  # fmt: skip
    assert "everyone judges all" in settings.notes[0]


def test_aliases_that_repeat_too_much_are_refused(tmp_path: Path) -> None:
    """A file of a kilobyte must not become gigabytes; a few aliases are fine."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    (tmp_path / "endless.yaml").write_text("a: &a [*a]\n")
    for name in ("bomb.yaml", "endless.yaml"):
        with pytest.raises(InputError, match="aliases repeat too much"):
            read_campaign(tmp_path / name)
    (tmp_path / "fine.yaml").write_text("name: &n x\nother: *n\n")
    with pytest.raises(InputError) as caught:
        read_campaign(tmp_path / "fine.yaml")
    assert "repeat too much" not in str(caught.value)
