"""patmark human validate, new, status, export, close, reopen, add-evaluator and link."""

from __future__ import annotations

import csv
import json
import re
import stat
from itertools import product
from pathlib import Path

import pytest

from command_line import patmark, patmark_json
from example_campaigns import ACCEPTABILITY, ADEQUACY, CLAIMS, PAIRWISE, Begun, begin, fill
from patmark.human.campaign.plan import Plan
from patmark.human.campaign.store.store import Store
from patmark.human.judgements.formats.mt_metrics_eval import read_metrics_eval

_FAST = ("--resamples", "50", "--trials", "200")
_LINK = re.compile(r"http://127\.0\.0\.1:8000/[eo]/[\w-]{43}")


@pytest.fixture
def judged(tmp_path: Path) -> Begun:
    """Adequacy, answered by everybody."""
    begun = begin(tmp_path / "campaign.db")
    fill(begun)
    return begun


def test_validate_shows_the_plan(tmp_path: Path) -> None:
    done = patmark(tmp_path, "human", "validate", ADEQUACY)
    assert (done.returncode, list(tmp_path.iterdir())) == (0, [])
    assert "e3" in done.stdout and "Expected precision" in done.stdout
    facts = patmark_json(tmp_path, "human", "validate", PAIRWISE)
    assert facts["form"] == "pairwise" and facts["pages"]["e1"]["training"] == 2


def test_validate_lists_all_problems(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: x\nform: adequacy\nevaluators: [e1, e1]\n")
    done = patmark(tmp_path, "human", "validate", "bad.yaml")
    assert done.returncode == 2
    assert done.stderr.count("bad.yaml") >= 2


def test_new_prints_each_link_once(tmp_path: Path) -> None:
    done = patmark(tmp_path, "human", "new", ADEQUACY)
    assert done.returncode == 0
    links = _LINK.findall(done.stdout)
    assert [line.split()[0] for line in done.stdout.splitlines()] == [
        "(organiser)", "e1", "e2", "e3",
    ]  # fmt: skip
    assert len(set(links)) == 4 and not _LINK.findall(done.stderr)
    with Store.open(str(tmp_path / "campaign.db")) as store:
        [campaign] = store.campaigns()
        assert store.organiser_of(links[0].rpartition("/")[2]).campaign == campaign.id
        found = store.evaluator_of(links[1].rpartition("/")[2])
        assert found is not None and found.name == "e1"
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(link.rpartition("/")[2].encode() in content for link in links)


def test_links_in_a_private_file(tmp_path: Path) -> None:
    done = patmark(
        tmp_path, "human", "new", PAIRWISE, "--links", "links.txt", "--base-url",
        "https://judge.example.org/",
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "")
    file = tmp_path / "links.txt"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().count("https://judge.example.org/e/") == 3
    again = patmark(tmp_path, "human", "new", ADEQUACY, "--links", "links.txt")
    assert again.returncode == 2 and "exists" in again.stderr
    with Store.open(str(tmp_path / "campaign.db")) as store:
        assert len(store.campaigns()) == 1


def test_new_as_json(tmp_path: Path) -> None:
    made = patmark_json(tmp_path, "human", "new", ADEQUACY, "--db", "other.db")
    assert set(made["links"]["evaluators"]) == {"e1", "e2", "e3"}
    assert (tmp_path / "other.db").is_file()


def test_a_dry_run_begins_nothing(tmp_path: Path) -> None:
    assert patmark(tmp_path, "human", "new", ADEQUACY, "--dry-run").returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("status",), "patmark human new"),
        (("new", ADEQUACY, "--base-url", "judge.example.org"), "https://judge.example.org"),
        (("new", ADEQUACY, "--base-url", "https://x.org/sub"), "at the root"),
        (("new", ADEQUACY, "--db", "mysql://x"), "no known database"),
        (("new", "absent.yaml"), "absent.yaml"),
        (("export", "--out", "x.csv"), "patmark human new"),
        (("export", "--out", "x.txt"), "add --format"),
        (("export", "--out", "x.csv", "--format", "xml"), "choose from"),
        (("link",), "--organiser"),
    ],
)
def test_mistakes_are_explained(tmp_path: Path, arguments: tuple[str, ...], said: str) -> None:
    done = patmark(tmp_path, "human", *arguments)
    assert done.returncode == 2
    assert said in done.stderr


def test_the_same_campaign_is_not_begun_twice(tmp_path: Path) -> None:
    assert patmark(tmp_path, "human", "new", ADEQUACY).returncode == 0
    again = patmark(tmp_path, "human", "new", ADEQUACY)
    assert again.returncode == 2 and "already" in again.stderr


def test_one_of_several_campaigns(tmp_path: Path) -> None:
    begin(tmp_path / "campaign.db", ADEQUACY)
    begun = begin(tmp_path / "campaign.db", PAIRWISE)
    done = patmark(tmp_path, "human", "status")
    assert done.returncode == 2 and begun.campaign in done.stderr
    for name in (begun.campaign, begun.plan.name):
        found = patmark_json(tmp_path, "human", "status", "--campaign", name)
        assert found["form"] == "pairwise"


