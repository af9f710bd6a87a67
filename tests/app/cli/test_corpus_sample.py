"""patmark corpus sample and judged on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from campaigns import answered
from command_line import patmark
from patmark.data import read_jsonl_test_set
from patmark.human.campaign.form import Question
from patmark.human.campaign.plan import Candidate, Page
from patmark.human.campaign.planning import plan_campaign
from patmark.human.campaign.results import campaign_results
from patmark.human.campaign.settings import read_campaign
from patmark.human.judgements.formats.csv import write_judgement_csv


def _pairs(folder: Path, count: int = 60) -> None:
    rows = (
        {"id": f"p{at}", "source": f"泵{at}。", "target": f"Pump {at}.", "score": at / 10}
        for at in range(count)
    )
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "pairs.jsonl").write_text(text, encoding="utf-8")


def _judge(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    words = ["correct", "correct", "correct", "partly", "wrong", "unsure"]
    judged = [
        line.replace(".,,", f".,{words[at % len(words)]},") for at, line in enumerate(lines[1:])
    ]
    path.write_text("\n".join([lines[0], *judged]) + "\n", encoding="utf-8")


def test_sample_and_judge(tmp_path: Path) -> None:
    _pairs(tmp_path)
    done = patmark(tmp_path, "corpus", "sample", "pairs.jsonl", "--n", "30", "--out", "s.csv")
    assert done.returncode == 0, done.stderr
    assert "30 of 60 pairs, from 10 strata of scores (seed 0)" in done.stdout
    assert "wrote s.csv" in done.stderr
    _judge(tmp_path / "s.csv")
    done = patmark(tmp_path, "corpus", "judged", "s.csv", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["judged"] == {"correct": 15, "partly": 5, "wrong": 5, "unsure": 5}
    assert (result["pairs"], result["sample"], result["not_judged"]) == (60, 30, 0)
    assert round(result["unsure_as_wrong"]["value"], 9) == 0.5
    low, high = result["correct"]["ci"]
    assert low < result["correct"]["value"] < high
    assert [each["pairs"] for each in result["strata"]] == [6] * 10


def test_judged_tells_people_and_writes_reports(tmp_path: Path) -> None:
    _pairs(tmp_path)
    patmark(tmp_path, "corpus", "sample", "pairs.jsonl", "--n", "30", "--out", "s.csv", "-q")
    _judge(tmp_path / "s.csv")
    done = patmark(tmp_path, "corpus", "judged", "s.csv", "--html", "p.html", "--md", "p.md")
    assert done.returncode == 0, done.stderr
    assert "30 judged pairs stand for 60" in done.stdout
    assert "5 pairs were judged as unsure" in done.stdout
    assert "correct or partly" in (tmp_path / "p.md").read_text("utf-8")
    assert "By score" in (tmp_path / "p.html").read_text("utf-8")


def test_json_and_standard_output(tmp_path: Path) -> None:
    _pairs(tmp_path)
    given = ["corpus", "sample", "pairs.jsonl", "--n", "10", "--seed", "7"]
    done = patmark(tmp_path, *given, "--out", "s.jsonl", "--json")
    assert json.loads(done.stdout) == {
        "sample": 10, "pairs": 60, "strata": 10, "seed": 7, "out": "s.jsonl",
    }  # fmt: skip
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text("utf-8").splitlines()]
    assert [row["judgement"] for row in rows] == [""] * 10


def test_errors_leave_no_file(tmp_path: Path) -> None:
    _pairs(tmp_path, 5)
    done = patmark(tmp_path, "corpus", "sample", "pairs.jsonl", "--n", "30", "--out", "s.csv")
    assert done.returncode == 2
    assert "has 5 pairs; a sample of 30 cannot be drawn" in done.stderr
    assert not (tmp_path / "s.csv").exists()
    done = patmark(tmp_path, "corpus", "sample", "pairs.jsonl", "--n", "3", "--out", "pairs.jsonl")
    assert "is an input; it would be overwritten" in done.stderr


def test_a_sample_goes_through_a_campaign_and_comes_back(tmp_path: Path) -> None:
    _pairs(tmp_path)
    patmark(tmp_path, "corpus", "sample", "pairs.jsonl", "--n", "20", "--out", "s.csv", "-q")
    (tmp_path / "campaign.yaml").write_text(
        "name: pairs\nform: pair-correctness\nlanguages: zh-en\nsample: s.csv\n"
        "evaluators: [e1, e2]\nassignment: {mode: same}\n"
    )
    plan = plan_campaign(read_campaign(tmp_path / "campaign.yaml"))
    results = campaign_results(plan, answered(plan, _fifth_is_wrong))
    write_judgement_csv(tmp_path / "export.csv", results.judgements)  # type: ignore[arg-type]
    given = ["corpus", "judged", "s.csv", "--judgements", "export.csv"]
    result = json.loads(patmark(tmp_path, *given, "--json").stdout)
    wrong = sum(_is_wrong(page.segment) for page in plan.pages if page.evaluator == "e1")
    assert result["judged"] == {"correct": 20 - wrong, "partly": 0, "wrong": wrong, "unsure": 0}
    assert result["not_judged"] == 0
    told = patmark(tmp_path, *given).stdout
    assert "20 pairs were judged by several people, 0 of them differently" in told


def _is_wrong(pair: str) -> bool:
    return int(pair.removeprefix("p")) % 5 == 0


def _fifth_is_wrong(page: Page, candidate: Candidate | None, question: Question) -> str:
    return "wrong" if _is_wrong(page.segment) else "correct"


def test_pairs_that_people_judged_correct_become_a_test_set(tmp_path: Path) -> None:
    header = "id,source,target,judgement,section,family,score,stratum,stratum_pairs\n"
    rows = (
        "a,阀打开。,The valve opens.,,claims,F1,0.9,1,9\n"
        'b,"泵，轴。","A pump, a shaft.",,claims,F1,0.8,1,9\n'
        "c,杯。,Wheel.,,claims,F2,0.2,1,9\n"
    )
    (tmp_path / "sample.csv").write_text(header + rows, encoding="utf-8")
    export = "evaluator,system,segment,criterion,value\n" + "".join(
        f"e1,corpus,{pair},correctness,{said}\n"
        for pair, said in (("a", "correct"), ("b", "correct"), ("c", "wrong"))
    )
    (tmp_path / "export.csv").write_text(export, encoding="utf-8")
    done = patmark(tmp_path, "corpus", "judged", "sample.csv", "--judgements", "export.csv",
                   "--write-testset", "test.jsonl")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "2 pairs that were judged correct are in test.jsonl" in " ".join(done.stdout.split())
    test_set = read_jsonl_test_set(tmp_path / "test.jsonl", "en", "zh")
    assert [(one.id, one.source, one.references, one.document) for one in test_set] == [
        ("a", "阀打开。", ("The valve opens.",), "F1"),
        ("b", "泵，轴。", ("A pump, a shaft.",), "F1"),
    ]
    (tmp_path / "none.csv").write_text(export.replace("correct\n", "partly\n"), encoding="utf-8")
    none = patmark(tmp_path, "corpus", "judged", "sample.csv", "--judgements", "none.csv",
                   "--write-testset", "none.jsonl")  # fmt: skip
    assert none.returncode == 2 and "no pair is correct" in none.stderr
    assert not (tmp_path / "none.jsonl").exists()
