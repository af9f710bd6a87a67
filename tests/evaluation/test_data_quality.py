"""The references themselves under checks, and the languages that checks have rules for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from checking import bilingual_pairs
from command_line import patmark
from patmark.data.model import Run, TestSet
from patmark.errors import UsageError
from patmark.evaluation.data_quality import shifted_warnings
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.measures.fact_checks import Numbers, ReferenceSigns
from patmark.report import message_texts
from patmark.report.frames import to_csv

_SOURCES = ["膜厚为12μm。", "加热至80℃。", "轴（10）转动。"]
_REFERENCES = ["The film is 12 μm thick.", "It is heated to 90 °C.", "The shaft (10) turns."]
_OUTPUT = ["The film is 12 μm thick.", "It is heated to 80 °C.", "The shaft turns."]
_DRAWN = Sampling(resamples=50)


def _evaluated(references: list[Any], measures: str = "BLEU,numbers,reference-signs") -> Evaluation:
    test_set = TestSet.of(references, sources=_SOURCES, source_language="zh")
    return evaluate(test_set, [Run("mine", tuple(_OUTPUT))], measures, _DRAWN)


def test_every_check_shows_what_the_references_score() -> None:
    evaluation = _evaluated(list(_REFERENCES))
    result = json.loads(json.dumps(evaluation.to_json(), allow_nan=False))
    assert set(result["references"]) == {"numbers", "reference-signs"}
    assert result["references"]["numbers"]["value"] == pytest.approx(1 / 3)
    assert result["references"]["reference-signs"] == {"value": 1.0, "ci": None, "n": 1}
    assert set(result["systems"]) == {"mine"}
    tables = {table.title: table for table in evaluation.to_report().tables}
    assert [row[0] for row in tables["Scores"].rows] == ["mine"]
    assert [row[0] for row in tables["Checks without reference"].rows] == ["mine", "(reference)"]
    assert "(reference)" in to_csv(evaluation.to_report())


def test_without_references_there_is_nothing_to_show() -> None:
    evaluation = _evaluated([[], [], []], "numbers")
    assert evaluation.to_json()["references"] == {}
    assert [row[0] for row in evaluation.to_report().tables[0].rows] == ["mine"]


def test_all_references_count_and_empty_ones_do_not() -> None:
    others = [["", _REFERENCES[0]], [_REFERENCES[1], _OUTPUT[1]], [_REFERENCES[2]]]
    evaluation = _evaluated(others, "numbers")
    counted = evaluation.reference_scores["numbers"].statistics[0]
    assert counted.tolist() == [[1, 1], [0 + 1, 2 + 1], [0, 0]]


def test_a_long_segment_weighs_as_much_as_ten_things() -> None:
    signs = "".join(f"杆（{number}）" for number in range(100, 150))
    test_set = TestSet.of(["a"] * 11, sources=[signs, *["轴（10）"] * 10], source_language="zh")
    check = ReferenceSigns()
    counted = check.statistics(test_set, ["rods", *["shaft (10)"] * 10])
    assert counted.tolist() == [[0, 10], *[[1, 1]] * 10]
    assert check.score(counted.sum(axis=0)) == 0.5
    assert check.score(check.statistics(test_set, [signs, *["shaft (10)"] * 10])[0]) == 1


def test_a_long_segment_that_is_no_translation_is_named() -> None:
    signs = "".join(f"杆（{number}）" for number in range(100, 150))
    test_set = TestSet.of(["rods", "shaft (10)"], sources=[signs, "轴（10）"], source_language="zh")
    run = Run("mine", (signs.replace("杆", " rod "), "shaft"))
    evaluation = evaluate(test_set, [run], "reference-signs", Sampling(resamples=0))
    warning = "Warning: source and reference do not seem parallel in 1 segment: 1 (reference-signs"
    [said] = message_texts(evaluation.to_report().findings)
    assert said == f"{warning} 0.00)."
    assert evaluation.to_json()["notes"] == [said]


@pytest.mark.parametrize(("check", "least"), [(Numbers(), 0.9), (ReferenceSigns(), 0.8)])
def test_one_row_does_not_decide_the_score_of_human_translations(
    patsnap_rows: list[dict[str, Any]], check: Numbers | ReferenceSigns, least: float
) -> None:
    sources, targets = zip(*bilingual_pairs(patsnap_rows, ("zh", "en")), strict=True)
    test_set = TestSet.of(targets, sources=sources, source_language="zh")
    assert check.score(check.statistics(test_set, targets).sum(axis=0)) >= least


_GERMAN = ["Die Welle (10) dreht sich mit dem zweiten Rad.", "Der Film ist 0,5 mm dick."]
_FRENCH = ["L'arbre (10) tourne avec la deuxième roue.", "Le film a une épaisseur de 0,5 mm."]


@pytest.mark.parametrize("source_language", ["de", None])
def test_languages_without_rules_get_a_note_and_no_number(source_language: str | None) -> None:
    test_set = TestSet.of(
        _FRENCH, sources=_GERMAN, target_language="fr", source_language=source_language
    )
    evaluation = evaluate(test_set, [Run("mine", tuple(_FRENCH))], None, Sampling(resamples=0))
    scored = set(evaluation.scores)
    assert scored.isdisjoint({"untranslated", "term-drift"})
    assert scored > {"BLEU", "reference-signs", "doubled"}
    if source_language:
        assert evaluation.references["numbers"].value == 1
    assert evaluation.references["reference-signs"].value == 1
    signs, repeats, note = evaluation.to_report().notes
    assert signs.startswith(
        "reference-signs: signs after nouns are looked for in en, es, ja, zh only"
    )
    assert repeats == (
        "doubled: in fr only repeats of four words or more are looked for; shorter ones in "
        "en, es, ja, zh."
    )
    assert note.startswith("Not scored: ")
    assert {"term-drift", "untranslated"} <= set(note[12:].split(".")[0].split(", "))
    with pytest.raises(UsageError, match=r"^term-drift(: which language| has no rules for de-fr)"):
        evaluate(test_set, [Run("mine", tuple(_FRENCH))], "term-drift", Sampling(resamples=0))


def test_untranslated_characters_are_seen_in_every_language_of_letters() -> None:
    test_set = TestSet.of([[]], sources=["隔膜"], source_language="zh", target_language="de")
    evaluation = evaluate(test_set, [Run("mine", ("Die 隔膜",))], "untranslated", _DRAWN)
    assert evaluation.estimates["untranslated"]["mine"].value == pytest.approx(3 / 5)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("untranslated", "en, es, ja, zh and from ja or zh into languages in other letters"),
        ("leakage", "pairs with ja or zh"),
        ("term-drift", "en, es, ja, zh"),
    ],
)
def test_a_check_without_rules_says_for_which_languages_it_has_some(name: str, known: str) -> None:
    test_set = TestSet.of(_FRENCH, sources=_GERMAN, target_language="fr", source_language="de")
    with pytest.raises(UsageError, match=f"^{name} has no rules for de-fr, but for {known}$"):
        evaluate(test_set, [Run("mine", tuple(_FRENCH))], name, Sampling(resamples=0))


def test_what_is_said_twice_in_other_languages_is_four_words_long() -> None:
    said = ["Nous nous promenons.", "la force de freinage la force de freinage"]
    test_set = TestSet.of([[], []], sources=["a", "b"], source_language="en", target_language="fr")
    evaluation = evaluate(test_set, [Run("mine", tuple(said))], "doubled", Sampling(resamples=0))
    assert evaluation.scores["doubled"].segment_scores.tolist() == [[1, 0.5]]


def test_the_command_line_shows_the_references_in_all_its_forms(tmp_path: Path) -> None:
    files = {"src": _SOURCES, "ref": _REFERENCES, "a": _OUTPUT, "b": _REFERENCES}
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    given = ["--hyp", "A=a", "--hyp", "B=b", "--src", "src", "--ref", "ref", "--lang", "zh-en",
             "--measures", "numbers", "--resamples", "20"]  # fmt: skip
    for command in ("score", "compare"):
        done = patmark(tmp_path, command, *given, "--json")
        assert json.loads(done.stdout)["references"]["numbers"]["value"] == pytest.approx(1 / 3)
        table = f"{command}.csv"
        done = patmark(tmp_path, command, *given, "--csv", table, "--html", f"{command}.html")
        assert "0.3333" in done.stdout and "eference" in done.stdout
        assert "(reference)," in (tmp_path / table).read_text(encoding="utf-8")
        assert "(reference)" in (tmp_path / f"{command}.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("lost", "told"), [(0, 8), (4, 5), (None, 0)])
def test_lines_that_are_shifted_give_a_warning(lost: int | None, told: int) -> None:
    parts = [
        "housing",
        "shaft",
        "rotor",
        "valve",
        "filter",
        "jacket",
        "gear",
        "plug",
        "port",
        "pin",
    ]
    references = [f"the {part} {part[::-1]} {part * 2} is closed" for part in parts]
    outputs = [text.replace("closed", "shut") for text in references]
    if lost is not None:
        outputs = [*outputs[:lost], *outputs[lost + 1 :], ""]
    warnings = shifted_warnings(TestSet.of(references), [Run("mine", tuple(outputs))])
    assert len(warnings) == (lost is not None)
    expected = f"{told} of 8 outputs of mine fit the reference of the segment after"
    assert all(expected in one.text for one in warnings)


_LINES = [f"The valve {at} opens with a force of {at * 7} N." for at in range(12)]


def _repeated(outputs: list[str | None]) -> list[str]:
    """Return the codes of the warnings on outputs."""
    test_set = TestSet.of(_LINES)
    result = evaluate(test_set, [Run("a", tuple(outputs))], ["chrF"], Sampling(resamples=0))
    codes = ("equal-to-reference", "same-outputs")
    return [one.code for one in result.warnings if one.code in codes]


@pytest.mark.parametrize(
    ("outputs", "codes"),
    [
        (_LINES, ["equal-to-reference"]),
        ([*_LINES[:6], *(["A text."] * 2 + ["B."] * 2 + [None] * 2)], ["equal-to-reference"]),
        ([f" {text}  " for text in _LINES], ["equal-to-reference"]),
        (["I am ready to translate."] * 12, ["same-outputs"]),
        ([*map(str, range(7)), *["As above."] * 5], ["same-outputs"]),
    ],
)
def test_outputs_that_are_references_or_the_same_in_a_row_get_a_remark(
    outputs: list[str | None], codes: list[str]
) -> None:
    assert _repeated(outputs) == codes


@pytest.mark.parametrize(
    "outputs",
    [
        [text.replace("valve", "flap") for text in _LINES],
        [*_LINES[:5], *map(str, range(7))],
        [*map(str, range(8)), *["As above."] * 4],
        ["A text.", "Another."] * 6,
        [""] * 12,
    ],
)
def test_other_outputs_get_none(outputs: list[str | None]) -> None:
    assert _repeated(outputs) == []


def test_one_text_translated_many_times_is_no_run_of_outputs() -> None:
    test_set = TestSet.of(["The valve opens."] * 12)
    run = Run("a", ("A valve opens.",) * 12)
    result = evaluate(test_set, [run], ["chrF"], Sampling(resamples=0))
    assert "same-outputs" not in [one.code for one in result.warnings]