def test_status(tmp_path: Path, judged: Begun) -> None:
    done = patmark(tmp_path, "human", "status", "--resamples", "50", "--full")
    assert done.returncode == 0
    for table in ("Evaluators and their progress", "Krippendorff", "Attention checks",
                  "Training against reference answers", "Repeated pages"):  # fmt: skip
        assert table in done.stdout
    found = patmark_json(tmp_path, "human", "status", "--resamples", "50")
    assert (found["done"], found["total"], found["open"]) == (21, 21, True)
    first = found["evaluators"]["e1"]
    assert first["training"] == {"expected": 8, "given": 8, "agreeing": 8, "passed": True}
    assert first["seconds_per_page"] == 12
    assert found["validation"]["adequacy"]["agreement"]["segments"] == 2


@pytest.mark.parametrize("file", [ADEQUACY, ACCEPTABILITY, PAIRWISE, CLAIMS])
def test_an_export_scores_as_the_same_judgements_typed(tmp_path: Path, file: Path) -> None:
    begun = begin(tmp_path / "campaign.db", file)
    fill(begun)
    with Store.open(begun.db) as store:
        given = {
            (one.answer.page, one.answer.candidate, one.answer.question): str(one.answer.value)
            for one in store.answers(begun.campaign)
        }
    _type(tmp_path / "typed.csv", begun.plan, given)
    for name in ("judgements.csv", "judgements.jsonl"):
        done = patmark(tmp_path, "human", "export", "--out", name, "--phase", "all")
        assert done.returncode == 0, done.stderr
    found = [
        patmark_json(tmp_path, "human", "report", name, *_FAST)
        for name in ("typed.csv", "judgements.csv", "judgements.jsonl")
    ]
    for one in found:
        del one["notes"]  # names the file
    assert found[0]["criteria"] == found[1]["criteria"] == found[2]["criteria"]
    assert found[0] == found[1]


def _type(path: Path, plan: Plan, given: dict[tuple[str, str, str], str]) -> None:
    """Write judgements as a person would who looks at pages and answers."""
    choosing = plan.form.questions[0].kind == "preference"
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        end = ["document", "phase", "copied"]
        rows.writerow(
            [*("evaluator", "segment", "first", "second", "winner"), *end]
            if choosing
            else [*("evaluator", "system", "segment", "criterion", "value"), *end]
        )
        for page in plan.pages:
            end = [page.document or "", page.phase]
            if choosing:
                value = given[page.id, "", "preference"]
                left, right = page.candidates
                if not (left.edits or right.edits):
                    for place, pair in enumerate(product(left.systems, right.systems)):
                        copied = "yes" * (place > 0)
                        rows.writerow([page.evaluator, page.segment, *pair, value, *end, copied])
                    for text in page.candidates:
                        if len(text.systems) > 1:
                            rows.writerow(
                                [page.evaluator, page.segment, *text.systems, "equal", *end, "yes"]
                            )
                continue
            for candidate in page.candidates:
                asked = [one.id for one in plan.form.questions]
                values = {name: given[page.id, candidate.label, name] for name in asked}
                if plan.form.computed:  # (4, 2, 2, 3)/11, the published weights of the criteria
                    values["quality"] = repr(sum(
                        weight * int(values[name])
                        for name, weight in plan.form.computed[0].weights.items()
                    ) / 11)  # fmt: skip
                for name, value in values.items():
                    for place, system in enumerate(candidate.systems):
                        copied = "yes" * (place > 0)
                        rows.writerow(
                            [page.evaluator, system, page.segment, name, value, *end, copied]
                        )


def test_an_export_of_one_phase(tmp_path: Path, judged: Begun) -> None:
    assert patmark(tmp_path, "human", "export", "--out", "m.csv", "--phase", "main").returncode == 0
    lines = (tmp_path / "m.csv").read_text().splitlines()
    assert (
        lines[0].startswith("evaluator,system,segment,criterion,value") and "phase" not in lines[0]
    )
    outputs = sum(
        len(one.systems) for page in judged.plan.pages if page.phase == "main"
        for one in page.candidates
    )  # fmt: skip
    assert len(lines) == 1 + outputs
    done = patmark(tmp_path, "human", "export", "--out", "m.csv")
    assert done.returncode == 2 and "--overwrite" in done.stderr
    done = patmark(tmp_path, "human", "export", "--out", "x.csv", "--phase", "some")
    assert done.returncode == 2 and "training" in done.stderr


def test_an_export_with_texts(tmp_path: Path, judged: Begun) -> None:
    done = patmark(tmp_path, "human", "export", "--out", "folder", "--format", "mt-metrics-eval")
    assert done.returncode == 0, done.stderr
    found = read_metrics_eval(tmp_path / "folder", "zh-en")
    assert [run.system for run in found.runs] == ["atlas", "borealis", "cobalt"]
    assert len(found.test_set) == 11 and "adequacy" in found.human
    assert found.test_set.segments[0].meta["domain"] in "ABCDEFGH"


def test_an_export_leaves_excluded_evaluators_out(tmp_path: Path, judged: Begun) -> None:
    with Store.open(judged.db) as store:
        store.exclude(judged.campaign, "e2", "all answers the same")
    done = patmark(tmp_path, "human", "export", "--out", "j.csv")
    assert "e2 is left out: all answers the same" in done.stderr
    assert not re.search(r"^e2,", (tmp_path / "j.csv").read_text(), re.MULTILINE)
    patmark(tmp_path, "human", "export", "--out", "all.csv", "--with-excluded")
    assert re.search(r"^e2,", (tmp_path / "all.csv").read_text(), re.MULTILINE)


def test_meta_reads_the_export(tmp_path: Path, judged: Begun) -> None:
    patmark(tmp_path, "human", "export", "--out", "j.csv")
    rows = [
        f"{system},{segment},fake,{len(system) + place}"
        for place, segment in enumerate(judged.plan.settings["segments"])
        for system in ("atlas", "borealis", "cobalt")
    ]
    (tmp_path / "scores.csv").write_text("\n".join(["system,segment,measure,value", *rows]))
    done = patmark(
        tmp_path, "meta", "scores.csv", "j.csv", "--gold", "adequacy", "--resamples", "50", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert "fake" in done.stdout


def test_reports_with_known_systems_read_the_export(tmp_path: Path, judged: Begun) -> None:
    patmark(tmp_path, "human", "export", "--out", "j.csv")
    done = patmark(
        tmp_path, "human", "report", "j.csv", "--systems", "atlas,borealis,cobalt", *_FAST
    )
    assert done.returncode == 0, done.stderr


def test_task_reads_the_export(tmp_path: Path) -> None:
    folder = ADEQUACY.parent
    (tmp_path / "task.yaml").write_text(
        f"""
name: Task
languages: zh-en
testset: {folder / "testset.jsonl"}
measures: BLEU
runs:
  - {{group: ATLAS, file: {folder / "atlas.jsonl"}, type: NMT, resources: B}}
  - {{group: COBALT, file: {folder / "cobalt.jsonl"}, type: RBMT, resources: E}}
"""
    )
    (tmp_path / "campaign.yaml").write_text(
        """
name: Judged task
form: adequacy
manifest: task.yaml
evaluators: [e1, e2]
assignment: {mode: same}
repeats: {share: 0.2, distance: 2}
checks: {share: 0.2, distance: 2}
"""
    )
    fill(begin(tmp_path / "campaign.db", tmp_path / "campaign.yaml"))
    assert patmark(tmp_path, "human", "export", "--out", "j.csv").returncode == 0
    done = patmark(
        tmp_path, "task", "task.yaml", "--judgements", "j.csv", "--resamples", "50",
        "--trials", "200", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "adequacy" in done.stdout


def test_close_and_reopen(tmp_path: Path, judged: Begun) -> None:
    assert patmark(tmp_path, "human", "close").returncode == 0
    again = patmark(tmp_path, "human", "close")
    assert again.returncode == 2 and "closed already" in again.stderr
    assert patmark_json(tmp_path, "human", "status", "--resamples", "20")["open"] is False
    assert patmark(tmp_path, "human", "reopen").returncode == 0
    assert patmark(tmp_path, "human", "reopen").returncode == 2


def test_a_new_evaluator_and_new_links(tmp_path: Path, judged: Begun) -> None:
    done = patmark(tmp_path, "human", "add-evaluator", "e4", "--like", "e1")
    assert done.returncode == 0 and _LINK.fullmatch(done.stdout.strip())
    with Store.open(judged.db) as store:
        first = store.evaluator_of(done.stdout.strip().rpartition("/")[2])
        assert first is not None and first.name == "e4"
        renewed = patmark(tmp_path, "human", "link", "e4").stdout.strip()
        assert store.evaluator_of(done.stdout.strip().rpartition("/")[2]) is None
        assert store.evaluator_of(renewed.rpartition("/")[2]) is not None
        assert patmark(tmp_path, "human", "link", "e4", "--revoke").stdout == ""
        assert store.evaluator_of(renewed.rpartition("/")[2]) is None
        secret = patmark(tmp_path, "human", "link", "--organiser").stdout.strip()
        assert store.organiser_of(judged.secret) is None
        assert store.organiser_of(secret.rpartition("/")[2]).campaign == judged.campaign
    assert patmark(tmp_path, "human", "add-evaluator", "e4").returncode == 2


def test_help_teaches(tmp_path: Path) -> None:
    for command in ("validate", "new", "serve", "status", "export", "close", "reopen", "link",
                    "add-evaluator", "backup", "forget", "migrate"):  # fmt: skip
        done = patmark(tmp_path, "human", command, "--help")
        assert done.returncode == 0
        assert f"patmark human {command}" in done.stdout
    assert json.loads(patmark(tmp_path, "human", "validate", ADEQUACY, "--json").stdout)
